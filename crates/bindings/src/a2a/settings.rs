//! The choices of an operator about A2A.
//!
//! Refuses to know files and defaults, which are the server's. Read next: [`super::cards`], where most of
//! them are used.

use a2a::card::{Card, CardProfile};
use schema::language::Language;

/// Adds to a card what only the server knows.
pub type Dress = Box<dyn Fn(&mut Card) + Send + Sync>;

/// The choices of an operator.
pub struct BindingSettings {
    /// The URL of the platform from outside, without a slash at its end. Its agents are below
    /// `/agents/`.
    pub url: String,
    /// Which card is served.
    pub card_profile: CardProfile,
    /// The time for which clients may keep a card, in seconds.
    pub card_max_age_s: u32,
    /// The language of descriptions in cards.
    pub language: Language,
    /// True if changes of tasks are pushed: somebody posts what [`super::push_of`] says.
    pub push_notifications: bool,
    /// Adds to every card what the server knows: ways to authenticate, signatures.
    pub dress: Dress,
    /// The agent to whom no message is one that was sent before: conformance suites say different
    /// things under one identifier. None is usual.
    pub forgetful: Option<String>,
}
