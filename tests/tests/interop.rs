//! Foreign NETCONF clients as referees: each talks to a running platform with a key, over SSH.
//!
//! The Python ones are driven by scripts in `../interop`, which report facts; the expectations are
//! here. Then the examples, run as a user would. A client that is not installed fails its test with
//! a reference to `make setup`; only `yangcli`, which not every distribution has, can be skipped,
//! with `CONVOKE_SKIP_YANGCLI=1`. Read next: `support`.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod support;

use netconf_rs::Connection;
use netconf_rs::transport::Transport;
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use support::block_on;
use support::foreign::{console, example, finish, python, root};
use support::process::{Finished, Running};
use tokio::process::Command;

const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
const REGISTRY: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";
const IP: &str = "TMF-Convoke-IP-1.0.0";

/// The names of the shipped agents, in roster order, as in their profiles.
fn agents() -> Vec<&'static str> {
    let name = |role: &agents::roster::RosterRole| {
        let mut lines = role.profile.lines();
        let line = lines.find(|l| l.starts_with("name = ")).unwrap();
        line.split('"').nth(1).unwrap()
    };
    agents::roster::ROSTER.iter().map(name).collect()
}

// --- Python clients ---------------------------------------------------------------------------

#[test]
fn ncclient_reads_locks_negotiates_and_subscribes() {
    with_platform(async |running| {
        let facts = script("ncclient_session.py", &running).await;
        assert_eq!(facts["chunked"], true);
        assert_eq!(facts["by_subtree"], json!(agents()));
        assert_eq!(facts["by_xpath"], json!(["IP"]));
        assert_eq!(facts["config"], json!(["nacm"]));
        assert_eq!(
            facts["enable_nacm_trimmed"],
            json!([]),
            "true is the default"
        );
        assert!(facts["schemas"]["served"].as_u64() > Some(15), "{facts}");
        assert_eq!(facts["schemas"]["wrong"], json!([]));
        assert_eq!(facts["schemas"]["unserved"], json!([]));
        let modules = facts["modules"].as_array().unwrap();
        assert!(modules.contains(&json!("irtf-agent")), "{modules:?}");

        assert_eq!(facts["locked"]["tag"], "lock-denied");
        // RFC 6241 §7.5: what is not locked cannot be unlocked.
        assert_eq!(facts["unlocked"]["tag"], "operation-failed");
        assert_eq!(facts["refused_write"]["tag"], "operation-not-supported");
        let bad = &facts["bad_verb"];
        assert_eq!(bad["tag"], "invalid-value");
        assert_eq!(bad["severity"], "error");
        assert!(
            bad["path"].as_str().unwrap().ends_with("commuType"),
            "{bad}"
        );
        assert!(
            bad["message"].as_str().unwrap().contains("taskAssgin"),
            "{bad}"
        );

        let waits = json!({ "verdict": "input-required", "task-id": "interop-1", "task-status": "input-required" });
        assert_eq!(facts["assigned"], waits);
        assert_eq!(facts["query"]["task-status"], "input-required");
        assert_eq!(facts["cancelled"]["task-status"], "cancelled");
        let told = ["created", "input-required", "cancelled"].map(|status| ["interop-1", status]);
        assert_eq!(facts["told"], json!(told), "the filter lets one task pass");
    });
}

#[test]
fn netconf_client_pipelines_in_chunks() {
    with_platform(async |running| {
        let facts = script("netconf_client_session.py", &running).await;
        let expected = json!({
            "mode": "1.1", "agents": agents().len().to_string(), "config": true,
            "names": agents().len(), "pipelined": 100,
            "refused_write": "operation-not-supported",
        });
        assert_eq!(facts, expected);
    });
}

#[test]
fn netconf_console_says_hello_gets_and_calls() {
    with_platform(async |running| {
        let asked = async |arguments: &[&str], stdin: &str| {
            let mut command = console(&running);
            command.args(arguments);
            finish(command, stdin).await
        };
        let hello = asked(&["--hello"], "").await.well().stdout;
        for capability in ["base:1.1<", "module=irtf-agent&amp;", "notification:1.0<"] {
            assert!(hello.contains(capability), "{capability}: {hello}");
        }
        let ns = format!("r={REGISTRY}");
        let get = ["--ns", &ns, "--get", "/r:registry/r:statistics/r:agents"];
        let got = asked(&get, "").await.well().stdout;
        assert!(
            got.contains(&format!("<agents>{}</agents>", agents().len()))
                && !got.contains("<tasks>"),
            "{got}"
        );

        let rpc = "<task-negotiate xmlns='urn:ietf:params:xml:ns:yang:irtf-agent'>\
                   <commuType>CapabilityRequest</commuType></task-negotiate>";
        let called = asked(&["--rpc", "-"], rpc).await.well().stdout;
        assert!(called.contains("<verdict>result</verdict>"), "{called}");
        let refused = asked(&["--rpc", "-"], "<nonsense xmlns='urn:x'/>").await;
        assert_ne!(refused.code, 0);
        assert!(
            refused.stdout.contains("operation-not-supported"),
            "{}",
            refused.stdout
        );
    });
}

