//! The audit trail: what happens that concerns who gets in and what they may do.
//!
//! Records name people, places, rules and things by their names; never a secret, never a payload.
//! What strangers can bring about is gathered, so that a flood of it is a handful of records
//! ([`Tally`]). Pure. Records lie in the log as every happening does. Read next: `engine`'s `trail`.

use crate::profile::{is_deceptive, is_joining};
use crate::time::Timestamp;
use std::collections::BTreeMap;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What was done.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditKind {
    /// Somebody got in.
    Login,
    /// Somebody did not.
    LoginFailed,
    /// An operation was denied.
    Denied,
    /// A key file came.
    KeyAdded,
    /// A key file was written anew, or has other rights.
    KeyChanged,
    /// A key file went.
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
    /// What a client said beside its payloads was erased.
    FragmentsErased,
    /// Something was broken in the simulated network.
    FaultInjected,
    /// Something was mended there.
    FaultCleared,
}

crate::named! {
    /// The name in `convoke-audit` and in the store.
    AuditKind
}

impl AuditKind {
    /// True of what anybody can bring about as often as he likes.
    pub fn is_gathered(self) -> bool {
        matches!(self, Self::Login | Self::LoginFailed | Self::Denied)
    }
}

/// Something that happened once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuditEvent {
    /// What was done.
    pub kind: AuditKind,
    /// By whom, or under whose name; empty if nobody is known.
    pub user: String,
    /// Where from: a protocol and an address, such as `ssh 192.0.2.7`; empty if unknown.
    pub source: String,
    /// To what, or with what: an operation, the fingerprint of a key, a patch.
    pub subject: String,
    /// Why, or by which rule.
    pub reason: String,
}

impl AuditEvent {
    /// The most characters of a text in a record; what is longer is cut off.
    pub const TEXT_MOST: usize = 128;

    /// Something of a kind that somebody did.
    pub fn new(kind: AuditKind, user: &str) -> Self {
        Self {
            kind,
            user: clean_name(user),
            source: String::new(),
            subject: String::new(),
            reason: String::new(),
        }
    }

    /// The same from somewhere.
    #[must_use]
    pub fn from(self, source: &str) -> Self {
        Self {
            source: clean(source),
            ..self
        }
    }

    /// The same to something.
    #[must_use]
    pub fn to(self, subject: &str) -> Self {
        Self {
            subject: clean(subject),
            ..self
        }
    }

    /// The same for a reason.
    #[must_use]
    pub fn because(self, reason: &str) -> Self {
        Self {
            reason: clean(reason),
            ..self
        }
    }
}

/// Without what could fake a line of the trail, and not too long.
fn clean(text: &str) -> String {
    let safe = |c: char| match is_deceptive(c) || is_joining(c) {
        true => char::REPLACEMENT_CHARACTER,
        false => c,
    };
    text.chars().take(AuditEvent::TEXT_MOST).map(safe).collect()
}

/// The same of a name, which may be anybody's choice: none reads as what stands for [`SEVERAL`].
fn clean_name(name: &str) -> String {
    clean(name).replace(['(', ')'], "\u{fffd}")
}

/// A record of the trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// What happened.
    pub event: AuditEvent,
    /// How often, since the record before of the same.
    pub count: u32,
    /// When the first of these happened.
    pub since: Timestamp,
}

/// Gathers what happens often: the first is a record at once, all others of an interval are one at its
/// end.
///
/// In an interval a user brings about [`Tally::PER_SOURCE`] different records of a kind at most; what goes
/// beyond is counted under his name by where it comes from, of [`Tally::SOURCES`] places at most, and
/// beyond those under his name alone. Of logins that failed the name is anybody's choice: there it is
/// where they come from that brings about so many, all together [`Tally::OF_KIND`], and what goes
/// beyond is counted under nobody's name. Each kind has room of its own: nobody hides a login among
/// others', or among those that failed.
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

/// In place of names that are too many. No name has parentheses.
const SEVERAL: &str = "(several)";

/// Who brings an event about: whoever got in, by name; strangers by where they come from.
fn maker(event: &AuditEvent) -> &str {
    match event.kind {
        AuditKind::LoginFailed => &event.source,
        _ => &event.user,
    }
}

impl Tally {
    /// How long an interval is, in milliseconds.
    pub const INTERVAL_MS: i64 = 60_000;
    /// How many different events of a kind of one user, or failed logins from one source, are told apart
    /// in an interval.
    pub const PER_SOURCE: usize = 20;
    /// From how many sources what goes beyond is told apart of one user in an interval.
    pub const SOURCES: usize = 20;
    /// How many different logins that failed are told apart in an interval.
    pub const OF_KIND: usize = 200;

    /// Takes an event: its record, unless it is only counted for now.
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

    /// The event itself, or one in which it is gathered with others of its kind.
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

    /// When the interval ends; none while nothing has been taken.
    pub fn ends(&self) -> Option<Timestamp> {
        self.ends
    }

    /// Ends the interval if it is over: the records of what was counted.
    pub fn close(&mut self, now: Timestamp) -> Vec<AuditRecord> {
        match self.ends.is_some_and(|ends| now >= ends) {
            true => self.cut_short(),
            false => Vec::new(),
        }
    }

    /// Ends the interval now.
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

    /// Whoever makes noise does not make others nameless: a login is told by name beside any number of
    /// logins that failed, from the same source and from all others.
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

    /// One user's denials, and his logins from everywhere, are few records under his name, and take no
    /// room from anybody else's.
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

    /// Whoever denies himself much from one place does not hide that his key is used from another.
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

    /// Whoever calls himself what stands for many is told apart from them.
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
