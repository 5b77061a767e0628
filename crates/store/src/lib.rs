//! Durable state: tasks, negotiations, exchanges, data, agents, and the log that explains them.
//!
//! One type, [`Store`], over SQLite in a file or in memory. A tour, in the order in which things
//! happen:
//! - [`Store::open`] locks the state, brings the schema up to date, checks the end of the log and
//!   hands back what is open ([`Recovered`]); what cannot be trusted is refused ([`OpenError`]).
//!   What has ended is not read, however much there is;
//! - [`Store::commit`] queues a [`Batch`] and returns a [`Ticket`] at once. One writer thread
//!   commits everything that queued up during the last fsync as one transaction (group commit).
//!   Then `on_commit` sees what was [`Committed`], then the tickets resolve: whoever holds a
//!   resolved ticket holds a promise that survives a power cut;
//! - reads ([`Store::task`], [`Store::exchanges`], [`Store::entries`], …) use connections of their own and never
//!   wait for the writer; every row is checked against its digest, so that corrupt data is
//!   refused and never served;
//! - with a [`KeyKeeper`], payloads lie encrypted, and nothing above notices; [`Store::rotate`]
//!   changes keys and touches no row, [`Store::reencrypt`] walks over the rows;
//! - [`Store::keep_cursors`] keeps how far others have read the log, in the same group commit;
//! - [`Store::trim`] removes what is older than a [`Retention`] keeps and leaves a signed
//!   [`Checkpoint`] in front of the rest of the log; [`Store::erase`] blanks what was said about
//!   one ended task; both between commits, in slices;
//! - [`Store::verify`] and the free [`verify()`] walk the whole hash chain and every row.
//!
//! State is the truth, the log is its explanation: both are written in the same transaction. Each
//! entry of the log carries the SHA-256 of itself and the digest before it, because SQLite by
//! itself notices few flipped bits. Digests find damage; against forgery the head, checkpoints and
//! erasures are signed, by a [`Signer`] that whoever opens the store brings along.
//!
//! No SQL leaves this crate, and no clock, protocol or rule of the domain enters it: a batch says
//! what to store, `domain` said why. Files: `store` (the handle), `open` (locks, files, recovery),
//! `schema` (SQL and migrations), `writer` (group commit), `transaction` (one group), `job` with
//! `retention`, `erase` and `reencrypt`, `wal` (the write-ahead log), `read`, `verify`, `row` (the
//! row types), `digest` (the hashes), `sign`, `keys` (who keeps the master key) and `cipher` (what
//! is encrypted, and how).
#![forbid(unsafe_code)]

mod batch;
mod cipher;
mod digest;
mod erase;
mod job;
mod keys;
mod open;
mod read;
mod reencrypt;
mod retention;
mod row;
mod schema;
mod sign;
mod statistics;
mod store;
mod transaction;
mod verify;
mod wal;
mod writer;

#[cfg(test)]
mod tests;

pub use batch::{Batch, Chunk, CommitError, Committed, Ticket};
pub use keys::{Chance, HeldKeys, KeyError, KeyKeeper, Secret};
pub use open::{Decided, Location, OpenError, Options, Recovered};
pub use read::ReadError;
pub use read::chunks::Piece;
pub use read::records::Filter;
pub use read::tasks::TaskFilter;
pub use reencrypt::{Encryption, Reencrypted, RotateError, Rotated};
pub use retention::{Retention, Trimmed};
pub use row::checkpoint::Checkpoint;
pub use row::cursor::Cursor;
pub use row::document::Document;
pub use row::erasure::Erasure;
pub use row::head::Counts;
pub use row::push_config::PushChange;
pub use sign::Signer;
pub use statistics::{Condition, Statistics};
pub use store::{OnCommit, Store};
pub use verify::{ChainReport, Fault, Progress, Seal, Verification};
pub use verify::{verify, verify_with, verify_with_keys};
