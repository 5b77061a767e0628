//! The data of an answer: a tree of nodes, and the writer that turns it into XML while a projection
//! prunes it.
//!
//! Filters, which projections are made of, are in [`crate::filter`]. A tour: `node` is the tree,
//! `write` matches and prunes it, `render` has the bytes of one node.

mod node;
mod render;
mod write;

#[cfg(test)]
pub(crate) use node::Content;
pub use node::{Defaulted, IdentityRef, Node, Value};
pub use write::{Writer, write};
