//! Opening a state: lock, files, checks, recovery.
//!
//! Refuses rather than repairs: a state that is locked, newer, foreign, damaged, forged or rolled
//! back is not opened. Read next: `options`, `file`, `connection`, `guard`; then `writer`.

mod error;
mod file;
mod guard;
mod host_key;
mod location;
mod options;

pub use error::OpenError;
pub use file::locked;
pub(crate) use file::{beside, private, size};
pub(crate) use guard::Arrival;
pub use location::Location;
pub use options::{Options, Spawn};

use file::prepare;

use crate::backend::{Backend, Untrusted};
use crate::budget::{Budget, ENDLESS};
use crate::cipher::{Keys, Tables};
use crate::data_key;
use crate::encryptor::Encryptor;
use crate::heads;
use crate::keys::KeyKeeper;
use crate::outside::{HeadWriter, Seen};
use crate::read::{Readers, log, tasks};
use crate::reencrypt::KeyChange;
use crate::row::head::Counts;
use crate::row::numbers::Numbers;
use crate::row::{RowError, negotiation, registration, task};
use crate::schema;
use crate::shard::Shard;
use crate::sql::{Row, Session};
use crate::transaction::Ends;
use domain::event::Sequence;
use domain::negotiation::Negotiation;
use domain::registry::Registration;
use domain::task::Task;
use domain::time::Timestamp;
use std::collections::BTreeSet;
use std::fs::File;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The contents of a state that were read when it was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovered {
    /// The tasks that have not ended, in the order in which they changed last.
    pub tasks: Vec<Arc<Task>>,
    /// The negotiations on which decisions are based: see [`Decided::negotiations`].
    pub negotiations: Vec<Arc<Negotiation>>,
    /// Every registration, by name.
    pub registrations: Vec<Arc<Registration>>,
    /// The number of rows.
    pub counts: Counts,
    /// The last entry of the log; 0 if it is empty.
    pub last: Sequence,
    /// The time of that entry; 1970 if the log is empty.
    pub last_time: Timestamp,
    /// The time of the first entry of the log; none if it is empty.
    pub log_began: Option<Timestamp>,
    /// The doubts that were accepted, and are recorded: see [`Options::accept`].
    pub accepted: Vec<String>,
}

/// The rows on which decisions are based.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decided {
    /// The tasks that have not ended, in the order in which they changed last.
    pub tasks: Vec<Arc<Task>>,
    /// The negotiations that are open, in the order in which they changed last; behind them those of open
    /// tasks that are closed, in any, but for what was agreed before there was a task.
    pub negotiations: Vec<Arc<Negotiation>>,
    /// Every registration, by name.
    pub registrations: Vec<Arc<Registration>>,
}

/// A state that is open and passed the checks.
pub(crate) struct Opened {
    pub(crate) backend: Backend,
    pub(crate) readers: Readers,
    pub(crate) keys: Arc<Keys>,
    pub(crate) encryptor: Encryptor,
    /// The change of data keys that are wrapped under an old master key.
    pub(crate) rewrap: Option<KeyChange>,
    pub(crate) ends: Ends,
    /// The shards whose head is not sealed.
    pub(crate) unsealed: BTreeSet<Shard>,
    pub(crate) recovered: Recovered,
    /// The writer of the head outside; none if it is kept nowhere else.
    pub(crate) outside: Option<HeadWriter>,
    /// The lock, held as long as the state is open.
    pub(crate) lock: Option<File>,
}

