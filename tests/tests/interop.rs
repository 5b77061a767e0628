//! Foreign NETCONF clients at a platform that is one process, and the examples.
//!
//! What each does and is to be told is in `foreign/netconf.rs`; at several nodes, in `foreign_nodes.rs`. A client that is not
//! installed fails its test with a reference to `make setup`; only `yangcli`, which not every distribution has, can be
//! skipped, with `CONVOKE_SKIP_YANGCLI=1`. Read next: `support`.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "foreign/netconf.rs"]
mod clients;
mod support;

use serde_json::{Value, json};
use support::block_on;
use support::entrance::Entrance;
use support::foreign::{example, finish, python};
use support::process::{Finished, Running};

#[test]
fn ncclient_reads_locks_negotiates_and_subscribes() {
    with_platform(clients::ncclient_reads_locks_negotiates_and_subscribes);
}

#[test]
fn netconf_client_pipelines_in_chunks() {
    with_platform(clients::netconf_client_pipelines_in_chunks);
}

#[test]
fn netconf_console_says_hello_gets_and_calls() {
    with_platform(clients::netconf_console_says_hello_gets_and_calls);
}

#[test]
fn yangcli_learns_the_model_from_the_server_and_uses_it() {
    with_platform(clients::yangcli_learns_the_model_from_the_server_and_uses_it);
}

#[test]
fn openssh_carries_a_conversation_in_base_1_0() {
    with_platform(clients::openssh_carries_a_conversation_in_base_1_0);
}

#[test]
fn netconf_rs_pads_its_hello_and_is_understood() {
    with_platform(clients::netconf_rs_pads_its_hello_and_is_understood);
}

#[test]
fn the_example_reads_the_agents() {
    with_platform(clients::the_example_reads_the_agents);
}

#[test]
fn the_example_of_an_oss_finds_what_is_broken() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let broken = ("card-failure", "card:Flensburg/2");
        let fault = format!("{}:{}", broken.0, broken.1);
        let story = [
            "demo", "fault", "--stay", "--seed", "1", "--speed", "300", "--fault", &fault,
        ];
        let running = Running::start(state.path(), &story).await;
        clients::the_example_of_an_oss_finds_what_is_broken(&running, broken).await;
    });
}

#[test]
fn the_example_of_an_oss_says_why_there_is_no_result() {
    with_platform(async |platform| {
        let calm = example("oss_fault_workflow.py", platform, &["--wait", "0.5"]).await;
        assert_eq!(last_event(&calm.with_code(1))["event"], "error");
        let unknown = ["--element", "link:Nowhere-Elsewhere"];
        let refused = example("oss_fault_workflow.py", platform, &unknown)
            .await
            .with_code(3);
        let message = last_event(&refused)["message"].to_string();
        assert!(message.contains("link:Nowhere-Elsewhere"), "{message}");
        // The host key is looked at before anything is said.
        std::fs::write(platform.state().join("others"), "").unwrap();
        let others = platform.state().join("others").display().to_string();
        let stranger = ["--known-hosts", &others];
        example("oss_fault_workflow.py", platform, &stranger)
            .await
            .with_code(4);
    });
}

fn last_event(finished: &Finished) -> Value {
    finished.json().pop().unwrap()
}

/// An auditor of SSH servers reports no failure, no vulnerability and no recommendation, and its
/// flood of half-open connections (DHEat, CVE-2002-20001) is throttled. Its warnings concern key
/// exchange without a post-quantum part and a MAC over plaintext, both offered with low preference
/// for older clients.
#[test]
fn an_auditor_of_ssh_finds_nothing_that_fails() {
    with_platform(async |platform| {
        let mut command = python("ssh-audit");
        command.args(["--json", "--port", platform.port(), "127.0.0.1"]);
        let audited = finish(command, "").await;
        let report: Value = serde_json::from_str(&audited.stdout).unwrap();
        let noted = |level: &str| -> Vec<&str> {
            let lists = ["kex", "key", "enc", "mac"].map(|list| report[list].as_array().unwrap());
            let noted = lists.into_iter().flatten();
            let noted = noted.filter(|it| !it["notes"][level].is_null());
            noted.map(|it| it["algorithm"].as_str().unwrap()).collect()
        };
        let none: [&str; 0] = [];
        assert_eq!(noted("fail"), none, "{report:#}");
        let warned = [
            "curve25519-sha256",
            "curve25519-sha256@libssh.org",
            "hmac-sha2-256",
        ];
        assert_eq!(noted("warn"), warned, "{report:#}");
        assert_eq!(report["kex"][0]["algorithm"], "mlkem768x25519-sha256");
        assert_eq!(report["cves"], json!([]));
        assert_eq!(report["recommendations"], json!({}));
        let notes = report["additional_notes"].as_array().unwrap();
        let flooded = notes.iter().any(|note| note.to_string().contains("DHEat"));
        assert!(!flooded, "{notes:#?}");
    });
}

/// Runs a test against a platform of its own, without network.
fn with_platform(test: impl AsyncFnOnce(&Entrance)) {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        test(&running).await;
    });
}
