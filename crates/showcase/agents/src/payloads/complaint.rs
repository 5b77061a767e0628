//! `complaint_ticket_v1` and its result, and the result of `service_complaint_v1`, which is the same
//! story told to whoever brought a complaint in structure.

use super::Schema;
use super::canonical::instant;
use crate::complaints::reader::is_chinese;
use crate::complaints::reader::matter::ReadSymptom;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use language::time::rfc3339;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Not;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A complaint in the customer's own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComplaintTicket {
    /// The number of the ticket.
    pub ticket_id: String,
    /// The customer's words.
    pub text: String,
    /// True if they are answered in Chinese, else in English.
    #[serde(rename = "language", with = "tag")]
    pub chinese: bool,
    /// The instant at which the ticket was opened.
    #[serde(with = "rfc3339")]
    pub received_at: Timestamp,
    /// The manufacturer who passes it on for its drivers; empty if nobody does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub manufacturer: String,
    /// The answer of the customer when asked; empty if nobody asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// True if the customer was asked and has not answered.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub unanswered: bool,
    /// The province that passed it on.
    pub forwarded_from: Option<String>,
}

impl ComplaintTicket {
    /// A complaint of which nothing is known but its words.
    pub fn in_words(ticket_id: &str, text: String, received_at: Timestamp) -> Self {
        Self {
            ticket_id: ticket_id.to_owned(),
            chinese: is_chinese(&text),
            text,
            received_at,
            manufacturer: String::new(),
            answer: String::new(),
            unanswered: false,
            forwarded_from: None,
        }
    }
}

impl Schema for ComplaintTicket {
    const ID: &'static str = "complaint_ticket_v1";
}

mod tag {
    //! The tag of a language: Chinese, or English.

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(chinese: &bool, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(if *chinese { "zh" } else { "en" })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        String::deserialize(from).map(|tag| tag == "zh")
    }
}

/// A complaint that somebody has put into structure already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
// What nobody said is minor, as the template has it; said in full in canonical form.
#[serde(tag = "severity", rename = "minor")]
pub struct ServiceComplaint {
    /// The symptom.
    pub symptom: ReadSymptom,
    /// The place where it happens, in words.
    pub place: String,
    /// Since when.
    #[serde(default, with = "instant")]
    pub started_at: Option<Timestamp>,
    /// The vehicle.
    #[serde(rename = "vehicle_id")]
    pub vehicle: Option<String>,
    /// The place where the vehicle had moved to, in words.
    pub moved_to: Option<String>,
    /// The sender's ticket; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub complaint_id: String,
    /// The manufacturer who passes it on; empty if nobody does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub manufacturer: String,
}

impl Schema for ServiceComplaint {
    const ID: &'static str = "service_complaint_v1";
}

/// The place of a complaint's cause.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComplaintBoundary {
    /// In the network of the agent's own province.
    OwnDomain,
    /// In the network of another province.
    OtherDomain,
    /// There is no coverage, and no fault.
    Coverage,
    /// With the customer's own equipment.
    Customer,
    /// Not with the network at all: account, bill, tariff.
    Outside,
    /// It could not be found out.
    Unknown,
}

domain::named! {
    /// The name in payloads.
    ComplaintBoundary
}

/// A part of a ticket, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubTicket {
    /// Names the part: the task.
    pub ticket_id: String,
    /// The domain that worked on it: `Wireless`, `IP` or `Service`.
    pub domain: String,
    /// The outcome.
    #[serde(default)]
    pub description: String,
}

/// The fate of a ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketResult {
    /// The number of the ticket.
    pub ticket_id: String,
    /// True if it is still being worked on: what is broken is not mended yet.
    #[serde(rename = "status", with = "status")]
    pub in_progress: bool,
    /// The place of the cause.
    pub boundary: ComplaintBoundary,
    /// The party that has to act: `Wireless`, `IP`, `Service` or `Business`.
    #[serde(rename = "responsible_domain")]
    pub responsible: Option<String>,
    /// The element that is to blame.
    pub element: Option<ElementId>,
    /// The way in which it failed, where that is known.
    pub cause: Option<Cause>,
    /// The other province, if it was asked.
    pub forwarded_to: Option<String>,
    /// The parts.
    #[serde(default)]
    pub sub_tickets: Vec<SubTicket>,
    /// The text that the customer is told.
    #[serde(default)]
    pub answer: String,
    /// True if that is in Chinese, else English.
    #[serde(default, rename = "language", with = "tag")]
    pub chinese: bool,
    /// Since when service is good again.
    #[serde(default, with = "instant")]
    pub resolved_at: Option<Timestamp>,
}

mod status {
    //! The status of a ticket (TMF621), by the one question that is asked of it.

    use serde::{Deserialize, Deserializer, Serializer};

    const IN_PROGRESS: &str = "in_progress";

    pub(super) fn serialize<S: Serializer>(in_progress: &bool, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(if *in_progress {
            IN_PROGRESS
        } else {
            "resolved"
        })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        String::deserialize(from).map(|status| status == IN_PROGRESS)
    }
}

impl Schema for TicketResult {
    const ID: &'static str = "complaint_ticket_result_v1";
}

/// The same, told to whoever brought a complaint in structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComplaintResult(pub TicketResult);

impl Schema for ComplaintResult {
    const ID: &'static str = "service_complaint_result_v1";

    fn values(&self) -> Value {
        let mut values = self.0.values();
        values.as_object_mut().map(|keys| keys.remove("language"));
        values
    }
}
