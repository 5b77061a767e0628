//! Verification of a whole state: the chain, every row, every signature, the structure of the file.
//!
//! Lists damage and forgeries; repairs nothing. Digests and the chain are over the stored form, so
//! that structure, chain and signatures of an encrypted state are verified without a key; with it,
//! the code of every row is checked, all rows are summed up and compared with the head, and
//! payloads are decrypted. Read next: `digest`, [`crate::set`], `sign`.

pub(crate) mod beside;
mod progress;
mod report;
pub(crate) mod walk;

pub use progress::{Verification, VerificationState};
pub use report::{ChainReport, Fault, Seal, ShardReport};

use crate::backend::Untrusted;
use crate::cipher::{Keys, Tables};
use crate::data_key;
use crate::digest::Sum;
use crate::failure::SqlFailure;
use crate::heads::StoredHeads;
use crate::keys::KeyKeeper;
use crate::open::{Location, OpenError};
use crate::outside::{self, Seen};
use crate::read::ReadError;
use crate::row::head;
use crate::schema::{self, Age};
use crate::sign::Signer;
use crate::sql::{Row, Session, values};
use std::path::PathBuf;

/// True if the state at a location holds data keys, so that it needs a master key to be opened; false
/// if there is no state.
///
/// # Errors
/// [`OpenError`] if it cannot be read.
pub fn is_encrypted(at: impl Into<Location>) -> Result<bool, OpenError> {
    let location = at.into();
    if let Location::File(path) = &location
        && !path.exists()
    {
        return Ok(false);
    }
    let state = Untrusted::reader(&location)?;
    let session = state.session();
    Ok(schema::recognise(session, &[])? && !data_key::data_keys(session)?.is_empty())
}

/// The progress of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyProgress {
    /// The table that is being read.
    pub table: &'static str,
    /// Rows read of it.
    pub rows: u64,
}

/// The options of a verification. The default checks no signatures and reports no progress.
#[derive(Default)]
pub struct VerifyOptions<'a> {
    /// The signer whose signatures must be present.
    pub signer: Option<&'a dyn Signer>,
    /// Called now and then, and when a table is done.
    pub progress: Option<&'a mut dyn FnMut(VerifyProgress)>,
    /// The files with the last head outside of the database, as in
    /// [`Options::outside`](crate::Options::outside), which the state must continue.
    pub outside: Vec<PathBuf>,
}

/// Verifies the state at a location without changing it; a store may have it open. Signatures are not
/// checked.
///
/// # Errors
/// [`OpenError`] if it could not be read; damage is in the report.
pub fn verify(at: impl Into<Location>) -> Result<ChainReport, OpenError> {
    verify_with(at, VerifyOptions::default())
}

/// Verifies the state at a location without changing it; a store may have it open.
///
/// # Errors
/// [`OpenError`] if it could not be read; damage is in the report, and so are missing and invalid
/// signatures.
pub fn verify_with(
    at: impl Into<Location>,
    how: VerifyOptions<'_>,
) -> Result<ChainReport, OpenError> {
    let state = Untrusted::reader(&at.into())?.patient();
    let session = state.session();
    let keys = match schema::recognise(session, &how.outside) {
        Ok(true) => Keys::locked(&data_key::data_keys(session).unwrap_or_default()),
        _ => Keys::default(),
    };
    let tables = Tables {
        session,
        keys: &keys,
    };
    let walked = walk(tables, how, false).map_err(OpenError::from);
    state.budget().outcome(walked)
}

/// As [`verify_with`], and checks the code of every row and decrypts every payload with the keeper's
/// key.
///
/// # Errors
/// [`OpenError::Key`] if the keeper cannot unwrap the data keys; [`OpenError::Failed`] if the state
/// could not be read. Damage is in the report.
pub fn verify_with_keys(
    at: impl Into<Location>,
    how: VerifyOptions<'_>,
    keeper: &dyn KeyKeeper,
) -> Result<ChainReport, OpenError> {
    let state = Untrusted::reader(&at.into())?.patient();
    let session = state.session();
    let keys = match schema::recognise(session, &how.outside)? {
        true => Keys::read(session, keeper)?,
        false => Keys::default(),
    };
    let tables = Tables {
        session,
        keys: &keys,
    };
    let walked = walk(tables, how, true).map_err(OpenError::from);
    state.budget().outcome(walked)
}

