//! A session whose connection is lost, and the one that takes its place.
//!
//! Read next: [`super`].

use super::Session;
use crate::failure::SqlFailure;
use crate::postgres::error::PostgresError;
use std::time::{Duration, Instant};

/// The shortest time for which a database that could not be reached is not tried again.
const LEFT_ALONE: Duration = Duration::from_millis(100);

/// An attempt to connect that failed.
pub(super) struct Missed {
    /// Until then the same is told of others.
    until: Instant,
    why: PostgresError,
}

impl Session {
    /// True if nothing more can come of it: a new one is needed.
    pub(crate) fn is_lost(&self) -> bool {
        self.over.get() || self.line.client.is_closed() || self.line.ended().is_some()
    }

    /// Notes an error after which the connection is of no use.
    pub(super) fn noted(&self, error: PostgresError) -> PostgresError {
        if error.ends_a_session() {
            self.over.set(true);
        }
        error
    }

    /// Connects anew if the connection is lost; what was under way then is over. After an attempt that
    /// failed others fail at once for as long as that took, so that whoever asks in turn waits for one.
    pub(crate) fn renewed(&mut self) -> Result<(), SqlFailure> {
        if !self.is_lost() {
            return Ok(());
        }
        let begun = Instant::now();
        if let Some(missed) = self.missed.as_ref().filter(|missed| begun < missed.until) {
            return Err(missed.why.clone().into());
        }
        match Self::open(&self.net, &self.address) {
            Ok(renewed) => {
                renewed.fence.set(self.fence.get());
                renewed.while_unknown.swap(&self.while_unknown);
                renewed.renewal.swap(&self.renewal);
                renewed.idle.set(self.idle.get());
                *self = Self {
                    answer_within: self.answer_within.clone(),
                    ..renewed
                };
                Ok(())
            }
            Err(error) => {
                let why = PostgresError::from(error);
                let until = Instant::now() + begun.elapsed().max(LEFT_ALONE);
                self.missed = Some(Missed {
                    until,
                    why: why.clone(),
                });
                Err(why.into())
            }
        }
    }
}
