//! `convoke learn yardsticks` and `convoke eval faults`: a document out, every policy in one table, and
//! seeds that were tuned on refused.
//!
//! No platform runs; what is measured, and how, is tested in `yardsticks` and `report`. Read next:
//! `cli_alarms.rs`.

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::Value;
use support::block_on;
use support::process::{Finished, run};
use tempfile::TempDir;

/// A small network without errors, for which a day takes a second.
const SMALL: [&str; 6] = ["--topology", "Polska", "--sites", "60", "--world", "ideal"];

fn convoke(folder: &TempDir, arguments: &[&str]) -> Finished {
    let all = [arguments, &SMALL].concat();
    block_on(run(&folder.path().join("state"), &all))
}

#[test]
fn what_is_tuned_on_some_seeds_is_scored_on_others() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tuned.json").display().to_string();
    let learn = [
        "learn",
        "yardsticks",
        "--seeds",
        "50301..50302",
        "--out",
        &out,
        "--json",
    ];
    let lines = convoke(&folder, &learn).well().json();
    let policies = lines.iter().filter(|line| line["event"] == "tuned").count();
    assert_eq!(policies, 9, "{lines:?}");
    let text = std::fs::read_to_string(&out).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["on"]["seeds"], serde_json::json!([50_301, 50_302]));

    let eval = ["eval", "faults", "--tuned", &out, "--json", "--seeds"];
    let lines = convoke(&folder, &[&eval[..], &["303..304"]].concat())
        .well()
        .json();
    let policies: Vec<&Value> = lines
        .iter()
        .filter(|line| line["event"] == "open-loop-policy")
        .collect();
    assert_eq!(policies.len(), 9, "{lines:?}");
    let faults = &policies[0]["recall"]["of"];
    assert!(faults.as_u64().unwrap() > 0);
    assert!(
        policies
            .iter()
            .all(|policy| policy["recall"]["of"] == *faults)
    );
    assert_eq!(lines.last().unwrap()["best_yardstick"], document["best"]);

    let refused = convoke(&folder, &[&eval[..], &["50302..50302"]].concat());
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("was tuned on") || refused.stdout.contains("was tuned on"));
}
