//! The check whether service is back: alarms have cleared, measurements are good, and cells do as
//! they did.
//!
//! Knows what proves that a case is over, how often is looked, and which alarms a look disproves. What
//! was done about the cause it does not ask; if that did not help, the work begins anew. Read next:
//! [`super::work`], [`super::ticket`].

use super::aid::MIN_THROUGHPUT_MBPS;
use super::case::RepairState;
use super::trouble::{is_of_cell, stands};
use super::work::MEASURED_MAX;
use super::{Care, Errand, LOOK_EACH_S, Timer};
use crate::alarms::AlarmKey;
use crate::wireless_fault::expertise::Base;
use domain::agent::Output;
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind};
use domain::telemetry::{Action, AlarmType, Condition, Measurement, Outcome};
use domain::time::Timestamp;

/// Seconds between two looks at whether it helped.
pub(super) const VERIFY_EACH_S: f64 = 120.0;
/// The number of looks before it counts as not mended.
const LOOKS_MAX: u32 = 8;
/// The same for a cell that was restarted and measures as dead: alarms may lag, measurements do not.
const DEAD_LOOKS_MAX: u32 = 2;
/// A cell does as before if its slowest users get at least this share of what they got.
const AS_BEFORE: f64 = 0.5;

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
        if case.looks < looks_max {
            let mut outputs = self.enter(base, number, RepairState::Verifying, now);
            outputs.extend(self.look(base, number));
            return outputs;
        }
        match hardware.is_some() {
            // The restart did not help.
            true => self.open_ticket(base, number, now),
            false => self.check_configuration(base, number, now),
        }
    }

    /// Looks whether a case is over.
    pub(super) fn look(&mut self, base: &mut Base, number: u64) -> Vec<Output> {
        let looking = |e: &Errand| matches!(e, Errand::Look(n) if *n == number);
        if self.errands.values().any(looking) {
            return Vec::new();
        }
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.seen.clear();
        let elements = case.sites.iter().chain(&case.cells);
        let elements: Vec<ElementId> = elements.take(MEASURED_MAX).cloned().collect();
        elements
            .into_iter()
            .map(|element| self.act(base, Errand::Look(number), Action::Probe { element }))
            .collect()
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
        let lost = |e: &Errand| matches!(e, Errand::Look(n) if *n == number);
        self.errands.retain(|_, e| !lost(e));
        let mut outputs = vec![self.wake(base, Timer::Look(number), now.plus_s(LOOK_EACH_S))];
        outputs.extend(self.look(base, number));
        outputs
    }

    pub(super) fn looked(
        &mut self,
        base: &mut Base,
        number: u64,
        outcome: Outcome,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        if let Outcome::Measured(m) = outcome {
            case.seen.insert(m.element.clone(), m);
        }
        let looking = |e: &Errand| matches!(e, Errand::Look(n) if *n == number);
        if self.errands.values().any(looking) {
            return Vec::new();
        }
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
    /// degraded or disturbed any more shows in its counters.
    fn clear_disproved(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let mut gone: Vec<AlarmKey> = Vec::new();
        let well = |m: &&Measurement| m.condition == Condition::Good;
        for m in case.seen.values().filter(well) {
            let on_cell = base.alarms().on(&m.element).map(|(t, _)| t);
            let disproved = on_cell.filter(|t| {
                *t == AlarmType::CellUnavailable || (is_of_cell(*t) && self.does_as_before(m))
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

    fn is_over(&self, base: &Base, number: u64) -> bool {
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
        measured && (case.adopted || !stands(base, case))
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
