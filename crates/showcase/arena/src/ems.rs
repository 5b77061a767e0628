//! What is done to the network through its management systems, and what these hear of it.
//!
//! Whoever asks there does so under its own name, with numbers that no hosted agent uses; what comes
//! of it goes back to who waits. A management system hears what the agents of its domain hear, when
//! they hear it. Refuses to know protocols. Read next: `engine::ems`, [`crate::network`].

use domain::ems::Ems;
use domain::permit::Permit;
use domain::telemetry::{Action, FieldReport, Outcome, Telemetry, Token};
use domain::time::Timestamp;
use engine::{ActFailure, ActWanted, Acted, Engine};
use network::{Audience, Emission, Simulation, Tiding};
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::oneshot;

/// Tokens of actions asked for at a management system have this bit; hosted agents count from 1.
const FOREIGN: Token = 1 << 63;

/// How long a caller is kept waiting for an outcome, in seconds: a probe takes two minutes at most,
/// waking from deep sleep five.
const LONGEST_S: u64 = 600;

/// What may be done through a management system, in a province or everywhere.
fn permit(ems: Ems, province: Option<String>) -> Permit {
    let (customers, radio) = (ems == Ems::Customer, ems == Ems::Wireless);
    let reached = match customers {
        true => Default::default(),
        false => ems.domains().iter().copied().collect(),
    };
    Permit {
        configure: BTreeSet::clone(&reached),
        probe: reached,
        radio,
        trace: radio,
        field: customers,
        customers,
        province,
    }
}

/// An action whose outcome has not come.
struct Waiting {
    answer: oneshot::Sender<engine::ActAnswer>,
    until: Timestamp,
}

/// Actions under way that were asked for at management systems.
#[derive(Default)]
pub(crate) struct Acts {
    last: u64,
    waiting: BTreeMap<Token, Waiting>,
    /// Who sent out the engineer of that number.
    dispatched: BTreeMap<u64, String>,
}

impl Acts {
    /// Does what is wanted; what comes of it is awaited.
    pub(crate) fn begin(&mut self, wanted: ActWanted, network: &mut Simulation, now: Timestamp) {
        let ActWanted {
            by,
            province,
            ems,
            action,
            answer,
        } = wanted;
        self.last += 1;
        let token = FOREIGN | self.last;
        let action = match self.own(&by, action) {
            Ok(action) => action,
            Err(why) => return drop(answer.send(Err(ActFailure::Impossible(why)))),
        };
        if matches!(action, Action::Dispatch { .. }) {
            self.dispatched.insert(self.last, by.clone());
        }
        let until = now.plus_s(LONGEST_S as f64);
        self.waiting.insert(token, Waiting { answer, until });
        network.act(&by, &permit(ems, province), token, action, now);
    }

    /// The action with the token of the dispatch that it is about, if that is the caller's own.
    fn own(&self, by: &str, action: Action) -> Result<Action, String> {
        match action {
            Action::Guide {
                dispatch,
                element,
                steps,
            } => match self.dispatched.get(&dispatch) {
                Some(sender) if sender == by => Ok(Action::Guide {
                    dispatch: FOREIGN | dispatch,
                    element,
                    steps,
                }),
                _ => Err(format!("{by} sent nobody out under number {dispatch}")),
            },
            other => Ok(other),
        }
    }

    /// Tells the management systems what is theirs to know, and takes what is for who asked there;
    /// gives back what hosted agents hear.
    pub(crate) fn take(
        &mut self,
        emission: Emission,
        engine: &Engine,
        now: Timestamp,
    ) -> Option<Emission> {
        match (&emission.to, &emission.tiding) {
            (Audience::Domain(domain), Tiding::Telemetry(telemetry)) => {
                let systems = Ems::ALL.into_iter();
                for ems in systems.filter(|ems| ems.domains().contains(domain)) {
                    engine.observed(ems, telemetry, now);
                }
                Some(emission)
            }
            (_, Tiding::Outcome { token, outcome }) if token & FOREIGN != 0 => {
                self.answer(*token, outcome.clone());
                None
            }
            (_, Tiding::Telemetry(Telemetry::Field(report))) if token_of(report) & FOREIGN != 0 => {
                let report = Telemetry::Field(numbered(report.clone()));
                engine.observed(Ems::Customer, &report, now);
                None
            }
            _ => Some(emission),
        }
    }

    fn answer(&mut self, token: Token, outcome: Outcome) {
        // Who asked may have been told meanwhile that it takes too long.
        let Some(waiting) = self.waiting.remove(&token) else {
            return;
        };
        let number = token & !FOREIGN;
        let answer = match outcome {
            Outcome::Impossible(why) => Err(ActFailure::Impossible(why)),
            outcome => Ok(Acted { number, outcome }),
        };
        // A caller that has gone needs no answer.
        let _ = waiting.answer.send(answer);
    }

    /// When somebody has waited long enough.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.waiting.values().map(|waiting| waiting.until).min()
    }

    /// Answers those who have waited long enough; what they asked for goes on.
    pub(crate) fn expire(&mut self, now: Timestamp) {
        let late = self.waiting.iter().filter(|(_, w)| w.until <= now);
        let late: Vec<Token> = late.map(|(token, _)| *token).collect();
        for waiting in late.iter().filter_map(|token| self.waiting.remove(token)) {
            let seconds = LONGEST_S;
            let _ = waiting.answer.send(Err(ActFailure::TooLong { seconds }));
        }
    }
}

fn token_of(report: &FieldReport) -> Token {
    match report {
        FieldReport::Arrived { token, .. } | FieldReport::Ended { token, .. } => *token,
    }
}

/// The report with the number that the caller knows.
fn numbered(report: FieldReport) -> FieldReport {
    match report {
        FieldReport::Arrived {
            token,
            element,
            question,
        } => FieldReport::Arrived {
            token: token & !FOREIGN,
            element,
            question,
        },
        FieldReport::Ended {
            token,
            element,
            repaired,
            finding,
        } => FieldReport::Ended {
            token: token & !FOREIGN,
            element,
            repaired,
            finding,
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
