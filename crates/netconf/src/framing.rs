//! Message framing of RFC 6242 §4: end-of-message (base:1.0) and chunked (base:1.1).
//!
//! [`Decoder`] turns bytes in any fragmentation into whole messages, in time linear in the bytes;
//! [`encode`] is its inverse. Neither looks into a message. The framing is negotiated by
//! [`crate::hello`].

#[cfg(test)]
mod tests;

/// The framing of messages on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// `]]>]]>` after each message; both hellos always, and all of base:1.0.
    #[default]
    EndOfMessage,
    /// Counted chunks; base:1.1 after the hellos.
    Chunked,
}

/// The end mark of RFC 6242 §4.3.
pub const END_OF_MESSAGE: &[u8] = b"]]>]]>";
const END_OF_CHUNKS: &[u8] = b"\n##\n";

/// The error after which no further message can be read. Both end the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FramingError {
    /// A message passes the limit; the peer may be told.
    #[error("the message is larger than {limit} bytes")]
    TooBig {
        /// The maximum size of a message, in bytes.
        limit: usize,
    },
    /// The chunk grammar is broken: the channel is closed without a reply (RFC 6242 §4.2).
    #[error("bad chunk framing: {0}")]
    Broken(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Expecting the line feed that opens a chunk or the end of chunks.
    LineFeed,
    /// Expecting `#`.
    Hash,
    /// Expecting the first digit, or the second `#`.
    FirstDigit,
    /// In a chunk size.
    Digits(u64),
    /// In chunk data; bytes still to come.
    Data(u64),
    /// Expecting the line feed after `##`.
    EndLineFeed,
}

/// Incremental decoder: [`push`](Self::push) bytes, then take messages with
/// [`next_message`](Self::next_message) until it has none.
#[derive(Debug)]
pub struct Decoder {
    framing: Framing,
    limit: usize,
    input: Vec<u8>,
    read: usize,
    message: Vec<u8>,
    state: State,
    chunks: bool,
    failed: Option<FramingError>,
    /// Bytes pushed so far.
    pushed: u64,
    /// The bytes of these up to the end of the last message.
    boundary: u64,
}

impl Decoder {
    /// A decoder that starts with end-of-message framing and accepts messages
    /// of up to `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Decoder {
            framing: Framing::EndOfMessage,
            limit,
            input: Vec::new(),
            read: 0,
            message: Vec::new(),
            state: State::LineFeed,
            chunks: false,
            failed: None,
            pushed: 0,
            boundary: 0,
        }
    }

    /// Changes the framing for all bytes not yet taken as a message.
    pub fn switch_to(&mut self, framing: Framing) {
        // Bytes already read under the old framing are read again.
        let mut input = std::mem::take(&mut self.message);
        input.extend_from_slice(&self.input[self.read..]);
        self.input = input;
        self.read = 0;
        self.framing = framing;
        self.state = State::LineFeed;
        self.chunks = false;
    }

    /// The framing in force.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Adds bytes from the transport.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.failed.is_some() {
            return;
        }
        self.pushed += bytes.len() as u64;
        if self.read == self.input.len() {
            self.input.clear();
            self.read = 0;
        } else if self.read > self.input.len() / 2 {
            // Moves fewer bytes than were read since the last move: linear in all.
            self.input.drain(..self.read);
            self.read = 0;
        }
        self.input.extend_from_slice(bytes);
    }

    /// The next whole message, without framing; `None` until more bytes come.
    ///
    /// # Errors
    /// [`FramingError`]; the decoder repeats it from then on.
    pub fn next_message(&mut self) -> Result<Option<Vec<u8>>, FramingError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let outcome = match self.framing {
            Framing::EndOfMessage => self.next_marked(),
            Framing::Chunked => self.next_chunked(),
        };
        if let Ok(Some(_)) = outcome {
            self.boundary = self.pushed - (self.input.len() - self.read) as u64;
        }
        if let Err(error) = outcome {
            self.failed = Some(error);
            self.input = Vec::new();
            self.read = 0;
            self.message = Vec::new();
        }
        outcome
    }

    /// True if part of a message has been read; true only once [`next_message`](Self::next_message)
    /// has found no end of it.
    pub fn is_within_message(&self) -> bool {
        match self.framing {
            Framing::EndOfMessage => !self.message.is_empty(),
            Framing::Chunked => self.chunks || self.state != State::LineFeed,
        }
    }

    /// How many of the bytes pushed are those of messages that were given out, with their framing and what
    /// stood before them.
    pub fn boundary(&self) -> u64 {
        self.boundary
    }

    /// Bytes held: input not yet looked at, and the message in the making.
    pub fn held_bytes(&self) -> usize {
        self.input.len() - self.read + self.message.len()
    }

    fn next_marked(&mut self) -> Result<Option<Vec<u8>>, FramingError> {
        loop {
            if self.message.is_empty() {
                self.skip_blank();
            }
            let rest = &self.input[self.read..];
            let Some(at) = rest.iter().position(|&byte| byte == b'>') else {
                self.message.extend_from_slice(rest);
                self.read = self.input.len();
                return self.within_limit(END_OF_MESSAGE.len()).map(|()| None);
            };
            self.message.extend_from_slice(&rest[..=at]);
            self.read += at + 1;
            if !self.message.ends_with(END_OF_MESSAGE) {
                self.within_limit(END_OF_MESSAGE.len())?;
                continue;
            }
            self.message
                .truncate(self.message.len() - END_OF_MESSAGE.len());
            self.within_limit(0)?;
            // Some clients end their hello with two marks: nothing is no message.
            if self.message.is_empty() {
                continue;
            }
            return Ok(Some(std::mem::take(&mut self.message)));
        }
    }

    /// Skips white space before a message: people and some clients put a line feed after the mark,
    /// where `<?xml` would no longer be first.
    fn skip_blank(&mut self) {
        let rest = &self.input[self.read..];
        let blank = rest.iter().position(|byte| !byte.is_ascii_whitespace());
        self.read += blank.unwrap_or(rest.len());
    }

    fn within_limit(&self, slack: usize) -> Result<(), FramingError> {
        if self.message.len() > self.limit.saturating_add(slack) {
            return Err(FramingError::TooBig { limit: self.limit });
        }
        Ok(())
    }

    fn next_chunked(&mut self) -> Result<Option<Vec<u8>>, FramingError> {
        while self.read < self.input.len() {
            let byte = self.input[self.read];
            self.state = match (self.state, byte) {
                (State::Data(remaining), _) => {
                    self.take_data(remaining);
                    continue;
                }
                (State::LineFeed, b'\n') => State::Hash,
                (State::LineFeed, _) => return broken("no line feed before \"#\""),
                (State::Hash, b'#') => State::FirstDigit,
                (State::Hash, _) => return broken("no \"#\" after the line feed"),
                (State::FirstDigit, b'1'..=b'9') => State::Digits(u64::from(byte - b'0')),
                (State::FirstDigit, b'#') if self.chunks => State::EndLineFeed,
                (State::FirstDigit, b'#') => return broken("a message without chunk"),
                (State::FirstDigit, b'0') => return broken("a chunk size that starts with 0"),
                (State::FirstDigit, _) => return broken("no chunk size"),
                (State::Digits(size), b'0'..=b'9') => {
                    let size = size * 10 + u64::from(byte - b'0');
                    if size > u64::from(u32::MAX) {
                        return broken("a chunk size above 4294967295");
                    }
                    State::Digits(size)
                }
                (State::Digits(size), b'\n') => {
                    if size > (self.limit - self.message.len()) as u64 {
                        return Err(FramingError::TooBig { limit: self.limit });
                    }
                    self.chunks = true;
                    State::Data(size)
                }
                (State::Digits(_), _) => return broken("no line feed after the chunk size"),
                (State::EndLineFeed, b'\n') => {
                    self.read += 1;
                    self.state = State::LineFeed;
                    self.chunks = false;
                    return Ok(Some(std::mem::take(&mut self.message)));
                }
                (State::EndLineFeed, _) => return broken("no line feed after \"##\""),
            };
            self.read += 1;
        }
        Ok(None)
    }

    fn take_data(&mut self, remaining: u64) {
        let available = self.input.len() - self.read;
        let taken = usize::try_from(remaining).map_or(available, |rest| rest.min(available));
        self.message
            .extend_from_slice(&self.input[self.read..self.read + taken]);
        self.read += taken;
        self.state = match remaining - taken as u64 {
            0 => State::LineFeed,
            rest => State::Data(rest),
        };
    }
}

