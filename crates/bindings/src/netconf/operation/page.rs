//! `get-tasks` and `get-context` (module convoke-registry): long lists, page by page; `count-tasks`:
//! how long one is.
//!
//! A page holds as many entries as were asked for, or fewer where they are long; if others follow, it
//! names its last. Read next: [`crate::netconf::encode`].

use super::codec::Codec;
use crate::netconf::encode::{context, task};
use crate::netconf::input::{self, Instant, Text, Word};
use crate::netconf::output;
use crate::netconf::request_context::RequestContext;
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
        let filter = TaskFilter {
            after: input.after().map(Text::as_str).map(TaskId::new),
            limit: input.limit().into(),
            ..filter!(input)
        };
        let text_limit = input.text_limit().map(|bytes| bytes as usize);
        Ok(Self { filter, text_limit })
    }

    fn encode<'a>(page: &'a Page<Arc<Task>>, output: output::GetTasks<'a>) -> output::GetTasks<'a> {
        output
            .task(page.rows.iter().map(|task| &**task), task::registered)
            .next(last(page).map(|task| task.id.as_str()))
    }
}

impl Codec for TaskCount {
    type Input = input::CountTasks<'static>;

    fn decode(_: &RequestContext<'_>, input: input::CountTasks<'_>) -> Result<Self, RpcError> {
        Ok(Self(filter!(input)))
    }

    fn encode<'a>(count: &'a u64, output: output::CountTasks<'a>) -> output::CountTasks<'a> {
        output.count(*count)
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

    fn encode<'a>(
        page: &'a Page<Exchange>,
        output: output::GetContext<'a>,
    ) -> output::GetContext<'a> {
        output
            .context(&page.rows, context::registered)
            .next(last(page).map(|exchange| &exchange.id))
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
