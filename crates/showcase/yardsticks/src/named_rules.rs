//! First alarm and most alarms, for alarms of any vocabulary: by time and topology alone.
//!
//! Alarms are of one matter if they stand on the same node or on nodes that are joined, one after the
//! other, and were noticed around the same time; what is joined is a link, or a supply in common. Read
//! next: [`crate::named`].

use crate::named::{NamedBlame, NamedBlameRule, NamedKey, NamedScene};
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind, Inventory};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Seconds within which alarms are of one matter.
const AROUND_S: f64 = 300.0;

/// The inventory, as far as both rules look at it.
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
    fn around(&self, alarm: &NamedKey, scene: &NamedScene) -> BTreeSet<NamedKey> {
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
/// sure as there are many.
#[derive(Clone, Debug)]
pub struct FirstNamedAlarmRule(pub Arc<JoinedNodes>);

impl NamedBlameRule for FirstNamedAlarmRule {
    fn blame(&self, alarm: &NamedKey, scene: &NamedScene) -> Option<NamedBlame> {
        let explains = self.0.around(alarm, scene);
        let blamed = |key: &&NamedKey| self.0.own(&key.0).is_some();
        let first = explains.iter().filter(blamed);
        let first = first.min_by_key(|key| scene.get(*key).map(|it| it.order))?;
        let (element, cause) = self.0.own(&first.0)?;
        Some(NamedBlame {
            element,
            cause,
            score: explains.len() as f64,
            explains,
        })
    }
}

/// Blames what most alarms of one matter may speak of; of equals what is spoken of by fewest elements
/// in all; as sure as they are many.
#[derive(Clone, Debug)]
pub struct MostNamedAlarmsRule(pub Arc<JoinedNodes>);

impl NamedBlameRule for MostNamedAlarmsRule {
    fn blame(&self, alarm: &NamedKey, scene: &NamedScene) -> Option<NamedBlame> {
        let explains = self.0.around(alarm, scene);
        let mut votes: BTreeMap<ElementId, usize> = BTreeMap::new();
        for (element, _) in &explains {
            let behind: BTreeSet<ElementId> = self.0.behind(element).into_iter().collect();
            for element in behind {
                *votes.entry(element).or_default() += 1;
            }
        }
        let kind = |id: &ElementId| self.0.inventory.element(id).map(|e| e.kind);
        let cause = |id: &ElementId| kind(id).and_then(Cause::of);
        // A module and a cell are less than a link and a card, a router is more.
        let size = |id: &ElementId| match kind(id) {
            Some(ElementKind::Cell | ElementKind::Optic) => 0,
            Some(ElementKind::Link) => 1,
            Some(ElementKind::Duct | ElementKind::LineCard) => 2,
            _ => 3,
        };
        let named = votes.iter().filter(|(id, _)| cause(id).is_some());
        let (element, many) = named.min_by_key(|(id, many)| (Reverse(**many), size(id)))?;
        Some(NamedBlame {
            element: element.clone(),
            cause: cause(element)?,
            score: *many as f64,
            explains,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::invented::{self, at, id};
    use crate::named::StandingNamedAlarm;

    fn scene(alarms: &[(&str, &str, f64)]) -> NamedScene {
        let alarms = alarms.iter().zip(0..);
        let standing = alarms.map(|((element, name, s), order)| {
            let alarm = StandingNamedAlarm {
                order,
                noticed: at(*s),
                spoken_for: false,
            };
            ((id(element), (*name).to_owned()), alarm)
        });
        standing.collect()
    }

    #[test]
    fn the_first_and_the_most_of_one_matter_are_blamed() {
        let graph = invented::town();
        let joined = Arc::new(JoinedNodes::new(Arc::new(graph.inventory().clone())));
        let scene = scene(&[
            ("site:1", "S1", 10.0),
            ("optic:R-1/a", "LOS", 20.0),
            ("optic:R-2/a", "LOS", 20.0),
            ("site:4", "S1", 5_000.0),
        ]);
        let alarm = (id("optic:R-1/a"), "LOS".to_owned());
        let first = FirstNamedAlarmRule(Arc::clone(&joined)).blame(&alarm, &scene);
        let first = first.unwrap();
        assert_eq!(first.cause, Cause::MainsFailure);
        assert_eq!(first.explains.len(), 3);
        let most = MostNamedAlarmsRule(joined).blame(&alarm, &scene).unwrap();
        assert_eq!((most.element, most.score), (id("card:R/1"), 2.0));
    }
}
