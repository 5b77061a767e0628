//! OpenSSH's client, where the machine has it.
//!
//! Read next: `server::ssh`.

use super::*;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn openssh(bench: &Bench, key: &Path, input: &'static [u8], options: &[&str]) -> Option<Output> {
    let known_hosts = bench.folder.path().join("known_hosts");
    let address = bench.serving.address();
    keys::write_known_hosts(&known_hosts, bench.host_key.public_key(), &[address]).unwrap();
    let child = Command::new("ssh")
        .args(["-F", "none", "-o", "BatchMode=yes"])
        .args(["-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none"])
        .args(["-o", "StrictHostKeyChecking=yes"])
        .args([
            "-o",
            &format!("UserKnownHostsFile={}", known_hosts.display()),
        ])
        .args(["-p", &address.port().to_string(), "-i"])
        .arg(key)
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    // Without OpenSSH on the machine there is no referee to ask.
    let mut child = child.ok()?;
    let mut stdin = child.stdin.take().unwrap();
    // It may refuse to read.
    let _ = stdin.write_all(input);
    drop(stdin);
    Some(child.wait_with_output().unwrap())
}

async fn run_openssh(
    bench: Bench,
    key: PrivateKey,
    input: &'static [u8],
    options: &'static [&'static str],
) -> Option<Output> {
    let path = bench.folder.path().join("key");
    let text = key.to_openssh(Default::default()).unwrap();
    std::fs::write(&path, text.as_bytes()).unwrap();
    Command::new("chmod")
        .arg("600")
        .arg(&path)
        .status()
        .unwrap();
    let run = tokio::task::spawn_blocking(move || openssh(&bench, &path, input, options));
    within("ssh", run).await.unwrap()
}

#[tokio::test]
async fn openssh_is_served() {
    let bench = Bench::echo();
    let key = (*bench.key).clone();
    let options = &["-s", "operator@127.0.0.1", "netconf"];
    if let Some(output) = run_openssh(bench, key, b"hello over OpenSSH", options).await {
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.stdout, b"hello over OpenSSH", "{errors}");
        assert_eq!(output.status.code(), Some(0), "{errors}");
    }
}

#[tokio::test]
async fn openssh_is_refused_with_the_wrong_key() {
    let bench = Bench::echo();
    let options = &["-s", "operator@127.0.0.1", "netconf"];
    if let Some(output) = run_openssh(bench, keys::generate("wrong"), b"", options).await {
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            errors.contains("Permission denied (publickey)."),
            "{errors}"
        );
        assert_eq!(output.status.code(), Some(255));
    }
}

#[tokio::test]
async fn openssh_gets_no_other_subsystem_and_no_shell() {
    for options in [
        &["-s", "operator@127.0.0.1", "sftp"][..],
        &["operator@127.0.0.1", "id"][..],
    ] {
        let bench = Bench::echo();
        let key = (*bench.key).clone();
        if let Some(output) = run_openssh(bench, key, b"", options).await {
            assert_ne!(output.status.code(), Some(0), "{options:?}");
            assert!(output.stdout.is_empty());
        }
    }
}
