//! Foreign NETCONF clients as referees, and the examples, run as a user would: each talks to a platform with a key, over SSH.
//!
//! The Python ones are driven by scripts in `../../interop`, which report facts; the expectations are here. Knows nothing of
//! the platform but its entrance. Read next: `interop.rs`.

use crate::support::entrance::Entrance;
use crate::support::foreign::{console, example, finish, python, root};
use crate::support::talk;
use netconf_rs::Connection;
use netconf_rs::transport::Transport;
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
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

// --- Python clients

pub(crate) async fn ncclient_reads_locks_negotiates_and_subscribes(platform: &Entrance) {
    let facts = script("ncclient_session.py", platform).await;
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

    let target = r#"{"suspected_cause":"fibre-cut","target":"link:Warsaw-Poznan"}"#;
    let understood = ["TMF-Convoke-IP-1.0.0", "fault_diagnosis_v1", target];
    assert_eq!(facts["understood"], json!(understood));
    assert_eq!(facts["foreseen"], json!(["0", "scenario-unknown"]));
    let usage = json!({ "condition": ["working"], "waiting": ["0"] });
    assert_eq!(facts["usage"], usage);

    let waits = json!({ "verdict": "input-required", "task-id": "interop-1", "task-status": "input-required" });
    assert_eq!(facts["assigned"], waits);
    assert_eq!(facts["query"]["task-status"], "input-required");
    assert_eq!(facts["cancelled"]["task-status"], "cancelled");
    let told = ["created", "input-required", "cancelled"].map(|status| ["interop-1", status]);
    assert_eq!(facts["told"], json!(told), "the filter lets one task pass");
}

pub(crate) async fn netconf_client_pipelines_in_chunks(platform: &Entrance) {
    let facts = script("netconf_client_session.py", platform).await;
    let expected = json!({
        "mode": "1.1", "agents": agents().len().to_string(), "config": true,
        "names": agents().len(), "pipelined": 100,
        "refused_write": "operation-not-supported",
    });
    assert_eq!(facts, expected);
}

pub(crate) async fn netconf_console_says_hello_gets_and_calls(platform: &Entrance) {
    let asked = async |arguments: &[&str], stdin: &str| {
        let mut command = console(platform);
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
        got.contains(&format!("<agents>{}</agents>", agents().len())) && !got.contains("<tasks>"),
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
}

// --- yangcli

pub(crate) async fn yangcli_learns_the_model_from_the_server_and_uses_it(platform: &Entrance) {
    let installed = std::process::Command::new("yangcli")
        .arg("--version")
        .output();
    if installed.is_err() && std::env::var("CONVOKE_SKIP_YANGCLI").as_deref() == Ok("1") {
        eprintln!("NOT TESTED: yangcli, which is not installed (CONVOKE_SKIP_YANGCLI=1)");
        return;
    }
    // It fetches the modules that hello announces, but wants those with deviations at hand.
    let folder = platform.state().join("yang");
    std::fs::create_dir(&folder).unwrap();
    let deviations = schema(platform, "convoke-deviations").await;
    std::fs::write(folder.join("convoke-deviations.yang"), deviations).unwrap();
    let yangcli = async |line: &str| {
        let key = platform.operator().key;
        let mut command = Command::new("yangcli");
        // Where it unpacks what it has fetched.
        command
            .env("HOME", platform.state())
            .env_remove("YUMA_HOME");
        command.args([
            "--server=127.0.0.1",
            "--user=operator",
            "--batch-mode",
            "--protocols=netconf1.1",
        ]);
        command.arg(format!("--ncport={}", platform.port()));
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
}

// --- OpenSSH, and netconf-rs above it

pub(crate) async fn openssh_carries_a_conversation_in_base_1_0(platform: &Entrance) {
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
    command.args(ssh_arguments(platform));
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
}

pub(crate) async fn netconf_rs_pads_its_hello_and_is_understood(platform: &Entrance) {
    let transport = OverSsh::connect(platform);
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
    fn connect(platform: &Entrance) -> Self {
        // It blocks, so that something else must end it if the server is silent.
        let mut command = std::process::Command::new("timeout");
        command.arg("60").arg("ssh").args(ssh_arguments(platform));
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

fn ssh_arguments(platform: &Entrance) -> Vec<String> {
    let known = platform.state().join("known_hosts");
    let key = platform.operator().key;
    let mut arguments: Vec<String> = ["-F", "/dev/null", "-T", "-p", platform.port()]
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

// --- The examples

pub(crate) async fn the_example_reads_the_agents(platform: &Entrance) {
    let printed = example("read_agents.py", platform, &[]).await.well().stdout;
    let rows: Vec<Vec<&str>> = printed
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(names, agents(), "{printed}");
    let printed: Vec<&str> = rows.iter().map(|row| row[row.len() - 1]).collect();
    assert_eq!(printed, platform.agents());
}

pub(crate) async fn the_example_of_an_oss_finds_what_is_broken(
    platform: &Entrance,
    (cause, element): (&str, &str),
) {
    let lines = example("oss_fault_workflow.py", platform, &["--wait", "120"])
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
    assert_eq!(heard[..6], agents()[..6]);
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
    assert_eq!(result["confirmed"], true, "{lines:#?}");
    assert_eq!(
        (&result["root_cause"], &result["cause"]),
        (&json!(element), &json!(cause))
    );
    assert!(!result["evidence"].as_array().unwrap().is_empty());
    assert_eq!(result["automatic"], false, "nobody replaces it from afar");
    let [ticket] = told("ticket")[..] else {
        panic!("one ticket: {lines:#?}");
    };
    assert_eq!(
        (&ticket["verdict"], &ticket["element"]),
        (&json!("accepted"), &json!(element))
    );
    let [decision] = told("decision")[..] else {
        panic!("one decision: {lines:#?}");
    };
    assert_eq!(decision["judgement"], "accept");
    assert_eq!(decision["element"], element);
}

// --- Running things

/// Runs a script of `../interop` and reads the facts it prints.
async fn script(name: &str, platform: &Entrance) -> Value {
    let mut command = python("python3");
    command
        .arg(root().join("tests/interop").join(name))
        .arg(platform.port());
    command.arg(platform.operator().key);
    let finished = finish(command, "").await.well();
    serde_json::from_str(&finished.stdout).unwrap()
}

/// The text of a module, by `get-schema`.
async fn schema(platform: &Entrance, module: &str) -> String {
    let mut client = server::client::Client::connect(platform.address(), &platform.operator())
        .await
        .unwrap();
    let monitoring = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";
    let rpc = format!(
        "<get-schema xmlns=\"{monitoring}\"><identifier>{module}</identifier></get-schema>"
    );
    let reply = client.call(&rpc).await.unwrap();
    talk::text(&reply.document, "data")
}