// --- yangcli ----------------------------------------------------------------------------------

#[test]
fn yangcli_learns_the_model_from_the_server_and_uses_it() {
    let installed = std::process::Command::new("yangcli")
        .arg("--version")
        .output();
    if installed.is_err() && std::env::var("CONVOKE_SKIP_YANGCLI").as_deref() == Ok("1") {
        eprintln!("NOT TESTED: yangcli, which is not installed (CONVOKE_SKIP_YANGCLI=1)");
        return;
    }
    with_platform(async |running| {
        // It fetches the modules that hello announces, but wants those with deviations at hand.
        let folder = running.state().join("yang");
        std::fs::create_dir(&folder).unwrap();
        let deviations = schema(&running, "convoke-deviations").await;
        std::fs::write(folder.join("convoke-deviations.yang"), deviations).unwrap();
        let yangcli = async |line: &str| {
            let key = running.operator().key;
            let mut command = Command::new("yangcli");
            // Where it unpacks what it has fetched.
            command.env("HOME", running.state()).env_remove("YUMA_HOME");
            command.args([
                "--server=127.0.0.1",
                "--user=operator",
                "--batch-mode",
                "--protocols=netconf1.1",
            ]);
            command.arg(format!("--ncport={}", running.port()));
            command.arg(format!("--private-key={}", key.display()));
            command.arg(format!("--public-key={}.pub", key.display()));
            command.arg(format!(
                "--modpath={}:/usr/share/yuma/modules/",
                folder.display()
            ));
            command.arg(format!("--run-command={line}"));
            finish(command, "").await.well().stdout
        };
        let got = yangcli("sget /agent").await;
        for line in [
            "Protocol version set to: RFC 6241 (base:1.1)",
            "skill fault-management {",
        ] {
            assert!(got.contains(line), "{line}: {got}");
        }
        // The command exists only because it has compiled irtf-agent.
        let negotiated = yangcli("task-negotiate commuType=CapabilityRequest").await;
        assert!(negotiated.contains("verdict result"), "{negotiated}");
        let refused = yangcli("kill-session session-id=999999").await;
        assert!(refused.contains("error-tag invalid-value"), "{refused}");
        let locked = yangcli("lock target=running").await;
        assert!(locked.contains("RPC OK Reply"), "{locked}");
    });
}

// --- OpenSSH, and netconf-rs above it -----------------------------------------------------------

#[test]
fn openssh_carries_a_conversation_in_base_1_0() {
    with_platform(async |running| {
        let messages = [
            format!(
                "<hello xmlns=\"{BASE}\"><capabilities><capability>urn:ietf:params:netconf:base:1.0</capability></capabilities></hello>"
            ),
            format!(
                "<rpc message-id=\"1\" xmlns=\"{BASE}\"><get><filter type=\"subtree\"><registry xmlns=\"{REGISTRY}\"><statistics/></registry></filter></get></rpc>"
            ),
            format!("<rpc message-id=\"2\" xmlns=\"{BASE}\"><close-session/></rpc>"),
        ];
        let conversation = messages.map(|message| message + "]]>]]>").concat();
        let mut command = Command::new("ssh");
        command.args(ssh_arguments(&running));
        let finished = finish(command, &conversation).await.well();
        let replies: Vec<&str> = finished.stdout.split_terminator("]]>]]>").collect();
        let [hello, data, ok] = replies[..] else {
            panic!("three messages: {}", finished.stdout);
        };
        assert!(hello.contains("<session-id>"), "{hello}");
        assert!(
            data.contains("message-id=\"1\"")
                && data.contains(&format!("<agents>{}</agents>", agents().len())),
            "{data}"
        );
        assert!(
            ok.contains("message-id=\"2\"") && ok.contains("<ok/>"),
            "{ok}"
        );
    });
}

