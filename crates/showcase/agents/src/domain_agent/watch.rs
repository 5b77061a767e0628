//! The standing task: reporting incidents to whoever ordered it.
//!
//! Read next: [`crate::incident`].

use crate::context::AgentContext;
use crate::incident::Incidents;
use crate::learnt_causes::LearntCauses;
use crate::payloads::Schema;
use crate::payloads::incident::Incident;
use crate::topology::Topology;
use crate::wording::counted;
use domain::agent::{Output, Progress};
use domain::content::Content;
use domain::inventory::Domain;
use domain::task::TaskId;
use domain::telemetry::{Alarm, Token};
use domain::time::Timestamp;
use std::sync::Arc;

/// Incidents, and who wants them.
#[derive(Debug)]
pub(super) struct Watch {
    pub(super) incidents: Incidents,
    /// Standing tasks with their publishers; one per publisher.
    standing: Vec<(TaskId, String)>,
    wake: Option<(Token, Timestamp)>,
}

impl Watch {
    pub(super) fn knowing(
        learnt: Option<Arc<LearntCauses>>,
        domain: Domain,
        prefix: String,
    ) -> Self {
        Self {
            incidents: Incidents::knowing(learnt, domain, prefix),
            standing: Vec::new(),
            wake: None,
        }
    }

    /// Takes a standing task on. An older one of the same publisher ends: it came from before its
    /// publisher restarted, and nobody reads it any more.
    pub(super) fn assign(&mut self, task: TaskId, from: &str, topology: &Topology) -> Vec<Output> {
        let mut outputs = Vec::new();
        let superseded = self
            .standing
            .iter()
            .filter(|(id, publisher)| publisher == from && *id != task);
        for (old, _) in superseded {
            let words = format!("Task {task} of the same publisher takes its place");
            let content = Content::new("incidents", "Reporting of incidents").with_result(words);
            outputs.push(Output::report(old, Progress::Result(content)));
        }
        self.standing.retain(|(_, publisher)| publisher != from);
        self.standing.push((task.clone(), from.to_owned()));
        for incident in self.incidents.all_reported(topology) {
            outputs.push(incident_report(&task, &incident));
        }
        outputs
    }

    pub(super) fn forget(&mut self, task: &TaskId) {
        self.standing.retain(|(id, _)| id != task);
    }

    pub(super) fn take(&mut self, alarm: &Alarm, topology: &Topology, now: Timestamp) {
        self.incidents.take(alarm, topology, now);
    }

    /// Asks to be woken when the next report is due, unless that is arranged.
    pub(super) fn schedule(&mut self, context: &mut AgentContext) -> Option<Output> {
        let due = self.incidents.due()?;
        if self.wake.is_some_and(|(_, at)| at <= due) {
            return None;
        }
        let token = context.token();
        self.wake = Some((token, due));
        Some(Output::Wake { token, at: due })
    }

    pub(super) fn woken(
        &mut self,
        token: Token,
        topology: &Topology,
        now: Timestamp,
    ) -> Vec<Output> {
        if self.wake.is_none_or(|(t, _)| t != token) {
            return Vec::new();
        }
        self.wake = None;
        let mut outputs = Vec::new();
        for incident in self.incidents.report(topology, now) {
            outputs.push(Output::Note(note(&incident)));
            for (task, _) in &self.standing {
                outputs.push(incident_report(task, &incident));
            }
        }
        outputs
    }
}

fn incident_report(task: &TaskId, incident: &Incident) -> Output {
    let content = Content::new(incident.incident_id.as_str(), note(incident))
        .with_payload(incident.to_payload());
    let percent = 0;
    Output::report(task, Progress::Working { percent, content })
}

fn note(incident: &Incident) -> String {
    if incident.cleared {
        return format!("Incident {} has cleared", incident.incident_id);
    }
    format!(
        "Incident {}: {}, {}, {} out of service since {}",
        incident.incident_id,
        incident.probable_cause.as_str(),
        counted(incident.alarm_count as usize, "alarm", "alarms"),
        counted(incident.sites.len(), "site", "sites"),
        incident.raised_at
    )
}
