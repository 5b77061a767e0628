//! The audit trail: authentication, authorization, keys, tokens and administrative decisions.
//!
//! Records name users, addresses, rules and objects; they never hold a secret or a payload. Events
//! that unauthenticated peers can cause are aggregated, so that a flood of them becomes a handful
//! of records ([`Tally`]). Pure. Records are entries of the log like every other happening. Read
//! next: `engine`'s `trail`.

use crate::profile::{is_deceptive, is_joining};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The kind of an audited event.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditKind {
    /// A user was authenticated.
    Login,
    /// An authentication failed.
    LoginFailed,
    /// An operation was denied.
    Denied,
    /// A key file appeared.
    KeyAdded,
    /// A key file was rewritten, or its permissions changed.
    KeyChanged,
    /// A key file was removed.
    KeyRemoved,
    /// A bearer token was issued.
    TokenIssued,
    /// A bearer token was revoked.
    TokenRevoked,
    /// Other access rules, or another list of revoked certificates, came into force.
    RulesChanged,
    /// A template was published.
    SchemaPublished,
    /// A template was retired.
    SchemaRetired,
    /// A patch of a schema was approved.
    PatchApproved,
    /// A patch of a schema was rejected.
    PatchRejected,
    /// A sample of an alignment was judged.
    AlignmentJudged,
    /// The fragments of a client's messages, kept beside its payloads, were erased.
    FragmentsErased,
    /// A fault was injected into the simulated network.
    FaultInjected,
    /// A fault of the simulated network was cleared.
    FaultCleared,
    /// A day began to be played under two policies.
    ComparisonBegun,
    /// Playing it was ended before it was over.
    ComparisonEnded,
    /// A node of the cluster was asked not to lead.
    DrainAsked,
    /// A node of the cluster was asked to lead.
    LeadAsked,
    /// A node was given what the state folders of all nodes have alike.
    NodeJoined,
    /// A standing rule was added.
    RuleAdded,
    /// A standing rule was withdrawn.
    RuleWithdrawn,
    /// Something was decided by a standing rule, in the name of its author.
    RuleDecided,
    /// An element of the network began to be measured.
    ElementMeasured,
    /// A session of the console was ended by its identifier.
    ConsoleSessionEnded,
}

crate::named! {
    /// The name in `convoke-audit` and in the store.
    AuditKind
}

impl AuditKind {
    /// True of what anybody can bring about as often as he likes.
    pub fn is_gathered(self) -> bool {
        matches!(
            self,
            Self::Login
                | Self::LoginFailed
                | Self::Denied
                | Self::ElementMeasured
                | Self::ConsoleSessionEnded
        )
    }
}

/// An event that happened once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AuditEvent {
    /// The kind of event.
    pub kind: AuditKind,
    /// The user that did it, or whose name was used; empty if unknown.
    pub user: String,
    /// The protocol and address that it came from, such as `ssh 192.0.2.7`; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The object: an operation, the fingerprint of a key, a patch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// The reason, or the rule that decided.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl AuditEvent {
    /// The longest text in a record, in characters; longer ones are cut off.
    pub const TEXT_MOST: usize = 128;

    /// An event of this kind, caused by `user`.
    pub fn new(kind: AuditKind, user: &str) -> Self {
        Self {
            kind,
            user: clean_name(user),
            source: String::new(),
            subject: String::new(),
            reason: String::new(),
        }
    }

    /// The same event, coming from `source`.
    #[must_use]
    pub fn from(self, source: &str) -> Self {
        Self {
            source: clean(source),
            ..self
        }
    }

    /// The same event, concerning `subject`.
    #[must_use]
    pub fn to(self, subject: &str) -> Self {
        Self {
            subject: clean(subject),
            ..self
        }
    }

    /// The same event, with a reason.
    #[must_use]
    pub fn because(self, reason: &str) -> Self {
        Self {
            reason: clean(reason),
            ..self
        }
    }
}

/// The text without characters that could forge a line of the trail, cut to
/// [`AuditEvent::TEXT_MOST`].
fn clean(text: &str) -> String {
    let safe = |c: char| match is_deceptive(c) || is_joining(c) {
        true => char::REPLACEMENT_CHARACTER,
        false => c,
    };
    text.chars().take(AuditEvent::TEXT_MOST).map(safe).collect()
}

