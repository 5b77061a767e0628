//! Erasing the contents of one ended task, while the rest of the state stays verifiable.
//!
//! The rows of the task stay, with parties, times and final state; contents are blanked: those of
//! the task, its exchanges, its data, its negotiations, its team and its entries of the log. Its
//! push configurations are deleted. Each entry keeps the digest of the body it had, so that the
//! chain holds. Erased bytes are overwritten in the file and, if no reader prevents it, dropped
//! from the write-ahead log. Read next: `row::erasure`.

use crate::batch::CommitError;
use crate::cipher::Tables;
use crate::encryptor::Encryptor;
use crate::heads::Heads;
use crate::job::{JobContext, JobError, Step};
use crate::read::chains::Chains;
use crate::read::log;
use crate::read::{ReadError, records, tasks};
use crate::row::erasure::Erasure;
use crate::row::numbers::THERE;
use crate::row::replaceable::put;
use crate::row::{RowError, entry, push_config};
use crate::set::Set;
use crate::sign::Signer;
use crate::slice::Slice;
use crate::sql::{Row, values};
use domain::content::Content;
use domain::context::Body;
use domain::event::{LogEvent, Sequence};
use domain::negotiation::{Speech, Turn};
use domain::task::{Task, TaskId};
use domain::time::Timestamp;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The entries of the log that one slice reads.
const ENTRIES: usize = 500;

/// An erasure under way.
pub(crate) struct Erase {
    task: TaskId,
    now: Timestamp,
    /// The last entry that was read; none before the first slice.
    seen: Option<Sequence>,
    /// The entries about the task.
    entries: Vec<Sequence>,
    record: Option<Erasure>,
}

impl Erase {
    pub(crate) fn new(task: TaskId, now: Timestamp) -> Self {
        Self {
            task,
            now,
            seen: None,
            entries: Vec::new(),
            record: None,
        }
    }

    pub(crate) fn into_record(self) -> Result<Erasure, CommitError> {
        self.record.ok_or(CommitError::Stopped)
    }

    pub(crate) fn step(&mut self, at: JobContext<'_>) -> Result<Step, JobError> {
        let Some(seen) = self.seen else {
            return self.begin(at.tables);
        };
        let seen = self.look(at.tables, seen)?;
        self.seen = Some(seen);
        if seen < at.heads.sequence() {
            return Ok(Step::Goes);
        }
        let session = at.tables.session;
        session.overwrite(true)?;
        let erased = self.erase(at.tables, at.heads, at.encryptor, at.signer);
        session.overwrite(false)?;
        self.record = Some(erased?);
        session.sweep();
        Ok(Step::Done)
    }

    /// Finds the task, and the first entry of the log about it.
    fn begin(&mut self, tables: Tables<'_>) -> Result<Step, JobError> {
        let task = found(self, tables)?;
        if let Some(record) = records::erasure(tables, &self.task).map_err(refused)? {
            self.record = Some(record);
            return Ok(Step::Done);
        }
        let sql = "SELECT min(request_time) FROM exchange WHERE task = ?1";
        let said: Option<i64> = tables.session.one(sql, values![self.task.as_str()])?;
        let negotiations = records::negotiations(tables, &self.task).map_err(refused)?;
        let turns = negotiations.iter().flat_map(|n| &n.turns).map(|t| t.at);
        let times = turns.chain(said.map(Timestamp::from_ms));
        let first = times.fold(task.created_at, Timestamp::min);
        self.seen = Some(log::sequence_at(tables.session, first).map_err(refused)?);
        Ok(Step::Goes)
    }

    /// Looks for the task in the next entries of the log.
    fn look(&mut self, tables: Tables<'_>, seen: Sequence) -> Result<Sequence, JobError> {
        let mut chains = Chains::behind(tables.session, seen)?;
        let behind = values![chains.last as i64, ENTRIES as i64];
        tables.session.query(entry::BEHIND, behind, |row| {
            let read = chains.read(row, tables.keys)?;
            if blank(&read.entry.happening, &self.task).is_some() {
                self.entries.push(read.entry.sequence);
            }
            Ok::<_, RowError>(ControlFlow::Continue(()))
        })?;
        Ok(chains.last)
    }

