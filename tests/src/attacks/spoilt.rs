//! Malformed messages: valid ones cut, changed or badly framed, and characters that XML forbids.
//!
//! Each must be answered by `malformed-message` or `too-big` and the end of the session, or by the
//! end alone (RFC 6241 Appendix A, RFC 6242 §4.2). Read next: `tests/hostile/corpus.rs`, which has
//! each kind once and by name.

use super::{Kind, Message, operation};
use crate::rng::SeededRng;

/// Violations of the grammar of chunks.
const BAD_CHUNKS: [&[u8]; 8] = [
    b"\n#0\n\n##\n",
    b"\n#03\nabc\n##\n",
    b"\n#4294967296\n",
    b"\n#99999999999999999999\n",
    b"\n#3\nabcd\n##\n",
    b"\r\n#3\nabc\n##\n",
    b"]]>]]>",
    b"\n##\n",
];

/// Texts that are inserted into a valid message.
const PIECES: [&[u8]; 14] = [
    b"\0",
    b"\x1b",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"&x;",
    b"&#0;",
    b"<!DOCTYPE x [<!ENTITY a \"b\">]>",
    b"<?x ?>",
    b"]]>",
    b"<",
    b"</rpc>",
    b"<rpc/>",
    b" xmlns:p=\"\"",
    b"<a:b/>",
];

/// A malformed message, or nearly so.
pub(super) fn message(number: usize, rng: &mut SeededRng) -> Message {
    let (bytes, is_framed) = match rng.below(8) {
        0 => (rng.one(&BAD_CHUNKS).to_vec(), true),
        1 => (noise(rng), rng.once_in(2)),
        2 => (deep(rng), false),
        3 => (attributes(rng), false),
        _ => (changed(number, rng), false),
    };
    Message {
        bytes,
        is_framed,
        is_sound: false,
    }
}

fn noise(rng: &mut SeededRng) -> Vec<u8> {
    let length = rng.size(20_000);
    (0..length).map(|_| rng.below(256) as u8).collect()
}

/// A message deeper than allowed, closed or not.
fn deep(rng: &mut SeededRng) -> Vec<u8> {
    let levels = 65 + rng.size(100_000);
    let end = match rng.once_in(2) {
        true => "</a>".repeat(levels),
        false => String::new(),
    };
    operation::rpc(1, &("<a>".repeat(levels) + &end)).into_bytes()
}

/// More attributes or namespaces than an element may have, or a duplicate one.
fn attributes(rng: &mut SeededRng) -> Vec<u8> {
    let many = 65 + rng.size(20_000);
    let attribute = |number: usize| match number % 2 {
        0 => format!(" a{number}=\"\""),
        _ => format!(" xmlns:p{number}=\"u\""),
    };
    let attributes: String = (0..many).map(attribute).collect();
    operation::rpc(1, &format!("<get{attributes}/>")).into_bytes()
}

/// A valid message, changed at some places.
fn changed(number: usize, rng: &mut SeededRng) -> Vec<u8> {
    let kinds = [Kind::XPath, Kind::Subtree, Kind::GetData, Kind::Operations];
    let kind = *rng.one(&kinds);
    let mut bytes = operation::rpc(number, &operation::of(kind, rng)).into_bytes();
    for _ in 0..=rng.below(3) {
        let at = rng.below(bytes.len());
        match rng.below(4) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] = rng.below(256) as u8,
            2 => bytes[at] ^= 1 << rng.below(8),
            _ => drop(bytes.splice(at..at, rng.one(&PIECES).iter().copied())),
        }
    }
    bytes
}
