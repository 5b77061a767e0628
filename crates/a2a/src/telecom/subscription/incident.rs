//! A notification as a subscriber reads it.
//!
//! Knows the members of IG1453's `faultManagement.Incident` that our incidents have values for;
//! other results are told as their payloads. Members without a value are left out. Refuses to know
//! artifacts and parts: the bindings put this into one.

use super::NotificationSubscription;
use domain::content::Payload;
use domain::notification::Notification;
use serde_json::{Value, json};

/// The part of an artifact that carries a notification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carriage {
    /// `DataPart`: JSON.
    #[default]
    Data,
    /// `TextPart`: prose.
    Text,
}

impl Carriage {
    /// The carriage that a text names, JSON if it names none.
    ///
    /// # Errors
    /// The part that it names, if that cannot carry it.
    pub(super) fn find(text: &str) -> Result<Self, String> {
        let is_word = |c: char| c.is_ascii_alphanumeric();
        let words = text.split(|c| !is_word(c));
        let mut parts = words.filter(|word| word.len() > 4 && word.ends_with("Part"));
        match parts.next() {
            None | Some("DataPart") => Ok(Self::Data),
            Some("TextPart") => Ok(Self::Text),
            Some(other) => Err(other.to_owned()),
        }
    }
}

/// The artifact that is sent of a notification.
#[derive(Clone, Debug, PartialEq)]
pub struct NotificationArtifact {
    /// The name of the artifact.
    pub name: String,
    /// An object, or a string where text was asked for.
    pub body: Value,
}

/// The schema whose members IG1453 has names for.
const INCIDENT: &str = "fault_incident_result_v1";

impl NotificationSubscription {
    /// The artifact that is sent of a notification; none if it is not wanted.
    pub fn tell(&self, notification: &Notification) -> Option<NotificationArtifact> {
        if !self.wants(notification) {
            return None;
        }
        let payload = notification.content.payload.as_ref()?;
        let body = match (self.carriage, payload.schema_id.as_str()) {
            (Carriage::Text, _) => notification.content.task_description.clone().into(),
            (Carriage::Data, INCIDENT) => incident(notification, payload),
            (Carriage::Data, _) => Value::Object(payload.values.clone()),
        };
        let name = self.artifact.clone();
        let body = match self.carriage {
            Carriage::Data => json!({ &name: body }),
            Carriage::Text => body,
        };
        Some(NotificationArtifact { name, body })
    }
}

fn incident(notification: &Notification, payload: &Payload) -> Value {
    let values = &payload.values;
    let cleared = payload.flag("cleared").unwrap_or_default();
    let sources = payload
        .texts("resources")
        .into_iter()
        .map(|name| json!({ "name": name }));
    let members = [
        ("csn", values.get("incident_id").cloned()),
        ("name", values.get("probable_cause").cloned()),
        ("domain", values.get("domain").cloned()),
        (
            "priority",
            payload.text("severity").map(|s| priority(s).into()),
        ),
        ("occurTime", values.get("raised_at").cloned()),
        ("updateTime", Some(notification.time.to_string().into())),
        (
            "status",
            Some(if cleared { "cleared" } else { "uncleared" }.into()),
        ),
        ("sourceObjects", Some(sources.collect())),
        (
            "detail",
            Some(notification.content.task_description.as_str().into()),
        ),
    ];
    let members = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(members.collect())
}

/// Severities of alarms (ITU-T X.733) as the priorities of IG1453.
fn priority(severity: &str) -> &'static str {
    match severity {
        "critical" => "critical",
        "major" => "high",
        "minor" => "medium",
        _ => "low",
    }
}
