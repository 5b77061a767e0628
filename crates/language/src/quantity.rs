//! Numbers with their units, in digits and in words, in English and Chinese.
//!
//! Knows how much is said and in what; refuses to know of what (see `semantics::rules`). Days and
//! times of day are in [`crate::calendar`].

mod number;
#[cfg(test)]
mod tests;
mod unit;

use crate::span::TokenSet;
use crate::text::{Class, Gap, Text, Token};
use number::{Number, chinese_digit, number_at};
pub use number::{chinese_number, is_chinese_numeral, number_word};
use std::ops::Range;
pub use unit::{Dimension, Unit, unit_named};
use unit::{FORMS, Form, UNITS, currency};

/// An amount with its unit.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// The number, in its own unit.
    pub value: f64,
    /// Its unit.
    pub unit: Option<&'static Unit>,
    /// "third": a place in a row, not how many.
    pub ordinal: bool,
    /// Written in digits.
    pub digits: bool,
    /// The number's tokens.
    pub number: Range<usize>,
    /// The tokens of number and unit.
    pub run: Range<usize>,
}

impl Quantity {
    /// The value in another unit; none if the dimensions differ.
    pub fn in_unit(&self, wanted: &Unit) -> Option<f64> {
        let unit = self.unit?;
        (unit.dimension == wanted.dimension).then(|| tidy(self.value * unit.factor / wanted.factor))
    }
}

impl Quantity {
    /// True if the quantity is a number, in its own unit or in another of its dimension.
    pub fn comes_to(&self, number: f64) -> bool {
        let near = |value: f64| (value - number).abs() <= number.abs() * 1e-9;
        let unit = self.unit.filter(|u| u.dimension != Dimension::Percent);
        let percent = self.unit.is_some_and(|u| u.dimension == Dimension::Percent);
        near(self.value)
            || (percent && near(tidy(self.value / 100.0)))
            || unit.is_some_and(|_| UNITS.iter().filter_map(|u| self.in_unit(u)).any(near))
    }
}

/// Without what the binary point adds: 0.30000000000000004 is 0.3.
pub fn tidy(value: f64) -> f64 {
    let near = (value * 1e9).round() / 1e9;
    if (value - near).abs() <= value.abs() * 1e-12 {
        near
    } else {
        value
    }
}

/// The quantities of a text, from left to right, outside the runs that are something else.
pub fn quantities(text: &Text, taken: &[Range<usize>]) -> Vec<Quantity> {
    let taken = TokenSet::of(text.tokens.len(), taken);
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.tokens.len() {
        text.steps.take(1);
        let free = !taken.holds(at);
        match free.then(|| quantity_at(text, at)).flatten() {
            Some(quantity) => {
                at = quantity.run.end.max(at + 1);
                add(text, &mut found, quantity);
            }
            None => at += 1,
        }
    }
    found
}

/// Adds a quantity; "1 hour 30 minutes" is one.
fn add(text: &Text, found: &mut Vec<Quantity>, next: Quantity) {
    let time = |q: &Quantity| {
        q.unit
            .filter(|u| u.dimension == Dimension::Time)
            .map(|u| u.factor)
    };
    if let Some(last) = found.last_mut() {
        let between = last.run.end..next.run.start;
        let joined = between.len() <= 1
            && between
                .clone()
                .all(|i| matches!(text.tokens[i].text.as_str(), "and" | "零"));
        let near = text.tokens[next.run.start].gap <= Gap::Space;
        if let (Some(long), Some(short)) = (time(last), time(&next))
            && joined
            && near
            && short < long
        {
            last.value = tidy(last.value + next.value * short / long);
            last.run.end = next.run.end;
            return;
        }
    }
    found.push(next);
}

