//! What a group replaces, looked up at once where the database is far away.
//!
//! Read next: [`super`].

use crate::failure::SqlFailure;
use crate::known::Known;
use crate::prepared::Prepared;
use crate::row::replaceable::Replaceable;
use crate::row::{data_param, document, exchange, negotiation, task, team};
use crate::sql::Session;
use domain::task::TaskId;
use std::collections::BTreeSet;

/// Has what most batches replace looked up at once, where that is far away.
pub(super) fn look_ahead(
    session: Session<'_>,
    group: &[Prepared],
    known: &Known,
) -> Result<(), SqlFailure> {
    if !session.is_pipelined() {
        return Ok(());
    }
    let batches = || group.iter().map(|prepared| &prepared.wanted.batch);
    let tasks = batches().flat_map(|batch| &batch.tasks);
    // What is looked up now does not say what the group itself inserts.
    let new: BTreeSet<&TaskId> = tasks
        .clone()
        .filter(|it| it.version == 1)
        .map(|it| &it.id)
        .collect();
    let tasks = tasks.filter(|it| !new.contains(&it.id) && !known.has_task(&it.id));
    let exchanges = batches().flat_map(|batch| &batch.exchanges);
    let exchanges = exchanges.filter(|it| !it.is_new() && !known.has(*it));
    let data = batches().flat_map(|batch| &batch.data);
    let data = data.filter(|it| !known.has(*it));
    let documents = batches().flat_map(|batch| &batch.documents);
    let documents = documents.filter(|it| !known.has(*it));
    let negotiations = batches().flat_map(|batch| &batch.negotiations);
    let negotiations = negotiations.filter(|it| !known.has(&***it));
    let teams = batches().flat_map(|batch| &batch.teams);
    let teams = teams.filter(|it| !known.has(&***it));
    session.look_ahead([
        (task::STORED, tasks.map(|it| vec![it.id.as_str()]).collect()),
        (
            exchange::STANDING,
            exchanges.map(|it| vec![&*it.id]).collect(),
        ),
        (data_param::STANDING, data.map(|it| vec![&*it.id]).collect()),
        (
            document::STANDING,
            documents.map(|it| vec![&*it.kind, &*it.name]).collect(),
        ),
        (
            negotiation::STANDING,
            negotiations
                .map(|it| vec![it.task.as_str(), it.kind.as_str()])
                .collect(),
        ),
        (
            team::STANDING,
            teams.map(|it| vec![it.task.as_str()]).collect(),
        ),
    ])
}
