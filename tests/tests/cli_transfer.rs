//! The operator's commands over an unreliable connection: transfers resume, a watcher misses
//! nothing; and the end of their sessions, for any end of a command.
//!
//! Between the command and the platform is a relay that the test cuts. Read next: `cli.rs`.

#![allow(clippy::unwrap_used)]

mod cli_support;
mod support;

use cli_support::{Desk, platform};
use domain::event::Termination;
use serde_json::Value;
use support::{block_on, within};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

/// A non-repetitive sequence of bytes, so that a misplaced piece is noticed.
fn bytes(length: u32) -> Vec<u8> {
    let word = |n: u32| n.wrapping_mul(2_654_435_761).to_le_bytes();
    (0..length.div_ceil(4)).flat_map(word).collect()
}

#[test]
fn data_go_on_where_they_were_broken_off() {
    block_on(platform(async |desk: &Desk| {
        let whole = bytes(1_200_000);
        let file = desk.file("film", &whole);
        let put = [
            "data", "put", &file, "--id", "film", "--type", "video", "--json",
        ];
        let broken = desk.relay(900_000).await;
        desk.run_at(broken.address(), &put).await.with_code(4);
        let put_on = desk.run(&put).await.well().json();
        assert_eq!(put_on[0]["event"], "put");
        assert_eq!(put_on[0]["size"], 1_200_000);
        let resumed = put_on[0]["resumed"].as_u64().unwrap();
        assert!((262_144..1_200_000).contains(&resumed), "{resumed}");
        let again = desk.run(&put).await.well().json();
        assert_eq!(
            again[0]["sha256"], put_on[0]["sha256"],
            "the same again is the same"
        );

        let output = desk.path("copy");
        let get = ["data", "get", "film", "--json", "--output", &output];
        let broken = desk.relay(900_000).await;
        desk.run_at(broken.address(), &get).await.with_code(4);
        assert!(
            !std::path::Path::new(&output).exists(),
            "half of it is not it"
        );
        let got = desk.run(&get).await.well().json();
        assert!(got[0]["resumed"].as_u64().unwrap() >= 262_144, "{got:?}");
        assert_eq!(got[0]["sha256"], put_on[0]["sha256"]);
        assert!(std::fs::read(&output).unwrap() == whole);
        assert!(!std::path::Path::new(&format!("{output}.part")).exists());

        // A part of something else is no beginning.
        std::fs::write(format!("{output}.part"), bytes(2_000_000)).unwrap();
        desk.run(&get).await.well();
        assert!(std::fs::read(&output).unwrap() == whole);
        // Nor is one that is not longer, whether its SHA-256 is known or not.
        std::fs::remove_file(&output).unwrap();
        std::fs::write(format!("{output}.part"), vec![7; 300_000]).unwrap();
        let damaged = desk.run(&get).await.with_code(1);
        assert!(damaged.stderr.contains("SHA-256"), "{}", damaged.stderr);
        assert!(!std::path::Path::new(&output).exists());
        desk.run(&get).await.well();
        assert!(std::fs::read(&output).unwrap() == whole);
        let other = "0".repeat(64);
        let wrong = [&get[..], &["--sha256", &other]].concat();
        desk.run(&wrong).await.with_code(1);
    }));
}

#[test]
fn what_is_there_is_not_written_over_and_not_read_by_everybody() {
    block_on(platform(async |desk: &Desk| {
        let one = desk.file("one", b"one");
        let put = ["data", "put", &one, "--id", "note", "--reader", "ip"];
        desk.run(&put).await.well();
        desk.run(&put).await.well();
        let two = desk.file("two", b"two");
        desk.run(&["data", "put", &two, "--id", "note"])
            .await
            .with_code(5);
        let get = ["data", "get", "note", "--output", &desk.path("got")];
        for (user, code) in [("ip", 0), ("wireless", 3)] {
            desk.run(&[&get[..], &["--user", user]].concat())
                .await
                .with_code(code);
        }
        assert_eq!(std::fs::read(desk.path("got")).unwrap(), b"one");
        let empty = desk.file("empty", b"");
        desk.run(&["data", "put", &empty, "--id", "empty"])
            .await
            .well();
        let get = ["data", "get", "empty", "--output", &desk.path("nothing")];
        desk.run(&get).await.well();
        assert_eq!(std::fs::read(desk.path("nothing")).unwrap(), b"");
    }));
}

