//! Where others than the publisher want a task told: kept, read and forgotten by whose it is.
//!
//! Who is party to a task, or may read all of them, may have it told; what stands in a configuration is
//! its owner's alone, since it holds secrets. Addresses are held to the very list that
//! `task-subscription` is held to. Who posts is the server's matter. Read next: `domain::push`.

pub(crate) mod operation;
pub(crate) mod unstored;

use crate::failure::StoreFailure;
use crate::operation::Execution;
use crate::refusal::{Field, InvalidInput, NotFound, OverLimit};
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::push::PushConfig;
use domain::task::{Subscription, TaskId};
use std::collections::BTreeSet;
use store::{Batch, PushChange};

/// The longest address of a receiver, in bytes.
const URL_MOST: usize = 2_048;

impl Engine {
    /// One that replaces another begins where that began: what is still to be told is not lost.
    pub(crate) fn keep_push(
        &self,
        who: &Principal,
        config: PushConfig,
    ) -> Result<Execution<PushConfig>, Refusal> {
        self.check_push(&config)?;
        // What is kept meanwhile is found among what is to come.
        let _loading = self.tasks.loads.begin();
        let own = self.push_configs_of(who, &config.task)?;
        let mut unstored = self.tasks.pushes.lock();
        let to_come = unstored.of(&config.task, &who.name);
        let ids: BTreeSet<&String> = own.iter().map(|it| &it.id).chain(to_come).collect();
        let before = own.iter().find(|it| it.id == config.id);
        let config = PushConfig {
            owner: who.name.clone(),
            since: before.map_or(self.feed.last(), |it| it.since),
            ..config
        };
        if !ids.contains(&config.id) && ids.len() >= PushConfig::MOST {
            return Err(OverLimit::TooMany {
                what: "push configurations of a task",
                most: PushConfig::MOST as u64,
            }
            .into());
        }
        unstored.put(&config);
        drop(unstored);
        let change = PushChange::Keep(config.clone());
        Ok(self.push_changed(change, config))
    }

    /// What is not there is forgotten already.
    pub(crate) fn forget_push(
        &self,
        who: &Principal,
        task: TaskId,
        id: String,
    ) -> Result<Execution<()>, Refusal> {
        self.task_for_push(who, &task)?;
        let owner = who.name.clone();
        Ok(self.push_changed(PushChange::Forget { task, owner, id }, ()))
    }

    fn push_changed<T: Send + 'static>(&self, change: PushChange, answer: T) -> Execution<T> {
        let ticket = self.store.commit(Batch {
            shard: self.tasks.shared.placement.shard_of(change.task()),
            pushes: vec![change],
            ..Batch::default()
        });
        Execution::committed(ticket, answer)
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
    /// [`StoreFailure`] if the store cannot be read.
    pub fn push_configs(&self, task: &TaskId) -> Result<Vec<PushConfig>, StoreFailure> {
        Ok(self.store.push_configs(task)?)
    }

    fn task_for_push(&self, who: &Principal, id: &TaskId) -> Result<(), Refusal> {
        match self.task_of(who, id)?.is_some() {
            true => Ok(()),
            false => Err(NotFound::Task {
                task: id.clone(),
                user: who.name.clone(),
            }
            .into()),
        }
    }

    /// Whether a configuration can be kept, and told by.
    pub(crate) fn check_push(&self, config: &PushConfig) -> Result<(), Refusal> {
        config
            .check()
            .map_err(|it| Refusal::unusable(Field::Push(it.member), it.why))?;
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
            true => {
                let why = format!("an address has {URL_MOST} bytes at most");
                Err((Field::SubscriptionUrl, why))
            }
            false => (self.tasks.deliverable)(subscription),
        };
        deliverable.map_err(|(field, why)| {
            InvalidInput::Undeliverable {
                field,
                url: subscription.url.chars().take(URL_MOST).collect(),
                why,
            }
            .into()
        })
    }
}
