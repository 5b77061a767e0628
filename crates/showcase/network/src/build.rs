//! Building an inventory from a topology and a seed.
//!
//! Knows common structures of such networks; refuses to know how they fail. One backbone link ends
//! on a line card at either side; sites are connected by rings, stars and chains (`access`); links
//! that leave a router in the same direction share a trench (`ducts`); sites close to each other
//! share a mains supply (`power`); every site has [`cells`] and batteries. Only the backbone is
//! real, the rest is invented. Read next: `build/access.rs`, then [`crate::fault`].

mod access;
pub mod cells;
mod ducts;
mod names;
mod power;

use crate::chance::{between, choose, stream, whole};
use crate::customer_complaints::Customers;
use crate::errors::TelemetryErrors;
use crate::geography::between_points;
use crate::mobile;
use crate::noise::Recorded;
use crate::topology::Backbone;
use crate::traffic::demand::{self, Demand};
use domain::inventory::{Domain, Element, ElementId, ElementKind, Inventory, Link};
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The size of the network built on a topology, and the rates of its events.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The number of sites, 1 to 20 000.
    pub sites: usize,
    /// Rate of background alarms as a share of the rate per device in the real alarm record
    /// ([`crate::noise`]), 0 to 1. The record comes from 45 devices; 350 as busy ones would send an
    /// agent 1 400 alarms per hour.
    pub noise: f64,
    /// Mean number of complaints per hour from customers of one site out of service.
    pub complaints_per_site_hour: f64,
    /// True if small unrelated outages happen, at times and close to each fault.
    pub decoys: bool,
    /// The settings of the mobile domain, including crowds.
    pub mobile: mobile::MobileSettings,
    /// The rate of spontaneous faults: 0 for none, 1 for the rates of [`crate::fault::LIFE`].
    pub life: f64,
    /// The instant from which on nothing breaks by itself any more; none for never. What broke before
    /// goes on.
    pub calm_from: Option<Timestamp>,
    /// True if management systems report performance data, every 900 seconds.
    pub performance: bool,
    /// True if background alarms of different types occur together as in the real record
    /// ([`crate::noise`]); their rates and durations follow it in any case.
    pub companions: bool,
    /// A record of alarms that is replayed instead of random background alarms; empty for none.
    pub replay: Arc<Vec<Recorded>>,
    /// Drivers of connected vehicles, who complain through their car maker.
    pub customers: Customers,
    /// The errors of telemetry, measurements and documents; none by default.
    pub errors: TelemetryErrors,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            sites: 300,
            noise: 0.05,
            complaints_per_site_hour: 0.8,
            decoys: true,
            mobile: mobile::MobileSettings::default(),
            life: 0.0,
            calm_from: None,
            performance: true,
            companions: false,
            replay: Arc::default(),
            customers: Customers::default(),
            errors: TelemetryErrors::none(),
        }
    }
}

/// The provinces of every network.
pub const PROVINCES: [&str; 2] = ["North", "South"];

/// The purpose of the builder's random stream; see [`stream`].
const PURPOSE: u64 = 1;

/// Builds the inventory: the same topology, parameters and seed give the same network.
pub fn inventory(topology: &Backbone, parameters: &Parameters, seed: u64) -> Inventory {
    network(topology, parameters, seed).0
}

/// Builds the network, and returns also the demands between its routers in the busy hour, in
/// Mbit/s.
pub fn network(
    topology: &Backbone,
    parameters: &Parameters,
    seed: u64,
) -> (Inventory, Vec<Demand>) {
    let mut builder = Builder {
        rng: stream(seed, PURPOSE),
        topology,
        inventory: Inventory::default(),
        codes: names::site_codes(topology),
        cards: Vec::new(),
        sites_at: vec![0; topology.cities.len()],
        leaving: BTreeMap::new(),
        groups: 0,
    };
    let homes = builder.plan_sites(parameters.sites.clamp(1, 20_000));
    builder.place_routers(&homes);
    builder.lay_backbone();
    builder.attach_core();
    builder.hang_sites(&homes);
    builder.dig_ducts();
    builder.share_mains();
    builder.draw_provinces();
    let demands = demand::dimension(&mut builder.inventory, topology);
    let mut inventory = builder.inventory;
    cells::equip(&mut inventory, seed);
    (inventory, demands)
}

