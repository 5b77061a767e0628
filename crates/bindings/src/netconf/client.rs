//! The client's side of `task-negotiate`: requests written, replies and notifications read.
//!
//! For agents hosted here, which speak to each other over NETCONF, and for the command line.
//! Read next: [`super::operation`] for the server's side.

use super::{AGENT_NAMESPACE, NEGOTIATION_NAMESPACE, SCHEMA_NAMESPACE};
use ::netconf::client::{Notification as Received, Outcome, Reply as RpcReply};
use ::netconf::data::{Node, write};
use ::netconf::error::RpcError;
use ::netconf::filter::Projection;
use ::netconf::xml::XmlElement;
use domain::content::{Content, ContentError};
use domain::negotiation::{Kind, Side, Speech, Stance, State, Turn};
use domain::notification::{NegotiationUpdate, Notification};
use domain::reply::{Reason, Reply, Verdict};
use domain::task::{Awaits, Conditions, Status, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use engine::{Notice, PatchAnswer};
use schema::read;

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
    /// `alternative`.
    pub alternative: Option<u32>,
    /// On which conditions; none for all messages but assignments.
    pub conditions: Option<&'a Conditions>,
}

/// The element `<task-negotiate>`.
pub fn negotiate_request(verb: Verb, request: &NegotiateRequest<'_>) -> String {
    let kind = match verb {
        Verb::FeasibilityNegotiate => Some("FEASIBILITY"),
        Verb::FulfillmentNegotiate => Some("FULFILLMENT"),
        _ => None,
    };
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
        .with_opt(request.round.map(|r| extra("round", r.to_string())))
        .with_opt(
            request
                .alternative
                .map(|a| extra("alternative", a.to_string())),
        );
    let node = request.conditions.into_iter().fold(node, conditioned);
    let mut out = Vec::with_capacity(512);
    write(&node, &Projection::everything(), &mut out);
    String::from_utf8(out).expect("nodes are written from strings")
}

fn extra(name: &'static str, value: String) -> Node<'static> {
    Node::value(NEGOTIATION_NAMESPACE, name, value)
}

/// Adds the conditions of an assignment, those that are given.
fn conditioned<'a>(node: Node<'a>, given: &'a Conditions) -> Node<'a> {
    let subscription = given.subscription.as_ref().map(|to| {
        Node::container(NEGOTIATION_NAMESPACE, "task-subscription")
            .leaf("subscript-protocol", &to.protocol)
            .leaf("subscript-method", &to.method)
            .leaf("subscript-url", &to.url)
    });
    // Whoever is given a little more time than it takes loses nothing.
    let seconds = given.answer_within_ms.map(|ms| (ms + 999) / 1_000);
    let demanded = given.fulfillment_demanded.then(|| "true".to_owned());
    let limit = (given.round_limit > 0).then(|| given.round_limit.to_string());
    let leaves = [
        ("msg-data", given.data.clone()),
        ("context", given.context.clone()),
        ("parent-task", given.parent.as_ref().map(|t| t.to_string())),
        ("deadline", given.deadline.map(|t| t.to_string())),
        ("answer-within", seconds.map(|s| s.to_string())),
        ("fulfillment-required", demanded),
        ("round-limit", limit),
        ("conversation", given.conversation.clone()),
    ];
    node.with_opt(subscription).with_all(
        leaves
            .into_iter()
            .filter_map(|(name, value)| Some(extra(name, value?))),
    )
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
    let (content, reasons) = (contents(&element)?, reasons(&element));
    Ok(Ok(Reply {
        task: text("task-id").map(TaskId::new),
        status: text("task-status").and_then(Status::parse),
        verdict: text("verdict")
            .and_then(Verdict::parse)
            .ok_or(Unreadable::Missing("verdict"))?,
        round: text("round").and_then(|r| r.parse().ok()),
        alternative: text("alternative").and_then(|a| a.parse().ok()),
        content,
        reasons,
    }))
}

/// Reads what the reply of a `task-negotiate` tells besides about schemas; nothing, if it does not.
/// A suggestion that is no JSON is left out: who wants it can ask for updates.
pub fn read_notice(reply: &RpcReply) -> Notice {
    let Some(element) = reply
        .data()
        .and_then(|d| d.child(NEGOTIATION_NAMESPACE, "reply"))
    else {
        return Notice::default();
    };
    let named = |name: &'static str| {
        let children = element.children();
        children.filter(move |c| c.is(SCHEMA_NAMESPACE, name))
    };
    let warnings = named("payload-warning").map(|w| w.text().to_owned());
    Notice {
        warnings: warnings.collect(),
        patches: named("schema-update-suggestion")
            .filter_map(suggested)
            .collect(),
    }
}

