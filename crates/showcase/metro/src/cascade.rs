//! From a fault to the alarms that it raises: who notices what, and after how long.
//!
//! Each end, each router, the mobile core, the management system's polls and healthy neighbours notice
//! by themselves, or do not. What is cut off notices too, but can tell only when it is back. Read next:
//! [`crate::collector`].

use crate::breakage::{Breakable, MetroFault};
use crate::chance::{below, chance, log_normal, uniform};
use crate::outage::Outage;
use crate::plant::{MetroLinkEnd, Plant, TreeSite};
use crate::vocabulary::MetroAlarmType;
use domain::inventory::ElementId;
use domain::time::SeededRng;

/// A condition that somebody notices: an alarm before it is delivered.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticedCondition {
    /// The element it is raised on.
    pub element: ElementId,
    /// The type.
    pub alarm_type: MetroAlarmType,
    /// Seconds from the beginning of the run until it was noticed.
    pub from_s: f64,
    /// Seconds until it was gone.
    pub until_s: f64,
    /// Seconds until whoever noticed can tell; none if at once.
    pub told_from_s: Option<f64>,
}

/// All that a fault raises, and the outage that it is.
pub fn cascade(
    plant: &Plant,
    fault: &MetroFault,
    rng: &mut SeededRng,
) -> (Outage, Vec<NoticedCondition>) {
    let dark_s = match fault.at {
        // A module fades before it is dark, and is replaced some time after.
        Breakable::Optic(..) => {
            let lasts_s = fault.until_s - fault.from_s;
            fault.from_s + lasts_s * uniform(rng, [0.5, 0.8])
        }
        _ => fault.from_s,
    };
    let outage = Outage::of(plant, fault, dark_s);
    let mut spread = Spread {
        plant,
        outage: &outage,
        fault,
        rng,
        noticed: Vec::new(),
    };
    spread.at_the_element(dark_s);
    spread.at_links();
    spread.at_routers();
    spread.at_sites();
    spread.at_neighbours();
    let noticed = spread.noticed;
    (outage, noticed)
}

struct Spread<'a> {
    plant: &'a Plant,
    outage: &'a Outage,
    fault: &'a MetroFault,
    rng: &'a mut SeededRng,
    noticed: Vec<NoticedCondition>,
}

