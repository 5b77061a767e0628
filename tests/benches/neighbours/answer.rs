//! An answer over HTTP/1.1, parsed as far as a bench needs it.
//!
//! Refuses to know the request. Read next: `attack`, `generated`.

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::TcpStream;

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The reason given by A2A, or the error code of JSON-RPC.
    pub(crate) reason: Option<String>,
    /// True if the connection can be reused; false after the head of a stream too.
    pub(crate) is_kept: bool,
}

/// Reads an answer; none if the connection was closed before.
pub(crate) async fn answer(stream: &mut BufReader<TcpStream>) -> Option<Answer> {
    let mut line = String::new();
    if stream.read_line(&mut line).await.ok()? == 0 {
        return None;
    }
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let (mut length, mut is_kept) = (None, true);
    loop {
        line.clear();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = Some(value.trim().parse().ok()?);
            }
            Some((name, value)) if name.eq_ignore_ascii_case("connection") => {
                is_kept = !value.trim().eq_ignore_ascii_case("close");
            }
            None if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    let body = String::from_utf8_lossy(&body);
    let behind = |name: &str| {
        let told = body.split_once(name)?.1.trim_start_matches('"');
        Some(told.split(['"', ',', '}']).next()?.to_owned())
    };
    let is_error = body.contains("\"error\":");
    let reason = behind("\"reason\":").or_else(|| behind("\"code\":"));
    Some(Answer {
        status,
        reason: reason.filter(|_| is_error),
        is_kept: is_kept && length.is_some(),
    })
}
