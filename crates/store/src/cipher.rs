//! Encryption and decryption of payloads.
//!
//! ```text
//! master key (at the keeper) ── wraps ──► data key ── with the salt of a period ──► key of a period
//! ciphertext: 1 ‖ period, 4 bytes ‖ count, 8 bytes ‖ AES-256-GCM of the payload ‖ tag, 16 bytes
//! ```
//! A period is one opening of the state, its key SHA-256(name ‖ data key ‖ salt) (NIST SP 800-56C
//! §4), its nonces are counted: none is ever used twice, and a crash, which may lose the count,
//! ends the period. (Not so if the memory of a running process is copied and both go on.) The
//! payloads of a row are encrypted together, and bound to its other columns by their digest as
//! associated data: a ciphertext fits no other row and no other version of its own, and a change of
//! a column that is not encrypted is detected with the key. Row digests and the chain run over
//! ciphertexts, so that both are verified without a key. Once every payload is encrypted, a row
//! that is not is refused as forged.
//!
//! | table | encrypted | not, since it is searched, sorted or counted by |
//! |---|---|---|
//! | `task` | conditions, content, text, plan, result, what was said | identifiers, parties, state, times, version, percent, what is awaited, the data it was given, which of the contents there are |
//! | `exchange` | request | identifiers, parties, verb, times, the data that are the response |
//! | `data_param` | description, data or URL, SHA-256 of the whole | identifiers, parties, type, format, time, size |
//! | `data_chunk` | bytes | number of the data, offset, length |
//! | `negotiation` | turns | task, kind, parties, state, time, limits |
//! | `team` | all else | task, publisher, time |
//! | `log` | body | sequence, time, kind |
//! | `document` | body | kind, name |
//! | `observation` | body | number |
//! | `cursor` | name | SHA-256 of the name, sequence |
//! | `push_config` | all else | task, owner, identifier |
//! | `head` | what binds the rows to it: see [`crate::ledger`] | sequence, time, chain, counts, generation |
//! | `registration`, `team_candidate` | nothing | profiles are public, and teams are searched by their candidates |
//! | `seal`, `checkpoint`, `erasure`, `attestation` | nothing | they count and sign |
//! | `data_key`, `period` | the key, under the master key | number, name of the master key, salt |
//!
//! Lengths stay visible too. Read next: `encryptor`, which writes, `cover`, `keys`, [`crate::data_key`].

use crate::data_key::{self, DataKey, Period};
use crate::digest::Sum;
use crate::keys::{KeyKeeper, Secret};
use crate::mac::{RowMac, Stamp, derive};
use crate::open::OpenError;
use crate::row::RowError;
use crate::sql::Session;
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce, Tag};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The first byte of every ciphertext.
pub(crate) const FORM: u8 = 1;
/// The length of form, period and count.
pub(crate) const HEADER: usize = 13;
pub(crate) const TAG: usize = 16;

/// A session of the tables, with the keys to what is encrypted in them.
#[derive(Clone, Copy)]
pub(crate) struct Tables<'c> {
    pub(crate) session: Session<'c>,
    pub(crate) keys: &'c Keys,
}

/// The keys of all periods, and of the codes of rows; empty if the state is not encrypted or opened
/// without a key.
#[derive(Default)]
pub(crate) struct Keys {
    held: RwLock<Held>,
    /// True if every row must carry a code.
    bound: AtomicBool,
    /// True if every payload must be encrypted.
    whole: AtomicBool,
}

#[derive(Default)]
struct Held {
    data_keys: BTreeMap<i64, Secret>,
    periods: BTreeMap<u32, Period>,
    /// The ciphers, made when first used.
    ciphers: BTreeMap<u32, Arc<Aes256Gcm>>,
    macs: BTreeMap<i64, Arc<RowMac>>,
}

impl Held {
    fn make(&self, period: u32) -> Option<Aes256Gcm> {
        let period = self.periods.get(&period)?;
        let secret = self.data_keys.get(&period.data_key)?;
        Some(derived(secret, &period.salt))
    }

