//! Keys that take a number.

use super::super::candidate::Candidate;
use super::super::cue;
use super::super::slot::{Kind, Role, Slot};
use super::Keys;
use crate::lexicon::{self, PLAIN_DEGREE};
use language::quantity::{Dimension, Quantity, unit_named};
use language::text::Gap;
use schema::template::KeyType;
use serde_json::{Number, Value};

impl Keys<'_> {
    /// Numbers that are said of the key: as an example shows (0.95), behind its name (0.92), before
    /// what it counts (0.9), or in its unit (0.84).
    pub(super) fn amounts(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let mut found: Vec<Candidate> = Vec::new();
        for quantity in &self.utterance.quantities {
            self.utterance.text.steps.take(1);
            let confidence = self.sureness(at, quantity);
            let Some(value) = amount(slot, quantity) else {
                // What is out of range is told, and left to `other`.
                if confidence >= 0.7 {
                    found.push(Candidate::new(
                        at,
                        quantity.value.into(),
                        quantity.run.clone(),
                        0.5,
                    ));
                }
                continue;
            };
            if confidence > 0.3 {
                found.push(Candidate::new(at, value, quantity.run.clone(), confidence));
            }
        }
        found.extend(self.companions(at));
        found.extend(self.years(at));
        found.extend(self.spans(at));
        found.extend(self.degree(at));
        found
    }

    fn sureness(&self, at: usize, quantity: &Quantity) -> f64 {
        let slot = &self.slots[at];
        let taught = cue::taught(self.utterance, slot, &quantity.number).max(cue::taught(
            self.utterance,
            slot,
            &quantity.run,
        ));
        let before = self.named_before(slot, quantity);
        let behind =
            cue::behind(self.utterance, slot, &quantity.run).max(self.counts(slot, quantity));
        let inside = if quantity.run.len() > quantity.number.len() {
            cue::behind(self.utterance, slot, &quantity.number)
        } else {
            0.0
        };
        let unit = fits_unit(slot, quantity);
        let mut sure: f64 = 0.0;
        sure = sure.max(if taught >= 0.99 { 0.95 } else { 0.9 * taught });
        sure = sure.max(if before >= 1.0 { 0.93 } else { before * 1.15 });
        sure = sure.max(if behind >= 1.0 { 0.92 } else { behind * 1.3 });
        sure = sure.max(if inside >= 1.0 { 0.9 } else { inside * 1.2 });
        if unit {
            let mut kin = self
                .slots
                .iter()
                .enumerate()
                .filter(|(_, b)| b.kind == Kind::Amount && fits_unit(b, quantity));
            // Of several keys in the unit, the first is what is meant where nothing is said.
            let first = kin.next().is_some_and(|(i, _)| i == at);
            let sole = kin.next().is_none();
            sure = sure.max(if sole {
                0.84
            } else if first {
                0.71
            } else {
                0.55
            }) + 0.03;
        }
        if self.superseded(slot, quantity) {
            return 0.3;
        }
        if self.sum(at, quantity) {
            sure = sure.max(0.75);
        }
        if quantity.ordinal {
            sure - 0.3
        } else {
            sure.min(0.96) + self.side(slot, quantity)
        }
    }

    /// "two dozen of them": how many, for the only key that counts.
    fn sum(&self, at: usize, quantity: &Quantity) -> bool {
        let sole = self
            .slots
            .iter()
            .enumerate()
            .all(|(i, b)| i == at || b.kind != Kind::Amount || b.unit.is_some());
        let next = (
            self.utterance.word(quantity.run.end),
            self.utterance.word(quantity.run.end + 1),
        );
        let summed = matches!(
            next,
            ("of", "them" | "us" | "these" | "those") | ("in", "all" | "total") | ("altogether", _)
        ) || matches!(self.utterance.word_before(quantity.run.start), "共" | "计");
        sole && summed && self.slots[at].unit.is_none() && quantity.unit.is_none()
    }

    /// "4 dB instead of 2", 原来的2 dB: what is no longer.
    fn outdated(&self, quantity: &Quantity) -> bool {
        let start = quantity.run.start;
        let before = |n: usize| start.checked_sub(n).map_or("", |i| self.utterance.word(i));
        let said: String = (start.saturating_sub(4)..start)
            .map(|i| self.utterance.word(i))
            .collect();
        let chinese = "原来 原来的 原先 原先的 原本的 之前的 以前的 而不是 不再是";
        matches!(
            (before(2), before(1)),
            ("instead", "of") | ("rather", "than") | ("longer", _)
        ) || matches!(before(1), "formerly" | "previously" | "not")
            || chinese.split(' ').any(|w| said.ends_with(w))
    }

    /// True for what something was before: "4 dB instead of 2", 由8%提到14%.
    pub(super) fn gives_way(&self, quantity: &Quantity) -> bool {
        self.outdated(quantity)
            || self.departs(quantity)
                && quantity
                    .unit
                    .is_some_and(|u| u.dimension != Dimension::Time)
    }

    /// "from 10 to 18 percent": the second is what is wanted, for a key that is no end of a range.
    fn superseded(&self, slot: &Slot, quantity: &Quantity) -> bool {
        let ranged = self.slots.iter().any(|b| {
            b.kind == Kind::Amount
                && b.role == Role::From
                && b.path != slot.path
                && unit_of(b) == unit_of(slot)
        });
        self.outdated(quantity) || self.departs(quantity) && !ranged
    }

    /// "from 10" of "from 10 to 18 percent".
    fn departs(&self, quantity: &Quantity) -> bool {
        let from = matches!(
            self.utterance.word_before(quantity.run.start),
            "from" | "从" | "由"
        );
        let end = quantity.run.end;
        let next = (end..=end + 3).find_map(|at| self.utterance.quantity_from(at));
        let to = (quantity.run.end..quantity.run.end + 3)
            .any(|i| matches!(self.utterance.word(i), "to" | "到" | "至" | "为" | "成"));
        from && to && next.is_some()
    }

    /// "a=1": a name of one letter only where the number stands at once behind it.
    fn named_before(&self, slot: &Slot, quantity: &Quantity) -> f64 {
        let letter = slot.name.len() == 1 && slot.name[0].len() == 1;
        if !letter {
            return cue::before(self.utterance, slot, &quantity.number);
        }
        let start = quantity.number.start;
        let glue = usize::from(matches!(
            self.utterance.word_before(start),
            "is" | "of" | "as" | "equals" | "to"
        ));
        let Some(place) = start.checked_sub(1 + glue) else {
            return 0.0;
        };
        let marked = glue == 1
            || self
                .utterance
                .token(start)
                .is_some_and(|t| t.gap == Gap::Mark);
        if self.utterance.word(place) == slot.name[0] && marked {
            1.0
        } else {
            0.0
        }
    }

    /// The confidence with which the word behind a number names what the key counts.
    fn counts(&self, slot: &Slot, quantity: &Quantity) -> f64 {
        let mut at = quantity.number.end;
        while lexicon::listed(
            " 个 名 位 条 our my the their your more of other total ",
            self.utterance.word(at),
        ) && !self.utterance.word(at + 1).is_empty()
        {
            self.utterance.text.steps.take(1);
            at += 1;
        }
        let two = format!("{}{}", self.utterance.word(at), self.utterance.word(at + 1));
        let word = if self
            .utterance
            .token(at)
            .is_some_and(|t| t.class == language::text::Class::Cjk)
            && lexicon::is_term(&two)
        {
            two.as_str()
        } else {
            self.utterance.word(at)
        };
        let vehicles = matches!(word, "辆" | "台") && slot.prose.contains('车');
        let people = lexicon::counts_people(word)
            || lexicon::counts_people(self.utterance.word(at.saturating_sub(1)))
                && at > quantity.number.end;
        let about_people = [
            "person", "customer", "subscrib", "passeng", "travel", "guest", "rider", "seat",
            "ticket", "people", "adult",
        ]
        .iter()
        .any(|s| {
            slot.name
                .iter()
                .chain(&slot.gist)
                .any(|n| n.starts_with(s) || n.len() > 4 && s.starts_with(n.as_str()))
        }) || ["人数", "乘客", "旅客", "客户", "用户"]
            .iter()
            .any(|s| slot.prose.contains(s));
        let told = |w: &str| w.len() > 2 && lexicon::same_concept(word, w);
        let concept = slot.name.iter().any(|n| lexicon::same_concept(word, n))
            || slot.prose.split(|c: char| !c.is_alphanumeric()).any(told);
        if concept || vehicles || people && about_people {
            1.0
        } else {
            0.0
        }
    }

    /// Of a range, the lower bound for the lower key.
    fn side(&self, slot: &Slot, quantity: &Quantity) -> f64 {
        let before = self.utterance.word_before(quantity.run.start);
        match (slot.role, before) {
            (Role::From, "from" | "between" | "least" | "above" | "over")
            | (Role::To, "to" | "and" | "most" | "under" | "below" | "until" | "up") => 0.02,
            (Role::From, "to" | "and" | "most" | "under" | "below")
            | (Role::To, "from" | "between" | "least" | "above" | "over") => -0.1,
            _ => 0.0,
        }
    }

    /// "with my three kids", 我和三个孩子: those and who speaks, for a key that counts travellers.
    fn companions(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let counted = |q: &&Quantity| !q.ordinal && q.unit.is_none() && self.counts(slot, q) >= 1.0;
        let with_me = |q: &Quantity| {
            let start = q.run.start;
            let before = |n: usize| start.checked_sub(n).map_or("", |i| self.utterance.word(i));
            let company = matches!(
                (before(2), before(1)),
                ("with", "my" | "our") | ("me", "and") | ("and", "my")
            );
            company
                || matches!(
                    (before(2), before(1)),
                    ("我", "和" | "跟" | "带" | "与" | "及")
                )
        };
        let all = self.utterance.quantities.iter().filter(counted);
        all.filter(|q| with_me(q))
            .filter_map(|q| {
                let sum = Quantity {
                    value: q.value + 1.0,
                    ..q.clone()
                };
                let value = amount(slot, &sum)?;
                let counted = (q.run.end + 1).min(self.utterance.text.tokens.len());
                let span = q.run.start.saturating_sub(2)..counted;
                Some(Candidate::new(at, value, q.run.clone(), 0.97).explaining(span))
            })
            .collect()
    }

    /// A year that is said as a day's year: "in 2020", "'15".
    fn years(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let wants = slot.name.iter().any(|n| n == "year") || slot.prose.contains("年份");
        if !wants {
            return Vec::new();
        }
        let tokens = self.utterance.text.tokens.iter().enumerate();
        self.utterance.text.steps.take(tokens.len());
        tokens
            .filter_map(|(i, t)| {
                let n: i64 = t.text.parse().ok()?;
                let short = t.gap == Gap::Quote && t.text.len() == 2;
                let year = if short {
                    n + if n < 50 { 2000 } else { 1900 }
                } else {
                    n
                };
                let side = match (slot.role, self.utterance.word_before(i)) {
                    (Role::From, "to" | "and" | "until")
                    | (Role::To, "from" | "between" | "since") => 0.4,
                    _ => 0.9,
                };
                ((1000..2200).contains(&year)
                    && (short || t.text.len() == 4)
                    && admits(slot, year as f64))
                .then(|| Candidate::new(at, year.into(), i..i + 1, side))
            })
            .collect()
    }

    /// "for the next week" in days, "an hour" in minutes: a unit without a number is one of it.
    fn spans(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let Some(wanted) = slot.unit.filter(|u| u.dimension == Dimension::Time) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        self.utterance
            .text
            .steps
            .take(self.utterance.text.tokens.len());
        for (i, token) in self.utterance.text.tokens.iter().enumerate() {
            let lead = matches!(
                self.utterance.word_before(i),
                "next" | "past" | "last" | "a" | "an" | "one" | "each" | "per"
            );
            let Some(unit) = unit_named(&token.text)
                .filter(|u| u.dimension == Dimension::Time && token.text.len() > 2 && lead)
            else {
                continue;
            };
            let one = Quantity {
                value: 1.0,
                unit: Some(unit),
                ordinal: false,
                digits: false,
                number: i..i + 1,
                run: i..i + 1,
            };
            let taken = self.utterance.at_quantities.over(i).is_some();
            if let Some(value) =
                amount(slot, &one).filter(|_| !taken && !std::ptr::eq(unit, wanted))
            {
                found.push(Candidate::new(at, value, i..i + 1, 0.74));
            }
        }
        found
    }

    /// A bounded scale that is asked for without a number: by a word of degree (0.84), or plainly,
    /// which means seven tenths of it (0.78).
    fn degree(&self, at: usize) -> Option<Candidate> {
        let slot = &self.slots[at];
        scale(slot)?;
        let clause = self.utterance.text.clauses().iter().find(|c| {
            slot.name.len() > 1 && cue::coverage(self.utterance, &slot.name, c) == slot.name.len()
        })?;
        let counted = self.utterance.at_quantities.touches(clause);
        if counted || slot.unit.is_some() {
            return None;
        }
        let tokens = &self.utterance.text.tokens;
        let named = |i: &usize| slot.name.iter().any(|n| cue::same(&tokens[*i], n));
        let first = clause.clone().find(named)?;
        let last = clause.clone().rfind(named)?;
        let run = first..last + 1;
        let said = clause
            .clone()
            .find_map(|i| lexicon::degree(self.utterance.word(i)).map(|d| (i, d)));
        let denied = cue::denied(self.utterance, &run);
        let (share, sure) = match (denied, said) {
            (true, _) => (0.0, 0.84),
            (false, Some((_, share))) => (share, 0.93),
            (false, None) => (PLAIN_DEGREE, 0.78),
        };
        let run = said.map_or(run.clone(), |(i, _)| run.start.min(i)..run.end.max(i + 1));
        let value = scaled(slot, share)?;
        Some(Candidate::new(at, value, run, sure))
    }

    /// Numbers that no word gives to a key, where there are as many of them as required keys wait
    /// for one: in order (0.76).
    pub(super) fn in_order(&self) -> Vec<Candidate> {
        let waiting: Vec<usize> = self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, b)| b.kind == Kind::Amount && b.required)
            .map(|(i, _)| i)
            .collect();
        let all = || self.utterance.quantities.iter().filter(|q| !q.ordinal);
        let digits: Vec<&Quantity> = all().filter(|q| q.digits).collect();
        // "two numbers: 40 and 50" has two, not three.
        let free = if digits.len() == waiting.len() {
            digits
        } else {
            all().collect()
        };
        let sure = if waiting.len() == 1 { 0.78 } else { 0.76 };
        if waiting.is_empty() || waiting.len() != free.len() {
            return Vec::new();
        }
        waiting
            .iter()
            .zip(free)
            .filter_map(|(at, q)| {
                Some(Candidate::new(
                    *at,
                    amount(&self.slots[*at], q)?,
                    q.run.clone(),
                    sure,
                ))
            })
            .collect()
    }
}