    fn erase(
        &self,
        tables: Tables<'_>,
        heads: &Heads,
        encryptor: &mut Encryptor,
        signer: Option<&dyn Signer>,
    ) -> Result<Erasure, JobError> {
        let slice = Slice::begin(tables.session, heads, encryptor)?;
        let task = found(self, tables)?;
        let filter = records::Filter {
            task: Some(self.task.clone()),
            limit: usize::MAX,
            ..records::Filter::default()
        };
        let exchanges = records::exchanges(tables, &filter).map_err(refused)?.rows;
        let data = records::data_params(tables, &filter).map_err(refused)?.rows;
        let mut record = Erasure {
            task: self.task.clone(),
            time: self.now,
            exchanges: exchanges.len() as u64,
            data: data.len() as u64,
            entries: self.entries.len() as u64,
            signature: Vec::new(),
        };
        let session = tables.session;
        record.write(session, signer, encryptor)?;
        put(session, &blank_task(&task), THERE, encryptor)?;
        for mut exchange in exchanges {
            exchange.request = String::new();
            put(session, &exchange, THERE, encryptor)?;
        }
        for mut data in data {
            let pieces = "DELETE FROM data_chunk
                WHERE data = (SELECT number FROM data_param WHERE id = ?1) RETURNING number, digest, shard";
            encryptor.delete(session, Set::DataChunk, pieces, values![&data.id])?;
            data.body = Body::Inline(String::new());
            data.description = String::new();
            put(session, &data, THERE, encryptor)?;
        }
        self.erase_negotiations(tables, encryptor)?;
        push_config::forget_task(session, self.task.as_str(), encryptor)?;
        for sequence in &self.entries {
            erase_entry(tables, encryptor, *sequence, &self.task, signer)?;
        }
        slice.commit(heads, encryptor)?;
        Ok(record)
    }

    fn erase_negotiations(
        &self,
        tables: Tables<'_>,
        encryptor: &mut Encryptor,
    ) -> Result<(), JobError> {
        for mut found in records::negotiations(tables, &self.task).map_err(refused)? {
            found.turns = found.turns.iter().map(blank_turn).collect();
            put(tables.session, &found, THERE, encryptor)?;
        }
        if let Some(mut found) = records::team(tables, &self.task).map_err(refused)? {
            for need in &mut found.needs {
                need.content = nothing();
            }
            for candidate in &mut found.candidates {
                candidate.reasons.clear();
            }
            put(tables.session, &found, THERE, encryptor)?;
        }
        Ok(())
    }
}

fn refused(error: ReadError) -> JobError {
    match error {
        ReadError::Corrupt { table, key } | ReadError::Forged { table, key } => {
            JobError::Refused(CommitError::Damaged { table, key })
        }
        ReadError::Unknown { id } => JobError::Refused(CommitError::UnknownTask {
            task: TaskId::new(id),
        }),
        ReadError::Unreachable(cause) => JobError::Failed(cause),
        ReadError::Failed(cause) => JobError::Refused(CommitError::Write(cause)),
    }
}

/// The task, which must have ended.
fn found(erase: &Erase, tables: Tables<'_>) -> Result<Task, JobError> {
    let task = tasks::task(tables, &erase.task).map_err(refused)?;
    let task = task.ok_or_else(|| {
        JobError::Refused(CommitError::UnknownTask {
            task: erase.task.clone(),
        })
    })?;
    match task.status.is_terminal() {
        true => Ok(task),
        false => Err(JobError::Refused(CommitError::Open {
            task: task.id,
            status: task.status,
        })),
    }
}

fn nothing() -> Content {
    Content::new("", "")
}

fn blank_task(task: &Task) -> Task {
    Task {
        content: nothing(),
        text: String::new(),
        plan: task.plan.as_ref().map(|_| nothing()),
        result: task.result.as_ref().map(|_| nothing()),
        said: task.said.as_ref().map(|_| nothing()),
        ..task.clone()
    }
}

fn blank_turn(turn: &Turn) -> Turn {
    Turn {
        speech: Speech {
            contents: turn.speech.contents.iter().map(|_| nothing()).collect(),
            reasons: Vec::new(),
            ..turn.speech.clone()
        },
        ..turn.clone()
    }
}

/// A happening about this task without its contents; none if it is about something else.
fn blank(happening: &LogEvent, task: &TaskId) -> Option<LogEvent> {
    match happening {
        LogEvent::Task(told) if told.task == *task => {
            let mut left = told.as_ref().clone();
            left.content = nothing();
            Some(LogEvent::Task(Arc::new(left)))
        }
        LogEvent::Negotiation(told) if told.task == *task => {
            let mut left = told.as_ref().clone();
            left.turn = left.turn.as_ref().map(blank_turn);
            Some(LogEvent::Negotiation(Arc::new(left)))
        }
        _ => None,
    }
}

fn erase_entry(
    tables: Tables<'_>,
    encryptor: &mut Encryptor,
    sequence: Sequence,
    task: &TaskId,
    signer: Option<&dyn Signer>,
) -> Result<(), JobError> {
    // The log may have been cut meanwhile.
    let mut chains = Chains::behind(tables.session, sequence - 1)?;
    if chains.last != sequence - 1 {
        return Ok(());
    }
    let behind = values![chains.last as i64, 1_i64];
    let read = |row: &Row<'_>| chains.read(row, tables.keys);
    let Some(read) = tables.session.find(entry::BEHIND, behind, read)? else {
        return Ok(());
    };
    if let (Some(left), None) = (blank(&read.entry.happening, task), &read.erased) {
        entry::erase(tables.session, &read, &left, signer, encryptor)?;
    }
    Ok(())
}
