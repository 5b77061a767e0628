//! `get-tasks` and `get-context` (module convoke-registry): long lists, page by page.
//!
//! A page holds as many entries as were asked for, or fewer where they are long; if others follow, it
//! names its last. Read next: [`crate::netconf::modelled`].

use super::input::{all, number, text, time};
use super::{Answer, check, output};
use crate::netconf::REGISTRY_NAMESPACE;
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::modelled::{context, task};
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::Element;
use domain::task::{Status, TaskId};
use engine::{Execution, Filter, Operation, Outcome, Page, Query, Records, TaskFilter};

/// `limit`, if it is not given: the default of the module.
const ROWS: usize = 100;

pub(super) fn get_tasks(
    cx: &RequestContext<'_>,
    operation: Element<'_>,
) -> Result<Answer, RpcError> {
    check(cx, operation)?;
    let status: Vec<Status> = all(operation, "status")
        .filter_map(|s| Status::parse(s.trimmed_text()))
        .collect();
    let every = TaskFilter::default();
    let filter = TaskFilter {
        party: text(operation, "party"),
        other_party: None,
        executor: text(operation, "executor"),
        status: if status.is_empty() {
            every.status
        } else {
            status
        },
        parent: text(operation, "parent-task").map(TaskId::new),
        since: time(operation, "since")?,
        until: time(operation, "until")?,
        after: text(operation, "after").map(TaskId::new),
        limit: number(operation, "limit").unwrap_or(ROWS),
        conversation: text(operation, "conversation"),
        newest_first: false,
        bytes: every.bytes,
    };
    let asked = RpcOrigin::Registry("get-tasks");
    let Records::TaskPage(page) = read(cx, Query::TaskPage(filter), asked)? else {
        unreachable!("a page of tasks holds tasks")
    };
    let next = last(&page).map(|task| follows(task.id.as_str()));
    let tasks = page.rows.iter().map(|task| task::registered(task));
    Ok(output(tasks.chain(next)))
}

pub(super) fn get_context(
    cx: &RequestContext<'_>,
    operation: Element<'_>,
) -> Result<Answer, RpcError> {
    check(cx, operation)?;
    let filter = Filter {
        task: text(operation, "task-id").map(TaskId::new),
        party: text(operation, "party"),
        counterparty: text(operation, "counterparty"),
        since: time(operation, "since")?,
        until: time(operation, "until")?,
        after: text(operation, "after"),
        limit: number(operation, "limit").unwrap_or(ROWS),
        ..Filter::default()
    };
    let asked = RpcOrigin::Registry("get-context");
    let Records::ExchangePage(page) = read(cx, Query::ExchangePage(filter), asked)? else {
        unreachable!("a page of exchanges holds exchanges")
    };
    let next = last(&page).map(|exchange| follows(&exchange.id));
    let exchanges = page.rows.iter().map(context::registered);
    Ok(output(exchanges.chain(next)))
}

fn read(cx: &RequestContext<'_>, query: Query, asked: RpcOrigin) -> Result<Records, RpcError> {
    let wanted = Operation::Read(query);
    match cx.platform.engine.execute(cx.who, wanted, cx.now) {
        Execution::Done(Ok(Outcome::Records(records))) => Ok(records),
        Execution::Done(Err(refusal)) => Err(error::refused(&refusal, asked)),
        _ => unreachable!("a query is answered at once, with records"),
    }
}

/// The last entry of a page that others follow.
fn last<T>(page: &Page<T>) -> Option<&T> {
    page.rows.last().filter(|_| page.more)
}

fn follows(last: &str) -> Node<'_> {
    Node::value(REGISTRY_NAMESPACE, "next", last)
}
