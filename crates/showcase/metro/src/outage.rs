//! Which sites lose service, and when: what hangs below a link that is gone, and a site whose batteries
//! end, with all below it.
//!
//! Each fault spreads by itself; what another one has taken out besides makes no difference to it.
//! Refuses to know who notices. Read next: [`crate::cascade`].

use crate::breakage::{Breakable, MetroFault, links_lost};
use crate::plant::{Plant, SiteFeed};
use std::collections::{BTreeMap, BTreeSet};

/// Of a fault: which links are gone and which sites are out, from when.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outage {
    /// Links that carry nothing, by index, each with the seconds from the beginning of the run.
    pub links: BTreeMap<usize, f64>,
    /// Sites that are out of service, likewise.
    pub sites: BTreeMap<usize, f64>,
    /// Sites whose batteries have ended, likewise: all of them are out.
    pub ended: BTreeMap<usize, f64>,
    /// Aggregation routers that no hub reaches, by index.
    pub routers: BTreeSet<usize>,
}

impl Outage {
    /// The outage of a fault that takes links at `dark_s`.
    pub fn of(plant: &Plant, fault: &MetroFault, dark_s: f64) -> Self {
        let mut outage = Self::default();
        for link in links_lost(plant, fault.at) {
            outage.links.insert(link, dark_s);
        }
        for (router, it) in plant.routers.iter().enumerate() {
            let cut_off = it
                .uplinks
                .iter()
                .all(|link| outage.links.contains_key(link));
            if cut_off || fault.at == Breakable::Router(router) {
                outage.routers.insert(router);
            }
        }
        if let Breakable::Zone(zone) = fault.at {
            for site in &plant.zones[zone].1 {
                let at_s = fault.from_s + plant.sites[*site].battery_s;
                if at_s < fault.until_s {
                    outage.ended.insert(*site, at_s);
                    outage.links.insert(plant.sites[*site].link, at_s);
                }
            }
        }
        // Sites stand behind those that they hang from.
        for (place, site) in plant.sites.iter().enumerate() {
            let above = match site.feed {
                SiteFeed::Site(above) => outage.sites.get(&above).copied(),
                SiteFeed::Card(_) => outage.routers.contains(&site.router).then_some(dark_s),
            };
            let own = outage.links.get(&site.link).copied();
            if let Some(at_s) = above.into_iter().chain(own).reduce(f64::min) {
                outage.sites.insert(place, at_s);
            }
        }
        outage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::layout;
    use domain::cause::Cause;
    use domain::inventory::ElementId;

    fn fault(plant: &Plant, at: Breakable, element: ElementId, cause: Cause) -> Outage {
        let fault = MetroFault {
            cause,
            at,
            element,
            from_s: 0.0,
            until_s: 1e9,
            area: Vec::new(),
        };
        Outage::of(plant, &fault, 5.0)
    }

    /// The topology that agents have says the same of sites cut off.
    #[test]
    fn what_is_out_is_what_the_inventory_cuts_off() {
        let plant = layout(90, 3);
        let told = |outage: &Outage| -> BTreeSet<ElementId> {
            let sites = outage.sites.keys();
            sites.map(|site| plant.sites[*site].id.clone()).collect()
        };
        for (place, (duct, _)) in plant.ducts.iter().enumerate() {
            let outage = fault(&plant, Breakable::Duct(place), duct.clone(), Cause::DuctCut);
            let cut = BTreeSet::from([duct.clone()]);
            assert_eq!(told(&outage), plant.inventory.sites_cut_off(&cut), "{duct}");
        }
        for (place, card) in plant.cards.iter().enumerate() {
            let at = Breakable::Card(place);
            let outage = fault(&plant, at, card.id.clone(), Cause::CardFailure);
            let cut = BTreeSet::from([card.id.clone()]);
            assert_eq!(told(&outage), plant.inventory.sites_cut_off(&cut));
        }
    }

    #[test]
    fn batteries_end_one_by_one_and_take_out_what_hangs_below() {
        let plant = layout(90, 3);
        let zone = plant.zones[0].0.clone();
        let outage = fault(&plant, Breakable::Zone(0), zone, Cause::MainsFailure);
        assert_eq!(outage.ended.len(), plant.zones[0].1.len());
        assert!(outage.sites.len() >= outage.ended.len());
        for (site, at_s) in &outage.ended {
            assert!(outage.sites[site] <= *at_s);
        }
    }
}
