//! A network operated by people, without a platform.
//!
//! Their behaviour is a state machine behind the same contract as an agent's
//! ([`agents::practice`]), without messages to others. Read next: [`crate::day`].

pub use agents::practice::durations::{PracticeDurations, PracticeSetting, PracticeStep};

use domain::agent::{Agent, Briefing, Input, Output};
use domain::inventory::Domain;
use domain::permit::Permit;
use domain::profile::{Capability, Layer, Profile};
use domain::telemetry::{Action, Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use network::{EmissionContent, Recipients, Simulation};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use yardsticks::DeliveredAlarm;

/// The name under which people act.
const PEOPLE: &str = "people";

/// A network with the people who operate it.
pub struct StaffedNetwork<A> {
    /// The people's state machine.
    pub mind: A,
    /// The alarms that were delivered, in order.
    pub alarms: Vec<DeliveredAlarm>,
    rng: SeededRng,
    wakes: BTreeMap<(Timestamp, u64), Token>,
    woken: u64,
}

/// A profile without content, as a briefing requires one.
fn nobody() -> Profile {
    Profile {
        name: PEOPLE.to_owned(),
        alias: None,
        description: "People, without a platform".to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: String::new(),
        domain: None,
        management_object: None,
        layer: Layer::Service,
        province: None,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    }
}

/// The permit for every action that the network has; signalling records are those of one province.
fn permit(province: Option<String>) -> Permit {
    let domains = [Domain::Wireless, Domain::Ip];
    Permit {
        probe: domains.into(),
        configure: domains.into(),
        radio: true,
        trace: true,
        field: true,
        customers: true,
        province,
    }
}

/// Performs an action; a vehicle is looked up in the records of each province, one after the other, so
/// that there is an outcome for each.
fn act(simulation: &mut Simulation, token: Token, action: &Action, now: Timestamp) {
    let inventory = simulation.inventory();
    let provinces: BTreeSet<&String> = inventory.provinces.values().collect();
    if !matches!(action, Action::Trace { .. }) || provinces.is_empty() {
        simulation.act(PEOPLE, &permit(None), token, action.clone(), now);
        return;
    }
    for province in provinces {
        let permit = permit(Some(province.clone()));
        simulation.act(PEOPLE, &permit, token, action.clone(), now);
    }
}

fn is_theirs(to: &Recipients) -> bool {
    matches!(to, Recipients::Agent(name) if name == PEOPLE)
}

impl<A: Agent> StaffedNetwork<A> {
    /// Starts the people's work at the network's present instant.
    pub fn begin(mind: A, simulation: &mut Simulation, rng: SeededRng) -> Self {
        let own = Arc::new(nobody());
        let briefing = Briefing {
            roster: vec![Arc::clone(&own)],
            own,
            inventory: simulation.documented_inventory(),
            open: Vec::new(),
        };
        let mut practice = Self {
            mind,
            alarms: Vec::new(),
            rng,
            wakes: BTreeMap::new(),
            woken: 0,
        };
        let now = simulation.now();
        practice.step(simulation, Input::Started(briefing), now);
        practice
    }

    /// Advances time to `until`; `look` is called after every event.
    pub fn run(
        &mut self,
        simulation: &mut Simulation,
        until: Timestamp,
        mut look: impl FnMut(&Simulation, Timestamp),
    ) {
        loop {
            let woken = self.wakes.keys().next().map(|(at, _)| *at);
            let next = [woken, simulation.next_event_at()].into_iter().flatten();
            let Some(now) = next.min().filter(|at| *at <= until) else {
                return;
            };
            for emission in simulation.advance(now) {
                let input = match emission.tiding {
                    EmissionContent::Telemetry(telemetry) => {
                        if let Telemetry::Alarm(alarm) = &telemetry {
                            let alarm = alarm.clone();
                            self.alarms.push(DeliveredAlarm { at: now, alarm });
                        }
                        Input::Telemetry(telemetry)
                    }
                    // What others began before they left is nobody's here.
                    EmissionContent::Outcome { .. } if !is_theirs(&emission.to) => continue,
                    EmissionContent::Outcome { token, outcome } => Input::Acted { token, outcome },
                };
                self.step(simulation, input, now);
            }
            while let Some(due) = self.wakes.first_entry().filter(|e| e.key().0 <= now) {
                let token = due.remove();
                self.step(simulation, Input::Woken(token), now);
            }
            look(simulation, now);
        }
    }

    fn step(&mut self, simulation: &mut Simulation, input: Input, now: Timestamp) {
        for output in self.mind.step(input, now, &mut self.rng) {
            match output {
                Output::Act { token, action } => act(simulation, token, &action, now),
                Output::Wake { token, at } => {
                    self.woken += 1;
                    self.wakes.insert((at.max(now), self.woken), token);
                }
                // There is nobody to talk to over a protocol.
                _ => {}
            }
        }
    }
}
