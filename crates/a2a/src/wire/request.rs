//! The parameters of each method in each dialect.
//!
//! Over JSON-RPC they are `params`; over HTTP+JSON [`crate::rest`] gathers them from path, query
//! and body first.

use super::push::{bare, push_config, read_bare, read_push_config};
use super::read::{Malformed, Object};
use super::task::{read_task_state, task_state};
use super::write::Members;
use super::{message, read_message};
use crate::method::Method;
use crate::push::PushNotificationConfig;
use crate::request::{
    A2aRequest, CancelTask, GetTask, ListPushConfigs, ListTasks, PushConfigKey, SendMessage,
    SendMessageConfiguration,
};
use crate::schema_request::{ExtensionRequest, SchemaRequest, TemplateQuery, UpdatesQuery};
use crate::version::{Dialect, Version};
use serde_json::{Map, Value};

/// The parameters of a request as JSON.
pub fn params(dialect: Dialect, request: &A2aRequest) -> Value {
    let members = match request {
        A2aRequest::SendMessage(it) | A2aRequest::SendStreamingMessage(it) => send(dialect, it),
        A2aRequest::GetTask(it) => Members::new()
            .with("id", it.id.as_str())
            .maybe("historyLength", it.history_length),
        A2aRequest::ListTasks(it) => list(dialect, it),
        A2aRequest::CancelTask(it) => Members::new()
            .with("id", it.id.as_str())
            .free("metadata", &it.metadata),
        A2aRequest::SubscribeToTask(id) => Members::new().with("id", id.as_str()),
        A2aRequest::CreatePushConfig(it) => return push_config(dialect, it),
        A2aRequest::GetPushConfig(it) | A2aRequest::DeletePushConfig(it) => key(dialect, it),
        A2aRequest::ListPushConfigs(it) => Members::new()
            .with(task_name(dialect), it.task_id.as_str())
            .maybe("pageSize", it.page_size)
            .text("pageToken", it.page_token.as_ref()),
        A2aRequest::GetExtendedCard => Members::new(),
        A2aRequest::Schema(it) => it.members(),
    };
    members.into()
}

/// A request from its method and parameters.
///
/// # Errors
/// [`Malformed`]: the first parameter that is wrong.
pub fn read_params(
    dialect: Dialect,
    method: Method,
    params: &Map<String, Value>,
) -> Result<A2aRequest, Malformed> {
    let object = Object::of_members(params);
    Ok(match method {
        Method::SendMessage => A2aRequest::SendMessage(read_send(dialect, object)?),
        Method::SendStreamingMessage => {
            A2aRequest::SendStreamingMessage(read_send(dialect, object)?)
        }
        Method::GetTask => A2aRequest::GetTask(GetTask {
            id: object.needed_text("id")?,
            history_length: object.count("historyLength")?,
        }),
        Method::ListTasks => A2aRequest::ListTasks(read_list(dialect, object)?),
        Method::CancelTask => A2aRequest::CancelTask(CancelTask {
            id: object.needed_text("id")?,
            metadata: object.free("metadata")?,
        }),
        Method::SubscribeToTask => A2aRequest::SubscribeToTask(object.needed_text("id")?),
        Method::CreatePushConfig => A2aRequest::CreatePushConfig(read_create(dialect, object)?),
        Method::GetPushConfig => A2aRequest::GetPushConfig(read_key(dialect, object, false)?),
        Method::DeletePushConfig => A2aRequest::DeletePushConfig(read_key(dialect, object, true)?),
        Method::ListPushConfigs => A2aRequest::ListPushConfigs(ListPushConfigs {
            task_id: object.needed_text(task_name(dialect))?,
            page_size: object.count("pageSize")?,
            page_token: object.text("pageToken")?,
        }),
        Method::GetExtendedCard => A2aRequest::GetExtendedCard,
        Method::GetSchemaTemplate => {
            A2aRequest::Schema(SchemaRequest::Template(TemplateQuery::read(object)?))
        }
        Method::GetSchemaUpdates => {
            A2aRequest::Schema(SchemaRequest::Updates(UpdatesQuery::read(object)?))
        }
        Method::RequestCapabilityExtension => {
            A2aRequest::Schema(SchemaRequest::Extension(ExtensionRequest::read(object)?))
        }
    })
}

fn send(dialect: Dialect, it: &SendMessage) -> Members {
    let configuration = configuration(dialect, &it.configuration).into_map();
    Members::new()
        .with("message", message(dialect, &it.message))
        .free("configuration", &configuration)
        .free("metadata", &it.metadata)
}

