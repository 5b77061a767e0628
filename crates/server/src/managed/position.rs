//! How far a system has been heard: from where it is asked for what was missed, and how that is known again.
//!
//! What no list of a system has is told once, so it must be known over a death how far that was taken in. Kept is the
//! time of the last of it, by the system's clock, and the marks of what a replay from there brings again: what was told
//! about that time, or later by a clock that has been set back since. Pure. Read next: [`super::listener`], which asks;
//! [`super::network`], which keeps it.

use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;

/// The number of events that are remembered to know a replayed one again, while the process lives.
const REMEMBERED: usize = 1_024;
/// The number of those that are kept, the last to come.
const KEPT: usize = 256;
/// How much older than the last those are at most, in milliseconds: a log need not be in the order of its times.
const DISORDER_MS: i64 = 600_000;
/// How many sessions that asked for a replay may bring nothing, one after the other, before one goes without.
const FRUITLESS: u8 = 3;

/// By which an event is known again: a part of the SHA-256 of the message.
pub(super) type Mark = u64;

/// An event that is told once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ToldAt {
    /// The time of the event by the system's clock, or of its arrival where it says none.
    pub(super) time: Timestamp,
    pub(super) mark: Mark,
}

/// What is kept of how far a system has been heard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptPosition {
    last: Timestamp,
    marks: VecDeque<(Timestamp, Mark)>,
}

impl KeptPosition {
    /// That of a system which has told nothing yet, and is heard since.
    pub(super) fn since(begin: Timestamp) -> Self {
        Self {
            last: begin,
            marks: VecDeque::new(),
        }
    }

    /// Reads what [`KeptPosition::text`] wrote; none for anything else.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// As it is kept.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).expect("numbers have a form in JSON")
    }

    /// The event is taken in. The last to arrive says what time it is there, even if that went back.
    pub(super) fn take(&mut self, ToldAt { time, mark }: ToldAt) {
        self.last = time;
        self.marks.push_back((time, mark));
        self.marks.retain(|(at, _)| *at + DISORDER_MS >= time);
        if self.marks.len() > KEPT {
            self.marks.pop_front();
        }
    }
}

/// What was heard so far.
#[derive(Debug)]
pub(super) struct Position {
    /// The time of the last event, by the system's clock.
    last: Option<Timestamp>,
    /// Marks of the last events.
    heard: VecDeque<Mark>,
    /// How many sessions that asked for a replay have brought nothing since the last that did.
    fruitless: u8,
    /// True once this process has heard anything new.
    has_heard: bool,
}

impl Position {
    /// Where one goes on who was heard so far, by whomever.
    pub(super) fn after(kept: Option<&KeptPosition>) -> Self {
        let marks = kept.map(|kept| kept.marks.iter().map(|(_, mark)| *mark));
        Self {
            last: kept.map(|kept| kept.last),
            heard: marks.into_iter().flatten().collect(),
            fruitless: 0,
            has_heard: false,
        }
    }

    /// Notes an event; its mark, and true if it was heard before.
    pub(super) fn note(&mut self, raw: &str, time: Option<Timestamp>) -> (Mark, bool) {
        let mark = mark_of(raw);
        // A replay begins with what is known. What comes behind it may break each session.
        if self.heard.contains(&mark) {
            return (mark, true);
        }
        self.fruitless = 0;
        self.has_heard = true;
        if self.heard.len() == REMEMBERED {
            self.heard.pop_front();
        }
        self.heard.push_back(mark);
        self.last = time.or(self.last);
        (mark, false)
    }

    /// True once this process has heard anything.
    pub(super) fn has_heard(&self) -> bool {
        self.has_heard
    }

    /// From when a replay is to be asked for; none if none is.
    pub(super) fn replays_from(&self) -> Option<Timestamp> {
        self.last.filter(|_| self.fruitless < FRUITLESS)
    }

    /// A session has begun, with a replay or without: one without begins the count anew.
    pub(super) fn begins(&mut self, replays: bool) {
        self.fruitless = match replays {
            true => self.fruitless + 1,
            false => 0,
        };
    }
}

fn mark_of(raw: &str) -> Mark {
    let digest: [u8; 32] = Sha256::digest(raw).into();
    let (first, _) = digest
        .split_first_chunk()
        .expect("a digest is longer than a mark");
    Mark::from_be_bytes(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(1_800_000_000_000 + ms)
    }

    fn told(ms: i64, mark: Mark) -> ToldAt {
        let time = at(ms);
        ToldAt { time, mark }
    }

    #[test]
    fn what_a_replay_brings_again_is_known_and_nothing_else_is_kept() {
        let mut kept = KeptPosition::since(at(0));
        for (ms, raw) in [(-DISORDER_MS, "a"), (5, "b"), (5, "c")] {
            kept.take(told(ms, mark_of(raw)));
        }
        let read = KeptPosition::read(&kept.text()).expect("it was written like that");
        assert_eq!(read, kept);
        let mut position = Position::after(Some(&read));
        assert_eq!(position.replays_from(), Some(at(5)));
        let mut again = |raw| position.note(raw, Some(at(5))).1;
        assert_eq!(
            ["a", "b", "c", "d"].map(&mut again),
            [false, true, true, false]
        );
        assert!(again("d"), "what came since is known as well");
    }

    #[test]
    fn what_comes_out_of_order_is_known_again() {
        let mut kept = KeptPosition::since(at(0));
        for (ms, raw) in [(100, "a"), (103, "b"), (99, "c")] {
            kept.take(told(ms, mark_of(raw)));
        }
        let mut position = Position::after(Some(&kept));
        assert_eq!(position.replays_from(), Some(at(99)));
        assert!(["c", "a", "b"].iter().all(|raw| position.note(raw, None).1));
    }

    #[test]
    fn a_replay_that_breaks_behind_what_is_known_is_asked_for_no_more() {
        let mut kept = KeptPosition::since(at(0));
        kept.take(told(1, mark_of("known")));
        let mut position = Position::after(Some(&kept));
        for _ in 0..FRUITLESS {
            assert!(position.replays_from().is_some());
            position.begins(true);
            position.note("known", Some(at(1)));
        }
        assert_eq!(position.replays_from(), None);
    }

    #[test]
    fn a_clock_that_was_set_back_is_followed_within_bounds() {
        let mut kept = KeptPosition::since(at(0));
        for number in 0..2 * KEPT as u64 {
            kept.take(told(60_000, number));
        }
        kept.take(told(10, Mark::MAX));
        assert_eq!((kept.last, kept.marks.len()), (at(10), KEPT));
        assert_eq!(kept.marks.back(), Some(&(at(10), Mark::MAX)));
        kept.take(told(60_001 + DISORDER_MS, 0));
        assert_eq!(kept.marks.len(), 1);
        assert!(kept.text().len() < 64);
    }

    #[test]
    fn who_was_never_heard_is_asked_for_nothing_and_who_breaks_over_it_soon_no_more() {
        let mut position = Position::after(None);
        assert_eq!(position.replays_from(), None);
        position.note("a", Some(at(1)));
        for _ in 0..FRUITLESS {
            assert_eq!(position.replays_from(), Some(at(1)));
            position.begins(true);
        }
        assert_eq!(position.replays_from(), None);
        position.begins(false);
        assert_eq!(position.replays_from(), Some(at(1)), "it is tried again");
    }
}
