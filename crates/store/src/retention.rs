//! Removing old rows: ended tasks with everything that belongs to them, and the log before them.
//!
//! Nothing of an open task is removed, nor of one with an open sub-task or parent. Records of a
//! task are removed with it; records of no task by their own age. The log is cut from its
//! beginning, up to the first entry about something that still exists. Each slice leaves signed
//! checkpoints of the shards that it is about, with the place of the cut and the numbers of removed rows. Freed pages are not
//! returned to the disk: they are reused first. Read next: [`cut`], `row::checkpoint`.

mod cut;

use crate::cipher::Tables;
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::heads::Heads;
use crate::job::{JobContext, JobError, Step};
use crate::read::chains::Chains;
use crate::read::log::first_time;
use crate::row::{RowError, entry, negotiation, push_config, task, team};
use crate::set::Set;
use crate::shard::{PerShard, Shard};
use crate::slice::Slice;
use crate::sql::{Session, values};
use cut::Cut;
use domain::event::{LogEvent, Sequence};
use domain::time::Timestamp;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The longest time that removing tasks takes in one slice.
const SLICE: Duration = Duration::from_millis(4);
/// The most rows of one table that one slice reads.
const ROWS: usize = 256;
/// The most pieces of data, of up to 256 KiB, that one slice removes.
const PIECES: usize = 8;

/// The retention policy. The default keeps everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// The age, since their last change, at which ended tasks and records of no task are removed,
    /// in milliseconds.
    pub max_age_ms: Option<i64>,
    /// The bytes in use above which the oldest are removed.
    pub max_bytes: Option<u64>,
    /// The age at which entries of the log are removed, in milliseconds, even if they are about an
    /// existing task: a task that never ends would otherwise keep all of the log behind it.
    pub log_max_age_ms: Option<i64>,
}

/// The result of a trim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trimmed {
    /// Tasks.
    pub tasks: u64,
    /// Exchanges.
    pub exchanges: u64,
    /// Data.
    pub data: u64,
    /// Entries of the log.
    pub entries: u64,
    /// The bytes of the file that are now in use.
    pub bytes: u64,
    /// The time of the first entry of the log; none if it is empty.
    pub log_began: Option<Timestamp>,
}

/// The tables whose rows may belong to no task, with the column of their age.
const LOOSE: [(&str, Set, &str, &str); 4] = [
    ("exchange", Set::Exchange, "request_time", ""),
    // Data named in the conditions of an open task belong to it, whatever their own column says.
    (
        "data_param",
        Set::DataParam,
        "changed_at",
        " AND NOT EXISTS (SELECT 1 FROM task WHERE ended = 0 AND conditions IS NOT NULL
           AND data_param.id = :given)",
    ),
    (
        "negotiation",
        Set::EndedNegotiation,
        "changed_at",
        " AND state <> 'open'",
    ),
    ("team", Set::Team, "changed_at", ""),
];

const CANDIDATES: &str = "SELECT number, id, changed_at, shard FROM task WHERE ended = 1
       AND (changed_at, number) > (?1, ?2) AND changed_at <= ?3
     ORDER BY changed_at, number LIMIT 64";

/// True if a task of the same family, from the root to the last sub-task, is open.
const FAMILY_IS_OPEN: &str = "WITH RECURSIVE up (id, parent) AS (
       SELECT id, parent FROM task WHERE number = ?1
       UNION SELECT task.id, task.parent FROM task JOIN up ON task.id = up.parent),
     down (id) AS (
       SELECT id FROM task WHERE number = ?1
       UNION SELECT task.id FROM task JOIN down ON task.parent = down.id)
     SELECT EXISTS (SELECT 1 FROM task
       WHERE id IN (SELECT id FROM up UNION SELECT id FROM down) AND ended = 0)";

/// A trim under way.
pub(crate) struct Trim {
    now: Timestamp,
    retention: Retention,
    /// The last task that was read: the time of its change, and its number.
    task: (i64, i64),
    /// The last row of each table in [`LOOSE`] that was read; none once all were.
    loose: [Option<i64>; 4],
    /// Numbers of removed data that may have left pieces.
    pieces: Option<Vec<i64>>,
    report: Trimmed,
}

impl Trim {
    pub(crate) fn new(now: Timestamp, retention: Retention) -> Self {
        Self {
            now,
            retention,
            task: (-1, 0),
            loose: [Some(0); 4],
            pieces: None,
            report: Trimmed::default(),
        }
    }

    pub(crate) fn into_report(self) -> Trimmed {
        self.report
    }

