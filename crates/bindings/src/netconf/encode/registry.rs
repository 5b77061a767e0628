//! `/registry` (module convoke-registry): the agents, tasks, negotiations, teams and exchanges of the
//! platform.
//!
//! A key that is given is looked up; what hangs below a task is read only if it is asked for.

use super::context::{registered as exchange_node, wanted};
use super::{Reader, agent, keys, negotiation, task, team};
use crate::netconf::REGISTRY_NAMESPACE;
use ::netconf::data::{Node, Writer};
use ::netconf::filter::View;
use domain::negotiation::Negotiation;
use domain::task::{Task, TaskId};
use engine::Refusal;
use engine::query::{
    AllTasks, ExchangesOf, NegotiationsOf, PartsOf, ProposalsOf, TaskById, TeamsOf,
};
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
            writer.node(&self.retention());
        }
        if below("statistics").is_some() {
            writer.node(&self.registry_statistics());
        }
        Ok(())
    }

    fn write_agents(&self, view: &View<'_>, writer: &mut Writer<'_>) {
        let engine = &self.platform.engine;
        let names = keys(view, "name");
        for of in engine.registrations() {
            let name = &of.profile.name;
            if names.as_ref().is_none_or(|names| names.contains(name)) {
                writer.node(&agent::registered(&of, engine.endpoint_of(name)));
            }
        }
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
        for of in found {
            let negotiations = negotiations.get(&of.id).map_or(&[][..], Vec::as_slice);
            let parts = parts.get(&of.id).into_iter().flatten().copied();
            let node = task::registered(of).leaf_list("child-task", parts).list(
                "negotiation",
                1,
                negotiations,
                |node, of| negotiation::filled(node, of),
            );
            writer.node(&node);
        }
        Ok(())
    }

    /// Feasibilities of tasks that are not there yet.
    fn write_proposals(&self, view: &View<'_>, writer: &mut Writer<'_>) -> Result<(), Refusal> {
        for id in wanted(keys(view, "task-id")) {
            let proposed = self.read(ProposalsOf(id.map(TaskId::new)))?;
            write_proposed(&by_task(proposed), writer);
        }
        Ok(())
    }

    fn write_teams(&self, view: &View<'_>, writer: &mut Writer<'_>) -> Result<(), Refusal> {
        for id in wanted(keys(view, "task-id")) {
            for of in self.read(TeamsOf(id.map(TaskId::new)))? {
                writer.node(&team::filled(Node::entry("", "team", 1), &of));
            }
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
            found.iter().for_each(|e| writer.node(&exchange_node(e)));
        }
        Ok(())
    }

    fn retention(&self) -> Node<'static> {
        let engine = &self.platform.engine;
        let retention = engine.retention();
        let began = engine.feed().began();
        let seconds = |ms: Option<i64>| ms.map(|ms| ms / 1_000);
        Node::container("", "retention")
            .leaf_opt("max-age", seconds(retention.max_age_ms))
            .leaf_opt("max-size", retention.max_bytes)
            .leaf_opt("log-max-age", seconds(retention.log_max_age_ms))
            .leaf_opt("log-began", began.map(|t| t.to_string()))
    }

    fn registry_statistics(&self) -> Node<'static> {
        let engine = &self.platform.engine;
        let registrations = engine.registrations();
        let online = registrations.iter().filter(|r| !r.expired).count() as u32;
        let counts = engine.counts();
        Node::container("", "statistics")
            .leaf("agents", registrations.len() as u32)
            .leaf("agents-online", online)
            .leaf("tasks", counts.tasks)
            .leaf("tasks-open", counts.open)
            .leaf("events", engine.last_sequence())
    }
}

fn by_task(negotiations: Vec<Arc<Negotiation>>) -> ByTask {
    let mut by_task = ByTask::new();
    for negotiation in negotiations {
        let task = negotiation.task.clone();
        by_task.entry(task).or_default().push(negotiation);
    }
    by_task
}

fn write_proposed(proposed: &ByTask, writer: &mut Writer<'_>) {
    for of in proposed.values().flatten() {
        let node = Node::entry("", "negotiation", 2).leaf("task-id", of.task.as_str());
        writer.node(&negotiation::filled(node, of));
    }
}
