//! The mobile domain in the running simulation: its ground, orders to cells, evaluation times, and
//! batteries.
//!
//! It is evaluated every quarter of an hour, at every change of the network that concerns it, and
//! when an order takes effect. Read next: [`crate::mobile`].

use super::actions::unknown;
use super::queue::{Air, CellCommand, Event};
use super::{EmissionContent, Recipients, Simulation};
use crate::build::cells::old_battery_wh;
use crate::chance::{between, waiting};
use crate::mobile::battery::{Due, Level};
use crate::mobile::{Mobile, MobileTotals, PERIOD_MS, Surge, TransportState};
use crate::state::{Trouble, TroubleKind};
use domain::inventory::{Domain, ElementId};
use domain::permit::Permit;
use domain::radio::{POWER_OFFSET_MAX_DB, energy};
use domain::telemetry::{Outcome, Saving, Telemetry, Token};
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The time until a change of power or a sleep mode takes effect, in seconds.
const COMMAND_S: f64 = 5.0;
/// The remaining endurance of old batteries, in seconds, at the site's draw with all cells awake at
/// the mains failure: least and greatest.
const OLD_S: (f64, f64) = (900.0, 3_600.0);
/// The least remaining share of the capacity of remote batteries, which are newer.
const REMOTE_HEALTH: f64 = 0.85;

impl Simulation {
    /// The mobile domain as last evaluated: for the referee, maps and vehicles.
    pub fn mobile(&self) -> &Mobile {
        &self.mobile
    }

    /// The totals of users and energy until now: for the referee only.
    pub fn tally(&self) -> MobileTotals {
        self.mobile.tally_at(self.now)
    }

    /// Adds a crowd.
    pub fn gather(&mut self, surge: Surge) {
        self.mobile.add_surge(surge);
        self.mobile_stale = true;
    }

    pub(super) fn begin_mobile(&mut self) {
        self.see_mobile();
        self.schedule_period();
        self.schedule_stadium();
    }

    pub(super) fn air(&mut self, air: Air) {
        match air {
            Air::Period => self.end_period(),
            Air::Obey {
                cell,
                order,
                command,
            } => self.obey(&cell, order, command),
            Air::Report {
                agent,
                token,
                orders,
            } => self.report_orders(&agent, token, &orders),
            Air::Battery { site, version } => self.look_at_battery(site, version),
            Air::Stadium => {
                let surge = Surge::stadium(&self.inventory, self.now, &mut self.chances.surges);
                surge.into_iter().for_each(|surge| self.gather(surge));
                self.schedule_stadium();
            }
        }
    }

    /// The ground of the mobile domain at this instant.
    fn ground(&self) -> TransportState {
        let troubles = self.state.troubles.values();
        let stopped = troubles.filter(|t| t.kind == TroubleKind::SiteStopped);
        let empty = self.state.exhausted.keys();
        TransportState {
            sites_out: self.view.out.clone(),
            unpowered: empty.chain(stopped.map(|t| &t.element)).cloned().collect(),
            cells_failed: self.state.cells_failed(&self.inventory),
            losses_db: self.state.cell_losses_db(&self.inventory),
            interference_dbm: self.state.interference_dbm(),
            backhaul_mbps: self.squeezed(),
        }
    }

    /// The part of sites' demand that the transport network delivers, where it does not deliver
    /// all, in Mbit/s.
    fn squeezed(&self) -> BTreeMap<ElementId, f64> {
        let delivered = self.flows.sites.iter().filter(|(_, share)| **share < 1.0);
        let left = delivered.filter_map(|(site, share)| {
            let wanted = self.mobile.offered_by(site)?;
            Some((site.clone(), wanted * share))
        });
        left.collect()
    }

    /// Evaluates the mobile domain once for all changes of an instant.
    pub(super) fn see_mobile(&mut self) {
        self.mobile_stale = false;
        self.survey();
        let ground = self.ground();
        if self.mobile.is_changed() || ground != *self.mobile.ground() {
            self.mobile.see(ground, self.now);
        }
        self.feed_from_batteries();
    }

    fn end_period(&mut self) {
        self.survey();
        self.mobile.see(self.ground(), self.now);
        self.feed_from_batteries();
        let offered = self.mobile.offered_by_sites();
        self.set_site_traffic(&offered);
        let performance = Arc::new(self.mobile.close_period());
        self.deliver(
            self.now,
            Recipients::Domain(Domain::Wireless),
            EmissionContent::Telemetry(Telemetry::Performance(performance)),
        );
        self.schedule_period();
    }

