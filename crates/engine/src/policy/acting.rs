//! What standing rules make of a decision that waits: it is taken as their author would take it, with the rights
//! that the author has now, or somebody is told.
//!
//! What a rule does is an operation of its author like any other: it is authorised, counted among what the author
//! writes, recorded and committed as one. Read next: `domain::policy::decide`, what rules say; [`super::rights`],
//! who may decide what; [`super::patches`], the same of patches.

use super::inbox::Found;
use super::kept::{self, Escalation};
use super::rights::Rights;
use super::rules::Rules;
use crate::commit::AGAIN_MS;
use crate::operation::{Cost, Endpoint, Execution};
use crate::refusal::OverLimit;
use crate::tasks::message::Negotiate;
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::content::Content;
use domain::event::LogEvent;
use domain::policy::{
    DecisionKind, DecisionSubject, PendingDecision, PolicyChange, PolicyUpdate, RuleKey,
    RuleVerdict, Ruling, StandingRule, decide,
};
use domain::task::Awaits;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::HashMap;
use std::sync::Arc;
use store::Batch;
use tracing::{debug, info, warn};

/// The section of a message in which a rule says that it decides.
const SECTION: &str = "standing rule";

/// How many decisions rules look at in one tick, beside which nobody else is served.
const LOOKS_MOST: usize = 256;

/// The longest time from one look for an author who writes too fast to the next.
const APART_MOST_MS: i64 = 1_000;

impl Engine {
    /// Rules look at the decisions that began to wait, have waited for some time, or may be others' by now.
    pub(crate) fn rules_look(&self, now: Timestamp) {
        let rights = self.rights();
        let mut waits = Waits::default();
        for _ in 0..LOOKS_MOST {
            let Some(subject) = self.policy.take_due(now) else {
                return;
            };
            let found = self.policy.read().inbox.find(&subject);
            let Some(found) = found else {
                self.forget_decision(&subject);
                continue;
            };
            if let Some(again) = self.rule_on(&self.decision(found), &rights, &mut waits, now) {
                self.policy.look_by(subject, again);
            }
        }
    }

    /// A decision with the domain of its other side, if that is registered.
    pub(super) fn decision(&self, found: Found) -> PendingDecision {
        let pending = found.decision();
        let registration = pending.agent.as_ref();
        let registration = registration.and_then(|name| self.registry.directory.find(name));
        PendingDecision {
            domain: registration.and_then(|it| it.profile.domain.clone()),
            ..pending
        }
    }

