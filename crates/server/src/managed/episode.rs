//! A trouble with a management system: logged when it begins, and when it is over; and what happens
//! again and again: logged at first, and then each time that it is ten times as often.
//!
//! Read next: [`super::listener`].

use markup::words::legible_line;
use std::fmt::Display;
use std::time::Instant;
use tracing::{debug, warn};

/// One thing that may fail again and again.
#[derive(Debug)]
pub(super) struct Episode {
    system: String,
    what: &'static str,
    began: Option<Instant>,
}

impl Episode {
    /// `what` of a system works so far.
    pub(super) fn new(system: &str, what: &'static str) -> Self {
        Self {
            system: system.to_owned(),
            what,
            began: None,
        }
    }

    /// Notes that it failed.
    pub(super) fn failed(&mut self, why: &dyn Display) {
        let (system, what) = (&self.system, self.what);
        if self.began.is_some() {
            debug!(system, "management system '{system}': {what}: {why}");
            return;
        }
        self.began = Some(Instant::now());
        warn!(
            system,
            "management system '{system}': {what}: {why}; trying again"
        );
    }

    /// Notes that it works.
    pub(super) fn worked(&mut self) {
        if let Some(began) = self.began.take() {
            let (system, what) = (&self.system, self.what);
            let seconds = began.elapsed().as_secs();
            warn!(
                system,
                "management system '{system}': {what}: works again after {seconds} s"
            );
        }
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
        // Part of it is what the system said.
        let example = legible_line(example);
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
    fn what_recurs_is_told_ever_less_often() {
        let told: Vec<u64> = (0..=1_000).filter(|number| is_told(*number)).collect();
        assert_eq!(told, [1, 10, 100, 1_000]);
        assert!(!is_told(u64::MAX));
    }
}
