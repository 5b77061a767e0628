//! Keys that take several values.

use super::super::assign::settle;
use super::super::candidate::Candidate;
use super::super::cue;
use super::super::element::Elements;
use super::super::pattern::regex;
use super::super::phrase::likeness;
use super::super::slot::{ExampleRule, Kind, Slot, members, outline};
use super::super::utterance::{AnnotatedUtterance, Mention, MentionKind};
use super::{Keys, amount};
use language::text::{Class, Gap};
use regex::Regex;
use schema::template::KeyType;
use serde_json::Value;
use std::ops::Range;
use std::sync::LazyLock;

/// Words behind which something else is considered.
static OR_ELSE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:or else|or maybe|or perhaps|or possibly|otherwise|alternatively)\b|\b(?:second|third|fourth|next)(?:ly)?\s*[:,]|要么就是|要么|也可能是|也可能|或者是|其次是|其次|再次|最后才是|最后是|第二|第三",
    )
});

/// Words that may begin something else.
static OR: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\bor\b|还是|或者?"));

/// The most times that something else is considered: what is said behind the last belongs to it. Of
/// words that may begin something else, as many are looked at.
const ALTERNATIVES_MOST: usize = 16;

impl Keys<'_> {
    /// Lists that are said: listed values wherever they stand, numbers and names in a row.
    pub(super) fn lists(&self, at: usize) -> Vec<Candidate> {
        let found = match self.slots[at].item {
            Kind::Choice => self.chosen_all(at),
            Kind::Amount => self.numbers(at),
            Kind::Nothing => self.alternatives(at),
            Kind::Flag | Kind::List => Vec::new(),
            _ => match Elements::of(&self.slots[at]) {
                Some(elements) => self.elements(at, &elements),
                None => {
                    let mut all = self.named_all(at);
                    all.extend(self.reported(at));
                    if matches!(self.slots[at].item, Kind::Words | Kind::Speech) {
                        all.extend(self.labelled(at));
                    }
                    all
                }
            },
        };
        let max = self.slots[at]
            .shape
            .constraint
            .max_items
            .unwrap_or(usize::MAX);
        found
            .into_iter()
            .filter(|c| c.value.as_array().is_none_or(|a| a.len() <= max))
            .collect()
    }

    /// Elements in a row: "cells BE-018/1 and BE-018/2".
    fn elements(&self, at: usize, elements: &Elements) -> Vec<Candidate> {
        let mut rows: Vec<(Candidate, Vec<Value>)> = Vec::new();
        for element in elements.within(self.utterance) {
            // Of what is only guessed, a row is written alike.
            let alike = |row: &Candidate, names: &[Value]| {
                let guessed = row.confidence.min(element.sure) < super::super::element::TOLD;
                let last = names.last().and_then(Value::as_str).map(outline);
                !guessed || last == Some(outline(&element.name))
            };
            match rows.last_mut().filter(|(row, names)| {
                self.row_goes_on(&row.span, element.span.start) && alike(row, names)
            }) {
                Some((row, names)) => {
                    row.run.end = row.run.end.max(element.run.end);
                    row.span.end = row.span.end.max(element.span.end);
                    names.push(element.name.into());
                }
                None => {
                    let row = Candidate::new(at, Value::Null, element.run.clone(), element.sure);
                    rows.push((row.explaining(element.span), vec![element.name.into()]));
                }
            }
        }
        // Several are more surely a list than the one thing of another key; one is less.
        let sure = |row: &Candidate, n: usize| row.confidence + if n > 1 { 0.02 } else { -0.01 };
        let list = |(row, names): (Candidate, Vec<Value>)| Candidate {
            confidence: sure(&row, names.len()),
            value: Value::Array(names),
            ..row
        };
        let awaited = match self.slots[at].required {
            true => Vec::new(),
            false => self.awaited(elements),
        };
        rows.into_iter()
            .map(list)
            .filter(|c| !cue::excluded(self.utterance, &c.span))
            .map(|c| self.unless_awaited(at, &awaited, c))
            .collect()
    }

    /// The only elements that keys must have which take some of the same kinds.
    fn awaited(&self, elements: &Elements) -> Vec<Range<usize>> {
        let waits = |slot: &Slot| {
            let theirs = Elements::of(slot)
                .filter(|e| slot.required && slot.kind != Kind::List && e.takes_any(elements));
            let found = theirs.map(|e| e.within(self.utterance)).unwrap_or_default();
            match found.as_slice() {
                [only] => Some(only.run.clone()),
                _ => None,
            }
        };
        self.slots.iter().filter_map(waits).collect()
    }

    /// A single element whose kind nobody said is for the key that must have one: "power outage at
    /// PB-300" asks for nothing but that site.
    fn unless_awaited(&self, at: usize, awaited: &[Range<usize>], list: Candidate) -> Candidate {
        let single = list.value.as_array().is_some_and(|a| a.len() == 1);
        let told = list.confidence >= super::super::element::TOLD - 0.02;
        let taught = cue::taught(self.utterance, &self.slots[at], &list.run) >= 0.8;
        if self.slots[at].required || !single || told || taught {
            return list;
        }
        match awaited.contains(&list.run) {
            true => Candidate {
                confidence: 0.6,
                ..list
            },
            false => list,
        }
    }

    /// Objects, one behind each "or else".
    fn alternatives(&self, at: usize) -> Vec<Candidate> {
        let mut members = members(&self.slots[at].shape, &self.utterance.calendar);
        for member in &mut members {
            // What is taught of a key of the same name holds for the member.
            let known = self
                .slots
                .iter()
                .find(|b| b.path.len() == 1 && b.key() == member.key());
            if let Some(known) = known.filter(|_| member.example_rules.is_empty()) {
                member.example_rules = known.example_rules.clone();
                member.choices = known.choices.clone();
                member.exemplars = known.exemplars.clone();
            }
        }
        let text = &self.utterance.text;
        if members.is_empty() {
            return Vec::new();
        }
        let marks = self.alternating(&members);
        if marks.is_empty() {
            return Vec::new();
        }
        let ends = marks.iter().skip(1).map(|m| m.0).chain([text.raw.len()]);
        let parts = marks.iter().zip(ends).map(|(mark, end)| mark.1..end);
        let entries: Vec<(Value, usize)> = parts
            .filter_map(|part| {
                let (value, end) = self.object(&text.raw[part.clone()], &members)?;
                Some((value, part.start + end))
            })
            .collect();
        let start = text.tokens.partition_point(|t| t.end <= marks[0].0);
        let last = entries.iter().map(|e| e.1).max();
        let Some(last) = last.filter(|_| start < text.tokens.len()) else {
            return Vec::new();
        };
        let end = text.tokens.partition_point(|t| t.start < last);
        let values = entries.into_iter().map(|e| e.0).collect();
        let run = start..end.max(start + 1);
        vec![Candidate::new(at, Value::Array(values), run, 0.98)]
    }

    /// The places where something else is considered: behind "or else", and behind an "or" with
    /// which a whole object begins.
    fn alternating(&self, members: &[Slot]) -> Vec<(usize, usize)> {
        let raw = &self.utterance.text.raw;
        let place = |m: regex::Match<'_>| (m.start(), m.end());
        let told = OR_ELSE.find_iter(raw).map(place);
        let mut marks: Vec<(usize, usize)> = told.take(ALTERNATIVES_MOST).collect();
        self.utterance.text.steps.take(2 * raw.len());
        let plain = OR.find_iter(raw).map(place).take(ALTERNATIVES_MOST);
        let plain = plain.filter(|(start, end)| {
            let told = marks.iter().any(|(from, to)| from <= start && end <= to);
            let next = marks.iter().map(|m| m.0).find(|m| m > end);
            !told
                && self
                    .object(&raw[*end..next.unwrap_or(raw.len())], members)
                    .is_some()
        });
        let plain: Vec<(usize, usize)> = plain.collect();
        marks.extend(plain);
        marks.sort_unstable();
        marks
    }

    /// An object of which a part of the utterance says all that is required, and where in the part it
    /// ends.
    fn object(&self, part: &str, members: &[Slot]) -> Option<(Value, usize)> {
        let taken = &self.utterance.text.steps;
        self.effort.allows(taken).ok()?;
        let utterance = AnnotatedUtterance::new(part, self.utterance.calendar);
        if utterance.text.tokens.is_empty() {
            return None;
        }
        let left = self.effort.less(taken);
        let found = super::candidates(&utterance, members, self.scenario, left);
        let kept = found.map(|found| {
            let steps = &utterance.text.steps;
            settle(found, members, &[], crate::rules::THRESHOLD, steps).kept
        });
        taken.take(usize::try_from(utterance.text.steps.taken()).unwrap_or(usize::MAX));
        let kept = kept.ok()?;
        let whole = members
            .iter()
            .enumerate()
            .all(|(i, m)| !m.required || kept.iter().any(|c| c.slot == i));
        let last = kept.iter().map(|c| c.span.end.max(c.run.end)).max()?;
        let end = utterance.token(last.checked_sub(1)?)?.end;
        let object = kept
            .into_iter()
            .map(|c| (members[c.slot].key().to_owned(), c.value))
            .collect();
        whole.then_some((Value::Object(object), end))
    }

    /// The candidates reported in words like those of an example: "the light at the near end is -38
    /// dBm".
    fn reported(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let wholes = slot.example_rules.iter().filter_map(|rule| match rule {
            ExampleRule::Whole { said, .. } => Some(
                said.iter()
                    .filter(|t| t.class != Class::Number)
                    .cloned()
                    .collect::<Vec<_>>(),
            ),
            _ => None,
        });
        wholes
            .filter(|said| said.len() >= 4)
            .filter_map(|said| {
                let like = likeness(self.utterance, &said)?;
                let clause = self.utterance.clause(like.run.start);
                let text = self.utterance.text.span(&clause).to_owned();
                Some(Candidate::new(
                    at,
                    Value::Array(vec![text.into()]),
                    clause,
                    like.confidence.min(0.8),
                ))
            })
            .collect()
    }

    /// Every listed value that is said, in the order of the utterance, each once.
    fn chosen_all(&self, at: usize) -> Vec<Candidate> {
        let mut chosen: Vec<Candidate> = self
            .choices(at)
            .into_iter()
            .filter(|c| c.confidence >= 0.7)
            .collect();
        chosen.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        let mut kept: Vec<Candidate> = Vec::new();
        for candidate in chosen {
            self.utterance.text.steps.take(1 + kept.len());
            let again = kept.iter().any(|k| {
                k.value == candidate.value
                    || super::super::utterance::overlap(&k.run, &candidate.run)
            });
            if !again {
                kept.push(candidate);
            }
        }
        kept.sort_by_key(|c| c.run.start);
        let Some(sure) = kept.iter().map(|c| c.confidence).reduce(f64::min) else {
            return Vec::new();
        };
        // One run for all would take what stands between: the first stands for the list.
        let run = kept[0].run.clone();
        let values = kept.into_iter().map(|c| c.value).collect();
        vec![Candidate::new(at, Value::Array(values), run, sure)]
    }

    /// Numbers in brackets or in a row.
    fn numbers(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let mut entry = slot.clone();
        entry.shape = *slot
            .shape
            .constraint
            .items
            .clone()
            .unwrap_or_else(|| Box::new(slot.shape.clone()));
        let mut rows: Vec<(Range<usize>, Vec<Value>)> = Vec::new();
        for quantity in &self.utterance.quantities {
            self.utterance.text.steps.take(1);
            let Some(value) = amount::amount(&entry, quantity) else {
                continue;
            };
            match rows
                .last_mut()
                .filter(|(run, _)| self.row_goes_on(run, quantity.run.start))
            {
                Some((run, values)) => {
                    run.end = quantity.run.end;
                    values.push(value);
                }
                None => rows.push((quantity.run.clone(), vec![value])),
            }
        }
        let rivals = self
            .slots
            .iter()
            .filter(|b| b.kind == Kind::List && b.item == Kind::Amount);
        let mine = rivals
            .clone()
            .position(|b| b.path == slot.path)
            .unwrap_or(0);
        let rows: Vec<_> = rows
            .into_iter()
            .filter(|(_, values)| values.len() > 1)
            .collect();
        let sole = rivals.count() == rows.len();
        rows.into_iter()
            .enumerate()
            .map(|(n, (run, values))| {
                let named = cue::before(self.utterance, slot, &run);
                let order: f64 = if sole && n == mine { 0.8 } else { 0.4 };
                let sure = order.max(if named >= 1.0 { 0.88 } else { named });
                Candidate::new(at, Value::Array(values), run, sure)
            })
            .collect()
    }

    /// True if nothing but commas and "and" stands between the end of a row and `start`.
    fn row_goes_on(&self, row: &Range<usize>, start: usize) -> bool {
        let bracket = |i: usize| {
            self.utterance
                .token(i)
                .is_some_and(|t| t.gap == Gap::Quote || t.gap == Gap::Stop)
        };
        let between = row.end..start;
        between.clone().all(|i| {
            matches!(
                self.utterance.word(i),
                "and" | "or" | "to" | "through" | "thru" | "和" | "与" | "及" | "到" | "至" | "%"
            )
        }) && between.len() <= 1
            && !bracket(start)
    }

    /// Names, codes and quoted things in a row.
    fn named_all(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let mut rows: Vec<Vec<&Mention>> = Vec::new();
        for mention in self
            .utterance
            .mentions
            .iter()
            .filter(|m| !matches!(m.sort, MentionKind::Email | MentionKind::Url))
        {
            self.utterance.text.steps.take(1);
            match rows.last_mut().filter(|row| {
                row.last()
                    .is_some_and(|l| l.sort == mention.sort && self.row_of_names(l, mention))
            }) {
                Some(row) => row.push(mention),
                None => rows.push(vec![mention]),
            }
        }
        let rivals = self
            .slots
            .iter()
            .filter(|b| {
                b.kind == Kind::List || matches!(b.kind, Kind::Name | Kind::Words | Kind::Code)
            })
            .count();
        rows.into_iter()
            .filter(|row| !row.is_empty())
            .map(|row| {
                let run = row[0].run.start..row[row.len() - 1].run.end;
                let several = row.len() > 1;
                let named = cue::before(self.utterance, slot, &run).max(cue::behind(
                    self.utterance,
                    slot,
                    &run,
                ));
                let taught = cue::taught(self.utterance, slot, &row[0].run);
                let like =
                    super::super::slot::resemblance(&slot.exemplars, &row[0].text).unwrap_or(0.0);
                let taught = if like >= 1.0 && row[0].sort == MentionKind::Code {
                    0.9
                } else {
                    taught
                };
                let fits = row.iter().all(|m| {
                    (slot.item == Kind::Code) == (m.sort == MentionKind::Code)
                        || m.sort == MentionKind::Quoted
                });
                let base: f64 = match (several, fits, rivals) {
                    (true, true, 1) => 0.86,
                    (true, true, _) => 0.76,
                    (false, true, 1) if slot.required || slot.item == Kind::Code => 0.74,
                    (true, false, _) => 0.6,
                    _ => 0.45,
                };
                let sure = base
                    .max(if named >= 1.0 { 0.88 } else { named * 1.1 })
                    .max(if taught >= 0.8 { 0.9 } else { 0.0 });
                let values = row.iter().map(|m| Value::from(m.text.as_str())).collect();
                Candidate::new(at, Value::Array(values), run, sure)
            })
            .filter(|c| self.entries_admitted(at, &c.value))
            .collect()
    }

    /// True for names in a row; identifiers only if they are written alike.
    fn row_of_names(&self, last: &Mention, next: &Mention) -> bool {
        let between = last.run.end..next.run.start;
        if last.sort == MentionKind::Code && outline(&last.text) != outline(&next.text) {
            return false;
        }
        between.clone().all(|i| {
            matches!(self.utterance.word(i), "and" | "or" | "和" | "与" | "及")
                || self
                    .utterance
                    .token(i)
                    .is_some_and(|t| t.class == Class::Sign)
        }) && between.len() <= 1
    }

    fn entries_admitted(&self, at: usize, value: &Value) -> bool {
        let entry = self.slots[at].shape.constraint.items.as_deref();
        let text = entry.is_none_or(|e| matches!(e.key_type, KeyType::String | KeyType::Any));
        let pattern = entry.and(self.slots[at].entry.as_ref());
        let fits = |v: &Value| pattern.is_none_or(|p| v.as_str().is_some_and(|s| p.is_match(s)));
        text && value.as_array().is_some_and(|a| a.iter().all(fits))
    }
}
