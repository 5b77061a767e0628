//! The rpcs of convoke-schema: templates, checks, updates, and who lets patches out (draft-zhou).
//!
//! Templates, payloads and patches are JSON texts here. `get-schema` of YANG modules is
//! [`super::schema`]'s. Read next: `engine::operation`.

use super::input::{child, flag, needed, text, word};
use super::{Answer, Codec, output};
use crate::netconf::SCHEMA_NAMESPACE;
use crate::netconf::error;
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use engine::{
    ApprovePatch, EraseFragments, Form, GetSchemaTemplate, GetSchemaUpdates, JudgeAlignment,
    ListScenarios, PatchAnswer, PatchStanding, PublishSchemaTemplate, PublishedTemplate,
    RejectPatch, RenderSchema, RequestCapabilityExtension, RetireSchema, ScenarioAnswer,
    TemplateAnswer, Updates, ValidatePayload, Validated, Which,
};
use schema::read::{self, SourceError};
use schema::violation::PayloadViolation;
use serde_json::{Map, Value};

impl Codec for GetSchemaTemplate {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        let which = match text(input, "schema-id") {
            Some(schema_id) => Which::Schema(schema_id),
            None => Which::Scenario(needed(input, "scenario")?),
        };
        let language = text(input, "preferred-language");
        Ok(Self { which, language })
    }

    fn encode(answer: TemplateAnswer) -> Answer {
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
}

impl Codec for ListScenarios {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        let language = text(input, "preferred-language");
        Ok(Self { language })
    }

    fn encode(listed: Vec<ScenarioAnswer>) -> Answer {
        output(listed.iter().map(scenario))
    }
}

impl Codec for ValidatePayload {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            schema_id: needed(input, "schema-id")?,
            payload: object(input, "payload")?,
        })
    }

    fn encode(validated: Validated) -> Answer {
        let valid = match validated.canonical {
            Some(_) => leaf("valid", "true"),
            None => leaf("valid", "false"),
        };
        let canonical = validated.canonical.map(Value::Object);
        let canonical = canonical.map(|payload| leaf("canonical", &payload.to_string()));
        let violations = validated.violations.iter().map(violation);
        let warnings = validated.warnings.iter().map(|w| leaf("warning", w));
        let first = [valid].into_iter();
        output(first.chain(violations).chain(warnings).chain(canonical))
    }
}

impl Codec for GetSchemaUpdates {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            schema_id: needed(input, "schema-id")?,
            since: text(input, "since-patch-id"),
        })
    }

    fn encode(updates: Updates) -> Answer {
        let current = leaf("current-schema-id", &updates.current_schema_id);
        let patches = updates.patches.iter();
        let update = |answer| patch(Node::entry(SCHEMA_NAMESPACE, "update", 1), answer);
        output([current].into_iter().chain(patches.map(update)))
    }
}

impl Codec for RequestCapabilityExtension {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            scenario: needed(input, "scenario")?,
            text: needed(input, "text")?,
        })
    }

    fn encode((): ()) -> Answer {
        Answer::Ok
    }
}

impl Codec for PublishSchemaTemplate {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        let template = needed(input, "template")?;
        Ok(Self { template })
    }

    fn encode(published: PublishedTemplate) -> Answer {
        let warnings = published.warnings.iter().map(|w| leaf("warning", w));
        output(
            [leaf("schema-id", &published.schema_id)]
                .into_iter()
                .chain(warnings),
        )
    }
}

impl Codec for RetireSchema {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        let schema_id = needed(input, "schema-id")?;
        Ok(Self { schema_id })
    }

    fn encode(current_schema_id: Option<String>) -> Answer {
        let current = current_schema_id.iter();
        output(current.map(|id| leaf("current-schema-id", id)))
    }
}

impl Codec for RenderSchema {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            schema_id: needed(input, "schema-id")?,
            form: match word(input, "form") {
                Some("json-schema") => Form::JsonSchema,
                Some("yang") => Form::Yang,
                Some("prompt") => Form::Prompt,
                Some("gbnf") => Form::Gbnf,
                Some("response-format") => Form::ResponseFormat,
                Some("html-form") => Form::HtmlForm,
                _ => return Err(error::missing(input, "form")),
            },
            language: text(input, "preferred-language"),
        })
    }

    fn encode(form: String) -> Answer {
        output([leaf("rendered", &form)])
    }
}

impl Codec for ApprovePatch {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        let patch_id = needed(input, "patch-id")?;
        Ok(Self { patch_id })
    }

    fn encode(state: PatchStanding) -> Answer {
        output([leaf("state", state.as_str())])
    }
}

impl Codec for RejectPatch {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            patch_id: needed(input, "patch-id")?,
            reason: text(input, "reason"),
        })
    }

    fn encode(state: PatchStanding) -> Answer {
        output([leaf("state", state.as_str())])
    }
}

impl Codec for JudgeAlignment {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            sample_id: needed(input, "sample-id")?,
            matches: flag(input, "matches"),
        })
    }

    fn encode((): ()) -> Answer {
        Answer::Ok
    }
}

impl Codec for EraseFragments {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        let client = needed(input, "client")?;
        Ok(Self { client })
    }

    fn encode(erased: u64) -> Answer {
        output([leaf("erased", &erased.to_string())])
    }
}

/// A JSON object in a leaf.
fn object(operation: XmlElement<'_>, name: &str) -> Result<Map<String, Value>, RpcError> {
    let leaf = child(operation, name).ok_or_else(|| error::missing(operation, name))?;
    match read::json(leaf.text()) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(error::invalid(leaf, "a JSON object is needed")),
        Err(SourceError::Excess(excess)) => Err(error::too_big(leaf, excess.to_string())),
        Err(cause) => Err(error::invalid(leaf, format!("this is not JSON: {cause}"))),
    }
}

fn leaf(name: &'static str, text: &str) -> Node<'static> {
    Node::value(SCHEMA_NAMESPACE, name, text.to_owned())
}

fn scenario(listed: &ScenarioAnswer) -> Node<'_> {
    Node::entry(SCHEMA_NAMESPACE, "scenario", 1)
        .leaf("scenario", &listed.scenario)
        .leaf_opt("title", listed.title.as_ref())
        .leaf("schema-id", &listed.schema_id)
        .leaf_opt("response-schema-id", listed.response_schema_id.as_ref())
        .leaf_list("agent", &listed.agents)
}

fn violation(violation: &PayloadViolation) -> Node<'_> {
    Node::entry(SCHEMA_NAMESPACE, "violation", 2)
        .leaf("path", &violation.path)
        .leaf("code", violation.code.as_str())
        .leaf("expected", &violation.expected)
        .leaf_opt("found", violation.found.as_ref())
}

/// Adds a patch, its name first.
pub(in crate::netconf) fn patch<'a>(node: Node<'a>, answer: &'a PatchAnswer) -> Node<'a> {
    node.leaf("patch-id", &answer.patch_id)
        .leaf("parent-schema-id", &answer.parent_schema_id)
        .leaf("patch", answer.patch.to_string())
        .leaf_opt("seal", answer.seal.as_ref())
}
