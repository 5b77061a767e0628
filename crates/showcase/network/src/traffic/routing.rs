//! The graph of nodes and links, and the cheapest paths in it.
//!
//! Knows metrics; refuses to know amounts of traffic ([`super::Traffic`]). A link's planned metric
//! is its length in tenths of a kilometre, so that the shortest path is the cheapest.

use super::Terrain;
use domain::inventory::{Element, ElementId, ElementKind, Inventory};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

/// The largest IGP metric.
pub const METRIC_MAX: u32 = 16_777_214;
/// The cost of a last resort: transit through an access ring, or through a router with the overload
/// bit.
const LAST_RESORT: u64 = 1 << 40;

/// The planned metric of a link of this length.
pub fn planned_metric(length_km: f64) -> u32 {
    ((length_km * 10.0).round() as u32).clamp(1, METRIC_MAX)
}

/// The graph of an inventory, by index.
#[derive(Clone, Debug)]
pub struct RoutingGraph {
    pub(super) nodes: Vec<ElementId>,
    index: BTreeMap<ElementId, usize>,
    is_site: Vec<bool>,
    pub(super) links: Vec<Road>,
    cores: Vec<usize>,
    /// For each node: its neighbours, each with the directed link to it (twice the link's index,
    /// plus one from B to A).
    adjacent: Vec<Vec<(usize, usize)>>,
    /// For each node the same, over backbone links only.
    backbone: Vec<Vec<(usize, usize)>>,
    /// The number of routers, which are the first of the nodes.
    routers: usize,
}

/// A link.
#[derive(Clone, Debug)]
pub(super) struct Road {
    pub(super) id: ElementId,
    pub(super) capacity_mbps: f64,
    pub(super) length_km: f64,
}

/// A [`Terrain`] by index.
pub struct IndexedTerrain {
    pub(super) lie: RoutingState,
    /// By directed link.
    pub(super) losses: Vec<f64>,
}

/// The parts of a [`Terrain`] that paths depend on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoutingState {
    pub(super) works: Vec<bool>,
    metrics: Vec<u32>,
    avoided: Vec<bool>,
}

/// The root of a tree of paths, and the links it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Goal {
    /// To one router, over the backbone alone.
    OverBackbone(usize),
    /// To one router, over all links.
    Anyhow(usize),
    /// To the nearest core router.
    Core,
}

/// A cache of trees of paths, valid while [`RoutingState`] is unchanged.
#[derive(Clone, Debug, Default)]
pub struct Charts {
    lie: RoutingState,
    trees: BTreeMap<Goal, Arc<Tree>>,
}

impl Charts {
    /// The cheapest paths to `goal`, cached.
    pub(super) fn tree(
        &mut self,
        roads: &RoutingGraph,
        ground: &IndexedTerrain,
        goal: Goal,
    ) -> Arc<Tree> {
        if self.lie != ground.lie {
            self.trees.clear();
            self.lie.clone_from(&ground.lie);
        }
        let grow = || match goal {
            Goal::OverBackbone(to) => roads.tree_over_backbone(ground, to),
            Goal::Anyhow(to) => roads.tree(ground, &[to]),
            Goal::Core => roads.tree_to_cores(ground),
        };
        Arc::clone(self.trees.entry(goal).or_insert_with(|| Arc::new(grow())))
    }
}

/// All cheapest paths to one or several roots.
#[derive(Clone, Debug)]
pub struct Tree {
    cost: Vec<u64>,
    /// Nodes that have a path, the farthest first.
    order: Vec<usize>,
    /// For each node the next hops on cheapest paths, each with the directed link to it.
    hops: Vec<Vec<(usize, usize)>>,
}

impl Tree {
    /// True if a path leads from `node` to the root.
    pub fn reaches(&self, node: usize) -> bool {
        self.cost.get(node).is_some_and(|cost| *cost < u64::MAX)
    }

    /// The number of nodes that the tree covers, which are the first ones.
    pub(super) fn size(&self) -> usize {
        self.cost.len()
    }

    /// The nodes that have a path, the farthest first.
    pub fn farthest_first(&self) -> &[usize] {
        &self.order
    }

    /// The next hops of `node` towards the root; empty at the root.
    pub fn next_hops(&self, node: usize) -> &[(usize, usize)] {
        &self.hops[node]
    }
}

