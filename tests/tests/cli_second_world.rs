//! The second world at the command line: its unlabelled past as files, what is learnt from them, and its
//! days diagnosed by that.
//!
//! Small, so that it is quick; what comes out at full size is in `docs/second-world.md`. No platform
//! runs. Read next: `cli_alarms.rs`.

#![allow(clippy::unwrap_used)]

mod support;

use support::block_on;
use support::process::{Finished, run};
use tempfile::TempDir;

const OTHER: [&str; 4] = ["--world", "other", "--sites", "60"];

fn convoke(folder: &TempDir, arguments: &[&str]) -> Finished {
    block_on(run(&folder.path().join("state"), arguments))
}

fn other(folder: &TempDir, arguments: &[&str]) -> Finished {
    convoke(folder, &[arguments, &OTHER].concat())
}

/// What the past of the world taught, as a file.
fn learnt(folder: &TempDir) -> String {
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (past, causes) = (path("past"), path("causes.json"));
    let days = ["simulate", "--days", "20", "--seed", "50001", "--history"];
    other(folder, &[&days[..], &[&past]].concat()).well();
    let (alarms, links) = (path("past/alarms.csv"), path("past/links.txt"));
    let learn = ["learn", "history", "--alarms", &alarms, "--topology"];
    convoke(folder, &[&learn[..], &[&links, "--out", &causes]].concat()).well();
    causes
}

#[test]
fn what_its_past_taught_diagnoses_its_days() {
    let folder = tempfile::tempdir().unwrap();
    let causes = learnt(&folder);
    let days = ["eval", "faults", "--seeds", "101..102", "--json"];
    let days = [&days[..], &["--learnt", &causes]].concat();
    let scored = other(&folder, &days).well();
    let lines = scored.json();
    let policies: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["policy"].as_str())
        .collect();
    let all = [
        "first-alarm",
        "own-alarm",
        "most-alarms",
        "codebook",
        "lasting-codebook",
        "agents-unlearnt",
        "agents-causes",
        "agents-learnt",
    ];
    assert_eq!(policies, all);
    assert_eq!(other(&folder, &days).stdout, scored.stdout);
}

#[test]
fn the_past_that_was_learnt_from_is_not_scored_and_weights_are_no_causes() {
    let folder = tempfile::tempdir().unwrap();
    // Seeds that are for learning, and those by which settings are chosen.
    for seeds in ["50002..50003", "50201..50201"] {
        let refused = other(&folder, &["eval", "faults", "--seeds", seeds]);
        assert_ne!(refused.code, 0, "{seeds}");
        assert!(
            refused.stderr.contains("score others"),
            "{}",
            refused.stderr
        );
    }
    // What is learnt from is none of the days that are scored, and what is written is the first seed's.
    let refused = other(&folder, &["eval", "faults", "--past", "70001"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("50001"), "{}", refused.stderr);
    let both = ["eval", "faults", "--history", "past", "--past", "50002"];
    let refused = other(&folder, &both);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let weights = folder.path().join("weights.txt");
    std::fs::write(&weights, "window-s 77\n").unwrap();
    let weights = weights.display().to_string();
    let refused = other(&folder, &["eval", "faults", "--learnt", &weights]);
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("weights.txt"), "{}", refused.stderr);
}

#[test]
fn flags_of_the_second_world_are_refused_in_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let past = folder.path().join("past").display().to_string();
    for command in [
        &["simulate", "--days", "1", "--seed", "101", "--history"][..],
        &["eval", "faults", "--seeds", "101..101", "--learnt"],
        &[
            "eval",
            "faults",
            "--seeds",
            "101..101",
            "--network",
            "2",
            "--learnt",
        ],
    ] {
        let refused = convoke(&folder, &[command, &[&past]].concat());
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(
            refused.stderr.contains("--world other"),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn another_network_is_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let links = |network: &str| {
        let past = folder.path().join(network);
        let written = past.display().to_string();
        let day = ["simulate", "--days", "1", "--seed", "50002"];
        let of = ["--network", network, "--history", &written];
        let written = other(&folder, &[&day[..], &of].concat());
        assert_eq!(written.code, 0, "{}", written.stderr);
        std::fs::read_to_string(past.join("links.txt")).unwrap()
    };
    assert_ne!(links("1"), links("2"));
    assert_eq!(links("2"), links("2"));
}
