//! The operator's commands against a platform with the cast of the cases: input, JSON output
//! (`--json`), and exit code.
//!
//! The platform runs in this process, on loopback; the command is the one that is installed. Waits
//! end with a notification. Read next: `cli_transfer.rs`.

#![allow(clippy::unwrap_used)]

mod cli_support;
mod support;

use cli_support::{Desk, Said, platform};
use netconf::xml::{Limits, XmlDocument};
use serde_json::Value;
use support::block_on;

#[test]
fn a_task_is_negotiated_assigned_judged_and_drawn() {
    block_on(platform(async |desk: &Desk| {
        feasibility_in_rounds(desk).await;
        judged_twice(desk).await;
        drawn(desk).await;
    }));
}

async fn feasibility_in_rounds(desk: &Desk) {
    let offer = desk.file(
        "options.txt",
        b"## target object\nsite-1\n## task description\noptions",
    );
    let asked = ["task", "negotiate", "rounds", "--json", "--content", &offer];
    desk.run(&asked).await.with_code(2).says("--to");
    let offered = desk
        .run(&[&asked[..], &["--to", "ip"]].concat())
        .await
        .well();
    let reply = &offered.json()[0]["reply"];
    assert_eq!(reply["verdict"], "offered");
    assert_eq!(reply["content"].as_array().unwrap().len(), 2);
    // Two were offered: which one is meant must be said.
    let accept = ["task", "negotiate", "rounds", "--json", "--accept"];
    desk.run(&accept).await.with_code(3);
    let agreed = desk.run(&[&accept[..], &["2"]].concat()).await.well();
    assert_eq!(agreed.json()[0]["reply"]["round"], 2);
    let departs = [
        "task",
        "assign",
        "ip",
        "site-1",
        "half of it",
        "--id",
        "rounds",
    ];
    desk.run(&departs).await.with_code(3);
    let refuse = desk.file(
        "refuse.txt",
        b"## target object\nsite-1\n## task description\nrefuse",
    );
    let refused = [
        "task",
        "negotiate",
        "no",
        "--to",
        "ip",
        "--content",
        &refuse,
    ];
    desk.run(&refused)
        .await
        .with_code(3)
        .says("the part says no");
}

async fn judged_twice(desk: &Desk) {
    let offer = desk.file(
        "later.txt",
        b"## target object\nsite-1\n## task description\nlater",
    );
    let asked = [
        "task",
        "negotiate",
        "t-1",
        "--to",
        "ip",
        "--content",
        &offer,
    ];
    desk.run(&asked).await.well();
    let assign = [
        "task",
        "assign",
        "ip",
        "site-1",
        "later",
        "--id",
        "t-1",
        "--async",
        "--json",
        "--expect",
        "a proof",
        "--answer-within",
        "600",
        "--term",
        "LOS=loss of signal",
        "--round-limit",
        "9",
    ];
    let assigned = desk.run(&assign).await.well().json();
    assert_eq!(assigned[0]["event"], "reply");
    assert_eq!(assigned[0]["reply"]["verdict"], "accepted");
    desk.until("t-1", 1, |n| n["awaits"] == "judgement").await;
    let shown = desk
        .run(&["task", "show", "t-1", "--json"])
        .await
        .well()
        .json();
    let task = &shown[0]["task"];
    assert_eq!(task["answer-within"], "600");
    assert_eq!(task["round-limit"], "9");
    assert_eq!(task["term-explains"]["term"], "LOS");
    let reject = [
        "task", "reject", "t-1", "--unmet", "no proof", "--unmet", "no time",
    ];
    desk.run(&reject).await.well();
    desk.until("t-1", 2, |n| n["awaits"] == "judgement").await;
    let accept = ["task", "accept", "t-1", "--json"];
    let accepted = desk.run(&accept).await.well();
    assert_eq!(accepted.json()[0]["reply"]["task-status"], "finished");
    let again = desk.run(&accept).await.well();
    assert_eq!(again.stdout, accepted.stdout, "said again, it is done once");
}

