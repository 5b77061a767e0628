//! One request of `task-negotiate`, read: what it is about, what it means for the task.
//!
//! Pure reading, no state: who may ask and what follows is [`crate::negotiate`]'s.

use crate::Refusal;
use crate::operation::Negotiate;
use domain::content::{Content, Payload};
use domain::profile::Profile;
use domain::task::{Command, Task, TaskId};
use serde_json::json;

/// The schema of the answer to a capability request.
const CAPABILITY_SCHEMA: &str = "agent_capability_v1";

/// A request whose parties are known.
pub(crate) struct Routed {
    pub(crate) from: String,
    pub(crate) to: usize,
    pub(crate) to_name: String,
    pub(crate) negotiate: Negotiate,
}

impl Routed {
    /// The sections of the request, completed by the leaves that say the same.
    pub(crate) fn content(&self) -> Result<Content, Refusal> {
        let negotiate = &self.negotiate;
        if negotiate.texts.is_empty() {
            return Err(Refusal::MissingLeaf {
                verb: negotiate.verb,
                leaf: "content",
            });
        }
        let mut content = Content::parse(negotiate.texts.iter().map(String::as_str))?;
        if let Some(expected) = &negotiate.expected_response {
            content.expected_response = Some(expected.clone());
        }
        content.terms.extend(negotiate.terms.iter().cloned());
        Ok(content)
    }
}

pub(crate) fn task_leaf(routed: &Routed) -> Result<TaskId, Refusal> {
    let verb = routed.negotiate.verb;
    routed.negotiate.task.clone().ok_or(Refusal::MissingLeaf {
        verb,
        leaf: "task-id",
    })
}

pub(crate) fn checked(id: &TaskId) -> Result<TaskId, Refusal> {
    let text = id.as_str();
    if text.is_empty() || text.len() > TaskId::LONGEST || text.chars().any(char::is_control) {
        let why = format!("1 to {} bytes without control characters", TaskId::LONGEST);
        return Err(Refusal::BadLeaf {
            leaf: "task-id",
            why,
        });
    }
    Ok(id.clone())
}

/// Asynchronous or not: the leaf and the section must not contradict each other; neither means
/// synchronous (§5.2).
pub(crate) fn agreed_mode(negotiate: &Negotiate, content: &Content) -> Result<bool, Refusal> {
    match (negotiate.asynchronous, content.asynchronous) {
        (Some(leaf), Some(section)) if leaf != section => Err(Refusal::BadLeaf {
            leaf: "task-async",
            why: format!("the leaf says {leaf}, the section '## asynchronous' says {section}"),
        }),
        (leaf, section) => Ok(leaf.or(section).unwrap_or(false)),
    }
}

/// What the publisher's message means for the task: `accept` or `reject` under `## result` while
/// a result waits for judgement, and an answer while a question does.
pub(crate) fn judgement(task: &Task, content: &Content) -> Result<Command, Refusal> {
    let word = content
        .result
        .as_deref()
        .and_then(|r| r.split_whitespace().next());
    let word = word.map(|w| w.trim_end_matches(|c: char| !c.is_alphanumeric()));
    match word.map(str::to_lowercase).as_deref() {
        Some("accept" | "accepted") => Ok(Command::Accept),
        Some("reject" | "rejected") => Ok(Command::Reject(content.clone())),
        _ if task.awaits_judgement() => Err(Refusal::BadLeaf {
            leaf: "content",
            why: "a result waits for judgement: '## result' must say accept or reject".to_owned(),
        }),
        _ => Ok(Command::Answer(content.clone())),
    }
}

pub(crate) fn capability_content(profile: &Profile) -> Content {
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
        "skills": skills,
    });
    Content::new(profile.name.clone(), "capability of the agent")
        .with_payload(Payload::new(CAPABILITY_SCHEMA, payload))
}
