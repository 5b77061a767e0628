//! Cases of alarms that nobody here has a name for: the second source of suspicions, beside the
//! correlation of known types.
//!
//! What [`super::origin`] blames is suspected like anything else: it is diagnosed, judged and repaired
//! the same way, by measurements of the domain that it lies in. Cells are left to the wireless domain,
//! which looks into every alarm on one that has no name. Read next: [`super::workflow`].

use super::OssFault;
use super::case::{FaultCase, Phase};
use super::correlation::Ranked;
use super::evidence::Evidence;
use super::origin::{OriginExplanation, OriginFinder};
use crate::alarms::AlarmKey;
use crate::knowledge::Knowledge;
use crate::topology::Topology;
use domain::agent::Output;
use domain::inventory::ElementId;
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The score from which what is blamed is worth a measurement: with it what stands is a hundred times
/// likelier than by itself (ln 100).
const WORTH_A_LOOK: f64 = 4.6;

/// What explains some alarms, however that was found.
pub(super) struct Explained {
    /// The candidates, likeliest first.
    pub(super) ranked: Vec<Ranked>,
    /// The alarms.
    pub(super) explains: BTreeSet<AlarmKey>,
    /// The sites out of service, as far as they say so.
    pub(super) sites: BTreeSet<ElementId>,
}

/// Who finds origins in a network, if anything was learnt.
pub(super) fn finder(knowledge: &Knowledge, topology: &Arc<Topology>) -> Option<OriginFinder> {
    let learnt = knowledge
        .learnt
        .as_ref()
        .filter(|learnt| !learnt.is_empty())?;
    Some(OriginFinder::new(topology, learnt))
}

impl OssFault {
    /// Gives each group of alarms without a name here to the open case it is about, or opens one; the
    /// numbers of these cases.
    pub(super) fn place_learnt(
        &mut self,
        evidence: &Evidence,
        now: Timestamp,
        outputs: &mut Vec<Output>,
    ) -> Vec<u64> {
        let Some(origins) = &self.origins else {
            return Vec::new();
        };
        let found = origins.explain(&evidence.named);
        let explained: Vec<Explained> = found.iter().filter_map(|it| self.explained(it)).collect();
        explained
            .into_iter()
            .map(|it| self.place_explained(it, evidence, now, outputs))
            .collect()
    }

    /// None if nothing of it is this agent's to suspect, or worth a measurement.
    fn explained(&self, found: &OriginExplanation) -> Option<Explained> {
        let worth = found.ranked.iter().filter(|it| it.score >= WORTH_A_LOOK);
        let ranked = worth.filter_map(|it| {
            Some(Ranked {
                index: self.correlator.place_of(&it.element)?,
                score: it.score,
                explains: Vec::new(),
            })
        });
        let ranked: Vec<Ranked> = ranked.collect();
        let best = self.correlator.candidate(ranked.first()?.index);
        let elements = found.explains.iter().map(|(element, _)| element);
        let explains = elements.clone().map(|it| (it.clone(), AlarmType::Unknown));
        Some(Explained {
            explains: explains.collect(),
            sites: elements
                .filter(|it| best.sites.contains(it))
                .cloned()
                .collect(),
            ranked,
        })
    }

    /// Takes out of `evidence` the alarms without a name here that a case accounts for, if they were
    /// noticed before it ended. Those that stood on after its repair are evidence from that on.
    pub(super) fn account_for_learnt(
        &self,
        case: &FaultCase,
        evidence: &mut Evidence,
        before: Timestamp,
    ) {
        if case.root.is_none() && case.phase != Phase::Escalated {
            return;
        }
        evidence.named.retain(|(element, _), at| {
            let key = (element.clone(), AlarmType::Unknown);
            if *at > before || !case.explains.contains(&key) {
                return true;
            }
            match (case.leaves.contains(&key), case.repaired_at) {
                (true, Some(repaired_at)) => {
                    *at = repaired_at.max(*at);
                    true
                }
                _ => false,
            }
        });
    }
}
