//! The quality of a parser or an embedder, on sets that somebody labelled.
//!
//! - [`intents`]: from utterance to payload, by a strict scorer: a case is right only if every key
//!   is;
//! - [`fragments`]: which texts mean the same, and which clusters would fire.
//!
//! Pure: sets come as text, reports go as values with a table as their text. Read next:
//! [`crate::rules`], [`crate::ngrams`].

pub mod fragments;
pub mod intents;

/// A line of a set is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct NotASet {
    /// The line, from 1.
    pub line: usize,
    /// Its fault.
    pub reason: String,
}

/// The JSON objects of a set, one a line, empty lines left out, each with its line.
fn lines(jsonl: &str) -> impl Iterator<Item = Result<(usize, serde_json::Value), NotASet>> + '_ {
    jsonl
        .lines()
        .enumerate()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(at, text)| match serde_json::from_str(text) {
            Ok(value) => Ok((at + 1, value)),
            Err(error) => Err(NotASet {
                line: at + 1,
                reason: error.to_string(),
            }),
        })
}

/// The share of a part, 0 of nothing.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
