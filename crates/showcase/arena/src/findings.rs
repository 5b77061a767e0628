//! What was found about one fault, rightly and wrongly, beside its truth.
//!
//! For agents and people alike: a finding is the cause that a case was concluded with, at first or in
//! the end, and every case counts that concerns anything at which the fault shows. A case that is closed
//! as mended while its cause stands is a failure of verification. Refuses to know who found it.
//! Read next: [`crate::score`], where cases come from, [`crate::trial`].

use crate::score::Investigation;
use agents::payloads::diagnosis::Suspicion;
use domain::inventory::{ElementId, Inventory};
use domain::time::Timestamp;
use network::Truth;
use serde::Serialize;
use std::collections::BTreeSet;

/// The time after restoration of service within which findings still concern a fault, in seconds.
const AFTERMATH_S: f64 = 3_600.0;

/// How the search for a fault ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialOutcome {
    /// Element and cause were found, at first or in the end.
    Right,
    /// Something else was found in its stead.
    Wrong,
    /// Nothing was found.
    Nothing,
}

/// The findings that concern one fault, beside its truth.
pub struct FaultFindings<'a> {
    /// The truth, as somebody would say it.
    pub actual: Suspicion,
    truth: &'a Truth,
    /// Those that concern it, in order of time.
    pub cases: Vec<&'a Investigation>,
}

impl<'a> FaultFindings<'a> {
    /// Those of `cases` that concern the fault.
    pub fn about(inventory: &Inventory, truth: &'a Truth, cases: &'a [Investigation]) -> Self {
        let over = truth.restored_at.map(|at| at.plus_s(AFTERMATH_S));
        let reach = reach(inventory, truth);
        let concerns = |case: &&Investigation| {
            let named = |s: &Suspicion| reach.contains(&s.target);
            let in_time =
                case.opened_at >= truth.fault.at && over.is_none_or(|over| case.opened_at <= over);
            let there = !case.sites.is_disjoint(&reach)
                || case.suspects.iter().any(named)
                || case.located.as_ref().is_some_and(|(_, s)| named(s));
            in_time && there
        };
        Self {
            actual: Suspicion {
                target: truth.fault.element.clone(),
                cause: truth.fault.kind,
            },
            truth,
            cases: cases.iter().filter(concerns).collect(),
        }
    }

    fn findings(&self) -> impl Iterator<Item = &(Timestamp, Suspicion)> {
        self.cases.iter().filter_map(|case| case.located.as_ref())
    }

    /// Findings that were wrong, those that were corrected later among them.
    pub fn wrong(&self) -> impl Iterator<Item = &Suspicion> {
        let findings = self.findings().map(|(_, s)| s);
        findings.filter(|s| **s != self.actual)
    }

    /// Seconds from the fault until the right cause was found.
    pub fn located_s(&self) -> Option<f64> {
        let right = self.findings().filter(|(_, s)| *s == self.actual);
        let first = right.map(|(at, _)| *at).min();
        first.map(|at| at.seconds_since(self.truth.fault.at))
    }

    /// What was found: the truth, if it was; else the last that was taken for it.
    pub fn found(&self) -> Option<&Suspicion> {
        let right = self.findings().map(|(_, s)| s).find(|s| **s == self.actual);
        right.or_else(|| self.wrong().last())
    }

    /// The outcome.
    pub fn outcome(&self) -> TrialOutcome {
        match self.found() {
            Some(found) if *found == self.actual => TrialOutcome::Right,
            Some(_) => TrialOutcome::Wrong,
            None => TrialOutcome::Nothing,
        }
    }

    /// Cases that were closed as mended before the cause was.
    pub fn verification_failures(&self) -> usize {
        let mended = self.truth.repaired_at;
        let stood = |closed: Timestamp| mended.is_none_or(|mended| closed < mended);
        let closed = self.cases.iter().filter_map(|case| case.closed_at);
        closed.filter(|at| stood(*at)).count()
    }
}

/// All at which a fault shows: its element, what it is built into, what it touches, and the sites of
/// these.
fn reach(inventory: &Inventory, truth: &Truth) -> BTreeSet<ElementId> {
    let element = &truth.fault.element;
    let shown = [element].into_iter().chain(&truth.touched);
    let shown = shown.chain(&truth.sites_out);
    let mut reach: BTreeSet<ElementId> = shown.cloned().collect();
    let nodes: Vec<ElementId> = reach
        .iter()
        .map(|id| inventory.node_of(id).clone())
        .collect();
    reach.extend(nodes);
    reach
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use domain::cause::Cause;
    use network::Fault;

    fn at(s: f64) -> Timestamp {
        Timestamp::default().plus_s(s)
    }

    fn suspicion(target: &str, cause: Cause) -> Suspicion {
        Suspicion {
            target: ElementId::new(target),
            cause,
        }
    }

    fn truth(mended: Option<f64>) -> Truth {
        Truth {
            fault: Fault {
                kind: Cause::Interference,
                element: ElementId::new("cell:a/1"),
                at: at(100.0),
            },
            sites_out: BTreeSet::new(),
            touched: ["cell:a/1", "cell:b/1"].map(ElementId::new).into(),
            repaired_at: mended.map(at),
            restored_at: mended.map(at),
        }
    }

    fn case(located: &Suspicion, opened: f64, closed: Option<f64>) -> Investigation {
        Investigation {
            opened_at: at(opened),
            sites: BTreeSet::new(),
            suspects: vec![located.clone()],
            located: Some((at(opened + 60.0), located.clone())),
            closed_at: closed.map(at),
        }
    }

    /// Another cell that hears the same disturber is a wrong finding about it, and closing it while
    /// the disturber transmits is a failure of verification.
    #[test]
    fn a_case_closed_while_its_cause_stands_is_counted() {
        let wrong = suspicion("cell:b/1", Cause::Interference);
        let right = suspicion("cell:a/1", Cause::Interference);
        let far = suspicion("cell:z/9", Cause::Interference);
        let cases = [
            case(&wrong, 200.0, Some(900.0)),
            case(&far, 250.0, Some(300.0)),
            case(&right, 1_000.0, Some(5_000.0)),
        ];
        let (truth, inventory) = (truth(Some(4_000.0)), Inventory::default());
        let about = FaultFindings::about(&inventory, &truth, &cases);
        assert_eq!(about.outcome(), TrialOutcome::Right);
        assert_eq!(about.wrong().collect::<Vec<_>>(), [&wrong]);
        assert_eq!(about.located_s(), Some(960.0));
        assert_eq!(about.verification_failures(), 1);
        let first = FaultFindings::about(&inventory, &truth, &cases[..2]);
        assert_eq!(first.outcome(), TrialOutcome::Wrong);
        assert_eq!(first.found(), Some(&wrong));
    }

    #[test]
    fn what_never_ends_was_never_rightly_closed() {
        let right = suspicion("cell:a/1", Cause::Interference);
        let (truth, cases) = (truth(None), [case(&right, 200.0, Some(900.0))]);
        let inventory = Inventory::default();
        let about = FaultFindings::about(&inventory, &truth, &cases);
        assert_eq!(about.verification_failures(), 1);
        let nothing = FaultFindings::about(&inventory, &truth, &[]);
        assert_eq!(nothing.outcome(), TrialOutcome::Nothing);
    }
}
