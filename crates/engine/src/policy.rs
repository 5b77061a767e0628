//! Decisions that wait for somebody, and the standing rules by which some of them are taken: as committed.
//!
//! Whatever begins to wait while rules could cover it is looked at by them at once, in the order of time; so is what
//! they could cover once a rule comes or goes, rights or keys are others, or the platform starts, and, some time later,
//! what was decided and taken back. So nothing is lost by a stop between a commit and what a rule makes of it. Patches
//! are looked at each time schemas have grown. Knows no engine. Read next: [`inbox`], what waits; [`acting`] and
//! `patches`, what rules make of it; `checking`, what one would make of it; `domain::policy`, how they decide.

mod acting;
mod charges;
pub(crate) mod checking;
mod governing;
pub(crate) mod inbox;
mod kept;
mod looks;
pub(crate) mod operation;
mod patches;
mod rights;
mod rules;
mod telling;
mod waiting;

use crate::commit::AGAIN_MS;
use crate::commit::observer::CommitObserver;
use crate::commit::outbox::Outbox;
use crate::commit::unit_of_work::UnitOfWork;
use crate::trail::{by, decided};
use charges::Charges;
use domain::access::Principal;
use domain::audit::AuditKind;
use domain::event::LogEvent;
use domain::policy::{
    DecisionKind, DecisionSubject, PendingDecision, PolicyChange, PolicyUpdate, RuleKey,
    RuleVerdict,
};
use domain::registry::AgentChange;
use domain::time::Timestamp;
use inbox::{Inbox, Moved};
use kept::Escalation;
use looks::{Anew, Looks};
use rules::Rules;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use store::{Committed, ReadError, Store};
use telling::Telling;

/// Decisions that wait, and standing rules. Whoever holds two of its locks took them in this order.
pub(crate) struct Policy {
    telling: Mutex<Telling>,
    committed: RwLock<State>,
    looks: Mutex<Looks>,
    /// Which rule could not take a decision that waits since then.
    refused: Mutex<HashMap<DecisionSubject, (Timestamp, RuleKey)>>,
    charges: Mutex<Charges>,
    /// Rules that are about to be stored.
    coming: Arc<Mutex<BTreeSet<RuleKey>>>,
    outbox: Arc<Outbox>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) inbox: Inbox,
    /// A rule that comes or goes makes others.
    rules: Arc<Rules>,
    /// By which rules somebody else was told of what waits.
    escalated: HashMap<DecisionSubject, Escalation>,
}

/// That a rule decides something.
fn decided_by(
    rule: &RuleKey,
    pending: &PendingDecision,
    verdict: RuleVerdict,
    now: Timestamp,
) -> Arc<PolicyUpdate> {
    Arc::new(PolicyUpdate {
        subject: Some(pending.subject.clone()),
        since: Some(pending.since),
        decider: pending.decider.clone(),
        verdict: Some(verdict),
        ..PolicyUpdate::of(rule.clone(), PolicyChange::Decided, now)
    })
}

/// What a rule has decided, for the batch of what follows from that: neither is stored without the other.
pub(crate) fn ruled(
    update: &Arc<PolicyUpdate>,
    who: &Principal,
    now: Timestamp,
) -> [(Timestamp, LogEvent); 2] {
    let subject = update.subject.as_ref().map(ToString::to_string);
    let verdict = update.verdict.map_or("", RuleVerdict::as_str);
    let why = format!("rule {}: {verdict}", update.rule);
    let event = by(AuditKind::RuleDecided, who).to(&subject.unwrap_or_default());
    [
        decided(event.because(&why), now),
        (now, LogEvent::Policy(Arc::clone(update))),
    ]
}

impl UnitOfWork {
    /// Enters that this rule has decided it, in the name of its author, if one has.
    pub(crate) fn ruled(
        &mut self,
        update: Option<&Arc<PolicyUpdate>>,
        who: &Principal,
        now: Timestamp,
    ) {
        let entries = update.map(|update| ruled(update, who, now));
        self.happenings.extend(entries.into_iter().flatten());
    }
}

