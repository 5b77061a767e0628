//! What standing rules make of a decision that waits: it is taken as their author would take it, with the rights
//! that the author has now, or somebody is told.
//!
//! What a rule does is an operation of its author like any other: it is authorised, counted among what the author
//! writes, recorded and committed as one. Read next: `domain::policy::decide`, what rules say; [`super::governing`],
//! who may decide what.

use super::kept::{self, Escalation};
use crate::commit::AGAIN_MS;
use crate::operation::{Call, Endpoint, Execution, Operation};
use crate::refusal::OverLimit;
use crate::schemas::operation::PatchStanding;
use crate::tasks::message::Negotiate;
use crate::{Engine, Refusal};
use domain::access::Request;
use domain::content::Content;
use domain::event::LogEvent;
use domain::policy::{
    DecisionKind, DecisionSubject, PendingDecision, PolicyChange, PolicyUpdate, RuleVerdict,
    Ruling, StandingRule, decide,
};
use domain::task::Awaits;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;
use store::Batch;
use tracing::{info, warn};

/// The section of a message in which a rule says that it decides.
const SECTION: &str = "standing rule";

/// A patch approved or rejected by a rule.
struct RuledPatch {
    patch_id: String,
    update: Arc<PolicyUpdate>,
}

impl Engine {
    /// Rules look at a decision that waits, or has waited for some time.
    pub(crate) fn decision_due(&self, subject: &DecisionSubject, now: Timestamp) {
        match self.pending(subject) {
            Some(pending) => self.rule_on(&pending, now),
            None if self.policy.forget_escalations(subject) => {
                drop(self.store.commit(Batch {
                    documents: vec![kept::no_escalation(subject)],
                    ..Batch::default()
                }));
            }
            None => {}
        }
    }

    /// Rules look at all patches that wait.
    pub(crate) fn patches_due(&self, now: Timestamp) {
        for pending in self.schemas.pending_patches() {
            self.rule_on(&pending, now);
        }
        let told = self.policy.read().escalated_patches();
        told.iter().for_each(|patch| self.decision_due(patch, now));
    }

    /// A decision that waits.
    pub(crate) fn pending(&self, subject: &DecisionSubject) -> Option<PendingDecision> {
        if subject.kind == DecisionKind::Patch {
            let mut patches = self.schemas.pending_patches().into_iter();
            return patches.find(|it| it.subject == *subject);
        }
        let pending = self.policy.read().inbox.find(subject)?;
        Some(self.with_domain(pending))
    }

    /// A decision with the domain of its other side, if that is registered.
    pub(crate) fn with_domain(&self, pending: PendingDecision) -> PendingDecision {
        let registration = pending.agent.as_ref();
        let registration = registration.and_then(|name| self.registry.directory.find(name));
        PendingDecision {
            domain: registration.and_then(|it| it.profile.domain.clone()),
            ..pending
        }
    }

