//! Rules without any likelihood: the first alarm, the own alarm, the most alarms, and suppression
//! by topology.
//!
//! They hear cells like anything else. Conditions that operators live with (heat, bit errors,
//! reflections, lost time references) are blamed on nothing. Read next: [`crate::codes`].

use crate::codebook::{FaultHypothesis, SceneKey};
use crate::consequences::{Consequences, ElementNumber};
use crate::online::{Blame, BlameRule};
use crate::scene::AlarmScene;
use domain::cause::Cause;
use domain::inventory::ElementKind;
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::cmp::Reverse;

/// The cause that an alarm names by itself, and its element: a cell, link, card, router or module
/// itself; for a site its power zone.
pub(crate) fn own_cause(graph: &Consequences, key: SceneKey) -> Option<(ElementNumber, Cause)> {
    use AlarmType::{
        BatteryLow, CardFailure, CellDegraded, CellUnavailable, CellsOutOfService, Congestion,
        InterferenceHigh, LinkDown, LossOfSignal, MainsFailure, NodeUnreachable, OpticalPowerLow,
        SiteUnreachable,
    };
    let (element, alarm_type) = key;
    let cause = match (graph.kind(element), alarm_type) {
        (ElementKind::Cell, CellUnavailable) => Cause::CellHardwareFailure,
        (ElementKind::Cell, CellDegraded) => Cause::Misconfiguration,
        (ElementKind::Cell, InterferenceHigh) => Cause::Interference,
        (ElementKind::Link, LossOfSignal | LinkDown) => Cause::FibreCut,
        (ElementKind::Link, Congestion) => Cause::Congestion,
        (ElementKind::LineCard, CardFailure) => Cause::CardFailure,
        (ElementKind::Router, NodeUnreachable) => Cause::RouterFailure,
        (ElementKind::Optic, OpticalPowerLow) => Cause::OpticalModuleAgeing,
        (ElementKind::Site, SiteUnreachable | CellsOutOfService | MainsFailure | BatteryLow) => {
            return Some((graph.parent(element)?, Cause::MainsFailure));
        }
        _ => return None,
    };
    Some((element, cause))
}

/// The hypotheses that expect an alarm, each with what it explains around it, in the order of keys.
pub(crate) fn suspects(
    alarm: SceneKey,
    scene: &AlarmScene,
) -> Vec<(&FaultHypothesis, Vec<SceneKey>)> {
    let book = scene.book();
    let causes = book.expecting(alarm);
    let mut explained = vec![Vec::new(); causes.len()];
    if !causes.is_empty() {
        let mut beside = scene.beside(alarm);
        beside.sort_unstable();
        for key in beside {
            for place in common(causes, book.expecting(key)) {
                explained[place].push(key);
            }
        }
    }
    let hypotheses = causes.iter().map(|&cause| book.hypothesis(cause));
    hypotheses.zip(explained).collect()
}

/// The places in a sorted list of the entries that another has too.
fn common<'a>(list: &'a [usize], other: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
    let few_others = other.len() < list.len();
    let (few, many) = if few_others {
        (other, list)
    } else {
        (list, other)
    };
    few.iter().enumerate().filter_map(move |(place, entry)| {
        let found = many.binary_search(entry).ok()?;
        Some(if few_others { found } else { place })
    })
}

/// Blame of a hypothesis.
pub(crate) fn blame(
    hypothesis: &FaultHypothesis,
    score: f64,
    explains: impl IntoIterator<Item = SceneKey>,
    scene: &AlarmScene,
) -> Blame {
    Blame {
        element: scene.book().graph().element(hypothesis.element).clone(),
        cause: hypothesis.cause,
        score,
        explains: explains.into_iter().collect(),
    }
}

/// Blames the element of an alarm itself; as sure as alarms of different types stand on it.
#[derive(Clone, Copy, Debug)]
pub struct OwnAlarmRule;

impl BlameRule for OwnAlarmRule {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, _: Timestamp) -> Option<Blame> {
        let graph = scene.book().graph();
        let (element, cause) = own_cause(graph, alarm)?;
        Some(Blame {
            element: graph.element(element).clone(),
            cause: Some(cause),
            score: scene.open_on(alarm.0).count() as f64,
            explains: [alarm].into(),
        })
    }
}

/// Blames the element of the first alarm, in the order of delivery, of all that have a cause in
/// common with the one at hand; as sure as there are many.
#[derive(Clone, Copy, Debug)]
pub struct FirstAlarmRule;

impl BlameRule for FirstAlarmRule {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, _: Timestamp) -> Option<Blame> {
        let graph = scene.book().graph();
        let around = scene.around(alarm);
        let named = around
            .iter()
            .filter(|key| own_cause(graph, **key).is_some());
        let first = named.min_by_key(|key| scene.get(**key).map(|alarm| alarm.order))?;
        let (element, cause) = own_cause(graph, *first)?;
        Some(Blame {
            element: graph.element(element).clone(),
            cause: Some(cause),
            score: around.len() as f64,
            explains: around,
        })
    }
}

/// Blames what would explain most of the alarms that stand around one; of equals what is expected
/// to raise least besides; as sure as it explains many.
#[derive(Clone, Copy, Debug)]
pub struct MostAlarmsRule;

impl BlameRule for MostAlarmsRule {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, _: Timestamp) -> Option<Blame> {
        let suspects = suspects(alarm, scene).into_iter();
        let best = suspects.min_by_key(|(hypothesis, explains)| {
            let own = hypothesis.is_certain(alarm);
            (Reverse(explains.len()), hypothesis.certain, Reverse(own))
        });
        let (hypothesis, explains) = best?;
        Some(blame(hypothesis, explains.len() as f64, explains, scene))
    }
}

/// Suppresses every alarm that follows from a higher element that raises an alarm itself, and
/// blames the topmost; a zone does so by the mains alarms of its sites. A duct raises none, so it is
/// never blamed. As sure as it explains many.
#[derive(Clone, Copy, Debug)]
pub struct SuppressionRule;

impl SuppressionRule {
    fn raises(hypothesis: &FaultHypothesis, explains: &[SceneKey], scene: &AlarmScene) -> bool {
        let graph = scene.book().graph();
        let names = |key: &SceneKey| {
            let own = own_cause(graph, *key);
            let by_power =
                graph.kind(key.0) != ElementKind::Site || key.1 == AlarmType::MainsFailure;
            by_power
                && own.map(|(e, c)| (e, Some(c))) == Some((hypothesis.element, hypothesis.cause))
        };
        explains.iter().any(names)
    }
}

impl BlameRule for SuppressionRule {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, _: Timestamp) -> Option<Blame> {
        let suspects = suspects(alarm, scene).into_iter();
        let alarming = suspects.filter(|(h, explains)| Self::raises(h, explains, scene));
        let topmost =
            alarming.max_by_key(|(h, explains)| (h.certain, explains.len(), Reverse(h.element)));
        let (hypothesis, explains) = topmost?;
        Some(blame(hypothesis, explains.len() as f64, explains, scene))
    }
}
