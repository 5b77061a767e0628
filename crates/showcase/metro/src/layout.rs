//! Building the network: hubs, dual-homed aggregation routers, trees of sites, ducts and zones.
//!
//! Invented throughout. There are no rings and no spurs off rings: a site has one way to its router, a
//! router two to the hubs. Read next: [`crate::breakage`].

use crate::chance::{Purpose, below, chance, generator, uniform};
use crate::plant::{MetroLinkEnd, Plant, PlantCard, PlantLink, PlantRouter, SiteFeed, TreeSite};
use domain::inventory::{
    Cell, Domain, Element, ElementId, ElementKind, Inventory, Link, RadioUnit,
};
use domain::time::SeededRng;
use std::sync::Arc;

/// The one province.
const PROVINCE: &str = "Metro";
/// Sites below an aggregation router, and below one of its cards.
const SITES_PER_ROUTER: usize = 30;
const SITES_PER_CARD: usize = 8;
/// The most links between a site and its router.
const DEPTH_MAX: usize = 4;
/// The chance that a site hangs directly from its card.
const DIRECT: f64 = 0.35;
/// The most links of one router in a duct.
const LINKS_PER_DUCT: usize = 3;
const CELLS_PER_SITE: usize = 3;
/// The sites that take over a site's users.
const NEAR: usize = 3;
const BATTERY_S: [f64; 2] = [1_800.0, 14_400.0];

/// A network of `sites` sites, the same for the same seed.
pub fn layout(sites: usize, seed: u64) -> Plant {
    let mut builder = Builder {
        rng: generator(seed, Purpose::Layout),
        inventory: Inventory::default(),
        plant: Plant {
            inventory: Arc::default(),
            routers: Vec::new(),
            cards: Vec::new(),
            links: Vec::new(),
            sites: Vec::new(),
            ducts: Vec::new(),
            zones: Vec::new(),
        },
    };
    let hubs = [builder.hub("Hub-A"), builder.hub("Hub-B")];
    let sites = sites.max(1);
    for number in 0..sites.div_ceil(SITES_PER_ROUTER) {
        let own = SITES_PER_ROUTER.min(sites - number * SITES_PER_ROUTER);
        builder.aggregation(number, own, &hubs);
    }
    builder.feeder_ducts();
    builder.neighbours();
    let mut plant = builder.plant;
    plant.inventory = Arc::new(builder.inventory);
    plant
}

struct Builder {
    rng: SeededRng,
    inventory: Inventory,
    plant: Plant,
}

/// What an element is called, where it is.
struct Spot<'a> {
    name: &'a str,
    parent: Option<&'a ElementId>,
    place: &'a str,
    position: (f64, f64),
}

impl Builder {
    fn element(&mut self, kind: ElementKind, spot: &Spot<'_>) -> ElementId {
        let id = ElementId::new(format!("{}:{}", kind.as_str(), spot.name));
        let wireless = matches!(
            kind,
            ElementKind::Site | ElementKind::PowerZone | ElementKind::Cell
        );
        let made = !matches!(kind, ElementKind::Duct | ElementKind::PowerZone);
        self.inventory.elements.insert(
            id.clone(),
            Element {
                id: id.clone(),
                kind,
                domain: if wireless {
                    Domain::Wireless
                } else {
                    Domain::Ip
                },
                parent: spot.parent.cloned(),
                place: spot.place.to_owned(),
                position: spot.position,
                vendor: if made {
                    "Metro".to_owned()
                } else {
                    String::new()
                },
                model: String::new(),
            },
        );
        id
    }

    fn hub(&mut self, name: &str) -> (ElementId, String) {
        let place = name.to_owned();
        self.inventory
            .provinces
            .insert(place.clone(), PROVINCE.to_owned());
        let position = (10.0 + uniform(&mut self.rng, [-0.02, 0.02]), 50.0);
        let router = self.element(
            ElementKind::Router,
            &Spot {
                name,
                parent: None,
                place: &place,
                position,
            },
        );
        self.inventory.cores.insert(router.clone());
        (router, place)
    }

    fn card(&mut self, router: &ElementId, of: Option<usize>, number: usize) -> usize {
        let element = self.inventory.elements[router].clone();
        let name = format!("{}/{number}", element.place);
        let id = self.element(
            ElementKind::LineCard,
            &Spot {
                name: &name,
                parent: Some(router),
                place: &element.place,
                position: element.position,
            },
        );
        self.plant.cards.push(PlantCard { id, router: of });
        self.plant.cards.len() - 1
    }

