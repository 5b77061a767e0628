//! What routers and links were configured to when they were last well.
//!
//! There is no plan of the network: what an element had while nothing was wrong with it is what it
//! is compared with, and the two ends of a link with each other. Read next: [`super::findings`].

use domain::inventory::ElementId;
use std::collections::BTreeMap;

/// The parameters of an element.
pub type RunningParameters = BTreeMap<String, String>;

/// The value of a parameter that is not there.
pub const ABSENT: &str = "none";

/// A parameter that is no longer what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterChange {
    /// Its name.
    pub parameter: String,
    /// What it was; [`ABSENT`] if it was not there.
    pub was: String,
    /// What it is; [`ABSENT`] if it is not there any more.
    pub is: String,
}

/// What was last read of elements that were well.
#[derive(Clone, Debug, Default)]
pub struct ConfigurationMemory(BTreeMap<ElementId, RunningParameters>);

impl ConfigurationMemory {
    /// Remembers what an element that is well is configured to.
    pub fn remember(&mut self, element: &ElementId, read: &RunningParameters) {
        self.0.insert(element.clone(), read.clone());
    }

    /// Remembers one parameter.
    pub fn remember_one(&mut self, element: &ElementId, change: &ParameterChange) {
        let known = self.0.entry(element.clone()).or_default();
        match change.is.as_str() {
            ABSENT => known.remove(&change.parameter),
            is => known.insert(change.parameter.clone(), is.to_owned()),
        };
    }

    /// True if the element was read while it was well.
    pub fn knows(&self, element: &ElementId) -> bool {
        self.0.contains_key(element)
    }

    /// What of an element has changed; nothing if it was never read.
    pub fn changes(&self, element: &ElementId, read: &RunningParameters) -> Vec<ParameterChange> {
        let Some(known) = self.0.get(element) else {
            return Vec::new();
        };
        let mut names: Vec<&String> = known.keys().chain(read.keys()).collect();
        names.sort();
        names.dedup();
        let value = |of: &RunningParameters, name: &String| {
            of.get(name).cloned().unwrap_or_else(|| ABSENT.to_owned())
        };
        let changes = names.into_iter().map(|name| ParameterChange {
            parameter: name.clone(),
            was: value(known, name),
            is: value(read, name),
        });
        changes.filter(|change| change.was != change.is).collect()
    }

    /// The value that most ends of links had for a parameter, by its name without the end.
    pub fn usual(&self, parameter: &str) -> Option<&str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, value) in self.0.values().flatten() {
            let of_end = name
                .split_once('/')
                .filter(|(end, _)| ["a", "b"].contains(end));
            if of_end.is_some_and(|(_, rest)| rest == parameter) {
                *counts.entry(value).or_default() += 1;
            }
        }
        counts
            .into_iter()
            .max_by_key(|(_, count)| *count)
            .map(|(value, _)| value)
    }
}
