//! Documents that err: an inventory with wrong links, and parameters that differ harmlessly from plan.
//!
//! Knows the inventory as it is, and how documents depart from it; refuses to know who reads them.
//! The network goes on as it is. How many records of an operator's inventory are wrong is seldom
//! published and never per link; the share is a parameter ([`super::TelemetryErrors`]).

use crate::chance::{between, choose, happens, stream, whole};
use crate::configuration::{ParameterDeviations, harmless};
use crate::geography::distance_km;
use domain::inventory::{Element, ElementId, ElementKind, Inventory, Link};
use domain::time::SeededRng;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The streams of documents and of drift; see [`stream`].
const DOCUMENTS: u64 = 72;
const DRIFT: u64 = 73;

/// The number of nearest sites to one of which a link is attached wrongly.
const NEAREST: usize = 3;

/// The inventory as documents have it, with a share of `wrong_links` (0 to 1) of its links attached
/// to a wrong element or laid in the ducts of another link; the same if the share is 0.
pub fn documented(inventory: &Arc<Inventory>, wrong_links: f64, seed: u64) -> Arc<Inventory> {
    if wrong_links <= 0.0 {
        return Arc::clone(inventory);
    }
    let mut rng = stream(seed, DOCUMENTS);
    let mut documents = Inventory::clone(inventory);
    for (id, link) in &inventory.links {
        let wrong = happens(&mut rng, wrong_links);
        let ducts_first = happens(&mut rng, 0.5);
        // One draw for each link, so that a higher share strikes the same links and more.
        let mut own = stream(whole(&mut rng, 0, u32::MAX as usize) as u64, DOCUMENTS);
        if !wrong {
            continue;
        }
        let told = match ducts_first {
            true => other_ducts(inventory, id, link, &mut own)
                .or_else(|| other_end(inventory, link, &mut own)),
            false => other_end(inventory, link, &mut own)
                .or_else(|| other_ducts(inventory, id, link, &mut own)),
        };
        if let Some(told) = told {
            move_modules(&mut documents, &told);
            documents.links.insert(id.clone(), told);
        }
    }
    Arc::new(documents)
}

/// The link in the ducts of another that ends at the same node.
fn other_ducts(
    inventory: &Inventory,
    id: &ElementId,
    link: &Link,
    rng: &mut SeededRng,
) -> Option<Link> {
    let ends = |link: &Link| [&link.a, &link.b].map(|end| inventory.node_of(end).clone());
    let own = ends(link);
    let others: Vec<&Link> = inventory
        .links
        .iter()
        .filter(|(other, link)| *other != id && ends(link).iter().any(|end| own.contains(end)))
        .map(|(_, other)| other)
        .filter(|other| other.ducts != link.ducts)
        .collect();
    Some(Link {
        ducts: choose(rng, &others)?.ducts.clone(),
        ..link.clone()
    })
}

/// The link with one end attached to a card of a neighbouring router, or to a neighbouring site.
fn other_end(inventory: &Inventory, link: &Link, rng: &mut SeededRng) -> Option<Link> {
    let at_a = happens(rng, 0.5);
    let (end, far) = match at_a {
        true => (&link.a, &link.b),
        false => (&link.b, &link.a),
    };
    let kind = inventory.element(end)?.kind;
    let candidates: Vec<ElementId> = match kind {
        ElementKind::LineCard => neighbouring_cards(inventory, end),
        _ => nearest(inventory, end),
    };
    let far = inventory.node_of(far);
    let candidates: Vec<ElementId> = candidates
        .into_iter()
        .filter(|id| inventory.node_of(id) != far)
        .collect();
    let told = choose(rng, &candidates)?.clone();
    let mut link = link.clone();
    match at_a {
        true => link.a = told,
        false => link.b = told,
    }
    Some(link)
}

/// The cards of the routers at the other ends of a router's backbone links.
fn neighbouring_cards(inventory: &Inventory, card: &ElementId) -> Vec<ElementId> {
    let own = inventory.node_of(card);
    let backbone = inventory.links.values().filter(|link| link.backbone);
    let routers: BTreeSet<&ElementId> = backbone
        .map(|link| [&link.a, &link.b].map(|end| inventory.node_of(end)))
        .filter(|ends| ends.contains(&own))
        .flatten()
        .filter(|router| *router != own)
        .collect();
    let cards = inventory.of_kind(ElementKind::LineCard);
    cards
        .filter(|card| card.parent.as_ref().is_some_and(|r| routers.contains(r)))
        .map(|card| card.id.clone())
        .collect()
}

