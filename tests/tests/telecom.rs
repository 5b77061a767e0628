//! A2A-T of the real command: the SDK of telecom peers, another platform, and the page. The meaning
//! of each message is in `crates/bindings/tests/a2a/telecom.rs`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "foreign/telecom.rs"]
mod clients;
mod support;

use clients::ENERGY;
use serde_json::{Value, json};
use support::process::{Running, binary, run};
use support::{block_on, page, within};

#[test]
fn the_sdk_of_a2a_t_is_served() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        // Energy is reported on hours of the network's time after it is saved.
        let serve = [
            "serve",
            "--network",
            "Polska",
            "--sites",
            "12",
            "--speed",
            "100",
        ];
        let running = Running::start(state.path(), &serve).await;
        let breaks = json!([
            binary(),
            "fault",
            "inject",
            "router-failure:Lodz",
            "--state",
            running.state(),
            "--netconf",
            running.address()
        ]);
        clients::the_sdk_of_a2a_t_is_served(&running, &breaks).await;
    });
}

/// The page `docs/a2a-t.md`: every command is run, every answer compared.
#[test]
fn every_command_of_the_page_holds() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve_on(state.path(), "Germany50").await;
        page::holds("a2a-t.md", &running, 3).await;
    });
}

/// The feasibility of a task at an external agent is negotiated in A2A-T, and the agreement is
/// assigned under that negotiation and ended there.
#[test]
fn a_telecom_agent_is_asked_before_it_is_told() {
    block_on(async {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let network = ["serve", "--network", "Polska", "--sites", "12"];
        let far = Running::start(there.path(), &network).await;
        let address = far.http();
        let settings = format!("[a2a.peers]\nallow-private = ['http://{address}']\n");
        std::fs::write(here.path().join("convoke.toml"), settings).unwrap();
        let token = run(far.state(), &["token", "issue"]).await.well().stdout;
        std::fs::create_dir_all(here.path().join("peers")).unwrap();
        std::fs::write(here.path().join("peers/far.token"), token).unwrap();
        let running = Running::serve(here.path()).await;
        let url = format!("http://{address}/agents/TMF-Convoke-Energy-1.0.0");
        let register = ["agent", "register", "--a2a", &url, "--name", "far"];
        running.client(&register).await.well();

        let payload = json!({"schema_id": ENERGY,
            "payload": {"area": "Warsaw", "saving_target_percent": 20}})
        .to_string();
        let offer = format!(
            "## target object\nWarsaw\n## task description\nSave energy\n## structured payload\n{payload}\n"
        );
        let file = here.path().join("offer.txt");
        std::fs::write(&file, offer).unwrap();
        let file = file.to_str().unwrap();
        let ask = [
            "task",
            "negotiate",
            "save-1",
            "--to",
            "far",
            "--content",
            file,
        ];
        let answered = running.client(&ask).await.well().stdout;
        assert!(
            answered.contains("task save-1: accepted (round 1)"),
            "{answered}"
        );

        let assign = [
            "task",
            "assign",
            "far",
            "Warsaw",
            "Save energy",
            "--id",
            "save-1",
            "--async",
            "--payload",
        ];
        running
            .client(&[&assign[..], &[&payload]].concat())
            .await
            .well();
        let stands = |status: &'static str| {
            let (running, far) = (&running, &far);
            async move {
                let wanted = format!(r#""task-status":"{status}""#);
                loop {
                    let shown = running
                        .client(&["task", "show", "save-1", "--json"])
                        .await
                        .well();
                    let listed = far
                        .client(&["task", "list", "--json", "--party", "operator"])
                        .await
                        .well();
                    if shown.stdout.contains(&wanted) && listed.stdout.contains(&wanted) {
                        return listed.stdout;
                    }
                }
            }
        };
        let listed = within("the task at work on both sides", stands("processing")).await;
        let listed: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
        let id = listed["task"]["task-id"].as_str().unwrap();
        let said = far.client(&["task", "context", id]).await.well().stdout;
        assert!(said.contains("FeasibilityNegotiate"), "{said}");
        running.client(&["task", "cancel", "save-1"]).await.well();
        within("the task cancelled on both sides", stands("cancelled")).await;
    });
}
