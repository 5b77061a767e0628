//! Keys that take days and times.

use super::super::cue;
use super::super::slot::{Kind, Role, Slot};
use super::super::utterance::AnnotatedUtterance;
use super::{Candidate, Keys};
use crate::moment::{Calendar, later};
use language::calendar::Date;
use language::quantity::Dimension;
use serde_json::Value;
use std::ops::Range;

/// Words before a moment at which something begins, and at which it ends.
const BEGINS: &str = " from since starting beginning leaving departing begin start starts after between departure depart leave pickup pick 从 自 起 ";
const ENDS: &str = " until till to by through ending end ends before and returning return back dropoff 到 至 止 前 ";

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

    /// Tells whether the words before a moment tell that it is this end (true) or the other
    /// (false).
    fn side_of(&self, slot: &Slot, run: &Range<usize>) -> Option<bool> {
        let mut at = run.start;
        for _ in 0..4 {
            let word = self.utterance.word_before(at);
            let begins = crate::lexicon::listed(BEGINS, word);
            let ends = crate::lexicon::listed(ENDS, word);
            match (begins, ends, slot.role) {
                (true, _, Role::From) | (_, true, Role::To) => return Some(true),
                (true, _, Role::To) | (_, true, Role::From) => return Some(false),
                _ => {}
            }
            if !matches!(
                word,
                "the"
                    | "on"
                    | "at"
                    | "around"
                    | "about"
                    | "be"
                    | "me"
                    | "up"
                    | "off"
                    | "this"
                    | "coming"
                    | "will"
                    | "it"
            ) {
                break;
            }
            at = at.saturating_sub(1);
        }
        let since = (run.start.saturating_sub(6)..run.start).any(|i| {
            self.utterance.word(i) == "since" && self.utterance.clause(i).contains(&run.start)
        });
        match (since, slot.role) {
            (true, Role::From) => Some(true),
            (true, Role::To) => Some(false),
            _ => self.range_side(slot, run),
        }
    }

    /// "23:30-05:30", "01:00 to 05:00": the first of two that "to" joins begins.
    fn range_side(&self, slot: &Slot, run: &Range<usize>) -> Option<bool> {
        let next = self.utterance.word(run.end);
        let ends = matches!(next, "前" | "止")
            || matches!(
                (next, self.utterance.word(run.end + 1)),
                ("之" | "以", "前")
            );
        let begins = next == "起"
            || matches!(
                (next, self.utterance.word(run.end + 1)),
                ("开", "始") | ("以", "来")
            );
        match (begins, ends, slot.role) {
            (true, _, Role::From) | (_, true, Role::To) => return Some(true),
            (true, _, Role::To) | (_, true, Role::From) => return Some(false),
            _ => {}
        }
        let moments = &self.utterance.at_moments;
        let then = |from: usize| (from..=from + 2).any(|at| moments.from(at).is_some());
        let joint = |at: usize| {
            let token = self.utterance.token(at);
            token.is_some_and(|t| t.gap == language::text::Gap::Joint)
        };
        let joined = matches!(next, "to" | "until" | "till" | "and" | "至" | "到")
            && then(run.end + 1)
            || moments.from(run.end).is_some() && joint(run.end);
        let first = joined && self.utterance.word_before(run.start) != "to";
        let second = moments.until(run.start).is_some() && joint(run.start);
        match (first, second, slot.role) {
            (true, false, Role::From) | (false, true, Role::To) => Some(true),
            (true, false, Role::To) | (false, true, Role::From) => Some(false),
            _ => None,
        }
    }

    /// The ranks that the order of moments tells, where no word joins them to a key: of those and
    /// of the keys that no word joins to one, the first go together.
    fn ranks<'r>(&self, at: usize, runs: impl Iterator<Item = &'r Range<usize>> + Clone) -> Ranks {
        let kind = self.slots[at].kind;
        let kin = self.slots.iter().enumerate();
        let kin: Vec<usize> = kin
            .filter(|(_, b)| kin_of(b.kind, kind))
            .map(|(i, _)| i)
            .collect();
        let mut told = vec![false; kin.len()];
        let mut ranks = Ranks::default();
        for run in runs {
            self.utterance.text.steps.take(kin.len());
            let mut claimed = false;
            for (place, slot) in kin.iter().enumerate() {
                let side = self.side_of(&self.slots[*slot], run);
                told[place] |= side == Some(true);
                claimed |= side == Some(true);
            }
            match claimed {
                true => ranks.claimed.push((run.start, run.end)),
                false => ranks.free.push(run.start),
            }
        }
        let free = kin.iter().zip(told).filter(|(_, told)| !told);
        let mut free = free.map(|(slot, _)| *slot);
        ranks.mine = free.position(|slot| slot == at);
        ranks.free.sort_unstable();
        ranks.claimed.sort_unstable();
        ranks
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

/// The moments that no word joins to a key, and the key's place among those that none is joined to.
#[derive(Default)]
struct Ranks {
    mine: Option<usize>,
    free: Vec<usize>,
    claimed: Vec<(usize, usize)>,
}

impl Ranks {
    /// The confidence with which the moment at a run is for the key.
    fn of(&self, run: &Range<usize>) -> f64 {
        let claimed = self.claimed.binary_search(&(run.start, run.end)).is_ok();
        let place = self.free.partition_point(|start| *start < run.start);
        match self.mine {
            Some(0) if place == 0 && !claimed => 0.76,
            Some(mine) if place == mine && !claimed => 0.72,
            _ => 0.4,
        }
    }
}

/// True if keys of two kinds take the same moments.
fn kin_of(one: Kind, other: Kind) -> bool {
    one == other && matches!(one, Kind::Day | Kind::Clock | Kind::Instant)
}

/// A day with the time that belongs to it.
struct When {
    date: Date,
    seconds: Option<u32>,
    run: Range<usize>,
}

/// Days and times put together: a time takes the day said in its clause or before; without one it
/// is the next such time, and no end comes before its beginning.
fn when(utterance: &AnnotatedUtterance, back: bool) -> Vec<When> {
    let moments = &utterance.moments;
    let mut all: Vec<When> = moments
        .instants
        .iter()
        .map(|i| When {
            date: i.date,
            seconds: Some(i.seconds),
            run: i.run.clone(),
        })
        .collect();
    let mut with_clock = vec![false; moments.days.len()];
    utterance
        .text
        .steps
        .take(moments.clocks.len() + moments.days.len());
    let mut last: Option<(Date, u32)> = None;
    for clock in &moments.clocks {
        let day = day_for(utterance, &clock.run);
        let (mut date, run) = match day {
            Some(d) => {
                with_clock[d] = true;
                let day = &moments.days[d];
                let near = day
                    .run
                    .end
                    .abs_diff(clock.run.start)
                    .min(clock.run.end.abs_diff(day.run.start))
                    <= 3;
                let joined = day.run.start.min(clock.run.start)..day.run.end.max(clock.run.end);
                (day.date, if near { joined } else { clock.run.clone() })
            }
            None => (
                coming(&utterance.calendar, clock.seconds),
                clock.run.clone(),
            ),
        };
        if let Some((before, seconds)) = last {
            let follows = (date, clock.seconds) <= (before, seconds) || day.is_none();
            if follows {
                date = if clock.seconds > seconds {
                    before
                } else {
                    before.next_day().unwrap_or(before)
                };
            }
        }
        if day.is_none()
            && back
            && date >= utterance.calendar.today
            && (date > utterance.calendar.today || clock.seconds > utterance.calendar.minute * 60)
        {
            date = date.previous_day().unwrap_or(date);
        }
        if let Some(day) = day.filter(|d| back && moments.days[*d].date == date) {
            date = moments.days[day].before(utterance.calendar.today);
        }
        last = Some((date, clock.seconds));
        let shift = if clock.utc {
            i64::from(utterance.calendar.zone_minutes) * 60
        } else {
            0
        };
        let (date, seconds) = later(date, i64::from(clock.seconds) + shift);
        all.push(When {
            date,
            seconds: Some(seconds),
            run,
        });
    }
    let alone = moments.days.iter().enumerate();
    for (_, day) in alone.filter(|(at, _)| !with_clock[*at]) {
        let last = || day.before(utterance.calendar.today);
        all.push(When {
            date: if back { last() } else { day.date },
            seconds: None,
            run: day.run.clone(),
        });
    }
    all.sort_by_key(|w| w.run.start);
    separate(&mut all);
    all
}

/// The runs of two moments share no token: the second keeps its time.
fn separate(all: &mut [When]) {
    for at in 1..all.len() {
        let end = all[at - 1].run.end;
        if all[at].run.start < end && all[at].run.end > end {
            all[at].run.start = end;
        }
    }
}

/// The day that a time belongs to: the nearest before it in its sentence, else right behind it.
fn day_for(utterance: &AnnotatedUtterance, clock: &Range<usize>) -> Option<usize> {
    let sentence = utterance.sentence(clock.start);
    let days = &utterance.moments.days;
    let within = |run: &Range<usize>| sentence.contains(&run.start);
    // Days stand in the order of the text.
    let before = days.partition_point(|d| d.run.end <= clock.start);
    let before = before.checked_sub(1).filter(|d| within(&days[*d].run));
    let behind = days.partition_point(|d| d.run.start < clock.end);
    let near = |d: &usize| {
        let run = days.get(*d).map(|d| &d.run);
        run.is_some_and(|run| run.start <= clock.end + 2 && within(run))
    };
    Some(behind).filter(near).or(before)
}

/// The next day on which a time of day comes.
fn coming(calendar: &Calendar, seconds: u32) -> Date {
    let passed = seconds <= calendar.minute * 60;
    if passed {
        calendar.today.next_day().unwrap_or(calendar.today)
    } else {
        calendar.today
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
