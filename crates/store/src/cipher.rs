//! Encrypting payloads, and reading them again.
//!
//! ```text
//! master key (at the keeper) ── wraps ──► data key ── with the salt of a period ──► key of a period
//! ciphertext: 1 ‖ period, 4 bytes ‖ count, 8 bytes ‖ AES-256-GCM of the payload ‖ tag, 16 bytes
//! ```
//! A period is one opening of the state, its key SHA-256(name ‖ data key ‖ salt) (NIST SP
//! 800-56C §4), its nonces are counted: none is ever used twice, and a crash, which may lose the
//! count, ends the period. (Not so if the memory of a running process is copied and both go on.)
//! The payloads of a row are encrypted together, and bound to its other columns by their digest as
//! associated data: a ciphertext fits no other row and no other version of its own, and whoever
//! changes a column that is not encrypted is found out by whoever has the key. Row digests and the
//! chain run over ciphertexts, so that both are verified without a key.
//!
//! | table | encrypted | not, since it is searched, sorted or counted by |
//! |---|---|---|
//! | `task` | conditions, content, text, plan, result, what was said | identifiers, parties, state, times, version, percent, what is awaited, the data it was given, which of the contents there are |
//! | `exchange` | request | identifiers, parties, verb, times, the data that are the response |
//! | `data_param` | description, data or URL, SHA-256 of the whole | identifiers, parties, type, format, time, size |
//! | `data_chunk` | bytes | number of the data, offset, length |
//! | `negotiation` | turns | task, kind, parties, state, time, limits |
//! | `team` | all else | task, time |
//! | `log` | body | sequence, time, kind |
//! | `cursor` | name | SHA-256 of the name, sequence |
//! | `push_config` | all else | task, owner, identifier |
//! | `registration`, `head`, `seal`, `checkpoint`, `erasure` | nothing | profiles are public; the others count and sign |
//!
//! Lengths stay visible too. Read next: `keys`, `row::data_key`.

use crate::digest::{RowDigest, Sum};
use crate::keys::{KeyError, KeyKeeper, Secret};
use crate::open::OpenError;
use crate::row::data_key::{self, DataKey, Period};
use crate::row::{RowError, check};
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce, Tag};
use rusqlite::Connection;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};
use zeroize::Zeroizing;

/// What every ciphertext begins with.
pub(crate) const FORM: u8 = 1;
/// Form, period and count.
const HEADER: usize = 13;
const TAG: usize = 16;

/// A connection to the tables, with the keys to what is encrypted in them.
#[derive(Clone, Copy)]
pub(crate) struct Tables<'c> {
    pub(crate) connection: &'c Connection,
    pub(crate) keys: &'c Keys,
}

impl Deref for Tables<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

/// The keys of all periods; none if the state is not encrypted or nobody brought the key.
#[derive(Default)]
pub(crate) struct Keys(RwLock<Held>);

#[derive(Default)]
struct Held {
    data_keys: BTreeMap<i64, Secret>,
    periods: BTreeMap<u32, Period>,
    /// Made when first used.
    ciphers: BTreeMap<u32, Arc<Aes256Gcm>>,
}

impl Held {
    fn make(&self, period: u32) -> Option<Aes256Gcm> {
        let period = self.periods.get(&period)?;
        let secret = self.data_keys.get(&period.data_key)?;
        Some(derived(secret, &period.salt))
    }
}

fn derived(secret: &Secret, salt: &[u8; 16]) -> Aes256Gcm {
    let mut hash = Sha256::new();
    hash.update(b"convoke-store period\0");
    hash.update(secret.expose());
    hash.update(salt);
    let key = Zeroizing::new(<[u8; 32]>::from(hash.finalize()));
    Aes256Gcm::new((&*key).into())
}

impl Keys {
    /// Opens the data keys of the state with the keeper's.
    pub(crate) fn read(connection: &Connection, keeper: &dyn KeyKeeper) -> Result<Self, OpenError> {
        let mut held = Held::default();
        for stored in data_key::data_keys(connection)? {
            let secret = keeper.unwrap(&stored.master, &stored.wrapped);
            held.data_keys
                .insert(stored.number, secret.map_err(OpenError::Key)?);
        }
        for period in data_key::periods(connection)? {
            held.periods.insert(period.number, period);
        }
        Ok(Self(RwLock::new(held)))
    }

    fn add(&self, period: Period, secret: &Secret) {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        held.data_keys.insert(period.data_key, secret.clone());
        held.periods.insert(period.number, period);
    }

    /// The data key of this number.
    pub(crate) fn secret(&self, data_key: i64) -> Option<Secret> {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        held.data_keys.get(&data_key).cloned()
    }

    /// The number of the data key of a period.
    fn data_key(&self, period: u32) -> Option<i64> {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        held.periods.get(&period).map(|period| period.data_key)
    }

    fn last_period(&self) -> u32 {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        held.periods.keys().next_back().copied().unwrap_or(0)
    }

