//! The codebook: which alarms each cause at each element is expected to raise, by topology.
//!
//! Cells are candidates like anything else. A site is one too, without a cause: it explains the
//! small outages of a single site away. Knows no likelihoods: those are learnt
//! ([`crate::tuned`]). Read next: [`crate::online`], [`crate::codes`].

use crate::consequences::{Consequences, ElementNumber};
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind};
use domain::telemetry::AlarmType;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An alarm by the number of its element and its type.
pub type SceneKey = (ElementNumber, AlarmType);

/// The relation of an alarm's element to the element that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// It is the element itself.
    Own,
    /// A site that is out of service because of it.
    SiteOut,
    /// A site that has no mains because of it.
    SiteDark,
    /// A link in which light is missed.
    LinkDark,
    /// A link that carries nothing.
    LinkLost,
    /// A link that carries nothing and of which both ends are out of reach.
    LinkIsolated,
    /// A card that does not answer.
    CardDead,
    /// A router that does not answer.
    RouterLost,
    /// The link of a module.
    ModuleLink,
    /// A cell beside it on the same carrier.
    NeighbourCell,
}

impl Relation {
    /// Every relation, in the order of declaration.
    pub(crate) const ALL: [Self; 10] = [
        Self::Own,
        Self::SiteOut,
        Self::SiteDark,
        Self::LinkDark,
        Self::LinkLost,
        Self::LinkIsolated,
        Self::CardDead,
        Self::RouterLost,
        Self::ModuleLink,
        Self::NeighbourCell,
    ];
}

/// An alarm that a hypothesis expects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Expectation {
    pub(crate) key: SceneKey,
    pub(crate) relation: Relation,
    /// True if topology lets one expect it; false if it may come besides.
    pub(crate) certain: bool,
}

/// A cause at an element, and what it is expected to raise.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultHypothesis {
    /// The element.
    pub element: ElementNumber,
    /// The cause; none for the own trouble of a site, which is no fault.
    pub cause: Option<Cause>,
    /// What it is expected to raise, in the order of keys.
    pub(crate) expected: Vec<Expectation>,
    /// How many of these are certain.
    pub(crate) certain: usize,
}

impl FaultHypothesis {
    /// What it expects of an alarm; none if it does not expect it.
    pub(crate) fn expectation(&self, key: SceneKey) -> Option<&Expectation> {
        let place = self.expected.binary_search_by_key(&key, |e| e.key).ok()?;
        Some(&self.expected[place])
    }

    /// True if topology lets one expect an alarm.
    pub(crate) fn is_certain(&self, key: SceneKey) -> bool {
        self.expectation(key).is_some_and(|e| e.certain)
    }

    /// Every alarm that may come of it.
    pub(crate) fn keys(&self) -> impl Iterator<Item = SceneKey> + '_ {
        self.expected.iter().map(|e| e.key)
    }
}

/// Every hypothesis about a network.
#[derive(Clone, Debug)]
pub struct Codebook {
    graph: Arc<Consequences>,
    hypotheses: Vec<FaultHypothesis>,
    /// By element: which hypotheses expect each type of its alarms, in the order of types.
    expecting: Vec<Vec<(AlarmType, Vec<usize>)>>,
    by_name: BTreeMap<(ElementNumber, Option<Cause>), usize>,
    /// The number of elements that each cause can strike.
    strikable: BTreeMap<Option<Cause>, usize>,
}

impl Codebook {
    /// Works out what every cause would raise at every element.
    pub fn new(graph: impl Into<Arc<Consequences>>) -> Self {
        let graph = graph.into();
        let elements = 0..graph.len();
        let hypotheses: Vec<FaultHypothesis> = elements.flat_map(|e| of(&graph, e)).collect();
        let mut expecting: Vec<BTreeMap<AlarmType, Vec<usize>>> =
            vec![BTreeMap::new(); graph.len()];
        let (mut by_name, mut strikable) = (BTreeMap::new(), BTreeMap::new());
        for (index, hypothesis) in hypotheses.iter().enumerate() {
            for (raiser, of_type) in hypothesis.keys() {
                expecting[raiser].entry(of_type).or_default().push(index);
            }
            by_name.insert((hypothesis.element, hypothesis.cause), index);
            *strikable.entry(hypothesis.cause).or_default() += 1;
        }
        let expecting = expecting.into_iter();
        Self {
            graph,
            hypotheses,
            expecting: expecting.map(|of| of.into_iter().collect()).collect(),
            by_name,
            strikable,
        }
    }

