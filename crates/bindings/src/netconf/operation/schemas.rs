//! The rpcs of convoke-schema: templates, checks, updates, and who lets patches out (draft-zhou).
//!
//! Templates, payloads and patches are JSON texts here. `get-schema` of YANG modules is
//! [`super::schema`]'s. Read next: `engine::schemas::operation`.

use super::input::Text;
use super::{Answer, Codec, input, output};
use crate::netconf::SCHEMA_NAMESPACE;
use crate::netconf::error;
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
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
    type Input = input::GetSchemaTemplate<'static>;

    fn decode(
        _: &RequestContext<'_>,
        input: input::GetSchemaTemplate<'_>,
    ) -> Result<Self, RpcError> {
        let which = match input.schema_id().given() {
            Some(schema_id) => Which::Schema(schema_id.owned()),
            None => Which::Scenario(input.scenario().needed()?.owned()),
        };
        let language = input.preferred_language().map(Text::owned);
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
    type Input = input::ListScenarios<'static>;

    fn decode(_: &RequestContext<'_>, input: input::ListScenarios<'_>) -> Result<Self, RpcError> {
        let language = input.preferred_language().map(Text::owned);
        Ok(Self { language })
    }

    fn encode(listed: Vec<ScenarioAnswer>) -> Answer {
        output(listed.iter().map(scenario))
    }
}

impl Codec for ValidatePayload {
    type Input = input::ValidatePayload<'static>;

    fn decode(_: &RequestContext<'_>, input: input::ValidatePayload<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            schema_id: input.schema_id()?.owned(),
            payload: object(input.payload()?)?,
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
    type Input = input::GetSchemaUpdates<'static>;

    fn decode(
        _: &RequestContext<'_>,
        input: input::GetSchemaUpdates<'_>,
    ) -> Result<Self, RpcError> {
        Ok(Self {
            schema_id: input.schema_id()?.owned(),
            since: input.since_patch_id().map(Text::owned),
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
    type Input = input::RequestCapabilityExtension<'static>;

    fn decode(
        _: &RequestContext<'_>,
        input: input::RequestCapabilityExtension<'_>,
    ) -> Result<Self, RpcError> {
        Ok(Self {
            scenario: input.scenario()?.owned(),
            text: input.text()?.owned(),
        })
    }

    fn encode((): ()) -> Answer {
        Answer::Ok
    }
}

impl Codec for PublishSchemaTemplate {
    type Input = input::PublishSchemaTemplate<'static>;

    fn decode(
        _: &RequestContext<'_>,
        input: input::PublishSchemaTemplate<'_>,
    ) -> Result<Self, RpcError> {
        let template = input.template()?.owned();
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
    type Input = input::RetireSchema<'static>;

    fn decode(_: &RequestContext<'_>, input: input::RetireSchema<'_>) -> Result<Self, RpcError> {
        let schema_id = input.schema_id()?.owned();
        Ok(Self { schema_id })
    }

    fn encode(current_schema_id: Option<String>) -> Answer {
        let current = current_schema_id.iter();
        output(current.map(|id| leaf("current-schema-id", id)))
    }
}

impl Codec for RenderSchema {
    type Input = input::RenderSchema<'static>;

    fn decode(_: &RequestContext<'_>, input: input::RenderSchema<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            schema_id: input.schema_id()?.owned(),
            form: match input.form()?.as_str() {
                "json-schema" => Form::JsonSchema,
                "yang" => Form::Yang,
                "prompt" => Form::Prompt,
                "gbnf" => Form::Gbnf,
                "response-format" => Form::ResponseFormat,
                _ => Form::HtmlForm,
            },
            language: input.preferred_language().map(Text::owned),
        })
    }

    fn encode(form: String) -> Answer {
        output([leaf("rendered", &form)])
    }
}

impl Codec for ApprovePatch {
    type Input = input::ApprovePatch<'static>;

    fn decode(_: &RequestContext<'_>, input: input::ApprovePatch<'_>) -> Result<Self, RpcError> {
        let patch_id = input.patch_id()?.owned();
        Ok(Self { patch_id })
    }

    fn encode(state: PatchStanding) -> Answer {
        output([leaf("state", state.as_str())])
    }
}

impl Codec for RejectPatch {
    type Input = input::RejectPatch<'static>;

    fn decode(_: &RequestContext<'_>, input: input::RejectPatch<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            patch_id: input.patch_id()?.owned(),
            reason: input.reason().map(Text::owned),
        })
    }

    fn encode(state: PatchStanding) -> Answer {
        output([leaf("state", state.as_str())])
    }
}

impl Codec for JudgeAlignment {
    type Input = input::JudgeAlignment<'static>;

    fn decode(_: &RequestContext<'_>, input: input::JudgeAlignment<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            sample_id: input.sample_id()?.owned(),
            matches: input.matches()?,
        })
    }

    fn encode((): ()) -> Answer {
        Answer::Ok
    }
}

impl Codec for EraseFragments {
    type Input = input::EraseFragments<'static>;

    fn decode(_: &RequestContext<'_>, input: input::EraseFragments<'_>) -> Result<Self, RpcError> {
        let client = input.client()?.owned();
        Ok(Self { client })
    }

    fn encode(erased: u64) -> Answer {
        output([leaf("erased", &erased.to_string())])
    }
}

/// A JSON object in a leaf.
fn object(of: Text<'_>) -> Result<Map<String, Value>, RpcError> {
    let leaf = of.leaf();
    match read::json(of.as_str()) {
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
