//! Finding the cause and mending it, one step after the other (draft §2.2).
//!
//! 1. *Own configuration*: parameters of its cells that are not as planned are set, where users are served
//!    worse or alarms that are to be trusted say so, and set back if that did not help.
//! 2. *Own measurements*: the site, its zone, its cells. Mains that are gone, hardware and foreign
//!    power show here.
//! 3. *The IP domain's agent* is asked about the way to the site, if nothing of its own is the matter.
//! 4. *Mending*: what answers is restarted, once; else a ticket goes to whoever takes tickets.
//! 5. *Verifying*: alarms have cleared, measurements are good, and cells do as they did before.
//!
//! A step that does not end in its time is over. Where several sites share the cause nothing is done
//! here: the OSS agent does it. This file knows the order of the steps and its own measurements; what
//! is said to others is in [`super::question`] and [`super::ticket`], what measurements mean in
//! [`super::cause`], what proves that it helped in [`super::verifying`]. Read next: [`super::cause`].

use super::case::{CareCase, RepairState};
use super::checking::{Departures, contradict};
use super::source::{cells_measured, stands_out_db};
use super::{Care, Errand};
use crate::domain_agent::job::{DiagnosisFinding, readings};
use crate::measurement_series::MeasurementRound;
use crate::payloads::Schema;
use crate::payloads::diagnosis::DiagnosisResult;
use crate::wireless_fault::expertise::{Base, is_broken};
use domain::agent::Output;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::notification::Notification;
use domain::task::Awaits;
use domain::telemetry::{Action, AlarmType, Condition, Measurement, Outcome};
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// The number of times that the work begins before the case is left to others.
const ROUNDS_MAX: u32 = 3;
/// The most elements measured at once.
pub(super) const MEASURED_MAX: usize = 12;

impl Care {
    /// First its own configuration (draft §2.2).
    pub(super) fn check_configuration(
        &mut self,
        base: &mut Base,
        number: u64,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        if case.shared {
            let why = "several sites share the cause";
            return self.leave(base, number, why, now);
        }
        if case.rounds >= ROUNDS_MAX {
            return self.leave(base, number, "nothing that was tried helped", now);
        }
        case.rounds += 1;
        case.looks = 0;
        case.measured.clear();
        self.read_configuration(base, number, now)
    }

    /// Reads the parameters of its cells.
    pub(super) fn read_configuration(
        &mut self,
        base: &mut Base,
        number: u64,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        let cells = cells_of(base, case);
        let mut outputs = self.enter(base, number, RepairState::Configuration, now);
        if cells.is_empty() {
            outputs.extend(self.measure(base, number, now));
            return outputs;
        }
        for element in cells {
            let action = Action::ReadConfiguration {
                element: element.clone(),
            };
            outputs.extend(self.step(base, number, element, action));
        }
        outputs
    }

    pub(super) fn step(
        &mut self,
        base: &mut Base,
        number: u64,
        element: ElementId,
        action: Action,
    ) -> Option<Output> {
        let step = self.case(number)?.step;
        Some(self.act(base, Errand::Step(number, step, element), action))
    }

    /// True while something of the present step is under way.
    fn is_busy(&self, number: u64) -> bool {
        let busy = |e: &Errand| matches!(e, Errand::Step(n, ..) if *n == number);
        self.errands.values().any(busy)
    }

    pub(super) fn step_done(
        &mut self,
        base: &mut Base,
        number: u64,
        element: ElementId,
        outcome: Outcome,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        match outcome {
            Outcome::Configuration(read) => drop(case.configurations.insert(element, read)),
            Outcome::Measured(_) | Outcome::Impossible(_) | Outcome::Failed(_)
                if matches!(case.work, RepairState::Measuring | RepairState::Checking) =>
            {
                case.round.take(&element, outcome);
            }
            Outcome::Done if case.work == RepairState::Configuring => {
                case.configurations.remove(&element);
            }
            Outcome::Impossible(why) => case.evidence.push(format!("{element}: {why}")),
            _ => {}
        }
        if self.is_busy(number) {
            return Vec::new();
        }
        let again = match self.case(number) {
            Some(case) if matches!(case.work, RepairState::Measuring | RepairState::Checking) => {
                case.round.again(contradict)
            }
            _ => Vec::new(),
        };
        match again.is_empty() {
            true => self.step_over(base, number, now),
            false => self.probe(base, number, again),
        }
    }

    /// Probes elements for the present step.
    fn probe(&mut self, base: &mut Base, number: u64, elements: Vec<ElementId>) -> Vec<Output> {
        let mut outputs = Vec::new();
        for element in elements {
            let action = Action::Probe {
                element: element.clone(),
            };
            outputs.extend(self.step(base, number, element, action));
        }
        outputs
    }

