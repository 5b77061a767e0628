//! Server-sent events (HTML standard §9.2), both sides.
//!
//! Knows frames, not their content. A frame of A2A is one line of JSON. Read next:
//! [`crate::event`].

use serde_json::Value;

/// The media type of a stream.
pub const MEDIA_TYPE: &str = "text/event-stream";

/// A comment that keeps a stream open while no event is sent.
pub const KEEP_ALIVE: &str = ": keep-alive\n\n";

/// A frame with a value.
pub fn frame(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// A frame that ends a stream of HTTP+JSON with an error; over JSON-RPC the envelope tells it.
pub fn error_frame(value: &Value) -> String {
    format!("event: error\ndata: {value}\n\n")
}

/// A frame with a value, and an `id` from which to resume.
pub fn numbered_frame(number: u64, value: &Value) -> String {
    format!("id: {number}\ndata: {value}\n\n")
}

/// A frame that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The data, its lines joined.
    pub data: String,
    /// The event type, if stated.
    pub event: Option<String>,
    /// The last `id` of the stream.
    pub last_id: Option<String>,
}

/// The error for a frame that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a frame of more than {bytes_max} bytes")]
pub struct TooLong {
    /// The limit, in bytes.
    pub bytes_max: usize,
}

/// An incremental reader of frames, for any fragmentation.
#[derive(Clone, Debug)]
pub struct SseDecoder {
    bytes_max: usize,
    line: Vec<u8>,
    after_cr: bool,
    is_begun: bool,
    open: SseEvent,
    has_data: bool,
    last_id: Option<String>,
}

impl SseDecoder {
    /// A reader of frames of at most `bytes_max` bytes.
    pub fn within(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            line: Vec::new(),
            after_cr: false,
            is_begun: false,
            open: SseEvent::default(),
            has_data: false,
            last_id: None,
        }
    }

    /// Takes bytes, and returns the complete frames. A frame that is incomplete when the stream
    /// ends is dropped.
    ///
    /// # Errors
    /// [`TooLong`]; the stream is to be closed then.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, TooLong> {
        let mut whole = Vec::new();
        for &byte in bytes {
            let is_second_half = byte == b'\n' && self.after_cr;
            self.after_cr = byte == b'\r';
            match byte {
                _ if is_second_half => {}
                b'\r' | b'\n' => whole.extend(self.end_line()),
                byte => self.line.push(byte),
            }
            if self.line.len() + self.open.data.len() > self.bytes_max {
                return Err(TooLong {
                    bytes_max: self.bytes_max,
                });
            }
        }
        Ok(whole)
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        // A byte order mark counts at the very beginning alone.
        let line = match std::mem::replace(&mut self.is_begun, true) {
            false => line.strip_prefix('\u{feff}').unwrap_or(&line),
            true => &line,
        };
        if line.is_empty() {
            return self.end_frame();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        self.take(field, value.strip_prefix(' ').unwrap_or(value));
        None
    }

    fn take(&mut self, field: &str, value: &str) {
        match field {
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.open.data.push('\n');
                }
                self.open.data.push_str(value);
            }
            "event" => self.open.event = Some(value.to_owned()),
            "id" if !value.contains('\0') => self.last_id = Some(value.to_owned()),
            _ => {}
        }
    }

    fn end_frame(&mut self) -> Option<SseEvent> {
        let open = std::mem::take(&mut self.open);
        let last_id = self.last_id.clone();
        let has_data = std::mem::take(&mut self.has_data);
        has_data.then_some(SseEvent { last_id, ..open })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn data(bytes: &[u8]) -> Vec<String> {
        let frames = SseDecoder::within(1024).push(bytes).expect("short");
        frames.into_iter().map(|frame| frame.data).collect()
    }

    /// The rules of the HTML standard for lines, comments and fields.
    #[test]
    fn frames_are_read_as_the_standard_has_it() {
        assert_eq!(
            data(b"data: a\n\ndata:b\r\n\r\ndata: c\r\r"),
            ["a", "b", "c"]
        );
        assert_eq!(data(b"\xef\xbb\xbfdata: 1\ndata: 2\n\n"), ["1\n2"]);
        assert_eq!(
            data(b": keep-alive\n\nevent: x\n\nretry: 3\n\n"),
            Vec::<String>::new()
        );
        assert_eq!(data(b"data\n\n"), [""]);
        assert_eq!(data(b"data: unfinished\n"), Vec::<String>::new());
        let frames = SseDecoder::within(99).push(b"id: 7\nevent: e\ndata: x\n\ndata: y\n\n");
        let frames = frames.expect("short");
        assert_eq!(frames[0].event.as_deref(), Some("e"));
        assert_eq!(
            frames[1],
            SseEvent {
                data: "y".into(),
                event: None,
                last_id: Some("7".into())
            }
        );
    }

    #[test]
    fn endless_frames_are_given_up() {
        let mut frames = SseDecoder::within(8);
        assert!(frames.push(b"data: 1").is_ok());
        assert_eq!(frames.push(b"23456"), Err(TooLong { bytes_max: 8 }));
        let mut lines = SseDecoder::within(8);
        assert!(lines.push(b"data:12\ndata:34\ndata:567\n").is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again_however_it_is_cut(
            texts in proptest::collection::vec(".{0,12}", 1..5),
            cut in 0usize..40,
        ) {
            let values: Vec<_> = texts.iter().map(|text| json!({"text": text})).collect();
            let mut stream = String::from(KEEP_ALIVE);
            for (i, value) in values.iter().enumerate() {
                stream += &if i % 2 == 0 { frame(value) } else { numbered_frame(i as u64, value) };
            }
            let bytes = stream.as_bytes();
            let (one, other) = bytes.split_at(cut.min(bytes.len()));
            let mut frames = SseDecoder::within(4096);
            let mut read = frames.push(one).expect("short");
            read.extend(frames.push(other).expect("short"));
            let read: Vec<Value> = read
                .iter()
                .map(|frame| serde_json::from_str(&frame.data).expect("JSON"))
                .collect();
            prop_assert_eq!(read, values);
        }

        #[test]
        fn nothing_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = SseDecoder::within(64).push(&bytes);
        }
    }
}
