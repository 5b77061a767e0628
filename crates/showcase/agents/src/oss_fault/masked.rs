//! The part that is left when a repair does not bring everything back: a fault that the first one
//! hid.
//!
//! A dead router hides the cut behind it: while both stand, nothing is seen that the router alone
//! would not cause. Once the router is repaired, what is still out is evidence of its own. It is
//! weighed as if it had been noticed at the repair, for that is when it became worth noticing; if
//! something else than what was repaired explains all of it, the case is closed with the sites that
//! are back, and what is left opens another. Refuses to judge whether a repair was done well.
//! Read next: [`super::repair`].

use super::correlation::CHANCE;
use super::evidence::Evidence;
use super::{OssFault, Timer};
use crate::alarms::AlarmKey;
use crate::wording::counted;
use domain::agent::Output;
use domain::inventory::ElementId;
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// Seconds between two verifications of service.
pub(super) const VERIFY_EACH_S: f64 = 60.0;
/// Verifications, a minute apart, through which the same sites must stay out before they are held to
/// have another cause: others come back one by one, as their equipment starts and their alarms
/// clear, which takes up to five minutes each.
const UNCHANGED_VERIFICATIONS: u32 = 6;

/// Verifications, a minute apart, for which alarms of a repaired cause that took no site out may lag.
const LAGGING_VERIFICATIONS: u32 = 20;

impl OssFault {
    /// Closes a case that took no site out of service once none of the alarms stands that its cause
    /// has raised. Those that stand long after the repair are evidence of their own from it on: what is
    /// still broken is diagnosed anew, by measurements.
    pub(super) fn verify_by_alarms(&mut self, number: u64, now: Timestamp) -> Vec<Output> {
        let evidence = self.events.evidence(now);
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let root = case.root.as_ref().map(|(element, _)| element);
        let candidate = root.and_then(|root| self.correlator.of_element(root));
        let raised = candidate
            .into_iter()
            .flat_map(|c| self.correlator.expected(c));
        let raised: BTreeSet<&AlarmKey> = raised.collect();
        // What a cause raises under a name of its own is not known.
        let of_it = |key: &&AlarmKey| key.1 == AlarmType::Unknown || raised.contains(*key);
        let stands = |key: &&AlarmKey| of_it(key) && evidence.noticed(key).is_some();
        let standing: BTreeSet<AlarmKey> = case.explains.iter().filter(stands).cloned().collect();
        if standing.is_empty() {
            return self.close(number, "none of its alarms stands any more", now);
        }
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.verifications += 1;
        if case.verifications < LAGGING_VERIFICATIONS {
            return vec![self.wake(Timer::Verify(number), now.plus_s(VERIFY_EACH_S))];
        }
        case.repaired_at.get_or_insert(now);
        let words = format!(
            "{} looked into anew",
            counted(
                standing.len(),
                "alarm still stands, and is",
                "alarms still stand, and are"
            )
        );
        case.leaves = standing;
        let mut outputs = self.close(number, &words, now);
        outputs.extend(self.weigh_soon(now));
        outputs
    }

    /// Closes a case whose repair has brought back what it could, if something else explains the
    /// sites that are still `out`; none if nothing does.
    pub(super) fn unmask(
        &mut self,
        number: u64,
        out: &BTreeSet<ElementId>,
        now: Timestamp,
    ) -> Option<Vec<Output>> {
        let case = self.case(number)?;
        let unchanged = case.still_out == *out;
        case.unchanged = if unchanged { case.unchanged + 1 } else { 0 };
        case.still_out.clone_from(out);
        if case.unchanged < UNCHANGED_VERIFICATIONS {
            return None;
        }
        let case = self.cases.iter().find(|c| c.number == number)?;
        let (root, _) = case.root.clone()?;
        let repaired_at = case.repaired_at?;
        let all = self.events.evidence(now);
        let left = self.left_after(number, &all, repaired_at, now)?;
        let mut covered: BTreeSet<ElementId> = BTreeSet::new();
        let mut leaves: BTreeSet<AlarmKey> = BTreeSet::new();
        for explanation in self.correlator.explain(&left, now) {
            let others = explanation.ranked.iter().filter(|r| {
                r.score >= CHANCE && self.correlator.candidate(r.index).element != root
            });
            let Some(best) = others.into_iter().next() else {
                continue;
            };
            covered.extend(self.correlator.candidate(best.index).sites.iter().cloned());
            leaves.extend(self.correlator.keys(&best.explains));
        }
        let fresh = |key: &AlarmKey| all.alarms.get(key).is_some_and(|at| *at >= repaired_at);
        let some_are_back = case.affected.iter().any(|site| !out.contains(site));
        // Without a site that is back, only something new shows that the repair did anything.
        if !out.is_subset(&covered) || !(some_are_back || leaves.iter().any(fresh)) {
            return None;
        }
        let case = self.case(number)?;
        case.affected.retain(|site| !out.contains(site));
        case.leaves = leaves;
        let words = format!(
            "service is back at {}; {} out for another reason, which it hid",
            counted(case.affected.len(), "site", "sites"),
            counted(out.len(), "more is", "more are")
        );
        let mut outputs = self.close(number, &words, now);
        outputs.extend(self.weigh_soon(now));
        Some(outputs)
    }

    /// The alarms that stand and that no other case accounts for; those that the repaired element
    /// would have caused count from its repair on.
    fn left_after(
        &self,
        number: u64,
        all: &Evidence,
        repaired_at: Timestamp,
        now: Timestamp,
    ) -> Option<Evidence> {
        let mut left = all.clone();
        for other in self.cases.iter().filter(|c| c.number != number) {
            self.account_for(other, &mut left, now);
        }
        let case = self.cases.iter().find(|c| c.number == number)?;
        let (root, _) = case.root.as_ref()?;
        let candidate = self.correlator.of_element(root)?;
        for key in self.correlator.expected(candidate) {
            if let Some(at) = left.alarms.get_mut(key) {
                *at = repaired_at.max(*at);
            }
        }
        Some(left)
    }
}
