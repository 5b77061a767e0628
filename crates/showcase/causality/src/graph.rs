//! What was learnt: the types in their causal order, and the edges between them; as a document.
//!
//! The document is JSON with the members `schema` ([`SCHEMA`]) and `version` ([`VERSION`]) before
//! those of [`CausalGraph`]. A member more is no new version; whoever reads one ignores what he does
//! not know. Read next: [`crate::learning`], which fills it; [`crate::picture`], which draws it.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the document's schema.
pub const SCHEMA: &str = "convoke-alarm-causes";
/// The version of the document's schema.
pub const VERSION: u32 = 1;

/// Which alarm types cause which.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CausalGraph {
    /// The number of alarms that it was learnt from.
    pub alarms: usize,
    /// The number of devices that raised them.
    pub devices: usize,
    /// The number of links between these devices; none without a topology.
    pub links: Option<usize>,
    /// The beginning of the first alarm, in the record's own seconds.
    pub first_s: i64,
    /// The beginning of the last alarm.
    pub last_s: i64,
    /// How far the order of times could be trusted, 0 to 1.
    pub time_reliability: f64,
    /// True if it could be trusted enough to attribute effects to what came before them.
    pub attributed: bool,
    /// All types, causes before effects.
    pub types: Vec<RankedType>,
    /// The edges, strongest first.
    pub edges: Vec<CausalEdge>,
}

/// An alarm type at its place in the causal order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedType {
    /// Its name or number.
    pub name: String,
    /// The number of its alarms.
    pub alarms: usize,
    /// Its place: greater for causes, of no unit, about −2 to 2.
    pub order: f64,
    /// The share of its onsets that have it begin on an adjacent device as well at about the same
    /// time; none without a topology.
    #[serde(default)]
    pub spreads: Option<f64>,
}

/// That a type causes another, at once or by way of others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CausalEdge {
    /// The type that causes.
    pub cause: String,
    /// The type that is caused.
    pub effect: String,
    /// By how many standard deviations both come together more often than by chance.
    pub strength: f64,
    /// How far they are apart in the causal order: the direction is surer the farther.
    pub order_gap: f64,
    /// The log-likelihood that either adds to the account of the other; none if nothing could be
    /// attributed.
    pub gain: Option<f64>,
    /// The median of seconds from cause to effect, up to 1000; negative if the effect is reported
    /// first. None if no cause was seen near an effect.
    pub delay_s: Option<i64>,
    /// The number of effects with a cause near them, from which delay and reach are.
    pub seen: usize,
    /// The share of these whose cause was at the same device.
    pub same_device: Option<f64>,
    /// The share of these whose cause was over a link.
    pub over_link: Option<f64>,
}

/// The reason why a text is no document of a graph.
#[derive(Debug, thiserror::Error)]
pub enum GraphDocumentError {
    /// It is no JSON, or a member is missing or of another type.
    #[error("it is no document of alarm causes")]
    Json(#[from] serde_json::Error),
    /// It is of another schema or version.
    #[error("its schema is '{schema}', version {version}, not '{SCHEMA}', version {VERSION}")]
    Schema {
        /// The schema that it names.
        schema: String,
        /// The version that it names.
        version: u32,
    },
    /// A name stands twice among the types.
    #[error("the type '{0}' stands there twice")]
    Twice(String),
    /// An edge names a type that is not there, or goes against the order.
    #[error("the edge from '{cause}' to '{effect}' does not follow the order of the types")]
    Edge {
        /// The cause that it names.
        cause: String,
        /// The effect that it names.
        effect: String,
    },
}

impl GraphDocumentError {
    /// The line of the text that it is about, from 1.
    pub fn line(&self) -> usize {
        match self {
            Self::Json(fault) => fault.line().max(1),
            Self::Schema { .. } | Self::Twice(_) | Self::Edge { .. } => 1,
        }
    }
}

#[derive(Serialize)]
struct GraphDocument<'g> {
    schema: &'static str,
    version: u32,
    #[serde(flatten)]
    graph: &'g CausalGraph,
}

#[derive(Deserialize)]
struct GraphHeader {
    schema: String,
    version: u32,
}

impl CausalGraph {
    /// The document, with a line feed at its end.
    pub fn to_json(&self) -> String {
        let document = GraphDocument {
            schema: SCHEMA,
            version: VERSION,
            graph: self,
        };
        let text = serde_json::to_string_pretty(&document);
        text.expect("a graph holds nothing that JSON cannot") + "\n"
    }

    /// Reads a document.
    ///
    /// # Errors
    /// [`GraphDocumentError`] if it is none, or its edges make no order.
    pub fn from_json(text: &str) -> Result<Self, GraphDocumentError> {
        let GraphHeader { schema, version } = serde_json::from_str(text)?;
        if (schema.as_str(), version) != (SCHEMA, VERSION) {
            return Err(GraphDocumentError::Schema { schema, version });
        }
        let graph: Self = serde_json::from_str(text)?;
        graph.check()?;
        Ok(graph)
    }

    /// The edges by the names of their ends.
    pub fn pairs(&self) -> BTreeSet<(&str, &str)> {
        let edges = self.edges.iter();
        edges
            .map(|edge| (edge.cause.as_str(), edge.effect.as_str()))
            .collect()
    }

    /// The place of each type in the order, by its name.
    pub(crate) fn places(&self) -> BTreeMap<&str, usize> {
        let names = self.types.iter().map(|it| it.name.as_str());
        names.zip(0..).collect()
    }

    fn check(&self) -> Result<(), GraphDocumentError> {
        let mut names = BTreeSet::new();
        if let Some(twice) = self.types.iter().find(|it| !names.insert(&it.name)) {
            return Err(GraphDocumentError::Twice(twice.name.clone()));
        }
        let places = self.places();
        let place = |name: &String| places.get(name.as_str());
        let forward = |edge: &&CausalEdge| match (place(&edge.cause), place(&edge.effect)) {
            (Some(cause), Some(effect)) => cause < effect,
            _ => false,
        };
        match self.edges.iter().find(|edge| !forward(edge)) {
            None => Ok(()),
            Some(edge) => Err(GraphDocumentError::Edge {
                cause: edge.cause.clone(),
                effect: edge.effect.clone(),
            }),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::invented::small;

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let graph = small();
        insta::assert_snapshot!(graph.to_json());
        assert_eq!(CausalGraph::from_json(&graph.to_json()).unwrap(), graph);
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        let refusal = |text: &str| CausalGraph::from_json(text).unwrap_err().to_string();
        let text = small().to_json();
        insta::assert_snapshot!(refusal("{}"), @"it is no document of alarm causes");
        insta::assert_snapshot!(refusal(&text.replace("\"version\": 1", "\"version\": 2")), @"its schema is 'convoke-alarm-causes', version 2, not 'convoke-alarm-causes', version 1");
        insta::assert_snapshot!(refusal(&text.replace("\"name\": \"power\"", "\"name\": \"los\"")), @"the type 'los' stands there twice");
        insta::assert_snapshot!(refusal(&text.replace("\"effect\": \"power\"", "\"effect\": \"fan\"").replace("\"cause\": \"power\"", "\"cause\": \"bgp\"")), @"the edge from 'bgp' to 'los' does not follow the order of the types");
    }
}