impl State {
    /// What rules could cover of that.
    fn to_look_at(&self, anew: &Anew) -> Vec<DecisionSubject> {
        let all = anew.all || anew.after_a_while;
        let mut found = Vec::new();
        for decider in self.rules.deciders() {
            let whole = all || anew.deciders.contains(decider);
            if !whole && anew.agents.is_empty() {
                continue;
            }
            let of = Some(decider.clone());
            let covered = self.inbox.of(decider).map(|(_, subject)| subject);
            let covered = covered.filter(|subject| self.rules.concern(&of, subject.kind));
            let is_with = |subject: &&DecisionSubject| {
                let agent = || self.inbox.agent(subject);
                whole || agent().is_some_and(|name| anew.agents.contains(&name))
            };
            found.extend(covered.filter(is_with).cloned());
        }
        if all {
            // Of what waits no more nobody need know who was told.
            let told = self.escalated.keys();
            found.extend(told.filter(|it| it.kind.is_of_task()).cloned());
        }
        found
    }
}

impl Policy {
    pub(crate) fn new(outbox: Arc<Outbox>) -> Self {
        Self {
            telling: Mutex::default(),
            committed: RwLock::default(),
            looks: Mutex::default(),
            refused: Mutex::default(),
            charges: Mutex::default(),
            coming: Arc::default(),
            outbox,
        }
    }

    /// Takes in what the store holds.
    pub(crate) fn load(
        &self,
        store: &Store,
        recovered: &store::Recovered,
    ) -> Result<(), ReadError> {
        let mut state = self.write();
        state.rules = Arc::new(Rules::of(kept::rules(store)?));
        state.escalated = kept::escalations(store)?;
        let inbox = &mut state.inbox;
        let tasks = recovered.tasks.iter();
        tasks.for_each(|it| drop(inbox.put_task(it)));
        let negotiations = recovered.negotiations.iter();
        negotiations.for_each(|it| drop(inbox.put_negotiation(it)));
        Ok(())
    }

    pub(crate) fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.read().rules)
    }

    /// Has rules look at all that waits, and at what was escalated and waits no more, once somebody has a clock.
    pub(crate) fn look_at_all(&self) {
        self.looks().anew().all = true;
        self.refused().clear();
        self.outbox.notify();
    }

    /// When rules are to look next.
    pub(crate) fn first_look(&self) -> Option<Timestamp> {
        self.looks().first()
    }

    /// Takes out what rules are to look at first by now.
    fn take_due(&self, now: Timestamp) -> Option<DecisionSubject> {
        let anew = self.looks().take_anew();
        if let Some(anew) = anew {
            let state = self.read();
            let at = match anew.after_a_while {
                true => now + AGAIN_MS,
                false => now,
            };
            let found = state.to_look_at(&anew).into_iter();
            let mut looks = self.looks();
            found.for_each(|subject| looks.by(subject, at));
        }
        self.looks().take(now)
    }

    /// Has rules look at one decision by then.
    fn look_by(&self, subject: DecisionSubject, at: Timestamp) {
        self.looks().by(subject, at);
    }

    /// Notes that a rule could not take a decision, if that waits by now.
    fn note_refused(&self, pending: &PendingDecision, rule: &RuleKey) {
        let (state, subject) = (self.read(), &pending.subject);
        if !subject.kind.is_of_task() || state.inbox.decider(subject).is_some() {
            let why = (pending.since, rule.clone());
            self.refused().insert(subject.clone(), why);
        }
    }

    /// True if this rule could not take it.
    fn is_refused(&self, pending: &PendingDecision, rule: &RuleKey) -> bool {
        let refused = self.refused();
        let known = refused.get(&pending.subject);
        known.is_some_and(|(since, by)| *since == pending.since && by == rule)
    }

    /// Who was told of this because nobody decided it in time.
    fn told_of(&self, pending: &PendingDecision) -> Vec<String> {
        let state = self.read();
        let told = Escalation::of(state.escalated.get(&pending.subject), pending.since);
        told.users().into_iter().collect()
    }

    /// Those decisions of which something is known.
    fn known_of(&self, is_meant: impl Fn(&DecisionSubject) -> bool) -> BTreeSet<DecisionSubject> {
        let state = self.read();
        let refused = self.refused();
        let known = state.escalated.keys().chain(refused.keys());
        known.filter(|it| is_meant(it)).cloned().collect()
    }

    /// Forgets what is known of a decision that waits no more; true if that is in the store.
    fn forget(&self, subject: &DecisionSubject) -> bool {
        self.telling().forget(subject);
        self.refused().remove(subject);
        self.write().escalated.remove(subject).is_some()
    }

    fn telling(&self) -> MutexGuard<'_, Telling> {
        self.telling.lock().expect("no holder panics")
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.committed.read().expect("no writer panics")
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.committed.write().expect("no writer panics")
    }

    fn looks(&self) -> MutexGuard<'_, Looks> {
        self.looks.lock().expect("no holder panics")
    }

    fn charges(&self) -> MutexGuard<'_, Charges> {
        self.charges.lock().expect("no holder panics")
    }

    fn refused(&self) -> MutexGuard<'_, HashMap<DecisionSubject, (Timestamp, RuleKey)>> {
        self.refused.lock().expect("no holder panics")
    }

    /// What was committed of a task or a negotiation then.
    fn moved(&self, state: &State, looks: &mut Looks, moved: Moved, at: Timestamp) {
        if let Some(ended) = moved.ended {
            self.refused().remove(&ended);
            self.charges().retain(|it, _| *it != ended);
            // Whoever looks finds it gone, and forgets what is known of it.
            if state.escalated.contains_key(&ended) || looks.is_due(&ended) {
                looks.by(ended, at);
            }
        }
        if let Some(begun) = moved.begun {
            let decider = state.inbox.decider(&begun).cloned();
            if state.rules.concern(&decider, begun.kind) {
                looks.by(begun, at);
            }
        }
    }

    /// What was committed of a rule.
    fn update(&self, state: &mut State, looks: &mut Looks, update: &PolicyUpdate) {
        if is_of_rule(update.change) {
            // What the rule of this name that there was could not decide, the next may.
            self.refused().retain(|_, (_, by)| *by != update.rule);
            self.charges().retain(|_, by| *by != update.rule);
        }
        match (update.change, &update.added, &update.subject) {
            (PolicyChange::RuleAdded, Some(rule), _) => {
                Arc::make_mut(&mut state.rules).insert(rule.clone());
                looks
                    .anew()
                    .deciders
                    .extend(rule.decider().map(str::to_owned));
            }
            (PolicyChange::RuleWithdrawn, ..) => {
                let gone = Arc::make_mut(&mut state.rules).remove(&update.rule);
                let decider = gone.as_ref().and_then(|rule| rule.decider());
                looks.anew().deciders.extend(decider.map(str::to_owned));
            }
            (PolicyChange::Escalated, _, Some(subject)) => {
                let since = update.since.unwrap_or(update.time);
                let mut told = Escalation::of(state.escalated.get(subject), since);
                told.retain_of(&state.rules);
                let user = update.escalated_to.clone().unwrap_or_default();
                told.insert(update.rule.clone(), user);
                state.escalated.insert(subject.clone(), told);
                if subject.kind.is_of_task() {
                    // It may wait no more by now.
                    looks.by(subject.clone(), update.time);
                }
            }
            _ => {}
        }
    }
}

