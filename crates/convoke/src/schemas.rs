//! `convoke schema`: templates, payloads, patches, over module convoke-schema; and local functions.
//!
//! Read next: [`trust`], the verification of documents; [`local`], the functions without a
//! platform.

mod local;
mod patches;
mod trust;

use crate::cli::{Common, Form, SchemaCommand, Show, Verdict};
use crate::output::{self, Failure, line};
use crate::remote::{SCHEMA, call, connect, get, leaf, named, selected, text, texts};
use netconf::client::Reply;
use netconf::data::Node;
use netconf::xml::{XmlDocument, XmlElement};
use schema::lint::TemplateOrigin;
use schema::read;
use schema::signature::Asked;
use schema::template::Template;
use serde_json::{Value, json};
use server::client::Client;
use std::io::Read;
use std::path::Path;

pub(crate) use local::told as understood;
pub(crate) use trust::fetched;

pub(crate) async fn run(common: &Common, command: SchemaCommand) -> Result<(), Failure> {
    match command {
        SchemaCommand::List { language, remote } => {
            let mut client = connect(common, &remote).await?;
            let rpc = Node::container(SCHEMA, "list-scenarios")
                .leaf_opt("preferred-language", language.as_ref());
            list(common, &call(&mut client, &rpc).await?);
            Ok(())
        }
        SchemaCommand::Show(show) => self::show(common, show).await,
        SchemaCommand::Lint { file } => local::lint(common, &file),
        SchemaCommand::Publish { file, remote } => {
            let template = contents(&file)?;
            let mut client = connect(common, &remote).await?;
            let rpc = Node::container(SCHEMA, "publish-schema-template").leaf("template", template);
            published(common, &call(&mut client, &rpc).await?);
            Ok(())
        }
        SchemaCommand::Retire { schema_id, remote } => {
            let mut client = connect(common, &remote).await?;
            let rpc = Node::container(SCHEMA, "retire-schema").leaf("schema-id", &schema_id);
            retired(common, &schema_id, &call(&mut client, &rpc).await?);
            Ok(())
        }
        SchemaCommand::Check {
            schema_id,
            file,
            remote,
        } => {
            let payload = contents(&file)?;
            let mut client = connect(common, &remote).await?;
            check(common, &mut client, &schema_id, &payload).await
        }
        SchemaCommand::Updates {
            schema_id,
            since,
            remote,
        } => {
            let mut client = connect(common, &remote).await?;
            patches::updates(common, &remote, &mut client, &schema_id, since.as_deref()).await
        }
        SchemaCommand::Extend {
            scenario,
            text,
            remote,
        } => {
            let mut client = connect(common, &remote).await?;
            let rpc = Node::container(SCHEMA, "request-capability-extension")
                .leaf("scenario", &scenario)
                .leaf("text", text.join(" "));
            call(&mut client, &rpc).await?;
            said(
                common,
                &json!({ "event": "extension-requested", "scenario": scenario }),
                "taken",
            );
            Ok(())
        }
        SchemaCommand::Patches { remote } => {
            let mut client = connect(common, &remote).await?;
            patches::list(common, &mut client).await
        }
        SchemaCommand::Approve { patch_id, remote } => {
            let mut client = connect(common, &remote).await?;
            let rpc = Node::container(SCHEMA, "approve-patch").leaf("patch-id", &patch_id);
            decided(common, &patch_id, &call(&mut client, &rpc).await?);
            Ok(())
        }
        SchemaCommand::Reject {
            patch_id,
            reason,
            remote,
        } => {
            let mut client = connect(common, &remote).await?;
            let rpc = Node::container(SCHEMA, "reject-patch")
                .leaf("patch-id", &patch_id)
                .leaf_opt("reason", reason.as_ref());
            decided(common, &patch_id, &call(&mut client, &rpc).await?);
            Ok(())
        }
        SchemaCommand::Samples { remote } => {
            let mut client = connect(common, &remote).await?;
            patches::samples(common, &mut client).await
        }
        SchemaCommand::Judge {
            sample_id,
            verdict,
            remote,
        } => {
            let mut client = connect(common, &remote).await?;
            let matches = matches!(verdict, Verdict::Matches);
            let rpc = Node::container(SCHEMA, "judge-alignment")
                .leaf("sample-id", &sample_id)
                .leaf("matches", matches);
            call(&mut client, &rpc).await?;
            let judged = json!({ "event": "judged", "sample-id": sample_id, "matches": matches });
            said(common, &judged, "counted");
            Ok(())
        }
        SchemaCommand::Verify { schema_id, remote } => {
            let mut client = connect(common, &remote).await?;
            trust::verify(common, &remote, &mut client, &schema_id).await
        }
        SchemaCommand::Diff { old, new, remote } => {
            let (old, new) = (
                template(common, &remote, &old).await?,
                template(common, &remote, &new).await?,
            );
            local::diff(common, &old, &new);
            Ok(())
        }
        SchemaCommand::Erase {
            client: whose,
            remote,
        } => {
            let mut client = connect(common, &remote).await?;
            let rpc = Node::container(SCHEMA, "erase-fragments").leaf("client", &whose);
            let reply = call(&mut client, &rpc).await?;
            let erased = only(&reply, "erased");
            let told = json!({ "event": "erased", "client": whose, "fragments": number(&erased) });
            said(
                common,
                &told,
                &format!("{erased} fragments of '{whose}' are gone"),
            );
            Ok(())
        }
        SchemaCommand::Parse(parse) => {
            let template = match &parse.template {
                Some(file) => local::template(&contents(file)?)?,
                None => {
                    let mut client = connect(common, &parse.remote).await?;
                    let wanted = Node::container(SCHEMA, "get-schema-template")
                        .leaf("scenario", &parse.scenario);
                    fetched(
                        common,
                        &parse.remote,
                        &mut client,
                        &wanted,
                        Asked::ByScenario,
                    )
                    .await?
                }
            };
            local::parse(common, &parse, &template)
        }
        SchemaCommand::Evolve(evolve) => local::evolve(common, &evolve),
    }
}

