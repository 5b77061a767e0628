//! What a standing rule would make of what waits if it were added now, and what in it names nothing.
//!
//! Looks at committed state alone: nothing is decided by it, and nobody hears of it. Read next: [`super::governing`],
//! what a rule may be; [`super::acting`], what comes of one that is there.

use super::inbox::Found;
use super::operation::{CheckRule, RuleCheck, RuleDecision, RuleLack, RuleRemark};
use super::rights::Rights;
use super::rules::Rules;
use crate::access::exec;
use crate::operation::{Query, Reader};
use crate::schemas::NamedKey;
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::policy::{
    Afterwards, DecisionKind, PendingDecision, RuleKey, RuleVerdict, Ruling, StandingRule,
};
use domain::time::Timestamp;

/// How many decisions that wait are looked at, the longest waiting first.
const LOOKED_AT_MOST: usize = 1_000;

/// How many of those that would be decided are told.
const TOLD_MOST: usize = 100;

/// A rule that there is not, among those that there are.
struct Trial<'e> {
    engine: &'e Engine,
    key: RuleKey,
    rules: Rules,
    rights: Rights<'e>,
    now: Timestamp,
}

impl Engine {
    fn check_rule(
        &self,
        who: &Principal,
        CheckRule(wanted): CheckRule,
        now: Timestamp,
    ) -> Result<RuleCheck, Refusal> {
        let rule = self.rule(who, wanted, now)?;
        self.check_room(&rule, now)?;
        let waiting = self.could_cover(&rule);
        let remarks = self.remarks(who, &rule, &waiting);
        let mut trial = Trial {
            engine: self,
            key: rule.key.clone(),
            rules: (*self.policy.rules()).clone(),
            rights: self.rights(),
            now,
        };
        trial.rules.insert(rule);
        let decisions = waiting.iter().filter_map(|it| trial.decision(it));
        let mut decides: Vec<_> = decisions.collect();
        let decides_count = decides.len() as u64;
        decides.truncate(TOLD_MOST);
        Ok(RuleCheck {
            decides_count,
            decides,
            remarks,
        })
    }

    /// What waits of the kind and for the user that a rule is about, if its author may decide that; the longest
    /// waiting first.
    fn could_cover(&self, rule: &StandingRule) -> Vec<PendingDecision> {
        let author = self.rights().of(&rule.key.author);
        if !author.may_decide_of(rule.decider(), rule.kind) {
            return Vec::new();
        }
        let Some(decider) = rule.decider() else {
            let mut patches = self.schemas.pending_patches();
            patches.sort_by(|a, b| (a.since, &a.subject).cmp(&(b.since, &b.subject)));
            patches.truncate(LOOKED_AT_MOST);
            return patches;
        };
        // Commits wait for this lock: nothing is built under it.
        let found: Vec<Found> = {
            let state = self.policy.read();
            let subjects = state.inbox.of(decider).map(|(_, subject)| subject);
            let of_kind = subjects.filter(|subject| subject.kind == rule.kind);
            let first = of_kind.take(LOOKED_AT_MOST);
            first.filter_map(|it| state.inbox.find(it)).collect()
        };
        found.into_iter().map(|it| self.decision(it)).collect()
    }