async fn drawn(desk: &Desk) {
    let text = desk.run(&["task", "timeline", "t-1"]).await.well().stdout;
    for words in [
        "FeasibilityNegotiate",
        "taskAssgin",
        "processing 50 %",
        "input-required: awaits judgement",
        "result refuse",
        "finished",
    ] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
    let rows = desk
        .run(&["task", "timeline", "t-1", "--json"])
        .await
        .well()
        .json();
    assert!(
        rows.iter()
            .any(|r| r["event"] == "state" && r["label"] == "finished")
    );
    let svg = desk.path("t-1.svg");
    let draw = [
        "task", "timeline", "t-1", "--format", "svg", "--output", &svg,
    ];
    desk.run(&draw).await.well();
    let first = std::fs::read_to_string(&svg).unwrap();
    desk.run(&draw).await.well();
    assert_eq!(
        std::fs::read_to_string(&svg).unwrap(),
        first,
        "one record, one picture"
    );
    let document = XmlDocument::parse(first, &Limits::client()).unwrap();
    assert_eq!(document.root().name(), "svg");
    let page = desk
        .run(&["task", "timeline", "t-1", "--format", "html"])
        .await
        .well();
    assert!(page.stdout.contains("</svg>"));

    let said = desk
        .run(&["task", "context", "t-1", "--json"])
        .await
        .well()
        .json();
    let verbs: Vec<&str> = said
        .iter()
        .map(|e| e["commuType"].as_str().unwrap())
        .collect();
    let judgement = "FulfillmentNegotiate";
    assert_eq!(
        verbs[..4],
        ["FeasibilityNegotiate", "taskAssgin", judgement, judgement]
    );
    let request = said[2]["request"]["content"].as_str().unwrap();
    assert!(
        request.contains("reject\n- no proof\n- no time"),
        "{request}"
    );
    assert_eq!(said[1]["response"]["content"]["verdict"], "accepted");
    desk.run(&["task", "context", "unheard-of"])
        .await
        .with_code(3);
    desk.run(&["task", "timeline", "unheard-of"])
        .await
        .with_code(3);
}

#[test]
fn questions_parts_and_the_end_of_tasks() {
    block_on(platform(async |desk: &Desk| {
        let ask = [
            "task", "assign", "ip", "site-1", "ask", "--id", "q", "--json",
        ];
        let asked = desk.run(&ask).await.well().json();
        assert_eq!(asked[0]["reply"]["verdict"], "input-required");
        desk.run(&["task", "answer", "q", "the", "second"])
            .await
            .well();
        desk.until("q", 1, |n| n["input-required"]["status"] == "finished")
            .await;

        let assign = ["task", "assign", "ip", "site-1", "stay", "--async", "--id"];
        desk.run(&[&assign[..], &["whole"]].concat()).await.well();
        for part in ["part-a", "part-b"] {
            let part = [&assign[..], &[part, "--parent", "whole"]].concat();
            desk.run(&part).await.well();
        }
        let tree = desk.run(&["task", "tree", "whole"]).await.well().stdout;
        let lines: Vec<&str> = tree.lines().collect();
        assert!(lines[0].starts_with("whole  processing"), "{tree}");
        assert!(lines[1].starts_with("├─ part-a"), "{tree}");
        assert!(lines[2].starts_with("└─ part-b"), "{tree}");
        let all = desk.run(&["task", "tree", "--json"]).await.well().json();
        assert!(
            all.iter()
                .any(|t| t["task-id"] == "part-a" && t["depth"] == 1)
        );
        let parts = ["task", "timeline", "whole", "--parts", "--json"];
        let parts = desk.run(&parts).await.well().json();
        let of_part = |r: &Value| r["label"].as_str().unwrap().ends_with("[part-b]");
        assert!(parts.iter().any(of_part));

        desk.run(&["task", "cancel", "whole"]).await.well();
        let ended = ["task", "list", "--status", "cancelled", "--json"];
        let ended = desk.run(&ended).await.well().json();
        assert_eq!(ended.len(), 3, "its parts end with it: {ended:?}");
        let open = desk.run(&["task", "list", "--open", "--json"]).await.well();
        assert_eq!(open.stdout, "");
        desk.run(&["task", "tree", "unheard-of"]).await.with_code(3);
        desk.run(&["task", "answer", "unheard-of", "yes"])
            .await
            .with_code(3);
        desk.run(&["task", "cancel", "q"]).await.with_code(3);
    }));
}

