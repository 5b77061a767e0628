//! Standing rules added and withdrawn.
//!
//! Read next: [`super::operation`], what is asked; [`super::rights`], who may decide what; [`super::acting`], what
//! comes of it.

use super::kept;
use super::operation::{AddRule, WithdrawRule};
use super::rights::ADD_RULE;
use super::rules::Rules;
use crate::access::exec;
use crate::operation::{Call, Cost, ENTRY_BYTES, Execution, Operation};
use crate::refusal::{Conflict, Field, NotFound, OverLimit};
use crate::trail::{by, decided};
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::audit::AuditKind;
use domain::event::LogEvent;
use domain::identifier::is_identifier;
use domain::policy::{Afterwards, PolicyChange, PolicyUpdate, RuleKey, RuleVerdict, StandingRule};
use domain::time::Timestamp;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use store::{Batch, Ticket};

/// How many rules a user may have.
const RULES_MOST: usize = 64;

/// The longest name of a rule, or key of a bound, in characters.
const NAME_MOST: usize = 64;

/// The longest text of a condition, in characters.
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
    fn add_rule(
        &self,
        who: &Principal,
        wanted: AddRule,
        now: Timestamp,
    ) -> Result<Execution<()>, Refusal> {
        let rule = self.rule(who, wanted, now)?;
        let key = rule.key.clone();
        let Some((coming, over)) = self.room_for(&rule, now)? else {
            return Ok(Execution::known(()));
        };
        let mut batch = Batch::default();
        // Nobody need keep what is over: it is forgotten as soon as its author has another rule.
        for key in over {
            withdraw(who, &key, "it is over", now, &mut batch);
        }
        let audited = by(AuditKind::RuleAdded, who).to(&key.to_string());
        let audited = audited.because(&rule.terms());
        batch.documents.push(kept::rule(&rule));
        // Whose decisions are taken over hears of it.
        let update = PolicyUpdate {
            decider: rule
                .decider()
                .filter(|it| *it != who.name)
                .map(str::to_owned),
            added: Some(rule),
            ..PolicyUpdate::of(key, PolicyChange::RuleAdded, now)
        };
        batch.happenings.extend([
            decided(audited, now),
            (now, LogEvent::Policy(Arc::new(update))),
        ]);
        Ok(stored(self.store.commit(batch), coming))
    }

    /// The rule that somebody wants; refused if it cannot be.
    pub(super) fn rule(
        &self,
        who: &Principal,
        wanted: AddRule,
        now: Timestamp,
    ) -> Result<StandingRule, Refusal> {
        check(&wanted, now)?;
        self.check_decider(who, &wanted)?;
        Ok(StandingRule {
            key: RuleKey {
                author: who.name.clone(),
                name: wanted.name,
            },
            kind: wanted.kind,
            conditions: wanted.conditions,
            verdict: wanted.verdict,
            time_out: wanted.time_out,
            valid_until: wanted.valid_until,
            added: now,
            credential: self.registry.credential(&who.name),
            key_digest: self.registry.key_digest(&who.name),
        })
    }

    /// Takes the name of a rule, and tells which of its author's are over; none if there is the same rule already.
    fn room_for(
        &self,
        rule: &StandingRule,
        now: Timestamp,
    ) -> Result<Option<(Coming, Vec<RuleKey>)>, Refusal> {
        let mut coming = self.policy.coming.lock().expect("no holder panics");
        let Some(over) = room_beside(&coming, &self.policy.rules(), rule, now)? else {
            return Ok(None);
        };
        coming.insert(rule.key.clone());
        let coming = Coming {
            all: Arc::clone(&self.policy.coming),
            key: rule.key.clone(),
        };
        Ok(Some((coming, over)))
    }

    /// Refuses a rule for which there is no room, or whose name is taken.
    pub(super) fn check_room(&self, rule: &StandingRule, now: Timestamp) -> Result<(), Refusal> {
        let coming = self.policy.coming.lock().expect("no holder panics");
        room_beside(&coming, &self.policy.rules(), rule, now).map(drop)
    }

    /// Whose decisions it is about. To whom something is escalated is asked for when the time comes: saying it here
    /// would tell who has which rights.
    fn check_decider(&self, who: &Principal, wanted: &AddRule) -> Result<(), Refusal> {
        let decider = wanted.conditions.decider.as_ref();
        let other = decider.filter(|name| **name != who.name);
        if other.is_some() && !self.rights().of(&who.name).decides_for_others(wanted.kind) {
            let why = format!("'{}' decides nothing for others", who.name);
            return Err(Refusal::unusable(Field::Decider, why));
        }
        Ok(())
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
        if !may || self.policy.rules().find(&key).is_none() {
            return Err(NotFound::Rule { name: key.name }.into());
        }
        let mut batch = Batch::default();
        withdraw(who, &key, "", now, &mut batch);
        Ok(Execution::committed(self.store.commit(batch), ()))
    }
}

