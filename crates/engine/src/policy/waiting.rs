//! What waits for whoever reads, and why no rule decides it.
//!
//! Read next: [`super::inbox`], what waits at all; [`super::rights`], who may decide it.

use super::inbox::Found;
use super::operation::{
    StandingRuleRecord, StandingRules, Waiting, WaitingDecision, WaitingDecisions,
};
use super::rights::{Rights, UserRights};
use super::rules::Rules;
use crate::operation::{Query, Reader};
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::policy::{DecisionKind, PendingDecision, RuleVerdict, StandingRule};
use domain::time::Timestamp;
use std::sync::Arc;

/// How many decisions are told at most.
const TOLD_MOST: usize = 1_000;

/// Why a decision is not taken by the rule that covers it.
const REFUSED: &str = "rule-refused";

impl Engine {
    fn waiting_for(&self, who: &Principal, now: Timestamp) -> Waiting {
        let own_rights = UserRights::of(self, who.clone());
        let (mut count, found) = self.waiting_of(who, &own_rights);
        let mut told: Vec<_> = found.into_iter().map(|it| self.decision(it)).collect();
        if own_rights.may_decide_of(None, DecisionKind::Patch) {
            let mut patches = self.schemas.pending_patches();
            // Who has said yes has no more to say.
            patches.retain(|patch| !patch.approved_by.contains(&who.name));
            count += patches.len() as u64;
            told.extend(patches);
        }
        told.sort_by(|a, b| (a.since, &a.subject).cmp(&(b.since, &b.subject)));
        told.truncate(TOLD_MOST);
        let (rules, rights) = (self.policy.rules(), self.rights());
        let decision = |pending| self.with_ruling(&rules, &rights, pending, now);
        let decisions = told.into_iter().map(decision).collect();
        Waiting { count, decisions }
    }

    /// How many decisions about tasks wait that the principal may take, and the first of them.
    fn waiting_of(&self, who: &Principal, rights: &UserRights) -> (u64, Vec<Found>) {
        if !rights.negotiates() {
            return (0, Vec::new());
        }
        let others = match who.is_administrator() {
            true => self.policy.read().inbox.deciders(),
            false => Vec::new(),
        };
        // What agents decide waits for nobody else.
        let is_persons = |name: &String| *name != who.name && !self.registry.is_agent(name);
        let persons: Vec<String> = others.into_iter().filter(is_persons).collect();
        // Commits wait for this lock: nothing is built under it.
        let state = self.policy.read();
        let own = state.inbox.of(&who.name);
        let theirs = persons.iter().flat_map(|name| state.inbox.of(name));
        let theirs = theirs.filter(|(_, subject)| rights.decides_for_others(subject.kind));
        let mut found: Vec<_> = own.chain(theirs).collect();
        let count = found.len() as u64;
        if found.len() > TOLD_MOST {
            found.select_nth_unstable(TOLD_MOST);
            found.truncate(TOLD_MOST);
        }
        let found = found
            .into_iter()
            .filter_map(|(_, subject)| state.inbox.find(subject));
        (count, found.collect())
    }

    /// A decision, and why no rule takes it.
    fn with_ruling(
        &self,
        rules: &Rules,
        rights: &Rights<'_>,
        pending: PendingDecision,
        now: Timestamp,
    ) -> WaitingDecision {
        let ruling = self.ruling(rules.about(&pending), rights, &pending, now);
        let why = match ruling.verdict {
            RuleVerdict::Ask => Some(ruling.why.as_str()),
            _ => {
                let is_refused = self.policy.is_refused(&pending, &ruling.rules[0].key);
                is_refused.then_some(REFUSED)
            }
        };
        WaitingDecision {
            why,
            rules: ruling.rules.iter().map(|rule| rule.key.clone()).collect(),
            escalated_to: self.policy.told_of(&pending),
            pending,
        }
    }

    fn rules_of(&self, who: &Principal, now: Timestamp) -> Vec<StandingRuleRecord> {
        let (rules, rights) = (self.policy.rules(), self.rights());
        let may_see =
            |rule: &&Arc<StandingRule>| who.is_administrator() || rule.key.author == who.name;
        let record = |rule: &Arc<StandingRule>| StandingRuleRecord {
            rule: Arc::clone(rule),
            state: match (rule.is_valid(now), rights.back(rule)) {
                (false, _) => "over",
                (true, false) => "lapsed",
                (true, true) => "in-force",
            },
        };
        rules.all().filter(may_see).map(record).collect()
    }
}

impl Query for WaitingDecisions {
    type Output = Waiting;

    /// Rights are those to each decision.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Waiting, Refusal> {
        Ok(reader.engine.waiting_for(reader.who, reader.now))
    }
}

impl Query for StandingRules {
    type Output = Vec<StandingRuleRecord>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        Ok(reader.engine.rules_of(reader.who, reader.now))
    }
}
