//! The transport network of a province: what carries the traffic of the sites in question.
//!
//! A site is cut off if the elements that were alarmed as dead at the time leave it no way to the
//! core; else what is on its way to the nearest router may have been impaired. A dead site darkens
//! its own links: whoever asked knows whether its power was away. Read next: [`super::history`].

use super::history::Interval;
use super::{QualityAgent, QualityContext, QualityDomain, Trace, blamed};
use crate::payloads::quality::{Quality, QualityCheck, QualityResult};
use crate::topology::Topology;
use crate::wording::counted;
use domain::cause::Cause;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory};
use domain::telemetry::AlarmType;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The quality agent of a province's transport network.
pub type TransportQuality = QualityAgent<TransportDomain>;

/// The alarms that say that an element is dead.
const DEAD: [AlarmType; 4] = [
    AlarmType::NodeUnreachable,
    AlarmType::CardFailure,
    AlarmType::LinkDown,
    AlarmType::LossOfSignal,
];
/// The alarms that say that a link is impaired.
const IMPAIRED: [AlarmType; 2] = [AlarmType::Congestion, AlarmType::SignalDegraded];
/// An impairment that is shorter is not felt, in seconds.
const FELT_S: f64 = 300.0;
/// More than this share of packets lost is felt.
const LOSS: f64 = 0.02;

/// The knowledge that the transport domain has of quality.
#[derive(Debug)]
pub struct TransportDomain;

impl QualityDomain for TransportDomain {
    const DOMAIN: Domain = Domain::Ip;
    const TRACES: bool = false;

    fn judge(
        ground: &QualityContext<'_>,
        check: &QualityCheck,
        _: Option<&Trace>,
    ) -> QualityResult {
        let mut sites: BTreeSet<ElementId> = check.sites.clone();
        if sites.is_empty() {
            sites.extend(check.place.iter().flat_map(|town| ground.sites_of(town)));
        }
        if sites.is_empty() {
            return QualityResult {
                evidence: vec!["no site of this province is known".to_owned()],
                ..QualityResult::default()
            };
        }
        let found = cut_off(ground, check, &sites).or_else(|| impaired(ground, check, &sites));
        let good = || QualityResult {
            quality: Quality::Good,
            evidence: vec![format!(
                "the ways of {} were open",
                counted(sites.len(), "site", "sites")
            )],
            ..QualityResult::default()
        };
        QualityResult {
            sites: sites.clone(),
            ..found.unwrap_or_else(good)
        }
    }
}

/// The element that had cut off one of the sites.
fn cut_off(
    ground: &QualityContext<'_>,
    check: &QualityCheck,
    sites: &BTreeSet<ElementId>,
) -> Option<QualityResult> {
    let dead: BTreeMap<&ElementId, (AlarmType, Interval)> = ground
        .history
        .standing(&DEAD, check.when)
        .map(|(element, alarm, interval)| (element, (alarm, interval)))
        .collect();
    let failed: BTreeSet<ElementId> = dead.keys().map(|e| (*e).clone()).collect();
    if failed.is_empty() {
        return None;
    }
    let left = ground.topology.without(&failed);
    let site = sites.iter().find(|s| left.cuts_off(s))?;
    // One element that does it alone is likelier than several.
    let alone = |e: &ElementId| ground.topology.dependent_on(e).any(|s| s == site);
    let whole = failed.iter().filter(|e| alone(e));
    let way = way(ground.topology, site);
    let on_way = failed.iter().find(|e| way.contains(e));
    let element = whole.min_by_key(|e| rank(ground.inventory, e)).or(on_way)?;
    let (alarm, interval) = dead[element];
    let cause = match alarm {
        AlarmType::NodeUnreachable => Some(Cause::RouterFailure),
        AlarmType::CardFailure => Some(Cause::CardFailure),
        // Dark is dark: fibre, duct or optics are told apart by measuring.
        _ => None,
    };
    Some(blamed(Quality::Failed, element, alarm, interval, cause))
}

/// Routers first, then cards, then links: what takes more with it explains more.
fn rank(inventory: &Inventory, element: &ElementId) -> u8 {
    match inventory.element(element).map(|e| e.kind) {
        Some(ElementKind::Router) => 0,
        Some(ElementKind::LineCard) => 1,
        _ => 2,
    }
}

/// The element that was impaired on the way of one of the sites.
fn impaired(
    ground: &QualityContext<'_>,
    check: &QualityCheck,
    sites: &BTreeSet<ElementId>,
) -> Option<QualityResult> {
    let ways: BTreeSet<ElementId> = sites.iter().flat_map(|s| way(ground.topology, s)).collect();
    let alarmed = ways.iter().find_map(|link| {
        let (alarm, interval) = ground.history.stood(link, &IMPAIRED, check.when)?;
        // Links have their moments; what is felt lasts.
        let lasted = interval
            .until
            .map(|until| until.seconds_since(interval.from));
        if lasted.is_some_and(|s| s < FELT_S) {
            return None;
        }
        let cause = (alarm == AlarmType::Congestion).then_some(Cause::Congestion);
        Some(blamed(Quality::Degraded, link, alarm, interval, cause))
    });
    alarmed.or_else(|| {
        let lossy =
            |link: &&ElementId| ground.history.link(link, check.when).any(|p| p.loss > LOSS);
        let link = ways.iter().find(lossy)?;
        let mut periods = ground.history.link(link, check.when);
        let full = periods.any(|p| p.utilisation > 1.0);
        Some(QualityResult {
            quality: Quality::Degraded,
            element: Some(link.clone()),
            cause: full.then_some(Cause::Congestion),
            evidence: vec![format!("{link} lost packets")],
            ..QualityResult::default()
        })
    })
}

/// The links on the shortest way from a site to a router.
fn way(topology: &Topology, site: &ElementId) -> Vec<ElementId> {
    let inventory = topology.inventory();
    let mut came: BTreeMap<&ElementId, Option<(&ElementId, &ElementId)>> =
        BTreeMap::from([(site, None)]);
    let mut open = VecDeque::from([site]);
    while let Some(node) = open.pop_front() {
        if inventory
            .element(node)
            .is_some_and(|e| e.kind == ElementKind::Router)
        {
            return links_back(&came, node);
        }
        for id in topology.links_of(node) {
            let Some(link) = inventory.links.get(id) else {
                continue;
            };
            let (a, b) = (inventory.node_of(&link.a), inventory.node_of(&link.b));
            let next = match (a == node, b == node) {
                (true, _) => b,
                (_, true) => a,
                _ => continue,
            };
            if !came.contains_key(next) {
                came.insert(next, Some((node, id)));
                open.push_back(next);
            }
        }
    }
    Vec::new()
}

fn links_back(
    came: &BTreeMap<&ElementId, Option<(&ElementId, &ElementId)>>,
    end: &ElementId,
) -> Vec<ElementId> {
    let mut links = Vec::new();
    let mut node = end;
    while let Some(Some((before, link))) = came.get(node) {
        links.push((*link).clone());
        node = before;
    }
    links
}
