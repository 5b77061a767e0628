//! `data-write` and `data-read`: data that go with tasks, whole, elsewhere, or in pieces
//! (draft §5.2, data-params).
//!
//! Pieces may come out of order and twice; the last call verifies length and SHA-256 of the whole.
//! Nothing is held in memory but what is on its way to the disk, and nothing is ever fetched. Read
//! next: `domain::context`, `store::Chunk`.

pub(crate) mod entries;
pub(crate) mod operation;

use crate::accounts::Account;
use crate::accounts::quota::size_of;
use crate::commit::unit_of_work::UnitOfWork;
use crate::data::operation::{DataPiece, ReadData, WriteData, Written};
use crate::operation::Execution;
use crate::refusal::{Conflict, Field, InvalidInput, NotFound, OverLimit};
use crate::tasks::loaded::Name;
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::access::{Principal, Rows};
use domain::context::{Body, Chunked, DataParam, DataType};
use domain::identifier;
use domain::time::Timestamp;
use sha2::{Digest, Sha256};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use store::{Chunk, CommitError, Piece, Store, Ticket};

/// An entry that was counted among those of its writer was not stored.
fn give_back(counted: Option<Arc<Account>>, entry: &DataParam) {
    if let Some(account) = counted {
        account.give_back(size_of(entry));
    }
}

impl Engine {
    pub(crate) fn write_data(
        &self,
        who: &Principal,
        write: WriteData,
        now: Timestamp,
    ) -> Result<Execution<Written>, Refusal> {
        check(&write, self.limits.data_bytes)?;
        let about = write.task.clone().map(Name::Task).into_iter();
        let names: Vec<Name> = about.chain([Name::Data(write.id.clone())]).collect();
        let work = self.lock_with(&names);
        let (before, entry) = match self.entry(&work, &write.id)? {
            Some(known) if known.parties[0] != who.name => {
                // Only what could be begun is told that its identifier cannot be had.
                let entry = self.begun(&work, who, &write, now)?;
                self.store_for(&entry)?;
                give_back(Some(self.accounts().of(&who.name)), &entry);
                return Err(Conflict::Unobtainable {
                    field: Field::DataId,
                    id: write.id,
                }
                .into());
            }
            Some(known) => (Some(known.clone()), continued(&write, known)?),
            None => {
                let entry = self.begun(&work, who, &write, now)?;
                self.store_for(&entry)?;
                (None, entry)
            }
        };
        let mut unit = UnitOfWork::default();
        if before.as_ref() != Some(&entry) {
            self.keep_data(entry.clone(), &mut unit);
        }
        let counted = before.is_none().then(|| self.accounts().of(&who.name));
        let Body::Chunked(whole) = entry.body else {
            let ticket = self.commit(unit);
            return Ok(self.taken(ticket, entry, counted));
        };
        if whole.finished {
            return Ok(self.written_before(write, whole));
        }
        if !write.bytes.is_empty() {
            unit.chunks.push(Chunk {
                data: write.id.clone(),
                offset: write.offset,
                bytes: write.bytes.into(),
            });
        }
        let (ticket, store) = (self.commit(unit), self.store.clone());
        let (entries, finished) = (Arc::clone(&self.data), write.finished);
        let placement = Arc::clone(&self.tasks.shared.placement);
        Ok(Execution::later(async move {
            ticket.await.map_err(|cause| {
                give_back(counted, &entry);
                entries.take_back(&entry);
                overlap(&write.id, cause)
            })?;
            let map = store.chunk_map(&write.id)?;
            let received = map.iter().map(|piece| piece.length).sum();
            if finished {
                let sha256 = verify(&store, &entry, &map, whole).await?;
                let finished = DataParam {
                    body: Body::Chunked(Chunked {
                        sha256: Some(sha256),
                        finished: true,
                        ..whole
                    }),
                    ..entry
                };
                let mut unit = UnitOfWork::default();
                unit.data.push(finished);
                store.commit(unit.into_batch(&placement).0).await?;
            }
            Ok(Written { received, finished })
        }))
    }

    /// The answer to data that are entered whole.
    fn taken(
        &self,
        ticket: Ticket,
        entry: DataParam,
        counted: Option<Arc<Account>>,
    ) -> Execution<Written> {
        let entries = Arc::clone(&self.data);
        Execution::later(async move {
            ticket.await.inspect_err(|_| {
                give_back(counted, &entry);
                entries.take_back(&entry);
            })?;
            Ok(Written {
                received: entry.text().map_or(0, |t| t.len() as u64),
                finished: true,
            })
        })
    }

