//! What routers and links were configured to when they were last well.
//!
//! There is no plan of the network: what an element had while nothing was wrong with it is what it
//! is compared with, and the two ends of a link with each other. Read next: [`super::findings`].

use domain::inventory::ElementId;
use domain::time::Timestamp;
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

/// Seconds for which an element must have been well with another configuration before that is what it is
/// compared with: a wrong parameter may take a while to show.
const PROVED_S: f64 = 60.0;

/// What was last read of elements that were well.
#[derive(Clone, Debug, Default)]
pub struct ConfigurationMemory {
    known: BTreeMap<ElementId, RunningParameters>,
    /// Configurations that are new, and since when they were read while all was well.
    new: BTreeMap<ElementId, (RunningParameters, Timestamp)>,
}

impl ConfigurationMemory {
    /// Remembers what an element that is well is configured to: at once if nothing was known of it,
    /// else once it has been well with it for a while.
    pub fn remember(&mut self, element: &ElementId, read: &RunningParameters, now: Timestamp) {
        let unchanged = self.known.get(element).is_none_or(|known| known == read);
        let proved = self
            .new
            .get(element)
            .is_some_and(|(new, since)| new == read && now.seconds_since(*since) >= PROVED_S);
        if unchanged || proved {
            self.new.remove(element);
            self.known.insert(element.clone(), read.clone());
        } else if self.new.get(element).is_none_or(|(new, _)| new != read) {
            self.new.insert(element.clone(), (read.clone(), now));
        }
    }

    /// Takes down that an element is not well: what is new about it is not proved.
    pub fn doubt(&mut self, element: &ElementId) {
        self.new.remove(element);
    }

    /// Remembers one parameter.
    pub fn remember_one(&mut self, element: &ElementId, change: &ParameterChange) {
        let known = self.known.entry(element.clone()).or_default();
        match change.is.as_str() {
            ABSENT => known.remove(&change.parameter),
            is => known.insert(change.parameter.clone(), is.to_owned()),
        };
    }

    /// True if the element was read while it was well.
    pub fn knows(&self, element: &ElementId) -> bool {
        self.known.contains_key(element)
    }

    /// What of an element has changed; nothing if it was never read.
    pub fn changes(&self, element: &ElementId, read: &RunningParameters) -> Vec<ParameterChange> {
        let Some(known) = self.known.get(element) else {
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
        for (name, value) in self.known.values().flatten() {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mtu: &str) -> RunningParameters {
        [("a/mtu".to_owned(), mtu.to_owned())].into()
    }

    /// A parameter may be wrong for seconds before anything shows: what is read meanwhile is not
    /// taken for what is right.
    #[test]
    fn what_is_new_is_compared_with_once_it_is_proved() {
        let at = |seconds| Timestamp::default().plus_s(seconds);
        let link = ElementId::new("link:A-B");
        let mut memory = ConfigurationMemory::default();
        memory.remember(&link, &read("1500"), at(0.0));
        memory.remember(&link, &read("1400"), at(10.0));
        assert_eq!(memory.changes(&link, &read("1400")).len(), 1);
        memory.doubt(&link);
        memory.remember(&link, &read("1400"), at(30.0));
        memory.remember(&link, &read("1400"), at(75.0));
        assert_eq!(memory.changes(&link, &read("1400")).len(), 1);
        memory.remember(&link, &read("1400"), at(90.0));
        assert!(memory.changes(&link, &read("1400")).is_empty());
    }
}
