//! Foreign programs as clients of a running platform: those that `make setup` puts into `.venv`, and the examples.
//!
//! Read next: [`super::entrance`].

use super::entrance::Entrance;
use super::process::Finished;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// The time limit of a client. ncclient polls for answers only ten times a second, and a diagnosis
/// that does not find the fault takes two minutes in real time.
const CLIENT_LONGEST: Duration = Duration::from_secs(240);

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A program of the virtual environment.
pub fn python(program: &str) -> Command {
    let path = root().join(".venv/bin").join(program);
    assert!(
        path.exists(),
        "{} is not installed: run `make setup`",
        path.display()
    );
    Command::new(path)
}

/// netconf-console2 as the operator. With a configuration of OpenSSH it takes a key without a password, and checks
/// the host's.
pub fn console(platform: &Entrance) -> Command {
    let config = platform.state().join("ssh_config");
    let known = platform.state().join("known_hosts");
    let text = format!("Host *\n  UserKnownHostsFile {}\n", known.display());
    std::fs::write(&config, text).unwrap();
    let mut command = python("netconf-console2");
    command
        .arg("--ssh-config")
        .arg(&config)
        .arg("--hostkey-verify");
    command.args(["--host", "127.0.0.1", "--port", platform.port()]);
    command.args(["--user", "operator", "--privKeyFile"]);
    command.arg(&platform.operator().key);
    command
}

/// Runs an example against the platform.
pub async fn example(name: &str, platform: &Entrance, arguments: &[&str]) -> Finished {
    let mut command = python("python3");
    command
        .arg(root().join("examples").join(name))
        .args(["--port", platform.port()]);
    command
        .arg("--key")
        .arg(&platform.operator().key)
        .args(arguments);
    if name != "read_agents.py" {
        command.arg("--json");
    }
    finish(command, "").await
}

/// Runs a foreign program to its end, with this standard input.
pub async fn finish(mut command: Command, stdin: &str) -> Finished {
    let program = command.as_std().get_program().to_owned();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}: run `make setup`", program.display()));
    let mut input = child.stdin.take().unwrap();
    // One that does not read what it is given has its reasons, and its output tells them.
    let _ = input.write_all(stdin.as_bytes()).await;
    drop(input);
    let output = tokio::time::timeout(CLIENT_LONGEST, child.wait_with_output()).await;
    let output = output
        .unwrap_or_else(|_| panic!("{} does not end", program.display()))
        .unwrap();
    Finished {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
