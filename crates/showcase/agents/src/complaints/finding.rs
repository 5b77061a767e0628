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

use super::case::Case;
use super::reader::matter::OtherMatter;
use crate::payloads::complaint::ComplaintBoundary;
use crate::payloads::quality::{Quality, QualityResult};
use domain::cause::Cause;

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

/// The place of the cause.
pub(super) fn finding(case: &Case) -> ComplaintFinding {
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