    /// The inventory as a graph.
    pub fn graph(&self) -> &Consequences {
        &self.graph
    }

    /// A hypothesis by its index.
    pub(crate) fn hypothesis(&self, index: usize) -> &FaultHypothesis {
        &self.hypotheses[index]
    }

    /// The hypotheses that expect an alarm, by index.
    pub(crate) fn expecting(&self, key: SceneKey) -> &[usize] {
        let of_element = self.expecting.get(key.0).map_or(&[][..], Vec::as_slice);
        let of_type = of_element.iter().find(|(of_type, _)| *of_type == key.1);
        of_type.map_or(&[], |(_, causes)| causes)
    }

    /// The hypothesis of a cause at an element; none if it cannot have it.
    pub(crate) fn named(
        &self,
        element: &ElementId,
        cause: Option<Cause>,
    ) -> Option<&FaultHypothesis> {
        let index = self.index_of(element, cause)?;
        Some(&self.hypotheses[index])
    }

    /// The index of that hypothesis.
    pub(crate) fn index_of(&self, element: &ElementId, cause: Option<Cause>) -> Option<usize> {
        let element = self.graph.number(element)?;
        self.by_name.get(&(element, cause)).copied()
    }

    /// Every alarm that anything expects.
    pub(crate) fn expected_keys(&self) -> impl Iterator<Item = SceneKey> + '_ {
        let elements = self.expecting.iter().enumerate();
        elements.flat_map(|(e, of)| of.iter().map(move |(of_type, _)| (e, *of_type)))
    }

    /// The number of elements that a cause can strike.
    pub(crate) fn strikable(&self, cause: Option<Cause>) -> usize {
        self.strikable.get(&cause).copied().unwrap_or(0)
    }
}

/// The hypotheses about one element.
fn of(graph: &Consequences, element: ElementNumber) -> Vec<FaultHypothesis> {
    let causes = Cause::simulated();
    let causes = causes.filter(|cause| cause.strikes() == graph.kind(element));
    let is_backbone = || {
        let link = graph.inventory().links.get(graph.element(element));
        link.is_some_and(|link| link.backbone)
    };
    let causes = causes.filter(|cause| *cause != Cause::Congestion || is_backbone());
    let mut causes: Vec<Option<Cause>> = causes.map(Some).collect();
    if graph.kind(element) == ElementKind::Site {
        causes.push(None);
    }
    let hypothesis = |cause| {
        let mut expected = BTreeMap::new();
        match cause {
            Some(Cause::CellHardwareFailure | Cause::Misconfiguration | Cause::Interference) => {
                of_cell(graph, element, cause, &mut expected);
            }
            Some(Cause::Congestion) => {
                expected.insert((element, AlarmType::Congestion), (Relation::Own, true));
            }
            _ => of_outage(graph, element, &mut expected),
        }
        let expected = expected.into_iter();
        let expected = expected.map(|(key, (relation, certain))| Expectation {
            key,
            relation,
            certain,
        });
        let expected: Vec<Expectation> = expected.collect();
        FaultHypothesis {
            element,
            cause,
            certain: expected.iter().filter(|e| e.certain).count(),
            expected,
        }
    };
    causes.into_iter().map(hypothesis).collect()
}

type Expected = BTreeMap<SceneKey, (Relation, bool)>;

fn of_cell(
    graph: &Consequences,
    cell: ElementNumber,
    cause: Option<Cause>,
    expected: &mut Expected,
) {
    use AlarmType::{CellDegraded, CellUnavailable, InterferenceHigh};
    let main = match cause {
        Some(Cause::CellHardwareFailure) => CellUnavailable,
        Some(Cause::Misconfiguration) => CellDegraded,
        _ => InterferenceHigh,
    };
    for alarm_type in [CellUnavailable, CellDegraded, InterferenceHigh] {
        expected.insert((cell, alarm_type), (Relation::Own, alarm_type == main));
    }
    if cause == Some(Cause::Interference) {
        for beside in co_channel(graph, cell) {
            for alarm_type in [CellDegraded, InterferenceHigh] {
                expected.insert((beside, alarm_type), (Relation::NeighbourCell, false));
            }
        }
    }
}

