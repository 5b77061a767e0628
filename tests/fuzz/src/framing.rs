//! Bytes as messages: RFC 6242 §4, both framings.
//!
//! However the bytes are split, the same messages come out, none above the limit; framed messages
//! are read back. Read next: `netconf::framing`.

use netconf::framing::{Decoder, Framing, FramingError, encode};

/// The message limit, in bytes: small, so that it is reached.
const LIMIT: usize = 256;

/// The messages of a decoder, and its error, if any.
type Read = (Vec<Vec<u8>>, Option<FramingError>);

/// Reads bytes in one framing and in the other, and frames the messages anew. An even first byte
/// switches to chunks after the first message, as hellos do.
pub fn framing(data: &[u8]) {
    let (choice, data) = data.split_first().unwrap_or((&0, &[]));
    let switch = choice % 2 == 0;
    let whole = read([data], switch);
    assert_eq!(whole, read(data.chunks(1), switch), "byte by byte");
    let piece = usize::from(choice / 2).max(2);
    assert_eq!(whole, read(data.chunks(piece), switch), "by {piece}");
    for message in &whole.0 {
        assert!(message.len() <= LIMIT, "{} bytes", message.len());
        framed(message);
    }
}

fn read<'d>(parts: impl IntoIterator<Item = &'d [u8]>, switch: bool) -> Read {
    let mut decoder = Decoder::new(LIMIT);
    let mut messages = Vec::new();
    for part in parts {
        decoder.push(part);
        loop {
            match decoder.next_message() {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(decoder.next_message(), Err(error), "an error stays");
                    assert_eq!(decoder.held_bytes(), 0, "nothing is kept of a lost session");
                    return (messages, Some(error));
                }
            }
            if switch && messages.len() == 1 {
                decoder.switch_to(Framing::Chunked);
            }
        }
        // A part of a mark, or of the head of a chunk, may stand before the message.
        let most = LIMIT + part.len() + 16;
        assert!(decoder.held_bytes() <= most, "{}", decoder.held_bytes());
    }
    (messages, None)
}

/// Reads back a message in chunks unchanged. With the end-of-message mark too, except for marks
/// inside it, and whitespace before it, which belongs to no message.
fn framed(message: &[u8]) {
    let through = |framing| {
        let mut wire = Vec::new();
        encode(message, framing, &mut wire);
        let mut decoder = Decoder::new(wire.len());
        decoder.switch_to(framing);
        decoder.push(&wire);
        let read = decoder
            .next_message()
            .expect("what we frame is framed well");
        assert_eq!(decoder.next_message(), Ok(None), "one message");
        read
    };
    assert_eq!(through(Framing::Chunked).as_deref(), Some(message));
    let has_mark = message.windows(6).any(|bytes| bytes == b"]]>]]>");
    if !has_mark && !message.first().is_some_and(u8::is_ascii_whitespace) {
        let read = through(Framing::EndOfMessage).unwrap_or_default();
        assert_eq!(read, message);
    }
}