impl CommitObserver for Policy {
    fn on_commit(&self, committed: &[Committed]) {
        let (mut state, mut looks) = (self.write(), self.looks());
        let before = looks.first();
        for batch in committed {
            for task in &batch.tasks {
                let moved = state.inbox.put_task(task);
                self.moved(&state, &mut looks, moved, task.changed_at);
            }
            for negotiation in &batch.negotiations {
                let moved = state.inbox.put_negotiation(negotiation);
                self.moved(&state, &mut looks, moved, negotiation.changed_at);
            }
            for entry in &batch.entries {
                match &entry.happening {
                    LogEvent::Policy(update) => self.update(&mut state, &mut looks, update),
                    // Its domain may be another.
                    LogEvent::Agent(update) if is_other(update.change) => {
                        looks.anew().agents.insert(update.name.clone());
                    }
                    LogEvent::Schema(_) => {
                        self.refused()
                            .retain(|it, _| it.kind != DecisionKind::Patch);
                    }
                    _ => {}
                }
            }
        }
        let first = looks.first();
        drop((state, looks));
        if first.is_some() && first != before {
            // Whoever ticks has one more deadline.
            self.outbox.notify();
        }
    }

    /// What a rule decided may wait again, and what it could not decide may have been taken back. Not at once: what
    /// was not stored now is hardly stored a moment later.
    fn on_rollback(&self) {
        self.looks().anew().after_a_while = true;
        // Patches are looked at anyway.
        self.refused()
            .retain(|it, _| it.kind != DecisionKind::Patch);
        self.outbox.notify();
    }
}

fn is_of_rule(change: PolicyChange) -> bool {
    matches!(
        change,
        PolicyChange::RuleAdded | PolicyChange::RuleWithdrawn
    )
}

fn is_other(change: AgentChange) -> bool {
    matches!(change, AgentChange::Registered | AgentChange::Left)
}
