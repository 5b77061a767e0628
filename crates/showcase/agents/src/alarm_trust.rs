//! How far each type of alarm is to be trusted, as the agent has found out by itself.
//!
//! Whoever looks into alarms finds in the end that something was the matter where they said, or that
//! nothing was: each counts for or against its type. The share that spoke true is estimated as the
//! mean of a beta distribution that begins with [`PRIOR`]: nine of ten, on the word of the maker. A
//! type that lies often weighs less in everything that alarms are weighed for, and nothing is done on
//! its word alone. The counts are in memory: after a restart the agent begins anew. Knows
//! no causes; those are weighed in [`crate::oss_fault::correlation`] and [`crate::wireless_fault`].

use domain::telemetry::AlarmType;
use std::collections::BTreeMap;

/// The alarms that count as found true, and false, before any has been looked into.
pub const PRIOR: (f64, f64) = (9.0, 1.0);
/// The share of true ones from which on a type is acted upon where measurements can say nothing.
const TRUSTED: f64 = 0.7;

/// The record of each type of alarm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlarmTrust {
    /// How many were found true, and false.
    found: BTreeMap<AlarmType, (f64, f64)>,
}

impl AlarmTrust {
    /// Takes down that alarms of these types spoke true, or did not, where somebody looked into them.
    pub fn found(&mut self, types: impl IntoIterator<Item = AlarmType>, spoke_true: bool) {
        for alarm_type in types {
            let counts = self.found.entry(alarm_type).or_default();
            match spoke_true {
                true => counts.0 += 1.0,
                false => counts.1 += 1.0,
            }
        }
    }

    /// The share of alarms of a type that speak true, above 0 and below 1.
    pub fn share_true(&self, alarm_type: AlarmType) -> f64 {
        let (truths, lies) = self.found.get(&alarm_type).copied().unwrap_or_default();
        let truths = PRIOR.0 + truths;
        truths / (truths + PRIOR.1 + lies)
    }

    /// True if alarms of a type are acted upon where measurements can say nothing.
    pub fn is_trusted(&self, alarm_type: AlarmType) -> bool {
        self.share_true(alarm_type) >= TRUSTED
    }

    /// By how much less than of old an alarm of a type weighs as evidence, on the scale of logarithms
    /// of likelihood ratios: 0 or more. That it stands for no reason is likelier by as much as the
    /// odds that it lies have grown.
    pub fn discount(&self, alarm_type: AlarmType) -> f64 {
        let share = self.share_true(alarm_type);
        let odds_of_lie = (1.0 - share) / share;
        (odds_of_lie * PRIOR.0 / PRIOR.1).ln().max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AlarmType::{CellDegraded, InterferenceHigh};

    #[test]
    fn a_type_that_lies_weighs_less_and_others_as_before() {
        let mut trust = AlarmTrust::default();
        assert!(trust.is_trusted(InterferenceHigh));
        assert!(trust.discount(InterferenceHigh).abs() < 1e-9);
        trust.found([InterferenceHigh; 9], false);
        assert!(!trust.is_trusted(InterferenceHigh));
        // Nine of nineteen: the odds of a lie are ten times those of old.
        assert!((trust.discount(InterferenceHigh) - 10f64.ln()).abs() < 1e-9);
        assert!(trust.is_trusted(CellDegraded));
        trust.found([InterferenceHigh; 60], true);
        assert!(trust.is_trusted(InterferenceHigh));
    }

    #[test]
    fn one_that_always_speaks_true_is_no_more_than_evidence() {
        let mut trust = AlarmTrust::default();
        trust.found([CellDegraded; 500], true);
        assert!(trust.share_true(CellDegraded) < 1.0);
        assert!(trust.discount(CellDegraded).abs() < 1e-9);
    }
}
