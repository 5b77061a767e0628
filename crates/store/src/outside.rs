//! The last head, stored outside of the database: protection against a copy of the database that is
//! put back.
//!
//! A small file, signed like the seal, written after a commit by a thread of its own: at once if
//! nothing was written for [`LAG`], and otherwise at the end of that, so that it lags by `LAG` and
//! the time of a write, and not at all once the store is closed. A second file may be kept
//! elsewhere, the witness. A state that ends before the head in a file, or that is another one, is
//! refused at opening; a state put back to a point after the file's head, within the lag of a
//! crash, is not noticed. The paths are the caller's. Read next: `open::guard`.

use crate::digest::{RowDigest, Sum};
use crate::heads::{self, Heads, StoredHeads};
use crate::ledger::Ledger;
use crate::open::OpenError;
use crate::sign::{self, Signer};
use base16ct::lower::encode_string;
use base16ct::mixed::decode_vec;
use domain::event::Sequence;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The longest time after which a commit is stored outside.
pub const LAG: Duration = Duration::from_secs(1);

/// The name under which the head outside is signed.
const TABLE: &str = "outside";

/// The head of a state as last seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The number of times that heads had been written.
    pub(crate) generation: u64,
    /// The digest of all heads as they were stored; where there is one shard, of its head.
    pub(crate) digest: Sum,
    /// The last entry of the log.
    pub(crate) sequence: Sequence,
    /// Its time.
    pub(crate) time: Timestamp,
    /// Its digest.
    pub(crate) chain: Sum,
    /// True if rows were bound.
    pub(crate) bound: bool,
    /// The last entry that was sealed; none if none was.
    pub(crate) sealed: Option<Sequence>,
}

/// The form in the file: one line of JSON.
#[derive(Serialize, Deserialize)]
struct SeenRow {
    generation: u64,
    digest: String,
    sequence: Sequence,
    time: i64,
    chain: String,
    bound: bool,
    sealed: Option<Sequence>,
    signature: String,
}

impl Seen {
    pub(crate) fn of(heads: &Heads, ledger: &Ledger, bound: bool) -> Self {
        let end = heads.end();
        let digests = ledger.shards.iter().map(|(shard, of)| (shard, &of.digest));
        Self {
            generation: ledger.generation,
            digest: heads::of_all(digests),
            sequence: end.sequence,
            time: end.time,
            chain: end.chain,
            bound,
            sealed: ledger.sealed(),
        }
    }

    fn sum(&self) -> Sum {
        RowDigest::of(TABLE)
            .number(self.generation as i64)
            .bytes(&self.digest)
            .number(self.sequence as i64)
            .number(self.time.as_ms())
            .bytes(&self.chain)
            .number(self.bound.into())
            .optional_number(self.sealed.map(|sealed| sealed as i64))
            .sum()
    }

    pub(crate) fn text(&self, signer: Option<&dyn Signer>) -> String {
        let row = SeenRow {
            generation: self.generation,
            digest: encode_string(&self.digest),
            sequence: self.sequence,
            time: self.time.as_ms(),
            chain: encode_string(&self.chain),
            bound: self.bound,
            sealed: self.sealed,
            signature: encode_string(&sign::sign(signer, TABLE, &self.sum())),
        };
        let json = serde_json::to_string(&row);
        json.expect("a row has text keys and no other numbers than integers") + "\n"
    }

    /// Parses the text and checks its signature; the error is for people.
    fn parse(text: &str, signer: Option<&dyn Signer>) -> Result<Self, String> {
        let row: SeenRow = serde_json::from_str(text).map_err(|e| format!("no head: {e}"))?;
        let sum = |digits: &str| Sum::try_from(decode_vec(digits).ok()?).ok();
        let no_digest = || "no head: a digest has 64 hexadecimal digits".to_owned();
        let seen = Self {
            generation: row.generation,
            digest: sum(&row.digest).ok_or_else(no_digest)?,
            sequence: row.sequence,
            time: Timestamp::from_ms(row.time),
            chain: sum(&row.chain).ok_or_else(no_digest)?,
            bound: row.bound,
            sealed: row.sealed,
        };
        let signature = decode_vec(&row.signature).unwrap_or_default();
        match signer {
            Some(signer) if !sign::holds(signer, TABLE, &seen.sum(), &signature) => {
                Err("not signed with the host key in use".to_owned())
            }
            _ => Ok(seen),
        }
    }

    /// True if a state of this head may continue that of the other.
    fn may_follow(&self, other: &Self) -> bool {
        self.generation > other.generation
            && self.sequence >= other.sequence
            && (self.bound || !other.bound)
    }

