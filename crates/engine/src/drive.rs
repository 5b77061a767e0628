//! What whoever has a clock and a world does with the engine: brings agents inputs, lets time pass,
//! and carries out what agents want.
//!
//! Read next: [`crate::hosting::step`], [`crate::tasks::dispatch`].

use crate::Engine;
use crate::commit::lock::Deciding;
use crate::commit::outbox::Outgoing;
use crate::commit::unit_of_work::UnitOfWork;
use crate::commit::{AGAIN_MS, trial};
use crate::deadlines::Place;
use crate::hosting::question::Question;
use crate::tasks::awaited::Awaited;
use crate::tasks::loaded::Name;
use crate::tasks::lookup::names_of;
use crate::tasks::reply::state_reply;
use crate::tasks::timers::Due;
use crate::tasks::work::Work;
use domain::agent::{Input, Output};
use domain::profile::Profile;
use domain::registry::Reach;
use domain::reply::{Reply, Verdict};
use domain::task::TaskId;
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Batch, Condition};
use tracing::debug;

impl Engine {
    /// Briefs every agent: the roster, the network, and the tasks of its own that are still open.
    /// What an agent in here was asked before the platform stopped, and did not answer, it is asked
    /// again; of its tasks that ended and that it had not stepped on, and of those that wait for its
    /// word, it is told again, and then of what customers said, which may be the answer.
    pub fn start(&self, now: Timestamp) {
        self.hosting.agents.note_time(now);
        {
            let mut work = self.lock_all();
            self.grant_leases(&mut work, now);
            work.grant_answers(now, self.limits.answer_grace_ms);
        }
        let unanswered = self.questions_on_record();
        let registrations = self.registry.roster.registrations();
        let roster: Vec<Arc<Profile>> = registrations
            .iter()
            .map(|r| Arc::clone(&r.profile))
            .collect();
        // Nothing in here listens for those that connect by themselves.
        let listening = registrations.iter().filter(|r| r.reach != Reach::Client);
        for registration in listening {
            let briefing = {
                let work = self.lock_all();
                self.briefing(&work, registration, roster.clone(), unanswered.iter())
            };
            self.deliver(&registration.profile.name, Input::Started(briefing), now);
        }
        let mut names = Vec::new();
        unanswered.iter().for_each(|it| names_of(it, &mut names));
        let mut work = self.lock_all_with(|_, more| more.extend_from_slice(&names));
        let mut unit = UnitOfWork::default();
        let (words, asked) = unanswered.into_iter().partition(|it| it.word.is_some());
        self.put_again(&mut work, asked, &mut unit);
        for registration in &registrations {
            if let Some(index) = self.hosted(&registration.profile.name) {
                self.tell_publisher_again(&work, index, &mut unit);
            }
        }
        self.put_again(&mut work, words, &mut unit);
        if !unit.is_empty() {
            drop(self.commit(unit));
        }
        drop(work);
        self.policy.look_at_all();
        self.step_in_turn(now);
    }

    /// Brings an input to an agent. Unknown agents are ignored: an input can outlive its agent.
    pub fn deliver(&self, agent: &str, input: Input, now: Timestamp) {
        let Some(index) = self.registry.roster.find(agent) else {
            return;
        };
        if self.hosting.agents.is_hosted(index) {
            self.hosting.agents.note_time(now);
            self.recover_first();
            self.bring(index, agent, input);
        } else {
            self.bring_elsewhere(index, input, now);
        }
        self.step_in_turn(now);
    }

