//! `convoke cluster`: nodes shown, drained and told to lead, and the key that they share.
//!
//! The cluster is rows in memory, except where nodes join; what becomes of nodes that are processes is in
//! `cluster.rs`. Read next: `cli.rs`.

#![allow(clippy::unwrap_used)]

mod cli_support;
mod support;

use cli_support::{Desk, Said, platform};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use support::process::{Finished, Running, binary, run};
use support::{block_on, within};
use testkit::postgres::{Server, Setting};

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
        for (name, of_east) in [("subscribers", 2), ("lag_events", 3), ("lag_ms", 40)] {
            assert_eq!(told[0]["nodes"][0][name], json!(of_east));
            assert_eq!(told[0]["nodes"][1][name], Value::Null);
        }
        assert_eq!(told[0]["takeovers"], json!(6));

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
        assert!(row("east").ends_with("40 ms, 3 events"), "{table}");
        let last = "in epoch 9; take-overs since its start: 8.";
        assert!(table.trim_end().ends_with(last), "{table}");
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
        "token_ed25519",
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

/// A node that leads, with a user more than it begins with; who joins it, and how.
struct LeadingNode {
    folder: tempfile::TempDir,
    node: Running,
}

impl LeadingNode {
    async fn start(url: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let serve = ["serve", "--node", "a", "--store", url];
        let channel = ["--cluster-listen", "127.0.0.1:0"];
        let mut node = Running::start(folder.path(), &[&serve[..], &channel].concat()).await;
        node.told("leading").await;
        std::fs::write(
            folder.path().join("users/noc.pub"),
            "ssh-ed25519 AAAA noc\n",
        )
        .unwrap();
        Self { folder, node }
    }

    fn key(&self) -> String {
        let key = self.folder.path().join("cluster_key");
        key.to_str().unwrap().to_owned()
    }
}

/// The arguments of a node that joins.
fn joins<'a>(node: &'a str, at: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let serve = ["serve", "--node", node, "--cluster-listen", "127.0.0.1:0"];
    [&serve[..], &["--join", at], more].concat()
}

async fn refused(state: &Path, node: &str, at: &str, more: &[&str]) -> Finished {
    run(state, &joins(node, at, more)).await
}

fn text(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap_or_default()
}

#[test]
fn a_node_joins_by_any_other_with_nothing_but_the_key() {
    let Some(server) = Server::start(&Setting {
        fsync: true,
        tls: true,
    }) else {
        return;
    };
    let database = server.database();
    let url = database.by_port("127.0.0.1");
    block_on(async {
        let leading = LeadingNode::start(&url).await;
        let (b, c) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (at, key) = (channel_of(&leading.node, 1).await, leading.key());
        let mut node_b = Running::start(b.path(), &joins("b", &at, &["--cluster-key", &key])).await;
        assert_eq!(node_b.told("standing-by").await["leader"], "a");
        // By one that stands by.
        let at = channel_of(&leading.node, 2).await;
        std::fs::create_dir_all(c.path().join("state")).unwrap();
        let c = c.path().join("state");
        std::fs::copy(&key, c.join("cluster_key")).unwrap();
        let mut node_c = Running::start(&c, &joins("c", &at, &[])).await;
        assert_eq!(node_c.told("standing-by").await["leader"], "a");
        let a = leading.folder.path();
        for (file, mode) in [
            ("host_ed25519", 0o600),
            ("store_key", 0o600),
            ("cluster_key", 0o600),
            ("operator_ed25519", 0o600),
            ("access.toml", 0o644),
            ("users/noc.pub", 0o644),
        ] {
            for other in [b.path(), &c] {
                assert_eq!(text(other, file), text(a, file), "{file}");
                let found = other.join(file).metadata().unwrap().permissions();
                assert_eq!(found.mode() & 0o777, mode, "{file}");
            }
        }
        // With the password of the database.
        assert_eq!(text(&c, "store_url"), url);
        let mode = c.join("store_url").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let nodes = nodes(&leading.node, 3).await;
        let agree = nodes.iter().filter(|it| it["rules_agree"] == true).count();
        assert_eq!(agree, 3, "{nodes:?}");
        let audit = ["audit", "show", "--kind", "node-joined", "--json"];
        let trail = node_c.client(&audit).await.well().json();
        let joined: Vec<&Value> = trail.iter().map(|it| &it["subject"]).collect();
        assert_eq!(joined, ["b", "c"], "{trail:?}");
        assert_eq!(trail[0]["source"], "cluster 127.0.0.1");

        // It has led no less than others can.
        leading.node.client(&["cluster", "move", "c"]).await.well();
        node_c.told("leading").await;
        assert_eq!(leading.node.stop().await.code(), Some(0));
        assert_eq!(node_b.stop().await.code(), Some(0));
        // What is different is said, nothing is changed, and it starts.
        std::fs::remove_file(b.path().join("users/noc.pub")).unwrap();
        let channel = channel_of(&node_c, 3).await;
        let mut node_b = Running::start(b.path(), &joins("b", &channel, &[])).await;
        node_b.told("rules-differ").await;
        assert!(!b.path().join("users/noc.pub").exists());
        let sync = ["cluster", "sync", "--from", &channel];
        let differ = run(b.path(), &[&sync[..], &["--dry-run", "--json"]].concat()).await;
        let differ = differ.well().json();
        let expected = json!([{ "file": "users/noc.pub", "was": "missing" }]);
        assert_eq!(
            (&differ[0]["event"], &differ[0]["files"]),
            (&json!("differs"), &expected)
        );
        std::fs::write(b.path().join("users/gone.pub"), "x").unwrap();
        let said = run(b.path(), &sync).await.well().stdout;
        assert!(
            said.contains("users/gone.pub (here alone), users/noc.pub (missing here)"),
            "{said}"
        );
        node_b.told("standing-by").await;
        assert!(!b.path().join("users/gone.pub").exists());
        let again = run(b.path(), &sync).await.well();
        assert!(
            again
                .stdout
                .trim_end()
                .ends_with(": as with the node that leads")
        );
        // One that is of the platform needs nobody to start with.
        assert_eq!(node_b.stop().await.code(), Some(0));
        assert_eq!(node_c.stop().await.code(), Some(0));
        let mut node_b = Running::start(b.path(), &joins("b", &channel, &[])).await;
        node_b.told("leading").await;
        node_b.stop().await;
    });
}

