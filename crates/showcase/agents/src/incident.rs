//! From single alarms to incidents: what came together, in one part of the network.
//!
//! An incident gathers the alarms whose elements hang on the same routers. It is reported when
//! alarms have been quiet for [`QUIET_S`] seconds or have kept coming for [`LONGEST_S`], again
//! when it has changed, and a last time when nothing of it stands any more. Alarms of unknown types
//! are kept by their names ([`named`]), and are of every incident beside which they stand; those that
//! history has shown to tell of something open one themselves. Refuses to know why.
//! Read next: [`crate::oss_fault::correlation`].

mod named;

use crate::alarms::{ActiveAlarm, ActiveAlarms, AlarmChange, AlarmKey, tells_of_fault};
use crate::learnt_causes::LearntCauses;
use crate::payloads::incident::{ALARMS_LISTED_MAX, Incident, IncidentAlarm};
use crate::topology::Topology;
use domain::inventory::{Domain, ElementId, ElementKind};
use domain::telemetry::{Alarm, AlarmType, Severity};
use domain::time::Timestamp;
use named::NamedActiveAlarms;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Seconds without a change after which an incident is reported.
pub const QUIET_S: f64 = 30.0;
/// Seconds of continuous change after which it is reported all the same.
pub const LONGEST_S: f64 = 90.0;

#[derive(Clone, Debug)]
struct Open {
    id: String,
    routers: BTreeSet<ElementId>,
    keys: BTreeSet<AlarmKey>,
    first: IncidentAlarm,
    raised_at: Timestamp,
    /// First and last change since the last report; none when all is reported.
    unreported: Option<(Timestamp, Timestamp)>,
    reported: bool,
}

impl Open {
    fn touch(&mut self, now: Timestamp) {
        let first = self.unreported.map_or(now, |(first, _)| first);
        self.unreported = Some((first, now));
    }

    fn due(&self) -> Option<Timestamp> {
        let (first, last) = self.unreported?;
        Some(last.plus_s(QUIET_S).min(first.plus_s(LONGEST_S)))
    }
}

/// The incidents of one domain.
#[derive(Clone, Debug)]
pub struct Incidents {
    domain: Domain,
    prefix: String,
    count: u64,
    alarms: ActiveAlarms,
    /// Those of unknown types, by their names.
    named: NamedActiveAlarms,
    open: Vec<Open>,
}

impl Incidents {
    /// No incidents yet; their identifiers begin with `prefix`.
    pub fn new(domain: Domain, prefix: String) -> Self {
        Self::knowing(None, domain, prefix)
    }

    /// The same for who learnt from an unlabelled history which unknown types tell of anything: these
    /// open incidents too.
    pub fn knowing(learnt: Option<Arc<LearntCauses>>, domain: Domain, prefix: String) -> Self {
        Self {
            named: NamedActiveAlarms::knowing(learnt),
            domain,
            prefix,
            count: 0,
            alarms: ActiveAlarms::default(),
            open: Vec::new(),
        }
    }

    /// The alarms behind them.
    pub fn alarms(&self) -> &ActiveAlarms {
        &self.alarms
    }

    /// Takes an alarm down that arrived at `now`; says what it changed.
    pub fn take(&mut self, alarm: &Alarm, topology: &Topology, now: Timestamp) -> AlarmChange {
        let change = match alarm.alarm_type {
            AlarmType::Unknown => self.named.take(alarm, &mut self.alarms),
            _ => self.alarms.take(alarm),
        };
        let key = (alarm.resource.clone(), alarm.alarm_type);
        match change {
            AlarmChange::Raised => self.gather(key, alarm, topology, now),
            AlarmChange::Redated | AlarmChange::Cleared => self.touch(&key, alarm, now),
            AlarmChange::Nothing => {}
        }
        change
    }

    /// A measurement shows that a condition has gone, whatever its alarm says.
    pub fn measured_gone(&mut self, key: AlarmKey, now: Timestamp) {
        if key.1 == AlarmType::Unknown {
            self.named.gone(&key.0, now);
        }
        if self.alarms.clear(key.clone(), now) == AlarmChange::Cleared {
            for incident in self.open.iter_mut().filter(|i| i.keys.contains(&key)) {
                incident.touch(now);
            }
        }
    }

    fn touch(&mut self, key: &AlarmKey, alarm: &Alarm, now: Timestamp) {
        for incident in self.open.iter_mut().filter(|i| i.keys.contains(key)) {
            if !alarm.cleared {
                incident.raised_at = incident.raised_at.min(alarm.time);
            }
            incident.touch(now);
        }
    }

    fn gather(&mut self, key: AlarmKey, alarm: &Alarm, topology: &Topology, now: Timestamp) {
        let routers = topology.area(&alarm.resource).cloned().unwrap_or_default();
        let near = |i: &Open| !i.routers.is_disjoint(&routers) || i.keys.contains(&key);
        let loss = tells_of_fault(alarm.alarm_type) || self.named.tells(alarm);
        let Some(home) = self.open.iter().position(near) else {
            if loss {
                self.begin(key, routers, alarm, topology, now);
            }
            return;
        };
        let incident = &mut self.open[home];
        incident.keys.insert(key);
        if !loss {
            return;
        }
        // Only loss widens an incident: a hot cabinet in the next town says nothing about it.
        incident.routers.extend(routers);
        incident.raised_at = incident.raised_at.min(alarm.time);
        incident.touch(now);
    }

