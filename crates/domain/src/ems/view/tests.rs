//! What a management system shows of alarms that come in any order and any number.
//!
//! Read next: [`super`].

#![allow(clippy::unwrap_used)]

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
        qualifier: String::new(),
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

fn numbered(number: usize, s: i64, cleared: bool) -> Telemetry {
    Telemetry::Alarm(Alarm {
        resource: ElementId::new(format!("link:{number}")),
        alarm_type: AlarmType::LossOfSignal,
        qualifier: String::new(),
        severity: Severity::Major,
        time: at(s),
        cleared,
        text: String::new(),
    })
}

#[test]
fn what_was_cleared_longest_ago_makes_room_and_what_stands_is_kept() {
    let mut view = after(&[]);
    view.take(&numbered(0, 0, false), at(0));
    for number in 1..ALARMS_KEPT {
        view.take(&numbered(number, number as i64, false), at(0));
        view.take(&numbered(number, number as i64 + 1, true), at(0));
    }
    assert_eq!(view.alarms(None, None).number, ALARMS_KEPT);
    view.take(&numbered(ALARMS_KEPT, 0, false), at(0));
    assert_eq!(view.alarms(None, None).number, ALARMS_KEPT * 9 / 10 + 1);
    let shown = |number: usize| {
        let resource = ElementId::new(format!("link:{number}"));
        view.alarms(Some(&[resource]), None).alarms.len()
    };
    assert_eq!((shown(0), shown(ALARMS_KEPT)), (1, 1), "these stand");
    assert_eq!(shown(ALARMS_KEPT / 10), 0);
    assert_eq!(shown(ALARMS_KEPT / 10 + 1), 1);
}

#[test]
fn where_all_stand_the_oldest_make_room() {
    let mut view = after(&[]);
    for number in 0..=ALARMS_KEPT {
        view.take(&numbered(number, number as i64, false), at(0));
    }
    let kept = view.alarms(None, None).alarms;
    assert_eq!(kept.len(), ALARMS_KEPT * 9 / 10 + 1);
    assert_eq!(
        kept.iter().map(|a| a.last_raised).min(),
        Some(at(ALARMS_KEPT as i64 / 10))
    );
}

#[test]
fn clears_without_their_raise_are_kept_up_to_a_number() {
    let mut view = after(&[]);
    for number in 0..=UNHEARD_KEPT {
        view.take(&numbered(number, number as i64 + 10, true), at(0));
    }
    assert_eq!(view.unheard.len(), UNHEARD_KEPT * 9 / 10 + 1);
    view.take(&numbered(0, 1, false), at(0));
    view.take(&numbered(UNHEARD_KEPT, 1, false), at(0));
    let alarms = view.alarms(None, None).alarms;
    let cleared: Vec<bool> = alarms.iter().map(|a| a.is_cleared()).collect();
    assert_eq!(cleared, [false, true], "the first was forgotten");
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
