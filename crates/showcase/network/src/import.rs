//! Import of backbones from other formats: GraphML, SNDlib, node-link JSON.
//!
//! Knows what the formats have in common; refuses to read files: texts are arguments. The format is
//! recognised by the beginning of the text:
//! - GraphML as written by the Internet Topology Zoo (`import/graphml.rs`);
//! - SNDlib, native or XML (`import/sndlib.rs`);
//! - node-link JSON as written by topohub (`import/json.rs`);
//! - anything else is taken for the format of [`crate::topology`].
//!
//! Irregularities that can be repaired without loss are repaired, each with a remark:
//! - names lose blanks, `:`, `/`, `#` and quotes, which are separators elsewhere; nodes without a
//!   name are called by their key, and duplicate names get numbers;
//! - a node without a position is placed amid its neighbours; if none of them has one, directly or
//!   through others, the text is refused, as distances would be invented;
//! - a link from a node to itself is left out; a missing length is the straight line.
//!
//! Parallel links stay. Demands are imported if there are any. Read next: [`crate::topology`].

mod graphml;
mod json;
mod sndlib;
mod xml;

use crate::geography::distance_km;
use crate::topology::{Backbone, BackboneLink, City, CityDemand};
use std::collections::{BTreeMap, BTreeSet};

/// An imported backbone, and the repairs made to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The backbone.
    pub topology: Backbone,
    /// The deviations from the text, in words.
    pub remarks: Vec<String>,
}

/// The reason why a text is no backbone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct ImportError {
    /// The place: `line 12`, `links[3]`, or the format if it concerns the whole text.
    pub place: String,
    /// The error.
    pub reason: String,
}

impl ImportError {
    fn at(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            reason: reason.into(),
        }
    }
}

/// Reads a backbone in any of the formats.
///
/// # Errors
/// [`ImportError`] with the place of a syntax error; also for fewer than 2 or more than 1 000
/// nodes, a network that is not connected, and missing positions.
pub fn read(text: &str) -> Result<Imported, ImportError> {
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    let (format, draft) = if start.starts_with('{') {
        ("node-link JSON", json::read(text)?)
    } else if start.starts_with('<') {
        let root = xml::parse(text)?;
        match root.name.as_str() {
            "graphml" => ("GraphML", graphml::read(&root)?),
            "network" => ("SNDlib XML", sndlib::read_xml(&root)?),
            other => {
                let reason = format!("<{other}> is neither <graphml> nor the <network> of SNDlib");
                return Err(ImportError::at(root.place(), reason));
            }
        }
    } else if start.starts_with("?SNDlib") {
        ("SNDlib native", sndlib::read_native(text)?)
    } else {
        let topology = Backbone::parse(text)
            .map_err(|e| ImportError::at(format!("line {}", e.line), e.reason))?;
        let remarks = Vec::new();
        return Ok(Imported { topology, remarks });
    };
    draft.finish(format)
}

/// The content of a text before it is checked and repaired.
#[derive(Debug, Default)]
struct Draft {
    name: String,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    demands: Vec<Pair>,
}

/// A node as in the text.
#[derive(Debug)]
struct Node {
    key: String,
    label: String,
    position: Option<(f64, f64)>,
    place: String,
}

/// A link as in the text, between keys of nodes.
#[derive(Debug)]
struct Edge {
    from: String,
    to: String,
    length_km: Option<f64>,
    place: String,
}

/// A demand as in the text.
#[derive(Debug)]
struct Pair {
    from: String,
    to: String,
    amount: f64,
    place: String,
}

/// The longest name that is kept whole, in characters.
const NAME_MAX: usize = 48;
const LENGTH_KM: (f64, f64) = (0.1, 20_000.0);

impl Draft {
    fn finish(self, format: &str) -> Result<Imported, ImportError> {
        let mut remarks = Vec::new();
        let keys = self.keys()?;
        let names = self.names(&mut remarks);
        let spans = self.joined(&keys, &names, &mut remarks)?;
        let positions = self.positions(&spans, &names, &mut remarks)?;
        let straight = |a: usize, b: usize| distance_km(positions[a], positions[b]);
        let topology = Backbone {
            name: or(clean(&self.name), "Imported"),
            spans: spans
                .iter()
                .map(|&(a, b, length)| BackboneLink {
                    a,
                    b,
                    length_km: length
                        .unwrap_or_else(|| (straight(a, b) * 100.0).round() / 100.0)
                        .clamp(LENGTH_KM.0, LENGTH_KM.1),
                })
                .collect(),
            demands: self.demanded(&keys)?,
            cities: names
                .into_iter()
                .zip(positions)
                .map(|(name, position)| City { name, position })
                .collect(),
        };
        topology
            .check()
            .map_err(|reason| ImportError::at(format, reason))?;
        Ok(Imported { topology, remarks })
    }

