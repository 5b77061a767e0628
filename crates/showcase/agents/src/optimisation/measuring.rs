//! Each period's counters, held against what was promised.
//!
//! Knows when a compensation falls short and what is changed then, once. How users and energy are
//! counted it leaves to [`super::verification`], and when a compensation ends to [`super::course`].
//! Read next: [`super::verification`].

use super::verification::figures;
use super::{Optimisation, area_of};
use crate::payloads::compensation::CompensationStatus;
use domain::agent::Output;
use domain::task::TaskId;
use domain::telemetry::Performance;
use domain::time::Timestamp;

/// Of what was promised, this much is as good as all.
const AS_GOOD: f64 = 0.9;
/// A compensation is reported on once in so many periods, after the first two.
const REPORT_EACH: u32 = 4;

impl Optimisation {
    pub(super) fn counted(&mut self, performance: &Performance, now: Timestamp) -> Vec<Output> {
        if performance.cells.is_empty() {
            return Vec::new();
        }
        for (id, cell) in &performance.cells {
            if !cell.saving.serves() {
                // Its users are served by others, and are counted there.
                self.lively.remove(id);
            } else if cell.traffic_mbps > 0.0 {
                let lively = (cell.clone(), performance.until);
                self.lively.insert(id.clone(), lively);
            }
            self.cells.insert(id.clone(), cell.clone());
        }
        self.power.observed(performance);
        let mut outputs = Vec::new();
        let ids: Vec<TaskId> = self.running.keys().cloned().collect();
        for id in ids {
            outputs.extend(self.measure(&id, performance, now));
        }
        outputs.extend(self.settle_power(now));
        outputs
    }

    /// Holds a compensation against what it promised.
    fn measure(&mut self, id: &TaskId, performance: &Performance, now: Timestamp) -> Vec<Output> {
        let Some(running) = self.running.get(id) else {
            return Vec::new();
        };
        let figures = figures(&self.radio, running, performance);
        let whole = performance.from >= running.began && running.asleep.is_empty();
        let Some(running) = self.running.get_mut(id) else {
            return Vec::new();
        };
        running.extra_kwh += figures.extra_kwh;
        running.figures = Some(figures);
        if !whole {
            return Vec::new();
        }
        running.periods += 1;
        let promised = running.promised_mbps();
        let edge = figures.edge_mbps;
        let slow = edge.is_some_and(|e| e < promised * AS_GOOD);
        let hoped = 100.0 * running.plan.with.share;
        let few = figures.served_percent.is_some_and(|s| s < hoped * 0.6);
        if (slow || few) && !running.adjusted {
            return self.adjust(id, slow, now);
        }
        running.reason = match (slow, few) {
            (true, _) => Some(format!(
                "the slowest tenth gets {:.1} of {promised:.1} Mbit/s",
                edge.unwrap_or_default()
            )),
            (false, true) => Some(format!(
                "{:.0} % of the users are served, {hoped:.0} % were hoped for",
                figures.served_percent.unwrap_or_default()
            )),
            (false, false) => None,
        };
        let (periods, short) = (running.periods, running.reason.clone());
        if periods > 2 && !periods.is_multiple_of(REPORT_EACH) {
            return Vec::new();
        }
        let words = short.unwrap_or_else(|| "The compensation does what it should".to_owned());
        let status = match running.adjusted {
            true => CompensationStatus::Adjusted,
            false => CompensationStatus::Compensating,
        };
        self.tell(id, status, &words).into_iter().collect()
    }

    /// Adjusts a compensation once to what was measured: helpers that are full are relieved, helpers
    /// that are not heard get louder.
    fn adjust(&mut self, id: &TaskId, slow: bool, now: Timestamp) -> Vec<Output> {
        const LOUDER_DB: f64 = 2.0;
        const QUIETER_DB: f64 = 2.0;
        let Some(running) = self.running.get_mut(id) else {
            return Vec::new();
        };
        running.adjusted = true;
        let most = running.order.power_offset_db.unwrap_or(f64::INFINITY);
        let promised = running.promised_mbps();
        for (cell, part) in &mut running.plan.parts {
            let edge = self.cells.get(cell).map(|c| c.edge_throughput_mbps);
            let full = slow && edge.is_some_and(|e| e < promised * AS_GOOD);
            part.offset_db = match full {
                true => (part.offset_db - QUIETER_DB).max(0.0),
                false => {
                    (part.offset_db + LOUDER_DB).min(most.min(domain::radio::POWER_OFFSET_MAX_DB))
                }
            };
        }
        running.reason = Some(
            match slow {
                true => "helpers were too full: those that are get quieter, the others louder",
                false => "fewer users came than were hoped for: helpers get louder",
            }
            .to_owned(),
        );
        let words = running.reason.clone().unwrap_or_default();
        let mut outputs = vec![Output::Note(format!(
            "The compensation for {} is adjusted: {words}",
            area_of(&running.order)
        ))];
        outputs.extend(self.settle_power(now));
        outputs.extend(self.tell(id, CompensationStatus::Adjusted, &words));
        outputs
    }
}
