//! The routing of traffic: shortest paths, equal-cost splits, and the load, loss and delay of
//! links.
//!
//! Knows queues and paths; refuses to know why a link is down or lossy: that is a [`Terrain`] from
//! the simulation. Re-routing takes no time here: a backbone restores within about 50 ms, which no
//! alarm and no user of this simulation notices; 1+1 protection is not modelled.
//!
//! - Routers send their [`Demand`]s along the cheapest path by `igp-metric`; where several are
//!   equally cheap, each node splits evenly over its next hops (ECMP).
//! - Sites exchange theirs with the nearest core router, downlink and a tenth as much uplink, along
//!   the same paths. Demands between routers pass through an access ring only if nothing else is left.
//! - A link drops what exceeds its capacity in a direction, evenly over all that it is given, and the
//!   share that its light cannot carry without errors. What is dropped burdens no link behind it.
//!
//! At every node what comes in goes out, flow by flow, and offered = delivered + lost: laws of
//! `traffic/tests.rs`. Demands in Mbit/s are made in [`demand`], paths in [`routing`]; what is
//! measured of them is in [`load`].

pub mod daily;
pub mod demand;
pub mod load;
pub mod routing;

pub use demand::Demand;
pub use load::{Flows, Load, Way};

use domain::inventory::{ElementId, Inventory};
use routing::{Charts, Goal, RoutingGraph, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The uplink traffic of a site as a share of its downlink traffic; assumed.
pub const UPLINK_SHARE: f64 = 0.1;
/// The most iterations over the loss shares.
const ROUNDS: usize = 60;
/// The change of a loss share below which the iteration ends.
const SETTLED: f64 = 1e-7;

/// The network conditions for routing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terrain {
    /// Links that do not work.
    pub down: BTreeSet<ElementId>,
    /// Metrics that deviate from the plan, by link.
    pub metrics: BTreeMap<ElementId, u32>,
    /// Routers with the IGP overload bit set.
    pub avoided: BTreeSet<ElementId>,
    /// The share of packets lost to errors on each link, 0 to 1.
    pub losses: BTreeMap<ElementId, f64>,
    /// Demands between routers beyond the usual ones, in Mbit/s.
    pub surges: Vec<Demand>,
    /// The usual demands as a share of the busy hour's.
    pub hour_share: f64,
}

/// The source and destination of a demand.
pub type RouterPair = (ElementId, ElementId);

/// The traffic of one network.
#[derive(Clone, Debug)]
pub struct Traffic {
    roads: RoutingGraph,
    /// The usual demands of the busy hour: sources by destination.
    demands: BTreeMap<usize, Vec<(usize, f64)>>,
    /// Downlink traffic of each site, in Mbit/s.
    sites: Vec<(usize, f64)>,
}

/// A commodity of the flow problem: sources, amounts, and the tree of its paths.
struct Commodity {
    tree: Arc<Tree>,
    sources: Vec<(usize, f64)>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// From all routers to one router.
    Backbone,
    /// From sites to the nearest core.
    Uplink,
    /// From the nearest core to sites.
    Downlink,
}

/// The flow of one commodity, or of all together.
#[derive(Clone, Debug)]
struct Spread {
    /// The traffic offered to each direction of each link.
    given: Vec<f64>,
    delivered: f64,
    /// The traffic without a path.
    pathless: f64,
    /// The share of its traffic that each site gets, by node.
    shares: Vec<(usize, f64)>,
}

impl Traffic {
    /// The traffic of `inventory` with these demands in the busy hour; demands of unknown routers
    /// are left out.
    pub fn new(inventory: &Inventory, demands: &[Demand]) -> Self {
        let roads = RoutingGraph::new(inventory);
        let mut by_destination: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
        for demand in demands {
            if let (Some(from), Some(to)) = (roads.node(&demand.from), roads.node(&demand.to)) {
                let sources = by_destination.entry(to).or_default();
                sources.push((from, demand.mbps));
            }
        }
        Self {
            roads,
            demands: by_destination,
            sites: Vec::new(),
        }
    }

    /// Sets the demand of each site, in Mbit/s downlink; sites that are not named have none.
    pub fn set_sites(&mut self, downlink_mbps: &BTreeMap<ElementId, f64>) {
        self.sites = downlink_mbps
            .iter()
            .filter(|(_, mbps)| **mbps > 0.0)
            .filter_map(|(site, mbps)| Some((self.roads.node(site)?, *mbps)))
            .collect();
    }

    /// Routes all traffic over `terrain`.
    pub fn flow(&self, terrain: &Terrain) -> Flows {
        self.flow_by(&mut Charts::default(), terrain)
    }

