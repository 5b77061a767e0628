//! Where others than the publisher want a task told: kept, read and forgotten by whose it is.
//!
//! Who is party to a task, or may read all of them, may have it told; what stands in a configuration is
//! its owner's alone, since it holds secrets. Addresses are held to the very list that
//! `task-subscription` is held to. Who posts is the server's matter. Read next: `domain::push`.

use crate::operation::{Execution, Outcome, PushWish};
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::push::PushConfig;
use domain::task::{Subscription, TaskId};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Batch, PushChange};

/// The longest address of a receiver, in bytes.
const URL_MOST: usize = 2_048;

/// A configuration: its task, its owner, its identifier.
type Key = (TaskId, String, String);

/// Configurations that are to be kept and are not on disk yet.
#[derive(Clone, Default)]
pub(crate) struct Unstored(Arc<Mutex<BTreeSet<Key>>>);

/// One of them, until it is on disk.
struct Keeping {
    unstored: Unstored,
    key: Key,
}

impl Unstored {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<Key>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        self.unstored.lock().remove(&self.key);
    }
}

impl Engine {
    pub(crate) fn push(&self, who: &Principal, wish: PushWish) -> Execution {
        let decided = match wish {
            PushWish::Keep(config) => self.keep_push(who, config),
            PushWish::Forget { task, id } => self.forget_push(who, task, id),
        };
        let (outcome, change, keeping) = match decided {
            Ok(decided) => decided,
            Err(refusal) => return Execution::refused(refusal),
        };
        let ticket = self.store.commit(Batch {
            pushes: vec![change],
            ..Batch::default()
        });
        Execution::Pending(Box::pin(async move {
            ticket.await?;
            drop(keeping);
            Ok(outcome)
        }))
    }

    /// One that replaces another begins where that began: what is still to be told is not lost.
    fn keep_push(
        &self,
        who: &Principal,
        config: PushConfig,
    ) -> Result<(Outcome, PushChange, Option<Keeping>), Refusal> {
        self.check_push(&config)?;
        let mut unstored = self.unstored_pushes.lock();
        let own = self.push_configs_of(who, &config.task)?;
        let to_come = unstored
            .iter()
            .filter(|(task, owner, _)| (task, owner) == (&config.task, &who.name));
        let ids = own.iter().map(|it| &it.id);
        let ids: BTreeSet<&String> = ids.chain(to_come.map(|(_, _, id)| id)).collect();
        let before = own.iter().find(|it| it.id == config.id);
        let config = PushConfig {
            owner: who.name.clone(),
            since: before.map_or(self.feed.last(), |it| it.since),
            ..config
        };
        if !ids.contains(&config.id) && ids.len() >= PushConfig::MOST {
            return Err(Refusal::TooMany {
                what: "push configurations of a task",
                most: PushConfig::MOST as u64,
            });
        }
        let key = (config.task.clone(), who.name.clone(), config.id.clone());
        unstored.insert(key.clone());
        let keeping = Keeping {
            unstored: self.unstored_pushes.clone(),
            key,
        };
        let kept = Outcome::Push(config.clone());
        Ok((kept, PushChange::Keep(config), Some(keeping)))
    }

    /// What is not there is forgotten already.
    fn forget_push(
        &self,
        who: &Principal,
        task: TaskId,
        id: String,
    ) -> Result<(Outcome, PushChange, Option<Keeping>), Refusal> {
        self.task_for_push(who, &task)?;
        let owner = who.name.clone();
        let change = PushChange::Forget { task, owner, id };
        Ok((Outcome::PushForgotten, change, None))
    }

    /// What a principal's own configurations for a task are, by identifier.
    pub(crate) fn push_configs_of(
        &self,
        who: &Principal,
        task: &TaskId,
    ) -> Result<Vec<PushConfig>, Refusal> {
        self.task_for_push(who, task)?;
        let mut own = self.store.push_configs(task)?;
        own.retain(|config| config.owner == who.name);
        Ok(own)
    }

    /// Whoever's they are, the configurations by which a task is told: for who tells it.
    ///
    /// # Errors
    /// [`Refusal`] if the store cannot be read.
    pub fn push_configs(&self, task: &TaskId) -> Result<Vec<PushConfig>, Refusal> {
        Ok(self.store.push_configs(task)?)
    }

    fn task_for_push(&self, who: &Principal, id: &TaskId) -> Result<(), Refusal> {
        let task = self.committed_task(id)?;
        match task.is_some_and(|task| self.may_follow(who, &task.from, &task.to)) {
            true => Ok(()),
            false => Err(Refusal::UnknownTask {
                task: id.clone(),
                user: who.name.clone(),
            }),
        }
    }

    /// Whether a configuration can be kept, and told by.
    pub(crate) fn check_push(&self, config: &PushConfig) -> Result<(), Refusal> {
        config.check().map_err(|unusable| Refusal::BadLeaf {
            leaf: unusable.member,
            why: unusable.why,
        })?;
        // Anything but http is read as https, and refused as what it is.
        let is_plain = config.url.starts_with("http:");
        self.check_subscription(&Subscription {
            protocol: if is_plain { "http" } else { "https" }.to_owned(),
            method: "POST".to_owned(),
            url: config.url.clone(),
        })
    }

    /// Whether reports can go to where a subscription wants them.
    pub(crate) fn check_subscription(&self, subscription: &Subscription) -> Result<(), Refusal> {
        let deliverable = match subscription.url.len() > URL_MOST {
            true => Err(format!("an address has {URL_MOST} bytes at most")),
            false => (self.deliverable)(subscription),
        };
        deliverable.map_err(|why| Refusal::Undeliverable {
            url: subscription.url.chars().take(URL_MOST).collect(),
            why,
        })
    }
}
