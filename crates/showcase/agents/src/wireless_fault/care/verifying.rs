//! The check whether service is back: alarms have cleared, measurements are good, and cells do as
//! they did.
//!
//! Knows what proves that a case is over, how often is looked, and which alarms a look disproves: a case of
//! foreign power is not over while the cell that is blamed still stands out, whatever alarms say, and a parameter
//! whose setting did not help, as a whole period since shows, is set back. Every look measures until it is likely
//! enough. What was done about the cause it does not ask; if that did not help, the work begins anew. Read next:
//! [`super::work`], [`super::ticket`].

use super::aid::MIN_THROUGHPUT_MBPS;
use super::case::{CareCase, RepairState};
use super::checking::contradict;
use super::source::{cells_measured, hears_as_usual, stands_out_db};
use super::trouble::{is_of_cell, stands};
use super::work::MEASURED_MAX;
use super::{Care, Errand, LOOK_EACH_S, Timer};
use crate::alarms::AlarmKey;
use crate::measurement_series::MeasurementRound;
use crate::wireless_fault::expertise::Base;
use domain::agent::Output;
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::telemetry::{Action, AlarmType, Condition, Measurement, Outcome};
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// Seconds between two looks at whether it helped.
pub(super) const VERIFY_EACH_S: f64 = 120.0;
/// The number of looks before it counts as not mended.
const LOOKS_MAX: u32 = 8;
/// How long after a setting a period of counters is waited for, in seconds: they may have ended.
const COUNTERS_WITHIN_S: f64 = 2_700.0;
/// The same for a cell that was restarted and measures as dead: alarms may lag, measurements do not.
const DEAD_LOOKS_MAX: u32 = 2;
/// A cell does as before if its slowest users get at least this share of what they got.
const AS_BEFORE: f64 = 0.5;
/// A cell that stood out by less (dB) is within the error of measurements.
const STOOD_OUT_DB: f64 = 3.0;

impl Care {
    pub(super) fn verify(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        if let Some(case) = self.case(number) {
            case.looks = 0;
        }
        let mut outputs = self.enter(base, number, RepairState::Verifying, now);
        outputs.extend(self.look(base, number));
        outputs
    }

    /// It has not helped yet: looks again, until that is often enough.
    pub(super) fn verify_again(
        &mut self,
        base: &mut Base,
        number: u64,
        now: Timestamp,
    ) -> Vec<Output> {
        let case = self.cases.iter().find(|c| c.number == number);
        let soon = |case: &CareCase| now.seconds_since(case.set_at) < COUNTERS_WITHIN_S;
        let waits = case.is_some_and(|case| soon(case) && self.waits_for_counters(case));
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.looks += 1;
        let hardware = match &case.root {
            Some((cell, Cause::CellHardwareFailure, _)) => Some(cell),
            _ => None,
        };
        let dead = hardware.and_then(|cell| case.seen.get(cell));
        let dead = dead.is_some_and(|m| m.condition == Condition::Failed);
        let looks_max = if dead { DEAD_LOOKS_MAX } else { LOOKS_MAX };
        if case.looks < looks_max || waits {
            let mut outputs = self.enter(base, number, RepairState::Verifying, now);
            outputs.extend(self.look(base, number));
            return outputs;
        }
        match hardware.is_some() {
            // The restart did not help.
            true => self.open_ticket(base, number, now),
            false => self.undo(base, number, now),
        }
    }

