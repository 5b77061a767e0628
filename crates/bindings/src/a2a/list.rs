//! `ListTasks`: pages of the store, those that changed last first (v1.0 §3.1.4, A10).
//!
//! A page begins behind the last task of the page before, as it stood then: a task that changes
//! meanwhile moves to the front, where who begins again finds it. Read next: `a2a::page`.

use super::error;
use super::request_context::RequestContext;
use a2a::error::Error;
use a2a::page::{self, PageToken};
use a2a::request::ListTasks;
use a2a::response::ListTasksResponse;
use a2a::state::statuses_of;
use a2a::task::Task as Told;
use domain::task::{Status, Task, TaskId};
use engine::query::{self, TaskCount};
use engine::{Endpoint, TaskFilter};
use std::sync::Arc;

impl RequestContext<'_> {
    pub(super) fn list(&self, wanted: &ListTasks) -> Result<ListTasksResponse, Error> {
        let may = self.engine().authorise_reading(self.who, self.now());
        may.map_err(|denied| error::refused(&denied))?;
        let page_size = wanted.tasks_per_page()?;
        let all = self.filter(wanted);
        let behind = page::cursor(wanted)?;
        let found = self.read(query::TaskPage::whole(TaskFilter {
            until: behind.as_ref().map(|it| it.changed_at),
            after: behind.map(|it| TaskId::new(it.task_id)),
            limit: usize::try_from(page_size).expect("a hundred at most"),
            ..all.clone()
        }))?;
        let last = found.rows.last().filter(|_| found.more);
        let token = last.map(|task| {
            let cursor = PageToken {
                changed_at: task.changed_at,
                task_id: task.id.to_string(),
            };
            cursor.token(wanted)
        });
        let mut left = self.engine().read_bytes();
        let listed = |task: &Arc<Task>| self.listed(task, wanted, &mut left);
        let tasks = found.rows.iter().map(listed);
        Ok(ListTasksResponse {
            tasks: tasks.collect::<Result<_, Error>>()?,
            next_page_token: token,
            page_size,
            total_size: u32::try_from(self.read(TaskCount(all))?).unwrap_or(u32::MAX),
        })
    }

    fn filter(&self, wanted: &ListTasks) -> TaskFilter {
        TaskFilter {
            executor: match self.endpoint {
                Endpoint::Agent(name) => Some(name.clone()),
                Endpoint::Platform | Endpoint::Ems(_) => None,
            },
            status: wanted.status.map_or(Status::ALL.to_vec(), statuses_of),
            conversation: wanted.context_id.clone(),
            since: wanted.changed_since,
            newest_first: true,
            ..TaskFilter::default()
        }
    }

    fn listed(&self, task: &Task, wanted: &ListTasks, left: &mut u64) -> Result<Told, Error> {
        let told = self.of_task_within(task, wanted.history_length, left)?;
        Ok(told.listed(wanted.include_artifacts))
    }
}
