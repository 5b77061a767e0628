//! `task-negotiate`: read, checked by the schema, asked of the engine, and its reply written.

use super::{Answer, Handled, check, plain};
use crate::netconf::session::Scene;
use crate::netconf::{AGENT_NAMESPACE, NEGOTIATION_NAMESPACE, error};
use ::netconf::data::{Node, write};
use ::netconf::error::RpcError;
use ::netconf::filter::Projection;
use ::netconf::xml::{Element, write as xml};
use domain::reply::Reply;
use domain::task::TaskId;
use domain::verb::Verb;
use engine::{Execution, Negotiate, Operation, Outcome, Refusal};

pub(super) fn task_negotiate(scene: &Scene<'_>, operation: Element<'_>) -> Handled {
    let checked = match scene.announced.plain_negotiations && plain::is_plain(operation) {
        true => Ok(()),
        false => check(scene, operation),
    };
    let negotiate = match checked.and_then(|()| decode(scene, operation)) {
        Ok(negotiate) => negotiate,
        Err(error) => return Handled::Now(Err(error)),
    };
    match scene
        .platform
        .engine
        .execute(scene.who, Operation::Negotiate(negotiate), scene.now)
    {
        Execution::Done(outcome) => Handled::Now(answer(outcome)),
        Execution::Pending(pending) => Handled::Later(pending),
    }
}

pub(super) fn answer(outcome: Result<Outcome, Refusal>) -> Result<Answer, RpcError> {
    match outcome {
        Ok(Outcome::Reply(reply)) => Ok(Answer::Body(encode(&reply))),
        Ok(Outcome::Records(_) | Outcome::Injected(_)) => {
            unreachable!("a negotiation is answered by a reply")
        }
        Err(refusal) => Err(error::of_refusal(&refusal)),
    }
}

/// Reads the input; the schema has been checked, so leaves are single and well typed.
fn decode(scene: &Scene<'_>, operation: Element<'_>) -> Result<Negotiate, RpcError> {
    let text = |name: &str| {
        operation
            .child(AGENT_NAMESPACE, name)
            .map(|e| e.text().to_owned())
    };
    let extra = |name: &str| operation.child(NEGOTIATION_NAMESPACE, name);
    let verb = verb(operation)?;
    if let Some(subscription) = extra("task-subscription") {
        // Reports to an address of the client's choice are not offered; to take the task on and
        // stay silent would be worse than to say so.
        return Err(error::not_supported(
            subscription,
            "reports are delivered to NETCONF subscriptions",
        ));
    }
    let texts = operation
        .children()
        .filter(|c| c.is(AGENT_NAMESPACE, "content"))
        .map(|c| c.text().to_owned())
        .collect();
    let terms = operation
        .children()
        .filter(|c| c.is(NEGOTIATION_NAMESPACE, "term-explains"))
        .map(|t| {
            let part = |name| {
                t.child(NEGOTIATION_NAMESPACE, name)
                    .map_or_else(String::new, |e| e.text().to_owned())
            };
            (part("term"), part("explaination"))
        })
        .collect();
    Ok(Negotiate {
        endpoint: scene.endpoint.clone(),
        from: text("task-sendFrom"),
        to: text("task-sendTo"),
        verb,
        task: text("task-id").map(TaskId::new),
        texts,
        asynchronous: extra("task-async").map(|e| e.trimmed_text() == "true"),
        expected_response: extra("expected-response").map(|e| e.text().to_owned()),
        terms,
        round: extra("round").and_then(|e| e.trimmed_text().parse().ok()),
    })
}

/// `commuType` decides, and `type` must agree with it (a contradiction is never guessed at).
fn verb(operation: Element<'_>) -> Result<Verb, RpcError> {
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

/// `<data>` with one `<reply>` of convoke-negotiation.
fn encode(reply: &Reply) -> Vec<u8> {
    let mut out = Vec::with_capacity(768);
    out.extend_from_slice(b"<data");
    xml::attribute("xmlns", AGENT_NAMESPACE, &mut out);
    out.push(b'>');
    write(&node(reply), &Projection::everything(), &mut out);
    out.extend_from_slice(b"</data>");
    out
}

fn node(reply: &Reply) -> Node<'_> {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Node::container(NEGOTIATION_NAMESPACE, "reply")
        .leaf_opt("task-id", reply.task.as_ref().map(TaskId::as_str))
        .leaf_opt("task-status", reply.status.map(|s| s.as_str()))
        .leaf("verdict", reply.verdict.as_str())
        .leaf_opt("round", reply.round)
        .leaf_list("content", reply.content.iter().map(|c| c.render()))
        .list("refusal", 0, &reply.reasons, |node, reason| {
            node.leaf_opt("reason", some(&reason.reason))
                .leaf_opt("path", some(&reason.path))
                .leaf_opt("message", some(&reason.message))
        })
}
