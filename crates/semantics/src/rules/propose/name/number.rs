//! Numbers that count nothing: telephone numbers, and digits that name something.

use super::super::super::candidate::Candidate;
use super::super::super::cue;
use super::super::super::pattern::regex;
use super::super::super::slot::Kind;
use super::super::super::utterance::{Mention, MentionKind};
use super::Keys;
use language::quantity::Quantity;
use language::text::{Class, Gap};
use regex::Regex;
use std::sync::LazyLock;

static NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"\+?\d[\d\s()-]{4,}\d"));
static CALLS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)call|phone|tel|reach|contact|ring|dial|mobile|电话|联系|致电|手机|拨打|回电")
});

/// The most groups of digits that hyphens join to one name.
const JOINED_MOST: usize = 16;

impl Keys<'_> {
    /// Digits behind a word for calling, or of a telephone number's length.
    pub(super) fn phones(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        if slot.kind != Kind::Phone {
            return Vec::new();
        }
        let digits_only = slot.prose.contains("digits only") || slot.prose.contains("仅数字");
        self.utterance
            .text
            .steps
            .take(self.utterance.text.raw.len());
        NUMBER
            .find_iter(&self.utterance.text.raw)
            .filter_map(|m| {
                let run = self.utterance.text.run_of(m.start(), m.end())?;
                let lettered = |c: &Mention| c.text.contains(|c: char| c.is_alphabetic());
                let mut mentions = self.utterance.mentions_of(run.clone());
                let within = mentions.any(|c| c.sort == MentionKind::Code && lettered(c));
                if within {
                    return None;
                }
                let kept = |c: &char| c.is_ascii_digit() || (*c == '+' && !digits_only);
                let written: String = m.as_str().chars().filter(kept).collect();
                let head = &self.utterance.text.raw[..m.start()];
                let near = head
                    .char_indices()
                    .rev()
                    .nth(30)
                    .map_or(head, |(i, _)| &head[i..]);
                let sure = if CALLS.is_match(near) {
                    0.93
                } else if written.len() >= 10 {
                    0.8
                } else {
                    0.45
                };
                Some(Candidate::new(at, written.into(), run, sure))
            })
            .collect()
    }

    /// Digits with those that a hyphen or a stroke joins to them: "2027-553".
    fn joined(&self, quantity: &Quantity) -> Quantity {
        let mut joined = quantity.clone();
        while joined.run.len() < JOINED_MOST
            && self
                .utterance
                .token(joined.run.end)
                .is_some_and(|t| t.class == Class::Number && t.gap == Gap::Joint)
        {
            self.utterance.text.steps.take(1);
            joined.run.end += 1;
        }
        joined
    }

    /// Digits that name something: "docket number 123456", "user id 43523".
    pub(super) fn numbers_as_names(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        if !matches!(slot.kind, Kind::Code | Kind::Words) {
            return Vec::new();
        }
        let plain = self
            .utterance
            .quantities
            .iter()
            .filter(|q| q.digits && !q.ordinal && q.unit.is_none());
        plain
            .filter_map(|q| {
                self.utterance.text.steps.take(1);
                let q = &self.joined(q);
                let named = cue::before(self.utterance, slot, &q.run);
                let numbered = matches!(
                    self.utterance.word_before(q.run.start),
                    "id" | "number" | "no" | "ids" | "号" | "单" | "是"
                ) || matches!(
                    self.utterance.word_before(q.run.start - 1.min(q.run.start)),
                    "id" | "number"
                );
                let taught = cue::taught(self.utterance, slot, &q.run) >= 0.8;
                let behind = cue::behind(self.utterance, slot, &q.run);
                let sure = match (named >= 0.5 || taught, numbered || taught) {
                    _ if q.run.len() > 1 && behind >= 1.0 => 0.86,
                    _ if slot.kind == Kind::Words => return None,
                    (true, true) => 0.88,
                    (true, false) if named >= 1.0 => 0.8,
                    (false, true) => 0.72,
                    _ => return None,
                };
                Some(Candidate::new(
                    at,
                    self.utterance.text.span(&q.run).into(),
                    q.run.clone(),
                    sure,
                ))
            })
            .collect()
    }
}
