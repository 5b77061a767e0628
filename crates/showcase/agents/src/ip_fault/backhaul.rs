//! Is the transport of a site broken? What lies between it and the routers is measured, nearest
//! first.
//!
//! The answer is the link, duct, card, router or module that cuts the site off, or the link that
//! loses its packets; or that its transport is fine, although something on the way may be broken
//! that protection makes up for. Everything is measured until it is likely enough. What is
//! dark without an echo is looked at again: the modules at its ends. Read next: [`super::expertise`].

use super::expertise::{IpExpertise, is_dark_and_whole};
use super::history::LinkHistory;
use super::light::Lights;
use crate::domain_agent::DomainExpertise;
use crate::domain_agent::job::{DiagnosisFinding, Measurements, place_of, readings};
use crate::element_names;
use crate::measurement_series::MeasurementRound;
use crate::payloads::Schema;
use crate::payloads::diagnosis::{Diagnosis, DiagnosisResult};
use crate::topology::Topology;
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::telemetry::Outcome;
use std::collections::BTreeSet;

/// The most links measured on the way to a site.
const LINKS_MAX: usize = 9;
/// The most modules measured afterwards.
const OPTICS_MAX: usize = 6;
/// The most things found broken at once.
const FINDINGS_MAX: usize = 8;

/// A question about the transport of a site.
#[derive(Clone, Debug)]
pub struct Backhaul {
    /// The site.
    pub site: ElementId,
    /// The element asked about: the site, or a cell of it.
    asked: ElementId,
    way: Vec<ElementId>,
    round: MeasurementRound,
    measured: Measurements,
    looked_at_optics: bool,
    answered: bool,
}

/// The site about whose transport a content asks, by payload or in words.
pub fn site_asked(topology: &Topology, content: &Content) -> Option<ElementId> {
    let inventory = topology.inventory();
    if content.payload.is_none() {
        return site_in_words(topology, content);
    }
    let target = Diagnosis::in_content(content)?.suspicion.target;
    let node = inventory.node_of(&target);
    let found = [&target, node].map(|id| inventory.element(id).map(|e| e.kind));
    let asks = matches!(found[0], Some(ElementKind::Site | ElementKind::Cell));
    (asks && found[1] == Some(ElementKind::Site)).then(|| node.clone())
}

impl Backhaul {
    /// A question about `site`, of which nothing is measured yet; `asked` is what the question named,
    /// if that is something else.
    pub fn new(topology: &Topology, site: ElementId, asked: Option<ElementId>) -> Self {
        Self {
            asked: asked.unwrap_or_else(|| site.clone()),
            way: way(topology, &site),
            site,
            round: MeasurementRound::default(),
            measured: Measurements::new(),
            looked_at_optics: false,
            answered: false,
        }
    }

    /// The number of elements on the way.
    pub fn planned(&self) -> usize {
        self.way.len()
    }

    /// The probes with which it begins.
    pub fn begin(&mut self) -> Vec<ElementId> {
        self.round.begin(&self.way)
    }

    /// Takes down how a probe ended; gives what else is to be probed, once the first have ended: again
    /// what is doubtful, then the modules of what is dark.
    pub fn take(
        &mut self,
        topology: &Topology,
        element: &ElementId,
        outcome: Outcome,
    ) -> Vec<ElementId> {
        self.round.take(element, outcome);
        if self.round.waits() {
            return Vec::new();
        }
        let inventory = topology.inventory();
        let found = |n: usize| {
            let sample = self.round.sample(n);
            let mut targets = self.way.iter();
            let found = targets.find_map(|t| IpExpertise::decide(inventory, t, &sample));
            found.map(|f| (f.root_cause, f.cause))
        };
        let doubtful = found(0) != found(1);
        let again = self.round.again(|_, _| doubtful);
        if !again.is_empty() || self.looked_at_optics {
            return again;
        }
        self.looked_at_optics = true;
        let measured = self.round.agreed();
        let dark = measured.values().filter(|m| is_dark_and_whole(m));
        let links = dark.filter_map(|m| inventory.links.get(&m.element));
        let optics = links.flat_map(|l| [l.optic_a.clone(), l.optic_b.clone()]);
        let known = optics.filter(|o| inventory.element(o).is_some());
        let optics: Vec<ElementId> = known.take(OPTICS_MAX).collect();
        self.round.begin(&optics)
    }

    /// No longer waits for measurements that have not come.
    pub fn give_up_waiting(&mut self) {
        self.round.give_up();
    }

    /// True if the answer can be given and has not been.
    pub fn ready(&self) -> bool {
        !self.round.waits() && !self.answered
    }

    /// The answer.
    pub fn answer(
        &mut self,
        topology: &Topology,
        history: &LinkHistory,
        lights: &Lights,
    ) -> Content {
        self.answered = true;
        self.measured = self.round.agreed();
        let inventory = topology.inventory();
        let broken = self.broken(inventory, lights);
        let cause = self.to_blame(topology, &broken);
        let mut evidence: Vec<String> = self.measured.values().map(readings).collect();
        evidence.extend(self.round.unmeasured());
        let links = self
            .way
            .iter()
            .filter(|id| inventory.links.contains_key(*id));
        evidence.extend(links.take(2).filter_map(|link| history.says(link)));
        let result = match cause {
            Some(finding) => finding.result(&self.asked, evidence),
            None => DiagnosisResult {
                target: self.asked.to_string(),
                confirmed: false,
                evidence,
                proposal: format!(
                    "Look at {} itself: {}",
                    self.site,
                    self.nothing_cut(inventory, &broken)
                ),
                location: place_of(inventory, &self.site),
                ..DiagnosisResult::default()
            },
        };
        let words = match (&result.root_cause, result.cause) {
            (Some(element), Some(cause)) => format!("{cause} of {element}, {}", result.location),
            _ => format!("{}: {}", self.site, self.nothing_cut(inventory, &broken)),
        };
        let target = self.asked.as_str();
        Content::new(
            target,
            format!("Diagnosis of the transport of {}", self.site),
        )
        .with_payload(result.to_payload())
        .with_result(words)
    }

