//! Today's practice, without agents: people at alarm lists, telephones, and a timer for energy.
//!
//! The yardstick that agents are scored against. One state machine behind the same contract as an
//! agent ([`Agent`]): telemetry in; measurements, engineers and sleep out; not a single message to
//! anybody, for there is nobody to talk to but by telephone, which takes time. It sees what agents
//! see and no more.
//!
//! A network operations centre has a desk per domain, each with its own alarm list; nobody
//! correlates across them. A person notices alarms, opens a case for a town, blames the element of
//! the first alarm in the list of their own domain, checks it, and sends an engineer; a wrong
//! dispatch is followed by the next on the list. The wireless desk looks at power first and
//! telephones the transport desk when that is not it. Steps wait until somebody is free. Nothing is
//! compensated. Everything is written down in a [`Journal`]. The same centre may have an [`umbrella`]
//! over all alarm lists ([`Practice::with_umbrella`]), and then nobody telephones.
//!
//! How long each step takes is in [`durations`], with its range. What is assumed besides:
//!
//! | assumption | figure | source |
//! |---|---|---|
//! | people per desk | 2 from 06:00 to 22:00, 1 at night | assumed |
//! | own suspects that the wireless desk checks before it telephones | 2 | assumed |
//! | an alarm that nothing explains | its list is gone through 3 times, then it is held to be false | assumed |
//! | interference | the cells that hear it are compared, an engineer goes where it is loudest | application notes of makers of analysers, named in `noc/hunt.rs` |
//! | congestion | nothing: planning adds capacity later | assumed |
//! | complaints | one person per province, 08:00–18:00; what they say is read as well as agents read it | assumed |
//! | complaint that lacks place, time or vehicle | asked back once, the answer is waited for a day | assumed |
//! | complaint about a vehicle | the second line looks it up in the signalling records of all provinces, and judges it as agents do | assumed |
//! | energy ([`PracticePolicy::Manual`]) | all cells rest between symbols all day; a quarter of the cells, of those that add capacity, sleep from 02:00 to 06:00, whatever happens | network energy set of the ITU AI/ML in 5G Challenge 2023: about a quarter of the cells save between 02:00 and 06:00, hardly any at other hours |
//!
//! Times of day are UTC, as those of the daily curve are. Figures given as a range are drawn evenly
//! from it. [`PracticePolicy::None`] is the same without any energy saving: the reference for energy.
//! Read next: [`noc`], [`umbrella`], [`complaints`], [`second_line`], [`timer`], [`journal`].

pub mod complaints;
pub mod durations;
pub mod journal;
pub mod noc;
pub mod second_line;
pub mod shift;
pub mod timer;
pub mod umbrella;

use domain::agent::{Agent, Input, Output};
use domain::reply::Reply;
use domain::telemetry::{Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use durations::{PracticeDurations, PracticeStep};
use journal::Journal;
use noc::Noc;
use second_line::SecondLine;
use shift::takes_s;
use std::collections::BTreeMap;
use strum::{EnumString, IntoStaticStr, VariantArray};
use timer::Timer;
use umbrella::UmbrellaOn;

/// The way in which a network is run without agents.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PracticePolicy {
    /// People for faults and complaints, a timer for energy: what operators do today.
    Manual,
    /// People for faults and complaints, no energy saving.
    None,
}

domain::named! {
    /// The name.
    PracticePolicy
}

/// The purpose of a waking or of the end of an action.
#[derive(Clone, Debug, PartialEq)]
enum Matter {
    Case(usize, noc::NocStep),
    Minor,
    Complaint(usize, complaints::ComplaintStep),
    Asleep,
    Awake,
}

/// The people and the timer, begun by [`Input::Started`].
pub struct Practice {
    policy: PracticePolicy,
    durations: PracticeDurations,
    homes: BTreeMap<String, String>,
    umbrella: Option<UmbrellaOn>,
    office: Option<Office>,
    empty: Journal,
}