    fn insert(&mut self, data_key: i64, secret: Secret) {
        if let Some(mac) = RowMac::of(data_key, &secret) {
            self.macs.insert(data_key, Arc::new(mac));
        }
        self.data_keys.insert(data_key, secret);
    }
}

/// The key of a period.
pub(crate) fn derived(secret: &Secret, salt: &[u8; 16]) -> Aes256Gcm {
    let key = derive("convoke-store period", secret, salt);
    Aes256Gcm::new((&*key).into())
}

/// The identity of a row: its table, its key for messages, and the place that its code is bound to.
#[derive(Clone, Copy)]
pub(crate) struct At<'k> {
    pub(crate) table: &'static str,
    pub(crate) key: &'k str,
    /// The number of data; 0 for other tables.
    pub(crate) place: i64,
}

impl<'k> From<(&'static str, &'k str)> for At<'k> {
    fn from((table, key): (&'static str, &'k str)) -> Self {
        let place = 0;
        Self { table, key, place }
    }
}

impl At<'_> {
    fn corrupt(&self) -> RowError {
        RowError::corrupt(self.table, self.key)
    }

    fn forged(&self) -> RowError {
        RowError::forged(self.table, self.key)
    }
}

impl Keys {
    /// Unwraps the data keys of the state with the keeper.
    pub(crate) fn read(session: Session<'_>, keeper: &dyn KeyKeeper) -> Result<Self, OpenError> {
        let keys = Self::locked(&data_key::data_keys(session)?);
        {
            let mut held = keys.write();
            for stored in data_key::data_keys(session)? {
                let secret = keeper.unwrap(&stored.master, &stored.wrapped);
                held.insert(stored.number, secret.map_err(OpenError::Key)?);
            }
            for period in data_key::periods(session)? {
                held.periods.insert(period.number, period);
            }
        }
        Ok(keys)
    }

    /// The keys of a state opened without a key; the requirements on its rows are known all the
    /// same.
    pub(crate) fn locked(data_keys: &[DataKey]) -> Self {
        let keys = Self::default();
        // Once a state is whole it stays so: a newer data key becomes whole when everything is
        // under it.
        let whole = data_keys.iter().any(|key| key.whole);
        keys.whole.store(whole, Relaxed);
        keys
    }

    fn read_held(&self) -> RwLockReadGuard<'_, Held> {
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Held> {
        self.held.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, period: Period, secret: &Secret) {
        let mut held = self.write();
        held.insert(period.data_key, secret.clone());
        held.periods.insert(period.number, period);
    }

    /// Requires every row to carry a code from now on.
    pub(crate) fn bind(&self) {
        self.bound.store(true, Relaxed);
    }

    /// Requires every payload to be encrypted from now on.
    pub(crate) fn make_whole(&self) {
        self.whole.store(true, Relaxed);
    }

    /// Checks the digest stored with a row, and the code behind it if rows carry codes.
    pub(crate) fn check(&self, stored: &[u8], sum: &Sum, at: At<'_>) -> Result<(), RowError> {
        let stamp = Stamp::parse(stored).ok_or_else(|| at.corrupt())?;
        if stamp.sum != sum {
            return Err(at.corrupt());
        }
        if !self.bound.load(Relaxed) {
            return Ok(());
        }
        let mac = stamp.code.and_then(|(number, _)| self.mac(number));
        match mac.is_some_and(|mac| mac.holds(at.table, at.place, &stamp)) {
            true => Ok(()),
            false => Err(at.forged()),
        }
    }

    /// Refuses a payload that is not encrypted, if all must be.
    pub(crate) fn check_plain(&self, at: At<'_>) -> Result<(), RowError> {
        match self.whole.load(Relaxed) {
            true => Err(at.forged()),
            false => Ok(()),
        }
    }

    pub(crate) fn mac(&self, data_key: i64) -> Option<Arc<RowMac>> {
        self.read_held().macs.get(&data_key).cloned()
    }

