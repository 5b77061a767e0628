//! The fuzz targets of libyang's use over their corpora and some mutations of them. The functions
//! are in `tests/fuzz`, where libFuzzer runs them for as long as one likes (`make fuzz`).
#![allow(missing_docs, unreachable_pub)]

#[path = "../../../tests/fuzz/src/mutation.rs"]
mod mutation;
#[path = "../../../tests/fuzz/src/yang.rs"]
mod target;

/// A document of any kind is accepted or refused with a reason.
#[test]
fn no_document_breaks_a_check() {
    mutation::smoke("yang-data", "yang", target::data, 3_000);
}

/// A module compiles and is announced whole, or is refused with a reason.
#[test]
fn no_module_breaks_the_compiler() {
    mutation::smoke("yang-modules", "yang", target::modules, 3_000);
}
