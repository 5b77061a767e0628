//! Cross-domain analysis of alarms that nobody here has a name for: where what was learnt from an
//! unlabelled history puts their origin.
//!
//! Three steps, all by what was learnt ([`LearntCauses`]) and by topology:
//! - alarms belong together if one is an effect of the other by the graph, within its delay and its
//!   reach, or if a type that spreads stands on adjacent nodes (where nothing was learnt, if they stand on
//!   one node or on adjacent ones at about the same time);
//! - *origins* are those that no other alarm of the same group explains;
//! - what explains a group best is blamed: the element of an origin, or what the origins have in common:
//!   the link between two ports, the duct of several links, the zone of several sites. A candidate loses
//!   for all that would complain of it and does not.
//!
//! The cause is the usual one of the element's kind, for nothing that is learnt without labels tells two
//! causes of one element apart. Refuses to know types by meaning. Read next: `origin/speakers.rs`.

mod speakers;

use crate::learnt_causes::{LearntCauses, NamedAlarmKey, NamedAlarms};
use crate::topology::Topology;
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind};
use domain::time::Timestamp;
use speakers::Speakers;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The weight of an origin on the element that is blamed, and on one that speaks of it.
const OWN: f64 = 6.0;
const SPOKEN: f64 = 4.0;
/// What it costs that an element is silent which would speak.
const SILENT: f64 = 2.5;
/// The weight of an effect on an element that would speak.
const ECHO: f64 = 1.0;
/// The weight of a site that is out and should be, and what it costs if it should and is not.
const OUT: f64 = 0.5;
const NOT_OUT: f64 = 0.7;
/// Seconds within which a type that spreads has come at once.
const AT_ONCE_S: f64 = 300.0;
/// The most alarms that are looked at together.
const ALARMS_MAX: usize = 2_000;

/// What is blamed for a group of alarms.
#[derive(Clone, Debug, PartialEq)]
pub struct OriginCandidate {
    /// The element.
    pub element: ElementId,
    /// The cause.
    pub cause: Cause,
    /// How well it explains them; greater is likelier.
    pub score: f64,
}

/// A group of alarms with what is blamed for it, likeliest first.
#[derive(Clone, Debug, PartialEq)]
pub struct OriginExplanation {
    /// The alarms.
    pub explains: BTreeSet<NamedAlarmKey>,
    /// Those of them that no other explains.
    pub origins: BTreeSet<NamedAlarmKey>,
    /// What may be behind them.
    pub ranked: Vec<OriginCandidate>,
}

/// Finds origins in one network by what was learnt.
#[derive(Clone, Debug)]
pub struct OriginFinder {
    topology: Arc<Topology>,
    learnt: Arc<LearntCauses>,
    speakers: Speakers,
}

/// An alarm, by its place in a look.
struct HeardAlarm<'a> {
    key: &'a NamedAlarmKey,
    node: &'a ElementId,
    noticed: Timestamp,
}

/// All alarms that are looked at together.
struct Look<'a> {
    heard: Vec<HeardAlarm<'a>>,
    by_node: BTreeMap<&'a ElementId, Vec<usize>>,
    /// By place: whether it is in a group.
    grouped: Vec<bool>,
}

impl OriginFinder {
    /// The finder on a network.
    pub fn new(topology: impl Into<Arc<Topology>>, learnt: Arc<LearntCauses>) -> Self {
        let topology = topology.into();
        Self {
            speakers: Speakers::new(&topology),
            topology,
            learnt,
        }
    }

    /// Groups the alarms that stand and says what is to blame for each; surest first. Alarms of types
    /// that relate to nothing are left out.
    pub fn explain(&self, standing: &NamedAlarms) -> Vec<OriginExplanation> {
        let mut look = self.look(standing);
        let mut found = Vec::new();
        for first in 0..look.heard.len() {
            if let Some(group) = self.grow(&mut look, first) {
                found.push(self.explained(&look.heard, &group));
            }
        }
        let score = |e: &OriginExplanation| e.ranked.first().map_or(f64::MIN, |best| best.score);
        found.sort_by(|x, y| score(y).total_cmp(&score(x)));
        found
    }