/// The nearest other elements of the same kind.
fn nearest(inventory: &Inventory, element: &ElementId) -> Vec<ElementId> {
    let Some(own) = inventory.element(element) else {
        return Vec::new();
    };
    let mut others: Vec<(f64, &Element)> = inventory
        .of_kind(own.kind)
        .filter(|other| other.id != own.id)
        .map(|other| (distance_km(own.position, other.position), other))
        .collect();
    others.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let nearest = others.into_iter().take(NEAREST);
    nearest.map(|(_, other)| other.id.clone()).collect()
}

/// Documents the optical modules of a link where it is told to end.
fn move_modules(documents: &mut Inventory, link: &Link) {
    for (module, end) in [(&link.optic_a, &link.a), (&link.optic_b, &link.b)] {
        let Some(holder) = documents.elements.get(end).cloned() else {
            continue;
        };
        if let Some(module) = documents.elements.get_mut(module) {
            module.parent = Some(end.clone());
            module.place = holder.place;
            module.position = holder.position;
        }
    }
}

/// Parameters that differ from plan without harm, on a share of `drift` (0 to 1) of the cells and
/// links.
pub fn drifted(inventory: &Inventory, drift: f64, seed: u64) -> ParameterDeviations {
    let mut settings = ParameterDeviations::default();
    let mut rng = stream(seed, DRIFT);
    for element in inventory.cells.keys().chain(inventory.links.keys()) {
        let drifts = happens(&mut rng, drift);
        let way = between(&mut rng, 0.0, 1.0);
        let by = between(&mut rng, 0.0, 1.0);
        let found = drifts.then(|| harmless(inventory, element, way, by));
        if let Some((parameter, value)) = found.flatten() {
            let set = settings.set(inventory, element, &parameter, &value);
            set.expect("what is harmless is in its range");
        }
    }
    settings
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::build::{Parameters, inventory};
    use crate::topology::Backbone;

    fn network() -> Arc<Inventory> {
        Arc::new(inventory(&Backbone::default(), &Parameters::default(), 1))
    }

    fn wrong(network: &Inventory, documents: &Inventory) -> BTreeSet<ElementId> {
        let links = network.links.iter();
        let differ = links.filter(|(id, link)| documents.links[*id] != **link);
        differ.map(|(id, _)| id.clone()).collect()
    }

    #[test]
    fn one_link_in_twenty_is_documented_wrongly_and_more_hold_the_same() {
        let network = network();
        let documents = documented(&network, 0.05, 3);
        let few = wrong(&network, &documents);
        let (links, count) = (network.links.len() as f64, few.len() as f64);
        let deviation = (links * 0.05 * 0.95).sqrt();
        assert!(
            (count - 0.05 * links).abs() < 3.0 * deviation,
            "{count} of {links}"
        );
        let many = wrong(&network, &documented(&network, 0.3, 3));
        assert!(few.is_subset(&many) && few.len() < many.len());
        assert_eq!(documented(&network, 0.0, 3), network);
    }

    #[test]
    fn what_is_documented_wrongly_is_still_a_network() {
        let network = network();
        let documents = documented(&network, 1.0, 3);
        let mut moved = [0, 0];
        for (id, link) in &documents.links {
            let true_link = &network.links[id];
            assert!(
                documents.node_of(&link.a) != documents.node_of(&link.b),
                "{id}"
            );
            for (end, was, module) in [
                (&link.a, &true_link.a, &link.optic_a),
                (&link.b, &true_link.b, &link.optic_b),
            ] {
                let kind = |id: &ElementId| documents.element(id).unwrap().kind;
                assert_eq!(kind(end), kind(was), "{id}");
                assert_eq!(
                    documents.element(module).unwrap().parent.as_ref(),
                    Some(end)
                );
                moved[0] += usize::from(end != was);
            }
            moved[1] += usize::from(link.ducts != true_link.ducts);
        }
        assert!(moved.iter().all(|count| *count > 50), "{moved:?}");
        let keys = |inventory: &Inventory| inventory.elements.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&documents), keys(&network));
    }

    #[test]
    fn drift_is_as_frequent_as_said_and_harms_nothing() {
        let network = network();
        let settings = drifted(&network, 0.2, 3);
        let all = network.cells.len() + network.links.len();
        let elements = network.cells.keys().chain(network.links.keys());
        let differ = elements.filter(|element| {
            let read = settings.read(&network, element).unwrap();
            read.running != read.planned
        });
        let count = differ.count() as f64;
        let deviation = (all as f64 * 0.2 * 0.8).sqrt();
        assert!(
            (count - 0.2 * all as f64).abs() < 3.0 * deviation,
            "{count} of {all}"
        );
        assert!(settings.cell_losses_db(&network).is_empty());
        assert!(settings.metrics().is_empty() && settings.misfits().is_empty());
        assert_eq!(drifted(&network, 0.0, 3), ParameterDeviations::default());
    }
}