fn suggested(entry: XmlElement<'_>) -> Option<PatchAnswer> {
    let text = |name| Some(entry.child(SCHEMA_NAMESPACE, name)?.text().to_owned());
    Some(PatchAnswer {
        patch_id: text("patch-id")?,
        parent_schema_id: text("parent-schema-id")?,
        patch: read::json(&text("patch")?).ok()?,
        seal: text("seal"),
    })
}

fn contents(element: &XmlElement<'_>) -> Result<Vec<Content>, ContentError> {
    let contents = element.children().filter(|c| c.name() == "content");
    contents.map(|c| Content::parse([c.text()])).collect()
}

fn reasons(element: &XmlElement<'_>) -> Vec<Reason> {
    let refusals = element.children().filter(|c| c.name() == "refusal");
    refusals.map(reason).collect()
}

fn reason(element: XmlElement<'_>) -> Reason {
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
        awaits: extra("awaits").and_then(Awaits::parse),
        data: extra("msg-data").map(str::to_owned),
    }))
}

/// Reads a `negotiation-update`; none for another event.
///
/// # Errors
/// [`Unreadable`] if it is one, and lacks what one has.
pub fn read_negotiation(received: &Received) -> Result<Option<NegotiationUpdate>, Unreadable> {
    let Some(event) = received
        .content()
        .filter(|e| e.is(NEGOTIATION_NAMESPACE, "negotiation-update"))
    else {
        return Ok(None);
    };
    let text = |name: &'static str| {
        let child = event.child(NEGOTIATION_NAMESPACE, name);
        child.map(|e| e.text()).ok_or(Unreadable::Missing(name))
    };
    let time = Timestamp::parse(&received.event_time);
    let time = time.map_err(|_| Unreadable::Missing("eventTime"))?;
    let turn = event.child(NEGOTIATION_NAMESPACE, "turn");
    // A change without words has no turn, or an empty one.
    let turn = turn.filter(|t| t.child(NEGOTIATION_NAMESPACE, "round").is_some());
    Ok(Some(NegotiationUpdate {
        time,
        task: TaskId::new(text("task-id")?),
        kind: Kind::parse(text("kind")?).ok_or(Unreadable::Missing("kind"))?,
        publisher: text("publisher")?.to_owned(),
        executor: text("executor")?.to_owned(),
        state: State::parse(text("state")?).ok_or(Unreadable::Missing("state"))?,
        turn: turn.map(|turn| read_turn(&turn, time)).transpose()?,
    }))
}

fn read_turn(element: &XmlElement<'_>, at: Timestamp) -> Result<Turn, Unreadable> {
    let text = |name: &'static str| {
        let child = element.child(NEGOTIATION_NAMESPACE, name);
        child.map(|e| e.text()).ok_or(Unreadable::Missing(name))
    };
    let round = text("round")?.parse();
    let alternative = text("alternative").ok();
    Ok(Turn {
        round: round.map_err(|_| Unreadable::Missing("round"))?,
        by: Side::parse(text("by")?).ok_or(Unreadable::Missing("by"))?,
        speech: Speech {
            stance: Stance::parse(text("stance")?).ok_or(Unreadable::Missing("stance"))?,
            contents: contents(element)?,
            reasons: reasons(element),
            alternative: alternative.and_then(|a| a.parse().ok()),
        },
        at,
        request: None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use domain::task::Subscription;
    use yang::{Generation, ModuleSet};

    #[test]
    fn a_request_with_every_condition_is_one_of_the_schema() {
        let conditions = Conditions {
            parent: Some(TaskId::new("t-0")),
            deadline: Some(Timestamp::from_ms(1_000)),
            answer_within_ms: Some(1_500),
            fulfillment_demanded: true,
            round_limit: 3,
            subscription: Some(Subscription {
                protocol: "https".to_owned(),
                method: "POST".to_owned(),
                url: "https://reports.example/t?a&b".to_owned(),
            }),
            data: Some("sketch".to_owned()),
            context: Some("t-0/assign".to_owned()),
            conversation: Some("talk".to_owned()),
        };
        let request = NegotiateRequest {
            to: Some("ip"),
            task: Some("t-1"),
            content: vec![Content::new("site-1", "look").render()],
            round: Some(1),
            alternative: Some(2),
            conditions: Some(&conditions),
            ..NegotiateRequest::default()
        };
        let request = negotiate_request(Verb::TaskAssign, &request);
        let schema = Generation::load(&ModuleSet::convoke()).unwrap();
        assert_eq!(schema.check_rpc(&request), Ok(()), "{request}");
        // Half a second more rather than less.
        assert!(request.contains(">2</answer-within>"), "{request}");
    }
}
