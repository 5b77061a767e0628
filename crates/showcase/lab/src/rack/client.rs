//! Asking the rack, over its socket.
//!
//! Needs no right but that to the socket. Read next: [`super::protocol`].

use super::line::{LineBounds, connected, read_line, write_line};
use super::protocol::{ANSWER_MAX, LINE_WITHIN, REQUEST_MAX, RackAnswer, RackRequest};
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

    /// Asks; returns the answer. What is longer than the rack reads is refused without asking.
    ///
    /// # Errors
    /// The error of the socket if the rack is not there or says nothing sensible.
    pub fn ask(&mut self, request: &RackRequest) -> std::io::Result<RackAnswer> {
        let line = serde_json::to_string(request)?;
        if line.len() >= REQUEST_MAX {
            let words = format!("the request is longer than {REQUEST_MAX} bytes");
            return Ok(RackAnswer::Refused(words));
        }
        let answered = self.exchange(&line);
        if answered.is_err() {
            self.stream = None;
        }
        answered
    }

    fn exchange(&mut self, line: &str) -> std::io::Result<RackAnswer> {
        let stream = match self.stream.take() {
            Some(stream) => stream,
            None => BufReader::new(connected(&self.socket)?),
        };
        let stream = self.stream.insert(stream);
        write_line(stream.get_mut(), line, LINE_WITHIN)?;
        let answer = read_line(stream, ANSWER)?.ok_or(ErrorKind::UnexpectedEof)?;
        Ok(serde_json::from_str(&answer)?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused_in_words_and_the_rest_is_asked() {
        let mut client = RackClient::over(Path::new("/nowhere/at/all"));
        let mut ask = |letters: usize| {
            client.ask(&RackRequest::Configure {
                router: "Denver".to_owned(),
                parameter: "eth0/description".to_owned(),
                value: "x".repeat(letters),
            })
        };
        let Ok(RackAnswer::Refused(why)) = ask(REQUEST_MAX) else {
            panic!("it is asked");
        };
        assert!(why.contains("16384 bytes"), "{why}");
        assert_eq!(ask(100).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