    /// The index of each node by its key.
    fn keys(&self) -> Result<BTreeMap<&str, usize>, ImportError> {
        let mut keys = BTreeMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if keys.insert(node.key.as_str(), index).is_some() {
                let reason = format!("node '{}' is there already", node.key);
                return Err(ImportError::at(&node.place, reason));
            }
        }
        Ok(keys)
    }

    fn names(&self, remarks: &mut Vec<String>) -> Vec<String> {
        let mut taken = BTreeSet::new();
        self.nodes
            .iter()
            .map(|node| {
                let label = clean(&node.label);
                let wanted = or(label, &or(format!("node-{}", clean(&node.key)), "node"));
                let name = std::iter::once(wanted.clone())
                    .chain((2..).map(|number| format!("{wanted}-{number}")))
                    .find(|name| !taken.contains(name))
                    .expect("the numbered names never end");
                taken.insert(name.clone());
                if name != node.label {
                    let place = &node.place;
                    remarks.push(format!("{place}: '{}' is called {name}", node.label));
                }
                name
            })
            .collect()
    }

    /// The links by index.
    fn joined(
        &self,
        keys: &BTreeMap<&str, usize>,
        names: &[String],
        remarks: &mut Vec<String>,
    ) -> Result<Vec<(usize, usize, Option<f64>)>, ImportError> {
        let mut spans = Vec::new();
        for edge in &self.edges {
            let a = index(keys, &edge.from, &edge.place)?;
            let b = index(keys, &edge.to, &edge.place)?;
            if a == b {
                let place = &edge.place;
                remarks.push(format!(
                    "{place}: a link from {} to itself is left out",
                    names[a]
                ));
            } else {
                spans.push((
                    a,
                    b,
                    edge.length_km.filter(|km| km.is_finite() && *km > 0.0),
                ));
            }
        }
        Ok(spans)
    }

    fn demanded(&self, keys: &BTreeMap<&str, usize>) -> Result<Vec<CityDemand>, ImportError> {
        let mut demands = Vec::new();
        for pair in &self.demands {
            let from = index(keys, &pair.from, &pair.place)?;
            let to = index(keys, &pair.to, &pair.place)?;
            if !(0.0..=1e12).contains(&pair.amount) {
                let reason = format!("demand {} is not a number from 0 to 1e12", pair.amount);
                return Err(ImportError::at(&pair.place, reason));
            }
            if from != to {
                demands.push(CityDemand {
                    from,
                    to,
                    amount: pair.amount,
                });
            }
        }
        Ok(demands)
    }

    /// The position of each node; unknown positions are interpolated from the neighbours.
    fn positions(
        &self,
        spans: &[(usize, usize, Option<f64>)],
        names: &[String],
        remarks: &mut Vec<String>,
    ) -> Result<Vec<(f64, f64)>, ImportError> {
        let mut known: Vec<Option<(f64, f64)>> = Vec::new();
        for node in &self.nodes {
            known.push(match node.position {
                Some((lon, lat)) if lon.abs() > 180.0 || lat.abs() > 90.0 => {
                    let reason = format!("({lon}, {lat}) are no degrees of longitude and latitude");
                    return Err(ImportError::at(&node.place, reason));
                }
                Some((lon, lat)) if lon.is_finite() && lat.is_finite() => Some((lon, lat)),
                _ => None,
            });
        }
        loop {
            let before = known.clone();
            for (node, place) in known.iter_mut().enumerate().filter(|(_, p)| p.is_none()) {
                let near: Vec<(f64, f64)> = spans
                    .iter()
                    .filter_map(|&(a, b, _)| match node {
                        n if n == a => before[b],
                        n if n == b => before[a],
                        _ => None,
                    })
                    .collect();
                if !near.is_empty() {
                    let (lon, lat) = near
                        .iter()
                        .fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
                    let count = near.len() as f64;
                    *place = Some((lon / count, lat / count));
                    let (at, name) = (&self.nodes[node].place, &names[node]);
                    remarks.push(format!(
                        "{at}: {name} has no position and is put amid its neighbours"
                    ));
                }
            }
            if before == known {
                break;
            }
        }
        let placed = |(node, position): (usize, Option<(f64, f64)>)| {
            position.ok_or_else(|| {
                let reason = format!(
                    "{} has no longitude and latitude, nor has any node it is joined with",
                    names[node]
                );
                ImportError::at(&self.nodes[node].place, reason)
            })
        };
        known.into_iter().enumerate().map(placed).collect()
    }
}

fn index(keys: &BTreeMap<&str, usize>, key: &str, place: &str) -> Result<usize, ImportError> {
    keys.get(key)
        .copied()
        .ok_or_else(|| ImportError::at(place, format!("no node is called '{key}'")))
}

/// Removes characters from a name that are separators elsewhere.
fn clean(name: &str) -> String {
    let words: Vec<String> = name
        .split(|c: char| c.is_whitespace() || c.is_control())
        .map(|word| {
            word.chars()
                .filter(|c| !":/#'\"`<>&\\".contains(*c))
                .collect()
        })
        .filter(|word: &String| !word.is_empty())
        .collect();
    words.join("-").chars().take(NAME_MAX).collect()
}

fn or(name: String, other: &str) -> String {
    if name.is_empty() {
        other.to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests;
