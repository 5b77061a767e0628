//! A desk for command-line tests: the `convoke` command, with a platform and the cast of the cases.
//!
//! The platform runs in the test's own process, in real time; the command is a process of its own.
//! Read next: `support::process`.

// Each test binary uses its own part of this.
#![allow(dead_code, unreachable_pub)]

use crate::support::process::{Finished, binary, run};
use crate::support::within;
use domain::event::{LogEvent, Termination};
use domain::verb::Verb;
use engine::Engine;
use harness::{cast, memory};
use serde_json::Value;
use server::client::{Client, Identity, NegotiateRequest};
use server::clock::Clock;
use server::config::Settings;
use server::host::{Company, Endpoint, Home};
use server::runtime::Runtime;
use server::ssh::keys;
use server::state::StateFolder;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::Notify;

/// Runs a test against a platform of its own.
pub async fn platform(test: impl AsyncFnOnce(&Desk)) {
    let state = tempfile::tempdir().unwrap();
    let clock = Arc::new(Clock::wall());
    let company = Company {
        access: cast::access(),
        ..testkit::company(cast::agents(clock.now()))
    };
    let settings = Settings {
        schemas: memory::growing(),
        ..testkit::loopback()
    };
    let home = Home::Folder(StateFolder::new(state.path()));
    let host = testkit::host(home, &settings, company, clock).await;
    let host = Arc::new(host.unwrap());
    let desk = Desk {
        address: host.address_of(&Endpoint::Platform).unwrap().to_string(),
        engine: Arc::clone(host.platform.engine()),
        state,
    };
    let mut world = Runtime::new(host, (), Box::new(|_| {}));
    world.begin().await;
    tokio::select! {
        () = world.live(std::future::pending()) => panic!("the platform has ended"),
        () = test(&desk) => {}
    }
}

/// Assertions about the output of a finished command.
pub trait Said {
    /// Asserts that the command printed this hint; returns it.
    fn says(self, hint: &str) -> Self;
}

impl Said for Finished {
    #[track_caller]
    fn says(self, hint: &str) -> Self {
        assert!(
            self.stderr.contains(hint),
            "{hint} is not in\n{}",
            self.stderr
        );
        self
    }
}

/// A state folder and a platform for commands.
pub struct Desk {
    state: tempfile::TempDir,
    address: String,
    engine: Arc<Engine>,
}

impl Desk {
    /// The terminations of the first so many sessions, from the platform's log.
    pub async fn ends(&self, count: usize) -> Vec<Termination> {
        let feed = self.engine.feed();
        let mut news = feed.watch();
        let ended = async {
            loop {
                news.borrow_and_update();
                let entries = feed.after(0, usize::MAX).unwrap();
                let ends = entries.iter().filter_map(|entry| match &entry.happening {
                    LogEvent::SessionEnded { reason, .. } => Some(*reason),
                    _ => None,
                });
                let ends: Vec<Termination> = ends.collect();
                if ends.len() >= count {
                    return ends;
                }
                news.changed().await.unwrap();
            }
        };
        within("the end of a session", ended).await
    }

