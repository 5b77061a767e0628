//! The encryptor of the writer: the key of the period, the codes of rows, and the ledger of all
//! rows.
//!
//! Only the writer holds one: its nonces are counted, and its sums of rows follow each row that is
//! inserted or deleted. The ledger is rolled back with its transaction: see [`crate::slice`]. Read
//! next: `cover`, [`crate::set`].

use crate::cipher::{HEADER, Header, Keys, TAG, derived};
use crate::data_key::{self, DataKey, Period};
use crate::digest::Sum;
use crate::failure::SqlFailure;
use crate::keys::{KeyKeeper, KeyKeeperError, Secret};
use crate::ledger::Ledger;
use crate::mac::RowMac;
use crate::row::{RowError, Standing};
use crate::set::{Set, SetKey};
use crate::sql::{Session, Value};
use aes_gcm::aead::AeadInOut;
use aes_gcm::{Aes256Gcm, Tag};
use std::ops::ControlFlow;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The keys that rows are written with, and the ledger.
#[derive(Default)]
pub(crate) struct Encryptor {
    /// The key of the period; none where payloads are not encrypted.
    active_key: Option<ActiveKey>,
    /// The keys of codes and sums; none where there is no key.
    binding: Option<Binding>,
    /// The ledger, as of the transaction under way.
    pub(crate) ledger: Ledger,
}

/// The period in which payloads are encrypted.
struct ActiveKey {
    cipher: Arc<Aes256Gcm>,
    period: Period,
    is_stored: bool,
    count: u64,
}

/// The keys that rows are bound with.
#[derive(Clone)]
struct Binding {
    mac: Arc<RowMac>,
    sets: SetKey,
}

impl Encryptor {
    /// An encryptor without keys: payloads are not encrypted, and rows carry no codes.
    pub(crate) fn none(ledger: Ledger) -> Self {
        Self {
            ledger,
            ..Self::default()
        }
    }

    /// Begins a period under a data key; rows are not bound yet.
    pub(crate) fn under(
        keys: &Keys,
        data_key: i64,
        secret: &Secret,
        salt: [u8; 16],
    ) -> Result<Self, RowError> {
        let full = || RowError::corrupt(data_key::PERIODS, "no number is left");
        let period = Period {
            number: keys.next_period().ok_or_else(full)?,
            data_key,
            salt,
        };
        keys.add(period, secret);
        Ok(Self {
            active_key: Some(ActiveKey {
                cipher: Arc::new(derived(secret, &salt)),
                period,
                is_stored: false,
                count: 0,
            }),
            ..Self::default()
        })
    }

    /// Binds rows from now on, continuing the given ledger.
    pub(crate) fn bind(
        &mut self,
        keys: &Keys,
        sets: SetKey,
        ledger: Ledger,
    ) -> Result<(), RowError> {
        let mac = self.data_key().and_then(|number| keys.mac(number));
        let mac = mac.ok_or(RowError::Locked(data_key::TABLE))?;
        self.binding = Some(Binding { mac, sets });
        self.ledger = ledger;
        Ok(())
    }

    /// This encryptor under a newer data key.
    pub(crate) fn renewed(
        &self,
        keys: &Keys,
        data_key: i64,
        secret: &Secret,
        salt: [u8; 16],
    ) -> Result<Self, RowError> {
        let mut renewed = Self::under(keys, data_key, secret, salt)?;
        if let Some(binding) = &self.binding {
            renewed.bind(keys, binding.sets.clone(), self.ledger)?;
        }
        Ok(renewed)
    }

    /// True if rows carry codes.
    pub(crate) fn is_bound(&self) -> bool {
        self.binding.is_some()
    }

    /// The secret of the sums, if rows are summed up.
    pub(crate) fn sets(&self) -> Option<&SetKey> {
        self.binding.as_ref().map(|binding| &binding.sets)
    }

    /// Replaces the secret of the sums; all rows must have been summed up with it.
    pub(crate) fn sum_up_with(&mut self, sets: SetKey) {
        if let Some(binding) = &mut self.binding {
            binding.sets = sets;
        }
    }

    /// The digest of a row as its column holds it, with a code behind it if rows carry codes.
    pub(crate) fn stamp(&self, table: &str, place: i64, sum: &Sum) -> Vec<u8> {
        match &self.binding {
            Some(binding) => binding.mac.stamp(table, place, sum),
            None => sum.to_vec(),
        }
    }

    /// Adds a row to the sum of its set.
    pub(crate) fn came(&mut self, set: Set, number: i64, sum: &Sum) {
        if let Some(binding) = &self.binding {
            self.ledger.hashes.add(&binding.sets, set, number, sum);
        }
    }

    /// Takes the row whose digest is stored out of the sum of its set.
    pub(crate) fn went(&mut self, set: Set, number: i64, stored: &[u8]) {
        if let Some(binding) = &self.binding {
            let sum = set.sum_of(stored);
            self.ledger.hashes.remove(&binding.sets, set, number, &sum);
        }
    }

    /// Updates the sum of a set for a row written in the place of `old`, or, if there is none, as a
    /// new one with this number.
    pub(crate) fn replaced(&mut self, old: Option<&Standing>, set: Set, number: i64, sum: &Sum) {
        if let Some(old) = old {
            self.went(set, old.number, &old.digest);
        }
        self.came(set, old.map_or(number, |old| old.number), sum);
    }

