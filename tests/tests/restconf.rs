//! RESTCONF of the real command: the page of the documentation, and clients that were not written here.
//! The answers in all cases are tested in `crates/server/tests/restconf`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "foreign/restconf.rs"]
mod clients;
mod support;

use support::process::{Running, run};
use support::{block_on, http, page};

#[test]
fn what_comes_is_what_the_modules_say() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve_on(state.path(), "Polska").await;
        clients::what_comes_is_what_the_modules_say(&running).await;
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

/// The network is read and acted on over HTTP as at the NETCONF endpoints of its management systems.
#[test]
fn each_management_system_has_an_api_resource_of_its_own() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        // A measurement takes the network a minute.
        let serve = ["serve", "--network", "Polska", "--speed", "100"];
        let running = Running::start(state.path(), &serve).await;
        let token = run(state.path(), &["token", "issue"]).await.well().stdout;
        let token = Some(token.trim_end());
        let get = async |path: &str| http::get(running.http(), path, token).await;
        let networks = "restconf/data/ietf-network:networks";
        let found = get(&format!("/ems/ip/{networks}")).await;
        assert_eq!(found.status, 200);
        assert!(found.body.contains("\"network:ip\""), "{}", found.body);
        // Each offers its own.
        for (system, own) in [("wireless", true), ("ip", false)] {
            let offered = get(&format!("/ems/{system}/restconf/operations")).await;
            let sets_power = offered.body.contains("convoke-ems:set-power");
            assert_eq!(sets_power, own, "{system}: {}", offered.body);
        }

        let call = async |root: &str, rpc: &str, input: &str| {
            let path = format!("{root}/restconf/operations/{rpc}");
            let json = [("content-type", "application/yang-data+json")];
            http::ask(running.http(), "POST", &path, token, &json, input).await
        };
        let probe = r#"{"convoke-ems:input":{"element":"router:Bialystok"}}"#;
        let measured = call("/ems/ip", "convoke-ems:probe", probe).await;
        assert_eq!(measured.status, 200, "{}", measured.body);
        let condition = &measured.json()["convoke-ems:output"]["condition"];
        assert_eq!(condition, "good", "{}", measured.body);
        // What another endpoint offers is not offered here.
        for (root, rpc) in [
            ("", "convoke-ems:probe"),
            ("/ems/customer", "convoke-ems:probe"),
            ("/ems/ip", "convoke-registry:get-tasks"),
        ] {
            let refused = call(root, rpc, probe).await;
            assert_eq!(refused.status, 501, "{root} {rpc}: {}", refused.body);
        }

        let replay = "start-time=2020-01-01T00:00:00Z&stop-time=2020-01-02T00:00:00Z";
        let told = get(&format!("/ems/ip/restconf/streams/NETCONF?{replay}")).await;
        assert!(told.body.contains("notificationComplete"), "{}", told.body);
        let state = "restconf/data/ietf-restconf-monitoring:restconf-state";
        let state = get(&format!("/ems/ip/{state}")).await;
        let stream = "/ems/ip/restconf/streams/NETCONF/json\"";
        assert!(state.body.contains(stream), "{}", state.body);
        assert_eq!(get("/ems/fixed/restconf/data").await.status, 404);
        let nobody = http::get(running.http(), "/ems/ip/restconf/data", None).await;
        assert_eq!(nobody.status, 401);
    });
}

#[test]
fn without_a_network_there_is_no_management_system() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let token = run(state.path(), &["token", "issue"]).await.well().stdout;
        let path = "/ems/ip/restconf/data";
        let asked = http::get(running.http(), path, Some(token.trim_end())).await;
        assert_eq!(asked.status, 404);
    });
}
