//! The findings about faults, in a form common to agents and people.
//!
//! They are read from the record of tasks of agents, and from the journal of people
//! ([`agents::practice`]); both are compared with the truth in the same way. Knows neither energy
//! nor users. Read next: [`super`].

use crate::referee::remedied_cause;
use agents::payloads::Schema;
use agents::payloads::compensation::Compensation;
use agents::payloads::diagnosis::{Diagnosis, DiagnosisResult, Suspicion};
use agents::payloads::repair::Repair;
use agents::practice::journal::{CaseRecord, Journal};
use domain::cause::Cause;
use domain::inventory::{ElementId, Inventory};
use domain::task::{Status, Task};
use domain::time::Timestamp;
use network::Truth;
use std::collections::BTreeSet;
use std::sync::Arc;

/// An investigation of a fault: a requested diagnosis, a ticket, an entry of a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Investigation {
    /// The instant at which work on it began.
    pub opened_at: Timestamp,
    /// The sites concerned.
    pub sites: BTreeSet<ElementId>,
    /// The suspected causes, likeliest first.
    pub suspects: Vec<Suspicion>,
    /// Who concluded it: the executor of a diagnosis, the publisher of a ticket; none of what is no task.
    pub by: Option<String>,
    /// The final diagnosis, with its instant.
    pub located: Option<(Timestamp, Suspicion)>,
    /// The instant at which it was closed as repaired.
    pub closed_at: Option<Timestamp>,
}

/// The findings about a fault, compared with its truth. Times are in seconds from the fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InvestigationScore {
    /// Time until work on it began.
    pub detected_s: Option<f64>,
    /// Time until its true cause was diagnosed.
    pub located_s: Option<f64>,
    /// Time until its case was closed.
    pub restored_s: Option<f64>,
    /// The rank of the true cause among the suspects when work began, from 1.
    pub rank: Option<usize>,
    /// The first suspect.
    pub blamed: Option<Suspicion>,
}

/// The time after restoration of service within which cases still concern a fault, in seconds.
const AFTERMATH_S: f64 = 3_600.0;

/// The cases in the tasks of agents and in their remote corrections: a correction of an element's
/// parameter counts as a diagnosis.
pub fn of_tasks(tasks: &[Arc<Task>], remedies: &[(Timestamp, ElementId)]) -> Vec<Investigation> {
    let of_tasks = tasks.iter().filter_map(|task| of_task(task));
    let mut cases: Vec<Investigation> = of_tasks.chain(remedies.iter().map(of_remedy)).collect();
    cases.sort_by_key(|case| case.opened_at);
    cases
}

fn of_remedy((at, element): &(Timestamp, ElementId)) -> Investigation {
    let blamed = Suspicion {
        target: element.clone(),
        cause: remedied_cause(element),
    };
    Investigation {
        opened_at: *at,
        sites: BTreeSet::new(),
        suspects: vec![blamed.clone()],
        by: None,
        located: Some((*at, blamed)),
        closed_at: None,
    }
}

fn of_task(task: &Task) -> Option<Investigation> {
    if let Some(order) = Diagnosis::in_content(&task.content) {
        let result = task.result.as_ref().and_then(DiagnosisResult::in_content);
        let located = result.filter(|r| r.confirmed).and_then(|r| {
            let (target, cause) = (r.root_cause?, r.cause?);
            Some((task.changed_at, Suspicion { target, cause }))
        });
        // Whoever asks whether the way to a site is all right suspects nothing yet.
        let is_of_its_kind = |s: &Suspicion| {
            let kind = s.target.as_str().split(':').next();
            kind == Some(s.cause.strikes().as_str())
        };
        let suspects = std::iter::once(order.suspicion).chain(order.alternatives);
        let suspects = suspects.filter(is_of_its_kind);
        return Some(Investigation {
            opened_at: task.created_at,
            sites: order.sites,
            suspects: suspects.collect(),
            by: Some(task.to.clone()),
            located,
            closed_at: None,
        });
    }
    if let Some(order) = Compensation::in_content(&task.content) {
        // Whoever has users served by others has seen that something is wrong, and no more.
        return Some(Investigation {
            opened_at: task.created_at,
            sites: order.sites,
            suspects: Vec::new(),
            by: None,
            located: None,
            closed_at: None,
        });
    }
    let repair = Repair::in_content(&task.content)?;
    // A ticket's own part at the copilot says the same again.
    if task.conditions.parent.is_some() {
        return None;
    }
    let blamed = Suspicion {
        target: repair.element,
        cause: repair.cause,
    };
    Some(Investigation {
        opened_at: task.created_at,
        sites: repair.affected_sites,
        suspects: vec![blamed.clone()],
        by: Some(task.from.clone()),
        located: Some((task.created_at, blamed)),
        closed_at: (task.status == Status::Finished).then_some(task.changed_at),
    })
}

