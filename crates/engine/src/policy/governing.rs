//! Standing rules added and withdrawn, and who may decide and see what.
//!
//! Rights are decided where they are for every operation: whoever may carry out what decides something, and is
//! the one that it asks for, may decide it. Read next: [`super::operation`], what is asked; [`super::acting`].

use super::kept;
use super::operation::{
    AddRule, StandingRuleRecord, StandingRules, Waiting, WaitingDecision, WaitingDecisions,
    WithdrawRule,
};
use crate::access::exec;
use crate::operation::{Call, Cost, ENTRY_BYTES, Execution, Operation, Query, Reader};
use crate::refusal::{Conflict, Field, NotFound, OverLimit};
use crate::trail::{by, decided};
use crate::{Engine, Refusal};
use domain::access::{Detail, Principal, Request, Rows, TASK_NEGOTIATE};
use domain::audit::AuditKind;
use domain::event::LogEvent;
use domain::identifier::is_identifier;
use domain::policy::{
    Afterwards, DecisionKind, PendingDecision, PolicyChange, PolicyUpdate, RuleKey, RuleVerdict,
    StandingRule,
};
use domain::time::Timestamp;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use store::{Batch, Ticket};

/// How many decisions are told at most.
const TOLD_MOST: usize = 1_000;

/// How many rules a user may have.
const RULES_MOST: usize = 64;

/// The longest name of a rule, in bytes.
const NAME_MOST: usize = 64;

/// The longest text of a condition, in bytes.
const TEXT_MOST: usize = 256;

/// How many bounds a rule may have.
const BOUNDS_MOST: usize = 16;

/// The longest time after which a rule may say something else: a year.
const AFTER_MOST_MS: i64 = 366 * 86_400_000;

/// A rule that is about to be stored: its name is taken for as long as this is kept.
struct Coming {
    all: Arc<Mutex<BTreeSet<RuleKey>>>,
    key: RuleKey,
}

impl Drop for Coming {
    fn drop(&mut self) {
        let mut all = self.all.lock().expect("no holder panics");
        all.remove(&self.key);
    }
}

impl Engine {
    /// True if the principal may decide this.
    pub(crate) fn may_decide(&self, who: &Principal, pending: &PendingDecision) -> bool {
        let kind = pending.subject.kind;
        let is_own = pending.decider.as_ref() == Some(&who.name);
        match kind {
            DecisionKind::Patch => self.access.approves(who),
            _ => {
                (is_own || self.decides_for_others(who, kind))
                    && self.access.permits(who, TASK_NEGOTIATE)
            }
        }
    }

    /// True if the principal may decide such things in place of whom they ask: an administrator who sees what others
    /// have, and not in a negotiation, in which nobody speaks for another.
    fn decides_for_others(&self, who: &Principal, kind: DecisionKind) -> bool {
        let speaks_alone = matches!(kind, DecisionKind::Feasibility | DecisionKind::Plan);
        let sight = self.access.sight(who, Rows::Tasks, Detail::Whole);
        who.is_administrator() && !speaks_alone && sight.is_of_all()
    }

    /// True if a rule may decide this: by the rights that its author has now.
    pub(crate) fn has_right(&self, rule: &StandingRule, pending: &PendingDecision) -> bool {
        self.is_backed(rule) && self.may_decide(&self.principal(&rule.key.author), pending)
    }

    /// True if a rule's author may still have one, and is still who he was.
    fn is_backed(&self, rule: &StandingRule) -> bool {
        let author = &rule.key.author;
        rule.keyed == self.registry.is_keyed(author)
            && self.access.permits(&self.principal(author), ADD_RULE)
    }

    fn waiting_for(&self, who: &Principal, now: Timestamp) -> Waiting {
        let (mut count, found) = self.waiting_of(who);
        let mut told: Vec<_> = found.into_iter().map(|it| self.with_domain(it)).collect();
        if self.access.approves(who) {
            let mut patches = self.schemas.pending_patches();
            // Who has said yes has no more to say.
            patches.retain(|patch| !patch.approved_by.contains(&who.name));
            count += patches.len() as u64;
            told.extend(patches);
        }
        told.sort_by(|a, b| (a.since, &a.subject).cmp(&(b.since, &b.subject)));
        told.truncate(TOLD_MOST);
        let rules = self.policy.rules();
        let decision = |pending| self.told(rules.values(), pending, now);
        let decisions = told.into_iter().map(decision).collect();
        Waiting { count, decisions }
    }