impl Spread<'_> {
    /// A condition that is noticed with probability `p`, so many seconds after `at_s`, unless it is gone
    /// by then.
    fn notice(
        &mut self,
        (element, alarm_type): (&ElementId, MetroAlarmType),
        p: f64,
        at_s: f64,
        after_s: [f64; 2],
    ) {
        self.notice_later((element, alarm_type), p, at_s, after_s, None);
    }

    fn notice_later(
        &mut self,
        (element, alarm_type): (&ElementId, MetroAlarmType),
        p: f64,
        at_s: f64,
        after_s: [f64; 2],
        told_from_s: Option<f64>,
    ) {
        let from_s = at_s + uniform(self.rng, after_s);
        let gone_s = self.fault.until_s + log_normal(self.rng, 8.0, 0.6);
        if chance(self.rng, p) && from_s < self.fault.until_s {
            self.noticed.push(NoticedCondition {
                element: element.clone(),
                alarm_type,
                from_s,
                until_s: gone_s,
                told_from_s,
            });
        }
    }

    /// What the broken element says itself, or what is said of it.
    fn at_the_element(&mut self, dark_s: f64) {
        use MetroAlarmType::{
            B1Exc, BdStatus, CellOos, CellOverload, HardBad, InPwrLow, LsrWillDie, NeNotLogin,
            RruCommFail, VswrHigh,
        };
        let plant = self.plant;
        let from_s = self.fault.from_s;
        match self.fault.at {
            Breakable::Card(card) => {
                let id = &plant.cards[card].id;
                self.notice((id, HardBad), 0.6, from_s, [0.0, 2.0]);
                self.notice((id, BdStatus), 0.95, from_s, [4.0, 15.0]);
            }
            Breakable::Router(router) => {
                let id = &plant.routers[router].id;
                self.notice((id, NeNotLogin), 0.97, from_s, [20.0, 200.0]);
            }
            Breakable::Optic(link, end) => {
                let optics = &plant.links[link].optics;
                let fades_s = dark_s - from_s;
                let (own, far) = (&optics[end], &optics[1 - end]);
                self.notice((own, LsrWillDie), 0.75, from_s, [0.0, 0.2 * fades_s]);
                let low = [0.05 * fades_s, 0.4 * fades_s];
                self.notice((far, InPwrLow), 0.9, from_s, low);
                let errors = [0.4 * fades_s, 0.8 * fades_s];
                self.notice((far, B1Exc), 0.7, from_s, errors);
            }
            Breakable::Cell(site, cell) => {
                let site = &plant.sites[site];
                let id = &site.cells[cell];
                self.notice((id, VswrHigh), 0.35, from_s, [0.0, 20.0]);
                self.notice((id, RruCommFail), 0.75, from_s, [1.0, 10.0]);
                self.notice((id, CellOos), 0.93, from_s, [10.0, 60.0]);
                for other in site.cells.iter().filter(|other| *other != id) {
                    self.notice((other, CellOverload), 0.3, from_s, [300.0, 1_500.0]);
                }
            }
            Breakable::Link(_) | Breakable::Duct(_) | Breakable::Zone(_) => {}
        }
    }

    /// What the ends of links notice that carry nothing.
    fn at_links(&mut self) {
        use MetroAlarmType::{BfdDown, RLos, RRdi};
        let plant = self.plant;
        for (&place, &at_s) in &self.outage.links {
            let link = &plant.links[place];
            for (end, optic) in link.optics.iter().enumerate() {
                let Some(told_from_s) = self.speaks(&link.ends[end]) else {
                    continue;
                };
                let own_faded = self.fault.at == Breakable::Optic(place, end);
                let far = &link.ends[1 - end];
                match own_faded {
                    // The far end is blind and says so.
                    true if self.speaks(far) == Some(None) => {
                        self.notice_later((optic, RRdi), 0.8, at_s, [1.0, 4.0], told_from_s);
                    }
                    true => {}
                    false => {
                        self.notice_later((optic, RLos), 0.96, at_s, [0.2, 2.5], told_from_s);
                    }
                }
                if let (Some(_), MetroLinkEnd::Card(card)) = (link.uplink_of, &link.ends[end]) {
                    let id = &plant.cards[*card].id;
                    self.notice_later((id, BfdDown), 0.9, at_s, [1.0, 4.0], told_from_s);
                }
            }
        }
    }

    /// How an end of a link speaks: not at all if it is dead; at once; or from some second on, when it
    /// is back.
    fn speaks(&self, end: &MetroLinkEnd) -> Option<Option<f64>> {
        let back_s = self.fault.until_s + 30.0;
        match (end, self.fault.at) {
            (MetroLinkEnd::Card(card), Breakable::Card(dead)) if *card == dead => None,
            (MetroLinkEnd::Card(card), at) => match self.plant.cards[*card].router {
                Some(router) if at == Breakable::Router(router) => None,
                Some(router) if self.outage.routers.contains(&router) => Some(Some(back_s)),
                _ => Some(None),
            },
            (MetroLinkEnd::Site(site), _) if self.outage.ended.contains_key(site) => None,
            (MetroLinkEnd::Site(site), _) if self.outage.sites.contains_key(site) => {
                Some(Some(back_s))
            }
            (MetroLinkEnd::Site(_), _) => Some(None),
        }
    }

    /// What routers do about it: they move tunnels, or miss their ends.
    fn at_routers(&mut self) {
        use MetroAlarmType::{MplsTunnelLocv, QueueDiscard, TunnelSwitched};
        let plant = self.plant;
        for (place, router) in plant.routers.iter().enumerate() {
            if self.outage.routers.contains(&place) {
                continue;
            }
            let lost = router
                .uplinks
                .iter()
                .position(|link| self.outage.links.contains_key(link));
            if let Some(way) = lost {
                let at_s = self.outage.links[&router.uplinks[way]];
                self.notice((&router.id, TunnelSwitched), 0.95, at_s, [1.0, 3.0]);
                let busy = (9.0..22.0).contains(&(at_s % 86_400.0 / 3_600.0));
                let other = &plant.links[router.uplinks[1 - way]].ends[1];
                if let MetroLinkEnd::Card(card) = other {
                    let id = &plant.cards[*card].id;
                    let p = if busy { 0.6 } else { 0.1 };
                    self.notice((id, QueueDiscard), p, at_s, [30.0, 300.0]);
                }
            }
            let below = self.outage.sites.iter();
            let first = below
                .filter(|(site, _)| plant.sites[**site].router == place)
                .map(|(_, at_s)| *at_s)
                .reduce(f64::min);
            if let Some(at_s) = first {
                self.notice((&router.id, MplsTunnelLocv), 0.9, at_s, [9.0, 14.0]);
            }
        }
    }

    /// What sites notice, and what the core and the management system notice of them.
    fn at_sites(&mut self) {
        use MetroAlarmType::{BatLow, DyingGasp, EthLos, NeNotLogin, PowerFail, S1LinkBroken};
        let plant = self.plant;
        if let Breakable::Zone(zone) = self.fault.at {
            for site in &plant.zones[zone].1 {
                let TreeSite { id, battery_s, .. } = &plant.sites[*site];
                let from_s = self.fault.from_s;
                self.notice((id, PowerFail), 0.9, from_s, [1.0, 30.0]);
                let low = [0.7 * battery_s, 0.8 * battery_s];
                self.notice((id, BatLow), 0.85, from_s, low);
            }
        }
        for (&place, &at_s) in &self.outage.sites {
            let site = &plant.sites[place];
            let below = site.depth as f64;
            let id = &site.id;
            if self.outage.ended.contains_key(&place) {
                self.notice((id, DyingGasp), 0.7, at_s, [-2.0, 0.0]);
            } else {
                let back_s = Some(self.fault.until_s + 30.0);
                let waits = [1.0 + below, 4.0 + 2.0 * below];
                self.notice_later((id, EthLos), 0.9, at_s, waits, back_s);
            }
            let misses = [18.0 + below, 40.0 + 4.0 * below];
            self.notice((id, S1LinkBroken), 0.93, at_s, misses);
            self.notice((id, NeNotLogin), 0.97, at_s, [20.0, 210.0]);
        }
    }

    /// What healthy neighbours of sites that are out complain about.
    fn at_neighbours(&mut self) {
        use MetroAlarmType::{CellOverload, X2PathBroken};
        let plant = self.plant;
        for (&place, &at_s) in &self.outage.sites {
            for near in &plant.sites[place].near {
                if self.outage.sites.contains_key(near) {
                    continue;
                }
                let near = &plant.sites[*near];
                self.notice((&near.id, X2PathBroken), 0.5, at_s, [20.0, 120.0]);
                let cell = &near.cells[below(self.rng, near.cells.len())];
                self.notice((cell, CellOverload), 0.25, at_s, [120.0, 900.0]);
            }
        }
    }
}
