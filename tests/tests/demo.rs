//! The demo: the `convoke` command, its report, its client commands and exit codes.
//!
//! Runs are deterministic, so that reports can be compared: the same seed gives the same report
//! over SSH and over pipes in memory. The accuracy over many seeds is tested in `story.rs`, without
//! NETCONF. Read next: `support`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use serde_json::{Value, json};
use std::path::Path;
use support::block_on;
use support::process::{FREE_PORTS, Finished, Running, run};

/// Runs `simulate` in memory: the reports, then the summary.
async fn simulate(arguments: &[&str]) -> Vec<Value> {
    let arguments = [&["simulate", "--json"][..], arguments].concat();
    run(Path::new("unused"), &arguments).await.well().json()
}

/// Runs `demo fault` over SSH in a fresh state folder: its report.
async fn demo(arguments: &[&str]) -> Value {
    let state = tempfile::tempdir().unwrap();
    let finished = demo_in(state.path(), arguments).await.well();
    let mut reports = finished.json();
    assert_eq!(reports.len(), 1, "one line: {}", finished.stdout);
    assert_eq!(
        finished.stderr, "",
        "a story that goes well warns of nothing"
    );
    reports.remove(0)
}

async fn demo_in(state: &Path, arguments: &[&str]) -> Finished {
    let fixed = ["demo", "fault", "--json", "--headless"];
    run(state, &[&fixed[..], &FREE_PORTS, arguments].concat()).await
}

/// Asserts the consistency of a report, whether its findings are right or wrong.
#[track_caller]
fn is_consistent(report: &Value) {
    let number = |path: &str| {
        let value = report.pointer(path).and_then(Value::as_f64);
        value.unwrap_or_else(|| panic!("{path} is no number in {report}"))
    };
    assert_eq!(report["event"], "report");
    for (found, truth, correct) in [
        (
            "/root_cause/found",
            "/root_cause/truth",
            "/root_cause/correct",
        ),
        ("/baseline/found", "/root_cause/truth", "/baseline/correct"),
    ] {
        let agree = report.pointer(found).unwrap() == report.pointer(truth).unwrap();
        assert_eq!(report.pointer(correct).unwrap(), agree, "{report}");
    }
    for leaf in ["element", "cause"] {
        assert!(
            !report["root_cause"]["truth"][leaf]
                .as_str()
                .unwrap()
                .is_empty()
        );
    }
    assert!(
        number("/sites/true") >= 4.0,
        "a story worth telling: {report}"
    );
    assert!(number("/sites/found") <= number("/sites/true"));
    assert!(number("/sites/false") >= 0.0);
    for name in ["/messages", "/bytes", "/tasks", "/alarms", "/complaints"] {
        assert!(number(name) >= 1.0, "{name} in {report}");
    }
    assert!(number("/bytes") > 200.0 * number("/messages"), "{report}");
    if report["closed"] == true {
        assert!(number("/detect_s") > 0.0 && number("/detect_s") <= number("/locate_s"));
        assert!(number("/locate_s") < number("/truly_restored_s"));
        // Its publisher verifies that service is back before it closes the ticket, at the sites that
        // it knows of: of a zone without mains others run out of battery later.
        if number("/sites/found") == number("/sites/true") {
            assert!(
                number("/truly_restored_s") <= number("/restore_s"),
                "{report}"
            );
        }
    } else {
        assert_eq!(report["restore_s"], Value::Null, "{report}");
    }
}

#[test]
fn twenty_unseen_stories_are_nearly_all_solved() {
    block_on(async {
        let mut lines = simulate(&["--seed", "1001", "--seeds", "20"]).await;
        let summary = lines.pop().unwrap();
        let reports = lines;
        reports.iter().for_each(is_consistent);
        for (place, report) in reports.iter().enumerate() {
            assert_eq!(report["seed"], 1_001 + place);
        }
        let count = |path: &str| {
            let held = reports
                .iter()
                .filter(|r| r.pointer(path) == Some(&Value::Bool(true)));
            held.count()
        };
        let correct = count("/root_cause/correct");
        let unverified = reports.iter().map(|r| r["verification_failures"].as_u64());
        let unverified: u64 = unverified.map(Option::unwrap).sum();
        println!("{summary}");
        assert_eq!(
            summary,
            json!({
                "event": "summary", "seeds": 20, "correct": correct,
                "baseline_correct": count("/baseline/correct"), "closed": count("/closed"),
                "verification_failures": unverified,
            })
        );
        assert!(correct >= 18, "{correct} of 20");
        assert!(
            correct > count("/baseline/correct"),
            "no better than the first alarm"
        );
        assert!(count("/closed") >= 18, "{summary}");
    });
}

