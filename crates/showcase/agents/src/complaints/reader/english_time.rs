//! English words for days and hours.

use super::stated_time::{Clock, StatedTime, Time};
use super::tokens::words;
use domain::calendar::{MONTHS, WEEKDAYS};
use language::quantity::number_word;
use language::word::alike;
use schema::steps::ReadingBudget;

/// Parts of the day: name, from hour, until hour.
const PARTS: [(&str, u32, u32); 4] = [
    ("morning", 5, 12),
    ("afternoon", 12, 18),
    ("evening", 17, 24),
    ("tonight", 17, 24),
];

/// The number of times that the words are gone through, at the most.
const PASSES: usize = 40;

pub(super) fn read(text: &str, work: &ReadingBudget<'_>) -> Time {
    let words = words(text, work);
    work.take(PASSES * words.len());
    let ago = ago(&words);
    let mut time = Time {
        ago,
        day: day(&words),
        clock: clock(&words),
    };
    let says = |a: &str, b: &str| pair(&words, a, b).is_some();
    if time.clock.is_none() {
        time.clock = part(&words);
    }
    if says("last", "night") {
        time.day = Some(StatedTime::DaysAgo(1));
        time.clock = time.clock.or(Some(Clock::Part(17, 28)));
        // "last night around 1 am" is of this day.
        if matches!(time.clock, Some(Clock::About(m)) if m < 300) {
            time.day = Some(StatedTime::DaysAgo(0));
        }
    }
    time
}

fn pair(words: &[String], a: &str, b: &str) -> Option<usize> {
    words
        .windows(2)
        .position(|w| alike(&w[0], a) && alike(&w[1], b))
}

fn number(word: &str) -> Option<u32> {
    if matches!(word, "an" | "a") {
        return Some(1);
    }
    number_word(word).or_else(|| word.parse().ok())
}

/// "about two hours ago", "half an hour ago", "20 minutes ago": minutes, and more or less.
fn ago(words: &[String]) -> Option<(f64, f64)> {
    let at = words.iter().position(|w| w == "ago")?;
    let (unit, count) = (
        words.get(at.checked_sub(1)?)?,
        words.get(at.checked_sub(2)?)?,
    );
    let half = at >= 3 && words[at - 3] == "half";
    let count = match (half, count.as_str()) {
        (true, _) => 0.5,
        (_, "few") => 3.0,
        (_, "couple") => 2.0,
        (_, word) => f64::from(number(word)?),
    };
    match unit.trim_end_matches('s') {
        "hour" if half => Some((30.0, 20.0)),
        unit if alike(unit, "hour") => Some((count * 60.0, 30.0 + 10.0 * count)),
        unit if alike(unit, "minute") => Some((count, 15.0)),
        _ => None,
    }
}

fn day(words: &[String]) -> Option<StatedTime> {
    let has = |word: &str| words.iter().any(|w| alike(w, word));
    if let Some(date) = date(words) {
        return Some(date);
    }
    if pair(words, "before", "yesterday").is_some() {
        return Some(StatedTime::DaysAgo(2));
    }
    if has("yesterday") && has("today") {
        // "Yesterday all was well, today at 6 …": the one next to the hour.
        let digit = |w: &String| w.bytes().any(|b| b.is_ascii_digit());
        let hour = words.iter().position(digit).unwrap_or(words.len());
        let near = |word: &str| {
            let at = words.iter().position(|w| alike(w, word));
            at.map_or(usize::MAX, |at| at.abs_diff(hour))
        };
        return Some(StatedTime::DaysAgo(i64::from(
            near("yesterday") < near("today"),
        )));
    }
    if has("yesterday") {
        return Some(StatedTime::DaysAgo(1));
    }
    let named = WEEKDAYS
        .iter()
        .position(|day| words.iter().any(|w| alike(w, day)));
    if let Some(weekday) = named {
        return Some(StatedTime::Weekday(weekday as u8));
    }
    let this = words
        .windows(2)
        .any(|w| w[0] == "this" && PARTS.iter().any(|(part, ..)| alike(&w[1], part)));
    (has("today") || has("tonight") || this).then_some(StatedTime::DaysAgo(0))
}

