//! What the referee wants to know besides the truth about faults: dispatches, and minutes out.
//!
//! Knows what happened; refuses to tell agents. Read next: [`super::Truth`].

use super::Simulation;
use crate::state::State;
use domain::inventory::ElementId;
use domain::telemetry::Token;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// An engineer who was sent out.
#[derive(Clone, Debug, PartialEq)]
pub struct Dispatched {
    /// Who sent them.
    pub agent: String,
    /// Under which token.
    pub token: Token,
    /// Where to.
    pub element: ElementId,
    /// When they were sent.
    pub at: Timestamp,
    /// True if something an engineer can mend was broken there when they were sent.
    pub right: bool,
    /// True if they have mended something, there or where they went on to.
    pub repaired: bool,
}

/// How long sites were out of service.
#[derive(Clone, Debug, Default)]
pub(super) struct Outages {
    since: BTreeMap<ElementId, Timestamp>,
    seconds: BTreeMap<ElementId, f64>,
}

impl Outages {
    /// Notes which sites are out from `now` on.
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
    /// Every engineer who was sent out, in order of time: for the referee only.
    pub fn dispatches(&self) -> &[Dispatched] {
        &self.dispatches
    }

    /// Minutes out of service of each site that was, up to now: for the referee.
    pub fn outage_minutes(&self) -> BTreeMap<ElementId, f64> {
        self.outages.minutes(self.now)
    }

    pub(super) fn note_dispatch(&mut self, agent: &str, token: Token, element: &ElementId) {
        self.dispatches.push(Dispatched {
            agent: agent.to_owned(),
            token,
            element: element.clone(),
            at: self.now,
            right: is_mendable(&self.state, element),
            repaired: false,
        });
    }

    /// The engineer whom `agent` sent under `token` has mended something.
    pub(super) fn note_success(&mut self, agent: &str, token: Token) {
        let mut sent = self.dispatches.iter_mut().rev();
        if let Some(sent) = sent.find(|d| d.agent == agent && d.token == token) {
            sent.repaired = true;
        }
    }
}

/// True if an engineer at `element` would have something to mend.
fn is_mendable(state: &State, element: &ElementId) -> bool {
    let mut troubles = state.troubles.values();
    troubles.any(|trouble| trouble.mended_at(element))
}
