//! The knowledge of the IP domain: what to measure around a suspect, and what readings mean
//! ([`decide`](DomainExpertise::decide)).
//!
//! | reading | means |
//! |---|---|
//! | a router's console does not answer, or it fails its measurement | `router-failure` |
//! | a card's heartbeats are older than a minute while its router answers | `card-failure` |
//! | two or more fibres of a duct, and all that could be measured, echo from one place | `duct-cut` |
//! | a fibre echoes from short of its end, an end is dark | `fibre-cut` |
//! | a module sends 1.5 dB less than a new one, or nothing | `optical-module-ageing` |
//! | a link loses packets and is full | `congestion` |
//! | dark, but no echo: the fibre is whole and what stands at its far end is silent | not a fault of the link |
//!
//! The table is read from the top: what is higher up takes what is below with it. Readings alone
//! decide; what was suspected only chooses what is measured. A module is called aged where it has
//! lost 1.5 dB: makers give the end of life as a rise of the laser's current by half, which the
//! light follows by 1 to 3 dB (assumed). Read next: [`crate::domain_agent`].

use crate::domain_agent::DomainExpertise;
use crate::domain_agent::job::{DiagnosisFinding, Measurements, place_of};
use crate::payloads::diagnosis::Suspicion;
use crate::topology::Topology;
use domain::cause::Cause;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory, Link};
use domain::telemetry::{Condition, Measurement};
use std::collections::BTreeSet;

/// Light below this (dBm) is darkness.
const DARK_DBM: f64 = -30.0;
/// A module that sends less than this (dBm) has aged; a new one sends +1.
const AGED_DBM: f64 = -0.5;
/// A link that loses more packets than this (percent) is lossy.
const LOSSY_PERCENT: f64 = 0.05;
/// A link that is used more than this (percent) is full.
const FULL_PERCENT: f64 = 95.0;
/// Heartbeats older than this (seconds) mean silence.
const SILENT_S: f64 = 60.0;
/// Echoes that lie closer together than this (km) come from one place.
const ONE_PLACE_KM: f64 = 0.3;
/// The most links measured around a card, router or duct.
const LINKS_MAX: usize = 6;

/// The knowledge of the IP domain.
#[derive(Debug)]
pub struct IpExpertise;

impl DomainExpertise for IpExpertise {
    const DOMAIN: Domain = Domain::Ip;

    fn measures(kind: ElementKind) -> bool {
        matches!(
            kind,
            ElementKind::Router
                | ElementKind::LineCard
                | ElementKind::Link
                | ElementKind::Duct
                | ElementKind::Optic
        )
    }

    fn plan(topology: &Topology, suspicion: &Suspicion, _: &BTreeSet<ElementId>) -> Vec<ElementId> {
        let target = &suspicion.target;
        let inventory = topology.inventory();
        let mut plan = vec![target.clone()];
        match inventory.element(target).map(|e| e.kind) {
            Some(ElementKind::Link) => plan.extend(around_link(topology, target)),
            Some(ElementKind::Duct) => plan.extend(links_in(topology, target)),
            Some(ElementKind::Optic) => plan.extend(around_optic(topology, target)),
            Some(ElementKind::LineCard) => {
                plan.push(inventory.node_of(target).clone());
                plan.extend(links_on(topology, target));
            }
            Some(ElementKind::Router) => {
                let is_card = |id: &&ElementId| {
                    let kind = inventory.element(id).map(|e| e.kind);
                    kind == Some(ElementKind::LineCard)
                };
                plan.extend(topology.children_of(target).filter(is_card).cloned());
            }
            _ => {}
        }
        plan
    }

    fn decide(
        inventory: &Inventory,
        target: &ElementId,
        measured: &Measurements,
    ) -> Option<DiagnosisFinding> {
        // Rows of the table in order; within a row, what was asked about comes first.
        let asked = measured.get(target);
        let others = || measured.values().filter(move |m| m.element != *target);
        let readings = || asked.into_iter().chain(others());
        let kind = |m: &Measurement| inventory.element(&m.element).map(|e| e.kind);
        let of = |wanted| readings().filter(move |m| kind(m) == Some(wanted));
        let router = of(ElementKind::Router).find(|m| router_is_dead(m));
        let card = || of(ElementKind::LineCard).find(|m| card_is_dead(inventory, m, measured));
        let duct = || of(ElementKind::Duct).find(|m| duct_is_cut(m));
        let by_echoes = || duct_by_echoes(inventory, target, measured);
        let link = || of(ElementKind::Link).find_map(|m| broken_at_km(inventory, m));
        if let Some(m) = router {
            return Some(dead(inventory, &m.element, Cause::RouterFailure));
        }
        if let Some(m) = card() {
            return Some(dead(inventory, &m.element, Cause::CardFailure));
        }
        if let Some(m) = duct() {
            let km = m.readings.get("break_km").copied().unwrap_or_default();
            return Some(duct_cut(inventory, &m.element, km));
        }
        if let Some((duct, km)) = by_echoes() {
            return Some(duct_cut(inventory, &duct, km));
        }
        if let Some((id, km)) = link() {
            return Some(fibre_cut(inventory, &id, km));
        }
        if let Some(m) = of(ElementKind::Optic).find(|m| has_aged(m)) {
            return Some(aged(inventory, &m.element));
        }
        let congested = of(ElementKind::Link).find(|m| is_congested(m));
        congested.map(|m| full(inventory, &m.element))
    }
}

