//! Instants, and chance, as arguments.
//!
//! The instant is that of [`schema::time`], so that schemas and tasks tell time alike. Refuses to
//! know what time it is: only `server` owns a clock. Read next: [`crate::agent`].

pub use schema::time::{NotATimestamp, Timestamp};

/// The source of chance handed to agents and simulations: seeded, so that a run can be repeated.
pub type Dice = rand_chacha::ChaCha8Rng;
