//! The intent extension: the skill that an application wants, with its parameters.
//!
//! Knows the declaration of skills, `intentInfos` in the metadata of a message, and the conversion
//! of slots, which are texts, to values of a skill's schema. Nothing is guessed: a text that is no
//! value of its type is asked for again. Read next: [`crate::intake`].

mod slots;

pub use slots::{Filled, fill};

use crate::card::{AgentExtension, Card};
use crate::message::Metadata;
use crate::wire::{Malformed, Members, Object};
use serde_json::{Map, Value, json};

/// The URI of the extension.
pub const URI: &str = "https://help.aliyun.com/en/model-studio/multimodal-integration-a2a-intent";

/// The member of a message's metadata; the URI of the extension is accepted as its name as well.
pub const INTENT_INFOS: &str = "intentInfos";

/// The parameter of the declaration.
const SKILLS: &str = "skills";

/// The parameters of a skill, as the extension declares them.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillExtension {
    /// The skill of the card.
    pub id: String,
    /// The JSON Schema of its parameters, an object as in MCP tools.
    pub input_schema: Map<String, Value>,
}

/// The error for skills that cannot be declared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeclareError {
    /// The card has no such skill.
    #[error("the card has no skill '{0}'")]
    UnknownSkill(String),
    /// The skill is declared twice.
    #[error("skill '{0}' is declared twice")]
    Twice(String),
    /// The schema is not that of an object.
    #[error("the inputSchema of skill '{0}' is not of type object")]
    NotAnObject(String),
}

/// Declares the parameters of skills.
///
/// # Errors
/// [`DeclareError`]: the first skill that cannot be declared; the card is unchanged then.
pub fn declare(card: &mut Card, skills: &[SkillExtension]) -> Result<(), DeclareError> {
    for (i, skill) in skills.iter().enumerate() {
        if card.skill(&skill.id).is_none() {
            return Err(DeclareError::UnknownSkill(skill.id.clone()));
        }
        if skills[..i].iter().any(|it| it.id == skill.id) {
            return Err(DeclareError::Twice(skill.id.clone()));
        }
        if skill.input_schema.get("type") != Some(&json!("object")) {
            return Err(DeclareError::NotAnObject(skill.id.clone()));
        }
    }
    let written = |it: &SkillExtension| json!({"id": it.id, "inputSchema": it.input_schema});
    let skills: Value = skills.iter().map(written).collect();
    card.declare(AgentExtension {
        uri: URI.to_owned(),
        description: None,
        required: false,
        params: Map::from_iter([(SKILLS.to_owned(), skills)]),
    });
    Ok(())
}

/// The skills whose parameters a card declares; none if it does not declare the extension.
///
/// # Errors
/// [`Malformed`]: the first member that is wrong.
pub fn declared(card: &Card) -> Result<Vec<SkillExtension>, Malformed> {
    let Some(extension) = card.extension(URI) else {
        return Ok(Vec::new());
    };
    Object::of_members(&extension.params).each(SKILLS, |it| {
        let it = Object::of(it)?;
        it.needed("inputSchema", Object::of)?;
        Ok(SkillExtension {
            id: it.needed_text("id")?,
            input_schema: it.free("inputSchema")?,
        })
    })
}

/// An intent: a skill, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntentInfo {
    /// The skill.
    pub intent: String,
    /// Its parameters.
    pub slots: Vec<Slot>,
}

/// A parameter of a skill, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The name of the parameter.
    pub name: String,
    /// The text.
    pub value: String,
    /// The normalised text.
    pub norm_value: Option<String>,
}

impl Slot {
    /// The text to use: the normalised one if there is one.
    pub fn said(&self) -> &str {
        self.norm_value.as_deref().unwrap_or(&self.value)
    }
}

/// The intents in the metadata of a message; none in an ordinary message.
///
/// # Errors
/// [`Malformed`]: the first member that is wrong.
pub fn infos(metadata: &Metadata) -> Result<Vec<IntentInfo>, Malformed> {
    let named = [INTENT_INFOS, URI];
    let Some(name) = named.into_iter().find(|name| metadata.contains_key(*name)) else {
        return Ok(Vec::new());
    };
    let object = Object::of_members(metadata);
    // Under the URI there may be the array, or an object with the member.
    let infos = match object.get(name) {
        Some(Value::Object(_)) => {
            object.at(name, |it| Object::of(it)?.each(INTENT_INFOS, read_info))?
        }
        _ => Some(object.each(name, read_info)?),
    };
    Ok(infos.unwrap_or_default())
}

fn read_info(value: &Value) -> Result<IntentInfo, Malformed> {
    let object = Object::of(value)?;
    Ok(IntentInfo {
        intent: object.needed_text("intent")?,
        slots: object.each("slots", read_slot)?,
    })
}

fn read_slot(value: &Value) -> Result<Slot, Malformed> {
    let object = Object::of(value)?;
    Ok(Slot {
        name: object.needed_text("name")?,
        value: object.said_text("value")?,
        norm_value: object.text("normValue")?,
    })
}

/// The intents as a member of metadata, for callers of an agent that declares the extension.
pub fn write_infos(infos: &[IntentInfo]) -> Metadata {
    let slot = |it: &Slot| -> Value {
        let members = Members::new()
            .with("name", it.name.as_str())
            .with("value", it.value.as_str());
        members.text("normValue", it.norm_value.as_ref()).into()
    };
    let info = |it: &IntentInfo| -> Value {
        let members = Members::new().with("intent", it.intent.as_str());
        members.each("slots", &it.slots, slot).into()
    };
    let infos: Value = infos.iter().map(info).collect();
    Metadata::from_iter([(INTENT_INFOS.to_owned(), infos)])
}

/// The routing of a message to a skill, by its intents.
#[derive(Clone, Debug, PartialEq)]
pub enum Routing {
    /// An ordinary message.
    None,
    /// To a skill.
    To {
        /// The first intent that names a known skill.
        info: IntentInfo,
        /// The parameters of that skill.
        input_schema: Map<String, Value>,
        /// The other intents, to be named in the metadata of the task.
        passed_over: Vec<String>,
    },
    /// No intent names a known skill: the text is used instead, with a warning.
    Unknown {
        /// The intents.
        intents: Vec<String>,
    },
}

/// Routes by intents, among the skills whose parameters are declared.
pub fn route(infos: Vec<IntentInfo>, skills: &[SkillExtension]) -> Routing {
    let known = |info: &IntentInfo| skills.iter().find(|skill| skill.id == info.intent);
    let first = infos
        .iter()
        .enumerate()
        .find_map(|(i, info)| Some((i, known(info)?)));
    let Some((chosen, skill)) = first else {
        let intents: Vec<String> = infos.into_iter().map(|info| info.intent).collect();
        return match intents.is_empty() {
            true => Routing::None,
            false => Routing::Unknown { intents },
        };
    };
    let mut others = infos;
    let info = others.remove(chosen);
    Routing::To {
        info,
        input_schema: skill.input_schema.clone(),
        passed_over: others.into_iter().map(|info| info.intent).collect(),
    }
}

#[cfg(test)]
mod tests;
