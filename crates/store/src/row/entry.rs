//! Rows of `log`: a kind, and a body that is JSON.
//!
//! All entries have one count. Each shard has a chain of its own; an entry says how many of others lie between it and
//! the one before it on its shard (`behind`), so that this one is found. The first of a shard has all before it behind
//! it.
//!
//! The chain runs over digests of bodies as stored, so that it is verified without a key: over
//! ciphertexts, where bodies are encrypted. An entry whose body was erased keeps the digest of the
//! former body, beside that of the blanked one and a signature over both. One that was encrypted
//! later, or under another key, keeps the digest of its former stored body in front of its
//! ciphertext. Read next: `body`, what it holds; [`super::head`].

mod body;
mod erased;

#[cfg(test)]
pub(crate) use body::{decode, encode};
pub(crate) use erased::sign_again;

use super::head::Head;
use super::standing::RowPlace;
use super::{RowError, check, column};
use crate::cipher::Keys;
use crate::digest::{RowDigest, Sum, link, of_body, of_bytes};
use crate::encryptor::Encryptor;
use crate::failure::{FailureKind, SqlFailure};
use crate::row_keys::RowKeys;
use crate::set::Set;
use crate::shard::Shard;
use crate::sign::{self, Signer};
use crate::sql::{Expect, Row, Session, values};
use domain::event::{Entry, LogEvent, Sequence};
use domain::time::Timestamp;

pub(crate) const TABLE: &str = "log";

/// The entries behind one sequence, in order.
pub(crate) const BEHIND: &str =
    "SELECT sequence, time, kind, body, digest, erased, cipher, shard, behind
    FROM log WHERE sequence > ?1 ORDER BY sequence LIMIT ?2";

/// All entries, in order.
pub(crate) const ALL: &str =
    "SELECT sequence, time, kind, body, digest, erased, cipher, shard, behind
    FROM log ORDER BY sequence";

/// The index of the column of its shard.
pub(crate) const SHARD: usize = 7;

const DIGEST: &str = "SELECT shard, digest FROM log WHERE sequence = ?1";

const INSERT: &str = "INSERT INTO log (sequence, time, kind, body, digest, cipher, shard, behind)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

const ERASE: &str = "UPDATE log SET body = ?2, erased = ?3, cipher = ?4
    WHERE sequence = ?1 AND erased IS NULL";

const ENCRYPT: &str = "UPDATE log SET body = '', cipher = ?2
    WHERE sequence = ?1 AND digest = ?3";

/// What [`ERASE`] and [`ENCRYPT`] hold to; a trigger does too, where the database has them.
const APPENDED_TO: &str = "the log is only appended to";

const FORGET_ERASED: &str = "DELETE FROM log WHERE sequence <= ?1
    AND sequence <= coalesce((SELECT sequence FROM checkpoint WHERE checkpoint.shard = log.shard), 0)
    AND erased IS NOT NULL RETURNING sequence, erased, shard";

const FORGET: &str = "DELETE FROM log WHERE sequence <= ?1
    AND sequence <= coalesce((SELECT sequence FROM checkpoint WHERE checkpoint.shard = log.shard), 0)";

/// The first byte of a ciphertext that follows the digest of a former stored body.
const KEPT: u8 = 2;

/// What happened, as far as it is made ready before the entry has its place in the chain, which its
/// ciphertext is bound to.
pub(crate) struct Prepared {
    kind: &'static str,
    body: String,
}

/// Makes the entry of a happening ready.
pub(crate) fn prepare(happening: &LogEvent) -> Prepared {
    let (kind, body) = body::encode(happening);
    Prepared { kind, body }
}

/// Appends the entry behind the last one of its shard, whose head this is; returns its own digest.
pub(crate) fn append(
    session: Session<'_>,
    Prepared { kind, body }: &Prepared,
    (sequence, time): (Sequence, Timestamp),
    (shard, head): (Shard, &Head),
    keys: &RowKeys,
) -> Result<Sum, SqlFailure> {
    let (body, cipher) = covered(body, (sequence, time, kind), keys);
    let digest = of_stored(body, cipher.as_deref());
    let sum = link(&head.chain, sequence, time, kind, &digest);
    let behind = sequence - 1 - head.sequence;
    let values = values![
        sequence as i64,
        time.as_ms(),
        *kind,
        body,
        &sum,
        cipher.as_ref(),
        shard,
        behind as i64,
    ];
    session.put(INSERT, values, Expect::Any)?;
    Ok(sum)
}

/// The identity of an entry, which its body is bound to: sequence, time and kind.
type Place<'a> = (Sequence, Timestamp, &'a str);

fn place_digest((sequence, time, kind): Place<'_>) -> RowDigest {
    RowDigest::of(TABLE)
        .number(sequence as i64)
        .number(time.as_ms())
        .text(kind)
}

