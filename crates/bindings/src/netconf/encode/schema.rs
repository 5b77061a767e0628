//! `/schemas`: templates, patches, pools and samples (module convoke-schema).
//!
//! What patches wait, what pools hold and what is to be judged is for schema administrators: the
//! engine leaves it out for others, and access rules guard it besides. Read next:
//! `engine::schemas::operation::tree::SchemaRecords`.

use super::reader::Reader;
use crate::netconf::output::{self, Parent as _};
use ::netconf::data::write;
use ::netconf::filter::Projection;
use engine::query::SchemaTree;
use engine::{
    KeyRecord, PatchAnswer, PatchRecord, PoolRecord, Refusal, SampleRecord, SchemaRecord,
};

impl Reader<'_> {
    /// Writes `/schemas`.
    pub(super) fn write_schemas(
        &self,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let records = self.read(SchemaTree)?;
        let node = output::Schemas::default()
            .schema(&*records.schemas, schema)
            .patch(&records.patches, patched)
            .pool(&records.pools, pool)
            .sample(&records.samples, sample);
        write(&node.written(), projection, out);
        Ok(())
    }
}

fn schema<'a>(node: output::Schema<'a>, record: &'a SchemaRecord) -> output::Schema<'a> {
    node.schema_id(&record.schema_id)
        .scenario(&record.scenario)
        .version(record.version)
        .state(record.state)
        .publisher(&record.publisher)
        .published(record.published)
        .hash(&record.hash)
        .language(&record.languages)
        .response_schema_id(record.response_schema_id.as_ref())
        .yang_module((record.state != "retired").then_some(&record.schema_id))
}

fn patched<'a>(node: output::Patch<'a>, record: &'a PatchRecord) -> output::Patch<'a> {
    node.like(&record.answer, patch)
        .state(record.state.as_str())
        .client(record.client.as_ref())
        .timestamp(record.timestamp)
        .expires_at(record.expires_at)
        .approved_by(&record.approved_by)
        .key(&record.keys, key)
}

/// Adds a patch.
pub(in crate::netconf) fn patch<'a>(
    node: output::Update<'a>,
    answer: &'a PatchAnswer,
) -> output::Update<'a> {
    node.patch_id(&answer.patch_id)
        .parent_schema_id(&answer.parent_schema_id)
        .patch(answer.patch.to_string())
        .seal(answer.seal.as_ref())
}

fn key<'a>(node: output::Key<'a>, record: &'a KeyRecord) -> output::Key<'a> {
    let ratios = &record.ratios;
    node.key_name(&record.key_name)
        .state(record.state)
        .since(record.since)
        .usage_frequency(ratios.usage_frequency)
        .semantic_alignment_accuracy(ratios.semantic_alignment_accuracy)
        .value_type_correctness(ratios.value_type_correctness)
        .client_adoption_rate(ratios.client_adoption_rate)
}

fn pool<'a>(node: output::Pool<'a>, record: &'a PoolRecord) -> output::Pool<'a> {
    node.scenario(&record.scenario)
        .cohort(&record.cohort)
        .embedder(&record.embedder)
        .fragments(record.fragments)
        .queued(record.queued)
        .cluster(&record.clusters, |node, cluster| {
            node.id(cluster.id)
                .heat(cluster.heat)
                .occurrences(cluster.occurrences)
                .clients(cluster.clients)
        })
}

fn sample<'a>(node: output::Sample<'a>, record: &'a SampleRecord) -> output::Sample<'a> {
    node.sample_id(&record.sample_id)
        .scenario(&record.scenario)
        .key_name(&record.key_name)
        .value(record.value.to_string())
        .request(record.request.as_ref())
}
