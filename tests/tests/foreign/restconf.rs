//! Foreign clients of RESTCONF: httpx and yangson. Read next: `../../interop/restconf_session.py`.

use crate::support::entrance::Entrance;
use crate::support::process::{python, run};
use crate::support::within;
use serde_json::{Value, json};
use server::clock::Clock;

/// What yangson says of the datastore: JSON that the modules allow, as they are served.
pub(crate) async fn what_comes_is_what_the_modules_say(platform: &Entrance) {
    let token = run(platform.state(), &["token", "issue"])
        .await
        .well()
        .stdout;
    let mut session = python("tests/interop/restconf_session.py");
    let url = format!("http://{}", platform.http());
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
    for (name, system) in facts["systems"].as_object().unwrap() {
        assert_eq!(system["complaint"], Value::Null, "{name}: {system}");
        let top = system["top"].as_array().unwrap();
        assert!(
            top.contains(&json!("ietf-network:networks")),
            "{name}: {system}"
        );
    }
}