/// Which rules of its author are over, if there is room for this one beside the others and those that are about to be
/// stored; none if there is the same already.
fn room_beside(
    coming: &BTreeSet<RuleKey>,
    rules: &Rules,
    rule: &StandingRule,
    now: Timestamp,
) -> Result<Option<Vec<RuleKey>>, Refusal> {
    let taken = || Conflict::RuleExists {
        name: rule.key.name.clone(),
    };
    let known = rules.find(&rule.key);
    if let Some(known) = known.filter(|known| known.is_valid(now)) {
        let added = known.added;
        let same = **known
            == StandingRule {
                added,
                ..rule.clone()
            };
        return if same { Ok(None) } else { Err(taken().into()) };
    }
    let author = &rule.key.author;
    let on_their_way = coming.iter().filter(|key| key.author == *author).count();
    let own = rules.of_author(author).filter(|it| it.is_valid(now));
    if own.count() + on_their_way >= RULES_MOST {
        return Err(OverLimit::TooMany {
            what: "standing rules of a user",
            most: RULES_MOST as u64,
        }
        .into());
    }
    if coming.contains(&rule.key) {
        return Err(taken().into());
    }
    // What is over may be another rule as soon as that is stored.
    let over = rules.of_author(author).filter(|it| !it.is_valid(now));
    let over = over.filter(|it| !coming.contains(&it.key));
    Ok(Some(over.map(|it| it.key.clone()).collect()))
}

/// Withdraws a rule with this batch.
fn withdraw(who: &Principal, key: &RuleKey, why: &str, now: Timestamp, batch: &mut Batch) {
    let audited = by(AuditKind::RuleWithdrawn, who).to(&key.to_string());
    let update = PolicyUpdate::of(key.clone(), PolicyChange::RuleWithdrawn, now);
    batch.documents.push(kept::no_rule(key));
    batch.happenings.extend([
        decided(audited.because(why), now),
        (now, LogEvent::Policy(Arc::new(update))),
    ]);
}

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
    let is_name = has_length(&wanted.name, NAME_MOST) && !wanted.name.contains('/');
    if !is_name || !is_identifier(&wanted.name, wanted.name.len()) {
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
        if text.as_ref().is_some_and(|it| !has_length(it, TEXT_MOST)) {
            return no(field, "1 to 256 characters");
        }
    }
    if conditions.bounds.len() > BOUNDS_MOST {
        return no(Field::Bound, "at most 16 of them");
    }
    for bound in &conditions.bounds {
        let is_key = has_length(&bound.key, NAME_MOST) && is_plain(&bound.key);
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
    if let Some(Afterwards::Escalate(user)) = wanted.time_out.as_ref().map(|it| &it.then)
        && !(has_length(user, TEXT_MOST) && is_identifier(user, user.len()))
    {
        return no(Field::EscalateTo, "no name of a user");
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

/// True of a key that cannot be taken for more than one where a rule is told on a line.
fn is_plain(key: &str) -> bool {
    let parts = |it: char| it.is_whitespace() || matches!(it, '<' | '>' | '=');
    is_identifier(key, key.len()) && !key.contains(parts)
}

/// YANG counts characters.
fn has_length(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.chars().take(most + 1).count())
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

    fn cost(&self) -> Option<Cost> {
        Some(Cost::ENTRY)
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        call.engine.withdraw_rule(call.who, self, call.now)
    }
}
