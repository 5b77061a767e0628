//! A receiver of reports: an HTTP server on loopback that behaves as the test wants.

use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A received report.
#[derive(Clone, Debug)]
pub struct Report {
    pub line: String,
    pub fields: BTreeMap<String, String>,
    pub body: Value,
    /// The number of its connection, from 1.
    pub connection: usize,
}

impl Report {
    pub fn task(&self) -> &str {
        let condition = &self.body["irtf-agent:condition-notifications"];
        condition["task-id"].as_str().unwrap()
    }

    pub fn sequence(&self) -> u64 {
        self.body["sequence"].as_str().unwrap().parse().unwrap()
    }

    /// Its name: `task:sequence`.
    pub fn name(&self) -> String {
        format!("{}:{}", self.task(), self.sequence())
    }
}

/// The receiver's answer to a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Status(u16),
    /// A status with a body of so many bytes.
    Long(u16, usize),
    /// A redirect.
    Redirect,
    /// Closing the connection.
    Close,
    /// No answer on an open connection.
    Nothing,
}

/// A receiver; it stops listening when dropped.
pub struct Receiver {
    pub address: SocketAddr,
    reports: mpsc::UnboundedReceiver<Report>,
    listening: JoinHandle<()>,
}

impl Receiver {
    /// A receiver on a free port with this rule for answers: from the report, and the number of
    /// earlier ones.
    pub async fn start(rule: impl Fn(&Report, usize) -> Answer + Send + Sync + 'static) -> Self {
        Self::at("127.0.0.1:0".parse().unwrap(), rule).await
    }

    pub async fn at(
        address: SocketAddr,
        rule: impl Fn(&Report, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (told, reports) = mpsc::unbounded_channel();
        let (rule, before) = (Arc::new(rule), Arc::new(AtomicUsize::new(0)));
        let listening = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            for number in 1.. {
                let (stream, _) = listener.accept().await.unwrap();
                let (rule, before, told) = (Arc::clone(&rule), Arc::clone(&before), told.clone());
                connections.spawn(async move {
                    let mut stream = BufReader::new(stream);
                    while let Some(report) = read(&mut stream, number).await {
                        let answer = rule(&report, before.fetch_add(1, Relaxed));
                        let _ = told.send(report);
                        if !give(&mut stream, answer).await {
                            return;
                        }
                    }
                });
            }
        });
        Self {
            address,
            reports,
            listening,
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The next report.
    pub async fn report(&mut self) -> Report {
        let patience = Duration::from_secs(60);
        let report = tokio::time::timeout(patience, self.reports.recv()).await;
        report.expect("a report comes").unwrap()
    }

    /// The names of the next reports.
    pub async fn names(&mut self, count: usize) -> Vec<String> {
        let mut names = Vec::new();
        for _ in 0..count {
            names.push(self.report().await.name());
        }
        names
    }

    /// The next report, if it has been received.
    pub fn now(&mut self) -> Option<Report> {
        self.reports.try_recv().ok()
    }

    /// The names of the reports received.
    pub fn names_now(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.now())
            .map(|report| report.name())
            .collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn read(stream: &mut BufReader<TcpStream>, connection: usize) -> Option<Report> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    let fields: BTreeMap<String, String> = head[1..]
        .iter()
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut body = vec![0; fields["content-length"].parse().unwrap()];
    stream.read_exact(&mut body).await.ok()?;
    Some(Report {
        line: head[0].clone(),
        body: serde_json::from_slice(&body).unwrap(),
        fields,
        connection,
    })
}

/// Sends an answer; false if the connection ends.
async fn give(stream: &mut BufReader<TcpStream>, answer: Answer) -> bool {
    let (status, more, length) = match answer {
        Answer::Status(status) => (status, "", 0),
        Answer::Long(status, length) => (status, "", length),
        Answer::Redirect => (307, "Location: http://192.0.2.1/\r\n", 0),
        Answer::Close => return false,
        Answer::Nothing => std::future::pending().await,
    };
    let mut text = format!("HTTP/1.1 {status} x\r\n{more}Content-Length: {length}\r\n\r\n");
    text.push_str(&"x".repeat(length));
    stream.write_all(text.as_bytes()).await.is_ok()
}
