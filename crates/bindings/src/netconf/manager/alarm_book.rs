//! What stands at a management system, by its notifications and its alarm list.
//!
//! Notifications repeat, come late and are lost with the connection; the list is read after each
//! connection. Of both together an agent hears each raise and each clear once: what the book already
//! says is no news, what the list has and nobody told is raised, what stood and is gone from the list
//! is cleared. Several foreign alarms may be one of ours (both ends of a link, types of one meaning): it is
//! cleared when the last of them is. Pure: time is an argument. Read next: [`super::alarm_types`].

use super::alarms::{AlarmSnapshot, ForeignAlarm, YangIdentity};
use super::text::clipped;
use super::{AlarmTypeMap, ForeignNames, SystemClock};
use domain::inventory::ElementId;
use domain::telemetry::{Alarm, AlarmType, Severity};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The most alarms that are remembered; beyond, what is new is left out.
const KEPT: usize = 100_000;
/// From how many cleared alarms on these make room: all at once, as to look for them takes a while.
const MAKE_ROOM: usize = KEPT / 10;

/// The module whose alarms of unknown types have their names in the qualifier.
const OURS: &str = "convoke-ems";
/// The most bytes of the module, and of the name, of an unknown type that are kept.
const PART_BYTES: usize = 80;

/// What tells alarms of a system apart (RFC 8632 §3.2).
type Key = (String, YangIdentity, String);

/// The alarm of ours that a foreign one is: the element, the type, and the qualifier ([`Alarm::qualifier`]).
type Ours = (ElementId, AlarmType, String);

/// What is known of one alarm.
#[derive(Clone, Debug)]
struct Known {
    ours: Ours,
    severity: Option<Severity>,
    /// The severity when it was last raised.
    raised: Severity,
    text: String,
    /// By the system's clock.
    time: Option<Timestamp>,
    arrived: Timestamp,
}

/// How an alarm is read: names, types and time.
#[derive(Clone, Copy, Debug)]
struct Reading<'a> {
    names: &'a ForeignNames,
    types: &'a AlarmTypeMap,
    clock: &'a SystemClock,
    now: Timestamp,
}

/// The alarms of a management system.
#[derive(Clone, Debug, Default)]
pub struct AlarmBook {
    known: BTreeMap<Key, Known>,
    /// How many foreign alarms stand for each of ours.
    standing: BTreeMap<Ours, usize>,
    /// How many of those that are known are cleared.
    cleared: usize,
    /// True once a list has shown an alarm: whoever may not read the list is shown none.
    is_listed: bool,
}

impl AlarmBook {
    /// Takes in a notification that arrived at `now`; returns the alarm that it is to agents.
    pub fn hear(
        &mut self,
        told: ForeignAlarm,
        names: &ForeignNames,
        types: &AlarmTypeMap,
        clock: &SystemClock,
        now: Timestamp,
    ) -> Option<Alarm> {
        let by = Reading {
            names,
            types,
            clock,
            now,
        };
        let key = key(&told);
        if let Some(known) = self.known.get(&key) {
            let same = known.severity == told.severity && known.text == told.text;
            if same && known.time == told.time {
                return None;
            }
            let late = told.time.is_some() && told.time < known.time;
            if late {
                // Agents order what they hear by its time; what stands is what was said of later.
                let raised = known.raised;
                return Some(alarm(&by.ours(&told), &told, raised, by));
            }
        }
        self.change(key, told, by)
    }

    /// Takes in the alarm list that was asked for at `began` and is here at `now`; returns what
    /// agents have not heard.
    pub fn take_list(
        &mut self,
        list: AlarmSnapshot,
        names: &ForeignNames,
        types: &AlarmTypeMap,
        clock: &SystemClock,
        (began, now): (Timestamp, Timestamp),
    ) -> Vec<Alarm> {
        let by = Reading {
            names,
            types,
            clock,
            now,
        };
        let mut news = Vec::new();
        let complete = list.complete;
        let mut listed: BTreeMap<Key, ForeignAlarm> = BTreeMap::new();
        for alarm in list.alarms {
            listed.insert(key(&alarm), alarm);
        }
        self.is_listed |= !listed.is_empty();
        if complete && self.is_listed {
            news.extend(self.gone(&listed, began, by));
        }
        for (key, alarm) in listed {
            let is_news = match self.known.get(&key) {
                Some(known) if known.severity == alarm.severity => false,
                // The list was asked for after this was heard: whatever its times, it is newer.
                Some(known) => known.arrived < began || alarm.time > known.time,
                None => alarm.severity.is_some(),
            };
            if is_news {
                news.extend(self.change(key, alarm, by));
            }
        }
        news
    }

    /// The number of alarms of ours that stand.
    pub fn standing(&self) -> usize {
        self.standing.len()
    }

    /// Clears what stood before the list was asked for and is not in it.
    fn gone(
        &mut self,
        listed: &BTreeMap<Key, ForeignAlarm>,
        began: Timestamp,
        by: Reading<'_>,
    ) -> Vec<Alarm> {
        let stood = self.known.iter().filter(|(key, known)| {
            known.severity.is_some() && known.arrived < began && !listed.contains_key(*key)
        });
        let gone: Vec<Key> = stood.map(|(key, _)| key.clone()).collect();
        let cleared = gone.into_iter().filter_map(|key| {
            let (resource, alarm_type, qualifier) = key.clone();
            let told = ForeignAlarm {
                resource,
                alarm_type,
                qualifier,
                severity: None,
                time: None,
                text: "it is no longer in the alarm list".to_owned(),
            };
            self.change(key, told, by)
        });
        cleared.collect()
    }

