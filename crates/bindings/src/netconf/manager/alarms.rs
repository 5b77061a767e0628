//! Alarms of a management system (RFC 8632): notifications and the alarm list.
//!
//! Read next: [`super::alarm_book`], which knows what stands.

use super::SystemOffer;
use super::text::{clipped, entries, identifier, instant, leaf};
use crate::netconf::ALARMS_NAMESPACE as NS;
use ::netconf::xml::XmlElement;
use domain::telemetry::Severity;
use domain::time::Timestamp;
use std::fmt;

/// The most alarms that are taken of a list.
const LISTED: usize = 100_000;

/// The longest text of an alarm, in bytes, which is one of many; what is longer is cut.
const TEXT_BYTES: usize = 512;
/// The longest path that is taken as a resource, in bytes.
const PATH_BYTES: usize = 1_024;

/// What of the alarm list is read: a subtree filter.
pub const ALARM_LIST_FILTER: &str = "<alarms xmlns=\"urn:ietf:params:xml:ns:yang:ietf-alarms\"><alarm-list><alarm>\
     <resource/><alarm-type-id/><alarm-type-qualifier/><is-cleared/><last-raised/><last-changed/>\
     <perceived-severity/><alarm-text/></alarm></alarm-list></alarms>";

/// An identity of a YANG module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct YangIdentity {
    /// The module that defines it.
    pub module: String,
    /// Its name there.
    pub name: String,
}

impl fmt::Display for YangIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.module, self.name)
    }
}

impl YangIdentity {
    /// Reads the value of a leaf of type identityref (RFC 7950 §9.10.3).
    fn read(of: XmlElement<'_>, offer: &SystemOffer) -> Option<Self> {
        let text = of.trimmed_text();
        let (prefix, name) = text.split_once(':').unwrap_or(("", text));
        let namespace = of.namespace_of_prefix(prefix).unwrap_or(prefix);
        let name = clipped(name, super::text::NAME_BYTES);
        let module = clipped(offer.module_of(namespace), super::text::NAME_BYTES);
        (!name.is_empty()).then(|| Self {
            module: module.to_owned(),
            name: name.to_owned(),
        })
    }
}

/// The change or the state of an alarm, in the words of its system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignAlarm {
    /// The resource, as the system names it.
    pub resource: String,
    /// The type.
    pub alarm_type: YangIdentity,
    /// What tells apart alarms of one type and resource.
    pub qualifier: String,
    /// The severity; none if it is cleared.
    pub severity: Option<Severity>,
    /// The time of the change, by the system's clock; none if it says none that can be read.
    pub time: Option<Timestamp>,
    /// The text for people.
    pub text: String,
}

/// The content of an alarm list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlarmSnapshot {
    /// The alarms.
    pub alarms: Vec<ForeignAlarm>,
    /// The number of entries that cannot be read.
    pub unreadable: usize,
    /// True if all entries were taken; what is absent from a complete list does not stand.
    pub complete: bool,
}

/// Reads an `alarm-notification`; none if it lacks what one has.
pub(super) fn read_alarm(event: XmlElement<'_>, offer: &SystemOffer) -> Option<ForeignAlarm> {
    let severity = match leaf(event, NS, "perceived-severity")? {
        "cleared" => None,
        word => Some(severity(word)),
    };
    alarm(event, offer, severity, instant(event, NS, "time"))
}

/// Reads the alarm list; `data` is the element `<data>` of the reply.
pub fn read_alarm_list(data: XmlElement<'_>, offer: &SystemOffer) -> AlarmSnapshot {
    let list = data.child(NS, "alarms");
    let list = list.and_then(|alarms| alarms.child(NS, "alarm-list"));
    let Some(list) = list else {
        // RFC 6243 and empty containers: no alarm at all.
        return AlarmSnapshot {
            complete: true,
            ..AlarmSnapshot::default()
        };
    };
    let mut snapshot = AlarmSnapshot::default();
    for entry in entries(list, NS, "alarm", LISTED) {
        match listed(entry, offer) {
            Some(alarm) => snapshot.alarms.push(alarm),
            None => snapshot.unreadable += 1,
        }
    }
    snapshot.complete = snapshot.unreadable == 0 && snapshot.alarms.len() < LISTED;
    snapshot
}

fn listed(entry: XmlElement<'_>, offer: &SystemOffer) -> Option<ForeignAlarm> {
    let cleared = leaf(entry, NS, "is-cleared").is_some_and(|text| text == "true");
    let severity = leaf(entry, NS, "perceived-severity").map_or(Severity::Warning, severity);
    let changed = instant(entry, NS, "last-changed");
    let raised = instant(entry, NS, "last-raised");
    let time = match cleared {
        true => changed.or(raised),
        false => raised.or(changed),
    };
    alarm(entry, offer, (!cleared).then_some(severity), time)
}

fn alarm(
    of: XmlElement<'_>,
    offer: &SystemOffer,
    severity: Option<Severity>,
    time: Option<Timestamp>,
) -> Option<ForeignAlarm> {
    Some(ForeignAlarm {
        resource: resource(of)?,
        alarm_type: YangIdentity::read(of.child(NS, "alarm-type-id")?, offer)?,
        qualifier: clipped(
            leaf(of, NS, "alarm-type-qualifier").unwrap_or_default(),
            super::text::NAME_BYTES,
        )
        .to_owned(),
        severity,
        time,
        text: clipped(leaf(of, NS, "alarm-text").unwrap_or_default(), TEXT_BYTES).to_owned(),
    })
}

/// The resource: a text, or a path to an instance, which may be longer than an identifier.
fn resource(of: XmlElement<'_>) -> Option<String> {
    let text = leaf(of, NS, "resource")?;
    let path = text.starts_with('/') && text.len() <= PATH_BYTES;
    (path || identifier(of, NS, "resource").is_some()).then(|| text.to_owned())
}

/// A word that is not known is the least severity; `indeterminate` is one as well.
fn severity(word: &str) -> Severity {
    Severity::parse(word).unwrap_or(Severity::Warning)
}
