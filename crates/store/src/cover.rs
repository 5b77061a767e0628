//! The payload of a row: as one ciphertext beside its other columns, or as it is.
//!
//! Packs the texts of a row and computes its digest; the key is that of `row_keys` when writing, and
//! `cipher`'s when reading. What is covered is owned, so that it can be made apart from the
//! transaction that writes it. Read next: [`crate::prepared`].

use crate::cipher::{At, Keys};
use crate::digest::{RowDigest, Sum};
use crate::row::RowError;
use crate::row_keys::RowKeys;
use std::borrow::Cow;
use zeroize::Zeroizing;

/// The texts of a row that are payload, in plain form or blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Texts<'a, const N: usize>(pub(crate) [Option<Cow<'a, str>>; N]);

impl<const N: usize> Texts<'_, N> {
    /// The text at `place`, which a row always has.
    pub(crate) fn text(&self, place: usize) -> &str {
        self.0[place].as_deref().unwrap_or_default()
    }

    pub(crate) fn optional(&self, place: usize) -> Option<&str> {
        self.0[place].as_deref()
    }

    /// The columns of a row whose payload is in its ciphertext: which of them have a value stays
    /// visible.
    fn blank<'a>(&self) -> Texts<'a, N> {
        Texts(std::array::from_fn(|n| {
            self.0[n].as_ref().map(|_| Cow::Borrowed(""))
        }))
    }

    fn into_owned(self) -> Texts<'static, N> {
        Texts(
            self.0
                .map(|text| text.map(|text| Cow::Owned(text.into_owned()))),
        )
    }

    /// The texts, each behind its length, or a mark for an absent one.
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

/// The payload of a row in the form in which its columns hold it.
pub(crate) struct Covered<const N: usize> {
    pub(crate) texts: Texts<'static, N>,
    pub(crate) cipher: Option<Vec<u8>>,
    /// The digest of the row.
    pub(crate) sum: Sum,
}

/// A covered row whose code is bound to no place.
pub(crate) struct Stamped<const N: usize> {
    pub(crate) row: Covered<N>,
    /// The digest of the row, with its code behind it, as its column holds it.
    pub(crate) stamp: Vec<u8>,
}

impl RowKeys {
    /// Encrypts the payload, or leaves it plain without a key.
    pub(crate) fn cover<const N: usize>(
        &self,
        table: &str,
        texts: Texts<'_, N>,
        digest: impl Fn(&Texts<'_, N>) -> Sum,
    ) -> Covered<N> {
        if !self.is_on() {
            return Covered {
                sum: digest(&texts),
                texts: texts.into_owned(),
                cipher: None,
            };
        }
        let blank = texts.blank();
        let beside = digest(&blank);
        let cipher = self.encrypt(&texts.pack(), &beside);
        let sum = covered(table, &beside, cipher.as_deref().unwrap_or_default());
        Covered {
            texts: blank,
            cipher,
            sum,
        }
    }

    /// Covers a row, and gives it its code.
    pub(crate) fn cover_stamped<const N: usize>(
        &self,
        table: &str,
        texts: Texts<'_, N>,
        digest: impl Fn(&Texts<'_, N>) -> Sum,
    ) -> Stamped<N> {
        let row = self.cover(table, texts, digest);
        let stamp = self.stamp(table, 0, &row.sum);
        Stamped { row, stamp }
    }
}

/// The digest of a row whose other columns have the digest `beside`.
pub(crate) fn covered(table: &str, beside: &Sum, cipher: &[u8]) -> Sum {
    RowDigest::of(table).bytes(beside).bytes(cipher).sum()
}

/// The payload of a row that was read. Checks the stored digest and the code behind it, with or
/// without a key.
pub(crate) fn uncover<'a, 'k, const N: usize>(
    keys: &Keys,
    at: impl Into<At<'k>>,
    texts: Texts<'a, N>,
    cipher: Option<&[u8]>,
    stored: &[u8],
    digest: impl Fn(&Texts<'_, N>) -> Sum,
) -> Result<Texts<'a, N>, RowError> {
    let at = at.into();
    let beside = digest(&texts);
    let Some(cipher) = cipher else {
        keys.check(stored, &beside, at)?;
        keys.check_plain(at)?;
        return Ok(texts);
    };
    keys.check(stored, &covered(at.table, &beside, cipher), at)?;
    let payload = Zeroizing::new(keys.decrypt(cipher, &beside, at.table, at.key)?);
    Texts::unpack(&payload).ok_or_else(|| RowError::corrupt(at.table, at.key))
}