fn list(common: &Common, reply: &Reply) {
    let mut rows = Vec::new();
    for scenario in reply.body().filter(|e| e.name() == "scenario") {
        let agents = texts(scenario, "agent");
        if common.json {
            output::json(&json!({
                "event": "scenario", "scenario": text(scenario, "scenario"),
                "title": leaf(scenario, "title"), "schema_id": text(scenario, "schema-id"),
                "response_schema_id": leaf(scenario, "response-schema-id"), "agents": agents,
            }));
            continue;
        }
        rows.push(vec![
            text(scenario, "scenario"),
            text(scenario, "schema-id"),
            text(scenario, "response-schema-id"),
            text(scenario, "title"),
            agents.join(", "),
        ]);
    }
    if !common.json {
        let header = ["SCENARIO", "TEMPLATE", "RESULT", "TITLE", "AGENTS"];
        line(&output::table(&header, &rows));
    }
}

async fn show(common: &Common, show: Show) -> Result<(), Failure> {
    let mut client = connect(common, &show.remote).await?;
    let version = show.name.rsplit_once("_v").map(|(_, v)| v.parse::<u32>());
    let which = match version {
        Some(Ok(_)) => "schema-id",
        _ => "scenario",
    };
    let wanted = Node::container(SCHEMA, "get-schema-template")
        .leaf(which, &show.name)
        .leaf_opt("preferred-language", show.language.as_ref());
    let reply = call(&mut client, &wanted).await?;
    let schema_id = only(&reply, "schema-id");
    let shown = match show.form.rendered() {
        None => only(&reply, "template"),
        Some(form) => {
            let rpc = Node::container(SCHEMA, "render-schema")
                .leaf("schema-id", &schema_id)
                .leaf("form", form)
                .leaf_opt("preferred-language", show.language.as_ref());
            only(&call(&mut client, &rpc).await?, "rendered")
        }
    };
    match (common.json, show.form) {
        (true, _) => output::json(&json!({
            "event": "schema", "schema_id": schema_id, "shown": shown,
        })),
        (false, Form::Keys) => local::keys(&local::template(&shown)?),
        (false, Form::Template) => {
            let value: Value = serde_json::from_str(&shown)
                .map_err(|cause| Failure::failed(format!("the template is no JSON: {cause}")))?;
            line(&serde_json::to_string_pretty(&value).expect("a value is JSON"));
        }
        (false, _) => line(shown.trim_end()),
    }
    Ok(())
}

fn published(common: &Common, reply: &Reply) {
    let schema_id = only(reply, "schema-id");
    let warnings = reply.body().filter(|e| e.name() == "warning");
    let warnings: Vec<String> = warnings.map(|w| w.text().to_owned()).collect();
    if common.json {
        output::json(&json!({
            "event": "published", "schema_id": schema_id, "warnings": warnings,
        }));
        return;
    }
    line(&format!("{schema_id} is published"));
    warnings
        .iter()
        .for_each(|w| line(&format!("  warning: {w}")));
}