    /// How many decisions about tasks wait that the principal may take, and the first of them.
    fn waiting_of(&self, who: &Principal) -> (u64, Vec<PendingDecision>) {
        if !self.access.permits(who, TASK_NEGOTIATE) {
            return (0, Vec::new());
        }
        let others = match who.is_administrator() {
            true => self.policy.read().inbox.deciders(),
            false => Vec::new(),
        };
        // What agents decide waits for nobody else.
        let is_persons = |name: &String| *name != who.name && !self.registry.is_agent(name);
        let persons: Vec<String> = others.into_iter().filter(is_persons).collect();
        let state = self.policy.read();
        let own = state.inbox.of(&who.name);
        let theirs = persons.iter().flat_map(|name| state.inbox.of(name));
        let theirs = theirs.filter(|(_, subject)| self.decides_for_others(who, subject.kind));
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

    fn told<'r>(
        &self,
        rules: impl Iterator<Item = &'r Arc<StandingRule>>,
        pending: PendingDecision,
        now: Timestamp,
    ) -> WaitingDecision {
        let ruling = self.ruling(rules, &pending, now);
        let users = ruling.escalations.iter();
        let users = users.filter_map(|rule| rule.escalates_to(&pending, now));
        let users: BTreeSet<String> = users.map(str::to_owned).collect();
        WaitingDecision {
            why: (ruling.verdict == RuleVerdict::Ask).then(|| ruling.why.as_str()),
            rules: ruling.rules.iter().map(|rule| rule.key.clone()).collect(),
            escalated_to: users.into_iter().collect(),
            pending,
        }
    }

    fn rules_of(&self, who: &Principal, now: Timestamp) -> Vec<StandingRuleRecord> {
        let rules = self.policy.rules();
        let may_see =
            |rule: &&Arc<StandingRule>| who.is_administrator() || rule.key.author == who.name;
        let record = |rule: &Arc<StandingRule>| StandingRuleRecord {
            rule: Arc::clone(rule),
            state: match (rule.is_valid(now), self.is_backed(rule)) {
                (false, _) => "over",
                (true, false) => "lapsed",
                (true, true) => "in-force",
            },
        };
        rules.values().filter(may_see).map(record).collect()
    }

    fn add_rule(
        &self,
        who: &Principal,
        wanted: AddRule,
        now: Timestamp,
    ) -> Result<Execution<()>, Refusal> {
        check(&wanted, now)?;
        self.check_users(who, &wanted)?;
        let key = RuleKey {
            author: who.name.clone(),
            name: wanted.name,
        };
        let rule = StandingRule {
            key: key.clone(),
            kind: wanted.kind,
            conditions: wanted.conditions,
            verdict: wanted.verdict,
            time_out: wanted.time_out,
            valid_until: wanted.valid_until,
            added: now,
            keyed: self.registry.is_keyed(&who.name),
        };
        let Some(coming) = self.room_for(&rule)? else {
            return Ok(Execution::known(()));
        };
        let audited = by(AuditKind::RuleAdded, who).to(&key.to_string());
        let update = PolicyUpdate {
            added: Some(rule.clone()),
            ..PolicyUpdate::of(key, PolicyChange::RuleAdded, now)
        };
        let ticket = self.store.commit(Batch {
            documents: vec![kept::rule(&rule)],
            happenings: vec![
                decided(audited, now),
                (now, LogEvent::Policy(Arc::new(update))),
            ],
            ..Batch::default()
        });
        Ok(stored(ticket, coming))
    }

    /// Takes the name of a rule; none if there is the same rule already.
    fn room_for(&self, rule: &StandingRule) -> Result<Option<Coming>, Refusal> {
        let mut coming = self.policy.coming.lock().expect("no holder panics");
        let rules = self.policy.rules();
        let taken = || Conflict::RuleExists {
            name: rule.key.name.clone(),
        };
        if let Some(known) = rules.get(&rule.key) {
            let added = known.added;
            let same = **known
                == StandingRule {
                    added,
                    ..rule.clone()
                };
            return if same { Ok(None) } else { Err(taken().into()) };
        }
        let is_own = |key: &&RuleKey| key.author == rule.key.author;
        let own = rules.keys().chain(&*coming).filter(is_own).count();
        if own >= RULES_MOST {
            return Err(OverLimit::TooMany {
                what: "standing rules of a user",
                most: RULES_MOST as u64,
            }
            .into());
        }
        match coming.insert(rule.key.clone()) {
            true => Ok(Some(Coming {
                all: Arc::clone(&self.policy.coming),
                key: rule.key.clone(),
            })),
            false => Err(taken().into()),
        }
    }