/// A cleaned user name. Parentheses are replaced, so that no chosen name equals [`SEVERAL`].
fn clean_name(name: &str) -> String {
    clean(name).replace(['(', ')'], "\u{fffd}")
}

/// A record of the trail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// The event.
    #[serde(flatten)]
    pub event: AuditEvent,
    /// The number of occurrences since the previous record of the same event.
    pub count: u32,
    /// The time of the first of these occurrences.
    pub since: Timestamp,
}

/// Aggregates frequent events: the first is a record at once, all others of an interval are one
/// record at its end.
///
/// In an interval a user causes at most [`Tally::PER_SOURCE`] different records of a kind; further
/// events are counted under the user's name by source, for at most [`Tally::SOURCES`] sources, and
/// beyond those under the name alone. The name in a failed login is chosen by the peer, so failed
/// logins are limited by source instead, [`Tally::OF_KIND`] in all, and further ones are counted
/// without a name. Each kind has limits of its own: a login cannot be hidden among those of others
/// or among failed ones.
#[derive(Debug, Default)]
pub struct Tally {
    counted: BTreeMap<AuditEvent, Counted>,
    sources: BTreeMap<(AuditKind, String), usize>,
    kinds: BTreeMap<AuditKind, usize>,
    ends: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug)]
struct Counted {
    count: u32,
    since: Timestamp,
}

/// The name that stands for further users when there are too many. A user name has no parentheses.
const SEVERAL: &str = "(several)";

/// The originator that an event is counted for: the user, or for a failed login the source.
fn maker(event: &AuditEvent) -> &str {
    match event.kind {
        AuditKind::LoginFailed => &event.source,
        _ => &event.user,
    }
}

impl Tally {
    /// The length of an interval, in milliseconds.
    pub const INTERVAL_MS: i64 = 60_000;
    /// The most different events of a kind that are kept apart in an interval for one user, or for
    /// one source of failed logins.
    pub const PER_SOURCE: usize = 20;
    /// The most sources that are kept apart in an interval for the further events of one user.
    pub const SOURCES: usize = 20;
    /// The most different failed logins that are kept apart in an interval.
    pub const OF_KIND: usize = 200;

    /// Counts an event; returns its record if it is the first of its kind in this interval.
    pub fn take(&mut self, event: AuditEvent, now: Timestamp) -> Option<AuditRecord> {
        let first = |event| AuditRecord {
            event,
            count: 1,
            since: now,
        };
        if !event.kind.is_gathered() {
            return Some(first(event));
        }
        self.ends.get_or_insert(now + Self::INTERVAL_MS);
        let event = self.told_apart(event);
        if let Some(counted) = self.counted.get_mut(&event) {
            if counted.count == 0 {
                counted.since = now;
            }
            counted.count = counted.count.saturating_add(1);
            return None;
        }
        let source = (event.kind, maker(&event).to_owned());
        *self.sources.entry(source).or_default() += 1;
        *self.kinds.entry(event.kind).or_default() += 1;
        let counted = Counted {
            count: 0,
            since: now,
        };
        self.counted.insert(event.clone(), counted);
        Some(first(event))
    }

    /// The event itself, or the aggregate under which it is counted once the limits are reached.
    fn told_apart(&self, event: AuditEvent) -> AuditEvent {
        if self.counted.contains_key(&event) {
            return event;
        }
        let source = (event.kind, maker(&event).to_owned());
        let of_source = self.sources.get(&source).copied().unwrap_or_default();
        if event.kind != AuditKind::LoginFailed {
            // There are as many names as keys: nobody takes another's room.
            if of_source < Self::PER_SOURCE {
                return event;
            }
            let from_there = AuditEvent {
                subject: SEVERAL.to_owned(),
                reason: SEVERAL.to_owned(),
                ..event
            };
            let has_room = of_source < Self::PER_SOURCE + Self::SOURCES;
            return match has_room || self.counted.contains_key(&from_there) {
                true => from_there,
                false => AuditEvent {
                    source: SEVERAL.to_owned(),
                    ..from_there
                },
            };
        }
        let of_kind = self.kinds.get(&event.kind).copied().unwrap_or_default();
        let several = AuditEvent {
            user: SEVERAL.to_owned(),
            subject: SEVERAL.to_owned(),
            reason: SEVERAL.to_owned(),
            ..event.clone()
        };
        match (of_source < Self::PER_SOURCE, of_kind < Self::OF_KIND) {
            (true, true) => event,
            (false, true) => several,
            (false, false) if self.counted.contains_key(&several) => several,
            (_, false) => AuditEvent {
                source: SEVERAL.to_owned(),
                ..several
            },
        }
    }

