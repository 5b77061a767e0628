//! Keys that take days and times.

mod side;
mod when;

use super::super::candidate::Candidate;
use super::super::cue;
use super::super::slot::{Kind, Role};
use super::Keys;
use crate::moment::{Calendar, later};
use language::calendar::Date;
use language::quantity::Dimension;
use serde_json::Value;
use side::kin_of;
use std::ops::Range;
use when::when;

impl Keys<'_> {
    /// Days and times that are said: as an example shows (0.95), behind a word that tells which end
    /// it is (0.9), alone for the only key of its kind (0.86).
    pub(super) fn moments(&self, at: usize) -> Vec<Candidate> {
        match self.slots[at].kind {
            Kind::Day => self.days(at),
            Kind::Clock => self.clocks(at),
            _ => {
                let mut all = self.instants(at);
                all.extend(self.spans_back(at));
                all
            }
        }
    }

    fn days(&self, at: usize) -> Vec<Candidate> {
        let moments = &self.utterance.moments;
        let days = moments.days.iter().map(|d| (d.date, d.run.clone()));
        let all: Vec<(Date, Range<usize>)> = days
            .chain(moments.instants.iter().map(|i| (i.date, i.run.clone())))
            .collect();
        let ranks = self.ranks(at, all.iter().map(|d| &d.1));
        all.iter()
            .map(|(date, run)| {
                let value = self.written(at, Some(*date), None, run);
                let rank = ranks.of(run);
                Candidate::new(at, value, run.clone(), self.when_sure(at, run, rank))
            })
            .collect()
    }

    fn clocks(&self, at: usize) -> Vec<Candidate> {
        let moments = &self.utterance.moments;
        let clocks = moments.clocks.iter().map(|c| (c.seconds, c.run.clone()));
        let all: Vec<(u32, Range<usize>)> = clocks
            .chain(moments.instants.iter().map(|i| (i.seconds, i.run.clone())))
            .collect();
        let ranks = self.ranks(at, all.iter().map(|c| &c.1));
        all.iter()
            .map(|(seconds, run)| {
                let value = self.written(at, None, Some(*seconds), run);
                let rank = ranks.of(run);
                Candidate::new(at, value, run.clone(), self.when_sure(at, run, rank))
            })
            .collect()
    }

    fn instants(&self, at: usize) -> Vec<Candidate> {
        let all = when(self.utterance, self.looks_back(at));
        let ranks = self.ranks(at, all.iter().map(|w| &w.run));
        all.iter()
            .map(|w| {
                let seconds = w.seconds.or_else(|| self.whole_day(at));
                let date = if w.seconds.is_none() && self.slots[at].role == Role::To {
                    w.date.next_day().unwrap_or(w.date)
                } else {
                    w.date
                };
                let value = self.written(at, Some(date), seconds, &w.run);
                let rank = ranks.of(&w.run);
                // An instant is more than a day: which hour, nobody said.
                let vague = if w.seconds.is_none() { 0.3 } else { 0.0 };
                // "after six" is no time since when.
                let ahead = self.looks_back(at) && self.lies_ahead(&w.run);
                let vague = if ahead { 0.5 } else { vague };
                Candidate::new(
                    at,
                    value,
                    w.run.clone(),
                    self.when_sure(at, &w.run, rank) - vague,
                )
            })
            .collect()
    }

    /// True for a moment that something waits for: "after six", 六点以后.
    fn lies_ahead(&self, run: &Range<usize>) -> bool {
        let behind = (
            self.utterance.word(run.end),
            self.utterance.word(run.end + 1),
        );
        matches!(
            self.utterance.word_before(run.start),
            "after" | "until" | "till" | "by"
        ) || matches!(behind, ("以" | "之", "后") | ("后", _))
    }

    /// True for a key that tells since when something is so.
    fn looks_back(&self, at: usize) -> bool {
        let slot = &self.slots[at];
        let named = [
            "since", "start", "began", "occur", "detect", "happen", "rais",
        ]
        .iter()
        .any(|w| slot.name.iter().any(|n| n.starts_with(w)));
        let past = slot.path.last().is_some_and(|p| {
            [
                "started", "since", "began", "occurred", "detected", "happened", "raised",
            ]
            .iter()
            .any(|w| p.contains(w))
        });
        past || named && slot.prose.contains("since")
    }

    /// "dark for 40 minutes", "for the last three hours", 断了四十分钟: since when, by how long.
    fn spans_back(&self, at: usize) -> Vec<Candidate> {
        if !self.looks_back(at) {
            return Vec::new();
        }
        let calendar = &self.utterance.calendar;
        // In which sentences something has been.
        let mut been = vec![false; self.utterance.text.sentences().len()];
        for at in 0..self.utterance.text.tokens.len() {
            if matches!(self.utterance.word(at), "been" | "已" | "了")
                && let Some(sentence) = self.utterance.text.place_of_sentence(at)
            {
                been[sentence] = true;
            }
        }
        self.utterance
            .text
            .steps
            .take(self.utterance.text.tokens.len());
        let lasting = self
            .utterance
            .quantities
            .iter()
            .filter(|q| q.unit.is_some_and(|u| u.dimension == Dimension::Time));
        lasting
            .filter_map(|q| {
                let seconds = q.value * q.unit?.factor;
                let words: Vec<&str> = (q.run.start.saturating_sub(3)..q.run.start)
                    .map(|i| self.utterance.word(i))
                    .collect();
                let sentence = self.utterance.text.place_of_sentence(q.run.start);
                let been = sentence.is_some_and(|sentence| been[sentence]);
                let back = words
                    .iter()
                    .any(|w| matches!(*w, "last" | "past" | "近" | "去"))
                    || matches!(words.last(), Some(&("了" | "经" | "已")))
                    || (been && words.last() == Some(&"for"));
                let start = (i64::from(calendar.minute) * 60).saturating_sub(seconds as i64);
                let (date, seconds) = later(calendar.today, start);
                let value = self.written(at, Some(date), Some(seconds), &q.run);
                back.then(|| Candidate::new(at, value, q.run.clone(), 0.86))
            })
            .collect()
    }

    /// A day without a time begins and ends at midnight.
    fn whole_day(&self, at: usize) -> Option<u32> {
        self.slots[at].writing.as_ref().map(|_| 0)
    }

    fn when_sure(&self, at: usize, run: &Range<usize>, rank: f64) -> f64 {
        let slot = &self.slots[at];
        let taught = cue::taught(self.utterance, slot, run);
        let named = cue::before(self.utterance, slot, run)
            .max(cue::behind(self.utterance, slot, run) * 0.9);
        let side = self.side_of(slot, run);
        let only = self
            .slots
            .iter()
            .filter(|b| kin_of(b.kind, slot.kind))
            .count()
            == 1;
        let sure: f64 = match (side, only) {
            (Some(true), _) => 0.9,
            (Some(false), _) => 0.45,
            (None, true) => 0.86,
            (None, false) => rank,
        };
        sure.max(if taught >= 0.99 { 0.95 } else { 0.0 }).max(
            if named >= 1.0 && side != Some(false) {
                0.93
            } else {
                0.0
            },
        )
    }

    /// A day, a time or both in the key's writing; without one, as they were said.
    fn written(
        &self,
        at: usize,
        date: Option<Date>,
        seconds: Option<u32>,
        run: &Range<usize>,
    ) -> Value {
        let text = match &self.slots[at].writing {
            Some(writing) => write(writing, date, seconds, &self.utterance.calendar),
            None => Some(self.utterance.text.span(run).to_owned()),
        };
        text.map_or(Value::Null, Value::String)
    }
}