    pub(crate) fn step(&mut self, at: JobContext<'_>) -> Result<Step, JobError> {
        let JobContext {
            tables,
            heads,
            encryptor,
            ..
        } = at;
        let slice = Slice::begin(tables.session, heads, encryptor)?;
        let session = tables.session;
        let before = heads.clone();
        let mut cut = Cut::begin(session, heads.base)?;
        let limit = self.limit(session)?;
        let mut goes = self.remove_tasks(session, limit, heads, &mut cut, encryptor)?;
        goes |= self.remove_loose(session, limit, heads, encryptor)?;
        goes |= self.remove_pieces(session, encryptor)?;
        goes |= self.cut_log(tables, limit, heads.sequence(), &mut cut, encryptor)?;
        cut.write(session, (&before, heads), self.now, at.signer, encryptor)?;
        self.report.bytes = session.used_bytes()?.unwrap_or(0);
        self.report.log_began = first_time(session)?;
        slice.commit(heads, encryptor)?;
        let (before, after) = (before.counts(), heads.counts());
        self.report.tasks += before.tasks - after.tasks;
        self.report.exchanges += before.exchanges - after.exchanges;
        self.report.data += before.data - after.data;
        self.report.entries += cut.entries();
        Ok(if goes { Step::Goes } else { Step::Done })
    }

    /// The last instant up to which rows may be removed: all of them while too many bytes are used.
    fn limit(&self, session: Session<'_>) -> Result<i64, SqlFailure> {
        let most = self.retention.max_bytes.unwrap_or(u64::MAX);
        if session.used_bytes()?.is_some_and(|used| used > most) {
            return Ok(i64::MAX);
        }
        Ok(self.aged(self.retention.max_age_ms))
    }

    /// The last instant that is older than `age`; before all time if there is no limit.
    fn aged(&self, age: Option<i64>) -> i64 {
        age.map_or(-1, |age| self.now.as_ms().saturating_sub(age) - 1)
    }

    /// Removes ended tasks; true if there may be more.
    fn remove_tasks(
        &mut self,
        session: Session<'_>,
        limit: i64,
        heads: &mut Heads,
        cut: &mut Cut,
        encryptor: &mut Encryptor,
    ) -> Result<bool, JobError> {
        let closes = Instant::now() + SLICE;
        let behind = values![self.task.0, self.task.1, limit];
        let candidates = session.all(CANDIDATES, behind, |row| {
            Ok::<(i64, String, i64, Shard), SqlFailure>((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
            ))
        })?;
        if candidates.is_empty() {
            return Ok(false);
        }
        // Checkpoints say first what may go; they are signed when the slice is complete.
        let ended = candidates.iter();
        let ended = ended.map(|(_, _, at, shard)| (*shard, Timestamp::from_ms(*at)));
        cut.allow(session, ended.collect(), encryptor)?;
        for (number, id, changed_at, shard) in &candidates {
            if Instant::now() >= closes {
                break;
            }
            self.task = (*changed_at, *number);
            if !session.one(FAMILY_IS_OPEN, values![*number])? {
                self.remove_task(session, *number, id, heads, encryptor)?;
                heads.of_mut(*shard).counts.tasks -= 1;
            }
        }
        Ok(true)
    }

    fn remove_task(
        &mut self,
        session: Session<'_>,
        number: i64,
        id: &str,
        heads: &mut Heads,
        encryptor: &mut Encryptor,
    ) -> Result<(), JobError> {
        let pieces = "SELECT number FROM data_param WHERE task = ?1 AND size IS NOT NULL";
        let pieces = session.all(pieces, values![id], |row| row.get::<i64>(0))?;
        self.pieces.get_or_insert_default().extend(pieces);
        let mut delete = |set, sql: &str| encryptor.delete(session, set, sql, values![id]);
        // Not all of a task need be on its shard.
        let exchanges = "DELETE FROM exchange WHERE task = ?1 RETURNING number, digest, shard";
        for (shard, gone) in delete(Set::Exchange, exchanges)?.iter() {
            heads.of_mut(shard).counts.exchanges -= gone;
        }
        let data = "DELETE FROM data_param WHERE task = ?1 RETURNING number, digest, shard";
        for (shard, gone) in delete(Set::DataParam, data)?.iter() {
            heads.of_mut(shard).counts.data -= gone;
        }
        let team = "DELETE FROM team WHERE task = ?1 RETURNING number, digest, shard";
        delete(Set::Team, team)?;
        team::forget_candidates(session, id)?;
        let erasure = "DELETE FROM erasure WHERE task = ?1 RETURNING 0, digest, 0";
        delete(Set::Erasure, erasure)?;
        negotiation::forget_task(session, id, encryptor)?;
        push_config::forget_task(session, id, encryptor)?;
        task::remove(session, number, encryptor)?;
        Ok(())
    }

