//! What a management system told, in memory: a ring of the newest reports.
//!
//! It is not in the log: alarms are no promise of the platform, and the network tells what stands
//! again. Who is behind by more than the ring holds is told so. Read next: [`crate::feed::stream`].

use crate::feed::stream::{Event, Stream, StreamError};
use domain::ems::{News, Report, Told};
use domain::event::Sequence;
use domain::time::Timestamp;
use std::collections::VecDeque;
use std::sync::{Arc, RwLock};
use store::ReadError;
use tokio::sync::watch;

/// How many of the newest reports are kept.
const KEPT: usize = 10_000;

/// The ring.
pub(super) struct Reports {
    kept: RwLock<VecDeque<Told>>,
    last: watch::Sender<Sequence>,
}

impl Default for Reports {
    fn default() -> Self {
        Self {
            kept: RwLock::default(),
            last: watch::Sender::new(0),
        }
    }
}

impl Reports {
    pub(super) fn push(&self, news: News, now: Timestamp) {
        let mut kept = self.kept.write().expect("no writer panics");
        if kept.len() == KEPT {
            kept.pop_front();
        }
        let sequence = *self.last.borrow() + 1;
        kept.push_back(Arc::new(Report {
            sequence,
            time: now,
            news,
        }));
        drop(kept);
        self.last.send_replace(sequence);
    }
}

impl Stream for Reports {
    fn last(&self) -> Sequence {
        *self.last.borrow()
    }

    fn watch(&self) -> watch::Receiver<Sequence> {
        self.last.subscribe()
    }

    fn began(&self) -> Option<Timestamp> {
        let kept = self.kept.read().expect("no writer panics");
        kept.front().map(|report| report.time)
    }

    fn after(&self, cursor: Sequence, limit: usize) -> Result<Vec<Event>, StreamError> {
        let kept = self.kept.read().expect("no writer panics");
        let Some(first) = kept.front().map(|report| report.sequence) else {
            return Ok(Vec::new());
        };
        let skip = (cursor + 1)
            .checked_sub(first)
            .ok_or(StreamError::Forgotten)?;
        let reports = kept.iter().skip(skip as usize).take(limit);
        Ok(reports.cloned().map(Event::Reported).collect())
    }

    fn cursor_at(&self, time: Timestamp) -> Result<Sequence, ReadError> {
        let kept = self.kept.read().expect("no writer panics");
        let before = kept.partition_point(|report| report.time < time);
        Ok(match kept.get(before) {
            Some(report) => report.sequence - 1,
            None => *self.last.borrow(),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn reports(number: i64) -> Reports {
        let reports = Reports::default();
        for n in 0..number {
            let told = News::CustomerAnswered {
                ticket: n.to_string(),
                text: String::new(),
            };
            reports.push(told, Timestamp::from_ms(n));
        }
        reports
    }

    fn sequences(reports: &Reports, cursor: Sequence) -> Vec<Sequence> {
        let events = reports.after(cursor, 3).unwrap();
        events.iter().map(Event::sequence).collect()
    }

    #[test]
    fn what_was_told_is_followed_from_a_cursor() {
        let reports = reports(5);
        assert_eq!(sequences(&reports, 0), [1, 2, 3]);
        assert_eq!(sequences(&reports, 3), [4, 5]);
        assert!(sequences(&reports, 5).is_empty());
        assert_eq!(reports.cursor_at(Timestamp::from_ms(2)).unwrap(), 2);
        assert_eq!(reports.cursor_at(Timestamp::from_ms(9)).unwrap(), 5);
        assert!(Reports::default().after(0, 3).unwrap().is_empty());
    }

    #[test]
    fn a_replay_reaches_back_as_far_as_the_ring_and_who_is_behind_it_is_told() {
        let reports = reports(KEPT as i64 + 2);
        assert_eq!(reports.began(), Some(Timestamp::from_ms(2)));
        let cursor = reports.cursor_at(Timestamp::from_ms(0)).unwrap();
        assert_eq!(sequences(&reports, cursor), [3, 4, 5]);
        let behind = reports.after(1, 3);
        assert!(matches!(behind, Err(StreamError::Forgotten)));
    }
}
