//! Durable state: tasks, exchanges, data, and the log that explains them.
//!
//! One type, [`Store`], over SQLite in a file or in memory. A tour, in the order in which things
//! happen:
//! - [`Store::open`] locks the state, brings the schema up to date, checks what it finds and hands
//!   back every task ([`Recovered`]); what cannot be trusted is refused ([`OpenError`]);
//! - [`Store::commit`] queues a [`Batch`] and returns a [`Ticket`] at once. One writer thread
//!   commits everything that queued up during the last fsync as one transaction (group commit).
//!   Then `on_commit` sees what was [`Committed`], then the tickets resolve: whoever holds a
//!   resolved ticket holds a promise that survives a power cut;
//! - reads ([`Store::exchanges`], [`Store::entries`], …) use connections of their own and never
//!   wait for the writer; every row is checked against its digest, so that corrupt data is
//!   refused and never served;
//! - [`Store::verify`] and the free [`verify()`] walk the whole hash chain and every row.
//!
//! State is the truth, the log is its explanation: both are written in the same transaction. Each
//! entry of the log carries the SHA-256 of itself and the digest before it, because SQLite by
//! itself notices few flipped bits.
//!
//! No SQL leaves this crate, and no clock, protocol or rule of the domain enters it: a batch says
//! what to store, `domain` said why. Files: `store` (the handle), `open` (locks, files, recovery),
//! `schema` (SQL and migrations), `writer` (group commit), `checkpoint`, `read`, `verify`, `row` (the row types)
//! and `digest` (the hashes).
#![forbid(unsafe_code)]

mod batch;
mod checkpoint;
mod digest;
mod open;
mod read;
mod row;
mod schema;
mod statistics;
mod store;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use batch::{Batch, CommitError, Committed, Ticket};
pub use open::{Location, OpenError, Options, Recovered};
pub use read::{Filter, ReadError};
pub use statistics::{Condition, Statistics};
pub use store::{OnCommit, Store};
pub use verify::{ChainReport, Fault, verify};
