//! The load generator: connections that send a message, wait for its task, and send the next.
//!
//! Uses hand-written HTTP/1.1, so that the client takes little processor time. An answer that is
//! not a completed task ends the bench. Read next: [`super::servers`].

use serde_json::{Value, json};
use std::error::Error;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// The address of a server, with credentials.
#[derive(Clone, Debug)]
pub(crate) struct Door {
    /// The address.
    pub(crate) address: String,
    /// The path of the JSON-RPC binding.
    pub(crate) path: String,
    /// The bearer token; empty for a server without authentication.
    pub(crate) token: String,
}

/// The measurements of a run.
#[derive(Debug, Default)]
pub(crate) struct Load {
    /// The latencies of the requests, sorted.
    pub(crate) latencies: Vec<Duration>,
    elapsed: Duration,
}

impl Load {
    /// Requests per second.
    pub(crate) fn per_s(&self) -> f64 {
        self.latencies.len() as f64 / self.elapsed.as_secs_f64()
    }

    /// The latency percentile at `share` (0 to 1), in milliseconds.
    pub(crate) fn percentile_ms(&self, share: f64) -> f64 {
        let place = (self.latencies.len().saturating_sub(1) as f64 * share).round() as usize;
        let found = self.latencies.get(place);
        found.map_or(f64::NAN, |it| it.as_secs_f64() * 1e3)
    }
}

/// Loads a server for `window` over so many connections.
pub(crate) async fn load(
    door: &Door,
    connections: usize,
    lasts: Duration,
) -> Result<Load, Box<dyn Error>> {
    let began = Instant::now();
    let mut clients = JoinSet::new();
    for number in 0..connections {
        let name = format!("{connections}-{number}");
        clients.spawn(client(door.clone(), name, began + lasts));
    }
    let mut load = Load::default();
    while let Some(latencies) = clients.join_next().await {
        load.latencies
            .extend(latencies?.map_err(|it| it.to_string())?);
    }
    load.elapsed = began.elapsed();
    load.latencies.sort_unstable();
    Ok(load)
}

type Failure = Box<dyn Error + Send + Sync>;

async fn client(door: Door, name: String, until: Instant) -> Result<Vec<Duration>, Failure> {
    let stream = TcpStream::connect(&door.address).await?;
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let mut latencies = Vec::new();
    while Instant::now() < until {
        let request = request(&door, &format!("{name}-{}", latencies.len()));
        let began = Instant::now();
        stream.write_all(request.as_bytes()).await?;
        let answer = answer(&mut stream).await?;
        latencies.push(began.elapsed());
        let state = &answer["result"]["task"]["status"]["state"];
        if state != "TASK_STATE_COMPLETED" {
            return Err(format!("the task is not completed: {answer}").into());
        }
    }
    Ok(latencies)
}

fn request(door: &Door, message_id: &str) -> String {
    let message = json!({
        "messageId": message_id, "role": "ROLE_USER",
        "parts": [{
            "data": {"action": "show"}, "mediaType": "application/json;schema=service_intent_v1",
        }],
    });
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message},
    });
    let (
        call,
        Door {
            address,
            path,
            token,
        },
    ) = (call.to_string(), door);
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         A2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{call}",
        call.len()
    )
}

async fn answer(stream: &mut BufReader<TcpStream>) -> Result<Value, Failure> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err("the server closed the connection".into());
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse()?;
            }
            None if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(serde_json::from_slice(&body)?)
}
