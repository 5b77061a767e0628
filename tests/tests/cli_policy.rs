//! `convoke inbox` and `convoke rule`: what waits, and rules that decide it.
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
        assert_eq!(added.stdout.trim(), "The standing rule 'small' is there.");
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
