//! The object-schemas extension: typed input and typed results.
//!
//! Covers the declaration of schemas in a card (§1), their names in parts (§2), the flow of a
//! message (§3) and typed results (§4). Data are checked by an [`Inputs`]. Read next:
//! [`crate::intake`], which asks this first.

use crate::card::{AgentExtension, AgentSkill, Card, CardProfile};
use crate::error::{Error, ErrorKind};
use crate::media::MediaType;
use crate::message::{Message, Part, PartContent};
use crate::version::inert;
use schema::contract::Contract;
use schema::violation::PayloadViolation;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The URI of the extension.
pub const URI: &str =
    "https://raw.githubusercontent.com/facultyai/a2a-extension-object-schemas/refs/heads/main/v1";

const DESCRIPTION: &str = "Typed input and typed results by JSON Schema";

/// The parameter of the declaration that holds the schemas, and the root member of a card.
const SCHEMAS: &str = "schemas";

/// The longest name of a schema, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// True if `name` is a valid name of a schema: 1 to 64 of letters, digits, `.`, `_` and `-`.
pub fn is_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(fits)
}

/// Declares schemas by name: always as parameter of the extension, and at the root of the card
/// where its profile is [`CardProfile::Schemas`]. The caller adds the modes of the skills, with
/// [`mode`].
pub fn declare(card: &mut Card, schemas: &BTreeMap<String, Value>, profile: CardProfile) {
    let params = [(SCHEMAS.to_owned(), json!(schemas))];
    card.declare(AgentExtension {
        uri: URI.to_owned(),
        description: Some(DESCRIPTION.to_owned()),
        required: false,
        params: Map::from_iter(params),
    });
    card.schemas = match profile {
        CardProfile::Schemas => schemas.clone(),
        CardProfile::Strict => BTreeMap::new(),
    };
}

/// The mode that names a schema.
pub fn mode(schema: &str) -> String {
    MediaType::of_schema(schema).to_string()
}

/// The schemas that a card declares: those of the extension, then those at its root that are not
/// among them. None if the card does not declare the extension.
pub fn declared(card: &Card) -> BTreeMap<String, Value> {
    let Some(extension) = card.extension(URI) else {
        return BTreeMap::new();
    };
    let params = extension.params.get(SCHEMAS).and_then(Value::as_object);
    let mut schemas = card.schemas.clone();
    schemas.extend(params.cloned().unwrap_or_default());
    schemas
}

/// The schemas that a card takes as input: declared, and named by an input mode of the card or of a
/// skill. A schema of output modes alone is not among them.
pub fn inputs(card: &Card) -> BTreeSet<String> {
    let skills = card.skills.iter().flat_map(|skill| &skill.input_modes);
    let modes = card.default_input_modes.iter().chain(skills);
    let known = declared(card);
    let named = modes.filter_map(|mode| schema_of_mode(mode));
    named.filter(|name| known.contains_key(name)).collect()
}

/// The first skill that accepts a schema.
pub fn skill_of<'a>(card: &'a Card, schema: &str) -> Option<&'a AgentSkill> {
    let mut skills = card.skills.iter();
    skills.find(|skill| takes(skill, schema))
}

/// True if an input mode of a skill names a schema.
pub fn takes(skill: &AgentSkill, schema: &str) -> bool {
    let mut modes = skill.input_modes.iter();
    modes.any(|mode| schema_of_mode(mode).as_deref() == Some(schema))
}

/// The schema of a skill's typed input: the first that its input modes name.
pub fn input_schema(skill: &AgentSkill) -> Option<String> {
    skill
        .input_modes
        .iter()
        .find_map(|mode| schema_of_mode(mode))
}

/// The schema of a skill's typed results: the first that its output modes name.
pub fn response_schema(skill: &AgentSkill) -> Option<String> {
    skill
        .output_modes
        .iter()
        .find_map(|mode| schema_of_mode(mode))
}

fn schema_of_mode(mode: &str) -> Option<String> {
    MediaType::parse(mode)?.schema().map(str::to_owned)
}

/// Data typed by a schema: input (§2) or result (§4).
pub fn typed(schema: &str, data: Map<String, Value>) -> Part {
    Part::data(data).of_type(mode(schema))
}

/// The schema that a data part names; none if it is not typed. The first, if it names two.
pub fn schema_of(part: &Part) -> Option<String> {
    match part.content {
        PartContent::Data(_) => part.media_types().find_map(schema_of_mode),
        _ => None,
    }
}

/// The schemas accepted as input, with their checks.
pub trait Inputs {
    /// Checks data against a schema; none if no such schema is accepted as input.
    fn check(
        &self,
        schema: &str,
        data: &Map<String, Value>,
    ) -> Option<Result<(), Vec<PayloadViolation>>>;

    /// The schemas that are accepted.
    fn names(&self) -> Vec<String>;

    /// The agents that accept a schema which is not accepted here, as far as the sender may know
    /// them.
    fn takers(&self, _schema: &str) -> Vec<String> {
        Vec::new()
    }
}

impl Inputs for BTreeMap<String, Contract> {
    fn check(
        &self,
        schema: &str,
        data: &Map<String, Value>,
    ) -> Option<Result<(), Vec<PayloadViolation>>> {
        self.get(schema).map(|contract| contract.verify(data))
    }

    fn names(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
}

/// Typed input that satisfies its schema.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedInput {
    /// The schema.
    pub schema: String,
    /// The data.
    pub data: Map<String, Value>,
}

