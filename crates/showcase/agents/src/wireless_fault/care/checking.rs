//! Whether anything is the matter: what alarms say is measured before anything is done about it.
//!
//! | alarm | borne out by | disproved by |
//! |---|---|---|
//! | a site is out | a second type of alarm on it, if both have mostly been true; or two measurements that do not reach it or fail | two that are good |
//! | a cell is off air | two measurements of a dead radio unit, or of none | two that are good |
//! | a cell hears foreign power | more than usual, as a source explains it (`source.rs`) | what it hears as usual |
//! | a cell serves badly | its users get less than before (`counters.rs`) | they get as much |
//!
//! Until it is borne out nobody is sent, nothing is restarted and no power is raised: it is looked at again
//! every five minutes, until its alarms end or it is left. A parameter that is not as planned is set if it was
//! changed since it was first read (`audit.rs`) and an alarm or counters say that the cell serves its users worse; one
//! that has always been so is spared; one of which nobody knows is set where counters say so, or an alarm of a
//! type that has mostly been true. How it ended counts for or
//! against the type of alarm ([`crate::alarm_trust`]). Knows what is believed; refuses to know
//! what is done then. Read next: [`super::work`].

use super::Care;
use super::audit::Since;
use super::audit::departures;
use super::case::{CareCase, RepairState};
use super::source::cells_measured;
use crate::wireless_fault::expertise::{Base, is_broken, zone_is_dark};
use domain::agent::Output;
use domain::inventory::ElementId;
use domain::telemetry::{AlarmType, Condition, Measurement};
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// The number of times that it is checked whether anything is the matter: an hour and a quarter.
const CHECKS_MAX: u32 = 15;
/// The most elements measured for that.
const CHECKED_MAX: usize = 12;
/// Two measurements of what a cell hears that lie farther apart (dB) contradict each other.
const APART_DB: f64 = 3.0;

/// The parameters of a case's cells that are not as planned.
pub(super) struct Departures {
    /// Those to be set: the cell, the parameter and its planned value.
    pub(super) wrong: Vec<(ElementId, String, String)>,
    /// What these are now.
    pub(super) was: Vec<(ElementId, String, String)>,
    /// Those that are left as they are, in words.
    pub(super) spared: Vec<String>,
}