/// "by a quarter", "by one third": shares of a whole, in percent.
fn fraction(tokens: &[Token], at: usize) -> Option<Quantity> {
    let word = |i: usize| {
        tokens
            .get(i)
            .filter(|t| t.gap <= Gap::Joint)
            .map_or("", |t| t.text.as_str())
    };
    let before = at.checked_sub(1).map_or("", |i| tokens[i].text.as_str());
    let one = matches!(word(at), "a" | "one");
    let parts = [
        ("half", 50.0),
        ("third", 100.0 / 3.0),
        ("quarter", 25.0),
        ("fifth", 20.0),
        ("tenth", 10.0),
    ];
    // "a quarter of the energy", not "a quarter of an hour".
    let whole = |end: usize| {
        word(end) == "of"
            && !matches!(word(end + 1), "an" | "a")
            && !matches!(word(end + 2), "hour" | "day" | "year")
    };
    let behind = |end: usize| {
        whole(end)
            || !matches!(
                word(end),
                "past" | "to" | "hour" | "an" | "of" | "day" | "dozen" | "before" | "floor"
            )
    };
    let share = |name: &str, end: usize| {
        let (_, value) = parts.iter().find(|(p, _)| *p == name)?;
        Some(Quantity {
            value: tidy((value * 100.0_f64).round() / 100.0),
            unit: unit_named("%"),
            ordinal: false,
            digits: false,
            number: at..end,
            run: at..end,
        })
    };
    let compared = |end: usize| matches!(word(end), "less" | "fewer" | "lower" | "off" | "down");
    if one && compared(at + 2) {
        return share(word(at + 1), at + 2);
    }
    if !matches!(
        before,
        "by" | "to" | "of" | "under" | "below" | "save" | "cut"
    ) {
        return None;
    }
    match one {
        true => share(word(at + 1), at + 2).filter(|_| behind(at + 2)),
        false => share(word(at), at + 1).filter(|q| q.value == 50.0 && behind(at + 1)),
    }
}

/// 三成五, 四分之一: shares of a whole, in percent.
fn share(tokens: &[Token], at: usize) -> Option<Quantity> {
    let word = |i: usize| {
        tokens
            .get(i)
            .filter(|t| t.gap == Gap::Tight)
            .map_or("", |t| t.text.as_str())
    };
    let one = chinese_digit(&tokens[at].text)?;
    let percent = |value: f64, end: usize| Quantity {
        value,
        unit: unit_named("%"),
        ordinal: false,
        digits: false,
        number: at..end,
        run: at..end,
    };
    match (word(at + 1), word(at + 2)) {
        ("成", next) if !matches!(next, "为" | "功" | "立" | "本" | "员" | "都" | "分") => {
            match chinese_digit(next) {
                Some(five) => Some(percent(one * 10.0 + five, at + 3)),
                None => Some(percent(one * 10.0, at + 2)),
            }
        }
        ("分", "之") => {
            let part = chinese_digit(word(at + 3))?;
            Some(percent(tidy(part / one * 100.0), at + 4))
        }
        _ => None,
    }
}

fn quantity_at(text: &Text, at: usize) -> Option<Quantity> {
    let tokens = &text.tokens;
    if let Some(share) = share(tokens, at).or_else(|| fraction(tokens, at)) {
        return Some(share);
    }
    // The 2 of m/s^2 counts nothing.
    if text.raw[..tokens[at].start].ends_with('^') {
        return None;
    }
    let mut number = number_at(text, at)?;
    let word = |i: usize| {
        tokens
            .get(i)
            .filter(|t| t.gap == Gap::Space)
            .map_or("", |t| t.text.as_str())
    };
    if (word(number.end), word(number.end + 1), word(number.end + 2)) == ("and", "a", "half") {
        number.value += 0.5;
        number.end += 3;
    }
    let before = at.checked_sub(1).and_then(|i| tokens.get(i));
    let money = before
        .filter(|t| t.class == Class::Sign && tokens[at].gap <= Gap::Space)
        .and_then(|t| currency(&t.text));
    let (unit, end) = match (money, unit_at(text, number.end)) {
        (Some(unit), _) => (Some(unit), number.end),
        (None, Some((unit, end))) => (Some(unit), end),
        (None, None) => {
            percent_before(tokens, at).map_or((None, number.end), |u| (Some(u), number.end))
        }
    };
    let value = number.value + half_behind(tokens, &number, unit);
    Some(Quantity {
        value: if negative(text, at) { -value } else { value },
        unit: if number.ordinal { None } else { unit },
        ordinal: number.ordinal,
        digits: tokens[at].class == Class::Number,
        number: at..number.end,
        run: if percent_before(tokens, at).is_some() {
            at - 3
        } else {
            at
        }..if number.ordinal { number.end } else { end },
    })
}