    /// What rules say of a decision now.
    pub(crate) fn ruling<'r>(
        &self,
        rules: impl IntoIterator<Item = &'r Arc<StandingRule>>,
        pending: &PendingDecision,
        now: Timestamp,
    ) -> Ruling<'r> {
        let rules = rules.into_iter().map(|rule| &**rule);
        decide(rules, pending, |rule| self.has_right(rule, pending), now)
    }

    fn rule_on(&self, pending: &PendingDecision, now: Timestamp) {
        let rules = self.policy.rules();
        let ruling = self.ruling(rules.values(), pending, now);
        let again = match ruling.verdict {
            RuleVerdict::Ask => {
                let told = ruling.escalations.iter();
                told.for_each(|rule| self.escalate(rule, pending, now));
                ruling.look_again
            }
            verdict => self.decide_by(ruling.rules[0], pending, verdict, now),
        };
        if let Some(again) = again {
            self.policy.look_again_at(&pending.subject, again);
        }
    }

    /// Decides in the name of a rule's author. When to look again, whether it was stored or could be taken at all.
    fn decide_by(
        &self,
        rule: &StandingRule,
        pending: &PendingDecision,
        verdict: RuleVerdict,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let author = self.principal(&rule.key.author);
        let author = author.coming_from(format!("rule {}", rule.key.name));
        let update = Arc::new(PolicyUpdate {
            subject: Some(pending.subject.clone()),
            since: Some(pending.since),
            decider: pending.decider.clone(),
            verdict: Some(verdict),
            ..PolicyUpdate::of(rule.key.clone(), PolicyChange::Decided, now)
        });
        let (id, rule) = (&pending.subject, &rule.key);
        let done = match id.kind {
            DecisionKind::Patch => {
                let patch_id = id.id.clone();
                let decision = RuledPatch { patch_id, update };
                refusal_of(self.execute(&author, decision, now))
            }
            _ => refusal_of(self.execute(&author, word(pending, verdict, update), now)),
        };
        match done {
            None => {
                info!(rule = %rule, "standing rule {rule}: {} {id}", verdict.as_str());
                // Once it is stored it waits no more, and nobody looks.
                Some(now + AGAIN_MS)
            }
            Some(Refusal::OverLimit(OverLimit::TooFast { wait_ms, .. })) => {
                Some(now + i64::try_from(wait_ms).unwrap_or(AGAIN_MS))
            }
            Some(Refusal::OverLimit(_) | Refusal::NotAvailable(_) | Refusal::Failed(_)) => {
                Some(now + AGAIN_MS)
            }
            Some(refusal) => {
                warn!(rule = %rule, "standing rule {rule} cannot decide {id}: {refusal}");
                None
            }
        }
    }

    /// Tells somebody else, once, that nobody has decided this in time: who may decide it as well.
    fn escalate(&self, rule: &StandingRule, pending: &PendingDecision, now: Timestamp) {
        let Some(user) = rule.escalates_to(pending, now) else {
            return;
        };
        let (subject, since) = (&pending.subject, pending.since);
        let told = self.policy.read().escalated.get(subject).cloned();
        if told.as_ref().is_some_and(|told| told.has(since, &rule.key)) {
            return;
        }
        if !self.may_decide(&self.principal(user), pending) {
            let rule = &rule.key;
            warn!(rule = %rule, "standing rule {rule}: '{user}' may not decide {subject}");
            return;
        }
        let told = Escalation::with(told.as_ref(), since, &rule.key);
        let update = PolicyUpdate {
            subject: Some(subject.clone()),
            decider: pending.decider.clone(),
            since: Some(since),
            escalated_to: Some(user.to_owned()),
            ..PolicyUpdate::of(rule.key.clone(), PolicyChange::Escalated, now)
        };
        drop(self.store.commit(Batch {
            documents: vec![kept::escalation(subject, told)],
            happenings: vec![(now, LogEvent::Policy(Arc::new(update)))],
            ..Batch::default()
        }));
    }
}

impl Operation for RuledPatch {
    type Output = PatchStanding;

    fn rpc(&self) -> Option<Request<'static>> {
        let is_approved = self.update.verdict == Some(RuleVerdict::Accept);
        let rpc = if is_approved {
            "approve-patch"
        } else {
            "reject-patch"
        };
        Some(crate::access::exec("convoke-schema", rpc, true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<PatchStanding>, Refusal> {
        let Call {
            engine, who, now, ..
        } = call;
        engine.patch_ruled(who, self.patch_id, &self.update, now)
    }
}

/// Why something was refused; none if it was done, or is queued to be stored. Nobody waits for the rest of it.
fn refusal_of<T>(execution: Execution<T>) -> Option<Refusal> {
    match execution {
        Execution::Done(outcome) => outcome.err(),
        Execution::Pending(_) => None,
    }
}

/// The word by which the author of a rule would decide, with the name of the rule.
fn word(pending: &PendingDecision, verdict: RuleVerdict, update: Arc<PolicyUpdate>) -> Negotiate {
    let PendingDecision { subject, .. } = pending;
    let rule = update.rule.to_string();
    let (result, said) = match verdict {
        RuleVerdict::Accept => ("accept".to_owned(), "accepted"),
        RuleVerdict::Reject | RuleVerdict::Ask => (format!("reject\n{SECTION} {rule}"), "rejected"),
    };
    let target = pending.target.clone().unwrap_or_else(|| subject.id.clone());
    let words = format!("{said} by a standing rule");
    let mut content = Content::new(target, words).with_result(result);
    content.others.push((SECTION.to_owned(), rule));
    let (verb, content) = match subject.kind {
        DecisionKind::Feasibility => (Verb::FeasibilityNegotiate, content),
        DecisionKind::Decision => (
            Verb::FulfillmentNegotiate,
            content.in_reply_to(Awaits::Decision),
        ),
        _ => (
            Verb::FulfillmentNegotiate,
            content.in_reply_to(Awaits::Judgement),
        ),
    };
    let takes_one_of_several = verdict == RuleVerdict::Accept && pending.offers.len() > 1;
    Negotiate {
        to: pending.agent.clone(),
        task: subject.task(),
        texts: vec![content.render()],
        round: pending.round,
        alternative: takes_one_of_several.then_some(1),
        ruled: Some(update),
        ..Negotiate::new(Endpoint::Platform, verb)
    }
}