/// Both cards of a link, their ducts, and the links beside it in the ducts.
fn around_link(topology: &Topology, id: &ElementId) -> Vec<ElementId> {
    let inventory = topology.inventory();
    let Some(link) = inventory.links.get(id) else {
        return Vec::new();
    };
    let ends = [&link.a, &link.b].into_iter();
    let is_card = |e: &&ElementId| {
        inventory
            .element(e)
            .is_some_and(|e| e.kind == ElementKind::LineCard)
    };
    let mut around: Vec<ElementId> = ends.filter(is_card).cloned().collect();
    for duct in &link.ducts {
        around.push(duct.clone());
        around.extend(links_in(topology, duct));
    }
    around
}

/// The link of a module, the module at its other end, and the cards that both are built into.
fn around_optic(topology: &Topology, optic: &ElementId) -> Vec<ElementId> {
    let inventory = topology.inventory();
    let own = |l: &&Link| l.optic_a == *optic || l.optic_b == *optic;
    let built_into = inventory.element(optic).and_then(|e| e.parent.as_ref());
    let beside = built_into.into_iter().flat_map(|e| topology.links_of(e));
    let mut beside = beside.filter_map(|id| Some((id, inventory.links.get(id)?)));
    let found = beside.find(|(_, l)| own(l));
    let Some((id, link)) = found else {
        return Vec::new();
    };
    let other = match link.optic_a == *optic {
        true => &link.optic_b,
        false => &link.optic_a,
    };
    let mut around = vec![id.clone(), other.clone()];
    let ends = [&link.a, &link.b].into_iter();
    let is_card = |e: &&ElementId| {
        inventory
            .element(e)
            .is_some_and(|e| e.kind == ElementKind::LineCard)
    };
    around.extend(ends.filter(is_card).cloned());
    around
}

fn links_in(topology: &Topology, duct: &ElementId) -> Vec<ElementId> {
    let is_inside = |l: &Link| l.ducts.contains(duct);
    links_where(topology, duct, is_inside)
}

fn links_on(topology: &Topology, card: &ElementId) -> Vec<ElementId> {
    let is_on = |l: &Link| l.a == *card || l.b == *card;
    links_where(topology, card, is_on)
}

fn links_where(
    topology: &Topology,
    element: &ElementId,
    fit: impl Fn(&Link) -> bool,
) -> Vec<ElementId> {
    let links = &topology.inventory().links;
    let fitting = topology.links_of(element);
    let fitting = fitting.filter(|id| links.get(*id).is_some_and(&fit));
    fitting.take(LINKS_MAX).cloned().collect()
}

fn router_is_dead(m: &Measurement) -> bool {
    m.condition == Condition::Failed || m.readings.get("console_answers") == Some(&0.0)
}

/// A card is known dead only while its router can speak for it.
fn card_is_dead(inventory: &Inventory, m: &Measurement, measured: &Measurements) -> bool {
    let router = measured.get(inventory.node_of(&m.element));
    let router_answers =
        router.is_none_or(|r| !router_is_dead(r) && r.condition != Condition::Unreachable);
    let silent = m
        .readings
        .get("heartbeat_age_s")
        .is_none_or(|age| *age > SILENT_S);
    m.condition == Condition::Failed && silent && router_answers
}

fn duct_is_cut(m: &Measurement) -> bool {
    let reading = |name: &str| m.readings.get(name).copied();
    let (Some(broken), Some(could)) = (reading("links_broken"), reading("links_measured")) else {
        return false;
    };
    let one_place = reading("break_spread_km").is_some_and(|km| km < ONE_PLACE_KM);
    broken >= 2.0 && broken >= could && one_place
}

/// The link's broken end: dark, with an echo from short of its far end.
fn broken_at_km(inventory: &Inventory, m: &Measurement) -> Option<(ElementId, f64)> {
    let link = inventory.links.get(&m.element)?;
    let km = *m.readings.get("reflection_km")?;
    let light = ["light_a_dbm", "light_b_dbm"].map(|name| m.readings.get(name));
    let dark = light.into_iter().flatten().any(|dbm| *dbm < DARK_DBM);
    // An echo from the far connector is what a whole fibre gives.
    (dark && km <= link.length_km).then(|| (m.element.clone(), km))
}

/// A module sends less than it should, or nothing.
pub(super) fn has_aged(m: &Measurement) -> bool {
    m.readings.get("tx_dbm").is_some_and(|dbm| *dbm < AGED_DBM)
}

