//! Which patches clients were told of in replies, remembered over restarts.
//!
//! Read next: [`super::notice`], which tells them.

use super::document::{all, document, removal};
use schema::patch::Patch;
use std::collections::{BTreeMap, BTreeSet};
use store::{Document, ReadError, Store};

/// The kind of the documents that say which patches a client was told of in replies.
const TOLD: &str = "told";

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
    pub(super) fn tell<'p>(
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
