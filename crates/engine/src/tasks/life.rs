//! What follows from a change of a task: its negotiations, its parts and its whole, those who
//! wait for it, and time (draft §4.2, §4.5).
//!
//! A part lives as long as the task that it is a part of: it is cancelled when that one ends, and
//! a result waits until the last part has ended. Read next: [`crate::tasks::negotiate`].

use crate::Engine;
use crate::commit::unit_of_work::UnitOfWork;
use crate::hosting::question::Question;
use crate::refusal::Conflict;
use crate::tasks::awaited::Awaited;
use crate::tasks::negotiation::rounds_over;
use crate::tasks::reply::{state_reply, take_answer};
use crate::tasks::work::Work;
use domain::agent::{Ask, Input};
use domain::content::Content;
use domain::negotiation::{Kind, Move, Side, Speech, State};
use domain::notification::Notification;
use domain::reply::{Reason, Reply};
use domain::task::{Awaits, Command, Event, OutOfTurn, Status, Task, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;

/// What became of telling an executor that its task has ended.
pub(crate) enum EndNotice {
    /// There is nobody who listens.
    Nobody,
    /// This was the answer.
    Answered(Reply),
    /// It will answer this.
    Asked(Question),
}

impl Work<'_> {
    /// Stages a new task.
    pub(crate) fn create(&mut self, task: Task, unit: &mut UnitOfWork) -> Arc<Task> {
        let task = Arc::new(task);
        let event = Event {
            at: task.created_at,
            status: task.status,
            awaits: None,
            percent: 0,
            said: None,
            by_publisher: true,
            assignment: None,
            plan: None,
            result: None,
            subscription: None,
        };
        unit.change(&task, None, &event);
        self.place(&task);
        self.put(Arc::clone(&task));
        task
    }
}

