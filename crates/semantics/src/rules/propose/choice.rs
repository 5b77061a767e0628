//! Keys that take one of listed values.

use super::super::brief::{Brief, Choice, Kind};
use super::super::cue;
use super::{Candidate, Keys, telling};
use crate::text::Token;
use std::ops::Range;

/// Words that stand for themselves as often as for a value of some key.
const WEAK: &str = " none other all any normal standard default high low medium moderate first second last real full left right \
 top open close closed start end on off day week month year hour minute second both general average good value one add \
 new line play call data delete update active view power start stop begin cancel pause access mobile daily light \
 高 中 低 无 一 般 是 ";

impl Keys<'_> {
    /// Listed values that are said: in their own words (0.92), in other words for them (0.85), by
    /// all their words in a clause (0.82), or by one word that only one of them has (0.72). Words
    /// that stand for themselves as often need the key's name nearby.
    pub(super) fn choices(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        let mut found: Vec<Candidate> = Vec::new();
        for choice in &brief.choices {
            found.extend(self.own_words(at, choice));
            found.extend(self.other_words(at, choice));
            found.extend(self.all_words(at, choice));
            found.extend(self.one_word(at, choice));
        }
        found
    }

    /// Values that the prose of an open key quotes: as listed ones, less sure.
    pub(super) fn hints(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        let open = brief
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
        let brief = &self.briefs[at];
        let runs = self.scene.text.find(&choice.own).into_iter();
        runs.filter(|run| !self.part_of_longer(brief, &choice.own, run))
            .filter_map(|run| {
                let exact = choice
                    .own
                    .iter()
                    .zip(&self.scene.text.tokens[run.clone()])
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
                let runs = self.scene.text.find(term).into_iter();
                runs.map(move |run| (term, run))
            });
        found
            .filter_map(|(term, run)| {
                let sure = if term.len() > 1 { 0.86 } else { 0.8 };
                self.chosen(at, choice, run, sure)
            })
            .collect()
    }

    /// All the telling words of a value in one clause, in any order.
    fn all_words(&self, at: usize, choice: &Choice) -> Vec<Candidate> {
        let words = telling(&choice.own);
        if words.len() < 2 {
            return Vec::new();
        }
        let clauses = self.scene.text.clauses().into_iter();
        clauses
            .filter_map(|clause| super::scattered(self.scene, &words, &clause))
            .filter(|(_, share)| *share >= 0.999)
            .filter_map(|(held, _)| {
                let chosen = self.chosen(at, choice, super::run_of(&held), 0.82)?;
                Some(chosen.holding(held))
            })
            .collect()
    }

    /// A word that only one of the values has.
    fn one_word(&self, at: usize, choice: &Choice) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        let words = telling(&choice.own);
        if words.len() < 2 || brief.kind != Kind::Choice {
            return Vec::new();
        }
        let distinct = words
            .iter()
            .filter(|w| w.text.len() > 3 && !self.shared(brief, choice, w));
        distinct
            .flat_map(|word| self.scene.text.find(std::slice::from_ref(word)))
            .filter_map(|run| self.chosen(at, choice, run, 0.71))
            .collect()
    }

    /// True if other values have the word too, or the template uses it for something else.
    fn shared(&self, brief: &Brief, choice: &Choice, word: &Token) -> bool {
        let others = brief.choices.iter().filter(|c| c.value != choice.value);
        let by_values = others.flat_map(|c| &c.own).any(|t| t.stem == word.stem);
        let element = self
            .briefs
            .iter()
            .filter_map(super::super::element::Elements::of)
            .any(|e| e.takes(&word.text));
        by_values
            || element
            || self
                .briefs
                .iter()
                .any(|b| b.name.contains(&word.stem) || b.gist.contains(&word.stem))
    }

    /// "economy" within "premium economy" is no value of its own where both are listed.
    fn part_of_longer(&self, brief: &Brief, own: &[Token], run: &Range<usize>) -> bool {
        let longer = brief.choices.iter().filter(|c| c.own.len() > own.len());
        longer
            .flat_map(|c| self.scene.text.find(&c.own))
            .any(|other| other.start <= run.start && run.end <= other.end)
    }

    /// True if the word at a place is what is to be done, and the key asks for that.
    fn commands(&self, brief: &Brief, at: usize) -> bool {
        let acts = ["action", "operat", "task", "command", "method", "mode"];
        let asks = acts
            .iter()
            .any(|a| brief.name.iter().any(|n| n.starts_with(a)) || brief.gist.contains(*a));
        let first = self
            .scene
            .token(at)
            .is_some_and(|t| t.gap >= crate::text::Gap::Comma);
        asks && (first
            || matches!(
                self.scene.word_before(at),
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
        let brief = &self.briefs[at];
        let none = choice.value == "none";
        if cue::denied(self.scene, &run) && !none {
            return None;
        }
        let near = cue::before(self.scene, brief, &run).max(cue::behind(self.scene, brief, &run));
        let weak = self.scene.text.tokens[run.clone()]
            .iter()
            .all(|t| crate::lexicon::listed(WEAK, &t.text))
            && !self.commands(brief, run.start);
        // 电话 before a number is how to call back, not what is complained of.
        let dialled = self
            .scene
            .token(run.end)
            .is_some_and(|t| t.class == crate::text::Class::Number && t.text.len() >= 5);
        let sure = if dialled { sure - 0.4 } else { sure };
        let confidence = match (weak, near >= 0.55) {
            (_, true) => sure + 0.04,
            (true, false) => sure - 0.4,
            (false, false) => sure,
        };
        Some(Candidate::new(at, choice.value.clone(), run, confidence))
    }
}
