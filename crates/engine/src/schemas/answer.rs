//! What is asked about schemas, answered: `convoke-schema` and the payloads of `task-negotiate`.
//!
//! A question is answered from the picture. Read next: [`super::published`], [`super::learning`].

use super::Schemas;
use super::published::{Checked, Imprint, Published};
use crate::access::exec;
use crate::operation::{Query, Reader};
use crate::refusal::{InvalidInput, NotAvailable};
use crate::schemas::operation::{
    Form, GetSchemaTemplate, GetSchemaUpdates, ListScenarios, PatchAnswer, PatchStanding,
    RenderSchema, ScenarioAnswer, TemplateAnswer, Updates, ValidatePayload, Validated, Which,
};
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::content::Payload;
use domain::negotiation::Side;
use domain::time::Timestamp;
use schema::evolution::Activity;
use schema::language::Language;
use schema::patch::Patch;
use schema::render;
use schema::signature::{self, DocumentClaims, DocumentKind};
use schema::template::Template;
use schema::violation::PayloadViolation;
use schema::write;
use serde_json::Value;
use std::sync::Arc;

/// How long a seal lasts; a template is sealed anew whenever it is asked for.
const SEAL_MS: i64 = 90 * 24 * 3_600_000;

impl Engine {
    fn template(
        &self,
        who: &Principal,
        which: &Which,
        language: Option<&str>,
        now: Timestamp,
    ) -> Result<TemplateAnswer, Refusal> {
        let published = self.schemas.published();
        let schema_id = match which {
            Which::Schema(id) => id.clone(),
            Which::Scenario(scenario) => published.catalogue().newest(scenario)?.schema_id.clone(),
        };
        let served = published.of(&schema_id, &who.name)?;
        let preferred = preferred(language);
        let imprint = published
            .imprint(&schema_id)
            .expect("what is served was published");
        let template = &served.template;
        self.told_of_patches(who, &published, template, now);
        Ok(TemplateAnswer {
            scenario: template.scenario.clone(),
            language: write::served_language(template, preferred.as_ref()).to_string(),
            template: write::template(template, preferred.as_ref()),
            seal: self.schemas.sealed(&published, imprint, template, now),
            signed: imprint.authored.clone(),
            schema_id,
        })
    }

    fn scenarios(&self, language: Option<&str>) -> Vec<ScenarioAnswer> {
        let published = self.schemas.published();
        let (preferred, agents) = (preferred(language), self.registrations());
        let listed = published
            .catalogue()
            .scenarios()
            .into_iter()
            .map(|listing| {
                let base = published.catalogue().template(&listing.schema_id).ok();
                let title = listing.title.as_ref().zip(base).map(|(title, base)| {
                    title
                        .lookup(preferred.as_ref(), &base.language)
                        .1
                        .meaning
                        .clone()
                });
                let takes = agents.iter().filter(|r| r.profile.takes(&listing.scenario));
                ScenarioAnswer {
                    title,
                    agents: takes.map(|r| r.profile.name.clone()).collect(),
                    scenario: listing.scenario,
                    schema_id: listing.schema_id,
                    response_schema_id: listing.response_schema_id,
                }
            });
        listed.collect()
    }

    /// What is wrong with a payload that somebody sends in something else, which is where it was
    /// asked whether he may; none if no such template is served.
    pub fn violations(&self, who: &Principal, payload: &Payload) -> Option<Vec<PayloadViolation>> {
        let validated = self.validate(who, payload).ok()?;
        Some(validated.violations)
    }

    fn validate(&self, who: &Principal, payload: &Payload) -> Result<Validated, Refusal> {
        let published = self.schemas.published();
        let of = match published.is_of_results(&payload.schema_id) {
            true => Side::Executor,
            false => Side::Publisher,
        };
        let validated = match published.check(&who.name, payload, self.schemas.unknown, of) {
            Ok(checked) => Validated {
                violations: Vec::new(),
                warnings: checked.warnings,
                canonical: Some(checked.payload.values),
            },
            Err(Refusal::InvalidInput(InvalidInput::Payload { violations, .. })) => Validated {
                violations,
                ..Validated::default()
            },
            Err(refusal) => return Err(refusal),
        };
        Ok(validated)
    }

    fn updates(
        &self,
        who: &Principal,
        schema_id: &str,
        since: Option<&str>,
        now: Timestamp,
    ) -> Result<Updates, Refusal> {
        if !self.schemas.parts.polled {
            return Err(NotAvailable::SwitchedOff {
                what: "asking for patches",
                setting: "parts.polled",
            }
            .into());
        }
        let published = self.schemas.published();
        let template = Arc::clone(&published.of(schema_id, &who.name)?.template);
        let patches: Vec<&Patch> = published.patches(&template.scenario, &who.name).collect();
        let known = since.and_then(|id| patches.iter().position(|p| p.patch_id == id));
        let fresh = &patches[known.map_or(0, |place| place + 1)..];
        let answers = fresh
            .iter()
            .map(|p| self.schemas.patch_answer(&published, p, now));
        let current = published.catalogue().newest(&template.scenario)?;
        let updates = Updates {
            current_schema_id: current.schema_id.clone(),
            patches: answers.collect(),
        };
        self.told_of_patches(who, &published, &template, now);
        Ok(updates)
    }