/// The part that begins with the briefing.
#[derive(Debug)]
struct Office {
    noc: Noc,
    durations: PracticeDurations,
    complaints: complaints::Desks,
    second_line: SecondLine,
    timer: Timer,
    matters: Matters,
    journal: Journal,
}

/// Tokens handed out, with what they are for.
#[derive(Clone, Debug, Default)]
struct Matters {
    next: Token,
    open: BTreeMap<Token, Matter>,
}

impl Matters {
    fn token(&mut self, matter: Matter) -> Token {
        self.next += 1;
        self.open.insert(self.next, matter);
        self.next
    }

    fn wake(&mut self, matter: Matter, at: Timestamp) -> Output {
        let token = self.token(matter);
        Output::Wake { token, at }
    }

    fn act(&mut self, matter: Matter, action: domain::telemetry::Action) -> Output {
        let token = self.token(matter);
        Output::Act { token, action }
    }
}

impl Practice {
    /// People who have not begun their shift yet.
    pub fn new(policy: PracticePolicy) -> Self {
        Self {
            policy,
            durations: PracticeDurations::default(),
            homes: BTreeMap::new(),
            umbrella: None,
            office: None,
            empty: Journal::default(),
        }
    }

    /// The province whose desk the tickets of each company come to first; of a company that is not
    /// named here, the first province of the inventory.
    pub fn with_homes(self, homes: BTreeMap<String, String>) -> Self {
        Self { homes, ..self }
    }

    /// The same people, who take so long.
    pub fn with_durations(self, durations: PracticeDurations) -> Self {
        Self { durations, ..self }
    }

    /// The same people with an umbrella correlator over the alarms of all domains.
    pub fn with_umbrella(self, umbrella: UmbrellaOn) -> Self {
        Self {
            umbrella: Some(umbrella),
            ..self
        }
    }

    /// All that was done so far, for the referee.
    pub fn journal(&self) -> &Journal {
        self.office.as_ref().map_or(&self.empty, |o| &o.journal)
    }
}

impl Agent for Practice {
    fn step(&mut self, input: Input, now: Timestamp, rng: &mut SeededRng) -> Vec<Output> {
        if let Input::Started(briefing) = &input {
            let inventory = briefing.inventory.clone();
            let umbrella = self.umbrella.take().map(|on| on(inventory.clone()));
            let homes = self.homes.clone();
            let mut office = Office {
                noc: Noc::new(inventory.clone(), self.durations, umbrella),
                durations: self.durations,
                complaints: complaints::Desks::new(inventory.clone(), self.durations, homes),
                second_line: SecondLine::new(inventory.clone()),
                timer: Timer::new(&inventory),
                matters: Matters {
                    next: (now.as_ms() as u64).saturating_mul(1_000),
                    open: BTreeMap::new(),
                },
                journal: Journal::default(),
            };
            let outputs = office.begin(self.policy, now, rng);
            self.office = Some(office);
            return outputs;
        }
        match (&mut self.office, input) {
            (_, Input::Asked(_)) => {
                let words = "people work here: nothing is asked of them by protocol";
                vec![Output::Answer(Reply::refused("no-agent", "", words))]
            }
            (Some(office), input) => office.take(input, now, rng),
            (None, _) => Vec::new(),
        }
    }
}

impl Office {
    fn begin(
        &mut self,
        policy: PracticePolicy,
        now: Timestamp,
        rng: &mut SeededRng,
    ) -> Vec<Output> {
        let mut outputs = vec![self.next_round(now, rng)];
        if policy != PracticePolicy::None {
            for action in self.timer.resting() {
                outputs.push(self.matters.act(Matter::Awake, action));
            }
            for (hour, matter) in [
                (timer::ASLEEP_H, Matter::Asleep),
                (timer::AWAKE_H, Matter::Awake),
            ] {
                let at = shift::next_at(now, hour);
                outputs.push(self.matters.wake(matter, at));
            }
        }
        outputs
    }

