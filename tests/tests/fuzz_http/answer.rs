//! One request and its answer: in time, and of a documented form (docs/http.md, A2A v1.0 §9.5 and
//! §11.6).
//!
//! Refuses to know the request. Read next: [`super::mutation`].

use super::mutation::Sent;
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// The time limit of an answer, well above the platform's own limits.
const LONGEST: Duration = Duration::from_secs(15);
/// The time after which a silent stream is abandoned.
const QUIET: Duration = Duration::from_millis(20);
/// The source address of requests with invalid credentials, so that others are not blocked with it.
const FORGER: &str = "127.0.0.2:0";

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Head and body as received; empty if nothing was.
    pub(super) bytes: Vec<u8>,
}

/// Sends a request on a connection of its own and reads its answer; of a stream, its immediate
/// part.
///
/// # Errors
/// A timeout.
pub(super) async fn exchange(address: &str, sent: &Sent) -> Result<Answer, String> {
    let mut stream = connected(address, sent)
        .await
        .map_err(|it| it.to_string())?;
    // What is refused early may be refused before all of it is sent.
    let _ = stream.write_all(&sent.bytes).await;
    if sent.is_wild {
        let _ = stream.shutdown().await;
    }
    let mut bytes = Vec::new();
    loop {
        let is_stream =
            find(&bytes, b"\r\n\r\n").is_some() && find(&bytes, b"text/event-stream").is_some();
        let most = if is_stream { QUIET } else { LONGEST };
        match timeout(most, stream.read_buf(&mut bytes)).await {
            Ok(Ok(0) | Err(_)) => break,
            Ok(Ok(_)) => {}
            Err(_) if is_stream => break,
            Err(_) => return Err(format!("nothing more came in {LONGEST:?}")),
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let status = text.split(' ').nth(1).and_then(|it| it.parse().ok());
    Ok(Answer {
        status: status.unwrap_or(0),
        bytes,
    })
}

async fn connected(address: &str, sent: &Sent) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if sent.is_forged {
        socket.bind(FORGER.parse().expect("an address"))?;
    }
    socket.connect(address.parse().expect("an address")).await
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|it| it == wanted)
}

impl Answer {
    fn head(&self) -> String {
        let end = find(&self.bytes, b"\r\n\r\n").unwrap_or(self.bytes.len());
        String::from_utf8_lossy(&self.bytes[..end]).to_lowercase()
    }

    /// Its body, with chunk sizes if it has any. A torn request may be several requests with as
    /// many answers: this is of the first.
    pub(super) fn body(&self) -> String {
        let begin = find(&self.bytes, b"\r\n\r\n").map_or(self.bytes.len(), |at| at + 4);
        let length = self.field("content-length").and_then(|it| it.parse().ok());
        let body = &self.bytes[begin..];
        let body = &body[..length.unwrap_or(body.len()).min(body.len())];
        String::from_utf8_lossy(body).into_owned()
    }

    /// Its status, and the reason in an error of A2A.
    pub(super) fn told(&self) -> Vec<String> {
        let body = self.body();
        let reason = body.split(r#""reason":""#).nth(1);
        let reason = reason.and_then(|rest| rest.split('"').next());
        let told = [self.status.to_string()].into_iter();
        told.chain(reason.map(str::to_owned)).collect()
    }

    fn field(&self, name: &str) -> Option<String> {
        let head = self.head();
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(it, _)| *it == name)
            .map(|(_, value)| value.to_owned())
    }

    /// Checks that it is of a documented form.
    ///
    /// # Errors
    /// The deviation.
    pub(super) fn shaped(&self, sent: &Sent) -> Result<(), String> {
        let kind = self.field("content-type").unwrap_or_default();
        let body = self.body();
        match self.status {
            // What is no HTTP gets the bare status.
            400 | 414 | 431 if sent.is_wild && body.is_empty() => Ok(()),
            status if status >= 500 => Err(format!("{status} is a failure of ours")),
            429 if self.field("retry-after").is_none() => Err("when to come again?".to_owned()),
            405 if self.field("allow").is_none() => Err("what is allowed?".to_owned()),
            401 if self.field("www-authenticate").is_none() => Err("by what?".to_owned()),
            _ if self.field("x-content-type-options").is_none() => Err("guess at it?".to_owned()),
            _ if sent.is_head || kind == "text/event-stream" => Ok(()),
            204 | 304 if body.is_empty() => Ok(()),
            status => match serde_json::from_str(&body) {
                Ok(document) if is_of_another(&document, sent) => Err("whose answer?".to_owned()),
                Ok(document) => shaped(status, &kind, &document),
                Err(error) => Err(format!("{error}: its body is no JSON")),
            },
        }
    }
}

/// True for an answer to an identifier that the request does not have (JSON-RPC §5).
fn is_of_another(document: &Value, sent: &Sent) -> bool {
    match document["id"] {
        Value::Number(ref id) if document["jsonrpc"] == "2.0" => {
            let is_zero = id.as_f64() == Some(0.0);
            !is_zero && find(&sent.bytes, id.to_string().as_bytes()).is_none()
        }
        _ => false,
    }
}

/// Checks that a document is of the form for a status.
fn shaped(status: u16, kind: &str, document: &Value) -> Result<(), String> {
    let error = &document["error"];
    let is_rpc = document["jsonrpc"] == "2.0";
    let right = if kind == "application/problem+json" {
        let members = ["type", "title", "detail"].map(|name| document[name].is_string());
        status >= 400 && document["status"] == status && members == [true; 3]
    } else if is_rpc && error.is_object() {
        document.get("id").is_some() && error["code"].is_i64() && error["message"].is_string()
    } else if is_rpc {
        status == 200 && document.get("id").is_some() && document.get("result").is_some()
    } else if status >= 400 {
        let members = ["status", "message"].map(|name| error[name].is_string());
        error["code"] == status && members == [true; 2] && error["details"].is_array()
    } else {
        matches!(status, 200..=299) && (document.is_object() || document.is_array())
    };
    match right {
        true => Ok(()),
        false => Err(format!(
            "{status} of {kind} is of no shape that is written down"
        )),
    }
}
