//! A real `convoke serve` whose state is in PostgreSQL: killed, started again, kept from others,
//! verified, and left alone by its database for a while.
//!
//! What the store does there is tested in `store::tests` and `store::postgres::tests`. Skipped, and
//! said so, without PostgreSQL. Read next: `support::process`, [`testkit::postgres`].

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};
use support::block_on;
use support::process::{FREE_PORTS, Finished, Running, run};
use testkit::PATIENCE;
use testkit::postgres::{Server, Setting, shared};

const DURABLE: Setting = Setting {
    fsync: true,
    tls: true,
};

/// The arguments of a platform with its state in a database.
fn serve(url: &str) -> [&str; 5] {
    ["serve", "--network", "none", "--store", url]
}

/// A start that ends by itself.
async fn refused(state: &Path, url: &str) -> Finished {
    run(state, &[&serve(url)[..], &FREE_PORTS].concat()).await
}

/// Assigns a task that its agent ends at once.
async fn assign(running: &Running, id: &str) -> Finished {
    let payload = r#"{"schema_id":"service_intent_v1","payload":{"action":"show"}}"#;
    let request = [
        "task",
        "assign",
        "service-intent",
        "intents",
        "--id",
        id,
        "--payload",
        payload,
    ];
    running.client(&request).await
}

/// Asserts that a task has ended with a result.
async fn finished(running: &Running, id: &str) {
    let told = running.client(&["task", "show", id]).await.well().stdout;
    assert!(told.contains("finished"), "{told}");
}