#[test]
fn over_ssh_and_in_memory_the_same_story_gives_the_same_report() {
    block_on(async {
        for arguments in [
            &["--seed", "2"][..],
            &["--seed", "5", "--fault", "duct-cut"],
            &["--seed", "11", "--topology", "Polska", "--sites", "120"],
        ] {
            let over_ssh = demo(arguments).await;
            let in_memory = simulate(&[&["--seeds", "1"][..], arguments].concat()).await;
            is_consistent(&over_ssh);
            assert_eq!(over_ssh, in_memory[0], "{arguments:?}");
            assert_eq!(
                over_ssh,
                demo(arguments).await,
                "a second time, {arguments:?}"
            );
        }
    });
}

#[test]
fn another_seed_is_another_story() {
    block_on(async {
        let lines = simulate(&["--seed", "31", "--seeds", "2"]).await;
        let again = simulate(&["--seed", "31", "--seeds", "2"]).await;
        assert_eq!(lines, again);
        assert_ne!(lines[0]["bytes"], lines[1]["bytes"]);
        assert_ne!(lines[0]["root_cause"], lines[1]["root_cause"]);
    });
}

#[test]
fn every_topology_can_be_played() {
    block_on(async {
        for topology in ["Geant", "Polska", "Nobel-Germany"] {
            let lines = simulate(&["--seeds", "1", "--topology", topology]).await;
            is_consistent(&lines[0]);
            assert_eq!(lines[0]["topology"], topology);
        }
    });
}

#[test]
fn every_kind_of_fault_can_be_asked_for() {
    const KINDS: [&str; 5] = [
        "fibre-cut",
        "duct-cut",
        "card-failure",
        "router-failure",
        "mains-failure",
    ];
    block_on(async {
        for kind in KINDS {
            let lines = simulate(&["--seeds", "1", "--seed", "8", "--fault", kind]).await;
            is_consistent(&lines[0]);
            assert_eq!(lines[0]["root_cause"]["truth"]["cause"], kind);
        }
        let arguments = [
            "--seeds",
            "1",
            "--fault",
            "router-failure:router:Braunschweig",
        ];
        let report = &simulate(&arguments).await[0];
        assert_eq!(
            report["root_cause"]["truth"],
            json!({ "element": "router:Braunschweig", "cause": "router-failure" })
        );
    });
}

#[test]
fn what_cannot_be_meant_is_a_usage_error_that_says_what_can() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        for (arguments, hint) in [
            (["--fault", "earthquake"], "fibre-cut"),
            (["--fault", "fibre-cut:nowhere"], "nowhere"),
            (["--topology", "Atlantis"], "Germany50"),
            (
                ["--http", "8880"],
                "neither an address with a port nor 'off'",
            ),
            (["--netconf", "0.0.0.0:0"], "loopback"),
            (["--speed", "fast"], "--speed"),
        ] {
            let fixed = ["demo", "fault", "--headless"];
            let finished = run(state.path(), &[&fixed[..], &arguments].concat()).await;
            let finished = finished.with_code(2);
            assert!(finished.stderr.contains(hint), "{}", finished.stderr);
            assert_eq!(finished.stdout, "");
        }
    });
}

#[test]
fn a_used_state_folder_is_not_played_over_unless_it_is_asked_for() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let first = demo_in(state.path(), &["--seed", "4"]).await.well();
        let key = std::fs::read(state.path().join("host_ed25519")).unwrap();
        let refused = demo_in(state.path(), &["--seed", "4"]).await.with_code(5);
        assert!(refused.stderr.contains("--fresh"), "{}", refused.stderr);
        assert_eq!(refused.stdout, "");
        let fresh = demo_in(state.path(), &["--seed", "4", "--fresh"]).await;
        assert_eq!(fresh.well().stdout, first.stdout);
        let kept = std::fs::read(state.path().join("host_ed25519")).unwrap();
        assert_eq!(kept, key, "keys are kept");
        let report = run(state.path(), &["store", "verify", "--json"]).await;
        let report = &report.well().json()[0];
        assert_eq!(report["sound"], true);
        assert_eq!(report["sealed"], report["last"], "it ended in order");
    });
}