    /// Enters a change; returns the alarm that it is to agents.
    fn change(&mut self, key: Key, told: ForeignAlarm, by: Reading<'_>) -> Option<Alarm> {
        let before = self.known.get(&key);
        // The end of what nobody has heard of is no news.
        if before.is_none() && told.severity.is_none() {
            return None;
        }
        let was_standing = before.is_some_and(|known| known.severity.is_some());
        let ours = before.map_or_else(|| by.ours(&told), |known| known.ours.clone());
        let raised = told.severity.or(before.map(|known| known.raised));
        let raised = raised.unwrap_or(Severity::Warning);
        let said = alarm(&ours, &told, raised, by);
        let known = Known {
            ours: ours.clone(),
            severity: told.severity,
            raised,
            text: told.text,
            time: told.time,
            arrived: by.now,
        };
        // What cannot be kept would be told anew each time that it is listed.
        if !self.keep(key, known) {
            return None;
        }
        match (was_standing, told.severity.is_some()) {
            (false, true) => *self.standing.entry(ours).or_default() += 1,
            (true, false) => {
                let left = self.standing.get_mut(&ours);
                let left = left.map_or(0, |left| {
                    *left = left.saturating_sub(1);
                    *left
                });
                if left > 0 {
                    return None;
                }
                self.standing.remove(&ours);
            }
            // Cleared while another alarm of the same kind stands: there is nothing to hear.
            (false, false) if self.standing.contains_key(&ours) => return None,
            _ => {}
        }
        Some(said)
    }

    /// Keeps what is known of an alarm, if there is room; cleared ones make room once they are many.
    fn keep(&mut self, key: Key, known: Known) -> bool {
        if self.known.len() >= KEPT && !self.known.contains_key(&key) {
            if self.cleared < MAKE_ROOM {
                return false;
            }
            self.known.retain(|_, known| known.severity.is_some());
            self.cleared = 0;
        }
        self.cleared += usize::from(known.severity.is_none());
        let before = self.known.insert(key, known);
        self.cleared -= usize::from(before.is_some_and(|known| known.severity.is_none()));
        true
    }
}

impl Reading<'_> {
    fn ours(&self, told: &ForeignAlarm) -> Ours {
        let alarm_type = self.types.ours(&told.alarm_type);
        let qualifier = match alarm_type {
            AlarmType::Unknown => name_of_unknown(told),
            _ => String::new(),
        };
        (self.names.element(&told.resource), alarm_type, qualifier)
    }
}

/// The name of an alarm of a type that is unknown here: which type at which system, and what that tells
/// apart. What a system that speaks of `convoke-ems` does not know has its name in the qualifier
/// already.
fn name_of_unknown(told: &ForeignAlarm) -> String {
    let YangIdentity { module, name } = &told.alarm_type;
    let (module, name) = (clipped(module, PART_BYTES), clipped(name, PART_BYTES));
    match told.qualifier.as_str() {
        "" => format!("{module}:{name}"),
        named if module == OURS => named.to_owned(),
        qualifier => format!("{module}:{name}/{qualifier}"),
    }
}

fn key(of: &ForeignAlarm) -> Key {
    (
        of.resource.clone(),
        of.alarm_type.clone(),
        of.qualifier.clone(),
    )
}

fn alarm(ours: &Ours, told: &ForeignAlarm, raised: Severity, by: Reading<'_>) -> Alarm {
    let (resource, alarm_type, qualifier) = ours.clone();
    // What has no name here goes by its own.
    let text = match alarm_type {
        AlarmType::Unknown if told.qualifier.is_empty() => {
            format!("{}: {}", told.alarm_type, told.text)
        }
        AlarmType::Unknown => format!("{} ({}): {}", told.alarm_type, told.qualifier, told.text),
        _ => told.text.clone(),
    };
    Alarm {
        resource,
        alarm_type,
        qualifier,
        severity: told.severity.unwrap_or(raised),
        time: by.clock.ours(told.time, by.now),
        cleared: told.severity.is_none(),
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_types_are_told_apart_by_module_name_and_qualifier() {
        let named = |module: &str, name: &str, qualifier: &str| {
            name_of_unknown(&ForeignAlarm {
                resource: "r".to_owned(),
                alarm_type: YangIdentity {
                    module: module.to_owned(),
                    name: name.to_owned(),
                },
                qualifier: qualifier.to_owned(),
                severity: None,
                time: None,
                text: String::new(),
            })
        };
        assert_eq!(named("acme", "flux", ""), "acme:flux");
        assert_eq!(named("acme", "flux", "q"), "acme:flux/q");
        assert_eq!(
            named("convoke-ems", "unknown", "acme:flux/q"),
            "acme:flux/q"
        );
        assert_eq!(named("convoke-ems", "unknown", ""), "convoke-ems:unknown");
        let long = "é".repeat(100);
        let name = named(&long, &long, "q");
        assert_eq!(name.len(), 80 + 1 + 80 + 2, "whole characters: {name}");
        let odd = format!("x{long}");
        assert_eq!(named(&odd, "flux", "").len(), 79 + 5);
    }
}
