//! A template of an own domain agent: it keeps the alarms of its domain and answers, in words and by
//! schema, which of the named sites are in service.
//!
//! `docs/own-agent.md` says where such an agent goes. Played here by itself:
//! `cargo run -p convoke-agents --example own_agent`.
#![allow(clippy::print_stdout, reason = "it is an example")]

use agents::context::{HostedExecutor, TaskExecutor};
use agents::payloads::Schema;
use agents::payloads::verification::{VerificationOrder, VerificationResult};
use domain::agent::{Agent, Ask, Briefing, Input, Output};
use domain::content::Content;
use domain::inventory::ElementId;
use domain::reply::{Reply, Verdict};
use domain::telemetry::{Alarm, AlarmType, Severity, Telemetry};
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeSet;

/// The memory of the agent: the sites that its domain has told are unreachable.
#[derive(Default)]
struct SiteWatch {
    out: BTreeSet<ElementId>,
}

impl TaskExecutor for SiteWatch {
    /// Comes first. The briefing says who else is there, what the network consists of, and which
    /// tasks were open when the platform stopped.
    fn start(_: Briefing, _: Timestamp, _: &mut SeededRng) -> (Self, Vec<Output>) {
        (Self::default(), Vec::new())
    }

    /// Everything that nobody asked: telemetry, replies, notifications, outcomes of actions.
    fn take(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        if let Input::Telemetry(Telemetry::Alarm(alarm)) = input
            && alarm.alarm_type == AlarmType::SiteUnreachable
        {
            match alarm.cleared {
                true => self.out.remove(&alarm.resource),
                false => self.out.insert(alarm.resource),
            };
        }
        Vec::new()
    }

    /// Could it do this? An offer in the reply would be a counter-proposal.
    fn feasible(&self, content: &Content) -> Reply {
        match VerificationOrder::in_content(content) {
            Some(_) => Reply::accepted(),
            None => Reply::refused("other-task", "schema_id", "this agent verifies sites"),
        }
    }

    /// Does it. A result in the reply ends the task at once; `Reply::accepted()` and a later
    /// `Output::Report` would end it when the work is done.
    fn assigned(&mut self, ask: &Ask, _: Timestamp) -> (Reply, Vec<Output>) {
        let Some(wanted) = VerificationOrder::in_content(&ask.content) else {
            return (self.feasible(&ask.content), Vec::new());
        };
        let (still_out, restored) = wanted.sites.into_iter().partition(|s| self.out.contains(s));
        let result = VerificationResult {
            restored,
            still_out,
        };
        let words = format!("{} sites are out of service", result.still_out.len());
        let content = Content::new(
            &ask.task.content.target_object,
            "Service of the named sites",
        )
        .with_result(words)
        .with_payload(result.to_payload());
        (Reply::new(Verdict::Result, vec![content]), Vec::new())
    }
}

/// The agent as the platform hosts it.
fn hosted() -> Box<dyn Agent> {
    Box::new(HostedExecutor::<SiteWatch>::default())
}

/// An alarm as a management system would deliver it.
fn unreachable(site: &str, time: Timestamp) -> Input {
    Input::Telemetry(Telemetry::Alarm(Alarm {
        resource: ElementId::new(site),
        alarm_type: AlarmType::SiteUnreachable,
        qualifier: String::new(),
        severity: Severity::Critical,
        time,
        cleared: false,
        text: String::new(),
    }))
}

#[path = "own_agent/rehearsal.rs"]
mod rehearsal;

fn main() {
    for line in rehearsal::play(hosted()) {
        println!("{line}");
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_answers_from_the_alarms_that_it_heard() {
        let lines = super::rehearsal::play(super::hosted());
        assert_eq!(lines[0], "in service: site:B");
        assert_eq!(lines[1], "out of service: site:A");
    }
}