fn read_send(dialect: Dialect, object: Object<'_>) -> Result<SendMessage, Malformed> {
    let configuration = object.at("configuration", |it| read_configuration(dialect, it))?;
    Ok(SendMessage {
        message: object.needed("message", |it| read_message(dialect, it))?,
        configuration: configuration.unwrap_or_default(),
        metadata: object.free("metadata")?,
    })
}

fn configuration(dialect: Dialect, it: &SendMessageConfiguration) -> Members {
    let members = Members::new()
        .texts("acceptedOutputModes", &it.accepted_output_modes)
        .maybe("historyLength", it.history_length)
        .maybe(
            push_name(dialect),
            it.push.as_ref().map(|push| bare(dialect, push)),
        );
    match dialect.version() {
        Version::V10 => members.flag("returnImmediately", it.return_immediately),
        // v0.3 leaves open what absence means, so both are said.
        Version::V03 => members.with("blocking", !it.return_immediately),
    }
}

/// Reads the configuration of a message; waiting is the default (v1.0 §3.2.2), in v0.3 too.
fn read_configuration(
    dialect: Dialect,
    value: &Value,
) -> Result<SendMessageConfiguration, Malformed> {
    let object = Object::of(value)?;
    let return_immediately = match dialect.version() {
        Version::V10 => object.flag("returnImmediately")?.unwrap_or(false),
        Version::V03 => !object.flag("blocking")?.unwrap_or(true),
    };
    Ok(SendMessageConfiguration {
        accepted_output_modes: object.texts("acceptedOutputModes")?,
        history_length: object.count("historyLength")?,
        return_immediately,
        push: object.at(push_name(dialect), |it| read_bare(dialect, Object::of(it)?))?,
    })
}

fn push_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::V10 => "taskPushNotificationConfig",
        Dialect::V03 => "pushNotificationConfig",
        Dialect::V03Proto => "pushNotification",
    }
}

fn list(dialect: Dialect, it: &ListTasks) -> Members {
    Members::new()
        .text("contextId", it.context_id.as_ref())
        .maybe("status", it.status.map(|state| task_state(dialect, state)))
        .maybe(
            "statusTimestampAfter",
            it.changed_since.map(|at| at.to_string()),
        )
        .maybe("pageSize", it.page_size)
        .text("pageToken", it.page_token.as_ref())
        .maybe("historyLength", it.history_length)
        .flag("includeArtifacts", it.include_artifacts)
}

fn read_list(dialect: Dialect, object: Object<'_>) -> Result<ListTasks, Malformed> {
    Ok(ListTasks {
        context_id: object.text("contextId")?,
        status: object.at("status", |it| read_task_state(dialect, it))?,
        changed_since: object.instant("statusTimestampAfter")?,
        page_size: object.count("pageSize")?,
        page_token: object.text("pageToken")?,
        history_length: object.count("historyLength")?,
        include_artifacts: object.flag("includeArtifacts")?.unwrap_or_default(),
    })
}

fn read_create(dialect: Dialect, object: Object<'_>) -> Result<PushNotificationConfig, Malformed> {
    let config = read_push_config(dialect, object)?;
    match config.task_id {
        Some(_) => Ok(config),
        None => Err(Malformed::member("taskId", "is missing")),
    }
}

/// The member that names the task of push configurations.
fn task_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::V10 => "taskId",
        Dialect::V03 | Dialect::V03Proto => "id",
    }
}

/// The member that names a push configuration.
fn config_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::V10 => "id",
        Dialect::V03 | Dialect::V03Proto => "pushNotificationConfigId",
    }
}

fn key(dialect: Dialect, it: &PushConfigKey) -> Members {
    Members::new()
        .with(task_name(dialect), it.task_id.as_str())
        .text(config_name(dialect), it.id.as_ref())
}

/// Reads the key of a push configuration. In v0.3 §7.6 a reader may leave the identifier out; v1.0
/// needs it.
fn read_key(
    dialect: Dialect,
    object: Object<'_>,
    is_needed: bool,
) -> Result<PushConfigKey, Malformed> {
    let task_id = object.needed_text(task_name(dialect))?;
    let id = match is_needed || dialect == Dialect::V10 {
        true => Some(object.needed_text(config_name(dialect))?),
        false => object.text(config_name(dialect))?,
    };
    Ok(PushConfigKey { task_id, id })
}
