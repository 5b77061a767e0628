//! Asking the rack, over its socket.
//!
//! Needs no right but that to the socket. Read next: [`super::protocol`].

use super::protocol::{LINE_MAX, RackAnswer, RackRequest};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long an answer may take: a router that is switched off and on takes seconds.
const PATIENCE: Duration = Duration::from_secs(30);

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
        if self.stream.is_none() {
            let stream = UnixStream::connect(&self.socket)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            self.stream = Some(BufReader::new(stream));
        }
        let stream = self.stream.as_mut().expect("it was opened above");
        let line = serde_json::to_string(request)? + "\n";
        stream.get_mut().write_all(line.as_bytes())?;
        let mut answer = String::new();
        stream.take(LINE_MAX).read_line(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }
}
