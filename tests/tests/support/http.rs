//! A minimal HTTP/1.1 client.

use super::within;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        let read = serde_json::from_str(&self.body);
        read.unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The data of server-sent events.
    pub fn events(&self) -> Vec<Value> {
        let frames = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        frames
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
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
    let credential = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
    let fields = fields
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"));
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n{}{}\r\n{body}",
        body.len(),
        credential.unwrap_or_default(),
        fields.collect::<String>(),
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    let read = within("an answer", stream.read_to_string(&mut text)).await;
    read.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let body = match head.to_lowercase().contains("transfer-encoding: chunked") {
        true => joined(body),
        false => body.to_owned(),
    };
    Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_owned(),
        body,
    }
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
