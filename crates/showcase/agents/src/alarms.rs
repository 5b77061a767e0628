//! The alarms of one domain: each once, in spite of repetition, delay and disorder.
//!
//! Knows what an alarm list keeps (RFC 8632: one entry per resource and type); refuses to know
//! what alarms mean together. Read next: [`crate::incident`].

use domain::inventory::ElementId;
use domain::telemetry::{Alarm, AlarmType, Severity};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The key that identifies an alarm in the list.
pub type AlarmKey = (ElementId, AlarmType);

/// True if alarms of this type tell of lost service or of what takes it away; the others are
/// conditions that operators live with, and never open an incident.
pub fn tells_of_loss(alarm_type: AlarmType) -> bool {
    use AlarmType::*;
    match alarm_type {
        LossOfSignal | LinkDown | CardFailure | NodeUnreachable | SiteUnreachable
        | CellsOutOfService | MainsFailure | CellUnavailable => true,
        SignalDegraded | TemperatureHigh | AntennaMismatch | ClockUnsynchronised | Congestion
        | OpticalPowerLow | CellDegraded | InterferenceHigh | BatteryLow | Unknown => false,
    }
}

/// True if alarms of this type tell that service will be lost unless something is done: they open
/// an incident as well, so that somebody goes before it is.
pub fn foretells_loss(alarm_type: AlarmType) -> bool {
    matches!(alarm_type, AlarmType::OpticalPowerLow)
}

/// True if an alarm of this type opens an incident and is evidence of a fault.
pub fn tells_of_fault(alarm_type: AlarmType) -> bool {
    tells_of_loss(alarm_type) || foretells_loss(alarm_type)
}

/// An alarm that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveAlarm {
    /// The instant at which the element noticed first.
    pub since: Timestamp,
    /// Its severity.
    pub severity: Severity,
}

/// The change that an arriving alarm makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlarmChange {
    /// The condition is new.
    Raised,
    /// The condition has gone.
    Cleared,
    /// The same condition, noticed earlier than known.
    Redated,
    /// Nothing: said before, or overtaken.
    Nothing,
}

/// The alarm list of one domain.
#[derive(Clone, Debug, Default)]
pub struct ActiveAlarms {
    standing: BTreeMap<AlarmKey, ActiveAlarm>,
    cleared: BTreeMap<AlarmKey, Timestamp>,
}

impl ActiveAlarms {
    /// Takes an alarm down.
    pub fn take(&mut self, alarm: &Alarm) -> AlarmChange {
        let key = (alarm.resource.clone(), alarm.alarm_type);
        if alarm.cleared {
            self.clear(key, alarm.time)
        } else {
            self.raise(key, alarm)
        }
    }

    fn raise(&mut self, key: AlarmKey, alarm: &Alarm) -> AlarmChange {
        if self.cleared.get(&key).is_some_and(|at| alarm.time <= *at) {
            return AlarmChange::Nothing;
        }
        match self.standing.get_mut(&key) {
            Some(known) if alarm.time < known.since => {
                known.since = alarm.time;
                AlarmChange::Redated
            }
            Some(_) => AlarmChange::Nothing,
            None => {
                let standing = ActiveAlarm {
                    since: alarm.time,
                    severity: alarm.severity,
                };
                self.standing.insert(key, standing);
                AlarmChange::Raised
            }
        }
    }

    /// The condition has gone at `at`, as an alarm or a measurement says.
    pub fn clear(&mut self, key: AlarmKey, at: Timestamp) -> AlarmChange {
        let latest = self.cleared.entry(key.clone()).or_insert(at);
        *latest = at.max(*latest);
        if self.standing.get(&key).is_some_and(|s| s.since <= at) {
            self.standing.remove(&key);
            AlarmChange::Cleared
        } else {
            AlarmChange::Nothing
        }
    }

    /// Every alarm that stands, by resource.
    pub fn standing(&self) -> impl Iterator<Item = (&AlarmKey, &ActiveAlarm)> {
        self.standing.iter()
    }

    /// The alarms that stand on one element.
    pub fn on<'a>(
        &'a self,
        element: &'a ElementId,
    ) -> impl Iterator<Item = (AlarmType, &'a ActiveAlarm)> {
        let first = (element.clone(), AlarmType::LossOfSignal);
        self.standing
            .range(first..)
            .take_while(move |((resource, _), _)| resource == element)
            .map(|((_, alarm_type), standing)| (*alarm_type, standing))
    }

    /// True if alarms say that the site is out of service.
    pub fn site_is_out(&self, site: &ElementId) -> bool {
        [AlarmType::SiteUnreachable, AlarmType::CellsOutOfService]
            .into_iter()
            .any(|t| self.standing.contains_key(&(site.clone(), t)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{alarm, at, cleared};
    use AlarmType::*;

    #[test]
    fn repetition_and_disorder_change_nothing() {
        let mut list = ActiveAlarms::default();
        assert_eq!(
            list.take(&alarm("site:a", SiteUnreachable, 100)),
            AlarmChange::Raised
        );
        assert_eq!(
            list.take(&alarm("site:a", SiteUnreachable, 100)),
            AlarmChange::Nothing
        );
        assert_eq!(
            list.take(&alarm("site:a", SiteUnreachable, 90)),
            AlarmChange::Redated
        );
        assert_eq!(
            list.take(&cleared("site:a", SiteUnreachable, 50)),
            AlarmChange::Nothing
        );
        assert_eq!(
            list.take(&cleared("site:a", SiteUnreachable, 200)),
            AlarmChange::Cleared
        );
        // A raise that was under way when the clear overtook it.
        assert_eq!(
            list.take(&alarm("site:a", SiteUnreachable, 150)),
            AlarmChange::Nothing
        );
        assert_eq!(
            list.take(&alarm("site:a", SiteUnreachable, 300)),
            AlarmChange::Raised
        );
        assert!(list.site_is_out(&crate::bench::id("site:a")));
        assert_eq!(list.standing().next().map(|(_, s)| s.since), Some(at(300)));
    }

    #[test]
    fn an_element_has_its_own_alarms_only() {
        let mut list = ActiveAlarms::default();
        list.take(&alarm("card:B/1", CardFailure, 1));
        list.take(&alarm("card:B/1", TemperatureHigh, 2));
        list.take(&alarm("card:B/10", CardFailure, 3));
        let id = crate::bench::id("card:B/1");
        let types: Vec<_> = list.on(&id).map(|(t, _)| t).collect();
        assert_eq!(types, [CardFailure, TemperatureHigh]);
    }
}
