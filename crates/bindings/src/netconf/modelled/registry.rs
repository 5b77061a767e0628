//! `/registry` (module convoke-registry): the agents, tasks and exchanges of the platform.

use super::context::{registered as exchange_node, wanted};
use super::{Reader, agent, keys, task};
use crate::netconf::REGISTRY_NAMESPACE;
use ::netconf::data::{Node, Writer};
use ::netconf::filter::View;
use domain::task::TaskId;
use engine::{Member, Query, Records, Refusal};

/// What a task usually takes, in bytes: a guess too high costs nothing.
const TASK_BYTES: usize = 1_024;

impl Reader<'_> {
    pub(super) fn write_registered(
        &self,
        view: &View<'_>,
        writer: &mut Writer<'_>,
    ) -> Result<(), Refusal> {
        if view.wants(REGISTRY_NAMESPACE, "agent") {
            for member in self.platform.engine.members() {
                writer.node(&registered_agent(member));
            }
        }
        if let Some(view) = view.child(REGISTRY_NAMESPACE, "task") {
            self.write_tasks(&view, writer)?;
        }
        if let Some(view) = view.child(REGISTRY_NAMESPACE, "context") {
            for id in wanted(keys(&view, "id")) {
                let task =
                    keys(&view, "task-id").and_then(|k| (k.len() == 1).then(|| TaskId::new(&k[0])));
                let query = Query::Exchanges {
                    party: None,
                    id,
                    task,
                };
                if let Records::Exchanges(found) = self.read(query)? {
                    found.iter().for_each(|e| writer.node(&exchange_node(e)));
                }
            }
        }
        if view.wants(REGISTRY_NAMESPACE, "statistics") {
            writer.node(&self.registry_statistics());
        }
        Ok(())
    }

    fn write_tasks(&self, view: &View<'_>, writer: &mut Writer<'_>) -> Result<(), Refusal> {
        for id in wanted(keys(view, "task-id")) {
            let query = id.map_or(Query::Tasks, |id| Query::Task(TaskId::new(id)));
            if let Records::Tasks(found) = self.read(query)? {
                writer.reserve(found.len() * TASK_BYTES);
                found.iter().for_each(|t| writer.node(&task::registered(t)));
            }
        }
        Ok(())
    }

    fn registry_statistics(&self) -> Node<'static> {
        let engine = &self.platform.engine;
        let agents = engine.members().len() as u32;
        let counts = engine.counts();
        Node::container("", "statistics")
            .leaf("agents", agents)
            .leaf("agents-online", agents)
            .leaf("tasks", counts.tasks)
            .leaf("tasks-open", counts.open)
            .leaf("events", engine.last_sequence())
    }
}

fn registered_agent(member: &Member) -> Node<'_> {
    let examples = member
        .profile
        .skills
        .iter()
        .filter(|s| !s.examples.is_empty());
    let observed = Node::container("", "observed")
        .leaf("online", true)
        .leaf("registered-at", member.registered_at.to_string())
        .leaf("layer", member.profile.layer.as_str())
        .leaf_opt("endpoint", member.endpoint.as_ref())
        .list("skill-example", 1, examples, |node, skill| {
            node.leaf("skill-name", &skill.name)
                .leaf_list("example", &skill.examples)
        });
    agent::profile(Node::entry("", "agent", 1), &member.profile).with(observed)
}
