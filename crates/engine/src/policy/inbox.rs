//! What waits for somebody's decision, by whose it is and in the order in which it began to wait.
//!
//! Of open tasks and negotiations alone, as committed: what has ended is not here, so nothing goes through that.
//! Read next: `domain::policy`, what a decision is; [`super::governing`], to whom it is shown.

use domain::negotiation::{Kind, Negotiation, Side};
use domain::policy::{DecisionKind, DecisionSubject, Offers, PendingDecision};
use domain::task::{Awaits, Task, TaskId};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// A decision, in the order in which they began to wait.
pub(crate) type Place = (Timestamp, DecisionSubject);

#[derive(Default)]
pub(crate) struct Inbox {
    /// Tasks that wait for their publishers.
    tasks: HashMap<TaskId, Arc<Task>>,
    /// Open negotiations.
    negotiations: HashMap<(TaskId, Kind), Arc<Negotiation>>,
    by_decider: BTreeMap<String, BTreeSet<Place>>,
    /// Whose each is, and since when it waits.
    places: HashMap<DecisionSubject, (Timestamp, String)>,
}

/// A decision that waits, as it was found: what it is about is shared, so that finding it takes no time.
pub(crate) struct Found {
    subject: DecisionSubject,
    since: Timestamp,
    decider: String,
    task: Option<Arc<Task>>,
    /// The negotiation in which it is.
    about: Option<Arc<Negotiation>>,
}

/// What a change began and ended.
#[derive(Default)]
pub(crate) struct Moved {
    pub(crate) begun: Option<DecisionSubject>,
    pub(crate) ended: Option<DecisionSubject>,
}

impl Inbox {
    /// Whose decision it is that waits.
    pub(crate) fn decider(&self, subject: &DecisionSubject) -> Option<&String> {
        self.places.get(subject).map(|(_, decider)| decider)
    }

    /// For whom something waits.
    pub(crate) fn deciders(&self) -> Vec<String> {
        self.by_decider.keys().cloned().collect()
    }

    /// What waits for one, the longest waiting first.
    pub(crate) fn of(&self, decider: &str) -> impl Iterator<Item = &Place> {
        self.by_decider.get(decider).into_iter().flatten()
    }

    /// Takes in a task as it is now.
    pub(crate) fn put_task(&mut self, task: &Arc<Task>) -> Moved {
        let before = self
            .tasks
            .get(&task.id)
            .and_then(|before| subject_of(before));
        let now = subject_of(task);
        let place = now.map(|subject| (subject, waits_since(task), task.from.clone()));
        match &place {
            Some(_) => drop(self.tasks.insert(task.id.clone(), Arc::clone(task))),
            None => drop(self.tasks.remove(&task.id)),
        }
        self.moved(before, place)
    }

    /// Takes in a negotiation as it is now.
    pub(crate) fn put_negotiation(&mut self, negotiation: &Arc<Negotiation>) -> Moved {
        let key = (negotiation.task.clone(), negotiation.kind);
        let known = self.negotiations.get(&key);
        let before = known
            .and_then(|known| turn_in(known))
            .map(|(subject, _)| subject);
        let place = turn_in(negotiation).map(|(subject, side)| {
            let decider = negotiation.name_of(side).to_owned();
            (subject, negotiation.changed_at, decider)
        });
        match negotiation.is_open() {
            true => drop(self.negotiations.insert(key, Arc::clone(negotiation))),
            false => drop(self.negotiations.remove(&key)),
        }
        self.moved(before, place)
    }

    fn moved(
        &mut self,
        before: Option<DecisionSubject>,
        place: Option<(DecisionSubject, Timestamp, String)>,
    ) -> Moved {
        let stays = |subject: &DecisionSubject| {
            let now = place.as_ref().filter(|(now, ..)| now == subject);
            now.is_some_and(|(_, since, decider)| {
                self.places.get(subject) == Some(&(*since, decider.clone()))
            })
        };
        if before.as_ref().is_some_and(stays) {
            return Moved::default();
        }
        if let Some(before) = &before {
            self.take_out(before);
        }
        let begun = place.map(|(subject, since, decider)| {
            let own = self.by_decider.entry(decider.clone()).or_default();
            own.insert((since, subject.clone()));
            self.places.insert(subject.clone(), (since, decider));
            subject
        });
        Moved {
            begun,
            ended: before,
        }
    }

    fn take_out(&mut self, subject: &DecisionSubject) {
        let Some((since, decider)) = self.places.remove(subject) else {
            return;
        };
        if let Some(own) = self.by_decider.get_mut(&decider) {
            own.remove(&(since, subject.clone()));
            if own.is_empty() {
                self.by_decider.remove(&decider);
            }
        }
    }