    /// Whoever is named must be able to decide what the rule is about, by rights of his own.
    fn check_users(&self, who: &Principal, wanted: &AddRule) -> Result<(), Refusal> {
        let kind = wanted.kind;
        let decider = wanted.conditions.decider.as_ref();
        let other = decider.filter(|name| **name != who.name);
        if other.is_some() && !self.decides_for_others(who, kind) {
            let why = format!("'{}' decides nothing for others", who.name);
            return Err(Refusal::unusable(Field::Decider, why));
        }
        let Some(Afterwards::Escalate(user)) = wanted.time_out.as_ref().map(|it| &it.then) else {
            return Ok(());
        };
        let told = self.principal(user);
        let may = match kind {
            DecisionKind::Patch => self.access.approves(&told),
            _ => {
                let is_its = decider.unwrap_or(&who.name) == user;
                (is_its || self.decides_for_others(&told, kind))
                    && self.access.permits(&told, TASK_NEGOTIATE)
            }
        };
        match may {
            true => Ok(()),
            false => {
                let why = format!("'{user}' may not decide this");
                Err(Refusal::unusable(Field::EscalateTo, why))
            }
        }
    }

    fn withdraw_rule(
        &self,
        who: &Principal,
        wanted: WithdrawRule,
        now: Timestamp,
    ) -> Result<Execution<()>, Refusal> {
        let author = wanted.author.unwrap_or_else(|| who.name.clone());
        let may = author == who.name || who.is_administrator();
        let key = RuleKey {
            author,
            name: wanted.name,
        };
        if !may || !self.policy.rules().contains_key(&key) {
            return Err(NotFound::Rule { name: key.name }.into());
        }
        let audited = by(AuditKind::RuleWithdrawn, who).to(&key.to_string());
        let document = kept::no_rule(&key);
        let update = PolicyUpdate::of(key, PolicyChange::RuleWithdrawn, now);
        let ticket = self.store.commit(Batch {
            documents: vec![document],
            happenings: vec![
                decided(audited, now),
                (now, LogEvent::Policy(Arc::new(update))),
            ],
            ..Batch::default()
        });
        Ok(Execution::committed(ticket, ()))
    }
}

const ADD_RULE: Request<'static> = exec("convoke-policy", "add-rule", true);

/// Answered once the rule is stored, until when its name is taken.
fn stored(ticket: Ticket, coming: Coming) -> Execution<()> {
    Execution::later(async move {
        let stored = ticket.await;
        drop(coming);
        Ok(stored.map(drop)?)
    })
}

/// What YANG says of a rule, which other protocols do not ask, and what it cannot say.
fn check(wanted: &AddRule, now: Timestamp) -> Result<(), Refusal> {
    let no = |field, why: &str| Err(Refusal::unusable(field, why));
    if !is_identifier(&wanted.name, NAME_MOST) || wanted.name.contains('/') {
        return no(Field::Rule, "a name of 1 to 64 characters without '/'");
    }
    if !wanted.kind.is_ruled() {
        return no(Field::DecisionKind, "a rule cannot give what is asked for");
    }
    let conditions = &wanted.conditions;
    let texts = [
        (Field::Decider, &conditions.decider),
        (Field::Agent, &conditions.agent),
        (Field::Domain, &conditions.domain),
        (Field::Target, &conditions.target),
        (Field::Scenario, &conditions.scenario),
    ];
    for (field, text) in texts {
        if text
            .as_ref()
            .is_some_and(|it| it.is_empty() || it.len() > TEXT_MOST)
        {
            return no(field, "1 to 256 bytes");
        }
    }
    if conditions.bounds.len() > BOUNDS_MOST {
        return no(Field::Bound, "at most 16 of them");
    }
    for bound in &conditions.bounds {
        let is_key = (1..=NAME_MOST).contains(&bound.key.len());
        let is_range = match (bound.least, bound.most) {
            (None, None) => false,
            (Some(least), Some(most)) => least <= most,
            (Some(one), None) | (None, Some(one)) => one.is_finite(),
        };
        if !is_key || !is_range {
            return no(
                Field::Bound,
                "a key, and a least or a most that is not below it",
            );
        }
    }
    match &wanted.time_out {
        Some(_) if wanted.verdict != RuleVerdict::Ask => {
            return no(
                Field::TimeOut,
                "a rule that decides at once has no time-out",
            );
        }
        Some(time_out) if !(1..=AFTER_MOST_MS).contains(&time_out.after_ms) => {
            return no(Field::TimeOut, "from a second to a year");
        }
        _ => {}
    }
    match wanted.valid_until.is_some_and(|until| until <= now) {
        true => no(Field::ValidUntil, "it is over"),
        false => Ok(()),
    }
}

impl Operation for AddRule {
    type Output = ();

    fn rpc(&self) -> Option<Request<'static>> {
        Some(ADD_RULE)
    }

    fn cost(&self) -> Option<Cost> {
        Some(Cost::of_new(ENTRY_BYTES))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        call.engine.add_rule(call.who, self, call.now)
    }
}

impl Operation for WithdrawRule {
    type Output = ();

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-policy", "withdraw-rule", true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        call.engine.withdraw_rule(call.who, self, call.now)
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
