//! What a standing rule would make of what waits if it were added now, and what in it names nothing.
//!
//! Looks at committed state alone: nothing is decided by it, and nobody hears of it. That may be long work, which the
//! bindings have done beside the sessions. Read next: [`super::governing`], what a rule may be; [`super::acting`], what
//! comes of one that is there.

use super::inbox::Found;
use super::operation::{CheckRule, RuleCheck, RuleDecision, RuleLack, RuleRemark};
use super::rights::Rights;
use super::rules::Rules;
use crate::access::exec;
use crate::operation::{Query, Reader};
use crate::schemas::NamedKey;
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::policy::{DecisionKind, PendingDecision, RuleVerdict, StandingRule};
use domain::profile::Capability;
use domain::time::Timestamp;
use std::sync::Arc;

/// How many decisions that wait are looked at, the longest waiting first.
const LOOKED_AT_MOST: usize = 1_000;

/// How many of those that would be decided are told.
const TOLD_MOST: usize = 100;

/// A rule that could be added, by whoever asked ([`CheckRule`]).
#[derive(Clone, Debug, PartialEq)]
pub struct RuleTrial {
    who: Principal,
    rule: StandingRule,
    now: Timestamp,
}

impl RuleTrial {
    /// What the rule would decide of what waits, at the moment at which it was asked about, and what in it names
    /// nothing. That is work of up to 1,000 decisions, each at each moment at which a rule about it says something
    /// else: none if `over`, which is asked before each of them, says that nobody wants it any more.
    pub fn carry_out(&self, engine: &Engine, over: &dyn Fn() -> bool) -> Option<RuleCheck> {
        self.check(engine, over).ok()
    }

    fn check(&self, engine: &Engine, over: &dyn Fn() -> bool) -> Result<RuleCheck, Over> {
        let waiting = engine.could_cover(&self.rule, over)?;
        let remarks = engine.remarks(&self.who, &self.rule, &waiting);
        let beside = Beside {
            engine,
            rule: &self.rule,
            rules: engine.policy.rules(),
            rights: engine.rights(),
            now: self.now,
        };
        let mut check = RuleCheck {
            remarks,
            ..RuleCheck::default()
        };
        for pending in &waiting {
            let Some(decision) = beside.decision(pending, over)? else {
                continue;
            };
            check.decides_count += 1;
            if check.decides.len() < TOLD_MOST {
                check.decides.push(decision);
            }
        }
        Ok(check)
    }
}

/// Nobody wants it any more.
struct Over;

fn go_on(over: &dyn Fn() -> bool) -> Result<(), Over> {
    match over() {
        true => Err(Over),
        false => Ok(()),
    }
}

/// A rule that there is not, beside those that there are.
struct Beside<'e> {
    engine: &'e Engine,
    rule: &'e StandingRule,
    rules: Arc<Rules>,
    rights: Rights<'e>,
    now: Timestamp,
}

impl Engine {
    /// The rule that somebody asks about, if it could be added.
    fn rule_trial(
        &self,
        who: &Principal,
        CheckRule(wanted): CheckRule,
        now: Timestamp,
    ) -> Result<RuleTrial, Refusal> {
        let rule = self.rule(who, wanted, now)?;
        self.check_room(&rule, now)?;
        let who = who.clone();
        Ok(RuleTrial { who, rule, now })
    }

