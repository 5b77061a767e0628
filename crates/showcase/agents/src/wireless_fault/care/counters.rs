//! What cells did before their trouble, and what they do now, by their counters.
//!
//! A cell is compared with itself before, and what changed for all cells of its site is not held
//! against it: users go to sleep everywhere. What it did before is taken from a period that had ended some
//! time before the trouble was noticed, for alarms come late and a period that holds half of a trouble says
//! nothing. Knows counters; refuses to know why they fell. Read next: `screening.rs`, which opens cases by
//! them, `checking.rs`, which has them bear alarms out, `source.rs`, which compares what cells hear.

use super::Care;
use super::case::CareCase;
use crate::wireless_fault::expertise::noise_dbm;
use domain::inventory::{ElementId, Inventory};
use domain::telemetry::{CellPerformance, Performance};
use std::sync::Arc;

/// The periods that are kept: two hours.
const KEPT: usize = 8;
/// A period says what users got before a trouble if it ended so many seconds before this was
/// noticed, and what a cell heard if so many.
const SERVED_BEFORE_S: f64 = 1_200.0;
const HEARD_BEFORE_S: f64 = 420.0;
/// A cell that had fewer users is compared with nothing.
const USERS_LEAST: f64 = 0.5;
/// It does worse if its slowest users get less than this share of what was to be expected, or if it has
/// fewer than this share of its users.
const WORSE: (f64, f64) = (0.8, 0.6);
/// The same if it does not do as well as before, which alone says little.
const NOT_AS_WELL: (f64, f64) = (0.95, 0.9);
/// The same if it does far worse.
const FAR_WORSE: (f64, f64) = (0.4, 0.3);

impl Care {
    /// Keeps the performance of a period.
    pub(super) fn keep_period(&mut self, performance: &Arc<Performance>) {
        self.periods.push(Arc::clone(performance));
        if let [.., before, _, now] = &self.periods[..] {
            self.hearing.learn(before, now);
        }
        let surplus = self.periods.len().saturating_sub(KEPT);
        self.periods.drain(..surplus);
    }

    /// True if a cell serves its users worse than before the trouble of a case; none if that cannot
    /// be said.
    pub(super) fn does_worse(
        &self,
        inventory: &Inventory,
        case: &CareCase,
        cell: &ElementId,
    ) -> Option<bool> {
        let now = self.performance.as_ref()?;
        let settled = case.opened_at.plus_s(-SERVED_BEFORE_S);
        let early = case.before.iter().rev().find(|p| p.until <= settled);
        let before = early.or(case.before.first())?;
        (before.until < now.until).then(|| worse_than(inventory, before, now, cell, WORSE))?
    }

    /// True if a cell does far worse in the last period than in the one before.
    pub(super) fn does_far_worse(&self, inventory: &Inventory, cell: &ElementId) -> bool {
        match &self.periods[..] {
            [.., before, now] => worse_than(inventory, before, now, cell, FAR_WORSE) == Some(true),
            _ => false,
        }
    }

    /// True if a cell still does worse in this period than in an earlier one.
    pub(super) fn still_worse(
        inventory: &Inventory,
        before: &Performance,
        now: &Performance,
        cell: &ElementId,
    ) -> bool {
        worse_than(inventory, before, now, cell, WORSE) == Some(true)
    }

    /// True if a cell does less well in this period than in an earlier one.
    pub(super) fn does_not_as_well(
        inventory: &Inventory,
        before: &Performance,
        now: &Performance,
        cell: &ElementId,
    ) -> bool {
        worse_than(inventory, before, now, cell, NOT_AS_WELL) == Some(true)
    }

    /// True while no period has been counted that began after the parameters of a case were set.
    pub(super) fn waits_for_counters(&self, case: &CareCase) -> bool {
        let last = self.performance.as_ref();
        !case.set.is_empty() && last.is_some_and(|p| p.from < case.set_at)
    }

    /// True if a period that began after a case was opened has been counted.
    pub(super) fn counted_since(&self, case: &CareCase) -> bool {
        let last = self.performance.as_ref();
        last.is_some_and(|p| p.from >= case.opened_at.plus_s(-super::SETTLED_S))
    }
}

impl CareCase {
    /// The power that a cell heard on its carrier before the trouble, neighbours included, in dBm: as was
    /// counted, or its noise where nothing was.
    pub(super) fn usual_dbm(&self, inventory: &Inventory, cell: &ElementId) -> f64 {
        let plan = inventory.cells.get(cell);
        let noise = || plan.map_or(f64::MAX, |plan| noise_dbm(plan.bandwidth_mhz));
        self.counted_dbm(cell).unwrap_or_else(noise)
    }

    /// The same as was counted; none if nothing was.
    pub(super) fn counted_dbm(&self, cell: &ElementId) -> Option<f64> {
        let settled = self.opened_at.plus_s(-HEARD_BEFORE_S);
        let periods = self.before.iter().rev().filter(|p| p.until <= settled);
        let mut counted = periods.filter_map(|p| p.cells.get(cell));
        counted.next().map(|c| c.interference_dbm)
    }
}

/// True if a cell serves worse now than before: its slowest users get less than a share of what they
/// got, or it has less than a share of its users, the change of the other cells of its site set aside. None if
/// it sleeps, or had no users.
fn worse_than(
    inventory: &Inventory,
    before: &Performance,
    now: &Performance,
    cell: &ElementId,
    (edge_least, users_least): (f64, f64),
) -> Option<bool> {
    let serves = |c: &CellPerformance| c.saving.serves();
    let both = |id: &ElementId| {
        let pair = (before.cells.get(id)?, now.cells.get(id)?);
        let comparable = serves(pair.0) && serves(pair.1) && pair.0.users >= USERS_LEAST;
        comparable.then_some(pair)
    };
    let (was, is) = both(cell)?;
    let beside = inventory.cells_of(inventory.node_of(cell));
    let beside: Vec<_> = beside.filter(|c| *c != cell).filter_map(both).collect();
    let trend = |of: &dyn Fn(&CellPerformance) -> f64| {
        let (was, is) = beside.iter().fold((0.0, 0.0), |sum, (was, is)| {
            (sum.0 + of(was), sum.1 + of(is))
        });
        if was > 0.0 && is > 0.0 { is / was } else { 1.0 }
    };
    let edge = |c: &CellPerformance| c.edge_throughput_mbps;
    let users = |c: &CellPerformance| c.users;
    let share = |of: &dyn Fn(&CellPerformance) -> f64| of(is) / (of(was) * trend(of)).max(1e-9);
    Some(share(&edge) < edge_least || share(&users) < users_least)
}
