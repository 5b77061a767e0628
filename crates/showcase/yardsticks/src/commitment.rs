//! What a policy commits to: the one thing that is measured of agents, people and yardsticks.
//!
//! A suspicion that is only to be tested is none. Refuses to know the truth. Read next:
//! [`crate::measure`], which compares commitments with it.

use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Alarm;
use domain::time::Timestamp;
use std::ops::Deref;

/// The way in which a policy committed itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommitmentKind {
    /// A diagnosis was confirmed, or stated for good.
    Diagnosis,
    /// Something was done to the network from afar: a parameter set, an element restarted.
    Intervention,
    /// A trouble ticket was opened, or an engineer sent.
    Ticket,
}

impl CommitmentKind {
    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Diagnosis => "diagnosis",
            Self::Intervention => "intervention",
            Self::Ticket => "ticket",
        }
    }
}

/// An element that a policy holds to have failed, and acts upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commitment {
    /// The instant from which it was committed to.
    pub at: Timestamp,
    /// The element.
    pub element: ElementId,
    /// The cause.
    pub cause: Cause,
    /// The way.
    pub kind: CommitmentKind,
}

impl Commitment {
    /// A diagnosis.
    pub fn diagnosis(at: Timestamp, element: ElementId, cause: Cause) -> Self {
        let kind = CommitmentKind::Diagnosis;
        Self {
            at,
            element,
            cause,
            kind,
        }
    }

    /// True if both say the same of the same element.
    pub fn says_as(&self, other: &Self) -> bool {
        self.element == other.element && self.cause == other.cause
    }
}

/// An alarm with the instant of its delivery, which may be long after it was noticed.
#[derive(Clone, Debug, PartialEq)]
pub struct DeliveredAlarm {
    /// The instant of delivery.
    pub at: Timestamp,
    /// The alarm.
    pub alarm: Alarm,
}

/// Whoever does not ask when an alarm was delivered reads the alarm.
impl Deref for DeliveredAlarm {
    type Target = Alarm;

    fn deref(&self) -> &Alarm {
        &self.alarm
    }
}
