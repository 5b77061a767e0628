//! `fault_incident_v1`, the order to report incidents, and `fault_incident_result_v1`, an incident.
//!
//! Read next: [`crate::incident`], which makes them from alarms.

use super::Schema;
use super::values::{Values, list};
use domain::inventory::{Domain, ElementId};
use domain::telemetry::{AlarmType, Severity};
use domain::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The most alarms that one incident lists; `alarm_count` counts on.
pub const ALARMS_LISTED_MAX: usize = 1_000;

/// Report every incident of a domain from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentOrder {
    /// The domain to watch.
    pub domain: Domain,
}

impl Schema for IncidentOrder {
    const ID: &'static str = "fault_incident_v1";

    fn values(&self) -> Value {
        json!({ "report": "incidents", "domain": self.domain.as_str() })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        let domain = values.name("domain", domain_called)?;
        Some(Self { domain })
    }
}

/// One alarm within an incident.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IncidentAlarm {
    /// The element it is raised on.
    pub resource: ElementId,
    /// The type of the alarm.
    pub alarm_type: AlarmType,
    /// The instant at which the element noticed.
    pub time: Timestamp,
}

impl IncidentAlarm {
    fn json(&self) -> Value {
        json!({
            "resource": self.resource.as_str(),
            "type": self.alarm_type.as_str(),
            "time": self.time.to_string(),
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            resource: values.element("resource")?,
            alarm_type: values.name("type", AlarmType::parse)?,
            time: values.time("time")?,
        })
    }
}

/// Alarms that belong together, as one domain sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub raised_at: Timestamp,
    /// True when all of its alarms have cleared.
    pub cleared: bool,
    /// The elements with alarms.
    pub resources: BTreeSet<ElementId>,
    /// The sites out of service.
    pub sites: BTreeSet<ElementId>,
    /// The number of its alarms, listed or not.
    pub alarm_count: u64,
    /// The alarm that reached the reporting agent first.
    pub first_alarm: IncidentAlarm,
    /// Its alarms, at most [`ALARMS_LISTED_MAX`].
    pub alarms: Vec<IncidentAlarm>,
}

impl Schema for Incident {
    const ID: &'static str = "fault_incident_result_v1";

    fn values(&self) -> Value {
        let listed = self.alarms.iter().take(ALARMS_LISTED_MAX);
        json!({
            "incident_id": self.incident_id,
            "domain": self.domain.as_str(),
            "probable_cause": self.probable_cause.as_str(),
            "severity": self.severity.as_str(),
            "raised_at": self.raised_at.to_string(),
            "cleared": self.cleared,
            "resources": list(&self.resources),
            "sites": list(&self.sites),
            "alarm_count": self.alarm_count,
            "first_alarm": self.first_alarm.json(),
            "alarms": listed.map(IncidentAlarm::json).collect::<Value>(),
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            incident_id: values.text("incident_id"),
            domain: values.name("domain", domain_called)?,
            probable_cause: values.name("probable_cause", AlarmType::parse)?,
            severity: values.name("severity", severity)?,
            raised_at: values.time("raised_at")?,
            cleared: values.flag("cleared"),
            resources: values.elements("resources"),
            sites: values.elements("sites"),
            alarm_count: values.count("alarm_count"),
            first_alarm: values.object("first_alarm", IncidentAlarm::read)?,
            alarms: values.objects("alarms", IncidentAlarm::read),
        })
    }
}

fn severity(name: &str) -> Option<Severity> {
    use Severity::*;
    [Warning, Minor, Major, Critical]
        .into_iter()
        .find(|s| s.as_str() == name)
}

/// The domain called `name`, in any case.
pub fn domain_called(name: &str) -> Option<Domain> {
    [Domain::Wireless, Domain::Ip, Domain::Service]
        .into_iter()
        .find(|d| d.as_str().eq_ignore_ascii_case(name))
}
