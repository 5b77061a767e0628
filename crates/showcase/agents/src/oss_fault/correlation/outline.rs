//! What follows from the failure of one element, by topology, before alarms have numbers.
//!
//! Knows which alarms are to be expected and how surely; refuses to know what was seen. Read next:
//! [`super`].

use crate::alarms::AlarmKey;
use crate::knowledge::Certainty;
use crate::topology::Topology;
use domain::cause::Cause;
use domain::inventory::{Element, ElementId, ElementKind};
use domain::telemetry::AlarmType;
use std::collections::{BTreeMap, BTreeSet};

/// A candidate before alarms have numbers.
pub(super) struct Outline {
    pub(super) element: ElementId,
    pub(super) cause: Option<Cause>,
    pub(super) sites: BTreeSet<ElementId>,
    pub(super) expected: BTreeMap<AlarmKey, Certainty>,
}

/// The most sites and alarms of all outlines together; beyond, candidates have their own alone. Where
/// sites hang on rings and spurs it is far from that; it is the square of a network that is one long
/// chain, or is said to be.
const OUTLINED: usize = 4_000_000;
/// From which share on of its sites, routers and links, one in so many, a network counts as one that
/// is in pieces as it is documented.
const PIECES: usize = 4;

/// What no core reaches although nothing has failed, of a network that is in pieces: as nobody's failure
/// cuts it off, it speaks for no candidate.
///
/// Where little is so, one link in a document may be wrong, and what is beyond it shows in every
/// candidate alike.
#[derive(Default)]
struct Idle {
    sites: BTreeSet<ElementId>,
    routers: BTreeSet<ElementId>,
    links: BTreeSet<ElementId>,
}

impl Idle {
    fn of(topology: &Topology) -> Self {
        let whole = topology.without(std::iter::empty());
        let idle = Self {
            sites: whole.sites_cut_off(),
            routers: whole.routers_cut_off(),
            links: whole.links_isolated(),
        };
        let inventory = topology.inventory();
        let number = |kind| inventory.of_kind(kind).count();
        let all = number(ElementKind::Site) + number(ElementKind::Router) + inventory.links.len();
        let cut_off = idle.sites.len() + idle.routers.len() + idle.links.len();
        match cut_off * PIECES >= all {
            true => idle,
            false => Self::default(),
        }
    }
}

/// The outlines of all elements but cells as candidates, in the order of their identifiers.
pub(super) fn outlines(topology: &Topology) -> Vec<Outline> {
    outlines_within(topology, OUTLINED)
}

/// The same with a bound on what is in them.
fn outlines_within(topology: &Topology, mut left: usize) -> Vec<Outline> {
    let idle = Idle::of(topology);
    let elements = topology.inventory().elements.values();
    let suspects = elements.filter(|e| e.kind != ElementKind::Cell);
    let outlines = suspects.map(|element| {
        if left == 0 {
            return alone(element);
        }
        let outline = outline(topology, element, &idle);
        left = left.saturating_sub(outline.sites.len() + outline.expected.len());
        outline
    });
    outlines.collect()
}

/// The outline of an element of which only its own alarms are asked.
fn alone(element: &Element) -> Outline {
    use ElementKind::{Cell, Duct, LineCard, Link, Optic, PowerZone, Router, Site};
    let own: &[(AlarmType, Certainty)] = match element.kind {
        Site => &[
            (AlarmType::SiteUnreachable, Certainty::Sure),
            (AlarmType::CellsOutOfService, Certainty::Sure),
            (AlarmType::MainsFailure, Certainty::Half),
        ],
        Router => &[(AlarmType::NodeUnreachable, Certainty::Sure)],
        LineCard => &[(AlarmType::CardFailure, Certainty::Sure)],
        Link => &[
            (AlarmType::LinkDown, Certainty::Sure),
            (AlarmType::LossOfSignal, Certainty::Sure),
        ],
        Optic => &[(AlarmType::OpticalPowerLow, Certainty::Sure)],
        Cell | Duct | PowerZone => &[],
    };
    let own = own
        .iter()
        .map(|(of, certainty)| ((element.id.clone(), *of), *certainty));
    let sites = (element.kind == Site).then(|| element.id.clone());
    Outline {
        element: element.id.clone(),
        cause: Cause::of(element.kind),
        sites: sites.into_iter().collect(),
        expected: own.collect(),
    }
}

