//! A second server that follows the first, and what befalls both: killed, stopped, promoted.
//!
//! A standby is a copy of its primary's folder and streams from there; whether commits wait for it is
//! said to the primary. Knows processes by `/proc`. Read next: [`super`].

use super::programs::Owner;
use super::{Server, USER, succeeds};
use crate::PATIENCE;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The time between two looks at a server.
const LOOK: Duration = Duration::from_millis(20);

impl Server {
    /// A standby that streams what this server writes. Nobody waits for it before
    /// [`Self::awaits_standby`].
    ///
    /// # Panics
    /// If it does not start.
    pub fn standby(&self) -> Self {
        let owner = Owner::find();
        let standby = self.beside(owner);
        let from = format!(
            "host={} port={} user={USER} application_name=standby",
            self.folder().display(),
            self.port()
        );
        let mut copy = owner.command(self.programs.basebackup());
        copy.arg("--pgdata").arg(standby.data());
        copy.args(["--write-recovery-conf", "--checkpoint", "fast", "--no-sync"]);
        succeeds(copy.args(["--dbname", &from]));
        standby.started(owner)
    }

    /// Has commits wait until a standby has them, from when one streams.
    ///
    /// # Panics
    /// If none does.
    pub fn awaits_standby(&self) {
        self.set("synchronous_standby_names", "'*'");
        let sync = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        self.until(sync, "1");
    }

    /// Has commits wait for no standby.
    pub fn awaits_nobody(&self) {
        self.set("synchronous_standby_names", "''");
    }

    fn set(&self, option: &str, value: &str) {
        self.say(&format!("ALTER SYSTEM SET {option} = {value}"));
        self.say("SELECT pg_reload_conf()");
    }

    /// Makes this standby take writes, for which it awaits nobody.
    ///
    /// # Panics
    /// If it does not.
    pub fn promote(&self) {
        self.say("SELECT pg_promote()");
        self.until("SELECT pg_is_in_recovery()", "f");
        // It has its primary's settings.
        self.awaits_nobody();
    }

    /// Kills all of its processes (SIGKILL), and leaves its files.
    ///
    /// # Panics
    /// If it does not run.
    pub fn kill(&self) {
        self.signal("KILL");
        drop(self.administrator.lock().unwrap().take());
    }

    /// Sends all of its processes a signal, such as `STOP`.
    ///
    /// # Panics
    /// If it does not run.
    pub fn signal(&self, name: &str) {
        let file = self.data().join("postmaster.pid");
        let text = std::fs::read_to_string(file).unwrap();
        let first = text.lines().next().unwrap().to_owned();
        // The first starts others, and tells all if one is gone: it goes first.
        let mut command = Command::new("kill");
        let children = children(&first);
        command.args(["-s", name, &first]).args(&children);
        // A child may have ended by itself meanwhile.
        let _ = command.output().unwrap();
    }

    /// Waits until a question is answered so.
    fn until(&self, sql: &str, answer: &str) {
        let until = Instant::now() + PATIENCE;
        while self.say(sql) != answer {
            assert!(Instant::now() < until, "{sql}: not {answer}");
            thread::sleep(LOOK);
        }
    }
}

/// The processes that this one has started.
fn children(parent: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let names = all.filter_map(|entry| entry.file_name().into_string().ok());
    let numbers = names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    let is_child = |number: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        // proc(5): the name in parentheses may hold anything; state and parent follow.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        fields.split_whitespace().nth(1) == Some(parent)
    };
    numbers.filter(is_child).collect()
}