/// The cells on the same carrier that are neighbours of a cell or of the same site.
fn co_channel(graph: &Consequences, cell: ElementNumber) -> BTreeSet<ElementNumber> {
    let inventory = graph.inventory();
    let id = graph.element(cell);
    let Some(plan) = inventory.cells.get(id) else {
        return BTreeSet::new();
    };
    let site = inventory.node_of(id);
    let near = plan.neighbours.iter().chain(inventory.cells_of(site));
    let same = near.filter(|other| {
        let carrier = inventory.cells.get(*other).map(|cell| cell.carrier_mhz);
        *other != id && carrier == Some(plan.carrier_mhz)
    });
    same.filter_map(|other| graph.number(other)).collect()
}

fn of_outage(graph: &Consequences, element: ElementNumber, expected: &mut Expected) {
    use AlarmType::{
        BatteryLow, CardFailure, CellsOutOfService, LinkDown, LossOfSignal, MainsFailure,
        NodeUnreachable, OpticalPowerLow, SignalDegraded, SiteUnreachable,
    };
    let impact = graph.impact(element);
    // What has no mains lives on its battery for a while: only the cries of power are certain.
    let at_once = graph.kind(element) != ElementKind::PowerZone;
    let alone = graph.kind(element) == ElementKind::Site;
    let mut expect = |elements: &[ElementNumber], of_type, relation, certain| {
        for &e in elements {
            expected.entry((e, of_type)).or_insert((relation, certain));
        }
    };
    expect(
        &impact.sites_out,
        SiteUnreachable,
        Relation::SiteOut,
        at_once,
    );
    expect(
        &impact.sites_out,
        CellsOutOfService,
        Relation::SiteOut,
        at_once,
    );
    expect(&impact.sites_dark, MainsFailure, Relation::SiteDark, !alone);
    expect(&impact.sites_dark, BatteryLow, Relation::SiteDark, false);
    expect(
        &impact.links_dark,
        LossOfSignal,
        Relation::LinkDark,
        at_once,
    );
    expect(&impact.links_lost, LinkDown, Relation::LinkLost, at_once);
    expect(
        &impact.links_isolated,
        LinkDown,
        Relation::LinkIsolated,
        false,
    );
    expect(&impact.cards_dead, CardFailure, Relation::CardDead, true);
    expect(
        &impact.routers_lost,
        NodeUnreachable,
        Relation::RouterLost,
        true,
    );
    if graph.kind(element) == ElementKind::Optic {
        expect(&[element], OpticalPowerLow, Relation::Own, true);
        let links = graph.links_on(element);
        expect(links, SignalDegraded, Relation::ModuleLink, false);
        expect(links, LossOfSignal, Relation::ModuleLink, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::{self, id, number};

    #[test]
    fn a_duct_expects_what_its_fibres_lose_and_a_zone_the_cries_of_power() {
        let book = Codebook::new(invented::town());
        let certain = |element: &str, cause| {
            let hypothesis = book.named(&id(element), Some(cause)).expect("a hypothesis");
            let keys = hypothesis.keys().filter(|key| hypothesis.is_certain(*key));
            let names = keys.map(|(e, t)| format!("{} {}", book.graph().element(e), t.as_str()));
            names.collect::<BTreeSet<String>>()
        };
        let duct = certain("duct:d", Cause::DuctCut);
        for name in ["site:1 site-unreachable", "link:R-2 loss-of-signal"] {
            assert!(duct.contains(name), "{duct:?}");
        }
        assert!(!duct.contains("site:3 site-unreachable"));
        let zone = certain("zone:a", Cause::MainsFailure);
        assert_eq!(
            zone,
            [
                "site:1 mains-failure".to_owned(),
                "site:3 mains-failure".to_owned()
            ]
            .into()
        );
    }

    #[test]
    fn each_of_three_causes_is_a_hypothesis_about_a_cell() {
        let graph = invented::town();
        let cell = number(&graph, "cell:1/1");
        let book = Codebook::new(graph);
        let hypotheses = book.expecting((cell, AlarmType::InterferenceHigh)).iter();
        let own = hypotheses
            .map(|&h| book.hypothesis(h))
            .filter(|h| h.element == cell);
        assert_eq!(own.count(), 3);
        assert!(
            book.expecting((cell, AlarmType::TemperatureHigh))
                .is_empty()
        );
    }
}