/// An access or backbone link that leaves a router, for assignment to trenches.
#[derive(Clone, Debug)]
struct Leaving {
    link: ElementId,
    /// The number of the ring, star or chain it belongs to; none for the backbone.
    group: Option<usize>,
}

struct Builder<'a> {
    rng: SeededRng,
    topology: &'a Backbone,
    inventory: Inventory,
    codes: Vec<String>,
    /// The cards of each city's router, and the number of links that end on each.
    cards: Vec<Vec<(ElementId, usize)>>,
    sites_at: Vec<usize>,
    leaving: BTreeMap<usize, Vec<Leaving>>,
    groups: usize,
}

/// Invented vendors and type designations: (vendor, router, card, site).
const CATALOGUE: [(&str, &str, &str, &str); 3] = [
    ("Quillor", "QR-9600", "QL-24x10", "QS-310"),
    ("Vantrel", "Arc 48", "Arc line unit 16", "Mast 5"),
    ("Osmaric", "OX-2000", "OX-LC8", "OXcell 7"),
];

impl Builder<'_> {
    /// The number of sites of each city: more where more backbone links meet, with random variation
    /// for population.
    fn plan_sites(&mut self, sites: usize) -> Vec<usize> {
        let weights: Vec<f64> = (0..self.topology.cities.len())
            .map(|city| {
                let meeting = self.topology.neighbours(city).count() as f64;
                (meeting * between(&mut self.rng, 0.3, 1.7)).powi(2)
            })
            .collect();
        let total: f64 = weights.iter().sum();
        let mut homes: Vec<usize> = weights
            .iter()
            .map(|weight| (weight / total * sites as f64) as usize)
            .collect();
        let mut left = sites - homes.iter().sum::<usize>();
        while left > 0 {
            let city = crate::chance::weighted(&mut self.rng, &weights);
            homes[city] += 1;
            left -= 1;
        }
        homes
    }

    fn place_routers(&mut self, homes: &[usize]) {
        let topology = self.topology;
        for (index, city) in topology.cities.iter().enumerate() {
            let (vendor, router, card, _) =
                *choose(&mut self.rng, &CATALOGUE).expect("the catalogue has makers");
            let id = ElementId::new(format!("router:{}", city.name));
            let element = Element {
                id: id.clone(),
                kind: ElementKind::Router,
                domain: Domain::Ip,
                parent: None,
                place: city.name.clone(),
                position: city.position,
                vendor: vendor.to_owned(),
                model: router.to_owned(),
            };
            let busy = usize::from(self.topology.neighbours(index).count() > 3)
                + usize::from(homes[index] > 8);
            let cards = (1..=2 + busy)
                .map(|slot| {
                    let card_id = ElementId::new(format!("card:{}/{slot}", city.name));
                    self.insert(Element {
                        id: card_id.clone(),
                        kind: ElementKind::LineCard,
                        parent: Some(id.clone()),
                        model: card.to_owned(),
                        ..element.clone()
                    });
                    (card_id, 0)
                })
                .collect();
            self.cards.push(cards);
            self.insert(element);
        }
    }

    fn lay_backbone(&mut self) {
        let topology = self.topology;
        for span in &topology.spans {
            let (a, b) = (self.emptiest_card(span.a), self.emptiest_card(span.b));
            let name = format!(
                "link:{}-{}",
                self.topology.cities[span.a].name, self.topology.cities[span.b].name
            );
            let link = self.join(&name, a, b, span.length_km, true);
            for city in [span.a, span.b] {
                self.leaving.entry(city).or_default().push(Leaving {
                    link: link.clone(),
                    group: None,
                });
            }
        }
    }

    /// Places the mobile core at the most central city, and in a large network a second one far
    /// from the first.
    fn attach_core(&mut self) {
        let cities = self.topology.cities.len();
        let nearest = |from: usize| -> f64 { distances_km(self.topology, from).iter().sum() };
        let first = (0..cities)
            .min_by(|&a, &b| nearest(a).total_cmp(&nearest(b)))
            .unwrap_or_default();
        let mut cores = vec![first];
        if cities > 8 {
            let far = distances_km(self.topology, first);
            let reach = far.iter().copied().fold(0.0, f64::max);
            cores.extend(
                (0..cities)
                    .filter(|&c| c != first && far[c] > 0.4 * reach)
                    .min_by(|&a, &b| nearest(a).total_cmp(&nearest(b))),
            );
        }
        for core in cores {
            let id = ElementId::new(format!("router:{}", self.topology.cities[core].name));
            self.inventory.cores.insert(id);
        }
    }

    /// Assigns the towns north of the median latitude to one province, the others to the second.
    fn draw_provinces(&mut self) {
        let mut latitudes: Vec<f64> = self.topology.cities.iter().map(|c| c.position.1).collect();
        latitudes.sort_by(f64::total_cmp);
        let median = latitudes[latitudes.len() / 2];
        for city in &self.topology.cities {
            let north = city.position.1 >= median;
            let province = if north { PROVINCES[0] } else { PROVINCES[1] };
            let provinces = &mut self.inventory.provinces;
            provinces.insert(city.name.clone(), province.to_owned());
        }
    }

    /// The card of the city's router with the fewest links; counts one more there.
    fn emptiest_card(&mut self, city: usize) -> ElementId {
        let (card, load) = self.cards[city]
            .iter_mut()
            .min_by_key(|(_, load)| *load)
            .expect("every router has two cards at least");
        *load += 1;
        card.clone()
    }

    /// A random card of the city's router; counts one more there.
    fn any_card(&mut self, city: usize) -> ElementId {
        let slot = whole(&mut self.rng, 0, self.cards[city].len() - 1);
        let (card, load) = &mut self.cards[city][slot];
        *load += 1;
        card.clone()
    }

    /// Inserts a link and its element; a number is appended if the name is taken.
    fn join(
        &mut self,
        name: &str,
        a: ElementId,
        b: ElementId,
        length_km: f64,
        backbone: bool,
    ) -> ElementId {
        let mut id = ElementId::new(name);
        let mut twin = 1;
        while self.inventory.elements.contains_key(&id) {
            twin += 1;
            id = ElementId::new(format!("{name}-{twin}"));
        }
        let place = |end: &ElementId| {
            let element = self.inventory.element(end);
            element.map_or((String::new(), (0.0, 0.0)), |e| {
                (e.place.clone(), e.position)
            })
        };
        let ((place, from), (_, to)) = (place(&a), place(&b));
        self.insert(Element {
            id: id.clone(),
            kind: ElementKind::Link,
            domain: Domain::Ip,
            parent: None,
            place,
            position: between_points(from, to, 0.5),
            vendor: String::new(),
            model: if backbone {
                "fibre pair, amplified"
            } else {
                "fibre pair"
            }
            .to_owned(),
        });
        let optic_a = self.plug_in(&id, "a", &a);
        let optic_b = self.plug_in(&id, "b", &b);
        let link = Link {
            a,
            b,
            ducts: Vec::new(),
            length_km: (length_km * 100.0).round() / 100.0,
            backbone,
            capacity_mbps: if backbone { 100_000.0 } else { 10_000.0 },
            optic_a,
            optic_b,
        };
        self.inventory.links.insert(id.clone(), link);
        id
    }

    /// Inserts the optical module of one end of a link, in the card or site where the link ends.
    fn plug_in(&mut self, link: &ElementId, end: &str, into: &ElementId) -> ElementId {
        let name = link.as_str().trim_start_matches("link:");
        let id = ElementId::new(format!("optic:{name}/{end}"));
        if let Some(holder) = self.inventory.element(into).cloned() {
            self.insert(Element {
                id: id.clone(),
                kind: ElementKind::Optic,
                domain: Domain::Ip,
                parent: Some(into.clone()),
                model: "pluggable optic".to_owned(),
                ..holder
            });
        }
        id
    }

    fn insert(&mut self, element: Element) {
        self.inventory.elements.insert(element.id.clone(), element);
    }
}

/// Lengths of the shortest paths over the backbone from one city to each, in kilometres.
fn distances_km(topology: &Backbone, from: usize) -> Vec<f64> {
    let mut distances = vec![f64::INFINITY; topology.cities.len()];
    distances[from] = 0.0;
    // Bellman and Ford's rounds: a thousand cities at most, and once per network.
    loop {
        let mut changed = false;
        for span in &topology.spans {
            for (a, b) in [(span.a, span.b), (span.b, span.a)] {
                if distances[a] + span.length_km < distances[b] {
                    distances[b] = distances[a] + span.length_km;
                    changed = true;
                }
            }
        }
        if !changed {
            return distances;
        }
    }
}

#[cfg(test)]
mod tests;
