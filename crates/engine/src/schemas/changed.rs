//! What changed, to be committed as one batch: documents, and what of it is told and on record.
//!
//! Read next: [`super::evolving`], whose changes they are; [`super::governing`], which commits them.

use super::cohort::Cohort;
use crate::trail::{by, decided};
use domain::access::Principal;
use domain::audit::AuditKind;
use domain::event::LogEvent;
use domain::notification::{SchemaChange, SchemaUpdate};
use domain::time::Timestamp;
use schema::evolution::LineageEvent;
use schema::template::Template;
use std::sync::Arc;
use store::{Batch, Document};

/// What changed, to be committed as one batch.
#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) documents: Vec<Document>,
    pub(super) happenings: Vec<(Timestamp, LogEvent)>,
}

impl Changed {
    /// Tells of a change.
    pub(super) fn tell(&mut self, update: SchemaUpdate) {
        let time = update.time;
        self.happenings
            .push((time, LogEvent::Schema(Arc::new(update))));
    }

    /// Has the audit trail say who decided what.
    pub(super) fn decided(
        &mut self,
        kind: AuditKind,
        who: &Principal,
        subject: &str,
        now: Timestamp,
    ) {
        let event = by(kind, who).to(subject);
        self.happenings.push(decided(event, now));
    }

    /// What of an event everybody who may see the patch is told.
    pub(super) fn happened(
        &mut self,
        cohort: &Cohort,
        base: &Template,
        event: &LineageEvent,
        now: Timestamp,
    ) {
        let key = |name: &String| vec![name.clone()];
        let mut why = None;
        let (change, patch_id, key_names, principal) = match event {
            LineageEvent::Proposed { proposal } => (
                SchemaChange::PatchPending,
                Some(&proposal.patch.patch_id),
                proposal.patch.key_names(),
                None,
            ),
            LineageEvent::Activated { patch, .. } => (
                SchemaChange::PatchActive,
                Some(&patch.patch_id),
                patch.key_names(),
                None,
            ),
            LineageEvent::Approved {
                patch_id,
                principal,
                ..
            } => (
                SchemaChange::PatchApproved,
                Some(patch_id),
                Vec::new(),
                Some(principal),
            ),
            LineageEvent::Rejected {
                patch_id,
                principal,
                reason,
                ..
            } => {
                why = Some(reason).filter(|reason| !reason.is_empty());
                (
                    SchemaChange::PatchRejected,
                    Some(patch_id),
                    Vec::new(),
                    Some(principal),
                )
            }
            LineageEvent::Lapsed { patch_id, .. } => (
                SchemaChange::PatchRejected,
                Some(patch_id),
                Vec::new(),
                None,
            ),
            LineageEvent::Promoted { key_name, .. } => {
                (SchemaChange::KeyPromoted, None, key(key_name), None)
            }
            LineageEvent::Deprecated {
                key_name,
                principal,
                ..
            } => (
                SchemaChange::KeyDeprecated,
                None,
                key(key_name),
                principal.as_ref(),
            ),
            LineageEvent::Withdrawn { key_name, .. } => {
                (SchemaChange::KeyWithdrawn, None, key(key_name), None)
            }
            _ => return,
        };
        self.tell(SchemaUpdate {
            time: now,
            scenario: cohort.0.clone(),
            schema_id: base.schema_id.clone(),
            patch_id: patch_id.cloned(),
            client: cohort.1.clone(),
            change,
            key_names,
            principal: principal.cloned(),
            reason: why.cloned(),
        });
    }

    pub(super) fn into_batch(self) -> Batch {
        Batch {
            documents: self.documents,
            happenings: self.happenings,
            ..Batch::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.happenings.is_empty()
    }
}
