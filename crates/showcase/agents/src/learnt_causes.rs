//! What was learnt from an unlabelled history: which alarm types cause which, for types that nobody here
//! has a name for.
//!
//! Knows types by the names that their own systems give them, and what a document of
//! [`causality`] says of them; refuses to know what any of them means. Read next:
//! [`crate::oss_fault::origin`], which reasons by it.

use causality::{CausalEdge, CausalGraph, GraphDocumentError};
use domain::inventory::ElementId;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// A type of alarm, by its name at whoever raises it, on an element.
pub type NamedAlarmKey = (ElementId, String);

/// Alarms that stand, with the instants at which their elements noticed.
pub type NamedAlarms = BTreeMap<NamedAlarmKey, Timestamp>;

/// The share of onsets on adjacent devices at once from which a type is not of one device alone.
const SPREADS: f64 = 0.1;
/// The share of effects at a place from which that place is within reach.
const REACH: f64 = 0.05;
/// Seconds that clocks and reports may put an effect before its cause.
const DISORDER_S: f64 = 45.0;
/// Effects come at most so many times as late as half of them do, and a while.
const LATEST: f64 = 6.0;
const WHILE_S: f64 = 90.0;

/// How one type follows another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearntEffect {
    /// The latest that it comes after its cause, in seconds.
    pub latest_s: f64,
    /// True if it comes on the device of its cause.
    pub same_device: bool,
    /// True if it comes on a device that is adjacent to that of its cause.
    pub over_link: bool,
}

impl LearntEffect {
    fn of(edge: &CausalEdge) -> Self {
        let within = |share: Option<f64>| share.is_none_or(|share| share >= REACH);
        let delay_s = edge.delay_s.unwrap_or_default().abs() as f64;
        Self {
            latest_s: LATEST * delay_s + WHILE_S,
            same_device: within(edge.same_device),
            over_link: edge.over_link.is_some_and(|share| share >= REACH),
        }
    }

    /// True if an alarm so many seconds after another may be its effect.
    pub fn in_time(&self, after_s: f64) -> bool {
        (-DISORDER_S..=self.latest_s).contains(&after_s)
    }
}

/// One type, as its history shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct LearntType {
    spreads: bool,
    /// The share of its alarms that came with a type that causes it or that it causes.
    company: f64,
}

/// All that was learnt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearntCauses {
    types: BTreeMap<String, LearntType>,
    /// By cause: its effects.
    effects: BTreeMap<String, BTreeMap<String, LearntEffect>>,
    /// True if nothing is known of what causes what, so that anything may come of anything.
    ignorant: bool,
}

impl LearntCauses {
    /// Reads a document as `convoke learn history` writes it.
    ///
    /// # Errors
    /// [`GraphDocumentError`] if it is none.
    pub fn parse(text: &str) -> Result<Self, GraphDocumentError> {
        CausalGraph::from_json(text).map(|graph| Self::of(&graph))
    }

    /// What a graph says.
    pub fn of(graph: &CausalGraph) -> Self {
        let mut learnt = Self::default();
        let mut alarms: BTreeMap<&str, f64> = BTreeMap::new();
        for known in &graph.types {
            alarms.insert(&known.name, known.alarms as f64);
            let spreads = known.spreads.is_some_and(|share| share >= SPREADS);
            let known_type = LearntType {
                spreads,
                company: 0.0,
            };
            learnt.types.insert(known.name.clone(), known_type);
        }
        for edge in &graph.edges {
            for name in [&edge.cause, &edge.effect] {
                let all = alarms.get(name.as_str()).copied().unwrap_or(1.0);
                let share = (edge.seen as f64 / all.max(1.0)).min(1.0);
                if let Some(known) = learnt.types.get_mut(name) {
                    known.company = known.company.max(share);
                }
            }
            let effects = learnt.effects.entry(edge.cause.clone()).or_default();
            effects.insert(edge.effect.clone(), LearntEffect::of(edge));
        }
        learnt
    }

