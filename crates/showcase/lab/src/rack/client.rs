//! Asking the rack, over its socket.
//!
//! Needs no right but that to the socket. Read next: [`super::protocol`].

use super::line::{LineBounds, connected, read_line, write_line};
use super::protocol::{ANSWER_MAX, LINE_WITHIN, RackAnswer, RackRequest};
use std::io::{BufReader, ErrorKind};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What an answer may be: a router that is switched off and on takes seconds.
const ANSWER: LineBounds = LineBounds {
    bytes: ANSWER_MAX,
    first: Duration::from_secs(30),
    whole: LINE_WITHIN,
};

/// A way to the rack.
#[derive(Debug)]
pub struct RackClient {
    socket: PathBuf,
    stream: Option<BufReader<UnixStream>>,
}

impl RackClient {
    /// A way over this socket; it is opened when something is asked, and again after it broke.
    pub fn over(socket: &Path) -> Self {
        Self {
            socket: socket.to_owned(),
            stream: None,
        }
    }

    /// Asks; returns the answer.
    ///
    /// # Errors
    /// The error of the socket if the rack is not there or says nothing sensible.
    pub fn ask(&mut self, request: &RackRequest) -> std::io::Result<RackAnswer> {
        let answered = self.exchange(request);
        if answered.is_err() {
            self.stream = None;
        }
        answered
    }

    fn exchange(&mut self, request: &RackRequest) -> std::io::Result<RackAnswer> {
        let stream = match self.stream.take() {
            Some(stream) => stream,
            None => BufReader::new(connected(&self.socket)?),
        };
        let stream = self.stream.insert(stream);
        let line = serde_json::to_string(request)?;
        write_line(stream.get_mut(), &line, LINE_WITHIN)?;
        let answer = read_line(stream, ANSWER)?.ok_or(ErrorKind::UnexpectedEof)?;
        Ok(serde_json::from_str(&answer)?)
    }
}
