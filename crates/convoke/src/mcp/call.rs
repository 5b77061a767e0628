//! The execution of a call as a task, with its progress, until the task has ended.
//!
//! The task is assigned asynchronously and followed by its notifications. A cancelled call cancels
//! the task that it began; one that has timed out, or whose client has gone, leaves it running.
//! Read next: [`super::outcome`].

use super::offers::Offer;
use super::{Access, outcome};
use crate::output::Failure;
use crate::remote::{entries, entry, text};
use crate::task::Subject;
use crate::watch::follow::{Follower, of_task};
use domain::content::{Content, Payload};
use domain::reply::{Reply, Verdict};
use domain::task::Status;
use domain::verb::Verb;
use netconf::xml::XmlElement;
use rmcp::model::{CallToolResult, JsonObject, ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use serde_json::Value;
use server::client::{CallError, Client, NegotiateRequest};
use tokio::sync::Notify;

/// A call in progress.
pub(super) struct Call<'a> {
    pub(super) access: &'a Access,
    pub(super) news: News,
    /// Notified when the client cancels the call.
    pub(super) given_up: &'a Notify,
    /// The state of the task when it was last read.
    pub(super) seen: Option<Status>,
}

impl Call<'_> {
    /// Assigns a task for the offered skill with these values, and waits for its end.
    ///
    /// # Errors
    /// The [`Failure`] of the request, before there is a task.
    pub(super) async fn assign(
        self,
        offer: &Offer,
        values: JsonObject,
    ) -> Result<CallToolResult, Failure> {
        let content = assignment(offer, values);
        let request = NegotiateRequest {
            to: Some(&offer.agent),
            content: vec![content.render()],
            asynchronous: Some(true),
            ..NegotiateRequest::default()
        };
        let client = self.access.session().await?;
        self.say(client, Verb::TaskAssign, &request, Some(offer))
            .await
    }

    /// Sends a request, and waits for the outcome of the task, which `offer` or an earlier call
    /// began.
    ///
    /// # Errors
    /// As of [`Self::assign`].
    pub(super) async fn say(
        self,
        mut client: Client,
        verb: Verb,
        request: &NegotiateRequest<'_>,
        offer: Option<&Offer>,
    ) -> Result<CallToolResult, Failure> {
        let patience = self.access.patience;
        let said = client.negotiate_noticing(verb, request);
        let Ok(replied) = tokio::time::timeout(patience, said).await else {
            return Ok(outcome::unanswered(patience));
        };
        drop(client);
        let (reply, notice) = replied?;
        let result = match reply {
            Err(errors) => outcome::refused(&errors),
            Ok(reply) => match &reply.task {
                Some(task) if reply.verdict != Verdict::Refused => {
                    self.waited(task.as_str(), offer).await
                }
                _ => outcome::declined(&reply),
            },
        };
        Ok(outcome::with_warnings(result, &notice.warnings))
    }

    /// Waits for the outcome of a task; failures on the way become part of the result.
    pub(super) async fn waited(mut self, task: &str, offer: Option<&Offer>) -> CallToolResult {
        let (access, given_up) = (self.access, self.given_up);
        let promised = offer.and_then(|offer| offer.response_schema_id.as_deref());
        let settled = tokio::select! {
            settled = self.settled(task) => settled.map(|reply| outcome::of(task, &reply, promised)),
            () = given_up.notified() => match offer {
                Some(_) => cancelled(access, task).await,
                None => Ok(outcome::failed(format!("Task {task} is not waited for."))),
            },
            () = tokio::time::sleep(access.patience) => {
                Ok(outcome::pending(task, self.seen, access.patience))
            }
        };
        settled.unwrap_or_else(|failure| outcome::lost(task, &failure.to_string()))
    }

    /// The reply about the task once it has ended or waits for its publisher.
    async fn settled(&mut self, task: &str) -> Result<Reply, Failure> {
        let Access { common, remote, .. } = self.access;
        let mut follower = Follower::start(common, remote, of_task(Some(task)), None).await?;
        loop {
            match self.look(task).await {
                Ok(Some(reply)) => return Ok(reply),
                Ok(None) => {}
                // The follower says when it is back.
                Err(failure) if failure.is_unreachable() => {}
                Err(failure) => return Err(failure),
            }
            follower.next().await?;
        }
    }

    /// Reads the task, and reports its progress.
    async fn look(&mut self, task: &str) -> Result<Option<Reply>, Failure> {
        let mut client = self.access.session().await?;
        let document = entry(&mut client, "task", "task-id", task).await?;
        let found = entries(&document, "task").next();
        let found = found.ok_or_else(|| crate::record::unknown(task))?;
        self.news.tell(found).await;
        self.seen = Status::parse(&text(found, "task-status"));
        let settles = |status: Status| {
            status.is_terminal() || matches!(status, Status::InputRequired | Status::AuthRequired)
        };
        match self.seen.is_some_and(settles) {
            true => queried(&mut client, found).await.map(Some),
            false => Ok(None),
        }
    }
}

/// The content of a task: its result, its question, or its failure.
async fn queried(client: &mut Client, task: XmlElement<'_>) -> Result<Reply, Failure> {
    let (id, executor) = (text(task, "task-id"), text(task, "task-sendTo"));
    let request = NegotiateRequest {
        to: Some(&executor),
        task: Some(&id),
        ..NegotiateRequest::default()
    };
    let reply = client.negotiate(Verb::TaskResultQuery, &request).await?;
    Ok(reply.map_err(CallError::Refused)?)
}

async fn cancelled(access: &Access, task: &str) -> Result<CallToolResult, Failure> {
    let mut client = access.session().await?;
    let subject = Subject::known(&mut client, task, &access.remote.user).await?;
    let request = subject.addressed(NegotiateRequest::default());
    let reply = client.negotiate(Verb::TaskCancel, &request).await?;
    reply.map_err(CallError::Refused)?;
    Ok(outcome::failed(format!("Task {task} is cancelled.")))
}

/// The content of the assignment. The payload is complete; the sections beside it are for human
/// readers of the record.
fn assignment(offer: &Offer, values: JsonObject) -> Content {
    let payload = Payload::new(&offer.schema_id, Value::Object(values));
    let title = offer.tool.title.as_deref().unwrap_or(&offer.skill);
    let about = payload.text("target").filter(|text| is_inert(text));
    let about = about.unwrap_or(&offer.skill);
    Content::new(about, title).with_payload(payload)
}

/// True if a text contains no section heading of its own.
fn is_inert(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains(['\n', '\r']) && !text.trim_start().starts_with('#')
}

/// The progress notifications of a call, for clients that asked for them.
pub(super) struct News {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    /// The last reported progress, in per cent; values must increase.
    told: Option<u8>,
}

impl News {
    pub(super) fn new(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> Self {
        Self {
            peer,
            token,
            told: None,
        }
    }

    async fn tell(&mut self, task: XmlElement<'_>) {
        let percent: u8 = text(task, "progress").parse().unwrap_or(0);
        let Some(token) = self.token.clone() else {
            return;
        };
        if self.told.is_some_and(|told| percent <= told) {
            return;
        }
        self.told = Some(percent);
        let message = format!(
            "task {} is {}",
            text(task, "task-id"),
            text(task, "task-status")
        );
        let progress = ProgressNotificationParam::new(token, f64::from(percent));
        let progress = progress.with_total(100.0).with_message(message);
        // A client that has gone hears nothing.
        let _ = self.peer.notify_progress(progress).await;
    }
}
