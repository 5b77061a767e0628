//! The rpcs of convoke-schema: templates, checks, updates, and who lets patches out (draft-zhou).
//!
//! Templates, payloads and patches are JSON texts here. `get-schema` of YANG modules is
//! [`super::schema`]'s. Read next: `engine::operation::SchemaRequest`.

use super::input::{child, text, word};
use super::{Answer, Dispatch, ask, check, output};
use crate::netconf::SCHEMA_NAMESPACE;
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::Element;
use engine::{
    Form, Operation, PatchAnswer, ScenarioAnswer, SchemaOutcome, SchemaRequest, TemplateAnswer,
    Updates, Validated, Which,
};
use schema::read::{self, Unread};
use schema::violation::Violation;
use serde_json::{Map, Value};

/// Handles one rpc of the module.
pub(super) fn handle(
    cx: &RequestContext<'_>,
    operation: Element<'_>,
    rpc: &'static str,
    read: fn(Element<'_>) -> Result<SchemaRequest, RpcError>,
) -> Dispatch {
    let wanted = check(cx, operation).and_then(|()| read(operation));
    ask(cx, wanted.map(Operation::Schema), RpcOrigin::Schema(rpc))
}

pub(super) fn get_template(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    let which = match text(operation, "schema-id") {
        Some(schema_id) => Which::Schema(schema_id),
        None => Which::Scenario(needed(operation, "scenario")?),
    };
    let language = text(operation, "preferred-language");
    Ok(SchemaRequest::Template { which, language })
}

pub(super) fn list_scenarios(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    let language = text(operation, "preferred-language");
    Ok(SchemaRequest::Scenarios { language })
}

pub(super) fn validate_payload(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    Ok(SchemaRequest::Validate {
        schema_id: needed(operation, "schema-id")?,
        payload: object(operation, "payload")?,
    })
}

pub(super) fn get_updates(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    Ok(SchemaRequest::Updates {
        schema_id: needed(operation, "schema-id")?,
        since: text(operation, "since-patch-id"),
    })
}

pub(super) fn request_extension(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    Ok(SchemaRequest::Extend {
        scenario: needed(operation, "scenario")?,
        text: needed(operation, "text")?,
    })
}

pub(super) fn publish_template(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    let template = needed(operation, "template")?;
    Ok(SchemaRequest::Publish { template })
}

pub(super) fn retire_template(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    let schema_id = needed(operation, "schema-id")?;
    Ok(SchemaRequest::Retire { schema_id })
}

pub(super) fn render(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    Ok(SchemaRequest::Render {
        schema_id: needed(operation, "schema-id")?,
        form: match word(operation, "form") {
            Some("json-schema") => Form::JsonSchema,
            Some("yang") => Form::Yang,
            Some("prompt") => Form::Prompt,
            Some("gbnf") => Form::Gbnf,
            Some("response-format") => Form::ResponseFormat,
            Some("html-form") => Form::HtmlForm,
            _ => return Err(error::missing(operation, "form")),
        },
        language: text(operation, "preferred-language"),
    })
}

pub(super) fn approve_patch(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    let patch_id = needed(operation, "patch-id")?;
    Ok(SchemaRequest::Approve { patch_id })
}

pub(super) fn reject_patch(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    Ok(SchemaRequest::Reject {
        patch_id: needed(operation, "patch-id")?,
        reason: text(operation, "reason"),
    })
}

pub(super) fn judge_alignment(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    Ok(SchemaRequest::Judge {
        sample_id: needed(operation, "sample-id")?,
        matches: word(operation, "matches") == Some("true"),
    })
}

pub(super) fn erase_fragments(operation: Element<'_>) -> Result<SchemaRequest, RpcError> {
    let client = needed(operation, "client")?;
    Ok(SchemaRequest::Erase { client })
}

fn needed(operation: Element<'_>, name: &str) -> Result<String, RpcError> {
    text(operation, name).ok_or_else(|| error::missing(operation, name))
}

/// A JSON object in a leaf.
fn object(operation: Element<'_>, name: &str) -> Result<Map<String, Value>, RpcError> {
    let leaf = child(operation, name).ok_or_else(|| error::missing(operation, name))?;
    match read::json(leaf.text()) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(error::invalid(leaf, "a JSON object is needed")),
        Err(Unread::Excess(excess)) => Err(error::too_big(leaf, excess.to_string())),
        Err(cause) => Err(error::invalid(leaf, format!("this is not JSON: {cause}"))),
    }
}

