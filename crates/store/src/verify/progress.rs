//! How far a verification beside the store is, and what came of it.
//!
//! Written by the thread that walks, read by anybody at any time, and no lock is held while it walks. Knows
//! no clock of the day: a walk begins at the instant at which its store was opened, and ends so much later as it took. Read
//! next: [`super::beside`].

use super::VerifyProgress;
use crate::row::entry;
use domain::time::Timestamp;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How a verification beside a store is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VerificationState {
    /// There is none.
    #[default]
    Off,
    /// It is under way.
    Running,
    /// Everything was as it was written.
    Sound,
    /// Something was not as it was written.
    Damaged,
    /// It could not be done.
    Failed,
}

impl VerificationState {
    /// The name, everywhere: `running`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Running => "running",
            Self::Sound => "sound",
            Self::Damaged => "damaged",
            Self::Failed => "failed",
        }
    }
}

/// How far a verification beside a store is, since that was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// How it is.
    pub state: VerificationState,
    /// When it began; none if there is none.
    pub began: Option<Timestamp>,
    /// When it ended; none before.
    pub ended: Option<Timestamp>,
    /// Rows verified so far, told some thousand at a time, entries of the log among them.
    pub rows: u64,
    /// Entries of the log verified so far.
    pub entries: u64,
}

/// What the thread that walks tells.
#[derive(Debug)]
pub(crate) struct WalkProgress {
    began: Timestamp,
    since: Instant,
    outcome: Mutex<Option<(VerificationState, Timestamp)>>,
    rows: AtomicU64,
    entries: AtomicU64,
}

impl WalkProgress {
    /// That of a walk that begins.
    pub(crate) fn begin(now: Timestamp) -> Self {
        Self {
            began: now,
            since: Instant::now(),
            outcome: Mutex::default(),
            rows: AtomicU64::new(0),
            entries: AtomicU64::new(0),
        }
    }

    /// What a walk reports to: rows are told table by table, the next table from its first row on.
    pub(crate) fn report(&self) -> impl FnMut(VerifyProgress) {
        let (mut before, mut table, mut last) = (0, "", 0);
        move |told: VerifyProgress| {
            if told.table != table {
                (before, table) = (before + last, told.table);
            }
            last = told.rows;
            self.rows.store(before + last, Relaxed);
            if table == entry::TABLE {
                self.entries.store(last, Relaxed);
            }
        }
    }

    /// The walk has ended.
    pub(crate) fn end(&self, state: VerificationState) {
        let took = i64::try_from(self.since.elapsed().as_millis()).unwrap_or(i64::MAX);
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        *outcome = Some((state, self.began + took));
    }

    /// How far it is.
    pub(crate) fn told(&self) -> Verification {
        let outcome = *self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        Verification {
            state: outcome.map_or(VerificationState::Running, |(state, _)| state),
            began: Some(self.began),
            ended: outcome.map(|(_, at)| at),
            rows: self.rows.load(Relaxed),
            entries: self.entries.load(Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_all_tables_are_told_and_entries_of_the_log_besides() {
        let progress = WalkProgress::begin(Timestamp::from_ms(1_000));
        let mut report = progress.report();
        let told = || {
            let told = progress.told();
            (told.state, told.rows, told.entries)
        };
        let running = VerificationState::Running;
        assert_eq!(told(), (running, 0, 0));
        for (table, rows, told_then) in [
            (entry::TABLE, 16_384, (running, 16_384, 16_384)),
            (entry::TABLE, 20_000, (running, 20_000, 20_000)),
            ("task", 16_384, (running, 36_384, 20_000)),
            ("task", 16_390, (running, 36_390, 20_000)),
            ("team", 0, (running, 36_390, 20_000)),
            ("exchange", 5, (running, 36_395, 20_000)),
        ] {
            report(VerifyProgress { table, rows });
            assert_eq!(told(), told_then, "{table} {rows}");
        }
        assert_eq!(progress.told().ended, None);
        progress.end(VerificationState::Sound);
        let told = progress.told();
        assert_eq!(told.state, VerificationState::Sound);
        assert!(told.ended >= told.began, "{told:?}");
    }
}
