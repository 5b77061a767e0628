//! Demands between routers in Mbit/s, and matching link capacities.
//!
//! Knows traffic matrices and the gravity model; refuses to know routing ([`super::routing`]). The
//! matrices of SNDlib have units of their own (that of Geant sums to 2,999,992, that of Germany50
//! to 2,365), so only their proportions count: each is scaled so that the busiest link of the
//! undisturbed network carries [`BUSIEST_MBPS`] in the busy hour. Links get the smallest of
//! [`MODULES_MBPS`] that this and the planned traffic of sites fill to at most [`FILLED`], and that
//! has room for [`TAKEN_OVER`] of the fullest adjacent link. So the busiest link is at 50 to 55 per
//! cent of 400 Gbit/s, and most single failures in the busy hour congest nothing.
//!
//! Networks without a matrix get one by the gravity model: the demand between two cities is the
//! product of their numbers of links, at any distance.

use super::{Terrain, Traffic};
use crate::topology::Backbone;
use domain::inventory::{ElementId, ElementKind, Inventory};
use std::collections::BTreeMap;

/// The traffic of the busiest backbone link between routers in the busy hour, in Mbit/s.
pub const BUSIEST_MBPS: f64 = 200_000.0;
/// The capacities of backbone links, in Mbit/s: one or several ports of 100 Gbit/s, or of 400.
pub const MODULES_MBPS: [f64; 5] = [100_000.0, 200_000.0, 400_000.0, 800_000.0, 1_600_000.0];
/// The greatest planned utilisation of a link in the busy hour.
pub const FILLED: f64 = 0.55;
/// The share of the fullest link at the same router that a link is planned to take over, within
/// [`BRIM`].
pub const TAKEN_OVER: f64 = 0.75;
/// The greatest planned utilisation of a link after the failure of another.
pub const BRIM: f64 = 0.95;
/// The planned demand of a site in the busy hour, downlink, in Mbit/s; assumed.
pub const PLANNED_SITE_MBPS: f64 = 150.0;

/// Traffic from one router to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// The source.
    pub from: ElementId,
    /// The destination.
    pub to: ElementId,
    /// The traffic, in Mbit/s.
    pub mbps: f64,
}

/// The demands of `topology` in the busy hour, between the routers of `inventory`, which must be
/// built on it.
pub fn of_topology(topology: &Backbone, inventory: &Inventory) -> Vec<Demand> {
    scaled(inventory, matrix(topology, inventory)).0
}

/// The demands of an inventory by the gravity model.
pub fn by_gravity(inventory: &Inventory) -> Vec<Demand> {
    scaled(inventory, gravity(inventory)).0
}

/// Sets the capacity of every backbone link of `inventory`, which must be built on `topology`, by
/// the demands and the planned traffic of sites; returns the demands.
pub fn dimension(inventory: &mut Inventory, topology: &Backbone) -> Vec<Demand> {
    let (demands, mut given) = scaled(inventory, matrix(topology, inventory));
    let sites = inventory.of_kind(ElementKind::Site);
    let drawn = sites
        .map(|site| (site.id.clone(), PLANNED_SITE_MBPS))
        .collect();
    for (link, mbps) in busy_hour(inventory, &[], &drawn) {
        *given.entry(link).or_default() += mbps;
    }
    let given = |id: &ElementId| given.get(id).copied().unwrap_or_default();
    let mut modules = BTreeMap::new();
    for (id, ends) in backbone(inventory) {
        let others = backbone(inventory).filter(|(other, far)| {
            let meet = far.iter().any(|end| ends.contains(end));
            *other != id && meet
        });
        let fullest = others.map(|(other, _)| given(other)).fold(0.0, f64::max);
        let own = given(id);
        let fits = |m: &f64| own <= FILLED * m && own + TAKEN_OVER * fullest <= BRIM * m;
        let module = MODULES_MBPS.into_iter().find(fits);
        let largest = MODULES_MBPS[MODULES_MBPS.len() - 1];
        modules.insert(id.clone(), module.unwrap_or(largest));
    }
    for (id, module) in modules {
        if let Some(link) = inventory.links.get_mut(&id) {
            link.capacity_mbps = module;
        }
    }
    demands
}

/// The links of the backbone, each with its two routers.
fn backbone(inventory: &Inventory) -> impl Iterator<Item = (&ElementId, [&ElementId; 2])> {
    let links = inventory.links.iter().filter(|(_, link)| link.backbone);
    links.map(|(id, link)| (id, [inventory.node_of(&link.a), inventory.node_of(&link.b)]))
}

/// The demands of `topology` in the units of its source, in both directions.
fn matrix(topology: &Backbone, inventory: &Inventory) -> Vec<Demand> {
    if topology.demands.is_empty() {
        return gravity(inventory);
    }
    let router = |city: usize| ElementId::new(format!("router:{}", topology.cities[city].name));
    let mut amounts: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for demand in &topology.demands {
        *amounts.entry((demand.from, demand.to)).or_default() += demand.amount;
    }
    let back: Vec<_> = amounts
        .iter()
        .filter(|((from, to), _)| !amounts.contains_key(&(*to, *from)))
        .map(|((from, to), amount)| ((*to, *from), *amount))
        .collect();
    amounts.extend(back);
    let demands = amounts.into_iter().map(|((from, to), amount)| Demand {
        from: router(from),
        to: router(to),
        mbps: amount,
    });
    demands.collect()
}

/// The product of the numbers of links for each two routers.
fn gravity(inventory: &Inventory) -> Vec<Demand> {
    let mut links: BTreeMap<&ElementId, f64> = BTreeMap::new();
    for end in backbone(inventory).flat_map(|(_, ends)| ends) {
        *links.entry(end).or_default() += 1.0;
    }
    let mut demands = Vec::new();
    for (from, own) in &links {
        for (to, others) in links.iter().filter(|(to, _)| *to != from) {
            demands.push(Demand {
                from: (*from).clone(),
                to: (*to).clone(),
                mbps: own * others,
            });
        }
    }
    demands
}

/// Scales `demands` so that the busiest link carries [`BUSIEST_MBPS`]; returns also the traffic
/// offered to each link then.
fn scaled(
    inventory: &Inventory,
    mut demands: Vec<Demand>,
) -> (Vec<Demand>, BTreeMap<ElementId, f64>) {
    let mut given = busy_hour(inventory, &demands, &BTreeMap::new());
    let busiest = given.values().copied().fold(0.0, f64::max);
    if busiest > 0.0 {
        let factor = BUSIEST_MBPS / busiest;
        demands.iter_mut().for_each(|demand| demand.mbps *= factor);
        given.values_mut().for_each(|mbps| *mbps *= factor);
    }
    (demands, given)
}

/// The traffic offered to every link in its busier direction in the busy hour, undisturbed and
/// without any drops.
fn busy_hour(
    inventory: &Inventory,
    demands: &[Demand],
    sites: &BTreeMap<ElementId, f64>,
) -> BTreeMap<ElementId, f64> {
    let mut boundless = Traffic::new(inventory, demands);
    boundless.set_sites(sites);
    for road in &mut boundless.roads.links {
        road.capacity_mbps = f64::MAX;
    }
    let terrain = Terrain {
        hour_share: 1.0,
        ..Terrain::default()
    };
    let flows = boundless.flow(&terrain);
    flows
        .links
        .into_iter()
        .map(|(id, load)| (id, load.forth.offered_mbps.max(load.back.offered_mbps)))
        .collect()
}
