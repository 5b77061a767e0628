//! The state of things around what is lost: which cells, whose users, what they want now.
//!
//! Knows counters and alarms, and puts them before the planner. It chooses no helper and promises
//! nobody anything: the first is [`super::plan`], the second [`super::negotiation`]. Read next:
//! [`super::plan`].

use super::plan::{self, CompensationPlan, PlanRequest, Waking};
use super::running::promised_mbps;
use super::{Optimisation, verification};
use crate::payloads::compensation::Compensation;
use crate::radio::coverage::Surroundings;
use crate::radio::curve::usual_load;
use domain::inventory::ElementId;
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The throughput that a MHz carries for users where nothing was measured, in Mbit/s.
const USUAL_MBPS_PER_MHZ: f64 = 1.5;

impl Optimisation {
    /// The cells that an order holds for lost.
    pub(super) fn lost_of(&self, order: &Compensation) -> BTreeSet<ElementId> {
        if !order.lost_cells.is_empty() {
            return order.lost_cells.clone();
        }
        let inventory = self.radio.inventory();
        let cells = order.sites.iter().flat_map(|s| inventory.cells_of(s));
        cells.cloned().collect()
    }

    /// The number of users that these cells had when they last had any, and when that was.
    pub(super) fn users_of(&self, cells: &BTreeSet<ElementId>, now: Timestamp) -> (f64, Timestamp) {
        let known = cells.iter().filter_map(|c| self.lively.get(c));
        let (users, until) = known.fold((0.0, None), |(sum, last), (c, at)| {
            (sum + c.users, last.max(Some(*at)))
        });
        (users, until.unwrap_or(now))
    }

    /// The throughput that the users of each lost cell want now, in Mbit/s.
    fn demand_of(&self, lost: &BTreeSet<ElementId>, now: Timestamp) -> BTreeMap<ElementId, f64> {
        let demand = |id: &ElementId| match self.lively.get(id) {
            Some((cell, at)) => cell.traffic_mbps * verification::by_hour(*at, now),
            None if self.cells.get(id).is_some_and(|c| !c.saving.serves()) => 0.0,
            None => {
                let width = self.radio.cell(id).map_or(0.0, |c| c.bandwidth_mhz);
                width * USUAL_MBPS_PER_MHZ * usual_load(now)
            }
        };
        lost.iter().map(|id| (id.clone(), demand(id))).collect()
    }

    /// Plans for an order, waking whom `waking` allows.
    pub(super) fn plan(
        &self,
        order: &Compensation,
        waking: Waking<'_>,
        now: Timestamp,
    ) -> CompensationPlan {
        let lost = self.lost_of(order);
        let mut out = lost.clone();
        out.extend(self.cells_out());
        let demand_mbps = self.demand_of(&lost, now);
        let wish = PlanRequest {
            lost: &lost,
            demand_mbps: &demand_mbps,
            allowed: &order.neighbour_cells,
            offset_max_db: order
                .power_offset_db
                .unwrap_or(domain::radio::POWER_OFFSET_MAX_DB),
            min_mbps: promised_mbps(order),
            waking,
        };
        let around = Surroundings {
            lost: &out,
            cells: &self.cells,
            usual_load: usual_load(now),
        };
        plan::plan(&self.radio, wish, around)
    }

    /// The cells that alarms say cannot serve.
    fn cells_out(&self) -> BTreeSet<ElementId> {
        use AlarmType::{CellUnavailable, CellsOutOfService, SiteUnreachable};
        let inventory = self.radio.inventory();
        let mut out = BTreeSet::new();
        for ((element, alarm_type), _) in self.alarms.standing() {
            match alarm_type {
                SiteUnreachable | CellsOutOfService => {
                    out.extend(inventory.cells_of(element).cloned());
                }
                CellUnavailable => drop(out.insert(element.clone())),
                _ => {}
            }
        }
        out
    }
}
