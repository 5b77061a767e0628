//! Copying a state from one place to another, between files and databases: backups, and what is put back
//! or moved.
//!
//! ```text
//! snapshot of the source ─► every table, rows as they are stored ─► one transaction at the destination
//!      counts and head equal? ─► walk over all of it: sound, and with the key authentic? ─► commit
//! ```
//! Nothing is decrypted or written anew, so that digests, codes, chain and seal arrive as they were. Whoever
//! is killed leaves a destination that holds nothing or all. A backup is the state itself; where a platform is
//! to go on with a copy, that it arrived is on record in the same transaction. Read next: [`rows`], [`fresh`],
//! [`error`]; [`crate::open::arrive`].

mod error;
mod fresh;
pub(crate) mod rows;

pub use error::CopyError;

use crate::backend::Untrusted;
use crate::cipher::{Keys, Tables};
use crate::data_key;
use crate::digest::Sum;
use crate::heads::StoredHeads;
use crate::keys::KeyKeeper;
use crate::open::{Arrival, Location, OpenError, Options, arrive, beside, locked};
use crate::outside::HeadWriter;
use crate::row::attestation::Ground;
use crate::row::head;
use crate::row::seal::{self, Seal};
use crate::schema;
use crate::sign::Signer;
use crate::sql::Session;
use crate::verify::{ChainReport, SeenOutside, VerifyOptions, VerifyProgress, walk_within};
use base16ct::lower::encode_string;
use fresh::FreshFile;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A state to be copied, and what is known of it.
#[derive(Clone)]
pub struct CopySource {
    /// Where it is.
    pub location: Location,
    /// The file that a platform locks which has it open; none if it is the one beside its file.
    pub lock: Option<PathBuf>,
    /// The files with its last head, which it must continue, as in
    /// [`Options::outside`](crate::Options::outside).
    pub outside: Vec<PathBuf>,
    /// Those of whom one must have signed it; none to check no signatures.
    pub signers: Vec<Arc<dyn Signer>>,
    /// The keeper of its master key; none if there is none.
    pub keys: Option<Arc<dyn KeyKeeper>>,
}

/// How far a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyProgress {
    /// True once all rows were copied and the copy is being verified.
    pub verifies: bool,
    /// The table that is being copied or read.
    pub table: &'static str,
    /// Rows done of it.
    pub rows: u64,
}

/// A copy that was made.
#[derive(Clone, Debug)]
pub struct Copied {
    /// Rows of all tables.
    pub rows: u64,
    /// The digest of the head of the state that was copied, which covers all of it if it is authentic.
    pub head: [u8; 32],
    /// What was found when the copy was verified.
    pub report: ChainReport,
    /// The doubts that are on record beside the arrival itself, for people.
    pub accepted: Vec<String>,
}

/// Copies a state into a new file, which is a state itself: the same. A platform may go on with the state
/// meanwhile; what it commits after the copy began is not in it. The file is readable by its owner only.
///
/// # Errors
/// [`CopyError`]; then there is no such file. One that is killed leaves `FILE.new`, which the next one replaces.
pub fn backup(
    from: &CopySource,
    file: &Path,
    progress: &mut dyn FnMut(CopyProgress),
) -> Result<Copied, CopyError> {
    let fresh = FreshFile::begin(file)?;
    let source = Opened::open(from)?;
    let wrong = |cause: OpenError| CopyError::destination(&file.into(), cause);
    let to = Untrusted::fresh(fresh.path()).map_err(wrong)?;
    let transaction = to.session().begin();
    let transaction = transaction.map_err(|cause| wrong(cause.into()))?;
    let (copied, _) = source.fill(to.session(), &file.into(), progress)?;
    let committed = transaction.commit();
    committed.map_err(|cause| wrong(cause.into()))?;
    drop(to);
    fresh.settle()?;
    Ok(copied)
}

