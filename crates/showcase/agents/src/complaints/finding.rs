//! From what the checks say to where the cause lies.
//!
//! | mobile | transport | words | boundary |
//! |---|---|---|---|
//! | – | – | bill, account, tariff | `outside`, unless the vehicle itself was seen to be lost |
//! | – | – | car's modem, SIM | `customer`, likewise |
//! | site or cell failed, mains away | – | – | `own_domain`, Wireless |
//! | site failed | an element that cuts it off | – | `own_domain`, IP |
//! | site or cell failed or impaired | good | – | `own_domain`, Wireless |
//! | any | an element that cuts sites off | – | `own_domain`, IP |
//! | impaired, or seen | a link impaired | slow, late | `own_domain`, IP |
//! | weak coverage | good | – | `coverage` |
//! | good, seen here | good | – | `customer` |
//! | left before, or elsewhere | – | – | `other_domain`, by the other province's answer |
//! | the same, in the other province | – | – | `coverage`: nobody served it at the border |
//! | nothing | nothing | – | `unknown` |
//!
//! Read next: [`super::phrases`].

use super::case::{Case, Part, Which};
use super::phrases;
use super::reader::matter::OtherMatter;
use crate::payloads::complaint::{ComplaintBoundary, SubTicket, TicketResult};
use crate::payloads::quality::{Quality, QualityResult};
use domain::cause::Cause;
use domain::time::Timestamp;

/// The place of the cause, as far as it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct ComplaintFinding {
    /// The side of the boundary.
    pub boundary: ComplaintBoundary,
    /// The party that has to act.
    pub responsible: Option<&'static str>,
    /// The finding, by whoever found it.
    pub blamed: Option<QualityResult>,
}

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

/// The place of the cause.
fn finding(case: &Case) -> ComplaintFinding {
    let (mobile, transport) = (case.said_by_mobile(), case.said_by_transport());
    // Who writes of a bill or a broken modem means it, unless the vehicle itself was seen to be lost.
    let lost = mobile.is_some_and(|m| m.present && m.quality == Quality::Failed);
    let network = in_network(mobile, transport.filter(|t| case.bears_out(t)));
    if let Some(finding) = network.filter(|_| case.account.outside.is_none() || lost) {
        return finding;
    }
    let without = |boundary, responsible| ComplaintFinding {
        boundary,
        responsible,
        blamed: None,
    };
    match case.account.outside {
        Some(OtherMatter::Modem) => return without(ComplaintBoundary::Customer, None),
        Some(_) => return without(ComplaintBoundary::Outside, Some("Business")),
        None => {}
    }
    match mobile {
        Some(m) if m.weak_coverage => ComplaintFinding {
            boundary: ComplaintBoundary::Coverage,
            responsible: Some("Wireless"),
            blamed: Some(m.clone()),
        },
        Some(m) if m.quality == Quality::Good && m.present => {
            without(ComplaintBoundary::Customer, None)
        }
        // The other province saw it leave, and this one saw it only before or after: nobody served
        // it between.
        Some(m)
            if case.ticket.forwarded_from.is_some()
                && (m.left_to.is_some() || m.came_from.is_some()) =>
        {
            without(ComplaintBoundary::Coverage, Some("Wireless"))
        }
        _ => without(ComplaintBoundary::Unknown, None),
    }
}

/// The part that failed or was impaired in the network, and whose it is.
fn in_network(
    mobile: Option<&QualityResult>,
    transport: Option<&QualityResult>,
) -> Option<ComplaintFinding> {
    let bad = |r: &&QualityResult| r.quality >= Quality::Degraded && !r.weak_coverage;
    let (mobile, transport) = (mobile.filter(bad), transport.filter(bad));
    let of = |responsible, blamed: &QualityResult| {
        Some(ComplaintFinding {
            boundary: ComplaintBoundary::OwnDomain,
            responsible: Some(responsible),
            blamed: Some(blamed.clone()),
        })
    };
    match (mobile, transport) {
        (Some(m), Some(t)) if m.cause == Some(Cause::MainsFailure) || t.quality < m.quality => {
            of("Wireless", m)
        }
        (_, Some(t)) => of("IP", t),
        (Some(m), None) => of("Wireless", m),
        (None, None) => None,
    }
}
