//! The laboratory as the network of a platform without agents, which serves it as endpoint `ip`.
//!
//! Threads read and act; what comes of it waits in a channel until the loop of the platform takes
//! it, so that nothing here blocks. Read next: [`server::runtime`], [`super::conditions`].

use super::conditions::AlarmConditions;
use super::instruments::Instruments;
use super::reader::Reader;
use super::snapshot::Snapshot;
use crate::documents::Documents;
use crate::plan::RATE_KBPS;
use domain::agent::Input;
use domain::ems::Ems;
use domain::inventory::Inventory;
use domain::telemetry::{Action, Outcome, Performance, Telemetry, Token};
use domain::time::Timestamp;
use engine::{ActAnswer, ActFailure, ActWanted, Acted};
use server::host::Host;
use server::runtime::{Around, Network};
use server::story::StoryEvent;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

/// How often the loop looks for what has come, in seconds.
const LOOK_EACH_S: f64 = 0.1;
/// The length of a period of performance figures, in seconds.
const PERIOD_S: f64 = 10.0;
/// The longest that who asked over NETCONF is kept waiting, in seconds.
const LONGEST_S: u64 = 600;
/// The most actions that are under way at once.
const ACTIONS_MAX: usize = 16;

/// Who waits for the outcome of an action, and until when.
struct Waiting {
    answer: oneshot::Sender<ActAnswer>,
    until: Timestamp,
}

/// Something that came of reading or acting.
#[derive(Debug)]
pub enum LabEvent {
    /// Telemetry for everybody.
    Telemetry(Telemetry),
    /// The outcome of an action, by its number.
    Outcome(u64, Outcome),
}

/// What came of actions, by their number: where it is put, and where it is taken.
type Outcomes = (Sender<(u64, Outcome)>, Receiver<(u64, Outcome)>);

/// The laboratory, seen through its management system.
pub struct ManagedLab {
    documents: Documents,
    conditions: AlarmConditions,
    period_from: Option<Snapshot>,
    instruments: Instruments,
    inventory: Arc<Inventory>,
    snapshots: Receiver<Snapshot>,
    outcomes: Outcomes,
    waiting: BTreeMap<u64, Waiting>,
    /// Actions that wait for others to end.
    queued: Vec<(u64, Action)>,
    under_way: usize,
    last: u64,
    looked_at: Timestamp,
}

impl ManagedLab {
    /// The laboratory behind this socket, as documented, for a host.
    pub fn new(host: &Host, documents: Documents, socket: &Path) -> Self {
        let (to, snapshots) = channel();
        Reader::new(documents.clone(), socket, Arc::clone(&host.clock)).start(to);
        Self {
            conditions: AlarmConditions::new(documents.clone()),
            instruments: Instruments::new(documents.clone(), socket.to_owned()),
            inventory: Arc::new(documents.inventory()),
            documents,
            period_from: None,
            snapshots,
            outcomes: channel(),
            waiting: BTreeMap::new(),
            queued: Vec::new(),
            under_way: 0,
            last: 0,
            looked_at: host.clock.now(),
        }
    }

    fn begin(&mut self, answer: oneshot::Sender<ActAnswer>, action: Action, now: Timestamp) {
        self.last += 1;
        let until = now.plus_s(LONGEST_S as f64);
        self.waiting.insert(self.last, Waiting { answer, until });
        self.queued.push((self.last, action));
        self.start_queued();
    }

    fn start_queued(&mut self) {
        while self.under_way < ACTIONS_MAX && !self.queued.is_empty() {
            let (number, action) = self.queued.remove(0);
            self.under_way += 1;
            let (instruments, to) = (self.instruments.clone(), self.outcomes.0.clone());
            std::thread::spawn(move || {
                // If the network has gone, so has who asked.
                let _ = to.send((number, instruments.perform(&action)));
            });
        }
    }