    /// The reason why nothing cuts the site off, in words.
    fn nothing_cut(&self, inventory: &Inventory, broken: &[DiagnosisFinding]) -> String {
        if let Some(first) = broken.first() {
            let (cause, element) = (first.cause, &first.root_cause);
            return format!("protection makes up for the {cause} of {element}");
        }
        let ends_here = |id: &ElementId| {
            let link = inventory.links.get(id);
            link.is_some_and(|l| l.a == self.site || l.b == self.site)
        };
        let mut own = self.measured.values().filter(|m| ends_here(&m.element));
        match own.find(|m| is_dark_and_whole(m)) {
            Some(m) => format!(
                "the fibre of {} is whole and its end at the site is silent",
                m.element
            ),
            None => "its transport is fine".to_owned(),
        }
    }

    /// Everything that the readings show broken, in the order of the table.
    fn broken(&self, inventory: &Inventory, lights: &Lights) -> Vec<DiagnosisFinding> {
        let mut left = self.measured.clone();
        let mut found: Vec<DiagnosisFinding> = Vec::new();
        while found.len() < FINDINGS_MAX {
            let targets = self.way.iter();
            let mut decided = targets.filter_map(|t| IpExpertise::decide(inventory, t, &left));
            let Some(finding) = decided.next() else {
                break;
            };
            let root = &finding.root_cause;
            // What a finding accounts for does not count twice.
            left.retain(|id, _| {
                id != root
                    && inventory
                        .links
                        .get(id)
                        .is_none_or(|l| !l.ducts.contains(root))
            });
            if found.iter().any(|f| f.root_cause == *root) {
                break;
            }
            found.push(finding);
        }
        let low = self.way.iter().filter_map(|id| {
            let dark = self.measured.get(id).is_some_and(is_dark_and_whole);
            let link = inventory.links.get(id).filter(|_| dark)?;
            let optics = [&link.optic_a, &link.optic_b].into_iter();
            optics.into_iter().find(|o| lights.was_low(o))
        });
        for optic in low {
            if !found.iter().any(|f| f.root_cause == *optic) {
                found.push(super::expertise::aged(inventory, optic));
            }
        }
        found
    }

    /// The finding that cuts the site off, or loses its packets; none if nothing does.
    fn to_blame(
        &self,
        topology: &Topology,
        broken: &[DiagnosisFinding],
    ) -> Option<DiagnosisFinding> {
        let cuts: Vec<&DiagnosisFinding> = broken
            .iter()
            .filter(|f| f.cause != Cause::Congestion)
            .collect();
        let cut_off = |roots: &[&DiagnosisFinding]| {
            let failed: BTreeSet<ElementId> = roots.iter().map(|f| f.root_cause.clone()).collect();
            topology.without(&failed).cuts_off(&self.site)
        };
        if !cuts.is_empty() && cut_off(&cuts) {
            let alone = cuts.iter().find(|f| cut_off(&[f]));
            return alone.or(cuts.first()).map(|f| (*f).clone());
        }
        broken
            .iter()
            .find(|f| f.cause == Cause::Congestion)
            .cloned()
    }
}

/// The links between a site and its routers, nearest first, with the cards and routers at their
/// ends.
fn way(topology: &Topology, site: &ElementId) -> Vec<ElementId> {
    let inventory = topology.inventory();
    let mut links: Vec<ElementId> = Vec::new();
    let mut ends: Vec<ElementId> = Vec::new();
    let mut seen = BTreeSet::from([site.clone()]);
    let mut open = std::collections::VecDeque::from([site.clone()]);
    while let Some(node) = open.pop_front() {
        for id in topology.links_of(&node) {
            let Some(link) = inventory.links.get(id).filter(|l| !l.backbone) else {
                continue;
            };
            if links.len() < LINKS_MAX && !links.contains(id) {
                links.push(id.clone());
            }
            for end in [&link.a, &link.b] {
                let node = inventory.node_of(end);
                let is_site = inventory
                    .element(node)
                    .is_some_and(|e| e.kind == ElementKind::Site);
                match is_site {
                    true if seen.insert(node.clone()) => open.push_back(node.clone()),
                    false if links.contains(id) && !ends.contains(end) => {
                        ends.push(end.clone());
                        if !ends.contains(node) {
                            ends.push(node.clone());
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    links.extend(ends);
    links
}

/// The first site or cell that words name, as its site.
fn site_in_words(topology: &Topology, content: &Content) -> Option<ElementId> {
    let text = format!("{} {}", content.target_object, content.task_description);
    let text = text.to_lowercase();
    let asks = ["backhaul", "transport", "回传", "承载", "传输"];
    if !asks.iter().any(|word| text.contains(word)) {
        return None;
    }
    let inventory = topology.inventory();
    let named = element_names::read(topology.names(), content)
        .elements
        .into_iter();
    let site = |id: ElementId| {
        let node = inventory.node_of(&id);
        let kind = inventory.element(node)?.kind;
        (kind == ElementKind::Site).then(|| node.clone())
    };
    named.filter_map(site).next()
}
