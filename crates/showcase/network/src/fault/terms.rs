//! How a fault that somebody injects goes on: how long it takes, how bad it is.
//!
//! Knows for which kinds that can be said, and within which bounds; what is left open is thrown as for
//! faults that happen by themselves ([`crate::simulation`]). Read next: `simulation/outside.rs`.

use super::{FaultError, FaultKind};
use domain::telemetry::Severity;

/// How a fault goes on, as far as that is given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    /// How long it takes, in seconds, 60 to 604,800: until the mains are back, the stranger is silent,
    /// the surge is over, or an ageing module is dark. If it is not given, mains failures and
    /// interference stay until they are mended.
    pub lasts_s: Option<f64>,
    /// How strong interference is and how full congestion makes its link; major if it is not given,
    /// and a warning is as good as minor.
    pub severity: Option<Severity>,
}

impl Terms {
    /// What [`Terms::lasts_s`] may be.
    pub const LASTS_S: (f64, f64) = (60.0, 604_800.0);

    /// Checks that a fault of `kind` can go on like this.
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

/// True if a duration can be given: it ends by itself, or creeps.
fn takes_time(kind: FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::MainsFailure
            | FaultKind::Interference
            | FaultKind::Congestion
            | FaultKind::OpticalModuleAgeing
    )
}

/// True if it can be worse or less bad.
fn has_degrees(kind: FaultKind) -> bool {
    matches!(kind, FaultKind::Interference | FaultKind::Congestion)
}
