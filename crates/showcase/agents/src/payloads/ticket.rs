//! `trouble_ticket_v1`, an order to keep or change a ticket, and `trouble_ticket_result_v1`, the
//! ticket as it stands.
//!
//! Shaped after TMF621 (Trouble Ticket Management): its states, its related entities and parties,
//! its notes and relationships, under names that schemas here allow. Read next:
//! [`crate::trouble_ticket`].

use super::Schema;
use super::values::{Values, non_empty};
use domain::inventory::ElementId;
use domain::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The subject of a ticket (`ticketType`).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TicketKind {
    /// Something broken is to be repaired.
    Repair,
    /// Agents cannot go on: people are needed.
    Escalation,
    /// A customer is not content.
    Complaint,
}

domain::named! {
    /// The name.
    TicketKind
}

/// The severity of a ticket.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TicketSeverity {
    /// Nobody is without service.
    Minor,
    /// Some are.
    Major,
    /// Very many are.
    Critical,
}

domain::named! {
    /// The name.
    TicketSeverity
}

/// The status of a ticket (TMF621, `TroubleTicketStatusType`).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "camelCase")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TicketStatus {
    /// Taken down.
    Acknowledged,
    /// Being worked on.
    InProgress,
    /// Waiting for somebody: a decision, or people.
    Pending,
    /// Waiting behind another ticket.
    Held,
    /// Done, as far as whoever worked on it can tell.
    Resolved,
    /// Done, as whoever opened it says.
    Closed,
    /// No longer wanted.
    Cancelled,
}

domain::named! {
    /// The name in TMF621.
    TicketStatus
}

impl TicketStatus {
    /// True if nothing follows.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Closed | Self::Cancelled)
    }
}

/// An order: open a ticket, or change the one that is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicketOrder {
    /// The ticket to change; none to open one.
    pub ticket_id: Option<String>,
    /// The number under which the sender knows it; empty if none.
    pub external_id: String,
    /// Its subject.
    pub kind: TicketKind,
    /// In a few words; empty if nobody said.
    pub name: String,
    /// Its severity.
    pub severity: TicketSeverity,
    /// The status that it is to have from now on; none for as it is.
    pub status: Option<TicketStatus>,
    /// The reason; empty if nobody said.
    pub reason: String,
    /// The elements suspected, likeliest first.
    pub related: Vec<ElementId>,
    /// The sites that are touched.
    pub sites: BTreeSet<ElementId>,
    /// The parties that have to do with it.
    pub parties: Vec<String>,
    /// All that there is to know.
    pub notes: Vec<String>,
}

impl TicketOrder {
    /// An order to open a ticket of this kind, with nothing more said.
    pub fn of(kind: TicketKind) -> Self {
        Self {
            ticket_id: None,
            external_id: String::new(),
            kind,
            name: String::new(),
            severity: TicketSeverity::Major,
            status: None,
            reason: String::new(),
            related: Vec::new(),
            sites: BTreeSet::new(),
            parties: Vec::new(),
            notes: Vec::new(),
        }
    }
}

const SUSPECTED: &str = "suspected";
const AFFECTED: &str = "affected";

fn entities(related: &[ElementId], sites: &BTreeSet<ElementId>) -> Value {
    let entity = |id: &ElementId, relation| json!({ "id": id.as_str(), "relation": relation });
    let suspected = related.iter().map(|id| entity(id, SUSPECTED));
    let affected = sites.iter().map(|id| entity(id, AFFECTED));
    suspected.chain(affected).collect()
}

fn entities_of<C: FromIterator<ElementId>>(values: Values<'_>, relation: &str) -> C {
    let read = |entity: Values<'_>| Some((entity.element("id")?, entity.text("relation")));
    let all = values.objects("related_entity", read).into_iter();
    all.filter(|(_, r)| r == relation)
        .map(|(id, _)| id)
        .collect()
}

impl Schema for TicketOrder {
    const ID: &'static str = "trouble_ticket_v1";

