//! The MCP resources: agents and tasks, in the JSON of the commands' `--json`.
//!
//! Read next: [`crate::agent`], [`crate::task`].

use super::Access;
use crate::output::Failure;
use crate::remote::{REGISTRY, entries, entry, get, pages};
use crate::{agent, task};
use domain::task::Status;
use netconf::data::Node;
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::Value;
use server::client::Client;
use server::http::router::decoded;
use std::borrow::Cow;

/// The media type of all of them.
pub(super) const JSON: &str = "application/json";

const AGENTS: &str = "convoke://agents";
const TASKS: &str = "convoke://tasks";

/// The fixed resources.
pub(super) fn resources() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, description: &str| {
        let resource = Resource::new(uri, name).with_mime_type(JSON);
        resource.with_description(description)
    };
    vec![
        resource(
            AGENTS,
            "agents",
            "Every registered agent: profile and health",
        ),
        resource(TASKS, "tasks", "Every task that has not ended"),
    ]
}

/// The resource templates, for one agent or task by name.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, description: &str| {
        let template = ResourceTemplate::new(uri, name).with_mime_type(JSON);
        template.with_description(description)
    };
    vec![
        template("convoke://agents/{name}", "agent", "An agent, by name"),
        template("convoke://tasks/{id}", "task", "A task, by task-id"),
    ]
}

/// The URI of a task.
pub(super) fn task_uri(id: &str) -> String {
    let kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let written = id.bytes().map(|byte| match kept(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    format!("{TASKS}/{}", written.collect::<String>())
}

/// The content of a URI; none if there is none, or none that the user may see.
///
/// # Errors
/// The [`Failure`] of the request.
pub(super) async fn read(access: &Access, uri: &str) -> Result<Option<Value>, Failure> {
    let under = |of: &str| named(uri.strip_prefix(of)?.strip_prefix('/')?);
    let mut client = access.session().await?;
    match (uri, under(AGENTS), under(TASKS)) {
        (AGENTS, ..) => agents(&mut client).await.map(Some),
        (TASKS, ..) => open_tasks(&mut client).await.map(Some),
        (_, Some(name), _) => one(&mut client, "agent", "name", &name).await,
        (_, _, Some(id)) => one(&mut client, "task", "task-id", &id).await,
        _ => Ok(None),
    }
}

async fn agents(client: &mut Client) -> Result<Value, Failure> {
    let filter = Node::container(REGISTRY, "registry").with(Node::container("", "agent"));
    let document = get(client, &filter).await?;
    Ok(entries(&document, "agent").map(agent::object).collect())
}

async fn open_tasks(client: &mut Client) -> Result<Value, Failure> {
    let open = Status::ALL.into_iter().filter(|s| !s.is_terminal());
    let asked: Vec<(&str, &str)> = open.map(|s| ("status", s.as_str())).collect();
    let mut tasks = Vec::new();
    pages(client, "get-tasks", &asked, |it| {
        tasks.push(task::object(it))
    })
    .await?;
    Ok(Value::Array(tasks))
}

async fn one(
    client: &mut Client,
    list: &str,
    key: &str,
    value: &str,
) -> Result<Option<Value>, Failure> {
    let object = match list {
        "agent" => agent::object,
        _ => task::object,
    };
    let document = entry(client, list, key, value).await?;
    Ok(entries(&document, list).next().map(object))
}

/// The decoded name in a segment of a URI; none if it is empty or malformed.
fn named(segment: &str) -> Option<String> {
    let name = decoded(segment).filter(|name| !name.is_empty());
    name.map(Cow::into_owned)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_read_as_they_are_written() {
        for id in ["t-1", "a/b c", "100 %", "站点"] {
            let uri = task_uri(id);
            let segment = uri.strip_prefix("convoke://tasks/").unwrap();
            assert!(segment.is_ascii() && !segment.contains('/'), "{uri}");
            assert_eq!(named(segment).as_deref(), Some(id));
        }
        for wrong in ["", "%", "%4", "%zz", "%+4", "%ff"] {
            assert_eq!(named(wrong), None, "{wrong}");
        }
    }
}
