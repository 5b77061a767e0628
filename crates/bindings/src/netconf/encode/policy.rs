//! `/policy`: what waits for whoever reads, and standing rules (module convoke-policy).
//!
//! The engine says what is whose. Read next: `engine::query`, `domain::policy`.

use super::reader::Reader;
use crate::netconf::modules::POLICY_NAMESPACE;
use crate::netconf::output::{self, Parent as _};
use ::netconf::data::write;
use ::netconf::filter::{Projection, View};
use domain::policy::{
    Afterwards, DecisionKind, NumberBound, PendingDecision, RuleKey, StandingRule,
};
use domain::task::Awaits;
use domain::verb::Verb;
use engine::query::{StandingRules, WaitingDecisions};
use engine::{Refusal, StandingRuleRecord, Waiting, WaitingDecision};

/// How many parameters of a decision are told.
const PARAMETERS_MOST: usize = 32;

impl Reader<'_> {
    /// Writes `/policy`.
    pub(super) fn write_policy(
        &self,
        view: &View<'_>,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        // Only what is asked for is built.
        let wants = |name: &str| view.wants(POLICY_NAMESPACE, name);
        let waiting = match wants("waiting") || wants("waiting-count") {
            true => self.read(WaitingDecisions)?,
            false => Waiting::default(),
        };
        let rules = match wants("rule") {
            true => self.read(StandingRules)?,
            false => Vec::new(),
        };
        let node = output::Policy::default()
            .waiting_count(waiting.count)
            .waiting(&waiting.decisions, decision)
            .rule(&rules, listed);
        write(&node.written(), projection, out);
        Ok(())
    }
}

fn decision<'a>(node: output::Waiting<'a>, record: &'a WaitingDecision) -> output::Waiting<'a> {
    let PendingDecision { subject, .. } = &record.pending;
    let pending = &record.pending;
    let patch = subject.kind == DecisionKind::Patch;
    let alternatives = pending.offers.alternatives();
    let parameters = pending.offers.told().take(PARAMETERS_MOST);
    node.id(subject.to_string())
        .kind(subject.kind.as_str())
        .task_id((!patch).then_some(&subject.id))
        .patch_id(patch.then_some(&subject.id))
        .decider(pending.decider.as_ref())
        .agent(pending.agent.as_ref())
        .domain(pending.domain.as_ref())
        .target(pending.target.as_ref())
        .scenario(pending.scenario.as_ref())
        .round(pending.round)
        .alternatives((alternatives > 1).then_some(alternatives as u64))
        .parameter(parameters, |node, (key, value)| {
            node.name(key).value(value.to_string())
        })
        .since(pending.since)
        .until(pending.until)
        .operation(operations(subject.kind).iter().copied())
        .communication_type(verb(subject.kind).map(Verb::as_str))
        .in_reply_to(awaited(subject.kind).map(Awaits::as_str))
        .asked_because(record.why)
        .rule(&record.rules, named)
        .escalated_to(&record.escalated_to)
}

fn named<'a>(node: output::Rule<'a>, rule: &'a RuleKey) -> output::Rule<'a> {
    node.author(&rule.author).name(&rule.name)
}

/// The rpcs by which it is decided.
fn operations(kind: DecisionKind) -> &'static [&'static str] {
    match kind {
        DecisionKind::Patch => &[
            "convoke-schema:approve-patch",
            "convoke-schema:reject-patch",
        ],
        _ => &["irtf-agent:task-negotiate"],
    }
}

/// The verb with which it is.
fn verb(kind: DecisionKind) -> Option<Verb> {
    match kind {
        DecisionKind::Patch => None,
        DecisionKind::Feasibility => Some(Verb::FeasibilityNegotiate),
        _ => Some(Verb::FulfillmentNegotiate),
    }
}

/// What the message replies to.
fn awaited(kind: DecisionKind) -> Option<Awaits> {
    match kind {
        DecisionKind::Result => Some(Awaits::Judgement),
        DecisionKind::Decision => Some(Awaits::Decision),
        DecisionKind::Question => Some(Awaits::Answer),
        DecisionKind::Credentials => Some(Awaits::Credentials),
        DecisionKind::Completion => Some(Awaits::Completion),
        DecisionKind::Feasibility | DecisionKind::Plan | DecisionKind::Patch => None,
    }
}

fn listed<'a>(
    node: output::PolicyRule<'a>,
    record: &'a StandingRuleRecord,
) -> output::PolicyRule<'a> {
    let StandingRule {
        key,
        kind,
        conditions,
        verdict,
        time_out,
        valid_until,
        added,
        ..
    } = &*record.rule;
    let then = time_out.as_ref().map(|it| match &it.then {
        Afterwards::Accept => ("accept", None),
        Afterwards::Reject => ("reject", None),
        Afterwards::Escalate(user) => ("escalate", Some(user)),
    });
    node.author(&key.author)
        .name(&key.name)
        .kind(kind.as_str())
        .decider(conditions.decider.as_ref())
        .agent(conditions.agent.as_ref())
        .domain(conditions.domain.as_ref())
        .target(conditions.target.as_ref())
        .scenario(conditions.scenario.as_ref())
        .bound(&conditions.bounds, bounded)
        .verdict(verdict.as_str())
        .valid_until(*valid_until)
        .after(time_out.as_ref().map(|it| it.after_ms / 1_000))
        .then(then.map(|(then, _)| then))
        .escalate_to(then.and_then(|(_, user)| user))
        .added(*added)
        .state(record.state)
}

fn bounded<'a>(node: output::Bound<'a>, bound: &'a NumberBound) -> output::Bound<'a> {
    node.key(&bound.key).least(bound.least).most(bound.most)
}