    /// The group of one alarm that stands, with what is to blame for it; none if its type relates to
    /// nothing.
    pub fn explain_one(
        &self,
        alarm: &NamedAlarmKey,
        standing: &NamedAlarms,
    ) -> Option<OriginExplanation> {
        let mut look = self.look(standing);
        let first = look.heard.iter().position(|heard| heard.key == alarm)?;
        let group = self.grow(&mut look, first)?;
        Some(self.explained(&look.heard, &group))
    }

    fn look<'a>(&'a self, standing: &'a NamedAlarms) -> Look<'a> {
        let inventory = self.topology.inventory();
        let telling = standing.iter().filter(|((element, name), _)| {
            self.learnt.relates(name) && inventory.element(element).is_some()
        });
        let mut heard: Vec<HeardAlarm<'_>> = telling
            .map(|(key, noticed)| HeardAlarm {
                key,
                node: inventory.node_of(&key.0),
                noticed: *noticed,
            })
            .collect();
        // The latest are what is to be explained now.
        heard.sort_by_key(|alarm| (std::cmp::Reverse(alarm.noticed), alarm.key));
        heard.truncate(ALARMS_MAX);
        let mut by_node: BTreeMap<&ElementId, Vec<usize>> = BTreeMap::new();
        for (place, alarm) in heard.iter().enumerate() {
            by_node.entry(alarm.node).or_default().push(place);
        }
        Look {
            grouped: vec![false; heard.len()],
            by_node,
            heard,
        }
    }

    /// The alarms that belong together with one, by place; none if it is in a group already.
    fn grow(&self, look: &mut Look<'_>, first: usize) -> Option<Vec<usize>> {
        let Look {
            heard,
            by_node,
            grouped,
        } = look;
        if std::mem::replace(&mut grouped[first], true) {
            return None;
        }
        let (mut group, mut open) = (Vec::new(), vec![first]);
        while let Some(place) = open.pop() {
            group.push(place);
            let own = heard[place].node;
            let around = self.speakers.beside(own).iter().chain([own]);
            for &other in around.filter_map(|node| by_node.get(node)).flatten() {
                if !grouped[other] && self.belong(&heard[place], &heard[other]) {
                    grouped[other] = true;
                    open.push(other);
                }
            }
        }
        Some(group)
    }

    fn belong(&self, x: &HeardAlarm<'_>, y: &HeardAlarm<'_>) -> bool {
        let apart_s = x.noticed.seconds_since(y.noticed).abs();
        let same = x.key.1 == y.key.1 && x.node != y.node;
        let at_once = apart_s <= AT_ONCE_S;
        (same && self.learnt.spreads(&x.key.1) && at_once)
            || (self.learnt.is_ignorant() && at_once)
            || self.causes(x, y)
            || self.causes(y, x)
    }

    /// True if one alarm may be the effect of another, by time and place.
    fn causes(&self, cause: &HeardAlarm<'_>, effect: &HeardAlarm<'_>) -> bool {
        let Some(learnt) = self.learnt.effect(&cause.key.1, &effect.key.1) else {
            return false;
        };
        let reached = match cause.node == effect.node {
            true => learnt.same_device,
            false => learnt.over_link && self.speakers.beside(cause.node).contains(effect.node),
        };
        reached && learnt.in_time(effect.noticed.seconds_since(cause.noticed))
    }

