//! Spontaneous faults over time.
//!
//! Knows when random events are drawn; the rates are in [`crate::fault::LIFE`]. Read next:
//! `simulation/journal.rs`.

use super::Simulation;
use super::queue::Event;
use crate::chance::{between, choose, waiting};
use crate::fault::{
    self, CONTACTS_PER_LINK_YEAR, Fault, FaultKind, FaultTerms, Life, PACE, STORMS_PER_YEAR,
};
use domain::inventory::ElementId;

const DAY_S: f64 = 86_400.0;
const DAYS_PER_YEAR: f64 = 365.0;
/// The number of sites in a storm's area: least and greatest.
const STORM_SITES: (f64, f64) = (60.0, 200.0);

impl Simulation {
    pub(super) fn begin_life(&mut self) {
        if self.parameters.life > 0.0 {
            self.schedule_befalling();
            self.schedule_yearly(STORMS_PER_YEAR, Event::Storm);
            self.schedule_contact();
        }
    }

    fn schedule_befalling(&mut self) {
        let per_day: f64 = fault::per_day(&self.inventory).iter().sum();
        self.schedule_yearly(per_day * DAYS_PER_YEAR / PACE, Event::Befall);
    }

    fn schedule_contact(&mut self) {
        let links = self.inventory.links.len() as f64;
        self.schedule_yearly(CONTACTS_PER_LINK_YEAR * links, Event::Loosen);
    }

    /// Schedules the next event of a kind with this rate per year, accelerated by the pace.
    fn schedule_yearly(&mut self, per_year: f64, event: Event) {
        let per_day = per_year * PACE * self.parameters.life / DAYS_PER_YEAR;
        if per_day > 0.0 {
            let pause = waiting(&mut self.chances.life, DAY_S / per_day);
            self.schedule_before_calm(pause, event);
        }
    }

    /// Schedules an event in `pause_s` seconds, unless the network is calm by then.
    pub(super) fn schedule_before_calm(&mut self, pause_s: f64, event: Event) {
        let at = self.now.plus_s(pause_s);
        if self.parameters.calm_from.is_none_or(|calm| at < calm) {
            self.schedule(at, event);
        }
    }

    /// Begins a random fault and schedules the next.
    pub(super) fn befall(&mut self) {
        let per_day = fault::per_day(&self.inventory);
        let rng = &mut self.chances.life;
        let fault = fault::befalling(&self.inventory, &per_day, self.now, rng);
        if let Some(fault) = fault {
            self.let_happen(fault);
        }
        self.schedule_befalling();
    }

    /// Begins a random bad contact and schedules the next.
    pub(super) fn loosen_some(&mut self) {
        let links: Vec<ElementId> = self.inventory.links.keys().cloned().collect();
        if let Some(link) = choose(&mut self.chances.life, &links) {
            self.loosen(link.clone());
        }
        self.schedule_contact();
    }

    /// Begins a storm and schedules the next.
    pub(super) fn storm(&mut self) {
        let rng = &mut self.chances.life;
        let sites = between(rng, STORM_SITES.0, STORM_SITES.1) as usize;
        for fault in fault::storm(&self.inventory, sites, self.now, rng) {
            self.let_happen(fault);
        }
        self.schedule_yearly(STORMS_PER_YEAR, Event::Storm);
    }

    /// Schedules a fault, with its end if its kind has one.
    fn let_happen(&mut self, fault: Fault) {
        let (at, kind) = (fault.at, fault.kind);
        let number = self.expect(fault, FaultTerms::default());
        // Surges end with their own event.
        let lasts = Life::lasts_h(kind).filter(|_| kind != FaultKind::Congestion);
        if let Some((low, high)) = lasts {
            let hours = between(&mut self.chances.life, low, high);
            self.schedule(at.plus_s(hours * 3600.0), Event::Mend(number));
        }
    }
}
