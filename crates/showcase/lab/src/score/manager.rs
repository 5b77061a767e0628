//! The process of management system and agents, as the score sees it: what it prints.
//!
//! It is started as another user ([`crate::unprivileged`]), and is told a prefix and nothing else.
//! Read next: [`crate::hosted`].

use crate::error::LabError;
use crate::hosted::ManagerEvent;
use crate::unprivileged::Unprivileged;
use domain::inventory::ElementId;
use domain::telemetry::AlarmType;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long it may take to begin.
const BEGINNING: Duration = Duration::from_secs(60);
/// The most that is heard of it.
const EVENTS_MAX: usize = 1_000_000;

/// The process, and what it has printed.
#[derive(Debug)]
pub struct Manager {
    process: Unprivileged,
    told: Arc<Mutex<Vec<ManagerEvent>>>,
}

impl Manager {
    /// Starts `program lab agents --prefix PREFIX` as a user, and waits until it is ready.
    ///
    /// # Errors
    /// [`LabError::File`] if it cannot be started, [`LabError::Ended`] if it ends or never begins.
    pub fn start(program: &Path, prefix: &str, user: u32) -> Result<Self, LabError> {
        let told: Arc<Mutex<Vec<ManagerEvent>>> = Arc::default();
        let heard = Arc::clone(&told);
        let hear = move |line: &str| {
            let mut heard = heard.lock().expect("no holder panics");
            if let (Ok(event), true) = (serde_json::from_str(line), heard.len() < EVENTS_MAX) {
                heard.push(event);
            }
        };
        let arguments = ["lab", "agents", "--prefix", prefix];
        let process = Unprivileged::start(program, &arguments, user, hear)?;
        let mut manager = Self { process, told };
        let deadline = Instant::now() + BEGINNING;
        while !manager.events(0).contains(&ManagerEvent::Ready) {
            if manager.process.ended()?.is_some() || Instant::now() > deadline {
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

    /// Checks that it still tells what happens.
    ///
    /// # Errors
    /// [`LabError::Ended`] if it has ended, or has told so much that nothing more is kept.
    pub fn check(&self) -> Result<(), LabError> {
        let why = match self.heard() < EVENTS_MAX {
            true if !self.process.is_silent() => return Ok(()),
            true => "management system and agents have ended",
            false => "management system and agents have told more than is kept",
        };
        Err(LabError::Ended(why.to_owned()))
    }

    /// The alarms that stand.
    pub fn standing(&self) -> BTreeSet<(ElementId, AlarmType)> {
        let mut standing = BTreeSet::new();
        for event in self.told.lock().expect("no holder panics").iter() {
            if let ManagerEvent::Alarm {
                resource,
                alarm_type,
                cleared,
                ..
            } = event
            {
                let key = (resource.clone(), *alarm_type);
                match *cleared {
                    true => standing.remove(&key),
                    false => standing.insert(key),
                };
            }
        }
        standing
    }
}
