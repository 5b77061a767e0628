//! The result of each method in each dialect.

use super::push::{push_config, read_push_config};
use super::read::{Malformed, Object};
use super::write::Members;
use super::{read_event, read_task, sent, task};
use crate::event::{SendMessageResponse, StreamResponse};
use crate::method::Method;
use crate::response::{ListTasksResponse, PushConfigPage, Response};
use crate::version::Dialect;
use serde_json::{Value, json};

/// A result as JSON. v0.3 has no pages of push configurations: it gets an array.
pub fn result(dialect: Dialect, response: &Response) -> Value {
    match response {
        Response::Sent(it) => sent(dialect, it),
        Response::Task(it) => task(dialect, it),
        Response::Tasks(page) => tasks(dialect, page),
        Response::PushConfig(config) => push_config(dialect, config),
        Response::PushConfigs(page) => configs(dialect, page),
        Response::Deleted if dialect == Dialect::V03 => Value::Null,
        Response::Deleted => json!({}),
        Response::Card(card) => super::card(dialect.version(), card),
        Response::Schema(document) => document.clone(),
    }
}

fn tasks(dialect: Dialect, page: &ListTasksResponse) -> Value {
    json!({
        "tasks": page.tasks.iter().map(|it| task(dialect, it)).collect::<Value>(),
        "nextPageToken": page.next_page_token.as_deref().unwrap_or_default(),
        "pageSize": page.page_size,
        "totalSize": page.total_size,
    })
}

fn configs(dialect: Dialect, page: &PushConfigPage) -> Value {
    let configs: Value = page
        .configs
        .iter()
        .map(|it| push_config(dialect, it))
        .collect();
    match dialect {
        Dialect::V03 => configs,
        Dialect::V03Proto | Dialect::V10 => Members::new()
            .with("configs", configs)
            .text("nextPageToken", page.next_page_token.as_ref())
            .into(),
    }
}

/// Reads the result of a method.
///
/// # Errors
/// [`Malformed`]: the first member that is wrong; for a streaming method, whose answer is a
/// sequence of events ([`super::read_event`]), always.
pub fn read_result(dialect: Dialect, method: Method, value: &Value) -> Result<Response, Malformed> {
    match method {
        Method::SendMessage => read_sent(dialect, value).map(Response::Sent),
        Method::SendStreamingMessage | Method::SubscribeToTask => {
            Err(Malformed::whole("the answer is a stream of events"))
        }
        Method::GetTask | Method::CancelTask => read_task(dialect, value).map(Response::Task),
        Method::ListTasks => read_tasks(dialect, value).map(Response::Tasks),
        Method::CreatePushConfig | Method::GetPushConfig => {
            read_push_config(dialect, Object::of(value)?).map(Response::PushConfig)
        }
        Method::ListPushConfigs => read_configs(dialect, value).map(Response::PushConfigs),
        Method::DeletePushConfig => Ok(Response::Deleted),
        Method::GetExtendedCard => {
            super::read_card(value).map(|card| Response::Card(Box::new(card)))
        }
        Method::GetSchemaTemplate
        | Method::GetSchemaUpdates
        | Method::RequestCapabilityExtension => Ok(Response::Schema(value.clone())),
    }
}

fn read_sent(dialect: Dialect, value: &Value) -> Result<SendMessageResponse, Malformed> {
    match read_event(dialect, value)? {
        StreamResponse::Task(task) => Ok(SendMessageResponse::Task(task)),
        StreamResponse::Message(message) => Ok(SendMessageResponse::Message(message)),
        StreamResponse::Status(_) | StreamResponse::Artifact(_) => {
            Err(Malformed::whole("a task or a message is needed"))
        }
    }
}

fn read_tasks(dialect: Dialect, value: &Value) -> Result<ListTasksResponse, Malformed> {
    let object = Object::of(value)?;
    let tasks = object.each("tasks", |it| read_task(dialect, it))?;
    let count = u32::try_from(tasks.len()).unwrap_or(u32::MAX);
    Ok(ListTasksResponse {
        next_page_token: object.text("nextPageToken")?,
        page_size: object.count("pageSize")?.unwrap_or(count),
        total_size: object.count("totalSize")?.unwrap_or(count),
        tasks,
    })
}

fn read_configs(dialect: Dialect, value: &Value) -> Result<PushConfigPage, Malformed> {
    let read = |it| read_push_config(dialect, Object::of(it)?);
    if dialect == Dialect::V03 {
        let configs = super::read::entries(value, read)?;
        return Ok(PushConfigPage {
            configs,
            next_page_token: None,
        });
    }
    let object = Object::of(value)?;
    Ok(PushConfigPage {
        configs: object.each("configs", read)?,
        next_page_token: object.text("nextPageToken")?,
    })
}
