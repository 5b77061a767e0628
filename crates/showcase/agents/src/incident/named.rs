//! Alarms of types that have no name here, by the names that their own systems give them.
//!
//! Knows which of them stand, and which history has shown to tell of something; refuses to know what any
//! name means. Read next: [`crate::learnt_causes`].

use crate::alarms::{ActiveAlarms, AlarmChange, AlarmKey};
use crate::learnt_causes::LearntCauses;
use crate::payloads::incident::IncidentAlarm;
use domain::inventory::ElementId;
use domain::telemetry::{Alarm, AlarmType};
use domain::time::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most characters of a name that are kept.
const NAME_MAX: usize = 256;
/// The most names that are kept of one element; when they are as many, the one that was cleared longest
/// ago makes room, and if all stand, whoever raises more says nothing with it.
const NAMES_PER_ELEMENT_MAX: usize = 64;

/// The alarms of unknown types that stand.
#[derive(Clone, Debug, Default)]
pub(super) struct NamedActiveAlarms {
    learnt: Option<Arc<LearntCauses>>,
    /// By element: names, each with when the element noticed, or when that was last over.
    standing: BTreeMap<ElementId, BTreeMap<String, NamedState>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct NamedState {
    since: Option<Timestamp>,
    cleared: Option<Timestamp>,
}

/// The name of an alarm's type at whoever raised it, where it has one.
pub(super) fn qualifier(alarm: &Alarm) -> Option<String> {
    let name = alarm.qualifier.chars().take(NAME_MAX).collect::<String>();
    (alarm.alarm_type == AlarmType::Unknown && !name.is_empty()).then_some(name)
}

impl NamedActiveAlarms {
    pub(super) fn knowing(learnt: Option<Arc<LearntCauses>>) -> Self {
        Self {
            learnt,
            ..Self::default()
        }
    }

    /// Takes an alarm of an unknown type down; in `alarms`, which have no names, one stands on an element
    /// as long as any does.
    pub(super) fn take(&mut self, alarm: &Alarm, alarms: &mut ActiveAlarms) -> AlarmChange {
        let name = qualifier(alarm).unwrap_or_default();
        let names = self.standing.entry(alarm.resource.clone()).or_default();
        if !names.contains_key(&name) && !has_room(names, alarm.cleared) {
            return AlarmChange::Nothing;
        }
        let state = names.entry(name).or_default();
        let change = state.take(alarm);
        let stands = names.values().any(|state| state.since.is_some());
        match (change, stands) {
            (AlarmChange::Raised, _) => {
                alarms.take(alarm);
                change
            }
            (AlarmChange::Cleared, true) => AlarmChange::Redated,
            (AlarmChange::Cleared, false) => {
                alarms.clear((alarm.resource.clone(), alarm.alarm_type), alarm.time);
                change
            }
            _ => change,
        }
    }

    /// All that stood on an element is over, as a measurement says.
    pub(super) fn gone(&mut self, element: &ElementId, now: Timestamp) {
        for state in self
            .standing
            .get_mut(element)
            .into_iter()
            .flat_map(BTreeMap::values_mut)
        {
            state.since = None;
            state.cleared = state.cleared.max(Some(now));
        }
    }

    /// True if history has shown that alarms of this name tell of something.
    pub(super) fn tells(&self, alarm: &Alarm) -> bool {
        qualifier(alarm).is_some_and(|name| self.relates(&name))
    }

    /// True if one that does stands on an element, and is what is asked about.
    pub(super) fn tells_on(&self, element: &ElementId, alarm_type: AlarmType) -> bool {
        let names = self.names(element);
        alarm_type == AlarmType::Unknown && names.into_iter().any(|(name, _)| self.relates(name))
    }

    fn relates(&self, name: &str) -> bool {
        let learnt = self.learnt.as_ref();
        learnt.is_some_and(|learnt| learnt.relates(name))
    }

    /// The names that stand on an element.
    fn names<'a>(
        &'a self,
        element: &ElementId,
    ) -> impl Iterator<Item = (&'a String, Timestamp)> + use<'a> {
        let names = self.standing.get(element).into_iter().flatten();
        names.filter_map(|(name, state)| Some((name, state.since?)))
    }

    /// An alarm as an incident lists it: one of an unknown type once for each name.
    pub(super) fn listed(
        &self,
        (element, of_type): &AlarmKey,
        since: Timestamp,
    ) -> Vec<IncidentAlarm> {
        let listed = |qualifier: Option<String>, time| IncidentAlarm {
            resource: element.clone(),
            alarm_type: *of_type,
            qualifier,
            time,
        };
        let named = self.names(element).filter(|(name, _)| !name.is_empty());
        let named = named.map(|(name, since)| listed(Some(name.clone()), since));
        let named: Vec<IncidentAlarm> = match of_type {
            AlarmType::Unknown => named.collect(),
            _ => Vec::new(),
        };
        match named.is_empty() {
            true => vec![listed(None, since)],
            false => named,
        }
    }
}

/// True if there is room for another name; one that begins with an end makes none.
fn has_room(names: &mut BTreeMap<String, NamedState>, cleared: bool) -> bool {
    if names.len() < NAMES_PER_ELEMENT_MAX {
        return true;
    }
    let over = names.iter().filter(|(_, state)| state.since.is_none());
    let oldest = over.min_by_key(|(_, state)| state.cleared);
    match oldest.map(|(name, _)| name.clone()).filter(|_| !cleared) {
        Some(oldest) => names.remove(&oldest).is_some(),
        None => false,
    }
}

impl NamedState {
    fn take(&mut self, alarm: &Alarm) -> AlarmChange {
        match (alarm.cleared, self.since) {
            (true, since) => {
                self.cleared = self.cleared.max(Some(alarm.time));
                match since.is_some_and(|since| since <= alarm.time) {
                    true => {
                        self.since = None;
                        AlarmChange::Cleared
                    }
                    false => AlarmChange::Nothing,
                }
            }
            (false, _) if self.cleared.is_some_and(|at| alarm.time <= at) => AlarmChange::Nothing,
            (false, None) => {
                self.since = Some(alarm.time);
                AlarmChange::Raised
            }
            (false, Some(since)) if alarm.time < since => {
                self.since = Some(alarm.time);
                AlarmChange::Redated
            }
            (false, Some(_)) => AlarmChange::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_cleared_longest_ago_makes_room() {
        let at = |second: i64| Timestamp::from_ms(second * 1_000);
        let state = |since, cleared| NamedState { since, cleared };
        let mut names: BTreeMap<String, NamedState> = (0..NAMES_PER_ELEMENT_MAX)
            .map(|number| (format!("n{number:02}"), state(Some(at(1)), None)))
            .collect();
        assert!(!has_room(&mut names, false), "all stand");
        names.insert("n07".to_owned(), state(None, Some(at(30))));
        names.insert("n09".to_owned(), state(None, Some(at(20))));
        assert!(!has_room(&mut names, true), "nothing stands for its end");
        assert!(has_room(&mut names, false));
        assert!(names.contains_key("n07") && !names.contains_key("n09"));
        assert!(has_room(&mut names, true), "there is room now");
    }
}
