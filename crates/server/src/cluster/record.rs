//! What two nodes tell each other about one session: records, one after the other, in both directions.
//!
//! ```text
//! from the node that accepted it   Open (Bytes | End)*          and the end of the stream: the client is gone
//! from the node that leads         (Data* Quiet)* (Close | Killed | Left)    and the end without any of them: the leader is lost
//! ```
//!
//! A record is its kind, its length in four bytes, and so many bytes. Knows no IO. Read next:
//! [`super::continuity`], which says what is to be done about them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The most bytes of a record.
const RECORD_BYTES_MAX: usize = 256 << 10;
/// The most bytes of a session in one record.
pub(super) const PIECE_BYTES: usize = 32 << 10;
/// The bytes before those of a record: its kind and its length.
const HEAD_BYTES: usize = 5;

/// What the node that accepted a session tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FromClient<O> {
    /// Whose session it is, and what it is to go on as.
    Open(O),
    /// Bytes of the client.
    Bytes(Vec<u8>),
    /// The client will send no more.
    End,
}

/// What the node that leads tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToClient<S> {
    /// Bytes for the client.
    Data(Vec<u8>),
    /// The bytes before are whole messages.
    Quiet(Quiet<S>),
    /// The session is over: what was told is all.
    Close,
    /// The same, as it was killed.
    Killed,
    /// It is to go on elsewhere, and nothing behind what is answered was begun.
    Left,
}

/// How far a session is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Quiet<S> {
    /// How many of the client's bytes on this stream are those of requests that are answered.
    pub(super) answered: u64,
    /// What another leader is to go on with; none if it cannot.
    pub(super) saved: Option<S>,
}

/// A record that is none.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadRecord {
    /// It is too long.
    #[error("a record of {0} bytes, of {RECORD_BYTES_MAX} at most")]
    Long(usize),
    /// There is no such kind here.
    #[error("a record of kind {0}")]
    Kind(u8),
    /// Its content cannot be read.
    #[error("a record that cannot be read: {0}")]
    Form(#[from] serde_json::Error),
}

impl<O: Serialize + DeserializeOwned> FromClient<O> {
    /// Appends it; bytes in pieces.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Open(opening) => form(b'O', opening, out),
            Self::Bytes(bytes) => pieces(b'B', bytes, out),
            Self::End => record(b'E', &[], out),
        }
    }

    fn read(kind: u8, content: Vec<u8>) -> Result<Self, BadRecord> {
        Ok(match kind {
            b'O' => Self::Open(serde_json::from_slice(&content)?),
            b'B' => Self::Bytes(content),
            b'E' => Self::End,
            other => return Err(BadRecord::Kind(other)),
        })
    }
}

impl<S: Serialize + DeserializeOwned> ToClient<S> {
    /// Appends it; data in pieces.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Data(bytes) => pieces(b'D', bytes, out),
            Self::Quiet(quiet) => form(b'Q', quiet, out),
            Self::Close => record(b'C', &[], out),
            Self::Killed => record(b'K', &[], out),
            Self::Left => record(b'L', &[], out),
        }
    }

    fn read(kind: u8, content: Vec<u8>) -> Result<Self, BadRecord> {
        Ok(match kind {
            b'D' => Self::Data(content),
            b'Q' => Self::Quiet(serde_json::from_slice(&content)?),
            b'C' => Self::Close,
            b'K' => Self::Killed,
            b'L' => Self::Left,
            other => return Err(BadRecord::Kind(other)),
        })
    }
}

/// Appends the records of data that is not in one piece of its own.
pub(super) fn write_data(bytes: &[u8], out: &mut Vec<u8>) {
    pieces(b'D', bytes, out);
}

fn pieces(kind: u8, bytes: &[u8], out: &mut Vec<u8>) {
    for piece in bytes.chunks(PIECE_BYTES) {
        record(kind, piece, out);
    }
}

fn form(kind: u8, content: &impl Serialize, out: &mut Vec<u8>) {
    let content = serde_json::to_vec(content).expect("texts and numbers make JSON");
    record(kind, &content, out);
}

fn record(kind: u8, content: &[u8], out: &mut Vec<u8>) {
    out.reserve(HEAD_BYTES + content.len());
    out.push(kind);
    out.extend_from_slice(&(content.len() as u32).to_be_bytes());
    out.extend_from_slice(content);
}