    fn render(
        &self,
        who: &Principal,
        schema_id: &str,
        form: Form,
        language: Option<&str>,
    ) -> Result<String, Refusal> {
        let published = self.schemas.published();
        let template = &published.of(schema_id, &who.name)?.template;
        let language = write::served_language(template, preferred(language).as_ref());
        Ok(match form {
            Form::JsonSchema => pretty(&render::json_schema(template, &language)),
            Form::Yang => {
                let base = published.catalogue().template(schema_id)?;
                let imprint = published
                    .imprint(schema_id)
                    .expect("what is served was published");
                self.schemas.module(base, imprint.published)
            }
            Form::Prompt => render::prompt(template, &language),
            Form::Gbnf => render::gbnf(template, None),
            Form::ResponseFormat => pretty(&render::response_format(template, &language)),
            Form::HtmlForm => render::form(template, &language, None),
        })
    }
}

impl Schemas {
    /// Checks a payload of a client before anything is done with it.
    ///
    /// # Errors
    /// [`NotFound`](crate::refusal::NotFound) of the schema, [`InvalidInput::Payload`]
    pub(crate) fn check(
        &self,
        client: &str,
        payload: &Payload,
        of: Side,
    ) -> Result<Checked, Refusal> {
        self.published().check(client, payload, self.unknown, of)
    }

    /// The seal over a template as authored; none without a key.
    fn sealed(
        &self,
        published: &Published,
        imprint: &Imprint,
        template: &Template,
        now: Timestamp,
    ) -> Option<String> {
        let version = u64::from(template.version().unwrap_or(1));
        self.seal(
            published,
            DocumentKind::Template,
            version,
            &imprint.authored,
            now,
        )
    }

    /// A patch as it is told, with its seal.
    pub(super) fn patch_answer(
        &self,
        published: &Published,
        patch: &Patch,
        now: Timestamp,
    ) -> PatchAnswer {
        let document = write::authored_patch(patch);
        // A patch that changes is sealed with its time, which grows.
        let version = patch.timestamp.as_ms().unsigned_abs();
        PatchAnswer {
            patch_id: patch.patch_id.clone(),
            parent_schema_id: patch.parent_schema_id.clone(),
            seal: self.seal(published, DocumentKind::Patch, version, &document, now),
            patch: document,
        }
    }

    fn seal(
        &self,
        published: &Published,
        kind: DocumentKind,
        version: u64,
        document: &Value,
        now: Timestamp,
    ) -> Option<String> {
        let claims = DocumentClaims {
            agent: published.catalogue().agent().to_owned(),
            version,
            expires_at: now + SEAL_MS,
        };
        let sealed = signature::sign(self.sealing.as_ref()?, kind, &claims, document);
        Some(
            sealed
                .expect("lint lets nothing through that cannot be sealed")
                .to_string(),
        )
    }
}

/// The language that is preferred; what is no tag is no preference.
pub(super) fn preferred(language: Option<&str>) -> Option<Language> {
    language.and_then(|tag| Language::parse(tag).ok())
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a value is JSON")
}

/// Where a patch is in its life, as told.
pub(super) fn standing(activity: &Activity) -> PatchStanding {
    match activity {
        Activity::Pending => PatchStanding::Pending,
        Activity::Active => PatchStanding::Active,
        Activity::None => PatchStanding::Ended,
    }
}

/// Makes a type the rpc of module convoke-schema of this name, which anyone may ask who may execute
/// it, and which is answered at once.
macro_rules! question {
    ($query:ident, $name:literal, $output:ty, $look:expr) => {
        impl Query for $query {
            type Output = $output;

            fn rpc(&self) -> Option<Request<'static>> {
                Some(exec("convoke-schema", $name, false))
            }

            fn look(self, reader: Reader<'_, Self>) -> Result<$output, Refusal> {
                let look: fn(Self, Reader<'_, Self>) -> Result<$output, Refusal> = $look;
                look(self, reader)
            }
        }
    };
}

question!(
    GetSchemaTemplate,
    "get-schema-template",
    TemplateAnswer,
    |it, at| {
        let language = it.language.as_deref();
        at.engine.template(at.who, &it.which, language, at.now)
    }
);
question!(
    ListScenarios,
    "list-scenarios",
    Vec<ScenarioAnswer>,
    |it, at| Ok(at.engine.scenarios(it.language.as_deref()))
);
question!(ValidatePayload, "validate-payload", Validated, |it, at| {
    let payload = Payload {
        schema_id: it.schema_id,
        values: it.payload,
    };
    at.engine.validate(at.who, &payload)
});
question!(GetSchemaUpdates, "get-schema-updates", Updates, |it, at| {
    let since = it.since.as_deref();
    at.engine.updates(at.who, &it.schema_id, since, at.now)
});
question!(RenderSchema, "render-schema", String, |it, at| {
    let language = it.language.as_deref();
    at.engine.render(at.who, &it.schema_id, it.form, language)
});
