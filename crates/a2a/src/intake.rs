//! The interpretation of a message, by the forms that it may have, in their order of precedence.
//!
//! 1. typed data of the object-schemas extension;
//! 2. the intent of the intent extension, with its slots;
//! 3. a schema request or a payload of draft-zhou;
//! 4. text.
//!
//! Knows only that order. Read next: [`crate::objects`], [`crate::intent`], [`crate::schema_part`].

use crate::card::Card;
use crate::error::Error;
use crate::intent::{self, Filled, IntentInfo, Routing, SkillExtension};
use crate::message::Message;
use crate::objects::{self, InputError, Inputs, NextAction, Structured, TypedInput};
use crate::schema_part;
use crate::schema_request::SchemaRequest;
use crate::version::inert;
use crate::wire::Malformed;
use domain::content::Payload;
use serde_json::{Map, Value};

/// The interpretation of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Intake {
    /// The form found, with its content.
    pub said: MessageForm,
    /// Intents that were not chosen, for the metadata of the task.
    pub passed_over: Vec<String>,
    /// Warnings, which do not prevent the task.
    pub warnings: Vec<String>,
}

/// The form of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum MessageForm {
    /// Typed data, which must begin a task (object schemas §3).
    Typed {
        /// The skill that the intent names, or the first that takes the schema.
        skill: Option<String>,
        /// The data.
        input: TypedInput,
    },
    /// Parameters of a skill (intent extension). If they are not complete, they are asked for.
    Intent {
        /// The skill.
        skill: String,
        /// The schema that its parameters are a payload of, if it takes one.
        schema: Option<String>,
        /// The parameters.
        filled: Filled,
    },
    /// A request about a schema (draft-zhou §3.2).
    Asked(SchemaRequest),
    /// A payload under a schema (draft-zhou §5.1).
    Payload(Payload),
    /// Text.
    Words(String),
}

/// Reads messages for one agent.
#[derive(Clone, Debug)]
pub struct Intakes<'a, I> {
    card: &'a Card,
    inputs: &'a I,
    skills: Vec<SkillExtension>,
}

impl<'a, I: Inputs> Intakes<'a, I> {
    /// A reader for the agent of this card; `inputs` checks typed data.
    ///
    /// # Errors
    /// [`Malformed`] if the card's declaration of the intent extension is.
    pub fn new(card: &'a Card, inputs: &'a I) -> Result<Self, Malformed> {
        let skills = intent::declared(card)?;
        Ok(Self {
            card,
            inputs,
            skills,
        })
    }

    /// Reads a message. `has_task` is true if it belongs to an existing task, which
    /// [`crate::conversation`] checks first; `before` are the slots that the task has already.
    ///
    /// # Errors
    /// The refusal of object schemas §3, or of metadata and schema requests that cannot be read.
    pub fn read(
        &self,
        message: &Message,
        has_task: bool,
        before: Map<String, Value>,
    ) -> Result<Intake, Error> {
        let routing = self.route(message)?;
        let structured = self.agreeing(objects::structured(message, self.inputs), &routing);
        let said = match structured.decide(has_task) {
            NextAction::Refuse(refusal) => return Err(refusal),
            NextAction::Begin(input) => self.typed(input, &routing),
            NextAction::Free => self.untyped(message, &routing, before)?,
        };
        Ok(noted(said, routing))
    }

    /// Routes by the intents of a message. For an agent that does not declare the extension,
    /// intents are unknown metadata.
    fn route(&self, message: &Message) -> Result<Routing, Error> {
        if self.skills.is_empty() {
            return Ok(Routing::None);
        }
        let infos = intent::infos(&message.metadata);
        let infos =
            infos.map_err(|wrong| wrong.under("metadata").under("message").invalid_params())?;
        Ok(intent::route(infos, &self.skills))
    }

    /// Typed data checked against the intent: an intent only chooses the skill for them, which must
    /// accept them.
    fn agreeing(&self, structured: Structured, routing: &Routing) -> Structured {
        let (Structured::Input { part, input }, Routing::To { info, .. }) = (&structured, routing)
        else {
            return structured;
        };
        let takes = self.card.skill(&info.intent).is_some_and(|skill| {
            skill.input_modes.is_empty() || objects::takes(skill, &input.schema)
        });
        match takes {
            true => structured,
            false => Structured::Wrong(InputError::OtherSkill {
                part: *part,
                schema: input.schema.clone(),
                skill: info.intent.clone(),
            }),
        }
    }

    fn typed(&self, input: TypedInput, routing: &Routing) -> MessageForm {
        let skill = match routing {
            Routing::To { info, .. } => Some(info.intent.clone()),
            _ => objects::skill_of(self.card, &input.schema).map(|skill| skill.id.clone()),
        };
        MessageForm::Typed { skill, input }
    }

    fn untyped(
        &self,
        message: &Message,
        routing: &Routing,
        before: Map<String, Value>,
    ) -> Result<MessageForm, Error> {
        if let Routing::To {
            info, input_schema, ..
        } = routing
        {
            return Ok(self.by_intent(info, input_schema, before));
        }
        if let Some(asked) = message.parts.iter().find_map(schema_part::asked) {
            return asked.map(MessageForm::Asked);
        }
        Ok(match schema_part::payload_of(message) {
            Some(payload) => MessageForm::Payload(payload),
            None => MessageForm::Words(message.words()),
        })
    }

    /// The parameters of the chosen skill; a value that violates the skill's schema is asked for
    /// like a missing one.
    fn by_intent(
        &self,
        info: &IntentInfo,
        input_schema: &Map<String, Value>,
        before: Map<String, Value>,
    ) -> MessageForm {
        let skill = self.card.skill(&info.intent);
        let schema = skill.and_then(objects::input_schema);
        let mut filled = intent::fill(input_schema, before, &info.slots);
        let verdict = schema
            .as_ref()
            .and_then(|it| self.inputs.check(it, &filled.payload));
        if let Some(Err(violations)) = verdict {
            filled.refuse_all(&violations);
        }
        MessageForm::Intent {
            skill: info.intent.clone(),
            schema,
            filled,
        }
    }
}

fn noted(said: MessageForm, routing: Routing) -> Intake {
    let mut warnings = match &said {
        MessageForm::Intent { filled, .. } => filled.warnings.clone(),
        _ => Vec::new(),
    };
    let passed_over = match routing {
        Routing::None => Vec::new(),
        Routing::To { passed_over, .. } => passed_over,
        Routing::Unknown { intents } => {
            let unknown = |intent: &String| format!("there is no skill {}", inert(intent));
            warnings.extend(intents.iter().map(unknown));
            Vec::new()
        }
    };
    Intake {
        said,
        passed_over,
        warnings,
    }
}

#[cfg(test)]
mod tests;