    fn explained(&self, heard: &[HeardAlarm<'_>], group: &[usize]) -> OriginExplanation {
        let is_origin = |place: &usize| {
            let alarm = &heard[*place];
            !group
                .iter()
                .any(|other| other != place && self.causes(&heard[*other], alarm))
        };
        let keys = |places: &mut dyn Iterator<Item = usize>| -> BTreeSet<NamedAlarmKey> {
            places.map(|place| heard[place].key.clone()).collect()
        };
        let origins = keys(&mut group.iter().copied().filter(is_origin));
        let explains = keys(&mut group.iter().copied());
        let ranked = self.ranked(&explains, &origins);
        OriginExplanation {
            explains,
            origins,
            ranked,
        }
    }

    /// What may be behind a group, likeliest first.
    fn ranked(
        &self,
        explains: &BTreeSet<NamedAlarmKey>,
        origins: &BTreeSet<NamedAlarmKey>,
    ) -> Vec<OriginCandidate> {
        let elements = explains.iter().map(|(element, _)| element);
        let suspects: BTreeSet<&ElementId> =
            elements.flat_map(|it| self.speakers.suspects(it)).collect();
        let scored = suspects.into_iter().filter_map(|element| {
            let kind = self.topology.inventory().element(element)?.kind;
            let cause = Cause::of(kind)?;
            let score = self.score(element, explains, origins);
            (score > 0.0).then(|| OriginCandidate {
                element: element.clone(),
                cause,
                score,
            })
        });
        let mut ranked: Vec<OriginCandidate> = scored.collect();
        ranked.sort_by(|x, y| {
            let by_score = y.score.total_cmp(&x.score);
            by_score.then_with(|| x.element.cmp(&y.element))
        });
        ranked
    }

    fn score(
        &self,
        element: &ElementId,
        explains: &BTreeSet<NamedAlarmKey>,
        origins: &BTreeSet<NamedAlarmKey>,
    ) -> f64 {
        let out: BTreeSet<&ElementId> = self.topology.dependent_on(element).collect();
        let speakers = self.speakers.of(element);
        let silenced = |it: &ElementId| out.contains(self.topology.inventory().node_of(it));
        let mut score = 0.0;
        let mut spoke: BTreeSet<&ElementId> = BTreeSet::new();
        for key in explains {
            let weight = self.sign(&key.1);
            let at = self.meant(key);
            let is_own = at == element;
            if !is_own && !speakers.contains(&key.0) {
                continue;
            }
            score += match (origins.contains(key), is_own) {
                (true, true) => OWN * weight,
                (true, false) => SPOKEN * weight,
                (false, _) => ECHO,
            };
            spoke.insert(&key.0);
        }
        // Where no element of a kind ever says anything, none is missed.
        let kind = |it: &ElementId| self.topology.inventory().element(it).map(|e| e.kind);
        let kinds: BTreeSet<_> = explains.iter().map(|(it, _)| kind(it)).collect();
        let silent = |it: &&ElementId| {
            let could = *it == element || !silenced(it);
            could && kinds.contains(&kind(it)) && !spoke.contains(*it)
        };
        score -= SILENT * speakers.iter().filter(silent).count() as f64;
        score + self.service(&out, explains)
    }

    /// What sites say that should be out.
    fn service(&self, out: &BTreeSet<&ElementId>, explains: &BTreeSet<NamedAlarmKey>) -> f64 {
        let sites = explains
            .iter()
            .filter(|(_, name)| self.learnt.spreads(name));
        let sites: BTreeSet<&ElementId> = sites
            .map(|(element, _)| element)
            .filter(|it| {
                let known = self.topology.inventory().element(it);
                known.is_some_and(|it| it.kind == ElementKind::Site)
            })
            .collect();
        let told = out.intersection(&sites).count() as f64;
        let missing = out.difference(&sites).count() as f64;
        OUT * told - NOT_OUT * missing
    }

    /// The element that an alarm is about: a port that complains of what its far end complains of too
    /// is about what lies between them.
    fn meant<'a>(&'a self, (element, name): &'a NamedAlarmKey) -> &'a ElementId {
        match self.learnt.spreads(name) {
            true => self.speakers.link_of(element).unwrap_or(element),
            false => element,
        }
    }

    /// How far an alarm of a type is a sign of anything, 0 to 1: types that mostly come by themselves
    /// hardly are.
    fn sign(&self, name: &str) -> f64 {
        (1.0 + self.learnt.company(name).ln() / 5.0).clamp(0.1, 1.0)
    }
}

#[cfg(test)]
mod tests;
