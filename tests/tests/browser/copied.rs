//! What the page offers to be copied does what the page would have done: the same assignment by curl, by ncclient and in
//! A2A, each run as it was copied, with words that quote in none of them.
//!
//! curl is with every system, ncclient with `make setup`. Read next: `console/src/Frames.svelte`, `console/src/frame.ts`,
//! `console/src/a2a.ts`.

use super::chromium::{Browser, DESK, Looks};
use super::play::{fill, signed_in, visit};
use super::support::block_on;
use super::support::foreign::python;
use super::support::process::{Running, run};
use super::support::within;
use serde_json::{Value, json};
use std::process::Output;
use tokio::process::Command;

const IP: &str = "TMF-Convoke-IP-1.0.0";

/// What ends a text, begins another or is filled in, in shells, Python, JSON or XML.
const WORDS: &str = r#"it's "so": \n $HOME `id` $(id) & <b> ]]> """ ''' {0} %s 光缆 \"#;

#[test]
fn what_is_copied_does_what_the_page_would_have_done() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let state = tempfile::tempdir().unwrap();
    let serve = ["serve", "--network", "Polska", "--sites", "12"];
    let running = block_on(Running::start(state.path(), &serve));
    let token = block_on(async { run(running.state(), &["token", "issue"]).await.well() });
    let token = token.stdout.trim();
    signed_in(&mut browser, &running, "operator");

    let mut copied = |client: &str| {
        let text = copied(&mut browser, &running, client);
        // Nothing was sent so far: neither by the page, nor by the copy before.
        (
            text,
            browser
                .posted()
                .iter()
                .any(|it| it.contains("task-negotiate")),
        )
    };
    let mut assigned = Vec::new();
    for client in ["curl", "A2A"] {
        let (text, is_sent) = copied(client);
        assert!(!is_sent, "{client}");
        assert!(!text.contains(token), "no secret is copied");
        let mut shell = Command::new("sh");
        let told = ran(shell.args(["-c", &text]).env("TOKEN", token));
        let told: Value = serde_json::from_str(&told).unwrap_or_else(|e| panic!("{e}: {told}"));
        let name = match client {
            "curl" => &told["irtf-agent:output"]["data"]["convoke-negotiation:reply"]["task-id"],
            _ => &told["result"]["task"]["id"],
        };
        assigned.push(name.as_str().unwrap_or_else(|| panic!("{told}")).to_owned());
    }
    let (text, is_sent) = copied("ncclient");
    assert!(!is_sent, "ncclient");
    let mut program = python("python3");
    let program = program.args(["-c", &text]);
    let program = program.env("CONVOKE_NETCONF", running.address());
    let told = ran(program.env("CONVOKE_STATE", running.state()));
    let name = told
        .split_once("<task-id")
        .and_then(|(_, rest)| rest.split_once('>'));
    let name = name
        .and_then(|(_, rest)| rest.split_once('<'))
        .map(|(name, _)| name);
    assigned.push(name.unwrap_or_else(|| panic!("{told}")).to_owned());

    let contents = assigned.iter().map(|task| {
        let show = ["task", "show", task, "--json"];
        let told = block_on(async { running.client(&show).await.well().json() });
        let task = &told[0]["task"];
        assert_eq!(task["task-sendFrom"], "operator", "{task}");
        assert_eq!(task["task-sendTo"], IP, "{task}");
        assert_eq!(task["type"], "fault_diagnosis", "{task}");
        task["content"]
            .as_str()
            .unwrap_or_else(|| panic!("{task}"))
            .to_owned()
    });
    let contents: Vec<String> = contents.collect();
    assert!(contents[0].contains(WORDS), "{contents:?}");
    assert!(contents[0].contains("router:Warsaw"), "{contents:?}");
    assert_eq!(
        contents[0], contents[2],
        "over NETCONF the same as over RESTCONF"
    );
    for said in [WORDS, "router:Warsaw", "fault_diagnosis_v1"] {
        assert!(contents[1].contains(said), "{said}: {}", contents[1]);
    }
    let mut names = assigned.clone();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 3, "{assigned:?}");
}

/// What is copied of a form that is filled in, for a client.
fn copied(browser: &mut Browser, running: &Running, client: &str) -> String {
    visit(browser, running, &format!("assign/{IP}"), DESK);
    browser.wait("document.querySelector('#scenario option[value=fault_diagnosis]')");
    fill(browser, "#scenario", "fault_diagnosis");
    fill(browser, "#field-target", "router:Warsaw");
    fill(browser, "#field-description", WORDS);
    // A browser without a screen may have no clipboard.
    browser.look(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { window.copied = text; } } }) && 1",
    );
    let frames = "all('.assign .frames').at(-1)";
    browser.look(&format!("{frames}.querySelector('summary').click()"));
    let text = format!("{frames}.querySelector('pre[aria-label={client}]')");
    browser.wait(&format!("{text}?.textContent.includes('router:Warsaw')"));
    browser.look(&format!(
        "{text}.previousElementSibling.querySelector('button').click()"
    ));
    browser.wait("window.copied");
    let copied = browser.text("window.copied");
    assert_eq!(json!(copied), browser.look(&format!("{text}.textContent")));
    copied
}

/// What a program prints that ends well.
#[track_caller]
fn ran(program: &mut Command) -> String {
    let ended = block_on(async {
        let ended = program.kill_on_drop(true).output();
        within("what was copied", ended).await
    });
    let Output {
        status,
        stdout,
        stderr,
    } = ended.expect("the program is installed");
    let told = String::from_utf8_lossy(&stdout).into_owned();
    assert!(
        status.success(),
        "{told}\n{}",
        String::from_utf8_lossy(&stderr)
    );
    told
}