    fn cipher(&self, period: u32) -> Option<Arc<Aes256Gcm>> {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(cipher) = held.ciphers.get(&period) {
            return Some(Arc::clone(cipher));
        }
        let cipher = Arc::new(held.make(period)?);
        drop(held);
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        held.ciphers.insert(period, Arc::clone(&cipher));
        Some(cipher)
    }

    /// What was encrypted beside columns of this digest.
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

    /// What was encrypted in place, with this mark.
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

/// Where a ciphertext belongs.
#[derive(Clone, Copy)]
struct Header {
    period: u32,
    count: u64,
}

impl Header {
    fn parse(cipher: &[u8]) -> Option<Self> {
        let (form, rest) = cipher.split_first()?;
        let (period, rest) = rest.split_first_chunk()?;
        let (count, _) = rest.split_first_chunk()?;
        (*form == FORM).then_some(Self {
            period: u32::from_be_bytes(*period),
            count: u64::from_be_bytes(*count),
        })
    }

    fn bytes(self) -> [u8; HEADER] {
        let mut bytes = [FORM; HEADER];
        bytes[1..5].copy_from_slice(&self.period.to_be_bytes());
        bytes[5..].copy_from_slice(&self.count.to_be_bytes());
        bytes
    }

    fn nonce(self) -> Nonce<aes_gcm::aes::cipher::consts::U12> {
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&self.count.to_be_bytes());
        nonce.into()
    }
}

/// What new payloads are encrypted with, if they are.
pub(crate) struct Ink(Option<Pen>);

/// The period in which we write.
struct Pen {
    cipher: Arc<Aes256Gcm>,
    period: Period,
    is_stored: bool,
    count: u64,
}

impl Ink {
    /// Payloads are not encrypted.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Begins a period under the youngest data key, or under a new one if there is none.
    pub(crate) fn begin(
        connection: &Connection,
        keys: &Keys,
        keeper: &dyn KeyKeeper,
    ) -> Result<Self, OpenError> {
        let youngest = data_key::data_keys(connection)?.pop();
        let found = youngest.and_then(|k| Some((k.number, keys.secret(k.number)?)));
        let (number, secret) = match found {
            Some(found) => found,
            None => {
                let (mut row, secret) = new_data_key(1, keeper).map_err(OpenError::Key)?;
                row.whole = is_empty(connection)?;
                row.write(connection)?;
                (row.number, secret)
            }
        };
        let salt = new_salt(keeper).map_err(OpenError::Key)?;
        Ok(Self::under(keys, number, &secret, salt))
    }

    /// Begins a period under a data key.
    pub(crate) fn under(keys: &Keys, data_key: i64, secret: &Secret, salt: [u8; 16]) -> Self {
        let period = Period {
            number: keys.last_period() + 1,
            data_key,
            salt,
        };
        keys.add(period, secret);
        Self(Some(Pen {
            cipher: Arc::new(derived(secret, &salt)),
            period,
            is_stored: false,
            count: 0,
        }))
    }

    /// The number of the data key that new payloads are encrypted under.
    pub(crate) fn data_key(&self) -> Option<i64> {
        self.0.as_ref().map(|pen| pen.period.data_key)
    }

    /// Whether a payload still has to be encrypted under the data key in force.
    pub(crate) fn is_due(&self, cipher: Option<&[u8]>, keys: &Keys) -> bool {
        let header = cipher.and_then(Header::parse);
        header.and_then(|header| keys.data_key(header.period)) != self.data_key()
    }

    /// Stores what this period must be read again with, in the first transaction that succeeds.
    pub(crate) fn store(&self, transaction: &Connection) -> rusqlite::Result<()> {
        let Some(pen) = self.0.as_ref().filter(|pen| !pen.is_stored) else {
            return Ok(());
        };
        pen.period.write(transaction)
    }

    /// The transaction in which it was stored was committed.
    pub(crate) fn stored(&mut self) {
        if let Some(pen) = &mut self.0 {
            pen.is_stored = true;
        }
    }

    /// The ciphertext of `payload` beside columns of the digest `beside`; none without a key.
    pub(crate) fn encrypt(&mut self, payload: &[u8], beside: &Sum) -> Option<Vec<u8>> {
        let pen = self.0.as_mut()?;
        let mut cipher = Vec::with_capacity(HEADER + payload.len() + TAG);
        cipher.extend_from_slice(&[0; HEADER]);
        cipher.extend_from_slice(payload);
        let (header, tag) = pen.encrypt(&mut cipher[HEADER..], beside);
        cipher[..HEADER].copy_from_slice(&header.bytes());
        cipher.extend_from_slice(&tag);
        Some(cipher)
    }

