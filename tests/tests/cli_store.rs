//! The store of a real `convoke serve`, as its operator uses it: verified, restored from a backup,
//! accepted, and without its key; and its audit trail, shown and exported.
//!
//! The verification of rows and log is tested in `store::tests::forgeries`. Read next:
//! `support::process`.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use support::block_on;
use support::process::{FREE_PORTS, Finished, Running, run, run_into};

/// Starts a platform and stops it in order.
async fn once(state: &Path) {
    let running = Running::serve(state).await;
    assert_eq!(running.stop().await.code(), Some(0));
}

async fn refused(state: &Path) -> Finished {
    let serve = [&["serve", "--network", "none"][..], &FREE_PORTS].concat();
    run(state, &serve).await
}

async fn verdict(state: &Path) -> serde_json::Value {
    let finished = run(state, &["store", "verify", "--json"]).await;
    finished.json().remove(0)
}

#[test]
fn a_store_is_verified_set_back_and_accepted() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path();
        let (database, backup) = (state.join("convoke.db"), state.join("backup"));
        once(state).await;
        let told = run(state, &["store", "verify"]).await.well().stdout;
        assert!(told.contains(": sound and authentic"), "{told}");
        assert!(told.contains("the head is sealed"), "{told}");
        std::fs::copy(&database, &backup).unwrap();
        once(state).await;
        std::fs::copy(&backup, &database).unwrap();
        let told = refused(state).await.with_code(3).stderr;
        let command = format!("convoke store accept --state {}", state.display());
        let reason = format!("but {} has seen entry", state.join("store_head").display());
        assert!(told.contains(&reason) && told.contains(&command), "{told}");
        let found = run(state, &["store", "verify"]).await.with_code(1);
        assert_eq!(found.stderr, "convoke: the store was forged\n");
        let accepted = run(state, &["store", "accept"]).await.well().stdout;
        assert!(
            accepted.starts_with("accepted, and on record: "),
            "{accepted}"
        );
        once(state).await;
        let report = verdict(state).await;
        assert_eq!(report["authentic"], true);
        assert_eq!(report["attestations"][0]["ground"], "restored");
        let again = run(state, &["store", "accept"]).await.well().stdout;
        assert_eq!(again, "there is nothing to accept\n");
    });
}

#[test]
fn a_store_in_use_ends_every_command_alike() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path();
        let running = Running::serve(state).await;
        for command in ["rotate", "accept"] {
            let told = run(state, &["store", command]).await.with_code(5).stderr;
            assert!(told.contains("is in use by another process"), "{told}");
        }
        refused(state).await.with_code(5);
        assert_eq!(running.stop().await.code(), Some(0));
    });
}

#[test]
fn a_store_without_its_key_is_sound_and_not_authenticated() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path();
        once(state).await;
        run(state, &["store", "rotate"]).await.well();
        assert_eq!(
            verdict(state).await["attestations"][0]["ground"],
            "rotation"
        );
        std::fs::rename(state.join("store_key"), state.join("elsewhere")).unwrap();
        let found = run(state, &["store", "verify"]).await.with_code(6);
        assert_eq!(
            found.stderr,
            "convoke: not authenticated: structure, chain and signatures are sound, but without the \
             key nobody can tell who wrote the rows\n"
        );
        let told = refused(state).await.with_code(1).stderr;
        let gone = format!("{} is gone, and ", state.join("store_key").display());
        assert!(told.contains(&gone), "{told}");
        assert!(!state.join("store_key").exists(), "no other is made");
        std::fs::rename(state.join("elsewhere"), state.join("store_key")).unwrap();
        once(state).await;
    });
}