fn broken<T>(rule: &'static str) -> Result<T, FramingError> {
    Err(FramingError::Broken(rule))
}

/// Appends `message` with its framing: one chunk per 4 294 967 295 bytes, or the
/// end mark. An empty message is framed as one that cannot be read back in
/// chunked framing, which has no empty message.
///
/// With the end mark, a mark inside the message is escaped as `]]>]]&gt;`: in
/// well-formed XML it can only stand in an attribute value or a comment, where
/// the meaning stays.
pub fn encode(message: &[u8], framing: Framing, out: &mut Vec<u8>) {
    match framing {
        Framing::Chunked => {
            out.reserve(message.len() + 20);
            for chunk in message.chunks(u32::MAX as usize) {
                chunk_head(chunk.len(), out);
                out.extend_from_slice(chunk);
            }
            out.extend_from_slice(END_OF_CHUNKS);
        }
        Framing::EndOfMessage => {
            out.reserve(message.len() + END_OF_MESSAGE.len());
            let mut from = 0;
            for at in marks(message) {
                let last = at + END_OF_MESSAGE.len() - 1;
                out.extend_from_slice(&message[from..last]);
                out.extend_from_slice(b"&gt;");
                from = last + 1;
            }
            out.extend_from_slice(&message[from..]);
            out.extend_from_slice(END_OF_MESSAGE);
        }
    }
}

/// Appends in chunked framing the message that `body` appends, without a copy of it. `expected` is
/// its size if that is known: a size with another number of digits costs a move.
pub(crate) fn encode_chunked(expected: usize, body: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) {
    out.reserve(expected + 32);
    let start = out.len();
    chunk_head(expected, out);
    let inside = out.len();
    body(out);
    let size = out.len() - inside;
    if size > u32::MAX as usize {
        let message = out.split_off(inside);
        out.truncate(start);
        return encode(&message, Framing::Chunked, out);
    }
    if size != expected {
        let mut head = Vec::with_capacity(16);
        chunk_head(size, &mut head);
        out.splice(start..inside, head);
    }
    out.extend_from_slice(END_OF_CHUNKS);
}

fn chunk_head(size: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\n#");
    decimal(size as u64, out);
    out.push(b'\n');
}

/// The places of end marks inside a message; they may overlap.
fn marks(message: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(length) = message[from..].iter().position(|&byte| byte == b'>') {
            let end = from + length + 1;
            from = end;
            if end >= END_OF_MESSAGE.len() && message[..end].ends_with(END_OF_MESSAGE) {
                return Some(end - END_OF_MESSAGE.len());
            }
        }
        None
    })
}

/// Appends a number without allocating.
pub(crate) fn decimal(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