    /// Knows these names and nothing of them: each tells as much as any other, may be of what lies between
    /// devices, and comes of none. Reasoning by it shows what reasoning by what was learnt gains.
    pub fn ignorant<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let known = LearntType {
            spreads: true,
            company: 1.0,
        };
        let types = names.into_iter().map(|name| (name.to_owned(), known));
        Self {
            types: types.collect(),
            ignorant: true,
            ..Self::default()
        }
    }

    /// True if nothing is known of what causes what: whatever comes at the same place and time may belong
    /// together.
    pub fn is_ignorant(&self) -> bool {
        self.ignorant
    }

    /// True if nothing was learnt.
    pub fn is_empty(&self) -> bool {
        self.effects.is_empty()
    }

    /// How an effect follows a cause; none if it was not seen to.
    pub fn effect(&self, cause: &str, effect: &str) -> Option<&LearntEffect> {
        self.effects.get(cause)?.get(effect)
    }

    /// True if a type causes another or is caused by one: alarms of other types tell of nothing.
    pub fn relates(&self, name: &str) -> bool {
        self.company(name) > 0.0
    }

    /// True if a type comes on adjacent devices at once, and so is of what lies between them.
    pub fn spreads(&self, name: &str) -> bool {
        self.types.get(name).is_some_and(|known| known.spreads)
    }

    /// The share of a type's alarms that came with its causes or effects: how far one is a sign of
    /// anything.
    pub fn company(&self, name: &str) -> f64 {
        self.types.get(name).map_or(0.0, |known| known.company)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;
    use causality::RankedType;

    /// Of light, loss and heat: a laser that ends darkens the far port, a dark port loses the site behind
    /// it, and heat is by itself.
    pub(crate) fn graph() -> CausalGraph {
        let ranked = |name: &str, alarms, order, spreads| RankedType {
            name: name.to_owned(),
            alarms,
            order,
            spreads: Some(spreads),
        };
        let edge = |cause: &str, effect: &str, delay_s, seen, same, over| CausalEdge {
            cause: cause.to_owned(),
            effect: effect.to_owned(),
            strength: 50.0,
            order_gap: 1.0,
            gain: Some(100.0),
            delay_s: Some(delay_s),
            seen,
            same_device: Some(same),
            over_link: Some(over),
        };
        CausalGraph {
            alarms: 1_000,
            devices: 10,
            links: Some(10),
            first_s: 0,
            last_s: 2_592_000,
            time_reliability: 0.9,
            attributed: true,
            types: vec![
                ranked("LASER", 20, 1.0, 0.0),
                ranked("DARK", 200, 0.5, 0.4),
                ranked("GONE", 300, -0.5, 0.5),
                ranked("MAINS", 40, -0.6, 0.3),
                ranked("HOT", 440, -1.0, 0.0),
            ],
            edges: vec![
                edge("DARK", "GONE", 20, 180, 0.3, 0.7),
                edge("LASER", "DARK", 600, 18, 0.0, 1.0),
                edge("MAINS", "HOT", 30, 2, 1.0, 0.0),
            ],
        }
    }

    #[test]
    fn a_document_says_what_follows_what_and_how_far_each_is_a_sign() {
        let learnt = LearntCauses::parse(&graph().to_json()).unwrap();
        let far = learnt.effect("LASER", "DARK").unwrap();
        assert!(far.over_link && !far.same_device);
        assert!(far.in_time(3_000.0) && !far.in_time(-60.0));
        assert_eq!(learnt.effect("DARK", "LASER"), None);
        assert!(learnt.spreads("DARK") && !learnt.spreads("LASER"));
        assert_eq!(learnt.company("LASER"), 0.9);
        assert!(learnt.company("HOT") < 0.01 && !learnt.relates("NEVER_HEARD"));
        assert!(LearntCauses::parse("window-s 77\n").is_err());
    }

    #[test]
    fn the_ignorant_know_names_and_no_effects() {
        let ignorant = LearntCauses::ignorant(["DARK", "GONE"]);
        assert!(ignorant.is_ignorant() && ignorant.is_empty());
        assert!(ignorant.relates("GONE") && !ignorant.relates("NEVER_HEARD"));
        assert_eq!(ignorant.company("DARK"), 1.0);
        assert_eq!(ignorant.effect("DARK", "GONE"), None);
        assert!(!LearntCauses::of(&graph()).is_ignorant());
    }
}
