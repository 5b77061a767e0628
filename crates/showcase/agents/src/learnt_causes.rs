//! What was learnt from an unlabelled history: which alarm types have to do with which, and how rare each
//! is, for types that nobody here has a name for.
//!
//! Knows types by the names that their own systems give them, and what a document of
//! [`causality`] says of them; refuses to know what any of them means. Read next:
//! [`crate::oss_fault::origin`], which reasons by it.

use causality::{CausalGraph, GraphDocumentError};
use domain::inventory::ElementId;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// A type of alarm, by its name at whoever raises it, on an element.
pub type NamedAlarmKey = (ElementId, String);

/// Alarms that stand, with the instants at which their elements noticed.
pub type NamedAlarms = BTreeMap<NamedAlarmKey, Timestamp>;

/// How often whoever knows nothing takes one device to raise any type: once in thirty days.
const IGNORANT_PER_S: f64 = 1.0 / 2_592_000.0;

/// One type, as its history shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LearntType {
    /// True if it was seen to cause another, or to come of one.
    relates: bool,
    /// How often one device raises it, a second.
    rate_per_s: f64,
}

/// All that was learnt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearntCauses {
    types: BTreeMap<String, LearntType>,
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
        let lasted_s = (graph.last_s - graph.first_s).max(1) as f64;
        let device_s = lasted_s * graph.devices.max(1) as f64;
        let seen = graph.edges.iter().filter(|edge| edge.seen > 0);
        let related: BTreeSet<&str> = seen
            .flat_map(|edge| [&*edge.cause, &*edge.effect])
            .collect();
        let types = graph.types.iter().map(|known| {
            let learnt = LearntType {
                relates: related.contains(known.name.as_str()),
                rate_per_s: known.alarms.max(1) as f64 / device_s,
            };
            (known.name.clone(), learnt)
        });
        Self {
            types: types.collect(),
        }
    }

    /// Knows these names and nothing of them: each tells as much as any other. Reasoning by it shows what
    /// reasoning by what was learnt gains.
    pub fn ignorant<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let known = LearntType {
            relates: true,
            rate_per_s: IGNORANT_PER_S,
        };
        let types = names.into_iter().map(|name| (name.to_owned(), known));
        Self {
            types: types.collect(),
        }
    }

    /// True if nothing was learnt: no type relates to another.
    pub fn is_empty(&self) -> bool {
        !self.types.values().any(|known| known.relates)
    }

    /// True if a type causes another or is caused by one: alarms of other types tell of nothing.
    pub fn relates(&self, name: &str) -> bool {
        self.types.get(name).is_some_and(|known| known.relates)
    }

    /// The types that relate to others, each with how often one device raises it, a second; in the order of
    /// their names.
    pub fn related(&self) -> impl Iterator<Item = (&str, f64)> {
        let related = self.types.iter().filter(|(_, known)| known.relates);
        related.map(|(name, known)| (name.as_str(), known.rate_per_s))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;
    use causality::{CausalEdge, RankedType};

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
    fn a_document_says_what_relates_and_how_rare_it_is() {
        let mut graph = graph();
        graph.edges.retain(|edge| edge.cause != "MAINS");
        let learnt = LearntCauses::parse(&graph.to_json()).unwrap();
        let related: Vec<&str> = learnt.related().map(|(name, _)| name).collect();
        assert_eq!(related, ["DARK", "GONE", "LASER"]);
        let laser = learnt.related().find(|(name, _)| *name == "LASER").unwrap();
        assert_eq!(laser.1, 20.0 / (10.0 * 2_592_000.0));
        assert!(!learnt.relates("HOT") && !learnt.relates("NEVER_HEARD"));
        assert!(LearntCauses::parse("window-s 77\n").is_err());
        graph.edges.clear();
        assert!(LearntCauses::of(&graph).is_empty() && !learnt.is_empty());
    }

    #[test]
    fn the_ignorant_know_names_alone() {
        let ignorant = LearntCauses::ignorant(["DARK", "GONE"]);
        assert!(ignorant.relates("GONE") && !ignorant.relates("NEVER_HEARD"));
        let rates: BTreeSet<u64> = ignorant.related().map(|(_, rate)| rate.to_bits()).collect();
        assert_eq!(rates.len(), 1);
    }
}
