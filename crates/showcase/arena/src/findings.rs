//! What was found about one fault, rightly and wrongly, beside its truth.
//!
//! For agents and people alike: a finding is the cause that a case was concluded with, at first or in
//! the end, and every case counts that concerns anything at which the fault shows. A case that is closed
//! as mended while its cause stands is a failure of verification. Where several faults are judged, a finding counts
//! for one of those that are equal. Refuses to know whether agents or people found it.
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

    /// Those of `cases` that concern each of these faults, which are in the order in which they began. Of faults with
    /// one cause at one element each finding counts for one: the earliest that stood then and had not been found; of
    /// none that stood, the one that ended last. A ticket or a correction acts upon what was found, and counts for
    /// that while it stands.
    pub fn about_each(
        inventory: &Inventory,
        truths: &[&'a Truth],
        cases: &'a [Investigation],
    ) -> Vec<Self> {
        let about = |truth: &'a Truth| Self::about(inventory, truth, cases);
        let mut all: Vec<Self> = truths.iter().copied().map(about).collect();
        let mut found: Vec<&Investigation> =
            cases.iter().filter(|it| it.located.is_some()).collect();
        found.sort_by_key(|case| case.located.as_ref().map(|(at, _)| *at));
        let mut known = BTreeSet::new();
        for case in found {
            let equal: Vec<usize> = (0..all.len()).filter(|at| all[*at].is_by(case)).collect();
            let Some(whose) = whose(&all, &equal, &known, case) else {
                continue;
            };
            known.insert(whose);
            for other in equal.into_iter().filter(|at| *at != whose) {
                all[other].cases.retain(|it| !std::ptr::eq(*it, case));
            }
        }
        all
    }

    /// True if this case concerns it and found it.
    fn is_by(&self, case: &Investigation) -> bool {
        let found = case.located.as_ref().map(|(_, found)| found);
        found == Some(&self.actual) && self.cases.iter().any(|it| std::ptr::eq(*it, case))
    }

    /// True if its cause stands at that time.
    fn stands(&self, at: Timestamp) -> bool {
        self.truth.fault.at <= at && self.truth.repaired_at.is_none_or(|mended| at < mended)
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

    /// Who found that: the party of the task in which it was said; none of what was said in no task.
    pub fn found_by(&self) -> Option<&str> {
        let found = self.found()?;
        let is_it = |case: &&&Investigation| case.located.as_ref().is_some_and(|(_, s)| s == found);
        let mut said = self.cases.iter().filter(is_it);
        match *found == self.actual {
            true => said.next()?.by.as_deref(),
            false => said.next_back()?.by.as_deref(),
        }
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

/// Which of equal faults a case has found, where some are known.
fn whose(
    all: &[FaultFindings<'_>],
    equal: &[usize],
    known: &BTreeSet<usize>,
    case: &Investigation,
) -> Option<usize> {
    let (at, _) = case.located.as_ref()?;
    // A ticket and a correction begin with what they act upon.
    let acts = case.opened_at == *at;
    let standing = equal.iter().copied().filter(|it| all[*it].stands(*at));
    // What is known of two keeps their order.
    let first = standing.min_by_key(|it| known.contains(it) != acts);
    let ended = |it: &usize| (!known.contains(it), all[*it].truth.repaired_at);
    first.or_else(|| equal.iter().copied().max_by_key(ended))
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
            by: None,
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

    /// A fault of that cell from then until it is mended.
    fn cell(began: f64, mended: Option<f64>) -> Truth {
        let mut truth = truth(mended);
        truth.fault.at = at(began);
        truth
    }

    /// The outcomes of these faults, and when each was located.
    fn judged(truths: &[Truth], cases: &[Investigation]) -> Vec<(TrialOutcome, Option<f64>)> {
        let truths: Vec<&Truth> = truths.iter().collect();
        let each = FaultFindings::about_each(&Inventory::default(), &truths, cases);
        let told = each.iter().map(|it| (it.outcome(), it.located_s()));
        told.collect()
    }

    /// Within an hour the second of two equal faults is found, and the first is not by that.
    #[test]
    fn a_finding_counts_for_the_one_fault_that_stood_then() {
        use TrialOutcome::{Nothing, Right};
        let right = suspicion("cell:a/1", Cause::Interference);
        let faults = [cell(100.0, Some(1_000.0)), cell(2_000.0, Some(5_000.0))];
        // It is opened at 2100 and located a minute later.
        let second = case(&right, 2_100.0, None);
        let outcome = judged(&faults, std::slice::from_ref(&second));
        assert_eq!(outcome, [(Nothing, None), (Right, Some(160.0))]);
        let first = case(&right, 200.0, None);
        let both = [first, second.clone()];
        let outcome = judged(&faults, &both);
        assert_eq!(outcome, [(Right, Some(160.0)), (Right, Some(160.0))]);
        // One that was asked for before the second began is of the first, however late it is concluded.
        let mut late = case(&right, 900.0, None);
        late.located = Some((at(2_500.0), right.clone()));
        assert_eq!(
            judged(&faults, &[late]),
            [(Right, Some(2_400.0)), (Nothing, None)]
        );
        // When none stands any more, it is of the one that ended last.
        let after = case(&right, 5_100.0, None);
        let faults = [cell(2_500.0, Some(4_000.0)), cell(4_500.0, Some(5_000.0))];
        assert_eq!(
            judged(&faults, &[after]),
            [(Nothing, None), (Right, Some(660.0))]
        );
    }

    #[test]
    fn of_two_that_stand_together_each_finding_counts_for_one_and_a_ticket_for_what_was_found() {
        use TrialOutcome::{Nothing, Right};
        let right = suspicion("cell:a/1", Cause::Interference);
        let faults = [cell(100.0, None), cell(150.0, None)];
        let diagnosis = case(&right, 200.0, None);
        let mut ticket = case(&right, 300.0, None);
        ticket.located = Some((at(300.0), right.clone()));
        let acted = [diagnosis.clone(), ticket.clone()];
        let outcome = judged(&faults, &acted);
        assert_eq!(outcome, [(Right, Some(160.0)), (Nothing, None)]);
        let again = [diagnosis, ticket, case(&right, 400.0, None)];
        let outcome = judged(&faults, &again);
        assert_eq!(outcome, [(Right, Some(160.0)), (Right, Some(310.0))]);
    }

    #[test]
    fn who_found_it_is_who_was_right_first() {
        let [wrong, right] =
            ["cell:b/1", "cell:a/1"].map(|cell| suspicion(cell, Cause::Interference));
        let by = |name: &str, case: Investigation| Investigation {
            by: Some(name.to_owned()),
            ..case
        };
        let cases = [
            by("ann", case(&wrong, 200.0, None)),
            by("wireless", case(&right, 300.0, None)),
            by("ann", case(&right, 400.0, None)),
        ];
        let (truth, inventory) = (truth(None), Inventory::default());
        let about = FaultFindings::about(&inventory, &truth, &cases);
        assert_eq!(about.found_by(), Some("wireless"));
        let wrongly = FaultFindings::about(&inventory, &truth, &cases[..1]);
        assert_eq!(wrongly.found_by(), Some("ann"));
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
