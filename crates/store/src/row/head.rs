//! The one row of `head`: the end of the log, the numbers of rows, and the ledger that binds them.
//!
//! Its generation grows with every transaction that changes something. Where there is a key, the
//! ledger is encrypted under it, and one that decrypts was written with the key. Read next:
//! [`crate::ledger`], [`super::seal`].

use super::{RowError, check, column};
use crate::cipher::Keys;
use crate::cover::covered;
use crate::digest::{ORIGIN, RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::ledger::Ledger;
use crate::set::SetKey;
use crate::sql::{Expect, Row, Session, values};
use domain::event::Sequence;
use domain::time::Timestamp;

pub(crate) const TABLE: &str = "head";

/// The fault of a head whose ledger does not decrypt.
const MISFIT: &str = "it does not fit what binds the rows";

const WRITE: &str = "INSERT INTO head (one, sequence, time, chain, tasks, open, exchanges, data,
    digest, generation, cipher) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    ON CONFLICT (one) DO UPDATE SET sequence = ?1, time = ?2, chain = ?3, tasks = ?4, open = ?5,
    exchanges = ?6, data = ?7, digest = ?8, generation = ?9, cipher = ?10";

/// The required contents of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The last entry of the log.
    pub(crate) sequence: Sequence,
    /// Its time.
    pub(crate) time: Timestamp,
    /// Its digest.
    pub(crate) chain: Sum,
    /// The numbers of rows.
    pub(crate) counts: Counts,
}

/// The numbers of rows of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All tasks.
    pub tasks: u64,
    /// Tasks that have not ended.
    pub open: u64,
    /// Exchanges.
    pub exchanges: u64,
    /// Data.
    pub data: u64,
}

impl Head {
    /// The head of an empty state.
    pub(crate) fn empty() -> Head {
        Head {
            sequence: 0,
            time: Timestamp::from_ms(0),
            chain: ORIGIN,
            counts: Counts::default(),
        }
    }

    pub(crate) fn digest(&self, table: &str) -> Sum {
        self.row(table).sum()
    }

    fn row(&self, table: &str) -> RowDigest {
        RowDigest::of(table)
            .number(self.sequence as i64)
            .number(self.time.as_ms())
            .bytes(&self.chain)
            .number(self.counts.tasks as i64)
            .number(self.counts.open as i64)
            .number(self.counts.exchanges as i64)
            .number(self.counts.data as i64)
    }

    /// Reads the first columns of a row of `head` or `seal`, which are the same; not checked yet.
    pub(crate) fn of(row: &Row<'_>, table: &'static str) -> Result<Head, RowError> {
        let count = |index| column::<i64>(row, index, table, "").map(|count| count as u64);
        Ok(Head {
            sequence: count(0)?,
            time: Timestamp::from_ms(column(row, 1, table, "")?),
            chain: column(row, 2, table, "")?,
            counts: Counts {
                tasks: count(3)?,
                open: count(4)?,
                exchanges: count(5)?,
                data: count(6)?,
            },
        })
    }
}

/// The stored head.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) head: Head,
    /// The number of times that it was written; 0 before the first time, and by releases that did
    /// not count.
    pub(crate) generation: u64,
    /// The digest of the row: it identifies the whole state of this generation.
    pub(crate) digest: Sum,
    cipher: Option<Vec<u8>>,
}

impl Stored {
    /// Reads the stored head; empty before the first transaction.
    pub(crate) fn read(session: Session<'_>) -> Result<Self, RowError> {
        let sql = "SELECT sequence, time, chain, tasks, open, exchanges, data, digest, generation,
            cipher FROM head";
        let stored = session.find(sql, &[], Self::of)?;
        Ok(stored.unwrap_or_else(|| Self {
            head: Head::empty(),
            generation: 0,
            digest: ORIGIN,
            cipher: None,
        }))
    }

    fn of(row: &Row<'_>) -> Result<Self, RowError> {
        let digest: Vec<u8> = column(row, 7, TABLE, "")?;
        let mut stored = Self {
            head: Head::of(row, TABLE)?,
            generation: column::<i64>(row, 8, TABLE, "")? as u64,
            digest: ORIGIN,
            cipher: column(row, 9, TABLE, "")?,
        };
        stored.digest = stored.computed();
        check(&digest, &stored.digest, TABLE, "")?;
        Ok(stored)
    }

    fn computed(&self) -> Sum {
        let beside = beside(&self.head, self.generation);
        match &self.cipher {
            Some(cipher) => covered(TABLE, &beside, cipher),
            None => beside,
        }
    }

    /// True if it binds the rows.
    pub(crate) fn is_bound(&self) -> bool {
        self.cipher.is_some()
    }

    /// The ledger, and the secret of the sums; none if rows are not bound.
    pub(crate) fn ledger(&self, keys: &Keys) -> Result<Option<(Ledger, SetKey)>, RowError> {
        let Some(cipher) = &self.cipher else {
            return Ok(None);
        };
        let forged = || RowError::forged(TABLE, MISFIT);
        let beside = beside(&self.head, self.generation);
        let packed = match keys.decrypt(cipher, &beside, TABLE, "") {
            Err(RowError::Corrupt(_)) => return Err(forged()),
            packed => packed?,
        };
        let (ledger, secret) = Ledger::unpack(&packed).ok_or_else(forged)?;
        let ledger = Ledger {
            generation: self.generation,
            digest: self.digest,
            ..ledger
        };
        Ok(Some((ledger, SetKey::new(secret))))
    }
}

/// The digest of the columns that are not encrypted. Releases that did not count generations had
/// another one.
pub(crate) fn beside(head: &Head, generation: u64) -> Sum {
    match generation {
        0 => head.digest(TABLE),
        _ => head.row(TABLE).number(generation as i64).sum(),
    }
}

/// Writes the head as the next generation.
pub(crate) fn write(
    session: Session<'_>,
    head: &Head,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    encryptor.ledger.generation += 1;
    let generation = encryptor.ledger.generation;
    let mut stored = Stored {
        head: *head,
        generation,
        digest: ORIGIN,
        cipher: encryptor.ledger(&beside(head, generation)),
    };
    stored.digest = stored.computed();
    encryptor.ledger.digest = stored.digest;
    session.put(
        WRITE,
        values![
            head.sequence as i64,
            head.time.as_ms(),
            &head.chain,
            head.counts.tasks as i64,
            head.counts.open as i64,
            head.counts.exchanges as i64,
            head.counts.data as i64,
            &stored.digest,
            generation as i64,
            stored.cipher.as_ref(),
        ],
        Expect::Any,
    )?;
    Ok(())
}
