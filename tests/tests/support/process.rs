//! The `convoke` command as a child process.
//!
//! The binary is the one that the same `cargo` run built beside the test; `CONVOKE_BINARY`
//! overrides it. Knows the externally visible state of a process: output, exit code, processor
//! time, memory. Read next: [`super::entrance`].

use super::entrance::Entrance;
use super::within;
use serde_json::Value;
use std::ffi::OsStr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// Kernel clock ticks per second (`USER_HZ`), the unit of times in `/proc/PID/stat`: 100 on every
/// architecture that Linux runs Rust on.
const TICKS_PER_SECOND: f64 = 100.0;

/// The bound of a command that ends by itself: one that plays whole days takes half a minute alone, and
/// longer beside other test programs.
const COMMAND_PATIENCE: Duration = Duration::from_secs(240);

/// Flags that let `serve` and `demo` listen on free ports.
pub const FREE_PORTS: [&str; 4] = ["--netconf", "127.0.0.1:0", "--agents-from", "0"];

/// The path of the command.
///
/// # Panics
/// If it is not built.
pub fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("CONVOKE_BINARY") {
        return PathBuf::from(path);
    }
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    let path = profile.join("convoke");
    assert!(
        path.exists(),
        "{} is not built: run `cargo build -p convoke` (`cargo test --workspace` does), or set \
         CONVOKE_BINARY",
        path.display()
    );
    path
}

fn command(state: &Path) -> Command {
    let mut command = Command::new(binary());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CONVOKE_")) {
        command.env_remove(name);
    }
    command.arg("--state").arg(state).kill_on_drop(true);
    command
}

/// The output of a finished command.
#[derive(Debug)]
pub struct Finished {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    /// The JSON objects in its output, one per line.
    pub fn json(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
            .collect()
    }

    /// Asserts that the command succeeded; returns it.
    #[track_caller]
    pub fn well(self) -> Self {
        self.with_code(0)
    }

    /// Asserts that the command ended with this code; returns it.
    #[track_caller]
    pub fn with_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }
}

/// A Python script of this repository, by its path, with the packages of `make setup`.
pub fn python(script: &str) -> Command {
    by("python3", script)
}

/// A JavaScript script of this repository, with the packages of `make setup`.
pub fn node(script: &str) -> Command {
    by("node", script)
}

fn by(program: &str, script: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let program = root.join(".venv/bin").join(program);
    let installed = program.exists();
    assert!(
        installed,
        "{} is missing: run `make setup`",
        program.display()
    );
    let mut command = Command::new(program);
    command.arg(root.join(script));
    command
}

/// Runs a command to its end.
pub async fn run<S: AsRef<OsStr>>(state: &Path, arguments: &[S]) -> Finished {
    run_into(state, arguments, Stdio::piped()).await
}

