//! The course of an injected fault: its duration and its severity.
//!
//! Knows the kinds to which each applies, and the bounds; what is left open is drawn as for
//! spontaneous faults ([`crate::simulation`]). Read next: `simulation/outside.rs`.

use super::{FaultError, FaultKind};
use domain::telemetry::Severity;

/// The specified course of a fault, as far as it is given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FaultTerms {
    /// Duration in seconds, 60 to 604,800: until the mains are back, the interferer is off, the
    /// surge is over, or an ageing module is dark. If absent, mains failures and interference last
    /// until they are repaired.
    pub lasts_s: Option<f64>,
    /// The strength of interference or the fill of a congested link; major if absent, and a warning
    /// counts as minor.
    pub severity: Option<Severity>,
}

impl FaultTerms {
    /// The range of [`FaultTerms::lasts_s`].
    pub const LASTS_S: (f64, f64) = (60.0, 604_800.0);

    /// Checks that these terms apply to a fault of `kind`.
    ///
    /// # Errors
    /// [`FaultError::NoDuration`], [`FaultError::Duration`] and [`FaultError::NoSeverity`].
    pub fn check(&self, kind: FaultKind) -> Result<(), FaultError> {
        let (least, most) = Self::LASTS_S;
        match self.lasts_s {
            Some(_) if !takes_time(kind) => return Err(FaultError::NoDuration { kind }),
            Some(s) if !(least..=most).contains(&s) => return Err(FaultError::Duration),
            _ => {}
        }
        match self.severity {
            Some(_) if !has_degrees(kind) => Err(FaultError::NoSeverity { kind }),
            _ => Ok(()),
        }
    }
}

/// True if a duration applies: the fault ends by itself, or develops gradually.
fn takes_time(kind: FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::MainsFailure
            | FaultKind::Interference
            | FaultKind::Congestion
            | FaultKind::OpticalModuleAgeing
    )
}

/// True if a severity applies.
fn has_degrees(kind: FaultKind) -> bool {
    matches!(kind, FaultKind::Interference | FaultKind::Congestion)
}