    /// The end of the interval; none while no event has been taken.
    pub fn ends(&self) -> Option<Timestamp> {
        self.ends
    }

    /// Ends the interval if it is over, and returns the records of the events that were counted.
    pub fn close(&mut self, now: Timestamp) -> Vec<AuditRecord> {
        match self.ends.is_some_and(|ends| now >= ends) {
            true => self.cut_short(),
            false => Vec::new(),
        }
    }

    /// Ends the interval now, and returns the records of the events that were counted.
    pub fn cut_short(&mut self) -> Vec<AuditRecord> {
        let counted = std::mem::take(self).counted.into_iter();
        let repeated = counted.filter(|(_, counted)| counted.count > 0);
        repeated
            .map(|(event, Counted { count, since })| AuditRecord {
                event,
                count,
                since,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    /// Whoever may have an element measured may as often as he likes.
    #[test]
    fn what_is_measured_again_in_a_minute_is_counted() {
        let mut tally = Tally::default();
        let measured = || AuditEvent::new(AuditKind::ElementMeasured, "noc").to("router:R");
        assert!(tally.take(measured(), at(0)).is_some());
        for ms in 1..=50 {
            assert_eq!(tally.take(measured(), at(ms)), None);
        }
        let counted = tally.close(at(Tally::INTERVAL_MS));
        let told: Vec<_> = counted.iter().map(|it| (it.count, it.since)).collect();
        assert_eq!(told, [(50, at(1))]);
    }

    fn failed(user: &str, source: &str) -> AuditEvent {
        AuditEvent::new(AuditKind::LoginFailed, user).from(source)
    }

    #[test]
    fn the_first_is_told_at_once_and_the_rest_counted() {
        let mut tally = Tally::default();
        let first = tally.take(failed("ann", "ssh a"), at(5));
        assert_eq!(first.map(|r| (r.count, r.since)), Some((1, at(5))));
        for ms in 6..1_000 {
            assert_eq!(tally.take(failed("ann", "ssh a"), at(ms)), None);
        }
        assert_eq!(tally.ends(), Some(at(5 + Tally::INTERVAL_MS)));
        assert_eq!(tally.close(at(5)), []);
        let rest = tally.close(at(5 + Tally::INTERVAL_MS));
        assert_eq!(rest.len(), 1);
        assert_eq!((rest[0].count, rest[0].since), (994, at(6)));
        // A new interval begins with what happens next.
        assert_eq!(tally.ends(), None);
        assert!(tally.take(failed("ann", "ssh a"), at(70_000)).is_some());
    }

    /// A flood of names, of sources, and of both: the records of an interval stay below a bound that
    /// does not depend on it, and no event is lost from the count.
    #[test]
    fn a_flood_is_a_handful_of_records_that_count_all_of_it() {
        let floods: [(&dyn Fn(u32) -> AuditEvent, usize); 3] = [
            (
                &|n| failed(&format!("user-{n}"), "ssh a"),
                Tally::PER_SOURCE + 1,
            ),
            (&|n| failed("ann", &format!("ssh {n}")), Tally::OF_KIND + 1),
            (
                &|n| failed(&format!("user-{n}"), &format!("ssh {}", n % 997)),
                Tally::OF_KIND + 1,
            ),
        ];
        for (event, most) in floods {
            let mut tally = Tally::default();
            let taken = (0..100_000).filter_map(|n| tally.take(event(n), at(0)));
            let first: Vec<_> = taken.collect();
            assert!(first.len() <= most, "{} records", first.len());
            let rest = tally.close(at(Tally::INTERVAL_MS));
            assert!(rest.len() <= most);
            let counted = first.iter().chain(&rest).map(|r| u64::from(r.count));
            assert_eq!(counted.sum::<u64>(), 100_000);
        }
    }

    /// A login is recorded by name beside any number of failed logins, from the same source and
    /// from all others.
    #[test]
    fn nobody_hides_a_login_in_a_flood_of_failures() {
        let mut tally = Tally::default();
        for n in 0..10_000 {
            tally.take(failed(&format!("user-{n}"), "ssh a"), at(0));
            tally.take(failed("ann", &format!("ssh {n}")), at(0));
        }
        let login = AuditEvent::new(AuditKind::Login, "ann").from("ssh a");
        let told = tally.take(login.clone(), at(1));
        assert_eq!(told.map(|record| record.event), Some(login));
    }

    /// One user's denials, and logins from many sources, are few records under that user's name,
    /// and take nothing of the limits of others.
    #[test]
    fn nobody_hides_in_the_flood_of_another_user() {
        for kind in [AuditKind::Login, AuditKind::Denied] {
            let mut tally = Tally::default();
            let event = |n: u32| {
                let event = AuditEvent::new(kind, "guest").from(&format!("ssh {n}"));
                event.to(&format!("execute {n}"))
            };
            let told: Vec<_> = (0..10_000)
                .filter_map(|n| tally.take(event(n), at(0)))
                .collect();
            assert_eq!(told.len(), Tally::PER_SOURCE + Tally::SOURCES + 1);
            assert!(told.iter().all(|record| record.event.user == "guest"));
            let other = AuditEvent::new(kind, "noc").from("ssh 1").to("execute 1");
            let told = tally.take(other.clone(), at(1));
            assert_eq!(told.map(|record| record.event), Some(other));
        }
    }

    /// Many denials of a user from one source do not hide the use of the same key from another.
    #[test]
    fn nobody_hides_where_a_user_comes_from() {
        let mut tally = Tally::default();
        let denied = |n: u32, from| {
            let event = AuditEvent::new(AuditKind::Denied, "guest").from(from);
            event.to(&format!("execute {n}"))
        };
        for n in 0..1_000 {
            tally.take(denied(n, "ssh a"), at(0));
        }
        let told = tally.take(denied(0, "ssh b"), at(1));
        let told = told.map(|record| (record.event.source, record.event.subject));
        assert_eq!(told, Some(("ssh b".to_owned(), SEVERAL.to_owned())));
    }

    /// A user that calls itself by the placeholder for many is kept apart from it.
    #[test]
    fn no_name_is_the_word_for_many() {
        let named = failed(SEVERAL, "ssh a");
        assert_ne!(named.user, SEVERAL);
        let mut tally = Tally::default();
        for n in 0..Tally::PER_SOURCE + 2 {
            tally.take(failed(&format!("user-{n}"), "ssh a"), at(0));
        }
        let gathered = tally.close(at(Tally::INTERVAL_MS));
        assert_eq!(gathered[0].event.user, SEVERAL);
    }

    #[test]
    fn what_administrators_do_is_told_each_time() {
        let mut tally = Tally::default();
        let approved = AuditEvent::new(AuditKind::PatchApproved, "ada").to("p");
        assert!(tally.take(approved.clone(), at(0)).is_some());
        assert!(tally.take(approved, at(0)).is_some());
        assert_eq!(tally.ends(), None);
    }

    #[test]
    fn a_text_fakes_no_line_and_has_an_end() {
        let event = AuditEvent::new(AuditKind::Denied, "a\nb\u{202e}c\u{9b}d");
        assert_eq!(event.user, "a\u{fffd}b\u{fffd}c\u{fffd}d");
        for hidden in [
            '\u{ad}',
            '\u{1160}',
            '\u{2800}',
            '\u{3164}',
            '\u{ffa0}',
            '\u{e0041}',
        ] {
            let event = AuditEvent::new(AuditKind::Denied, &format!("ann{hidden}"));
            assert_eq!(event.user, "ann\u{fffd}", "{hidden:?}");
            assert_eq!(event.to(&hidden.to_string()).subject, "\u{fffd}");
        }
        let long = "x".repeat(1_000);
        assert_eq!(event.to(&long).subject.len(), AuditEvent::TEXT_MOST);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for kind in AuditKind::ALL {
            assert_eq!(AuditKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(AuditKind::parse("Login"), None);
    }
}