impl Engine {
    /// Decides a command on a task and stages what follows from it.
    pub(crate) fn change(
        &self,
        work: &mut Work<'_>,
        task: &Arc<Task>,
        command: Command,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Result<Arc<Task>, OutOfTurn> {
        let event = task.decide(command, now)?;
        let mut after = Task::clone(task);
        after.apply(&event);
        let after = Arc::new(after);
        unit.change(&after, Some(task.status), &event);
        work.put(Arc::clone(&after));
        let after = match event.awaits {
            Some(Awaits::Judgement) if event.result.is_some() => {
                self.result_offered(work, after, now, unit)
            }
            _ => after,
        };
        if after.status.is_terminal() || after.awaits.is_some() {
            let awaited = Awaited::Task(after.id.clone());
            if work.waits_for(&awaited).is_some() {
                work.resolve(&awaited, &state_reply(&after), now, unit);
            }
        }
        if after.status.is_terminal() {
            if let Some(publisher) = self.hosted(&after.from) {
                let end = Question::end(&after.id, &after.from, &after.to);
                unit.documents.push(end.row());
                // Where nobody is left over whose session it would hear of it.
                if self.registry.roster.find(&after.to).is_none() {
                    let told = Input::Notified(Arc::new(Notification::of(&after)));
                    self.post(publisher, told, Some(end), unit);
                }
            }
            self.ended(work, &after, now, unit);
        }
        Ok(after)
    }

    /// A result that waits for judgement is an offer in the negotiation of the result.
    fn result_offered(
        &self,
        work: &mut Work<'_>,
        task: Arc<Task>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Arc<Task> {
        let result = task.result.clone().expect("a result was offered");
        let offered = Move::Speak(Side::Executor, Speech::offer(vec![result]));
        match self.negotiate_on(work, &task, Kind::Result, offered, now, unit) {
            Ok(_) => task,
            Err(why) => {
                let why = Content::new(task.content.target_object.clone(), why.to_string());
                self.change(work, &task, Command::Fail(why), now, unit)
                    .expect("a task that has not ended can fail")
            }
        }
    }

    /// The publisher judges the result: it is accepted, or the executor goes on, or the rounds
    /// are over and the task has failed.
    pub(crate) fn judge(
        &self,
        work: &mut Work<'_>,
        task: &Arc<Task>,
        speech: Speech,
        content: Content,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Result<Arc<Task>, crate::Refusal> {
        let accepted = speech.stance == domain::negotiation::Stance::Accept;
        let spoken = Move::Speak(Side::Publisher, speech);
        let after = self.negotiate_on(work, task, Kind::Result, spoken, now, unit)?;
        let command = match after.state {
            State::Exhausted => Command::Fail(rounds_over(task, after.round_limit)),
            _ if accepted => Command::Accept,
            _ => Command::Reject(content),
        };
        Ok(self.change(work, task, command, now, unit)?)
    }

    fn ended(&self, work: &mut Work<'_>, task: &Arc<Task>, now: Timestamp, unit: &mut UnitOfWork) {
        for kind in [Kind::Fulfillment, Kind::Result] {
            if let Some(open) = work.negotiation(&task.id, kind).filter(|n| n.is_open()) {
                let open = Arc::clone(open);
                let withdrawn = work.move_on(&open, Move::Withdraw, now, unit);
                withdrawn.expect("what is open can be withdrawn");
            }
        }
        for part in work.parts(&task.id) {
            // The end of one may have ended another.
            let part = work.task(&part).filter(|t| !t.status.is_terminal());
            if let Some(part) = part.cloned() {
                self.end_part(work, &part, now, unit);
            }
        }
        if let Some(parent) = &task.conditions.parent
            && work.parts_open(parent) == 0
            && let Some(whole) = work.task(parent).filter(|t| t.is_held()).cloned()
        {
            self.change(work, &whole, Command::Release, now, unit)
                .expect("a held result can be released");
        }
    }

    fn end_part(
        &self,
        work: &mut Work<'_>,
        part: &Arc<Task>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let after = self.change(work, part, Command::Cancel, now, unit);
        let after = after.expect("an open task can be cancelled");
        if part.is_handed_over() {
            self.tell_executor(&after, now, unit);
        }
    }

    /// Tells a task's executor, if it is here, that the task has ended without it.
    pub(crate) fn tell_executor(
        &self,
        task: &Arc<Task>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> EndNotice {
        let Some(executor) = self.registry.roster.find(&task.to) else {
            return EndNotice::Nobody;
        };
        let ask = Ask {
            verb: Verb::TaskCancel,
            task: Arc::clone(task),
            from: task.from.clone(),
            content: task.content.clone(),
            alternatives: Vec::new(),
            alternative: None,
            round: 1,
            turn: None,
        };
        if self.hosting.agents.is_hosted(executor) {
            let asked = Question::cancellation(&task.id, &task.to, &task.from);
            unit.documents.push(asked.row());
            self.post(executor, Input::Asked(ask), Some(asked.clone()), unit);
            return EndNotice::Asked(asked);
        }
        let mut outputs = self.step(executor, Input::Asked(ask), now);
        let answer = take_answer(&mut outputs);
        for output in outputs {
            self.pass_on(executor, output, unit);
        }
        answer.map_or(EndNotice::Nobody, EndNotice::Answered)
    }

    /// Time alone ends a task: its executor is late, or its publisher silent.
    pub(crate) fn task_due(
        &self,
        work: &mut Work<'_>,
        id: &TaskId,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let Some(task) = work
            .task(id)
            .filter(|t| t.due().is_some_and(|d| d <= now))
            .cloned()
        else {
            return;
        };
        for kind in [Kind::Fulfillment, Kind::Result] {
            if let Some(open) = work.negotiation(id, kind).filter(|n| n.is_open()) {
                let open = Arc::clone(open);
                let expired = work.move_on(&open, Move::Expire, now, unit);
                expired.expect("what is open can expire");
            }
        }
        let after = self.change(work, &task, Command::Expire, now, unit);
        let after = after.expect("a task that has not ended can expire");
        if after.status != Status::Unconfirmed && task.is_handed_over() {
            self.tell_executor(&after, now, unit);
        }
    }

    /// Whether a task can get this part.
    pub(crate) fn check_part(
        &self,
        work: &Work<'_>,
        part: &TaskId,
        parent: &TaskId,
        from: &str,
    ) -> Result<(), crate::Refusal> {
        let refused = |why| {
            Err(Conflict::NotAPart {
                task: part.clone(),
                parent: parent.clone(),
                why,
            }
            .into())
        };
        let open = work.task(parent).filter(|t| !t.status.is_terminal());
        let Some(whole) = open.filter(|t| t.to == from || t.from == from) else {
            return refused("there is no open task of that name that the sender is party to");
        };
        if whole.awaits_judgement() {
            return refused("its result waits for judgement");
        }
        if work.parts_open(parent) >= self.limits.parts {
            return refused("it has as many open parts as it may have");
        }
        let mut depth = 1;
        let mut above = whole.conditions.parent.as_ref();
        while let Some(next) = above {
            depth += 1;
            above = work.task(next).and_then(|t| t.conditions.parent.as_ref());
        }
        match depth < self.limits.depth {
            true => Ok(()),
            false => refused("it is a part of a part too deep already"),
        }
    }
}

/// The reasons of a refusal as one sentence, for people.
pub(crate) fn words_of(reasons: &[Reason]) -> String {
    let why: Vec<&str> = reasons.iter().map(|r| r.message.as_str()).collect();
    why.join("; ")
}
