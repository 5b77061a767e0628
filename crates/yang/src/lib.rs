//! The only crate that touches libyang.
//!
//! A tour: a [`ModuleSet`] is a choice of YANG modules; a [`Generation`] is one immutable
//! compilation of it, shared as an `Arc`, with
//! - the announcements: [`Generation::modules`], [`Generation::capabilities`],
//!   [`Generation::yang_library_xml`], [`Generation::schema`];
//! - the checks of documents: [`Generation::check_rpc`] and its siblings, whose [`Violation`]
//!   already carries the error tag of RFC 6241;
//! - XPath selection, at a cost that nothing bounds: [`Generation::select`], the reference for the
//!   evaluator in `netconf`;
//! - the schema itself: [`Generation::schema_nodes`].
//!
//! Knows YANG and libyang; agents, tasks, sessions and stores are not known here. `unsafe` lives in
//! `ffi.rs` and the files below it; the modules themselves in `yang/` at the root of the
//! repository.

mod check;
mod error;
mod ffi;
mod generation;
mod library;
mod module;
mod node;
mod select;
mod set;
mod value_type;
mod violation;

pub use error::{LoadError, XPathError};
pub use generation::Generation;
pub use module::{Conformance, Module};
pub use node::{DefaultDeny, Kind, SchemaNode, Status};
pub use set::ModuleSet;
pub use value_type::{BaseType, ValueType};
pub use violation::{Tag, Violation};
