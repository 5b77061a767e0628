//! Authentication codes of rows: HMAC-SHA-256 (RFC 2104, FIPS 198-1) under keys that follow from
//! data keys.
//!
//! A digest detects damage, a code detects writers without the key. It follows the digest in the
//! same column:
//! ```text
//! digest: SHA-256 of the row, 32 bytes [‖ number of the data key, 4 bytes ‖ code, 32 bytes]
//! code:   HMAC(key of the data key, table ‖ 0 ‖ place, 8 bytes ‖ SHA-256 of the row)
//! ```
//! The digest covers the table, the primary key and every column; the place is the number of data,
//! by which their pieces are found, and 0 elsewhere. So a row can neither be changed nor moved.
//! Missing, additional and outdated rows are detected by [`crate::set`].

use crate::digest::Sum;
use crate::keys::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The length of a digest with a code behind it, in bytes.
const STAMPED: usize = 68;

/// Derives a key from a secret, for one use: SHA-256(use ‖ 0 ‖ secret ‖ context) (NIST SP 800-56C
/// §4).
pub(crate) fn derive(usage: &str, secret: &Secret, context: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut hash = Sha256::new();
    hash.update(usage);
    hash.update([0]);
    hash.update(secret.expose());
    hash.update(context);
    Zeroizing::new(hash.finalize().into())
}

/// An HMAC with its key.
#[derive(Clone)]
pub(crate) struct Keyed(Hmac<Sha256>);

impl Keyed {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self(Hmac::new_from_slice(key).expect("HMAC takes keys of any length"))
    }

    fn fed(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        parts.iter().for_each(|part| mac.update(part));
        mac
    }

    /// The code over these parts, concatenated.
    pub(crate) fn code(&self, parts: &[&[u8]]) -> Sum {
        self.fed(parts).finalize().into_bytes().into()
    }
}

/// The codes of rows under one data key.
pub(crate) struct RowMac {
    data_key: u32,
    keyed: Keyed,
}

impl RowMac {
    /// The codes under the data key of this number; none if no data key has such a number.
    pub(crate) fn of(data_key: i64, secret: &Secret) -> Option<Self> {
        Some(Self {
            data_key: u32::try_from(data_key).ok()?,
            keyed: Keyed::new(&derive("convoke-store row", secret, &[])),
        })
    }

    /// The digest of a row with its code behind it.
    pub(crate) fn stamp(&self, table: &str, place: i64, sum: &Sum) -> Vec<u8> {
        let place = place.to_be_bytes();
        let code = self.keyed.code(&[table.as_bytes(), &[0], &place, sum]);
        [&sum[..], &self.data_key.to_be_bytes(), &code].concat()
    }

    /// True if the code in the stamp is valid under this key.
    pub(crate) fn holds(&self, table: &str, place: i64, stamp: &Stamp<'_>) -> bool {
        let Some((_, code)) = stamp.code else {
            return false;
        };
        let place = place.to_be_bytes();
        let parts: [&[u8]; 4] = [table.as_bytes(), &[0], &place, stamp.sum];
        self.keyed.fed(&parts).verify_slice(code).is_ok()
    }
}

/// The value of a digest column.
pub(crate) struct Stamp<'s> {
    /// The digest of the row.
    pub(crate) sum: &'s Sum,
    /// The number of a data key, and a code under it.
    pub(crate) code: Option<(i64, &'s [u8])>,
}

impl<'s> Stamp<'s> {
    /// Parses the value of a digest column; none if it is neither a digest nor one with a code.
    pub(crate) fn parse(stored: &'s [u8]) -> Option<Self> {
        let (sum, rest) = stored.split_first_chunk()?;
        let code = match stored.len() {
            32 => None,
            STAMPED => {
                let (number, code) = rest.split_first_chunk()?;
                Some((u32::from_be_bytes(*number).into(), code))
            }
            _ => return None,
        };
        Some(Self { sum, code })
    }
}
