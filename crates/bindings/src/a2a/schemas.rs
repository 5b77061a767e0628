//! Questions and wishes about schemas (draft-zhou §3.2, §6.2.2), as methods and as data parts.
//!
//! Who may ask them over NETCONF may ask them here. Read next: `a2a::schema_request`,
//! `a2a::schema_part`.

use super::error;
use super::request_context::RequestContext;
use a2a::error::Error;
use a2a::message::{Message, Part, Role};
use a2a::objects::Inputs;
use a2a::schema_request::SchemaRequest;
use domain::content::Payload;
use domain::profile::Profile;
use engine::{
    GetSchemaTemplate, GetSchemaUpdates, PatchAnswer, RequestCapabilityExtension, TemplateAnswer,
    Updates, Which,
};
use schema::violation::PayloadViolation;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The most agents named to somebody who asked the wrong one.
const NAMED_MAX: usize = 8;

impl RequestContext<'_> {
    /// Answers a question or wish about schemas.
    pub(super) async fn about_schemas(&self, request: SchemaRequest) -> Result<Value, Error> {
        let answered = match request {
            SchemaRequest::Template(query) => {
                let which = match (query.schema_id, query.scenario) {
                    (Some(schema_id), _) => Which::Schema(schema_id),
                    (None, scenario) => Which::Scenario(scenario.unwrap_or_default()),
                };
                let language = query.preferred_language;
                let found = self.execute(GetSchemaTemplate { which, language }).await;
                found.map(template)
            }
            SchemaRequest::Updates(query) => {
                let (schema_id, since) = (query.schema_id, query.since_patch_id);
                let found = self.execute(GetSchemaUpdates { schema_id, since }).await;
                found.map(|found| updates(&found))
            }
            SchemaRequest::Extension(wish) => {
                let (scenario, text) = (wish.scenario, wish.text);
                let taken = self.execute(RequestCapabilityExtension { scenario, text });
                taken.await.map(|()| json!({"taken": true}))
            }
        };
        answered.map_err(|refusal| error::refused(&refusal))
    }

    /// Other agents that take a schema, as far as the caller may read who there is.
    pub(super) fn takers_of(&self, schema_id: &str) -> Vec<String> {
        if !self.engine().may_read_agents(self.who) {
            return Vec::new();
        }
        let own = &self.profile().name;
        let takes =
            |profile: &Profile| profile.name != *own && profile.schemas().any(|id| id == schema_id);
        let all = self.engine().registrations().into_iter();
        let takers = all.filter(|it| takes(&it.profile));
        let names = takers.map(|it| it.profile.name.clone());
        names.take(NAMED_MAX).collect()
    }

    /// The same as a message, to who asked by one.
    pub(super) async fn about_schemas_in(
        &self,
        message: &Message,
        request: SchemaRequest,
    ) -> Result<Message, Error> {
        let told = self.about_schemas(request).await?;
        let part = Part::data(told).of_type("application/json");
        let id = format!("{}/answer", message.message_id);
        Ok(Message {
            context_id: message.context_id.clone(),
            task_id: message.task_id.clone(),
            ..Message::new(id, Role::Agent, vec![part])
        })
    }
}

/// Patches as a result suggests them: the patch if there is one, an array of several (§6.2.2).
pub(super) fn suggestion(patches: &[PatchAnswer]) -> Option<Value> {
    match patches {
        [] => None,
        [one] => Some(patch(one)),
        several => Some(several.iter().map(patch).collect()),
    }
}

/// The bare template (Q3), and in further members in which language (Q4) and who vouches for it.
fn template(answer: TemplateAnswer) -> Value {
    let mut told = answer.template;
    told["language"] = answer.language.into();
    if let Some(seal) = answer.seal {
        told["seal"] = seal.into();
        told["signed"] = answer.signed;
    }
    told
}

fn updates(updates: &Updates) -> Value {
    let patches: Vec<Value> = updates.patches.iter().map(patch).collect();
    json!({"current_schema_id": updates.current_schema_id, "patches": patches})
}

fn patch(answer: &PatchAnswer) -> Value {
    let mut told = answer.patch.clone();
    if let Some(seal) = &answer.seal {
        told["seal"] = seal.as_str().into();
    }
    told
}

/// Typed data are checked by the engine, with the caller's own patches: what passes here passes
/// there.
pub(super) struct CheckedByEngine<'s> {
    pub(super) cx: &'s RequestContext<'s>,
    pub(super) names: BTreeSet<String>,
}

impl Inputs for CheckedByEngine<'_> {
    fn check(
        &self,
        schema: &str,
        data: &Map<String, Value>,
    ) -> Option<Result<(), Vec<PayloadViolation>>> {
        if !self.names.contains(schema) {
            return None;
        }
        let (engine, who) = (self.cx.engine(), self.cx.who);
        let payload = Payload::new(schema, Value::Object(data.clone()));
        // None if it was retired since the card was made.
        engine.violations(who, &payload).map(|found| match found {
            none if none.is_empty() => Ok(()),
            violations => Err(violations),
        })
    }

    fn names(&self) -> Vec<String> {
        self.names.iter().cloned().collect()
    }

    fn takers(&self, schema: &str) -> Vec<String> {
        self.cx.takers_of(schema)
    }
}
