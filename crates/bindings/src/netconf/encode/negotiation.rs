//! A negotiation turn by turn (module convoke-negotiation; draft §4.3, §4.5, §5.3): in the registry,
//! and as the notification `negotiation-update`.

use crate::netconf::NEGOTIATION_NAMESPACE;
use ::netconf::data::Node;
use domain::negotiation::{Kind, Negotiation, State, Turn};
use domain::notification::NegotiationUpdate;
use domain::reply::Reason;

/// Adds all of a negotiation but its task, the kind first.
pub(super) fn filled<'a>(node: Node<'a>, of: &'a Negotiation) -> Node<'a> {
    header(node, of.kind, [&of.publisher, &of.executor], of.state)
        .leaf("opened", of.opened)
        .leaf("round-limit", of.round_limit)
        .leaf_opt("answer-by", of.due().map(|t| t.to_string()))
        .list("turn", 2, &of.turns, |node, turn| {
            said(node, turn).leaf("time", turn.at.to_string())
        })
}

/// `negotiation-update`.
pub(in crate::netconf) fn update(of: &NegotiationUpdate) -> Node<'_> {
    let node = Node::container(NEGOTIATION_NAMESPACE, "negotiation-update")
        .leaf("task-id", of.task.as_str());
    let turn = of.turn.as_ref();
    header(node, of.kind, [&of.publisher, &of.executor], of.state)
        .with_opt(turn.map(|turn| said(Node::container("", "turn"), turn)))
}

/// Adds why not.
pub(in crate::netconf) fn refusals<'a>(node: Node<'a>, reasons: &'a [Reason]) -> Node<'a> {
    let some = |text: &'a str| (!text.is_empty()).then_some(text);
    node.list("refusal", 0, reasons, |node, reason| {
        node.leaf_opt("reason", some(&reason.reason))
            .leaf_opt("path", some(&reason.path))
            .leaf_opt("message", some(&reason.message))
    })
}

fn header<'a>(node: Node<'a>, kind: Kind, parties: [&'a str; 2], state: State) -> Node<'a> {
    let [publisher, executor] = parties;
    node.leaf("kind", kind.as_str())
        .leaf("publisher", publisher)
        .leaf("executor", executor)
        .leaf("state", state.as_str())
}

fn said<'a>(node: Node<'a>, turn: &'a Turn) -> Node<'a> {
    let speech = &turn.speech;
    let node = node
        .leaf("round", turn.round)
        .leaf("by", turn.by.as_str())
        .leaf("stance", speech.stance.as_str())
        .leaf_list("content", speech.contents.iter().map(|c| c.render()));
    refusals(node, &speech.reasons).leaf_opt("alternative", speech.alternative)
}
