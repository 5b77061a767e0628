//! Keys that take one of listed values.

use super::super::candidate::Candidate;
use super::super::cue;
use super::super::element;
use super::super::phrase::{run_of, scattered, telling};
use super::super::slot::{Choice, Kind, Slot};
use super::Keys;
use crate::lexicon;
use language::text::Token;
use std::ops::Range;

/// The words said of a thing that no longer works.
const FAILING: &str = " dead died failed fails failing broken faulty defective crashed unresponsive burnt burned kaputt 坏 死 挂 瘫 ";

/// Words that stand for themselves as often as for a value of some key.
const WEAK: &str = " none other all any normal standard default high low medium moderate first second last real full left right \
 top open close closed start end on off day week month year hour minute second both general average good value one add \
 new line switch turn play call data delete update active view power start stop begin cancel pause keep access mobile daily light \
 高 中 低 无 一 般 是 不 要 别 动 变 保 持 照 旧 维 原 样 ";

impl Keys<'_> {
    /// Listed values that are said: in their own words (0.92), in other words for them (0.85), or
    /// by one word that only one of them has (0.72). Words
    /// that stand for themselves as often need the key's name nearby.
    pub(super) fn choices(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let mut found: Vec<Candidate> = Vec::new();
        for choice in &slot.choices {
            found.extend(self.own_words(at, choice));
            found.extend(self.other_words(at, choice));
            found.extend(self.one_word(at, choice));
            found.extend(self.failing(at, choice));
            found.extend(self.changing(at, choice));
        }
        found
    }

    /// Values that the prose of an open key quotes: as listed ones, less sure.
    pub(super) fn hints(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let open = slot
            .choices
            .iter()
            .filter(|c| c.own.iter().any(|t| t.text.len() > 1));
        open.flat_map(|choice| self.own_words(at, choice))
            .map(|mut c| {
                c.confidence -= 0.04;
                c
            })
            .collect()
    }

    fn own_words(&self, at: usize, choice: &Choice) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let mut runs = self.utterance.text.find(&choice.own);
        if !runs.is_empty() {
            let reach = self.reach_of_longer(slot, &choice.own);
            runs.retain(|run| reach[run.start] < run.end);
        }
        runs.into_iter()
            .filter_map(|run| {
                let exact = choice
                    .own
                    .iter()
                    .zip(&self.utterance.text.tokens[run.clone()])
                    .all(|(a, b)| a.text == b.text);
                let sure = if exact { 0.92 } else { 0.84 };
                self.chosen(at, choice, run, sure)
            })
            .collect()
    }

    fn other_words(&self, at: usize, choice: &Choice) -> Vec<Candidate> {
        let names_scenario =
            |term: &&Vec<Token>| term.iter().all(|t| self.scenario.contains(&t.stem));
        let found = choice
            .alike
            .iter()
            .filter(|t| !names_scenario(t))
            .flat_map(|term| {
                let runs = self.utterance.text.find(term).into_iter();
                runs.map(move |run| (term, run))
            });
        let apart = choice.alike.iter().filter(|t| {
            t.len() > 1 && t.iter().all(|t| t.class == language::text::Class::Word)
                || t.len() >= 4 && t.iter().all(|t| t.class == language::text::Class::Cjk)
        });
        let apart = apart.flat_map(|term| self.apart(at, choice, &telling(term)));
        found
            .filter_map(|(term, run)| {
                let chinese = term.iter().all(|t| t.class == language::text::Class::Cjk);
                let sure = match (term.len(), chinese) {
                    (4.., true) => 0.88,
                    (_, true) => 0.82,
                    (2.., false) => 0.86,
                    _ => 0.8,
                };
                self.chosen(at, choice, run, sure)
            })
            .chain(apart)
            .collect()
    }

    /// The words of a term near each other: "the fibre there is broken".
    fn apart(&self, at: usize, choice: &Choice, words: &[Token]) -> Vec<Candidate> {
        if words.len() < 2 {
            return Vec::new();
        }
        let clauses = self.utterance.text.clauses().iter();
        clauses
            .filter_map(|clause| scattered(self.utterance, words, clause))
            .filter(|(held, share)| *share >= 0.999 && run_of(held).len() <= words.len() + 6)
            .filter_map(|(held, _)| {
                let run = run_of(&held);
                let denied = cue::denies(words) != cue::denied_with(self.utterance, &run);
                let chinese = words.iter().all(|t| t.class == language::text::Class::Cjk);
                let sure = if chinese { 0.85 } else { 0.79 };
                let chosen = if denied {
                    None
                } else {
                    self.chosen(at, choice, run, sure)
                };
                Some(chosen?.holding(held))
            })
            .collect()
    }

    /// A word that only one of the values has.
    fn one_word(&self, at: usize, choice: &Choice) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let words = telling(&choice.own);
        if words.len() < 2 || slot.kind != Kind::Choice {
            return Vec::new();
        }
        let distinct = words
            .iter()
            .filter(|w| w.text.len() > 3 && !self.shared(slot, choice, w));
        distinct
            .flat_map(|word| self.utterance.text.find(std::slice::from_ref(word)))
            .filter_map(|run| self.chosen(at, choice, run, 0.71))
            .collect()
    }

    /// "line card 3 … died" for `card-failure`: an element of the kind that a value names, and that it
    /// does not work.
    fn failing(&self, at: usize, choice: &Choice) -> Option<Candidate> {
        let [kind, _] = choice.own.as_slice() else {
            return None;
        };
        // "Look at card Selb/2, I think it died."
        self.utterance.text.sentences().iter().find_map(|sentence| {
            let named = element::kinds_within(self.utterance, sentence, &kind.text)?;
            let fails = (named.end..sentence.end)
                .find(|i| lexicon::listed(FAILING, self.utterance.word(*i)))?;
            let run = fails..fails + 1;
            let sure = self.chosen(at, choice, run, 0.78)?;
            Some(sure)
        })
    }

    /// "4 dB instead of 2", 由8%提到14%: who tells what was before changes it.
    fn changing(&self, at: usize, choice: &Choice) -> Option<Candidate> {
        let [word] = choice.own.as_slice() else {
            return None;
        };
        if !matches!(
            word.stem.as_str(),
            "adjust" | "chang" | "modify" | "modif" | "updat" | "alter"
        ) {
            return None;
        }
        self.utterance
            .text
            .steps
            .take(self.utterance.quantities.len());
        let old = self
            .utterance
            .quantities
            .iter()
            .find(|q| self.gives_way(q))?;
        Some(Candidate::new(
            at,
            choice.value.clone(),
            old.number.clone(),
            0.8,
        ))
    }

    /// True if other values have the word too, or the template uses it for something else.
    fn shared(&self, slot: &Slot, choice: &Choice, word: &Token) -> bool {
        let others = slot.choices.iter().filter(|c| c.value != choice.value);
        let by_values = others.flat_map(|c| &c.own).any(|t| t.stem == word.stem);
        let element = self
            .slots
            .iter()
            .filter_map(super::super::element::Elements::of)
            .any(|e| e.takes(&word.text));
        by_values
            || element
            || self
                .slots
                .iter()
                .any(|b| b.name.contains(&word.stem) || b.gist.contains(&word.stem))
    }

    /// "economy" within "premium economy" is no value of its own where both are listed: for each
    /// token, where the longer values end that begin there or before.
    fn reach_of_longer(&self, slot: &Slot, own: &[Token]) -> Vec<usize> {
        let longer = slot.choices.iter().filter(|c| c.own.len() > own.len());
        let mut reach = vec![0; self.utterance.text.tokens.len()];
        for run in longer.flat_map(|c| self.utterance.text.find(&c.own)) {
            reach[run.start] = run.end.max(reach[run.start]);
        }
        for at in 1..reach.len() {
            reach[at] = reach[at - 1].max(reach[at]);
        }
        self.utterance.text.steps.take(reach.len());
        reach
    }

    /// True if the word at a place is what is to be done, and the key asks for that.
    fn commands(&self, slot: &Slot, at: usize) -> bool {
        let acts = ["action", "operat", "task", "command", "method", "mode"];
        let asks = acts
            .iter()
            .any(|a| slot.name.iter().any(|n| n.starts_with(a)) || slot.gist.contains(*a));
        let first = self
            .utterance
            .token(at)
            .is_some_and(|t| t.gap >= language::text::Gap::Comma);
        asks && (first
            || matches!(
                self.utterance.word_before(at),
                "please" | "to" | "you" | "and" | "then" | "请"
            ))
    }

    fn chosen(
        &self,
        at: usize,
        choice: &Choice,
        run: Range<usize>,
        sure: f64,
    ) -> Option<Candidate> {
        let slot = &self.slots[at];
        let journey = " trip tour travel meeting partner travelers associate ";
        if self.utterance.word(run.end - 1) == "business"
            && crate::lexicon::listed(journey, self.utterance.word(run.end))
        {
            return None;
        }
        let none = choice.value == "none";
        if cue::denied(self.utterance, &run) && !none {
            return None;
        }
        let near =
            cue::before(self.utterance, slot, &run).max(cue::behind(self.utterance, slot, &run));
        let weak = self.utterance.text.tokens[run.clone()]
            .iter()
            .all(|t| crate::lexicon::listed(WEAK, &t.text))
            && !self.commands(slot, run.start);
        // 电话 before a number is how to call back, not what is complained of.
        let dialled = self.dials(&run);
        let sure = if dialled { sure - 0.4 } else { sure };
        let confidence = match (weak, near >= 0.55) {
            (_, true) => sure + 0.04,
            (true, false) => sure - 0.4,
            (false, false) => sure,
        };
        Some(Candidate::new(at, choice.value.clone(), run, confidence))
    }
}
