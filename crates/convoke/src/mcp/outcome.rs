//! The result of a call: the structured content that a tool promises, or an error.
//!
//! A result that conforms to the promised schema is structured content; any other outcome is a tool
//! error in words, as clients rely on the promise. The task and its state are in the metadata. Read
//! next: [`super::call`].

use super::library::{JSON, task_uri};
use domain::content::Content;
use domain::reply::Reply;
use domain::task::Status;
use netconf::error::RpcError;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Resource};
use serde_json::{Value, json};
use std::time::Duration;

/// The result for the state of a task. `promised` is the schema of results that the tool declares,
/// if any.
pub(super) fn of(task: &str, reply: &Reply, promised: Option<&str>) -> CallToolResult {
    let words = words(reply);
    match reply.status {
        Some(Status::Finished) => finished(reply, words, promised),
        Some(Status::InputRequired | Status::AuthRequired) => {
            let asked =
                format!("Task {task} waits for you: {words}\nTell it by the tool 'answer'.");
            CallToolResult::error(vec![ContentBlock::text(asked), link(task)])
        }
        status => {
            let how = status.map_or(reply.verdict.as_str(), Status::as_str);
            let why = Some(words).filter(|words| !words.is_empty());
            let why = why.map_or_else(String::new, |words| format!(": {words}"));
            failed(format!("Task {task} ended as {how}{why}"))
        }
    }
    .with_meta(about(task, reply.status))
}

fn finished(reply: &Reply, words: String, promised: Option<&str>) -> CallToolResult {
    let payload = reply.content.iter().find_map(|it| it.payload.as_ref());
    let values = payload.map(|it| Value::Object(it.values.clone()));
    let schema = payload.map(|it| it.schema_id.as_str());
    // Words first; values as text are for clients that know no structured content.
    let said = std::iter::once(words).chain(values.as_ref().map(Value::to_string));
    let content = said.map(ContentBlock::text).collect();
    if promised.is_some() && promised != schema {
        return CallToolResult::error(content);
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = values;
    result
}

/// The text of a reply; alternatives are numbered.
fn words(reply: &Reply) -> String {
    let said = |content: &Content| {
        let said = content.result.as_ref();
        said.unwrap_or(&content.task_description).clone()
    };
    match reply.content.as_slice() {
        [] => reply.reasons.iter().map(|it| it.message.clone()).collect(),
        [one] => said(one),
        several => {
            let numbered = several.iter().enumerate();
            let numbered = numbered.map(|(place, it)| format!("{}. {}", place + 1, said(it)));
            numbered.collect::<Vec<_>>().join("\n")
        }
    }
}

/// The result of a refusal by the platform, with all its errors.
pub(super) fn refused(errors: &[RpcError]) -> CallToolResult {
    let reason = |error: &RpcError| error.message.clone().unwrap_or_else(|| error.to_string());
    let reasons: Vec<String> = errors.iter().map(reason).collect();
    failed(reasons.join("\n"))
}

/// The result of a refusal by the agent.
pub(super) fn declined(reply: &Reply) -> CallToolResult {
    let reasons = reply.reasons.iter();
    let reasons: Vec<String> = reasons
        .map(|it| format!("{}: {}", it.reason, it.message))
        .collect();
    let task = reply.task.as_ref();
    let meta = task.and_then(|task| about(task.as_str(), reply.status));
    failed(reasons.join("\n")).with_meta(meta)
}

/// The result of a call that timed out while its task goes on.
pub(super) fn pending(task: &str, seen: Option<Status>, patience: Duration) -> CallToolResult {
    let seconds = patience.as_secs();
    let state = seen.map_or("not known", Status::as_str);
    let words = format!(
        "Task {task} is {state} after {seconds} s and goes on. The tool 'wait' waits for its end."
    );
    let result = CallToolResult::error(vec![ContentBlock::text(words), link(task)]);
    result.with_meta(about(task, seen))
}

/// The result of a call without any answer yet.
pub(super) fn unanswered(patience: Duration) -> CallToolResult {
    failed(format!(
        "There is no answer after {} s.",
        patience.as_secs()
    ))
}

/// Adds warnings about the payload to a result.
pub(super) fn with_warnings(mut result: CallToolResult, warnings: &[String]) -> CallToolResult {
    let told = warnings.iter().map(|warning| format!("warning: {warning}"));
    result.content.extend(told.map(ContentBlock::text));
    result
}

/// The result of a call whose task's outcome is unknown.
pub(super) fn lost(task: &str, why: &str) -> CallToolResult {
    let words = format!("{why}. Task {task} goes on as far as is known.");
    let result = CallToolResult::error(vec![ContentBlock::text(words), link(task)]);
    result.with_meta(about(task, None))
}

/// An error with this text alone.
pub(super) fn failed(words: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(words)])
}

/// A link to the resource of the task.
fn link(task: &str) -> ContentBlock {
    let resource = Resource::new(task_uri(task), task);
    ContentBlock::resource_link(resource.with_mime_type(JSON))
}

fn about(task: &str, status: Option<Status>) -> Option<MetaObject> {
    let mut meta = MetaObject::new();
    meta.0.insert("convoke/task-id".to_owned(), json!(task));
    if let Some(status) = status {
        let status = json!(status.as_str());
        meta.0.insert("convoke/task-status".to_owned(), status);
    }
    Some(meta)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use domain::content::Payload;
    use domain::reply::Verdict;
    use domain::task::Status::{AuthRequired, Failed, Finished, InputRequired};

    fn reply(status: Status, content: Content) -> Reply {
        Reply {
            status: Some(status),
            ..Reply::new(Verdict::Result, vec![content])
        }
    }

    fn said() -> Content {
        Content::new("router:A", "diagnosed").with_result("all is well")
    }

    fn texts(result: &CallToolResult) -> Vec<&str> {
        let content = result.content.iter();
        content
            .filter_map(|it| Some(it.as_text()?.text.as_str()))
            .collect()
    }

    /// A result that conforms to its schema is structured content, and nothing else is.
    #[test]
    fn a_result_is_structured_if_it_keeps_to_what_is_promised() {
        let typed = said().with_payload(Payload::new("found_v1", json!({"fault": false})));
        for (content, promised, structured) in [
            (
                typed.clone(),
                Some("found_v1"),
                Some(json!({"fault": false})),
            ),
            (typed.clone(), None, Some(json!({"fault": false}))),
            (typed, Some("found_v2"), None),
            (said(), Some("found_v1"), None),
            (said(), None, None),
        ] {
            let result = of("t", &reply(Finished, content), promised);
            assert_eq!(result.structured_content, structured);
            let kept = promised.is_none() || structured.is_some();
            assert_eq!(result.is_error, Some(!kept), "{promised:?}");
            assert!(texts(&result)[0].starts_with("all is well"));
            assert_eq!(result.meta.unwrap().0["convoke/task-status"], "finished");
        }
    }

    #[test]
    fn what_did_not_finish_is_an_error_that_says_what_is_awaited_of_whom() {
        let asked = Content::new("router:A", "which card?");
        for (status, expected) in [
            (InputRequired, "Task t waits for you: which card?"),
            (AuthRequired, "Task t waits for you: which card?"),
            (Failed, "Task t ended as failed: which card?"),
        ] {
            let result = of("t", &reply(status, asked.clone()), Some("found_v1"));
            assert_eq!(result.is_error, Some(true));
            assert_eq!(result.structured_content, None);
            assert!(texts(&result)[0].starts_with(expected), "{result:?}");
        }
    }
}