    /// A new entry.
    fn begun(
        &self,
        work: &Work<'_>,
        who: &Principal,
        write: &WriteData,
        now: Timestamp,
    ) -> Result<DataParam, Refusal> {
        let reader = match &write.task {
            Some(id) => {
                let task = work.known_task(id)?;
                let task = task.filter(|t| t.from == who.name || t.to == who.name);
                let task =
                    task.ok_or_else(|| crate::tasks::negotiate::routing::unknown_task(who, id))?;
                match task.from == who.name {
                    true => task.to.clone(),
                    false => task.from.clone(),
                }
            }
            None => write.reader.clone().unwrap_or_else(|| who.name.clone()),
        };
        let data_type = write.data_type.unwrap_or(DataType::Text);
        Ok(DataParam {
            task: write.task.clone(),
            data_type,
            body: body(write, data_type)?,
            ..DataParam::inline(
                write.id.clone(),
                [who.name.clone(), reader],
                write.description.as_deref().unwrap_or(""),
                write
                    .format
                    .as_deref()
                    .unwrap_or("application/octet-stream"),
                String::new(),
                now,
            )
        })
    }

    /// A call that was made before, or one that comes too late.
    fn written_before(&self, write: WriteData, whole: Chunked) -> Execution<Written> {
        let store = self.store.clone();
        Execution::later(async move {
            let stored = store.read_data(&write.id, write.offset, write.bytes.len())?;
            match stored == write.bytes {
                true => Ok(Written {
                    received: whole.size,
                    finished: true,
                }),
                false => Err(mismatch(&write.id, "it is finished")),
            }
        })
    }

    pub(crate) fn read_data(&self, who: &Principal, read: &ReadData) -> Result<DataPiece, Refusal> {
        let id = &read.id;
        let entry = self.store.data_param(id)?;
        let entry = entry.filter(|d| {
            self.access
                .sees(who, Rows::Data, &d.parties[0], &d.parties[1])
        });
        let entry = entry.ok_or_else(|| NotFound::Data {
            id: id.clone(),
            user: who.name.clone(),
        })?;
        let (size, sha256) = match &entry.body {
            Body::Inline(text) => (text.len() as u64, Some(self::sha256(text.as_bytes()))),
            Body::Chunked(whole) if whole.finished => (whole.size, whole.sha256),
            Body::Chunked(_) => return Err(mismatch(id, "it is not finished")),
            Body::Elsewhere(url) => {
                let why = format!("it is at '{url}', from where nothing is fetched");
                return Err(mismatch(id, why));
            }
        };
        let bytes = self.store.read_data(id, read.offset, read.length)?;
        let last = read.offset.saturating_add(bytes.len() as u64) >= size;
        Ok(DataPiece {
            bytes,
            size,
            sha256,
            last,
        })
    }

    /// Stages an entry; the next decision sees it.
    pub(crate) fn keep_data(&self, entry: DataParam, unit: &mut UnitOfWork) {
        self.data.put(entry.clone());
        unit.data.push(entry);
    }
}

/// What can be said of a call without looking at anything else.
fn check(write: &WriteData, most: u64) -> Result<(), Refusal> {
    let bad = |field, why: &str| Err(Refusal::unusable(field, why));
    let id = &write.id;
    if !identifier::is_identifier(id, 128) || id.contains('/') {
        let why = format!("1 to 128 bytes without '/', {}", identifier::RULE);
        return bad(Field::DataId, &why);
    }
    if write.bytes.len() > Body::CHUNK_MOST {
        return Err(OverLimit::TooMany {
            what: "bytes in one piece",
            most: Body::CHUNK_MOST as u64,
        }
        .into());
    }
    if write.size.is_some_and(|size| size > most) {
        return Err(OverLimit::TooMany {
            what: "bytes in an entry of data-params",
            most,
        }
        .into());
    }
    match &write.url {
        Some(_) if !write.bytes.is_empty() => {
            bad(Field::DataUrl, "data are here or elsewhere, not both")
        }
        Some(url) if !url.contains("://") || url.len() > 2_048 => {
            bad(Field::DataUrl, "not an absolute URL")
        }
        _ => Ok(()),
    }
}

