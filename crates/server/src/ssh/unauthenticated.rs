//! The limits on input before authentication: few bytes, and during the key exchange only its own
//! messages.
//!
//! SSH lets a peer send any number of messages without content (RFC 4253 §11), each of which the
//! library reads and ignores. Before `SSH_MSG_NEWKEYS` they are in the clear, and messages that are
//! not part of the key exchange are refused, as in strict key exchange (OpenSSH's `PROTOCOL`,
//! 1.10); so is an empty packet. After it, where only the library can decrypt, bytes are counted.
//! Pure: knows bytes. Read next: [`super::wire`], which calls it.

use std::mem;

/// `SSH_MSG_DISCONNECT`.
const DISCONNECT: u8 = 1;
/// `SSH_MSG_KEXINIT`.
const KEXINIT: u8 = 20;
/// `SSH_MSG_NEWKEYS`.
const NEWKEYS: u8 = 21;
/// The messages of a method of key exchange (RFC 4253 §7).
const OF_METHOD: std::ops::RangeInclusive<u8> = 30..=49;
/// The length of a packet, that of its padding, and its message number (RFC 4253 §6).
const HEAD_BYTES: usize = 6;

/// The reason for which the connection ends.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Violation {
    /// A message before the keys that is not part of the key exchange.
    #[error("message {0} before SSH_MSG_NEWKEYS")]
    Message(u8),
    /// An empty packet before the keys.
    #[error("an empty packet before SSH_MSG_NEWKEYS")]
    Empty,
    /// More bytes than a login needs.
    #[error("more bytes than a login needs")]
    Bytes,
}

/// The input of a client that has not authenticated.
#[derive(Debug)]
pub(super) struct Unauthenticated {
    /// The bytes that may still come.
    left: usize,
    part: Part,
}

/// The place of the next byte in the stream.
#[derive(Debug)]
enum Part {
    /// In the identification string.
    Identification,
    /// In the head of a packet, of which so many bytes have come.
    Head([u8; HEAD_BYTES], usize),
    /// In the rest of a packet, of which so many bytes are to come.
    Rest(usize),
    /// Behind the last packet in the clear.
    Encrypted,
}

impl Unauthenticated {
    /// The input of a client that may send `bytes_max` bytes.
    pub(super) fn new(bytes_max: usize) -> Self {
        Self {
            left: bytes_max,
            part: Part::Identification,
        }
    }

    /// Checks the next bytes.
    ///
    /// # Errors
    /// [`Violation`]; then the connection must end.
    pub(super) fn hear(&mut self, mut bytes: &[u8]) -> Result<(), Violation> {
        let left = self.left.checked_sub(bytes.len());
        self.left = left.ok_or(Violation::Bytes)?;
        while !bytes.is_empty() {
            bytes = self.part(bytes)?;
        }
        Ok(())
    }

    /// Takes the bytes that belong to this part of the stream; returns the rest.
    fn part<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], Violation> {
        match &mut self.part {
            Part::Identification => {
                let end = bytes.iter().position(|byte| *byte == b'\n');
                if end.is_some() {
                    self.part = Part::Head([0; HEAD_BYTES], 0);
                }
                Ok(end.map_or(&[], |end| &bytes[end + 1..]))
            }
            Part::Head(head, there) => {
                let (more, rest) = bytes.split_at(bytes.len().min(HEAD_BYTES - *there));
                head[*there..][..more.len()].copy_from_slice(more);
                *there += more.len();
                if *there == HEAD_BYTES {
                    let head = mem::take(head);
                    self.part = behind(head)?;
                }
                Ok(rest)
            }
            Part::Rest(to_come) => {
                let (more, rest) = bytes.split_at(bytes.len().min(*to_come));
                *to_come -= more.len();
                if *to_come == 0 {
                    self.part = Part::Head([0; HEAD_BYTES], 0);
                }
                Ok(rest)
            }
            Part::Encrypted => Ok(&[]),
        }
    }
}

/// The part behind the head of a packet.
fn behind([a, b, c, d, padding, message]: [u8; HEAD_BYTES]) -> Result<Part, Violation> {
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    if length < usize::from(padding) + 2 {
        return Err(Violation::Empty);
    }
    match message {
        // The keys hold from the next packet on; what is left of this one says nothing.
        NEWKEYS => Ok(Part::Encrypted),
        DISCONNECT | KEXINIT => Ok(Part::Rest(length - 2)),
        message if OF_METHOD.contains(&message) => Ok(Part::Rest(length - 2)),
        message => Err(Violation::Message(message)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn packet(payload: &[u8]) -> Vec<u8> {
        let length = (payload.len() + 1 + 8) as u32;
        [&length.to_be_bytes()[..], &[8], payload, &[0; 8]].concat()
    }

    fn exchange() -> Vec<u8> {
        let id = b"SSH-2.0-x\r\n".to_vec();
        [id, packet(&[KEXINIT; 300]), packet(&[30, 1, 2])].concat()
    }

    /// The verdict on bytes that come in pieces of a size.
    fn heard(bytes: &[u8], piece: usize) -> Result<(), Violation> {
        let mut client = Unauthenticated::new(1 << 20);
        bytes.chunks(piece).try_for_each(|piece| client.hear(piece))
    }

    #[test]
    fn before_the_keys_nothing_passes_but_what_makes_them() {
        for piece in [1, 5, 7, 1_000] {
            assert_eq!(heard(&exchange(), piece), Ok(()));
            for message in (0..=255).filter(|m| ![1, 20, 21].contains(m) && !(30..50).contains(m)) {
                let refused = Err(Violation::Message(message));
                let after = [exchange(), packet(&[message, 0, 0, 0, 0])].concat();
                assert_eq!(heard(&after, piece), refused);
                let first = [&b"SSH-2.0-x\n"[..], &packet(&[message])].concat();
                assert_eq!(heard(&first, piece), refused);
            }
            let empty = [exchange(), packet(&[])].concat();
            assert_eq!(heard(&empty, piece), Err(Violation::Empty));
            let shorter = [exchange(), vec![0, 0, 0, 0, 0, 2]].concat();
            assert_eq!(heard(&shorter, piece), Err(Violation::Empty));
            // Behind the keys nobody but the library can read what it is.
            let keys = [exchange(), packet(&[NEWKEYS]), packet(&[2, 0, 0, 0, 0])].concat();
            assert_eq!(heard(&keys, piece), Ok(()));
        }
    }

    #[test]
    fn so_many_bytes_come_and_not_one_more() {
        let bytes = [exchange(), packet(&[NEWKEYS]), vec![7; 100]].concat();
        for piece in [1, 64, 1_000] {
            let mut client = Unauthenticated::new(bytes.len());
            for piece in bytes.chunks(piece) {
                client.hear(piece).unwrap();
            }
            assert_eq!(client.hear(&[7]), Err(Violation::Bytes));
        }
    }
}
