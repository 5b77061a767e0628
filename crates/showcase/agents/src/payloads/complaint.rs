//! `complaint_ticket_v1` and its result, and the result of `service_complaint_v1`, which is the same
//! story told to whoever brought a complaint in structure.

use super::Schema;
use super::values::{Values, non_empty};
use crate::complaints::reader::matter::ReadSymptom;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A complaint in the customer's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComplaintTicket {
    /// The number of the ticket.
    pub ticket_id: String,
    /// The customer's words.
    pub text: String,
    /// True if they are answered in Chinese, else in English.
    pub chinese: bool,
    /// The instant at which the ticket was opened.
    pub received_at: Timestamp,
    /// The manufacturer who passes it on for its drivers; empty if nobody does.
    pub manufacturer: String,
    /// The answer of the customer when asked; empty if nobody asked.
    pub answer: String,
    /// True if the customer was asked and has not answered.
    pub unanswered: bool,
    /// The province that passed it on.
    pub forwarded_from: Option<String>,
}

impl Schema for ComplaintTicket {
    const ID: &'static str = "complaint_ticket_v1";

    fn values(&self) -> Value {
        json!({
            "ticket_id": self.ticket_id,
            "text": self.text,
            "language": language(self.chinese),
            "received_at": self.received_at.to_string(),
            "manufacturer": non_empty(&self.manufacturer),
            "answer": non_empty(&self.answer),
            "unanswered": self.unanswered.then_some(true),
            "forwarded_from": self.forwarded_from,
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            ticket_id: values.text("ticket_id"),
            text: values.text("text"),
            chinese: values.text("language") == "zh",
            received_at: values.time("received_at")?,
            manufacturer: values.text("manufacturer"),
            answer: values.text("answer"),
            unanswered: values.flag("unanswered"),
            forwarded_from: values.optional_text("forwarded_from"),
        })
    }
}

fn language(chinese: bool) -> &'static str {
    if chinese { "zh" } else { "en" }
}

/// A complaint that somebody has put into structure already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceComplaint {
    /// The symptom.
    pub symptom: ReadSymptom,
    /// The place where it happens, in words.
    pub place: String,
    /// Since when.
    pub started_at: Option<Timestamp>,
    /// The vehicle.
    pub vehicle: Option<String>,
    /// The place where the vehicle had moved to, in words.
    pub moved_to: Option<String>,
    /// The sender's ticket; empty if there is none.
    pub complaint_id: String,
    /// The manufacturer who passes it on; empty if nobody does.
    pub manufacturer: String,
}

impl Schema for ServiceComplaint {
    const ID: &'static str = "service_complaint_v1";

    fn values(&self) -> Value {
        json!({
            "symptom": self.symptom.as_str(),
            "place": self.place,
            // What nobody said is minor, as the template has it; said in full in canonical form.
            "severity": "minor",
            "started_at": self.started_at.map(|at| at.to_string()),
            "vehicle_id": self.vehicle,
            "moved_to": self.moved_to,
            "complaint_id": non_empty(&self.complaint_id),
            "manufacturer": non_empty(&self.manufacturer),
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            symptom: values.name("symptom", ReadSymptom::parse)?,
            place: values.text("place"),
            started_at: values.time("started_at"),
            vehicle: values.optional_text("vehicle_id"),
            moved_to: values.optional_text("moved_to"),
            complaint_id: values.text("complaint_id"),
            manufacturer: values.text("manufacturer"),
        })
    }
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubTicket {
    /// Names the part: the task.
    pub ticket_id: String,
    /// The domain that worked on it: `Wireless`, `IP` or `Service`.
    pub domain: String,
    /// The outcome.
    pub description: String,
}

/// The fate of a ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicketResult {
    /// The number of the ticket.
    pub ticket_id: String,
    /// True if it is still being worked on: what is broken is not mended yet.
    pub in_progress: bool,
    /// The place of the cause.
    pub boundary: ComplaintBoundary,
    /// The party that has to act: `Wireless`, `IP`, `Service` or `Business`.
    pub responsible: Option<String>,
    /// The element that is to blame.
    pub element: Option<ElementId>,
    /// The way in which it failed, where that is known.
    pub cause: Option<Cause>,
    /// The other province, if it was asked.
    pub forwarded_to: Option<String>,
    /// The parts.
    pub sub_tickets: Vec<SubTicket>,
    /// The text that the customer is told.
    pub answer: String,
    /// True if that is in Chinese, else English.
    pub chinese: bool,
    /// Since when service is good again.
    pub resolved_at: Option<Timestamp>,
}

impl TicketResult {
    fn common(&self) -> Value {
        let part = |sub: &SubTicket| {
            json!({
                "ticket_id": sub.ticket_id,
                "domain": sub.domain,
                "description": sub.description,
            })
        };
        let parts: Vec<Value> = self.sub_tickets.iter().map(part).collect();
        json!({
            "ticket_id": self.ticket_id,
            "status": if self.in_progress { "in_progress" } else { "resolved" },
            "boundary": self.boundary.as_str(),
            "responsible_domain": self.responsible,
            "element": self.element.as_ref().map(ElementId::as_str),
            "cause": self.cause.map(Cause::as_str),
            "forwarded_to": self.forwarded_to,
            "sub_tickets": parts,
            "answer": self.answer,
            "resolved_at": self.resolved_at.map(|at| at.to_string()),
        })
    }
}

impl Schema for TicketResult {
    const ID: &'static str = "complaint_ticket_result_v1";

    fn values(&self) -> Value {
        let mut values = self.common();
        values["language"] = language(self.chinese).into();
        values
    }

    fn read(values: Values<'_>) -> Option<Self> {
        let part = |part: Values<'_>| {
            Some(SubTicket {
                ticket_id: part.text("ticket_id"),
                domain: part.text("domain"),
                description: part.text("description"),
            })
        };
        Some(Self {
            ticket_id: values.text("ticket_id"),
            in_progress: values.text("status") == "in_progress",
            boundary: values.name("boundary", ComplaintBoundary::parse)?,
            responsible: values.optional_text("responsible_domain"),
            element: values.element("element"),
            cause: values.name("cause", Cause::parse),
            forwarded_to: values.optional_text("forwarded_to"),
            sub_tickets: values.objects("sub_tickets", part),
            answer: values.text("answer"),
            chinese: values.text("language") == "zh",
            resolved_at: values.time("resolved_at"),
        })
    }
}

/// The same, told to whoever brought a complaint in structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComplaintResult(pub TicketResult);

impl Schema for ComplaintResult {
    const ID: &'static str = "service_complaint_result_v1";

    fn values(&self) -> Value {
        self.0.common()
    }

    fn read(values: Values<'_>) -> Option<Self> {
        TicketResult::read(values).map(Self)
    }
}