    /// Schedules the end of the period, at the next full quarter of an hour.
    fn schedule_period(&mut self) {
        if self.parameters.mobile.performance {
            let left = PERIOD_MS - self.now.as_ms().rem_euclid(PERIOD_MS);
            self.schedule(self.now + left, Event::Air(Air::Period));
        }
    }

    fn schedule_stadium(&mut self) {
        let per_day = self.parameters.mobile.stadiums_per_day;
        if per_day > 0.0 {
            let pause = waiting(&mut self.chances.surges, 86_400.0 / per_day);
            self.schedule(self.now.plus_s(pause), Event::Air(Air::Stadium));
        }
    }
}

/// Orders to cells.
impl Simulation {
    pub(super) fn order_power(
        &mut self,
        agent: &str,
        permit: &Permit,
        token: Token,
        cell: ElementId,
        offset_db: f64,
    ) -> Result<Option<Outcome>, String> {
        self.may_order(agent, permit, &cell)?;
        if !(0.0..=POWER_OFFSET_MAX_DB).contains(&offset_db) {
            return Err(format!(
                "the power of {cell} can be raised by 0 to {POWER_OFFSET_MAX_DB} dB, not by {offset_db}"
            ));
        }
        self.order(
            agent,
            token,
            vec![(cell, CellCommand::Power(offset_db), COMMAND_S)],
        );
        Ok(None)
    }

    pub(super) fn order_saving(
        &mut self,
        agent: &str,
        permit: &Permit,
        token: Token,
        cells: BTreeSet<ElementId>,
        saving: Saving,
    ) -> Result<Option<Outcome>, String> {
        for cell in &cells {
            self.may_order(agent, permit, cell)?;
            let unit = self.inventory.cells.get(cell).map(|plan| plan.radio_unit);
            if let Some(unit) = unit.filter(|unit| !energy::can(*unit, saving)) {
                let (unit, mode) = (unit.as_str(), saving.as_str());
                return Err(format!("{cell} has a {unit} unit, which has no {mode}"));
            }
        }
        if cells.is_empty() {
            return Ok(Some(Outcome::Done));
        }
        let orders = cells.into_iter().map(|cell| {
            let after = match saving.serves() {
                true => self.wakes_within_s(&cell),
                false => COMMAND_S,
            };
            (cell, CellCommand::Saving(saving), after)
        });
        let orders = orders.collect();
        self.order(agent, token, orders);
        Ok(None)
    }

    /// Seconds until a cell could serve if it is woken now; 0 if it serves already.
    fn wakes_within_s(&self, cell: &ElementId) -> f64 {
        match self.mobile.waking(cell) {
            Some(ready) => ready.seconds_since(self.now).max(0.0),
            None => {
                let now = self.mobile.told(cell);
                now.map_or(0.0, |(_, saving)| energy::wake_s(saving))
            }
        }
    }

    fn may_order(&self, agent: &str, permit: &Permit, cell: &ElementId) -> Result<(), String> {
        if !permit.radio {
            return Err(format!("{agent} does not command the radio"));
        }
        if !self.inventory.cells.contains_key(cell) {
            return Err(match self.inventory.element(cell) {
                Some(_) => format!("{cell} is no cell"),
                None => unknown(cell),
            });
        }
        let site = self.inventory.node_of(cell);
        match self.view.reached.contains(site) {
            true => Ok(()),
            false => Err(format!("{site} does not answer, so {cell} cannot be told")),
        }
    }

    /// Schedules orders, each of which takes effect after so many seconds; the outcome is reported
    /// with the last of them.
    fn order(&mut self, agent: &str, token: Token, orders: Vec<(ElementId, CellCommand, f64)>) {
        let mut last = 0.0_f64;
        for (cell, command, after) in &orders {
            let order = match command {
                CellCommand::Power(_) => 0,
                _ => self.mobile.next_order(cell),
            };
            let ready = self.now.plus_s(*after);
            let mut schedule = |after, command| {
                let cell = cell.clone();
                let obey = Air::Obey {
                    cell,
                    order,
                    command,
                };
                self.schedule(self.now.plus_s(after), Event::Air(obey));
            };
            if matches!(command, CellCommand::Saving(saving) if saving.serves()) && *after > 0.0 {
                schedule(0.0, CellCommand::Wake(ready));
            }
            schedule(*after, *command);
            last = last.max(*after);
        }
        let orders = orders.into_iter().map(|(cell, command, _)| (cell, command));
        let report = Air::Report {
            agent: agent.to_owned(),
            token,
            orders: orders.collect(),
        };
        self.schedule(self.now.plus_s(last), Event::Air(report));
    }

