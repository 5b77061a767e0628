//! A session through the system's OpenSSH client.
//!
//! Its window closes when its output is not read, while its connection stays alive, like that of a
//! hanging client. Messages are framed by the end mark (`base:1.0`). Read next: [`super::talk`],
//! for well-behaved clients.

use super::process::Running;
use super::within;
use netconf::framing::Decoder;
use netconf::names::capability::BASE_1_0;
use netconf::names::namespace::BASE;
use std::process::Stdio;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};

/// The client's end of a session; its process is killed when dropped.
pub struct OpenSsh {
    child: Child,
    input: ChildStdin,
    decoder: Decoder,
    /// The session-id given by the server.
    pub session: String,
}

impl OpenSsh {
    /// Opens a session of the operator with the platform.
    ///
    /// # Panics
    /// If it fails.
    pub async fn connect(running: &Running) -> Self {
        let mut child = command(running)
            .spawn()
            .expect("OpenSSH's ssh is installed");
        let mut ssh = Self {
            input: child.stdin.take().unwrap(),
            child,
            decoder: Decoder::new(64 << 20),
            session: String::new(),
        };
        let greeting = format!(
            "<hello xmlns=\"{BASE}\"><capabilities><capability>{BASE_1_0}</capability>\
             </capabilities></hello>]]>]]>"
        );
        ssh.input.write_all(greeting.as_bytes()).await.unwrap();
        let hello = ssh.next().await.expect("the server greets");
        let session = super::element(&hello, "session-id");
        ssh.session = session.expect("the server's hello has it").to_owned();
        ssh
    }

    /// Sends an operation; its reply is a message among others.
    ///
    /// # Panics
    /// If the client has ended.
    pub async fn call(&mut self, operation: &str) {
        assert!(self.try_call(operation).await, "the client has ended");
    }

    /// Sends an operation; false if the client does not accept it any more.
    pub async fn try_call(&mut self, operation: &str) -> bool {
        let rpc = format!("<rpc xmlns=\"{BASE}\" message-id=\"1\">{operation}</rpc>]]>]]>");
        let written = self.input.write_all(rpc.as_bytes());
        within("room to write", written).await.is_ok()
    }

    /// Sends an operation and waits for the next message.
    ///
    /// # Panics
    /// If there is none.
    pub async fn ask(&mut self, operation: &str) -> String {
        self.call(operation).await;
        self.next().await.expect("a reply")
    }

    /// Reads once, at most `most` bytes; false at the end.
    ///
    /// # Panics
    /// If nothing comes.
    pub async fn read(&mut self, most: usize) -> bool {
        let mut buffer = vec![0; most];
        let output = self.child.stdout.as_mut().unwrap();
        let length = within("more or the end", output.read(&mut buffer)).await;
        let length = length.unwrap();
        self.decoder.push(&buffer[..length]);
        length > 0
    }

    /// A message that was read.
    ///
    /// # Panics
    /// If it is no text.
    pub fn message(&mut self) -> Option<String> {
        let message = self.decoder.next_message().unwrap()?;
        Some(String::from_utf8(message).unwrap())
    }

    /// The next message; none at the end of the session.
    ///
    /// # Panics
    /// If neither comes.
    pub async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(message) = self.message() {
                return Some(message);
            }
            if !self.read(65_536).await {
                return None;
            }
        }
    }

    /// Waits until the client has ended.
    ///
    /// # Panics
    /// If it does not.
    pub async fn end(mut self) {
        drop(self.input);
        within("the client's end", self.child.wait()).await.unwrap();
    }

    /// Kills the client: its connection is reset by the kernel.
    ///
    /// # Panics
    /// If it cannot be killed.
    pub async fn kill(mut self) {
        within("SIGKILL", self.child.kill()).await.unwrap();
    }
}

fn command(running: &Running) -> Command {
    let state = running.state().display();
    let mut command = Command::new("ssh");
    command
        .args(["-T", "-p", running.port(), "-F", "none", "-i"])
        .arg(running.operator().key)
        .args(["-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o"])
        .arg(format!("UserKnownHostsFile={state}/known_hosts"))
        .args(["operator@127.0.0.1", "-s", "netconf"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}