/// The reason for which typed input is refused (§3, "structured input error").
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InputError {
    /// No such schema is accepted as input.
    #[error(
        "schema '{}' is not declared as input; {}",
        inert(schema),
        instead(known, takers)
    )]
    Undeclared {
        /// The part.
        part: usize,
        /// The schema that it names.
        schema: String,
        /// The schemas that are accepted.
        known: Vec<String>,
        /// The agents that accept it.
        takers: Vec<String>,
    },
    /// The part names two schemas.
    #[error("the part names two schemas, '{}' and '{}'", inert(one), inert(other))]
    TwoSchemas {
        /// The part.
        part: usize,
        /// The schema named by `mediaType`.
        one: String,
        /// The schema named by `metadata.mimeType`.
        other: String,
    },
    /// The data are not an object.
    #[error("the data of schema '{schema}' are no object")]
    NoObject {
        /// The part.
        part: usize,
        /// The schema.
        schema: String,
    },
    /// The data violate the schema.
    #[error("the data do not keep to schema '{schema}'")]
    Invalid {
        /// The part.
        part: usize,
        /// The schema.
        schema: String,
        /// The violations, with pointers into the data.
        violations: Vec<PayloadViolation>,
    },
    /// The intent names a skill that does not accept the schema.
    #[error("skill '{}' does not take schema '{schema}'", inert(skill))]
    OtherSkill {
        /// The part.
        part: usize,
        /// The schema.
        schema: String,
        /// The skill that the intent names.
        skill: String,
    },
}

/// The end of the message: the accepted schemas, and the agents that accept the named one.
fn instead(known: &[String], takers: &[String]) -> String {
    let taken = match known {
        [] => "this agent takes none".to_owned(),
        known => format!("declared are: {}", known.join(", ")),
    };
    match takers {
        [] => taken,
        takers => format!("{taken}; it is known to {}", takers.join(", ")),
    }
}

impl InputError {
    /// The index of the part.
    pub fn part(&self) -> usize {
        match self {
            Self::Undeclared { part, .. }
            | Self::TwoSchemas { part, .. }
            | Self::NoObject { part, .. }
            | Self::Invalid { part, .. }
            | Self::OtherSkill { part, .. } => *part,
        }
    }

    /// The error in answer to the message.
    pub fn refusal(&self) -> Error {
        let kind = match self {
            Self::Undeclared { .. } => ErrorKind::ContentTypeNotSupported,
            _ => ErrorKind::InvalidParams,
        };
        let error = Error::new(kind, self.to_string());
        let place = format!("message.parts[{}]", self.part());
        let Self::Invalid { violations, .. } = self else {
            return error.at(place, self.to_string());
        };
        violations.iter().fold(error, |error, violation| {
            error.at(
                format!("{place}.data{}", violation.path),
                violation.to_string(),
            )
        })
    }
}

/// The part of a message that concerns this extension.
#[derive(Clone, Debug, PartialEq)]
pub enum Structured {
    /// No flagged part: neither input nor error.
    Absent,
    /// Typed input.
    Input {
        /// The index of the part.
        part: usize,
        /// The input.
        input: TypedInput,
    },
    /// An error.
    Wrong(InputError),
}

/// The action that follows.
#[derive(Clone, Debug, PartialEq)]
pub enum NextAction {
    /// Begin a task with this input, and answer with the task.
    Begin(TypedInput),
    /// Refuse.
    Refuse(Error),
    /// Handle it as any message.
    Free,
}

/// Reads the first flagged part of a message, and no other (§3).
pub fn structured(message: &Message, inputs: &impl Inputs) -> Structured {
    let mut parts = message.parts.iter().enumerate();
    let flagged = parts.find_map(|(i, part)| Some((i, part, schema_of(part)?)));
    let Some((i, part, schema)) = flagged else {
        return Structured::Absent;
    };
    match checked(i, part, schema, inputs) {
        Ok(input) => Structured::Input { part: i, input },
        Err(wrong) => Structured::Wrong(wrong),
    }
}

fn checked(
    part: usize,
    of: &Part,
    schema: String,
    inputs: &impl Inputs,
) -> Result<TypedInput, InputError> {
    if let Some(other) = of
        .media_types()
        .filter_map(schema_of_mode)
        .find(|it| *it != schema)
    {
        let one = schema;
        return Err(InputError::TwoSchemas { part, one, other });
    }
    let no_object = Map::new();
    let data = match &of.content {
        PartContent::Data(Value::Object(data)) => Some(data),
        _ => None,
    };
    let verdict = inputs.check(&schema, data.unwrap_or(&no_object));
    match (verdict.filter(|_| is_name(&schema)), data.cloned()) {
        (None, _) => {
            let (known, takers) = (inputs.names(), inputs.takers(&schema));
            Err(InputError::Undeclared {
                part,
                schema,
                known,
                takers,
            })
        }
        (Some(_), None) => Err(InputError::NoObject { part, schema }),
        (Some(Ok(())), Some(data)) => Ok(TypedInput { schema, data }),
        (Some(Err(violations)), Some(_)) => Err(InputError::Invalid {
            part,
            schema,
            violations,
        }),
    }
}

impl Structured {
    /// The action that follows (§3), given whether the message belongs to a task. That the task
    /// exists and the message may refer to it must have been checked before, by
    /// [`crate::conversation`].
    pub fn decide(self, has_task: bool) -> NextAction {
        match (self, has_task) {
            (Self::Absent, _) => NextAction::Free,
            (_, true) => NextAction::Refuse(already_running()),
            (Self::Input { input, .. }, false) => NextAction::Begin(input),
            (Self::Wrong(wrong), false) => NextAction::Refuse(wrong.refusal()),
        }
    }
}

/// The error for typed input to a task that has begun (§3).
fn already_running() -> Error {
    let message = "structured input rejected: a task is already running";
    Error::new(ErrorKind::UnsupportedOperation, message)
}

#[cfg(test)]
mod tests;