    /// Encrypts `payload` where it is; the mark that decrypts it, none without a key.
    pub(crate) fn encrypt_in_place(&mut self, payload: &mut [u8], beside: &Sum) -> Option<Vec<u8>> {
        let (header, tag) = self.0.as_mut()?.encrypt(payload, beside);
        Some([&header.bytes()[..], &tag].concat())
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// The payload as its columns are to hold it.
    pub(crate) fn cover<'a, const N: usize>(
        &mut self,
        table: &str,
        texts: Texts<'a, N>,
        digest: impl Fn(&Texts<'_, N>) -> Sum,
    ) -> Covered<'a, N> {
        let blank = match self.is_on() {
            true => texts.blank(),
            false => return Covered::plain(digest(&texts), texts),
        };
        let beside = digest(&blank);
        let cipher = self.encrypt(&texts.pack(), &beside);
        let sum = covered(table, &beside, cipher.as_deref().unwrap_or_default());
        Covered {
            texts: blank,
            cipher,
            sum,
        }
    }
}

impl Pen {
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
) -> Result<(DataKey, Secret), KeyError> {
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

/// The salt of a new period.
pub(crate) fn new_salt(keeper: &dyn KeyKeeper) -> Result<[u8; 16], KeyError> {
    let mut salt = [0; 16];
    keeper.random(&mut salt)?;
    Ok(salt)
}

/// True if nothing is stored that could be payload.
fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM task) AND NOT EXISTS (SELECT 1 FROM exchange)
        AND NOT EXISTS (SELECT 1 FROM data_param) AND NOT EXISTS (SELECT 1 FROM data_chunk)
        AND NOT EXISTS (SELECT 1 FROM negotiation) AND NOT EXISTS (SELECT 1 FROM team)
        AND NOT EXISTS (SELECT 1 FROM log) AND NOT EXISTS (SELECT 1 FROM cursor)
        AND NOT EXISTS (SELECT 1 FROM document) AND NOT EXISTS (SELECT 1 FROM observation)
        AND NOT EXISTS (SELECT 1 FROM push_config)";
    connection.query_row(sql, [], |row| row.get(0))
}

/// The texts of a row that are payload, as they are or blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Texts<'a, const N: usize>(pub(crate) [Option<Cow<'a, str>>; N]);

impl<const N: usize> Texts<'_, N> {
    /// Text `place`, which a row always has.
    pub(crate) fn text(&self, place: usize) -> &str {
        self.0[place].as_deref().unwrap_or_default()
    }

    pub(crate) fn optional(&self, place: usize) -> Option<&str> {
        self.0[place].as_deref()
    }

    /// What the columns hold when the payload is elsewhere: which of them are there stays visible.
    fn blank<'a>(&self) -> Texts<'a, N> {
        Texts(std::array::from_fn(|n| {
            self.0[n].as_ref().map(|_| Cow::Borrowed(""))
        }))
    }

    /// Each text behind its length, or what is absent.
    fn pack(&self) -> Zeroizing<Vec<u8>> {
        let length: usize = self.0.iter().flatten().map(|text| text.len() + 5).sum();
        let mut packed = Vec::with_capacity(length + N);
        for text in &self.0 {
            packed.push(u8::from(text.is_some()));
            if let Some(text) = text {
                packed.extend_from_slice(&(text.len() as u32).to_be_bytes());
                packed.extend_from_slice(text.as_bytes());
            }
        }
        Zeroizing::new(packed)
    }

    fn unpack(mut packed: &[u8]) -> Option<Texts<'static, N>> {
        let mut texts = [const { None }; N];
        for text in &mut texts {
            let (there, rest) = packed.split_first()?;
            packed = rest;
            if *there == 0 {
                continue;
            }
            let (length, rest) = packed.split_first_chunk()?;
            let (bytes, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
            *text = Some(Cow::Owned(std::str::from_utf8(bytes).ok()?.to_owned()));
            packed = rest;
        }
        packed.is_empty().then_some(Texts(texts))
    }
}

/// The payload of a row as its columns hold it.
pub(crate) struct Covered<'a, const N: usize> {
    pub(crate) texts: Texts<'a, N>,
    pub(crate) cipher: Option<Vec<u8>>,
    /// The digest of the row.
    pub(crate) sum: Sum,
}

impl<'a, const N: usize> Covered<'a, N> {
    fn plain(sum: Sum, texts: Texts<'a, N>) -> Self {
        Self {
            texts,
            cipher: None,
            sum,
        }
    }
}

/// The digest of a row whose other columns have the digest `beside`.
pub(crate) fn covered(table: &str, beside: &Sum, cipher: &[u8]) -> Sum {
    RowDigest::of(table).bytes(beside).bytes(cipher).sum()
}

/// The payload of a row that was read: checks the digest that is stored, with or without a key.
pub(crate) fn uncover<'a, const N: usize>(
    keys: &Keys,
    (table, key): (&'static str, &str),
    texts: Texts<'a, N>,
    cipher: Option<&[u8]>,
    stored: &[u8],
    digest: impl Fn(&Texts<'_, N>) -> Sum,
) -> Result<Texts<'a, N>, RowError> {
    let beside = digest(&texts);
    let Some(cipher) = cipher else {
        check(stored, &beside, table, key)?;
        return Ok(texts);
    };
    check(stored, &covered(table, &beside, cipher), table, key)?;
    let payload = Zeroizing::new(keys.decrypt(cipher, &beside, table, key)?);
    Texts::unpack(&payload).ok_or_else(|| RowError::corrupt(table, key))
}