impl RoutingGraph {
    /// The graph of the routers, sites and links of `inventory`.
    pub fn new(inventory: &Inventory) -> Self {
        let kinds = [ElementKind::Router, ElementKind::Site];
        let mut elements: Vec<_> = inventory
            .elements
            .values()
            .filter(|e| kinds.contains(&e.kind))
            .collect();
        elements.sort_by_key(|element| element.kind == ElementKind::Site);
        let is_router = |element: &&&Element| element.kind == ElementKind::Router;
        let routers = elements.iter().filter(is_router).count();
        let nodes: Vec<ElementId> = elements.iter().map(|e| e.id.clone()).collect();
        let index: BTreeMap<ElementId, usize> = nodes
            .iter()
            .cloned()
            .enumerate()
            .map(|(i, id)| (id, i))
            .collect();
        let mut roads = Self {
            is_site: elements
                .iter()
                .map(|e| e.kind == ElementKind::Site)
                .collect(),
            cores: inventory
                .cores
                .iter()
                .filter_map(|c| index.get(c).copied())
                .collect(),
            adjacent: vec![Vec::new(); nodes.len()],
            backbone: vec![Vec::new(); nodes.len()],
            links: Vec::new(),
            routers,
            nodes,
            index,
        };
        for (id, link) in &inventory.links {
            let ends = [&link.a, &link.b].map(|end| roads.node(inventory.node_of(end)));
            if let [Some(a), Some(b)] = ends {
                let way = 2 * roads.links.len();
                for (from, to, way) in [(a, b, way), (b, a, way + 1)] {
                    roads.adjacent[from].push((to, way));
                    if link.backbone {
                        roads.backbone[from].push((to, way));
                    }
                }
                roads.links.push(Road {
                    id: id.clone(),
                    capacity_mbps: link.capacity_mbps,
                    length_km: link.length_km,
                });
            }
        }
        roads
    }

    /// The index of a router or site; none if it is unknown.
    pub fn node(&self, id: &ElementId) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// The form of `terrain` by index.
    pub fn ground(&self, terrain: &Terrain) -> IndexedTerrain {
        let losses = self.links.iter().flat_map(|road| {
            let loss = terrain.losses.get(&road.id).copied().unwrap_or_default();
            [loss.clamp(0.0, 1.0); 2]
        });
        let metric = |road: &Road| {
            let set = terrain.metrics.get(&road.id).copied();
            set.unwrap_or_else(|| planned_metric(road.length_km)).max(1)
        };
        let links = self.links.iter();
        IndexedTerrain {
            losses: losses.collect(),
            lie: RoutingState {
                works: links.map(|road| !terrain.down.contains(&road.id)).collect(),
                metrics: self.links.iter().map(metric).collect(),
                avoided: self
                    .nodes
                    .iter()
                    .map(|n| terrain.avoided.contains(n))
                    .collect(),
            },
        }
    }

    /// The cheapest paths to one router over the backbone alone.
    pub fn tree_over_backbone(&self, ground: &IndexedTerrain, to: usize) -> Tree {
        self.grow(&self.backbone[..self.routers], ground, &[to])
    }

    /// The cheapest paths to the nearest core router.
    pub fn tree_to_cores(&self, ground: &IndexedTerrain) -> Tree {
        self.grow(&self.adjacent, ground, &self.cores)
    }

    /// The cheapest paths to the nearest of `roots`, over all links.
    pub fn tree(&self, ground: &IndexedTerrain, roots: &[usize]) -> Tree {
        self.grow(&self.adjacent, ground, roots)
    }

    /// The cost of the hop between two nodes over the directed link `way`.
    fn cost(
        &self,
        ground: &IndexedTerrain,
        from: usize,
        to: usize,
        way: usize,
        is_root: bool,
    ) -> u64 {
        let through_ring = !self.is_site[from] && self.is_site[to];
        let unwelcome = ground.lie.avoided[to] && !is_root;
        u64::from(ground.lie.metrics[way / 2])
            + if through_ring { LAST_RESORT } else { 0 }
            + if unwelcome { LAST_RESORT } else { 0 }
    }

    fn grow(
        &self,
        adjacent: &[Vec<(usize, usize)>],
        ground: &IndexedTerrain,
        roots: &[usize],
    ) -> Tree {
        let mut cost = vec![u64::MAX; adjacent.len()];
        let mut open = BinaryHeap::new();
        for &root in roots {
            cost[root] = 0;
            open.push(Reverse((0, root)));
        }
        let mut order = Vec::new();
        // The step from `from` to `node` is taken in the direction opposite to the one listed.
        let step = |node: usize, (from, way): (usize, usize)| {
            let is_root = roots.contains(&node);
            ground.lie.works[way / 2].then(|| self.cost(ground, from, node, way, is_root))
        };
        while let Some(Reverse((far, node))) = open.pop() {
            if far > cost[node] {
                continue;
            }
            order.push(node);
            for &edge in &adjacent[node] {
                let Some(step) = step(node, edge) else {
                    continue;
                };
                if far + step < cost[edge.0] {
                    cost[edge.0] = far + step;
                    open.push(Reverse((far + step, edge.0)));
                }
            }
        }
        let mut hops = vec![Vec::new(); adjacent.len()];
        for &node in &order {
            for &edge in &adjacent[node] {
                let (from, way) = edge;
                let cheapest = step(node, edge).is_some_and(|s| cost[node] + s == cost[from]);
                if cheapest {
                    hops[from].push((node, way ^ 1));
                }
            }
        }
        order.reverse();
        Tree { cost, order, hops }
    }
}
