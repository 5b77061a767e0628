//! The one measure of all policies: commitments compared with what was truly broken.
//!
//! The same definitions hold for agents, people and yardsticks, and for both instants: *which*
//! commitment is looked at (the first that concerns a fault) and *when* it is judged (the instant
//! at which it was made). Knows no policy. Read next: [`crate::tuning`], which tunes by it.

use crate::commitment::{Commitment, CommitmentKind};
use crate::consequences::{Consequences, ElementNumber};
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind};
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// The time after something has ended within which a commitment to it is still right, in seconds:
/// its alarms were delivered and weighed while it lasted.
pub const GRACE_S: f64 = 900.0;
/// The time after service is back within which a wrong commitment still concerns a fault, in seconds.
pub const AFTERMATH_S: f64 = 3_600.0;
/// The time within which the same words are no further statement, in seconds.
pub const REPEATED_S: f64 = 14_400.0;

/// Something that was truly broken.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownTrouble {
    /// The element.
    pub element: ElementId,
    /// The cause; none for a small trouble of the network, which is no fault and has no name.
    pub cause: Option<Cause>,
    /// The instant at which it began.
    pub from: Timestamp,
    /// The instant at which it was repaired, or ended by itself.
    pub until: Option<Timestamp>,
    /// The instant at which service was back.
    pub restored: Option<Timestamp>,
    /// The nodes whose users or customers it touched.
    pub area: BTreeSet<ElementId>,
    /// True if users were touched: such a fault is to be found.
    pub counts: bool,
}

/// What a commitment was worth at the instant at which it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    /// The element had failed of that cause: the fault by its place among the known troubles.
    Right(usize),
    /// The element had a small trouble, which is no fault.
    RealTrouble,
    /// Neither.
    Wrong,
}

/// The commitments of a policy, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitmentCounts {
    /// Statements, each once however often repeated within [`REPEATED_S`].
    pub statements: u32,
    /// Those of them that were right.
    pub right: u32,
    /// Those of them that concerned a small trouble, which is no fault.
    pub real_troubles: u32,
    /// Wrong diagnoses, repeated ones too.
    pub wrong_diagnoses: u32,
    /// Wrong interventions, repeated ones too.
    pub wrong_interventions: u32,
    /// Wrong tickets, repeated ones and those corrected later too.
    pub wrong_tickets: u32,
}

impl CommitmentCounts {
    /// Statements that were neither right nor of a small trouble.
    pub fn wrong(&self) -> u32 {
        self.statements - self.right - self.real_troubles
    }

    /// The share of statements that were right, 0 to 1; none of no statement.
    pub fn precision(&self) -> Option<f64> {
        (self.statements > 0).then(|| f64::from(self.right) / f64::from(self.statements))
    }
}

/// The truth about a run, ready to be compared with commitments.
#[derive(Clone, Copy, Debug)]
pub struct Measure<'a> {
    graph: &'a Consequences,
    troubles: &'a [KnownTrouble],
}

impl<'a> Measure<'a> {
    /// The measure of a run in which these were broken.
    pub fn new(graph: &'a Consequences, troubles: &'a [KnownTrouble]) -> Self {
        Self { graph, troubles }
    }

