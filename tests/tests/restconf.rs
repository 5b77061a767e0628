//! RESTCONF of the real command: the page of the documentation, and clients that were not written here.
//! The answers in all cases are tested in `crates/server/tests/restconf`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use serde_json::{Value, json};
use server::clock::Clock;
use support::process::{Running, python, run};
use support::{block_on, page, within};

/// What yangson says of the datastore: JSON that the modules allow, as they are served.
#[test]
fn what_comes_is_what_the_modules_say() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve_on(state.path(), "Polska").await;
        let token = run(running.state(), &["token", "issue"])
            .await
            .well()
            .stdout;
        let mut session = python("tests/interop/restconf_session.py");
        let url = format!("http://{}", running.http());
        let now = Clock::wall_time().to_string();
        let session = session.args([url.as_str(), token.trim_end(), now.as_str()]);
        let output = within("the session", session.output()).await.unwrap();
        assert!(output.status.success(), "{output:?}");
        let facts: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(facts["complaint"], Value::Null, "{facts}");
        assert_eq!(facts["root"], "/restconf");
        assert_eq!(facts["type"], "application/yang-data+json");
        let told = |list: &str, name: &str| {
            let told = facts[list].as_array().unwrap();
            assert!(told.contains(&json!(name)), "{name}: {facts}");
        };
        told("top", "convoke-registry:registry");
        told("top", "ietf-restconf-monitoring:restconf-state");
        told("events", "nc-notifications:replayComplete");
        told("events", "nc-notifications:notificationComplete");
    });
}

/// The page `docs/restconf.md`: every command is run, every answer compared.
#[test]
fn every_command_of_the_page_holds() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        page::holds("restconf.md", &running, 5).await;
    });
}
