//! The contract of who reads plain words for the bindings, whatever protocol they came by.
//!
//! Knows what is asked of a reader. Refuses to know who it is: `server` chooses one, without a model by default.
//! Reading is long work, which nobody waits for on a session's road: it is handed to
//! [`background`](crate::background). Read next: [`crate::a2a`], where messages are words;
//! `netconf::operation::utterance`, which tells what was understood.

use schema::semantics::{Circumstances, OfferedScenario, ParseFailure, Parsed, Understanding};
use schema::template::Template;

/// A reader of words. Chosen by the operator; the platform runs no model by default.
pub trait WordReader: Send + Sync {
    /// The name of the parser, for people.
    fn name(&self) -> &str;

    /// Reads words among scenarios that are offered: which of them fit, and what is said of the keys of those that
    /// fit best. If the scenario `is_named`, all offers are of that one, and it is read whether it fits or not. `over`
    /// is asked now and then whether nobody waits any more.
    ///
    /// # Errors
    /// [`ParseFailure`] if the reader itself cannot work, the words are too much work, or `over`
    /// says so.
    fn understand(
        &self,
        words: &str,
        offers: &[OfferedScenario<'_>],
        is_named: bool,
        circumstances: &Circumstances,
        over: &dyn Fn() -> bool,
    ) -> Result<Understanding, ParseFailure>;

    /// Reads words by one template.
    ///
    /// # Errors
    /// As of [`WordReader::understand`].
    fn parse(
        &self,
        words: &str,
        template: &Template,
        circumstances: &Circumstances,
        over: &dyn Fn() -> bool,
    ) -> Result<Parsed, ParseFailure>;
}