    fn begin(
        &mut self,
        key: AlarmKey,
        routers: BTreeSet<ElementId>,
        alarm: &Alarm,
        topology: &Topology,
        now: Timestamp,
    ) {
        self.count += 1;
        let mut incident = Open {
            id: format!("{}-{}", self.prefix, self.count),
            routers,
            first: IncidentAlarm {
                resource: key.0.clone(),
                alarm_type: key.1,
                qualifier: named::qualifier(alarm),
                time: alarm.time,
            },
            keys: BTreeSet::from([key]),
            raised_at: alarm.time,
            unreported: None,
            reported: false,
        };
        // What nobody has a name for may be of it.
        for (key, _) in self.alarms.standing() {
            let area = topology
                .area(&key.0)
                .filter(|_| key.1 == AlarmType::Unknown);
            if area.is_some_and(|area| !area.is_disjoint(&incident.routers)) {
                incident.keys.insert(key.clone());
            }
        }
        incident.touch(now);
        self.open.push(incident);
    }

    /// The instant at which [`Incidents::report`] has something to say; none if nothing changes of
    /// itself.
    pub fn due(&self) -> Option<Timestamp> {
        self.open.iter().filter_map(Open::due).min()
    }

    /// The incidents to report at `now`; those that ended are forgotten afterwards.
    pub fn report(&mut self, topology: &Topology, now: Timestamp) -> Vec<Incident> {
        let mut reports = Vec::new();
        let mut kept = Vec::new();
        for mut incident in std::mem::take(&mut self.open) {
            if incident.due().is_none_or(|due| due > now) {
                kept.push(incident);
                continue;
            }
            incident.unreported = None;
            let report = self.describe(&incident, topology);
            let (cleared, known) = (report.cleared, incident.reported);
            // What came and went unreported was a flicker.
            if !cleared || known {
                reports.push(report);
            }
            if !cleared {
                incident.reported = true;
                kept.push(incident);
            }
        }
        self.open = kept;
        reports
    }

    /// Every open incident that has been reported, for a publisher who has just come.
    pub fn all_reported(&self, topology: &Topology) -> Vec<Incident> {
        let reported = self.open.iter().filter(|i| i.reported);
        reported.map(|i| self.describe(i, topology)).collect()
    }

    fn describe(&self, incident: &Open, topology: &Topology) -> Incident {
        let standing: Vec<(&AlarmKey, &ActiveAlarm)> = self
            .alarms
            .standing()
            .filter(|(key, _)| incident.keys.contains(*key))
            .collect();
        let losses = standing
            .iter()
            .filter(|((e, t), _)| tells_of_fault(*t) || self.named.tells_on(e, *t));
        let is_site = |e: &ElementId| {
            topology
                .inventory()
                .element(e)
                .is_some_and(|e| e.kind == ElementKind::Site)
        };
        let sites = standing.iter().map(|((e, _), _)| e);
        let sites = sites.filter(|e| is_site(e) && self.alarms.site_is_out(e));
        let sightings = standing
            .iter()
            .flat_map(|(key, s)| self.named.listed(key, s.since));
        Incident {
            incident_id: incident.id.clone(),
            domain: self.domain,
            probable_cause: dominant(losses.clone().map(|((_, t), _)| *t))
                .unwrap_or(incident.first.alarm_type),
            severity: standing
                .iter()
                .map(|(_, s)| s.severity)
                .max()
                .unwrap_or(Severity::Warning),
            raised_at: incident.raised_at,
            cleared: losses.count() == 0,
            resources: standing.iter().map(|((e, _), _)| e.clone()).collect(),
            sites: sites.cloned().collect(),
            alarm_count: standing.len() as u64,
            first_alarm: incident.first.clone(),
            alarms: sightings.take(ALARMS_LISTED_MAX).collect(),
        }
    }
}

/// The type nearest to a cause wins over what merely follows from it, numbers decide among equals.
fn dominant(types: impl Iterator<Item = AlarmType>) -> Option<AlarmType> {
    let mut counts: BTreeMap<AlarmType, usize> = BTreeMap::new();
    for alarm_type in types {
        *counts.entry(alarm_type).or_default() += 1;
    }
    let nearness = |t: AlarmType| match t {
        AlarmType::NodeUnreachable => 4,
        AlarmType::CardFailure => 3,
        AlarmType::MainsFailure | AlarmType::LossOfSignal => 2,
        AlarmType::LinkDown => 1,
        _ => 0,
    };
    let best = counts.into_iter().max_by_key(|(t, n)| (nearness(*t), *n));
    best.map(|(t, _)| t)
}

#[cfg(test)]
mod tests;