#[test]
fn netconf_rs_pads_its_hello_and_is_understood() {
    with_platform(async |running| {
        let transport = OverSsh::connect(&running);
        let blocking = tokio::task::spawn_blocking(move || {
            let mut shared = transport.clone();
            // Its hello pads the capability with white space and ends with an empty message.
            let mut connection = Connection::new(transport).unwrap();
            let config = connection.get_config().unwrap();
            assert!(
                config.contains("message-id=\"100\"") && config.contains("<nacm"),
                "{config}"
            );

            let mut call = |operation: &str| {
                let rpc = format!("<rpc message-id=\"7\" xmlns=\"{BASE}\">{operation}</rpc>");
                shared.write_xml(&rpc).unwrap();
                shared.read_xml()
            };
            let get = format!(
                "<get><filter><registry xmlns=\"{REGISTRY}\"><agent><name>{IP}</name><domain/></agent></registry></filter></get>"
            );
            let agent = call(&get).unwrap();
            assert!(agent.contains("<domain>IP</domain>"), "{agent}");
            assert!(call("<close-session/>").unwrap().contains("<ok/>"));
            let end = shared.read_xml().unwrap_err();
            assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
        });
        blocking.await.unwrap();
    });
}

/// A key-authenticated SSH connection as required by netconf-rs; clones share it.
#[derive(Clone)]
struct OverSsh(Arc<Mutex<Pipes>>);

struct Pipes {
    child: std::process::Child,
    buffer: Vec<u8>,
}

impl Drop for Pipes {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl OverSsh {
    fn connect(running: &Running) -> Self {
        // It blocks, so that something else must end it if the server is silent.
        let mut command = std::process::Command::new("timeout");
        command.arg("60").arg("ssh").args(ssh_arguments(running));
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let buffer = Vec::new();
        Self(Arc::new(Mutex::new(Pipes { child, buffer })))
    }
}

impl Transport for OverSsh {
    fn read_xml(&mut self) -> io::Result<String> {
        const END: &[u8] = b"]]>]]>";
        let Pipes { child, buffer } = &mut *self.0.lock().unwrap();
        let mut part = [0; 4_096];
        loop {
            if let Some(end) = buffer.windows(END.len()).position(|window| window == END) {
                let message = buffer.drain(..end + END.len()).take(end).collect();
                return String::from_utf8(message).map_err(io::Error::other);
            }
            match child.stdout.as_mut().unwrap().read(&mut part)? {
                // The transport that netconf-rs brings would wait for ever here.
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => buffer.extend(&part[..read]),
            }
        }
    }

    fn write_xml(&mut self, data: &str) -> io::Result<()> {
        let stdin = &mut self.0.lock().unwrap().child.stdin;
        let stdin = stdin.as_mut().unwrap();
        write!(stdin, "{}]]>]]>", data.trim())?;
        stdin.flush()
    }
}

fn ssh_arguments(running: &Running) -> Vec<String> {
    let known = running.state().join("known_hosts");
    let key = running.operator().key;
    let mut arguments: Vec<String> = ["-F", "/dev/null", "-T", "-p", running.port()]
        .map(String::from)
        .into();
    for option in [
        "BatchMode=yes".to_owned(),
        "IdentitiesOnly=yes".to_owned(),
        "StrictHostKeyChecking=yes".to_owned(),
        format!("IdentityFile={}", key.display()),
        format!("UserKnownHostsFile={}", known.display()),
    ] {
        arguments.extend(["-o".to_owned(), option]);
    }
    arguments.extend(["operator@127.0.0.1", "-s", "netconf"].map(String::from));
    arguments
}

// --- The examples -----------------------------------------------------------------------------

#[test]
fn the_example_reads_the_agents() {
    with_platform(async |running| {
        let printed = example("read_agents.py", &running, &[]).await.well().stdout;
        let rows: Vec<Vec<&str>> = printed
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
        assert_eq!(names, agents(), "{printed}");
        let listeners = running.ready["listeners"].as_array().unwrap();
        let endpoints = listeners[1..]
            .iter()
            .filter(|l| l["agent"].is_string())
            .map(|l| l["address"].as_str().unwrap());
        let printed: Vec<&str> = rows.iter().map(|row| row[row.len() - 1]).collect();
        assert_eq!(printed, endpoints.collect::<Vec<_>>());
    });
}

#[test]
fn the_example_of_an_oss_finds_what_is_broken() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let card = "card:Flensburg/2";
        let fault = format!("card-failure:{card}");
        let story = [
            "demo", "fault", "--stay", "--seed", "1", "--speed", "300", "--fault", &fault,
        ];
        let running = Running::start(state.path(), &story).await;
        let lines = example("oss_fault_workflow.py", &running, &["--wait", "120"])
            .await
            .well()
            .json();
        let told = |event: &str| {
            lines
                .iter()
                .filter(|l| l["event"] == event)
                .collect::<Vec<_>>()
        };
        let heard: Vec<&str> = told("agent")
            .iter()
            .map(|l| l["name"].as_str().unwrap())
            .collect();
        assert_eq!(heard, agents()[..6]);
        assert!(told("outage")[0]["sites"].as_array().unwrap().len() >= 2);
        for asked in ["feasibility", "assigned"] {
            assert_eq!(told(asked)[0]["verdict"], "accepted");
            assert_eq!(told(asked)[0]["agent"], IP);
        }
        let statuses: Vec<&str> = told("progress")
            .iter()
            .map(|l| l["status"].as_str().unwrap())
            .collect();
        assert_eq!(statuses.first(), Some(&"created"));
        assert_eq!(statuses.last(), Some(&"finished"));
        let [result] = told("result")[..] else {
            panic!("one result: {lines:#?}");
        };
        assert_eq!(result["status"], "finished");
        assert_eq!(result["confirmed"], true);
        assert_eq!(
            (&result["root_cause"], &result["cause"]),
            (&json!(card), &json!("card-failure"))
        );
        assert!(!result["evidence"].as_array().unwrap().is_empty());
        assert_eq!(
            result["automatic"], false,
            "a card is not replaced from afar"
        );
        let [ticket] = told("ticket")[..] else {
            panic!("one ticket: {lines:#?}");
        };
        assert_eq!(
            (&ticket["verdict"], &ticket["element"]),
            (&json!("accepted"), &json!(card))
        );
        let [decision] = told("decision")[..] else {
            panic!("one decision: {lines:#?}");
        };
        assert_eq!(decision["judgement"], "accept");
        assert_eq!(decision["element"], card);
    });
}

