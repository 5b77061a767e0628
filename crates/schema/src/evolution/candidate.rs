//! The key that a cluster might become, before anyone looked whether there is one already.
//!
//! Read next: [`super::induce`], which makes it, and [`super::resolve`], which places it.

use crate::template::Key;

/// A key summarised from a cluster's fragments (draft-zhou §6.2.2). Never required.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateKey {
    /// The key; its description holds screened fragments only.
    pub key: Key,
    /// The fragments that it was made of, as they were said, to compare with; never published.
    pub said: Vec<String>,
    /// The same fragments screened, in the same order; none where nothing could be shown.
    pub shown: Vec<Option<String>>,
    /// True if a word of the fragments is of payment, identity or access, whatever the key is
    /// called.
    pub sensitive: bool,
}
