//! The actions of agents: probes, and dispatches of engineers.
//!
//! An action is checked for permission, takes time, and then has its effect. Read next:
//! [`crate::probe`], [`crate::field`].

use super::queue::{Command, Errand, Event};
use super::{EmissionContent, Recipients, Simulation};
use crate::chance::between;
use crate::errors::misreadings::Reading;
use crate::field;
use crate::probe::ProbeContext;
use domain::inventory::{Domain, ElementId};
use domain::permit::Permit;
use domain::telemetry::{Action, FieldReport, Outcome, Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeMap;

/// The duration of a probe, in seconds.
const PROBE_S: (f64, f64) = (20.0, 120.0);
/// The response time of the field force's app, in seconds.
const APP_S: (f64, f64) = (1.0, 4.0);

/// A dispatched engineer.
#[derive(Clone, Debug)]
pub(super) struct Engineer {
    /// The present element, or the destination.
    at: ElementId,
    doing: Doing,
    /// The instant of arrival.
    arrival: Timestamp,
    /// The token of the first dispatch, and the token of the reports: the same, or the last of the
    /// same work order.
    sent: Token,
    reports: Token,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Driving,
    Waiting,
    Working,
}

/// All dispatched engineers, by agent, token and work order.
#[derive(Clone, Debug, Default)]
pub(super) struct FieldForce {
    engineers: Vec<Engineer>,
    /// By agent and token; all tokens of a work order lead to the same engineer.
    by_token: BTreeMap<(String, Token), usize>,
    /// By agent and the agent's work order key.
    by_work_order: BTreeMap<(String, String), usize>,
}

impl FieldForce {
    fn send(&mut self, agent: &str, work_order: Option<String>, engineer: Engineer) {
        let number = self.engineers.len();
        self.by_token
            .insert((agent.to_owned(), engineer.reports), number);
        if let Some(work_order) = work_order {
            let key = (agent.to_owned(), work_order);
            self.by_work_order.insert(key, number);
        }
        self.engineers.push(engineer);
    }

    /// The engineer of an earlier dispatch under the same work order, who reports under `token`
    /// from now on.
    fn sent_before(
        &mut self,
        agent: &str,
        token: Token,
        work_order: Option<String>,
    ) -> Option<&Engineer> {
        let key = (agent.to_owned(), work_order?);
        let number = *self.by_work_order.get(&key)?;
        self.by_token.insert((key.0, token), number);
        let engineer = &mut self.engineers[number];
        engineer.reports = token;
        Some(engineer)
    }

    fn under(&mut self, agent: &str, token: Token) -> Option<&mut Engineer> {
        let number = self.by_token.get(&(agent.to_owned(), token))?;
        Some(&mut self.engineers[*number])
    }
}

impl Simulation {
    /// Performs an action of an agent, within `permit`. Every action has exactly one [`Outcome`]
    /// under its token; field reports follow a dispatch. `now` must not be before the last instant
    /// given to [`Simulation::advance`].
    pub fn act(
        &mut self,
        agent: &str,
        permit: &Permit,
        token: Token,
        action: Action,
        now: Timestamp,
    ) {
        self.now = self.now.max(now);
        if let Some(reason) = self.beyond_province(agent, permit, &action) {
            self.answer(self.now, agent, token, Outcome::Impossible(reason));
            return;
        }
        let answered = match action {
            Action::Probe { element } => self.probe(agent, permit, token, element),
            Action::Dispatch {
                element,
                work_order,
            } => self.dispatch(agent, permit, token, element, work_order),
            Action::Guide {
                dispatch, element, ..
            } => self.guide(agent, permit, dispatch, &element),
            Action::SetPower { cell, offset_db } => {
                self.order_power(agent, permit, token, cell, offset_db)
            }
            Action::SetSaving { cells, saving } => {
                self.order_saving(agent, permit, token, cells, saving)
            }
            Action::ReadConfiguration { element } => {
                self.command(permit, errand(agent, token, element, Command::Read))
            }
            Action::Configure {
                element,
                parameter,
                value,
            } => {
                let command = Command::Set { parameter, value };
                self.command(permit, errand(agent, token, element, command))
            }
            Action::Restart { element } => {
                self.command(permit, errand(agent, token, element, Command::Restart))
            }
            Action::Trace {
                vehicle,
                from,
                until,
            } => self.trace(agent, permit, &vehicle, (from, until)),
            Action::TellCustomer {
                ticket,
                text,
                question,
            } => self.tell_customer(agent, permit, &ticket, text, question),
        };
        match answered {
            Ok(None) => {}
            Ok(Some(outcome)) => {
                let after = between(&mut self.chances.actions, APP_S.0, APP_S.1);
                self.answer(self.now.plus_s(after), agent, token, outcome);
            }
            Err(reason) => self.answer(self.now, agent, token, Outcome::Impossible(reason)),
        }
    }

    /// The reason why an action is not allowed, if it reaches beyond the province of the permit.
    /// Unknown elements belong to no province and are reported where they are used.
    fn beyond_province(&self, agent: &str, permit: &Permit, action: &Action) -> Option<String> {
        let own = permit.province.as_deref()?;
        let elements = action.elements().into_iter();
        let mut known = elements.filter(|e| self.inventory.element(e).is_some());
        let foreign = known.find(|e| self.inventory.province_of(e) != Some(own))?;
        Some(format!(
            "{foreign} does not lie in province {own}, to which {agent} is confined"
        ))
    }

    fn probe(
        &mut self,
        agent: &str,
        permit: &Permit,
        token: Token,
        element: ElementId,
    ) -> Result<Option<Outcome>, String> {
        let domain = self.domain_of(&element)?;
        if !permit.probe.contains(&domain) {
            return Err(format!(
                "{element} belongs to domain {}, which {agent} may not probe",
                domain.as_str()
            ));
        }
        let takes = between(&mut self.chances.actions, PROBE_S.0, PROBE_S.1);
        let agent = agent.to_owned();
        self.schedule(
            self.now.plus_s(takes),
            Event::Measure {
                agent,
                token,
                element,
            },
        );
        Ok(None)
    }

    fn dispatch(
        &mut self,
        agent: &str,
        permit: &Permit,
        token: Token,
        element: ElementId,
        work_order: Option<String>,
    ) -> Result<Option<Outcome>, String> {
        if !permit.field {
            return Err(format!("{agent} does not command the field force"));
        }
        let position = self
            .inventory
            .element(&element)
            .ok_or_else(|| unknown(&element))?
            .position;
        if self.field_force.under(agent, token).is_some() {
            return Err(format!("token {token} belongs to an earlier dispatch"));
        }
        if let Some(engineer) = self
            .field_force
            .sent_before(agent, token, work_order.clone())
        {
            let (arrival, doing) = (engineer.arrival, engineer.doing);
            if doing == Doing::Waiting {
                self.arrive(self.now.plus_s(APP_S.1), agent, token);
            }
            return Ok(Some(Outcome::Dispatched { arrival }));
        }
        self.note_dispatch(agent, token, &element);
        let rng = &mut self.chances.actions;
        let arrival = self
            .now
            .plus_s(field::travel_s(&self.inventory, position, self.now, rng));
        let engineer = Engineer {
            at: element,
            doing: Doing::Driving,
            arrival,
            sent: token,
            reports: token,
        };
        self.field_force.send(agent, work_order, engineer);
        self.arrive(arrival, agent, token);
        Ok(Some(Outcome::Dispatched { arrival }))
    }

    fn arrive(&mut self, at: Timestamp, agent: &str, token: Token) {
        let agent = agent.to_owned();
        self.schedule(at, Event::Arrive { agent, token });
    }

    fn guide(
        &mut self,
        agent: &str,
        permit: &Permit,
        dispatch: Token,
        element: &ElementId,
    ) -> Result<Option<Outcome>, String> {
        if !permit.field {
            return Err(format!("{agent} does not command the field force"));
        }
        self.domain_of(element)?;
        let engineer = self
            .field_force
            .under(agent, dispatch)
            .ok_or_else(|| format!("nobody was sent out under token {dispatch}"))?;
        match engineer.doing {
            Doing::Driving => return Err("the engineer has not arrived yet".to_owned()),
            Doing::Working => return Err("the engineer is at work already".to_owned()),
            Doing::Waiting => engineer.doing = Doing::Working,
        }
        let from = std::mem::replace(&mut engineer.at, element.clone());
        let drive = field::transfer_s(&self.inventory, &from, element);
        let rng = &mut self.chances.actions;
        let work = field::work(&self.inventory, &self.state, &self.view, element, rng);
        self.schedule(
            self.now.plus_s(drive + work.seconds),
            Event::Finish {
                agent: agent.to_owned(),
                token: dispatch,
                element: element.clone(),
                mends: work.mends,
                finding: work.finding,
            },
        );
        Ok(Some(Outcome::Guided))
    }

    pub(super) fn measured(&mut self, agent: String, token: Token, element: &ElementId) {
        let bench = ProbeContext {
            inventory: &self.inventory,
            state: &self.state,
            view: &self.view,
            ailing: &self.ailing,
            flows: &self.flows,
            silent_since: &self.silent_since,
            gasped: &self.gasped,
            mobile: &self.mobile,
            batteries: &self.batteries,
            now: self.now,
        };
        let right = bench.measure(element, &mut self.chances.actions);
        let outcome = match right {
            None => Outcome::Impossible(unknown(element)),
            Some(right) => {
                let instruments = &mut self.erring.instruments;
                let other = |id: &ElementId, rng: &mut SeededRng| bench.measure(id, rng);
                match instruments.read(&self.inventory, &right, other) {
                    Reading::Right => Outcome::Measured(right),
                    Reading::Wrong(seen) => Outcome::Measured(seen),
                    Reading::Failed(why) => Outcome::Failed(why),
                }
            }
        };
        self.answer(self.now, &agent, token, outcome);
    }

    pub(super) fn arrived(&mut self, agent: String, token: Token) {
        let Some(engineer) = self.field_force.under(&agent, token) else {
            return;
        };
        if engineer.doing == Doing::Working {
            return;
        }
        engineer.doing = Doing::Waiting;
        let (element, token) = (engineer.at.clone(), engineer.reports);
        let question = field::question(&self.inventory, &self.state, &self.view, &element);
        self.report(
            agent,
            FieldReport::Arrived {
                token,
                element,
                question,
            },
        );
    }

    pub(super) fn finished(
        &mut self,
        agent: String,
        token: Token,
        element: ElementId,
        mends: Option<usize>,
        finding: String,
    ) {
        let Some(engineer) = self.field_force.under(&agent, token) else {
            return;
        };
        engineer.doing = Doing::Waiting;
        let (sent, token) = (engineer.sent, engineer.reports);
        // What somebody else has mended meanwhile is not mended again.
        let mends = mends.filter(|number| self.state.troubles.contains_key(number));
        if let Some(number) = mends {
            self.note_success(&agent, sent);
            self.mend(number);
        }
        self.report(
            agent,
            FieldReport::Ended {
                token,
                element,
                repaired: mends.is_some(),
                finding,
            },
        );
    }

    pub(super) fn domain_of(&self, element: &ElementId) -> Result<Domain, String> {
        let found = self.inventory.element(element);
        found.map(|e| e.domain).ok_or_else(|| unknown(element))
    }

    pub(super) fn answer(&mut self, at: Timestamp, agent: &str, token: Token, outcome: Outcome) {
        let to = Recipients::Agent(agent.to_owned());
        self.deliver(at, to, EmissionContent::Outcome { token, outcome });
    }

    fn report(&mut self, agent: String, report: FieldReport) {
        let tiding = EmissionContent::Telemetry(Telemetry::Field(report));
        self.deliver(self.now, Recipients::Agent(agent), tiding);
    }
}

fn errand(agent: &str, token: Token, element: ElementId, command: Command) -> Errand {
    Errand {
        agent: agent.to_owned(),
        token,
        element,
        command,
    }
}

pub(super) fn unknown(element: &ElementId) -> String {
    format!("the network has no element '{element}'")
}