/// The outline of an element as a candidate.
fn outline(topology: &Topology, element: &Element, idle: &Idle) -> Outline {
    let after = topology.without([&element.id]);
    let but = |cut_off: BTreeSet<ElementId>, idle: &BTreeSet<ElementId>| match idle.is_empty() {
        true => cut_off,
        false => {
            let by_it = |id: &ElementId| *id == element.id || !idle.contains(id);
            cut_off.into_iter().filter(by_it).collect()
        }
    };
    let sites = but(after.sites_cut_off(), &idle.sites);
    let mut expected = BTreeMap::new();
    let mut expect = |ids: BTreeSet<ElementId>, alarm_type: AlarmType, certainty: Certainty| {
        for id in ids {
            expected.insert((id, alarm_type), certainty);
        }
    };
    let power = element.kind == ElementKind::PowerZone;
    let follows = match power {
        true => Certainty::Battery,
        false => Certainty::Sure,
    };
    expect(sites.clone(), AlarmType::SiteUnreachable, follows);
    expect(sites.clone(), AlarmType::CellsOutOfService, follows);
    if power {
        expect(after.sites_dead(), AlarmType::MainsFailure, Certainty::Sure);
    }
    if element.kind == ElementKind::Site {
        expect(after.sites_dead(), AlarmType::MainsFailure, Certainty::Half);
    }
    expect(
        but(after.links_isolated(), &idle.links),
        AlarmType::LinkDown,
        Certainty::Isolated,
    );
    expect(after.links_lost(), AlarmType::LinkDown, follows);
    expect(after.links_dark(), AlarmType::LossOfSignal, follows);
    expect(
        after.cards_missed(),
        AlarmType::CardFailure,
        Certainty::Sure,
    );
    expect(
        but(after.routers_cut_off(), &idle.routers),
        AlarmType::NodeUnreachable,
        Certainty::Sure,
    );
    if element.kind == ElementKind::Optic {
        let own = BTreeSet::from([element.id.clone()]);
        expect(own, AlarmType::OpticalPowerLow, Certainty::Sure);
    }
    Outline {
        element: element.id.clone(),
        cause: Cause::of(element.kind),
        sites,
        expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Net, id};
    use std::sync::Arc;

    fn of(outlines: &[Outline], element: &str) -> (usize, usize) {
        let found = outlines.iter().find(|o| o.element == id(element));
        found.map_or((0, 0), |o| (o.sites.len(), o.expected.len()))
    }

    #[test]
    fn what_is_cut_off_as_it_is_documented_speaks_for_nobody() {
        let mut inventory = Net::town().inventory();
        let whole = Topology::new(Arc::new(inventory.clone()));
        let idle = Idle::of(&whole);
        assert!(idle.sites.is_empty() && idle.routers.is_empty() && idle.links.is_empty());
        assert!(of(&outlines(&whole), "duct:B-1").0 >= 4);
        inventory.cores.clear();
        let pieces = Topology::new(Arc::new(inventory));
        let outlines = outlines(&pieces);
        assert_eq!(of(&outlines, "duct:B-1").0, 0);
        assert_eq!(of(&outlines, "site:b1").0, 1, "its own failure is its own");
        let router = outlines.iter().find(|o| o.element == id("router:B"));
        let expected = router.map(|o| o.expected.keys().cloned().collect::<Vec<_>>());
        let own = (id("router:B"), AlarmType::NodeUnreachable);
        assert_eq!(expected, Some(vec![own]));
    }

    #[test]
    fn beyond_the_bound_candidates_have_their_own_alarms() {
        let topology = Topology::new(Arc::new(Net::town().with_optics().inventory()));
        let (all, none) = (outlines(&topology), outlines_within(&topology, 0));
        assert_eq!(all.len(), none.len());
        assert!(all.iter().zip(&none).all(|(x, y)| x.element == y.element));
        assert_eq!(of(&none, "duct:B-1"), (0, 0));
        assert_eq!(of(&none, "site:b1"), (1, 3));
        assert_eq!(of(&none, "optic:B-b5/b"), (0, 1));
        let own = |o: &Outline| o.expected.keys().all(|(of, _)| *of == o.element);
        assert!(none.iter().all(own));
        let some = outlines_within(&topology, 30);
        assert!(some.iter().any(|o| !own(o)) && some.last().is_some_and(own));
    }
}