fn retired(common: &Common, schema_id: &str, reply: &Reply) {
    let current = reply.body().find(|e| e.name() == "current-schema-id");
    let current = current.map(|e| e.text().to_owned());
    let told = json!({ "event": "retired", "schema_id": schema_id, "current_schema_id": current });
    let instead = current.map_or_else(
        || "its scenario is not offered any more".to_owned(),
        |current| format!("{current} is in force"),
    );
    said(common, &told, &format!("{schema_id} is retired; {instead}"));
}

/// Prints the errors of a payload; having some is no failure of the command.
async fn check(
    common: &Common,
    client: &mut Client,
    schema_id: &str,
    payload: &str,
) -> Result<(), Failure> {
    let rpc = Node::container(SCHEMA, "validate-payload")
        .leaf("schema-id", schema_id)
        .leaf("payload", payload);
    let reply = call(client, &rpc).await?;
    let valid = only(&reply, "valid") == "true";
    let violations: Vec<XmlElement<'_>> =
        reply.body().filter(|e| e.name() == "violation").collect();
    let warnings: Vec<String> = reply
        .body()
        .filter(|e| e.name() == "warning")
        .map(|w| w.text().to_owned())
        .collect();
    if common.json {
        let violations: Vec<Value> = violations
            .iter()
            .map(|v| {
                json!({
                    "path": text(*v, "path"), "code": text(*v, "code"),
                    "expected": text(*v, "expected"), "found": leaf(*v, "found"),
                })
            })
            .collect();
        output::json(&json!({
            "event": "checked", "schema_id": schema_id, "valid": valid,
            "violations": violations, "warnings": warnings,
        }));
    } else {
        for v in &violations {
            let found = leaf(*v, "found").unwrap_or_else(|| "nothing".to_owned());
            line(&format!(
                "{}: {} ({} is needed, not {found})",
                text(*v, "path"),
                text(*v, "code"),
                text(*v, "expected"),
            ));
        }
        warnings.iter().for_each(|w| line(&format!("warning: {w}")));
        if valid {
            line(&format!("the payload keeps to {schema_id}"));
        }
    }
    match valid {
        true => Ok(()),
        false => Err(Failure::refused(format!(
            "the payload does not keep to {schema_id}"
        ))),
    }
}

fn decided(common: &Common, patch_id: &str, reply: &Reply) {
    let state = only(reply, "state");
    let told = json!({ "event": "patch", "patch_id": patch_id, "state": state });
    said(common, &told, &format!("{patch_id} is {state}"));
}

/// A template from a file, or else from the platform.
async fn template(
    common: &Common,
    remote: &crate::cli::Remote,
    name: &str,
) -> Result<Template, Failure> {
    if Path::new(name).is_file() {
        return local::template(&contents(Path::new(name))?);
    }
    let mut client = connect(common, remote).await?;
    let wanted = Node::container(SCHEMA, "get-schema-template").leaf("schema-id", name);
    fetched(common, remote, &mut client, &wanted, Asked::ByName).await
}

/// Prints one message, for people or programs.
fn said(common: &Common, told: &Value, words: &str) {
    match common.json {
        true => output::json(told),
        false => line(words),
    }
}

/// The text of the leaf of a reply.
fn only(reply: &Reply, name: &str) -> String {
    let found = reply.body().find(|e| e.name() == name);
    found.map_or_else(String::new, |e| e.text().to_owned())
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or(0)
}

/// The content of a file, or of standard input for `-`.
fn contents(file: &Path) -> Result<String, Failure> {
    let wrong = |cause: std::io::Error| Failure::failed(format!("{}: {cause}", file.display()));
    if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(wrong)?;
        return Ok(text);
    }
    std::fs::read_to_string(file).map_err(wrong)
}

/// Parses a template from an untrusted source, leniently.
pub(crate) fn read_template(text: &str) -> Result<Template, Failure> {
    match read::template(text, TemplateOrigin::Peer) {
        Ok(reading) => Ok(reading.template),
        Err(findings) => {
            let all: Vec<String> = findings.iter().map(ToString::to_string).collect();
            Err(Failure::failed(format!("no template: {}", all.join("; "))))
        }
    }
}

/// Reads the part of `/schemas` with the entries of a list.
pub(crate) async fn records_of(client: &mut Client, list: &str) -> Result<XmlDocument, Failure> {
    let filter = Node::container(SCHEMA, "schemas").with(Node::container("", list));
    get(client, &filter).await
}

/// The entries of a list of `/schemas`.
pub(crate) fn schemas<'d>(
    document: &'d XmlDocument,
    list: &'d str,
) -> impl Iterator<Item = XmlElement<'d>> {
    let top = selected(document).filter(|e| e.is(SCHEMA, "schemas"));
    top.flat_map(move |e| named(e, list))
}
