//! The one commit: what a decision changes leaves as one batch, and what was not stored is taken back.
//!
//! Read next: [`unit_of_work`], [`outbox`], `recovery`.

pub(crate) mod lock;
pub(crate) mod outbox;
pub(crate) mod recovery;
pub(crate) mod unit_of_work;
