//! `convoke inbox` and `convoke rule`: what waits, what a rule would decide of it, and rules that do.
//!
//! Read next: `cli.rs`; `docs/policy.md`.

#![allow(clippy::unwrap_used)]

mod cli_support;
mod support;

use cli_support::{Desk, Said, platform};
use serde_json::json;
use support::block_on;

/// A task whose executor proposes a plan, for a decision of the operator.
async fn proposed(desk: &Desk, task: &str) {
    let assign = [
        "task",
        "assign",
        "ip",
        "site-1",
        "propose",
        "--async",
        "--id",
        task,
        "--demand-fulfillment",
    ];
    desk.run(&assign).await.well();
    desk.until(task, 1, |n| n["awaits"] == "decision").await;
}

#[test]
fn what_waits_is_listed_until_a_rule_decides_it() {
    block_on(platform(async |desk: &Desk| {
        let empty = desk.run(&["inbox"]).await.well();
        assert_eq!(empty.stdout.trim(), "Nothing waits for you.");
        let none = desk.run(&["rule", "list"]).await.well();
        assert_eq!(none.stdout.trim(), "There are no standing rules.");
        proposed(desk, "plan").await;
        let table = desk.run(&["inbox"]).await.well().stdout;
        let row = table.lines().nth(1).unwrap();
        assert!(row.starts_with("decision/plan  operator  ip"), "{table}");
        assert!(row.ends_with("no-rule"), "{table}");
        let told = desk.run(&["inbox", "--json"]).await.well().json();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["event"], "decision");
        assert_eq!(told[0]["task_id"], "plan");
        assert_eq!(told[0]["domain"], "IP");
        assert_eq!(told[0]["communication_type"], "FulfillmentNegotiate");
        assert_eq!(told[0]["rules"], json!([]));

        let add = [
            "rule",
            "add",
            "plans",
            "--kind",
            "decision",
            "--verdict",
            "accept",
            "--domain",
            "IP",
        ];
        desk.run(&add).await.well();
        // It is decided as soon as it is there.
        let by_rule = |n: &serde_json::Value| n["change"] == "decided" && n["name"] == "plans";
        desk.heard(&[], 1, by_rule).await;
        let left = desk.run(&["inbox", "--json"]).await.well().json();
        assert_eq!(left, Vec::<serde_json::Value>::new());
    }));
}

#[test]
fn rules_are_added_listed_and_withdrawn() {
    block_on(platform(async |desk: &Desk| {
        let add = [
            "rule",
            "add",
            "small",
            "--kind",
            "result",
            "--verdict",
            "ask",
            "--most",
            "cost=500",
            "--least",
            "cost=0.5",
            "--after",
            "60",
            "--then",
            "escalate",
            "--escalate-to",
            "operator",
            "--until",
            "2090-01-01T00:00:00Z",
        ];
        let added = desk.run(&add).await.well();
        // Nothing waits, and without a terminal nobody is asked.
        let said = &added.stdout;
        assert!(said.starts_with("Nothing that waits now"), "{said}");
        assert!(
            said.ends_with("The standing rule 'small' is there.\n"),
            "{said}"
        );
        let listed = desk.run(&["rule", "list", "--json"]).await.well().json();
        let rule = &listed[0];
        assert_eq!((listed.len(), &rule["event"]), (1, &json!("rule")));
        let bound = json!([{ "key": "cost", "least": 0.5, "most": 500.0 }]);
        assert_eq!(rule["bounds"], bound);
        assert_eq!(rule["after_s"], 60);
        assert_eq!(rule["escalate_to"], "operator");
        assert_eq!(rule["state"], "in-force");
        let table = desk.run(&["rule", "list"]).await.well().stdout;
        let row = table.lines().nth(1).unwrap();
        assert!(row.starts_with("operator/small  ask"), "{table}");
        let terms = "cost >= 0.5, cost <= 500.0, after 60 s escalate to operator";
        assert!(row.contains(terms), "{table}");

        let other = [
            "rule",
            "add",
            "small",
            "--kind",
            "result",
            "--verdict",
            "reject",
        ];
        desk.run(&other)
            .await
            .with_code(5)
            .says("withdraw it first");
        let wrong = [
            "rule",
            "add",
            "wrong",
            "--kind",
            "result",
            "--verdict",
            "ask",
            "--most",
            "cost",
        ];
        desk.run(&wrong).await.with_code(2).says("KEY=NUMBER");
        let withdraw = ["rule", "withdraw", "small", "--json"];
        let gone = desk.run(&withdraw).await.well().json();
        assert_eq!(
            gone[0],
            json!({ "event": "rule-withdrawn", "name": "small" })
        );
        desk.run(&withdraw).await.with_code(3);
        let none = desk.run(&["rule", "list", "--json"]).await.well();
        assert_eq!(none.stdout, "");
    }));
}

#[test]
fn what_a_rule_would_decide_is_shown_and_what_in_it_names_nothing() {
    block_on(platform(async |desk: &Desk| {
        proposed(desk, "plan").await;
        let add = |more: &[&'static str]| {
            let rule = ["rule", "add", "plans", "--kind", "decision"];
            let says = ["--verdict", "accept", "--dry-run"];
            [&rule[..], &says[..], more].concat()
        };
        let shown = desk.run(&add(&[])).await.well().stdout;
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(
            lines[0],
            "It would decide one of the decisions that wait now:"
        );
        assert!(lines[2].starts_with("decision/plan  accept"), "{shown}");
        assert_eq!(lines.last(), Some(&"Nothing was added."));
        let told = desk.run(&add(&["--json"])).await.well().json();
        let decides = json!([{ "id": "decision/plan", "verdict": "accept", "at": null }]);
        let checked = json!({
            "event": "rule-checked",
            "name": "plans",
            "decides_count": 1,
            "decides": decides,
            "remarks": [],
        });
        assert_eq!(told, [checked]);

        let nobody = desk
            .run(&add(&["--agent", "nobody", "--domain", "Moon"]))
            .await;
        let shown = nobody.well().stdout;
        let lines: Vec<_> = shown.lines().collect();
        let expected = [
            "Nothing that waits now would be decided by it.",
            "There is no agent 'nobody' now.",
            "No agent is in the domain 'Moon' now.",
            "Nothing was added.",
        ];
        assert_eq!(lines, expected);
        let none = desk.run(&["rule", "list"]).await.well();
        assert_eq!(none.stdout.trim(), "There are no standing rules.");
        assert_eq!(desk.run(&["inbox", "--json"]).await.well().json().len(), 1);
    }));
}