/// Walks everything within one snapshot.
pub(crate) fn walk(
    tables: Tables<'_>,
    how: VerifyOptions<'_>,
    has_keys: bool,
) -> Result<ChainReport, ReadError> {
    let session = tables.session;
    // Before the snapshot: what is seen outside is of no later head then.
    let seen = SeenOutside::read(&how, session);
    schema::show_as_newest(session)?;
    let _snapshot = session.snapshot()?;
    walk_within(tables, how, has_keys, seen)
}

/// What the files outside hold.
pub(crate) struct SeenOutside {
    files: Vec<Result<Option<Seen>, OpenError>>,
    /// True if the state may have been written from other folders alone.
    is_shared: bool,
}

impl SeenOutside {
    /// Reads them, before the state of this session that is compared with them.
    pub(crate) fn read(how: &VerifyOptions<'_>, session: Session<'_>) -> Self {
        let paths = how.outside.iter();
        Self {
            files: paths.map(|path| outside::read(path, how.signer)).collect(),
            is_shared: matches!(session, Session::Postgres(_)),
        }
    }
}

/// Walks everything within a transaction that is under way.
pub(crate) fn walk_within(
    tables: Tables<'_>,
    how: VerifyOptions<'_>,
    has_keys: bool,
    seen: SeenOutside,
) -> Result<ChainReport, ReadError> {
    let session = tables.session;
    let paths = how.outside.clone();
    let mut report = walk::walked(tables, how, has_keys)?;
    let stored = StoredHeads::read(session).ok();
    // With a key, rows are bound from the first on.
    let bare = stored.as_ref().is_some_and(|stored| !stored.is_bound())
        && schema::age(session)? == Age::Bound
        && data_key::data_keys(session).is_ok_and(|keys| !keys.is_empty());
    report.faults.extend(bare.then(|| Fault {
        table: head::TABLE.to_owned(),
        key: "what binds the rows is gone".to_owned(),
        forged: true,
    }));
    // Unknown without the key.
    let known = stored
        .as_ref()
        .and_then(|stored| stored.ledger(tables.keys).ok()?);
    let known = known.map(|(ledger, _)| ledger);
    for (place, (path, file)) in paths.iter().zip(seen.files).enumerate() {
        let fault = match (file, &stored) {
            (Err(why), _) => Some(why.to_string()),
            (Ok(Some(file)), Some(stored)) => {
                set_back(session, &file, stored, report.seal.is_some())?
            }
            // It is there before the state says so: beside a first start it was looked for too early.
            (Ok(None), _) if outside::is_due(place, known.as_ref()) && !path.exists() => {
                if seen.is_shared {
                    report.head_missing = Some(path.clone());
                    continue;
                }
                Some("it is missing, where the last head of the state was kept".to_owned())
            }
            _ => None,
        };
        report.faults.extend(fault.map(|key| Fault {
            table: path.display().to_string(),
            key,
            forged: true,
        }));
    }
    Ok(report)
}

/// The explanation of why the state does not continue the head seen, if it does not.
fn set_back(
    session: Session<'_>,
    seen: &Seen,
    stored: &StoredHeads,
    is_sealed: bool,
) -> Result<Option<String>, ReadError> {
    let sql = "SELECT digest FROM log WHERE sequence = ?1";
    let read = |row: &Row<'_>| Ok::<Option<Sum>, SqlFailure>(row.get(0).ok());
    let chain = session.find(sql, values![seen.sequence as i64], read)?;
    let why = if !seen.precedes(stored, chain.flatten()) {
        format!(
            "the state ends at entry {}, entry {} was seen",
            stored.heads.sequence(),
            seen.sequence
        )
    } else if seen.bound && !stored.is_bound() {
        "rows carry no codes, but were seen to".to_owned()
    } else if seen.sealed.is_some() && !is_sealed {
        "the log is not sealed, but was seen to be".to_owned()
    } else {
        return Ok(None);
    };
    Ok(Some(why))
}