    /// Brings an input to an agent in here, with what is on record until it has stepped on that. Of the
    /// end of a task it is told once while that is on record.
    fn bring(&self, index: usize, name: &str, input: Input) {
        let mut agent = self.hosting.agents.lock(index);
        let question = match &input {
            Input::Notified(news) if news.to == name && news.status.is_terminal() => {
                let end = Question::end(&news.task, &news.to, &news.from);
                if agent.has_notice(&end.key) {
                    return;
                }
                Some(end)
            }
            Input::Notified(news) if news.to == name && news.awaits.is_some() => {
                Some(Question::awaiting(&news.task, &news.to, &news.from))
            }
            Input::Replied { token, .. } | Input::Acted { token, .. } => agent.take_kept(*token),
            _ => None,
        };
        match agent.expected(input) {
            Some(input) => self.hosting.agents.post_to(&mut agent, input, question),
            None => debug!(
                agent = name,
                "a reply to nothing that was sent is not taken"
            ),
        }
    }

    /// Whose open tasks agents in here published: publisher and executor of each, once.
    pub fn published_in_here(&self) -> BTreeSet<(String, String)> {
        let mut open = self.lock_all().parties_of_open_tasks();
        open.retain(|(from, _)| self.hosted(from).is_some());
        open
    }

    /// When [`Engine::tick`] is next due; none if nothing waits.
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        let others = [self.trail_due(), self.policy.first_look()];
        self.deadlines.arm(others.into_iter().flatten().min())
    }

    /// Wakes what is due: standing rules, agents that asked for it, and callers whose time limit is over.
    pub fn tick(&self, now: Timestamp) {
        self.hosting.agents.note_time(now);
        self.close_trail(now);
        self.recover_first();
        self.rules_look(now);
        while let Some((place, due)) = self.deadlines.first(now) {
            self.fall_due(place, due, now);
        }
        self.step_in_turn(now);
    }

    /// What is held, and read, once this falls due.
    fn lock_for(&self, due: &Due) -> Deciding<'_> {
        match due {
            Due::Reply(Awaited::Answer(task, _)) => self.lock_with(&[Name::Task(task.clone())]),
            Due::Reply(awaited) => self.lock_with(&[Name::Tree(awaited.task().clone())]),
            Due::Team(task) | Due::Task(task) | Due::Negotiation(task, _) => {
                self.lock_with(&[Name::Tree(task.clone())])
            }
            Due::Lease(_) | Due::Wake { .. } => self.lock_with(&[Name::Places]),
            Due::Step { agent, .. } => self.lock_all_for(*agent),
            Due::Store => self.lock_all_with(|work, names| {
                names.push(Name::Questions);
                let asked = work.loaded.questions.iter().flatten();
                asked.for_each(|question| names_of(question, names));
            }),
        }
    }

    /// What agents want of the world, in order; empties the outbox.
    pub fn outgoing(&self) -> Vec<Outgoing> {
        self.commits.outbox.drain()
    }

    /// True if the outbox holds something.
    pub fn has_outgoing(&self) -> bool {
        !self.commits.outbox.is_empty()
    }

    /// True while a caller waits for this task to end, or for a word about it, that no agent in here
    /// is about to say: all of them are at rest.
    pub fn is_awaited(&self, task: &TaskId) -> bool {
        // Neither changes without the other while the task is held.
        let _work = self.lock_with(&[Name::Tree(task.clone())]);
        self.hosting.agents.is_at_rest() && self.tasks.shared.is_waited_for(task)
    }

    /// Resolves when everything decided so far is on disk, or never will be.
    pub async fn flushed(&self) {
        let _ = self.store.commit(Batch::default()).await;
    }

    /// Resolves when there may be something in the outbox, or a new deadline.
    pub async fn outgoing_filled(&self) {
        self.commits.outbox.filled().await;
    }

    fn fall_due(&self, place: Place, due: Due, now: Timestamp) {
        if let Due::Wake {
            agent,
            incarnation,
            token,
        } = due
        {
            if self.deadlines.take(place) {
                self.woken(agent, incarnation, token, now);
            }
            return;
        }
        let mut work = self.lock_for(&due);
        // Somebody may have withdrawn it meanwhile.
        if !self.deadlines.take(place) {
            return;
        }
        let (work, mut unit) = (&mut *work, UnitOfWork::default());
        match due {
            Due::Wake { .. } => {}
            Due::Step { agent, number } => self.step_overdue(work, agent, number, now, &mut unit),
            Due::Team(task) => self.team_formed(work, &task, &mut unit),
            Due::Reply(awaited) => {
                // Nobody waits for what has ended: they were answered then.
                let reply = match &awaited {
                    Awaited::Task(id) => work.task(id).map(|task| state_reply(task)),
                    Awaited::Turn(task, kind, round) => {
                        let negotiation = work.negotiation(task, *kind);
                        negotiation.map(|n| crate::tasks::negotiate::turn::reply_of(n, *round))
                    }
                    Awaited::Answer(task, _) => self.unanswered(work, &awaited, task),
                };
                if let Some(reply) = reply {
                    work.resolve(&awaited, &reply, now, &mut unit);
                }
            }
            Due::Task(id) => self.task_due(work, &id, now, &mut unit),
            Due::Negotiation(task, kind) => {
                self.negotiation_due(work, &task, kind, now, &mut unit);
            }
            Due::Lease(name) => self.lease_due(work, &name, now, &mut unit),
            Due::Store => self.store_due(work, now, &mut unit),
        }
        drop(self.commit(unit));
    }

    /// The instant has come that an agent asked for.
    fn woken(&self, index: usize, incarnation: u64, token: Token, now: Timestamp) {
        let agents = &self.hosting.agents;
        if !agents.is_hosted(index) {
            return self.bring_elsewhere(index, Input::Woken(token), now);
        }
        let mut agent = agents.lock(index);
        if agent.incarnation() == incarnation {
            agents.post_to(&mut agent, Input::Woken(token), None);
        }
    }

    /// Brings what stands for an agent elsewhere an input, and takes its outputs on.
    fn bring_elsewhere(&self, index: usize, input: Input, now: Timestamp) {
        let outputs = self.step(index, input, now);
        let names: Vec<Name> = outputs.iter().filter_map(name_of).collect();
        let (mut work, mut unit) = (self.lock_with(&names), UnitOfWork::default());
        self.take_outputs(&mut work, index, outputs, now, &mut unit);
        drop(self.commit(unit));
    }

    /// The reply to whoever waits for an agent in here no longer.
    pub(crate) fn unanswered(
        &self,
        work: &Work<'_>,
        awaited: &Awaited,
        task: &TaskId,
    ) -> Option<Reply> {
        let asked = work.waits_for(awaited)?;
        let verdict = match asked {
            // It is cancelled, whatever its executor has to say to that.
            Verb::TaskCancel => Verdict::Accepted,
            _ => Verdict::Pending,
        };
        let mut reply = Reply::new(verdict, Vec::new());
        reply.task = Some(task.clone());
        let task = work.known_task(task).ok().flatten();
        reply.status = task.map(|task| task.status);
        Some(reply)
    }

    /// A store that was full, locked or away is tried again and again; once it takes something, what waited
    /// for that goes on: agents made anew are briefed, and what those had taken on ends that are left
    /// alone.
    pub(crate) fn store_due(&self, work: &mut Work<'_>, now: Timestamp, unit: &mut UnitOfWork) {
        match self.store.statistics().condition {
            Condition::Working => {
                self.hosting.agents.release_held();
                self.end_for_those_left_alone(work, now, unit);
            }
            Condition::Full | Condition::Locked | Condition::Unreachable => {
                drop(self.store.commit(trial()));
                work.look_at_store(now + AGAIN_MS);
            }
            Condition::Stopped => {}
        }
    }
}

/// The task about which an output is, if it is about one.
pub(crate) fn name_of(output: &Output) -> Option<Name> {
    match output {
        Output::Report { task, .. } | Output::Speak { task, .. } => Some(Name::Tree(task.clone())),
        _ => None,
    }
}
