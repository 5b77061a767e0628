//! A task: at `/tasks` of its executor, and in `/registry/task` (draft §5.2).

use crate::netconf::AGENT_NAMESPACE;
use ::netconf::data::Node;
use domain::task::Task;
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
pub(super) fn registered(task: &Task) -> Node<'_> {
    let node = Node::entry("", "task", 1)
        .leaf("task-id", task.id.as_str())
        .leaf("task-sendFrom", &task.from)
        .leaf("task-sendTo", &task.to)
        .leaf("commuType", Verb::TaskAssign.as_str());
    let result = task
        .result
        .as_ref()
        .map(|_| Node::container("", "result").leaf("msg-data", result_id(task)));
    body(node, task)
        .leaf_opt("type", task.scenario())
        .leaf("task-version", task.version)
        .leaf("created-at", task.created_at.to_string())
        .leaf("changed-at", task.changed_at.to_string())
        .leaf("progress", task.percent)
        .with_opt(result)
}

/// What follows the header: content, mode, state, tail.
fn body<'a>(node: Node<'a>, task: &'a Task) -> Node<'a> {
    node.leaf("content", &task.text)
        .leaf("task-async", task.asynchronous)
        .leaf("task-status", task.status.as_str())
        .leaf_opt("expected-response", task.content.expected_response.as_ref())
        .list(
            "term-explains",
            1,
            &task.content.terms,
            |node, (term, explanation)| node.leaf("term", term).leaf("explaination", explanation),
        )
        .leaf_opt("msg-data", task.result.as_ref().map(|_| result_id(task)))
        .leaf("context", format!("{}/assign", task.id))
}

fn result_id(task: &Task) -> String {
    format!("{}/result", task.id)
}