/// The body in stored form, and its ciphertext if it is encrypted.
fn covered<'b>(body: &'b str, place: Place<'_>, keys: &RowKeys) -> (&'b str, Option<Vec<u8>>) {
    match keys.encrypt(body.as_bytes(), &place_digest(place).sum()) {
        Some(cipher) => ("", Some(cipher)),
        None => (body, None),
    }
}

/// The digest of a body in its first stored form.
fn of_stored(body: &str, cipher: Option<&[u8]>) -> Sum {
    cipher.map_or_else(|| of_body(body), of_bytes)
}

/// A ciphertext that replaced a stored body with the digest `was`.
struct Kept<'a> {
    was: Sum,
    left: Sum,
    cipher: &'a [u8],
}

impl<'a> Kept<'a> {
    fn parse(stored: &'a [u8]) -> Option<Self> {
        let (_, rest) = stored.split_first().filter(|(form, _)| **form == KEPT)?;
        let (was, rest) = rest.split_first_chunk()?;
        let (left, cipher) = rest.split_first_chunk()?;
        Some(Self {
            was: *was,
            left: *left,
            cipher,
        })
    }
}

/// The ciphertext itself, without the digest of the former body.
pub(crate) fn ciphertext(stored: &[u8]) -> &[u8] {
    Kept::parse(stored).map_or(stored, |kept| kept.cipher)
}

/// Encrypts the body of a stored entry, or encrypts it anew; its digest in the chain stays.
pub(crate) fn encrypt(
    session: Session<'_>,
    entry: &Read,
    keys: &RowKeys,
) -> Result<(), SqlFailure> {
    let (kind, body) = body::encode(&entry.entry.happening);
    let place = (entry.entry.sequence, entry.entry.time, kind);
    let beside = place_digest(place).bytes(&entry.stored).sum();
    let Some(cipher) = keys.encrypt(body.as_bytes(), &beside) else {
        return Ok(());
    };
    let kept = [&[KEPT][..], &entry.stored, &of_bytes(&cipher), &cipher].concat();
    let values = values![entry.entry.sequence as i64, &kept, &entry.sum];
    session.put(ENCRYPT, values, Expect::One(APPENDED_TO))
}

/// The shard and the digest of an entry, if it is there.
pub(crate) fn stored_digest(
    session: Session<'_>,
    sequence: Sequence,
) -> Result<Option<(Shard, Sum)>, RowError> {
    let key = sequence.to_string();
    let read = |row: &Row<'_>| Ok((column(row, 0, TABLE, &key)?, column(row, 1, TABLE, &key)?));
    session.find(DIGEST, values![sequence as i64], read)
}

/// The mark of an entry whose body was erased.
pub(crate) struct Erased {
    /// The digest of the former body, which the chain runs over.
    was: Sum,
    /// The digest of the blanked body.
    left: Sum,
    signature: Vec<u8>,
}

impl Erased {
    fn parse(mark: &[u8]) -> Option<Self> {
        let (was, rest) = mark.split_first_chunk()?;
        let (left, signature) = rest.split_first_chunk()?;
        Some(Self {
            was: *was,
            left: *left,
            signature: signature.to_vec(),
        })
    }

    fn mark(&self) -> Vec<u8> {
        [&self.was[..], &self.left, &self.signature].concat()
    }

    fn digest(&self, sequence: Sequence) -> Sum {
        RowDigest::of(TABLE)
            .number(sequence as i64)
            .bytes(&self.was)
            .bytes(&self.left)
            .sum()
    }

    /// True if the signer signed this erasure of entry `sequence`.
    pub(crate) fn is_signed(&self, signer: &dyn Signer, sequence: Sequence) -> bool {
        sign::holds(signer, TABLE, &self.digest(sequence), &self.signature)
    }
}

/// Writes `left` in place of the body of an entry of the log, whose own digest stays.
pub(crate) fn erase(
    session: Session<'_>,
    entry: &Read,
    left: &LogEvent,
    signer: Option<&dyn Signer>,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let sequence = entry.entry.sequence;
    let (kind, body) = body::encode(left);
    let place = (sequence, entry.entry.time, kind);
    let (body, cipher) = covered(&body, place, &encryptor.keys);
    let mut erased = Erased {
        was: entry.stored,
        left: of_stored(body, cipher.as_deref()),
        signature: Vec::new(),
    };
    erased.signature = sign::sign(signer, TABLE, &erased.digest(sequence));
    let mark = erased.mark();
    let values = values![sequence as i64, body, &mark, cipher.as_ref()];
    session.put(ERASE, values, Expect::One(APPENDED_TO))?;
    let place = RowPlace {
        shard: entry.shard,
        number: sequence as i64,
    };
    encryptor.came(Set::ErasedEntry, place, &of_bytes(&mark));
    Ok(())
}

