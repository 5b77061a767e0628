//! The agents' own alarm correlation as a rule for the open loop: what the OSS agent would suspect
//! first, and what the wireless agent's knowledge makes of a cell's alarms, without any measurement.
//!
//! Knows alarms only: neither complaints nor readings. Read next:
//! [`agents::oss_fault::correlation`], [`yardsticks::online`].

use agents::alarms::tells_of_fault;
use agents::knowledge::Knowledge;
use agents::oss_fault::correlation::{Correlator, Explanation};
use agents::oss_fault::evidence::Evidence;
use agents::topology::Topology;
use domain::cause::Cause;
use domain::inventory::ElementKind;
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;
use yardsticks::{AlarmScene, Blame, BlameRule, LabelledDay, SceneKey};

/// The name of the agents' correlation among the policies of the open loop.
pub const AGENTS: &str = "agents-correlation";

/// The correlation of the agents that ship.
#[derive(Clone, Debug)]
pub struct AgentsCorrelation {
    correlator: Arc<Correlator>,
    knowledge: Arc<Knowledge>,
}

impl AgentsCorrelation {
    /// The correlation on the network of a recorded day, with the knowledge in force.
    pub fn on(day: &LabelledDay) -> Self {
        let inventory = Arc::new(day.book.graph().inventory().clone());
        let knowledge = Arc::new(Knowledge::in_force());
        let correlator = Correlator::knowing(Topology::new(inventory), Arc::clone(&knowledge));
        Self {
            correlator: Arc::new(correlator),
            knowledge,
        }
    }

    /// The likeliest cause of what an element shows by itself, by what was learnt.
    fn by_itself(
        &self,
        alarm: SceneKey,
        causes: &[Cause],
        scene: &AlarmScene,
        now: Timestamp,
    ) -> Option<Blame> {
        let noticed = scene.get(alarm)?.noticed;
        let stands = |of_type: AlarmType| scene.get((alarm.0, of_type)).is_some();
        let weight = |cause: &Cause| {
            let passed_s = now.seconds_since(noticed);
            self.knowledge.weight(*cause, stands, passed_s)
        };
        let heaviest = causes
            .iter()
            .max_by(|a, b| weight(a).total_cmp(&weight(b)))?;
        Some(Blame {
            element: scene.book().graph().element(alarm.0).clone(),
            cause: Some(*heaviest),
            score: weight(heaviest),
            explains: scene.open_on(alarm.0).map(|t| (alarm.0, t)).collect(),
        })
    }

    /// The likeliest shared cause of the fault that an alarm belongs to; without a cause if that is a
    /// single site's own trouble.
    fn shared(&self, alarm: SceneKey, scene: &AlarmScene, now: Timestamp) -> Option<Blame> {
        let graph = scene.book().graph();
        // What has no cause in common with the alarm, directly or over others, changes nothing of it.
        let together = scene.hanging_together(alarm).into_iter();
        let telling = together.filter(|(_, of_type)| tells_of_fault(*of_type));
        let alarms = telling.filter_map(|(element, of_type)| {
            let noticed = scene.get((element, of_type))?.noticed;
            Some(((graph.element(element).clone(), of_type), noticed))
        });
        let evidence = Evidence {
            alarms: alarms.collect(),
            ..Evidence::default()
        };
        let keys = |e: &Explanation| -> BTreeSet<SceneKey> {
            let first = e.ranked.first();
            let keys = first.map(|first| self.correlator.keys(&first.explains));
            let keys = keys.into_iter().flatten();
            keys.filter_map(|(id, of_type)| Some((graph.number(&id)?, of_type)))
                .collect()
        };
        let explanations = self.correlator.explain(&evidence, now);
        let mut explanations = explanations.iter().map(|e| (e, keys(e)));
        let (explanation, explains) = explanations.find(|(_, keys)| keys.contains(&alarm))?;
        let first = explanation.ranked.first()?;
        let candidate = self.correlator.candidate(first.index);
        Some(Blame {
            element: candidate.element.clone(),
            cause: candidate.cause,
            score: first.score,
            explains,
        })
    }
}

impl BlameRule for AgentsCorrelation {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, now: Timestamp) -> Option<Blame> {
        const OF_CELLS: [Cause; 3] = [
            Cause::CellHardwareFailure,
            Cause::Misconfiguration,
            Cause::Interference,
        ];
        let expected = [
            AlarmType::CellUnavailable,
            AlarmType::CellDegraded,
            AlarmType::InterferenceHigh,
        ];
        match scene.book().graph().kind(alarm.0) {
            ElementKind::Cell if expected.contains(&alarm.1) => {
                self.by_itself(alarm, &OF_CELLS, scene, now)
            }
            ElementKind::Link if alarm.1 == AlarmType::Congestion => {
                self.by_itself(alarm, &[Cause::Congestion], scene, now)
            }
            _ if tells_of_fault(alarm.1) => self.shared(alarm, scene, now),
            _ => None,
        }
    }
}
