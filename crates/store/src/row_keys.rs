//! The keys that rows are made ready with, by any number of threads at once.
//!
//! ```text
//! whoever prepares ─► cover, stamp ─┐
//! the writer ───────► encrypt ──────┴─► one count for each period: no nonce is given twice
//! ```
//! Cheap to clone: all clones count together. A period is stored by the transaction that writes its
//! first row: that is `encryptor`'s. Read next: [`crate::cover`], [`crate::cipher`].

use crate::cipher::{HEADER, Header, Keys, TAG, derived};
use crate::data_key::{self, Period};
use crate::digest::Sum;
use crate::keys::Secret;
use crate::mac::RowMac;
use crate::row::RowError;
use aes_gcm::aead::AeadInOut;
use aes_gcm::{Aes256Gcm, Tag};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The key of a period, and that of the codes of rows; neither where there is no key.
#[derive(Clone, Default)]
pub(crate) struct RowKeys {
    active_key: Option<Arc<ActiveKey>>,
    /// None where rows carry no codes.
    mac: Option<Arc<RowMac>>,
}

/// The period in which payloads are encrypted.
struct ActiveKey {
    cipher: Aes256Gcm,
    period: Period,
    /// The nonces given so far.
    count: AtomicU64,
}

impl RowKeys {
    /// Begins a period under a data key; rows carry no codes yet.
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
            active_key: Some(Arc::new(ActiveKey {
                cipher: derived(secret, &salt),
                period,
                count: AtomicU64::new(0),
            })),
            mac: None,
        })
    }

    /// Gives rows codes from now on.
    pub(crate) fn bind(&mut self, keys: &Keys) -> Result<(), RowError> {
        let mac = self.period().and_then(|period| keys.mac(period.data_key));
        self.mac = Some(mac.ok_or(RowError::Locked(data_key::TABLE))?);
        Ok(())
    }

    /// The period in which payloads are encrypted; none where they are not.
    pub(crate) fn period(&self) -> Option<Period> {
        self.active_key.as_ref().map(|key| key.period)
    }

    /// The digest of a row as its column holds it, with a code behind it if rows carry codes.
    pub(crate) fn stamp(&self, table: &str, place: i64, sum: &Sum) -> Vec<u8> {
        match &self.mac {
            Some(mac) => mac.stamp(table, place, sum),
            None => sum.to_vec(),
        }
    }

    /// The ciphertext of `payload` beside columns of the digest `beside`; none without a key.
    pub(crate) fn encrypt(&self, payload: &[u8], beside: &Sum) -> Option<Vec<u8>> {
        let active_key = self.active_key.as_ref()?;
        let mut cipher = Vec::with_capacity(HEADER + payload.len() + TAG);
        cipher.extend_from_slice(&[0; HEADER]);
        cipher.extend_from_slice(payload);
        let (header, tag) = active_key.encrypt(&mut cipher[HEADER..], beside);
        cipher[..HEADER].copy_from_slice(&header.bytes());
        cipher.extend_from_slice(&tag);
        Some(cipher)
    }

    /// Encrypts `payload` in place; returns the mark that decrypts it, none without a key.
    pub(crate) fn encrypt_in_place(&self, payload: &mut [u8], beside: &Sum) -> Option<Vec<u8>> {
        let (header, tag) = self.active_key.as_ref()?.encrypt(payload, beside);
        Some([&header.bytes()[..], &tag].concat())
    }

    /// True if payloads are encrypted.
    pub(crate) fn is_on(&self) -> bool {
        self.active_key.is_some()
    }
}

/// The keys that are in force at the moment, for whoever prepares rows.
pub(crate) struct KeysInForce(Mutex<RowKeys>);

impl KeysInForce {
    pub(crate) fn new(keys: RowKeys) -> Self {
        Self(Mutex::new(keys))
    }

    pub(crate) fn get(&self) -> RowKeys {
        self.held().clone()
    }

    pub(crate) fn set(&self, keys: RowKeys) {
        *self.held() = keys;
    }

    fn held(&self) -> MutexGuard<'_, RowKeys> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveKey {
    fn encrypt(&self, payload: &mut [u8], beside: &Sum) -> (Header, Tag) {
        let header = Header {
            period: self.period.number,
            // A number is given once, whatever else is seen of other threads.
            count: self.count.fetch_add(1, Relaxed),
        };
        let encrypted = self
            .cipher
            .encrypt_inout_detached(&header.nonce(), beside, payload.into());
        (header, encrypted.expect("no payload has 64 GiB"))
    }
}
