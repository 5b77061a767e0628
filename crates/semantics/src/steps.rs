//! How much work reading a text is, counted: a token, a byte or a pair that is looked at is a step.
//!
//! Knows no clock, and nothing of what is read. The same text is the same number of steps on every
//! machine. Who reads asks [`Effort`] now and then whether it may go on. Read next:
//! [`crate::rules`].

use std::cell::Cell;

/// Why a reading was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GivenUp {
    /// It took more steps than it may.
    Spent,
    /// Nobody waits for it any more.
    Cancelled,
}

/// The steps taken on one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps(Cell<u64>);

impl Steps {
    /// Counts so many.
    pub(crate) fn take(&self, steps: usize) {
        self.0.set(self.0.get().saturating_add(steps as u64));
    }

    /// How many there were.
    pub(crate) fn taken(&self) -> u64 {
        self.0.get()
    }
}

/// How much work a reading may be, and whether anybody still waits for it.
#[derive(Clone, Copy)]
pub(crate) struct Effort<'e> {
    /// The most steps.
    pub(crate) limit: u64,
    /// True when nobody waits any more.
    pub(crate) over: &'e dyn Fn() -> bool,
}

impl Effort<'_> {
    /// What is left of it after these steps.
    pub(crate) fn less(self, steps: &Steps) -> Self {
        Self {
            limit: self.limit.saturating_sub(steps.taken()),
            ..self
        }
    }

    /// Whether a reading may go on after these steps.
    pub(crate) fn allows(&self, steps: &Steps) -> Result<(), GivenUp> {
        if steps.taken() > self.limit {
            return Err(GivenUp::Spent);
        }
        match (self.over)() {
            true => Err(GivenUp::Cancelled),
            false => Ok(()),
        }
    }
}
