//! An umbrella correlator over the alarm lists of all domains: what a network operations centre buys
//! so that nobody has to telephone.
//!
//! [`Umbrella`] is the place where another method may be put. [`TopologySuppression`] is the usual
//! one: of the alarms that stand, those that follow from another alarming element are suppressed, and
//! the topmost element is suspected. It knows the inventory's topology and what stands; refuses to
//! know how long anything takes, and to measure. Read next: [`super::noc`].

use crate::alarms::AlarmKey;
use crate::topology::Topology;
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::telemetry::AlarmType;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Ducts are suspected from so many alarming links in them on.
const LINKS_OF_DUCT: usize = 2;

/// A correlator that says what people should look at first.
pub trait Umbrella: fmt::Debug + Send {
    /// What may be behind the alarms of a case, likeliest first; `standing` are all alarms that stand in any
    /// domain, those of the case among them.
    fn suspects(
        &self,
        case: &BTreeSet<AlarmKey>,
        standing: &BTreeSet<AlarmKey>,
    ) -> Vec<(ElementId, Cause)>;
}

/// The suppression of alarms that follow, by topology, from the alarm of another element.
#[derive(Debug)]
pub struct TopologySuppression {
    inventory: Arc<Inventory>,
    topology: Arc<Topology>,
}

impl TopologySuppression {
    /// The rule on the topology of an inventory.
    pub fn new(inventory: Arc<Inventory>) -> Self {
        Self {
            topology: Topology::of(&inventory),
            inventory,
        }
    }

    /// The elements that alarms speak of, and what is wrong with each by its own alarm: mains is the
    /// zone's, two dark links may be their duct's.
    fn candidates(&self, standing: &BTreeSet<AlarmKey>) -> BTreeSet<(ElementId, Cause)> {
        let own = standing.iter().filter_map(|key| self.own_cause(key));
        let mut found: BTreeSet<(ElementId, Cause)> = own.collect();
        let links = |key: &AlarmKey| self.inventory.links.get(&key.0);
        let dark: BTreeSet<&ElementId> = standing
            .iter()
            .filter(|key| links(key).is_some())
            .map(|(link, _)| link)
            .collect();
        let ducts = dark
            .iter()
            .flat_map(|link| &self.inventory.links[*link].ducts);
        let ducts: BTreeSet<&ElementId> = ducts.collect();
        for duct in ducts {
            let through = |link: &&&ElementId| self.inventory.links[**link].ducts.contains(duct);
            if dark.iter().filter(through).count() >= LINKS_OF_DUCT {
                found.insert((duct.clone(), Cause::DuctCut));
            }
        }
        found
    }

    fn own_cause(&self, (element, alarm_type): &AlarmKey) -> Option<(ElementId, Cause)> {
        let found = self.inventory.element(element)?;
        let cause = match alarm_type {
            AlarmType::MainsFailure => {
                return Some((found.parent.clone()?, Cause::MainsFailure));
            }
            AlarmType::CellDegraded => Cause::Misconfiguration,
            AlarmType::InterferenceHigh => Cause::Interference,
            // A site is at the bottom: whatever took it away stands above it.
            _ if found.kind == ElementKind::Site => return None,
            _ => Cause::of(found.kind)?,
        };
        Some((element.clone(), cause))
    }

    /// The alarms of a case that the failure of an element explains.
    fn explains(&self, suspect: &ElementId, case: &BTreeSet<AlarmKey>) -> usize {
        let left = self.topology.without([suspect]);
        let mut dead = left.sites_cut_off();
        dead.extend(left.sites_dead());
        dead.extend(left.links_dark());
        dead.extend(left.links_lost());
        dead.extend(left.routers_cut_off());
        dead.extend(left.cards_missed());
        dead.insert(suspect.clone());
        let explained = case.iter().filter(|(element, _)| {
            dead.contains(element) || dead.contains(self.inventory.node_of(element))
        });
        explained.count()
    }
}

impl Umbrella for TopologySuppression {
    fn suspects(
        &self,
        case: &BTreeSet<AlarmKey>,
        standing: &BTreeSet<AlarmKey>,
    ) -> Vec<(ElementId, Cause)> {
        let candidates = self.candidates(standing).into_iter();
        let explained = candidates.map(|(element, cause)| {
            let explains = self.explains(&element, case);
            (explains, element, cause)
        });
        let mut ranked: Vec<_> = explained.filter(|(explains, ..)| *explains > 0).collect();
        // Of two that explain as much the lower one is enough: it takes less with it.
        let reach = |id: &ElementId| self.topology.dependent_on(id).len();
        ranked.sort_by(|a, b| {
            let most = b.0.cmp(&a.0);
            most.then_with(|| reach(&a.1).cmp(&reach(&b.1)))
                .then_with(|| a.1.cmp(&b.1))
        });
        ranked
            .into_iter()
            .map(|(_, id, cause)| (id, cause))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Net, id};
    use AlarmType::*;

    fn keys(alarms: &[(&str, AlarmType)]) -> BTreeSet<AlarmKey> {
        alarms.iter().map(|(e, t)| (id(e), *t)).collect()
    }

    fn first(alarms: &[(&str, AlarmType)]) -> Option<(ElementId, Cause)> {
        let rule = TopologySuppression::new(Arc::new(Net::town().inventory()));
        let standing = keys(alarms);
        rule.suspects(&standing, &standing).into_iter().next()
    }

    #[test]
    fn the_topmost_alarming_element_is_suspected() {
        let card = [
            ("link:B-b1", LinkDown),
            ("link:B-b2", LinkDown),
            ("card:B/1", CardFailure),
            ("site:b1", SiteUnreachable),
            ("site:b2", SiteUnreachable),
        ];
        assert_eq!(first(&card), Some((id("card:B/1"), Cause::CardFailure)));
    }

    #[test]
    fn a_site_without_mains_accuses_its_zone_and_one_out_of_reach_nobody() {
        let dark = [("site:b5", MainsFailure), ("site:b5", SiteUnreachable)];
        assert_eq!(first(&dark), Some((id("zone:b"), Cause::MainsFailure)));
        assert_eq!(first(&[("site:b5", SiteUnreachable)]), None);
    }

    /// The alarm of a link far away explains nothing here.
    #[test]
    fn what_explains_no_alarm_of_the_case_is_not_suspected() {
        let rule = TopologySuppression::new(Arc::new(Net::town().inventory()));
        let case = keys(&[("link:B-b5", LinkDown), ("site:b5", SiteUnreachable)]);
        let mut standing = case.clone();
        standing.extend(keys(&[("link:A-a1", LinkDown)]));
        let suspects = rule.suspects(&case, &standing);
        assert_eq!(suspects, [(id("link:B-b5"), Cause::FibreCut)]);
    }
}
