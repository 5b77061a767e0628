//! `trouble_ticket_v1`, an order to keep or change a ticket, and `trouble_ticket_result_v1`, the
//! ticket as it stands.
//!
//! Shaped after TMF621 (Trouble Ticket Management): its states, its related entities and parties,
//! its notes and relationships, under names that schemas here allow. Read next:
//! [`crate::trouble_ticket`].

use super::Schema;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use language::time::rfc3339;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The subject of a ticket (`ticketType`).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TicketKind {
    /// Something broken is to be repaired.
    Repair,
    /// Agents cannot go on: people are needed.
    #[default]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TicketSeverity {
    /// Nobody is without service.
    Minor,
    /// Some are.
    #[default]
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

/// The elements that a ticket is about (`relatedEntity`), by what they have to do with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<RelatedEntity>", into = "Vec<RelatedEntity>")]
pub struct RelatedEntities {
    /// Those suspected, likeliest first, or broken.
    pub suspected: Vec<ElementId>,
    /// The sites that are touched.
    pub affected: BTreeSet<ElementId>,
}

#[derive(Serialize, Deserialize)]
struct RelatedEntity {
    id: ElementId,
    relation: EntityRelation,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EntityRelation {
    Suspected,
    Affected,
}

impl From<Vec<RelatedEntity>> for RelatedEntities {
    fn from(all: Vec<RelatedEntity>) -> Self {
        let suspected = |e: &RelatedEntity| e.relation == EntityRelation::Suspected;
        let (suspected, affected): (Vec<_>, Vec<_>) = all.into_iter().partition(suspected);
        Self {
            suspected: suspected.into_iter().map(|e| e.id).collect(),
            affected: affected.into_iter().map(|e| e.id).collect(),
        }
    }
}

impl From<RelatedEntities> for Vec<RelatedEntity> {
    fn from(all: RelatedEntities) -> Self {
        let related = |relation| move |id| RelatedEntity { id, relation };
        let suspected = all.suspected.into_iter();
        let affected = all.affected.into_iter();
        suspected
            .map(related(EntityRelation::Suspected))
            .chain(affected.map(related(EntityRelation::Affected)))
            .collect()
    }
}

/// An order: open a ticket, or change the one that is named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TicketOrder {
    /// The ticket to change; none to open one.
    pub ticket_id: Option<String>,
    /// The number under which the sender knows it; empty if none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub external_id: String,
    /// Its subject.
    #[serde(rename = "ticket_type")]
    pub kind: TicketKind,
    /// In a few words; empty if nobody said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its severity.
    pub severity: TicketSeverity,
    /// The status that it is to have from now on; none for as it is.
    pub status: Option<TicketStatus>,
    /// The reason; empty if nobody said.
    #[serde(
        rename = "status_change_reason",
        skip_serializing_if = "String::is_empty"
    )]
    pub reason: String,
    /// The elements that it is about.
    #[serde(rename = "related_entity")]
    pub related: RelatedEntities,
    /// The parties that have to do with it.
    #[serde(rename = "related_party")]
    pub parties: Vec<String>,
    /// All that there is to know.
    #[serde(rename = "note")]
    pub notes: Vec<String>,
}

impl TicketOrder {
    /// An order to open a ticket of this kind, with nothing more said.
    pub fn of(kind: TicketKind) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }
}

impl Schema for TicketOrder {
    const ID: &'static str = "trouble_ticket_v1";
}

/// Another ticket about the same element (`troubleTicketRelationship`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "relation", rename = "same-element")]
pub struct TicketRelationship {
    /// Its number.
    pub ticket_id: String,
}

/// A ticket as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TroubleTicket {
    /// Its number.
    pub ticket_id: String,
    /// The number under which its publisher knows it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub external_id: String,
    /// Its subject.
    #[serde(rename = "ticket_type")]
    pub kind: TicketKind,
    /// In a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its severity.
    pub severity: TicketSeverity,
    /// Its status.
    pub status: TicketStatus,
    /// The reason for its status.
    #[serde(
        default,
        rename = "status_change_reason",
        skip_serializing_if = "String::is_empty"
    )]
    pub reason: String,
    /// The instant at which it was opened.
    #[serde(with = "rfc3339")]
    pub created_at: Timestamp,
    /// The instant at which its status changed last.
    #[serde(rename = "status_changed_at", with = "rfc3339")]
    pub changed_at: Timestamp,
    /// The elements that it is about.
    #[serde(default, rename = "related_entity")]
    pub related: RelatedEntities,
    /// The parties that have to do with it.
    #[serde(default, rename = "related_party")]
    pub parties: Vec<String>,
    /// All that there is to know, oldest first.
    #[serde(default, rename = "note")]
    pub notes: Vec<String>,
    /// Tickets that have to do with this one.
    #[serde(default, rename = "trouble_ticket_relationship")]
    pub beside: BTreeSet<TicketRelationship>,
}

impl Schema for TroubleTicket {
    const ID: &'static str = "trouble_ticket_result_v1";
}
