//! The result of a complaint: what was found, by whom, and what its writer is told.
//!
//! A result of the other province is passed on in the name of this one. Refuses to know where a cause
//! lies ([`super::finding`]) and how it is put into words ([`super::phrases`]). Read next:
//! [`crate::payloads::complaint`], the result as a payload.

use super::case::{Case, Part, Which};
use super::finding::finding;
use super::phrases;
use crate::payloads::complaint::{ComplaintBoundary, SubTicket, TicketResult};
use domain::time::Timestamp;

/// The result of a case.
pub(super) fn result(case: &Case, now: Timestamp) -> TicketResult {
    match (&case.forward, &case.forwarded_to) {
        (Part::Forwarded(there), Some(to)) => forwarded(case, there, to),
        (_, Some(to)) => unreached(case, to),
        _ => own(case, now),
    }
}

fn base(case: &Case) -> TicketResult {
    TicketResult {
        ticket_id: case.ticket.ticket_id.clone(),
        in_progress: false,
        boundary: ComplaintBoundary::Unknown,
        responsible: None,
        element: None,
        cause: None,
        forwarded_to: case.forwarded_to.clone(),
        sub_tickets: parts(case),
        answer: String::new(),
        chinese: case.ticket.chinese,
        resolved_at: None,
    }
}

fn parts(case: &Case) -> Vec<SubTicket> {
    let part = |which: Which| {
        let description = match case.seen(which) {
            Part::NotAsked => return None,
            Part::Asked { .. } => "asked".to_owned(),
            Part::Checked(result) => result.quality.as_str().to_owned(),
            Part::Forwarded(result) => result.boundary.as_str().to_owned(),
            Part::Silent(why) => format!("no answer: {why}"),
        };
        Some(SubTicket {
            ticket_id: format!("{}/{}", case.ticket.ticket_id, which.as_str()),
            domain: which.domain().to_owned(),
            description,
        })
    };
    Which::ALL.into_iter().filter_map(part).collect()
}

fn own(case: &Case, now: Timestamp) -> TicketResult {
    let finding = finding(case);
    let blamed = finding.blamed.as_ref();
    let lasting = blamed.is_some_and(|b| b.until.is_none() && b.since.is_some());
    TicketResult {
        in_progress: lasting && finding.boundary == ComplaintBoundary::OwnDomain,
        boundary: finding.boundary,
        responsible: finding.responsible.map(str::to_owned),
        element: blamed.and_then(|b| b.element.clone()),
        cause: blamed.and_then(|b| b.cause),
        resolved_at: blamed
            .filter(|b| !b.weak_coverage)
            .and_then(|b| b.until)
            .filter(|at| *at <= now),
        answer: phrases::answer(&finding, &case.account, case.missing(), case.ticket.chinese),
        ..base(case)
    }
}

/// The other province's answer, in the name of this one.
fn forwarded(case: &Case, there: &TicketResult, province: &str) -> TicketResult {
    let boundary = match there.boundary {
        ComplaintBoundary::OwnDomain | ComplaintBoundary::OtherDomain => {
            ComplaintBoundary::OtherDomain
        }
        other => other,
    };
    let answer = match boundary {
        ComplaintBoundary::OtherDomain | ComplaintBoundary::Unknown => {
            phrases::from_elsewhere(province, &there.answer, case.ticket.chinese)
        }
        _ => there.answer.clone(),
    };
    TicketResult {
        in_progress: there.in_progress,
        boundary,
        responsible: there.responsible.clone(),
        element: there.element.clone(),
        cause: there.cause,
        resolved_at: there.resolved_at,
        answer,
        ..base(case)
    }
}

/// The other province did not answer.
fn unreached(case: &Case, province: &str) -> TicketResult {
    TicketResult {
        in_progress: true,
        boundary: ComplaintBoundary::OtherDomain,
        responsible: Some("Service".to_owned()),
        answer: phrases::unreached(province, case.ticket.chinese),
        ..base(case)
    }
}
