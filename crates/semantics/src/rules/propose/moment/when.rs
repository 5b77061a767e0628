//! Days and the times of day that belong to them, put together.
//!
//! Read next: [`super`].

use super::super::super::utterance::AnnotatedUtterance;
use crate::moment::{Calendar, later};
use language::calendar::Date;
use std::ops::Range;

/// A day with the time that belongs to it.
pub(super) struct When {
    pub(super) date: Date,
    pub(super) seconds: Option<u32>,
    pub(super) run: Range<usize>,
}

/// Days and times put together: a time takes the day said in its clause or before; without one it
/// is the next such time, and no end comes before its beginning.
pub(super) fn when(utterance: &AnnotatedUtterance, back: bool) -> Vec<When> {
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
