//! `taskResultNotify`: the report of an executor that is not in here (draft §5.4).
//!
//! Read next: [`crate::tasks::life`].

use super::payload::Speaker;
use crate::commit::unit_of_work::{LONG, UnitOfWork};
use crate::operation::Execution;
use crate::refusal::{Field, Forbidden};
use crate::schemas::notice::Annotations;
use crate::tasks::loaded::Name;
use crate::tasks::message::{Negotiate, Negotiated};
use crate::tasks::negotiate::exchange::committed;
use crate::tasks::negotiate::routing::{about, check_addressee};
use crate::tasks::reply::complete;
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::content::Content;
use domain::negotiation::RequestKey;
use domain::reply::Reply;
use domain::task::{Command, Status, Task, TaskId};
use domain::time::Timestamp;

impl Engine {
    pub(super) fn report(
        &self,
        who: &Principal,
        mut negotiate: Negotiate,
        annotations: &mut Annotations,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let by = Speaker::executor(&who.name);
        let content = self.held(&mut negotiate, by, annotations, now)?.content;
        let recorded = negotiate.key().zip(negotiate.task.as_ref());
        let recorded = recorded.map(|(key, task)| of_forwarded(task, key));
        // Whether a leader that was lost has recorded it.
        let in_doubt = recorded.clone().filter(|_| negotiate.in_doubt());
        let mut names = about(&negotiate);
        names.extend(in_doubt.clone().map(Name::Exchange));
        let mut work = self.lock_with(&names);
        let task = self.party_task(&work, who, &negotiate)?;
        if task.to != who.name {
            return Err(Forbidden::NotExecutor {
                task: task.id.clone(),
            }
            .into());
        }
        check_addressee(&negotiate, &task.from)?;
        let held = work.parts_open(&task.id) > 0;
        let command = command(&content, held)?;
        let was_recorded = match &in_doubt {
            Some(record) => work.exchange(record)?.is_some(),
            None => false,
        };
        if was_recorded || was_reported(&task, &command) {
            let ticket = self.store.commit(store::Batch::default());
            return Ok(committed(ticket, complete(Reply::accepted(), &task)));
        }
        if content.bytes() > LONG {
            let after = task.decide(command.clone(), now);
            // What ends the task gives back what it holds.
            if !after.is_ok_and(|event| event.status.is_terminal()) {
                self.room_to_say(&task.from)?;
            }
        }
        let mut unit = UnitOfWork::asked_by(&task.to, now);
        let after = self.change(&mut work, &task, command, now, &mut unit)?;
        let reply = complete(Reply::accepted(), &after);
        let key = recorded.unwrap_or_else(|| format!("{}/report/{}", task.id, after.version));
        let exchange = self.exchange(&task.to, &task.from, &negotiate, &task.id, key, now);
        unit.respond(exchange, &reply, now);
        Ok(committed(self.commit(unit), reply))
    }
}

/// The identifier of the exchange that holds a forwarded report.
fn of_forwarded(task: &TaskId, key: RequestKey) -> String {
    format!("{task}/report/{}-{}", key.connection, key.offset)
}

/// A report that was sent again because its reply was lost: the executor says word for word what it
/// said last, whatever the publisher has said to it since.
fn was_reported(task: &Task, command: &Command) -> bool {
    match command {
        Command::Offer { result, .. } => task.result.as_ref() == Some(result),
        Command::Work {
            said: Some(words), ..
        }
        | Command::Block(words)
        | Command::Ask(words)
        | Command::AskCredentials(words)
        | Command::Fail(words)
        | Command::Refuse(words) => task.said.as_ref() == Some(words),
        _ => false,
    }
}

/// What a report means: the word under `## status`, or else a result or a progress that is there.
fn command(content: &Content, held: bool) -> Result<Command, Refusal> {
    let status = match content.section("status") {
        Some(word) => Some(Status::parse(word.trim()).ok_or_else(|| unreadable(word))?),
        None => None,
    };
    let said = content.clone();
    Ok(match (status, &content.result, &content.progress) {
        (Some(Status::Finished), ..) | (None, Some(_), _) => Command::Offer { result: said, held },
        (Some(Status::Processing), ..) | (None, None, Some(_)) => Command::Work {
            percent: percent(content.progress.as_deref().unwrap_or("")),
            said: Some(said),
        },
        (Some(Status::Blocked), ..) => Command::Block(said),
        (Some(Status::InputRequired), ..) => Command::Ask(said),
        (Some(Status::AuthRequired), ..) => Command::AskCredentials(said),
        (Some(Status::Failed), ..) => Command::Fail(said),
        (Some(Status::Rejected), ..) => Command::Refuse(said),
        (Some(other), ..) => return Err(unreadable(other.as_str())),
        (None, None, None) => {
            return Err(Refusal::unusable(
                Field::Content,
                "a report has a section '## status', '## progress' or '## result'",
            ));
        }
    })
}

fn unreadable(word: &str) -> Refusal {
    Refusal::unusable(
        Field::Content,
        format!(
            "'{word}' under '## status' is nothing that an executor reports: processing, blocked, \
             input-required, auth-required, finished, failed or rejected"
        ),
    )
}

/// The first number under `## progress`.
fn percent(progress: &str) -> u8 {
    let digits = progress.trim_start().split(|c: char| !c.is_ascii_digit());
    let number = digits
        .into_iter()
        .next()
        .and_then(|d| d.parse::<u32>().ok());
    number.unwrap_or(0).min(100) as u8
}