/// Bytes on their way to become records.
#[derive(Debug, Default)]
pub(super) struct Records {
    bytes: Vec<u8>,
    read: usize,
}

impl Records {
    /// Adds bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.read == self.bytes.len() {
            self.bytes.clear();
            self.read = 0;
        } else if self.read > self.bytes.len() / 2 {
            self.bytes.drain(..self.read);
            self.read = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next record of a client's side; none until more bytes come.
    ///
    /// # Errors
    /// [`BadRecord`]
    pub(super) fn next_from_client<O: Serialize + DeserializeOwned>(
        &mut self,
    ) -> Result<Option<FromClient<O>>, BadRecord> {
        let next = self.next()?;
        let read = next.map(|(kind, content)| FromClient::read(kind, content));
        read.transpose()
    }

    /// The next record to a client's side; none until more bytes come.
    ///
    /// # Errors
    /// [`BadRecord`]
    pub(super) fn next_to_client<S: Serialize + DeserializeOwned>(
        &mut self,
    ) -> Result<Option<ToClient<S>>, BadRecord> {
        let next = self.next()?;
        let read = next.map(|(kind, content)| ToClient::read(kind, content));
        read.transpose()
    }

    fn next(&mut self) -> Result<Option<(u8, Vec<u8>)>, BadRecord> {
        let rest = &self.bytes[self.read..];
        let Some((&[kind, a, b, c, d], rest)) = rest.split_first_chunk::<HEAD_BYTES>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if length > RECORD_BYTES_MAX {
            return Err(BadRecord::Long(length));
        }
        let Some(content) = rest.get(..length) else {
            return Ok(None);
        };
        let content = content.to_vec();
        self.read += HEAD_BYTES + length;
        Ok(Some((kind, content)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn records() -> impl Strategy<Value = Vec<ToClient<String>>> {
        let quiet = (any::<u64>(), any::<Option<String>>())
            .prop_map(|(answered, saved)| ToClient::Quiet(Quiet { answered, saved }));
        let data = vec(any::<u8>(), 1..200).prop_map(ToClient::Data);
        vec(
            prop_oneof![
                data,
                quiet,
                Just(ToClient::Close),
                Just(ToClient::Killed),
                Just(ToClient::Left)
            ],
            0..20,
        )
    }

    proptest! {
        /// Reading undoes writing, in whatever pieces the bytes come.
        #[test]
        fn records_arrive_as_they_were_sent(records in records(), piece in 1_usize..50) {
            let mut bytes = Vec::new();
            records.iter().for_each(|record| record.write(&mut bytes));
            let (mut reader, mut read) = (Records::default(), Vec::new());
            for piece in bytes.chunks(piece) {
                reader.push(piece);
                while let Some(record) = reader.next_to_client::<String>().unwrap() {
                    read.push(record);
                }
            }
            prop_assert_eq!(read, records);
        }

        #[test]
        fn whatever_comes_is_read_or_refused(bytes in vec(any::<u8>(), 0..300)) {
            let mut reader = Records::default();
            reader.push(&bytes);
            while let Ok(Some(_)) = reader.next_from_client::<String>() {}
        }
    }

    #[test]
    fn long_bytes_go_in_pieces_and_a_long_record_is_refused() {
        let mut bytes = Vec::new();
        FromClient::<String>::Bytes(vec![7; PIECE_BYTES + 1]).write(&mut bytes);
        let mut reader = Records::default();
        reader.push(&bytes);
        let mut lengths = Vec::new();
        while let Some(FromClient::Bytes(piece)) = reader.next_from_client::<String>().unwrap() {
            lengths.push(piece.len());
        }
        assert_eq!(lengths, [PIECE_BYTES, 1]);
        reader.push(&[b'B', 0, 4, 0, 1]);
        let refused = reader.next_from_client::<String>().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a record of 262145 bytes, of 262144 at most"
        );
        let mut reader = Records::default();
        reader.push(&[b'C', 0, 0, 0, 0]);
        assert!(matches!(
            reader.next_from_client::<String>(),
            Err(BadRecord::Kind(b'C'))
        ));
    }
}
