//! The judgement on a key: it goes on, goes up or goes out (draft-zhou §6.2.3).

use crate::evolution::{Ratios, TrialSettings};
use serde::{Deserialize, Serialize};

/// The reason why a key is on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeprecationReason {
    /// usage_frequency is too low.
    Usage,
    /// semantic_alignment_accuracy is too low.
    Alignment,
    /// value_type_correctness is too low.
    TypeCorrectness,
    /// Neither promoted nor bad until the observation window ended.
    Undecided,
    /// Its patch ended while it was on trial.
    Expired,
    /// An operator said so.
    Operator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Promote,
    Extend,
    Deprecate(DeprecationReason),
}

/// The verdict of measures of a key on trial; `last` when the observation window is over.
pub(super) fn of_trial(ratios: &Ratios, settings: &TrialSettings, last: bool) -> Verdict {
    if let Some(reason) = too_low(ratios, settings) {
        return Verdict::Deprecate(reason);
    }
    let up = &settings.promotion;
    let reaches = |ratio: Option<f64>, least: f64| ratio.is_some_and(|r| r >= least);
    let used = reaches(ratios.usage_frequency, up.usage);
    let typed = reaches(ratios.value_type_correctness, up.type_correctness);
    let aligned = reaches(ratios.semantic_alignment_accuracy, up.alignment);
    let unjudged = ratios.semantic_alignment_accuracy.is_none();
    match used && typed {
        true if aligned || unjudged && !up.judged => Verdict::Promote,
        // That nobody judged blocks promotion but is not the key's fault.
        true if unjudged => Verdict::Extend,
        _ if last => Verdict::Deprecate(DeprecationReason::Undecided),
        _ => Verdict::Extend,
    }
}

/// The verdict of measures of a stable key: it stays unless one is too low.
pub(super) fn of_stable(ratios: &Ratios, settings: &TrialSettings) -> Verdict {
    too_low(ratios, settings).map_or(Verdict::Extend, Verdict::Deprecate)
}

/// A measure without anything to measure is not low.
fn too_low(ratios: &Ratios, settings: &TrialSettings) -> Option<DeprecationReason> {
    let down = &settings.deprecation;
    let low = |ratio: Option<f64>, least: f64| ratio.is_some_and(|r| r < least);
    if low(ratios.usage_frequency, down.usage) {
        Some(DeprecationReason::Usage)
    } else if low(ratios.semantic_alignment_accuracy, down.alignment) {
        Some(DeprecationReason::Alignment)
    } else if low(ratios.value_type_correctness, down.type_correctness) {
        Some(DeprecationReason::TypeCorrectness)
    } else {
        None
    }
}