/// Where the data of a new entry will be.
fn body(write: &WriteData, data_type: DataType) -> Result<Body, Refusal> {
    if let Some(url) = &write.url {
        return Ok(Body::Elsewhere(url.clone()));
    }
    let length = write.bytes.len() as u64;
    let whole = write.finished && write.offset == 0 && write.size.is_none_or(|s| s == length);
    if whole
        && data_type == DataType::Text
        && write.bytes.len() <= Body::INLINE_MOST
        && let Ok(text) = std::str::from_utf8(&write.bytes)
        && text.chars().all(is_yang)
    {
        if write.sha256.is_some_and(|sum| sum != sha256(&write.bytes)) {
            return Err(mismatch(&write.id, "its SHA-256 is another"));
        }
        return Ok(Body::Inline(text.to_owned()));
    }
    let size = write.size.or(whole.then_some(length));
    let size = size.ok_or(InvalidInput::Absent {
        field: Field::Size,
        why: "the first piece says how long the whole is",
    })?;
    within(write, size)?;
    Ok(Body::Chunked(Chunked {
        size,
        sha256: write.sha256,
        finished: false,
    }))
}

/// The characters of a string of YANG (RFC 7950 §9.4): those of XML but for noncharacters.
fn is_yang(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | ' '..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}' => true,
        _ => c >= '\u{10000}' && u32::from(c) & 0xfffe != 0xfffe,
    }
}

/// A further call for an entry that is there.
fn continued(write: &WriteData, known: DataParam) -> Result<DataParam, Refusal> {
    let same = |write: &WriteData| match &known.body {
        Body::Inline(text) => text.as_bytes() == write.bytes && write.offset == 0,
        Body::Elsewhere(url) => write.url.as_ref() == Some(url),
        Body::Chunked(_) => write.url.is_none(),
    };
    if !same(write) {
        return Err(mismatch(&write.id, "it is finished"));
    }
    let mut entry = known;
    if let Body::Chunked(whole) = &mut entry.body {
        if write.size.is_some_and(|size| size != whole.size) {
            let why = format!("it was announced with {} bytes", whole.size);
            return Err(mismatch(&write.id, why));
        }
        if whole.sha256.is_some() && write.sha256.is_some_and(|sum| Some(sum) != whole.sha256) {
            return Err(mismatch(&write.id, "it was announced with another SHA-256"));
        }
        if !whole.finished {
            whole.sha256 = whole.sha256.or(write.sha256);
        }
        within(write, whole.size)?;
    }
    Ok(entry)
}

fn within(write: &WriteData, size: u64) -> Result<(), Refusal> {
    let end = write.offset.checked_add(write.bytes.len() as u64);
    match end.is_some_and(|end| end <= size) {
        true => Ok(()),
        false => {
            let why = format!("the piece reaches beyond the {size} bytes announced");
            Err(mismatch(&write.id, why))
        }
    }
}

/// The SHA-256 of the whole, which is there and is what was announced; reads it piece by piece.
async fn verify(
    store: &Store,
    entry: &DataParam,
    map: &[Piece],
    whole: Chunked,
) -> Result<[u8; 32], Refusal> {
    let mut end = 0;
    for piece in map {
        if piece.offset != end {
            break;
        }
        end += piece.length;
    }
    if end != whole.size {
        let why = format!("of {} bytes those from {end} on are missing", whole.size);
        return Err(mismatch(&entry.id, why));
    }
    let (mut hash, mut offset) = (Sha256::new(), 0);
    while offset < whole.size {
        let piece = store.read_data(&entry.id, offset, Body::CHUNK_MOST)?;
        if piece.is_empty() {
            break;
        }
        offset += piece.len() as u64;
        hash.update(&piece);
        let_others().await;
    }
    let sum = hash.finalize().into();
    match whole.sha256.is_none_or(|announced| announced == sum) {
        true => Ok(sum),
        false => Err(mismatch(&entry.id, "its SHA-256 is another")),
    }
}

/// Lets whoever shares the thread have a turn.
async fn let_others() {
    let mut waited = false;
    poll_fn(|context| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

fn mismatch(id: &str, why: impl Into<String>) -> Refusal {
    Conflict::DataMismatch {
        id: id.to_owned(),
        why: why.into(),
    }
    .into()
}

fn overlap(id: &str, cause: CommitError) -> Refusal {
    match cause {
        CommitError::Overlap { .. } => mismatch(id, cause.to_string()),
        other => other.into(),
    }
}
