//! The candidates for each key, by what the utterance says, with the tokens that they
//! come from and how sure they are.
//!
//! One file per kind of key. Nothing is decided here; read next: [`super::assign`].

mod amount;
mod choice;
mod flag;
mod list;
mod moment;
mod name;

use super::example::ExampleRule;
use super::slot::{Kind, Slot};
use super::utterance::AnnotatedUtterance;
use crate::lexicon;
use language::quantity::Quantity;
use language::text::{Class, Token};
use schema::steps::{Effort, GivenUp};
use serde_json::Value;
use std::ops::Range;

/// A value that a key could hold.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The key: its place among the slots.
    pub(crate) slot: usize,
    /// The value.
    pub(crate) value: Value,
    /// The tokens that it comes from; no other key may have them.
    pub(crate) run: Range<usize>,
    /// The tokens that it explains: those, and words that only say which key is meant.
    pub(crate) span: Range<usize>,
    /// Of `run`, the tokens that it really takes, where others stand between.
    pub(crate) held: Option<Vec<usize>>,
    /// The confidence, 0 to 1.
    pub(crate) confidence: f64,
}

impl Candidate {
    fn new(slot: usize, value: Value, run: Range<usize>, confidence: f64) -> Self {
        Self {
            slot,
            value,
            span: run.clone(),
            run,
            held: None,
            confidence,
        }
    }

    /// With other tokens standing between those that it takes.
    fn holding(self, held: Vec<usize>) -> Self {
        Self {
            held: Some(held),
            ..self
        }
    }

    /// The tokens that it takes.
    fn takes(&self, at: usize) -> bool {
        match &self.held {
            Some(held) => held.contains(&at),
            None => self.run.contains(&at),
        }
    }

    /// True if it takes a token of a run.
    pub(crate) fn takes_of(&self, run: &Range<usize>) -> bool {
        run.clone().any(|at| self.takes(at))
    }

    /// True if two take the same token.
    pub(crate) fn clashes(&self, other: &Candidate) -> bool {
        self.run.clone().any(|at| self.takes(at) && other.takes(at))
    }

    /// With more tokens explained than taken.
    fn explaining(self, span: Range<usize>) -> Self {
        Self { span, ..self }
    }
}

/// All that the keys of a scenario could hold.
///
/// # Errors
/// [`GivenUp`]: it is more work than it may be. That is asked before each key.
pub(crate) fn candidates(
    utterance: &AnnotatedUtterance,
    slots: &[Slot],
    scenario: &[String],
    effort: Effort<'_>,
) -> Result<Vec<Candidate>, GivenUp> {
    let keys = Keys {
        utterance,
        slots,
        scenario,
        effort,
    };
    let mut all: Vec<Candidate> = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        effort.allows(&utterance.text.steps)?;
        all.extend(keys.example_rules(at));
        match slot.kind {
            Kind::Choice => all.extend(keys.choices(at)),
            Kind::Flag => all.extend(keys.flags(at)),
            Kind::Amount => all.extend(keys.amounts(at)),
            Kind::Day | Kind::Clock | Kind::Instant => all.extend(keys.moments(at)),
            Kind::List => all.extend(keys.lists(at)),
            Kind::Nothing => {}
            _ => {
                all.extend(keys.names(at));
                all.extend(keys.hints(at));
            }
        }
    }
    all.extend(keys.in_order());
    effort.allows(&utterance.text.steps)?;
    Ok(all)
}

/// The keys before an utterance.
struct Keys<'a> {
    utterance: &'a AnnotatedUtterance,
    slots: &'a [Slot],
    /// The stems of the scenario's name.
    scenario: &'a [String],
    effort: Effort<'a>,
}

