//! Decisions that wait for somebody, and the standing rules by which some of them are taken: as committed.
//!
//! Whatever begins to wait while there are rules falls due at once, in the order of commits, and rules look at
//! it then; so does all that waits once a rule comes or goes, other access rules are in force, or the platform starts.
//! So nothing is lost by a stop between a commit and what a rule makes of it. Knows no engine. Read next: [`inbox`],
//! what waits; [`acting`], what rules make of it; `domain::policy`, how they decide.

mod acting;
mod governing;
pub(crate) mod inbox;
mod kept;
pub(crate) mod operation;

use crate::commit::observer::CommitObserver;
use crate::commit::outbox::Outbox;
use crate::deadlines::Deadlines;
use crate::tasks::timers::Due;
use crate::trail::{by, decided};
use domain::access::Principal;
use domain::audit::AuditKind;
use domain::event::LogEvent;
use domain::policy::{
    DecisionKind, DecisionSubject, PolicyChange, PolicyUpdate, RuleKey, RuleVerdict, StandingRule,
};
use domain::time::Timestamp;
use inbox::Inbox;
use kept::Escalation;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use store::{Committed, ReadError, Store};

/// The rules in force or over, by name; a rule that comes or goes makes another one.
pub(crate) type Rules = Arc<BTreeMap<RuleKey, Arc<StandingRule>>>;

/// Decisions that wait, and standing rules.
pub(crate) struct Policy {
    committed: RwLock<State>,
    /// Rules that are about to be stored.
    coming: Arc<Mutex<BTreeSet<RuleKey>>>,
    deadlines: Arc<Deadlines>,
    outbox: Arc<Outbox>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) inbox: Inbox,
    pub(crate) rules: Rules,
    /// By which rules somebody else was told of what waits.
    pub(crate) escalated: HashMap<DecisionSubject, Escalation>,
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

impl State {
    /// The patches of which somebody else was told.
    pub(crate) fn escalated_patches(&self) -> Vec<DecisionSubject> {
        let patches = self.escalated.keys();
        let patches = patches.filter(|subject| subject.kind == DecisionKind::Patch);
        patches.cloned().collect()
    }
}

impl Policy {
    pub(crate) fn new(deadlines: Arc<Deadlines>, outbox: Arc<Outbox>) -> Self {
        Self {
            committed: RwLock::default(),
            coming: Arc::default(),
            deadlines,
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
        state.rules = Arc::new(kept::rules(store)?);
        state.escalated = kept::escalations(store)?;
        let inbox = &mut state.inbox;
        recovered
            .tasks
            .iter()
            .for_each(|it| drop(inbox.put_task(it)));
        let negotiations = recovered.negotiations.iter();
        negotiations.for_each(|it| drop(inbox.put_negotiation(it)));
        Ok(())
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.committed.read().expect("no writer panics")
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.committed.write().expect("no writer panics")
    }

    pub(crate) fn rules(&self) -> Rules {
        Arc::clone(&self.read().rules)
    }

    /// Has rules look at all that waits, and at what was escalated and waits no more.
    pub(crate) fn look_at_all(&self, now: Timestamp) {
        self.schedule_all(&self.read(), now);
        self.outbox.notify();
    }

    fn schedule_all(&self, state: &State, now: Timestamp) {
        if state.rules.is_empty() && state.escalated.is_empty() {
            return;
        }
        let waiting = state.inbox.subjects().chain(state.escalated.keys());
        for subject in waiting {
            self.look_at(subject.clone(), Some(now));
        }
        self.deadlines.schedule(Due::Patches, Some(now));
    }

    /// Has rules look at one decision then; none if it waits no more.
    pub(crate) fn look_at(&self, subject: DecisionSubject, at: Option<Timestamp>) {
        self.deadlines.schedule(Due::Decision(subject), at);
    }

    /// Has rules look at one decision again then, unless they are to look anyway: it may wait anew by now.
    pub(crate) fn look_again_at(&self, subject: &DecisionSubject, at: Timestamp) {
        let due = Due::Decision(subject.clone());
        self.deadlines.schedule_first(due, at);
    }

    /// Has rules look at patches that wait then.
    pub(crate) fn look_at_patches(&self, at: Timestamp) {
        self.deadlines.schedule(Due::Patches, Some(at));
    }

    /// Forgets by which rules somebody was told of a decision; false if nobody was.
    pub(crate) fn forget_escalations(&self, subject: &DecisionSubject) -> bool {
        self.write().escalated.remove(subject).is_some()
    }

    /// What was committed of a rule.
    fn update(&self, state: &mut State, update: &PolicyUpdate) {
        match (update.change, &update.added, &update.subject) {
            (PolicyChange::RuleAdded, Some(rule), _) => {
                Arc::make_mut(&mut state.rules).insert(rule.key.clone(), Arc::new(rule.clone()));
                self.schedule_all(state, update.time);
            }
            (PolicyChange::RuleWithdrawn, ..) => {
                Arc::make_mut(&mut state.rules).remove(&update.rule);
                self.schedule_all(state, update.time);
            }
            (PolicyChange::Escalated, _, Some(subject)) => {
                let since = update.since.unwrap_or(update.time);
                let told = state.escalated.get(subject);
                let told = Escalation::with(told, since, &update.rule);
                state.escalated.insert(subject.clone(), told);
            }
            _ => {}
        }
    }
}

impl CommitObserver for Policy {
    fn on_commit(&self, committed: &[Committed]) {
        let mut state = self.write();
        let mut is_due = false;
        for batch in committed {
            let tasks = batch
                .tasks
                .iter()
                .map(|it| (it.changed_at, state.inbox.put_task(it)));
            let mut changed: Vec<_> = tasks.collect();
            for negotiation in &batch.negotiations {
                let moved = state.inbox.put_negotiation(negotiation);
                changed.push((negotiation.changed_at, moved));
            }
            let rules_are_there = !state.rules.is_empty();
            for (at, moved) in changed {
                if let Some(ended) = moved.ended {
                    // Whoever looks finds it gone, and takes from the store what was told of it.
                    let is_kept = state.escalated.contains_key(&ended);
                    self.look_at(ended, is_kept.then_some(at));
                    is_due |= is_kept;
                }
                if let Some(begun) = moved.begun.filter(|_| rules_are_there) {
                    self.look_at(begun, Some(at));
                    is_due = true;
                }
            }
            for entry in &batch.entries {
                match &entry.happening {
                    LogEvent::Policy(update) => {
                        self.update(&mut state, update);
                        is_due = true;
                    }
                    LogEvent::Schema(_) if rules_are_there => {
                        self.look_at_patches(entry.time);
                        is_due = true;
                    }
                    _ => {}
                }
            }
        }
        drop(state);
        if is_due {
            // Whoever ticks has one more deadline.
            self.outbox.notify();
        }
    }
}
