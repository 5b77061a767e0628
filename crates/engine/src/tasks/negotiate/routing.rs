//! Parties of a message: who sends it to whom, and which task it is about.
//!
//! Read next: [`crate::registry`], [`crate::access`].

use crate::operation::Endpoint;
use crate::refusal::{Field, Forbidden, NotFound};
use crate::tasks::loaded::Name;
use crate::tasks::message::Negotiate;
use crate::tasks::request::{Routed, named_task};
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::access::{Principal, Rows};
use domain::task::{Task, TaskId};
use std::sync::Arc;

impl Engine {
    pub(crate) fn check_sender(
        &self,
        who: &Principal,
        negotiate: &Negotiate,
    ) -> Result<(), Refusal> {
        match negotiate.from.as_ref().filter(|f| **f != who.name) {
            Some(from) => Err(Forbidden::ForeignSender {
                user: who.name.clone(),
                from: from.clone(),
            }
            .into()),
            None => Ok(()),
        }
    }

    /// Whom a message is for; perhaps nobody who is here.
    pub(crate) fn addressee(&self, negotiate: &Negotiate) -> Result<String, Refusal> {
        match (&negotiate.endpoint, &negotiate.to) {
            (Endpoint::Agent(own), Some(name)) if own != name => Err(NotFound::OtherEndpoint {
                own: own.clone(),
                name: name.clone(),
            }
            .into()),
            (Endpoint::Agent(own), _) => Ok(own.clone()),
            (Endpoint::Platform, Some(name)) => Ok(name.clone()),
            (Endpoint::Platform, None) => Ok(self.default_agent().to_owned()),
            (Endpoint::Ems(own), to) => Err(NotFound::OtherEndpoint {
                own: format!("{}-ems", own.as_str()),
                name: to.clone().unwrap_or_default(),
            }
            .into()),
        }
    }

    pub(crate) fn route(&self, who: &Principal, negotiate: Negotiate) -> Result<Routed, Refusal> {
        Ok(Routed {
            from: who.name.clone(),
            to: self.addressee(&negotiate)?,
            negotiate,
        })
    }

    /// The place in the roster of whom a message is for. What was said before is answered before
    /// this is asked: its addressee may have left since.
    pub(crate) fn place_of(&self, routed: &Routed) -> Result<usize, Refusal> {
        let index = self.registry.roster.find(&routed.to);
        index.ok_or_else(|| {
            NotFound::Agent {
                name: routed.to.clone(),
            }
            .into()
        })
    }

    /// The task that this request is about, if the principal is party to it. Who is not learns no
    /// more than that there is none.
    pub(crate) fn party_task(
        &self,
        work: &Work<'_>,
        who: &Principal,
        negotiate: &Negotiate,
    ) -> Result<Arc<Task>, Refusal> {
        let id = named_task(negotiate)?;
        let task = work.known_task(&id)?;
        let task = task.filter(|t| self.access.sees(who, Rows::Tasks, &t.from, &t.to));
        task.ok_or_else(|| unknown_task(who, &id))
    }

    /// The task that the principal published and this request is about.
    pub(crate) fn published(
        &self,
        work: &Work<'_>,
        who: &Principal,
        negotiate: &Negotiate,
    ) -> Result<Arc<Task>, Refusal> {
        let addressee = self.addressee(negotiate)?;
        let task = self.party_task(work, who, negotiate)?;
        if task.to != addressee {
            return Err(Refusal::unusable(
                Field::Addressee,
                format!("task '{}' is executed by '{}'", task.id, task.to),
            ));
        }
        if task.from != who.name && !who.is_administrator() {
            return Err(Forbidden::NotPublisher {
                task: task.id.clone(),
                verb: negotiate.verb,
            }
            .into());
        }
        Ok(task)
    }
}

/// What is read of the task that a message is about.
pub(super) fn about(negotiate: &Negotiate) -> Vec<Name> {
    negotiate.task.clone().map(Name::Task).into_iter().collect()
}

pub(crate) fn unknown_task(who: &Principal, id: &TaskId) -> Refusal {
    NotFound::Task {
        task: id.clone(),
        user: who.name.clone(),
    }
    .into()
}

/// A message of an executor goes to the publisher, whether it names it or not.
pub(crate) fn check_addressee(negotiate: &Negotiate, publisher: &str) -> Result<(), Refusal> {
    match negotiate.to.as_ref().filter(|to| *to != publisher) {
        Some(to) => Err(Refusal::unusable(
            Field::Addressee,
            format!("the publisher is '{publisher}', not '{to}'"),
        )),
        None => Ok(()),
    }
}
