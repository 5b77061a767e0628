//! What a reply tells its caller besides: what of its payload should be mended, and patches that it
//! has not been told of (draft-zhou §6.2.2, §6.2.3).
//!
//! Added where the reply leaves, and kept in no record: a patch of one client is nothing for the
//! executor, who reads the record as well. What was told is remembered over restarts. Read next:
//! [`super::published`].

use super::Schemas;
use super::document::{all, document, removal};
use super::observation::{Lesson, Observed};
use crate::Engine;
use crate::schemas::operation::{Notice, PatchAnswer};
use domain::content::Payload;
use domain::time::Timestamp;
use schema::patch::Patch;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::{Batch, Document, ReadError, Store};

/// The kind of the documents that say which patches a client was told of in replies.
const TOLD: &str = "told";

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

/// Patches that clients were told of in replies, by client.
#[derive(Debug, Default)]
pub(super) struct Delivered(BTreeMap<String, BTreeSet<String>>);

impl Delivered {
    /// What the store knows.
    pub(super) fn load(store: &Store) -> Result<Self, ReadError> {
        Ok(Self(all(store, TOLD)?.into_iter().collect()))
    }

    /// Forgets a client; the document that says so, if there is anything to forget.
    pub(super) fn erase(&mut self, client: &str) -> Option<Document> {
        self.0.remove(client)?;
        Some(removal(TOLD, client.to_owned()))
    }

    /// Of these patches, those that the client was not told of; from now on it was. Patches that
    /// are not in use any more are forgotten.
    fn tell<'p>(
        &mut self,
        client: &str,
        patches: Vec<&'p Patch>,
        in_use: impl Fn(&str) -> bool,
    ) -> Option<(Vec<&'p Patch>, Document)> {
        let known = self.0.get(client);
        let is_new = |patch: &&Patch| !known.is_some_and(|ids| ids.contains(&patch.patch_id));
        let fresh: Vec<&Patch> = patches.into_iter().filter(is_new).collect();
        if fresh.is_empty() {
            return None;
        }
        let ids = self.0.entry(client.to_owned()).or_default();
        ids.retain(|id| in_use(id));
        ids.extend(fresh.iter().map(|patch| patch.patch_id.clone()));
        let told = document(TOLD, client.to_owned(), ids);
        Some((fresh, told))
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