#[test]
fn the_client_commands_do_their_work_over_netconf() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve_on(state.path(), "Germany50").await;

        let listed = running
            .client(&["agent", "list", "--json"])
            .await
            .well()
            .json();
        let aliases: Vec<&str> = listed
            .iter()
            .map(|line| line["agent"]["alias"].as_str().unwrap())
            .collect();
        let roles: Vec<&str> = agents::roster::roles().collect();
        assert_eq!(aliases, roles);
        let table = running.client(&["agent", "list"]).await.well().stdout;
        assert_eq!(table.lines().count(), 1 + roles.len(), "{table}");
        let shown = running
            .client(&["agent", "show", "ip-fault", "--json"])
            .await;
        assert_eq!(
            shown.well().json()[0]["agent"]["name"],
            "TMF-Convoke-IP-1.0.0"
        );

        let arguments = [
            "task",
            "assign",
            "ip-fault",
            "router:Berlin",
            "diagnose",
            "it",
        ];
        let flags = ["--async", "--json", "--id", "by-hand"];
        let assign = [&arguments[..], &flags].concat();
        let assigned = running.client(&assign).await.well().json();
        assert_eq!(assigned[0]["reply"]["task-id"], "by-hand");
        assert_eq!(assigned[0]["reply"]["verdict"], "accepted");
        let again = running.client(&assign).await.well().json();
        assert_eq!(again, assigned, "the same again gets the same reply");
        let shown = running.client(&["task", "show", "by-hand", "--json"]).await;
        assert_eq!(shown.well().json()[0]["task"]["task-sendFrom"], "operator");
        let open = running.client(&["task", "list", "--open", "--json"]).await;
        let open = open.well().json();
        assert!(
            open.iter().any(|line| line["task"]["task-id"] == "by-hand"),
            "{open:?}"
        );

        let since = "2026-01-01T00:00:00Z";
        let watch = ["watch", "--since", since, "--count", "4", "--json"];
        let watched = running.client(&watch).await.well().json();
        assert_eq!(watched.len(), 4);
        assert!(watched.iter().all(|line| line["event"] == "notification"));
        let verified = run(state.path(), &["store", "verify", "--json"]).await;
        assert_eq!(verified.well().json()[0]["sound"], true);
        let checked = run(state.path(), &["config", "check", "--json"]).await;
        assert_eq!(checked.well().json()[0]["event"], "checked");
    });
}

#[test]
fn the_client_commands_say_by_their_exit_code_what_went_wrong() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let assign = [
            "task", "assign", "ip-fault", "site:X", "diagnose", "--id", "mine",
        ];
        running.client(&assign).await.well();
        let other = [
            "task", "assign", "ip-fault", "site:Y", "diagnose", "--id", "mine",
        ];
        let own_key = running.operator().key.display().to_string();
        for (arguments, code, hint) in [
            (&["agent", "show", "nobody"][..], 3, "resource-copilot"),
            (&["task", "show", "unheard-of"], 3, "unheard-of"),
            (&["task", "assign", "nobody", "site:X"], 3, "nobody"),
            (
                &["agent", "list", "--user", "mallory", "--identity", &own_key],
                3,
                "mallory",
            ),
            (&other, 5, "mine"),
            (
                &["task", "assign", "ip-fault", "site:X", "--payload", "{}"],
                2,
                "schema_id",
            ),
            (&["agent", "polish"], 2, "polish"),
        ] {
            let finished = running.client(arguments).await.with_code(code);
            assert!(
                finished.stderr.contains(hint),
                "{arguments:?}: {}",
                finished.stderr
            );
        }
        // An agent reads what it is party to, and no more.
        let as_agent = [
            "task",
            "list",
            "--json",
            "--user",
            "TMF-Convoke-Wireless-1.0.0",
        ];
        let tasks = running.client(&as_agent).await.well().json();
        assert!(
            tasks.iter().all(|line| line["task"]["task-id"] != "mine"),
            "{tasks:?}"
        );
        let address = running.address().to_owned();
        running.kill().await;
        let list = ["agent", "list", "--netconf", &address];
        run(state.path(), &list).await.with_code(4);

        std::fs::write(state.path().join("convoke.toml"), "seed = 1\nsitez = 3\n").unwrap();
        let checked = run(state.path(), &["config", "check"]).await.with_code(2);
        assert!(
            checked.stderr.contains("convoke.toml:2"),
            "{}",
            checked.stderr
        );
        let absent = state.path().join("absent");
        let checked = run(&absent, &["config", "check"]).await.with_code(1);
        assert!(checked.stderr.contains("holds no platform"));
        run(&absent, &["store", "verify"]).await.with_code(1);
        assert!(!absent.exists(), "looking makes nothing");
    });
}
