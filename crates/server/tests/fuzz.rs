//! The fuzz target of SSH before keys over its corpus and some changes to it: what a stranger's bytes
//! may never do. The function is in `tests/fuzz`, where libFuzzer runs it for as long as one likes
//! (`make fuzz`).
#![allow(missing_docs, unreachable_pub)]

#[path = "../../../tests/fuzz/src/mutation.rs"]
mod mutation;
#[path = "../../../tests/fuzz/src/ssh.rs"]
mod target;

/// Every connection ends, and nobody is let in.
#[test]
fn no_bytes_break_a_handshake() {
    mutation::smoke("ssh", "ssh", target::connection, 10_000);
}
