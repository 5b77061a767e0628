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

/// The outline of an element as a candidate.
pub(super) fn outline(topology: &Topology, element: &Element) -> Outline {
    let after = topology.without([&element.id]);
    let sites = after.sites_cut_off();
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
        after.links_isolated(),
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
        after.routers_cut_off(),
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