    /// What in a rule names nothing, as far as its author may ask what there is.
    fn remarks(
        &self,
        who: &Principal,
        rule: &StandingRule,
        waiting: &[PendingDecision],
    ) -> Vec<RuleRemark> {
        let may = |module, rpc| self.access.permits(who, exec(module, rpc, false));
        let (kind, wanted) = (rule.kind, &rule.conditions);
        let mut remarks = Vec::new();
        let mut lacks = |lack, value: &str| {
            let value = value.to_owned();
            remarks.push(RuleRemark { lack, value });
        };
        // Where no template is served, payloads may be of any scenario.
        let is_fixed = self.schemas.is_in_use() || kind == DecisionKind::Patch;
        let knows_schemas = is_fixed && may("convoke-schema", "list-scenarios");
        let knows_agents = may("convoke-registry", "discover-agents");
        let waits = |of: fn(&PendingDecision) -> &Option<String>, value: &String| {
            waiting.iter().any(|it| of(it).as_ref() == Some(value))
        };
        let scenario = wanted.scenario.as_ref();
        let served = scenario.filter(|it| self.schemas.has_scenario(it, kind));
        if let Some(scenario) = scenario
            && knows_schemas
            && served.is_none()
            && !waits(|pending| &pending.scenario, scenario)
        {
            lacks(RuleLack::Scenario, scenario);
        }
        if let Some(agent) = &wanted.agent
            && knows_agents
            && !waits(|pending| &pending.agent, agent)
            && self.is_nobody(who, agent, kind)
        {
            lacks(RuleLack::Agent, agent);
        }
        if let Some(domain) = &wanted.domain
            && knows_agents
            && (kind == DecisionKind::Patch || !self.has_domain(domain))
        {
            lacks(RuleLack::Domain, domain);
        }
        for bound in wanted.bounds.iter().filter(|_| knows_schemas) {
            let served = served.map(String::as_str);
            match self.schemas.named_key(&bound.key, served, kind) {
                NamedKey::Number => {}
                _ if waiting.iter().any(|it| has_number(it, &bound.key)) => {}
                NamedKey::NoNumber => lacks(RuleLack::Number, &bound.key),
                NamedKey::Nothing => lacks(RuleLack::Key, &bound.key),
            }
        }
        remarks
    }

    /// True if nobody of this name can be on the other side. Who is no agent only an administrator is told.
    fn is_nobody(&self, who: &Principal, name: &str, kind: DecisionKind) -> bool {
        let is_agent = self.registry.directory.find(name).is_some();
        // Executors are agents; patches and feasibilities may be anybody's.
        let is_anybodys = matches!(kind, DecisionKind::Feasibility | DecisionKind::Patch);
        let is_user = || !who.is_administrator() || self.registry.credential(name).is_some();
        !is_agent && !(is_anybodys && is_user())
    }

    fn has_domain(&self, domain: &str) -> bool {
        let agents = self.registry.directory.all();
        let mut domains = agents.iter().map(|it| it.profile.domain.as_deref());
        domains.any(|it| it == Some(domain))
    }
}

impl Trial<'_> {
    /// How and when the rule would decide what waits; none if it would not.
    fn decision(&self, pending: &PendingDecision) -> Option<RuleDecision> {
        let now = self.ruling(pending, self.now);
        let (ruling, at) = match now.verdict {
            RuleVerdict::Ask => {
                let at = self.time_out_of(pending)?;
                (self.ruling(pending, at), Some(at))
            }
            _ => (now, None),
        };
        // What is decided, is decided by the first.
        let decides = ruling.verdict != RuleVerdict::Ask && ruling.rules[0].key == self.key;
        let is_refused = || self.engine.policy.is_refused(pending, &self.key);
        (decides && !is_refused()).then(|| RuleDecision {
            subject: pending.subject.clone(),
            verdict: ruling.verdict,
            at,
        })
    }

    fn ruling(&self, pending: &PendingDecision, at: Timestamp) -> Ruling<'_> {
        self.engine.ruling(&self.rules, &self.rights, pending, at)
    }

    /// When the rule says something else of what still waits then; none if it never does, or that is over by then.
    fn time_out_of(&self, pending: &PendingDecision) -> Option<Timestamp> {
        let time_out = self.rules.find(&self.key)?.time_out.as_ref()?;
        let at = pending.since + time_out.after_ms;
        let is_ahead = self.now < at && pending.until.is_none_or(|until| at < until);
        (is_ahead && !matches!(time_out.then, Afterwards::Escalate(_))).then_some(at)
    }
}

/// True if a number of this name is offered.
fn has_number(pending: &PendingDecision, key: &str) -> bool {
    let mut alternatives = 0..pending.offers.alternatives();
    alternatives.any(|it| {
        pending
            .offers
            .value(it, key)
            .is_some_and(|it| it.is_number())
    })
}

impl Query for CheckRule {
    type Output = RuleCheck;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-policy", "check-rule", true))
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<RuleCheck, Refusal> {
        reader.engine.check_rule(reader.who, self, reader.now)
    }
}