    /// What waits of the kind and for the user that a rule is about, if its author may decide that; the longest
    /// waiting first.
    fn could_cover(
        &self,
        rule: &StandingRule,
        over: &dyn Fn() -> bool,
    ) -> Result<Vec<PendingDecision>, Over> {
        let author = self.rights().of(&rule.key.author);
        if !author.may_decide_of(rule.decider(), rule.kind) {
            return Ok(Vec::new());
        }
        let Some(decider) = rule.decider() else {
            let mut patches = self.schemas.pending_patches();
            patches.sort_by(|a, b| (a.since, &a.subject).cmp(&(b.since, &b.subject)));
            patches.truncate(LOOKED_AT_MOST);
            return Ok(patches);
        };
        // Commits wait for this lock: nothing is built under it.
        let found: Vec<Found> = {
            let state = self.policy.read();
            let subjects = state.inbox.of(decider).map(|(_, subject)| subject);
            let of_kind = subjects.filter(|subject| subject.kind == rule.kind);
            let first = of_kind.take(LOOKED_AT_MOST);
            first.filter_map(|it| state.inbox.find(it)).collect()
        };
        let found = found.into_iter();
        let decisions = found.map(|it| go_on(over).map(|()| self.decision(it)));
        decisions.collect()
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
        // What keys a template has is in none but the template.
        let knows_keys = knows_schemas && may("convoke-schema", "get-schema-template");
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
        if let Some(scenario) = served
            && knows_agents
            && !waits(|pending| &pending.scenario, scenario)
            && self.is_nowhere_negotiated(scenario, kind)
        {
            lacks(RuleLack::Negotiation, scenario);
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
        for bound in wanted.bounds.iter().filter(|_| knows_keys) {
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
        !(is_agent || is_anybodys && is_user())
    }

    /// True if agents take the scenario, and none of them declares that it negotiates such decisions.
    fn is_nowhere_negotiated(&self, scenario: &str, kind: DecisionKind) -> bool {
        let negotiates: fn(&Capability) -> bool = match kind {
            DecisionKind::Decision => Capability::negotiates_fulfillment,
            DecisionKind::Feasibility => Capability::negotiates_feasibility,
            _ => return false,
        };
        let agents = self.registry.directory.all();
        let takers = agents.iter().filter(|it| it.profile.takes(scenario));
        let declared: Vec<bool> = takers
            .map(|it| negotiates(&it.profile.capability))
            .collect();
        !declared.is_empty() && !declared.contains(&true)
    }

    fn has_domain(&self, domain: &str) -> bool {
        let agents = self.registry.directory.all();
        let mut domains = agents.iter().map(|it| it.profile.domain.as_deref());
        domains.any(|it| it == Some(domain))
    }
}

impl Beside<'_> {
    /// How and when the rule would decide what waits, from moment to moment at which one of the rules says something
    /// else: what one of them has decided waits for no other. None if the rule would not.
    fn decision(
        &self,
        pending: &PendingDecision,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<RuleDecision>, Over> {
        go_on(over)?;
        // A rule comes to speak of nothing by time alone: those that do not now never do.
        let others = self
            .rules
            .about(pending)
            .filter(|rule| rule.key != self.rule.key);
        let all = others.chain([self.rule]);
        let rules: Vec<_> = all.filter(|it| it.speaks_of(pending, self.now)).collect();
        if !rules.iter().any(|it| it.key == self.rule.key) {
            return Ok(None);
        }
        let mut at = self.now;
        loop {
            go_on(over)?;
            let speaking = rules.iter().copied();
            let ruling = self.engine.ruling(speaking, &self.rights, pending, at);
            if ruling.verdict != RuleVerdict::Ask {
                // What is decided, is decided by the first.
                let decides = ruling.rules[0].key == self.rule.key
                    && !self.engine.policy.is_refused(pending, &self.rule.key);
                return Ok(decides.then(|| RuleDecision {
                    subject: pending.subject.clone(),
                    verdict: ruling.verdict,
                    at: (at > self.now).then_some(at),
                }));
            }
            let waits_then = |at: &Timestamp| pending.until.is_none_or(|until| *at < until);
            match ruling.look_again.filter(waits_then) {
                Some(again) => at = again,
                None => return Ok(None),
            }
        }
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
    type Output = RuleTrial;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-policy", "check-rule", true))
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<RuleTrial, Refusal> {
        reader.engine.rule_trial(reader.who, self, reader.now)
    }
}
