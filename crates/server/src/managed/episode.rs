//! A trouble with a management system: logged when it begins, and when it is over; and what happens
//! again and again: logged at first, and then each time that it is ten times as often.
//!
//! Read next: [`super::listener`].

use markup::words::legible_line;
use std::fmt::Display;
use std::time::{Duration, Instant};
use tracing::{debug, warn};

/// What fails again so soon after it worked has failed all the time.
const SAME: Duration = Duration::from_secs(60);
/// The most characters of an error that are told.
const SAID_CHARS: usize = 500;

/// A text, part of which a system said, of any length, as it is told.
pub(super) fn told(text: &str) -> String {
    let begin: String = text.chars().take(SAID_CHARS).collect();
    legible_line(&begin).chars().take(SAID_CHARS).collect()
}

/// One thing that may fail again and again.
#[derive(Debug)]
pub(super) struct Episode {
    system: String,
    what: &'static str,
    began: Option<Instant>,
    /// Since when it works again.
    over: Option<Instant>,
}

impl Episode {
    /// `what` of a system works so far.
    pub(super) fn new(system: &str, what: &'static str) -> Self {
        Self {
            system: system.to_owned(),
            what,
            began: None,
            over: None,
        }
    }

    /// Notes that it failed.
    pub(super) fn failed(&mut self, why: &dyn Display) {
        let begins = self.begins(Instant::now());
        let (system, what, why) = (&self.system, self.what, told(&why.to_string()));
        if !begins {
            debug!(system, "management system '{system}': {what}: {why}");
            return;
        }
        warn!(
            system,
            "management system '{system}': {what}: {why}; trying again"
        );
    }

    /// Notes that it works.
    pub(super) fn worked(&mut self) {
        if let Some(lasted) = self.ends(Instant::now()) {
            let (system, what) = (&self.system, self.what);
            let seconds = lasted.as_secs();
            warn!(
                system,
                "management system '{system}': {what}: works again after {seconds} s"
            );
        }
    }

    /// True if what fails now is a new trouble.
    fn begins(&mut self, now: Instant) -> bool {
        let goes_on = self.began.is_some()
            && self
                .over
                .is_none_or(|over| now.saturating_duration_since(over) < SAME);
        if !goes_on {
            (self.began, self.over) = (Some(now), None);
        }
        !goes_on
    }

    /// How long a trouble lasted that is over now; none if there was none, or it is known to be over.
    fn ends(&mut self, now: Instant) -> Option<Duration> {
        let began = self.began.filter(|_| self.over.is_none())?;
        self.over = Some(now);
        Some(now.saturating_duration_since(began))
    }
}

/// Something that a system does again and again, and that is counted.
#[derive(Debug)]
pub(super) struct Recurrence {
    system: String,
    what: &'static str,
    number: u64,
}

impl Recurrence {
    /// `what` of a system has not happened so far.
    pub(super) fn new(system: &str, what: &'static str) -> Self {
        Self {
            system: system.to_owned(),
            what,
            number: 0,
        }
    }

    /// Notes that it happened, for example with this.
    pub(super) fn happened(&mut self, example: &str) {
        self.number = self.number.saturating_add(1);
        if !is_told(self.number) {
            return;
        }
        let (system, what, number) = (&self.system, self.what, self.number);
        let example = told(example);
        warn!(
            system,
            "management system '{system}': {what}: {number} so far, the last {example}"
        );
    }
}

/// True for 1, 10, 100 and so on.
fn is_told(number: u64) -> bool {
    number.checked_ilog10().map(|zeros| 10_u64.pow(zeros)) == Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_and_works_in_turn_is_one_trouble_a_minute() {
        let mut episode = Episode::new("acme", "reading");
        let start = Instant::now();
        let at = |second| start + Duration::from_secs(second);
        assert_eq!(episode.ends(at(0)), None);
        assert!(episode.begins(at(0)));
        assert!(!episode.begins(at(70)), "it never worked");
        assert_eq!(episode.ends(at(80)), Some(Duration::from_secs(80)));
        assert_eq!(episode.ends(at(81)), None, "it is known");
        assert!(!episode.begins(at(90)));
        assert_eq!(episode.ends(at(91)), None);
        assert!(episode.begins(at(140)), "a minute after it worked");
        assert_eq!(episode.ends(at(150)), Some(Duration::from_secs(10)));
    }

    #[test]
    fn what_a_system_said_is_cut_and_legible() {
        let said = told(&"\u{1b}".repeat(1_000_000));
        assert_eq!(said.len(), SAID_CHARS);
        assert!(said.starts_with("\\u{1b}"), "{said}");
        assert_eq!(told("it is so"), "it is so");
    }

    #[test]
    fn what_recurs_is_told_ever_less_often() {
        let told: Vec<u64> = (0..=1_000).filter(|number| is_told(*number)).collect();
        assert_eq!(told, [1, 10, 100, 1_000]);
        assert!(!is_told(u64::MAX));
    }
}