    /// Routes all traffic over `terrain` with cached paths: `charts` of this network are recomputed
    /// only if anything but amounts has changed.
    pub fn flow_by(&self, charts: &mut Charts, terrain: &Terrain) -> Flows {
        let ground = self.roads.ground(terrain);
        let commodities = self.commodities(terrain, &ground, charts);
        let clear: Vec<f64> = ground.losses.iter().map(|loss| 1.0 - loss).collect();
        let mut kept = clear.clone();
        let mut all = self.spread(&commodities, &kept);
        for round in 0..ROUNDS {
            let next = self.kept(&clear, &all.given);
            let change = next.iter().zip(&kept).map(|(a, b)| (a - b).abs());
            if change.fold(0.0, f64::max) < SETTLED {
                break;
            }
            // The first rounds may swing; half steps end that.
            let step = if round < 4 { 1.0 } else { 0.5 };
            for (share, next) in kept.iter_mut().zip(next) {
                *share += step * (next - *share);
            }
            all = self.spread(&commodities, &kept);
        }
        self.flows(&ground, &kept, &all, &commodities)
    }

    /// Pairs of routers whose whole mutual demand uses `link`: those that use it from its end A to
    /// its end B, and those that use it the other way.
    pub fn pairs_over(&self, link: &ElementId, terrain: &Terrain) -> [Vec<RouterPair>; 2] {
        let ground = self.roads.ground(terrain);
        let mut pairs = [Vec::new(), Vec::new()];
        let Some(own) = self.roads.links.iter().position(|road| road.id == *link) else {
            return pairs;
        };
        for &to in self.demands.keys() {
            let tree = self.roads.tree_over_backbone(&ground, to);
            let mut passes = [false, false].map(|no| vec![no; tree.size()]);
            for &node in tree.farthest_first().iter().rev() {
                for (back, passes) in passes.iter_mut().enumerate() {
                    let hops = tree.next_hops(node);
                    let over =
                        |(next, way): &(usize, usize)| *way == 2 * own + back || passes[*next];
                    passes[node] = !hops.is_empty() && hops.iter().all(over);
                    if passes[node] {
                        let name = |node: usize| self.roads.nodes[node].clone();
                        pairs[back].push((name(node), name(to)));
                    }
                }
            }
        }
        pairs
    }

    /// The links on the paths of `surge` alone.
    pub fn path(&self, surge: &Demand, terrain: &Terrain) -> BTreeSet<ElementId> {
        let ground = self.roads.ground(terrain);
        let ends = (self.roads.node(&surge.from), self.roads.node(&surge.to));
        let (Some(from), Some(to)) = ends else {
            return BTreeSet::new();
        };
        let sources = vec![(from, 1.0)];
        let commodity = self.backbone_commodity(&ground, &mut Charts::default(), to, sources);
        let kept = vec![1.0; 2 * self.roads.links.len()];
        let given = self.spread(&[commodity], &kept).given;
        let used = self.roads.links.iter().enumerate();
        used.filter(|(link, _)| given[2 * link] + given[2 * link + 1] > 0.0)
            .map(|(_, road)| road.id.clone())
            .collect()
    }

    fn commodities(
        &self,
        terrain: &Terrain,
        ground: &routing::IndexedTerrain,
        charts: &mut Charts,
    ) -> Vec<Commodity> {
        let mut by_destination = self.demands.clone();
        for sources in by_destination.values_mut() {
            for (_, mbps) in sources.iter_mut() {
                *mbps *= terrain.hour_share;
            }
        }
        for surge in &terrain.surges {
            let ends = (self.roads.node(&surge.from), self.roads.node(&surge.to));
            if let (Some(from), Some(to)) = ends {
                by_destination
                    .entry(to)
                    .or_default()
                    .push((from, surge.mbps));
            }
        }
        let mut commodities: Vec<Commodity> = by_destination
            .into_iter()
            .map(|(to, sources)| self.backbone_commodity(ground, charts, to, sources))
            .collect();
        if !self.sites.is_empty() {
            let tree = charts.tree(&self.roads, ground, Goal::Core);
            let up = self.sites.iter().map(|(s, mbps)| (*s, mbps * UPLINK_SHARE));
            commodities.push(Commodity {
                tree: Arc::clone(&tree),
                sources: up.collect(),
                kind: Kind::Uplink,
            });
            commodities.push(Commodity {
                tree,
                sources: self.sites.clone(),
                kind: Kind::Downlink,
            });
        }
        commodities
    }

    fn backbone_commodity(
        &self,
        ground: &routing::IndexedTerrain,
        charts: &mut Charts,
        to: usize,
        sources: Vec<(usize, f64)>,
    ) -> Commodity {
        let mut tree = charts.tree(&self.roads, ground, Goal::OverBackbone(to));
        if sources.iter().any(|(from, _)| !tree.reaches(*from)) {
            tree = charts.tree(&self.roads, ground, Goal::Anyhow(to));
        }
        Commodity {
            tree,
            sources,
            kind: Kind::Backbone,
        }
    }