#[test]
fn the_example_of_an_oss_says_why_there_is_no_result() {
    with_platform(async |running| {
        let calm = example("oss_fault_workflow.py", &running, &["--wait", "0.5"]).await;
        assert_eq!(last_event(&calm.with_code(1))["event"], "error");
        let unknown = ["--element", "link:Nowhere-Elsewhere"];
        let refused = example("oss_fault_workflow.py", &running, &unknown)
            .await
            .with_code(3);
        let message = last_event(&refused)["message"].to_string();
        assert!(message.contains("link:Nowhere-Elsewhere"), "{message}");
        // The host key is looked at before anything is said.
        std::fs::write(running.state().join("others"), "").unwrap();
        let others = running.state().join("others").display().to_string();
        let stranger = ["--known-hosts", &others];
        example("oss_fault_workflow.py", &running, &stranger)
            .await
            .with_code(4);
    });
}

fn last_event(finished: &Finished) -> Value {
    finished.json().pop().unwrap()
}

// --- Running things ---------------------------------------------------------------------------

/// Runs a test against a platform of its own, without network.
fn with_platform(test: impl AsyncFnOnce(Running)) {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        test(running).await;
    });
}

/// An auditor of SSH servers reports no failure, no vulnerability and no recommendation, and its
/// flood of half-open connections (DHEat, CVE-2002-20001) is throttled. Its warnings concern key
/// exchange without a post-quantum part and a MAC over plaintext, both offered with low preference
/// for older clients.
#[test]
fn an_auditor_of_ssh_finds_nothing_that_fails() {
    with_platform(async |running| {
        let mut command = python("ssh-audit");
        command.args(["--json", "--port", running.port(), "127.0.0.1"]);
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

/// Runs a script of `../interop` and reads the facts it prints.
async fn script(name: &str, running: &Running) -> Value {
    let mut command = python("python3");
    command
        .arg(root().join("tests/interop").join(name))
        .arg(running.port());
    command.arg(&running.operator().key);
    let finished = finish(command, "").await.well();
    serde_json::from_str(&finished.stdout).unwrap()
}

/// The text of a module, by `get-schema`.
async fn schema(running: &Running, module: &str) -> String {
    let mut client = server::client::Client::connect(running.address(), &running.operator())
        .await
        .unwrap();
    let monitoring = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";
    let rpc = format!(
        "<get-schema xmlns=\"{monitoring}\"><identifier>{module}</identifier></get-schema>"
    );
    let reply = client.call(&rpc).await.unwrap();
    support::talk::text(&reply.document, "data")
}
