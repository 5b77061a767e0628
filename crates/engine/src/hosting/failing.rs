//! An agent in here that fails: its step panics, or does not return.
//!
//! A step that panics fails what it was about; one that does not return is given up, and everything
//! that its agent had taken on fails. The agent is made anew and briefed; one that fails again and
//! again is left alone, and its place says so. Nobody else is held up. Read next:
//! [`crate::hosting::instance`].

use crate::Engine;
use crate::commit::AGAIN_MS;
use crate::commit::unit_of_work::UnitOfWork;
use crate::hosting::question::Question;
use crate::tasks::reply::state_reply;
use crate::tasks::work::Work;
use domain::content::Content;
use domain::event::LogEvent;
use domain::negotiation::Kind;
use domain::notification::AgentUpdate;
use domain::registry::{AgentChange, Health, Registration};
use domain::reply::Reply;
use domain::task::{Command, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tracing::{error, warn};

/// Why a task or a negotiation ended whose executor failed.
const FAILED: &str = "agent-failed";

impl Engine {
    /// How many steps did not return in time. Each still holds the thread that runs it.
    pub fn steps_given_up(&self) -> u64 {
        self.hosting.given_up.load(Relaxed)
    }

    /// A step panicked.
    pub(crate) fn crashed(
        &self,
        work: &mut Work<'_>,
        index: usize,
        asked: Option<Question>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let name = self.registry.roster.name(index);
        if let Some(asked) = &asked {
            let why = format!("agent '{name}' failed while it looked at this");
            self.end_question(work, asked, &why, now, unit);
        }
        self.restart(work, index, asked.as_ref(), now, unit);
    }

    /// A step did not return in time: the agent is given up with all that it had taken on.
    pub(crate) fn step_overdue(
        &self,
        work: &mut Work<'_>,
        index: usize,
        number: u64,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        // From here on nothing that it brings is taken.
        let over = self.hosting.agents.lock(index).give_up(number, now);
        let Some(over) = over else {
            return;
        };
        let name = self.registry.roster.name(index);
        let within = self.limits.step_ms;
        error!(
            agent = &*name,
            step.limit_ms = within,
            "agent '{name}' did not come back from a step within {within} ms: it is given up"
        );
        self.hosting.given_up.fetch_add(1, Relaxed);
        self.hosting.agents.notify_ready();
        let why = format!("agent '{name}' did not come back within {within} ms");
        self.fail_all(work, index, &why, now, unit);
        self.restart(work, index, over.as_ref(), now, unit);
    }

    /// Everything fails that the agent has taken on or was asked.
    fn fail_all(
        &self,
        work: &mut Work<'_>,
        index: usize,
        why: &str,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let name = self.registry.roster.name(index);
        let asked = self.hosting.agents.lock(index).take_questions();
        for asked in asked {
            self.end_question(work, &asked, why, now, unit);
        }
        for open in work.open_tasks_of(&name) {
            self.fail(work, &open.id, why, now, unit);
        }
        for open in work.open_feasibilities_of(&name) {
            self.decline(work, &open, FAILED, why, now, unit);
        }
    }

    /// A task fails, if it has not ended. The end of one may end another, its part.
    fn fail(
        &self,
        work: &mut Work<'_>,
        id: &TaskId,
        why: &str,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let open = work.task(id).filter(|t| !t.status.is_terminal()).cloned();
        if let Some(open) = open {
            let why = Content::new(open.content.target_object.clone(), why);
            self.change(work, &open, Command::Fail(why), now, unit)
                .expect("a task that has not ended can fail");
        }
    }

    /// A question gets no answer any more.
    fn end_question(
        &self,
        work: &mut Work<'_>,
        asked: &Question,
        why: &str,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        if !asked.owes_answer() {
            self.fail_whole(work, asked, why, now, unit);
        } else if asked.verb == Verb::FeasibilityNegotiate {
            let open = work.negotiation(&asked.task, Kind::Feasibility).cloned();
            if let Some(open) = open {
                self.decline(work, &open, FAILED, why, now, unit);
            }
        } else {
            self.fail(work, &asked.task, why, now, unit);
            let awaited = asked.awaited();
            if work.waits_for(&awaited).is_some() {
                let task = work.known_task(&asked.task).ok().flatten();
                let reply = task.map_or_else(Reply::accepted, |task| state_reply(&task));
                work.resolve(&awaited, &reply, now, unit);
            }
        }
        self.is_answered(work, asked, unit);
    }

    /// Whoever failed over the end of a part does not go on with the task that it is a part of.
    fn fail_whole(
        &self,
        work: &mut Work<'_>,
        end: &Question,
        why: &str,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let part = work.known_task(&end.task).ok().flatten();
        let whole = part.and_then(|part| part.conditions.parent.clone());
        let is_its = |id: &TaskId| work.task(id).is_some_and(|whole| whole.to == end.agent);
        if let Some(whole) = whole.filter(is_its) {
            self.fail(work, &whole, why, now, unit);
        }
    }

    /// The agent is made anew and briefed, or left alone. It is told again of what it was told and had
    /// sent something on that did not come back, and of its tasks that wait for it, but not of what it
    /// failed over.
    fn restart(
        &self,
        work: &mut Work<'_>,
        index: usize,
        failed_over: Option<&Question>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        if self.hosting.is_beside() {
            // If this is not stored, nobody else may look for long.
            work.look_at_store(now + AGAIN_MS);
        }
        let agents = &self.hosting.agents;
        let registration = self.registry.roster.registration(index);
        let name = &registration.profile.name;
        if let Some(over) = failed_over
            && let Some(version) = work.task(&over.task).map(|task| task.version)
        {
            let failed_over = (over.key.clone(), version);
            agents.lock(index).failed_over.insert(failed_over);
        }
        let again = agents.lock(index).restart(now);
        let Some(again) = again else {
            let why = left_alone(name);
            error!(agent = name, "{why}");
            self.fail_all(work, index, &why, now, unit);
            agents.lock(index).mailbox.clear();
            return self.is_unavailable(&registration, now, unit);
        };
        warn!(agent = name, "agent '{name}' is started again");
        let behaviour = self.registry.roster.behaviour(index, again());
        let (kept, unanswered) = {
            let mut agent = agents.lock(index);
            let kept = agent.take_all_kept();
            (kept, agent.questions().cloned().collect::<Vec<_>>())
        };
        let briefing = self.briefing_anew(work, index, unanswered.iter());
        let after = self.hosting.is_beside().then(|| self.commits.mark(unit));
        agents.revive(index, behaviour, briefing, after);
        self.put_again(work, kept, unit);
        self.tell_publisher_again(work, index, unit);
    }

    /// Ends again what agents that are left alone had taken on, where that was not stored.
    pub(crate) fn end_for_those_left_alone(
        &self,
        work: &mut Work<'_>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let on_record = work.loaded.questions.take().unwrap_or_default();
        for index in self.hosting.agents.left_alone() {
            let name = self.registry.roster.name(index);
            let why = left_alone(&name);
            for asked in &on_record {
                if *asked.agent == *name && asked.owes_answer() {
                    self.end_question(work, asked, &why, now, unit);
                }
            }
            self.fail_all(work, index, &why, now, unit);
        }
    }

    /// The registry says that nothing can be given to the agent until the platform starts anew.
    fn is_unavailable(&self, known: &Registration, now: Timestamp, unit: &mut UnitOfWork) {
        let after = Registration {
            health: Health::Failing,
            health_note: "unavailable: it failed again and again, and was not started once more"
                .to_owned(),
            ..known.clone()
        };
        let after = Arc::new(after);
        self.registry.roster.put(Arc::clone(&after));
        self.registry.directory.put(Arc::clone(&after));
        let update = AgentUpdate {
            time: now,
            name: after.profile.name.clone(),
            change: AgentChange::Health,
            health: after.health,
        };
        unit.happenings
            .push((now, LogEvent::Agent(Arc::new(update))));
    }
}

/// Why everything fails that an agent had taken on.
fn left_alone(name: &str) -> String {
    format!("agent '{name}' failed too often and is left alone")
}
