//! A cluster: one recurring intent that the schema does not cover (draft-zhou §6.2.1).
//!
//! Knows its heat, its latest fragments and whether both gates hold; refuses to know where it lies
//! among others, which is the [`super::Pool`]'s.

use super::{EvolutionSettings, FragmentSource, Gates, Heat};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

const DAY_MS: i64 = 86_400_000;

/// Names a cluster within its pool; lower is older. Never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClusterId(pub u64);

impl fmt::Display for ClusterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A fragment that counts. Natural language of users: encrypted at rest, erased on request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The text said, as normalised by [`crate::other`]; never published as it is.
    pub text: String,
    /// The client that said it; none for all that are not authenticated.
    pub client: Option<String>,
    /// True if the client had a history then.
    pub proven: bool,
    /// The instant.
    pub at: Timestamp,
}

/// A cluster without its vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// Its name.
    pub id: ClusterId,
    /// The instant at which its first fragment came.
    pub since: Timestamp,
    /// All fragments there have been; the centroid is their mean.
    pub fragments: u64,
    /// Its heat.
    pub heat: Heat,
    /// The latest fragments that count, oldest first; never empty.
    pub members: VecDeque<Member>,
    /// Length of the mean of unit vectors whose direction is the centroid; 1 if all are the same.
    pub(super) cohesion: f32,
    /// The instant at which it was linked afresh.
    pub(super) relinked_at: Option<Timestamp>,
}

impl Cluster {
    /// True if heat exceeds its threshold *and* enough was heard from enough clients.
    pub fn ripe(&self, settings: &EvolutionSettings, personal: bool, now: Timestamp) -> bool {
        self.heat.at(now, settings.heat.half_life_ms) > settings.heat.threshold
            && self.heard(&settings.gates, personal, now)
    }

    /// The second gate: distinct clients, or occurrences, within the window.
    fn heard(&self, gates: &Gates, personal: bool, now: Timestamp) -> bool {
        let guarded = gates.sybil.enabled && !personal;
        let recent: Vec<&Member> = self.within(gates.window_ms, now).collect();
        let sources: BTreeSet<_> = recent.iter().map(|m| m.source(guarded)).collect();
        let proven: BTreeSet<_> = recent
            .iter()
            .filter(|m| m.proven)
            .map(|m| &m.client)
            .collect();
        sources.len() >= gates.clients_min
            || recent.len() >= gates.occurrences_min
                && (!guarded || proven.len() >= gates.sybil.proven_min)
    }

    fn within(&self, window_ms: i64, now: Timestamp) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(move |m| now - m.at < window_ms)
    }

    /// Takes a fragment in; false if its source has had its say for today.
    pub(super) fn take(
        &mut self,
        text: &str,
        source: &FragmentSource<'_>,
        settings: &EvolutionSettings,
        personal: bool,
        now: Timestamp,
    ) -> bool {
        self.fragments += 1;
        let member = Member {
            text: text.to_owned(),
            client: source.client.map(str::to_owned),
            proven: source.proven && source.client.is_some(),
            at: now,
        };
        let sybil = &settings.gates.sybil;
        let guarded = sybil.enabled && !personal;
        let today = |m: &&Member| m.source(guarded) == member.source(guarded);
        if guarded && self.within(DAY_MS, now).filter(today).count() >= sybil.per_client_per_day {
            return false;
        }
        let increment = match personal {
            true => settings.heat.personal_increment,
            false => settings.heat.increment,
        };
        self.heat.add(increment, now, settings.heat.half_life_ms);
        self.members.push_back(member);
        self.keep(settings.cluster.members_max, guarded);
        true
    }

    /// Drops what is over the bound: the oldest of whoever has most. So, as long as the bound is
    /// not below what the gates count, nothing that is dropped could have opened them.
    pub(super) fn keep(&mut self, members_max: usize, guarded: bool) {
        while self.members.len() > members_max {
            let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
            for member in &self.members {
                *counts.entry(member.source(guarded)).or_default() += 1;
            }
            let most = counts.values().copied().max().unwrap_or_default();
            let oldest = self
                .members
                .iter()
                .position(|m| counts[&m.source(guarded)] == most);
            self.members.remove(oldest.expect("someone has most"));
        }
    }

    /// True if anyone with a history wants it.
    pub(super) fn proven(&self) -> bool {
        self.members.iter().any(|m| m.proven)
    }

    /// The texts said lately, each text once, the latest first.
    pub fn texts(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let latest = self.members.iter().rev().map(|m| m.text.as_str());
        latest.filter(|text| seen.insert(*text)).collect()
    }
}

impl Member {
    /// The client that it counts for: the unproven are one, where that matters.
    fn source(&self, guarded: bool) -> Option<&str> {
        self.client.as_deref().filter(|_| self.proven || !guarded)
    }
}
