//! Alarms: read, known again, missed and found again.

use super::*;
use ::netconf::client::Notification;
use domain::telemetry::{Alarm, Severity};

const ALARMS: &str = "urn:ietf:params:xml:ns:yang:ietf-alarms";

fn at(second: i64) -> Timestamp {
    Timestamp::from_ms(1_800_000_000_000 + second * 1_000)
}

/// A notification of acme's.
fn notification(resource: &str, of: &str, severity: &str, time: Timestamp) -> Notification {
    let text = format!(
        "<notification xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\">\
         <eventTime>{time}</eventTime><alarm-notification xmlns=\"{ALARMS}\" xmlns:a=\"urn:x:acme\">\
         <resource>{resource}</resource><alarm-type-id>a:{of}</alarm-type-id>\
         <alarm-type-qualifier/><time>{time}</time>\
         <perceived-severity>{severity}</perceived-severity><alarm-text>it is so</alarm-text>\
         </alarm-notification></notification>"
    );
    Notification {
        event_time: time.to_string(),
        document: document(&text),
    }
}

/// An entry of acme's alarm list.
fn entry(resource: &str, of: &str, cleared: bool, time: Timestamp) -> String {
    format!(
        "<alarm><resource>{resource}</resource><alarm-type-id xmlns:a=\"urn:x:acme\">a:{of}\
         </alarm-type-id><alarm-type-qualifier/><is-cleared>{cleared}</is-cleared>\
         <last-raised>{time}</last-raised><last-changed>{time}</last-changed>\
         <perceived-severity>major</perceived-severity><alarm-text>it is so</alarm-text></alarm>"
    )
}

#[derive(Default)]
struct Desk {
    book: AlarmBook,
    clock: SystemClock,
    types: AlarmTypeMap,
}

impl Desk {
    fn hears(&mut self, told: Notification, now: Timestamp) -> Option<Alarm> {
        let known = triangle();
        let (_, report) = read_report(&told, &SystemOffer::default(), &known.names);
        let SystemReport::Alarm(alarm) = report else {
            panic!("{report:?}")
        };
        self.book
            .hear(alarm, &known.names, &self.types, &self.clock, now)
    }

    fn reads(&mut self, entries: &[String], began: Timestamp, now: Timestamp) -> Vec<String> {
        let known = triangle();
        let list = format!(
            "<alarms xmlns=\"{ALARMS}\"><alarm-list>{}</alarm-list></alarms>",
            entries.concat()
        );
        let list = read_alarm_list(data(&list).root(), &SystemOffer::default());
        assert_eq!(list.unreadable, 0);
        let (names, types) = (&known.names, &self.types);
        let news = self
            .book
            .take_list(list, names, types, &self.clock, (began, now));
        news.iter().map(said).collect()
    }
}

fn said(alarm: &Alarm) -> String {
    let sign = if alarm.cleared { '-' } else { '+' };
    format!("{sign}{} {}", alarm.resource, alarm.alarm_type.as_str())
}

#[test]
fn a_notification_is_an_alarm_of_ours() {
    let mut desk = Desk::default();
    let path = "/if:interfaces/if:interface[if:name='et-0/1']";
    let heard = desk.hears(notification(path, "linkFailure", "major", at(0)), at(3));
    let heard = heard.unwrap();
    assert_eq!(said(&heard), "+link:NYC-CHI link-down");
    assert_eq!((heard.severity, heard.time), (Severity::Major, at(0)));
    let cleared = desk.hears(notification(path, "linkFailure", "cleared", at(9)), at(9));
    let cleared = cleared.unwrap();
    assert!(cleared.cleared && cleared.severity == Severity::Major);
}

#[test]
fn an_unknown_type_is_kept_under_its_own_name() {
    let mut desk = Desk::default();
    let heard = desk.hears(notification("CHI", "flux", "indeterminate", at(0)), at(0));
    let heard = heard.unwrap();
    assert_eq!(said(&heard), "+router:CHI unknown");
    assert_eq!(heard.text, "acme:flux: it is so");
    assert_eq!(heard.severity, Severity::Warning);
    // A second unknown type on the same element stands beside it, and is another alarm.
    desk.hears(notification("CHI", "flow", "minor", at(1)), at(1));
    let first = desk.hears(notification("CHI", "flux", "cleared", at(2)), at(2));
    assert_eq!(
        first.map(|a| (a.cleared, a.qualifier)),
        Some((true, "acme:flux".to_owned()))
    );
    assert_eq!(desk.book.standing(), 1);
    let second = desk.hears(notification("CHI", "flow", "cleared", at(3)), at(3));
    assert!(second.unwrap().cleared);
}

