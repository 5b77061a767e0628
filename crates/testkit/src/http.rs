//! HTTP/1.1 as bytes: a client that sends anything, and parses what comes.
//!
//! It shares no code with the server under test. Read next: [`ask`], [`Line`].

use crate::within;
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

/// A response.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The status line.
    pub line: String,
    /// The status code in it.
    pub status: u16,
    /// The header fields, by their names in lower case.
    pub fields: BTreeMap<String, String>,
    /// The body.
    pub body: String,
}

impl Answer {
    /// A header field; empty if it is not there.
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The data of server-sent events.
    pub fn events(&self) -> Vec<Value> {
        let lines = self.body.lines();
        let frames = lines.filter_map(|line| line.strip_prefix("data: "));
        frames
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }

    /// The whole response except for its date.
    pub fn undated(mut self) -> String {
        self.fields.remove("date");
        format!("{self:?}")
    }

    /// The same response, which must be a problem of that status (RFC 9457).
    #[track_caller]
    pub fn problem(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.field("content-type"), "application/problem+json");
        assert_eq!(self.json()["status"], status);
        self
    }
}

/// A connection.
pub struct Line<S = TcpStream>(pub BufReader<S>);

impl Line {
    /// A connection from 127.0.0.1.
    pub async fn to(address: SocketAddr) -> Self {
        Self::from(address, 1).await
    }

    /// A connection from another source: 127.0.0.`host`.
    pub async fn from(address: SocketAddr, host: u8) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket
            .bind((Ipv4Addr::new(127, 0, 0, host), 0).into())
            .unwrap();
        let stream = within("a connection", socket.connect(address)).await;
        Self(BufReader::new(stream.unwrap()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Line<S> {
    /// Sends what is given.
    pub async fn send(&mut self, bytes: &str) {
        self.0.write_all(bytes.as_bytes()).await.unwrap();
        self.0.flush().await.unwrap();
    }

    /// Sends a request without a body and reads its response.
    pub async fn ask(&mut self, line: &str, fields: &[&str]) -> Answer {
        self.send(&request(line, fields)).await;
        self.answer().await
    }

    /// The next response.
    pub async fn answer(&mut self) -> Answer {
        within("an answer", read(&mut self.0)).await.unwrap()
    }

    /// The next bytes, as far as they come in one piece; empty at the end.
    pub async fn piece(&mut self) -> String {
        let bytes = within("a piece", self.0.fill_buf()).await.unwrap().to_vec();
        self.0.consume(bytes.len());
        String::from_utf8(bytes).unwrap()
    }

    /// Everything up to the end; a connection that is reset ends as well.
    pub async fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        let _ = within("the end", self.0.read_to_end(&mut rest)).await;
        String::from_utf8(rest).unwrap()
    }
}

/// A request without a body; one without a host is for localhost.
pub fn request(line: &str, fields: &[&str]) -> String {
    let host = fields.iter().any(|f| f.to_lowercase().starts_with("host:"));
    let usual = if host { "" } else { "Host: localhost\r\n" };
    let fields: String = fields.iter().map(|field| format!("{field}\r\n")).collect();
    format!("{line} HTTP/1.1\r\n{usual}{fields}\r\n")
}

/// Reads a response; without a length, and to HEAD, there is no body.
///
/// # Errors
/// What the connection fails with, or its end before that of the response.
pub async fn read(stream: &mut (impl AsyncBufReadExt + Unpin)) -> std::io::Result<Answer> {
    let mut answer = head(stream).await?;
    let length = answer.field("content-length").parse().unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    answer.body = String::from_utf8(body).unwrap();
    Ok(answer)
}

async fn head(stream: &mut (impl AsyncBufReadExt + Unpin)) -> std::io::Result<Answer> {
    let (mut answer, mut line) = (Answer::default(), String::new());
    stream.read_line(&mut line).await?;
    answer.line = line.trim_end().to_owned();
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    answer.status = status.ok_or(std::io::ErrorKind::UnexpectedEof)?;
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            return Ok(answer);
        };
        let known = answer.fields.insert(name.to_lowercase(), value.to_owned());
        assert_eq!(known, None, "{name} is said twice");
    }
}

/// Sends a GET request, with a token or without, on a connection of its own.
pub async fn get(address: &str, path: &str, token: Option<&str>) -> Answer {
    ask(address, "GET", path, token, &[], "").await
}

/// Posts a JSON document with these header fields.
pub async fn post(
    address: &str,
    path: &str,
    token: Option<&str>,
    fields: &[(&str, &str)],
    document: &Value,
) -> Answer {
    let json = [("Content-Type", "application/json")];
    let fields = [&json, fields].concat();
    ask(address, "POST", path, token, &fields, &document.to_string()).await
}

/// Sends a request on a connection of its own, and reads until it ends.
pub async fn ask(
    address: &str,
    method: &str,
    path: &str,
    token: Option<&str>,
    fields: &[(&str, &str)],
    body: &str,
) -> Answer {
    let stream = sent(address, method, path, token, fields, body).await;
    within("an answer", ended(stream)).await.unwrap()
}

/// A connection on which one request was sent, the last.
pub async fn sent(
    address: &str,
    method: &str,
    path: &str,
    token: Option<&str>,
    fields: &[(&str, &str)],
    body: &str,
) -> TcpStream {
    let credential = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
    let fields: String = fields
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Length: {}\r\n{}{fields}\r\n{body}",
        body.len(),
        credential.unwrap_or_default(),
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// The response on a connection that ends after it.
///
/// # Errors
/// What the connection fails with, or its end before that of the response's head.
pub async fn ended(stream: impl AsyncRead + Unpin) -> std::io::Result<Answer> {
    let mut stream = BufReader::new(stream);
    let mut answer = head(&mut stream).await?;
    let mut body = String::new();
    stream.read_to_string(&mut body).await?;
    answer.body = match answer.field("transfer-encoding") {
        "chunked" => joined(&body),
        _ => body,
    };
    Ok(answer)
}

/// A body without chunk sizes (RFC 9112 §7.1).
fn joined(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = chunks.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        body.push_str(&rest[..size]);
        chunks = rest[size..].strip_prefix("\r\n").unwrap();
    }
    body
}