/// Copies a state to where there is none, for a platform to go on with it there; none runs on either. That it
/// arrived, on this ground, is on record and signed, and its head is kept outside as `to` says. The keeper of
/// its key is that of `to`, if the state has one; signatures of another host key, which `from` knows, are
/// replaced, which is on record as well.
///
/// # Errors
/// [`CopyError`]; then nothing was stored at the destination, unless the database's answer to the very last
/// question was lost.
pub fn transfer(
    from: &CopySource,
    to: &Options,
    ground: Ground,
    progress: &mut dyn FnMut(CopyProgress),
) -> Result<Copied, CopyError> {
    let place = &to.location;
    let wrong = |cause: OpenError| CopyError::destination(place, cause);
    let own = match (&to.lock, place) {
        (Some(lock), _) => Some(lock.clone()),
        (None, Location::File(path)) => Some(beside(path, ".lock")),
        (None, _) => None,
    };
    let lock = own.as_deref().map(|path| locked(path, place));
    let _lock = lock.transpose().map_err(wrong)?;
    let _other = from.unused(own.as_deref())?;
    let source = Opened::open(from)?;
    source
        .state
        .unowned()
        .map_err(|cause| source.wrong(cause))?;
    let (fresh, there) = match place {
        Location::File(path) => {
            let fresh = FreshFile::begin(path)?;
            let there = Untrusted::fresh(fresh.path()).map_err(wrong)?;
            (Some(fresh), there)
        }
        _ => (None, empty(to)?.patient()),
    };
    let session = there.session();
    let transaction = session.begin_long();
    let transaction = transaction.map_err(|cause| wrong(cause.into()))?;
    let (mut copied, keys) = source.fill(session, place, progress)?;
    source.is_unchanged(&copied.head)?;
    let options = Options {
        keys: to.keys.clone().filter(|_| source.is_encrypted),
        ..to.clone()
    };
    let arrival = Arrival {
        ground,
        detail: format!("head {} of {}", encode_string(&copied.head), from.location),
    };
    let tables = Tables {
        session,
        keys: &keys,
    };
    let (seen, accepted) = arrive(tables, &options, &arrival).map_err(wrong)?;
    copied.accepted = accepted;
    transaction.commit().map_err(|cause| wrong(cause.into()))?;
    drop(there);
    if let Some(fresh) = fresh {
        fresh.settle()?;
    }
    if !to.outside.is_empty() {
        let kept = HeadWriter::start(to.outside.clone(), to.signer.clone(), &seen);
        drop(kept.map_err(wrong)?);
    }
    Ok(copied)
}

/// A database without a state, owned from now on.
fn empty(to: &Options) -> Result<Untrusted, CopyError> {
    let wrong = |cause: OpenError| CopyError::destination(&to.location, cause);
    let untrusted = Untrusted::writer(to).map_err(wrong)?;
    let session = untrusted.session();
    // A head that was seen outside is of a state that was elsewhere.
    schema::recognise(session, &[]).map_err(wrong)?;
    let strangers = schema::strangers(session).map_err(|cause| wrong(cause.into()))?;
    if !strangers.is_empty() {
        let strangers = strangers.join(", ");
        return Err(wrong(OpenError::Schema { strangers }));
    }
    let age = schema::age(session).map_err(|cause| wrong(cause.into()))?;
    match age {
        schema::Age::New => Ok(untrusted),
        _ => Err(CopyError::Occupied {
            to: to.location.clone(),
        }),
    }
}

impl CopySource {
    /// Locks the state, unless its lock is this one, which is ours already. A state that nobody has had open
    /// where it is has no lock, and none is made.
    fn unused(&self, own: Option<&Path>) -> Result<Option<File>, CopyError> {
        let path = match (&self.lock, &self.location) {
            (Some(lock), _) => lock.clone(),
            (None, Location::File(path)) => beside(path, ".lock"),
            (None, _) => return Ok(None),
        };
        let Ok(place) = path.canonicalize() else {
            return Ok(None);
        };
        if own.is_some_and(|own| own.canonicalize().is_ok_and(|own| own == place)) {
            return Ok(None);
        }
        let failed = |cause| CopyError::File {
            path: path.clone(),
            cause,
        };
        let lock = File::open(&path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Err(CopyError::source(
                &self.location,
                OpenError::Locked {
                    state: self.location.clone(),
                },
            )),
            Err(TryLockError::Error(cause)) => Err(failed(cause)),
        }
    }
}

/// A source that can be read, and is worth it.
struct Opened<'s> {
    from: &'s CopySource,
    state: Untrusted,
    is_encrypted: bool,
}

impl<'s> Opened<'s> {
    /// Opens it for reading and checks, before anything is copied, that it can be judged: its schema, its release,
    /// and that its key is here.
    fn open(from: &'s CopySource) -> Result<Self, CopyError> {
        let location = &from.location;
        let nothing = || CopyError::Nothing(location.clone());
        if let Location::File(path) = location
            && !path.is_file()
        {
            return Err(nothing());
        }
        let wrong = |cause: OpenError| CopyError::source(location, cause);
        let state = Untrusted::reader(location).map_err(wrong)?.patient();
        let opened = Self {
            from,
            state,
            is_encrypted: false,
        };
        let session = opened.state.session();
        schema::recognise(session, &from.outside).map_err(wrong)?;
        let strangers = schema::strangers(session).map_err(|cause| wrong(cause.into()))?;
        if !strangers.is_empty() {
            let strangers = strangers.join(", ");
            return Err(wrong(OpenError::Schema { strangers }));
        }
        let failed = |cause| wrong(OpenError::from(cause));
        if schema::age(session).map_err(failed)? == schema::Age::New {
            return Err(nothing());
        }
        if !schema::is_current(session).map_err(failed)? {
            return Err(CopyError::Older(location.clone()));
        }
        let data_keys = data_key::data_keys(session).map_err(|cause| wrong(cause.into()))?;
        match (data_keys.is_empty(), &from.keys) {
            (false, None) => Err(CopyError::NoKey(location.clone())),
            (true, Some(_)) => Err(CopyError::NotBound(location.clone())),
            (is_plain, _) => Ok(Self {
                is_encrypted: !is_plain,
                ..opened
            }),
        }
    }

