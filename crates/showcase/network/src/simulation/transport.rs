//! Traffic in the running simulation: re-routed at each change, measured, reported.
//!
//! Knows when to evaluate; routing itself is in [`crate::traffic`]. Read next:
//! `simulation/life.rs`.

use super::queue::Event;
use super::{EmissionContent, Recipients, Simulation};
use crate::fault::FaultKind;
use crate::state::{ObservableCondition, TroubleKind};
use crate::traffic::daily::share_of_busy_hour;
use crate::traffic::{Flows, Terrain};
use domain::inventory::{Domain, ElementId};
use domain::telemetry::{AlarmType, LinkPerformance, Performance, Telemetry};
use domain::time::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The measurement period of management systems, in seconds.
pub const PERIOD_S: f64 = 900.0;

/// The performance of links since the beginning of the period.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    from: Timestamp,
    counted_to: Timestamp,
    /// Time integrals of [`LinkPerformance`], with the seconds.
    sums: BTreeMap<ElementId, (LinkPerformance, f64)>,
}

impl Meter {
    pub(super) fn new(from: Timestamp) -> Self {
        Self {
            from,
            counted_to: from,
            sums: BTreeMap::new(),
        }
    }

    /// Integrates the traffic up to `now`.
    fn count(&mut self, flows: &Flows, now: Timestamp) {
        let seconds = now.seconds_since(self.counted_to);
        self.counted_to = now;
        if seconds <= 0.0 {
            return;
        }
        for (link, load) in &flows.links {
            let flowed = load.performance();
            let (sum, counted) = self.sums.entry(link.clone()).or_default();
            sum.utilisation += flowed.utilisation * seconds;
            sum.traffic_mbps += flowed.traffic_mbps * seconds;
            sum.latency_ms += flowed.latency_ms * seconds;
            sum.loss += flowed.loss * seconds;
            *counted += seconds;
        }
    }

    /// Closes the period that ends at `now` and begins the next.
    fn close(&mut self, now: Timestamp) -> Performance {
        let sums = std::mem::take(&mut self.sums);
        let from = std::mem::replace(&mut self.from, now);
        let mean = |(sum, seconds): (LinkPerformance, f64)| LinkPerformance {
            utilisation: sum.utilisation / seconds,
            traffic_mbps: sum.traffic_mbps / seconds,
            latency_ms: sum.latency_ms / seconds,
            loss: sum.loss / seconds,
        };
        Performance {
            from,
            until: now,
            cells: BTreeMap::new(),
            links: sums.into_iter().map(|(id, sum)| (id, mean(sum))).collect(),
        }
    }
}

impl Simulation {
    /// The current traffic: for the referee and for maps.
    pub fn flows(&self) -> &Flows {
        &self.flows
    }

    /// Sets the demand of each site from now on, in Mbit/s downlink. The share that a site gets is
    /// in [`Flows::sites`] of [`Simulation::flows`].
    pub fn set_site_traffic(&mut self, downlink_mbps: &BTreeMap<ElementId, f64>) {
        self.traffic.set_sites(downlink_mbps);
        self.route(self.terrain_now());
    }

    /// The terrain at this instant. Continuous changes (time of day, fading light) take effect once
    /// per period.
    pub(super) fn terrain_now(&self) -> Terrain {
        let period_ms = (PERIOD_S * 1000.0) as i64;
        let ms = self.now.as_ms();
        let quarter = Timestamp::from_ms(ms - ms.rem_euclid(period_ms));
        Terrain {
            down: self.view.down.clone(),
            metrics: self.state.settings.metrics(),
            avoided: self.state.settings.avoided(),
            losses: self.state.link_losses(&self.inventory, quarter),
            surges: self.state.surges.values().flatten().cloned().collect(),
            hour_share: share_of_busy_hour(quarter),
        }
    }

    /// Routes traffic anew if its terrain has changed.
    pub(super) fn reroute(&mut self) {
        let terrain = self.terrain_now();
        if terrain != self.terrain {
            self.route(terrain);
        }
    }

    fn route(&mut self, terrain: Terrain) {
        self.meter.count(&self.flows, self.now);
        self.flows = self.traffic.flow_by(&mut self.charts, &terrain);
        self.terrain = terrain;
    }

    /// Adds the observable effects of congested links to the view.
    pub(super) fn see_congestion(&mut self) {
        for id in self.flows.congested() {
            let Some(link) = self.inventory.links.get(id) else {
                continue;
            };
            let ends = [&link.a, &link.b].map(|end| self.inventory.node_of(end));
            let by = ends.into_iter().find(|end| self.view.reached.contains(end));
            if let Some(by) = by {
                self.view.sightings.insert(ObservableCondition {
                    resource: id.clone(),
                    alarm_type: AlarmType::Congestion,
                    seen_by: by.clone(),
                });
            }
        }
    }

    /// Ends a congestion when its surge flows without congested links on its path.
    pub(super) fn relieve(&mut self) {
        let relieved: Vec<usize> = self
            .state
            .troubles
            .iter()
            .filter(|(_, t)| t.kind == TroubleKind::Fault(FaultKind::Congestion))
            .filter(|(number, trouble)| {
                let full = |id: &ElementId| {
                    let load = self.flows.links.get(id);
                    load.is_some_and(|load| load.is_congested())
                };
                let surge = self.state.surges.get(number).into_iter().flatten();
                let mut ways = surge.map(|part| self.traffic.path(part, &self.terrain));
                !full(&trouble.element) && !ways.any(|way| way.iter().any(full))
            })
            .map(|(number, _)| *number)
            .collect();
        for number in relieved {
            self.state.troubles.remove(&number);
            self.note_repair(number);
        }
    }

    pub(super) fn begin_periods(&mut self) {
        if self.parameters.performance {
            self.reroute();
            self.schedule(self.now.plus_s(PERIOD_S), Event::Period);
        }
    }

    /// Ends a period: reports the performance of links, and updates traffic for the time of day.
    pub(super) fn period(&mut self) {
        self.meter.count(&self.flows, self.now);
        let mut performance = self.meter.close(self.now);
        // A link whose ends are both out of reach cannot tell what it counted.
        let inventory = &self.inventory;
        let links = &mut performance.links;
        links.retain(|id, _| !self.view.is_isolated(inventory, id));
        let tiding = EmissionContent::Telemetry(Telemetry::Performance(Arc::new(performance)));
        self.deliver(self.now, Recipients::Domain(Domain::Ip), tiding);
        self.schedule(self.now.plus_s(PERIOD_S), Event::Period);
        self.look();
    }
}
