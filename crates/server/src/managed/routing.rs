//! Which management system an action is for.
//!
//! An element's is a system of its domain, and of its province if there is one, that knows it;
//! engineers and customers are reached through that of the service layer, traces are kept by that of
//! the wireless domain. Read next: [`super::network`].

use super::system::System;
use domain::inventory::{Domain, ElementId, Inventory};
use domain::telemetry::Action;
use std::sync::Arc;

/// The number of the system that an action is for; of a guide it is the dispatch's, and not asked
/// here.
///
/// # Errors
/// The reason why there is none.
pub(super) fn route(
    action: &Action,
    province: Option<&str>,
    network: &Inventory,
    systems: &[Arc<System>],
) -> Result<usize, String> {
    let of = |domains: &[Domain], what: &str| {
        let found = best(systems, domains, province, None);
        found.ok_or_else(|| format!("no management system here {what}"))
    };
    match action {
        Action::Dispatch { .. } | Action::Guide { .. } => of(
            &[Domain::Service, Domain::Business],
            "commands a field force",
        ),
        Action::TellCustomer { .. } => {
            of(&[Domain::Business, Domain::Service], "reaches customers")
        }
        Action::Trace { .. } => of(&[Domain::Wireless], "traces vehicles"),
        _ => {
            let elements = action.elements();
            let element = elements.first().ok_or("it names no element")?;
            let found = network.element(element);
            let found = found.ok_or_else(|| format!("the network has no element '{element}'"))?;
            let province = network.province_of(element);
            let system = best(systems, &[found.domain], province, Some(element));
            system.ok_or_else(|| {
                let domain = found.domain.as_str();
                format!("no management system of domain {domain} is connected here")
            })
        }
    }
}

/// The first system of the first of these domains that has one; better one of the province, and
/// better one that knows the element.
fn best(
    systems: &[Arc<System>],
    domains: &[Domain],
    province: Option<&str>,
    element: Option<&ElementId>,
) -> Option<usize> {
    domains.iter().find_map(|domain| {
        let own = systems.iter().filter(|s| s.plan.defaults.domain == *domain);
        let fits = |system: &&Arc<System>| {
            let theirs = system.plan.defaults.province.as_deref();
            let elsewhere = theirs.is_some() && province.is_some() && theirs != province;
            let known = element.is_none_or(|element| {
                let learnt = system.learnt();
                learnt.read.inventory.elements.contains_key(element)
            });
            (elsewhere, !known)
        };
        own.min_by_key(fits).map(|system| system.number)
    })
}
