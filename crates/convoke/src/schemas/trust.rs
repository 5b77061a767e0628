//! The verification of documents: the seal by the platform's host key, and pinning.
//!
//! The host key is known from `known_hosts`, as in SSH; pins are in `known_schemas` of the state
//! folder, set by the first document that verifies. Read next: `schema::signature`.

use super::{only, read_template, said};
use crate::cli::{Common, Remote};
use crate::output::Failure;
use crate::remote::{SCHEMA, call, identity};
use base16ct::lower::encode_string;
use netconf::data::Node;
use schema::signature::{Asked, DocumentKind, Pins, Seal, TrustedKeys, Verified, verify as check};
use schema::template::Template;
use serde_json::{Value, json};
use server::client::Client;
use std::path::PathBuf;

/// A verified template of the platform; one without a valid seal, or other than the pinned one, is
/// refused.
///
/// # Errors
/// The [`Failure`], exit code 3, if it cannot be verified.
pub(crate) async fn fetched(
    common: &Common,
    remote: &Remote,
    client: &mut Client,
    wanted: &Node<'_>,
    asked: Asked,
) -> Result<Template, Failure> {
    let reply = call(client, wanted).await?;
    verified(common, remote, &reply, asked)?;
    read_template(&only(&reply, "template"))
}

/// Prints the verification of a template.
pub(super) async fn verify(
    common: &Common,
    remote: &Remote,
    client: &mut Client,
    schema_id: &str,
) -> Result<(), Failure> {
    let wanted = Node::container(SCHEMA, "get-schema-template").leaf("schema-id", schema_id);
    let reply = call(client, &wanted).await?;
    let (told, signed) = verified(common, remote, &reply, Asked::ByName)?;
    let hash = encode_string(&schema::canonical::hash(&signed));
    let object = json!({
        "event": "verified", "schema_id": schema_id, "agent": told.agent, "version": told.version,
        "key": told.kid, "expires_at": told.expires_at.to_string(), "sha256": hash,
    });
    let words = format!(
        "{schema_id} is {}'s, version {}, sealed by {} until {}; SHA-256 {hash}",
        told.agent, told.version, told.kid, told.expires_at
    );
    said(common, &object, &words);
    Ok(())
}

/// Verifies the seal and the pin of a template.
fn verified(
    common: &Common,
    remote: &Remote,
    reply: &netconf::client::Reply,
    asked: Asked,
) -> Result<(Verified, Value), Failure> {
    let signed: Value = serde_json::from_str(&only(reply, "signed")).map_err(|cause| {
        Failure::refused(format!(
            "the template is not used: what is signed is no JSON: {cause}"
        ))
    })?;
    let seal = only(reply, "seal");
    let told = vouched(
        common,
        remote,
        DocumentKind::Template,
        &signed,
        &seal,
        asked,
    )?;
    Ok((told, signed))
}

/// Verifies the seal of a document, and that it is the one that was pinned.
///
/// # Errors
/// The [`Failure`], exit code 3, if it cannot be verified or is another; it must not be used then.
pub(super) fn vouched(
    common: &Common,
    remote: &Remote,
    kind: DocumentKind,
    document: &Value,
    seal: &str,
    asked: Asked,
) -> Result<Verified, Failure> {
    let what = match kind {
        DocumentKind::Template => "template",
        DocumentKind::Patch => "patch",
    };
    let refused = |why: String| Failure::refused(format!("the {what} is not used: {why}"));
    // A detached JWS in compact form: header, nothing, signature (RFC 7515, Appendix F).
    let (protected, signature) = seal
        .split_once("..")
        .ok_or_else(|| refused("the platform does not seal it".to_owned()))?;
    let seal = Seal {
        protected: protected.to_owned(),
        signature: signature.to_owned(),
    };
    let known_hosts = identity(common, remote).known_hosts;
    let key = server::schemas::known_key(&known_hosts, &remote.netconf).ok_or_else(|| {
        refused(format!(
            "{} names no Ed25519 key of the platform",
            known_hosts.display()
        ))
    })?;
    let platform = server::schemas::NAMESPACE;
    let mut trusted = TrustedKeys::none();
    trusted
        .trust(platform, key)
        .map_err(|cause| refused(cause.to_string()))?;
    let now = crate::understanding::now();
    let verified = check(&trusted, platform, kind, &seal, document, now)
        .map_err(|cause| refused(cause.to_string()))?;
    pin(common, remote, &verified, asked).map_err(refused)?;
    Ok(verified)
}

/// Compares with the pin, and pins a new document. Locked: concurrent pinning waits.
fn pin(common: &Common, remote: &Remote, verified: &Verified, asked: Asked) -> Result<(), String> {
    let file = pins_file(common);
    // Who has no state folder of his own pins nothing, as with known hosts, and so locks nothing.
    let turn = std::fs::File::create(file.with_extension("lock"));
    let _held_until_the_end = turn.and_then(|turn| turn.lock().map(|()| turn));
    let mut all: serde_json::Map<String, Value> = match std::fs::read_to_string(&file) {
        Ok(text) => serde_json::from_str(&text).map_err(|c| format!("{}: {c}", file.display()))?,
        Err(_) => serde_json::Map::new(),
    };
    let known = all
        .get(&remote.netconf)
        .cloned()
        .unwrap_or_else(|| json!({}));
    let mut pins: Pins =
        serde_json::from_value(known).map_err(|c| format!("{}: {c}", file.display()))?;
    pins.accept(verified, asked)
        .map_err(|cause| cause.to_string())?;
    all.insert(
        remote.netconf.clone(),
        serde_json::to_value(&pins).expect("pins are JSON"),
    );
    let text = serde_json::to_string_pretty(&all).expect("pins are JSON");
    let written = file.with_extension("new");
    // Whole or not at all.
    let _ = std::fs::write(&written, text).and_then(|()| std::fs::rename(&written, &file));
    Ok(())
}

fn pins_file(common: &Common) -> PathBuf {
    common.state.join("known_schemas")
}
