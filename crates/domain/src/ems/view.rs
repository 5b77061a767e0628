//! The state of a management system: its alarms with their history, and the latest performance
//! figures.
//!
//! Alarms arrive late, twice, out of order, or not at all; changes are ordered by the time at which
//! the element noticed. A clear that arrives before its raise is not shown but kept, so that the
//! late raise does not stand for ever. Alarms are kept up to a number: beyond, those that were cleared
//! longest ago are forgotten first, and what stands last of all. Read next: [`super`].

use super::Ems;
use crate::inventory::{ElementId, Inventory};
use crate::telemetry::{Alarm, AlarmType, Performance, Severity, Telemetry};
use crate::time::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The most changes kept of an alarm (RFC 8632, `status-change`).
pub const STATUS_CHANGES: usize = 20;

/// The most alarms that are kept; at the next, a tenth of them is forgotten.
pub const ALARMS_KEPT: usize = 50_000;

/// The most clears that are kept until their raise arrives; at the next, a tenth of them is forgotten.
const UNHEARD_KEPT: usize = 10_000;

/// A change of an alarm's status (RFC 8632, `status-change`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The time at which the element noticed.
    pub time: Timestamp,
    /// The severity from then on; none if the condition had gone.
    pub severity: Option<Severity>,
    /// The text, for people.
    pub text: String,
}

/// One alarm: a resource, a type and its qualifier (RFC 8632, `alarm`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlarmRecord {
    /// The element it is raised on.
    pub resource: ElementId,
    /// The type of alarm.
    pub alarm_type: AlarmType,
    /// Its qualifier: [`Alarm::qualifier`].
    pub qualifier: String,
    /// The time at which it was first reported.
    pub created: Timestamp,
    /// The time at which it was last raised.
    pub last_raised: Timestamp,
    /// The severity when it was last raised.
    pub severity: Severity,
    /// The changes reported, the latest first; never empty, at most [`STATUS_CHANGES`].
    heard: Vec<Change>,
}

impl AlarmRecord {
    /// True if the condition has gone.
    pub fn is_cleared(&self) -> bool {
        self.latest().severity.is_none()
    }

    /// The latest change.
    pub fn latest(&self) -> &Change {
        self.changes().next().expect("made with its first change")
    }

    /// Its changes, the latest first, without repetitions that say nothing new.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        let news = |(place, change): &(usize, &Change)| {
            let before = self.heard.get(place + 1);
            before.is_none_or(|before| !before.says_what(change))
        };
        let heard = self.heard.iter().enumerate().filter(news);
        heard.map(|(_, change)| change)
    }
}

impl Change {
    fn says_what(&self, other: &Change) -> bool {
        self.severity == other.severity && self.text == other.text
    }
}

/// The alarms that a query found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlarmList {
    /// The number of alarms, matching or not.
    pub number: usize,
    /// The time of the last change of the list; none before the first.
    pub last_changed: Option<Timestamp>,
    /// The number of alarms of each severity.
    pub tally: BTreeMap<Severity, Tally>,
    /// The alarms that match, by resource, type and qualifier.
    pub alarms: Vec<Arc<AlarmRecord>>,
}

/// A number of alarms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number in all.
    pub total: usize,
    /// The number of those that are cleared.
    pub cleared: usize,
}

type Key = (ElementId, AlarmType, String);

/// The state of a management system.
#[derive(Clone, Debug)]
pub struct View {
    ems: Ems,
    inventory: Arc<Inventory>,
    alarms: BTreeMap<Key, Arc<AlarmRecord>>,
    /// Clears whose raise has not arrived.
    unheard: BTreeMap<Key, Change>,
    last_changed: Option<Timestamp>,
    performance: Option<Arc<Performance>>,
}

impl View {
    /// The initial state: the documented network, and no telemetry yet.
    pub fn new(ems: Ems, inventory: Arc<Inventory>) -> Self {
        Self {
            ems,
            inventory,
            alarms: BTreeMap::new(),
            unheard: BTreeMap::new(),
            last_changed: None,
            performance: None,
        }
    }

    /// The management system.
    pub fn ems(&self) -> Ems {
        self.ems
    }

    /// The network as documented.
    pub fn inventory(&self) -> &Arc<Inventory> {
        &self.inventory
    }

    /// True if an element lies in the province, or if there is no restriction to one.
    pub fn is_within(&self, province: Option<&str>, element: &ElementId) -> bool {
        province.is_none() || self.inventory.province_of(element) == province
    }

    /// The performance figures of the last period that has ended, in a province or everywhere; none
    /// before the end of the first.
    pub fn performance(&self, province: Option<&str>) -> Option<Arc<Performance>> {
        let whole = self.performance.as_ref()?;
        if province.is_none() {
            return Some(Arc::clone(whole));
        }
        Some(Arc::new(Performance {
            cells: self.within(province, &whole.cells),
            links: self.within(province, &whole.links),
            ..**whole
        }))
    }

