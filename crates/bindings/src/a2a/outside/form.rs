//! In which words a task is said to an agent elsewhere: chosen by its card, and by what the task holds.
//!
//! Typed data if it takes the payload's schema (002), a prompt if it knows a template for it (A2A-T), an
//! intent if a skill's slots are filled by the payload (004), else words. Nothing is guessed: an intent is said only if one skill alone fits, and
//! all that the payload says has a place there. Another dialect is one more [`TaskForm`]. Read next:
//! [`super::remote_task`], which says it.

use super::remote_agent::RemoteAgent;
use super::task_context::TaskContext;
use super::telecom::{self, Asked};
use a2a::intent::{self, IntentInfo, SkillExtension, Slot};
use a2a::message::{Message, Part, Role};
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::{objects, schema_part};
use domain::content::{Content, Payload};
use domain::task::TaskId;
use schema::template::OTHER;
use serde_json::Value;

/// The form in which a task is said.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TaskForm {
    /// As data of a schema.
    Typed(Payload),
    /// As a prompt of A2A-T.
    Prompt(TelecomEnvelope),
    /// As an intent with its slots.
    Intent(IntentInfo),
    /// In words.
    Words,
}

impl TaskForm {
    /// The form in which an agent is told of a task.
    pub(super) fn of(
        peer: &RemoteAgent,
        known: &TaskContext,
        task: &TaskId,
        content: &Content,
    ) -> Self {
        let Some(payload) = &content.payload else {
            return Self::Words;
        };
        let prompt = telecom::assignment(peer, known, task, payload);
        let is_typed = peer.inputs.contains(&payload.schema_id);
        match prompt {
            // What was agreed on in A2A-T is assigned in it, under its context.
            Some(prompt) if !is_typed || known.agreed().is_some() => return Self::Prompt(prompt),
            _ if is_typed => return Self::Typed(payload.clone()),
            _ => {}
        }
        let mut fitting = peer.intents.iter().filter_map(|it| slots(it, payload));
        match (fitting.next(), fitting.next()) {
            (Some(info), None) => Self::Intent(info),
            _ => Self::Words,
        }
    }

    /// True if the agent is to report from now on, each time as an artifact.
    pub(super) fn is_subscription(&self) -> bool {
        matches!(self, Self::Prompt(prompt) if telecom::is_subscription(prompt))
    }

    /// The message that begins the task.
    pub(super) fn message(self, id: String, content: &Content) -> Message {
        match self {
            Self::Typed(payload) => {
                let typed = objects::typed(&payload.schema_id, payload.values);
                let said = Part::text(words(content));
                extended(
                    Message::new(id, Role::User, vec![typed, said]),
                    objects::URI,
                )
            }
            Self::Prompt(prompt) => telecom::carrying(prompt, id, &words(content)),
            Self::Intent(info) => {
                let said = vec![Part::text(words(content))];
                let mut message = Message::new(id, Role::User, said);
                message.metadata = intent::write_infos(&[info]);
                extended(message, intent::URI)
            }
            Self::Words => {
                let said = vec![Part::text(words_and_values(content))];
                Message::new(id, Role::User, said)
            }
        }
    }
}

fn extended(mut message: Message, extension: &str) -> Message {
    message.extensions = vec![extension.to_owned()];
    message
}

/// The message that goes on with a task. What was asked for in A2A-T is answered in it; else typed input
/// is for the beginning of a task alone (F23), so that a payload is a plain one if the agent reads such,
/// and words if not.
pub(super) fn going_on(
    peer: &RemoteAgent,
    known: &TaskContext,
    asked: Option<&Asked>,
    id: String,
    content: &Content,
) -> Message {
    let answer = asked.and_then(|asked| {
        let said = content
            .result
            .as_deref()
            .unwrap_or(&content.task_description);
        asked.answered(&known.telecom(peer)?, content, said)
    });
    if let Some(answer) = answer {
        return telecom::carrying(answer, id, &words_and_values(content));
    }
    let plain = content.payload.as_ref().map(schema_part::payload_part);
    let with = |part| {
        Message::new(
            id.clone(),
            Role::User,
            vec![Part::text(words(content)), part],
        )
    };
    match plain.map(with).filter(|it| peer.card.reads(it).is_ok()) {
        Some(message) => message,
        None => Message::new(id, Role::User, vec![Part::text(words_and_values(content))]),
    }
}

/// The payload as slots of a skill: none if something needed is missing, or something said has no slot.
fn slots(skill: &SkillExtension, payload: &Payload) -> Option<IntentInfo> {
    let known = skill.input_schema.get("properties")?.as_object()?;
    let needed = skill.input_schema.get("required").and_then(Value::as_array);
    let mut needed = needed.into_iter().flatten().filter_map(Value::as_str);
    if !needed.all(|name| payload.values.contains_key(name)) {
        return None;
    }
    let slot = |(name, value): (&String, &Value)| {
        known.contains_key(name).then(|| Slot {
            name: name.clone(),
            value: text_of(value),
            norm_value: None,
        })
    };
    let said = payload.values.iter().filter(|(name, _)| *name != OTHER);
    Some(IntentInfo {
        intent: skill.id.clone(),
        slots: said.map(slot).collect::<Option<_>>()?,
    })
}

/// A value as a slot holds it: texts as they are, all else as JSON.
fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The sections of a content that say something to its reader, as plain words.
fn words(content: &Content) -> String {
    let mut lines = vec![content.task_description.clone()];
    if !content.task_description.contains(&content.target_object) {
        lines.push(format!("It is about: {}", content.target_object));
    }
    let sections = [
        ("Circumstances", &content.environmental_information),
        ("Expected", &content.expected_response),
        ("Said", &content.result),
    ];
    for (name, said) in sections {
        lines.extend(said.iter().map(|said| format!("{name}: {said}")));
    }
    lines.extend(
        content
            .terms
            .iter()
            .map(|(term, is)| format!("{term}: {is}")),
    );
    lines.join("\n")
}

/// The same, with the payload as lines `key: value`.
fn words_and_values(content: &Content) -> String {
    let values = content.payload.iter().flat_map(|it| &it.values);
    let values = values.map(|(key, value)| format!("\n{key}: {}", text_of(value)));
    std::iter::once(words(content)).chain(values).collect()
}