impl Keys<'_> {
    /// The candidates of whole mapping examples. Exactly said is as good as certain (0.97); with
    /// all its telling words in one clause nearly so (0.9); with most of them, likely (0.78).
    fn example_rules(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let element = |value: &Value| {
            value.as_str().is_some_and(|v| v.contains(':'))
                && super::element::Elements::of(slot).is_some()
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
                STOPPING.contains(&t.text.as_str())
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
    fn dials(&self, run: &Range<usize>) -> bool {
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
const STOPPING: &[&str] = &[
    "pause",
    "disable",
    "suspend",
    "stop",
    "switch",
    "turn",
    "deactivate",
];

/// The place of a phrase in an utterance, and how surely it is that phrase.
#[derive(Clone, Debug)]
pub(crate) struct PhraseMatch {
    /// From its first word to its last.
    pub(crate) run: Range<usize>,
    /// Its words.
    pub(crate) held: Vec<usize>,
    /// The confidence.
    pub(crate) confidence: f64,
}

/// The place of a phrase in an utterance; the surest place.
pub(crate) fn likeness(utterance: &AnnotatedUtterance, said: &[Token]) -> Option<PhraseMatch> {
    let exact = utterance.text.find(said);
    if let Some(run) = exact.into_iter().next_back() {
        let held = run.clone().collect();
        return Some(PhraseMatch {
            run,
            held,
            confidence: 0.97,
        });
    }
    let telling = telling(said);
    if telling.len() < 2 {
        return None;
    }
    let parts = utterance.text.clauses();
    let found = parts
        .iter()
        .filter_map(|clause| scattered(utterance, &telling, clause));
    let (held, share) = found.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.len().cmp(&a.0.len())))?;
    let run = run_of(&held);
    // Of two phrases whose words are all there, the one with more words, and those closer.
    let loose = run.len().saturating_sub(telling.len()) as f64;
    let long = held.len().min(6) as f64;
    let confidence = match share {
        s if s >= 0.999 => 0.88 + 0.01 * long - 0.015 * loose.min(6.0),
        s if s >= 0.66 => 0.74 + 0.01 * long,
        _ => return None,
    };
    Some(PhraseMatch {
        run,
        held,
        confidence,
    })
}

fn run_of(held: &[usize]) -> Range<usize> {
    let first = held.iter().min().copied().unwrap_or(0);
    let last = held.iter().max().copied().unwrap_or(0);
    first..last + 1
}

/// The words of a phrase that tell something; for Chinese, its characters.
pub(crate) fn telling(said: &[Token]) -> Vec<Token> {
    let empty = " please little bit make want look get go 的 了 请 把 我 要 让 ";
    let tells = |t: &&Token| {
        (!crate::lexicon::is_function(&t.text) || matches!(t.text.as_str(), "off" | "down" | "up"))
            && !crate::lexicon::listed(empty, &t.text)
    };
    said.iter().filter(tells).cloned().collect()
}

/// The words of a clause that are those of a phrase, and which share of the phrase they are: for
/// Chinese its characters, in their order, each beside a neighbour or soon behind one.
fn scattered(
    utterance: &AnnotatedUtterance,
    telling: &[Token],
    clause: &Range<usize>,
) -> Option<(Vec<usize>, f64)> {
    let chinese = telling.iter().all(|t| t.class == Class::Cjk);
    let held = if chinese {
        characters(utterance, telling, clause)
    } else {
        words(utterance, telling, clause)
    };
    let particle = |t: &&Token| matches!(t.text.as_str(), "off" | "up" | "down");
    let whole = telling
        .iter()
        .filter(particle)
        .all(|t| held.iter().any(|i| utterance.word(*i) == t.text));
    let share = held.len() as f64 / telling.len() as f64;
    let loose = run_of(&held).len() > telling.len() * if chinese { 2 } else { 3 } + 3;
    let enough = held.len() >= if chinese { 3 } else { 2 };
    (enough && !loose && whole).then_some((held, share))
}

fn words(utterance: &AnnotatedUtterance, telling: &[Token], clause: &Range<usize>) -> Vec<usize> {
    let tokens = &utterance.text.tokens;
    let mut held: Vec<usize> = Vec::new();
    utterance.text.steps.take(telling.len() * clause.len());
    for word in telling {
        let near = |at: &usize| held.first().map_or(0, |h| at.abs_diff(*h));
        let mut places: Vec<usize> = clause
            .clone()
            .filter(|i| !held.contains(i) && alike(&tokens[*i], word))
            .collect();
        places.sort_by_key(near);
        held.extend(places.first());
    }
    held
}

fn characters(
    utterance: &AnnotatedUtterance,
    telling: &[Token],
    clause: &Range<usize>,
) -> Vec<usize> {
    let tokens = &utterance.text.tokens;
    let mut best: Vec<usize> = Vec::new();
    let starts: Vec<usize> = clause
        .clone()
        .filter(|i| tokens[*i].text == telling[0].text)
        .collect();
    let next = match starts.is_empty() {
        true => Vec::new(),
        false => telling
            .iter()
            .map(|word| places_from(utterance, word, clause))
            .collect::<Vec<_>>(),
    };
    for start in starts {
        utterance.text.steps.take(telling.len());
        let mut held = vec![start];
        for (n, places) in next.iter().enumerate().skip(1) {
            let last = held[held.len() - 1];
            let paired = |i: &usize| {
                let pair = |a: Option<&Token>, b: Option<&Token>| {
                    a.zip(b).is_some_and(|(a, b)| a.text == b.text)
                };
                *i <= last + 4 || pair(utterance.token(i + 1), telling.get(n + 1))
            };
            let place = places.get(last + 1 - clause.start).copied().flatten();
            held.extend(place.filter(paired));
        }
        if held.len() > best.len() {
            best = held;
        }
    }
    let turned = pairs(utterance, telling, clause);
    if turned.len() > best.len() {
        turned
    } else {
        best
    }
}

/// For each place of a clause, where a word stands from there on.
fn places_from(
    utterance: &AnnotatedUtterance,
    word: &Token,
    clause: &Range<usize>,
) -> Vec<Option<usize>> {
    utterance.text.steps.take(clause.len());
    let mut next = None;
    let mut places: Vec<Option<usize>> = clause
        .clone()
        .rev()
        .map(|at| {
            if utterance.word(at) == word.text {
                next = Some(at);
            }
            next
        })
        .collect();
    places.reverse();
    places
}

/// The characters of a phrase that stand in a clause in pairs of the phrase, whatever the order of
/// the pairs: 功率提高 for 提高功率.
fn pairs(utterance: &AnnotatedUtterance, telling: &[Token], clause: &Range<usize>) -> Vec<usize> {
    let mut held: Vec<usize> = Vec::new();
    utterance.text.steps.take(telling.len() * clause.len());
    for pair in telling.windows(2) {
        let stands = |i: &usize| {
            utterance.word(*i) == pair[0].text
                && utterance.word(i + 1) == pair[1].text
                && clause.contains(&(i + 1))
        };
        let place = clause.clone().find(stands);
        held.extend(place.into_iter().flat_map(|i| [i, i + 1]));
    }
    held.sort_unstable();
    held.dedup();
    held
}

fn alike(token: &Token, word: &Token) -> bool {
    token.stem == word.stem
        || language::word::mistyped(&token.text, &word.text)
        || (token.class == Class::Word && crate::lexicon::same_concept(&token.text, &word.text))
}

/// True if a run denies, or is denied by what stands before it.
fn denied_with(utterance: &AnnotatedUtterance, run: &Range<usize>) -> bool {
    denies(&utterance.text.tokens[run.clone()]) != super::cue::denied(utterance, run)
}

/// True if a phrase denies: "no KPI impact".
pub(crate) fn denies(said: &[Token]) -> bool {
    let words: Vec<String> = said.iter().map(|t| t.text.clone()).collect();
    let text = language::text::join(said);
    crate::lexicon::denials(&words, &text) % 2 == 1
}