#[test]
fn repetitions_say_nothing_and_what_is_late_changes_nothing() {
    let mut desk = Desk::default();
    let raised = || notification("CHI", "node-down", "major", at(10));
    assert!(desk.hears(raised(), at(10)).is_some());
    assert!(desk.hears(raised(), at(11)).is_none());
    assert!(
        desk.hears(notification("CHI", "node-down", "cleared", at(20)), at(20))
            .is_some()
    );
    let late = desk.hears(notification("CHI", "node-down", "minor", at(15)), at(21));
    assert_eq!(late.unwrap().time, at(15));
    assert_eq!(desk.book.standing(), 0);
}

#[test]
fn the_list_brings_what_was_missed_both_ways() {
    let mut desk = Desk::default();
    desk.hears(notification("CHI", "node-down", "major", at(10)), at(10));
    desk.hears(notification("NYC", "node-down", "major", at(11)), at(11));
    desk.hears(notification("CSG-7", "site-down", "major", at(12)), at(12));
    let list = [
        entry("NYC-CHI", "los", false, at(30)),
        entry("NYC", "node-down", true, at(31)),
        entry("CSG-7", "site-down", false, at(12)),
        entry("NYC", "powerProblem", true, at(5)),
    ];
    let news = desk.reads(&list, at(40), at(41));
    let expected = [
        "-router:CHI node-unreachable",
        "-router:NYC node-unreachable",
        "+link:NYC-CHI loss-of-signal",
    ];
    assert_eq!(news.len(), 3, "{news:?}");
    assert!(
        expected.iter().all(|e| news.iter().any(|n| n == e)),
        "{news:?}"
    );
    assert!(
        desk.reads(&list, at(50), at(51)).is_empty(),
        "it is known by now"
    );
    assert_eq!(desk.book.standing(), 2);
}

#[test]
fn what_is_heard_while_the_list_is_read_is_not_taken_back_by_it() {
    let mut desk = Desk::default();
    let elsewhere = [entry("NYC", "node-down", false, at(30))];
    desk.reads(&elsewhere, at(35), at(36));
    desk.hears(notification("CHI", "node-down", "major", at(42)), at(42));
    assert!(desk.reads(&elsewhere, at(40), at(43)).is_empty());
    assert_eq!(
        desk.reads(&elsewhere, at(44), at(45)),
        ["-router:CHI node-unreachable"]
    );
}

#[test]
fn an_empty_list_clears_nothing_until_a_list_has_shown_an_alarm() {
    let mut desk = Desk::default();
    desk.hears(notification("CHI", "node-down", "major", at(10)), at(10));
    assert!(desk.reads(&[], at(20), at(21)).is_empty());
    desk.reads(&[entry("CHI", "node-down", false, at(10))], at(30), at(31));
    assert_eq!(
        desk.reads(&[], at(40), at(41)),
        ["-router:CHI node-unreachable"]
    );
}

#[test]
fn times_are_put_right_and_never_in_the_future() {
    let mut desk = Desk::default();
    (0..5).for_each(|n| desk.clock.heard(at(n + 3_600), at(n)));
    let heard = desk.hears(notification("CHI", "node-down", "major", at(3_605)), at(6));
    assert_eq!(heard.unwrap().time, at(5));
    let heard = desk.hears(
        notification("NYC", "node-down", "major", at(9_999_999)),
        at(7),
    );
    assert_eq!(heard.unwrap().time, at(7));
}

/// An alarm of acme's, as it is read.
fn foreign(number: usize, severity: Option<Severity>, time: Timestamp) -> ForeignAlarm {
    ForeignAlarm {
        resource: format!("r{number}"),
        alarm_type: YangIdentity {
            module: "acme".to_owned(),
            name: "los".to_owned(),
        },
        qualifier: String::new(),
        severity,
        time: Some(time),
        text: String::new(),
    }
}

#[test]
fn a_full_book_takes_more_once_many_are_cleared() {
    const KEPT: usize = 100_000;
    let (mut book, names) = (AlarmBook::default(), ForeignNames::default());
    let (types, clock) = (AlarmTypeMap::default(), SystemClock::default());
    let mut hears = |number, severity, second| {
        let alarm = foreign(number, severity, at(second));
        book.hear(alarm, &names, &types, &clock, at(second))
            .is_some()
    };
    let major = Some(Severity::Major);
    assert!((0..KEPT).all(|number| hears(number, major, 0)));
    assert!(!hears(KEPT, major, 1), "all stand");
    assert!((1..KEPT / 10).all(|number| hears(number, None, 2)));
    assert!(!hears(KEPT, major, 3), "few are cleared");
    assert!(
        hears(1, major, 4) && hears(1, None, 5),
        "one comes and goes"
    );
    assert!(!hears(KEPT, major, 6), "they are as few as before");
    assert!(hears(0, None, 7));
    assert!(hears(KEPT, major, 8), "now they make room");
}
