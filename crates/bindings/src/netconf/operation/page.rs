//! `get-tasks` and `get-context` (module convoke-registry): long lists, page by page; `count-tasks`:
//! how long one is.
//!
//! A page holds as many entries as were asked for, or fewer where they are long; if others follow, it
//! names its last. Read next: [`crate::netconf::encode`].

use super::input::{Instant, Text, Word};
use super::{Answer, Codec, input, output};
use crate::netconf::REGISTRY_NAMESPACE;
use crate::netconf::encode::{context, task};
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use domain::context::Exchange;
use domain::task::{Status, Task, TaskId};
use engine::query::{ExchangePage, TaskCount, TaskPage};
use engine::{Filter, Page, TaskFilter};
use std::sync::Arc;

/// The groupings `record-filter` and `task-filter` of the module, of whichever input uses them.
macro_rules! filter {
    ($input:expr) => {
        TaskFilter {
            party: $input.party().map(Text::owned),
            executor: $input.executor().map(Text::owned),
            status: asked($input.status())?,
            parent: $input.parent_task().map(Text::as_str).map(TaskId::new),
            since: $input.since().map(Instant::timestamp).transpose()?,
            until: $input.until().map(Instant::timestamp).transpose()?,
            conversation: $input.conversation().map(Text::owned),
            ..TaskFilter::default()
        }
    };
}

impl Codec for TaskPage {
    type Input = input::GetTasks<'static>;

    fn decode(_: &RequestContext<'_>, input: input::GetTasks<'_>) -> Result<Self, RpcError> {
        Ok(Self(TaskFilter {
            after: input.after().map(Text::as_str).map(TaskId::new),
            limit: input.limit().into(),
            ..filter!(input)
        }))
    }

    fn encode(page: Page<Arc<Task>>) -> Answer {
        let next = last(&page).map(|task| follows(task.id.as_str()));
        let tasks = page.rows.iter().map(|task| task::registered(task));
        output(tasks.chain(next))
    }
}

impl Codec for TaskCount {
    type Input = input::CountTasks<'static>;

    fn decode(_: &RequestContext<'_>, input: input::CountTasks<'_>) -> Result<Self, RpcError> {
        Ok(Self(filter!(input)))
    }

    fn encode(count: u64) -> Answer {
        let count = Node::value(REGISTRY_NAMESPACE, "count", count.to_string());
        output([count])
    }
}

impl Codec for ExchangePage {
    type Input = input::GetContext<'static>;

    fn decode(_: &RequestContext<'_>, input: input::GetContext<'_>) -> Result<Self, RpcError> {
        Ok(Self(Filter {
            task: input.task_id().map(Text::as_str).map(TaskId::new),
            party: input.party().map(Text::owned),
            counterparty: input.counterparty().map(Text::owned),
            since: input.since().map(Instant::timestamp).transpose()?,
            until: input.until().map(Instant::timestamp).transpose()?,
            after: input.after().map(Text::owned),
            limit: input.limit().into(),
            ..Filter::default()
        }))
    }

    fn encode(page: Page<Exchange>) -> Answer {
        let next = last(&page).map(|exchange| follows(&exchange.id));
        let exchanges = page.rows.iter().map(context::registered);
        output(exchanges.chain(next))
    }
}

/// The states asked for: every one if none is named.
fn asked<'x>(named: impl Iterator<Item = Word<'x>>) -> Result<Vec<Status>, RpcError> {
    let status: Vec<Status> = named
        .map(|status| status.read_as(Status::parse))
        .collect::<Result<_, _>>()?;
    Ok(match status.is_empty() {
        true => TaskFilter::default().status,
        false => status,
    })
}

/// The last entry of a page that others follow.
fn last<T>(page: &Page<T>) -> Option<&T> {
    page.rows.last().filter(|_| page.more)
}

fn follows(last: &str) -> Node<'_> {
    Node::value(REGISTRY_NAMESPACE, "next", last)
}