#[test]
fn a_decision_is_agreed_on_before_the_result() {
    block_on(platform(async |desk: &Desk| {
        let assign = [
            "task",
            "assign",
            "ip",
            "site-1",
            "propose",
            "--async",
            "--id",
            "plan",
            "--demand-fulfillment",
            "--expect",
            "it works",
        ];
        desk.run(&assign).await.well();
        desk.until("plan", 1, |n| n["awaits"] == "decision").await;
        let refuse = ["task", "negotiate", "plan", "--refuse", "not at night"];
        desk.run(&refuse).await.well();
        desk.until("plan", 2, |n| n["awaits"] == "decision").await;
        desk.run(&["task", "accept", "plan"]).await.well();
        desk.until("plan", 1, |n| n["awaits"] == "judgement").await;
        desk.run(&["task", "accept", "plan"]).await.well();
        let text = desk.run(&["task", "timeline", "plan"]).await.well().stdout;
        assert!(text.contains("fulfillment offer, round 2"), "{text}");
    }));
}

#[test]
fn a_long_list_is_read_page_by_page() {
    block_on(platform(async |desk: &Desk| {
        desk.assign_many(450).await;
        let listed = desk.run(&["task", "list", "--json"]).await.well().json();
        let ids: std::collections::BTreeSet<&str> = listed
            .iter()
            .map(|l| l["task"]["task-id"].as_str().unwrap())
            .collect();
        assert_eq!((listed.len(), ids.len()), (450, 450));
        let tree = desk.run(&["task", "tree"]).await.well().stdout;
        assert_eq!(tree.lines().count(), 450);
        let of = ["task", "list", "--executor", "wireless", "--json"];
        assert_eq!(desk.run(&of).await.well().stdout, "");
    }));
}

const PROFILE: &str = "name = \"probe\"\nalias = \"the probe\"\ndescription = \"looks at links\"\n\
    version = \"1.0.0\"\nprovider = \"elsewhere\"\ndomain = \"IP\"\nlayer = \"resource\"\n\
    [[skill]]\nname = \"ping\"\ndescription = \"asks a router\"\ntags = [\"link\", \"delay\"]\n\
    input-modes = [\"text\"]\noutput-modes = [\"text\"]\nschemas = [\"ping_v1\"]\n";

#[test]
fn an_agent_comes_is_found_and_leaves() {
    block_on(platform(async |desk: &Desk| {
        let profile = desk.file("probe.toml", PROFILE.as_bytes());
        let (private, public) = desk.key("probe");
        let own = ["--identity", &private];
        let register = ["agent", "register", "--json", "--profile", &profile];
        let register = [&register[..], &own].concat();
        desk.run(&register).await.with_code(3);
        let let_in = [&register[..], &["--key", &public]].concat();
        let registered = desk.run(&let_in).await.well().json();
        assert_eq!(registered[0]["event"], "registered");
        assert_eq!(registered[0]["name"], "probe");
        assert!(registered[0]["lease-until"].is_string());
        desk.run(&[&register[..], &["--key", &private]].concat())
            .await
            .with_code(2);

        let find = [
            "agent", "discover", "--skill", "ping", "--tag", "delay", "--json",
        ];
        let found = desk.run(&find).await.well().json();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0]["name"], "probe");
        assert!(!found[0]["reasons"].as_array().unwrap().is_empty());
        let nobody = desk
            .run(&["agent", "discover", "--skill", "fly"])
            .await
            .well();
        assert_eq!(nobody.stdout, "nobody fits\n");

        let renew = [
            "agent", "renew", "probe", "--health", "degraded", "--note", "one port", "--json",
        ];
        let renewed = desk.run(&[&renew[..], &own].concat()).await.well().json();
        assert_eq!(renewed[0]["event"], "renewed");
        let shown = desk
            .run(&["agent", "show", "the probe", "--json"])
            .await
            .well()
            .json();
        assert_eq!(shown[0]["agent"]["observed"]["health"], "degraded");
        let of_another = [&["agent", "leave", "ip"][..], &own, &["--user", "probe"]].concat();
        desk.run(&of_another).await.with_code(3);
        desk.run(&[&["agent", "leave", "probe"][..], &own].concat())
            .await
            .well();
        desk.run(&["agent", "show", "probe"]).await.with_code(3);
        let bad = desk.file("bad.toml", b"name = 3\n");
        let bad = ["agent", "register", "--profile", &bad];
        desk.run(&bad).await.with_code(2).says("bad.toml");
    }));
}

