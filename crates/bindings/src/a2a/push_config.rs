//! Push configurations as A2A knows them (v1.0 §3.1.7 to §3.1.10, v0.3 §7.5 to §7.8).
//!
//! Refuses to know addresses: which are allowed is asked of the engine. Read next: [`super::push`], what
//! is told by them; `engine`'s `push`.

use super::error;
use super::request_context::RequestContext;
use a2a::error::Error;
use a2a::page;
use a2a::push::{AuthenticationInfo, PushNotificationConfig};
use a2a::request::{ListPushConfigs, PushConfigKey};
use a2a::response::PushConfigPage;
use a2a::version::Version;
use domain::push;
use domain::task::TaskId;
use engine::query::PushConfigsOf;
use engine::{ForgetPush, KeepPush};

impl RequestContext<'_> {
    /// Has a task told.
    pub(super) async fn create_push(
        &self,
        config: PushNotificationConfig,
        version: Version,
    ) -> Result<PushNotificationConfig, Error> {
        let task = self.task(config.task_id.as_deref().unwrap_or_default())?;
        self.keep_push(&task.id, config, version).await
    }

    /// The same of a task that the principal may read.
    pub(super) async fn keep_push(
        &self,
        task: &TaskId,
        config: PushNotificationConfig,
        version: Version,
    ) -> Result<PushNotificationConfig, Error> {
        let kept = kept(task, config, version);
        let kept = self.execute(KeepPush(kept)).await;
        kept.map(told).map_err(|it| error::refused(&it))
    }

    /// A configuration of the principal's own. v0.3 may leave out which: the one that has no
    /// identifier of its own, or the first.
    pub(super) fn push_config(&self, key: &PushConfigKey) -> Result<PushNotificationConfig, Error> {
        let own = self.push_configs(&key.task_id)?;
        let id = key.id.as_deref().unwrap_or(&key.task_id);
        let named = own.iter().find(|config| config.id == id);
        let first = own.first().filter(|_| key.id.is_none());
        let found = named.or(first).cloned();
        found.map(told).ok_or_else(|| error::no_push_config(key))
    }

    /// The principal's own configurations of a task, page by page.
    pub(super) fn list_push(&self, wanted: &ListPushConfigs) -> Result<PushConfigPage, Error> {
        let size = usize::try_from(wanted.configs_per_page()?).expect("a hundred at most");
        let behind = page::config_cursor(wanted)?;
        let own = self.push_configs(&wanted.task_id)?.into_iter();
        let rest = own.filter(|config| behind.as_ref().is_none_or(|last| config.id > *last));
        let mut configs: Vec<PushNotificationConfig> = rest.take(size + 1).map(told).collect();
        let has_more = configs.len() > size;
        configs.truncate(size);
        let last = configs.last().and_then(|config| config.id.as_deref());
        Ok(PushConfigPage {
            next_page_token: last
                .filter(|_| has_more)
                .map(|last| page::config_token(wanted, last)),
            configs,
        })
    }

    /// Has a task told no more; what is not there is forgotten already (v1.0 §3.1.10).
    pub(super) async fn delete_push(&self, key: PushConfigKey) -> Result<(), Error> {
        let task = self.task(&key.task_id)?.id.clone();
        let id = key.id.unwrap_or(key.task_id);
        let forgotten = self.execute(ForgetPush { task, id }).await;
        forgotten.map_err(|it| error::refused(&it))
    }

    fn push_configs(&self, task: &str) -> Result<Vec<push::PushConfig>, Error> {
        let task = self.task(task)?.id.clone();
        self.read(PushConfigsOf(task))
    }
}

/// As it is kept; one without an identifier has the task's. Owner and beginning are the engine's to
/// say.
pub(super) fn kept(
    task: &TaskId,
    config: PushNotificationConfig,
    version: Version,
) -> push::PushConfig {
    push::PushConfig {
        task: task.clone(),
        owner: String::new(),
        id: config.id.unwrap_or_else(|| task.to_string()),
        url: config.url,
        token: config.token,
        authentication: config.authentication.map(|it| push::PushAuthentication {
            scheme: it.scheme,
            credentials: it.credentials,
        }),
        version: version.as_str().to_owned(),
        since: 0,
    }
}

/// A configuration that is kept, as its owner knows it.
pub(super) fn told(config: push::PushConfig) -> PushNotificationConfig {
    PushNotificationConfig {
        id: Some(config.id),
        task_id: Some(config.task.to_string()),
        url: config.url,
        token: config.token,
        authentication: config.authentication.map(|it| AuthenticationInfo {
            scheme: it.scheme,
            credentials: it.credentials,
        }),
    }
}
