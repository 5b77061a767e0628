//! The tree `/schemas`, as far as a principal may see it.
//!
//! Patches that wait, pools and samples are for those who may approve; a client's own patches for
//! that client and for them. Read next: [`crate::schemas::operation::SchemaRecords`].

use super::Schemas;
use super::answer::standing;
use super::cohort::Cohort;
use super::evolving::Evolving;
use super::naming::{PATCH_FLAG, PATCH_NUMBERS};
use super::published::Published;
use crate::Engine;
use crate::schemas::operation::{
    ClusterRecord, KeyRecord, PatchRecord, PoolRecord, SampleRecord, SchemaRecord, SchemaRecords,
};
use domain::access::Principal;
use domain::policy::{DecisionKind, DecisionSubject, Offers, PendingDecision};
use domain::time::Timestamp;
use schema::evolution::{Cluster, Evolution, EvolutionSettings, Lineage, Pool, Proposal};
use schema::patch::Patch;
use schema::template::Template;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Engine {
    pub(crate) fn schema_records(&self, who: &Principal, now: Timestamp) -> SchemaRecords {
        let approves = self.access.approves(who);
        let (published, evolving) = (self.schemas.published(), self.schemas.evolving());
        let mut records = SchemaRecords {
            schemas: published.records(),
            ..SchemaRecords::default()
        };
        for (cohort, evolution) in &evolving.cohorts {
            if approves || cohort.1.as_deref().is_none_or(|client| client == who.name) {
                let told = self
                    .schemas
                    .patch_records(&published, &evolving, evolution, approves, now);
                records.patches.extend(told);
            }
            if approves {
                records
                    .pools
                    .push(pool(cohort, evolution, evolving.settings(), now));
            }
        }
        records
            .patches
            .sort_by(|a, b| a.answer.patch_id.cmp(&b.answer.patch_id));
        if approves {
            records.samples = samples(&evolving);
        }
        records
    }
}

impl Schemas {
    /// The patches that wait to be approved or rejected, as decisions.
    pub(crate) fn pending_patches(&self) -> Vec<PendingDecision> {
        let evolving = self.evolving();
        let cohorts = evolving.cohorts.iter();
        let waiting = cohorts.flat_map(|(cohort, evolution)| {
            let pending = evolution.lineage().pending();
            pending.map(|proposal| decision(cohort, proposal, evolving.settings()))
        });
        waiting.collect()
    }

    /// The patches of a cohort; those that wait only for whom approves.
    fn patch_records(
        &self,
        published: &Published,
        evolving: &Evolving,
        evolution: &Evolution,
        approves: bool,
        now: Timestamp,
    ) -> Vec<PatchRecord> {
        let (lineage, settings) = (evolution.lineage(), evolving.settings());
        let active = lineage.patches().map(|patch| (patch, Vec::new()));
        let waiting = lineage.pending().filter(|_| approves);
        let waiting = waiting.map(|p| (&p.patch, p.approvers.iter().cloned().collect()));
        let record = |(patch, approved_by): (&Patch, Vec<String>)| PatchRecord {
            answer: self.patch_answer(published, patch, now),
            state: standing(&lineage.patch_activity(&patch.patch_id)),
            client: patch.client.clone(),
            timestamp: patch.timestamp,
            expires_at: patch.expires_at,
            approved_by,
            keys: keys(lineage, patch, settings, now),
        };
        active.chain(waiting).map(record).collect()
    }
}

/// A patch that waits, with what a rule may look at.
fn decision(cohort: &Cohort, proposal: &Proposal, settings: &EvolutionSettings) -> PendingDecision {
    let patch = &proposal.patch;
    let numbers = [
        json!(patch.new_keys.len()),
        json!(patch.modified_keys.len()),
        json!(proposal.approvers.len()),
        json!(proposal.approvers_min),
    ];
    let flag = (PATCH_FLAG, json!(proposal.sensitive));
    let values = PATCH_NUMBERS.into_iter().zip(numbers).chain([flag]);
    let values = values.map(|(key, value)| (key.to_owned(), value));
    PendingDecision {
        subject: DecisionSubject {
            kind: DecisionKind::Patch,
            id: patch.patch_id.clone(),
        },
        decider: None,
        agent: patch.client.clone(),
        domain: None,
        target: Some(patch.parent_schema_id.clone()),
        scenario: Some(cohort.0.clone()),
        round: None,
        offers: Offers::Values(vec![values.collect()]),
        since: proposal.at,
        until: Some(proposal.at + settings.patch.pending_ms),
        wants_person: proposal.sensitive,
        approved_by: proposal.approvers.clone(),
    }
}

