//! Elements of a network, as `kind:name`: "site BE-017" for a key that takes `site:…`.
//!
//! The kinds come from the key's pattern and from its mapping examples; the names from the
//! utterance. Read next: [`super::propose`].

mod kind;

pub(crate) use kind::kinds_within;

use super::slot::{ExampleRule, Slot, outline};
use super::utterance::{AnnotatedUtterance, Mention, MentionKind};
use crate::lexicon;
use kind::{kind_before, kind_behind, other_kind};
use language::script::is_cjk;
use language::span::TokenSet;
use language::text::Class;
use regex::Regex;
use schema::template::Shape;
use serde_json::Value;
use std::ops::Range;

/// The confidence in an element whose kind is said.
pub(crate) const TOLD: f64 = 0.93;

/// The elements that a key takes.
pub(crate) struct Elements {
    kinds: Vec<String>,
    /// The names of a kind that the examples show: `site`, `BE-017`.
    shown: Vec<(String, String)>,
    pattern: Option<Regex>,
}

/// An element that an utterance names.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// `kind:name`.
    pub(crate) name: String,
    /// The tokens of its name.
    pub(crate) run: Range<usize>,
    /// Those and the word for its kind.
    pub(crate) span: Range<usize>,
    /// The confidence that the key's kind is meant: told, or like those of the examples.
    pub(crate) sure: f64,
}

impl Elements {
    /// The elements that a key, or an entry of its list, takes; none if it takes no `kind:name`.
    pub(crate) fn of(slot: &Slot) -> Option<Self> {
        let shape: &Shape = slot
            .shape
            .constraint
            .items
            .as_deref()
            .unwrap_or(&slot.shape);
        let pattern = shape.constraint.pattern.as_deref();
        let mut kinds = pattern.map(prefixes).unwrap_or_default();
        kinds.extend(
            slot.example_rules
                .iter()
                .flat_map(values)
                .map(|(kind, _)| kind),
        );
        kinds.sort();
        kinds.dedup();
        let shown = slot.example_rules.iter().flat_map(values);
        (!kinds.is_empty()).then(|| Self {
            shown: shown.collect(),
            kinds,
            pattern: slot.entry.clone(),
        })
    }

    /// True if a word is one of the kinds.
    pub(crate) fn takes(&self, kind: &str) -> bool {
        self.kinds.iter().any(|k| k == kind)
    }

    /// True if the two take elements of a kind.
    pub(crate) fn takes_any(&self, other: &Self) -> bool {
        self.kinds.iter().any(|k| other.takes(k))
    }

    /// The elements that an utterance names, from left to right; "BE-002 to BE-004" are three.
    pub(crate) fn within(&self, utterance: &AnnotatedUtterance) -> Vec<Element> {
        let mut found = self.told(utterance);
        let unsaid = self.unsaid(utterance);
        let sole = self.kinds.len() == 1;
        if found.is_empty() || !sole || unsaid.len() > 1 {
            found.extend(unsaid);
        }
        found.sort_by_key(|e| e.run.start);
        let mut held = TokenSet::of(utterance.text.tokens.len(), []);
        found.retain(|e| {
            let fresh = !held.touches(&e.run);
            held.add(&e.run);
            fresh
        });
        utterance.text.steps.take(found.len());
        let mut all: Vec<Element> = Vec::new();
        for element in found {
            if let Some(last) = all.last().filter(|last| spans(utterance, last, &element)) {
                all.extend(between(last, &element));
            }
            all.push(element);
        }
        all
    }

    /// The elements whose kind is said; for those of a row, once.
    fn told(&self, utterance: &AnnotatedUtterance) -> Vec<Element> {
        let mut found: Vec<Element> = Vec::new();
        let mut held = TokenSet::of(utterance.text.tokens.len(), []);
        for mention in utterance.mentions.iter().filter(|m| {
            matches!(
                m.sort,
                MentionKind::Code | MentionKind::Name | MentionKind::Quoted
            )
        }) {
            utterance.text.steps.take(self.kinds.len());
            let in_row = || {
                let last = found.last()?;
                let (kind, _) = last.name.split_once(':')?;
                let row = continues(utterance, last.span.end, mention.run.start);
                row.then(|| {
                    self.named(kind, &mention.text, &mention.run, mention.run.clone(), TOLD)
                })
                .flatten()
            };
            let element = self
                .whole(mention)
                .or_else(|| self.beside(utterance, mention))
                .or_else(in_row);
            if let Some(element) = element.filter(|e| !held.touches(&e.run)) {
                held.add(&element.run);
                found.push(element);
            }
        }
        found
    }