    /// The data key of this number.
    pub(crate) fn secret(&self, data_key: i64) -> Option<Secret> {
        self.read_held().data_keys.get(&data_key).cloned()
    }

    /// The number of the data key of a period.
    pub(crate) fn data_key(&self, period: u32) -> Option<i64> {
        let held = self.read_held();
        held.periods.get(&period).map(|period| period.data_key)
    }

    /// The next free number of a period; none if all are used up.
    pub(crate) fn next_period(&self) -> Option<u32> {
        let held = self.read_held();
        held.periods
            .keys()
            .next_back()
            .map_or(Some(1), |last| last.checked_add(1))
    }

    fn cipher(&self, period: u32) -> Option<Arc<Aes256Gcm>> {
        let held = self.read_held();
        if let Some(cipher) = held.ciphers.get(&period) {
            return Some(Arc::clone(cipher));
        }
        let cipher = Arc::new(held.make(period)?);
        drop(held);
        self.write().ciphers.insert(period, Arc::clone(&cipher));
        Some(cipher)
    }

    /// The payload of a ciphertext beside columns of the digest `beside`.
    pub(crate) fn decrypt(
        &self,
        cipher: &[u8],
        beside: &Sum,
        table: &'static str,
        key: &str,
    ) -> Result<Vec<u8>, RowError> {
        let corrupt = || RowError::corrupt(table, key);
        let header = Header::parse(cipher).ok_or_else(corrupt)?;
        let (payload, tag) = cipher[HEADER..]
            .split_last_chunk::<TAG>()
            .ok_or_else(corrupt)?;
        let mut payload = payload.to_vec();
        self.decrypt_detached(header, &mut payload, tag, beside, table, key)?;
        Ok(payload)
    }

    fn decrypt_detached(
        &self,
        header: Header,
        payload: &mut [u8],
        tag: &[u8; TAG],
        beside: &Sum,
        table: &'static str,
        key: &str,
    ) -> Result<(), RowError> {
        let cipher = self.cipher(header.period).ok_or(RowError::Locked(table))?;
        let tag: &Tag = tag.into();
        cipher
            .decrypt_inout_detached(&header.nonce(), beside, payload.into(), tag)
            .map_err(|_| RowError::corrupt(table, key))
    }

    /// Decrypts a payload in place, given its mark.
    pub(crate) fn decrypt_in_place(
        &self,
        mark: &[u8],
        payload: &mut [u8],
        beside: &Sum,
        table: &'static str,
        key: &str,
    ) -> Result<(), RowError> {
        let corrupt = || RowError::corrupt(table, key);
        let header = Header::parse(mark).ok_or_else(corrupt)?;
        let tag = mark[HEADER..].try_into().map_err(|_| corrupt())?;
        self.decrypt_detached(header, payload, tag, beside, table, key)
    }
}

/// The header of a ciphertext.
#[derive(Clone, Copy)]
pub(crate) struct Header {
    pub(crate) period: u32,
    pub(crate) count: u64,
}

impl Header {
    pub(crate) fn parse(cipher: &[u8]) -> Option<Self> {
        let (form, rest) = cipher.split_first()?;
        let (period, rest) = rest.split_first_chunk()?;
        let (count, _) = rest.split_first_chunk()?;
        (*form == FORM).then_some(Self {
            period: u32::from_be_bytes(*period),
            count: u64::from_be_bytes(*count),
        })
    }

    pub(crate) fn bytes(self) -> [u8; HEADER] {
        let mut bytes = [FORM; HEADER];
        bytes[1..5].copy_from_slice(&self.period.to_be_bytes());
        bytes[5..].copy_from_slice(&self.count.to_be_bytes());
        bytes
    }

    pub(crate) fn nonce(self) -> Nonce<aes_gcm::aes::cipher::consts::U12> {
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&self.count.to_be_bytes());
        nonce.into()
    }
}
