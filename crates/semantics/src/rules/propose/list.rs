//! Keys that take several values.

use super::super::brief::{Brief, Kind, members, outline, regex};
use super::super::cue;
use super::super::element::Elements;
use super::super::lesson::Lesson;
use super::super::scene::{Mention, Scene, Sort};
use super::super::settle::settle;
use super::{Candidate, Keys, amount};
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
        let found = match self.briefs[at].item {
            Kind::Choice => self.chosen_all(at),
            Kind::Amount => self.numbers(at),
            Kind::Nothing => self.alternatives(at),
            Kind::Flag | Kind::List => Vec::new(),
            _ => match Elements::of(&self.briefs[at]) {
                Some(elements) => self.elements(at, &elements),
                None => {
                    let mut all = self.named_all(at);
                    all.extend(self.reported(at));
                    if matches!(self.briefs[at].item, Kind::Words | Kind::Speech) {
                        all.extend(self.labelled(at));
                    }
                    all
                }
            },
        };
        let max = self.briefs[at]
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
        for element in elements.within(self.scene) {
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
        let awaited = match self.briefs[at].required {
            true => Vec::new(),
            false => self.awaited(elements),
        };
        rows.into_iter()
            .map(list)
            .filter(|c| !cue::excluded(self.scene, &c.span))
            .map(|c| self.unless_awaited(at, &awaited, c))
            .collect()
    }

    /// The only elements that keys must have which take some of the same kinds.
    fn awaited(&self, elements: &Elements) -> Vec<Range<usize>> {
        let waits = |brief: &Brief| {
            let theirs = Elements::of(brief)
                .filter(|e| brief.required && brief.kind != Kind::List && e.takes_any(elements));
            let found = theirs.map(|e| e.within(self.scene)).unwrap_or_default();
            match found.as_slice() {
                [only] => Some(only.run.clone()),
                _ => None,
            }
        };
        self.briefs.iter().filter_map(waits).collect()
    }

    /// A single element whose kind nobody said is for the key that must have one: "power outage at
    /// PB-300" asks for nothing but that site.
    fn unless_awaited(&self, at: usize, awaited: &[Range<usize>], list: Candidate) -> Candidate {
        let single = list.value.as_array().is_some_and(|a| a.len() == 1);
        let told = list.confidence >= super::super::element::TOLD - 0.02;
        let taught = cue::taught(self.scene, &self.briefs[at], &list.run) >= 0.8;
        if self.briefs[at].required || !single || told || taught {
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
        let mut members = members(&self.briefs[at].shape, &self.scene.calendar);
        for member in &mut members {
            // What is taught of a key of the same name holds for the member.
            let known = self
                .briefs
                .iter()
                .find(|b| b.path.len() == 1 && b.key() == member.key());
            if let Some(known) = known.filter(|_| member.lessons.is_empty()) {
                member.lessons = known.lessons.clone();
                member.choices = known.choices.clone();
                member.exemplars = known.exemplars.clone();
            }
        }
        let text = &self.scene.text;
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

    /// Where something else is considered: behind "or else", and behind an "or" with which a whole
    /// object begins.
    fn alternating(&self, members: &[Brief]) -> Vec<(usize, usize)> {
        let raw = &self.scene.text.raw;
        let place = |m: regex::Match<'_>| (m.start(), m.end());
        let told = OR_ELSE.find_iter(raw).map(place);
        let mut marks: Vec<(usize, usize)> = told.take(ALTERNATIVES_MOST).collect();
        self.scene.text.steps.take(2 * raw.len());
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
    fn object(&self, part: &str, members: &[Brief]) -> Option<(Value, usize)> {
        let taken = &self.scene.text.steps;
        self.effort.allows(taken).ok()?;
        let scene = Scene::new(part, self.scene.calendar);
        if scene.text.tokens.is_empty() {
            return None;
        }
        let left = self.effort.less(taken);
        let found = super::candidates(&scene, members, self.scenario, left);
        let kept = found.map(|found| {
            let steps = &scene.text.steps;
            settle(found, members, &[], crate::rules::THRESHOLD, steps).kept
        });
        taken.take(usize::try_from(scene.text.steps.taken()).unwrap_or(usize::MAX));
        let kept = kept.ok()?;
        let whole = members
            .iter()
            .enumerate()
            .all(|(i, m)| !m.required || kept.iter().any(|c| c.brief == i));
        let last = kept.iter().map(|c| c.span.end.max(c.run.end)).max()?;
        let end = scene.token(last.checked_sub(1)?)?.end;
        let object = kept
            .into_iter()
            .map(|c| (members[c.brief].key().to_owned(), c.value))
            .collect();
        whole.then_some((Value::Object(object), end))
    }

    /// What is reported in words like those of an example: "the light at the near end is -38 dBm".
    fn reported(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        let wholes = brief.lessons.iter().filter_map(|lesson| match lesson {
            Lesson::Whole { said, .. } => Some(
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
                let like = super::likeness(self.scene, &said)?;
                let clause = self.scene.clause(like.run.start);
                let text = self.scene.text.span(&clause).to_owned();
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
            self.scene.text.steps.take(1 + kept.len());
            let again = kept.iter().any(|k| {
                k.value == candidate.value || super::super::scene::overlap(&k.run, &candidate.run)
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
        let brief = &self.briefs[at];
        let mut entry = brief.clone();
        entry.shape = *brief
            .shape
            .constraint
            .items
            .clone()
            .unwrap_or_else(|| Box::new(brief.shape.clone()));
        let mut rows: Vec<(Range<usize>, Vec<Value>)> = Vec::new();
        for quantity in &self.scene.quantities {
            self.scene.text.steps.take(1);
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
            .briefs
            .iter()
            .filter(|b| b.kind == Kind::List && b.item == Kind::Amount);
        let mine = rivals
            .clone()
            .position(|b| b.path == brief.path)
            .unwrap_or(0);
        let rows: Vec<_> = rows
            .into_iter()
            .filter(|(_, values)| values.len() > 1)
            .collect();
        let sole = rivals.count() == rows.len();
        rows.into_iter()
            .enumerate()
            .map(|(n, (run, values))| {
                let named = cue::before(self.scene, brief, &run);
                let order: f64 = if sole && n == mine { 0.8 } else { 0.4 };
                let sure = order.max(if named >= 1.0 { 0.88 } else { named });
                Candidate::new(at, Value::Array(values), run, sure)
            })
            .collect()
    }

    /// True if nothing but commas and "and" stands between the end of a row and `start`.
    fn row_goes_on(&self, row: &Range<usize>, start: usize) -> bool {
        let bracket = |i: usize| {
            self.scene
                .token(i)
                .is_some_and(|t| t.gap == Gap::Quote || t.gap == Gap::Stop)
        };
        let between = row.end..start;
        between.clone().all(|i| {
            matches!(
                self.scene.word(i),
                "and" | "or" | "to" | "through" | "thru" | "和" | "与" | "及" | "到" | "至" | "%"
            )
        }) && between.len() <= 1
            && !bracket(start)
    }

    /// Names, codes and quoted things in a row.
    fn named_all(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        let mut rows: Vec<Vec<&Mention>> = Vec::new();
        for mention in self
            .scene
            .mentions
            .iter()
            .filter(|m| !matches!(m.sort, Sort::Email | Sort::Url))
        {
            self.scene.text.steps.take(1);
            match rows.last_mut().filter(|row| {
                row.last()
                    .is_some_and(|l| l.sort == mention.sort && self.row_of_names(l, mention))
            }) {
                Some(row) => row.push(mention),
                None => rows.push(vec![mention]),
            }
        }
        let rivals = self
            .briefs
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
                let named =
                    cue::before(self.scene, brief, &run).max(cue::behind(self.scene, brief, &run));
                let taught = cue::taught(self.scene, brief, &row[0].run);
                let like =
                    super::super::brief::resemblance(&brief.exemplars, &row[0].text).unwrap_or(0.0);
                let taught = if like >= 1.0 && row[0].sort == Sort::Code {
                    0.9
                } else {
                    taught
                };
                let fits = row.iter().all(|m| {
                    (brief.item == Kind::Code) == (m.sort == Sort::Code) || m.sort == Sort::Quoted
                });
                let base: f64 = match (several, fits, rivals) {
                    (true, true, 1) => 0.86,
                    (true, true, _) => 0.76,
                    (false, true, 1) if brief.required || brief.item == Kind::Code => 0.74,
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
        if last.sort == Sort::Code && outline(&last.text) != outline(&next.text) {
            return false;
        }
        between.clone().all(|i| {
            matches!(self.scene.word(i), "and" | "or" | "和" | "与" | "及")
                || self.scene.token(i).is_some_and(|t| t.class == Class::Sign)
        }) && between.len() <= 1
    }

    fn entries_admitted(&self, at: usize, value: &Value) -> bool {
        let entry = self.briefs[at].shape.constraint.items.as_deref();
        let text = entry.is_none_or(|e| matches!(e.key_type, KeyType::String | KeyType::Any));
        let pattern = entry.and(self.briefs[at].entry.as_ref());
        let fits = |v: &Value| pattern.is_none_or(|p| v.as_str().is_some_and(|s| p.is_match(s)));
        text && value.as_array().is_some_and(|a| a.iter().all(fits))
    }
}
