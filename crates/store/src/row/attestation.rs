//! Rows of `attestation`: records of the occasions on which rows were bound, or a state was
//! accepted.
//!
//! Each is signed with the host key and never changes. Read next: [`crate::bind`].

use super::standing::RowPlace;
use super::{RowError, check, column};
use crate::digest::{ORIGIN, RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::set::Set;
use crate::sign::{self, Signer};
use crate::sql::{Expect, Row, Session, values};
use domain::event::Sequence;
use domain::time::Timestamp;

pub(crate) const TABLE: &str = "attestation";

/// All attestations, oldest first.
pub(crate) const ALL: &str = "SELECT number, kind, time, sequence, chain, detail, digest, signature
    FROM attestation ORDER BY number";

/// The grounds on which a state was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// Rows that carried no codes were verified and bound: trust on first use.
    FirstUse,
    /// Every row was bound anew, under a new data key.
    Rotation,
    /// An older state than the one last seen, or one without such a record, was accepted by the
    /// operator.
    Restored,
    /// The signatures of another host key were replaced.
    HostKey,
    /// It was copied from another place by the operator.
    Imported,
    /// What there was became shard 0; the chains of the others begin with its last digest.
    Sharded,
}

impl Ground {
    /// All grounds.
    pub const ALL: [Self; 6] = [
        Self::FirstUse,
        Self::Rotation,
        Self::Restored,
        Self::HostKey,
        Self::Imported,
        Self::Sharded,
    ];

    /// The name, as stored and reported.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FirstUse => "first-use",
            Self::Rotation => "rotation",
            Self::Restored => "restored",
            Self::HostKey => "host-key",
            Self::Imported => "imported",
            Self::Sharded => "sharded",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ground| ground.as_str() == name)
    }
}

/// The record that a state was accepted on other grounds than an unbroken chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attestation {
    /// The grounds.
    pub ground: Ground,
    /// The time given by the opener; not before the last entry of the log.
    pub time: Timestamp,
    /// The last entry of the log at that time.
    pub sequence: Sequence,
    /// Its digest.
    pub chain: [u8; 32],
    /// The explanation, for people.
    pub detail: String,
    /// The signature over all this; empty if there was no signer.
    pub signature: Vec<u8>,
}

impl Attestation {
    fn digest(&self, number: i64) -> Sum {
        RowDigest::of(TABLE)
            .number(number)
            .text(self.ground.as_str())
            .number(self.time.as_ms())
            .number(self.sequence as i64)
            .bytes(&self.chain)
            .text(&self.detail)
            .sum()
    }

    /// True if the signer signed it, as the attestation of this number.
    pub(crate) fn is_signed(&self, signer: &dyn Signer, number: i64) -> bool {
        sign::holds(signer, TABLE, &self.digest(number), &self.signature)
    }

    /// Signs it and appends it to the others.
    pub(crate) fn append(
        &mut self,
        session: Session<'_>,
        signer: Option<&dyn Signer>,
        encryptor: &mut Encryptor,
    ) -> Result<(), SqlFailure> {
        let last = "SELECT coalesce(max(number), 0) FROM attestation";
        let number = 1 + session.one::<i64>(last, &[])?;
        let sum = self.digest(number);
        self.signature = sign::sign(signer, TABLE, &sum);
        let sql = "INSERT INTO attestation (number, kind, time, sequence, chain, detail, digest,
            signature) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        session.put(
            sql,
            values![
                number,
                self.ground.as_str(),
                self.time.as_ms(),
                self.sequence as i64,
                &self.chain,
                &self.detail,
                &sum,
                &self.signature,
            ],
            Expect::Any,
        )?;
        encryptor.came(Set::Attestation, RowPlace::zero(number), &sum);
        Ok(())
    }
}

/// Reads a row of [`ALL`] and checks its digest; with its number.
pub(crate) fn read(row: &Row<'_>) -> Result<(i64, Attestation), RowError> {
    let number: i64 = row.get(0)?;
    let key = number.to_string();
    let ground: String = column(row, 1, TABLE, &key)?;
    let found = |index| column::<i64>(row, index, TABLE, &key);
    let attestation = Attestation {
        ground: Ground::parse(&ground).ok_or_else(|| RowError::corrupt(TABLE, &key))?,
        time: Timestamp::from_ms(found(2)?),
        sequence: found(3)? as Sequence,
        chain: column(row, 4, TABLE, &key)?,
        detail: column(row, 5, TABLE, &key)?,
        signature: column(row, 7, TABLE, &key)?,
    };
    let stored: Vec<u8> = column(row, 6, TABLE, &key)?;
    check(&stored, &attestation.digest(number), TABLE, &key)?;
    Ok((number, attestation))
}

/// All attestations with their numbers, oldest first.
pub(crate) fn all(session: Session<'_>) -> Result<Vec<(i64, Attestation)>, RowError> {
    session.all(ALL, &[], read)
}

/// The last digest there was before there were shards; zeros if there were always. That it is the one the shards
/// begin with is seen when their chains are walked.
pub(crate) fn base(session: Session<'_>) -> Result<Sum, RowError> {
    let sql = "SELECT chain FROM attestation WHERE kind = ?1 ORDER BY number LIMIT 1";
    let kind = values![Ground::Sharded.as_str()];
    let found = session.find(sql, kind, |row| {
        column(row, 0, TABLE, Ground::Sharded.as_str())
    })?;
    Ok(found.unwrap_or(ORIGIN))
}

/// Signs all of them anew.
pub(crate) fn sign_again(session: Session<'_>, signer: &dyn Signer) -> Result<(), RowError> {
    for (number, attestation) in all(session)? {
        let signature = sign::sign(Some(signer), TABLE, &attestation.digest(number));
        let sql = "UPDATE attestation SET signature = ?2 WHERE number = ?1";
        session.put(sql, values![number, &signature], Expect::Any)?;
    }
    Ok(())
}
