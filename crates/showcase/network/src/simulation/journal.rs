//! Further facts for the referee: dispatches, and minutes of outage.
//!
//! Knows past events; refuses to tell agents. Read next: [`super::Truth`].

use super::Simulation;
use crate::state::NetworkState;
use domain::inventory::ElementId;
use domain::telemetry::Token;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// A dispatched engineer.
#[derive(Clone, Debug, PartialEq)]
pub struct Dispatch {
    /// The agent that sent them.
    pub agent: String,
    /// The token of the dispatch.
    pub token: Token,
    /// The destination.
    pub element: ElementId,
    /// The instant of the dispatch.
    pub at: Timestamp,
    /// True if something an engineer can repair was broken there at the dispatch.
    pub right: bool,
    /// True if they have repaired something, there or at a later destination.
    pub repaired: bool,
}

/// The outage times of sites.
#[derive(Clone, Debug, Default)]
pub(super) struct Outages {
    since: BTreeMap<ElementId, Timestamp>,
    seconds: BTreeMap<ElementId, f64>,
}

impl Outages {
    /// Records the sites that are out from `now` on.
    pub(super) fn note(&mut self, out: &BTreeSet<ElementId>, now: Timestamp) {
        let back: Vec<ElementId> = self
            .since
            .keys()
            .filter(|site| !out.contains(*site))
            .cloned()
            .collect();
        for site in back {
            if let Some(since) = self.since.remove(&site) {
                *self.seconds.entry(site).or_default() += now.seconds_since(since);
            }
        }
        for site in out {
            self.since.entry(site.clone()).or_insert(now);
        }
    }

    fn minutes(&self, now: Timestamp) -> BTreeMap<ElementId, f64> {
        let mut seconds = self.seconds.clone();
        for (site, since) in &self.since {
            *seconds.entry(site.clone()).or_default() += now.seconds_since(*since);
        }
        seconds
            .into_iter()
            .map(|(site, s)| (site, s / 60.0))
            .collect()
    }
}

impl Simulation {
    /// Every dispatched engineer, in order of time: for the referee only.
    pub fn dispatches(&self) -> &[Dispatch] {
        &self.dispatches
    }

    /// Minutes out of service of each affected site, up to now: for the referee.
    pub fn outage_minutes(&self) -> BTreeMap<ElementId, f64> {
        self.outages.minutes(self.now)
    }

    pub(super) fn note_dispatch(&mut self, agent: &str, token: Token, element: &ElementId) {
        self.dispatches.push(Dispatch {
            agent: agent.to_owned(),
            token,
            element: element.clone(),
            at: self.now,
            right: is_mendable(&self.state, element),
            repaired: false,
        });
    }

    /// Records that the engineer whom `agent` sent under `token` has repaired something.
    pub(super) fn note_success(&mut self, agent: &str, token: Token) {
        let mut sent = self.dispatches.iter_mut().rev();
        if let Some(sent) = sent.find(|d| d.agent == agent && d.token == token) {
            sent.repaired = true;
        }
    }
}

/// True if an engineer at `element` would have something to repair.
fn is_mendable(state: &NetworkState, element: &ElementId) -> bool {
    let mut troubles = state.troubles.values();
    troubles.any(|trouble| trouble.mended_at(element))
}
