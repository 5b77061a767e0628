//! Push notifications: configurations as A2A knows them (v1.0 §3.1.7 to §3.1.10, v0.3 §7.5 to §7.8),
//! and what is told by them.
//!
//! A push tells of a change as a stream does; to a v0.3 client it is the task as the change
//! left it, without its history. Refuses to know addresses and connections: which are allowed is asked
//! of the engine, who posts is the server. Read next: [`super::follow`], `engine`'s `push`.

use super::error;
use super::follow::events;
use super::request_context::RequestContext;
use super::task::as_left;
use super::telecom;
use super::telecom::told::{Teller, is_spoken_of};
use ::a2a::card::profile::declared_of;
use ::a2a::error::Error;
use ::a2a::page;
use ::a2a::push::{AuthenticationInfo, PushNotificationConfig, TOKEN_HEADER};
use ::a2a::request::{ListPushConfigs, PushConfigKey};
use ::a2a::response::PushConfigPage;
use ::a2a::rest;
use ::a2a::telecom::repertoire::TemplateCatalogue;
use ::a2a::version::Version;
use ::a2a::wire::push_body;
use domain::access::Principal;
use domain::event::Sequence;
use domain::notification::Notification;
use domain::push;
use domain::task::{Task, TaskId};
use domain::time::Timestamp;
use engine::query::{PushConfigsOf, TaskById};
use engine::{Engine, ForgetPush, KeepPush, Refusal};
use schema::template::Template;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

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

fn told(config: push::PushConfig) -> PushNotificationConfig {
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

/// The requests that a configuration has posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The type of every body.
    pub media_type: &'static str,
    /// Fields besides: what the receiver knows the sender by. Secrets.
    pub fields: Vec<(&'static str, String)>,
    /// One body or several, in order.
    pub bodies: Vec<String>,
}

/// The configurations by which a change is told that stands at this place of the log: those that were
/// there before it, of owners who may still read the task.
///
/// # Errors
/// [`Refusal`] if the store cannot be read.
pub fn pushed_by(
    engine: &Engine,
    sequence: Sequence,
    change: &Notification,
) -> Result<Vec<push::PushConfig>, Refusal> {
    let mut configs = engine.push_configs(&change.task)?;
    configs.retain(|config| {
        let owner = engine.principal(&config.owner);
        config.since < sequence && engine.may_follow(&owner, &change.from, &change.to)
    });
    Ok(configs)
}

/// The push of a configuration for a change at this place of the log; none if the task is gone, or is
/// not for its owner to read any more.
///
/// # Errors
/// [`Refusal`] if the store cannot be read.
pub fn push_of(
    engine: &Engine,
    config: &push::PushConfig,
    sequence: Sequence,
    change: &Notification,
) -> Result<Option<Push>, Refusal> {
    let owner = engine.principal(&config.owner);
    // What is told of it does not depend on when it is asked for.
    let task = TaskById(config.task.clone());
    let Some(task) = engine.read(&owner, task, Timestamp::default())? else {
        return Ok(None);
    };
    let declared = declared_by(engine, &task.to);
    let is_declared = |id: &str| declared.contains(id);
    let version = Version::of_header(Some(&config.version)).unwrap_or(Version::V10);
    let left = as_left(&task, change, sequence, &is_declared);
    let teller = teller(engine, &owner, &task, &declared);
    let events = events(&task, change, sequence, &is_declared);
    let mut events = teller.events(&task, change, sequence, events);
    let left = teller.left(&events, left);
    if version == Version::V03 {
        // All of them left the one task.
        events.truncate(1);
    }
    let bodies = events.iter();
    let bodies = bodies.map(|event| push_body(version, event, &left).to_string());
    Ok(Some(Push {
        media_type: match version {
            Version::V10 => rest::MEDIA_TYPE,
            Version::V03 => "application/json",
        },
        fields: fields(&told(config.clone())),
        bodies: bodies.collect(),
    }))
}

/// The teller in A2A-T of an agent whose card declares these schemas.
fn teller<'a>(
    engine: &'a Engine,
    owner: &'a Principal,
    task: &Task,
    declared: &BTreeSet<String>,
) -> Teller<'a> {
    let templates = engine.templates();
    // Most tasks are of others: to them nothing has to be read.
    let repertoire = match is_spoken_of(task) {
        true => telecom::repertoire(declared, &templates),
        false => TemplateCatalogue::default(),
    };
    Teller {
        engine,
        who: owner,
        repertoire: Cow::Owned(repertoire),
        templates: Cow::Owned(templates),
    }
}

/// The schemas that the card of an agent declares; none of one that has left.
fn declared_by(engine: &Engine, agent: &str) -> BTreeSet<String> {
    let Some(place) = engine.place(agent) else {
        return BTreeSet::new();
    };
    let templates = engine.templates();
    let by_id = templates.iter().map(|it| (it.schema_id.clone(), &**it));
    let by_id: BTreeMap<String, &Template> = by_id.collect();
    declared_of(&place.profile, &by_id)
}

fn fields(config: &PushNotificationConfig) -> Vec<(&'static str, String)> {
    let authorization = config.authorization().map(|it| ("Authorization", it));
    let token = config.token.clone().map(|it| (TOKEN_HEADER, it));
    token.into_iter().chain(authorization).collect()
}
