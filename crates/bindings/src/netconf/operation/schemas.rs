//! The rpcs of convoke-schema: templates, checks, updates, and who lets patches out (draft-zhou).
//!
//! Templates, payloads and patches are JSON texts here. `get-schema` of YANG modules is
//! [`super::schema`]'s. Read next: `engine::schemas::operation`.

use super::codec::Codec;
use crate::netconf::encode::schema::patch;
use crate::netconf::error;
use crate::netconf::input::{self, Text};
use crate::netconf::output;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use engine::{
    ApprovePatch, EraseFragments, Form, GetSchemaTemplate, GetSchemaUpdates, JudgeAlignment,
    ListScenarios, PatchStanding, PublishSchemaTemplate, PublishedTemplate, RejectPatch,
    RenderSchema, RequestCapabilityExtension, RetireSchema, ScenarioAnswer, TemplateAnswer,
    Updates, ValidatePayload, Validated, Which,
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

    fn encode<'a>(
        answer: &'a TemplateAnswer,
        output: output::GetSchemaTemplate<'a>,
    ) -> output::GetSchemaTemplate<'a> {
        output
            .schema_id(&answer.schema_id)
            .scenario(&answer.scenario)
            .language(&answer.language)
            .template(answer.template.to_string())
            .signed(answer.signed.to_string())
            .seal(answer.seal.as_ref())
            .yang_module(&answer.schema_id)
    }
}

impl Codec for ListScenarios {
    type Input = input::ListScenarios<'static>;

    fn decode(_: &RequestContext<'_>, input: input::ListScenarios<'_>) -> Result<Self, RpcError> {
        let language = input.preferred_language().map(Text::owned);
        Ok(Self { language })
    }

    fn encode<'a>(
        listed: &'a Vec<ScenarioAnswer>,
        output: output::ListScenarios<'a>,
    ) -> output::ListScenarios<'a> {
        output.scenario(listed, scenario)
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

    fn encode<'a>(
        validated: &'a Validated,
        output: output::ValidatePayload<'a>,
    ) -> output::ValidatePayload<'a> {
        let canonical = validated.canonical.as_ref();
        let canonical = canonical.map(|it| serde_json::to_string(it).expect("it is JSON"));
        output
            .valid(validated.canonical.is_some())
            .violation(&validated.violations, violation)
            .warning(&validated.warnings)
            .canonical(canonical)
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

    fn encode<'a>(
        updates: &'a Updates,
        output: output::GetSchemaUpdates<'a>,
    ) -> output::GetSchemaUpdates<'a> {
        output
            .current_schema_id(&updates.current_schema_id)
            .update(&updates.patches, patch)
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

    fn encode((): &(), (): ()) {}
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

    fn encode<'a>(
        published: &'a PublishedTemplate,
        output: output::PublishSchemaTemplate<'a>,
    ) -> output::PublishSchemaTemplate<'a> {
        output
            .schema_id(&published.schema_id)
            .warning(&published.warnings)
    }
}

impl Codec for RetireSchema {
    type Input = input::RetireSchema<'static>;

    fn decode(_: &RequestContext<'_>, input: input::RetireSchema<'_>) -> Result<Self, RpcError> {
        let schema_id = input.schema_id()?.owned();
        Ok(Self { schema_id })
    }

    fn encode<'a>(
        current_schema_id: &'a Option<String>,
        output: output::RetireSchema<'a>,
    ) -> output::RetireSchema<'a> {
        output.current_schema_id(current_schema_id.as_ref())
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

    fn encode<'a>(form: &'a String, output: output::RenderSchema<'a>) -> output::RenderSchema<'a> {
        output.rendered(form)
    }
}

impl Codec for ApprovePatch {
    type Input = input::ApprovePatch<'static>;

    fn decode(_: &RequestContext<'_>, input: input::ApprovePatch<'_>) -> Result<Self, RpcError> {
        let patch_id = input.patch_id()?.owned();
        Ok(Self { patch_id })
    }

    fn encode<'a>(
        state: &'a PatchStanding,
        output: output::ApprovePatch<'a>,
    ) -> output::ApprovePatch<'a> {
        output.state(state.as_str())
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

    fn encode<'a>(
        state: &'a PatchStanding,
        output: output::RejectPatch<'a>,
    ) -> output::RejectPatch<'a> {
        output.state(state.as_str())
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

    fn encode((): &(), (): ()) {}
}

impl Codec for EraseFragments {
    type Input = input::EraseFragments<'static>;

    fn decode(_: &RequestContext<'_>, input: input::EraseFragments<'_>) -> Result<Self, RpcError> {
        let client = input.client()?.owned();
        Ok(Self { client })
    }

    fn encode<'a>(
        erased: &'a u64,
        output: output::EraseFragments<'a>,
    ) -> output::EraseFragments<'a> {
        output.erased(*erased)
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

fn scenario<'a>(node: output::Scenario<'a>, listed: &'a ScenarioAnswer) -> output::Scenario<'a> {
    node.scenario(&listed.scenario)
        .title(listed.title.as_ref())
        .schema_id(&listed.schema_id)
        .response_schema_id(listed.response_schema_id.as_ref())
        .agent(&listed.agents)
}

fn violation<'a>(node: output::Violation<'a>, of: &'a PayloadViolation) -> output::Violation<'a> {
    node.path(&of.path)
        .code(of.code.as_str())
        .expected(&of.expected)
        .found(of.found.as_ref())
}
