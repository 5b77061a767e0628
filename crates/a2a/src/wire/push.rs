//! Push configurations in each dialect (v1.0 §4.3.1; v0.3 §6.8 to §6.10), and what is pushed.
//!
//! v1.0 has one flat object; v0.3 puts the configuration beside its task, and over HTTP+JSON names
//! both by a path.

use super::read::{Malformed, Object, text};
use super::task::{event as write_event, task as write_task};
use super::write::Members;
use crate::event::StreamResponse;
use crate::push::{AuthenticationInfo, PushNotificationConfig};
use crate::task::Task;
use crate::version::{Dialect, Version};
use serde_json::Value;

/// The member of v0.3 that holds a configuration beside its task.
const CONFIG: &str = "pushNotificationConfig";

/// A configuration with its task.
pub(super) fn push_config(dialect: Dialect, config: &PushNotificationConfig) -> Value {
    let members = match dialect {
        Dialect::V10 => bare(dialect, config),
        Dialect::V03 => Members::new()
            .text("taskId", config.task_id.as_ref())
            .with(CONFIG, bare(dialect, config)),
        Dialect::V03Proto => Members::new()
            .maybe("name", path(config))
            .with(CONFIG, bare(dialect, config)),
    };
    members.into()
}

/// A configuration as a member of a message's configuration.
pub(super) fn bare(dialect: Dialect, config: &PushNotificationConfig) -> Members {
    let task_id = config.task_id.as_ref().filter(|_| dialect == Dialect::V10);
    let authentication = config.authentication.as_ref();
    Members::new()
        .text("taskId", task_id)
        .text("id", config.id.as_ref())
        .with("url", config.url.as_str())
        .text("token", config.token.as_ref())
        .maybe(
            "authentication",
            authentication.map(|it| write_authentication(dialect, it)),
        )
}

fn write_authentication(dialect: Dialect, it: &AuthenticationInfo) -> Members {
    let members = match dialect {
        Dialect::V10 => Members::new().with("scheme", it.scheme.as_str()),
        _ => Members::new().with("schemes", vec![it.scheme.as_str()]),
    };
    members.text("credentials", it.credentials.as_ref())
}

/// `tasks/{id}/pushNotificationConfigs/{id}`, the name of a configuration in the ProtoJSON of v0.3.
fn path(config: &PushNotificationConfig) -> Option<String> {
    let task_id = config.task_id.as_ref()?;
    let id = config.id.as_ref()?;
    Some(format!("tasks/{task_id}/pushNotificationConfigs/{id}"))
}

/// Reads a configuration with its task, which may be given elsewhere in the request.
pub(super) fn read_push_config(
    dialect: Dialect,
    object: Object<'_>,
) -> Result<PushNotificationConfig, Malformed> {
    let inner = || object.needed(CONFIG, |it| read_bare(dialect, Object::of(it)?));
    match dialect {
        Dialect::V10 => read_bare(dialect, object),
        Dialect::V03 => {
            let config = inner()?;
            let task_id = object.text("taskId")?;
            Ok(PushNotificationConfig { task_id, ..config })
        }
        Dialect::V03Proto => {
            let config = inner()?;
            let named = object.text("name")?;
            let (task_id, id) = named.as_deref().and_then(read_path).unzip();
            Ok(PushNotificationConfig {
                task_id,
                id: config.id.or(id),
                ..config
            })
        }
    }
}

fn read_path(name: &str) -> Option<(String, String)> {
    let (task_id, id) = name
        .strip_prefix("tasks/")?
        .split_once("/pushNotificationConfigs/")?;
    Some((task_id.to_owned(), id.to_owned()))
}

pub(super) fn read_bare(
    dialect: Dialect,
    object: Object<'_>,
) -> Result<PushNotificationConfig, Malformed> {
    let task_id = match dialect {
        Dialect::V10 => object.text("taskId")?,
        _ => None,
    };
    Ok(PushNotificationConfig {
        id: object.text("id")?,
        task_id,
        url: object.needed_text("url")?,
        token: object.text("token")?,
        authentication: object.at("authentication", |it| read_authentication(dialect, it))?,
    })
}

fn read_authentication(dialect: Dialect, value: &Value) -> Result<AuthenticationInfo, Malformed> {
    let object = Object::of(value)?;
    let scheme = match dialect {
        Dialect::V10 => object.needed_text("scheme")?,
        _ => object.needed("schemes", first_text)?,
    };
    Ok(AuthenticationInfo {
        scheme,
        credentials: object.text("credentials")?,
    })
}

fn first_text(value: &Value) -> Result<String, Malformed> {
    let all = super::read::entries(value, text)?;
    let first = all.into_iter().next();
    first.ok_or_else(|| Malformed::whole("one scheme at least is needed"))
}

/// The body of a push notification: for a v1.0 client the event, for a v0.3 client the task after
/// the event (v1.0 §4.3.3, v0.3 §9.5).
pub fn push_body(version: Version, event: &StreamResponse, task: &Task) -> Value {
    match version {
        Version::V10 => write_event(Dialect::V10, event),
        Version::V03 => write_task(Dialect::V03, task),
    }
}
