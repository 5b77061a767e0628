//! The tools that continue with the task of an earlier call: waiting for it, and answering its
//! question.
//!
//! Their names cannot clash with a skill's, which have an `_` after the agent. Read next:
//! [`crate::task`].

use super::call::Call;
use super::outcome;
use crate::output::Failure;
use crate::task::{Subject, refusal};
use domain::verb::Verb;
use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use server::client::NegotiateRequest;

/// The name of the tool that waits.
pub(super) const WAIT: &str = "wait";
/// The name of the tool that answers.
pub(super) const ANSWER: &str = "answer";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wait {
    task: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    task: String,
    answer: String,
    stance: Option<Stance>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stance {
    Accept,
    Reject,
}

/// Both tools.
pub(super) fn tools() -> [Tool; 2] {
    let task =
        json!({"type": "string", "description": "The task-id, as the tool that began it told"});
    let wait = json!({"task": task});
    let answer = json!({
        "task": task,
        "answer": {"type": "string", "minLength": 1, "description": "The answer, in plain words"},
        "stance": {
            "enum": ["accept", "reject"],
            "description": "Whether the decision, or the result, that the agent offers is accepted",
        },
    });
    [
        tool(
            WAIT,
            "Wait for a task",
            "Waits until a task has ended, or asks, and tells what came of it.",
            wait,
            &["task"],
        ),
        tool(
            ANSWER,
            "Answer a task",
            "Says to a task what it waits for, the answer to a question of its agent or the word on \
             what the agent offers, and waits for what comes of it.",
            answer,
            &["task", "answer"],
        ),
    ]
}

fn tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    properties: Value,
    required: &[&str],
) -> Tool {
    let members = [
        ("type", json!("object")),
        ("properties", properties),
        ("required", json!(required)),
        ("additionalProperties", json!(false)),
    ];
    let input = members.map(|(name, value)| (name.to_owned(), value));
    let input: JsonObject = input.into_iter().collect();
    Tool::new(name, description, input).with_title(title)
}

/// Waits for an existing task.
///
/// # Errors
/// The [`Failure`] of the request, refused if there is no such task.
pub(super) async fn wait(call: Call<'_>, arguments: JsonObject) -> Result<CallToolResult, Failure> {
    let Wait { task } = match read(arguments) {
        Ok(wait) => wait,
        Err(wrong) => return Ok(wrong),
    };
    let mut client = call.access.session().await?;
    Subject::known(&mut client, &task, &call.access.remote.user).await?;
    drop(client);
    Ok(call.waited(&task, None).await)
}

/// Sends the answer, and waits for the end as any call does.
///
/// # Errors
/// As of [`wait`].
pub(super) async fn answer(
    call: Call<'_>,
    arguments: JsonObject,
) -> Result<CallToolResult, Failure> {
    let Answer {
        task,
        answer,
        stance,
    } = match read(arguments) {
        Ok(answer) => answer,
        Err(wrong) => return Ok(wrong),
    };
    let mut client = call.access.session().await?;
    let subject = Subject::known(&mut client, &task, &call.access.remote.user).await?;
    let content = match stance {
        None => subject.answer(&answer),
        Some(Stance::Accept) => subject.judgement(&answer, "accept".to_owned()),
        Some(Stance::Reject) => {
            let points = refusal(std::slice::from_ref(&answer));
            subject.judgement(&answer, points)
        }
    };
    let request = subject.addressed(NegotiateRequest {
        content: vec![content],
        ..NegotiateRequest::default()
    });
    let verb = Verb::FulfillmentNegotiate;
    call.say(client, verb, &request, None).await
}

/// Parses the arguments; an error becomes the tool's error result.
fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, CallToolResult> {
    let read = serde_json::from_value(Value::Object(arguments));
    read.map_err(|wrong| outcome::failed(wrong.to_string()))
}
