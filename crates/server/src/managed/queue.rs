//! What happened at one management system, on its way to agents: so much at once and so much per
//! second, whatever else happens there.
//!
//! The mailbox of an agent has room for so much telemetry, of whichever system, and the oldest makes
//! room. A system in a flood, or one that invents it, must not fill that room: beyond its share its
//! telemetry waits here, and no other's. Of an alarm that changes while it waits the last state is
//! told, and of figures the last; so a flood of the same is short. Pure: time is an argument. Read
//! next: [`super::network`].

use super::event::ManagedEvent;
use domain::inventory::ElementId;
use domain::telemetry::{AlarmType, FieldReport, Telemetry};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// How much of one system is told at once after it has been quiet: an eighth of the room of a mailbox.
const AT_ONCE: i64 = 2_048;
/// The time in which one more may be told, in milliseconds: 200 a second.
const EACH_MS: i64 = 5;
/// How much of one system waits; beyond, the oldest is left out.
const WAITING: usize = 100_000;
/// How many bytes of it, about; the last to come waits however large it is.
const WAITING_BYTES: usize = 64 << 20;
/// What anything that waits takes beside its texts, and what an element with figures takes, in bytes.
const EACH_BYTES: usize = 256;

/// What is told once, however often it changes while it waits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Alarm(ElementId, AlarmType, String),
    Figures,
}

/// What of one system waits to be told.
#[derive(Debug, Default)]
pub(super) struct TelemetryQueue {
    /// By the order of arrival.
    waiting: BTreeMap<u64, ManagedEvent>,
    /// Where something waits that may change.
    places: BTreeMap<Subject, u64>,
    /// About how much it is, in bytes.
    bytes: usize,
    last: u64,
    /// When all that was told would have been told at the steady rate, in milliseconds.
    paid_until_ms: i64,
}

impl TelemetryQueue {
    /// Takes something in; returns it if it may be told at once. False beside it if something that
    /// waited longest had to be left out.
    pub(super) fn pass(
        &mut self,
        event: ManagedEvent,
        now: Timestamp,
    ) -> (Option<ManagedEvent>, bool) {
        if self.waiting.is_empty() && self.free_at() <= now {
            self.pay(now);
            return (Some(event), true);
        }
        (None, self.put(event))
    }

    /// The next that may be told by now.
    pub(super) fn next(&mut self, now: Timestamp) -> Option<ManagedEvent> {
        if self.free_at() > now {
            return None;
        }
        let event = self.pop()?;
        self.pay(now);
        Some(event)
    }

    /// When the next may be told; none if nothing waits.
    pub(super) fn next_at(&self) -> Option<Timestamp> {
        (!self.waiting.is_empty()).then(|| self.free_at())
    }

    fn free_at(&self) -> Timestamp {
        Timestamp::from_ms(self.paid_until_ms.saturating_sub((AT_ONCE - 1) * EACH_MS))
    }

    fn pay(&mut self, now: Timestamp) {
        self.paid_until_ms = self.paid_until_ms.max(now.as_ms()) + EACH_MS;
    }

    /// Puts something behind all others, or in the place of what it says anew; false if the oldest
    /// had to be left out.
    fn put(&mut self, event: ManagedEvent) -> bool {
        let subject = subject(&event);
        let place = subject.as_ref().and_then(|of| self.places.get(of)).copied();
        if let Some(place) = place
            && let Some(before) = self.waiting.get_mut(&place)
        {
            if !is_older(&event, before) {
                self.bytes = self.bytes.saturating_sub(bytes_of(before)) + bytes_of(&event);
                *before = event;
            }
            return self.make_room();
        }
        self.last += 1;
        self.bytes += bytes_of(&event);
        if let Some(subject) = subject {
            self.places.insert(subject, self.last);
        }
        self.waiting.insert(self.last, event);
        self.make_room()
    }

    /// Leaves out what waited longest while all is too much; false if there was any.
    fn make_room(&mut self) -> bool {
        let mut fits = true;
        while self.waiting.len() > WAITING || (self.bytes > WAITING_BYTES && self.waiting.len() > 1)
        {
            self.pop();
            fits = false;
        }
        fits
    }

    fn pop(&mut self) -> Option<ManagedEvent> {
        let (_, event) = self.waiting.pop_first()?;
        self.bytes = self.bytes.saturating_sub(bytes_of(&event));
        if let Some(subject) = subject(&event) {
            self.places.remove(&subject);
        }
        Some(event)
    }
}

/// What an event is the state of; none if each of its kind counts.
fn subject(of: &ManagedEvent) -> Option<Subject> {
    match of {
        ManagedEvent::Told(_, Telemetry::Alarm(alarm)) => {
            let (resource, qualifier) = (alarm.resource.clone(), alarm.qualifier.clone());
            Some(Subject::Alarm(resource, alarm.alarm_type, qualifier))
        }
        ManagedEvent::Told(_, Telemetry::Performance(_)) => Some(Subject::Figures),
        _ => None,
    }
}

