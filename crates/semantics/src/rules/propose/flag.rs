//! Keys that take yes or no.

use super::super::candidate::Candidate;
use super::super::cue;
use super::super::slot::Slot;
use super::Keys;
use crate::lexicon;
use std::ops::Range;

impl Keys<'_> {
    /// Yes where a clause says the key's name (0.88 for all its words), no where it denies it.
    pub(super) fn flags(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let clauses = self.utterance.text.clauses().iter();
        let mut found: Vec<Candidate> = clauses
            .filter_map(|clause| self.flag_in(at, slot, clause))
            .collect();
        found.extend(self.chinese_flag(at, slot));
        found.extend(self.tolerated(at, slot));
        found
    }

    fn flag_in(&self, at: usize, slot: &Slot, clause: &Range<usize>) -> Option<Candidate> {
        let tokens = &self.utterance.text.tokens;
        self.utterance.text.steps.take(clause.len());
        let held: Vec<usize> = clause
            .clone()
            .filter(|i| slot.name.iter().any(|n| cue::same(&tokens[*i], n)))
            .collect();
        let (first, last) = (*held.first()?, *held.last()?);
        let share =
            cue::coverage(self.utterance, &slot.name, clause) as f64 / slot.name.len() as f64;
        let run = first..last + 1;
        let denied = cue::denied(self.utterance, &run);
        let sure = match share {
            s if s >= 0.999 && slot.name.len() > 1 => 0.88,
            s if s >= 0.999 => 0.78,
            // "Don't touch the teeth" needs the thing alone.
            s if s >= 0.5 && denied && self.only_key(at, &tokens[first].stem) => 0.74,
            s if s >= 0.5 && self.telling_word(at, slot, &tokens[first].stem) => 0.72,
            s if s >= 0.5 => 0.55,
            _ => return None,
        };
        let wordy = run.len() > slot.name.len() * 3 + 2;
        let asked = self.utterance.asks(first);
        let confidence = sure - if asked { 0.35 } else { 0.0 } - if wordy { 0.2 } else { 0.0 };
        Some(Candidate::new(at, (!denied).into(), run, confidence))
    }

    /// "small slowdowns are ok", 网速慢一点没关系: yes, for a key that asks what is allowed.
    fn tolerated(&self, at: usize, slot: &Slot) -> Option<Candidate> {
        let allows = slot
            .name
            .iter()
            .any(|n| n.starts_with("allow") || n.starts_with("permit") || n.starts_with("toler"));
        if !allows && !slot.prose.contains("允许") {
            return None;
        }
        let says = |clause: &Range<usize>, words: &str| {
            clause.clone().find(|i| {
                let stem = self.utterance.token(*i).map_or("", |t| t.stem.as_str());
                lexicon::listed(words, self.utterance.word(*i)) || lexicon::listed(words, stem)
            })
        };
        self.utterance.text.clauses().iter().find_map(|clause| {
            self.utterance.text.steps.take(clause.len());
            let worse = says(clause, WORSE)?;
            let chinese = self.utterance.text.words(clause);
            let fine = says(clause, TOLERATED).or_else(|| {
                TOLERATED_CHINESE
                    .split_whitespace()
                    .any(|t| chinese.contains(t))
                    .then(|| clause.end - 1)
            })?;
            let run = worse.min(fine)..worse.max(fine) + 1;
            let denied = cue::denied(self.utterance, &(fine..fine + 1))
                && !chinese.contains('没')
                && !chinese.contains('不');
            (!denied && !self.utterance.asks(worse))
                .then(|| Candidate::new(at, true.into(), run, 0.78))
        })
    }

    /// True for a word that tells a flag by itself: the "free" of `free_entry`, not the "include" of
    /// `include_tax`.
    fn telling_word(&self, at: usize, slot: &Slot, stem: &str) -> bool {
        let plain = " includ has have is need show with use us enabl allow return add get want detail good make on set only all option avail ";
        // Who shows by examples how it is said needs no guess.
        let english =
            slot.example_rules.is_empty() && slot.name.len() == 2 && !lexicon::listed(plain, stem);
        let about = self.scenario.iter().any(|s| s == stem);
        let others = self.slots.iter().enumerate().filter(|(i, _)| *i != at);
        let mut others = others.map(|(_, b)| b);
        english && !about && self.only_key(at, stem) && !others.any(|b| b.gist.contains(stem))
    }

    /// True if no other key has the word.
    fn only_key(&self, at: usize, stem: &str) -> bool {
        let others = self.slots.iter().enumerate().filter(|(i, _)| *i != at);
        others
            .into_iter()
            .all(|(_, b)| !b.name.iter().any(|n| n == stem))
    }

    /// 是否允许……: pairs of characters of the description in one clause.
    fn chinese_flag(&self, at: usize, slot: &Slot) -> Option<Candidate> {
        let pairs: Vec<&String> = slot.gist.iter().filter(|g| !g.is_ascii()).collect();
        if pairs.len() < 2 {
            return None;
        }
        let mut best: Option<Candidate> = None;
        for clause in self.utterance.text.clauses() {
            self.utterance.text.steps.take(clause.len());
            let held: Vec<usize> = (clause.start..clause.end.saturating_sub(1))
                .filter(|i| {
                    let pair = format!("{}{}", self.utterance.word(*i), self.utterance.word(i + 1));
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
            let denied = cue::denied(self.utterance, &run);
            let candidate = Candidate::new(at, (!denied).into(), run, confidence);
            if best.as_ref().is_none_or(|b| b.confidence < confidence) {
                best = Some(candidate);
            }
        }
        best
    }
}

/// The things that get worse, and by which words people say that they bear it.
const WORSE: &str =
    " slow slower slowdown slowdowns lag dip drop drops degradation worse impact 慢 降 差 卡 ";
const TOLERATED: &str = " ok okay fine acceptable tolerable bearable alright ";
const TOLERATED_CHINESE: &str = " 没关系 无所谓 不要紧 没事 可以接受 能接受 也行 没问题 无妨 ";
