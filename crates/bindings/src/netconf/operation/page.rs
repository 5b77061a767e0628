//! `get-tasks` and `get-context` (module convoke-registry): long lists, page by page; `count-tasks`:
//! how long one is.
//!
//! A page holds as many entries as were asked for, or fewer where they are long; if others follow, it
//! names its last. Read next: [`crate::netconf::encode`].

use super::input::{all, number, text, time};
use super::{Answer, Codec, output};
use crate::netconf::REGISTRY_NAMESPACE;
use crate::netconf::encode::{context, task};
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use domain::context::Exchange;
use domain::task::{Status, Task, TaskId};
use engine::query::{ExchangePage, TaskCount, TaskPage};
use engine::{Filter, Page, TaskFilter};
use std::sync::Arc;

/// `limit`, if it is not given: the default of the module.
const ROWS: usize = 100;

impl Codec for TaskPage {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self(TaskFilter {
            after: text(input, "after").map(TaskId::new),
            limit: number(input, "limit").unwrap_or(ROWS),
            ..filter(input)?
        }))
    }

    fn encode(page: Page<Arc<Task>>) -> Answer {
        let next = last(&page).map(|task| follows(task.id.as_str()));
        let tasks = page.rows.iter().map(|task| task::registered(task));
        output(tasks.chain(next))
    }
}

impl Codec for TaskCount {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        filter(input).map(Self)
    }

    fn encode(count: u64) -> Answer {
        let count = Node::value(REGISTRY_NAMESPACE, "count", count.to_string());
        output([count])
    }
}

impl Codec for ExchangePage {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self(Filter {
            task: text(input, "task-id").map(TaskId::new),
            party: text(input, "party"),
            counterparty: text(input, "counterparty"),
            since: time(input, "since")?,
            until: time(input, "until")?,
            after: text(input, "after"),
            limit: number(input, "limit").unwrap_or(ROWS),
            ..Filter::default()
        }))
    }

    fn encode(page: Page<Exchange>) -> Answer {
        let next = last(&page).map(|exchange| follows(&exchange.id));
        let exchanges = page.rows.iter().map(context::registered);
        output(exchanges.chain(next))
    }
}

/// The groupings `record-filter` and `task-filter` of the module.
fn filter(input: XmlElement<'_>) -> Result<TaskFilter, RpcError> {
    let status: Vec<Status> = all(input, "status")
        .filter_map(|s| Status::parse(s.trimmed_text()))
        .collect();
    let every = TaskFilter::default();
    Ok(TaskFilter {
        party: text(input, "party"),
        executor: text(input, "executor"),
        status: if status.is_empty() {
            every.status
        } else {
            status
        },
        parent: text(input, "parent-task").map(TaskId::new),
        since: time(input, "since")?,
        until: time(input, "until")?,
        conversation: text(input, "conversation"),
        ..every
    })
}

/// The last entry of a page that others follow.
fn last<T>(page: &Page<T>) -> Option<&T> {
    page.rows.last().filter(|_| page.more)
}

fn follows(last: &str) -> Node<'_> {
    Node::value(REGISTRY_NAMESPACE, "next", last)
}
