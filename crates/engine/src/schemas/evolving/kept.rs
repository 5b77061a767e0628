//! What evolves, as documents of the store: one row for each thing that changes by itself.
//!
//! Pools are kept cluster by cluster, since a fragment changes one of thousands. Read next:
//! [`crate::schemas::document`].

use super::{Evolving, Sample};
use crate::schemas::cohort::{Cohort, name};
use crate::schemas::company::Company;
use crate::schemas::document::{all, document, one, removal, unreadable};
use crate::schemas::published::Imprint;
use crate::schemas::setup::SchemaSetup;
use domain::time::Timestamp;
use schema::catalogue::Catalogue;
use schema::evolution::{
    Changes, ClusterId, ClusterRow, Evolution, EvolutionOutcome, KnownClients, Lineage, Pool,
    PoolDocument,
};
use schema::lint::TemplateOrigin;
use schema::read;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::{Batch, Document, ReadError, Store};

const TEMPLATE: &str = "template";
const LINEAGE: &str = "lineage";
const POOL: &str = "pool";
const CLUSTER: &str = "cluster";
const ACQUAINTANCES: &str = "acquaintances";
const SAMPLES: &str = "samples";
const RETIRED: &str = "retired";

/// A published template.
#[derive(Serialize, Deserialize)]
struct KeptTemplate {
    publisher: String,
    published: Timestamp,
    authored: Value,
    hash: String,
}

/// A template that takes no payloads any more.
#[derive(Serialize, Deserialize)]
struct KeptRetirement {
    principal: String,
    at: Timestamp,
}

/// The values that wait to be judged.
#[derive(Serialize, Deserialize)]
struct KeptSamples {
    next: u64,
    samples: BTreeMap<String, Sample>,
}

pub(super) fn template(schema_id: &str, imprint: &Imprint) -> Document {
    let kept = KeptTemplate {
        publisher: imprint.publisher.clone(),
        published: imprint.published,
        authored: imprint.authored.clone(),
        hash: imprint.hash.clone(),
    };
    document(TEMPLATE, schema_id.to_owned(), &kept)
}

pub(super) fn retired(schema_id: &str, principal: &str, at: Timestamp) -> Document {
    let kept = KeptRetirement {
        principal: principal.to_owned(),
        at,
    };
    document(RETIRED, schema_id.to_owned(), &kept)
}

pub(super) fn lineage(cohort: &Cohort, lineage: &Lineage) -> Document {
    document(LINEAGE, name(cohort), lineage)
}

pub(super) fn acquaintances(acquaintances: &KnownClients) -> Document {
    document(ACQUAINTANCES, String::new(), acquaintances)
}

pub(super) fn samples(samples: &BTreeMap<String, Sample>, next: u64) -> Document {
    let kept = json!({ "next": next, "samples": samples });
    document(SAMPLES, String::new(), &kept)
}

/// What changed of a cohort.
pub(super) fn evolution(
    cohort: &Cohort,
    evolution: &Evolution,
    outcome: &EvolutionOutcome,
) -> Vec<Document> {
    let mut documents = Vec::new();
    let pool = evolution.pool();
    let changes = &outcome.changes;
    if outcome.inserted.is_some() || !changes.changed.is_empty() || !changes.removed.is_empty() {
        documents.push(document(POOL, name(cohort), &pool.head()));
    }
    let rows = changes.changed.iter().filter_map(|id| pool.row(*id));
    documents.extend(rows.map(|row| document(CLUSTER, cluster_name(cohort, row.cluster.id), &row)));
    let removed = changes.removed.iter();
    documents.extend(removed.map(|id| removal(CLUSTER, cluster_name(cohort, *id))));
    if outcome.inserted.is_some() || !outcome.events.is_empty() {
        documents.push(lineage(cohort, evolution.lineage()));
    }
    documents
}

/// A cohort that is not there any more.
pub(super) fn gone(cohort: &Cohort, clusters: &[ClusterId]) -> Vec<Document> {
    let clusters = clusters
        .iter()
        .map(|id| removal(CLUSTER, cluster_name(cohort, *id)));
    let rest = [removal(POOL, name(cohort)), removal(LINEAGE, name(cohort))];
    clusters.chain(rest).collect()
}

impl Evolving {
    /// What the store keeps, and the templates of the setup that it does not know.
    pub(in crate::schemas) fn load(setup: &SchemaSetup, store: &Store) -> Result<Self, ReadError> {
        let mut evolving = Self {
            settings: setup.settings.clone(),
            embedder: setup.embedder.clone(),
            given: setup.templates.clone(),
            made: setup.made,
            catalogue: Catalogue::new(setup.namespace.clone()),
            imprints: BTreeMap::new(),
            cohorts: BTreeMap::new(),
            acquaintances: KnownClients::default(),
            samples: BTreeMap::new(),
            next_sample: 0,
            company: Company::default(),
            taken: 0,
            pictures: 0,
        };
        evolving.reload(store)?;
        Ok(evolving)
    }

