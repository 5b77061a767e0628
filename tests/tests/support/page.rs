//! A page of the documentation whose commands are run, and whose answers are compared.
//!
//! Blocks of kind `sh` are run in turn, in one shell; a block of kind `json`, `xml` or `html` is
//! the output up to there, with `*` for parts that differ from run to run.

use super::entrance::Entrance;
use super::process::binary;
use super::within;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// Runs the commands of a page of `docs/`, which has so many answers, against a platform. If a
/// program that they need is missing, prints so instead.
///
/// # Panics
/// If a command fails, or an answer differs.
pub async fn holds(page: &str, platform: &Entrance, answers: usize) {
    for needed in ["bash", "curl", "ssh-keygen"] {
        if !is_there(needed).await {
            println!("there is no {needed}: the commands of docs/{page} are not typed");
            return;
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(page);
    let text = std::fs::read_to_string(file).unwrap();
    let mut script = String::new();
    let mut expected = String::new();
    for (kind, text) in blocks(&text) {
        match kind {
            "sh" => script += &text,
            "json" | "xml" | "html" => {
                script += "echo\necho ---\n";
                expected += &format!("{text}---\n");
            }
            _ => {}
        }
    }
    let script = script.replace("127.0.0.1:8880", platform.http());
    let path = std::env::var("PATH").unwrap_or_default();
    let beside = binary().parent().unwrap().display().to_string();
    let commands = Command::new("bash")
        .args(["-euc", &script])
        .env("PATH", format!("{beside}:{path}"))
        .env("CONVOKE_STATE", platform.state())
        .env("CONVOKE_NETCONF", platform.address())
        .current_dir(platform.state())
        .output();
    let typed = within("the commands of the page", commands).await.unwrap();
    // Some answers end their line, some do not.
    let said = String::from_utf8(typed.stdout)
        .unwrap()
        .replace("\n\n---", "\n---");
    let complaint = String::from_utf8_lossy(&typed.stderr);
    assert!(typed.status.success(), "{complaint}");
    assert_eq!(expected.matches("---").count(), answers, "{expected}");
    assert!(fits(&expected, &said), "expected\n{expected}\nsaid\n{said}");
}

async fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--help").stdin(Stdio::null());
    command.output().await.is_ok()
}

/// The fenced blocks of a page, with their kind.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    for (place, part) in page.split("```").enumerate() {
        if let (1, Some((kind, text))) = (place % 2, part.split_once('\n')) {
            blocks.push((kind, text.to_owned()));
        }
    }
    blocks
}

/// True if the text matches, with `*` for anything.
fn fits(expected: &str, text: &str) -> bool {
    let mut pieces = expected.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    for piece in pieces {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.is_empty()
}
