//! The progress display of a long batch: one line on standard error, overwritten in place.
//!
//! Prints nothing without a terminal. Read next: [`crate::serve`].

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The least interval between updates of the line.
const EACH: Duration = Duration::from_millis(200);
const BAR: usize = 24;

/// The progress of a batch of equal parts.
pub(crate) struct Progress {
    shown: bool,
    parts: usize,
    inner: Mutex<State>,
}

struct State {
    begun: Instant,
    told: Option<Instant>,
    skipped: usize,
    done: usize,
}

impl Progress {
    /// A batch of `parts`, none of them done.
    pub(crate) fn new(parts: usize, shown: bool) -> Self {
        Self {
            shown: shown && std::io::stderr().is_terminal(),
            parts,
            inner: Mutex::new(State {
                begun: Instant::now(),
                told: None,
                skipped: 0,
                done: 0,
            }),
        }
    }

    /// Counts a part as done before this run.
    pub(crate) fn skip(&self) {
        self.state().skipped += 1;
    }

    /// Sets the share of the part called `name` that is done, 0 to 1.
    pub(crate) fn tell(&self, name: &str, share: f64) {
        let mut state = self.state();
        if !self.shown || state.told.is_some_and(|told| told.elapsed() < EACH) {
            return;
        }
        state.told = Some(Instant::now());
        let text = state.line(self.parts, name, share);
        let _ = write!(std::io::stderr(), "\r\x1b[2K{text}");
    }

    /// Counts a part as done.
    pub(crate) fn done(&self) {
        self.state().done += 1;
    }

    /// Erases the line.
    pub(crate) fn end(&self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.inner.lock().expect("counting does not panic")
    }
}

impl State {
    fn line(&self, parts: usize, name: &str, share: f64) -> String {
        let whole = parts.max(1) as f64;
        let all = ((self.skipped + self.done) as f64 + share) / whole;
        let full = ((all * BAR as f64) as usize).min(BAR);
        let bar = "█".repeat(full) + &"·".repeat(BAR - full);
        let percent = all * 100.0;
        let left = self.left(parts, share);
        format!("{bar} {percent:>3.0} %  {name}{left}")
    }

    /// The estimated remaining time, at the pace so far.
    fn left(&self, parts: usize, share: f64) -> String {
        let worked = self.done as f64 + share;
        let rest = (parts - self.skipped.min(parts)) as f64 - worked;
        if worked < 0.05 {
            return String::new();
        }
        let seconds = self.begun.elapsed().as_secs_f64() / worked * rest;
        match seconds {
            s if s < 90.0 => format!(", {s:.0} s left"),
            s => format!(", {:.0} min left", s / 60.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        let state = State {
            begun: Instant::now(),
            told: None,
            skipped: 1,
            done: 2,
        };
        let line = state.line(4, "seed 3 agents", 0.0);
        assert!(
            line.starts_with(&("█".repeat(18) + "······  75 %  seed 3 agents, ")),
            "{line}"
        );
    }
}