/// The output of an rpc of the module.
pub(super) fn encoded(outcome: &SchemaOutcome) -> Answer {
    match outcome {
        SchemaOutcome::Template(answer) => template(answer),
        SchemaOutcome::Scenarios(listed) => output(listed.iter().map(scenario)),
        SchemaOutcome::Validated(validated) => self::validated(validated),
        SchemaOutcome::Updates(updates) => self::updates(updates),
        SchemaOutcome::Taken => Answer::Ok,
        SchemaOutcome::Published {
            schema_id,
            warnings,
        } => {
            let schema_id = leaf("schema-id", schema_id);
            output(
                [schema_id]
                    .into_iter()
                    .chain(warnings.iter().map(|w| leaf("warning", w))),
            )
        }
        SchemaOutcome::Retired { current_schema_id } => {
            let current = current_schema_id.iter();
            output(current.map(|id| leaf("current-schema-id", id)))
        }
        SchemaOutcome::Rendered(form) => output([leaf("rendered", form)]),
        SchemaOutcome::Patch(state) => output([leaf("state", state.as_str())]),
        SchemaOutcome::Erased(count) => output([leaf("erased", &count.to_string())]),
    }
}

fn leaf(name: &'static str, text: &str) -> Node<'static> {
    Node::value(SCHEMA_NAMESPACE, name, text.to_owned())
}

fn template(answer: &TemplateAnswer) -> Answer {
    let seal = answer.seal.as_ref().map(|seal| leaf("seal", seal));
    let leaves = [
        leaf("schema-id", &answer.schema_id),
        leaf("scenario", &answer.scenario),
        leaf("language", &answer.language),
        leaf("template", &answer.template.to_string()),
        leaf("signed", &answer.signed.to_string()),
    ];
    let module = leaf("yang-module", &answer.schema_id);
    output(leaves.into_iter().chain(seal).chain([module]))
}

fn scenario(listed: &ScenarioAnswer) -> Node<'_> {
    Node::entry(SCHEMA_NAMESPACE, "scenario", 1)
        .leaf("scenario", &listed.scenario)
        .leaf_opt("title", listed.title.as_ref())
        .leaf("schema-id", &listed.schema_id)
        .leaf_opt("response-schema-id", listed.response_schema_id.as_ref())
        .leaf_list("agent", &listed.agents)
}

fn validated(validated: &Validated) -> Answer {
    let valid = leaf(
        "valid",
        if validated.canonical.is_some() {
            "true"
        } else {
            "false"
        },
    );
    let canonical = validated.canonical.clone().map(Value::Object);
    let canonical = canonical.map(|payload| leaf("canonical", &payload.to_string()));
    let violations = validated.violations.iter().map(violation);
    let warnings = validated.warnings.iter().map(|w| leaf("warning", w));
    output(
        [valid]
            .into_iter()
            .chain(violations)
            .chain(warnings)
            .chain(canonical),
    )
}

fn violation(violation: &Violation) -> Node<'_> {
    Node::entry(SCHEMA_NAMESPACE, "violation", 2)
        .leaf("path", &violation.path)
        .leaf("code", violation.code.as_str())
        .leaf("expected", &violation.expected)
        .leaf_opt("found", violation.found.as_ref())
}

fn updates(updates: &Updates) -> Answer {
    let current = leaf("current-schema-id", &updates.current_schema_id);
    let patches = updates
        .patches
        .iter()
        .map(|answer| patch(Node::entry(SCHEMA_NAMESPACE, "update", 1), answer));
    output([current].into_iter().chain(patches))
}

/// Adds a patch, its name first.
pub(in crate::netconf) fn patch<'a>(node: Node<'a>, answer: &'a PatchAnswer) -> Node<'a> {
    node.leaf("patch-id", &answer.patch_id)
        .leaf("parent-schema-id", &answer.parent_schema_id)
        .leaf("patch", answer.patch.to_string())
        .leaf_opt("seal", answer.seal.as_ref())
}