/// A moment in a writing such as `yyyy-mm-dd hh:mm`; none if what the writing asks for is not known.
fn write(
    writing: &str,
    date: Option<Date>,
    seconds: Option<u32>,
    calendar: &Calendar,
) -> Option<String> {
    let day = |d: Date| format!("{:04}-{:02}-{:02}", d.year(), u8::from(d.month()), d.day());
    let clock = |s: u32| format!("{:02}:{:02}:{:02}", s / 3600 % 24, s / 60 % 60, s % 60);
    match writing {
        "rfc3339" => {
            return Some(format!(
                "{}T{}{}",
                day(date?),
                clock(seconds?),
                calendar.zone()
            ));
        }
        "full-time" => return Some(format!("{}{}", clock(seconds?), calendar.zone())),
        _ => {}
    }
    let (days, times) = match writing.find("hh") {
        Some(at) => writing.split_at(at),
        None => (writing, ""),
    };
    let mut text = days.to_owned();
    if let Some(date) = date {
        text = text
            .replace("yyyy", &format!("{:04}", date.year()))
            .replace("yy", &format!("{:02}", date.year() % 100))
            .replace("mm", &format!("{:02}", u8::from(date.month())))
            .replace("dd", &format!("{:02}", date.day()));
    } else if days.contains("dd") {
        return None;
    }
    if !times.is_empty() {
        let s = seconds?;
        let written = times
            .replace("hh", &format!("{:02}", s / 3600 % 24))
            .replace("mm", &format!("{:02}", s / 60 % 60))
            .replace("ss", &format!("{:02}", s % 60));
        text.push_str(&written.to_uppercase());
    }
    Some(text)
}
