//! The only crate that touches libyang.
//!
//! A tour: a [`ModuleSet`] says which YANG modules there are; a [`Generation`]
//! is one immutable compilation of it, shared as an `Arc`, and answers
//! - what is announced: [`Generation::modules`], [`Generation::capabilities`],
//!   [`Generation::yang_library_xml`], [`Generation::schema`];
//! - whether a document is right: [`Generation::check_rpc`] and its siblings,
//!   whose [`Violation`] already carries the error tag of RFC 6241;
//! - what an XPath selects, at a cost that nothing bounds: [`Generation::select`], the yardstick for
//!   the evaluator in `netconf`;
//! - what the schema looks like: [`Generation::schema_nodes`].
//!
//! Knows YANG and libyang's ways; refuses to know agents, tasks, sessions and
//! stores. `unsafe` lives in `ffi.rs` and the files below it; the modules
//! themselves in `yang/` at the root of the repository.

mod check;
mod error;
mod ffi;
mod generation;
mod library;
mod node;
mod select;
mod set;
mod violation;

pub use error::{LoadError, XPathError};
pub use generation::{Conformance, Generation, Module};
pub use node::{DefaultDeny, Kind, SchemaNode, Status};
pub use set::ModuleSet;
pub use violation::{Tag, Violation};
