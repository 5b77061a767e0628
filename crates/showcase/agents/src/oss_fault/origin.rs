//! Cross-domain analysis of alarms that nobody here has a name for: what is likeliest to be behind them.
//!
//! Every element may fail, and topology says who takes part in it: the element itself, what is built into
//! it, ports that face what it takes with it, sites that it cuts off. A candidate gains by each alarm that
//! would be likelier if it had failed, and loses by each silence that would be less likely; what explains an
//! alarm better than all else is blamed for it. What fails without having a cause of a name (a site by
//! itself, or a neighbourhood that something disturbs) takes its alarms away from others and is not blamed.
//!
//! How likely who says what is a guess by topology alone ([`OriginFinder::new`]), or is learnt from an
//! unlabelled past of the network ([`OriginFinder::taught`]). The cause is the usual one of the element's
//! kind, for nothing that is learnt without labels tells two causes of one element apart. Refuses to know
//! types by meaning. Read next: `origin/roles.rs`, `origin/accounts.rs`, `origin/learning.rs`.

mod accounts;
mod learning;
mod likelihoods;
mod roles;

use crate::learnt_causes::{LearntCauses, NamedAlarmKey, NamedAlarms};
use crate::topology::Topology;
use accounts::{Account, Accounting, AlarmNumber, Scene};
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Alarm;
use domain::time::Timestamp;
use likelihoods::{Likelihoods, Rates, WINDOW_S};
use roles::Roles;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most alarms that are looked at together, the latest: what it costs grows by their square.
const ALARMS_MAX: usize = 500;

/// What is blamed for a group of alarms.
#[derive(Clone, Debug, PartialEq)]
pub struct OriginCandidate {
    /// The element.
    pub element: ElementId,
    /// The cause.
    pub cause: Cause,
    /// How well it explains them; greater is likelier. What was taught says the logarithm of the odds that it
    /// is to blame; without that it is how much likelier than by themselves they are with it, in logarithms.
    pub score: f64,
}

/// A group of alarms with what is blamed for it, likeliest first.
#[derive(Clone, Debug, PartialEq)]
pub struct OriginExplanation {
    /// The alarms that the likeliest explains.
    pub explains: BTreeSet<NamedAlarmKey>,
    /// What may be behind them.
    pub ranked: Vec<OriginCandidate>,
}

/// Finds origins in one network.
#[derive(Clone, Debug)]
pub struct OriginFinder {
    roles: Arc<Roles>,
    known: Arc<Likelihoods>,
}

impl OriginFinder {
    /// The finder on a network, by topology and by which names relate to others and how rare each is.
    pub fn new(topology: &Topology, learnt: &LearntCauses) -> Self {
        let roles = Roles::new(topology);
        let related = learnt.related();
        let related = related.map(|(name, per_s)| (name.to_owned(), per_s * WINDOW_S));
        let (names, any) = related.unzip();
        let rates = Rates {
            any,
            ..Rates::default()
        };
        Self {
            known: Arc::new(Likelihoods::structural(&roles, names, rates, None)),
            roles: Arc::new(roles),
        }
    }

    /// The finder on a network, by what its unlabelled past teaches: its alarms, each with the instant of
    /// its delivery. It explains nothing if there are none.
    pub fn taught<'a>(
        topology: &Topology,
        past: impl IntoIterator<Item = (Timestamp, &'a Alarm)>,
    ) -> Self {
        let roles = Roles::new(topology);
        let nothing = || Likelihoods::structural(&roles, Vec::new(), Rates::default(), None);
        Self {
            known: Arc::new(learning::learn(&roles, past).unwrap_or_else(nothing)),
            roles: Arc::new(roles),
        }
    }

    /// Says what is to blame for alarms that stand; surest first. Alarms for which nothing is to blame are
    /// left out.
    pub fn explain(&self, standing: &NamedAlarms) -> Vec<OriginExplanation> {
        let mut scene = self.scene(standing);
        let mut explained: BTreeSet<AlarmNumber> = BTreeSet::new();
        let mut found = Vec::new();
        let latest: Vec<AlarmNumber> = scene.latest().collect();
        for alarm in latest {
            if explained.contains(&alarm) {
                continue;
            }
            let Some(account) = self.account(&mut scene, alarm) else {
                continue;
            };
            let earlier = account.before.iter().flatten();
            explained.extend(account.told.iter().chain(earlier).map(|(it, _)| *it));
            found.extend(self.explanation(&account));
        }
        let score = |e: &OriginExplanation| e.ranked.first().map_or(f64::MIN, |best| best.score);
        found.sort_by(|x, y| score(y).total_cmp(&score(x)));
        found
    }

    /// What is to blame for one alarm that stands, with all that it explains besides; none if nothing is.
    pub fn explain_one(
        &self,
        alarm: &NamedAlarmKey,
        standing: &NamedAlarms,
    ) -> Option<OriginExplanation> {
        let number = self.number(alarm)?;
        let account = self.account(&mut self.scene(standing), number)?;
        self.explanation(&account)
    }

    fn account(&self, scene: &mut Scene, alarm: AlarmNumber) -> Option<Account> {
        // Without a past nothing says how likely anything fails at all.
        let least = match self.known.is_learnt {
            true => 0.0,
            false => f64::NEG_INFINITY,
        };
        let accounting = Accounting {
            roles: &self.roles,
            known: &self.known,
        };
        accounting.account(scene, alarm, least)
    }

    fn number(&self, (element, name): &NamedAlarmKey) -> Option<AlarmNumber> {
        Some((self.roles.number(element)?, self.known.number(name)?))
    }

    /// The latest of what stands: that is to be explained now.
    fn scene(&self, standing: &NamedAlarms) -> Scene {
        let known = standing.iter();
        let known = known.filter_map(|(key, noticed)| Some((*noticed, self.number(key)?)));
        let mut known: Vec<(Timestamp, AlarmNumber)> = known.collect();
        known.sort_unstable();
        let mut scene = Scene::default();
        for (noticed, alarm) in known.into_iter().rev().take(ALARMS_MAX) {
            scene.insert(alarm, noticed);
        }
        scene
    }

    /// None if what is to blame has no cause of a name.
    fn explanation(&self, account: &Account) -> Option<OriginExplanation> {
        let candidate = |&(place, likelier): &(usize, f64)| {
            let suspect = &self.roles.suspects[place];
            Some(OriginCandidate {
                element: self.roles.ids[suspect.element].clone(),
                cause: suspect.cause?,
                score: self.score(account, place, likelier),
            })
        };
        candidate(account.ranked.first()?)?;
        let earlier = account.before.iter().flatten();
        let told = account.told.iter().chain(earlier);
        let named = told.map(|((element, name), _)| {
            let element = self.roles.ids[*element].clone();
            (element, self.known.name(*name).to_owned())
        });
        Some(OriginExplanation {
            explains: named.collect(),
            ranked: account.ranked.iter().filter_map(candidate).collect(),
        })
    }

    fn score(&self, account: &Account, place: usize, likelier: f64) -> f64 {
        if !self.known.is_learnt {
            return likelier;
        }
        let others = account.ranked.iter().filter(|(other, _)| *other != place);
        let others: f64 = others.map(|(_, score)| (score - likelier).exp()).sum();
        -(others + (-likelier).exp()).ln()
    }
}

#[cfg(test)]
mod tests;