/// Deletes the entries up to this one, `count` of them, which a checkpoint replaces.
pub(crate) fn forget_until(
    session: Session<'_>,
    last: Sequence,
    count: usize,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let last = values![last as i64];
    let erased = encryptor.delete(session, Set::ErasedEntry, FORGET_ERASED, last)?;
    let others = session.change(FORGET, last)?;
    match erased.values().sum::<u64>() + others == count as u64 {
        true => Ok(()),
        false => Err(SqlFailure::of(
            FailureKind::Rule,
            "the log is never cut before a checkpoint says so",
        )),
    }
}

/// An entry as read, checked against its place in the chain.
pub(crate) struct Read {
    pub(crate) shard: Shard,
    pub(crate) entry: Entry,
    /// Its digest.
    pub(crate) sum: Sum,
    /// The digest of its body in the stored form before any change of keys.
    stored: Sum,
    /// The mark, if its body was erased.
    pub(crate) erased: Option<Erased>,
}

/// A row of [`BEHIND`] whose place in the chain was checked; its body may be encrypted.
pub(crate) struct Linked {
    pub(crate) shard: Shard,
    pub(crate) sequence: Sequence,
    /// The time of the happening.
    pub(crate) time: Timestamp,
    kind: String,
    body: String,
    cipher: Option<Vec<u8>>,
    /// Its digest.
    pub(crate) sum: Sum,
    stored: Sum,
    /// The mark, if its body was erased.
    pub(crate) erased: Option<Erased>,
}

/// One step along the chains: reads a row of [`BEHIND`], which must be this entry, and checks it against the digest
/// of the entry before it on its shard, which `previous` tells by its sequence. The body is not read: that needs a
/// key.
pub(crate) fn linked(
    row: &Row<'_>,
    expected: Sequence,
    previous: impl FnOnce(Shard, Sequence) -> Result<Sum, RowError>,
) -> Result<Linked, RowError> {
    let found: i64 = column(row, 0, TABLE, &expected.to_string())?;
    let sequence = found as Sequence;
    if sequence != expected {
        return Err(RowError::corrupt(TABLE, expected));
    }
    let key = sequence.to_string();
    let corrupt = || RowError::corrupt(TABLE, sequence);
    let time = Timestamp::from_ms(column(row, 1, TABLE, &key)?);
    let kind: String = column(row, 2, TABLE, &key)?;
    let body: String = column(row, 3, TABLE, &key)?;
    let sum: Sum = column(row, 4, TABLE, &key)?;
    let mark: Option<Vec<u8>> = column(row, 5, TABLE, &key)?;
    let cipher: Option<Vec<u8>> = column(row, 6, TABLE, &key)?;
    let erased = mark.map(|mark| Erased::parse(&mark).ok_or_else(corrupt));
    let erased = erased.transpose()?;
    let stored = match cipher.as_deref().and_then(Kept::parse) {
        Some(kept) => {
            check(&kept.left, &of_bytes(kept.cipher), TABLE, &key)?;
            kept.was
        }
        None => of_stored(&body, cipher.as_deref()),
    };
    let was = match &erased {
        Some(erased) => {
            check(&erased.left, &stored, TABLE, &key)?;
            erased.was
        }
        None => stored,
    };
    let shard = column(row, 7, TABLE, &key)?;
    let behind: i64 = column(row, 8, TABLE, &key)?;
    let before = u64::try_from(behind)
        .ok()
        .and_then(|behind| (sequence - 1).checked_sub(behind));
    let previous = previous(shard, before.ok_or_else(corrupt)?)?;
    let linked = link(&previous, sequence, time, &kind, &was);
    check(&sum, &linked, TABLE, &key)?;
    Ok(Linked {
        shard,
        sequence,
        time,
        kind,
        body,
        cipher,
        sum,
        stored,
        erased,
    })
}

impl Linked {
    /// The entry with its body.
    pub(crate) fn open(self, keys: &Keys) -> Result<Read, RowError> {
        let corrupt = || RowError::corrupt(TABLE, self.sequence);
        let body = match &self.cipher {
            Some(cipher) => {
                String::from_utf8(self.decrypt(cipher, keys)?).map_err(|_| corrupt())?
            }
            None => {
                let key = self.sequence.to_string();
                keys.check_plain((TABLE, key.as_str()).into())?;
                self.body
            }
        };
        let happening = body::decode(&self.kind, &body).ok_or_else(corrupt)?;
        let entry = Entry {
            sequence: self.sequence,
            time: self.time,
            happening,
        };
        Ok(Read {
            shard: self.shard,
            entry,
            sum: self.sum,
            stored: self.stored,
            erased: self.erased,
        })
    }

    fn decrypt(&self, stored: &[u8], keys: &Keys) -> Result<Vec<u8>, RowError> {
        let place = place_digest((self.sequence, self.time, &self.kind));
        let key = self.sequence.to_string();
        match Kept::parse(stored) {
            Some(kept) => keys.decrypt(kept.cipher, &place.bytes(&kept.was).sum(), TABLE, &key),
            None => keys.decrypt(stored, &place.sum(), TABLE, &key),
        }
    }
}