    /// Runs a line of shell, in which `convoke` is the command, against this platform.
    pub async fn shell(&self, script: &str) -> Finished {
        let script = format!(
            "convoke() {{ '{}' --state '{}' \"$@\" --netconf {}; }}\n{script}",
            binary().display(),
            self.state.path().display(),
            self.address
        );
        let output = Command::new("sh").args(["-c", &script]).output();
        let output = within("a line of shell", output).await.unwrap();
        Finished {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The engine of the platform.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The address of the platform.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Runs a command.
    pub async fn run(&self, arguments: &[&str]) -> Finished {
        self.run_at(&self.address, arguments).await
    }

    /// Runs a command against a platform at this address.
    pub async fn run_at(&self, address: &str, arguments: &[&str]) -> Finished {
        let arguments = [arguments, &["--netconf", address]].concat();
        run(self.state.path(), &arguments).await
    }

    /// Starts a command without waiting for its end.
    pub fn start_at(&self, address: &str, arguments: &[&str]) -> Child {
        Command::new(binary())
            .arg("--state")
            .arg(self.state.path())
            .args(arguments)
            .args(["--netconf", address])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    /// Waits for so many matching notifications about a task.
    pub async fn until(&self, task: &str, times: usize, wanted: impl Fn(&Value) -> bool) {
        self.heard(&["--task", task], times, wanted).await;
    }

    /// Waits for so many matching notifications among those that `watch` shows with these flags.
    pub async fn heard(&self, flags: &[&str], times: usize, wanted: impl Fn(&Value) -> bool) {
        let since = ["watch", "--json", "--since", "2026-01-01T00:00:00Z"];
        let watch = [&since[..], flags].concat();
        let mut child = self.start_at(&self.address, &watch);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut left = times;
        while left > 0 {
            let line = within(&format!("news of {flags:?}"), lines.next_line()).await;
            let heard: Value = serde_json::from_str(&line.unwrap().unwrap()).unwrap();
            left -= usize::from(wanted(&heard["content"]));
        }
    }

    /// A connection to the platform that breaks permanently after so many bytes; the command knows
    /// the host key at its other end.
    pub async fn relay(&self, bytes: u64) -> Relay {
        let relay = Relay::to(&self.address, bytes).await;
        let known = self.state.path().join("known_hosts");
        let hosts = std::fs::read_to_string(&known).unwrap();
        let port = |address: &str| format!(":{}", address.rsplit(':').next().unwrap());
        let (old, new) = (port(&self.address), port(&relay.address));
        let own = hosts.lines().find(|line| line.contains(&old)).unwrap();
        std::fs::write(&known, format!("{hosts}\n{}\n", own.replace(&old, &new))).unwrap();
        relay
    }

    /// A file with this content.
    pub fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The path of a file with that name.
    pub fn path(&self, name: &str) -> String {
        self.state.path().join(name).display().to_string()
    }

    /// A new key: the files of its private and of its public half.
    pub fn key(&self, name: &str) -> (String, String) {
        let private = self.path(&format!("{name}_ed25519"));
        let public = self.path(&format!("{name}_ed25519.pub"));
        let key = keys::load_or_generate(Path::new(&private), name).unwrap();
        keys::write_public(Path::new(&public), key.public_key()).unwrap();
        (private, public)
    }

    /// Assigns so many tasks over one session.
    pub async fn assign_many(&self, count: usize) {
        let operator = Identity::operator(self.state.path());
        let mut client = Client::connect(&self.address, &operator).await.unwrap();
        for n in 0..count {
            let task = format!("many-{n}");
            let request = NegotiateRequest {
                to: Some("ip"),
                task: Some(&task),
                content: vec!["## target object\nsite-1\n## task description\nstay".to_owned()],
                asynchronous: Some(true),
                ..NegotiateRequest::default()
            };
            client
                .negotiate(Verb::TaskAssign, &request)
                .await
                .unwrap()
                .unwrap();
        }
    }
}

/// A relay between a command and a platform that can be cut.
pub struct Relay {
    address: String,
    line: Arc<Line>,
}

struct Line {
    /// The number of bytes from either side that still pass.
    left: AtomicU64,
    cut: AtomicBool,
    broken: Notify,
}

impl Relay {
    async fn to(target: &str, bytes: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let line = Arc::new(Line {
            left: AtomicU64::new(bytes),
            cut: AtomicBool::new(false),
            broken: Notify::new(),
        });
        let (target, carried) = (target.to_owned(), Arc::clone(&line));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(carry(stream, target.clone(), Arc::clone(&carried)));
            }
        });
        Self { address, line }
    }

    /// The address of its entrance.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Cuts the connection: sessions end, and none begins.
    pub fn cut(&self) {
        self.line.cut.store(true, SeqCst);
        self.line.broken.notify_waiters();
    }

    /// Restores the connection.
    pub fn mend(&self) {
        self.line.cut.store(false, SeqCst);
    }
}

async fn carry(near: TcpStream, target: String, line: Arc<Line>) {
    let broken = line.broken.notified();
    if line.cut.load(SeqCst) {
        return;
    }
    let Ok(far) = TcpStream::connect(target).await else {
        return;
    };
    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
    tokio::select! {
        () = pass(near_in, far_out, &line) => {}
        () = pass(far_in, near_out, &line) => {}
        () = broken => {}
    }
}

async fn pass(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    line: &Line,
) {
    let mut buffer = vec![0; 16 * 1_024];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        let take = |left: u64| left.checked_sub(read as u64);
        let fits = line.left.fetch_update(SeqCst, SeqCst, take).is_ok();
        if !fits || to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