/// Runs a command to its end with this standard output.
pub async fn run_into<S: AsRef<OsStr>>(state: &Path, arguments: &[S], stdout: Stdio) -> Finished {
    let mut command = command(state);
    command.args(arguments).stdin(Stdio::null());
    let child = command.stdout(stdout).stderr(Stdio::piped()).spawn();
    let output = timeout(COMMAND_PATIENCE, child.unwrap().wait_with_output());
    let ended = output.await.expect("a command ends in time");
    let output = ended.unwrap();
    Finished {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A running `convoke serve`, and the entrance that it is; killed when dropped.
pub struct Running {
    child: Child,
    entrance: Entrance,
    /// The object that it printed when it was ready.
    pub ready: Value,
    /// Its further output.
    output: Option<Lines<BufReader<ChildStdout>>>,
}

impl Deref for Running {
    type Target = Entrance;

    fn deref(&self) -> &Entrance {
        &self.entrance
    }
}

impl Running {
    /// Starts a platform without network on free ports, and waits until it is ready.
    ///
    /// # Panics
    /// If it does not become ready.
    pub async fn serve(state: &Path) -> Self {
        Self::serve_on(state, "none").await
    }

    /// Starts a platform with a simulated network, by name.
    ///
    /// # Panics
    /// If it does not become ready.
    pub async fn serve_on(state: &Path, network: &str) -> Self {
        Self::start(state, &["serve", "--network", network]).await
    }

    /// Starts a command that becomes a platform, on free ports, and waits until it is ready.
    ///
    /// # Panics
    /// If it does not become ready.
    pub async fn start<S: AsRef<OsStr>>(state: &Path, arguments: &[S]) -> Self {
        Self::start_in(state, arguments, &[]).await
    }

    /// Starts a command that becomes a platform, with these environment variables.
    ///
    /// # Panics
    /// If it does not become ready.
    pub async fn start_in<S: AsRef<OsStr>>(
        state: &Path,
        arguments: &[S],
        environment: &[(&str, &OsStr)],
    ) -> Self {
        let started = Self::attempt(state, arguments, environment, Stdio::inherit());
        started.await.expect("it says that it is ready")
    }

    /// Starts a command that becomes a platform, with these environment variables and what it logs going
    /// there; none if it ends before it is ready.
    ///
    /// # Panics
    /// If it is neither ready nor at an end in time.
    pub async fn attempt<S: AsRef<OsStr>>(
        state: &Path,
        arguments: &[S],
        environment: &[(&str, &OsStr)],
        log: Stdio,
    ) -> Option<Self> {
        let mut child = command(state)
            .args(arguments)
            .envs(environment.iter().copied())
            .arg("--json")
            .args(FREE_PORTS)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let mut lines = BufReader::new(stdout).lines();
        let ready = loop {
            let line = within("the platform to be ready", lines.next_line()).await;
            let told: Value = serde_json::from_str(&line.unwrap()?).unwrap();
            // A node says before what it was told as it joined.
            if told["event"] == "ready" {
                break told;
            }
        };
        Some(Self {
            child,
            entrance: Entrance::of(state, &ready),
            ready,
            output: Some(lines),
        })
    }

    /// Waits until it prints an object with this event, and returns that; what it prints before is passed
    /// over.
    ///
    /// # Panics
    /// If it ends before.
    pub async fn told(&mut self, event: &str) -> Value {
        let output = self.output.as_mut().expect("nobody else reads it");
        loop {
            let line = within(event, output.next_line()).await.unwrap();
            let line = line.unwrap_or_else(|| panic!("it ended before it said {event}"));
            let told: Value = serde_json::from_str(&line).unwrap();
            if told["event"] == event {
                return told;
            }
        }
    }

    /// Its further output, for somebody else to read.
    ///
    /// # Panics
    /// If it was taken before.
    pub fn output(&mut self) -> Lines<BufReader<ChildStdout>> {
        self.output.take().expect("it is taken once")
    }

    /// Sends it a signal, such as `STOP`.
    pub async fn signal(&self, name: &str) {
        let pid = self.child.id().expect("it runs").to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.await.unwrap().success());
    }

    /// Kills it by SIGKILL, and waits until it is gone.
    pub async fn kill(mut self) {
        within("SIGKILL", self.child.kill()).await.unwrap();
    }

    /// Waits until it ends by itself; returns its exit code.
    pub async fn ended(mut self) -> ExitStatus {
        within("the end", self.child.wait()).await.unwrap()
    }

    /// Asks it to end; returns its exit code.
    pub async fn stop(mut self) -> ExitStatus {
        let pid = self.child.id().unwrap().to_string();
        let sent = Command::new("kill").arg(&pid).status().await.unwrap();
        assert!(sent.success());
        within("the end", self.child.wait()).await.unwrap()
    }

    /// Processor time used so far, user and system.
    pub fn cpu_time(&self) -> Duration {
        let stat = self.proc("stat");
        // The name in parentheses may hold anything; what follows is plain (proc(5)).
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
        Duration::from_secs_f64(ticks / TICKS_PER_SECOND)
    }

    /// Resident memory in KiB.
    pub fn resident_kib(&self) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// The number of open files, sockets included.
    pub fn open_files(&self) -> usize {
        let pid = self.child.id().expect("it runs");
        std::fs::read_dir(format!("/proc/{pid}/fd"))
            .unwrap()
            .count()
    }

    fn proc(&self, file: &str) -> String {
        let pid = self.child.id().expect("it runs");
        std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap()
    }
}