    /// The share of the offered traffic that each direction of each link carries.
    fn kept(&self, clear: &[f64], given: &[f64]) -> Vec<f64> {
        let capacity = |way: usize| self.roads.links[way / 2].capacity_mbps;
        clear
            .iter()
            .zip(given)
            .enumerate()
            .map(|(way, (clear, given))| clear * (capacity(way) / given.max(1e-9)).min(1.0))
            .collect()
    }

    fn spread(&self, commodities: &[Commodity], kept: &[f64]) -> Spread {
        let mut all = Spread::nothing(kept.len());
        for commodity in commodities {
            self.spread_one(commodity, kept, &mut all);
        }
        all
    }

    fn spread_one(&self, commodity: &Commodity, kept: &[f64], spread: &mut Spread) {
        match commodity.kind {
            Kind::Backbone | Kind::Uplink => self.gather(commodity, kept, spread),
            Kind::Downlink => self.scatter(commodity, kept, spread),
        }
    }

    /// Flows from many nodes to the root of the tree.
    fn gather(&self, commodity: &Commodity, kept: &[f64], spread: &mut Spread) {
        let mut at = vec![0.0; commodity.tree.size()];
        for &(node, mbps) in &commodity.sources {
            if commodity.tree.reaches(node) {
                at[node] += mbps;
            } else {
                spread.pathless += mbps;
            }
        }
        for &node in commodity.tree.farthest_first() {
            let hops = commodity.tree.next_hops(node);
            if hops.is_empty() {
                spread.delivered += at[node];
                continue;
            }
            let share = at[node] / hops.len() as f64;
            for &(next, way) in hops {
                spread.given[way] += share;
                at[next] += share * kept[way];
            }
        }
    }

    /// Flows from the root of the tree to many nodes, in proportion to their sending shares.
    fn scatter(&self, commodity: &Commodity, kept: &[f64], spread: &mut Spread) {
        let tree = &commodity.tree;
        let mut own = vec![0.0; self.roads.nodes.len()];
        for &(node, mbps) in &commodity.sources {
            if tree.reaches(node) {
                own[node] += mbps;
            } else {
                spread.pathless += mbps;
                spread.shares.push((node, 0.0));
            }
        }
        // What each node and the nodes behind it want.
        let mut wanted = own.clone();
        for &node in tree.farthest_first() {
            let hops = tree.next_hops(node);
            for &(next, _) in hops {
                wanted[next] += wanted[node] / hops.len() as f64;
            }
        }
        // What comes, from the roots outwards; a node takes its share and passes on the rest.
        let mut come = vec![0.0; self.roads.nodes.len()];
        for &node in tree.farthest_first().iter().rev() {
            let hops = tree.next_hops(node);
            if hops.is_empty() {
                come[node] = wanted[node];
            }
            for &(above, way) in hops {
                let part = wanted[node] / hops.len() as f64;
                if wanted[above] > 0.0 {
                    let given = come[above] * part / wanted[above];
                    let down = way ^ 1;
                    spread.given[down] += given;
                    come[node] += given * kept[down];
                }
            }
            if own[node] > 0.0 {
                let share = come[node] / wanted[node];
                spread.delivered += own[node] * share;
                if share < 1.0 - 1e-9 {
                    spread.shares.push((node, share));
                }
            }
        }
    }

    fn flows(
        &self,
        ground: &routing::IndexedTerrain,
        kept: &[f64],
        all: &Spread,
        commodities: &[Commodity],
    ) -> Flows {
        let way = |way: usize| Way {
            offered_mbps: all.given[way],
            carried_mbps: all.given[way] * kept[way],
        };
        let working = self.roads.links.iter().enumerate();
        let sources = commodities.iter().flat_map(|c| c.sources.iter());
        let dropped = all.given.iter().zip(kept).map(|(g, k)| g * (1.0 - k));
        let name = |node: usize| self.roads.nodes[node].clone();
        Flows {
            links: working
                .filter(|(link, _)| ground.lie.works[*link])
                .map(|(link, road)| {
                    let load = Load {
                        forth: way(2 * link),
                        back: way(2 * link + 1),
                        capacity_mbps: road.capacity_mbps,
                        length_km: road.length_km,
                    };
                    (road.id.clone(), load)
                })
                .collect(),
            offered_mbps: sources.map(|(_, mbps)| mbps).sum(),
            delivered_mbps: all.delivered,
            dropped_mbps: dropped.sum(),
            pathless_mbps: all.pathless,
            sites: all.shares.iter().map(|(n, s)| (name(*n), *s)).collect(),
        }
    }
}

impl Spread {
    fn nothing(ways: usize) -> Self {
        Self {
            given: vec![0.0; ways],
            delivered: 0.0,
            pathless: 0.0,
            shares: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
