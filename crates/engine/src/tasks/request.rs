//! One request of `task-negotiate`, read: what it is about, what it means for the task.
//!
//! Pure reading, no state: who may ask and what follows is [`crate::tasks::negotiate`]'s.

use crate::refusal::{Field, InvalidInput};
use crate::tasks::message::Negotiate;
use crate::{Limits, Refusal};
use domain::content::{Content, ContentError, Payload};
use domain::identifier;
use domain::negotiation::RequestKey;
use domain::registry::Registration;
use domain::task::{Awaits, Conditions, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use schema::json::Budget;
use serde_json::json;

/// The schema of the answer to a capability request.
const CAPABILITY_SCHEMA: &str = "agent_capability_v1";

/// A request whose parties are known.
pub(crate) struct Routed {
    pub(crate) from: String,
    /// Whom it is for; perhaps nobody who is here.
    pub(crate) to: String,
    pub(crate) negotiate: Negotiate,
}

/// What the `content` of a message says.
pub(crate) struct Sections {
    /// Everything, read as one.
    pub(crate) content: Content,
    /// The alternatives of an offer, best first: each entry by itself, if there are several and
    /// each is complete. Else none.
    pub(crate) alternatives: Vec<Content>,
}

/// The sections of a message, completed by the fields that say the same.
pub(crate) fn sections(negotiate: &Negotiate) -> Result<Sections, Refusal> {
    let content = content_of(negotiate)?;
    let mut alternatives = alternatives(negotiate);
    if let (Some(typed), Some(first)) = (&negotiate.payload, alternatives.first_mut()) {
        if first.payload.is_some() {
            return Err(ContentError::SecondPayload.into());
        }
        first.payload = Some(typed.clone());
    }
    Ok(Sections {
        content,
        alternatives,
    })
}

fn alternatives(negotiate: &Negotiate) -> Vec<Content> {
    if !negotiates(negotiate.verb) || negotiate.texts.len() < 2 {
        return Vec::new();
    }
    let mut budget = Budget::default();
    let mut parse = |text: &String| Content::parse_within(&mut budget, [text.as_str()]);
    let each: Result<Vec<Content>, _> = negotiate.texts.iter().map(&mut parse).collect();
    each.unwrap_or_default()
}

fn content_of(negotiate: &Negotiate) -> Result<Content, Refusal> {
    if negotiate.texts.is_empty() {
        return Err(InvalidInput::Missing {
            verb: negotiate.verb,
            field: Field::Content,
        }
        .into());
    }
    let mut content = match Content::parse(negotiate.texts.iter().map(String::as_str)) {
        // Alternatives of an offer, each with a payload of its own: the first is the best.
        Err(ContentError::SecondPayload) if negotiates(negotiate.verb) => {
            Content::parse([negotiate.texts[0].as_str()])?
        }
        parsed => parsed?,
    };
    if let Some(expected) = &negotiate.expected_response {
        content.expected_response = Some(expected.clone());
    }
    content.terms.extend(negotiate.terms.iter().cloned());
    if let Some(typed) = &negotiate.payload {
        if content.payload.is_some() {
            return Err(ContentError::SecondPayload.into());
        }
        content.payload = Some(typed.clone());
    }
    Ok(content)
}

fn negotiates(verb: Verb) -> bool {
    matches!(
        verb,
        Verb::FeasibilityNegotiate | Verb::FulfillmentNegotiate
    )
}

pub(crate) fn named_task(negotiate: &Negotiate) -> Result<TaskId, Refusal> {
    negotiate.task.clone().ok_or(
        InvalidInput::Missing {
            verb: negotiate.verb,
            field: Field::Task,
        }
        .into(),
    )
}

/// The conditions of an assignment: fields, or sections that say the same.
pub(crate) fn conditions(
    negotiate: &Negotiate,
    content: &Content,
    limits: &Limits,
) -> Result<Conditions, Refusal> {
    let parent = section(content, "parent task", |t| Some(TaskId::new(t)))?;
    let deadline = section(content, "deadline", |t| Timestamp::parse(t).ok())?;
    let fulfillment = section(content, "fulfillment negotiation", |t| match t {
        "required" | "true" => Some(true),
        "false" => Some(false),
        _ => None,
    })?;
    let rounds = section(content, "round limit", |t| {
        t.parse().ok().filter(|r| (1..=100).contains(r))
    })?;
    let stated = negotiate.conversation.clone().map(called).transpose()?;
    let conversation = section(content, "conversation", |t| called(t.to_owned()).ok())?;
    let within = stated_patience(negotiate, content)?;
    Ok(Conditions {
        parent: agreed(Field::Parent, negotiate.parent.clone(), parent)?,
        deadline: agreed(Field::Deadline, negotiate.deadline, deadline)?,
        answer_within_ms: within.or(Some(limits.answer_within_ms)),
        fulfillment_demanded: agreed(Field::Fulfillment, negotiate.fulfillment, fulfillment)?
            .unwrap_or(false),
        round_limit: agreed(Field::RoundLimit, negotiate.round_limit, rounds)?.unwrap_or(0),
        subscription: negotiate.subscription.clone(),
        data: negotiate.data.clone(),
        context: negotiate.context.clone(),
        conversation: agreed(Field::Conversation, stated, conversation)?,
    })
}

/// What a conversation can be called.
fn called(name: String) -> Result<String, Refusal> {
    match is_identifier(&name) {
        true => Ok(name),
        false => Err(no_identifier(Field::Conversation)),
    }
}

/// How long the publisher says that it may stay silent, in milliseconds; none if it does not say.
pub(crate) fn stated_patience(
    negotiate: &Negotiate,
    content: &Content,
) -> Result<Option<i64>, Refusal> {
    let within = section(content, "answer within", |t| {
        t.parse::<u32>().ok().map(|s| i64::from(s) * 1_000)
    })?;
    agreed(Field::AnswerWithin, negotiate.answer_within_ms, within)
}

/// What a message says that it answers, if it says so; a plan answers nothing that is awaited.
pub(crate) fn in_reply_to(content: &Content) -> Result<Option<Option<Awaits>>, Refusal> {
    section(content, "in reply to", |word| match word {
        "plan" => Some(None),
        word => Awaits::parse(word).map(Some),
    })
}

/// What stands under a heading, read.
fn section<T>(
    content: &Content,
    heading: &'static str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, Refusal> {
    let Some(body) = content.section(heading) else {
        return Ok(None);
    };
    match read(body.trim()) {
        Some(value) => Ok(Some(value)),
        None => Err(Refusal::unusable(
            Field::Content,
            format!("'{body}' under '## {heading}' is not usable"),
        )),
    }
}

/// A field of its own and a section must not contradict each other.
fn agreed<T: PartialEq>(
    field: Field,
    stated: Option<T>,
    section: Option<T>,
) -> Result<Option<T>, Refusal> {
    match (&stated, &section) {
        (Some(said), Some(written)) if said != written => Err(Refusal::unusable(
            field,
            "the leaf and the section of the same name contradict each other",
        )),
        _ => Ok(stated.or(section)),
    }
}

/// What stands between the identifier of a task and the number of an answer to a question of it, where
/// that is recorded.
pub(crate) const ANSWERS: &str = "/answer/";

/// The identifier of a task, if it can be one. Nothing else may stand among the answers of another.
pub(crate) fn checked(id: &TaskId) -> Result<TaskId, Refusal> {
    match is_identifier(id.as_str()) && !id.as_str().contains(ANSWERS) {
        true => Ok(id.clone()),
        false => Err(no_identifier(Field::Task)),
    }
}

/// The same of a task that is to have parts, which stand behind its identifier and a slash.
pub(crate) fn checked_whole(id: &TaskId) -> Result<TaskId, Refusal> {
    checked(&TaskId::new(format!("{id}/")))?;
    checked(id)
}

/// The identifier of a task whose publisher named none.
pub(crate) fn of_platform(now: Timestamp, number: u64) -> TaskId {
    TaskId::new(format!("task-{}-{number}", now.as_ms()))
}

/// The identifier of the task that a forwarded request assigns without one: whoever is given it again finds the task.
pub(crate) fn of_request(key: RequestKey) -> TaskId {
    TaskId::new(format!("task-{}-{}", key.connection, key.offset))
}

/// True of what [`of_platform`] and [`of_request`] make. These can be guessed, so nobody else may use that form: then
/// it tells nothing that one of them cannot be had.
pub(crate) fn is_of_platform(id: &TaskId) -> bool {
    let numbers = id.as_str().strip_prefix("task-");
    let numbers = numbers.and_then(|rest| rest.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    numbers.is_some_and(|(time, count)| is_number(time) && is_number(count))
}

fn is_identifier(text: &str) -> bool {
    identifier::is_identifier(text, TaskId::LONGEST)
}

fn no_identifier(field: Field) -> Refusal {
    let why = format!("1 to {} bytes, {}", TaskId::LONGEST, identifier::RULE);
    Refusal::unusable(field, why)
}

/// Asynchronous or not: the field and the section must not contradict each other; neither means
/// synchronous (§5.2).
pub(crate) fn agreed_mode(negotiate: &Negotiate, content: &Content) -> Result<bool, Refusal> {
    match (negotiate.asynchronous, content.asynchronous) {
        (Some(stated), Some(section)) if stated != section => Err(Refusal::unusable(
            Field::Asynchronous,
            format!("the leaf says {stated}, the section '## asynchronous' says {section}"),
        )),
        (stated, section) => Ok(stated.or(section).unwrap_or(false)),
    }
}

/// What an agent can do and negotiate, and under which schemas (§4.1).
pub(crate) fn capability_content(registration: &Registration) -> Content {
    let profile = &registration.profile;
    let skills: Vec<_> = profile
        .skills
        .iter()
        .map(|s| json!({ "name": s.name, "description": s.description, "schemas": s.schemas }))
        .collect();
    let negotiate: Vec<&str> = profile
        .capability
        .negotiate
        .iter()
        .flat_map(|n| n.split(','))
        .map(str::trim)
        .collect();
    let payload = json!({
        "agent": profile.name,
        "streaming": profile.capability.streaming,
        "push_notifications": profile.capability.push_notifications,
        "negotiate": negotiate,
        "health": registration.health.as_str(),
        "skills": skills,
    });
    Content::new(profile.name.clone(), "capability of the agent")
        .with_payload(Payload::new(CAPABILITY_SCHEMA, payload))
}