    /// Sets parameters back whose setting has not helped, as counters say; then the work begins anew.
    fn undo(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        let inventory = base.topology().inventory().clone();
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let still = |cell: &ElementId| self.does_worse(&inventory, case, cell) == Some(true);
        let vain: Vec<_> = case
            .set
            .iter()
            .filter(|(e, ..)| still(e))
            .cloned()
            .collect();
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.set.clear();
        if vain.is_empty() {
            return self.check_configuration(base, number, now);
        }
        case.root = None;
        let undone = vain.iter().map(|(e, p, _)| (e.clone(), p.clone()));
        case.harmless.extend(undone);
        let (element, parameter, _) = &vain[0];
        let words = format!(
            "Trouble {number}: setting {parameter} of {element} has not helped: it is set back"
        );
        let mut outputs = vec![Output::Note(words)];
        outputs.extend(self.enter(base, number, RepairState::Undoing, now));
        for (element, parameter, value) in vain {
            let spared = (element.clone(), parameter.clone(), value.clone());
            self.audit.spare(spared.0, spared.1, spared.2);
            let action = Action::Configure {
                element: element.clone(),
                parameter,
                value,
            };
            outputs.extend(self.step(base, number, element, action));
        }
        outputs
    }

    /// Looks whether a case is over.
    pub(super) fn look(&mut self, base: &mut Base, number: u64) -> Vec<Output> {
        let looking = |e: &Errand| matches!(e, Errand::Look(n, _) if *n == number);
        if self.errands.values().any(looking) {
            return Vec::new();
        }
        let inventory = base.topology().inventory().clone();
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.seen.clear();
        let cells = cells_measured(&inventory, case);
        let blamed = case.root.iter().map(|(element, ..)| element);
        let blamed = blamed.filter(|e| cells.contains(e));
        let elements = match case.cells.is_empty() {
            true => case.sites.iter().cloned().collect(),
            false => blamed.chain(&cells).cloned().collect::<Vec<ElementId>>(),
        };
        let mut seen = BTreeSet::new();
        let fresh = elements.into_iter().filter(|e| seen.insert(e.clone()));
        let elements: Vec<ElementId> = fresh.take(MEASURED_MAX).collect();
        case.looking = MeasurementRound::default();
        let probes = case.looking.begin(&elements);
        self.look_at(base, number, probes)
    }

    fn look_at(&mut self, base: &mut Base, number: u64, elements: Vec<ElementId>) -> Vec<Output> {
        let look = |element: ElementId| {
            let errand = Errand::Look(number, element.clone());
            self.act(base, errand, Action::Probe { element })
        };
        elements.into_iter().map(look).collect()
    }

    pub(super) fn look_again(
        &mut self,
        base: &mut Base,
        number: u64,
        now: Timestamp,
    ) -> Vec<Output> {
        if self.case(number).is_none() {
            return Vec::new();
        }
        // Looks whose answers were lost are forgotten.
        let lost = |e: &Errand| matches!(e, Errand::Look(n, _) if *n == number);
        self.errands.retain(|_, e| !lost(e));
        let mut outputs = vec![self.wake(base, Timer::Look(number), now.plus_s(LOOK_EACH_S))];
        outputs.extend(self.look(base, number));
        outputs
    }

    pub(super) fn looked(
        &mut self,
        base: &mut Base,
        number: u64,
        element: &ElementId,
        outcome: Outcome,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.looking.take(element, outcome);
        let looking = |e: &Errand| matches!(e, Errand::Look(n, _) if *n == number);
        if self.errands.values().any(looking) {
            return Vec::new();
        }
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        let again = case.looking.again(contradict);
        if !again.is_empty() {
            return self.look_at(base, number, again);
        }
        case.seen = case.looking.agreed();
        let out = |m: &Measurement| m.condition == Condition::Unreachable;
        case.borne_out |= case.cells.is_empty() && case.seen.values().any(out);
        let mut outputs = self.clear_disproved(base, number, now);
        outputs.extend(match self.is_over(base, number) {
            true => {
                let why = "alarms, measurements and counters say that service is back";
                self.close(base, number, why, now)
            }
            false => self.not_over(base, number, now),
        });
        outputs
    }