pub(crate) fn open(options: &Options) -> Result<Opened, OpenError> {
    let lock = match &options.location {
        Location::File(path) => Some(prepare(path)?),
        location @ Location::Postgres(_) => {
            let lock = options.lock.as_deref();
            lock.map(|path| locked(path, location)).transpose()?
        }
        Location::Memory => None,
    };
    let untrusted = Untrusted::writer(options)?;
    let (session, budget) = (untrusted.session(), untrusted.budget());
    let keys = budget.outcome(keys(session, options))?;
    // Its first page says so, which has been read by now.
    if untrusted.is_readonly()? {
        return Err(OpenError::ReadOnly);
    }
    // All of it or nothing: a process that is killed leaves the state as it was.
    // Whoever keeps the state ours meanwhile is not waited for, nor kept waiting.
    let transaction = session.begin_long()?;
    let admitted = budget.outcome(guard::admit(session, &keys, options, budget, None))?;
    let tables = Tables {
        session,
        keys: &keys,
    };
    let heads = admitted.heads;
    let decided = admitted.decided;
    let recovered = Recovered {
        tasks: decided.tasks,
        negotiations: decided.negotiations,
        registrations: decided.registrations,
        counts: heads.counts(),
        last: heads.sequence(),
        last_time: heads.time(),
        log_began: log::first_time(session)?,
        accepted: admitted.accepted,
    };
    let numbers = Numbers::read(session)?;
    let rewrap = options.keys.as_deref().and_then(|k| rewrap(tables, k));
    let mut encryptor = admitted.encryptor;
    if !admitted.changed.is_empty() {
        encryptor.store(session)?;
        heads::write(session, &heads, &admitted.changed, &mut encryptor)?;
        transaction.commit()?;
        encryptor.stored();
    } else {
        transaction.commit()?;
    }
    let seen = Seen::of(&heads, &encryptor.ledger, encryptor.is_bound());
    let outside = match options.outside.is_empty() {
        true => None,
        false => Some(HeadWriter::start(
            options.outside.clone(),
            options.signer.clone(),
            &seen,
        )?),
    };
    let backend = untrusted.trusted(options)?;
    let readers = match backend.readers(options)? {
        Some(connections) => Readers::new(connections, Arc::clone(&keys)),
        None => Readers::shared(backend.connection(), Arc::clone(&keys)),
    };
    Ok(Opened {
        backend,
        readers,
        keys,
        encryptor,
        rewrap,
        ends: Ends { heads, numbers },
        unsealed: admitted.unsealed,
        recovered,
        outside,
        lock,
    })
}

/// Admits a state that was copied here and verified as a whole, within the transaction that did, and puts that
/// on record. Returns what is to be kept outside, and the doubts that are on record as well.
pub(crate) fn arrive(
    tables: Tables<'_>,
    options: &Options,
    arrival: &Arrival,
) -> Result<(Seen, Vec<String>), OpenError> {
    let Tables { session, keys } = tables;
    let budget = Budget::none();
    let admitted = guard::admit(session, keys, options, &budget, Some(arrival))?;
    let (heads, mut encryptor) = (admitted.heads, admitted.encryptor);
    encryptor.store(session)?;
    heads::write(session, &heads, &admitted.changed, &mut encryptor)?;
    let seen = Seen::of(&heads, &encryptor.ledger, encryptor.is_bound());
    Ok((seen, admitted.accepted))
}

/// Checks the schema and unwraps the data keys, before anything is written: with a wrong key the
/// state is left untouched.
fn keys(session: Session<'_>, options: &Options) -> Result<Arc<Keys>, OpenError> {
    let may_have = schema::recognise(session, &options.outside)?;
    // Before anything is read: what is not ours may be a trap.
    let strangers = schema::strangers(session)?;
    if !strangers.is_empty() {
        let strangers = strangers.join(", ");
        return Err(OpenError::Schema { strangers });
    }
    if !may_have {
        return Ok(Arc::default());
    }
    match &options.keys {
        Some(keeper) => Ok(Arc::new(Keys::read(session, keeper.as_ref())?)),
        None if data_key::data_keys(session)?.is_empty() => Ok(Arc::default()),
        None => Err(OpenError::Encrypted),
    }
}

/// The change that wraps the data keys of a state opened with an older master key under the one in
/// force.
fn rewrap(tables: Tables<'_>, keeper: &dyn KeyKeeper) -> Option<KeyChange> {
    match KeyChange::plan(tables, keeper, false) {
        Ok(change) => Some(change).filter(|change| !change.is_empty()),
        Err(cause) => {
            tracing::warn!(
                error = &cause as &dyn std::error::Error,
                "data keys stay under an older master key"
            );
            None
        }
    }
}

/// The rows on which decisions are based, at most `most` of each table.
pub(crate) fn decided(tables: Tables<'_>, most: usize) -> Result<Decided, RowError> {
    let mut negotiations = all(tables, most, negotiation::OPEN, negotiation::read)?;
    negotiations.extend(all(
        tables,
        most,
        negotiation::OF_OPEN_TASKS,
        negotiation::read,
    )?);
    Ok(Decided {
        tasks: all(tables, most, tasks::OPEN, task::read)?,
        negotiations,
        registrations: all(tables, most, registration::ALL, |row, _| {
            registration::read(row)
        })?,
    })
}

fn all<T>(
    tables: Tables<'_>,
    most: usize,
    sql: &str,
    read: impl Fn(&Row<'_>, &Keys) -> Result<T, RowError>,
) -> Result<Vec<Arc<T>>, RowError> {
    let mut found = Vec::new();
    tables.session.query(sql, &[], |row| {
        if found.len() == most {
            return Err(RowError::corrupt("sqlite", ENDLESS));
        }
        found.push(Arc::new(read(row, tables.keys)?));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}
