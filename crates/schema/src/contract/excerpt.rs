//! A value as it is told: as JSON, shortened and inert, for it ends in logs and in front of people.

use crate::other::is_hidden;
use serde_json::Value;
use std::io;

/// Characters of a value that are told.
const TOLD_CHARS: usize = 64;

/// A value as JSON, inert and short.
pub(super) fn excerpt(value: &Value) -> String {
    let json = json_start(value, 4 * TOLD_CHARS + 4);
    let visible = |c: char| if is_hidden(c) { '\u{fffd}' } else { c };
    match json.char_indices().nth(TOLD_CHARS) {
        None => json.chars().map(visible).collect(),
        Some(_) => {
            let start = json.chars().take(TOLD_CHARS - 1).map(visible);
            start.chain(['…']).collect()
        }
    }
}

/// The beginning of a value as JSON: no more than so many bytes of it are written.
pub(super) fn json_start(value: &Value, bytes_max: usize) -> String {
    let mut start = Start {
        bytes: Vec::new(),
        bytes_max,
    };
    // An error says that there is no more room, which is what is wanted.
    let _ = serde_json::to_writer(&mut start, value);
    let whole = match std::str::from_utf8(&start.bytes) {
        Ok(_) => start.bytes.len(),
        Err(cut) => cut.valid_up_to(),
    };
    start.bytes.truncate(whole);
    String::from_utf8(start.bytes).expect("cut where it is valid")
}

struct Start {
    bytes: Vec<u8>,
    bytes_max: usize,
}

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.bytes_max - self.bytes.len();
        let taken = room.min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
