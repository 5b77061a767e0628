//! Access to the simulated network through element management systems (EMS).
//!
//! A caller acts under its own name, with tokens that no hosted agent uses; the outcome returns to
//! the waiting caller. An EMS receives the telemetry of the agents of its domain, at the same
//! instants. Refuses to know protocols. Read next: `engine::network::ems`, [`crate::network`].

use domain::ems::Ems;
use domain::telemetry::{Action, FieldReport, Outcome, Telemetry, Token};
use domain::time::Timestamp;
use engine::{ActFailure, ActWanted, Acted, Engine};
use network::{Emission, EmissionContent, Recipients, Simulation};
use std::collections::BTreeMap;
use tokio::sync::oneshot;

/// The bit set in tokens of EMS actions; hosted agents count from 1.
const FOREIGN: Token = 1 << 63;

/// The longest wait for an outcome, in seconds: a probe takes at most two minutes, waking from deep
/// sleep five.
const LONGEST_S: u64 = 600;

/// An action without its outcome yet.
struct Waiting {
    answer: oneshot::Sender<engine::ActAnswer>,
    until: Timestamp,
}

/// The pending actions of EMS callers.
#[derive(Default)]
pub(crate) struct Acts {
    last: u64,
    waiting: BTreeMap<Token, Waiting>,
    /// The caller who dispatched the engineer of that number.
    dispatched: BTreeMap<u64, String>,
}

impl Acts {
    /// Starts an action for a caller, whose outcome is awaited.
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
        network.act(&by, &ems.permit(province), token, action, now);
    }

    /// The action with the token of the dispatch that it refers to, if that is the caller's own.
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

    /// Delivers their telemetry to the EMSs and outcomes to their callers; returns the emissions
    /// for hosted agents.
    pub(crate) fn take(
        &mut self,
        emission: Emission,
        engine: &Engine,
        now: Timestamp,
    ) -> Option<Emission> {
        match (&emission.to, &emission.tiding) {
            (Recipients::Domain(domain), EmissionContent::Telemetry(telemetry)) => {
                let systems = Ems::ALL.into_iter();
                for ems in systems.filter(|ems| ems.domains().contains(domain)) {
                    engine.observed(ems, telemetry, now);
                }
                Some(emission)
            }
            (_, EmissionContent::Outcome { token, outcome }) if token & FOREIGN != 0 => {
                self.answer(*token, outcome.clone());
                None
            }
            (_, EmissionContent::Telemetry(Telemetry::Field(report)))
                if token_of(report) & FOREIGN != 0 =>
            {
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
            Outcome::Failed(why) => Err(ActFailure::Failed(why)),
            outcome => Ok(Acted { number, outcome }),
        };
        // A caller that has gone needs no answer.
        let _ = waiting.answer.send(answer);
    }

    /// The earliest expiry of a wait.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.waiting.values().map(|waiting| waiting.until).min()
    }

    /// Answers callers whose wait has expired; their actions go on.
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

/// Replaces the token in a report by the number known to the caller.
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
