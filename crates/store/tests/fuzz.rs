//! The fuzz target of the store over its corpus and some changes to it: what a state that somebody
//! else had in hand may never do. The function is in `tests/fuzz`, where libFuzzer runs it for as long
//! as one likes (`make fuzz`).
#![allow(missing_docs, unreachable_pub)]

#[path = "../../../tests/fuzz/src/mutation.rs"]
mod mutation;
#[path = "../../../tests/fuzz/src/store.rs"]
mod target;

/// Whatever was changed, what is served was written, and what is sound is whole.
#[test]
fn no_state_breaks_the_store() {
    mutation::smoke("store", "store", target::state, 150);
}
