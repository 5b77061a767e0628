//! The payload of a row: as one ciphertext beside its other columns, or as it is.
//!
//! Packs the texts of a row and computes its digest; the key is `encryptor`'s when writing, and
//! `cipher`'s when reading.

use crate::cipher::{At, Keys};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::row::RowError;
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

impl Encryptor {
    /// Encrypts the payload, or leaves it plain without a key.
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

/// The payload of a row in the form in which its columns hold it.
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
