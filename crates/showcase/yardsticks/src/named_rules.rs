//! First alarm, own alarm and most alarms, for alarms of any vocabulary: by time and topology alone.
//!
//! Alarms are of one matter if they stand on the same node or on nodes that are joined, one after the
//! other, and were noticed around the same time; what is joined is a link, or a supply in common. How
//! sure a rule is, is how rare the names are of the alarms that it goes by ([`NamedPast::rarity`]).
//! Read next: [`crate::named`], [`crate::named_codebook`].

use crate::named::{NamedBlame, NamedBlameRule, NamedKey, NamedScene};
use crate::named_past::NamedPast;
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind, Inventory};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Seconds within which alarms are of one matter.
pub(crate) const AROUND_S: f64 = 300.0;

/// The inventory, as far as these rules look at it.
#[derive(Clone, Debug)]
pub struct JoinedNodes {
    inventory: Arc<Inventory>,
    beside: BTreeMap<ElementId, BTreeSet<ElementId>>,
    links: BTreeMap<ElementId, ElementId>,
}

impl JoinedNodes {
    /// What is joined in an inventory.
    pub fn new(inventory: Arc<Inventory>) -> Self {
        let mut beside: BTreeMap<ElementId, BTreeSet<ElementId>> = BTreeMap::new();
        let mut links = BTreeMap::new();
        for (id, link) in &inventory.links {
            let [a, b] = [&link.a, &link.b].map(|end| inventory.node_of(end).clone());
            beside.entry(a.clone()).or_default().insert(b.clone());
            beside.entry(b).or_default().insert(a);
            for module in [&link.optic_a, &link.optic_b] {
                links.insert(module.clone(), id.clone());
            }
        }
        let mut zones: BTreeMap<&ElementId, Vec<&ElementId>> = BTreeMap::new();
        for site in inventory.of_kind(ElementKind::Site) {
            let zone = site.parent.iter();
            zone.for_each(|zone| zones.entry(zone).or_default().push(&site.id));
        }
        for sites in zones.values() {
            for site in sites {
                let others = sites.iter().filter(|other| *other != site);
                let others = others.map(|other| (*other).clone());
                beside.entry((*site).clone()).or_default().extend(others);
            }
        }
        Self {
            inventory,
            beside,
            links,
        }
    }

    /// The alarms of one matter with one, itself included; those spoken for too.
    pub(crate) fn around(&self, alarm: &NamedKey, scene: &NamedScene) -> BTreeSet<NamedKey> {
        let Some(first) = scene.get(alarm) else {
            return BTreeSet::new();
        };
        let near = |at: &domain::time::Timestamp| at.seconds_since(first.noticed).abs() <= AROUND_S;
        let mut by_node: BTreeMap<&ElementId, Vec<&NamedKey>> = BTreeMap::new();
        for (key, _) in scene.iter().filter(|(_, it)| near(&it.noticed)) {
            let node = self.inventory.node_of(&key.0);
            by_node.entry(node).or_default().push(key);
        }
        let own = self.inventory.node_of(&alarm.0);
        let (mut reached, mut open) = (BTreeSet::from([own]), vec![own]);
        let mut found = BTreeSet::new();
        while let Some(node) = open.pop() {
            let here = by_node.get(node).into_iter().flatten();
            found.extend(here.map(|key| (*key).clone()));
            for beside in self.beside.get(node).into_iter().flatten() {
                if by_node.contains_key(beside) && reached.insert(beside) {
                    open.push(beside);
                }
            }
        }
        found
    }

    /// What an element's alarm blames by itself: a module stands for its link, a site for its supply.
    fn own(&self, element: &ElementId) -> Option<(ElementId, Cause)> {
        let known = self.inventory.element(element)?;
        let blamed = match known.kind {
            ElementKind::Optic => self.links.get(element).cloned()?,
            ElementKind::Site => known.parent.clone()?,
            _ => element.clone(),
        };
        let kind = self.inventory.element(&blamed)?.kind;
        Some((blamed, Cause::of(kind)?))
    }

    /// All that an element's alarm may speak of.
    fn behind(&self, element: &ElementId) -> Vec<ElementId> {
        let mut behind = vec![element.clone()];
        if let Some(id) = self.links.get(element) {
            behind.push(id.clone());
            if let Some(link) = self.inventory.links.get(id) {
                behind.extend(link.ducts.iter().cloned());
                behind.extend([link.a.clone(), link.b.clone()]);
            }
        }
        let parent = |id: &ElementId| self.inventory.element(id).and_then(|e| e.parent.clone());
        for place in 0..behind.len() {
            behind.extend(parent(&behind[place]));
        }
        behind
    }
}

/// Blames the element of the first alarm, in the order of delivery, of all that are of one matter; as
/// sure as these are many and rare.
#[derive(Clone, Debug)]
pub struct FirstNamedAlarmRule {
    /// What is joined.
    pub joined: Arc<JoinedNodes>,
    /// What is rare.
    pub past: Arc<NamedPast>,
}

impl NamedBlameRule for FirstNamedAlarmRule {
    fn blame(&self, alarm: &NamedKey, scene: &NamedScene) -> Option<NamedBlame> {
        let explains = self.joined.around(alarm, scene);
        let blamed = |key: &&NamedKey| self.joined.own(&key.0).is_some();
        let first = explains.iter().filter(blamed);
        let first = first.min_by_key(|key| scene.get(*key).map(|it| it.order))?;
        let (element, cause) = self.joined.own(&first.0)?;
        let rare = explains.iter().map(|(_, name)| self.past.rarity(name));
        Some(NamedBlame {
            element,
            cause,
            score: rare.sum(),
            explains,
        })
    }
}

