//! The notifications of a management system: alarms (RFC 8632), and those of convoke-ems.
//!
//! A notification that lacks what one has is [`SystemReport::Unreadable`], one of another module is
//! nothing. Read next: [`super::alarms`].

use super::alarms::{ForeignAlarm, read_alarm};
use super::text::{NAME_BYTES, clipped, identifier, instant, leaf, words};
use super::{ForeignNames, SystemOffer};
use crate::netconf::{ALARMS_NAMESPACE, EMS_NAMESPACE as NS};
use ::netconf::client::Notification as Received;
use ::netconf::names::namespace::NETMOD_NOTIFICATION;
use ::netconf::xml::XmlElement;
use domain::telemetry::{Complaint, FieldReport, Ticket};
use domain::time::Timestamp;

/// What a notification says.
#[derive(Clone, Debug, PartialEq)]
pub enum SystemReport {
    /// An alarm changed, or is reported again.
    Alarm(ForeignAlarm),
    /// A period has ended, and its figures can be read.
    Period,
    /// An engineer reports; the token is the number that the system answered to the dispatch.
    Field(FieldReport),
    /// A customer complains.
    Complaint(Complaint),
    /// A customer's company has opened a ticket.
    Ticket(Ticket),
    /// A customer answers a question about a ticket.
    CustomerAnswered {
        /// The ticket's number.
        ticket: String,
        /// The customer's words.
        text: String,
    },
    /// What was missed has been sent (RFC 5277 §2.1.1).
    ReplayComplete,
    /// The subscription has ended (RFC 5277 §2.1.1).
    Complete,
    /// It lacks what its kind has.
    Unreadable,
    /// It is of no interest here.
    Other,
}

/// Reads a notification, with the time of its event, if that can be read.
pub fn read_report(
    received: &Received,
    offer: &SystemOffer,
    names: &ForeignNames,
) -> (Option<Timestamp>, SystemReport) {
    let time = Timestamp::parse(&received.event_time).ok();
    let Some(event) = received.content() else {
        return (time, SystemReport::Unreadable);
    };
    let report = match (event.namespace(), event.name()) {
        (ALARMS_NAMESPACE, "alarm-notification") => {
            read_alarm(event, offer).map(SystemReport::Alarm)
        }
        (NETMOD_NOTIFICATION, "replayComplete") => Some(SystemReport::ReplayComplete),
        (NETMOD_NOTIFICATION, "notificationComplete") => Some(SystemReport::Complete),
        (NS, "performance-report") => Some(SystemReport::Period),
        (NS, "field-report") => field(event, names).map(SystemReport::Field),
        (NS, "customer-complaint") => complaint(event, names, time),
        (NS, "customer-ticket") => ticket(event, time),
        (NS, "customer-answer") => answer(event),
        _ => Some(SystemReport::Other),
    };
    (time, report.unwrap_or(SystemReport::Unreadable))
}

fn field(event: XmlElement<'_>, names: &ForeignNames) -> Option<FieldReport> {
    let token = leaf(event, NS, "dispatch")?.parse().ok()?;
    let element = names.element(identifier(event, NS, "element")?);
    if let Some(question) = leaf(event, NS, "question") {
        return Some(FieldReport::Arrived {
            token,
            element,
            question: words(question),
        });
    }
    Some(FieldReport::Ended {
        token,
        element,
        repaired: leaf(event, NS, "repaired")? == "true",
        finding: words(leaf(event, NS, "finding")?),
    })
}

fn complaint(
    event: XmlElement<'_>,
    names: &ForeignNames,
    at: Option<Timestamp>,
) -> Option<SystemReport> {
    Some(SystemReport::Complaint(Complaint {
        time: instant(event, NS, "time").or(at)?,
        site: names.element(identifier(event, NS, "site")?),
        text: words(leaf(event, NS, "text")?),
    }))
}

fn ticket(event: XmlElement<'_>, at: Option<Timestamp>) -> Option<SystemReport> {
    let name = |of| leaf(event, NS, of).map(|text| clipped(text, NAME_BYTES).to_owned());
    Some(SystemReport::Ticket(Ticket {
        ticket: identifier(event, NS, "ticket")?.to_owned(),
        time: instant(event, NS, "time").or(at)?,
        from: name("from")?,
        language: name("language")?,
        text: words(leaf(event, NS, "text")?),
    }))
}

fn answer(event: XmlElement<'_>) -> Option<SystemReport> {
    Some(SystemReport::CustomerAnswered {
        ticket: identifier(event, NS, "ticket")?.to_owned(),
        text: words(leaf(event, NS, "text")?),
    })
}
