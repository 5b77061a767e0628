//! What a reply tells its caller besides: what of its payload should be mended, and patches that it
//! has not been told of (draft-zhou §6.2.2, §6.2.3).
//!
//! Added where the reply leaves, and kept in no record: a patch of one client is nothing for the
//! executor, who reads the record as well. What was told is remembered over restarts. Read next:
//! [`super::delivered`], [`super::published`].

use super::Schemas;
use super::observation::{Lesson, Observed};
use crate::Engine;
use crate::schemas::operation::{Notice, PatchAnswer};
use domain::content::Payload;
use domain::time::Timestamp;
use schema::patch::Patch;
use std::sync::Arc;
use store::{Batch, Document, Store};

/// What was heard in a request that its reply comes back to.
#[derive(Debug, Default)]
pub(crate) struct Annotations {
    /// The schema of the task's payload, if it is the caller who published the task.
    schema_id: Option<String>,
    warnings: Vec<String>,
}

impl Annotations {
    /// The request is its publisher's, about a task with this payload.
    pub(crate) fn about(&mut self, payload: Option<&Payload>) {
        self.schema_id = payload.map(|payload| payload.schema_id.clone());
    }

    /// Something was taken that should be mended.
    pub(crate) fn warned(&mut self, warnings: Option<Vec<String>>) {
        self.warnings.extend(warnings.unwrap_or_default());
    }
}

/// Who adds to a reply.
pub(crate) struct Notes {
    schemas: Arc<Schemas>,
    store: Store,
    client: String,
    annotations: Annotations,
    now: Timestamp,
}

impl Engine {
    /// What a reply should tell its caller besides; none if that is nothing.
    pub(crate) fn notes(
        &self,
        client: &str,
        annotations: Annotations,
        now: Timestamp,
    ) -> Option<Notes> {
        if annotations.warnings.is_empty() && annotations.schema_id.is_none() {
            return None;
        }
        Some(Notes {
            schemas: Arc::clone(&self.schemas),
            store: self.store.clone(),
            client: client.to_owned(),
            annotations,
            now,
        })
    }
}

impl Notes {
    /// The notice that the reply brings along.
    pub(crate) fn into_notice(mut self) -> Notice {
        Notice {
            warnings: std::mem::take(&mut self.annotations.warnings),
            patches: self.patches(),
        }
    }

    /// The patches to tell of, which are told from now on.
    fn patches(&self) -> Vec<PatchAnswer> {
        let Some(schema_id) = self.annotations.schema_id.as_deref() else {
            return Vec::new();
        };
        if !self.schemas.parts.inline {
            return Vec::new();
        }
        let published = self.schemas.published();
        let Ok(served) = published.of(schema_id, &self.client) else {
            return Vec::new();
        };
        let scenario = &served.template.scenario;
        let usable: Vec<&Patch> = published.patches(scenario, &self.client).collect();
        let in_use = |id: &str| published.has_patch(id);
        let told = self.schemas.delivered().tell(&self.client, usable, in_use);
        let Some((fresh, document)) = told else {
            return Vec::new();
        };
        self.remember(scenario, document);
        let answer = |patch: &&Patch| self.schemas.patch_answer(&published, patch, self.now);
        fresh.iter().map(answer).collect()
    }

    /// Not waited for: a patch that is told twice does no harm.
    fn remember(&self, scenario: &str, document: Document) {
        let delivered = Observed {
            scenario: scenario.to_owned(),
            client: self.client.clone(),
            at: self.now,
            lesson: Lesson::Delivered,
        };
        drop(self.store.commit(Batch {
            documents: vec![document],
            observations: vec![delivered.encode()],
            ..Batch::default()
        }));
    }
}
