//! What is SQLite's alone: its connections, its errors and its files.
//!
//! Read next: `session`, the statements; `upkeep`, all else that it is asked.

mod error;
pub(crate) mod session;
pub(crate) mod upkeep;
