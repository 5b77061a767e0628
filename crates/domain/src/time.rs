//! Instants and randomness, as arguments.
//!
//! The instant is that of [`schema::time`], so that schemas and tasks share it. Only `server` owns
//! a clock. Read next: [`crate::agent`].

pub use schema::time::{NotATimestamp, Timestamp};

/// The random source handed to agents and simulations: seeded, so that a run can be repeated.
pub type SeededRng = rand_chacha::ChaCha8Rng;