/// The nodes as one of them tells, once there are so many.
async fn nodes(node: &Running, count: usize) -> Vec<Value> {
    let told = async {
        loop {
            let told = node.client(&["cluster", "status", "--json"]).await.well();
            let nodes = told.json()[0]["nodes"].as_array().unwrap().clone();
            if nodes.len() >= count {
                break nodes;
            }
        }
    };
    within("all nodes", told).await
}

/// The address of the channel of the last of so many nodes.
async fn channel_of(node: &Running, count: usize) -> String {
    let nodes = nodes(node, count).await;
    nodes[count - 1]["address"].as_str().unwrap().to_owned()
}

#[test]
fn who_cannot_join_says_why_and_changes_nothing() {
    let Some(server) = Server::start(&Setting {
        fsync: true,
        tls: true,
    }) else {
        return;
    };
    let database = server.database();
    let url = database.by_socket();
    block_on(async {
        let leading = LeadingNode::start(&url).await;
        let (at, key) = (channel_of(&leading.node, 1).await, leading.key());
        let given = ["--cluster-key", key.as_str()];
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let missing = refused(&state, "b", &at, &[]).await;
        missing
            .with_code(2)
            .says("put the key of the other nodes there");
        let other = folder.path().join("other");
        std::fs::write(&other, "0".repeat(64)).unwrap();
        std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o600)).unwrap();
        let other = other.to_str().unwrap();
        let stranger = refused(&state, "b", &at, &["--cluster-key", other]).await;
        stranger.with_code(3).says("has another cluster key");
        let netconf = refused(&state, "b", leading.node.address(), &given).await;
        netconf.with_code(3).says("or is no node");
        assert!(!state.join("cluster_key").exists());

        std::fs::write(state.join("access.toml"), "mine").unwrap();
        let differs = refused(&state, "b", &at, &given).await;
        differs
            .with_code(3)
            .says("has otherwise: access.toml, host_ed25519 (missing here)");
        let left: Vec<_> = std::fs::read_dir(&state).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        let accepts = [&given[..], &["--accept-rules"]].concat();
        let mut node = Running::start(&state, &joins("b", &at, &accepts)).await;
        node.told("standing-by").await;
        let a = leading.folder.path();
        assert_eq!(text(&state, "access.toml"), text(a, "access.toml"));
        node.stop().await;

        // A folder of another platform stays one, and its store is not lost.
        let alone = folder.path().join("alone");
        Running::serve(&alone).await.stop().await;
        let own = text(&alone, "store_key");
        let store = ["--store", url.as_str()];
        let differs = refused(&alone, "d", &at, &[&given[..], &store].concat()).await;
        differs.with_code(3).says("store_key");
        let lost = refused(&alone, "d", &at, &[&accepts[..], &store].concat()).await;
        lost.with_code(3).says("has a store of its own");
        std::fs::copy(&key, alone.join("cluster_key")).unwrap();
        let foreign = run(&alone, &["cluster", "sync", "--from", &at]).await;
        foreign.with_code(3).says("another platform");
        assert_eq!(text(&alone, "store_key"), own);
    });
}