/// A backup is made beside a platform, put back where nothing is, and the platform goes on with it.
#[test]
fn a_store_is_backed_up_while_it_is_used_and_put_back() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let (state, away) = (folder.path().join("state"), folder.path().join("away"));
        let state = state.as_path();
        let file = folder.path().join("backup.db");
        let file = file.to_str().unwrap();
        let running = Running::serve(state).await;
        let made = run(state, &["store", "backup", file, "--json"])
            .await
            .well();
        let made = made.json().remove(0);
        assert_eq!(
            (&made["event"], &made["authentic"]),
            (&"backed-up".into(), &true.into())
        );
        let told = run(state, &["store", "backup", file])
            .await
            .with_code(5)
            .stderr;
        assert!(told.contains("nothing is overwritten"), "{told}");
        for command in [["restore", file], ["import", "--from"]] {
            let words = [&["store"][..], &command].concat();
            let words = [&words[..], &[file][..usize::from(command[0] == "import")]].concat();
            let told = run(state, &words).await.with_code(5).stderr;
            assert!(told.contains("is in use by another process"), "{told}");
        }
        assert_eq!(running.stop().await.code(), Some(0));
        // What is there is not overwritten, and what is put back is the same.
        let told = run(state, &["store", "restore", file])
            .await
            .with_code(5)
            .stderr;
        assert!(told.contains("holds something already"), "{told}");
        std::fs::create_dir(&away).unwrap();
        std::fs::rename(state.join("convoke.db"), away.join("convoke.db")).unwrap();
        let restored = run(state, &["store", "restore", file, "--json"])
            .await
            .well();
        let restored = restored.json().remove(0);
        assert_eq!(restored["event"], "restored");
        for same in ["head", "digest", "rows", "last"] {
            assert_eq!(restored[same], made[same], "{same}");
        }
        let given_up = restored["accepted"][0].as_str().unwrap();
        assert!(given_up.contains("has seen entry"), "{given_up}");
        let report = verdict(state).await;
        assert_eq!(
            (&report["authentic"], &report["digest"]),
            (&true.into(), &made["digest"])
        );
        assert_eq!(report["attestations"][1]["ground"], "restored");
        once(state).await;

        // Into another folder: with the key alone, which is asked for before anything is copied.
        let other = folder.path().join("other");
        std::fs::create_dir(&other).unwrap();
        let from = state.to_str().unwrap();
        let told = run(&other, &["store", "import", "--from", from])
            .await
            .with_code(6)
            .stderr;
        assert!(told.contains("its key is not here"), "{told}");
        assert!(!other.join("convoke.db").exists());
        std::fs::copy(state.join("store_key"), other.join("store_key")).unwrap();
        let told = run(&other, &["store", "restore", file])
            .await
            .with_code(1)
            .stderr;
        assert!(told.contains("host_ed25519 is missing"), "{told}");
        let told = run(&other, &["store", "import", "--from", from])
            .await
            .well()
            .stdout;
        assert!(told.contains(": sound and authentic"), "{told}");
        once(&other).await;
    });
}

/// A changed host key needs one acceptance.
#[test]
fn a_host_key_is_changed() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path();
        once(state).await;
        std::fs::remove_file(state.join("host_ed25519")).unwrap();
        let told = refused(state).await.with_code(3).stderr;
        assert!(
            told.contains("is not signed with the host key in use"),
            "{told}"
        );
        run(state, &["store", "accept"]).await.well();
        once(state).await;
        let report = verdict(state).await;
        assert_eq!(
            (&report["authentic"], &report["sound"]),
            (&true.into(), &true.into())
        );
        let grounds: Vec<_> = report["attestations"].as_array().unwrap().iter().collect();
        assert!(
            grounds.iter().any(|a| a["ground"] == "host-key"),
            "{grounds:?}"
        );
    });
}

/// Audit records outlive the platform that wrote them; filters select among them.
#[test]
fn the_audit_trail_is_shown_and_exported() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path();
        let running = Running::serve(state).await;
        running.client(&["agent", "list"]).await.well();
        assert_eq!(running.stop().await.code(), Some(0));
        let running = Running::serve(state).await;
        let show = ["audit", "show", "--kind", "login", "--about", "operator"];
        let told = running.client(&show).await.well().stdout;
        let mut rows = told.lines();
        assert!(rows.next().unwrap().starts_with("TIME "), "{told}");
        let login = rows.next().unwrap();
        assert!(
            login.contains("ssh 127.0.0.1") && login.contains("SHA256:"),
            "{told}"
        );
        let lines = running
            .client(&[&show[..], &["--json"]].concat())
            .await
            .well()
            .json();
        let first = &lines[0];
        assert_eq!(
            (&first["event"], &first["user"], &first["count"]),
            (&"audit".into(), &"operator".into(), &1.into())
        );
        let file = state.join("trail.jsonl").display().to_string();
        let since = first["time"].as_str().unwrap();
        let export = [
            "audit", "export", "--file", &file, "--kind", "login", "--since", since,
        ];
        running.client(&export).await.well();
        let exported = std::fs::read_to_string(&file).unwrap();
        let exported: serde_json::Value =
            serde_json::from_str(exported.lines().next().unwrap()).unwrap();
        assert_eq!(exported, *first);
        running.client(&export).await.with_code(1);
        // What is lost on the way out is not told as done, over the wire or from the state folder.
        let address = running.address();
        for command in [
            &["audit", "export", "--netconf", address][..],
            &["token", "issue", "operator"],
            &["token", "list"],
        ] {
            let lost = into_nowhere(state, command).await.with_code(1);
            assert!(
                lost.stderr.contains("standard output: No space left"),
                "{lost:?}"
            );
        }
        for of in [["--about", "nobody"], ["--since", "2999-01-01T00:00:00Z"]] {
            let asked = [&["audit", "show"], &of[..]].concat();
            let nothing = running.client(&asked).await.well().stdout;
            assert_eq!(nothing, "Nothing of that is in the audit trail.\n");
        }
        running
            .client(&["audit", "show", "--kind", "gossip"])
            .await
            .with_code(2);
        running
            .client(&["audit", "show", "--since", "yesterday"])
            .await
            .with_code(2);
        assert_eq!(running.stop().await.code(), Some(0));
    });
}

/// Runs a command whose output device is full.
async fn into_nowhere(state: &Path, arguments: &[&str]) -> Finished {
    let full = std::fs::File::options().write(true).open("/dev/full");
    run_into(state, arguments, full.unwrap().into()).await
}