async fn verified(state: &Path, url: &str) -> Finished {
    run(state, &["store", "verify", "--store", url, "--json"]).await
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill_and_nobody_else_gets_in() {
    let Some(server) = Server::start(&DURABLE) else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    block_on(async {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let state = folder.path();
        let running = Running::start(state, &serve(url)).await;
        assign(&running, "kept").await.well();
        let told = refused(state, url).await.with_code(5).stderr;
        assert!(told.contains("is in use by another process"), "{told}");
        // Another platform has another key, and this one's state needs the one that it has.
        let key = state.join("store_key");
        std::fs::copy(&key, elsewhere.path().join("store_key")).unwrap();
        let told = refused(elsewhere.path(), url).await.with_code(5).stderr;
        assert!(told.contains("the state is in use: SHA256:"), "{told}");
        running.kill().await;

        // Its own successor: at once, and not when what the killed one owned has run out.
        let running = Running::start(state, &serve(url)).await;
        finished(&running, "kept").await;
        assert_eq!(running.stop().await.code(), Some(0));
        let found = verified(state, url).await.well().json().remove(0);
        assert_eq!(
            (&found["authentic"], &found["faults"]),
            (&true.into(), &Value::Array(vec![]))
        );
        assert_eq!(found["sealed"], found["last"], "sealed at its end");
        assert!(
            !state.join("convoke.db").exists(),
            "no file holds a state as well"
        );
    });
}

#[test]
fn a_platform_whose_database_goes_away_goes_on_once_that_is_back() {
    let Some(server) = Server::start(&DURABLE) else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let begun = Instant::now();
    std::thread::scope(|scope| {
        block_on(async {
            let folder = tempfile::tempdir().unwrap();
            let state = folder.path();
            let running = Running::start(state, &serve(url)).await;
            assign(&running, "kept").await.well();
            // Its connections are ended, and nobody notices.
            for turn in 0..3 {
                database.say(cut);
                let id = format!("cut-{turn}");
                assign(&running, &id).await.well();
                finished(&running, &id).await;
            }
            let away = scope.spawn(|| server.restart(Duration::from_secs(10)));
            // What was under way is tried for a while, and what comes then is refused.
            let (mut turn, mut refused, mut stored) = (0, 0, Vec::new());
            while !away.is_finished() || stored.is_empty() {
                let id = format!("away-{turn}");
                let told = assign(&running, &id).await;
                match told.code {
                    0 => stored.push(id),
                    _ if told.stderr.contains("cannot be reached") => refused += 1,
                    _ => panic!("{}", told.stderr),
                }
                turn += 1;
                assert!(begun.elapsed() < PATIENCE, "it does not come back");
            }
            assert!(refused > 0, "it was away");
            for id in stored {
                finished(&running, &id).await;
            }
            finished(&running, "kept").await;
            assert_eq!(running.stop().await.code(), Some(0));
            let found = verified(state, url).await.well().json().remove(0);
            assert_eq!(
                (&found["authentic"], &found["faults"]),
                (&true.into(), &Value::Array(vec![]))
            );
        })
    });
}

/// One folder, from its file into a database and back, with an answer in each; and what is advised where the database
/// is doubted.
#[test]
fn a_platform_moves_into_a_database_and_back() {
    let Some(server) = Server::start(&DURABLE) else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let (state, away) = (folder.path().join("state"), folder.path().join("away.db"));
        let state = state.as_path();
        let running = Running::serve(state).await;
        assign(&running, "one").await.well();
        assert_eq!(running.stop().await.code(), Some(0));
        let before = run(state, &["store", "verify", "--json"]).await.well();
        let before = before.json().remove(0);
        let from = state.to_str().unwrap();
        let import = ["store", "import", "--from", from, "--store", url, "--json"];
        let moved = run(state, &import).await.well().json().remove(0);
        assert_eq!(
            (&moved["digest"], &moved["authentic"]),
            (&before["digest"], &true.into())
        );
        run(state, &import).await.with_code(5);
        // The file is not the state any more.
        let in_file = [&["serve", "--network", "none"][..], &FREE_PORTS].concat();
        let told = run(state, &in_file).await.with_code(3).stderr;
        assert!(told.contains("has seen entry"), "{told}");
        let running = Running::start(state, &serve(url)).await;
        finished(&running, "one").await;
        assign(&running, "two").await.well();
        let file = folder.path().join("backup.db");
        let backup = [
            "store",
            "backup",
            file.to_str().unwrap(),
            "--store",
            url,
            "--json",
        ];
        let copied = run(state, &backup).await.well().json().remove(0);
        assert_eq!(copied["authentic"], true);
        assert_eq!(running.stop().await.code(), Some(0));

        std::fs::rename(state.join("convoke.db"), &away).unwrap();
        let back = ["store", "import", "--from", url];
        run(state, &back).await.well();
        let running = Running::serve(state).await;
        for task in ["one", "two"] {
            finished(&running, task).await;
        }
        assert_eq!(running.stop().await.code(), Some(0));
        let report = run(state, &["store", "verify", "--json"]).await.well();
        let report = report.json().remove(0);
        let grounds = report["attestations"].as_array().unwrap().iter();
        let grounds: Vec<_> = grounds.map(|on| on["ground"].as_str().unwrap()).collect();
        assert_eq!(grounds, ["imported", "imported"]);

        // What is advised is about the store that was doubted.
        let told = refused(state, url).await.with_code(3).stderr;
        let advised = told
            .split("if that is what is wanted: convoke ")
            .nth(1)
            .unwrap();
        let words: Vec<&str> = advised.split_whitespace().collect();
        assert_eq!(&words[..4], ["store", "accept", "--state", from]);
        run(state, &[&words[..2], &words[4..]].concat())
            .await
            .well();
        let running = Running::start(state, &serve(url)).await;
        finished(&running, "two").await;
        assert_eq!(running.stop().await.code(), Some(0));
    });
}

#[test]
fn a_database_that_will_not_do_is_told_with_what_would() {
    let Some(fast) = shared() else {
        return;
    };
    let database = fast.database();
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path();
        let url = database.by_socket();
        let told = refused(state, &url).await.with_code(3).stderr;
        assert!(told.contains("it has acknowledged: fsync is off"), "{told}");
        // Nobody listens there, and nobody is to read the password.
        let url = "postgres://convoke:secret@127.0.0.1:1/convoke";
        let told = refused(state, url).await.with_code(4).stderr;
        assert!(told.contains("cannot be reached"), "{told}");
        assert!(!told.contains("secret"), "{told}");
        let told = refused(state, "postgres://convoke:secret")
            .await
            .with_code(2)
            .stderr;
        assert!(
            told.contains("--store is no address of a database"),
            "{told}"
        );
        assert!(!told.contains("secret"), "{told}");
    });
}