    /// True if the stored state continues the one seen: `chain_at` is the digest of the entry that
    /// was the last then, none if it was cut off since.
    pub(crate) fn precedes(&self, stored: &StoredHeads, chain_at: Option<Sum>) -> bool {
        let same = self.generation == stored.generation;
        self.generation <= stored.generation
            && self.sequence <= stored.heads.sequence()
            && (!same || self.digest == stored.digest)
            && chain_at.is_none_or(|chain| chain == self.chain)
    }
}

/// Reads the file; none if it does not exist.
pub(crate) fn read(path: &Path, signer: Option<&dyn Signer>) -> Result<Option<Seen>, OpenError> {
    let wrong = |reason| OpenError::Head {
        path: path.to_owned(),
        reason,
    };
    let text = match fs::read_to_string(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|cause| wrong(cause.to_string()))?,
    };
    Seen::parse(&text, signer).map(Some).map_err(wrong)
}

/// True if the file at this place among those outside must exist: the first, once it was written.
pub(crate) fn is_due(place: usize, known: Option<&Ledger>) -> bool {
    place == 0 && known.is_some_and(|ledger| ledger.outside)
}

/// The last entry of the log that the kept head knows; none if none is kept.
///
/// # Errors
/// [`OpenError::Head`] if it cannot be read, or is not the signer's.
pub fn kept_sequence(path: &Path, signer: &dyn Signer) -> Result<Option<Sequence>, OpenError> {
    Ok(read(path, Some(signer))?.map(|kept| kept.sequence))
}

/// Keeps the last head of a state that another process writes, as that one has it in its own file: an older copy
/// of the state is refused here too from then on.
///
/// # Errors
/// [`OpenError::SetBack`] if a later one, or another of the same time, is kept here: the state that is written
/// there is older, or another one: `chain_at` is the digest there of the last entry that is known here, as far as
/// it is known. [`OpenError::Head`] if one of both cannot be read or is not the signer's, and
/// [`OpenError::File`] if it cannot be written.
pub fn keep_head(
    path: &Path,
    text: &str,
    chain_at: Option<&str>,
    signer: &dyn Signer,
) -> Result<(), OpenError> {
    let told = Seen::parse(text, Some(signer)).map_err(|reason| OpenError::Head {
        path: path.to_owned(),
        reason: format!("what was told is no head: {reason}"),
    })?;
    let known = read(path, Some(signer))?;
    if known == Some(told) {
        return Ok(());
    }
    let is_another =
        |known: &Seen| chain_at.is_some_and(|chain| chain != encode_string(&known.chain));
    if let Some(known) = known.filter(|known| !told.may_follow(known) || is_another(known)) {
        return Err(OpenError::SetBack {
            path: path.to_owned(),
            found: told.sequence,
            written: told.generation,
            seen: known.sequence,
            seen_written: known.generation,
        });
    }
    write(path, ".told", text).map_err(|cause| OpenError::File {
        path: path.to_owned(),
        cause,
    })
}

