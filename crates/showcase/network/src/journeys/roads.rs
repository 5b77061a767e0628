//! Roads: the straight lines of the backbone's links, from town to town.
//!
//! Knows towns and their neighbours; refuses to know vehicles. Read next: [`super`].

use super::{Position, km};
use crate::chance::{between, choose};
use domain::inventory::{ElementKind, Inventory};
use domain::time::SeededRng;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Kilometres per degree of latitude.
const KM_PER_DEGREE: f64 = 111.2;
/// The greatest distance of a stay from the centre of its town, in km.
const TOWN_KM: f64 = 20.0;

/// Towns and the roads between them.
#[derive(Clone, Debug)]
pub(super) struct Roads {
    towns: Vec<(String, Position)>,
    beside: Vec<Vec<usize>>,
    sites: Vec<Position>,
}

impl Roads {
    /// The roads of a network: a town for each router, a road for each backbone link.
    pub(super) fn of(inventory: &Inventory) -> Self {
        let routers: Vec<_> = inventory.of_kind(ElementKind::Router).collect();
        let index: BTreeMap<_, _> = routers.iter().zip(0..).map(|(r, n)| (&r.id, n)).collect();
        let mut beside = vec![Vec::new(); routers.len()];
        for link in inventory.links.values().filter(|l| l.backbone) {
            let ends = [&link.a, &link.b].map(|end| index.get(inventory.node_of(end)).copied());
            if let [Some(a), Some(b)] = ends {
                beside[a].push(b);
                beside[b].push(a);
            }
        }
        let sites = inventory.of_kind(ElementKind::Site);
        Self {
            towns: routers
                .iter()
                .map(|r| (r.place.clone(), r.position))
                .collect(),
            beside,
            sites: sites.map(|s| s.position).collect(),
        }
    }

    /// The centres of the towns on a route of `links` roads from `home`, without turning back.
    pub(super) fn walk(&self, home: &str, links: usize, rng: &mut SeededRng) -> Vec<Position> {
        let Some(first) = self.towns.iter().position(|(name, _)| name == home) else {
            return Vec::new();
        };
        let mut way = vec![first];
        for _ in 0..links {
            let here = way[way.len() - 1];
            let fresh: Vec<usize> = self.beside[here]
                .iter()
                .copied()
                .filter(|town| !way.contains(town))
                .collect();
            let Some(next) = choose(rng, &fresh) else {
                break;
            };
            way.push(*next);
        }
        way.into_iter().map(|town| self.towns[town].1).collect()
    }

    /// A point near a site of the town with that centre; none if the town has no site.
    pub(super) fn spot_near(
        &self,
        middle: Option<Position>,
        most_km: f64,
        rng: &mut SeededRng,
    ) -> Option<Position> {
        let middle = middle?;
        let here = |site: &&Position| km(middle, **site) < TOWN_KM;
        let sites: Vec<Position> = self.sites.iter().filter(here).copied().collect();
        let site = *choose(rng, &sites)?;
        Some(beside(site, most_km, rng))
    }

    pub(super) fn nearest(&self, position: Position) -> Option<(&str, f64)> {
        let distances = self.towns.iter().map(|(name, p)| (name, km(position, *p)));
        let nearest = distances.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((nearest.0.as_str(), nearest.1))
    }
}

/// A random point within so many kilometres.
pub(super) fn beside(position: Position, most_km: f64, rng: &mut SeededRng) -> Position {
    let (away, angle) = (between(rng, 0.1, most_km), between(rng, 0.0, TAU));
    let narrow = position.1.to_radians().cos().max(0.05);
    (
        position.0 + away * angle.cos() / (KM_PER_DEGREE * narrow),
        position.1 + away * angle.sin() / KM_PER_DEGREE,
    )
}

pub(super) fn length_km(way: &[Position]) -> f64 {
    way.windows(2).map(|pair| km(pair[0], pair[1])).sum()
}

/// The point after so many kilometres of a route; its end if it is shorter.
pub(super) fn point_along(way: &[Position], at_km: f64) -> Position {
    let mut left = at_km.max(0.0);
    for pair in way.windows(2) {
        let length = km(pair[0], pair[1]);
        if left <= length && length > 0.0 {
            let share = left / length;
            let along = |a: f64, b: f64| a + (b - a) * share;
            return (along(pair[0].0, pair[1].0), along(pair[0].1, pair[1].1));
        }
        left -= length;
    }
    way.last().copied().unwrap_or_default()
}