    /// "BE-017" alone: of the only kind, or of the only kind whose names are written so.
    fn unsaid(&self, utterance: &AnnotatedUtterance) -> Vec<Element> {
        let [kind] = self.kinds.as_slice() else {
            return self.outlined(utterance);
        };
        let codes = utterance
            .mentions
            .iter()
            .filter(|m| m.sort == MentionKind::Code);
        let names: Vec<String> = self.shown.iter().map(|(_, name)| name.clone()).collect();
        let like = |m: &Mention| match super::slot::resemblance(&names, &m.text) {
            Some(like) if like >= 1.0 => 0.89,
            Some(like) if like > 0.0 => 0.87,
            _ => 0.6,
        };
        codes
            .filter(|m| !other_kind(utterance, m))
            .filter_map(|m| self.named(kind, &m.text, &m.run, m.run.clone(), like(m)))
            .collect()
    }

    /// Names of a form that only one of several kinds has: "Celle-Uelzen" where a link is called
    /// "Berlin-Leipzig".
    fn outlined(&self, utterance: &AnnotatedUtterance) -> Vec<Element> {
        let parted = |m: &&Mention| {
            let pair = m.sort == MentionKind::Name && m.text.contains('-') && m.run.len() == 2;
            (m.sort == MentionKind::Code || pair) && !other_kind(utterance, m)
        };
        let mentions = utterance.mentions.iter().filter(parted);
        mentions
            .filter_map(|m| {
                let form = outline(&m.text);
                let mut kinds = self
                    .shown
                    .iter()
                    .filter(|(_, name)| outline(name) == form)
                    .map(|(k, _)| k);
                let kind = kinds.next()?;
                let sure = if m.sort == MentionKind::Code {
                    0.78
                } else {
                    0.76
                };
                kinds
                    .all(|k| k == kind)
                    .then(|| self.named(kind, &m.text, &m.run, m.run.clone(), sure))
                    .flatten()
            })
            .collect()
    }

    /// `site:BE-017`, as it should be.
    fn whole(&self, mention: &Mention) -> Option<Element> {
        let (kind, _) = mention.text.split_once(':')?;
        let fits = self.kinds.iter().any(|k| k == kind) && self.fits(&mention.text);
        fits.then(|| Element {
            name: mention.text.clone(),
            run: mention.run.clone(),
            span: mention.run.clone(),
            sure: TOLD,
        })
    }

    fn fits(&self, name: &str) -> bool {
        self.pattern.as_ref().is_none_or(|p| p.is_match(name))
    }

    fn named(
        &self,
        kind: &str,
        name: &str,
        run: &Range<usize>,
        span: Range<usize>,
        sure: f64,
    ) -> Option<Element> {
        let place = lexicon::place(name).filter(|_| !name.is_ascii());
        let english = place.map_or_else(|| name.to_owned(), lexicon::Place::english);
        let name = format!("{kind}:{english}");
        (!name.contains(' ') && self.fits(&name)).then_some(Element {
            name,
            run: run.clone(),
            span,
            sure,
        })
    }

    /// A name with the word for its kind beside it.
    fn beside(&self, utterance: &AnnotatedUtterance, mention: &Mention) -> Option<Element> {
        self.kinds.iter().find_map(|kind| {
            self.between(utterance, mention, kind)
                .or_else(|| self.numbered(utterance, mention, kind))
                .or_else(|| {
                    let span = kind_before(utterance, &mention.run, kind)
                        .or_else(|| kind_behind(utterance, &mention.run, kind))?;
                    self.named(kind, &mention.text, &mention.run, span, TOLD)
                })
        })
    }

    /// "the link between Berlin and Leipzig", 柏林到莱比锡的链路.
    fn between(
        &self,
        utterance: &AnnotatedUtterance,
        mention: &Mention,
        kind: &str,
    ) -> Option<Element> {
        if !matches!(kind, "link" | "duct") || mention.sort != MentionKind::Name {
            return None;
        }
        let connector = mention.run.end;
        let joined = matches!(
            utterance.word(connector),
            "to" | "and" | "到" | "至" | "和" | "与"
        );
        let other = utterance
            .mention_from(connector + 1)
            .filter(|m| m.sort == MentionKind::Name && joined)?;
        let run = mention.run.start..other.run.end;
        let lead = usize::from(matches!(
            utterance.word_before(run.start),
            "from" | "between" | "从"
        ));
        let outer = run.start - lead..run.end;
        let span = kind_before(utterance, &outer, kind)
            .or_else(|| kind_behind(utterance, &outer, kind))?;
        let name = format!("{}-{}", english(mention), english(other));
        self.named(kind, &name, &run, span, TOLD)
    }