/// "21 April", "April 21st", "the 21st of April".
fn date(words: &[String]) -> Option<StatedTime> {
    let month_at = |at: usize| {
        let word = words.get(at)?;
        let fits = |month: &&str| **month == *word || (month.len() > 4 && alike(word, month));
        MONTHS.iter().position(fits).map(|m| m as u32 + 1)
    };
    let date_at = |at: usize| {
        let word = words.get(at)?;
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let rest = &word[digits.len()..];
        let ordinal = matches!(rest, "" | "st" | "nd" | "rd" | "th");
        let date: u32 = digits.parse().ok()?;
        (ordinal && (1..=31).contains(&date)).then_some(date)
    };
    (0..words.len()).find_map(|at| {
        let month = month_at(at)?;
        let of = at >= 1 && words[at - 1] == "of";
        let before = at.checked_sub(if of { 2 } else { 1 }).and_then(date_at);
        let date = before.or_else(|| date_at(at + 1))?;
        Some(StatedTime::Date(month, date))
    })
}

/// "at 19:05", "at 7.30", "around 7 pm", "8 o'clock in the morning", "half past nine", "noon".
fn clock(words: &[String]) -> Option<Clock> {
    let exact = words
        .iter()
        .zip(std::iter::once(None).chain(words.iter().map(Some)));
    for (word, before) in exact {
        // A number with a dot is a time only behind "at": else it is a price or a version.
        let dotted = before.is_some_and(|b| matches!(b.as_str(), "at" | "around" | "about"));
        if let Some(clock) = minutes(word, ':').or_else(|| minutes(word, '.').filter(|_| dotted)) {
            let pm = words.iter().any(|w| matches!(w.as_str(), "pm" | "p.m"));
            return Some(match clock {
                Clock::Exact(hour, minute) if pm && hour < 12 => Clock::Exact(hour + 12, minute),
                clock => clock,
            });
        }
    }
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
        let after = words.get(at + 2..).unwrap_or_default();
        if let Some(hour) = twelve_hour(word, next) {
            return Some(Clock::About(hour * 60));
        }
        if alike(next, "o'clock") || next == "oclock" {
            let hour = number(word).filter(|h| *h <= 24)?;
            return Some(Clock::About(in_part(hour, after) * 60));
        }
        if let (Some(minutes), "past") = (quarters(word), next) {
            let hour = number(after.first()?).filter(|h| *h <= 12)?;
            return Some(Clock::About(in_part(hour, &after[1..]) * 60 + minutes));
        }
        if let Some(hour) = word.strip_suffix('h').and_then(|h| h.parse().ok()) {
            let hour: u32 = hour;
            return Some(Clock::About(hour % 24 * 60));
        }
        if word == "noon" || word == "midday" {
            return Some(Clock::About(720));
        }
        if word == "midnight" {
            return Some(Clock::About(0));
        }
    }
    None
}

fn minutes(word: &str, mark: char) -> Option<Clock> {
    let (hour, minute) = word.split_once(mark)?;
    let whole = minute.len() == 2 && (1..=2).contains(&hour.len());
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    (whole && hour < 24 && minute < 60).then_some(Clock::Exact(hour, minute))
}

fn quarters(word: &str) -> Option<u32> {
    match word {
        "half" => Some(30),
        "quarter" => Some(15),
        _ => None,
    }
}

/// "7pm", or "7" before "pm".
fn twelve_hour(word: &str, next: &str) -> Option<u32> {
    let halves = ["am", "pm", "a.m", "p.m"];
    let (digits, half) = match halves.iter().find_map(|h| word.strip_suffix(h)) {
        Some(digits) if !digits.is_empty() => (digits, &word[digits.len()..]),
        _ if halves.contains(&next) => (word, next),
        _ => return None,
    };
    let hour = number(digits).filter(|h| (1..=12).contains(h))?;
    Some(hour % 12 + if half.starts_with('p') { 12 } else { 0 })
}

/// An hour of twelve, by the part of the day that is named behind it.
fn in_part(hour: u32, after: &[String]) -> u32 {
    let named = |part: &str| after.iter().take(4).any(|w| alike(w, part));
    match hour {
        hour if hour > 12 => hour % 24,
        12 if named("night") => 0,
        12 => 12,
        hour if named("afternoon") || named("evening") => hour + 12,
        hour if named("night") && hour >= 6 => hour + 12,
        hour => hour,
    }
}

fn part(words: &[String]) -> Option<Clock> {
    if pair(words, "small", "hours").is_some() {
        return Some(Clock::Part(0, 5));
    }
    // "Good evening" is a greeting, "every evening" no time at all.
    let before = |at: usize| at.checked_sub(1).map(|n| words[n].as_str());
    let greeted = |at: usize| matches!(before(at), Some("good" | "every"));
    if words.iter().any(|w| w == "night") {
        return Some(Clock::Part(18, 28));
    }
    words.iter().enumerate().find_map(|(at, word)| {
        let part = PARTS.iter().find(|(part, ..)| alike(word, part));
        let (_, from, until) = part.filter(|_| !greeted(at))?;
        Some(Clock::Part(*from, *until))
    })
}