    /// Drops everything and takes up what the store keeps.
    pub(in crate::schemas) fn reload(&mut self, store: &Store) -> Result<(), ReadError> {
        self.catalogue = Catalogue::new(self.catalogue.agent());
        self.imprints.clear();
        self.cohorts.clear();
        self.taken = 0;
        self.acquaintances = one(store, ACQUAINTANCES)?.unwrap_or_default();
        let kept = one::<KeptSamples>(store, SAMPLES)?;
        (self.samples, self.next_sample) =
            kept.map_or_else(Default::default, |k| (k.samples, k.next));
        self.load_templates(store)?;
        self.load_cohorts(store)
    }

    /// The templates of the setup, which are the same at every start, and those that were published.
    fn load_templates(&mut self, store: &Store) -> Result<(), ReadError> {
        let damaged = |cause: &dyn std::fmt::Display| unreadable(TEMPLATE, "*", cause);
        let (made, publisher) = (self.made, self.catalogue.agent().to_owned());
        let given = self.catalogue.publish_all(self.given.clone());
        given.map_err(|cause| damaged(&cause))?;
        for template in &self.given {
            let imprint = Imprint::of(template, &publisher, made);
            self.imprints.insert(template.schema_id.clone(), imprint);
        }
        let kept: Vec<(String, KeptTemplate)> = all(store, TEMPLATE)?;
        let mut templates = Vec::with_capacity(kept.len());
        for (schema_id, kept) in kept {
            let reading = read::template(&kept.authored, TemplateOrigin::Own);
            let reading =
                reading.map_err(|_| unreadable(TEMPLATE, &schema_id, &"it breaks rules"))?;
            templates.push(reading.template);
            self.imprints.insert(
                schema_id,
                Imprint {
                    publisher: kept.publisher,
                    published: kept.published,
                    authored: kept.authored,
                    hash: kept.hash,
                },
            );
        }
        let published = self.catalogue.publish_all(templates);
        published.map_err(|cause| damaged(&cause))?;
        for (schema_id, _) in all::<KeptRetirement>(store, RETIRED)? {
            // One that does not ship any more is not there either.
            let _ = self.catalogue.retire(&schema_id);
        }
        Ok(())
    }

    fn load_cohorts(&mut self, store: &Store) -> Result<(), ReadError> {
        let mut clusters: BTreeMap<String, Vec<ClusterRow>> = BTreeMap::new();
        for (name, row) in all::<ClusterRow>(store, CLUSTER)? {
            let cohort = name.rsplit_once('/').map_or("", |(cohort, _)| cohort);
            clusters.entry(cohort.to_owned()).or_default().push(row);
        }
        let mut pools: BTreeMap<String, PoolDocument> = all(store, POOL)?.into_iter().collect();
        let mut placed_anew = Vec::new();
        for (name, lineage) in all::<Lineage>(store, LINEAGE)? {
            let cohort: Cohort =
                serde_json::from_str(&name).map_err(|cause| unreadable(LINEAGE, &name, &cause))?;
            let Some(mut head) = pools.remove(&name) else {
                return Err(unreadable(POOL, &name, &"it is missing"));
            };
            head.clusters = clusters.remove(&name).unwrap_or_default();
            if let Some(embedder) = &self.embedder
                && head.embedder != embedder.id()
            {
                let (placed, changes) = head.under(&**embedder);
                head = placed;
                placed_anew.extend(pool_anew(&cohort, &head, &changes));
            }
            let pool = Pool::try_from(head).map_err(|cause| unreadable(POOL, &name, &cause))?;
            self.cohorts
                .insert(cohort, Evolution::from_parts(pool, lineage));
        }
        if !placed_anew.is_empty() {
            // Before anything that builds on it; should it fail, the next start does it again.
            drop(store.commit(Batch {
                documents: placed_anew,
                ..Batch::default()
            }));
        }
        Ok(())
    }
}

/// A pool that another embedder has placed.
fn pool_anew(cohort: &Cohort, pool: &PoolDocument, changes: &Changes) -> Vec<Document> {
    let head = PoolDocument {
        clusters: Vec::new(),
        embedder: pool.embedder.clone(),
        ..*pool
    };
    let rows = pool.clusters.iter();
    let rows = rows.map(|row| document(CLUSTER, cluster_name(cohort, row.cluster.id), row));
    let removed = changes.removed.iter();
    let removed = removed.map(|id| removal(CLUSTER, cluster_name(cohort, *id)));
    std::iter::once(document(POOL, name(cohort), &head))
        .chain(rows)
        .chain(removed)
        .collect()
}

fn cluster_name(cohort: &Cohort, id: ClusterId) -> String {
    format!("{}/{id}", name(cohort))
}
