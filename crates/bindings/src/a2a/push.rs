//! Push notifications: what is told by a configuration.
//!
//! A push tells of a change as a stream does; to a v0.3 client it is the task as the change
//! left it, without its history. Refuses to know connections: who posts is the server. Read next:
//! [`super::push_config`]; [`super::event`], what is told.

use super::event::events;
use super::push_config::told;
use super::task::as_left;
use super::telecom::repertoire::repertoire;
use super::telecom::told::{Teller, is_spoken_of};
use ::a2a::card::profile::declared_of;
use ::a2a::push::{PushNotificationConfig, TOKEN_HEADER};
use ::a2a::rest;
use ::a2a::telecom::repertoire::TemplateCatalogue;
use ::a2a::version::Version;
use ::a2a::wire::push_body;
use domain::access::Principal;
use domain::event::Sequence;
use domain::notification::Notification;
use domain::push;
use domain::task::Task;
use domain::time::Timestamp;
use engine::query::TaskById;
use engine::{Engine, Refusal};
use schema::template::Template;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

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
        true => repertoire(declared, &templates),
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