fn keys(
    lineage: &Lineage,
    patch: &Patch,
    settings: &EvolutionSettings,
    now: Timestamp,
) -> Vec<KeyRecord> {
    let own = lineage.keys().filter(|t| t.patch_id == patch.patch_id);
    own.map(|tracked| KeyRecord {
        key_name: tracked.key.key_name.clone(),
        state: tracked.state.name(),
        since: tracked.introduced,
        ratios: tracked.metrics.ratios(settings.trial.window_ms, now),
    })
    .collect()
}

fn pool(
    cohort: &Cohort,
    evolution: &Evolution,
    settings: &EvolutionSettings,
    now: Timestamp,
) -> PoolRecord {
    let pool: &Pool = evolution.pool();
    let mut clusters: Vec<ClusterRecord> =
        pool.clusters().map(|c| cluster(c, settings, now)).collect();
    clusters.sort_by_key(|c| c.id);
    PoolRecord {
        scenario: cohort.0.clone(),
        cohort: cohort.1.clone().unwrap_or_default(),
        embedder: pool.embedder().to_owned(),
        fragments: pool.clusters().map(|c| c.fragments).sum(),
        queued: u32::try_from(evolution.lineage().queue().len()).unwrap_or(u32::MAX),
        clusters,
    }
}

fn cluster(cluster: &Cluster, settings: &EvolutionSettings, now: Timestamp) -> ClusterRecord {
    let window = settings.gates.window_ms;
    let recent = cluster.members.iter().filter(|m| now - m.at < window);
    let clients: BTreeSet<_> = recent.clone().map(|m| &m.client).collect();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    ClusterRecord {
        id: cluster.id.0,
        heat: cluster.heat.at(now, settings.heat.half_life_ms),
        occurrences: count(recent.count()),
        clients: count(clients.len()),
    }
}

fn samples(evolving: &Evolving) -> Vec<SampleRecord> {
    let samples = evolving.samples.iter();
    samples
        .map(|(sample_id, sample)| SampleRecord {
            sample_id: sample_id.clone(),
            scenario: sample.scenario.clone(),
            key_name: sample.key_name.clone(),
            value: sample.value.clone(),
            request: (!sample.request.is_empty()).then(|| sample.request.clone()),
        })
        .collect()
}

impl Published {
    /// The templates that are served and those that were, as they are told to everybody.
    pub(super) fn records(&self) -> Arc<[SchemaRecord]> {
        let made = || {
            let served = self.catalogue().served();
            let served = served.map(|template| self.record(template, self.state(template)));
            let gone = self.retired().map(|t| self.record(&t, "retired"));
            let mut records: Vec<SchemaRecord> = served.chain(gone).collect();
            records.sort_by(|a, b| a.schema_id.cmp(&b.schema_id));
            records.into()
        };
        Arc::clone(self.told.get_or_init(made))
    }

    fn state(&self, template: &Template) -> &'static str {
        let newest = self.catalogue().newest(&template.scenario);
        match newest.is_ok_and(|n| n.schema_id == template.schema_id) {
            true => "current",
            false => "superseded",
        }
    }

    fn record(&self, template: &Template, state: &'static str) -> SchemaRecord {
        let imprint = self
            .imprint(&template.schema_id)
            .expect("what is or was served was published");
        SchemaRecord {
            schema_id: template.schema_id.clone(),
            scenario: template.scenario.clone(),
            version: template.version(),
            state,
            publisher: imprint.publisher.clone(),
            published: imprint.published,
            hash: imprint.hash.clone(),
            languages: languages(template),
            response_schema_id: template.response_schema_id.clone(),
        }
    }
}

/// The languages in which every key is described.
fn languages(template: &Template) -> Vec<String> {
    let mut keys = template
        .keys
        .iter()
        .map(|k| k.annotation.0.keys().collect::<BTreeSet<_>>());
    let first = keys.next().unwrap_or_default();
    let all = keys.fold(first, |all, of| all.intersection(&of).copied().collect());
    all.into_iter().map(ToString::to_string).collect()
}
