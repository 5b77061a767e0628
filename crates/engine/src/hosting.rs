//! Agents in here: what they owe answers to, how they take steps, and those that fail.
//!
//! Read next: [`instance`], [`mailbox`], [`step`].

pub(crate) mod briefing;
pub(crate) mod delivery;
pub(crate) mod failing;
pub(crate) mod instance;
pub(crate) mod mailbox;
pub(crate) mod question;
pub(crate) mod redelivery;
pub(crate) mod step;
