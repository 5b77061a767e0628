//! Event analysis: what the domains and the customers have reported, as one body of evidence.
//!
//! Knows which report replaces which; refuses to know causes. Read next: [`super::correlation`].

use crate::alarms::{AlarmKey, tells_of_fault};
use crate::learnt_causes::NamedAlarms;
use crate::payloads::incident::{Incident, IncidentAlarm};
use domain::inventory::ElementId;
use domain::telemetry::{AlarmType, Complaint};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Complaints older than this (seconds) are about something else.
const COMPLAINT_COUNTS_S: f64 = 1_800.0;

/// The alarms that stand, by what identifies them, with the time the element noticed; and which
/// sites customers complain about, with how many complaints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Alarms that tell of loss, or foretell it.
    pub alarms: BTreeMap<AlarmKey, Timestamp>,
    /// Elements on which alarms of unknown types stand, with the time of the first.
    pub strange: BTreeMap<ElementId, Timestamp>,
    /// Alarms of unknown types, by the names that their own systems give these.
    pub named: NamedAlarms,
    /// Complaints by site.
    pub complaints: BTreeMap<ElementId, u32>,
}

impl Evidence {
    /// The instant at which an alarm that stands was noticed.
    pub fn noticed(&self, key: &AlarmKey) -> Option<Timestamp> {
        match key.1 {
            AlarmType::Unknown => self.strange.get(&key.0).copied(),
            _ => self.alarms.get(key).copied(),
        }
    }
}

/// Everything reported, by incident.
#[derive(Clone, Debug, Default)]
pub struct Events {
    incidents: BTreeMap<String, Incident>,
    /// First alarms in the order in which they were heard of.
    heard: Vec<(String, IncidentAlarm)>,
    complaints: Vec<Complaint>,
}

impl Events {
    /// Takes an incident down, in place of what was known of it; says if evidence changed.
    pub fn incident(&mut self, incident: Incident) -> bool {
        if incident.cleared {
            return self.incidents.remove(&incident.incident_id).is_some();
        }
        let id = incident.incident_id.clone();
        if !self.heard.iter().any(|(known, _)| *known == id) {
            self.heard.push((id.clone(), incident.first_alarm.clone()));
        }
        let before = self.incidents.insert(id.clone(), incident);
        before.as_ref() != self.incidents.get(&id)
    }

    /// Takes a complaint down.
    pub fn complaint(&mut self, complaint: Complaint) {
        self.complaints.push(complaint);
    }

    /// The evidence that stands at `now`.
    pub fn evidence(&mut self, now: Timestamp) -> Evidence {
        self.complaints
            .retain(|c| now.seconds_since(c.time) <= COMPLAINT_COUNTS_S);
        let mut evidence = Evidence::default();
        let sightings = self.incidents.values().flat_map(|i| &i.alarms);
        for s in sightings.filter(|s| tells_of_fault(s.alarm_type)) {
            let time = evidence
                .alarms
                .entry((s.resource.clone(), s.alarm_type))
                .or_insert(s.time);
            *time = s.time.min(*time);
        }
        let sightings = self.incidents.values().flat_map(|i| &i.alarms);
        for s in sightings.filter(|s| s.alarm_type == AlarmType::Unknown) {
            let time = evidence.strange.entry(s.resource.clone());
            let time = time.or_insert(s.time);
            *time = s.time.min(*time);
            if let Some(name) = &s.qualifier {
                let key = (s.resource.clone(), name.clone());
                evidence.named.insert(key, s.time);
            }
        }
        for complaint in &self.complaints {
            *evidence
                .complaints
                .entry(complaint.site.clone())
                .or_default() += 1;
        }
        evidence
    }

    /// The incidents that hold any of `keys`.
    pub fn behind(&self, keys: &BTreeSet<AlarmKey>) -> Vec<&Incident> {
        let holds = |i: &&Incident| {
            i.alarms
                .iter()
                .any(|s| keys.contains(&(s.resource.clone(), s.alarm_type)))
        };
        self.incidents.values().filter(holds).collect()
    }

    /// The first alarms of those incidents, in the order in which they were heard of.
    pub fn first_alarms(&self, incident_ids: &[String]) -> Vec<IncidentAlarm> {
        let ours = self
            .heard
            .iter()
            .filter(|(id, _)| incident_ids.contains(id));
        ours.map(|(_, sighting)| sighting.clone()).collect()
    }
}
