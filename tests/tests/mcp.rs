//! MCP of the real command: tools and resources as seen by the official SDK, and the process as
//! seen by its parent. The construction of names, results and URIs is tested in `crates/convoke`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "foreign/mcp.rs"]
mod clients;
mod support;

use serde_json::json;
use std::process::Stdio;
use support::process::{Running, binary, run};
use support::{block_on, page, within};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// A platform with a network without events, in which a diagnosis takes seconds.
async fn platform(state: &std::path::Path) -> Running {
    let network = ["--network", "Polska", "--sites", "12"];
    let serve = [&["serve"][..], &network, &["--speed", "100"]];
    Running::start(state, &serve.concat()).await
}

#[test]
fn the_official_python_sdk_is_served() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = platform(state.path()).await;
        clients::the_official_python_sdk_is_served(&running).await;
    });
}

/// Only the protocol is on standard output; the process ends with its input, with the exit codes of
/// all commands.
#[test]
fn the_process_ends_as_commands_do() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let ended = running.client(&["mcp"]).await.well();
        assert_eq!(ended.stdout, "");
        let nowhere = run(state.path(), &["mcp", "--netconf", "127.0.0.1:1"]).await;
        assert_eq!(nowhere.with_code(4).stdout, "");
        let patience = running.client(&["mcp", "--patience", "0"]).await;
        patience.with_code(2);
    });
}

/// A client that disconnects does not cancel its tasks.
#[test]
fn a_task_goes_on_when_its_assistant_has_gone() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mut process = Command::new(binary());
        process.args(["mcp", "--netconf", running.address(), "--state"]);
        process.arg(running.state()).kill_on_drop(true);
        let piped = process.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = piped.spawn().unwrap();
        let begin = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "1"},
        });
        let standing = json!({"report": "incidents", "domain": "IP"});
        let call = json!({"name": "ip-fault_incident-reporting", "arguments": standing});
        let mut input = process.stdin.take().unwrap();
        for (id, method, params) in [(1, "initialize", begin), (2, "tools/call", call)] {
            let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            let line = format!("{message}\n");
            input.write_all(line.as_bytes()).await.unwrap();
        }
        let open = ["task", "list", "--open", "--party", "operator", "--json"];
        let assigned = async { while running.client(&open).await.well().json().is_empty() {} };
        within("a task", assigned).await;
        drop(input);
        let ended = within("the end", process.wait_with_output()).await.unwrap();
        assert!(ended.status.success(), "{ended:?}");
        assert_eq!(running.client(&open).await.well().json().len(), 1);
    });
}

/// The page `docs/mcp.md`: every command is run, every answer compared.
#[test]
fn every_command_of_the_page_holds() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = platform(state.path()).await;
        page::holds("mcp.md", &running, 1).await;
    });
}
