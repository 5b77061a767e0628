//! Data as JSON (RFC 7951): written from the XML that NETCONF answers with, read into the XML that it takes.
//!
//! Both go through a parsed document once, guided by the compiled schema, and make nothing besides: what a
//! list is, and of which type a value, is what the schema says. libyang is not asked, which would build a
//! third form of the same data and takes fragments only if they are whole. Read next: `write`, `read`.

mod read;
mod write;

pub(super) use read::operation;
pub(super) use write::{document, members};

#[cfg(test)]
mod tests;
