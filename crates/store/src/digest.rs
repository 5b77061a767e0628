//! SHA-256 over rows and over the log.
//!
//! A row's digest covers all its columns, each with its kind and length in front, so that no two
//! rows have the same input. An entry's digest covers the digest of the entry before it as well:
//! the chain. Detects damage, not forgery: whoever can write the file can write digests too.
//! Signatures (`sign`) and codes (`mac`) detect forgery. Read next: `verify`.

use domain::event::Sequence;
use domain::time::Timestamp;
use sha2::{Digest, Sha256};

/// A SHA-256 digest.
pub(crate) type Sum = [u8; 32];

/// The digest in front of the first entry of the log.
pub(crate) const ORIGIN: Sum = [0; 32];

/// The digest of the body of an entry.
pub(crate) fn of_body(body: &str) -> Sum {
    Sha256::digest(body).into()
}

/// The digest of a piece of data.
pub(crate) fn of_bytes(bytes: &[u8]) -> Sum {
    Sha256::digest(bytes).into()
}

/// The digest of an entry: SHA-256 of previous digest ‖ sequence ‖ time in ms ‖ kind ‖ 0 ‖ digest
/// of the body, numbers as 8 bytes, big end first. No kind contains a zero byte. The body enters by
/// its digest, so that it can be erased without breaking the chain.
pub(crate) fn link(
    previous: &Sum,
    sequence: Sequence,
    time: Timestamp,
    kind: &str,
    body: &Sum,
) -> Sum {
    let mut hash = Sha256::new();
    hash.update(previous);
    hash.update(sequence.to_be_bytes());
    hash.update(time.as_ms().to_be_bytes());
    hash.update(kind);
    hash.update([0]);
    hash.update(body);
    hash.finalize().into()
}

/// The digest of a row, column by column.
pub(crate) struct RowDigest(Sha256);

impl RowDigest {
    pub(crate) fn of(table: &str) -> Self {
        Self(Sha256::new()).text(table)
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        self.0.update([b't']);
        self.0.update((text.len() as u64).to_be_bytes());
        self.0.update(text);
        self
    }

    pub(crate) fn number(mut self, number: i64) -> Self {
        self.0.update([b'n']);
        self.0.update(number.to_be_bytes());
        self
    }

    pub(crate) fn optional_text(mut self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(text),
            None => {
                self.0.update([b'-']);
                self
            }
        }
    }

    pub(crate) fn optional_number(mut self, number: Option<i64>) -> Self {
        match number {
            Some(number) => self.number(number),
            None => {
                self.0.update([b'-']);
                self
            }
        }
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update([b'b']);
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
        self
    }

    pub(crate) fn sum(self) -> Sum {
        self.0.finalize().into()
    }
}
