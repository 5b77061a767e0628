//! The access network: rings, stars and chains of sites, and spurs behind a ring.
//!
//! A ring begins and ends at its router, on two cards or, by poor planning, on one, or at two
//! neighbouring routers; one cut takes nothing out of service. A star has one trunk to a hub with
//! leaves; a chain is a string of sites: one cut takes out everything behind it. Read next:
//! [`super::ducts`].

use super::{Builder, CATALOGUE, Leaving};
use crate::chance::{between, choose, happens, weighted, whole};
use crate::geography::{between_points, distance_km, point_at};
use domain::inventory::{Domain, Element, ElementId, ElementKind};
use std::f64::consts::TAU;

/// The topology of a group of sites.
#[derive(Clone, Copy)]
enum Shape {
    Ring,
    RingBetweenTwo,
    Star,
    Chain,
}

/// The topologies with their weights.
const SHAPES: [(Shape, f64); 4] = [
    (Shape::Ring, 0.48),
    (Shape::RingBetweenTwo, 0.10),
    (Shape::Star, 0.27),
    (Shape::Chain, 0.15),
];

/// Routers farther apart than this (km) share no ring.
const NEIGHBOUR_KM: f64 = 110.0;
/// The length of fibre per straight-line distance, as fibre follows roads.
const DETOUR: f64 = 1.25;
/// The shortest access link, in km: trenches near the router must fit into it.
pub(super) const SHORTEST_KM: f64 = 0.9;

