//! `convoke cluster`: nodes shown, drained and told to lead, and the key that they share.
//!
//! The cluster is rows in memory; nodes that are processes are in `cluster.rs`. Read next: `cli.rs`.

#![allow(clippy::unwrap_used)]

mod cli_support;
mod support;

use cli_support::{Desk, Said, platform};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use support::block_on;
use support::process::{binary, run};

/// Which node leads, and the state of each.
fn shown(cluster: &Value) -> (Value, Vec<(&str, &str)>) {
    let nodes = cluster["nodes"].as_array().unwrap().iter();
    let states = nodes.map(|node| {
        let of = |leaf: &str| node[leaf].as_str().unwrap();
        assert!(!of("last_seen").is_empty() && !of("started").is_empty());
        (of("name"), of("state"))
    });
    (cluster["lead"][0]["holder"].clone(), states.collect())
}

#[test]
fn nodes_are_shown_drained_and_told_to_lead() {
    block_on(platform(async |desk: &Desk| {
        desk.run(&["cluster", "status"])
            .await
            .with_code(3)
            .says("no node of a cluster");
        desk.run(&["cluster", "move", "east"])
            .await
            .with_code(3)
            .says("no node of a cluster");
        harness::cluster::join(desk.engine());
        let told = desk.run(&["cluster", "status", "--json"]).await.well();
        let told = told.json();
        let (holder, states) = shown(&told[0]);
        assert_eq!(holder, "north");
        assert_eq!(
            states,
            [
                ("east", "standing-by"),
                ("north", "leading"),
                ("south", "gone"),
                ("west", "standing-by")
            ]
        );
        assert_eq!(told[0]["nodes"][3]["rules_agree"], json!(false));

        let moved = desk
            .run(&["cluster", "move", "east", "--json"])
            .await
            .well();
        assert_eq!(shown(&moved.json()[0]).0, "east");
        let drained = desk.run(&["cluster", "drain", "east"]).await.well();
        assert!(drained.stdout.contains("north leads"), "{drained:?}");
        desk.run(&["cluster", "drain", "north"])
            .await
            .with_code(3)
            .says("no other node could");
        desk.run(&["cluster", "move", "south"]).await.with_code(3);

        let table = desk.run(&["cluster", "status"]).await.well().stdout;
        let mut lines = table.lines();
        let header = lines.next().unwrap();
        assert!(header.starts_with("NODE   STATE        RULES"), "{header}");
        let row = |node: &str| table.lines().find(|line| line.starts_with(node)).unwrap();
        assert!(row("east").contains("draining"), "{table}");
        assert!(row("west").contains("differ"), "{table}");
        assert!(table.trim_end().ends_with("in epoch 9."), "{table}");
        let of_moves = |event: &Value| event["epoch"] == "9" && event["reason"] == "drained";
        desk.heard(&[], 1, of_moves).await;
    }));
}

#[test]
fn the_key_is_made_once_and_shown_by_its_digest() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let key = || {
        block_on(run(&state, &["cluster", "key", "--json"]))
            .well()
            .json()[0]
            .clone()
    };
    let made = key();
    assert_eq!(made["new"], json!(true));
    let file = state.join("cluster_key");
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.trim().len(), 64);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let again = key();
    assert_eq!(again["new"], json!(false));
    assert_eq!(again["digest"], made["digest"]);
    std::fs::write(&file, "no key").unwrap();
    block_on(run(&state, &["cluster", "key"]))
        .with_code(3)
        .says("64 hexadecimal");
}

/// `examples/cluster/keys.sh` gives every folder the same keys, and touches none that is there.
#[test]
fn the_folders_of_nodes_are_made_alike() {
    let folder = tempfile::tempdir().unwrap();
    let made = |nodes: &[&str]| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/cluster/keys.sh");
        let nodes = nodes.iter().map(|node| folder.path().join(node));
        let output = Command::new(script).arg(binary()).args(nodes).output();
        let output = output.unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    assert_eq!(made(&["a", "b/c"]), (true, String::new()));
    let files = |node: &str| {
        let all = std::fs::read_dir(folder.path().join(node)).unwrap();
        let files = all
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file());
        let named = |path: std::path::PathBuf| {
            let mode = path.metadata().unwrap().permissions().mode() & 0o777;
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, (mode, std::fs::read(&path).unwrap()))
        };
        files
            .map(named)
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let own = files("a");
    assert_eq!(own, files("b/c"));
    for key in [
        "host_ed25519",
        "store_key",
        "cluster_key",
        "operator_ed25519",
    ] {
        assert_eq!(own[key].0, 0o600, "{key}");
    }
    let let_in = std::fs::read(folder.path().join("a/users/operator.pub")).unwrap();
    assert_eq!(let_in, own["operator_ed25519.pub"].1);
    for other in ["convoke.db", "store_head", "known_hosts"] {
        assert!(!own.contains_key(other), "{other}");
    }
    let (well, said) = made(&["d", "a"]);
    assert!(!well && said.contains("is there already"), "{said}");
    assert!(!folder.path().join("d").exists());
}
