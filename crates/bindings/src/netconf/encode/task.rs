//! A task: at `/tasks` of its executor, and in `/registry/task` (draft §5.2).
//!
//! What a publisher wrote into the tail of its message is read there again; where it wrote nothing,
//! `msg-data` tells the result and `context` the record of the assignment.

use crate::netconf::{AGENT_NAMESPACE, REGISTRY_NAMESPACE};
use ::netconf::data::Node;
use domain::content::Content;
use domain::task::{Conditions, Subscription, Task, TaskId};
use domain::verb::Verb;

/// `/tasks`: the current task of an agent.
pub(crate) fn tasks(task: &Task) -> Node<'_> {
    let node = Node::container(AGENT_NAMESPACE, "tasks")
        .state()
        .leaf("task-sendFrom", &task.from)
        .leaf("task-sendTo", &task.to)
        .leaf("commuType", Verb::TaskAssign.as_str())
        .leaf("task-id", task.id.as_str());
    body(node, task)
}

/// An entry of `/registry/task`, its key first.
pub(in crate::netconf) fn registered(task: &Task) -> Node<'_> {
    let node = Node::entry(REGISTRY_NAMESPACE, "task", 1)
        .leaf("task-id", task.id.as_str())
        .leaf("task-sendFrom", &task.from)
        .leaf("task-sendTo", &task.to)
        .leaf("commuType", Verb::TaskAssign.as_str());
    let result = task
        .result
        .as_ref()
        .map(|_| Node::container("", "result").leaf("msg-data", result_id(task)));
    let node = body(node, task)
        .leaf_opt("type", task.scenario())
        .leaf("task-version", task.version)
        .leaf("created-at", task.created_at.to_string())
        .leaf("changed-at", task.changed_at.to_string())
        .leaf("progress", task.percent)
        .leaf_opt("awaits", task.awaits.map(|a| a.as_str()))
        .leaf_opt("answer-by", task.answer_by.map(|t| t.to_string()));
    conditions(node, &task.conditions)
        .leaf_opt("plan", task.plan.as_ref().map(Content::render))
        .with_opt(result)
}

/// What follows the header: content, subscription, mode, state, tail.
fn body<'a>(node: Node<'a>, task: &'a Task) -> Node<'a> {
    let given = &task.conditions;
    let result = task.result.as_ref().map(|_| result_id(task));
    let record = || format!("{}/assign", task.id);
    node.leaf("content", &task.text)
        .with_opt(given.subscription.as_ref().map(subscription))
        .leaf("task-async", task.asynchronous)
        .leaf("task-status", task.status.as_str())
        .leaf_opt("expected-response", task.content.expected_response.as_ref())
        .list(
            "term-explains",
            1,
            &task.content.terms,
            |node, (term, explanation)| node.leaf("term", term).leaf("explaination", explanation),
        )
        .leaf_opt("msg-data", given.data.clone().or(result))
        .leaf("context", given.context.clone().unwrap_or_else(record))
}

fn subscription(of: &Subscription) -> Node<'_> {
    Node::container("", "task-subscription")
        .leaf("subscript-protocol", &of.protocol)
        .leaf("subscript-method", &of.method)
        .leaf_opt("subscript-url", (!of.url.is_empty()).then_some(&of.url))
}

/// The conditions of convoke-negotiation, those that were given.
fn conditions<'a>(node: Node<'a>, given: &'a Conditions) -> Node<'a> {
    let seconds = given.answer_within_ms.map(|ms| ms / 1_000);
    let limit = (given.round_limit > 0).then_some(given.round_limit);
    node.leaf_opt("parent-task", given.parent.as_ref().map(TaskId::as_str))
        .leaf_opt("deadline", given.deadline.map(|t| t.to_string()))
        .leaf_opt("answer-within", seconds)
        .leaf("fulfillment-required", given.fulfillment_demanded)
        .leaf_opt("round-limit", limit)
        .leaf_opt("conversation", given.conversation.as_ref())
}

fn result_id(task: &Task) -> String {
    format!("{}/result", task.id)
}