    /// Enters a step in which these elements are measured, each twice.
    pub(super) fn measure_all(
        &mut self,
        base: &mut Base,
        number: u64,
        work: RepairState,
        elements: &[ElementId],
        now: Timestamp,
    ) -> Vec<Output> {
        let mut outputs = self.enter(base, number, work, now);
        let Some(case) = self.case(number) else {
            return outputs;
        };
        case.round = MeasurementRound::default();
        let probes = case.round.begin(elements);
        outputs.extend(self.probe(base, number, probes));
        outputs
    }

    /// What was measured in the present step becomes what the case goes by.
    fn take_round(&mut self, number: u64) {
        let Some(case) = self.case(number) else {
            return;
        };
        let mut round = std::mem::take(&mut case.round);
        round.give_up();
        case.measured = round.agreed();
        case.evidence.extend(case.measured.values().map(readings));
        case.evidence.extend(round.unmeasured());
    }

    /// A step has ended, or its time is over.
    pub(super) fn step_over(
        &mut self,
        base: &mut Base,
        number: u64,
        now: Timestamp,
    ) -> Vec<Output> {
        let stale = |e: &Errand| matches!(e, Errand::Step(n, ..) if *n == number);
        self.errands.retain(|_, e| !stale(e));
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        match case.work.clone() {
            RepairState::Checking => {
                self.take_round(number);
                self.checked(base, number, now)
            }
            RepairState::Doubting => self.check_alarms(base, number, now),
            RepairState::Waiting | RepairState::Undoing => {
                self.check_configuration(base, number, now)
            }
            RepairState::Configuration => self.configure(base, number, now),
            RepairState::Configuring | RepairState::Restarting => self.verify(base, number, now),
            RepairState::Measuring => {
                self.take_round(number);
                self.weigh_measured(base, number);
                self.judge_own(base, number, now)
            }
            RepairState::Asking(_) => self.locate_without_ip(base, number, now),
            RepairState::Diagnosing(task) => {
                let to = case.executor.clone();
                let why = "It takes too long";
                let mut outputs = self.cancel(base, to, task, why, now);
                outputs.extend(self.locate_without_ip(base, number, now));
                outputs
            }
            RepairState::Repairing(task) => {
                let to = case.executor.clone();
                let mut outputs = self.cancel(base, to, task, "It takes too long", now);
                outputs.extend(self.leave(base, number, "the ticket was not worked", now));
                outputs
            }
            RepairState::Verifying => self.verify_again(base, number, now),
            RepairState::Left(_) => Vec::new(),
        }
    }

    pub(super) fn leave(
        &mut self,
        base: &mut Base,
        number: u64,
        why: &str,
        now: Timestamp,
    ) -> Vec<Output> {
        let mut outputs = vec![Output::Note(format!(
            "Trouble {number} is left to the OSS agent: {why}"
        ))];
        outputs.extend(self.enter(base, number, RepairState::Left(why.to_owned()), now));
        outputs
    }

    /// Sets what is not as planned and does harm; if nothing does, measures.
    fn configure(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let Departures { wrong, was, spared } = self.departures_of(base, case);
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.evidence.extend(spared);
        case.configurations
            .retain(|element, _| wrong.iter().any(|(e, ..)| e == element));
        let Some((element, parameter, _)) = wrong.first().cloned() else {
            return match case.borne_out {
                true => self.measure(base, number, now),
                false => self.doubt(base, number, now),
            };
        };
        (case.set, case.set_at) = (was, now);
        let words = format!("{parameter} of {element} is not as planned: it is set");
        case.evidence.push(words.clone());
        let proposal = "Set the parameters as planned".to_owned();
        case.root = Some((element, Cause::Misconfiguration, proposal));
        let mut outputs = vec![Output::Note(format!("Trouble {number}: {words}"))];
        outputs.extend(self.enter(base, number, RepairState::Configuring, now));
        for (element, parameter, value) in wrong {
            let action = Action::Configure {
                element: element.clone(),
                parameter,
                value,
            };
            outputs.extend(self.step(base, number, element, action));
        }
        outputs
    }

    /// Measures what is its own: sites, their zones, cells.
    fn measure(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let inventory = base.topology().inventory().clone();
        let mut plan: Vec<ElementId> = Vec::new();
        for site in &case.sites {
            plan.push(site.clone());
            plan.extend(inventory.element(site).and_then(|s| s.parent.clone()));
        }
        if !case.cells.is_empty() {
            plan = cells_measured(&inventory, case);
        }
        let mut seen = BTreeSet::new();
        plan.retain(|e| seen.insert(e.clone()));
        plan.truncate(MEASURED_MAX);
        self.measure_all(base, number, RepairState::Measuring, &plan, now)
    }

