//! Looks at committed state, pruned to what the principal is party to.
//!
//! Which *nodes* of a record may be read is NACM's question, asked where records become nodes.
//! Read next: [`crate::view`].

use crate::operation::{Outcome, Query, Records};
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::task::Task;
use std::sync::Arc;
use store::Filter;

impl Engine {
    pub(crate) fn read(&self, who: &Principal, query: Query) -> Result<Outcome, Refusal> {
        let visible = |task: &&Arc<Task>| who.sees(&task.from, &task.to);
        let records = match query {
            Query::Task(id) => {
                let tasks = self.view.tasks();
                Records::Tasks(
                    tasks
                        .find(&id)
                        .filter(visible)
                        .cloned()
                        .into_iter()
                        .collect(),
                )
            }
            Query::Tasks => {
                Records::Tasks(self.view.tasks().all().filter(visible).cloned().collect())
            }
            Query::CurrentTask(agent) => {
                let tasks = self.view.tasks();
                Records::Tasks(
                    tasks
                        .current(&agent)
                        .find(visible)
                        .cloned()
                        .into_iter()
                        .collect(),
                )
            }
            Query::Exchanges { party, id, task } => {
                let found = match id {
                    Some(id) => self.store.exchange(&id)?.into_iter().collect(),
                    None => self.store.exchanges(&Filter {
                        task,
                        party: party.clone(),
                        limit: usize::MAX,
                        ..Filter::default()
                    })?,
                };
                let fits = |p: &String, from: &str, to: &str| p == from || p == to;
                Records::Exchanges(
                    found
                        .into_iter()
                        .filter(|e| who.sees(&e.from, &e.to))
                        .filter(|e| party.as_ref().is_none_or(|p| fits(p, &e.from, &e.to)))
                        .collect(),
                )
            }
            Query::Data { party, id } => {
                let found = match id {
                    Some(id) => self.store.data_param(&id)?.into_iter().collect(),
                    None => self.store.data_params(&Filter {
                        party: party.clone(),
                        limit: usize::MAX,
                        ..Filter::default()
                    })?,
                };
                Records::Data(
                    found
                        .into_iter()
                        .filter(|d| who.sees(&d.parties[0], &d.parties[1]))
                        .filter(|d| party.as_ref().is_none_or(|p| d.parties.contains(p)))
                        .collect(),
                )
            }
        };
        Ok(Outcome::Records(records))
    }
}
