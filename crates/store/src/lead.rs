//! Who leads: processes that may own one state in PostgreSQL in turn.
//!
//! ```text
//! nodes: announce, announce, …            the lease has run out, was released, or is of our former life
//!   └─ standing by ── Lease::take ──► leads ── renewed every third of its time ──► release(heir)
//!                                        └─ not renewed in time: holds() is false, and the epoch fences
//! ```
//! A [`Lease`] is taken before the store is opened under it ([`Options::lease`](crate::Options::lease)). What is
//! stored is kept apart by the epoch, which each commit asks for; what is said and done is for whoever asks
//! [`Lease::holds`] before: it goes by a clock of this machine that runs on while the process is stopped, or
//! the machine asleep, and ends a second before the database lets another take the state. The
//! [`Directory`] is who stands by. Knows nothing of what nodes say to each other. Read next: `lease`,
//! `directory`; `postgres::owner`, the row that all of this goes by.

mod boottime;
mod directory;
mod lease;

pub(crate) use boottime::boottime_ms;
pub use directory::{Announced, Announcement, Directory, LeadRow, NodeRow, Wish};
pub use lease::{Candidate, Lease, MARGIN, Obstacle, Standing, Taking};

/// Is told of each time at which the state was still ours.
pub(crate) trait Renewal: Send + Sync {
    /// The state was ours for its whole time after this instant, in milliseconds of [`boottime_ms`].
    fn renewed(&self, asked_ms: u64);
}
