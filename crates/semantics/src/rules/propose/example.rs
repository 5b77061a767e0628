//! Keys whose mapping examples are said, whole or nearly so.
//!
//! Read next: [`super::super::phrase`].

use super::super::candidate::Candidate;
use super::super::cue::{denied_with, denies};
use super::super::element::Elements;
use super::super::phrase::{PhraseMatch, likeness, run_of, scattered, telling};
use super::super::slot::{ExampleRule, Kind};
use super::{Keys, amount};
use crate::lexicon;
use language::quantity::Quantity;
use language::text::{Class, Token};
use serde_json::Value;
use std::ops::Range;

impl Keys<'_> {
    /// The candidates of whole mapping examples. Exactly said is as good as certain (0.97); with
    /// all its telling words in one clause nearly so (0.9); with most of them, likely (0.78).
    pub(super) fn example_rules(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let element = |value: &Value| {
            value.as_str().is_some_and(|v| v.contains(':')) && Elements::of(slot).is_some()
        };
        let wholes = slot.example_rules.iter().filter_map(|rule| match rule {
            ExampleRule::Whole { said, value } => Some((said, value)),
            _ => None,
        });
        wholes
            .filter(|(_, value)| slot.kind != Kind::List && !element(value))
            .flat_map(|(said, value)| {
                let contrary = self.contrary(at, said, value);
                self.learned(at, said, value).into_iter().chain(contrary)
            })
            .collect()
    }

    fn learned(&self, at: usize, said: &[Token], value: &Value) -> Option<Candidate> {
        let slot = &self.slots[at];
        let like = likeness(self.utterance, said)?;
        let called = matches!(
            self.utterance.word(like.run.end),
            "me" | "us" | "back" | "him" | "her" | "number"
        );
        if like.run.len() == 1 && called || self.dials(&like.run) {
            return None;
        }
        // "light skin smoothing" teaches nothing of who does not say "light".
        let partly = like.confidence < 0.8;
        if slot.kind == Kind::Amount && partly {
            return None;
        }
        let turned = denies(said) != denied_with(self.utterance, &like.run);
        let value = match (value, turned) {
            // "what do I do?" stands for itself: as it was said.
            (Value::String(text), _)
                if slot.kind == Kind::Speech
                    && language::text::tokens(text).len() == said.len() =>
            {
                return None;
            }
            (Value::Bool(b), true) => Value::Bool(!b),
            (_, true) if slot.kind != Kind::Flag => return None,
            (value, _) => value.clone(),
        };
        if let Some(graded) = self.graded(at, &like) {
            return Some(graded);
        }
        Some(Candidate::new(at, value, like.run, like.confidence).holding(like.held))
    }

    /// The degree of it, where a phrase is taught without: 重度磨皮, 磨皮调到5.
    fn graded(&self, at: usize, like: &PhraseMatch) -> Option<Candidate> {
        let slot = &self.slots[at];
        if slot.kind != Kind::Amount || slot.unit.is_some() {
            return None;
        }
        let clause = self.utterance.clause(like.run.start);
        let behind = |q: &&Quantity| {
            q.unit.is_none() && !q.ordinal && q.run.start >= like.run.end && q.run.end <= clause.end
        };
        self.utterance
            .text
            .steps
            .take(self.utterance.quantities.len());
        let counted = self.utterance.quantities.iter().find(behind);
        if let Some(quantity) = counted.filter(|q| q.run.start <= like.run.end + 3) {
            let value = amount::amount(slot, quantity)?;
            return Some(
                Candidate::new(at, value, quantity.run.clone(), 0.93)
                    .explaining(like.run.start..quantity.run.end),
            );
        }
        let from = like.run.start.saturating_sub(3).max(clause.start);
        let pair = |i: usize| format!("{}{}", self.utterance.word(i), self.utterance.word(i + 1));
        let said = (from..(like.run.end + 2).min(clause.end)).find_map(|i| {
            let chinese = lexicon::degree(&pair(i)).map(|share| (i..i + 2, share));
            chinese.filter(|(run, _)| !like.held.iter().any(|h| run.contains(h)))
        });
        let (run, share) = said?;
        // 重一点 is more, 轻一点 is less.
        let stronger = matches!(
            self.utterance.word_before(run.start),
            "重" | "强" | "大" | "高" | "多"
        );
        let share = if stronger { share.max(0.8) } else { share };
        let value = amount::scaled(slot, share)?;
        let run = run.start.min(like.run.start)..run.end.max(like.run.end);
        Some(Candidate::new(at, value, run, 0.98))
    }

    /// Reads that who does not want a thing wants it stopped: "do not save any energy" where
    /// "disable energy saving" is taught, 把节能关了 where 关闭节能 is.
    fn contrary(&self, at: usize, said: &[Token], value: &Value) -> Option<Candidate> {
        let stops = said
            .iter()
            .take_while(|t| {
                lexicon::listed(STOPPING, &t.text)
                    || t.class == Class::Cjk && "关闭暂停止".contains(t.text.as_str())
            })
            .count();
        let rest = &said[stops..];
        let short = if rest.iter().all(|t| t.class == Class::Cjk) {
            2
        } else {
            1
        };
        if self.slots[at].kind != Kind::Choice || stops == 0 || rest.len() < short || rest.len() > 4
        {
            return None;
        }
        let (run, held) = self.stands(rest)?;
        let word = |at: usize| self.utterance.word(at);
        let stopped =
            |at: usize| matches!(word(at), "关" | "停") && !matches!(word(at + 1), "断" | "闭");
        let behind = stopped(run.end)
            || matches!(word(run.end), "先" | "给" | "都" | "就" | "功")
                && (run.end + 1..run.end + 4).any(stopped);
        let turned = denied_with(self.utterance, &run) || behind;
        turned.then(|| Candidate::new(at, value.clone(), run, 0.78).holding(held))
    }

    fn stands(&self, phrase: &[Token]) -> Option<(Range<usize>, Vec<usize>)> {
        if let Some(run) = self.utterance.text.find(phrase).into_iter().next() {
            return Some((run.clone(), run.collect()));
        }
        let telling = telling(phrase);
        let clauses = self.utterance.text.clauses();
        let english = telling.iter().all(|t| t.class == Class::Word) && telling.len() > 1;
        let (held, share) = clauses
            .iter()
            .find_map(|c| scattered(self.utterance, &telling, c))?;
        (english && share >= 0.999).then(|| (run_of(&held), held))
    }

    /// True if a run is followed by a telephone number: 电话13800138000, "call 030 1234".
    pub(super) fn dials(&self, run: &Range<usize>) -> bool {
        let near = |at: usize| {
            self.utterance.token(at).is_some_and(|t| {
                t.class == Class::Number && t.text.len() >= 3 && t.gap < language::text::Gap::Comma
            })
        };
        let phone = |i: usize| {
            matches!(
                self.utterance.token(i).map(|t| t.stem.as_str()),
                Some("call" | "phone" | "telephon" | "tel" | "ring" | "mobil" | "话")
            )
        };
        run.clone().any(phone)
            && run.len() <= 2
            && (near(run.end)
                || matches!(self.utterance.word(run.end), "at" | "on") && near(run.end + 1))
    }
}

/// Verbs that stop what they are said of.
const STOPPING: &str = " pause disable suspend stop switch turn deactivate ";