/// Writes the file atomically, by one with this at the end of its name.
fn write(path: &Path, beside: &str, text: &str) -> io::Result<()> {
    let mut temporary = OsString::from(path);
    temporary.push(beside);
    let temporary = PathBuf::from(temporary);
    fill(&temporary, text)
        .and_then(|()| fs::rename(&temporary, path))
        .inspect_err(|_| drop(fs::remove_file(&temporary)))?;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn fill(path: &Path, text: &str) -> io::Result<()> {
    let mut file = crate::open::private(path)?;
    file.set_len(0)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// The thread that writes the last head to files.
pub(crate) struct HeadWriter {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    paths: Vec<PathBuf>,
    signer: Option<Arc<dyn Signer>>,
    slot: Mutex<Slot>,
    changed: Condvar,
    /// True once the first of the files was written.
    written: AtomicBool,
}

#[derive(Default)]
struct Slot {
    /// The head to be written; none if all is written.
    next: Option<Seen>,
    closes: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, seen: &Seen) {
        let text = seen.text(self.signer.as_deref());
        for (place, path) in self.paths.iter().enumerate() {
            match write(path, ".new", &text) {
                Ok(()) if place == 0 => self.written.store(true, Relaxed),
                Ok(()) => {}
                Err(cause) => tracing::error!(
                    error = &cause as &dyn std::error::Error,
                    "the last head of the state is not kept in {}: until it is, an older copy that \
                     is put back is not noticed",
                    path.display()
                ),
            }
        }
    }

    fn run(&self) {
        loop {
            let mut slot = self.lock();
            while slot.next.is_none() && !slot.closes {
                slot = self
                    .changed
                    .wait(slot)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            let next = slot.next.take();
            drop(slot);
            let Some(seen) = next else {
                return;
            };
            self.keep(&seen);
            let slot = self.lock();
            let waits = self
                .changed
                .wait_timeout_while(slot, LAG, |slot| !slot.closes);
            drop(waits);
        }
    }
}

impl HeadWriter {
    /// Starts the thread with the stored head: `seen` is written at once to a file that does not
    /// hold it.
    pub(crate) fn start(
        paths: Vec<PathBuf>,
        signer: Option<Arc<dyn Signer>>,
        seen: &Seen,
    ) -> Result<Self, OpenError> {
        let known = |path: &PathBuf| matches!(read(path, signer.as_deref()), Ok(Some(found)) if found == *seen);
        let all_know = paths.iter().all(known);
        let shared = Arc::new(Shared {
            paths,
            signer,
            slot: Mutex::default(),
            changed: Condvar::new(),
            written: AtomicBool::new(all_know),
        });
        if !all_know {
            shared.keep(seen);
        }
        let runs = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("store-head".to_owned())
            .spawn(move || runs.run())
            .map_err(OpenError::Thread)?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Hands over a new head.
    pub(crate) fn note(&self, seen: Seen) {
        // A thread with a pending head has been woken already.
        if self.shared.lock().next.replace(seen).is_none() {
            self.shared.changed.notify_one();
        }
    }

    /// True once the first file was written, so that it must exist from now on.
    pub(crate) fn is_written(&self) -> bool {
        self.shared.written.load(Relaxed)
    }
}

/// Writes the last head before it ends.
impl Drop for HeadWriter {
    fn drop(&mut self) {
        self.shared.lock().closes = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Default for Seen {
    fn default() -> Self {
        Self::of(&Heads::default(), &Ledger::default(), false)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Signs with a number.
    struct Number(u8);

    impl Signer for Number {
        fn sign(&self, message: &[u8]) -> Vec<u8> {
            [message, &[self.0]].concat()
        }

        fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
            self.sign(message) == signature
        }
    }

    #[test]
    fn a_head_that_is_told_is_kept_unless_a_later_one_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("head");
        let seen = |generation, sequence| Seen {
            generation,
            sequence,
            digest: [generation as u8; 32],
            ..Seen::default()
        };
        let signer = Number(1);
        let keep = |seen: &Seen| keep_head(&path, &seen.text(Some(&signer)), None, &signer);
        let kept = || read(&path, Some(&signer)).unwrap().unwrap();
        for later in [seen(3, 5), seen(3, 5), seen(4, 5), seen(9, 12)] {
            keep(&later).unwrap();
            assert_eq!(kept(), later);
        }
        let bound = Seen {
            bound: true,
            ..seen(10, 12)
        };
        keep(&bound).unwrap();
        let other = Seen {
            chain: [7; 32],
            ..bound
        };
        for older in [seen(9, 12), seen(11, 11), seen(11, 12), other] {
            let refused = keep(&older).unwrap_err();
            assert!(matches!(refused, OpenError::SetBack { .. }), "{refused}");
            assert_eq!(kept(), bound);
        }
        let later = Seen {
            generation: 20,
            ..bound
        };
        for text in [
            later.text(Some(&Number(2))),
            later.text(None),
            String::new(),
        ] {
            let refused = keep_head(&path, &text, None, &signer).unwrap_err();
            assert!(matches!(refused, OpenError::Head { .. }), "{refused}");
        }
        // One that was written more often, but not behind this one.
        let digits = |byte: &str| byte.repeat(32);
        let of = |chain: &str| keep_head(&path, &later.text(Some(&signer)), Some(chain), &signer);
        let refused = of(&digits("07")).unwrap_err();
        assert!(matches!(refused, OpenError::SetBack { .. }), "{refused}");
        assert_eq!(kept(), bound);
        of(&digits("00")).unwrap();
        assert_eq!(kept(), later);
        // Nor is what is kept replaced if it cannot be read.
        fs::write(&path, "{}").unwrap();
        assert!(keep(&later).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
    }

    #[test]
    fn what_was_kept_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("head");
        assert_eq!(read(&path, None).unwrap(), None);
        let seen = |generation| Seen {
            generation,
            sealed: (generation > 1).then_some(3),
            ..Seen::default()
        };
        let writer = HeadWriter::start(vec![path.clone()], None, &seen(1)).unwrap();
        assert!(writer.is_written());
        assert_eq!(read(&path, None).unwrap(), Some(seen(1)));
        for generation in 2..100 {
            writer.note(seen(generation));
        }
        drop(writer);
        assert_eq!(read(&path, None).unwrap(), Some(seen(99)));
        for broken in ["", "{}", "[1]", "{\"generation\":1}"] {
            fs::write(&path, broken).unwrap();
            assert!(
                matches!(read(&path, None), Err(OpenError::Head { .. })),
                "{broken}"
            );
        }
    }
}