    fn session(&self) -> Session<'_> {
        self.state.session()
    }

    /// What went wrong while it was read; or that reading took more steps than its size explains.
    fn wrong(&self, cause: OpenError) -> CopyError {
        let cause = match self.state.budget().outcome(Err::<(), _>(cause)) {
            Err(cause) => cause,
            Ok(()) => return CopyError::Nothing(self.from.location.clone()),
        };
        CopyError::source(&self.from.location, cause)
    }

    /// Copies all rows into the transaction under way, compares them with what they are copies of, and verifies
    /// them. Also returns the keys.
    fn fill(
        &self,
        there: Session<'_>,
        place: &Location,
        progress: &mut dyn FnMut(CopyProgress),
    ) -> Result<(Copied, Keys), CopyError> {
        let here = self.session();
        let read = |cause: OpenError| self.wrong(cause);
        let written = |cause: OpenError| CopyError::destination(place, cause);
        // Before the snapshot: what is seen outside is of no later head then. Whose signature that is turns out
        // below; the seal is never another's.
        let signer = self.signer()?;
        let mut verification = VerifyOptions {
            signer,
            outside: self.from.outside.clone(),
            ..VerifyOptions::default()
        };
        let seen = SeenOutside::read(&verification, here);
        let snapshot = here.snapshot().map_err(|cause| read(cause.into()))?;
        let keys = match &self.from.keys {
            Some(keeper) if self.is_encrypted => Keys::read(here, keeper.as_ref()).map_err(read)?,
            _ => Keys::default(),
        };
        if !there.holds_zeros()
            && let Some(task) = here.ungiven().map_err(|cause| read(cause.into()))?
        {
            return Err(CopyError::OlderRows {
                from: self.from.location.clone(),
                task,
            });
        }
        schema::migrate(there).map_err(|cause| written(cause.into()))?;
        let mut tell = |table, rows| {
            progress(CopyProgress {
                verifies: false,
                table,
                rows,
            });
        };
        let copied = rows::copy_all(here, there, &mut tell);
        let rows = copied.map_err(|fault| fault.at(self, place))?;
        let head = StoredHeads::read(here).map_err(|cause| read(cause.into()))?;
        let arrived = StoredHeads::read(there).map_err(|cause| written(cause.into()))?;
        if arrived.digest != head.digest {
            return Err(CopyError::Differs(head::TABLE));
        }
        drop(snapshot);
        there.take_stock().map_err(|cause| written(cause.into()))?;
        let mut tell = |VerifyProgress { table, rows }| {
            progress(CopyProgress {
                verifies: true,
                table,
                rows,
            });
        };
        verification.progress = Some(&mut tell);
        let tables = Tables {
            session: there,
            keys: &keys,
        };
        let walked = walk_within(tables, verification, self.is_encrypted, seen);
        let report = walked.map_err(|cause| written(cause.into()))?;
        // What is wrong with it was wrong with what it is a copy of.
        if let Some(fault) = report.faults.first() {
            return Err(CopyError::source(&self.from.location, fault.clone().into()));
        }
        if let Some(path) = &report.head_missing {
            let path = path.clone();
            return Err(read(OpenError::HeadMissing { path }));
        }
        if self.is_encrypted && !report.authentic {
            return Err(CopyError::NotBound(self.from.location.clone()));
        }
        let copied = Copied {
            rows,
            head: head.digest,
            report,
            accepted: Vec::new(),
        };
        Ok((copied, keys))
    }

    /// The one of the signers who sealed it.
    fn signer(&self) -> Result<Option<&'s dyn Signer>, CopyError> {
        let signers = &self.from.signers;
        let seals = Seal::all(self.session()).map_err(|cause| self.wrong(cause.into()))?;
        let Some(seal) = Seal::last(&seals) else {
            return Ok(signers.first().map(AsRef::as_ref));
        };
        let signed = |signer: &dyn Signer| {
            let mut all = seals.iter();
            all.all(|(shard, seal)| seal.is_signed(shard, signer))
        };
        let signer = signers.iter().find(|signer| signed(signer.as_ref()));
        match signer {
            None if !signers.is_empty() => Err(self.wrong(OpenError::Stranger {
                table: seal::TABLE.to_owned(),
                key: seal.head.sequence.to_string(),
            })),
            signer => Ok(signer.map(AsRef::as_ref)),
        }
    }

    /// Refuses a source that has gone on since.
    fn is_unchanged(&self, head: &Sum) -> Result<(), CopyError> {
        let now = StoredHeads::read(self.session()).map_err(|cause| self.wrong(cause.into()))?;
        match now.digest == *head {
            true => Ok(()),
            false => Err(CopyError::Changed(self.from.location.clone())),
        }
    }
}
