//! Which management system an action is for.
//!
//! An element's is the one that it belongs to; engineers and customers are reached through a system of
//! the service layer, traces are kept by one of the wireless domain, better one of the province. Read
//! next: [`super::network`].

use super::system::System;
use domain::inventory::{Domain, ElementId};
use domain::telemetry::Action;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The number of the system that an action is for; of a guide it is the dispatch's, and not asked
/// here.
///
/// # Errors
/// The reason why there is none.
pub(super) fn route(
    action: &Action,
    province: Option<&str>,
    owners: &BTreeMap<ElementId, usize>,
    systems: &[Arc<System>],
) -> Result<usize, String> {
    let of = |domains: &[Domain], what: &str| {
        let found = best(systems, domains, province);
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
        _ => owner_of(&action.elements(), owners),
    }
}

/// The system that all of these elements belong to.
fn owner_of(elements: &[&ElementId], owners: &BTreeMap<ElementId, usize>) -> Result<usize, String> {
    let first = elements.first().ok_or("it names no element")?;
    let owner = owners.get(*first);
    let owner = owner.ok_or_else(|| format!("the network has no element '{first}'"))?;
    match elements.iter().find(|id| owners.get(**id) != Some(owner)) {
        Some(other) => Err(format!(
            "{first} and {other} belong to different management systems"
        )),
        None => Ok(*owner),
    }
}

/// The first system of the first of these domains that has one; better one of the province.
fn best(systems: &[Arc<System>], domains: &[Domain], province: Option<&str>) -> Option<usize> {
    domains.iter().find_map(|domain| {
        let own = systems.iter().filter(|s| s.plan.defaults.domain == *domain);
        let is_elsewhere = |system: &&Arc<System>| {
            let theirs = system.plan.defaults.province.as_deref();
            theirs.is_some() && province.is_some() && theirs != province
        };
        own.min_by_key(is_elsewhere).map(|system| system.number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_goes_to_the_one_system_that_its_elements_belong_to() {
        let ids = ["cell:1/1", "cell:1/2", "cell:2/1", "cell:3/1"].map(ElementId::new);
        let owned = [(0, 4), (1, 4), (2, 5)];
        let owned = owned.map(|(place, owner): (usize, usize)| (ids[place].clone(), owner));
        let owners: BTreeMap<ElementId, usize> = owned.into();
        let owner = |places: &[usize]| {
            let elements: Vec<&ElementId> = places.iter().map(|place| &ids[*place]).collect();
            owner_of(&elements, &owners)
        };
        assert_eq!(owner(&[0, 1]), Ok(4));
        assert_eq!(owner(&[2]), Ok(5));
        let refused = |places: &[usize]| owner(places).expect_err("it is nobody's");
        assert_eq!(
            refused(&[0, 2]),
            "cell:1/1 and cell:2/1 belong to different management systems"
        );
        assert_eq!(refused(&[3]), "the network has no element 'cell:3/1'");
        assert_eq!(refused(&[]), "it names no element");
    }
}
