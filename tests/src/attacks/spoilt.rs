//! Malformed messages: valid ones cut, changed or badly framed, and characters that XML forbids.
//!
//! Each must be answered by `malformed-message` or `too-big` and the end of the session, or by the
//! end alone (RFC 6241 Appendix A, RFC 6242 §4.2). Read next: `tests/hostile/corpus.rs`, which has
//! each kind once and by name.

use super::{Kind, Message, operation};
use crate::dice::Dice;

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
pub(super) fn message(number: usize, dice: &mut Dice) -> Message {
    let (bytes, is_framed) = match dice.below(8) {
        0 => (dice.one(&BAD_CHUNKS).to_vec(), true),
        1 => (noise(dice), dice.once_in(2)),
        2 => (deep(dice), false),
        3 => (attributes(dice), false),
        _ => (changed(number, dice), false),
    };
    Message {
        bytes,
        is_framed,
        is_sound: false,
    }
}

fn noise(dice: &mut Dice) -> Vec<u8> {
    let length = dice.size(20_000);
    (0..length).map(|_| dice.below(256) as u8).collect()
}

/// A message deeper than allowed, closed or not.
fn deep(dice: &mut Dice) -> Vec<u8> {
    let levels = 65 + dice.size(100_000);
    let end = match dice.once_in(2) {
        true => "</a>".repeat(levels),
        false => String::new(),
    };
    operation::rpc(1, &("<a>".repeat(levels) + &end)).into_bytes()
}

/// More attributes or namespaces than an element may have, or a duplicate one.
fn attributes(dice: &mut Dice) -> Vec<u8> {
    let many = 65 + dice.size(20_000);
    let attribute = |number: usize| match number % 2 {
        0 => format!(" a{number}=\"\""),
        _ => format!(" xmlns:p{number}=\"u\""),
    };
    let attributes: String = (0..many).map(attribute).collect();
    operation::rpc(1, &format!("<get{attributes}/>")).into_bytes()
}

/// A valid message, changed at some places.
fn changed(number: usize, dice: &mut Dice) -> Vec<u8> {
    let kinds = [Kind::XPath, Kind::Subtree, Kind::GetData, Kind::Operations];
    let kind = *dice.one(&kinds);
    let mut bytes = operation::rpc(number, &operation::of(kind, dice)).into_bytes();
    for _ in 0..=dice.below(3) {
        let at = dice.below(bytes.len());
        match dice.below(4) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] = dice.below(256) as u8,
            2 => bytes[at] ^= 1 << dice.below(8),
            _ => drop(bytes.splice(at..at, dice.one(&PIECES).iter().copied())),
        }
    }
    bytes
}