    /// "card 2 in Berlin", 柏林2号板卡.
    fn numbered(
        &self,
        utterance: &AnnotatedUtterance,
        mention: &Mention,
        kind: &str,
    ) -> Option<Element> {
        if kind != "card" || mention.sort != MentionKind::Name {
            return None;
        }
        let number = |at: usize| {
            utterance
                .token(at)
                .filter(|t| t.class == Class::Number)
                .map(|t| t.text.clone())
        };
        let english = english(mention);
        let end = mention.run.end;
        let router: String = (end..end + 3).map(|i| utterance.word(i)).collect();
        let behind = end + if router == "路由器" { 3 } else { 0 };
        let behind = behind + usize::from(utterance.word(behind) == "的");
        if let Some(n) = number(behind) {
            let end = behind + 1 + usize::from(utterance.word(behind + 1) == "号");
            let run = mention.run.start..end;
            let span = kind_behind(utterance, &run, kind)?;
            return self.named(kind, &format!("{english}/{n}"), &run, span, TOLD);
        }
        // "card 2 in Berlin", "card 0 of router Berlin".
        let start = mention.run.start;
        let router = usize::from(utterance.word_before(start) == "router");
        let lead = start.checked_sub(1 + router)?;
        let at = lead
            .checked_sub(1)
            .filter(|_| matches!(utterance.word(lead), "in" | "of" | "at"))?;
        let n = number(at)?;
        let run = at..mention.run.end;
        let span = kind_before(utterance, &run, kind)?;
        self.named(kind, &format!("{english}/{n}"), &run, span, TOLD)
    }
}

/// True if nothing but a word that joins a row stands between two places.
fn continues(utterance: &AnnotatedUtterance, end: usize, start: usize) -> bool {
    let joins = |i: usize| {
        matches!(
            utterance.word(i),
            "and" | "or" | "through" | "thru" | "to" | "和" | "与" | "及" | "到" | "至"
        )
    };
    end <= start && start - end <= 1 && (end..start).all(joins)
}

/// True if one element and the next are the ends of a range.
fn spans(utterance: &AnnotatedUtterance, one: &Element, other: &Element) -> bool {
    let end = one.run.end;
    other.run.start == end + 1
        && matches!(
            utterance.word(end),
            "through" | "thru" | "to" | "till" | "到" | "至"
        )
}

/// The elements between the ends of a range, by the number that their names end with; none if they
/// do not end alike, or if they are more than a hundred.
fn between(one: &Element, other: &Element) -> Vec<Element> {
    let parts = |name: &str| {
        let digits = name.chars().rev().take_while(char::is_ascii_digit).count();
        let (head, tail) = name.split_at(name.len() - digits);
        Some((head.to_owned(), digits, tail.parse::<u32>().ok()?))
    };
    let (Some((head, width, first)), Some((other_head, _, last))) =
        (parts(&one.name), parts(&other.name))
    else {
        return Vec::new();
    };
    if head != other_head || last <= first || last - first > 100 {
        return Vec::new();
    }
    let end = one.span.end;
    let element = |n: u32| Element {
        name: format!("{head}{n:0width$}"),
        run: end..end,
        span: end..end,
        sure: one.sure,
    };
    (first + 1..last).map(element).collect()
}

/// A name, in English if it is a Chinese one of a place.
fn english(mention: &Mention) -> String {
    let chinese = mention.text.chars().any(is_cjk);
    let place = lexicon::place(&mention.text).filter(|_| chinese);
    place.map_or_else(|| mention.text.clone(), lexicon::Place::english)
}

/// The kinds and names that an example's value shows, `site` and `BE-017` of `site:BE-017`.
fn values(rule: &ExampleRule) -> Vec<(String, String)> {
    let ExampleRule::Whole { value, .. } = rule else {
        return Vec::new();
    };
    let shown = |text: &str| {
        let (kind, name) = text.split_once(':')?;
        (kind.len() > 2 && !name.is_empty() && kind.chars().all(|c| c.is_ascii_lowercase()))
            .then(|| (kind.to_owned(), name.to_owned()))
    };
    match value {
        Value::String(text) => shown(text).into_iter().collect(),
        Value::Array(list) => list
            .iter()
            .filter_map(Value::as_str)
            .filter_map(shown)
            .collect(),
        _ => Vec::new(),
    }
}

/// The words that may stand before the colon of a pattern: `site` of `site:.+`, both of
/// `(site|cell):.+`.
fn prefixes(pattern: &str) -> Vec<String> {
    let Some((head, _)) = pattern.split_once(':') else {
        return Vec::new();
    };
    let plain = head
        .chars()
        .all(|c| c.is_ascii_alphabetic() || matches!(c, '(' | ')' | '|' | '^'));
    if plain {
        head.split(|c: char| !c.is_ascii_alphabetic())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    } else {
        Vec::new()
    }
}
