//! The outcome of the tasks, from the store.
//!
//! Read page by page after the run. Read next: `main`.

use domain::task::{Task, TaskId};
use domain::time::Timestamp;
use engine::TaskFilter;
use engine::query::TaskPage;
use server::host::Host;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The tasks of a run, counted.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) all: u64,
    pub(crate) open: u64,
    pub(crate) by_status: BTreeMap<String, u64>,
    pub(crate) by_schema: BTreeMap<String, u64>,
    /// The number of sub-tasks.
    pub(crate) parts: u64,
    /// The agents that executed at least one task.
    pub(crate) executors: BTreeSet<String>,
    /// The times from assignment to end, in seconds of simulated time.
    pub(crate) lasted_s: Vec<f64>,
}

impl Record {
    pub(crate) fn of(host: &Host) -> Self {
        let mut record = Self::default();
        let mut last = None;
        loop {
            let page = page(host, last.take());
            page.iter().for_each(|task| record.take(task));
            match page.last() {
                Some(task) => last = Some(task.id.clone()),
                None => return record,
            }
        }
    }

    fn take(&mut self, task: &Task) {
        self.all += 1;
        *self.by_status.entry(task.status.to_string()).or_default() += 1;
        let payload = task.content.payload.as_ref();
        let schema = payload.map_or("words", |payload| payload.schema_id.as_str());
        *self.by_schema.entry(schema.to_owned()).or_default() += 1;
        self.parts += u64::from(task.conditions.parent.is_some());
        self.executors.insert(task.to.clone());
        match task.status.is_terminal() {
            true => self
                .lasted_s
                .push(task.changed_at.seconds_since(task.created_at)),
            false => self.open += 1,
        }
    }
}

fn page(host: &Host, after: Option<TaskId>) -> Vec<Arc<Task>> {
    let engine = host.platform.engine();
    let filter = TaskFilter {
        after,
        ..TaskFilter::default()
    };
    let read = TaskPage::whole(filter);
    let page = engine.read(&engine.principal("operator"), read, Timestamp::default());
    page.map_or_else(|_| Vec::new(), |page| page.rows)
}

/// The percentiles of the values at these shares (0 to 1); 0 of no values.
pub(crate) fn percentile<const N: usize>(mut values: Vec<f64>, shares: [f64; N]) -> [f64; N] {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1) as f64;
    shares.map(|share| {
        let place = (last * share).round() as usize;
        values.get(place).copied().unwrap_or_default()
    })
}
