//! The process of management system and agents, as the score sees it: what it prints.
//!
//! It is started as another user, without this process's environment, and is told a prefix and
//! nothing else. Read next: [`crate::hosted`].

use crate::error::LabError;
use crate::hosted::ManagerEvent;
use domain::inventory::ElementId;
use domain::telemetry::AlarmType;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long it may take to begin.
const BEGINNING: Duration = Duration::from_secs(60);

/// The process, and what it has printed.
#[derive(Debug)]
pub struct Manager {
    child: Child,
    told: Arc<Mutex<Vec<ManagerEvent>>>,
}

impl Manager {
    /// Starts `program lab agents --prefix PREFIX` as a user, and waits until it is ready.
    ///
    /// # Errors
    /// [`LabError::File`] if it cannot be started, [`LabError::Ended`] if it ends or never begins.
    pub fn start(program: &Path, prefix: &str, user: u32) -> Result<Self, LabError> {
        let mut child = Command::new(program)
            .args(["lab", "agents", "--prefix", prefix])
            .env_clear()
            .current_dir("/")
            .uid(user)
            .gid(user)
            // It ends when this end of the pipe is gone, also where this process is killed.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| LabError::file(program, e))?;
        let told: Arc<Mutex<Vec<ManagerEvent>>> = Arc::default();
        let (heard, stdout) = (Arc::clone(&told), child.stdout.take());
        std::thread::spawn(move || {
            let lines = stdout.map(|pipe| BufReader::new(pipe).lines());
            for line in lines.into_iter().flatten().map_while(Result::ok) {
                if let Ok(event) = serde_json::from_str(&line) {
                    heard.lock().expect("no holder panics").push(event);
                }
            }
        });
        let mut manager = Self { child, told };
        let deadline = Instant::now() + BEGINNING;
        while !manager.events(0).contains(&ManagerEvent::Ready) {
            let ended = manager
                .child
                .try_wait()
                .is_ok_and(|status| status.is_some());
            if ended || Instant::now() > deadline {
                let words = "management system and agents did not begin";
                return Err(LabError::Ended(words.to_owned()));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(manager)
    }

    /// How much it has printed.
    pub fn heard(&self) -> usize {
        self.told.lock().expect("no holder panics").len()
    }

    /// What it has printed since it had printed so much.
    pub fn events(&self, since: usize) -> Vec<ManagerEvent> {
        self.told.lock().expect("no holder panics")[since..].to_vec()
    }

    /// The alarms that stand.
    pub fn standing(&self) -> BTreeSet<(ElementId, AlarmType)> {
        let mut standing = BTreeSet::new();
        for event in self.events(0) {
            if let ManagerEvent::Alarm {
                resource,
                alarm_type,
                cleared,
                ..
            } = event
            {
                let key = (resource, alarm_type);
                match cleared {
                    true => standing.remove(&key),
                    false => standing.insert(key),
                };
            }
        }
        standing
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// True if this process is root's.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a program as another user until it ends; true if it ends well.
///
/// # Errors
/// [`LabError::File`] if it cannot be started.
pub fn run_as(program: &Path, arguments: &[String], user: u32) -> Result<bool, LabError> {
    let status = Command::new(program)
        .args(arguments)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::null())
        .uid(user)
        .gid(user)
        .status()
        .map_err(|e| LabError::file(program, e))?;
    Ok(status.success())
}