    /// A link from above to below.
    fn link(&mut self, name: &str, ends: [MetroLinkEnd; 2], uplink_of: Option<usize>) -> usize {
        let bearer = |end: &MetroLinkEnd| match end {
            MetroLinkEnd::Card(card) => self.plant.cards[*card].id.clone(),
            MetroLinkEnd::Site(site) => self.plant.sites[*site].id.clone(),
        };
        let [upper, lower] = [bearer(&ends[0]), bearer(&ends[1])];
        let at = self.inventory.elements[&lower].clone();
        let spot = |name, parent| Spot {
            name,
            parent,
            place: &at.place,
            position: at.position,
        };
        let id = self.element(ElementKind::Link, &spot(name, None));
        let [a, b] = [format!("{name}/a"), format!("{name}/b")];
        let optics = [
            self.element(ElementKind::Optic, &spot(&a, Some(&upper))),
            self.element(ElementKind::Optic, &spot(&b, Some(&lower))),
        ];
        self.inventory.links.insert(
            id.clone(),
            Link {
                a: upper,
                b: lower,
                ducts: Vec::new(),
                length_km: uniform(&mut self.rng, [0.5, 8.0]),
                backbone: uplink_of.is_some(),
                capacity_mbps: if uplink_of.is_some() {
                    100_000.0
                } else {
                    10_000.0
                },
                optic_a: optics[0].clone(),
                optic_b: optics[1].clone(),
            },
        );
        self.plant.links.push(PlantLink {
            id,
            ends,
            optics,
            uplink_of,
        });
        self.plant.links.len() - 1
    }

    fn aggregation(&mut self, number: usize, sites: usize, hubs: &[(ElementId, String); 2]) {
        let place = format!("Agg-{:02}", number + 1);
        self.inventory
            .provinces
            .insert(place.clone(), PROVINCE.to_owned());
        let turn = number as f64 * 0.63;
        let far = uniform(&mut self.rng, [0.08, 0.25]);
        let position = (10.0 + far * turn.cos(), 50.0 + far * turn.sin());
        let router = self.element(
            ElementKind::Router,
            &Spot {
                name: &place,
                parent: None,
                place: &place,
                position,
            },
        );
        let uplinks = [0, 1].map(|way| self.uplink(number, way, &router, hubs));
        self.plant.routers.push(PlantRouter {
            id: router.clone(),
            uplinks,
        });
        let first = self.plant.sites.len();
        for site in 0..sites {
            let number_of_card = site / SITES_PER_CARD;
            let card = match site % SITES_PER_CARD {
                0 => self.card(&router, Some(number), number_of_card + 3),
                _ => self.plant.cards.len() - 1,
            };
            let above = first + number_of_card * SITES_PER_CARD;
            self.site(number, card, above, position);
        }
        self.zones(number, first);
        self.tree_ducts(number, first);
    }

    /// One of the two ways of a router to the hubs: half of the routers share a card there.
    fn uplink(
        &mut self,
        number: usize,
        way: usize,
        router: &ElementId,
        hubs: &[(ElementId, String); 2],
    ) -> usize {
        let (hub, place) = &hubs[way];
        let slot = number / 2 + 1;
        let name = ElementId::new(format!("card:{place}/{slot}"));
        let known = self.plant.cards.iter().position(|card| card.id == name);
        let upper = known.unwrap_or_else(|| self.card(hub, None, slot));
        let lower = self.card(router, Some(number), way + 1);
        let name = format!("{place}-Agg-{:02}", number + 1);
        let ends = [MetroLinkEnd::Card(upper), MetroLinkEnd::Card(lower)];
        self.link(&name, ends, Some(number))
    }

    /// A site below a card: from the card itself, or from a site that hangs from it already.
    fn site(&mut self, router: usize, card: usize, above: usize, around: (f64, f64)) {
        let own = self.plant.sites.len();
        let place = format!("Agg-{:02}", router + 1);
        let name = format!("M-{:03}", own + 1);
        let position = (
            around.0 + uniform(&mut self.rng, [-0.05, 0.05]),
            around.1 + uniform(&mut self.rng, [-0.05, 0.05]),
        );
        let id = self.element(
            ElementKind::Site,
            &Spot {
                name: &name,
                parent: None,
                place: &place,
                position,
            },
        );
        let candidates: Vec<usize> = (above..own)
            .filter(|site| self.plant.sites[*site].depth < DEPTH_MAX)
            .collect();
        let direct = candidates.is_empty() || chance(&mut self.rng, DIRECT);
        let feed = match direct {
            true => SiteFeed::Card(card),
            false => SiteFeed::Site(candidates[below(&mut self.rng, candidates.len())]),
        };
        let (upper, depth) = match feed {
            SiteFeed::Card(card) => (MetroLinkEnd::Card(card), 1),
            SiteFeed::Site(site) => (MetroLinkEnd::Site(site), self.plant.sites[site].depth + 1),
        };
        let cells = (1..=CELLS_PER_SITE).map(|sector| {
            let cell = self.element(
                ElementKind::Cell,
                &Spot {
                    name: &format!("{name}/{sector}"),
                    parent: Some(&id),
                    place: &place,
                    position,
                },
            );
            self.inventory.cells.insert(cell.clone(), planned(sector));
            cell
        });
        let cells: Vec<ElementId> = cells.collect();
        let battery_s = uniform(&mut self.rng, BATTERY_S);
        self.inventory
            .battery_wh
            .insert(id.clone(), battery_s / 3_600.0 * 1_500.0);
        self.plant.sites.push(TreeSite {
            id,
            feed,
            link: 0,
            depth,
            router,
            cells,
            near: Vec::new(),
            battery_s,
        });
        let link = self.link(
            &format!("up-{name}"),
            [upper, MetroLinkEnd::Site(own)],
            None,
        );
        self.plant.sites[own].link = link;
    }

