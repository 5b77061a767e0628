//! Keys that take yes or no.

use super::super::brief::Brief;
use super::super::cue;
use super::{Candidate, Keys};
use crate::lexicon;
use std::ops::Range;

impl Keys<'_> {
    /// Yes where a clause says the key's name (0.88 for all its words), no where it denies it.
    pub(super) fn flags(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        let clauses = self.scene.text.clauses().into_iter();
        let mut found: Vec<Candidate> = clauses
            .filter_map(|clause| self.flag_in(at, brief, &clause))
            .collect();
        found.extend(self.chinese_flag(at, brief));
        found
    }

    fn flag_in(&self, at: usize, brief: &Brief, clause: &Range<usize>) -> Option<Candidate> {
        let tokens = &self.scene.text.tokens;
        let held: Vec<usize> = clause
            .clone()
            .filter(|i| brief.name.iter().any(|n| cue::same(&tokens[*i], n)))
            .collect();
        let (first, last) = (*held.first()?, *held.last()?);
        let share = cue::coverage(self.scene, &brief.name, clause) as f64 / brief.name.len() as f64;
        let run = first..last + 1;
        let denied = cue::denied(self.scene, &run);
        let sure = match share {
            s if s >= 0.999 && brief.name.len() > 1 => 0.88,
            s if s >= 0.999 => 0.78,
            // "Don't touch the teeth" needs the thing alone.
            s if s >= 0.5 && denied && self.only_key(at, &tokens[first].stem) => 0.74,
            s if s >= 0.5 => 0.55,
            _ => return None,
        };
        let wordy = run.len() > brief.name.len() * 3 + 2;
        let asked = self.scene.asks(first);
        let confidence = sure - if asked { 0.35 } else { 0.0 } - if wordy { 0.2 } else { 0.0 };
        Some(Candidate::new(at, (!denied).into(), run, confidence))
    }

    /// True if no other key has the word.
    fn only_key(&self, at: usize, stem: &str) -> bool {
        let others = self.briefs.iter().enumerate().filter(|(i, _)| *i != at);
        others
            .into_iter()
            .all(|(_, b)| !b.name.iter().any(|n| n == stem))
    }

    /// 是否允许……: pairs of characters of the description in one clause.
    fn chinese_flag(&self, at: usize, brief: &Brief) -> Option<Candidate> {
        let pairs: Vec<&String> = brief
            .gist
            .iter()
            .filter(|g| !g.is_ascii() && !vague_pair(g))
            .collect();
        if pairs.len() < 2 {
            return None;
        }
        let mut best: Option<Candidate> = None;
        for clause in self.scene.text.clauses() {
            let held: Vec<usize> = (clause.start..clause.end.saturating_sub(1))
                .filter(|i| {
                    let pair = format!("{}{}", self.scene.word(*i), self.scene.word(i + 1));
                    pairs.iter().any(|p| **p == pair)
                })
                .collect();
            let share = held.len() as f64 / pairs.len().min(6) as f64;
            let (Some(first), Some(last)) = (held.first(), held.last()) else {
                continue;
            };
            let run = *first..last + 2;
            let confidence = if share >= 0.6 && held.len() >= 2 {
                0.76
            } else {
                0.45
            };
            let denied = cue::denied(self.scene, &run);
            let candidate = Candidate::new(at, (!denied).into(), run, confidence);
            if best.as_ref().is_none_or(|b| b.confidence < confidence) {
                best = Some(candidate);
            }
        }
        best
    }
}

/// Pairs that every description of a flag has.
fn vague_pair(pair: &str) -> bool {
    lexicon::listed(" 是否 允许 需要 启用 默认 表示 用于 可以 可选 如果 ", pair)
}
