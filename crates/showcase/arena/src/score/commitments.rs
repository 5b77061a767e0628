//! What agents and people committed to, in the one form that is measured of every policy.
//!
//! A suspicion that is only to be tested is no commitment; a confirmed diagnosis, a ticket, an
//! engineer who is sent and an act upon the network from afar are, whatever becomes of them. Read
//! next: [`yardsticks::measure`].

use agents::payloads::Schema;
use agents::payloads::diagnosis::{Diagnosis, DiagnosisResult};
use agents::payloads::repair::Repair;
use agents::practice::journal::{CaseRecord, DispatchRecord, Journal};
use domain::cause::Cause;
use domain::task::Task;
use std::sync::Arc;
use yardsticks::{Commitment, CommitmentKind};

/// The commitments of agents, in order of time: confirmed diagnoses and trouble tickets in their
/// tasks, and what they did to the network from afar.
pub(super) fn of_tasks(tasks: &[Arc<Task>], interventions: &[Commitment]) -> Vec<Commitment> {
    let of_tasks = tasks.iter().filter_map(|task| of_task(task));
    in_order(of_tasks.chain(interventions.iter().cloned()).collect())
}

fn of_task(task: &Task) -> Option<Commitment> {
    if Diagnosis::in_content(&task.content).is_some() {
        let result = task.result.as_ref().and_then(DiagnosisResult::in_content)?;
        let root = result
            .root_cause
            .zip(result.cause)
            .filter(|_| result.confirmed);
        let (element, cause) = root?;
        return Some(Commitment::diagnosis(task.changed_at, element, cause));
    }
    let repair = Repair::in_content(&task.content)?;
    // A ticket's own part at the copilot says the same again.
    task.conditions.parent.is_none().then_some(Commitment {
        at: task.created_at,
        element: repair.element,
        cause: repair.cause,
        kind: CommitmentKind::Ticket,
    })
}

/// The commitments of people, in order of time: what they located, what they set right, and whom they
/// sent where.
pub(super) fn of_journal(journal: &Journal) -> Vec<Commitment> {
    let of_record = |record: &CaseRecord| {
        let located = record.located_at.zip(record.located.clone());
        let located = located.map(|(at, (element, cause))| Commitment {
            at,
            element,
            cause,
            // A wrong parameter is located by setting it right.
            kind: match cause {
                Cause::Misconfiguration => CommitmentKind::Intervention,
                _ => CommitmentKind::Diagnosis,
            },
        });
        let sent = record.dispatched.iter().map(|sent| ticket(record, sent));
        located.into_iter().chain(sent).collect::<Vec<_>>()
    };
    in_order(journal.cases.iter().flat_map(of_record).collect())
}

/// Somebody who is sent is sent for what their destination is blamed for.
fn ticket(record: &CaseRecord, sent: &DispatchRecord) -> Commitment {
    let mut blamed = record.blamed.iter().rev();
    let blamed = blamed.find(|(element, _)| *element == sent.element);
    Commitment {
        at: sent.at,
        element: sent.element.clone(),
        cause: blamed.map_or_else(|| Cause::usual_of(&sent.element), |(_, cause)| *cause),
        kind: CommitmentKind::Ticket,
    }
}

/// In order of time; of one instant a diagnosis comes before what is done about it.
fn in_order(mut commitments: Vec<Commitment>) -> Vec<Commitment> {
    commitments.sort_by_key(|commitment| (commitment.at, commitment.kind));
    commitments
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::inventory::{Domain, ElementId};
    use domain::time::Timestamp;
    use std::collections::BTreeSet;

    fn at(s: f64) -> Timestamp {
        Timestamp::default().plus_s(s)
    }

    /// Somebody is sent twice before the cause is found on site: both count, at their instants.
    #[test]
    fn people_commit_themselves_when_they_send_and_when_they_locate() {
        let id = |text: &str| ElementId::new(text);
        let sent = |s: f64, element: &str| DispatchRecord {
            at: at(s),
            element: id(element),
            arrived_at: None,
            ended_at: None,
            repaired: None,
        };
        let record = CaseRecord {
            domain: Domain::Wireless,
            place: "Town".to_owned(),
            first_alarm_at: at(0.0),
            opened_at: Some(at(60.0)),
            blamed: vec![
                (id("cell:1/1"), Cause::Misconfiguration),
                (id("cell:1/1"), Cause::CellHardwareFailure),
            ],
            located_at: Some(at(900.0)),
            located: Some((id("cell:1/2"), Cause::Misconfiguration)),
            dispatched: vec![sent(300.0, "cell:1/1"), sent(600.0, "site:1")],
            closed_at: None,
            sites: BTreeSet::new(),
        };
        let journal = Journal {
            cases: vec![record],
            ..Journal::default()
        };
        let told: Vec<(Cause, CommitmentKind)> = of_journal(&journal)
            .into_iter()
            .map(|c| (c.cause, c.kind))
            .collect();
        assert_eq!(
            told,
            [
                (Cause::CellHardwareFailure, CommitmentKind::Ticket),
                (Cause::MainsFailure, CommitmentKind::Ticket),
                (Cause::Misconfiguration, CommitmentKind::Intervention),
            ]
        );
    }
}
