//! Listing patches and samples.

use super::records_of;
use super::trust::vouched;
use crate::cli::{Common, Remote};
use crate::output::{self, Failure, line};
use crate::remote::{SCHEMA, call, leaf, named, text, texts, to_json};
use markup::words::cut;
use netconf::data::Node;
use netconf::xml::XmlElement;
use schema::signature::{Asked, DocumentKind};
use serde_json::{Value, json};
use server::client::Client;

/// The width to which values and requests are cut, in columns.
const SHOWN: usize = 60;

/// The patches of a template that the caller may use; refused if the seal of one is invalid.
pub(super) async fn updates(
    common: &Common,
    remote: &Remote,
    client: &mut Client,
    schema_id: &str,
    since: Option<&str>,
) -> Result<(), Failure> {
    let rpc = Node::container(SCHEMA, "get-schema-updates")
        .leaf("schema-id", schema_id)
        .leaf_opt("since-patch-id", since);
    let reply = call(client, &rpc).await?;
    let updates: Vec<XmlElement<'_>> = reply.body().filter(|e| e.name() == "update").collect();
    for update in &updates {
        let patch: Value = serde_json::from_str(&text(*update, "patch")).unwrap_or_default();
        let seal = text(*update, "seal");
        vouched(
            common,
            remote,
            DocumentKind::Patch,
            &patch,
            &seal,
            Asked::ByName,
        )?;
        match common.json {
            true => output::json(&json!({
                "event": "update", "patch_id": text(*update, "patch-id"), "patch": patch,
                "seal": seal,
            })),
            false => line(&serde_json::to_string_pretty(&patch).expect("a value is JSON")),
        }
    }
    if !common.json && updates.is_empty() {
        line("nothing new");
    }
    Ok(())
}

/// All patches that the caller may see.
pub(super) async fn list(common: &Common, client: &mut Client) -> Result<(), Failure> {
    let mut rows = Vec::new();
    let document = records_of(client, "patch").await?;
    for patch in super::schemas(&document, "patch") {
        if common.json {
            output::json(&json!({ "event": "patch", "patch": to_json(patch) }));
            continue;
        }
        let keys: Vec<String> = named(patch, "key").map(key).collect();
        let shown = match keys.is_empty() {
            true => brought(patch),
            false => keys.join("; "),
        };
        rows.push(vec![
            text(patch, "patch-id"),
            text(patch, "parent-schema-id"),
            text(patch, "state"),
            text(patch, "client"),
            texts(patch, "approved-by").join(", "),
            shown,
        ]);
    }
    if !common.json {
        let header = [
            "PATCH",
            "TEMPLATE",
            "STATE",
            "CLIENT",
            "APPROVED BY",
            "KEYS",
        ];
        line(&output::table(&header, &rows));
    }
    Ok(())
}

/// A key with its measures, in percent.
fn key(key: XmlElement<'_>) -> String {
    let percent = |name| {
        let share: Option<f64> = leaf(key, name).and_then(|s| s.parse().ok());
        share.map_or_else(|| "–".to_owned(), |s| format!("{:.0} %", s * 100.0))
    };
    format!(
        "{} {} (used {}, meant {}, typed {}, adopted {})",
        text(key, "key-name"),
        text(key, "state"),
        percent("usage-frequency"),
        percent("semantic-alignment-accuracy"),
        percent("value-type-correctness"),
        percent("client-adoption-rate"),
    )
}

/// The keys of a patch that waits for approval, from its document.
fn brought(patch: XmlElement<'_>) -> String {
    let document: Value = serde_json::from_str(&text(patch, "patch")).unwrap_or_default();
    let names = |member: &str| {
        let keys = document[member].as_array().into_iter().flatten();
        let names = keys.filter_map(|k| k["key_name"].as_str());
        names.map(str::to_owned).collect::<Vec<_>>().join(", ")
    };
    match (names("new_keys"), names("modified_keys")) {
        (new, refined) if refined.is_empty() => new,
        (new, refined) if new.is_empty() => format!("refines {refined}"),
        (new, refined) => format!("{new}; refines {refined}"),
    }
}

/// The values that wait to be judged.
pub(super) async fn samples(common: &Common, client: &mut Client) -> Result<(), Failure> {
    let mut rows = Vec::new();
    let document = records_of(client, "sample").await?;
    for sample in super::schemas(&document, "sample") {
        if common.json {
            output::json(&json!({ "event": "sample", "sample": to_json(sample) }));
            continue;
        }
        rows.push(vec![
            text(sample, "sample-id"),
            text(sample, "scenario"),
            text(sample, "key-name"),
            cut(&text(sample, "value"), SHOWN),
            cut(&text(sample, "request"), SHOWN),
        ]);
    }
    if !common.json {
        let header = ["SAMPLE", "SCENARIO", "KEY", "VALUE", "REQUEST"];
        line(&output::table(&header, &rows));
    }
    Ok(())
}
