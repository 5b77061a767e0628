//! A platform on a full disk, and on a failing one: nothing that was acknowledged is lost
//! (draft-wang-nmrg-magent-im §4.2).
//!
//! The disk is the shim of the store's own power loss tests, loaded into the real `convoke serve`;
//! clients use loopback SSH. Read next: `crates/store/tests/powerloss.rs`.
#![allow(clippy::unwrap_used)]

mod support;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::block_on;
use support::http::get;
use support::process::Running;
use support::talk::{self, Talk};

const AGENT: &str = "TMF-Convoke-IP-1.0.0";

/// A disk in a folder: the platform's folder, and the sign files that control the shim.
struct Disk {
    folder: tempfile::TempDir,
    shim: PathBuf,
}

impl Disk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let shim = folder.path().join("shim.so");
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/store/tests/powerloss/shim.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&shim);
        let compiled = compiler.arg(source).args(["-ldl", "-lpthread"]).status();
        assert!(
            compiled
                .expect("a C compiler, which SQLite needs as well")
                .success()
        );
        for name in ["state", "image"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, shim }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    async fn serve(&self) -> Running {
        let (state, image) = (self.path("state"), self.path("image"));
        let environment: [(&str, &OsStr); 5] = [
            ("LD_PRELOAD", self.shim.as_ref()),
            ("CONVOKE_DISK", state.as_ref()),
            ("CONVOKE_DISK_IMAGE", image.as_ref()),
            ("CONVOKE_DISK_EARLY", "30".as_ref()),
            ("CONVOKE_DISK_SEED", "1".as_ref()),
        ];
        Running::start_in(&state, &["serve", "--network", "none"], &environment).await
    }

    /// Creates a sign file, `full` or `fail`, during which the shim fails.
    fn put_up(&self, sign: &str) {
        std::fs::write(self.path("image").join(sign), "").unwrap();
    }

    fn take_down(&self, sign: &str) {
        std::fs::remove_file(self.path("image").join(sign)).unwrap();
    }
}

#[test]
fn on_a_full_disk_nothing_is_taken_on_until_there_is_space_again() {
    block_on(async {
        let disk = Disk::new();
        let running = disk.serve().await;
        let mut talk = Talk::connect(&running).await;
        let taken = talk.ask(&talk::assign(AGENT, "before")).await;
        assert!(taken.raw().contains("<verdict>"), "{}", taken.raw());
        disk.put_up("full");
        for _ in 0..3 {
            let refused = talk.ask(&talk::assign(AGENT, "meanwhile")).await;
            for part in ["resource-denied", "store-full"] {
                assert!(refused.raw().contains(part), "{}", refused.raw());
            }
            // Reads go on, and tell of nothing that did not happen.
            let tasks = talk.ask(&talk::get_tasks()).await;
            assert!(tasks.raw().contains(">before<"), "{}", tasks.raw());
            assert!(!tasks.raw().contains(">meanwhile<"), "{}", tasks.raw());
            let ready = get(running.http(), "/readyz", None).await;
            assert_eq!(ready.status, 503, "{ready:?}");
            assert_eq!(ready.json()["detail"], "the store is full");
        }
        disk.take_down("full");
        let taken = talk.ask(&talk::assign(AGENT, "meanwhile")).await;
        assert!(taken.raw().contains("<verdict>"), "{}", taken.raw());
        let ready = get(running.http(), "/readyz", None).await;
        assert_eq!(ready.status, 200, "{ready:?}");
    });
}

/// The port of a platform, with its colon.
fn port(running: &Running) -> &str {
    let address = running.address();
    &address[address.rfind(':').unwrap()..]
}

/// After a crash on a full disk the acknowledged data are still readable.
#[test]
fn on_a_full_disk_a_platform_that_was_killed_starts_and_tells() {
    block_on(async {
        let disk = Disk::new();
        let running = disk.serve().await;
        let mut talk = Talk::connect(&running).await;
        talk.ask(&talk::assign(AGENT, "before")).await;
        let before = port(&running).to_owned();
        running.kill().await;
        disk.put_up("full");
        // On other ports than before, which known_hosts cannot be told: its reader has to know.
        let running = disk.serve().await;
        let known_hosts = disk.path("state").join("known_hosts");
        let known = std::fs::read_to_string(&known_hosts).unwrap();
        std::fs::write(&known_hosts, known.replace(&before, port(&running))).unwrap();
        let mut talk = Talk::connect(&running).await;
        let tasks = talk.ask(&talk::get_tasks()).await;
        assert!(tasks.raw().contains(">before<"), "{}", tasks.raw());
        let names = std::fs::read_dir(disk.path("state")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let half = |name: &String| name.starts_with('.') || name.ends_with(".new");
        assert_eq!(names.filter(half).collect::<Vec<_>>(), [""; 0]);
    });
}

#[test]
fn on_a_disk_that_fails_nothing_is_acknowledged_and_the_platform_ends() {
    block_on(async {
        let disk = Disk::new();
        let running = disk.serve().await;
        let mut talk = Talk::connect(&running).await;
        talk.ask(&talk::assign(AGENT, "before")).await;
        disk.put_up("fail");
        let refused = talk.ask(&talk::assign(AGENT, "meanwhile")).await;
        for part in ["operation-failed", "store-failed"] {
            assert!(refused.raw().contains(part), "{}", refused.raw());
        }
        assert_eq!(running.ended().await.code(), Some(1));
    });
}
