//! Remote actions of agents: reading and setting parameters, restarting.
//!
//! Knows permissions and reachability; the effect of a parameter is in [`crate::configuration`]. No
//! setting is silent: a harmful one has symptoms like any other trouble. Read next:
//! [`crate::configuration`].

use super::Simulation;
use super::queue::{Command, Errand, Event};
use crate::chance::{between, happens};
use crate::fault::FaultKind;
use crate::state::{Course, Trouble, TroubleKind};
use domain::inventory::{ElementId, ElementKind};
use domain::permit::Permit;
use domain::telemetry::Outcome;
use std::collections::BTreeMap;

/// The duration of reading, and of setting a parameter, in seconds.
const READING_S: (f64, f64) = (2.0, 10.0);
const SETTING_S: (f64, f64) = (5.0, 20.0);
/// The delay of a restart command, in seconds.
const COMMAND_S: (f64, f64) = (2.0, 5.0);
/// The probability that a restart revives a stopped site; assumed.
const REVIVES: f64 = 0.6;

/// The start-up time of an element, in seconds: shortest and longest; none if it cannot be
/// restarted.
fn starts_s(kind: ElementKind) -> Option<(f64, f64)> {
    match kind {
        ElementKind::Router => Some((240.0, 420.0)),
        ElementKind::Site => Some((180.0, 300.0)),
        ElementKind::LineCard => Some((60.0, 120.0)),
        ElementKind::Cell => Some((120.0, 180.0)),
        ElementKind::Optic => Some((20.0, 40.0)),
        ElementKind::Link | ElementKind::Duct | ElementKind::PowerZone => None,
    }
}

impl Simulation {
    /// Sends a command to an element, if the agent's permit allows it.
    pub(super) fn command(
        &mut self,
        permit: &Permit,
        errand: Errand,
    ) -> Result<Option<Outcome>, String> {
        let (agent, element) = (&errand.agent, &errand.element);
        let domain = self.domain_of(element)?;
        if !permit.configure.contains(&domain) {
            return Err(format!(
                "{element} belongs to domain {}, which {agent} may not configure",
                domain.as_str()
            ));
        }
        let (low, high) = match errand.command {
            Command::Read => READING_S,
            Command::Set { .. } => SETTING_S,
            Command::Restart => COMMAND_S,
        };
        let takes = between(&mut self.chances.remote, low, high);
        self.schedule(self.now.plus_s(takes), Event::Commanded(errand));
        Ok(None)
    }

    /// Executes a command that has reached its element.
    pub(super) fn commanded(&mut self, errand: Errand) {
        let done = match &errand.command {
            Command::Read => self.read(&errand.element).map(Some),
            Command::Set { parameter, value } => {
                let set = self.set(&errand.element, parameter, value);
                set.map(|()| Some(Outcome::Done))
            }
            Command::Restart => self.restart(&errand).map(|()| None),
        };
        let outcome = match done {
            Ok(None) => return,
            Ok(Some(outcome)) => outcome,
            Err(reason) => Outcome::Impossible(reason),
        };
        self.answer(self.now, &errand.agent, errand.token, outcome);
    }

    fn read(&self, element: &ElementId) -> Result<Outcome, String> {
        self.must_answer(element)?;
        let configuration = self.state.settings.read(&self.inventory, element);
        let found = configuration.map(Outcome::Configuration);
        found.ok_or_else(|| format!("{element} has no parameters"))
    }

    fn set(&mut self, element: &ElementId, parameter: &str, value: &str) -> Result<(), String> {
        self.must_answer(element)?;
        let settings = &mut self.state.settings;
        settings.set(&self.inventory, element, parameter, value)?;
        if self.state.settings.is_planned(element, parameter) {
            self.set_right(element, parameter);
        }
        self.look();
        Ok(())
    }

    /// Ends the misconfiguration of a parameter that is as planned again.
    fn set_right(&mut self, element: &ElementId, parameter: &str) {
        let wrong = |trouble: &Trouble| match &trouble.course {
            Course::Wrong { parameter: own } => own == parameter && trouble.element == *element,
            _ => false,
        };
        let troubles = self.state.troubles.iter();
        let mended: Vec<usize> = troubles
            .filter(|(_, trouble)| wrong(trouble))
            .map(|(number, _)| *number)
            .collect();
        for number in mended {
            self.mend(number);
        }
    }

    /// Checks that an element answers; one out of reach does not, and a link answers at either end.
    fn must_answer(&self, element: &ElementId) -> Result<(), String> {
        let answers = |id: &ElementId| self.view.reached.contains(self.inventory.node_of(id));
        let reached = match self.inventory.links.get(element) {
            Some(link) => answers(&link.a) || answers(&link.b),
            None => answers(element),
        };
        // What it is built into works; so must it, unless it is its own hardware that is dead.
        let dead = self.view.failed.contains(element) && !self.is_switched_off(element);
        if reached && (!dead || self.inventory.links.contains_key(element)) {
            Ok(())
        } else {
            Err(format!("{element} does not answer"))
        }
    }

    fn is_switched_off(&self, element: &ElementId) -> bool {
        self.state
            .settings
            .lasers_off()
            .any(|optic| optic == element)
    }

    /// Stops an element for its start-up time. Sites and routers with power can be restarted over
    /// an out-of-band network.
    fn restart(&mut self, errand: &Errand) -> Result<(), String> {
        let element = &errand.element;
        let kind = self.inventory.element(element).map(|e| e.kind);
        let Some((low, high)) = kind.and_then(starts_s) else {
            return Err(format!("{element} is nothing that could be restarted"));
        };
        let node = self.inventory.node_of(element).clone();
        if self.state.exhausted.contains_key(&node) {
            return Err(format!("{node} has no power"));
        }
        if node != *element {
            let reached = self.view.reached.contains(&node);
            reached
                .then_some(())
                .ok_or_else(|| format!("{element} does not answer"))?;
        }
        let dead = |trouble: &Trouble| {
            let kinds = [
                TroubleKind::Fault(FaultKind::RouterFailure),
                TroubleKind::Fault(FaultKind::CardFailure),
                TroubleKind::Restarting,
            ];
            trouble.element == *element && kinds.contains(&trouble.kind)
        };
        if self.state.troubles.values().any(dead) {
            return Err(format!("{element} does not answer"));
        }
        let takes = between(&mut self.chances.remote, low, high);
        let number = self.next_trouble();
        let trouble = Trouble {
            kind: TroubleKind::Restarting,
            element: element.clone(),
            since: self.now,
            breaks: BTreeMap::new(),
            course: Course::Steady,
        };
        self.begin(number, trouble);
        let errand = errand.clone();
        self.schedule(self.now.plus_s(takes), Event::Started { errand, number });
        Ok(())
    }

    /// Puts a restarted element back into service; with luck that also revives a stopped site.
    pub(super) fn started(&mut self, errand: &Errand, number: usize) {
        let stopped = self.state.troubles.iter().find(|(_, trouble)| {
            trouble.kind == TroubleKind::SiteStopped && trouble.element == errand.element
        });
        if let Some((&stopped, _)) = stopped
            && happens(&mut self.chances.remote, REVIVES)
        {
            self.mend(stopped);
        }
        self.mend(number);
        self.answer(self.now, &errand.agent, errand.token, Outcome::Done);
    }
}
