//! `fault_incident_v1`, the order to report incidents, and `fault_incident_result_v1`, an incident.
//!
//! Read next: [`crate::incident`], which makes them from alarms.

use super::{Schema, canonical};
use domain::inventory::{Domain, ElementId};
use domain::telemetry::{AlarmType, Severity};
use domain::time::Timestamp;
use language::time::rfc3339;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most alarms that one incident lists; `alarm_count` counts on.
pub const ALARMS_LISTED_MAX: usize = 1_000;

/// Report every incident of a domain from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "report", rename = "incidents")]
pub struct IncidentOrder {
    /// The domain to watch.
    pub domain: Domain,
}

impl Schema for IncidentOrder {
    const ID: &'static str = "fault_incident_v1";
}

/// One alarm within an incident.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IncidentAlarm {
    /// The element it is raised on.
    pub resource: ElementId,
    /// The type of the alarm.
    #[serde(rename = "type")]
    pub alarm_type: AlarmType,
    /// What the system that raised it calls its type, where that is unknown here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qualifier: Option<String>,
    /// The instant at which the element noticed.
    #[serde(with = "rfc3339")]
    pub time: Timestamp,
}

/// Alarms that belong together, as one domain sees them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incident {
    /// Stays the same while the incident is updated.
    pub incident_id: String,
    /// The domain whose incident it is.
    pub domain: Domain,
    /// The type of the dominant alarm.
    pub probable_cause: AlarmType,
    /// The worst severity among its alarms.
    pub severity: Severity,
    /// The time of its earliest alarm.
    #[serde(with = "rfc3339")]
    pub raised_at: Timestamp,
    /// True when all of its alarms have cleared.
    pub cleared: bool,
    /// The elements with alarms.
    #[serde(default)]
    pub resources: BTreeSet<ElementId>,
    /// The sites out of service.
    #[serde(default)]
    pub sites: BTreeSet<ElementId>,
    /// The number of its alarms, listed or not.
    pub alarm_count: u64,
    /// The alarm that reached the reporting agent first.
    pub first_alarm: IncidentAlarm,
    /// Its alarms, at most [`ALARMS_LISTED_MAX`].
    #[serde(default, deserialize_with = "canonical::readable")]
    pub alarms: Vec<IncidentAlarm>,
}

impl Schema for Incident {
    const ID: &'static str = "fault_incident_result_v1";
}
