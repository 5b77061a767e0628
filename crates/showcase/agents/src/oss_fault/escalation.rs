//! Cases that need people: said, written down as a ticket, and tried again.
//!
//! A case is escalated when every hypothesis is refuted, when nobody agrees to diagnose or repair
//! it, or when a repair did not help. The ticket is a task of its own at whoever keeps tickets, so
//! that the case is not lost with this agent's memory. It ends when the case does: alarms that
//! clear, or a later attempt that succeeds, cancel it; after a day the platform ends it. Read next:
//! [`super::case`], [`crate::trouble_ticket`].

use super::case::{Escalation, FaultCase, Phase};
use super::post::Purpose;
use super::{OssFault, Timer};
use crate::payloads::Schema;
use crate::payloads::ticket::{RelatedEntities, TicketKind, TicketOrder, TicketSeverity};
use crate::wording::counted;
use domain::agent::{Message, Output};
use domain::content::Content;
use domain::profile::Layer;
use domain::task::Conditions;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::BTreeSet;

/// Seconds until an escalated case is looked at again: what could not be measured may answer by
/// then.
const AGAIN_S: f64 = 3_600.0;
/// The number of times that an escalated case is put to the test anew.
const AGAIN_MAX: u32 = 3;
/// Seconds after which an escalation ends, worked or not.
const LONGEST_S: f64 = 86_400.0;

impl OssFault {
    /// Gives a case to people.
    pub(super) fn escalate(&mut self, number: u64, why: String, now: Timestamp) -> Vec<Output> {
        let mut outputs = vec![Output::Note(format!("Case {number} needs people: {why}"))];
        let Some(case) = self.case(number) else {
            return outputs;
        };
        case.end(Phase::Escalated, now);
        let again = case.retries < AGAIN_MAX || case.escalation.is_some();
        if case.escalation.is_none() {
            outputs.extend(self.open_escalation(number, &why, now));
        }
        if again {
            outputs.push(self.wake(Timer::Again(number), now.plus_s(AGAIN_S)));
        }
        outputs
    }

    fn open_escalation(&mut self, number: u64, why: &str, now: Timestamp) -> Option<Output> {
        let to = self
            .context
            .colleague(TicketOrder::ID, Layer::Service, None)?;
        let case = self.cases.iter().find(|c| c.number == number)?;
        let element = match (&case.root, case.ranked.first()) {
            (Some((element, _)), _) => element.clone(),
            (None, Some(best)) => self.correlator.candidate(best.index).element.clone(),
            (None, None) => return None,
        };
        let order = TicketOrder {
            name: format!(
                "Case {number}: {} out of service",
                counted(case.sites.len(), "site", "sites")
            ),
            severity: severity(case),
            related: RelatedEntities {
                suspected: std::iter::once(element.clone())
                    .chain(case.tried.iter().filter(|e| **e != element).cloned())
                    .collect(),
                affected: case.sites.clone(),
            },
            notes: vec![why.to_owned()],
            ..TicketOrder::of(TicketKind::Escalation)
        };
        let words = format!("Case {number} needs people: {why}");
        let content = Content::new(element.as_str(), words).with_payload(order.to_payload());
        let task = self.task_about("escalation", element.as_str());
        if let Some(case) = self.case(number) {
            case.escalation = Some(Escalation {
                task: task.clone(),
                to: to.clone(),
            });
        }
        let message = Message {
            conditions: Conditions {
                deadline: Some(now.plus_s(LONGEST_S)),
                ..Conditions::default()
            },
            ..Message::new(to, Verb::TaskAssign, task, content)
        };
        Some(self.send(Purpose::Escalation(number), message))
    }

    /// An escalated case is looked at again: it is over, or put to the test anew, or left to
    /// people.
    pub(super) fn again(&mut self, number: u64, now: Timestamp) -> Vec<Output> {
        let evidence = self.events.evidence(now);
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        if case.phase != Phase::Escalated {
            return Vec::new();
        }
        let stands = |k| evidence.noticed(k).is_some();
        if !case.explains.iter().any(stands) {
            return self.close(number, "its alarms have cleared", now);
        }
        if case.retries < AGAIN_MAX {
            case.retries += 1;
            case.reopen(now);
            let words = format!("Case {number} still stands and is put to the test again");
            let mut outputs = vec![Output::Note(words)];
            outputs.extend(self.weigh_soon(now));
            return outputs;
        }
        let since = case.opened_at;
        match now.seconds_since(since) < LONGEST_S {
            true => vec![self.wake(Timer::Again(number), now.plus_s(AGAIN_S))],
            false => Vec::new(),
        }
    }

    /// Ends the ticket of a case that is over.
    pub(super) fn withdraw(&mut self, number: u64, why: &str) -> Option<Output> {
        let Escalation { task, to } = self.case(number)?.escalation.take()?;
        let content = Content::new(task.as_str(), format!("No longer needed: {why}"));
        Some(self.send(
            Purpose::Word,
            Message::new(to, Verb::TaskCancel, task, content),
        ))
    }

    /// Drops what was only settling and is no longer seen and so has ended by itself.
    pub(super) fn forget_unseen(&mut self, seen: &BTreeSet<u64>, now: Timestamp) -> Vec<Output> {
        let unseen = |c: &&FaultCase| c.phase == Phase::Settling && !seen.contains(&c.number);
        let escalated = self.cases.iter().filter(unseen);
        let escalated = escalated.filter(|c| c.escalation.is_some());
        let numbers: Vec<u64> = escalated.map(|c| c.number).collect();
        let closed = numbers.into_iter();
        let outputs = closed.flat_map(|n| self.close(n, "its alarms have cleared", now));
        let outputs = outputs.collect();
        self.cases
            .retain(|c| c.phase != Phase::Settling || seen.contains(&c.number));
        outputs
    }
}

/// The severity: by the sites that are out.
fn severity(case: &FaultCase) -> TicketSeverity {
    match case.sites.len() {
        0 => TicketSeverity::Minor,
        1..=9 => TicketSeverity::Major,
        _ => TicketSeverity::Critical,
    }
}
