//! The fuzz target of the store over its corpus and some mutations of it: states that an attacker
//! may have changed. The function is in `tests/fuzz`, where libFuzzer runs it for as long as one
//! likes (`make fuzz`).
#![allow(missing_docs, unreachable_pub)]

#[path = "../../../tests/fuzz/src/mutation.rs"]
mod mutation;
#[path = "../../../tests/fuzz/src/store.rs"]
mod target;

/// After any change, served rows are as written, and a sound state is whole.
#[test]
fn no_state_breaks_the_store() {
    mutation::smoke("store", "store", target::state, 150);
}