    /// Deletes rows of a set and returns how many. `sql` returns the number and the digest of each.
    pub(crate) fn delete(
        &mut self,
        session: Session<'_>,
        set: Set,
        sql: &str,
        key: &[Value<'_>],
    ) -> Result<usize, SqlFailure> {
        let mut gone = 0;
        session.query(sql, key, |row| {
            gone += 1;
            if self.is_bound() {
                self.went(set, row.get(0)?, row.bytes(1)?);
            }
            Ok::<_, SqlFailure>(ControlFlow::Continue(()))
        })?;
        Ok(gone)
    }

    /// The ledger as encrypted beside the head, whose columns have the digest `beside`.
    pub(crate) fn ledger(&mut self, beside: &Sum) -> Option<Vec<u8>> {
        let packed = self.ledger.pack(&self.sets()?.secret);
        self.encrypt(&packed, beside)
    }

    /// The number of the data key that new payloads are encrypted under.
    pub(crate) fn data_key(&self) -> Option<i64> {
        self.active_key
            .as_ref()
            .map(|active_key| active_key.period.data_key)
    }

    /// True if a payload still has to be encrypted under the data key in force.
    pub(crate) fn is_due(&self, cipher: Option<&[u8]>, keys: &Keys) -> bool {
        let header = cipher.and_then(Header::parse);
        header.and_then(|header| keys.data_key(header.period)) != self.data_key()
    }

    /// Stores the salt of this period, in the first transaction that succeeds.
    pub(crate) fn store(&mut self, session: Session<'_>) -> Result<(), SqlFailure> {
        let Some(active_key) = self
            .active_key
            .as_ref()
            .filter(|active_key| !active_key.is_stored)
        else {
            return Ok(());
        };
        let period = active_key.period;
        let sum = period.insert(session)?;
        self.came(Set::Period, period.number.into(), &sum);
        Ok(())
    }

    /// Notes that the transaction in which the salt was stored was committed.
    pub(crate) fn stored(&mut self) {
        if let Some(active_key) = &mut self.active_key {
            active_key.is_stored = true;
        }
    }

    /// The ciphertext of `payload` beside columns of the digest `beside`; none without a key.
    pub(crate) fn encrypt(&mut self, payload: &[u8], beside: &Sum) -> Option<Vec<u8>> {
        let active_key = self.active_key.as_mut()?;
        let mut cipher = Vec::with_capacity(HEADER + payload.len() + TAG);
        cipher.extend_from_slice(&[0; HEADER]);
        cipher.extend_from_slice(payload);
        let (header, tag) = active_key.encrypt(&mut cipher[HEADER..], beside);
        cipher[..HEADER].copy_from_slice(&header.bytes());
        cipher.extend_from_slice(&tag);
        Some(cipher)
    }

    /// Encrypts `payload` in place; returns the mark that decrypts it, none without a key.
    pub(crate) fn encrypt_in_place(&mut self, payload: &mut [u8], beside: &Sum) -> Option<Vec<u8>> {
        let (header, tag) = self.active_key.as_mut()?.encrypt(payload, beside);
        Some([&header.bytes()[..], &tag].concat())
    }

    pub(crate) fn is_on(&self) -> bool {
        self.active_key.is_some()
    }
}

impl ActiveKey {
    fn encrypt(&mut self, payload: &mut [u8], beside: &Sum) -> (Header, Tag) {
        let header = Header {
            period: self.period.number,
            count: self.count,
        };
        self.count += 1;
        let encrypted = self
            .cipher
            .encrypt_inout_detached(&header.nonce(), beside, payload.into());
        (header, encrypted.expect("no payload has 64 GiB"))
    }
}

/// A new data key, wrapped under the master key in force.
pub(crate) fn new_data_key(
    number: i64,
    keeper: &dyn KeyKeeper,
) -> Result<(DataKey, Secret), KeyKeeperError> {
    let mut bits = Zeroizing::new([0; 32]);
    keeper.random(&mut bits[..])?;
    let secret = Secret::new(*bits);
    let master = keeper.current();
    let wrapped = keeper.wrap(&master, &secret)?;
    let row = DataKey {
        number,
        master,
        wrapped,
        whole: false,
    };
    Ok((row, secret))
}

/// A new secret for the sums.
pub(crate) fn new_set_key(keeper: &dyn KeyKeeper) -> Result<SetKey, KeyKeeperError> {
    let mut bits = Zeroizing::new([0; 32]);
    keeper.random(&mut bits[..])?;
    Ok(SetKey::new(Secret::new(*bits)))
}

/// The salt of a new period.
pub(crate) fn new_salt(keeper: &dyn KeyKeeper) -> Result<[u8; 16], KeyKeeperError> {
    let mut salt = [0; 16];
    keeper.random(&mut salt)?;
    Ok(salt)
}

/// True if nothing is stored.
pub(crate) fn is_empty(session: Session<'_>) -> Result<bool, SqlFailure> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM task) AND NOT EXISTS (SELECT 1 FROM exchange)
        AND NOT EXISTS (SELECT 1 FROM data_param) AND NOT EXISTS (SELECT 1 FROM data_chunk)
        AND NOT EXISTS (SELECT 1 FROM negotiation) AND NOT EXISTS (SELECT 1 FROM team)
        AND NOT EXISTS (SELECT 1 FROM log) AND NOT EXISTS (SELECT 1 FROM cursor)
        AND NOT EXISTS (SELECT 1 FROM document) AND NOT EXISTS (SELECT 1 FROM observation)
        AND NOT EXISTS (SELECT 1 FROM push_config) AND NOT EXISTS (SELECT 1 FROM registration)
        AND NOT EXISTS (SELECT 1 FROM erasure) AND NOT EXISTS (SELECT 1 FROM checkpoint)";
    session.one(sql, &[])
}