    fn read(&mut self, snapshot: Snapshot) -> Vec<LabEvent> {
        let alarms = self.conditions.take(&snapshot).into_iter();
        let alarms = alarms.map(|alarm| LabEvent::Telemetry(Telemetry::Alarm(alarm)));
        let mut events: Vec<LabEvent> = alarms.collect();
        let from = self.period_from.get_or_insert_with(|| snapshot.clone());
        if snapshot.at.seconds_since(from.at) >= PERIOD_S {
            let capacity_mbps = RATE_KBPS as f64 / 1_000.0;
            let links = snapshot.performance_since(from, &self.documents, capacity_mbps);
            let performance = Performance {
                from: from.at,
                until: snapshot.at,
                cells: BTreeMap::new(),
                links,
            };
            let performance = Telemetry::Performance(Arc::new(performance));
            events.push(LabEvent::Telemetry(performance));
            self.period_from = Some(snapshot);
        }
        events
    }

    fn answer(&mut self, number: u64, outcome: Outcome) {
        // Who asked may have been told meanwhile that it takes too long.
        let Some(waiting) = self.waiting.remove(&number) else {
            return;
        };
        let answered = match outcome {
            Outcome::Impossible(why) => Err(ActFailure::Impossible(why)),
            Outcome::Failed(why) => Err(ActFailure::Failed(why)),
            outcome => Ok(Acted { number, outcome }),
        };
        // A caller that has gone needs no answer.
        let _ = waiting.answer.send(answered);
    }
}

impl Network for ManagedLab {
    type Event = LabEvent;

    fn is_managed(&self) -> bool {
        true
    }

    fn next_event_at(&self) -> Option<Timestamp> {
        Some(self.looked_at.plus_s(LOOK_EACH_S))
    }

    fn advance(&mut self, now: Timestamp) -> Vec<LabEvent> {
        self.looked_at = now;
        let mut events = Vec::new();
        while let Ok(snapshot) = self.snapshots.try_recv() {
            events.extend(self.read(snapshot));
        }
        while let Ok((number, outcome)) = self.outcomes.1.try_recv() {
            self.under_way -= 1;
            events.push(LabEvent::Outcome(number, outcome));
        }
        self.start_queued();
        events
    }

    fn deliver(&mut self, event: LabEvent, around: &mut Around<'_>) {
        let telemetry = match event {
            LabEvent::Outcome(number, outcome) => return self.answer(number, outcome),
            LabEvent::Telemetry(telemetry) => telemetry,
        };
        let now = around.now();
        around.engine().observed(Ems::Ip, &telemetry, now);
        if let Telemetry::Alarm(alarm) = &telemetry {
            around.tell(StoryEvent::Alarm(alarm.clone()));
        }
    }

    fn serve(&mut self, around: &mut Around<'_>) {
        let now = around.now();
        for wanted in around.engine().acts_wanted() {
            let ActWanted {
                by,
                province,
                ems,
                action,
                answer,
            } = wanted;
            around.tell(StoryEvent::Acted {
                agent: around.alias(&by),
                action: action.clone(),
            });
            let permit = ems.permit(province);
            if let Some(why) = permit.refuses(&by, &action, &self.inventory) {
                // A caller that has gone needs no answer.
                let _ = answer.send(Err(ActFailure::Impossible(why)));
                continue;
            }
            self.begin(answer, action, now);
        }
    }

    fn act(&mut self, agent: &str, token: Token, _: Action, around: &mut Around<'_>) {
        let outcome = Outcome::Impossible("agents act here over NETCONF".to_owned());
        around.deliver(agent, Input::Acted { token, outcome });
    }

    fn expire(&mut self, now: Timestamp) {
        let late = self.waiting.iter().filter(|(_, w)| w.until <= now);
        let late: Vec<u64> = late.map(|(number, _)| *number).collect();
        for waiting in late.iter().filter_map(|number| self.waiting.remove(number)) {
            // A caller that has gone needs no answer.
            let late = ActFailure::TooLong { seconds: LONGEST_S };
            let _ = waiting.answer.send(Err(late));
        }
    }
}
