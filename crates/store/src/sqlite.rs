//! What is SQLite's alone: its connections, its errors, its schema and its files.
//!
//! Read next: `session`, the statements; `upkeep`, all else that it is asked; `schema`.

pub(crate) mod connection;
mod error;
pub(crate) mod schema;
pub(crate) mod session;
pub(crate) mod upkeep;
pub(crate) mod wal;