    /// A decision that waits; none if it waits no more.
    pub(crate) fn find(&self, subject: &DecisionSubject) -> Option<Found> {
        let (since, decider) = self.places.get(subject)?;
        let id = subject.task()?;
        let negotiation = |kind| self.negotiations.get(&(id.clone(), kind)).cloned();
        Some(Found {
            subject: subject.clone(),
            since: *since,
            decider: decider.clone(),
            about: match subject.kind {
                DecisionKind::Result => negotiation(Kind::Result),
                DecisionKind::Decision | DecisionKind::Plan => negotiation(Kind::Fulfillment),
                DecisionKind::Feasibility => negotiation(Kind::Feasibility),
                _ => None,
            },
            task: self.tasks.get(&id).cloned(),
        })
    }

    /// The other side of a decision that waits.
    pub(crate) fn agent(&self, subject: &DecisionSubject) -> Option<String> {
        self.find(subject)?.agent()
    }
}

impl Found {
    /// The decision, but for the domain of its other side.
    pub(crate) fn decision(self) -> PendingDecision {
        let agent = self.agent();
        let (task, about) = (self.task, self.about);
        let side = about.as_ref().and_then(|n| n.next_side());
        let content = match (&task, &about) {
            (Some(task), _) => Some(&task.content),
            (None, about) => about
                .as_ref()
                .and_then(|n| n.turns.first()?.speech.contents.first()),
        };
        let (target, scenario) = (
            content.map(|it| it.target_object.clone()),
            content.and_then(|it| Some(it.payload.as_ref()?.scenario().to_owned())),
        );
        PendingDecision {
            decider: Some(self.decider),
            agent,
            domain: None,
            target,
            scenario,
            round: about.as_ref().zip(side).map(|(n, it)| n.round_of_next(it)),
            since: self.since,
            until: match (&task, &about) {
                (Some(task), _) => task.due(),
                (None, about) => about.as_ref().and_then(|n| n.due()),
            },
            wants_person: false,
            approved_by: BTreeSet::new(),
            offers: match (about, task) {
                (Some(about), _) if is_offered_to(side, &about) => Offers::Standing(about),
                // What the publisher wants is no offer that a rule could take.
                (_, Some(task)) if !self.subject.kind.is_ruled() => Offers::Asked(task),
                _ => Offers::Nothing,
            },
            subject: self.subject,
        }
    }

    fn agent(&self) -> Option<String> {
        match (&self.task, &self.about) {
            (Some(task), _) => Some(task.to.clone()),
            (None, Some(about)) => {
                let side = about.next_side()?;
                Some(about.name_of(side.other()).to_owned())
            }
            (None, None) => None,
        }
    }
}

/// What of a task waits for its publisher.
fn subject_of(task: &Task) -> Option<DecisionSubject> {
    let kind = match task.awaits.filter(|_| !task.status.is_terminal())? {
        Awaits::Answer => DecisionKind::Question,
        Awaits::Decision => DecisionKind::Decision,
        Awaits::Judgement => DecisionKind::Result,
        Awaits::Credentials => DecisionKind::Credentials,
        Awaits::Completion => DecisionKind::Completion,
    };
    let id = task.id.as_str().to_owned();
    Some(DecisionSubject { kind, id })
}

/// Since when a task waits for its publisher, who may have said something else meanwhile.
fn waits_since(task: &Task) -> Timestamp {
    match (task.answer_by, task.conditions.answer_within_ms) {
        (Some(until), Some(within)) => until + -within,
        _ => task.changed_at,
    }
}

/// Whose turn it is in a negotiation that is waited for by itself. What is proposed or offered by the executor of a
/// task is waited for by the task.
fn turn_in(negotiation: &Negotiation) -> Option<(DecisionSubject, Side)> {
    let side = negotiation.next_side()?;
    let kind = match (negotiation.kind, side) {
        (Kind::Feasibility, _) => DecisionKind::Feasibility,
        (Kind::Fulfillment, Side::Executor) if is_offered_to(Some(side), negotiation) => {
            DecisionKind::Plan
        }
        (Kind::Fulfillment, _) | (Kind::Result, _) => return None,
    };
    let id = negotiation.task.as_str().to_owned();
    Some((DecisionSubject { kind, id }, side))
}

/// True if what stands is an offer of the other side.
fn is_offered_to(side: Option<Side>, negotiation: &Negotiation) -> bool {
    let standing = negotiation.standing();
    standing.is_some_and(|turn| Some(turn.by.other()) == side)
}