#[test]
fn a_team_is_formed_and_its_gaps_are_told() {
    block_on(platform(async |desk: &Desk| {
        let team = [
            "agent",
            "team",
            "outage",
            "--target",
            "site-1",
            "--need",
            "transport:domain=IP,do=stay, and look",
            "--need",
            "flight:skill=fly",
            "--need",
            "spare:skill=fly,optional",
        ];
        let formed = desk
            .run(&[&team[..], &["--json"]].concat())
            .await
            .well()
            .json();
        assert_eq!(formed[0]["event"], "team");
        assert_eq!(formed[0]["team"]["gap"], "flight");
        let shown = desk.run(&team).await.well().stdout;
        assert!(
            shown.contains("GAP") && shown.contains("the team has gaps"),
            "{shown}"
        );
        desk.run(&[
            "agent",
            "team",
            "t",
            "--target",
            "x",
            "--need",
            "a:colour=red",
        ])
        .await
        .with_code(2)
        .says("colour");
    }));
}

#[test]
fn what_is_mistyped_is_the_typists() {
    block_on(platform(async |desk: &Desk| {
        let nothing = desk.file("nothing.txt", b"just words");
        for (arguments, code, hint) in [
            (
                &["task", "negotiate", "t", "--to", "ip"][..],
                2,
                "--content",
            ),
            (
                &[
                    "task",
                    "negotiate",
                    "t",
                    "--to",
                    "ip",
                    "--content",
                    &nothing,
                ],
                2,
                "target object",
            ),
            (&["task", "reject", "t"], 2, "--unmet"),
            (
                &["task", "assign", "ip", "x", "--deadline", "tomorrow"],
                2,
                "--deadline",
            ),
            (
                &["task", "assign", "ip", "x", "--term", "LOS"],
                2,
                "NAME=EXPLANATION",
            ),
            (
                &["task", "assign", "ip", "x", "--report-to", "ftp://x"],
                2,
                "http",
            ),
            (
                &["task", "assign", "ip", "x", "--round-limit", "101"],
                2,
                "101",
            ),
            (&["task", "list", "--status", "asleep"], 3, "asleep"),
            (&["watch", "--since", "yesterday"], 2, "--since"),
            (
                &["data", "put", "/nonexistent", "--id", "x"],
                2,
                "/nonexistent",
            ),
            (
                &["data", "get", "unheard-of", "--output", &desk.path("x")],
                3,
                "unheard-of",
            ),
        ] {
            desk.run(arguments).await.with_code(code).says(hint);
        }
        assert!(!std::path::Path::new(&desk.path("x.part")).exists());
    }));
}

#[test]
fn help_tells_what_a_command_does() {
    block_on(async {
        for command in [
            &["task", "tree"][..],
            &["task", "timeline"],
            &["task", "context"],
            &["task", "negotiate"],
            &["task", "accept"],
            &["task", "reject"],
            &["task", "cancel"],
            &["task", "answer"],
            &["task", "assign"],
            &["task", "list"],
            &["agent", "discover"],
            &["agent", "register"],
            &["agent", "renew"],
            &["agent", "leave"],
            &["agent", "team"],
            &["data", "put"],
            &["data", "get"],
            &["watch"],
        ] {
            let asked = [command, &["--help"]].concat();
            let help = support::process::run(std::path::Path::new("unused"), &asked)
                .await
                .well();
            let first = help.stdout.lines().next().unwrap();
            assert!(first.len() > 20, "{command:?}: {first}");
            let undescribed = |l: &&str| l.trim_start().starts_with("--") && l.trim().len() < 4;
            assert_eq!(help.stdout.lines().find(undescribed), None);
        }
    });
}