/// The bounds of a key that is a scale: from nothing, or nearly, up to an end.
fn scale(slot: &Slot) -> Option<(f64, f64)> {
    slot.range()
        .filter(|(low, high)| *low >= 0.0 && high.is_finite() && *low <= 1.0)
}

/// A share of a key's scale, 0 to 1.
pub(super) fn scaled(slot: &Slot, share: f64) -> Option<Value> {
    let (low, high) = scale(slot)?;
    number(slot, (low + share * (high - low)).round())
}

/// The unit of a key; that of pure numbers without one.
fn unit_of(slot: &Slot) -> *const language::quantity::Unit {
    slot.unit.map_or(std::ptr::null(), std::ptr::from_ref)
}

fn fits_unit(slot: &Slot, quantity: &Quantity) -> bool {
    slot.unit
        .zip(quantity.unit)
        .is_some_and(|(b, q)| b.dimension == q.dimension)
}

/// A quantity as a value of the key; none if its unit or its type cannot be.
pub(super) fn amount(slot: &Slot, quantity: &Quantity) -> Option<Value> {
    let value = match (slot.unit, quantity.unit) {
        (Some(wanted), Some(_)) => quantity.in_unit(wanted)?,
        (None, Some(unit))
            if unit.dimension == Dimension::Percent && slot.shape.key_type == KeyType::Number =>
        {
            quantity.value / 100.0
        }
        _ => quantity.value,
    };
    number(slot, language::quantity::tidy(value))
}

/// A number in the key's type and range.
pub(super) fn number(slot: &Slot, value: f64) -> Option<Value> {
    if !admits(slot, value) {
        return None;
    }
    let whole = value.fract() == 0.0 && value.abs() < 9e15;
    match slot.shape.key_type {
        KeyType::Integer if !whole => None,
        _ if whole => Some(Value::from(value as i64)),
        _ => Number::from_f64(value).map(Value::Number),
    }
}

fn admits(slot: &Slot, value: f64) -> bool {
    let allowed = &slot.choices;
    let listed = allowed.is_empty() || allowed.iter().any(|c| c.value.as_f64() == Some(value));
    listed
        && slot
            .range()
            .is_none_or(|(low, high)| low <= value && value <= high)
}
