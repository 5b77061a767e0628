//! Management system and agents as the score sees them: two processes, and what the agents' prints.
//!
//! Each is started as a user of its own ([`crate::unprivileged`]) and is told a prefix; between them
//! there is NETCONF and nothing else. Read next: [`crate::hosted`].

use crate::enrolment;
use crate::error::LabError;
use crate::hosted::AgentsEvent;
use crate::management;
use crate::run_folder::RunFolder;
use crate::unprivileged::{Unprivileged, legible};
use crate::user::{agents_user, management_user};
use domain::inventory::ElementId;
use domain::telemetry::AlarmType;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long either process may take to begin.
const BEGINNING: Duration = Duration::from_secs(60);
/// How often is looked whether one that begins has ended.
const LOOK_EACH: Duration = Duration::from_millis(50);
/// The most that is heard of the agents.
const EVENTS_MAX: usize = 1_000_000;
/// Any port that is free, which nobody reaches from elsewhere.
const ANY_PORT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The processes, and what the agents have told.
#[derive(Debug)]
pub struct Manager {
    // What is named first ends first.
    agents: Unprivileged,
    management: Unprivileged,
    told: Arc<Mutex<Vec<AgentsEvent>>>,
}

impl Manager {
    /// Starts the management system of a prefix, then the agents; waits until these have read what it
    /// manages and have begun.
    ///
    /// # Errors
    /// [`LabError::File`] if one cannot be started, [`LabError::Ended`] if it ends or never begins.
    pub fn start(program: &Path, prefix: &str) -> Result<Self, LabError> {
        let (mut management, listens) = start_management(program, prefix)?;
        let address = begun(&mut management, &listens, "the management system")?;
        enrolment::tell_address(&RunFolder::of(prefix), address)?;

        let told: Arc<Mutex<Vec<AgentsEvent>>> = Arc::default();
        let heard = Arc::clone(&told);
        let (ready, is_ready) = channel();
        let hear = move |line: &str| {
            let mut heard = heard.lock().expect("no holder panics");
            if let (Ok(event), true) = (serde_json::from_str(line), heard.len() < EVENTS_MAX) {
                if event == AgentsEvent::Ready {
                    // Who no longer waits has given up.
                    let _ = ready.send(());
                }
                heard.push(event);
            }
        };
        let arguments = ["lab", "agents", "--prefix", prefix];
        let mut agents = Unprivileged::start(program, &arguments, agents_user(prefix)?, hear)?;
        begun(&mut agents, &is_ready, "the agents")?;
        Ok(Self {
            agents,
            management,
            told,
        })
    }

    /// How much the agents have told.
    pub fn heard(&self) -> usize {
        self.told.lock().expect("no holder panics").len()
    }

    /// What they have told since it was so much.
    pub fn events(&self, since: usize) -> Vec<AgentsEvent> {
        self.told.lock().expect("no holder panics")[since..].to_vec()
    }

    /// Checks that both run and neither has lost the other, and that all that is told is kept.
    ///
    /// # Errors
    /// [`LabError::Ended`] if one has ended or was lost, or so much was told that nothing more is kept.
    pub fn check(&self) -> Result<(), LabError> {
        if let Some(why) = lost(&self.told.lock().expect("no holder panics")) {
            return Err(LabError::Ended(why));
        }
        let why = if self.management.is_silent() {
            "the management system has ended"
        } else if self.agents.is_silent() {
            "the agents have ended"
        } else if self.heard() >= EVENTS_MAX {
            "the agents have told more than is kept"
        } else {
            return Ok(());
        };
        Err(LabError::Ended(why.to_owned()))
    }

    /// The alarms that stand, as the agents know them.
    pub fn standing(&self) -> BTreeSet<(ElementId, AlarmType)> {
        let mut standing = BTreeSet::new();
        for event in self.told.lock().expect("no holder panics").iter() {
            if let AgentsEvent::Alarm {
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

/// In words, that the agents have lost their management system, if they have.
fn lost(told: &[AgentsEvent]) -> Option<String> {
    told.iter().find_map(|event| match event {
        AgentsEvent::Lost { why } => Some(format!(
            "the agents have lost their management system meanwhile, so that no score is theirs: {}",
            legible(why)
        )),
        _ => None,
    })
}

/// What a management system prints once it listens, as far as it matters here.
#[derive(Deserialize)]
struct Announced {
    listeners: Vec<Listener>,
}

#[derive(Deserialize)]
struct Listener {
    ems: Option<String>,
    address: SocketAddr,
}

/// Starts the management system of a prefix; tells where its endpoint listens once it does.
fn start_management(
    program: &Path,
    prefix: &str,
) -> Result<(Unprivileged, Receiver<SocketAddr>), LabError> {
    let (listens, address) = channel();
    let hear = move |line: &str| {
        let announced = serde_json::from_str::<Announced>(line).into_iter();
        let mut listeners = announced.flat_map(|announced| announced.listeners);
        let own = listeners.find(|listener| listener.ems.as_deref() == Some("ip"));
        // Who no longer waits has given up.
        own.map(|listener| listens.send(listener.address).ok());
    };
    let mut arguments = management::arguments(prefix, Some(ANY_PORT));
    arguments.push("--json".to_owned());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let user = management_user(prefix)?;
    Ok((
        Unprivileged::start(program, &arguments, user, hear)?,
        address,
    ))
}

/// What a process tells once it has begun.
fn begun<T>(process: &mut Unprivileged, told: &Receiver<T>, name: &str) -> Result<T, LabError> {
    let deadline = Instant::now() + BEGINNING;
    loop {
        match told.recv_timeout(LOOK_EACH) {
            Ok(told) => return Ok(told),
            Err(RecvTimeoutError::Timeout)
                if process.ended()?.is_none() && Instant::now() < deadline => {}
            Err(_) => return Err(LabError::Ended(format!("{name} did not begin"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_that_lost_their_management_system_have_no_score() {
        let line = r#"{"event":"lost","why":"refused\u001b[2J"}"#;
        let event: Option<AgentsEvent> = serde_json::from_str(line).ok();
        let why = event.and_then(|event| lost(&[AgentsEvent::Ready, event]));
        assert!(why.is_some_and(|why| why.ends_with("refused\u{fffd}[2J")));
        assert_eq!(lost(&[AgentsEvent::Ready]), None);
    }
}