    fn within<T: Clone>(
        &self,
        province: Option<&str>,
        all: &BTreeMap<ElementId, T>,
    ) -> BTreeMap<ElementId, T> {
        let own = all.iter().filter(|(id, _)| self.is_within(province, id));
        own.map(|(id, figures)| (id.clone(), figures.clone()))
            .collect()
    }

    /// The alarms of these resources, or all; of a province or everywhere.
    pub fn alarms(&self, resources: Option<&[ElementId]>, province: Option<&str>) -> AlarmList {
        let own = |alarm: &&Arc<AlarmRecord>| self.is_within(province, &alarm.resource);
        let own = || self.alarms.values().filter(own);
        let mut tally: BTreeMap<Severity, Tally> = BTreeMap::new();
        for alarm in own() {
            let tally = tally.entry(alarm.severity).or_default();
            tally.total += 1;
            tally.cleared += usize::from(alarm.is_cleared());
        }
        let wanted =
            |alarm: &&Arc<AlarmRecord>| resources.is_none_or(|r| r.contains(&alarm.resource));
        AlarmList {
            number: own().count(),
            last_changed: self.last_changed,
            tally,
            alarms: own().filter(wanted).cloned().collect(),
        }
    }

    /// Takes in telemetry that arrived at `at`. News of customers and engineers is ignored: it is
    /// reported, not kept.
    pub fn take(&mut self, telemetry: &Telemetry, at: Timestamp) {
        match telemetry {
            Telemetry::Alarm(alarm) => self.alarm(alarm, at),
            Telemetry::Performance(performance) => self.performance = Some(Arc::clone(performance)),
            Telemetry::Complaint(_)
            | Telemetry::Field(_)
            | Telemetry::Ticket(_)
            | Telemetry::CustomerAnswered { .. } => {}
        }
    }

    fn alarm(&mut self, alarm: &Alarm, at: Timestamp) {
        let qualifier = alarm.qualifier.clone();
        let key = (alarm.resource.clone(), alarm.alarm_type, qualifier);
        let change = Change {
            time: alarm.time,
            severity: (!alarm.cleared).then_some(alarm.severity),
            text: alarm.text.clone(),
        };
        match (self.alarms.get_mut(&key), alarm.cleared) {
            (Some(known), _) => {
                if !Arc::make_mut(known).enter(change) {
                    return;
                }
            }
            (None, true) => return self.remember(key, change),
            (None, false) => {
                let mut first = AlarmRecord {
                    resource: alarm.resource.clone(),
                    alarm_type: alarm.alarm_type,
                    qualifier: alarm.qualifier.clone(),
                    created: at,
                    last_raised: alarm.time,
                    severity: alarm.severity,
                    heard: vec![change],
                };
                if let Some(clear) = self.unheard.remove(&key) {
                    first.enter(clear);
                }
                let urgency = |known: &Arc<AlarmRecord>| (!known.is_cleared(), known.latest().time);
                make_room(&mut self.alarms, ALARMS_KEPT, urgency);
                self.alarms.insert(key, Arc::new(first));
            }
        }
        self.last_changed = Some(at);
    }

    fn remember(&mut self, key: Key, clear: Change) {
        if !self.unheard.contains_key(&key) {
            make_room(&mut self.unheard, UNHEARD_KEPT, |known| known.time);
        }
        let known = self.unheard.entry(key).or_insert_with(|| clear.clone());
        if known.time < clear.time {
            *known = clear;
        }
    }
}

/// Removes the least urgent tenth of what is kept if there is no room for one more: all at once, so
/// that a flood is not sorted again at each alarm.
fn make_room<T, U: Ord>(kept: &mut BTreeMap<Key, T>, room: usize, urgency: impl Fn(&T) -> U) {
    if kept.len() < room {
        return;
    }
    let urgencies = kept
        .iter()
        .map(|(key, known)| (urgency(known), key.clone()));
    let mut order: Vec<(U, Key)> = urgencies.collect();
    order.sort_unstable();
    for (_, key) in order.into_iter().take(room.div_ceil(10)) {
        kept.remove(&key);
    }
}

impl AlarmRecord {
    /// Enters a change at its place in time; false if it says nothing new. Of two at one instant
    /// the clear wins, else the one that arrived last. A change that says nothing new is kept too,
    /// as one before it may still arrive.
    fn enter(&mut self, change: Change) -> bool {
        let place = self.heard.partition_point(|known| known.time > change.time);
        let at_once = self.heard.get(place).filter(|k| k.time == change.time);
        match at_once {
            Some(known) if known.severity.is_none() || known.says_what(&change) => return false,
            Some(_) => drop(self.heard.remove(place)),
            None => {}
        }
        let before = self.heard.get(place);
        let news = before.is_none_or(|before| !before.says_what(&change));
        self.heard.insert(place, change);
        self.heard.truncate(STATUS_CHANGES);
        let raised = |c: &Change| c.severity.map(|severity| (c.time, severity));
        let last = self.changes().find_map(raised);
        if let Some(last) = last {
            (self.last_raised, self.severity) = last;
        }
        news
    }
}