/// The cases in the journal of people, without those that ended before work began.
pub(super) fn of_journal(journal: &Journal) -> Vec<Investigation> {
    let suspicion = |(target, cause): &(ElementId, Cause)| Suspicion {
        target: target.clone(),
        cause: *cause,
    };
    let of_record = |record: &CaseRecord| {
        Some(Investigation {
            opened_at: record.opened_at?,
            sites: record.sites.clone(),
            suspects: record.blamed.iter().map(suspicion).collect(),
            by: None,
            located: record
                .located_at
                .zip(record.located.as_ref().map(suspicion)),
            closed_at: record.closed_at,
        })
    };
    let mut cases: Vec<Investigation> = journal.cases.iter().filter_map(of_record).collect();
    cases.sort_by_key(|case| case.opened_at);
    cases
}

/// The findings of `cases` about one fault.
pub fn found(inventory: &Inventory, truth: &Truth, cases: &[Investigation]) -> InvestigationScore {
    let actual = Suspicion {
        target: truth.fault.element.clone(),
        cause: truth.fault.kind,
    };
    let began = truth.fault.at;
    let over = truth.restored_at.map(|at| at.plus_s(AFTERMATH_S));
    let touched = |case: &&Investigation| {
        let in_time = case.opened_at >= began && over.is_none_or(|over| case.opened_at <= over);
        in_time && concerns(inventory, truth, case)
    };
    let about: Vec<&Investigation> = cases.iter().filter(touched).collect();
    let since = |at: Timestamp| at.seconds_since(began);
    let is_right =
        |case: &&&Investigation| case.located.as_ref().is_some_and(|(_, s)| *s == actual);
    let located = about.iter().filter(is_right);
    let located = located.filter_map(|c| c.located.as_ref().map(|(at, _)| *at));
    let closed = about.iter().filter(is_right).filter_map(|c| c.closed_at);
    let first = about.iter().find(|case| !case.suspects.is_empty());
    InvestigationScore {
        detected_s: about.iter().map(|c| since(c.opened_at)).reduce(f64::min),
        located_s: located.min().map(since),
        restored_s: closed.min().map(since),
        blamed: first.and_then(|c| c.suspects.first().cloned()),
        rank: first.and_then(|c| {
            c.suspects
                .iter()
                .position(|s| *s == actual)
                .map(|at| at + 1)
        }),
    }
}

/// True if a case concerns the sites that a fault took out, its element, or a part of the node that
/// contains its element.
fn concerns(inventory: &Inventory, truth: &Truth, case: &Investigation) -> bool {
    let element = &truth.fault.element;
    let node = inventory.node_of(element);
    let named = |s: &Suspicion| s.target == *element || s.target == *node;
    !case.sites.is_disjoint(&truth.sites_out)
        || case.sites.contains(node)
        || case.suspects.iter().any(named)
        || case.located.as_ref().is_some_and(|(_, s)| named(s))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use network::Fault;

    fn at(s: f64) -> Timestamp {
        Timestamp::default().plus_s(s)
    }

    fn id(text: &str) -> ElementId {
        ElementId::new(text)
    }

    fn suspect(target: &str) -> Suspicion {
        Suspicion::usual(id(target))
    }

    fn truth() -> Truth {
        Truth {
            fault: Fault {
                kind: Cause::FibreCut,
                element: id("link:x"),
                at: at(100.0),
            },
            sites_out: [id("site:1"), id("site:2")].into(),
            touched: BTreeSet::new(),
            repaired_at: Some(at(5_000.0)),
            restored_at: Some(at(5_100.0)),
        }
    }

    fn case(opened: f64, suspects: &[&str], located: Option<f64>) -> Investigation {
        Investigation {
            opened_at: at(opened),
            sites: [id("site:1")].into(),
            suspects: suspects.iter().map(|s| suspect(s)).collect(),
            by: None,
            located: located.map(|s| (at(s), suspect(suspects[0]))),
            closed_at: located.map(|s| at(s + 1_000.0)),
        }
    }

    #[test]
    fn a_fault_is_found_by_the_cases_that_are_about_it() {
        let inventory = Inventory::default();
        let cases = [
            case(50.0, &["link:x"], Some(60.0)),
            case(400.0, &["card:y", "link:x"], Some(900.0)),
            case(1_500.0, &["link:x"], Some(1_600.0)),
            case(9_999.0, &["link:x"], Some(9_999.0)),
        ];
        let found = found(&inventory, &truth(), &cases);
        assert_eq!(
            found,
            InvestigationScore {
                detected_s: Some(300.0),
                located_s: Some(1_500.0),
                restored_s: Some(2_500.0),
                rank: Some(2),
                blamed: Some(suspect("card:y")),
            }
        );
    }

    #[test]
    fn what_nobody_looked_at_is_not_found() {
        let other = Investigation {
            sites: [id("site:9")].into(),
            ..case(200.0, &["card:y"], Some(300.0))
        };
        let found = found(&Inventory::default(), &truth(), &[other]);
        assert_eq!(found, InvestigationScore::default());
    }
}
