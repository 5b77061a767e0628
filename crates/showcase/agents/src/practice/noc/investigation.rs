//! The work on a case: what is blamed, checked and telephoned about, and who is sent.
//!
//! Knows how people go through a list from its top; refuses to know how alarms became a case. Read
//! next: `hunt.rs`, how a disturber is found; [`super`].

use super::{AtWork, Case, NocStep, Shows};
use crate::practice::Matter;
use crate::practice::durations::PracticeStep;
use crate::practice::journal::DispatchRecord;
use crate::practice::shift::takes_s;
use crate::topology::Topology;
use domain::agent::Output;
use domain::cause::Cause;
use domain::inventory::{Domain, ElementId};
use domain::telemetry::{
    Action, Condition, Configuration, FieldReport, Measurement, Outcome, Token,
};

/// The number of its own suspects that the wireless desk checks before it telephones.
const OWN_CHECKS: usize = 2;
/// The number of times that a list is gone through from its top before an alarm is held to be a
/// false one.
const ROUNDS_MAX: u32 = 3;
/// Instruments err: an element is measured until so many measurements say the same, and how often at most.
const AGREEING: usize = 2;
const MEASUREMENTS_MAX: usize = 5;
/// The most readings of light that mean darkness, in dBm.
const DARK_DBM: f64 = -30.0;
/// A module that sends less (dBm) is worn.
const WORN_DBM: f64 = -0.5;