    /// The next round through warnings and degraded cells.
    fn next_round(&mut self, now: Timestamp, rng: &mut SeededRng) -> Output {
        let pause_s = takes_s(self.durations.of(PracticeStep::MinorRound), rng);
        self.matters.wake(Matter::Minor, now.plus_s(pause_s))
    }

    fn take(&mut self, input: Input, now: Timestamp, rng: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Telemetry(telemetry) => self.hear(telemetry, now, rng),
            Input::Woken(token) => match self.matters.open.remove(&token) {
                Some(matter) => self.turn_to(matter, now, rng),
                None => Vec::new(),
            },
            Input::Acted { token, outcome } => match self.matters.open.remove(&token) {
                Some(Matter::Case(case, step)) => {
                    let mut desk = self.noc_desk(now, rng);
                    desk.acted(case, step, token, outcome)
                }
                Some(Matter::Complaint(number, complaints::ComplaintStep::Traced)) => {
                    if self.complaints.traced(number, outcome) {
                        return self.complaint_desk(now, rng).looked_up(number);
                    }
                    // The records of another province are still to come.
                    let matter = Matter::Complaint(number, complaints::ComplaintStep::Traced);
                    self.matters.open.insert(token, matter);
                    Vec::new()
                }
                // Customers and cells are told; nobody asks whether it helped.
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn noc_desk<'a>(&'a mut self, now: Timestamp, rng: &'a mut SeededRng) -> noc::AtWork<'a> {
        noc::AtWork {
            noc: &mut self.noc,
            matters: &mut self.matters,
            journal: &mut self.journal.cases,
            now,
            rng,
        }
    }

    fn hear(&mut self, telemetry: Telemetry, now: Timestamp, rng: &mut SeededRng) -> Vec<Output> {
        match telemetry {
            Telemetry::Alarm(alarm) => {
                self.second_line.alarm(&alarm, now);
                self.noc_desk(now, rng).alarm(&alarm)
            }
            Telemetry::Field(report) => self.noc_desk(now, rng).field(report),
            Telemetry::Ticket(ticket) => self.complaint_desk(now, rng).ticket(ticket),
            Telemetry::CustomerAnswered { ticket, text } => {
                self.complaint_desk(now, rng).answered(&ticket, &text)
            }
            // A help desk consoles who calls about an outage; the alarm lists show it anyway.
            Telemetry::Complaint(_) => {
                self.journal.calls += 1;
                Vec::new()
            }
            Telemetry::Performance(told) => {
                self.second_line.performance(told, now);
                Vec::new()
            }
        }
    }

    fn complaint_desk<'a>(
        &'a mut self,
        now: Timestamp,
        rng: &'a mut SeededRng,
    ) -> complaints::AtWork<'a> {
        complaints::AtWork {
            desks: &mut self.complaints,
            alarms: self.noc.alarms(),
            second_line: &self.second_line,
            matters: &mut self.matters,
            journal: &mut self.journal.complaints,
            now,
            rng,
        }
    }

    fn turn_to(&mut self, matter: Matter, now: Timestamp, rng: &mut SeededRng) -> Vec<Output> {
        match matter {
            Matter::Case(case, step) => self.noc_desk(now, rng).turn_to(case, step),
            Matter::Minor => {
                let mut outputs = vec![self.next_round(now, rng)];
                outputs.extend(self.noc_desk(now, rng).minor_round());
                outputs
            }
            Matter::Complaint(number, step) => self.complaint_desk(now, rng).turn_to(number, step),
            Matter::Asleep | Matter::Awake => {
                let (hour, actions) = match matter {
                    Matter::Asleep => (timer::ASLEEP_H, self.timer.asleep()),
                    _ => (timer::AWAKE_H, self.timer.awake()),
                };
                let again = shift::next_at(now, hour);
                let mut outputs = vec![self.matters.wake(matter.clone(), again)];
                for action in actions {
                    outputs.push(self.matters.act(matter.clone(), action));
                }
                outputs
            }
        }
    }
}

#[cfg(test)]
mod tests;
