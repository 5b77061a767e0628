//! The fuzz target of SSH before the key exchange, over its corpus and some mutations of it. The
//! function is in `tests/fuzz`, where libFuzzer runs it for as long as one likes (`make fuzz`).
#![allow(missing_docs, unreachable_pub)]

#[path = "../../../tests/fuzz/src/mutation.rs"]
mod mutation;
#[path = "../../../tests/fuzz/src/ssh.rs"]
mod target;

/// Every connection ends, and nobody is admitted.
#[test]
fn no_bytes_break_a_handshake() {
    mutation::smoke("ssh", "ssh", target::connection, 10_000);
}