impl AtWork<'_> {
    /// A step is due, or done: then its people take the next.
    pub(in crate::practice) fn turn_to(&mut self, case: usize, step: NocStep) -> Vec<Output> {
        let mut outputs = self.due(case, step);
        let domain = self.noc.cases[case].domain;
        outputs.extend(self.assign(domain));
        outputs
    }

    fn due(&mut self, case: usize, step: NocStep) -> Vec<Output> {
        // Whoever stands in the field and calls is answered, whatever has become of the case.
        if let NocStep::Guide(dispatch) = step {
            return vec![self.guide(case, dispatch)];
        }
        if !self.noc.cases[case].open {
            return Vec::new();
        }
        if self.noc.is_over(case) {
            return self.close(case, super::CLEARED);
        }
        match step {
            NocStep::Noticed => self.work(case, PracticeStep::Sort, NocStep::Sorted),
            NocStep::Sorted => {
                let record = &mut self.journal[case];
                record.opened_at.get_or_insert(self.now);
                self.blame(case)
            }
            NocStep::Rethought | NocStep::Look | NocStep::Wait => self.blame(case),
            NocStep::Check => self.check(case),
            NocStep::Hunt => self.listen(case),
            NocStep::Telephoned => self.after_telephone(case),
            NocStep::Send => self.send(case),
            NocStep::Guide(_) | NocStep::Heard => Vec::new(),
        }
    }

    /// Takes the next on the list, or asks the other desk, or begins the list anew.
    fn blame(&mut self, case: usize) -> Vec<Output> {
        let next = self.noc.next_blamed(case, self.now);
        if self.noc.umbrella.is_some() {
            return self.blame_correlated(case, next);
        }
        let own = &self.noc.cases[case];
        if own.domain == Domain::Wireless && own.telephoned {
            return self.after_telephone(case);
        }
        let enough = own.tried.len() >= OWN_CHECKS || next.is_none();
        if own.domain == Domain::Wireless && own.about_sites() && enough {
            return self.telephone(case);
        }
        match next {
            Some(suspect) => self.suspect(case, suspect),
            None => self.anew(case),
        }
    }

    /// Takes what the correlator suspects. What another case is about already is waited for; what
    /// nothing on the lists explains is driven to, as everywhere.
    fn blame_correlated(&mut self, case: usize, next: Option<(ElementId, Cause)>) -> Vec<Output> {
        let others = self.noc.cases.iter().enumerate();
        let mut open = others.filter(|(number, c)| *number != case && c.open);
        let is_theirs = |c: &Case| next.is_some() && c.current == next;
        if open.any(|(_, c)| is_theirs(c)) {
            self.noc.cases[case].current = None;
            return vec![self.wait(case)];
        }
        match next {
            Some(suspect) => self.suspect(case, suspect),
            None if self.noc.cases[case].about_sites() => self.after_telephone(case),
            None => self.anew(case),
        }
    }

    /// The list is gone through from its top once more, later; after a few times in vain its alarms
    /// are held to be false.
    pub(super) fn anew(&mut self, case: usize) -> Vec<Output> {
        let own = &mut self.noc.cases[case];
        own.rounds += 1;
        own.tried.clear();
        if own.rounds >= ROUNDS_MAX && !self.is_awaited(case) {
            return self.close(case, "nothing was found; its alarms are held to be false");
        }
        vec![self.wait(case)]
    }

    fn telephone(&mut self, case: usize) -> Vec<Output> {
        self.noc.cases[case].telephoned = true;
        self.work(case, PracticeStep::Telephone, NocStep::Telephoned)
    }

    /// True while an engineer of the case, or another case of its town, may still mend it.
    fn is_awaited(&self, case: usize) -> bool {
        let place = &self.noc.cases[case].place;
        let mut others = self.noc.cases.iter().enumerate();
        let under_way = self.noc.engineers.iter().any(|(_, c, _)| *c == case);
        under_way || others.any(|(n, c)| n != case && c.open && c.place == *place)
    }

    fn wait(&mut self, case: usize) -> Output {
        let wait = self.noc.durations.of(PracticeStep::Wait);
        let at = self.now.plus_s(takes_s(wait, self.rng));
        self.matters.wake(Matter::Case(case, NocStep::Wait), at)
    }

    fn suspect(&mut self, case: usize, suspect: (ElementId, Cause)) -> Vec<Output> {
        // The cell that alarms first is not yet the one beside the disturber.
        if suspect.1 == Cause::Interference {
            return self.work(case, PracticeStep::Hunt, NocStep::Hunt);
        }
        self.accuse(case, suspect);
        self.work(case, PracticeStep::Check, NocStep::Check)
    }

    pub(super) fn accuse(&mut self, case: usize, suspect: (ElementId, Cause)) {
        let own = &mut self.noc.cases[case];
        own.tried.insert(suspect.0.clone());
        own.current = Some(suspect.clone());
        own.shown.clear();
        self.journal[case].blamed.push(suspect);
    }

    fn check(&mut self, case: usize) -> Vec<Output> {
        let Some((element, cause)) = self.noc.cases[case].current.clone() else {
            return Vec::new();
        };
        let action = match cause {
            Cause::Misconfiguration => Action::ReadConfiguration { element },
            _ => Action::Probe { element },
        };
        vec![self.matters.act(Matter::Case(case, NocStep::Check), action)]
    }

    /// The transport desk has looked: what its own list shows for the town is its business and
    /// waited for; else it measures the first link of the first site; else somebody drives to the
    /// site.
    fn after_telephone(&mut self, case: usize) -> Vec<Output> {
        let place = self.noc.cases[case].place.clone();
        let theirs = |(number, c): (usize, &Case)| {
            number != case && c.open && c.domain == Domain::Ip && c.place == place
        };
        if self.noc.cases.iter().enumerate().any(theirs) {
            return vec![self.wait(case)];
        }
        let site = self.noc.first_site(case);
        let link = site.as_ref().and_then(|s| {
            let topology = Topology::of(&self.noc.inventory);
            topology.links_of(s).next().cloned()
        });
        let tried = &self.noc.cases[case].tried;
        let suspects = [
            link.map(|link| (link, Cause::FibreCut)),
            site.map(|site| (site, Cause::MainsFailure)),
        ];
        let mut suspects = suspects.into_iter().flatten();
        let next = suspects.find(|(element, _)| !tried.contains(element));
        match next.or_else(|| self.noc.next_blamed(case, self.now)) {
            Some(suspect) => self.suspect(case, suspect),
            None => self.anew(case),
        }
    }

    pub(in crate::practice) fn acted(
        &mut self,
        case: usize,
        step: NocStep,
        token: Token,
        outcome: Outcome,
    ) -> Vec<Output> {
        match (step, outcome) {
            (NocStep::Heard, Outcome::Measured(m)) => self.heard(case, Some(&m)),
            (NocStep::Heard, _) => self.heard(case, None),
            (NocStep::Check, Outcome::Measured(m)) => self.checked(case, shows(&m)),
            (NocStep::Check, Outcome::Configuration(read)) => self.compared(case, &read),
            (NocStep::Check, Outcome::Done) => {
                self.locate(case);
                self.work(case, PracticeStep::Look, NocStep::Look)
            }
            (NocStep::Check, _) => self.checked(case, Shows::Nothing),
            (NocStep::Send, Outcome::Impossible(_)) => {
                self.noc.engineers.retain(|(t, ..)| *t != token);
                self.work(case, PracticeStep::Rethink, NocStep::Rethought)
            }
            _ => Vec::new(),
        }
    }

    fn checked(&mut self, case: usize, shows: Shows) -> Vec<Output> {
        if !self.noc.cases[case].open {
            return Vec::new();
        }
        let own = &mut self.noc.cases[case];
        own.shown.push(shows);
        let agreeing = own.shown.iter().filter(|other| **other == shows).count();
        let shows = match (agreeing >= AGREEING, own.shown.len() >= MEASUREMENTS_MAX) {
            (true, _) => shows,
            (false, true) => Shows::Nothing,
            (false, false) => return self.check(case),
        };
        let own = &self.noc.cases[case];
        let alone = self.noc.umbrella.is_none();
        let asks = alone && own.domain == Domain::Wireless && own.about_sites();
        match shows {
            Shows::Fault => {
                self.locate(case);
                self.work(case, PracticeStep::Ticket, NocStep::Send)
            }
            Shows::Works => self.work(case, PracticeStep::Rethink, NocStep::Rethought),
            // The wireless desk asks before it sends anybody; who cannot be asked is driven to.
            Shows::Nothing if asks && !self.noc.cases[case].telephoned => self.telephone(case),
            Shows::Nothing => self.work(case, PracticeStep::Ticket, NocStep::Send),
        }
    }

    /// The parameters of a cell beside its planned ones: the first that departs is set right.
    fn compared(&mut self, case: usize, read: &Configuration) -> Vec<Output> {
        let Some((element, _)) = self.noc.cases[case].current.clone() else {
            return Vec::new();
        };
        let departs = read
            .planned
            .iter()
            .find(|(name, planned)| read.running.get(*name) != Some(*planned));
        match departs {
            Some((parameter, value)) => {
                let action = Action::Configure {
                    element,
                    parameter: parameter.clone(),
                    value: value.clone(),
                };
                vec![self.matters.act(Matter::Case(case, NocStep::Check), action)]
            }
            // As planned: then its hardware is measured, by whoever has it before them.
            None => {
                self.accuse(case, (element, Cause::CellHardwareFailure));
                self.check(case)
            }
        }
    }

    fn locate(&mut self, case: usize) {
        let record = &mut self.journal[case];
        record.located_at = Some(self.now);
        record.located.clone_from(&self.noc.cases[case].current);
    }

    fn send(&mut self, case: usize) -> Vec<Output> {
        let Some((element, _)) = self.noc.cases[case].current.clone() else {
            return Vec::new();
        };
        let record = &mut self.journal[case];
        record.dispatched.push(DispatchRecord {
            at: self.now,
            element: element.clone(),
            arrived_at: None,
            ended_at: None,
            repaired: None,
        });
        let which = record.dispatched.len() - 1;
        let matter = Matter::Case(case, NocStep::Send);
        let token = self.matters.token(matter);
        self.noc.engineers.push((token, case, which));
        let action = Action::Dispatch {
            element,
            work_order: None,
        };
        vec![Output::Act { token, action }]
    }

    fn guide(&mut self, case: usize, dispatch: Token) -> Output {
        let own = self.noc.engineers.iter().find(|(t, ..)| *t == dispatch);
        let sent_to = own.map(|(_, c, which)| self.journal[*c].dispatched[*which].element.clone());
        let current = self.noc.cases[case].current.clone().map(|(e, _)| e);
        let element = sent_to.or(current).unwrap_or_else(|| ElementId::new(""));
        let action = Action::Guide {
            dispatch,
            steps: vec![format!("Repair {element} as the manual says")],
            element,
        };
        self.matters
            .act(Matter::Case(case, NocStep::Guide(dispatch)), action)
    }

    pub(in crate::practice) fn field(&mut self, report: FieldReport) -> Vec<Output> {
        let (FieldReport::Arrived { token, .. } | FieldReport::Ended { token, .. }) = &report;
        let own = self.noc.engineers.iter().find(|(t, ..)| t == token);
        let Some((token, case, which)) = own.copied() else {
            return Vec::new();
        };
        let now = self.now;
        let record = &mut self.journal[case].dispatched[which];
        match report {
            FieldReport::Arrived { .. } => {
                record.arrived_at = Some(now);
                self.work(case, PracticeStep::Guide, NocStep::Guide(token))
            }
            FieldReport::Ended { repaired, .. } => {
                record.ended_at = Some(now);
                record.repaired = Some(repaired);
                self.noc.engineers.retain(|(t, ..)| *t != token);
                if !self.noc.cases[case].open {
                    return Vec::new();
                }
                if repaired && self.journal[case].located_at.is_none() {
                    self.locate(case);
                }
                let then = match repaired {
                    true => (PracticeStep::Look, NocStep::Look),
                    false => (PracticeStep::Rethink, NocStep::Rethought),
                };
                self.work(case, then.0, then.1)
            }
        }
    }

    pub(super) fn close(&mut self, case: usize, why: &str) -> Vec<Output> {
        self.noc.cases[case].open = false;
        self.journal[case].closed_at = Some(self.now);
        let place = &self.noc.cases[case].place;
        vec![Output::Note(format!(
            "Case {} in {place} is closed: {why}",
            case + 1
        ))]
    }
}

fn shows(m: &Measurement) -> Shows {
    let reading = |name: &str| m.readings.get(name).copied();
    if let Some(sent) = reading("tx_dbm") {
        return if sent < WORN_DBM {
            Shows::Fault
        } else {
            Shows::Works
        };
    }
    let light = ["light_a_dbm", "light_b_dbm"].map(reading);
    let dark = light.into_iter().flatten().any(|dbm| dbm < DARK_DBM);
    match m.condition {
        // Dark without an echo: the fibre is whole, and what is at its end cannot be seen.
        Condition::Failed if dark && reading("reflection_km").is_none() => Shows::Nothing,
        Condition::Failed => Shows::Fault,
        Condition::Unreachable => Shows::Nothing,
        Condition::Good | Condition::Degraded => Shows::Works,
    }
}
