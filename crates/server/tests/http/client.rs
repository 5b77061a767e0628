//! A client that sends any bytes, and parses the responses.

use serde_json::Value;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

/// The time limit for anything awaited.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for something, with the time limit.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(PATIENCE, future).await;
    waited.unwrap_or_else(|_| panic!("still waiting for {what}"))
}

/// A response.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub status: u16,
    pub fields: BTreeMap<String, String>,
    pub body: String,
}

impl Answer {
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
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
pub async fn read(stream: &mut (impl AsyncBufReadExt + Unpin)) -> std::io::Result<Answer> {
    let mut answer = Answer::default();
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let status = line
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    answer.status = status.ok_or(std::io::ErrorKind::UnexpectedEof)?;
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        let known = answer.fields.insert(name.to_lowercase(), value.to_owned());
        assert_eq!(known, None, "{name} is said twice");
    }
    let length = answer.field("content-length").parse().unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    answer.body = String::from_utf8(body).unwrap();
    Ok(answer)
}
