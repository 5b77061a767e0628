//! All that was alarmed and counted in the last two days, and when.
//!
//! Knows intervals; refuses to know what alarms mean. Read next: [`super::mobile`].

use crate::complaints::reader::when::TimeSpan;
use domain::inventory::ElementId;
use domain::telemetry::{Alarm, AlarmType, CellPerformance, LinkPerformance, Performance};
use domain::time::Timestamp;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The time for which it is remembered, in seconds.
pub const KEPT_S: f64 = 2.0 * 86_400.0;
/// Alarms and records may be so late, in seconds.
const LATE_S: f64 = 300.0;
/// The most periods that are remembered: two days of periods of a minute.
const PERIODS_MAX: usize = 2_880;
/// An alarm that stood for less, in seconds, is not felt.
const FELT_S: f64 = 120.0;
/// Old intervals are forgotten so often, in seconds.
const TIDIED_S: f64 = 3_600.0;

/// The time for which a condition stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Since when.
    pub from: Timestamp,
    /// Until when; none while it stands.
    pub until: Option<Timestamp>,
}

impl Interval {
    /// True if it stood at any time of a span.
    pub fn meets(&self, span: TimeSpan) -> bool {
        self.from <= span.until && self.until.is_none_or(|until| until >= span.from)
    }
}

/// Two days of one domain.
#[derive(Clone, Debug, Default)]
pub struct DomainHistory {
    intervals: BTreeMap<(ElementId, AlarmType), Vec<Interval>>,
    periods: VecDeque<Arc<Performance>>,
    tidied: Timestamp,
}

impl DomainHistory {
    /// Takes an alarm down; late, repeated and overtaken ones change nothing that is known better.
    pub fn alarm(&mut self, alarm: &Alarm, now: Timestamp) {
        let key = (alarm.resource.clone(), alarm.alarm_type);
        let known = self.intervals.entry(key).or_default();
        match (known.last_mut(), alarm.cleared) {
            (Some(last), true) if last.until.is_none() && last.from <= alarm.time => {
                last.until = Some(alarm.time);
            }
            (_, true) => {}
            (Some(last), false) if last.until.is_none() => last.from = last.from.min(alarm.time),
            (Some(last), false) if last.until.is_some_and(|until| alarm.time <= until) => {}
            (_, false) => known.push(Interval {
                from: alarm.time,
                until: None,
            }),
        }
        self.tidy(now);
    }

    /// Takes a period down.
    pub fn performance(&mut self, told: Arc<Performance>, now: Timestamp) {
        self.periods.push_back(told);
        let old = |p: &Arc<Performance>| now.seconds_since(p.until) > KEPT_S;
        while self.periods.len() > PERIODS_MAX || self.periods.front().is_some_and(old) {
            self.periods.pop_front();
        }
    }

    fn tidy(&mut self, now: Timestamp) {
        if now.seconds_since(self.tidied) < TIDIED_S {
            return;
        }
        self.tidied = now;
        let fresh = |i: &Interval| i.until.is_none_or(|u| now.seconds_since(u) <= KEPT_S);
        self.intervals.retain(|_, all| {
            all.retain(fresh);
            !all.is_empty()
        });
    }

    /// The time at which one of these conditions stood on an element within a span: the earliest
    /// such interval, and which condition it was.
    pub fn stood(
        &self,
        element: &ElementId,
        types: &[AlarmType],
        span: TimeSpan,
    ) -> Option<(AlarmType, Interval)> {
        let of_type = |t: AlarmType| {
            let all = self.intervals.get(&(element.clone(), t))?;
            let met = all.iter().find(|i| i.meets(span))?;
            Some((t, *met))
        };
        let found = types.iter().filter_map(|t| of_type(*t));
        found.min_by_key(|(_, interval)| interval.from)
    }

    /// The time of a span in which one of these conditions stood on an element, where it stood longest:
    /// which it was, and the share of the span. Alarms are late: each stood a little longer.
    pub fn covered(
        &self,
        element: &ElementId,
        types: &[AlarmType],
        span: TimeSpan,
    ) -> Option<(AlarmType, Interval, f64)> {
        let intervals = types.iter().flat_map(|t| {
            let all = self.intervals.get(&(element.clone(), *t));
            all.into_iter().flatten().map(|i| (*t, *i))
        });
        let felt = |i: &Interval| i.until.is_none_or(|u| u.seconds_since(i.from) >= FELT_S);
        let intervals = intervals.filter(|(_, i)| felt(i));
        let shares = intervals.map(|(t, i)| (t, i, share_of(i, span)));
        shares.max_by(|a, b| a.2.total_cmp(&b.2))
    }

    /// Every element on which one of these conditions stood within a span.
    pub fn standing(
        &self,
        types: &[AlarmType],
        span: TimeSpan,
    ) -> impl Iterator<Item = (&ElementId, AlarmType, Interval)> {
        let wanted = self.intervals.iter();
        let wanted = wanted.filter(move |((_, t), _)| types.contains(t));
        wanted.filter_map(move |((element, t), all)| {
            let met = all.iter().find(|i| i.meets(span))?;
            Some((element, *t, *met))
        })
    }

    /// The performance of a cell in the periods of a span.
    pub fn cell<'a>(
        &'a self,
        cell: &'a ElementId,
        span: TimeSpan,
    ) -> impl Iterator<Item = &'a CellPerformance> {
        self.within(span).filter_map(move |p| p.cells.get(cell))
    }

    /// The performance of a link in the periods of a span.
    pub fn link<'a>(
        &'a self,
        link: &'a ElementId,
        span: TimeSpan,
    ) -> impl Iterator<Item = &'a LinkPerformance> {
        self.within(span).filter_map(move |p| p.links.get(link))
    }

    fn within(&self, span: TimeSpan) -> impl Iterator<Item = &Performance> {
        let periods = self.periods.iter().map(Arc::as_ref);
        periods.filter(move |p| p.from < span.until && p.until > span.from)
    }
}

/// The share of a span that an interval covers, 0 to 1.
fn share_of(interval: Interval, span: TimeSpan) -> f64 {
    let from = interval.from.plus_s(-LATE_S).max(span.from);
    let until = interval.until.map_or(span.until, |u| u.plus_s(LATE_S));
    let covered = until.min(span.until).seconds_since(from).max(0.0);
    covered / span.seconds().max(1.0)
}