    fn values(&self) -> Value {
        json!({
            "ticket_id": self.ticket_id,
            "external_id": non_empty(&self.external_id),
            "ticket_type": self.kind.as_str(),
            "name": non_empty(&self.name),
            "severity": self.severity.as_str(),
            "status": self.status.map(TicketStatus::as_str),
            "status_change_reason": non_empty(&self.reason),
            "related_entity": entities(&self.related, &self.sites),
            "related_party": self.parties,
            "note": self.notes,
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        let kind = values.name("ticket_type", TicketKind::parse);
        let severity = values.name("severity", TicketSeverity::parse);
        Some(Self {
            ticket_id: values.optional_text("ticket_id"),
            external_id: values.text("external_id"),
            kind: kind.unwrap_or(TicketKind::Escalation),
            name: values.text("name"),
            severity: severity.unwrap_or(TicketSeverity::Major),
            status: values.name("status", TicketStatus::parse),
            reason: values.text("status_change_reason"),
            related: entities_of(values, SUSPECTED),
            sites: entities_of(values, AFFECTED),
            parties: values.texts("related_party"),
            notes: values.texts("note"),
        })
    }
}

/// A ticket as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TroubleTicket {
    /// Its number.
    pub ticket_id: String,
    /// The number under which its publisher knows it.
    pub external_id: String,
    /// Its subject.
    pub kind: TicketKind,
    /// In a few words.
    pub name: String,
    /// Its severity.
    pub severity: TicketSeverity,
    /// Its status.
    pub status: TicketStatus,
    /// The reason for its status.
    pub reason: String,
    /// The instant at which it was opened.
    pub created_at: Timestamp,
    /// The instant at which its status changed last.
    pub changed_at: Timestamp,
    /// The elements that are suspected, or broken.
    pub related: Vec<ElementId>,
    /// The sites that are touched.
    pub sites: BTreeSet<ElementId>,
    /// The parties that have to do with it.
    pub parties: Vec<String>,
    /// All that there is to know, oldest first.
    pub notes: Vec<String>,
    /// Tickets that have to do with this one.
    pub beside: BTreeSet<String>,
}

impl Schema for TroubleTicket {
    const ID: &'static str = "trouble_ticket_result_v1";

    fn values(&self) -> Value {
        let relationship = |id: &String| json!({ "ticket_id": id, "relation": SAME_ELEMENT });
        json!({
            "ticket_id": self.ticket_id,
            "external_id": non_empty(&self.external_id),
            "ticket_type": self.kind.as_str(),
            "name": non_empty(&self.name),
            "severity": self.severity.as_str(),
            "status": self.status.as_str(),
            "status_change_reason": non_empty(&self.reason),
            "created_at": self.created_at.to_string(),
            "status_changed_at": self.changed_at.to_string(),
            "related_entity": entities(&self.related, &self.sites),
            "related_party": self.parties,
            "note": self.notes,
            "trouble_ticket_relationship": self.beside.iter().map(relationship).collect::<Value>(),
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        let beside = |entry: Values<'_>| entry.optional_text("ticket_id");
        let beside = values.objects("trouble_ticket_relationship", beside);
        Some(Self {
            ticket_id: values.text("ticket_id"),
            external_id: values.text("external_id"),
            kind: values.name("ticket_type", TicketKind::parse)?,
            name: values.text("name"),
            severity: values.name("severity", TicketSeverity::parse)?,
            status: values.name("status", TicketStatus::parse)?,
            reason: values.text("status_change_reason"),
            created_at: values.time("created_at")?,
            changed_at: values.time("status_changed_at")?,
            related: entities_of(values, SUSPECTED),
            sites: entities_of(values, AFFECTED),
            parties: values.texts("related_party"),
            notes: values.texts("note"),
            beside: beside.into_iter().collect(),
        })
    }
}

const SAME_ELEMENT: &str = "same-element";