    /// What those rules that could cover a decision say of it then.
    pub(super) fn ruling<'r>(
        &self,
        rules: impl IntoIterator<Item = &'r StandingRule>,
        rights: &Rights<'_>,
        pending: &PendingDecision,
        now: Timestamp,
    ) -> Ruling<'r> {
        let has_right =
            |rule: &StandingRule| rights.let_say(rule, rule.says(pending, now), pending);
        decide(rules, pending, has_right, now)
    }

    /// In whose name a rule decides.
    pub(super) fn author(&self, rule: &RuleKey) -> Principal {
        let author = self.principal(&rule.author);
        author.coming_from(format!("rule {}", rule.name))
    }

    /// When to look again, if time may change anything.
    fn rule_on(
        &self,
        pending: &PendingDecision,
        rights: &Rights<'_>,
        waits: &mut Waits,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let rules = self.policy.rules();
        let ruling = self.ruling(rules.about(pending), rights, pending, now);
        let again = match ruling.verdict {
            RuleVerdict::Ask => {
                self.escalate(&rules, &ruling.escalations, pending, rights, waits, now)
            }
            verdict => {
                let rule = &ruling.rules[0].key;
                if let Some(again) = waits.next(&rule.author) {
                    return Some(again).into_iter().chain(ruling.look_again).min();
                }
                let update = super::decided_by(rule, pending, verdict, now);
                let said = word(pending, verdict, update);
                let refusal = refusal_of(self.execute(&self.author(rule), said, now));
                waits.note(&rule.author, refusal.as_ref(), now);
                self.took(rule, pending, verdict, refusal, now)
            }
        };
        again.into_iter().chain(ruling.look_again).min()
    }

    /// What became of a decision by a rule. When to look again, whether it was stored or could be taken at all.
    pub(super) fn took(
        &self,
        rule: &RuleKey,
        pending: &PendingDecision,
        verdict: RuleVerdict,
        refusal: Option<Refusal>,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let id = &pending.subject;
        match refusal {
            None => {
                info!(rule = %rule, "standing rule {rule}: {} {id}", verdict.as_str());
                // Once it is stored it waits no more, and nobody looks.
                Some(now + AGAIN_MS)
            }
            Some(refusal) => {
                let again = look_again(&refusal, now);
                // If it stands on what is taken back, rules look again then.
                if again.is_none() {
                    warn!(rule = %rule, "standing rule {rule} cannot decide {id}: {refusal}");
                    self.policy.note_refused(pending, rule);
                }
                again
            }
        }
    }

    /// Tells somebody else, once, that nobody has decided this in time: who may decide it as well. When to look
    /// whether that was stored, or whether there is room for it among what the author of a rule writes.
    pub(super) fn escalate(
        &self,
        all: &Rules,
        rules: &[&StandingRule],
        pending: &PendingDecision,
        rights: &Rights<'_>,
        waits: &mut Waits,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let (subject, since) = (&pending.subject, pending.since);
        if rules.is_empty() {
            return None;
        }
        let mut telling = self.policy.telling();
        if telling.is_under_way(subject) {
            return Some(now + AGAIN_MS);
        }
        // Whatever somebody was told is known here before its ticket is resolved.
        let mut told = Escalation::of(self.policy.read().escalated.get(subject), since);
        let mut happenings = Vec::new();
        let mut again = None;
        told.retain_of(all);
        let known = told.clone();
        for rule in rules {
            let user = rule.escalates_to(pending, now);
            let Some(user) = user else {
                continue;
            };
            if known.has(&rule.key, user) {
                self.policy.charges().settle(subject, &rule.key);
                continue;
            }
            if !rights.of(user).may_decide(pending) {
                let rule = &rule.key;
                debug!(rule = %rule, "standing rule {rule}: '{user}' may not decide {subject}");
                continue;
            }
            // What was paid and could not be stored is not paid again.
            let is_paid = self.policy.charges().is_paid(subject, &rule.key);
            if !is_paid {
                if let Some(later) = self.waits_to_write(&rule.key, waits, now) {
                    again = again.into_iter().chain([later]).min();
                    continue;
                }
                self.policy.charges().pay(subject, &rule.key);
            }
            told.insert(rule.key.clone(), user.to_owned());
            let update = PolicyUpdate {
                subject: Some(subject.clone()),
                decider: pending.decider.clone(),
                since: Some(since),
                escalated_to: Some(user.to_owned()),
                ..PolicyUpdate::of(rule.key.clone(), PolicyChange::Escalated, now)
            };
            happenings.push((now, LogEvent::Policy(Arc::new(update))));
        }
        if happenings.is_empty() {
            return again;
        }
        let ticket = self.store.commit(Batch {
            documents: vec![kept::escalation(subject, told)],
            happenings,
            ..Batch::default()
        });
        telling.put(subject.clone(), ticket);
        again.into_iter().chain([now + AGAIN_MS]).min()
    }

    /// When there is room for an entry among what the author of a rule writes, or beyond that for what is told in time;
    /// none if there is now, and it is counted.
    fn waits_to_write(
        &self,
        rule: &RuleKey,
        waits: &mut Waits,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let author = &rule.author;
        let mut again = None;
        if !waits.is_known(author) {
            let has_room = self.has_room(&self.author(rule), Some(Cost::ENTRY), now);
            let refusal = has_room.err()?;
            waits.note(author, Some(&refusal), now);
            again = look_again(&refusal, now);
        }
        if waits.is_known(author) && self.policy.charges().lends(author, now) {
            return None;
        }
        again.or_else(|| waits.next(author))
    }

    /// Forgets what is known of a decision that waits no more.
    pub(super) fn forget_decision(&self, subject: &DecisionSubject) {
        if self.policy.forget(subject) {
            drop(self.store.commit(Batch {
                documents: vec![kept::no_escalation(subject)],
                ..Batch::default()
            }));
        }
    }
}

/// Whose rules wait until they may write again, as they showed in one look.
#[derive(Default)]
pub(super) struct Waits(HashMap<String, (Timestamp, i64)>);

impl Waits {
    /// Of a refusal because its author writes too fast.
    pub(super) fn note(&mut self, author: &str, refusal: Option<&Refusal>, now: Timestamp) {
        if let Some(Refusal::OverLimit(OverLimit::TooFast { wait_ms, .. })) = refusal {
            let wait_ms = in_ms(*wait_ms);
            let waits = (now + wait_ms, wait_ms.min(APART_MOST_MS));
            self.0.insert(author.to_owned(), waits);
        }
    }

    /// True if this author writes too fast, as showed.
    fn is_known(&self, author: &str) -> bool {
        self.0.contains_key(author)
    }

    /// When to look at the next of what this author's rules decide: one after another. None if it need not wait.
    pub(super) fn next(&mut self, author: &str) -> Option<Timestamp> {
        let (at, apart_ms) = self.0.get_mut(author)?;
        *at = *at + *apart_ms;
        Some(*at)
    }
}

/// When what was refused may have room; none if it is refused for how things stand.
fn look_again(refusal: &Refusal, now: Timestamp) -> Option<Timestamp> {
    match refusal {
        Refusal::OverLimit(OverLimit::TooFast { wait_ms, .. }) => Some(now + in_ms(*wait_ms)),
        Refusal::OverLimit(_) | Refusal::NotAvailable(_) | Refusal::Failed(_) => {
            Some(now + AGAIN_MS)
        }
        _ => None,
    }
}

fn in_ms(wait_ms: u64) -> i64 {
    i64::try_from(wait_ms).unwrap_or(AGAIN_MS).max(1)
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
    let takes_one_of_several = verdict == RuleVerdict::Accept && pending.offers.alternatives() > 1;
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
