//! A state in PostgreSQL: addresses, connections and sessions.
//!
//! What is sent and what comes of it is here; which statements there are is said by those who use a
//! [`session`]. In the order in which things happen: `address` reads where the database is and how
//! it is reached, `net` connects from a thread of its own, `tls` sees that it is the right one,
//! `session` sends statements (in the words that `dialect` makes of ours, with parameters of
//! `value`) and waits for what comes (`wait`), and `error` says what failed. `fitness` asks a database
//! whether it will do (`reach` is both at once), `owner` takes it, and `nodes` says who may take it in turn. No SQL of another table is in this folder. Read next: [`session`], [`error`].

pub(crate) mod address;
pub(crate) mod backend;
pub(crate) mod dialect;
pub(crate) mod error;
pub(crate) mod fitness;
mod hold;
pub(crate) mod net;
pub(crate) mod nodes;
pub(crate) mod owner;
pub(crate) mod reach;
pub(crate) mod schema;
pub(crate) mod session;
mod tls;
pub(crate) mod value;
mod wait;

#[cfg(test)]
pub(crate) mod tests;
