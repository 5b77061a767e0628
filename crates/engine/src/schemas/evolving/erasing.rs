//! A client is forgotten: what it said in `other`, what waits to be judged of it, and that it was there.
//!
//! Read next: [`super`].

use super::{Evolving, kept};
use crate::schemas::changed::Changed;
use crate::schemas::cohort::Cohort;
use domain::notification::{SchemaChange, SchemaUpdate};
use domain::time::Timestamp;
use schema::evolution::EvolutionOutcome;
use schema::semantics::Embedder;

impl Evolving {
    /// Forgets what a client said, and that it was there; how many fragments went.
    pub(in crate::schemas) fn erase(
        &mut self,
        client: &str,
        principal: &str,
        now: Timestamp,
        changed: &mut Changed,
    ) -> u64 {
        let Some(embedder) = self.embedder.clone() else {
            return 0;
        };
        let mut erased = 0;
        for cohort in self.cohorts.keys().cloned().collect::<Vec<_>>() {
            erased += self.erase_in(&cohort, client, &*embedder, changed);
        }
        self.acquaintances.erase(client);
        self.samples.retain(|_, sample| sample.client != client);
        changed
            .documents
            .push(kept::acquaintances(&self.acquaintances));
        changed
            .documents
            .push(kept::samples(&self.samples, self.next_sample));
        // Whose they were is told to administrators: the record says that it was done.
        changed.tell(SchemaUpdate {
            time: now,
            scenario: String::new(),
            schema_id: String::new(),
            patch_id: None,
            client: Some(client.to_owned()),
            change: SchemaChange::FragmentsErased,
            key_names: Vec::new(),
            principal: Some(principal.to_owned()),
            reason: None,
        });
        erased
    }

    fn erase_in(
        &mut self,
        cohort: &Cohort,
        client: &str,
        embedder: &dyn Embedder,
        changed: &mut Changed,
    ) -> u64 {
        let evolution = self
            .cohorts
            .get_mut(cohort)
            .expect("a cohort that is there");
        let members = evolution.pool().clusters().flat_map(|c| &c.members);
        let said = members
            .filter(|m| m.client.as_deref() == Some(client))
            .count() as u64;
        if cohort.1.as_deref() == Some(client) {
            let clusters: Vec<_> = evolution.pool().clusters().map(|c| c.id).collect();
            changed.documents.extend(kept::gone(cohort, &clusters));
            self.cohorts.remove(cohort);
        } else if let Ok(changes) = evolution.erase(client, embedder) {
            let outcome = EvolutionOutcome {
                changes,
                ..EvolutionOutcome::default()
            };
            changed
                .documents
                .extend(kept::evolution(cohort, evolution, &outcome));
        }
        said
    }
}