/// "个半": one and a half hours.
fn half_behind(tokens: &[Token], number: &Number, unit: Option<&Unit>) -> f64 {
    let at = number.end + usize::from(tokens.get(number.end).is_some_and(|t| t.text == "个"));
    let half = tokens.get(at).is_some_and(|t| t.text == "半") && unit.is_some()
        || (number.end..number.end + 4).any(|i| {
            let word = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
            i > number.end
                && (word(i), word(i + 1), word(i + 2)) == ("and", "a", "half")
                && unit.is_some()
        });
    if half { 0.5 } else { 0.0 }
}

/// 百分之十五.
fn percent_before(tokens: &[Token], at: usize) -> Option<&'static Unit> {
    let before = tokens.get(at.checked_sub(3)?..at)?;
    let said: String = before.iter().map(|t| t.text.as_str()).collect();
    (said == "百分之").then(|| unit_named("%")).flatten()
}

fn negative(text: &Text, at: usize) -> bool {
    let before = &text.raw[..text.tokens[at].start];
    let Some(rest) = before.strip_suffix(['-', '−']) else {
        return matches!(
            at.checked_sub(1).map(|i| text.tokens[i].text.as_str()),
            Some("minus" | "负")
        );
    };
    rest.chars().next_back().is_none_or(|c| {
        c.is_whitespace() || crate::script::is_cjk(c) || matches!(c, '=' | '(' | '[' | ',' | ':')
    })
}

fn unit_at(text: &Text, at: usize) -> Option<(&'static Unit, usize)> {
    let word = |at: usize| text.tokens.get(at).map_or("", |t| t.text.as_str());
    let skipped = match (word(at), word(at + 1)) {
        ("半", _) => 1,
        ("个", "半") => 2,
        _ => 0,
    };
    let (unit, end) = form_at(text, at + skipped).or_else(|| form_at(text, at))?;
    // "an hour and a half".
    let half = (word(end), word(end + 1), word(end + 2)) == ("and", "a", "half");
    Some((unit, if half { end + 3 } else { end }))
}

fn form_at(text: &Text, at: usize) -> Option<(&'static Unit, usize)> {
    let fits = |form: &&Form| {
        let n = form.tokens.len();
        let here = text.tokens.get(at..at + n);
        here.is_some_and(|here| {
            here.iter().zip(&form.tokens).all(|(a, b)| a.text == b.text)
                && here[0].gap <= Gap::Space
                && here.iter().all(|t| t.gap < Gap::Quote)
                && ends_word(text, at + n, form)
        })
    };
    let longest = FORMS.iter().find(fits)?;
    let n = longest.tokens.len();
    let written = text.span(&(at..at + n));
    // Of forms that differ in case alone, the one that is written so.
    let exact = FORMS
        .iter()
        .filter(fits)
        .find(|f| f.tokens.len() == n && f.written == written);
    Some((exact.unwrap_or(longest).unit, at + n))
}

/// A unit is not the beginning of something longer: "5 m" is metres, "5 m-s" is not; 天 is days,
/// 天津 is not.
fn ends_word(text: &Text, at: usize, form: &Form) -> bool {
    let Some(next) = text.tokens.get(at) else {
        return true;
    };
    let letters = form.tokens.last().is_some_and(|t| t.class == Class::Word);
    let single = form.written.chars().count() == 1 && letters;
    match next.gap {
        Gap::Tight if letters => next.class == Class::Cjk || next.class == Class::Sign,
        Gap::Tight => !matches!(
            (form.written, next.text.as_str()),
            ("天", "津")
                | ("日", "常" | "志" | "期")
                | ("周", "边" | "围")
                | ("年", "级")
                | ("度", "假")
                | ("元", "件")
                | ("安", "装" | "全")
                | ("米", "波")
        ),
        Gap::Joint => !single,
        _ => true,
    }
}
