//! The state of a management system: its alarms with their history, and the latest performance
//! figures.
//!
//! Alarms arrive late, twice, out of order, or not at all; changes are ordered by the time at which
//! the element noticed. A clear that arrives before its raise is not shown but kept, so that the
//! late raise does not stand for ever. Read next: [`super`].

use super::Ems;
use crate::inventory::{ElementId, Inventory};
use crate::telemetry::{Alarm, AlarmType, Performance, Severity, Telemetry};
use crate::time::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most changes kept of an alarm (RFC 8632, `status-change`).
pub const STATUS_CHANGES: usize = 20;

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

/// One alarm: a resource and a type (RFC 8632, `alarm`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlarmRecord {
    /// The element it is raised on.
    pub resource: ElementId,
    /// The type of alarm.
    pub alarm_type: AlarmType,
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
    /// The alarms that match, by resource and type.
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

type Key = (ElementId, AlarmType);

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
        let key = (alarm.resource.clone(), alarm.alarm_type);
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
                    created: at,
                    last_raised: alarm.time,
                    severity: alarm.severity,
                    heard: vec![change],
                };
                if let Some(clear) = self.unheard.remove(&key) {
                    first.enter(clear);
                }
                self.alarms.insert(key, Arc::new(first));
            }
        }
        self.last_changed = Some(at);
    }

    fn remember(&mut self, key: Key, clear: Change) {
        let known = self.unheard.entry(key).or_insert_with(|| clear.clone());
        if known.time < clear.time {
            *known = clear;
        }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::inventory::{Domain, Element, ElementKind};
    use proptest::prelude::*;

    fn at(s: i64) -> Timestamp {
        Timestamp::from_ms(1_000 * s)
    }

    fn alarm(s: i64, severity: Severity, cleared: bool) -> Telemetry {
        Telemetry::Alarm(Alarm {
            resource: ElementId::new("link:A-B"),
            alarm_type: AlarmType::LossOfSignal,
            severity,
            time: at(s),
            cleared,
            text: format!("{} {}", severity.as_str(), cleared),
        })
    }

    fn raise(s: i64) -> Telemetry {
        alarm(s, Severity::Major, false)
    }

    fn clear(s: i64) -> Telemetry {
        alarm(s, Severity::Major, true)
    }

    /// The state after these arrived, one second after the other from 100 s on.
    fn after(arrivals: &[Telemetry]) -> View {
        let mut view = View::new(Ems::Ip, Arc::default());
        for (place, telemetry) in arrivals.iter().enumerate() {
            view.take(telemetry, at(100 + place as i64));
        }
        view
    }

    /// The one alarm in short: `cleared|stands severity, raised S, changed S: history`.
    fn told(arrivals: &[Telemetry]) -> String {
        let list = after(arrivals).alarms(None, None);
        let Some(alarm) = list.alarms.first() else {
            return format!("{} alarms", list.number);
        };
        let seconds = |t: Timestamp| t.as_ms() / 1_000;
        let word = |s: Option<Severity>| s.map_or("cleared", Severity::as_str);
        let changes = alarm.changes();
        let changes: Vec<String> = changes
            .map(|c| format!("{} {}", seconds(c.time), word(c.severity)))
            .collect();
        format!(
            "{}, {} raised {}, list {}: {}",
            word((!alarm.is_cleared()).then_some(alarm.severity)),
            alarm.severity.as_str(),
            seconds(alarm.last_raised),
            list.last_changed.map_or(0, seconds),
            changes.join(", ")
        )
    }

    #[test]
    fn an_alarm_is_raised_changed_and_cleared() {
        let minor = |s| alarm(s, Severity::Minor, false);
        insta::assert_snapshot!(told(&[raise(1)]), @"major, major raised 1, list 100: 1 major");
        insta::assert_snapshot!(told(&[raise(1), minor(2)]), @"minor, minor raised 2, list 101: 2 minor, 1 major");
        insta::assert_snapshot!(told(&[raise(1), clear(3)]), @"cleared, major raised 1, list 101: 3 cleared, 1 major");
        insta::assert_snapshot!(told(&[raise(1), clear(3), raise(5)]), @"major, major raised 5, list 102: 5 major, 3 cleared, 1 major");
    }

    #[test]
    fn what_comes_twice_or_says_nothing_new_changes_nothing() {
        insta::assert_snapshot!(told(&[raise(1), raise(1)]), @"major, major raised 1, list 100: 1 major");
        insta::assert_snapshot!(told(&[raise(1), raise(4)]), @"major, major raised 1, list 100: 1 major");
        insta::assert_snapshot!(told(&[raise(1), clear(3), clear(3)]), @"cleared, major raised 1, list 101: 3 cleared, 1 major");
    }

    #[test]
    fn what_comes_out_of_order_is_put_in_order() {
        insta::assert_snapshot!(told(&[raise(5), clear(3), raise(1)]), @"major, major raised 5, list 102: 5 major, 3 cleared, 1 major");
        insta::assert_snapshot!(told(&[raise(1), raise(5), clear(3)]), @"major, major raised 5, list 102: 5 major, 3 cleared, 1 major");
        // At one instant the clear stands, whichever comes first.
        insta::assert_snapshot!(told(&[raise(1), clear(1)]), @"cleared, major raised 1, list 101: 1 cleared");
        insta::assert_snapshot!(told(&[clear(1), raise(1)]), @"cleared, major raised 1, list 101: 1 cleared");
    }

    #[test]
    fn a_clear_without_its_raise_shows_nothing_and_ends_the_late_raise() {
        insta::assert_snapshot!(told(&[clear(3)]), @"0 alarms");
        insta::assert_snapshot!(told(&[clear(3), raise(1)]), @"cleared, major raised 1, list 101: 3 cleared, 1 major");
        insta::assert_snapshot!(told(&[clear(3), raise(7)]), @"major, major raised 7, list 101: 7 major, 3 cleared");
    }

    #[test]
    fn the_last_twenty_changes_are_kept() {
        let flaps: Vec<Telemetry> = (0..30)
            .flat_map(|n| [raise(2 * n), clear(2 * n + 1)])
            .collect();
        let list = after(&flaps).alarms(None, None);
        assert_eq!(list.alarms[0].changes().count(), STATUS_CHANGES);
        assert_eq!(list.alarms[0].latest().time, at(59));
        assert_eq!(list.alarms[0].last_raised, at(58));
    }

    #[test]
    fn alarms_are_found_by_resource_and_counted_by_severity() {
        let view = after(&[raise(1), clear(2)]);
        let none = view.alarms(Some(&[ElementId::new("link:C-D")]), None);
        assert_eq!((none.number, none.alarms.len()), (1, 0));
        let one = Tally {
            total: 1,
            cleared: 1,
        };
        assert_eq!(none.tally[&Severity::Major], one);
        let found = view.alarms(Some(&[ElementId::new("link:A-B")]), None);
        assert_eq!(found.alarms.len(), 1);
    }

    #[test]
    fn the_last_period_is_kept_and_people_pass_by() {
        let mut view = after(&[]);
        let period = |until| {
            Arc::new(Performance {
                until: at(until),
                ..Performance::default()
            })
        };
        view.take(&Telemetry::Performance(period(900)), at(900));
        view.take(&Telemetry::Performance(period(1_800)), at(1_800));
        let answered = Telemetry::CustomerAnswered {
            ticket: "1".to_owned(),
            text: "yes".to_owned(),
        };
        view.take(&answered, at(1_801));
        assert_eq!(view.performance(None), Some(period(1_800)));
        assert_eq!(view.alarms(None, None), AlarmList::default());
    }

    #[test]
    fn who_is_confined_to_a_province_is_shown_that() {
        let element = |name: &str, place: &str| Element {
            id: ElementId::new(name),
            kind: ElementKind::Link,
            domain: Domain::Ip,
            parent: None,
            place: place.to_owned(),
            position: (0.0, 0.0),
            vendor: String::new(),
            model: String::new(),
        };
        let elements = [element("link:A-B", "Up"), element("link:C-D", "Down")];
        let inventory = Inventory {
            elements: elements.into_iter().map(|e| (e.id.clone(), e)).collect(),
            provinces: [("Up", "North"), ("Down", "South")]
                .map(|(place, province)| (place.to_owned(), province.to_owned()))
                .into(),
            ..Inventory::default()
        };
        let mut view = View::new(Ems::Ip, Arc::new(inventory));
        view.take(&raise(1), at(2));
        let counted = ["link:A-B", "link:C-D"].map(|id| (ElementId::new(id), Default::default()));
        let performance = Performance {
            links: counted.into(),
            ..Performance::default()
        };
        view.take(&Telemetry::Performance(Arc::new(performance)), at(3));
        let shown = |province: Option<&str>| {
            let links = view.performance(province).unwrap().links.len();
            (view.alarms(None, province).number, links)
        };
        assert_eq!(shown(None), (1, 2));
        assert_eq!(shown(Some("North")), (1, 1));
        assert_eq!(shown(Some("South")), (0, 1));
    }

    proptest! {
        /// The same alarms stand after any order of arrival and any repetition.
        #[test]
        fn the_order_of_arrival_does_not_matter(
            changes in proptest::collection::btree_set(0_i64..40, 1..12),
            order in proptest::collection::vec(any::<proptest::sample::Index>(), 0..30),
        ) {
            // Raises and clears in turn, as elements send them.
            let mut stands = false;
            let sent: Vec<Telemetry> = changes
                .into_iter()
                .map(|s| { stands = !stands; if stands { raise(s) } else { clear(s) } })
                .collect();
            let mut arrivals: Vec<Telemetry> = order.iter().map(|i| i.get(&sent).clone()).collect();
            arrivals.extend(sent.iter().rev().cloned());
            let state = |view: &View| {
                let alarms = view.alarms(None, None).alarms;
                alarms.first().map(|a| (a.is_cleared(), a.severity, a.latest().time))
            };
            prop_assert_eq!(state(&after(&arrivals)), state(&after(&sent)));
        }
    }
}
