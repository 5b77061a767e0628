//! The client's side of `task-negotiate`: requests written, replies and notifications read.
//!
//! For agents hosted here, which speak to each other over NETCONF, and for the command line.
//! Read next: [`super::operation`] for the server's side.

use super::{AGENT_NAMESPACE, NEGOTIATION_NAMESPACE};
use ::netconf::client::{Notification as Received, Outcome, Reply as RpcReply};
use ::netconf::data::{Node, write};
use ::netconf::error::RpcError;
use ::netconf::filter::Projection;
use ::netconf::xml::Element;
use domain::content::{Content, ContentError};
use domain::notification::Notification;
use domain::reply::{Reason, Reply, Verdict};
use domain::task::{Status, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;

/// What came back for a `task-negotiate`.
pub type NegotiateReply = Result<Reply, Vec<RpcError>>;

/// A request, before it has a message-id.
#[derive(Clone, Debug, Default)]
pub struct NegotiateRequest<'a> {
    /// `task-sendFrom`, if it is to be told.
    pub from: Option<&'a str>,
    /// `task-sendTo`, if it is to be told.
    pub to: Option<&'a str>,
    /// `task-id`.
    pub task: Option<&'a str>,
    /// `content`.
    pub content: Vec<String>,
    /// `task-async`.
    pub asynchronous: Option<bool>,
    /// `round`.
    pub round: Option<u32>,
}

/// The element `<task-negotiate>`.
pub fn negotiate_request(verb: Verb, request: &NegotiateRequest<'_>) -> String {
    let kind = match verb {
        Verb::FeasibilityNegotiate => Some("FEASIBILITY"),
        Verb::FulfillmentNegotiate => Some("FULFILLMENT"),
        _ => None,
    };
    let extra = |name, value: String| Node::value(NEGOTIATION_NAMESPACE, name, value);
    let node = Node::container(AGENT_NAMESPACE, "task-negotiate")
        .leaf_opt("task-sendFrom", request.from)
        .leaf_opt("task-sendTo", request.to)
        .leaf("commuType", verb.as_str())
        .leaf_opt("task-id", request.task)
        .leaf_list("content", &request.content)
        .leaf_opt("type", kind)
        .with_opt(
            request
                .asynchronous
                .map(|a| extra("task-async", a.to_string())),
        )
        .with_opt(request.round.map(|r| extra("round", r.to_string())));
    let mut out = Vec::with_capacity(512);
    write(&node, &Projection::everything(), &mut out);
    String::from_utf8(out).expect("nodes are written from strings")
}

/// Why a message of the peer cannot be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Unreadable {
    /// An element that must be there is not.
    #[error("the message has no usable <{0}>")]
    Missing(&'static str),
    /// Its sections are not ones.
    #[error(transparent)]
    Content(#[from] ContentError),
}

/// Reads the reply of a `task-negotiate`.
///
/// # Errors
/// [`Unreadable`] if it is no reply of convoke-negotiation.
pub fn read_reply(reply: &RpcReply) -> Result<NegotiateReply, Unreadable> {
    if let Outcome::Errors(errors) = &reply.outcome {
        return Ok(Err(errors.clone()));
    }
    let element = reply
        .data()
        .and_then(|d| d.child(NEGOTIATION_NAMESPACE, "reply"))
        .ok_or(Unreadable::Missing("reply"))?;
    let text = |name| element.child(NEGOTIATION_NAMESPACE, name).map(|e| e.text());
    let content = element
        .children()
        .filter(|c| c.name() == "content")
        .map(|c| Content::parse([c.text()]))
        .collect::<Result<_, _>>()?;
    let reasons = element
        .children()
        .filter(|c| c.name() == "refusal")
        .map(reason)
        .collect();
    Ok(Ok(Reply {
        task: text("task-id").map(TaskId::new),
        status: text("task-status").and_then(Status::parse),
        verdict: text("verdict")
            .and_then(Verdict::parse)
            .ok_or(Unreadable::Missing("verdict"))?,
        round: text("round").and_then(|r| r.parse().ok()),
        content,
        reasons,
    }))
}

fn reason(element: Element<'_>) -> Reason {
    let part = |name| {
        element
            .child(NEGOTIATION_NAMESPACE, name)
            .map_or_else(String::new, |e| e.text().to_owned())
    };
    Reason {
        reason: part("reason"),
        path: part("path"),
        message: part("message"),
    }
}

/// Reads a `condition-notifications`; none for another event.
///
/// # Errors
/// [`Unreadable`] if it is one, and lacks what one has.
pub fn read_notification(received: &Received) -> Result<Option<Notification>, Unreadable> {
    let Some(event) = received
        .content()
        .filter(|e| e.is(AGENT_NAMESPACE, "condition-notifications"))
    else {
        return Ok(None);
    };
    let text = |name: &'static str| {
        event
            .child(AGENT_NAMESPACE, name)
            .map(|e| e.text())
            .ok_or(Unreadable::Missing(name))
    };
    let extra = |name| event.child(NEGOTIATION_NAMESPACE, name).map(|e| e.text());
    let entry = event
        .child(AGENT_NAMESPACE, "input-required")
        .ok_or(Unreadable::Missing("input-required"))?;
    let inner = |name: &'static str| {
        entry
            .child(AGENT_NAMESPACE, name)
            .map(|e| e.text())
            .ok_or(Unreadable::Missing(name))
    };
    let time = |text: &str, name| Timestamp::parse(text).map_err(|_| Unreadable::Missing(name));
    Ok(Some(Notification {
        time: time(&received.event_time, "eventTime")?,
        task: TaskId::new(text("task-id")?),
        from: text("task-sendFrom")?.to_owned(),
        to: text("task-sendTo")?.to_owned(),
        verb: Verb::parse(text("commuType")?).ok_or(Unreadable::Missing("commuType"))?,
        asynchronous: inner("task-async")? == "true",
        status: Status::parse(inner("status")?).ok_or(Unreadable::Missing("status"))?,
        previous: extra("previous-status").and_then(Status::parse),
        start_time: time(inner("start-time")?, "start-time")?,
        percent: extra("progress").and_then(|p| p.parse().ok()).unwrap_or(0),
        content: Content::parse([inner("required")?])?,
        data: extra("msg-data").map(str::to_owned),
    }))
}