impl Care {
    /// True if a case needs no measurement to be believed.
    pub(super) fn needs_no_check(&self, base: &Base, number: u64) -> bool {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return false;
        };
        let on = |site: &ElementId, t| {
            self.trust.is_trusted(t) && base.alarms().on(site).any(|(on, _)| on == t)
        };
        let twice_told = |site: &ElementId| {
            on(site, AlarmType::SiteUnreachable) && on(site, AlarmType::CellsOutOfService)
        };
        let is_out = case.cells.is_empty() && (case.shared || case.sites.iter().any(twice_told));
        case.borne_out || is_out
    }

    /// Users first.
    pub(super) fn care_for_users(
        &mut self,
        base: &mut Base,
        number: u64,
        now: Timestamp,
    ) -> Vec<Output> {
        let mut outputs = self.enter(base, number, RepairState::Waiting, now);
        outputs.extend(self.ask_aid(base, number, now));
        outputs
    }

    /// Measures what alarms tell of.
    pub(super) fn check_alarms(
        &mut self,
        base: &mut Base,
        number: u64,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.checks += 1;
        let inventory = base.topology().inventory().clone();
        let plan = match case.cells.is_empty() {
            true => case.sites.iter().cloned().collect(),
            false => cells_measured(&inventory, case),
        };
        let mut seen = BTreeSet::new();
        let fresh = plan.into_iter().filter(|e| seen.insert(e.clone()));
        let plan: Vec<ElementId> = fresh.take(CHECKED_MAX).collect();
        self.measure_all(base, number, RepairState::Checking, &plan, now)
    }

    /// Goes on as what was measured bears alarms out, or does not.
    pub(super) fn checked(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let borne_out = self.bears_out(base, case);
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        if borne_out {
            case.borne_out = true;
            return self.care_for_users(base, number, now);
        }
        case.seen = case.measured.clone();
        let serves_badly = case.symptoms.contains(&AlarmType::CellDegraded);
        let mut outputs = self.clear_disproved(base, number, now);
        outputs.extend(if self.is_over(base, number) {
            let why = "what its alarms say is not so, as far as can be measured";
            self.close(base, number, why, now)
        } else if serves_badly {
            self.read_configuration(base, number, now)
        } else {
            self.doubt(base, number, now)
        });
        outputs
    }

    /// Nothing bears the alarms out: it is looked at again later.
    pub(super) fn doubt(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        if case.checks >= CHECKS_MAX {
            let why = "nothing that can be measured bears its alarms out";
            return self.leave(base, number, why, now);
        }
        self.enter(base, number, RepairState::Doubting, now)
    }

    /// Takes down whether what was measured for other reasons bears the alarms out.
    pub(super) fn weigh_measured(&mut self, base: &Base, number: u64) {
        let case = self.cases.iter().find(|c| c.number == number);
        let borne_out = case.is_some_and(|case| self.bears_out(base, case));
        if let Some(case) = self.case(number) {
            case.borne_out |= borne_out;
            case.checks += u32::from(!case.borne_out);
        }
    }

    /// True if measurements or counters bear out that something is the matter.
    fn bears_out(&self, base: &Base, case: &CareCase) -> bool {
        let inventory = base.topology().inventory();
        let fails = |m: &Measurement| {
            matches!(m.condition, Condition::Failed | Condition::Unreachable) || is_broken(m)
        };
        let of_case = |m: &&Measurement| {
            case.cells.contains(&m.element)
                || (case.cells.is_empty() && case.sites.contains(&m.element))
        };
        let measured = case.measured.values().filter(of_case);
        let worse = |c: &ElementId| self.does_worse(inventory, case, c) == Some(true);
        measured.into_iter().any(fails)
            || case.cells.iter().any(worse)
            || (case.symptoms.contains(&AlarmType::InterferenceHigh)
                && self.source(base, case).is_some())
    }

    /// The parameters of a case that are not as planned: which of them are to be set.
    pub(super) fn departures_of(&self, base: &Base, case: &CareCase) -> Departures {
        let mut found = Departures {
            wrong: Vec::new(),
            was: Vec::new(),
            spared: Vec::new(),
        };
        for (element, read) in &case.configurations {
            let suffers = self.suffers(base, case, element);
            for (parameter, planned) in departures(read) {
                let key = (element.clone(), parameter.clone());
                let may_be_why = match self.audit.since(element, parameter, case.opened_at) {
                    Since::Always => false,
                    Since::Changed(_) => suffers || is_alarmed(base, element),
                    Since::Unknown => suffers,
                };
                if !may_be_why || case.harmless.contains(&key) {
                    found.spared.push(format!(
                        "{parameter} of {element} is not as planned, but does no harm that is seen"
                    ));
                    continue;
                }
                let before = read.running.get(parameter).cloned();
                let was = before.map(|v| (element.clone(), parameter.clone(), v));
                found.was.extend(was);
                found
                    .wrong
                    .push((element.clone(), parameter.clone(), planned.clone()));
            }
        }
        found
    }

    /// True if a cell serves badly, so that a parameter that is not as planned may be why: its counters
    /// say so, or an alarm of a type that has mostly been true.
    fn suffers(&self, base: &Base, case: &CareCase, cell: &ElementId) -> bool {
        let told = |(t, _)| {
            let of_service = matches!(t, AlarmType::CellDegraded | AlarmType::CellUnavailable);
            of_service && self.trust.is_trusted(t)
        };
        let by_counters = case.symptoms.is_empty() && case.cells.contains(cell);
        by_counters
            || case.cells.is_empty()
            || base.alarms().on(cell).any(told)
            || self.does_worse(base.topology().inventory(), case, cell) == Some(true)
    }
}

/// True if an alarm says that a cell serves badly, whatever such alarms have been worth.
fn is_alarmed(base: &Base, cell: &ElementId) -> bool {
    let of_service = |t| matches!(t, AlarmType::CellDegraded | AlarmType::CellUnavailable);
    base.alarms().on(cell).any(|(t, _)| of_service(t))
}

/// True if two measurements of one element cannot both be right.
pub(super) fn contradict(one: &Measurement, other: &Measurement) -> bool {
    let heard = |m: &Measurement| m.readings.get("interference_dbm").copied();
    let apart = heard(one)
        .zip(heard(other))
        .is_some_and(|(a, b)| (a - b).abs() > APART_DB);
    apart || is_broken(one) != is_broken(other) || zone_is_dark(one) != zone_is_dark(other)
}