    /// What was broken.
    pub fn troubles(&self) -> &'a [KnownTrouble] {
        self.troubles
    }

    /// What a commitment was worth when it was made.
    pub fn worth(&self, commitment: &Commitment) -> Worth {
        let lasted = |t: &&KnownTrouble| {
            let over = t.until.map(|until| until.plus_s(GRACE_S));
            t.from <= commitment.at && over.is_none_or(|over| commitment.at <= over)
        };
        let right =
            |t: &KnownTrouble| t.cause == Some(commitment.cause) && t.element == commitment.element;
        let mut known = self.troubles.iter().enumerate();
        if let Some((place, _)) = known.find(|(_, t)| lasted(t) && right(t)) {
            return Worth::Right(place);
        }
        let small = self.troubles.iter().filter(|t| t.cause.is_none());
        let mut lasting = small.filter(lasted);
        match lasting.any(|t| self.is_at(commitment, &t.element)) {
            true => Worth::RealTrouble,
            false => Worth::Wrong,
        }
    }

    /// True if a commitment names the element, something built into it, or a module of it.
    fn is_at(&self, commitment: &Commitment, element: &ElementId) -> bool {
        let link = self.graph.inventory().links.get(element);
        let modules = link.map(|link| [&link.optic_a, &link.optic_b]);
        commitment.element == *element
            || modules.is_some_and(|modules| modules.contains(&&commitment.element))
            || (self.kind(element) == Some(ElementKind::Site)
                && self.graph.inventory().node_of(&commitment.element) == element)
    }

    fn kind(&self, element: &ElementId) -> Option<ElementKind> {
        self.graph.inventory().element(element).map(|e| e.kind)
    }

    /// True if a commitment concerns the fault with this place: it is right about it; or it is right
    /// about nothing, was made while the fault lasted or soon after, and names its element, one
    /// beside it, something of the same node, or something whose failure would explain what the
    /// fault took out.
    pub fn concerns(&self, commitment: &Commitment, place: usize) -> bool {
        match self.worth(commitment) {
            Worth::Right(other) => other == place,
            Worth::RealTrouble => false,
            Worth::Wrong => self.could_be_about(commitment, &self.troubles[place]),
        }
    }

    fn could_be_about(&self, commitment: &Commitment, fault: &KnownTrouble) -> bool {
        let over = fault.restored.map(|at| at.plus_s(AFTERMATH_S));
        let in_time = commitment.at >= fault.from && over.is_none_or(|over| commitment.at <= over);
        let numbers = [&commitment.element, &fault.element].map(|id| self.graph.number(id));
        let [Some(named), Some(failed)] = numbers else {
            return in_time && commitment.element == fault.element;
        };
        let in_area = |n: ElementNumber| fault.area.contains(self.graph.element(n));
        let explains = || {
            let dependent = self.graph.dependent(named).iter();
            dependent.copied().any(in_area) || in_area(self.graph.node(named))
        };
        in_time
            && (self.graph.node(named) == self.graph.node(failed)
                || self.graph.needs(named).contains(&failed)
                || self.graph.needs(failed).contains(&named)
                || explains())
    }

    /// The commitments that concern a fault, in order of time, each statement once; at most `most`.
    pub fn about<'c>(
        &self,
        place: usize,
        commitments: &'c [Commitment],
        most: usize,
    ) -> Vec<&'c Commitment> {
        let mut said: Vec<&Commitment> = Vec::new();
        for commitment in commitments {
            if said.len() >= most {
                break;
            }
            let new = !said.iter().any(|earlier| earlier.says_as(commitment));
            if new && self.concerns(commitment, place) {
                said.push(commitment);
            }
        }
        said
    }

    /// True if the first commitment that concerns a fault is right about it, element and cause.
    pub fn named_first(&self, place: usize, commitments: &[Commitment]) -> bool {
        let first = self.about(place, commitments, 1);
        first
            .first()
            .is_some_and(|first| self.worth(first) == Worth::Right(place))
    }

    /// The instant of the first right commitment to a fault.
    pub fn located(&self, place: usize, commitments: &[Commitment]) -> Option<Timestamp> {
        let right = commitments
            .iter()
            .find(|commitment| self.worth(commitment) == Worth::Right(place));
        right.map(|commitment| commitment.at)
    }

    /// The commitments counted; they must be in order of time.
    pub fn count(&self, commitments: &[Commitment]) -> CommitmentCounts {
        let mut counts = CommitmentCounts::default();
        for (place, commitment) in commitments.iter().enumerate() {
            let worth = self.worth(commitment);
            let repeats = |earlier: &Commitment| {
                let soon = commitment.at.seconds_since(earlier.at) <= REPEATED_S;
                soon && earlier.says_as(commitment)
            };
            if !commitments[..place].iter().any(repeats) {
                counts.statements += 1;
                counts.right += u32::from(matches!(worth, Worth::Right(_)));
                counts.real_troubles += u32::from(worth == Worth::RealTrouble);
            }
            let of_kind = match commitment.kind {
                CommitmentKind::Diagnosis => &mut counts.wrong_diagnoses,
                CommitmentKind::Intervention => &mut counts.wrong_interventions,
                CommitmentKind::Ticket => &mut counts.wrong_tickets,
            };
            *of_kind += u32::from(worth == Worth::Wrong);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::{self, at, id};
    use proptest::prelude::*;

    fn says(s: f64, element: &str, cause: Cause) -> Commitment {
        Commitment::diagnosis(at(s), id(element), cause)
    }

    fn troubles() -> Vec<KnownTrouble> {
        let trouble = |element: &str, cause, from: f64, until: f64| KnownTrouble {
            element: id(element),
            cause,
            from: at(from),
            until: Some(at(until)),
            restored: Some(at(until)),
            area: BTreeSet::new(),
            counts: cause.is_some(),
        };
        let mut duct = trouble("duct:d", Some(Cause::DuctCut), 100.0, 5_000.0);
        duct.area = [id("site:1"), id("site:2")].into();
        let cell = trouble("cell:3/1", Some(Cause::CellHardwareFailure), 100.0, 5_000.0);
        vec![duct, cell, trouble("site:4", None, 200.0, 900.0)]
    }

    #[test]
    fn the_first_commitment_that_concerns_a_fault_decides() {
        let (graph, troubles) = (invented::town(), troubles());
        let measure = Measure::new(&graph, &troubles);
        let wrong = says(300.0, "link:R-1", Cause::FibreCut);
        let right = says(400.0, "duct:d", Cause::DuctCut);
        let cell = says(350.0, "cell:3/1", Cause::CellHardwareFailure);
        assert!(measure.named_first(0, &[right.clone(), wrong.clone()]));
        assert!(!measure.named_first(0, &[wrong.clone(), right.clone()]));
        // What is right about another fault is not about this one, wherever it points.
        assert!(measure.named_first(0, &[cell, right.clone()]));
        assert!(!measure.named_first(0, &[]), "never is wrong");
        assert_eq!(measure.located(0, &[wrong, right]), Some(at(400.0)));
    }

    #[test]
    fn what_explains_the_sites_out_is_about_the_fault_and_what_is_elsewhere_is_not() {
        let (graph, troubles) = (invented::town(), troubles());
        let measure = Measure::new(&graph, &troubles);
        let concerns = |s: f64, element: &str, cause| measure.concerns(&says(s, element, cause), 0);
        assert!(concerns(300.0, "zone:a", Cause::MainsFailure));
        assert!(concerns(300.0, "cell:1/2", Cause::Misconfiguration));
        assert!(!concerns(300.0, "card:R/2", Cause::CardFailure));
        assert!(!concerns(50.0, "zone:a", Cause::MainsFailure), "before it");
        assert!(
            !concerns(9_000.0, "zone:a", Cause::MainsFailure),
            "long after"
        );
    }

    #[test]
    fn statements_are_counted_once_and_acts_each_time() {
        let (graph, troubles) = (invented::town(), troubles());
        let measure = Measure::new(&graph, &troubles);
        let ticket = |s, element: &str, cause| Commitment {
            kind: CommitmentKind::Ticket,
            ..says(s, element, cause)
        };
        let counts = measure.count(&[
            says(300.0, "duct:d", Cause::DuctCut),
            ticket(310.0, "duct:d", Cause::DuctCut),
            ticket(400.0, "card:R/2", Cause::CardFailure),
            ticket(500.0, "card:R/2", Cause::CardFailure),
            ticket(600.0, "site:4", Cause::MainsFailure),
            says(700.0, "cell:3/1", Cause::Misconfiguration),
        ]);
        let expected = CommitmentCounts {
            statements: 4,
            right: 1,
            real_troubles: 1,
            wrong_diagnoses: 1,
            wrong_interventions: 0,
            wrong_tickets: 2,
        };
        assert_eq!((counts, counts.wrong()), (expected, 2));
        assert_eq!(counts.precision(), Some(0.25));
    }

    proptest! {
        /// Wherever and whenever it points: each statement is right, of real trouble or wrong, and
        /// a fault that was named first was located.
        #[test]
        fn counts_add_up(said in prop::collection::vec((0usize..40, 0usize..10, 0u32..9_000), 0..30)) {
            let (graph, troubles) = (invented::town(), troubles());
            let measure = Measure::new(&graph, &troubles);
            let mut said: Vec<Commitment> = said.into_iter().map(|(element, cause, s)| {
                let element = graph.element(element % graph.len()).clone();
                Commitment::diagnosis(at(f64::from(s)), element, Cause::ALL[cause])
            }).collect();
            said.sort_by_key(|c| c.at);
            let counts = measure.count(&said);
            prop_assert!(counts.right + counts.real_troubles <= counts.statements);
            prop_assert!(counts.wrong() <= counts.wrong_diagnoses);
            for place in 0..2 {
                prop_assert!(!measure.named_first(place, &said) || measure.located(place, &said).is_some());
            }
        }
    }
}
