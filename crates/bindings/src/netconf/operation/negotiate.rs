//! `task-negotiate`: read, checked by the schema, asked of the engine, and its reply written.

use super::{Answer, Codec, check, fast_path, input, schemas, typed};
use crate::netconf::encode::negotiation::refusals;
use crate::netconf::error;
use crate::netconf::session::RequestContext;
use crate::netconf::{AGENT_NAMESPACE, NEGOTIATION_NAMESPACE, SCHEMA_NAMESPACE};
use ::netconf::data::{Node, write};
use ::netconf::error::RpcError;
use ::netconf::filter::Projection;
use ::netconf::xml::{XmlElement, write as xml};
use domain::content::ContentError;
use domain::reply::Reply;
use domain::task::{Subscription, TaskId};
use domain::verb::Verb;
use engine::{Negotiate, Negotiated, Notice, PatchAnswer};

const MS_PER_S: i64 = 1_000;

impl Codec for Negotiate {
    fn check(cx: &RequestContext<'_>, input: XmlElement<'_>) -> Result<(), RpcError> {
        match cx.session_schema.plain_negotiations && fast_path::is_plain(input) {
            true => Ok(()),
            false => {
                check(cx, input).map_err(|first| typed::all_violations(cx, input).unwrap_or(first))
            }
        }
    }

    fn decode(cx: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        let mut negotiate = Self::new(cx.endpoint.clone(), verb(input)?);
        // One pass over what is there: most inputs are a few leaves.
        for leaf in input.children() {
            match leaf.namespace() {
                AGENT_NAMESPACE => own(&mut negotiate, leaf),
                NEGOTIATION_NAMESPACE => extra(&mut negotiate, leaf)?,
                _ => typed_payload(cx, &mut negotiate, leaf)?,
            }
        }
        Ok(negotiate)
    }

    /// `<data>` with one `<reply>` of convoke-negotiation.
    fn encode(negotiated: Negotiated) -> Answer {
        let mut out = Vec::with_capacity(768);
        out.extend_from_slice(b"<data");
        xml::attribute("xmlns", AGENT_NAMESPACE, &mut out);
        out.push(b'>');
        let reply = noted(node(&negotiated.reply), &negotiated.notice);
        write(&reply, &Projection::everything(), &mut out);
        out.extend_from_slice(b"</data>");
        Answer::Body(out)
    }
}

/// Takes a payload that stands there as typed XML; one is enough.
fn typed_payload(
    cx: &RequestContext<'_>,
    negotiate: &mut Negotiate,
    element: XmlElement<'_>,
) -> Result<(), RpcError> {
    let Some(payload) = typed::payload(element, &cx.platform.engine.templates())? else {
        return Ok(());
    };
    match negotiate.payload.replace(payload) {
        None => Ok(()),
        Some(_) => Err(error::of_sections(&ContentError::SecondPayload, element)),
    }
}

/// Takes a leaf of irtf-agent.
fn own(negotiate: &mut Negotiate, leaf: XmlElement<'_>) {
    let text = || leaf.text().to_owned();
    match leaf.name() {
        "task-sendFrom" => negotiate.from = Some(text()),
        "task-sendTo" => negotiate.to = Some(text()),
        "task-id" => negotiate.task = Some(TaskId::new(text())),
        "content" => negotiate.texts.push(text()),
        _ => {}
    }
}

/// Takes a node of convoke-negotiation.
fn extra(negotiate: &mut Negotiate, node: XmlElement<'_>) -> Result<(), RpcError> {
    let text = || Some(node.text().to_owned());
    let flag = || Some(node.trimmed_text() == "true");
    let number = || node.trimmed_text().parse().ok();
    match node.name() {
        "task-async" => negotiate.asynchronous = flag(),
        "task-subscription" => negotiate.subscription = subscription(node)?,
        "expected-response" => negotiate.expected_response = text(),
        "term-explains" => negotiate.terms.push((
            input::text(node, "term").unwrap_or_default(),
            input::text(node, "explaination").unwrap_or_default(),
        )),
        "msg-data" => negotiate.data = text(),
        "context" => negotiate.context = text(),
        "conversation" => negotiate.conversation = text(),
        "round" => negotiate.round = number(),
        "alternative" => negotiate.alternative = number(),
        "parent-task" => negotiate.parent = text().map(TaskId::new),
        "deadline" => negotiate.deadline = Some(input::instant(node)?),
        "answer-within" => {
            negotiate.answer_within_ms = number().map(|s| i64::from(s) * MS_PER_S);
        }
        "fulfillment-required" => negotiate.fulfillment = flag(),
        "round-limit" => negotiate.round_limit = number(),
        _ => {}
    }
    Ok(())
}

/// `task-subscription`; each protocol has one method, so that it need not be said. Whether reports
/// can go there, the engine knows.
fn subscription(node: XmlElement<'_>) -> Result<Option<Subscription>, RpcError> {
    if !node.has_children() {
        return Ok(None);
    }
    let protocol = input::text(node, "subscript-protocol")
        .ok_or_else(|| error::missing(node, "subscript-protocol"))?;
    let only = match protocol.as_str() {
        "netconf" => "create-subscription",
        _ => "POST",
    };
    Ok(Some(Subscription {
        method: input::text(node, "subscript-method").unwrap_or_else(|| only.to_owned()),
        url: input::text(node, "subscript-url").unwrap_or_default(),
        protocol,
    }))
}

/// `commuType` decides, and `type` must agree with it (a contradiction is never guessed at).
fn verb(operation: XmlElement<'_>) -> Result<Verb, RpcError> {
    let leaf = operation
        .child(AGENT_NAMESPACE, "commuType")
        .ok_or_else(|| error::missing(operation, "commuType"))?;
    let word = leaf.trimmed_text();
    let verb = Verb::parse(word).ok_or_else(|| {
        let known: Vec<&str> = Verb::ALL.iter().map(|v| v.as_str()).collect();
        error::invalid(
            leaf,
            format!("'{word}' is no commuType; known are {}", known.join(", ")),
        )
    })?;
    if let Some(kind) = operation.child(AGENT_NAMESPACE, "type") {
        let agrees = match kind.trimmed_text() {
            "FEASIBILITY" => verb == Verb::FeasibilityNegotiate,
            _ => verb == Verb::FulfillmentNegotiate,
        };
        if !agrees {
            return Err(error::invalid(
                kind,
                format!("type {} contradicts commuType {verb}", kind.trimmed_text()),
            ));
        }
    }
    Ok(verb)
}

fn node(reply: &Reply) -> Node<'_> {
    let node = Node::container(NEGOTIATION_NAMESPACE, "reply")
        .leaf_opt("task-id", reply.task.as_ref().map(TaskId::as_str))
        .leaf_opt("task-status", reply.status.map(|s| s.as_str()))
        .leaf("verdict", reply.verdict.as_str())
        .leaf_opt("round", reply.round)
        .leaf_opt("alternative", reply.alternative)
        .leaf_list("content", reply.content.iter().map(|c| c.render()));
    refusals(node, &reply.reasons)
}

/// Adds what convoke-schema tells besides.
fn noted<'a>(reply: Node<'a>, notice: &'a Notice) -> Node<'a> {
    let warning = |text: &'a String| Node::value(SCHEMA_NAMESPACE, "payload-warning", text.clone());
    let suggestion = |answer: &'a PatchAnswer| {
        let entry = Node::entry(SCHEMA_NAMESPACE, "schema-update-suggestion", 1);
        schemas::patch(entry, answer)
    };
    reply
        .with_all(notice.warnings.iter().map(warning))
        .with_all(notice.patches.iter().map(suggestion))
}