impl Builder<'_> {
    pub(super) fn hang_sites(&mut self, homes: &[usize]) {
        for (city, &sites) in homes.iter().enumerate() {
            let mut left = sites;
            while left > 0 {
                left -= self.hang_group(city, left).min(left);
            }
        }
    }

    /// Connects one group of at most `left` sites; returns its size.
    fn hang_group(&mut self, city: usize, left: usize) -> usize {
        self.groups += 1;
        let weights = SHAPES.map(|(_, weight)| weight);
        match SHAPES[weighted(&mut self.rng, &weights)].0 {
            Shape::Ring if left >= 4 => self.ring(city, city, left),
            Shape::RingBetweenTwo if left >= 4 => {
                let near: Vec<usize> = self
                    .topology
                    .spans
                    .iter()
                    .filter(|span| span.length_km < NEIGHBOUR_KM)
                    .filter(|span| span.a == city || span.b == city)
                    .map(|span| if span.a == city { span.b } else { span.a })
                    .collect();
                let other = choose(&mut self.rng, &near).copied().unwrap_or(city);
                self.ring(city, other, left)
            }
            Shape::Star if left >= 3 => self.star(city, left),
            _ => self.chain(city, left),
        }
    }

    fn ring(&mut self, city: usize, other: usize, left: usize) -> usize {
        let around = whole(&mut self.rng, 4, 8).min(left);
        let sites = self.ring_sites(city, other, around);
        let card = self.any_card(city);
        let mut end = card.clone();
        for site in &sites {
            end = self.access_link(city, end, site.clone());
        }
        let closing = if city == other && happens(&mut self.rng, 0.4) {
            card
        } else if city == other {
            self.emptiest_card(city)
        } else {
            self.any_card(other)
        };
        self.access_link(other, closing, end);
        let mut hung = sites.len();
        for anchor in sites {
            if hung < left && happens(&mut self.rng, 0.22) {
                let behind = whole(&mut self.rng, 1, 4).min(left - hung);
                hung += self.behind(city, &anchor, behind);
            }
        }
        hung
    }

    /// Places the sites of a ring: in an arc around one router, or between two.
    fn ring_sites(&mut self, city: usize, other: usize, around: usize) -> Vec<ElementId> {
        let from = self.topology.cities[city].position;
        let to = self.topology.cities[other].position;
        let start = between(&mut self.rng, 0.0, TAU);
        let radius = between(&mut self.rng, 3.0, 14.0);
        (1..=around)
            .map(|step| {
                let share = step as f64 / (around + 1) as f64;
                let wobble = between(&mut self.rng, 0.8, 1.2);
                let position = if city == other {
                    // A loop whose two ends meet at the router.
                    let reach = radius * (share * TAU / 2.0).sin().max(0.25) * wobble;
                    point_at(from, reach, start + (share - 0.5) * TAU / 3.0)
                } else {
                    point_at(between_points(from, to, share), 3.0 * wobble, start)
                };
                self.site(city, position)
            })
            .collect()
    }

    fn star(&mut self, city: usize, left: usize) -> usize {
        let leaves = whole(&mut self.rng, 3, 8).min(left - 1);
        let hub = self.site_near(self.topology.cities[city].position, city, 4.0, 18.0);
        let card = self.any_card(city);
        let hub = self.access_link(city, card, hub);
        let middle = self.position(&hub);
        for _ in 0..leaves {
            let leaf = self.site_near(middle, city, 1.0, 6.0);
            self.access_link(city, hub.clone(), leaf);
        }
        leaves + 1
    }

    fn chain(&mut self, city: usize, left: usize) -> usize {
        let length = whole(&mut self.rng, 1, 4).min(left);
        let mut from = self.topology.cities[city].position;
        let mut end = self.any_card(city);
        for _ in 0..length {
            let site = self.site_near(from, city, 2.0, 9.0);
            from = self.position(&site);
            end = self.access_link(city, end, site);
        }
        length
    }

    /// Connects sites behind one of a ring: all to it, or one behind the other.
    fn behind(&mut self, city: usize, anchor: &ElementId, sites: usize) -> usize {
        let in_a_row = happens(&mut self.rng, 0.5);
        let mut end = anchor.clone();
        for _ in 0..sites {
            let site = self.site_near(self.position(&end), city, 1.0, 6.0);
            let hung = self.access_link(city, end.clone(), site);
            if in_a_row {
                end = hung;
            }
        }
        sites
    }

    /// Links `end` (a card of the city's router, or a site) with `site`; returns the site. A link
    /// that begins on a card has the card as its end A.
    fn access_link(&mut self, city: usize, end: ElementId, site: ElementId) -> ElementId {
        let straight = distance_km(self.position(&end), self.position(&site));
        let from_router = self
            .inventory
            .element(&end)
            .is_some_and(|e| e.kind == ElementKind::LineCard);
        let short = |id: &ElementId| id.as_str().replace("site:", "");
        let beginning = if from_router {
            self.topology.cities[city].name.clone()
        } else {
            short(&end)
        };
        let name = format!("link:{beginning}-{}", short(&site));
        let length_km = (straight * DETOUR).max(SHORTEST_KM);
        let link = self.join(&name, end, site.clone(), length_km, false);
        if from_router {
            self.leaving.entry(city).or_default().push(Leaving {
                link,
                group: Some(self.groups),
            });
        }
        site
    }

    fn site_near(&mut self, from: (f64, f64), city: usize, low: f64, high: f64) -> ElementId {
        let km = between(&mut self.rng, low, high);
        let angle = between(&mut self.rng, 0.0, TAU);
        self.site(city, point_at(from, km, angle))
    }

    fn site(&mut self, city: usize, position: (f64, f64)) -> ElementId {
        self.sites_at[city] += 1;
        let id = ElementId::new(format!(
            "site:{}-{:03}",
            self.codes[city], self.sites_at[city]
        ));
        let (vendor, _, _, model) =
            *choose(&mut self.rng, &CATALOGUE).expect("the catalogue has makers");
        self.insert(Element {
            id: id.clone(),
            kind: ElementKind::Site,
            domain: Domain::Wireless,
            parent: None,
            place: self.topology.cities[city].name.clone(),
            position,
            vendor: vendor.to_owned(),
            model: model.to_owned(),
        });
        id
    }

    fn position(&self, id: &ElementId) -> (f64, f64) {
        self.inventory
            .element(id)
            .map_or((0.0, 0.0), |element| element.position)
    }
}
