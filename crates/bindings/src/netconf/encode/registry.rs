//! `/registry` (module convoke-registry): the agents, tasks, negotiations, teams and exchanges of the
//! platform.
//!
//! A key that is given is looked up; what hangs below a task is read only if it is asked for.

use super::context::wanted;
use super::reader::{Reader, keys};
use super::{agent, context, negotiation, task, team};
use crate::netconf::REGISTRY_NAMESPACE;
use crate::netconf::output::{Parent as _, Registry, Retention, Statistics};
use ::netconf::data::Writer;
use ::netconf::filter::View;
use domain::negotiation::Negotiation;
use domain::registry::Registration;
use domain::task::{Task, TaskId};
use engine::query::{
    AllTasks, ExchangesOf, NegotiationsOf, PartsOf, ProposalsOf, TaskById, TeamsOf,
};
use engine::{Engine, Refusal};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a task usually takes, in bytes: a guess too high costs nothing.
const TASK_BYTES: usize = 1_024;

type ByTask = BTreeMap<TaskId, Vec<Arc<Negotiation>>>;

impl Reader<'_> {
    pub(super) fn write_registered(
        &self,
        view: &View<'_>,
        writer: &mut Writer<'_>,
    ) -> Result<(), Refusal> {
        let engine = &*self.platform.engine;
        let below = |name| view.child(REGISTRY_NAMESPACE, name);
        if let Some(view) = below("agent") {
            self.write_agents(&view, writer);
        }
        if let Some(view) = below("task") {
            self.write_tasks(&view, writer)?;
        }
        if let Some(view) = below("negotiation") {
            self.write_proposals(&view, writer)?;
        }
        if let Some(view) = below("team") {
            self.write_teams(&view, writer)?;
        }
        if let Some(view) = below("context") {
            self.write_exchanges(&view, writer)?;
        }
        if below("retention").is_some() {
            Registry::within(&mut *writer).retention(Some(engine), retention);
        }
        if below("statistics").is_some() {
            Registry::within(writer).statistics(Some(engine), statistics);
        }
        Ok(())
    }

    fn write_agents(&self, view: &View<'_>, writer: &mut Writer<'_>) {
        let engine = &self.platform.engine;
        let names = keys(view, "name");
        let named = |of: &&Arc<Registration>| {
            let name = &of.profile.name;
            names.as_ref().is_none_or(|names| names.contains(name))
        };
        let registrations = engine.registrations();
        Registry::within(writer).agent(registrations.iter().filter(named), |node, of| {
            agent::registered(node, of, engine.endpoint_of(&of.profile.name))
        });
    }

    fn write_tasks(&self, view: &View<'_>, writer: &mut Writer<'_>) -> Result<(), Refusal> {
        match keys(view, "task-id") {
            Some(ids) => {
                for id in ids.into_iter().map(TaskId::new) {
                    let found: Vec<Arc<Task>> =
                        self.read(TaskById(id.clone()))?.into_iter().collect();
                    let wanted = !found.is_empty() && view.wants(REGISTRY_NAMESPACE, "child-task");
                    let parts = match wanted {
                        true => self.read(PartsOf(id.clone()))?,
                        false => Vec::new(),
                    };
                    let parts = parts.iter().map(TaskId::as_str).collect();
                    let parts = BTreeMap::from([(&id, parts)]);
                    self.write_found(view, &found, &parts, Some(&id), writer)?;
                }
                Ok(())
            }
            None => {
                let found = self.read(AllTasks)?;
                let mut parts: BTreeMap<&TaskId, Vec<&str>> = BTreeMap::new();
                for part in &found {
                    if let Some(parent) = &part.conditions.parent {
                        parts.entry(parent).or_default().push(part.id.as_str());
                    }
                }
                self.write_found(view, &found, &parts, None, writer)
            }
        }
    }

    /// Writes tasks, all or the `one`, each with its `parts`.
    fn write_found(
        &self,
        view: &View<'_>,
        found: &[Arc<Task>],
        parts: &BTreeMap<&TaskId, Vec<&str>>,
        one: Option<&TaskId>,
        writer: &mut Writer<'_>,
    ) -> Result<(), Refusal> {
        let negotiations = match view.wants(REGISTRY_NAMESPACE, "negotiation") {
            true if !found.is_empty() => by_task(self.read(NegotiationsOf(one.cloned()))?),
            _ => BTreeMap::new(),
        };
        writer.reserve(found.len() * TASK_BYTES);
        Registry::within(writer).task(found, |node, of| {
            let negotiations = negotiations.get(&of.id).into_iter().flatten();
            let parts = parts.get(&of.id).into_iter().flatten().copied();
            node.like(&**of, task::registered)
                .child_task(parts)
                .negotiation(negotiations, |node, of| negotiation::of_task(node, of))
        });
        Ok(())
    }

    /// Feasibilities of tasks that are not there yet.
    fn write_proposals(&self, view: &View<'_>, writer: &mut Writer<'_>) -> Result<(), Refusal> {
        for id in wanted(keys(view, "task-id")) {
            let proposed = self.read(ProposalsOf(id.map(TaskId::new)))?;
            let by_task = by_task(proposed);
            let proposed = by_task.values().flatten();
            Registry::within(&mut *writer)
                .negotiation(proposed, |node, of| negotiation::proposed(node, of));
        }
        Ok(())
    }

    fn write_teams(&self, view: &View<'_>, writer: &mut Writer<'_>) -> Result<(), Refusal> {
        for id in wanted(keys(view, "task-id")) {
            let teams = self.read(TeamsOf(id.map(TaskId::new)))?;
            Registry::within(&mut *writer).team(&teams, |node, of| team::filled(node, of));
        }
        Ok(())
    }

    fn write_exchanges(&self, view: &View<'_>, writer: &mut Writer<'_>) -> Result<(), Refusal> {
        for id in wanted(keys(view, "id")) {
            let task =
                keys(view, "task-id").and_then(|k| (k.len() == 1).then(|| TaskId::new(&k[0])));
            let found = self.read(ExchangesOf {
                party: None,
                id,
                task,
            })?;
            Registry::within(&mut *writer).context(&found, context::registered);
        }
        Ok(())
    }
}

fn retention<'a>(node: Retention<'a>, engine: &Engine) -> Retention<'a> {
    let retention = engine.retention();
    let seconds = |ms: Option<i64>| ms.map(|ms| ms / 1_000);
    node.max_age(seconds(retention.max_age_ms))
        .max_size(retention.max_bytes)
        .log_max_age(seconds(retention.log_max_age_ms))
        .log_began(engine.feed().began())
}

fn statistics<'a>(node: Statistics<'a>, engine: &Engine) -> Statistics<'a> {
    let registrations = engine.registrations();
    let online = registrations.iter().filter(|r| !r.expired).count() as u32;
    let counts = engine.counts();
    node.agents(registrations.len() as u32)
        .agents_online(online)
        .tasks(counts.tasks)
        .tasks_open(counts.open)
        .events(engine.last_sequence())
}

fn by_task(negotiations: Vec<Arc<Negotiation>>) -> ByTask {
    let mut by_task = ByTask::new();
    for negotiation in negotiations {
        let task = negotiation.task.clone();
        by_task.entry(task).or_default().push(negotiation);
    }
    by_task
}