    /// Judges what its own measurements say; if nothing, the IP domain's agent is asked.
    fn judge_own(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let inventory = base.topology().inventory().clone();
        match self.own_cause(base, case, now) {
            Some(DiagnosisFinding {
                root_cause,
                cause,
                proposal,
                ..
            }) => {
                let stood_out_db = stands_out_db(&inventory, case, &root_cause, &case.measured);
                if let Some(case) = self.case(number) {
                    case.borne_out = true;
                    case.stood_out_db = stood_out_db.filter(|_| cause == Cause::Interference);
                }
                self.located(base, number, root_cause, cause, proposal, now)
            }
            None => self.ask_ip(base, number, now),
        }
    }

    pub(super) fn work_news(
        &mut self,
        base: &mut Base,
        number: u64,
        news: &Notification,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        let over = news.status.is_terminal();
        let judged = news.awaits == Some(Awaits::Judgement);
        match case.work {
            RepairState::Diagnosing(_) if over => {
                let found = DiagnosisResult::in_content(&news.content);
                self.diagnosed(base, number, found, now)
            }
            RepairState::Repairing(_) if judged => self.repaired(base, number, news, now),
            RepairState::Repairing(_) if over => {
                let words = format!("the ticket is {}", news.status);
                self.next_round(base, number, &words, now)
            }
            RepairState::Diagnosing(_) | RepairState::Repairing(_) if news.awaits.is_some() => {
                let (to, task) = (news.from.clone(), news.task.clone());
                let mut outputs = self.cancel(base, to, task, "No more is known", now);
                outputs.extend(self.leave(base, number, "more is asked than is known", now));
                outputs
            }
            _ => Vec::new(),
        }
    }

    /// Nothing is found, by anybody: what answers is restarted, once, or others have to look.
    pub(super) fn locate_without_ip(
        &mut self,
        base: &mut Base,
        number: u64,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        // A restart takes out of service what it is done to: it is done to what is measured to ail only. That a
        // cell serves its users worse has other reasons than its hardware.
        let of_cells = !case.cells.is_empty();
        let ails = |m: &Measurement| match m.condition {
            Condition::Failed => true,
            Condition::Degraded => !of_cells || is_broken(m),
            Condition::Good | Condition::Unreachable => false,
        };
        let answers = |e: &&ElementId| {
            let seen = case.measured.get(*e);
            seen.is_some_and(|m| m.condition != Condition::Unreachable && ails(m))
        };
        let fresh = |e: &&ElementId| !case.restarted.contains(*e);
        let mut what = match case.cells.is_empty() {
            true => case.sites.iter().filter(answers).find(fresh),
            false => case.cells.iter().filter(answers).find(fresh),
        };
        // Foreign power does not go away with a restart.
        what = what.filter(|_| !case.symptoms.contains(&AlarmType::InterferenceHigh));
        match what.cloned() {
            Some(element) => self.restart(base, number, element, now),
            None => self.next_round(base, number, "no cause is found", now),
        }
    }

    fn restart(
        &mut self,
        base: &mut Base,
        number: u64,
        element: ElementId,
        now: Timestamp,
    ) -> Vec<Output> {
        if let Some(case) = self.case(number) {
            case.restarted.insert(element.clone());
        }
        let words = format!("Trouble {number}: {element} is restarted from afar");
        let mut outputs = vec![Output::Note(words)];
        outputs.extend(self.enter(base, number, RepairState::Restarting, now));
        let action = Action::Restart {
            element: element.clone(),
        };
        outputs.extend(self.step(base, number, element, action));
        outputs
    }

    /// The cause is known: restarted from afar, or a ticket.
    pub(super) fn located(
        &mut self,
        base: &mut Base,
        number: u64,
        element: ElementId,
        cause: Cause,
        proposal: String,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        if case.shared {
            return self.leave(base, number, "several sites share the cause", now);
        }
        case.root = Some((element.clone(), cause, proposal));
        let restartable = cause == Cause::CellHardwareFailure && !case.restarted.contains(&element);
        let words = format!("Trouble {number}: {cause} of {element}");
        let mut outputs = vec![Output::Note(words)];
        outputs.extend(match restartable {
            true => self.restart(base, number, element, now),
            false => self.open_ticket(base, number, now),
        });
        outputs
    }

    pub(super) fn next_round(
        &mut self,
        base: &mut Base,
        number: u64,
        why: &str,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.root = None;
        case.stood_out_db = None;
        if case.rounds >= ROUNDS_MAX {
            return self.leave(base, number, why, now);
        }
        // What is not seen now may be seen later.
        case.looks = 0;
        self.enter(base, number, RepairState::Verifying, now)
    }
}

/// The cells whose configuration is read.
fn cells_of(base: &Base, case: &CareCase) -> Vec<ElementId> {
    if !case.cells.is_empty() {
        return case.cells.iter().take(MEASURED_MAX).cloned().collect();
    }
    let inventory = base.topology().inventory();
    let cells = case.sites.iter().flat_map(|s| inventory.cells_of(s));
    cells.take(MEASURED_MAX).cloned().collect()
}
