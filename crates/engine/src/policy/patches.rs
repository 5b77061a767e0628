//! What standing rules make of the patches that wait: each time schemas have grown, beside the requests.
//!
//! There what is decided about schemas can be waited for, and taken back if it is not stored. Read next:
//! [`super::acting`], of all else that waits; `Engine::evolve`, which comes here.

use super::acting::Waits;
use crate::operation::{Call, Cost, Execution, Operation};
use crate::schemas::operation::PatchStanding;
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::policy::{
    DecisionKind, DecisionSubject, PendingDecision, PolicyUpdate, RuleKey, RuleVerdict,
};
use domain::time::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A patch approved or rejected by a rule.
struct RuledPatch {
    patch_id: String,
    update: Arc<PolicyUpdate>,
    /// True if its author has paid for it, and it could not be stored then.
    is_paid: bool,
}

/// What a rule is about to say of a patch, in the name of its author.
struct Said {
    author: Principal,
    rule: RuleKey,
    verdict: RuleVerdict,
    update: Arc<PolicyUpdate>,
}

impl Engine {
    /// Rules look at all patches that wait, and at what was escalated and waits no more.
    pub(crate) async fn rules_look_at_patches(&self, now: Timestamp) {
        let is_of_patch = |it: &DecisionSubject| it.kind == DecisionKind::Patch;
        let known = self.policy.known_of(is_of_patch);
        if known.is_empty() && !self.policy.rules().concern(&None, DecisionKind::Patch) {
            return;
        }
        let mut waiting = self.schemas.pending_patches();
        waiting.sort_by(|a, b| (a.since, &a.subject).cmp(&(b.since, &b.subject)));
        let still: BTreeSet<_> = waiting.iter().map(|it| &it.subject).collect();
        let gone = known.iter().filter(|subject| !still.contains(subject));
        gone.for_each(|subject| self.forget_decision(subject));
        self.policy
            .charges()
            .retain(|it, _| !is_of_patch(it) || still.contains(it));
        let mut waits = Waits::default();
        for pending in &waiting {
            let Some(said) = self.said_of_patch(pending, &mut waits, now) else {
                continue;
            };
            let ruled = RuledPatch {
                patch_id: pending.subject.id.clone(),
                update: said.update,
                is_paid: self.policy.charges().is_paid(&pending.subject, &said.rule),
            };
            let refusal = self.execute(&said.author, ruled, now).outcome().await.err();
            waits.note(&said.rule.author, refusal.as_ref(), now);
            if !matches!(refusal, Some(Refusal::Failed(_))) {
                self.policy.charges().settle(&pending.subject, &said.rule);
            }
            // What failed for now is tried again by the next look, which comes anyway.
            self.took(&said.rule, pending, said.verdict, refusal, now);
        }
    }

    /// What rules say of a patch that was not refused before; none if people are asked, or if it has to wait for the
    /// next look.
    fn said_of_patch(
        &self,
        pending: &PendingDecision,
        waits: &mut Waits,
        now: Timestamp,
    ) -> Option<Said> {
        let (rules, rights) = (self.policy.rules(), self.rights());
        let ruling = self.ruling(rules.about(pending), &rights, pending, now);
        if ruling.verdict == RuleVerdict::Ask {
            self.escalate(&rules, &ruling.escalations, pending, &rights, waits, now);
            return None;
        }
        let rule = &ruling.rules[0].key;
        if self.policy.is_refused(pending, rule) || waits.next(&rule.author).is_some() {
            return None;
        }
        Some(Said {
            author: self.author(rule),
            rule: rule.clone(),
            verdict: ruling.verdict,
            update: super::decided_by(rule, pending, ruling.verdict, now),
        })
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

    fn cost(&self) -> Option<Cost> {
        (!self.is_paid).then_some(Cost::ENTRY)
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<PatchStanding>, Refusal> {
        let Call {
            engine, who, now, ..
        } = call;
        if let Some(subject) = &self.update.subject {
            engine.policy.charges().pay(subject, &self.update.rule);
        }
        engine.patch_ruled(who, self.patch_id, &self.update, now)
    }
}
