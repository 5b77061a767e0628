//! A task: at `/tasks` of its executor, and in `/registry/task` (draft §5.2).
//!
//! What a publisher wrote into the tail of its message is read there again; where it wrote nothing,
//! `msg-data` tells the result and `context` the record of the assignment.

use crate::netconf::output;
use domain::content::Content;
use domain::task::{Subscription, Task, TaskId};
use domain::verb::Verb;

/// What follows the header in both: content, subscription, mode, state, tail.
macro_rules! body {
    ($node:expr, $task:expr) => {
        $node
            .content(&$task.text)
            .task_subscription($task.conditions.subscription.as_ref(), subscription)
            .task_async($task.asynchronous)
            .task_status($task.status.as_str())
            .expected_response($task.content.expected_response.as_ref())
            .term_explains(&$task.content.terms, |node, (term, explanation)| {
                node.term(term).explaination(explanation)
            })
            .msg_data($task.conditions.data.clone().or_else(|| result_id($task)))
            .context(
                $task
                    .conditions
                    .context
                    .clone()
                    .unwrap_or_else(|| record_id($task)),
            )
    };
}

/// `/tasks`: the current task of an agent.
pub(super) fn tasks(task: &Task) -> output::Tasks<'_> {
    let node = output::Tasks::default()
        .task_send_from(&task.from)
        .task_send_to(&task.to)
        .commu_type(Verb::TaskAssign.as_str())
        .task_id(task.id.as_str());
    body!(node, task)
}

/// An entry of `/registry/task`, its key first; of the conditions of convoke-negotiation those that were
/// given.
pub(in crate::netconf) fn registered<'a>(
    node: output::Task<'a>,
    task: &'a Task,
) -> output::Task<'a> {
    let given = &task.conditions;
    let node = node
        .task_id(task.id.as_str())
        .task_send_from(&task.from)
        .task_send_to(&task.to)
        .commu_type(Verb::TaskAssign.as_str());
    body!(node, task)
        .r#type(task.scenario())
        .task_version(task.version)
        .created_at(task.created_at)
        .changed_at(task.changed_at)
        .progress(task.percent)
        .awaits(task.awaits.map(|a| a.as_str()))
        .answer_by(task.answer_by)
        .parent_task(given.parent.as_ref().map(TaskId::as_str))
        .deadline(given.deadline)
        .answer_within(given.answer_within_ms.map(|ms| ms / 1_000))
        .fulfillment_required(given.fulfillment_demanded)
        .round_limit((given.round_limit > 0).then_some(given.round_limit))
        .conversation(given.conversation.as_ref())
        .plan(task.plan.as_ref().map(Content::render))
        .result(result_id(task), |node, id| node.msg_data(id))
}

fn subscription<'a>(
    node: output::TaskSubscription<'a>,
    of: &'a Subscription,
) -> output::TaskSubscription<'a> {
    node.subscript_protocol(&of.protocol)
        .subscript_method(&of.method)
        .subscript_url((!of.url.is_empty()).then_some(&of.url))
}

/// The entry of `/data-params` that the result is, once there is one.
fn result_id(task: &Task) -> Option<String> {
    let result = task.result.as_ref();
    result.map(|_| format!("{}/result", task.id))
}

/// The entry of `/context` in which the assignment is.
fn record_id(task: &Task) -> String {
    format!("{}/assign", task.id)
}
