//! The rows of a batch, made ready apart from the transaction that writes them.
//!
//! ```text
//! values ─► JSON ─► ciphertexts ─► digests ─► codes ─┬─► numbers, sums, the chain ─► the database
//!                      any thread                    │             the writer
//! ```
//! What depends on a place that only the writer gives is made by the writer: the ciphertext of an entry of the log,
//! which is bound to its sequence and its time; the code of data, which is bound to their number; and pieces of
//! data. Knows no SQL. Read next: [`crate::row`], `transaction`.

use crate::batch::Batch;
use crate::cover::{Covered, Stamped};
use crate::row::cursor::CursorChange;
use crate::row::push_config::PushChange;
use crate::row::replaceable::Replaceable;
use crate::row::{cursor, entry, negotiation, observation, registration};
use crate::row_keys::RowKeys;
use domain::task::{Task, TaskId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A batch and cursors that become durable together, or not at all.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) batch: Batch,
    pub(crate) cursors: Vec<CursorChange>,
}

/// What is wanted, with its rows.
pub(crate) struct Prepared {
    pub(crate) wanted: Box<Wanted>,
    /// None if nobody made them ready: then the writer does, just before it writes them.
    pub(crate) rows: Option<Box<Rows>>,
}

/// The rows of a batch and of cursors, each in the place of its value.
pub(crate) struct Rows {
    /// The period of the keys that they were made ready with; none without keys.
    period: Option<u32>,
    /// None for a task that a later state of it in the batch follows.
    pub(crate) tasks: Vec<Option<Stamped<6>>>,
    pub(crate) exchanges: Vec<Stamped<1>>,
    pub(crate) data: Vec<Covered<4>>,
    pub(crate) happenings: Vec<entry::Prepared>,
    pub(crate) negotiations: Vec<negotiation::Prepared>,
    pub(crate) registrations: Vec<registration::Prepared>,
    pub(crate) teams: Vec<Stamped<1>>,
    /// None for one that is deleted.
    pub(crate) pushes: Vec<Option<Stamped<1>>>,
    /// None for one that is deleted.
    pub(crate) documents: Vec<Option<Stamped<1>>>,
    pub(crate) observations: Vec<Stamped<1>>,
    /// None for one that is deleted.
    pub(crate) cursors: Vec<Option<cursor::Prepared>>,
}

impl Rows {
    /// Makes the rows ready.
    pub(crate) fn of(Wanted { batch, cursors }: &Wanted, keys: &RowKeys) -> Self {
        let Batch {
            tasks,
            exchanges,
            data,
            happenings,
            negotiations,
            registrations,
            teams,
            pushes,
            documents,
            observations,
            // Made ready by the writer, or no rows.
            shard: _,
            elsewhere: _,
            chunks: _,
            left: _,
            observed: _,
            mark: _,
        } = batch;
        let happenings = happenings.iter();
        let documents = documents.iter();
        let observations = observations.iter();
        Self {
            period: keys.period().map(|period| period.number),
            tasks: last_states(tasks, keys),
            exchanges: all(exchanges, keys),
            data: all(data, keys),
            happenings: happenings.map(|(_, it)| entry::prepare(it)).collect(),
            negotiations: all(negotiations.iter().map(AsRef::as_ref), keys),
            registrations: all(registrations.iter().map(AsRef::as_ref), keys),
            teams: all(teams.iter().map(AsRef::as_ref), keys),
            pushes: pushes.iter().map(|it| pushed(it, keys)).collect(),
            documents: documents
                .map(|it| it.body.is_some().then(|| it.prepare(keys)))
                .collect(),
            observations: observations
                .map(|it| observation::prepare(it, keys))
                .collect(),
            cursors: cursors.iter().map(|it| moved(it, keys)).collect(),
        }
    }

    /// True if they were made ready with these keys.
    pub(crate) fn are_under(&self, keys: &RowKeys) -> bool {
        self.period == keys.period().map(|period| period.number)
    }
}

fn all<'v, V: Replaceable + 'v>(
    values: impl IntoIterator<Item = &'v V>,
    keys: &RowKeys,
) -> Vec<V::Prepared> {
    let values = values.into_iter();
    values.map(|value| value.prepare(keys)).collect()
}

/// Intermediate states within a batch are in the log alone.
fn last_states(tasks: &[Arc<Task>], keys: &RowKeys) -> Vec<Option<Stamped<6>>> {
    if let [only] = tasks {
        return vec![Some(only.prepare(keys))];
    }
    let mut later: BTreeSet<&TaskId> = BTreeSet::new();
    let backwards = tasks.iter().rev();
    let rows = backwards.map(|task| later.insert(&task.id).then(|| task.prepare(keys)));
    let mut rows: Vec<_> = rows.collect();
    rows.reverse();
    rows
}

fn pushed(change: &PushChange, keys: &RowKeys) -> Option<Stamped<1>> {
    match change {
        PushChange::Keep(config) => Some(config.prepare(keys)),
        PushChange::Forget { .. } => None,
    }
}

fn moved(change: &CursorChange, keys: &RowKeys) -> Option<cursor::Prepared> {
    match change {
        CursorChange::Keep(cursor) => Some(cursor.prepare(keys)),
        CursorChange::Forget(_) => None,
    }
}