    /// A cell that measures well is on air, though the alarm that says so may be lost; that it is not
    /// disturbed any more shows in what it hears, that it is not degraded in its counters.
    pub(super) fn clear_disproved(
        &mut self,
        base: &mut Base,
        number: u64,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let inventory = base.topology().inventory();
        let quiet = |cell: &ElementId| match case.stood_out_db {
            Some(_) => !still_stands_out(inventory, case),
            None => hears_as_usual(inventory, case, cell, &case.seen),
        };
        let counted = self.counted_since(case);
        let mut gone: Vec<AlarmKey> = Vec::new();
        let well = |m: &&Measurement| m.condition == Condition::Good;
        for m in case.seen.values().filter(well) {
            let on_cell = base.alarms().on(&m.element).map(|(t, _)| t);
            let disproved = on_cell.filter(|t| match t {
                AlarmType::CellUnavailable => true,
                AlarmType::InterferenceHigh if quiet(&m.element) => true,
                t => is_of_cell(*t) && counted && self.does_as_before(m) && !loud(*t, case),
            });
            gone.extend(disproved.map(|t| (m.element.clone(), t)));
        }
        let mut outputs = Vec::new();
        for key in gone {
            outputs.extend(base.gone(key, now));
        }
        outputs
    }

    /// True if a cell does as it did before its trouble or, where nobody knows how that was, as users
    /// were promised; a cell that sleeps troubles nobody.
    fn does_as_before(&self, m: &Measurement) -> bool {
        let counted = self.performance.as_ref();
        let Some(now) = counted.and_then(|p| p.cells.get(&m.element)) else {
            return false;
        };
        let before = self.healthy.get(&m.element);
        let enough = match before {
            Some(before) => AS_BEFORE * before.edge_throughput_mbps,
            None => MIN_THROUGHPUT_MBPS,
        };
        !now.saving.serves() || (now.users > 0.1 && now.edge_throughput_mbps >= enough)
    }

    pub(super) fn is_over(&self, base: &Base, number: u64) -> bool {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return false;
        };
        let inventory = base.topology().inventory();
        let is_cell = |m: &Measurement| {
            let kind = inventory.element(&m.element).map(|e| e.kind);
            kind == Some(ElementKind::Cell)
        };
        let bad = |m: &Measurement| match m.condition {
            Condition::Unreachable => true,
            // A site that lives on its batteries fails its measurement, and serves.
            Condition::Failed => is_cell(m),
            Condition::Good | Condition::Degraded => false,
        };
        let measured = !case.seen.is_empty() && !case.seen.values().any(bad);
        let disturbed = still_stands_out(inventory, case);
        measured && !disturbed && (case.adopted || !stands(base, case))
    }

    /// A ticket's result that did not help is rejected, once.
    fn not_over(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.case(number).filter(|c| c.judging) else {
            return Vec::new();
        };
        case.looks += 1;
        let RepairState::Repairing(task) = case.work.clone() else {
            return Vec::new();
        };
        if case.looks < LOOKS_MAX {
            return Vec::new();
        }
        let (to, subject) = (case.executor.clone(), case.subject().clone());
        case.judging = false;
        if std::mem::replace(&mut case.rejected, true) {
            let mut outputs = self.cancel(base, to, task, "It did not help", now);
            outputs.extend(self.leave(base, number, "the repair did not help", now));
            return outputs;
        }
        let word = format!("reject\n- {subject} is still out of service");
        self.judge(base, to, task, &word, now)
    }
}

/// True while the cell that is blamed for foreign power hears more than the others, as it did.
fn still_stands_out(inventory: &Inventory, case: &CareCase) -> bool {
    let Some((cell, Cause::Interference, _)) = &case.root else {
        return false;
    };
    let then = case.stood_out_db.filter(|db| *db >= STOOD_OUT_DB);
    let now = stands_out_db(inventory, case, cell, &case.seen);
    then.zip(now)
        .is_some_and(|(then, now)| now > then / 2.0 + 1.0)
}

/// True for an alarm of foreign power that was measured: counters do not disprove it.
fn loud(alarm_type: AlarmType, case: &CareCase) -> bool {
    alarm_type == AlarmType::InterferenceHigh && case.stood_out_db.is_some()
}