#[test]
fn a_watcher_misses_nothing_while_the_line_is_cut() {
    block_on(platform(async |desk: &Desk| {
        let relay = desk.relay(u64::MAX).await;
        let since = "2026-01-01T00:00:00Z";
        // Its own session apart, the watcher finds one that came and went before it.
        desk.run(&["agent", "list"]).await.well();
        let watch = ["watch", "--json", "--since", since];
        let mut child = desk.start_at(relay.address(), &watch);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut next = async || -> Value {
            let line = within("the watcher", lines.next_line()).await;
            serde_json::from_str(&line.unwrap().expect("it goes on")).unwrap()
        };
        let assign = ["task", "assign", "ip", "site-1", "now", "--id"];
        let finished = |v: &Value, task: &str| {
            let content = &v["content"];
            content["task-id"] == task && content["input-required"]["status"] == "finished"
        };
        let mut seen = vec![next().await];
        for round in 0..3 {
            relay.cut();
            let task = format!("t-{round}");
            desk.run(&[&assign[..], &[&task]].concat()).await.well();
            relay.mend();
            loop {
                let heard = next().await;
                let done = finished(&heard, &task);
                seen.push(heard);
                if done {
                    break;
                }
            }
        }
        assert!(seen.iter().any(|v| v["event"] == "lost"), "{seen:?}");
        assert!(seen.iter().any(|v| v["event"] == "back"));
        // Sessions come and go as well: tasks are what a second watcher can be compared by.
        let tasks = |all: &[Value]| -> Vec<Value> {
            let told = all
                .iter()
                .filter(|v| v["name"] == "condition-notifications");
            told.cloned().collect()
        };
        let seen = tasks(&seen);
        let mut all = Vec::new();
        for task in ["t-0", "t-1", "t-2"] {
            let events = seen
                .iter()
                .filter(|v| v["content"]["task-id"] == task)
                .count();
            let count = events.to_string();
            let of = [
                "watch", "--json", "--since", since, "--task", task, "--count", &count,
            ];
            all.extend(tasks(&desk.run(&of).await.well().json()));
        }
        assert_eq!(seen, all, "each once, in order");
    }));
}

/// A command closes its session whether it is done, interrupted, or its output is not read.
#[test]
fn a_command_closes_its_session_however_it_ends() {
    block_on(platform(async |desk: &Desk| {
        desk.assign_many(450).await;
        assert_eq!(desk.ends(1).await, [Termination::Closed]);

        desk.run(&["agent", "list"]).await.well();
        assert_eq!(desk.ends(2).await[1..], [Termination::Closed]);

        let watch = ["watch", "--json", "--since", "2026-01-01T00:00:00Z"];
        let mut watch = desk.start_at(desk.address(), &watch);
        let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
        assert!(within("a line", lines.next_line()).await.unwrap().is_some());
        let pid = watch.id().unwrap().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().await;
        assert!(sent.unwrap().success());
        while within("the rest", lines.next_line())
            .await
            .unwrap()
            .is_some()
        {}
        let status = within("the end", watch.wait()).await.unwrap();
        assert_eq!(status.code(), Some(130));
        assert_eq!(desk.ends(3).await[2..], [Termination::Closed]);

        // More than a pipe holds.
        let first = desk
            .shell("convoke task list --json | head -1")
            .await
            .well();
        assert_eq!(first.stdout.lines().count(), 1);
        assert_eq!(desk.ends(4).await[3..], [Termination::Closed]);
    }));
}