/// Blames the element that raises the alarm; as sure as its name is rare. It explains what else would
/// have it blame the same.
#[derive(Clone, Debug)]
pub struct OwnNamedAlarmRule {
    /// What is joined.
    pub joined: Arc<JoinedNodes>,
    /// What is rare.
    pub past: Arc<NamedPast>,
}

impl NamedBlameRule for OwnNamedAlarmRule {
    fn blame(&self, alarm: &NamedKey, scene: &NamedScene) -> Option<NamedBlame> {
        let (element, cause) = self.joined.own(&alarm.0)?;
        let around = self.joined.around(alarm, scene).into_iter();
        let same = |key: &NamedKey| self.joined.own(&key.0).is_some_and(|own| own.0 == element);
        Some(NamedBlame {
            explains: around.filter(same).collect(),
            score: self.past.rarity(&alarm.1),
            element,
            cause,
        })
    }
}

/// Blames what most alarms of one matter may speak of; of equals what is spoken of by fewest elements
/// in all; as sure as they are many and rare.
#[derive(Clone, Debug)]
pub struct MostNamedAlarmsRule {
    /// What is joined.
    pub joined: Arc<JoinedNodes>,
    /// What is rare.
    pub past: Arc<NamedPast>,
}

impl NamedBlameRule for MostNamedAlarmsRule {
    fn blame(&self, alarm: &NamedKey, scene: &NamedScene) -> Option<NamedBlame> {
        let explains = self.joined.around(alarm, scene);
        // By what is spoken of: how many alarms speak of it, and how rare they are.
        let mut votes: BTreeMap<ElementId, (usize, f64)> = BTreeMap::new();
        for (element, name) in &explains {
            let behind: BTreeSet<ElementId> = self.joined.behind(element).into_iter().collect();
            for element in behind {
                let vote = votes.entry(element).or_default();
                vote.0 += 1;
                vote.1 += self.past.rarity(name);
            }
        }
        let kind = |id: &ElementId| self.joined.inventory.element(id).map(|e| e.kind);
        let cause = |id: &ElementId| kind(id).and_then(Cause::of);
        // A module and a cell are less than a link and a card, a router is more.
        let size = |id: &ElementId| match kind(id) {
            Some(ElementKind::Cell | ElementKind::Optic) => 0,
            Some(ElementKind::Link) => 1,
            Some(ElementKind::Duct | ElementKind::LineCard) => 2,
            _ => 3,
        };
        let named = votes.iter().filter(|(id, _)| cause(id).is_some());
        let (element, (_, score)) = named.min_by_key(|(id, vote)| (Reverse(vote.0), size(id)))?;
        Some(NamedBlame {
            element: element.clone(),
            cause: cause(element)?,
            score: *score,
            explains,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::invented::{self, id, named_past, named_scene};

    /// A matter of a site and two ports of one card, and one far away.
    fn scene() -> NamedScene {
        named_scene(&[
            ("site:1", "S1", 10.0),
            ("optic:R-1/a", "LOS", 20.0),
            ("optic:R-2/a", "LOS", 20.0),
            ("site:4", "S1", 5_000.0),
        ])
    }

    fn known() -> (Arc<JoinedNodes>, Arc<NamedPast>) {
        let graph = invented::town();
        let joined = JoinedNodes::new(Arc::new(graph.inventory().clone()));
        let past = named_past(&[
            ("site:1", "S1", 10.0),
            ("site:1", "S1", 20.0),
            ("site:2", "S1", 10.0),
            ("optic:R-1/a", "LOS", 20.0),
        ]);
        (Arc::new(joined), Arc::new(past))
    }

    #[test]
    fn the_first_and_the_most_of_one_matter_are_blamed() {
        let ((joined, past), scene) = (known(), scene());
        let alarm = (id("optic:R-1/a"), "LOS".to_owned());
        let (los, s1) = (past.rarity("LOS"), past.rarity("S1"));
        let first = FirstNamedAlarmRule {
            joined: Arc::clone(&joined),
            past: Arc::clone(&past),
        };
        let first = first.blame(&alarm, &scene).unwrap();
        assert_eq!(first.cause, Cause::MainsFailure);
        assert_eq!(first.explains.len(), 3);
        assert!((first.score - (2.0 * los + s1)).abs() < 1e-12);
        let most = MostNamedAlarmsRule { joined, past };
        let most = most.blame(&alarm, &scene).unwrap();
        assert_eq!(most.element, id("card:R/1"));
        assert!((most.score - 2.0 * los).abs() < 1e-12, "{}", most.score);
    }

    #[test]
    fn an_alarm_by_itself_blames_its_own_element_and_rare_names_are_surer() {
        let ((joined, past), scene) = (known(), scene());
        let own = OwnNamedAlarmRule { joined, past };
        let blamed = |element: &str, name: &str| {
            let blame = own.blame(&(id(element), name.to_owned()), &scene);
            blame.unwrap()
        };
        let (port, site) = (blamed("optic:R-1/a", "LOS"), blamed("site:4", "S1"));
        assert_eq!(port.element, id("link:R-1"));
        assert_eq!(
            (site.element, site.cause),
            (id("zone:b"), Cause::MainsFailure)
        );
        assert_eq!(port.explains.len(), 1);
        assert!(port.score > site.score);
    }
}