    fn obey(&mut self, cell: &ElementId, order: u32, command: CellCommand) {
        let site = self.inventory.node_of(cell);
        if self.mobile.ground().unpowered.contains(site) {
            return;
        }
        let newest = self.mobile.order(cell) == Some(order);
        match command {
            CellCommand::Power(offset_db) => self.mobile.set_power(cell, offset_db),
            CellCommand::Saving(saving) if newest => self.mobile.set_saving(cell, saving),
            CellCommand::Wake(ready) if newest => self.mobile.begin_waking(cell, ready),
            _ => return,
        }
        self.mobile_stale = true;
    }

    fn report_orders(&mut self, agent: &str, token: Token, orders: &[(ElementId, CellCommand)]) {
        let failed = orders.iter().find(|(cell, command)| {
            let now = self.mobile.told(cell);
            now.is_none_or(|(offset_db, saving)| match command {
                CellCommand::Power(wanted) => *wanted != offset_db,
                CellCommand::Saving(wanted) => *wanted != saving,
                CellCommand::Wake(_) => false,
            })
        });
        let outcome = match failed {
            None => Outcome::Done,
            Some((cell, _)) => Outcome::Impossible(format!(
                "{cell} lost its power meanwhile, or was told something else"
            )),
        };
        self.answer(self.now, agent, token, outcome);
    }
}

/// Batteries of sites.
impl Simulation {
    /// Starts discharging the battery of a site without mains because of trouble `number`. The
    /// remaining capacity of an old battery is drawn here.
    pub(super) fn mains_lost(&mut self, site: &ElementId, number: usize) {
        let lasts_s = between(&mut self.chances.faults, OLD_S.0, OLD_S.1);
        if self.state.exhausted.contains_key(site) {
            return;
        }
        let when_new = old_battery_wh(&self.inventory, site);
        let holds = self.inventory.battery_wh.get(site).copied();
        let remote = holds.filter(|wh| *wh > when_new + 1.0);
        let full_wh = match remote {
            None => self.mobile.site_power_awake_w(site) * lasts_s / 3600.0,
            Some(holds) => {
                let place = (lasts_s - OLD_S.0) / (OLD_S.1 - OLD_S.0);
                holds * (REMOTE_HEALTH + (1.0 - REMOTE_HEALTH) * place)
            }
        };
        // A site that draws nothing at this instant may draw something soon.
        let full_wh = full_wh.max(0.01 * when_new);
        self.batteries.mains_lost(site, number, full_wh, self.now);
    }

    /// Restores the mains of sites when trouble `number` ends, unless another trouble keeps it
    /// away.
    pub(super) fn mains_back(&mut self, number: usize, trouble: &Trouble) {
        let sites: Vec<ElementId> = trouble
            .sites_without_mains(&self.inventory)
            .cloned()
            .collect();
        for site in sites {
            let other = self.darkens(&site);
            self.batteries.mains_back(&site, other, self.now);
            match other {
                None => {
                    self.state.batteries_low.remove(&site);
                }
                Some(other) => {
                    if let Some(by) = self.state.exhausted.get_mut(&site)
                        && *by == number
                    {
                        *by = other;
                    }
                }
            }
        }
    }

    /// A trouble because of which a site has no mains.
    fn darkens(&self, site: &ElementId) -> Option<usize> {
        let mut troubles = self.state.troubles.iter();
        let dark = troubles.find(|(_, trouble)| {
            let mut dark = trouble.sites_without_mains(&self.inventory);
            dark.any(|s| s == site)
        });
        dark.map(|(number, _)| *number)
    }

    /// Puts a site back into service after its battery was empty, unless its mains failed again.
    pub(super) fn boot(&mut self, site: ElementId) {
        match self.darkens(&site) {
            Some(number) => self.state.exhausted.insert(site, number),
            None => self.state.exhausted.remove(&site),
        };
        self.look();
    }

    /// Schedules a check of every discharging battery for when it is low or empty, at its site's
    /// present draw.
    fn feed_from_batteries(&mut self) {
        let sites: Vec<ElementId> = self.batteries.sites().cloned().collect();
        for site in sites {
            let watts = self.mobile.site_power_w(&site);
            if let Some((at, version)) = self.batteries.draw(&site, watts, self.now) {
                self.schedule(at, Event::Air(Air::Battery { site, version }));
            }
        }
    }

    fn look_at_battery(&mut self, site: ElementId, version: u32) {
        match self.batteries.due(&site, version, self.now) {
            None => {}
            Some(Due {
                level: Level::Low,
                next,
                ..
            }) => {
                if let Some((at, version)) = next {
                    let site = site.clone();
                    self.schedule(at, Event::Air(Air::Battery { site, version }));
                }
                self.state.batteries_low.insert(site);
                self.look();
            }
            Some(Due { trouble, .. }) => self.exhaust(site, trouble),
        }
    }
}

#[cfg(test)]
mod tests;
