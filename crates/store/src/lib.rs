//! Durable state: tasks, negotiations, exchanges, data, agents, and the log that explains them.
//!
//! One type, [`Store`], over SQLite in a file or in memory, or over PostgreSQL ([`Location`]). A tour,
//! in the order in which things happen:
//! - [`Store::open`] locks the state, migrates the schema, checks the rows on which decisions are
//!   based, the log from its last seal and the head outside, and returns the open rows
//!   ([`Recovered`]); a state that cannot be trusted is refused ([`OpenError`]). Ended tasks are
//!   not read, however many there are;
//! - [`Store::commit`] queues a [`Batch`] and returns a [`Ticket`] at once. One writer thread
//!   commits everything that queued up during the last fsync as one transaction (group commit).
//!   Then `on_commit` sees the [`Committed`] batches, then the tickets resolve: a resolved ticket
//!   is a promise that survives a power cut;
//! - reads ([`Store::task`], [`Store::exchanges`], [`Store::entries`], …) use connections of their own and never
//!   wait for the writer; every row is checked against its digest, so that corrupt data is
//!   refused and never served;
//! - with a [`KeyKeeper`], payloads are encrypted, transparently to the callers; [`Store::rotate`]
//!   changes keys and touches no row, [`Store::reencrypt`] walks over the rows;
//! - [`Store::keep_cursors`] stores the positions of readers of the log, in the same group commit;
//! - [`Store::trim`] removes rows that are older than a [`Retention`] allows and leaves a signed
//!   [`Checkpoint`] in front of the rest of the log; [`Store::erase`] blanks the contents of one
//!   ended task; both between commits, in slices;
//! - a state in PostgreSQL may be owned by several processes in turn ([`lead`]);
//! - [`Store::verify`] and the free [`verify()`] walk the whole hash chain and every row;
//! - [`backup`] and [`transfer`] copy a state between files and databases, and verify what arrived.
//!
//! State is the truth, the log is its explanation: both are written in the same transaction. Each
//! entry of the log carries the SHA-256 of itself and the digest before it, because SQLite by
//! itself notices few flipped bits. Digests detect damage. Against forgery head, checkpoints and
//! erasures are signed, by a [`Signer`] that the caller supplies; and where there is a key, each
//! row carries a code (`mac`), each table is summed up in the head (`set`), and the head is kept
//! outside of the database too (`outside`).
//!
//! No SQL leaves this crate, and no clock, protocol or rule of the domain enters it: a batch is
//! stored as it is; the decisions are made in `domain`. Files: `store` (the handle), `open` (locks,
//! files, recovery) with its `guard`, `schema` (SQL and migrations), `bind` (older states),
//! `prepared` (rows made ready) and `preparers` (by whom), `writer` (group commit), `transaction` (one group), `known` (what it need not look up), `slice` (a transaction that ends with the
//! heads), `shard` and `heads` (the head of each shard), `job` with `retention`, `erase` and `reencrypt`, `read`,
//! `verify`, `copy`, `row` (the row types), `sql` and `backend` (the seam to the database), `sqlite`, `failure`, `digest` (the hashes), `mac`, `set` and `ledger` (the binding
//! of rows), `outside`, `sign`, `keys` (the master key), `cipher` (encryption), `row_keys`, `encryptor` and
//! `cover` (encryption of rows), `postgres` (what is PostgreSQL's alone).
#![forbid(unsafe_code)]

mod backend;
mod batch;
mod bind;
mod budget;
mod cipher;
mod copy;
mod cover;
mod data_key;
mod digest;
mod encryptor;
mod erase;
mod failure;
mod heads;
mod job;
mod keys;
mod known;
pub mod lead;
mod ledger;
mod mac;
mod open;
mod outside;
mod postgres;
mod prepared;
mod preparers;
mod read;
mod reencrypt;
mod retention;
mod row;
mod row_keys;
mod schema;
mod set;
mod shard;
mod sign;
mod slice;
mod sql;
mod sqlite;
mod statistics;
mod store;
mod transaction;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use batch::{Batch, Chunk, CommitError, Committed, OnCommit, Ticket};
pub use copy::{Copied, CopyError, CopyProgress, CopySource, backup, transfer};
pub use failure::SqlFailure;
pub use keys::{HeldKeys, KeyKeeper, KeyKeeperError, RandomSource, Secret};
pub use open::{Decided, Location, OpenError, Options, Recovered, Spawn, locked};
pub use outside::{LAG, keep_head, kept_sequence};
pub use postgres::address::{PostgresAddress, PostgresAddressError};
pub use read::chunks::Piece;
pub use read::parties::Keyed;
pub use read::records::{Below, DataSum, Filter};
pub use read::tasks::TaskFilter;
pub use read::{Most, NoReads, Page, ReadError};
pub use reencrypt::{Encryption, KeyRotationError, Reencrypted, Rotated};
pub use retention::{Retention, Trimmed};
pub use row::attestation::{Attestation, Ground};
pub use row::checkpoint::Checkpoint;
pub use row::cursor::Cursor;
pub use row::document::Document;
pub use row::erasure::Erasure;
pub use row::head::Counts;
pub use row::push_config::PushChange;
pub use shard::Shard;
pub use sign::Signer;
pub use statistics::{CommitBucket, CommitBuckets, Condition, StoreBackend, StoreStatistics};
pub use store::Store;
pub use verify::{
    ChainReport, Fault, Seal, ShardReport, Verification, VerificationState, VerifyOptions,
    VerifyProgress,
};
pub use verify::{is_encrypted, verify, verify_with, verify_with_keys};
