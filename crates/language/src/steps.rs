//! The work that reading a text is, counted: a token, a byte or a pair that is looked at is a step.
//!
//! Knows no clock, and nothing of what is read. The same text is the same number of steps on every
//! machine. Who reads asks [`Effort`] or [`ReadingBudget`] now and then whether it may go on. Read next:
//! `semantics::rules`, `a2a::telecom::translator` and `agents::complaints::reader`, which read what
//! others wrote.

use std::cell::Cell;

/// The most steps that one text of others may be.
pub const STEPS_MOST: u64 = 8_000_000;

/// The reason why the reading of a text of others was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GivenUp {
    /// It took more steps than it may.
    #[error("it takes more than {STEPS_MOST} steps to read")]
    Spent,
    /// Nobody waits for it any more.
    #[error("nobody waits for it any more")]
    Cancelled,
}

/// The steps taken on one text.
#[derive(Clone, Debug, Default)]
pub struct Steps(Cell<u64>);

impl Steps {
    /// Counts so many.
    pub fn take(&self, steps: usize) {
        self.0.set(self.0.get().saturating_add(steps as u64));
    }

    /// The number of steps taken.
    pub fn taken(&self) -> u64 {
        self.0.get()
    }
}

/// The work that a reading may be, and whether anybody still waits for it.
#[derive(Clone, Copy)]
pub struct Effort<'e> {
    /// The most steps.
    pub limit: u64,
    /// True when nobody waits any more.
    pub over: &'e dyn Fn() -> bool,
}

impl<'e> Effort<'e> {
    /// For a text of others: [`STEPS_MOST`], until `over` says so.
    pub fn until(over: &'e dyn Fn() -> bool) -> Self {
        let limit = STEPS_MOST;
        Self { limit, over }
    }

    /// For a text of one's own, however much work it is.
    pub fn any() -> Self {
        Self {
            limit: u64::MAX,
            over: &|| false,
        }
    }

    /// The effort that is left after these steps.
    pub fn less(self, steps: &Steps) -> Self {
        Self {
            limit: self.limit.saturating_sub(steps.taken()),
            ..self
        }
    }

    /// Checks whether a reading may go on after these steps.
    ///
    /// # Errors
    /// [`GivenUp`], with what it is given up for.
    pub fn allows(&self, steps: &Steps) -> Result<(), GivenUp> {
        if steps.taken() > self.limit {
            return Err(GivenUp::Spent);
        }
        match (self.over)() {
            true => Err(GivenUp::Cancelled),
            false => Ok(()),
        }
    }
}

/// A reading under way: its steps, and the effort that it may be.
pub struct ReadingBudget<'e> {
    steps: Steps,
    effort: Effort<'e>,
}

impl<'e> ReadingBudget<'e> {
    /// Of at most this effort.
    pub fn within(effort: Effort<'e>) -> Self {
        let steps = Steps::default();
        Self { steps, effort }
    }

    /// Counts so many steps.
    pub fn take(&self, steps: usize) {
        self.steps.take(steps);
    }

    /// The number of steps taken.
    pub fn taken(&self) -> u64 {
        self.steps.taken()
    }

    /// Checks whether it may go on.
    ///
    /// # Errors
    /// As of [`Effort::allows`].
    pub fn may_go_on(&self) -> Result<(), GivenUp> {
        self.effort.allows(&self.steps)
    }
}