    /// Sites beside each other share a supply, three to seven of them.
    fn zones(&mut self, router: usize, first: usize) {
        let mut own: Vec<usize> = (first..self.plant.sites.len()).collect();
        let position = |inventory: &Inventory, id: &ElementId| inventory.elements[id].position;
        let at = |site: &usize| position(&self.inventory, &self.plant.sites[*site].id);
        own.sort_by(|x, y| {
            at(x)
                .partial_cmp(&at(y))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let place = format!("Agg-{:02}", router + 1);
        while !own.is_empty() {
            let many = (3 + below(&mut self.rng, 5)).min(own.len());
            let sites: Vec<usize> = own.drain(..many).collect();
            let name = format!("P-{:03}", self.plant.zones.len() + 1);
            let position = position(&self.inventory, &self.plant.sites[sites[0]].id);
            let zone = self.element(
                ElementKind::PowerZone,
                &Spot {
                    name: &name,
                    parent: None,
                    place: &place,
                    position,
                },
            );
            for site in &sites {
                let id = &self.plant.sites[*site].id;
                if let Some(element) = self.inventory.elements.get_mut(id) {
                    element.parent = Some(zone.clone());
                }
            }
            self.plant.zones.push((zone, sites));
        }
    }

    /// Links that leave a router side by side lie in one duct.
    fn tree_ducts(&mut self, router: usize, first: usize) {
        let sites = self.plant.sites[first..].iter();
        let direct = sites.filter(|site| matches!(site.feed, SiteFeed::Card(_)));
        let links: Vec<usize> = direct.map(|site| site.link).collect();
        for together in links.chunks(LINKS_PER_DUCT).filter(|links| links.len() > 1) {
            self.duct(router, together);
        }
    }

    /// The uplinks of neighbouring routers to the same hub lie in one duct.
    fn feeder_ducts(&mut self) {
        let uplinks: Vec<[usize; 2]> = self.plant.routers.iter().map(|r| r.uplinks).collect();
        for (pair, routers) in uplinks.chunks(2).enumerate() {
            for way in [0, 1] {
                let links: Vec<usize> = routers.iter().map(|uplinks| uplinks[way]).collect();
                if links.len() > 1 {
                    self.duct(pair * 2, &links);
                }
            }
        }
    }

    fn duct(&mut self, router: usize, links: &[usize]) {
        let place = format!("Agg-{:02}", router + 1);
        let name = format!("D-{:03}", self.plant.ducts.len() + 1);
        let position = self.inventory.elements[&self.plant.routers[router].id].position;
        let duct = self.element(
            ElementKind::Duct,
            &Spot {
                name: &name,
                parent: None,
                place: &place,
                position,
            },
        );
        for link in links {
            let id = &self.plant.links[*link].id;
            if let Some(link) = self.inventory.links.get_mut(id) {
                link.ducts.push(duct.clone());
            }
        }
        self.plant.ducts.push((duct, links.to_vec()));
    }

    fn neighbours(&mut self) {
        let sites = self.plant.sites.iter();
        let at: Vec<(f64, f64)> = sites
            .map(|site| self.inventory.elements[&site.id].position)
            .collect();
        for (own, site) in self.plant.sites.iter_mut().enumerate() {
            let apart = |other: &usize| {
                let (east, north) = (at[*other].0 - at[own].0, at[*other].1 - at[own].1);
                east.hypot(north)
            };
            let mut others: Vec<usize> = (0..at.len()).filter(|other| *other != own).collect();
            others.sort_by(|x, y| apart(x).total_cmp(&apart(y)));
            others.truncate(NEAR);
            site.near = others;
        }
    }
}

fn planned(sector: usize) -> Cell {
    Cell {
        azimuth_degrees: 120.0 * (sector - 1) as f64,
        carrier_mhz: 1_800.0,
        bandwidth_mhz: 20.0,
        power_dbm: 46.0,
        radio_unit: RadioUnit::Type4,
        capacity_layer: false,
        neighbours: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_site_reaches_a_hub_and_depends_on_its_link() {
        let plant = layout(100, 7);
        assert_eq!(plant.sites.len(), 100);
        assert!(plant.inventory.sites_cut_off(&BTreeSet::new()).is_empty());
        for site in &plant.sites {
            let cut = BTreeSet::from([plant.links[site.link].id.clone()]);
            assert!(plant.inventory.sites_cut_off(&cut).contains(&site.id));
            assert!(site.depth <= DEPTH_MAX && site.near.len() == NEAR);
        }
        let uplink = plant.links[plant.routers[0].uplinks[0]].id.clone();
        let cut = BTreeSet::from([uplink]);
        assert!(plant.inventory.sites_cut_off(&cut).is_empty(), "two ways");
        assert_eq!(layout(100, 7).inventory, plant.inventory);
        assert_ne!(layout(100, 8).inventory, plant.inventory);
    }
}
