//! The example of a receiver, `examples/receive_reports.py`, as a child process.

use serde_json::Value;
use server::ssh::keys;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdout, Command};

/// A program of the virtual environment.
fn python() -> Command {
    let path = root().join(".venv/bin/python3");
    let installed = path.exists();
    assert!(installed, "{} is missing: run `make setup`", path.display());
    Command::new(path)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Creates certification authorities and a certificate in this folder: `authority.pem`,
/// `stranger.pem`, `receiver.pem` and `receiver.key`.
pub async fn certificates(folder: &Path) {
    let script = root().join("tests/interop/certificates.py");
    let made = python().arg(script).arg(folder).status().await.unwrap();
    assert!(made.success());
}

/// The example as a process; killed when dropped.
pub struct Example {
    _child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    pub url: String,
}

impl Example {
    /// Starts an example that trusts the host whose keys are in this file; over TLS with the
    /// certificate in `tls`.
    pub async fn start(known_hosts: &Path, tls: Option<&Path>) -> Self {
        let mut command = python();
        command.arg(root().join("examples/receive_reports.py"));
        command
            .args(["--json", "--port", "0", "--known-hosts"])
            .arg(known_hosts);
        if let Some(folder) = tls {
            command
                .arg("--certificate")
                .arg(folder.join("receiver.pem"));
            command
                .arg("--certificate-key")
                .arg(folder.join("receiver.key"));
        }
        let mut child = command
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut example = Self {
            _child: child,
            lines,
            url: String::new(),
        };
        let ready = example.event().await;
        example.url = ready["url"].as_str().unwrap().to_owned();
        example
    }

    /// The next event that it prints.
    pub async fn event(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(60), self.lines.next_line()).await;
        let line = line.expect("it says something").unwrap();
        serde_json::from_str(&line.expect("it goes on")).unwrap()
    }

    /// Posts anything to it; returns the status line.
    pub async fn post(&self, path: &str, fields: &[(String, String)], body: &str) -> String {
        let address = self
            .url
            .strip_prefix("http://")
            .unwrap()
            .trim_end_matches('/');
        let mut text = format!("POST {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in fields {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.lines().next().unwrap().to_owned()
    }
}

/// Writes a file of known hosts with this key.
pub fn know(path: &Path, key: &server::ssh::PrivateKey) {
    let address = "127.0.0.1:8830".parse().unwrap();
    keys::write_known_hosts(path, key.public_key(), &[address]).unwrap();
}
