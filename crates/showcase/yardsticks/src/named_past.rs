//! What an unlabelled past says of alarms of any vocabulary: which names are rare, and what raises alarms
//! at all.
//!
//! Counts and nothing else: neither what follows what nor what was wrong. Read next:
//! [`crate::named_rules`], [`crate::named_codebook`].

use crate::commitment::DeliveredAlarm;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The counts of a past.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedPast {
    /// By name: how often it was raised.
    seen: BTreeMap<String, usize>,
    /// How often anything was raised.
    all: usize,
    /// What raised anything.
    raised: BTreeSet<ElementId>,
}

impl NamedPast {
    /// Counts a past; what was delivered twice counts once.
    pub fn of(past: &[DeliveredAlarm]) -> Self {
        let mut known: BTreeSet<(&ElementId, &str, Timestamp)> = BTreeSet::new();
        let mut counts = Self::default();
        for delivered in past.iter().filter(|it| !it.alarm.cleared) {
            let alarm = &delivered.alarm;
            if known.insert((&alarm.resource, alarm.type_name(), alarm.time)) {
                *counts.seen.entry(alarm.type_name().to_owned()).or_default() += 1;
                counts.all += 1;
                counts.raised.insert(alarm.resource.clone());
            }
        }
        counts
    }

    /// How rare a name is: the logarithm of all alarms to those of the name, where one that was never
    /// seen counts as seen once.
    pub fn rarity(&self, name: &str) -> f64 {
        let seen = self.seen.get(name).copied().unwrap_or(1);
        (self.all.max(1) as f64 / seen as f64).ln()
    }

    /// The names that were seen.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.seen.keys().map(String::as_str)
    }

    /// The elements that raised anything.
    pub fn raised(&self) -> impl Iterator<Item = &ElementId> {
        self.raised.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::{id, named_past};

    #[test]
    fn rare_names_weigh_more_and_repetitions_are_not_counted() {
        let past = named_past(&[
            ("site:1", "DOOR", 10.0),
            ("site:1", "DOOR", 10.0),
            ("site:1", "DOOR", 70.0),
            ("site:2", "DOOR", 70.0),
            ("optic:R-1/a", "LOS", 90.0),
        ]);
        assert_eq!(past.names().collect::<Vec<_>>(), ["DOOR", "LOS"]);
        assert!((past.rarity("DOOR") - (4.0_f64 / 3.0).ln()).abs() < 1e-12);
        assert!((past.rarity("LOS") - 4.0_f64.ln()).abs() < 1e-12);
        assert_eq!(past.rarity("NEVER"), past.rarity("LOS"));
        assert_eq!(NamedPast::of(&[]).rarity("NEVER"), 0.0);
        let raised: Vec<&ElementId> = past.raised().collect();
        assert_eq!(raised, [&id("optic:R-1/a"), &id("site:1"), &id("site:2")]);
    }
}