/// Packets are lost for want of room.
pub(super) fn is_congested(m: &Measurement) -> bool {
    let above = |name: &str, limit| m.readings.get(name).is_some_and(|v| *v >= limit);
    above("loss_percent", LOSSY_PERCENT) && above("utilisation_percent", FULL_PERCENT)
}

/// An end of the link is dark although its fibre is whole, as far as echoes tell.
pub(super) fn is_dark_and_whole(m: &Measurement) -> bool {
    let light = ["light_a_dbm", "light_b_dbm"].map(|name| m.readings.get(name));
    let dark = light.into_iter().flatten().any(|dbm| *dbm < DARK_DBM);
    dark && !m.readings.contains_key("reflection_km")
}

/// A duct of the suspected link, or the suspected duct, in which every measured fibre is broken
/// at one place: what the duct's own measurement says, when only its fibres could be measured.
fn duct_by_echoes(
    inventory: &Inventory,
    target: &ElementId,
    measured: &Measurements,
) -> Option<(ElementId, f64)> {
    let own = [target.clone()];
    let ducts: &[ElementId] = match inventory.links.get(target) {
        Some(link) => &link.ducts,
        None => &own,
    };
    ducts
        .iter()
        .filter(|d| !measured.contains_key(*d))
        .find_map(|duct| {
            let place = inventory.element(duct)?.place.clone();
            let mut breaks: Vec<f64> = Vec::new();
            for (id, link) in inventory
                .links
                .iter()
                .filter(|(_, l)| l.ducts.contains(duct))
            {
                let Some(m) = measured
                    .get(id)
                    .filter(|m| m.condition != Condition::Unreachable)
                else {
                    continue;
                };
                let (_, km) = broken_at_km(inventory, m)?;
                let from_a = inventory.element(&link.a).is_some_and(|e| e.place == place);
                breaks.push(if from_a { km } else { link.length_km - km });
            }
            let (low, high) = breaks
                .iter()
                .fold((f64::MAX, f64::MIN), |(l, h), km| (l.min(*km), h.max(*km)));
            (breaks.len() >= 2 && high - low < ONE_PLACE_KM).then(|| (duct.clone(), low))
        })
}

fn dead(inventory: &Inventory, element: &ElementId, cause: Cause) -> DiagnosisFinding {
    let model = inventory
        .element(element)
        .map(|e| format!("{} {}", e.vendor, e.model));
    let model = model.unwrap_or_default();
    let proposal = match cause {
        Cause::CardFailure => format!("Replace {element} ({model}) and move its fibres over"),
        _ => {
            format!("Send a technician to {element} ({model}): check supply, then replace modules")
        }
    };
    DiagnosisFinding {
        root_cause: element.clone(),
        cause,
        location: place_of(inventory, element),
        proposal,
        automatic: false,
    }
}

fn duct_cut(inventory: &Inventory, duct: &ElementId, km: f64) -> DiagnosisFinding {
    let place = inventory.element(duct).map_or("", |e| e.place.as_str());
    DiagnosisFinding {
        root_cause: duct.clone(),
        cause: Cause::DuctCut,
        location: format!(
            "{km:.2} km from the router in {place}, {}",
            place_of(inventory, duct)
        ),
        proposal: format!("Open {duct} {km:.2} km from {place} and splice every cable in it"),
        automatic: false,
    }
}

/// The finding that a module is to be replaced.
pub(super) fn aged(inventory: &Inventory, optic: &ElementId) -> DiagnosisFinding {
    let found = inventory.element(optic);
    let holder = found.and_then(|e| e.parent.as_ref());
    let holder = holder.map_or_else(|| "its card".to_owned(), ToString::to_string);
    DiagnosisFinding {
        root_cause: optic.clone(),
        cause: Cause::OpticalModuleAgeing,
        location: format!("in {holder}, {}", place_of(inventory, optic)),
        proposal: format!("Replace {optic} in {holder} before it is dark"),
        automatic: false,
    }
}

fn full(inventory: &Inventory, id: &ElementId) -> DiagnosisFinding {
    DiagnosisFinding {
        root_cause: id.clone(),
        cause: Cause::Congestion,
        location: place_of(inventory, id),
        proposal: format!("Lead traffic around {id} by a higher igp-metric"),
        automatic: true,
    }
}

fn fibre_cut(inventory: &Inventory, id: &ElementId, km: f64) -> DiagnosisFinding {
    let link = inventory.links.get(id);
    let (end, length) = link.map_or((id.as_str(), km), |l| (l.a.as_str(), l.length_km));
    DiagnosisFinding {
        root_cause: id.clone(),
        cause: Cause::FibreCut,
        location: format!(
            "{km:.1} km of {length:.1} km from {end}, {}",
            place_of(inventory, id)
        ),
        proposal: format!("Splice {id} {km:.1} km from {end}"),
        automatic: false,
    }
}
