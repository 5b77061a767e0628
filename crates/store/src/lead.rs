//! Who leads: processes that may own one state in PostgreSQL in turn.
//!
//! ```text
//! nodes: announce, announce, …            the lease has run out, was released, or is of our former life
//!   └─ standing by ── Lease::take ──► leads ── renewed four times in its time ──► release(heir)
//!                                        └─ not renewed in time: holds() is false, and the epoch fences
//! ```
//! A [`Lease`] is taken before the store is opened under it ([`Options::lease`](crate::Options::lease)). What is
//! stored is kept apart by the epoch, which each commit asks for; what is said and done is for whoever asks
//! [`Lease::holds`] before: it goes by a clock of this machine that runs on while the process is stopped, or
//! the machine asleep, and ends a second before the database lets another take the state. A platform alone has
//! a lease as well, which does not run out here. The [`Directory`] is who stands by. Knows nothing of what nodes
//! say to each other. Read next: `lease`, `directory`; `postgres::owner`, the row that all of this goes by.

mod boottime;
mod directory;
mod lease;
mod rows;

pub(crate) use boottime::{Renewal, boottime_ms};
pub use directory::Directory;
pub use lease::{LeadCandidate, Lease, MARGIN, Standing, Taking};
pub use rows::{Announced, Announcement, LeadRow, NodeRow, Obstacle};
pub(crate) use rows::{request_of, word_of};
