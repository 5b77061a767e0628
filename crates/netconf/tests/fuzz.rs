//! The fuzz targets of this crate over their corpora and some thousand small mutations of them. The
//! functions are in `tests/fuzz`, where libFuzzer runs them for as long as one likes (`make fuzz`).
#![allow(missing_docs, unreachable_pub)]

#[path = "../../../tests/fuzz/src/filter.rs"]
mod filter;
#[path = "../../../tests/fuzz/src/framing.rs"]
mod framing;
#[path = "../../../tests/fuzz/src/guard.rs"]
#[allow(dead_code, reason = "the targets of YANG ask what passed")]
mod guard;
#[path = "../../../tests/fuzz/src/mutation.rs"]
mod mutation;
#[path = "../../../tests/fuzz/src/netconf.rs"]
mod session;

use mutation::smoke;

/// The fragmentation of the input makes no difference, and decoding undoes encoding.
#[test]
fn no_bytes_break_the_framing() {
    smoke("framing", "xml", framing::framing, 20_000);
}

/// A document that the parser accepts is within its limits, and is written as it was meant.
#[test]
fn no_bytes_pass_the_guard_by_mistake() {
    smoke("guard", "xml", guard::guard, 20_000);
}

/// Compiling a filter ends; its output is XML, and no provider needs to fetch more for it.
#[test]
fn no_filter_breaks_an_answer() {
    smoke("filter", "xml", filter::filter, 10_000);
}

/// The fragmentation of the input makes no difference, and every request is answered.
#[test]
fn no_bytes_break_a_session() {
    smoke("netconf", "xml", session::session, 6_000);
}
