//! The reserved key `other` (§4.3): what people wanted and no key covers, made inert.
//!
//! Knows how such text is normalised, limited, told apart, put into prompts and cleared for
//! publication. Refuses to reject: whatever `other` holds, the payload is accepted, and what was not
//! kept is told as a [`Warning`]. Read next: [`crate::contract`], which calls it, and
//! [`crate::evolution`], which learns from it.

mod alarm;
mod fence;
mod normal;
mod screen;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use fence::{CLOSE, OPEN, fenced};
pub(crate) use normal::is_hidden;

use crate::template::OTHER;
use crate::violation::{Caution, Warning};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// The bounds on what is kept of `other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all entries together, after normalisation; 4,096 by default.
    pub bytes: usize,
    /// Entries; 16 by default.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 4_096,
            entries: 16,
        }
    }
}

/// Text that a stranger wrote, in its normal form: NFC, visible characters, single spaces.
///
/// There is no `Display` and no serialisation, so that it gets nowhere by oversight; who needs the
/// text says [`Fragment::untrusted`]. `Debug` tells its length alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fragment(String);

impl Fragment {
    /// A text in its normal form; none if nothing of it can be seen. Not limited in length.
    pub fn new(text: &str) -> Option<Self> {
        Self::within(text, usize::MAX).0
    }

    /// The same, within so many bytes; and whether something was cut off.
    fn within(text: &str, bytes_max: usize) -> (Option<Self>, bool) {
        let (normal, cut) = normal::normal(text, bytes_max);
        let fragment = (!normal.is_empty()).then(|| Self(normal.into_owned()));
        (fragment, cut)
    }

    /// The text itself, for storing, embedding or parsing; never for a prompt, a command, a filter
    /// or a page as it stands.
    pub fn untrusted(&self) -> &str {
        &self.0
    }

    /// True if there is something to learn from it: two letters at least (Q16). Of a whole payload,
    /// see [`meaningful`].
    pub fn meaningful(&self) -> bool {
        self.0
            .chars()
            .filter(|c| c.is_alphabetic())
            .nth(1)
            .is_some()
    }

    /// As it may stand in a prompt: a JSON string within a fence that it cannot close (§7, Q15).
    pub fn quoted(&self) -> String {
        fenced(&self.0)
    }

    /// As it may be published in a description: numbers, mail addresses, links, over-long words
    /// and the given names veiled, marks of structure taken out, at most `chars_max` characters.
    /// None if too little is left to say anything.
    pub fn screened(&self, chars_max: usize, names: &[&str]) -> Option<String> {
        screen::screened(&self.0, chars_max, names)
    }

    /// True if it talks to a machine rather than to the service, as far as a list of phrases can
    /// tell: a sign for the log and for whoever approves, no ground to reject (D40).
    pub fn alarming(&self) -> bool {
        alarm::is_alarming(&self.0)
    }
}

impl fmt::Debug for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fragment({} bytes)", self.0.len())
    }
}

/// The fragments of one payload that say something, each once whatever its case (Q16).
pub fn meaningful(fragments: &[Fragment]) -> Vec<&Fragment> {
    let mut seen = BTreeSet::new();
    let telling = fragments.iter().filter(|it| it.meaningful());
    telling
        .filter(|it| seen.insert(it.0.to_lowercase()))
        .collect()
}

/// The part that is kept of an `other`, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// The entries, in order.
    pub fragments: Vec<Fragment>,
    /// The parts that were dropped or cut off.
    pub warnings: Vec<Warning>,
}

impl Gathered {
    /// The canonical value: a string, or an array if there are several entries; none if there is
    /// nothing.
    pub fn value(&self) -> Option<Value> {
        match self.fragments.as_slice() {
            [] => None,
            [one] => Some(one.0.as_str().into()),
            all => Some(all.iter().map(|it| it.0.as_str()).collect()),
        }
    }
}

/// Reads the value of `other`, and after it the texts that come from keys which the schema does not
/// have. Never rejects (D40): a value that is neither a string nor an array of strings is dropped as
/// a whole, entries and bytes beyond the limits are cut off, and both are told.
pub fn gather(value: Option<&Value>, moved: &[String], limits: Limits) -> Gathered {
    let mut gathered = Gathered::default();
    let own = value.map_or(Some(Vec::new()), texts);
    if own.is_none() {
        gathered.warnings.push(malformed());
    }
    let moved = moved.iter().map(String::as_str);
    let cut = keep(
        own.unwrap_or_default().into_iter().chain(moved),
        limits,
        &mut gathered.fragments,
    );
    if cut {
        gathered.warnings.push(truncated(limits));
    }
    gathered
}

/// The strings of an `other`; none if it holds anything else.
fn texts(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::String(text) => Some(vec![text]),
        Value::Array(entries) => entries.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// True if something visible was left out.
fn keep<'a>(
    texts: impl Iterator<Item = &'a str>,
    limits: Limits,
    kept: &mut Vec<Fragment>,
) -> bool {
    let mut room = limits.bytes;
    for text in texts {
        let full = kept.len() >= limits.entries;
        let (fragment, cut) = Fragment::within(text, if full { 0 } else { room });
        if let Some(fragment) = fragment {
            room -= fragment.0.len();
            kept.push(fragment);
        }
        if cut {
            return true;
        }
    }
    false
}

fn malformed() -> Warning {
    Warning {
        path: format!("/{OTHER}"),
        code: Caution::Malformed,
        message: "a string or an array of strings is needed; the value was dropped".to_owned(),
    }
}

fn truncated(limits: Limits) -> Warning {
    let Limits { bytes, entries } = limits;
    Warning {
        path: format!("/{OTHER}"),
        code: Caution::Truncated,
        message: format!("no more than {entries} entries and {bytes} bytes are kept"),
    }
}
