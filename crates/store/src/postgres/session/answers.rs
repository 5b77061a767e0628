//! What comes of what was sent: each answer is waited for in turn, and the first failure is kept.
//!
//! Read next: [`super`].

use super::{Expect, Sent, Session, Stage};
use crate::failure::FailureKind;
use crate::postgres::error::PostgresError;
use crate::postgres::wait::wait;
use std::future::Future;
use std::pin::Pin;
use std::time::Instant;

impl Session {
    /// Waits: first for what was sent before, then for this. A failure is the transaction's.
    pub(super) fn known<T>(
        &self,
        last: impl FnOnce() -> Result<T, PostgresError>,
    ) -> Result<T, PostgresError> {
        self.waits.set(self.waits.get() + 1);
        self.keep_unknown(0)?;
        last().map_err(|error| self.failing(error))
    }

    /// Waits for the answers of all but the last so many changes.
    pub(super) fn keep_unknown(&self, most: usize) -> Result<(), PostgresError> {
        while let Some(next) = self.next_beyond(most) {
            self.take(next);
        }
        self.broken()
    }

    fn next_beyond(&self, most: usize) -> Option<Sent> {
        let mut sent = self.sent.borrow_mut();
        match sent.len() > most {
            true => sent.pop_front(),
            false => None,
        }
    }

    /// Waits for one answer; of failures the first is kept.
    fn take(&self, mut sent: Sent) {
        let answer = self.answered(sent.answer.as_mut());
        let failed = match (answer, sent.expect) {
            (Ok(rows @ 1), Expect::One(_) | Expect::Owner) | (Ok(rows), Expect::Any) => {
                return self.changed(rows);
            }
            (Ok(rows), Expect::Each(wanted, _)) if rows == wanted => return self.changed(rows),
            (Ok(_), Expect::One(rule) | Expect::Each(_, rule)) => {
                PostgresError::new(FailureKind::Rule, rule)
            }
            (Ok(_), Expect::Owner) => PostgresError::fenced(),
            (Err(error), _) if sent.own => error.of_commit(),
            (Err(error), _) => error,
        };
        self.failed.borrow_mut().get_or_insert(failed);
    }

    /// An answer, within the bound. A session that gave none is cut: what it says later is no answer
    /// to what is asked next.
    pub(super) fn answered<T>(
        &self,
        answer: Pin<&mut (impl Future<Output = Result<T, tokio_postgres::Error>> + ?Sized)>,
    ) -> Result<T, PostgresError> {
        self.release();
        match wait(answer, Instant::now() + self.answer_within.get()) {
            Ok(answer) => answer.map_err(|error| self.noted(self.explained(&error))),
            Err(_) => {
                let within = self.answer_within.get();
                let late = PostgresError::lost(format_args!("no answer within {within:?}"));
                self.line.cut(late.clone());
                Err(self.noted(late))
            }
        }
    }

    /// The error, or what ended the connection, of which a statement learns only that it is closed.
    fn explained(&self, error: &tokio_postgres::Error) -> PostgresError {
        match self.line.ended() {
            Some(ended) if error.is_closed() => ended.clone(),
            _ => error.into(),
        }
    }

    /// The first failure of the transaction, from which others follow; outside of one each statement
    /// fails alone.
    pub(super) fn failing(&self, error: PostgresError) -> PostgresError {
        match self.stage.get() {
            Stage::Inside => self.failed.borrow_mut().get_or_insert(error).clone(),
            Stage::Outside => error,
        }
    }

    /// The failure of the transaction, if there is one. Outside one it is told once.
    pub(super) fn broken(&self) -> Result<(), PostgresError> {
        let mut failed = self.failed.borrow_mut();
        let told = match self.stage.get() {
            Stage::Inside => failed.clone(),
            Stage::Outside => failed.take(),
        };
        told.map_or(Ok(()), Err)
    }

    /// Waits for what was sent, whatever comes of it.
    pub(super) fn forget(&self) {
        self.gathered.clear();
        self.streams.settle(self);
        let _ = self.keep_unknown(0);
        *self.failed.borrow_mut() = None;
    }
}
