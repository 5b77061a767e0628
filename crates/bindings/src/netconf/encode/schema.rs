//! `/schemas`: templates, patches, pools and samples (module convoke-schema).
//!
//! What patches wait, what pools hold and what is to be judged is for schema administrators: the
//! engine leaves it out for others, and access rules guard it besides. Read next:
//! `engine::schemas::operation::tree::SchemaRecords`.

use super::{Reader, decimal};
use crate::netconf::SCHEMA_NAMESPACE;
use crate::netconf::operation::patch;
use ::netconf::data::{Node, write};
use ::netconf::filter::Projection;
use engine::query::SchemaTree;
use engine::{KeyRecord, PatchRecord, PoolRecord, Refusal, SampleRecord, SchemaRecord};

impl Reader<'_> {
    /// Writes `/schemas`.
    pub(super) fn write_schemas(
        &self,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let records = self.read(SchemaTree)?;
        let node = Node::container(SCHEMA_NAMESPACE, "schemas")
            .state()
            .list("schema", 1, &*records.schemas, schema)
            .list("patch", 1, &records.patches, patched)
            .list("pool", 2, &records.pools, pool)
            .list("sample", 1, &records.samples, sample);
        write(&node, projection, out);
        Ok(())
    }
}

fn schema<'a>(node: Node<'a>, record: &'a SchemaRecord) -> Node<'a> {
    node.leaf("schema-id", &record.schema_id)
        .leaf("scenario", &record.scenario)
        .leaf_opt("version", record.version)
        .leaf("state", record.state)
        .leaf("publisher", &record.publisher)
        .leaf("published", record.published.to_string())
        .leaf("hash", &record.hash)
        .leaf_list("language", &record.languages)
        .leaf_opt("response-schema-id", record.response_schema_id.as_ref())
        .leaf_opt(
            "yang-module",
            (record.state != "retired").then_some(&record.schema_id),
        )
}

fn patched<'a>(node: Node<'a>, record: &'a PatchRecord) -> Node<'a> {
    patch(node, &record.answer)
        .leaf("state", record.state.as_str())
        .leaf_opt("client", record.client.as_ref())
        .leaf("timestamp", record.timestamp.to_string())
        .leaf("expires-at", record.expires_at.to_string())
        .leaf_list("approved-by", &record.approved_by)
        .list("key", 1, &record.keys, key)
}

fn key<'a>(node: Node<'a>, record: &'a KeyRecord) -> Node<'a> {
    let ratios = &record.ratios;
    node.leaf("key-name", &record.key_name)
        .leaf("state", record.state)
        .leaf("since", record.since.to_string())
        .leaf_opt("usage-frequency", ratios.usage_frequency.and_then(ratio))
        .leaf_opt(
            "semantic-alignment-accuracy",
            ratios.semantic_alignment_accuracy.and_then(ratio),
        )
        .leaf_opt(
            "value-type-correctness",
            ratios.value_type_correctness.and_then(ratio),
        )
        .leaf_opt(
            "client-adoption-rate",
            ratios.client_adoption_rate.and_then(ratio),
        )
}

/// A share in the canonical form of decimal64 with four digits (RFC 7950 §9.3.2).
fn ratio(share: f64) -> Option<String> {
    decimal(share, 4)
}

fn pool<'a>(node: Node<'a>, record: &'a PoolRecord) -> Node<'a> {
    node.leaf("scenario", &record.scenario)
        .leaf("cohort", &record.cohort)
        .leaf("embedder", &record.embedder)
        .leaf("fragments", record.fragments)
        .leaf("queued", record.queued)
        .list("cluster", 1, &record.clusters, |node, cluster| {
            node.leaf("id", cluster.id)
                .leaf_opt("heat", decimal(cluster.heat, 2))
                .leaf("occurrences", cluster.occurrences)
                .leaf("clients", cluster.clients)
        })
}

fn sample<'a>(node: Node<'a>, record: &'a SampleRecord) -> Node<'a> {
    node.leaf("sample-id", &record.sample_id)
        .leaf("scenario", &record.scenario)
        .leaf("key-name", &record.key_name)
        .leaf("value", record.value.to_string())
        .leaf_opt("request", record.request.as_ref())
}