/// About how many bytes an event takes while it waits.
fn bytes_of(event: &ManagedEvent) -> usize {
    let texts = match event {
        ManagedEvent::Told(_, Telemetry::Alarm(alarm)) => {
            // Twice, as they say which alarm it is as well.
            2 * (alarm.resource.as_str().len() + alarm.qualifier.len()) + alarm.text.len()
        }
        ManagedEvent::Told(_, Telemetry::Performance(figures)) => {
            (figures.cells.len() + figures.links.len()) * EACH_BYTES
        }
        ManagedEvent::Told(_, Telemetry::Complaint(told)) => {
            told.site.as_str().len() + told.text.len()
        }
        ManagedEvent::Told(_, Telemetry::Ticket(told)) => {
            told.ticket.len() + told.from.len() + told.language.len() + told.text.len()
        }
        ManagedEvent::Told(_, Telemetry::CustomerAnswered { ticket, text }) => {
            ticket.len() + text.len()
        }
        ManagedEvent::Told(_, Telemetry::Field(report))
        | ManagedEvent::Field(_, report)
        | ManagedEvent::CallersField(report) => match report {
            FieldReport::Arrived {
                element, question, ..
            } => element.as_str().len() + question.len(),
            FieldReport::Ended {
                element, finding, ..
            } => element.as_str().len() + finding.len(),
        },
        ManagedEvent::Once(_, event) => return bytes_of(event),
        // They do not wait, or are next to nothing.
        ManagedEvent::Outcome(..) | ManagedEvent::Kept | ManagedEvent::Listening(..) => 0,
    };
    EACH_BYTES + texts
}

/// True if an alarm changed before the other did: it came late.
fn is_older(event: &ManagedEvent, than: &ManagedEvent) -> bool {
    match (event, than) {
        (
            ManagedEvent::Told(_, Telemetry::Alarm(event)),
            ManagedEvent::Told(_, Telemetry::Alarm(than)),
        ) => event.time < than.time,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::inventory::Domain;
    use domain::telemetry::{Alarm, Complaint, Severity};

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(1_800_000_000_000 + ms)
    }

    fn alarm(number: i64, time: Timestamp, cleared: bool) -> ManagedEvent {
        let alarm = Alarm {
            resource: ElementId::new(format!("link:{number}")),
            alarm_type: AlarmType::LinkDown,
            qualifier: String::new(),
            severity: Severity::Major,
            time,
            cleared,
            text: String::new(),
        };
        ManagedEvent::Told(Domain::Ip, Telemetry::Alarm(alarm))
    }

    fn said(event: &ManagedEvent) -> (String, bool) {
        match event {
            ManagedEvent::Told(_, Telemetry::Alarm(alarm)) => {
                (alarm.resource.to_string(), alarm.cleared)
            }
            other => panic!("{other:?}"),
        }
    }

    /// One whose share is used up at 0 ms.
    fn used_up() -> TelemetryQueue {
        let mut queue = TelemetryQueue::default();
        for number in 0..AT_ONCE {
            let (told, _) = queue.pass(alarm(number, at(0), false), at(0));
            assert!(told.is_some(), "the {number}th");
        }
        queue
    }

    #[test]
    fn a_flood_waits_and_is_told_at_a_steady_rate() {
        let mut queue = used_up();
        for number in 0..1_000 {
            let (told, _) = queue.pass(alarm(number, at(0), false), at(0));
            assert!(told.is_none());
        }
        assert_eq!(queue.next_at(), Some(at(EACH_MS)));
        assert!(queue.next(at(EACH_MS - 1)).is_none());
        let told = std::iter::from_fn(|| queue.next(at(1_000))).count();
        assert_eq!(told as i64, 1_000 / EACH_MS);
        // What comes now waits behind what is there.
        let (told, _) = queue.pass(alarm(5_000, at(0), false), at(1_010));
        assert!(told.is_none());
        let told = queue.next(at(1_010)).expect("its time has come");
        assert_eq!(said(&told).0, "link:200");
        // After a quiet time it is as before.
        let later = at(60_000);
        while queue.next(later).is_some() {}
        assert_eq!(queue.next_at(), None);
        assert!(queue.pass(alarm(0, later, false), later).0.is_some());
    }

    #[test]
    fn the_last_state_of_an_alarm_that_waits_is_told_once() {
        let mut queue = used_up();
        for event in [
            alarm(1, at(0), false),
            alarm(2, at(0), false),
            alarm(1, at(20), true),
            alarm(1, at(10), false),
        ] {
            assert!(queue.pass(event, at(0)).1);
        }
        let told = std::iter::from_fn(|| queue.next(at(60_000)));
        let told: Vec<_> = told.map(|event| said(&event)).collect();
        let expected = [("link:1".to_owned(), true), ("link:2".to_owned(), false)];
        assert_eq!(told, expected);
        assert!(queue.places.is_empty());
        assert_eq!(queue.bytes, 0);
    }

    #[test]
    fn long_words_make_room_as_many_do() {
        let mut queue = used_up();
        let long = |number: i64| {
            let complaint = Complaint {
                time: at(number),
                site: ElementId::new("site:1"),
                text: "x".repeat(1 << 20),
            };
            ManagedEvent::Told(Domain::Service, Telemetry::Complaint(complaint))
        };
        assert!((0..63).all(|number| queue.pass(long(number), at(0)).1));
        assert!(!queue.pass(long(63), at(0)).1);
        assert_eq!(queue.waiting.len(), 63);
        while queue.next(at(60_000)).is_some() {}
        assert_eq!(queue.bytes, 0);
    }

    #[test]
    fn what_is_too_much_to_wait_makes_room_oldest_first() {
        let mut queue = used_up();
        for number in 0..WAITING as i64 {
            assert!(queue.pass(alarm(number, at(0), false), at(0)).1);
        }
        assert!(!queue.pass(alarm(-1, at(0), false), at(0)).1);
        let (waiting, places) = (queue.waiting.len(), queue.places.len());
        assert_eq!((waiting, places), (WAITING, WAITING));
        let first = queue.next(at(60_000)).expect("its time has come");
        assert_eq!(said(&first).0, "link:1");
    }
}