    /// Removes rows that belong to no task; true if there may be more.
    fn remove_loose(
        &mut self,
        session: Session<'_>,
        limit: i64,
        heads: &mut Heads,
        encryptor: &mut Encryptor,
    ) -> Result<bool, JobError> {
        for (place, (table, set, age, and)) in LOOSE.into_iter().enumerate() {
            let Some(after) = self.loose[place] else {
                continue;
            };
            let and = and.replace(":given", session.given());
            let sql = format!(
                "SELECT number, {age}, NOT EXISTS
                   (SELECT 1 FROM task WHERE task.id = {table}.task){and}, shard
                 FROM {table} WHERE number > ?1 ORDER BY number LIMIT {ROWS}"
            );
            let found = session.all(&sql, values![after], |row| {
                Ok::<(i64, i64, bool, Shard), SqlFailure>((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                ))
            })?;
            // Rows lie about in the order of their age: behind the first that is too young, more
            // that are old enough wait for the next trim.
            let old = found.iter().take_while(|(_, at, ..)| *at <= limit);
            let old: Vec<_> = old.collect();
            let ends = old.len() < ROWS;
            self.loose[place] = (!ends).then(|| old[ROWS - 1].0);
            let delete =
                format!("DELETE FROM {table} WHERE number = ?1 RETURNING number, digest, shard");
            for (number, _, _, shard) in old.into_iter().filter(|(_, _, loose, _)| *loose) {
                encryptor.delete(session, set, &delete, values![*number])?;
                match table {
                    "exchange" => heads.of_mut(*shard).counts.exchanges -= 1,
                    "data_param" => {
                        heads.of_mut(*shard).counts.data -= 1;
                        self.pieces.get_or_insert_default().push(*number);
                    }
                    _ => {}
                }
            }
        }
        Ok(self.loose.iter().any(Option::is_some))
    }

    /// Removes pieces whose data are gone, a few at a time; true if there may be more.
    fn remove_pieces(
        &mut self,
        session: Session<'_>,
        encryptor: &mut Encryptor,
    ) -> Result<bool, JobError> {
        if self.pieces.is_none() {
            self.pieces = Some(pieces_of_nothing(session)?);
        }
        let pieces = self.pieces.get_or_insert_default();
        let mut left = PIECES;
        while let (Some(data), true) = (pieces.last(), left > 0) {
            let delete = "DELETE FROM data_chunk WHERE number IN
                (SELECT number FROM data_chunk WHERE data = ?1 LIMIT ?2)
                RETURNING number, digest, shard";
            let most = values![*data, left as i64];
            let gone = encryptor.delete(session, Set::DataChunk, delete, most)?;
            let gone = gone.values().sum::<u64>() as usize;
            if gone < left {
                pieces.pop();
            }
            left -= gone;
        }
        Ok(!pieces.is_empty())
    }

    /// Cuts the beginning of the log that is only about removed things; true if there may be more.
    fn cut_log(
        &mut self,
        tables: Tables<'_>,
        limit: i64,
        last: Sequence,
        cut: &mut Cut,
        encryptor: &mut Encryptor,
    ) -> Result<bool, JobError> {
        let old = self.aged(self.retention.log_max_age_ms);
        let session = tables.session;
        let mut chains = Chains::behind(session, 0)?;
        let (mut gone, mut ends) = (0, PerShard::default());
        let behind = values![chains.last as i64, ROWS as i64];
        session.query(entry::BEHIND, behind, |row| {
            let read = chains.read(row, tables.keys)?;
            let time = read.entry.time.as_ms();
            let goes = time <= old
                || (time <= limit && !speaks_of_what_is_there(session, &read.entry.happening)?);
            if !goes {
                return Ok(ControlFlow::Break(()));
            }
            ends.set(read.shard, (read.entry.sequence, read.sum));
            gone += 1;
            Ok::<_, RowError>(ControlFlow::Continue(()))
        })?;
        if gone == 0 {
            return Ok(false);
        }
        let until = cut.behind(session, &ends, encryptor)?;
        entry::forget_until(session, until, gone, encryptor)?;
        Ok(gone == ROWS && until < last)
    }
}

fn speaks_of_what_is_there(session: Session<'_>, happening: &LogEvent) -> Result<bool, SqlFailure> {
    let Some(task) = happening.task() else {
        return Ok(false);
    };
    let sql = "SELECT EXISTS (SELECT 1 FROM task WHERE id = ?1)
        OR EXISTS (SELECT 1 FROM negotiation WHERE task = ?1)";
    session.one(sql, values![task.as_str()])
}

/// Numbers of removed data that left pieces: a trim was interrupted.
fn pieces_of_nothing(session: Session<'_>) -> Result<Vec<i64>, SqlFailure> {
    let sql = "SELECT DISTINCT data FROM data_chunk
        WHERE data NOT IN (SELECT number FROM data_param)";
    session.all(sql, &[], |row| row.get(0))
}
