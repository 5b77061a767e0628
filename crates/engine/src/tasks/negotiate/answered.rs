//! What follows from the answer of an agent in here to what it was asked.
//!
//! Between the question and the answer anything may have happened to the task: what has ended is
//! left as it is. Read next: [`crate::hosting::step`], [`crate::hosting::question`].

use super::turn::speech_of;
use crate::Engine;
use crate::commit::outbox::Outgoing;
use crate::commit::unit_of_work::UnitOfWork;
use crate::hosting::question::Question;
use crate::tasks::life::words_of;
use crate::tasks::reply::{complete, take_answer};
use crate::tasks::work::Work;
use domain::agent::Output;
use domain::content::Content;
use domain::negotiation::{Kind, Move, Side, Speech, Stance};
use domain::reply::{Reply, Verdict};
use domain::task::{Command, Task};
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;
use tracing::error;

/// Why a negotiation ended whose executor owes an answer.
const NO_ANSWER: &str = "no-answer";

impl Engine {
    /// Takes in what came of a step on a question. The answer to an assignment or an offer is
    /// applied first, wherever it stands among the outputs: the others are about what it has
    /// already answered for.
    pub(crate) fn take_answer(
        &self,
        work: &mut Work<'_>,
        index: usize,
        asked: &Question,
        mut outputs: Vec<Output>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let answer = take_answer(&mut outputs);
        if answer.is_none() && asked.owes_answer() {
            let name = &asked.agent;
            error!(
                agent = name,
                question.key = asked.key,
                "agent '{name}' owes an answer"
            );
        }
        match asked.verb {
            _ if !asked.owes_answer() => drop(self.take_outputs(work, index, outputs, now, unit)),
            Verb::TaskAssign => {
                self.assignment_answered(work, asked, answer, now, unit);
                self.take_outputs(work, index, outputs, now, unit);
            }
            Verb::FeasibilityNegotiate => {
                self.offer_answered(work, asked, answer, now, unit);
                self.take_outputs(work, index, outputs, now, unit);
            }
            _ => {
                self.take_outputs(work, index, outputs, now, unit);
                let answer = answer.unwrap_or_else(Reply::accepted);
                self.word_answered(work, asked, answer, now, unit);
            }
        }
        match self.keeps(work, index, asked, unit) {
            true => self.team_asked(work, &asked.task, unit),
            false => self.is_answered(work, asked, unit),
        }
    }

    /// Keeps a question on record until something has come back on all that the agent sent in its step,
    /// if that is about a task that has ended: of one that is open it is told at the start, and sends
    /// again what is missing.
    fn keeps(
        &self,
        work: &Work<'_>,
        index: usize,
        asked: &Question,
        unit: &mut UnitOfWork,
    ) -> bool {
        // A task that is not in memory has ended; about what is only proposed there is none.
        let has_ended = match work.task(&asked.task) {
            Some(task) => task.status.is_terminal(),
            None => asked.verb != Verb::FeasibilityNegotiate,
        };
        // What stands for an agent elsewhere may have spoken in the same batch.
        let own = unit.outgoing.iter().filter(|it| it.agent == asked.agent);
        let sent: Vec<Token> = own.filter_map(Outgoing::token).collect();
        let agents = &self.hosting.agents;
        if !has_ended || sent.is_empty() || !agents.is_hosted(index) {
            return false;
        }
        let kept = asked.clone().into_answered();
        if asked.owes_answer() {
            unit.documents.push(kept.row());
        }
        agents.lock(index).keep(sent, kept);
        true
    }

    /// The question is open no more.
    pub(crate) fn is_answered(&self, work: &mut Work<'_>, asked: &Question, unit: &mut UnitOfWork) {
        unit.documents.push(Question::answered(&asked.key));
        self.team_asked(work, &asked.task, unit);
    }

    /// The first word of an executor about a task that it was given.
    fn assignment_answered(
        &self,
        work: &mut Work<'_>,
        asked: &Question,
        answer: Option<Reply>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let Some(task) = work.task(&asked.task).cloned() else {
            return;
        };
        if task.status.is_terminal() {
            return;
        }
        let awaited = asked.awaited();
        let waiting = work.take_waiting(&awaited, &asked.key);
        let (task, reply) = match answer {
            Some(answer) => {
                let task = self.apply_answer(work, &task, &answer, now, unit);
                let reply = complete(answer, &task);
                (task, reply)
            }
            None => {
                let why = format!("agent '{}' did not answer", asked.agent);
                let said = Content::new(task.content.target_object.clone(), why.clone());
                let task = self.change(work, &task, Command::Fail(said), now, unit);
                let task = task.expect("a task that has not ended can fail");
                let reply = complete(Reply::refused(NO_ANSWER, "", why), &task);
                (task, reply)
            }
        };
        let Some(waiting) = waiting else {
            return;
        };
        work.wait(awaited.clone(), waiting);
        let settled = task.status.is_terminal() || task.awaits.is_some();
        if task.asynchronous || settled {
            work.resolve(&awaited, &reply, now, unit);
        }
    }

    /// The executor's turn in a feasibility.
    fn offer_answered(
        &self,
        work: &mut Work<'_>,
        asked: &Question,
        answer: Option<Reply>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let open = work.negotiation(&asked.task, Kind::Feasibility).cloned();
        let waits = |n: &domain::negotiation::Negotiation| {
            n.executor == asked.agent
                && n.round() == asked.round
                && n.next_side() == Some(Side::Executor)
        };
        let Some(open) = open.filter(|open| waits(open)) else {
            return;
        };
        let speech = answer.as_ref().map(|a| speech_of(a, asked.offered));
        let spoken = match (speech, answer) {
            // It answers later.
            (Some(None), _) => return,
            (Some(Some(speech)), Some(answer)) => {
                let alternative = speech.alternative;
                let spoken = Move::Speak(Side::Executor, speech);
                work.move_on(&open, spoken, now, unit)
                    .map(|after| (after, answer, alternative))
            }
            _ => {
                let why = format!("agent '{}' did not answer", asked.agent);
                return self.decline(work, &open, NO_ANSWER, &why, now, unit);
            }
        };
        match spoken {
            Ok((after, answer, alternative)) => {
                let reply = Reply {
                    task: Some(open.task.clone()),
                    status: None,
                    round: Some(asked.round),
                    alternative,
                    ..answer
                };
                work.resolve(&asked.awaited(), &reply, now, unit);
                self.team_answered(work, &after, now, unit);
            }
            Err(defect) => {
                error!(task.id = %open.task, agent = asked.agent, "answer not taken: {defect}");
                let why = format!("the answer of agent '{}' is none: {defect}", asked.agent);
                self.decline(work, &open, NO_ANSWER, &why, now, unit);
            }
        }
    }

    /// What the executor says to a word of its publisher.
    fn word_answered(
        &self,
        work: &mut Work<'_>,
        asked: &Question,
        answer: Reply,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let task = match work.known_task(&asked.task) {
            Ok(Some(task)) => task,
            Ok(None) => return,
            Err(cause) => return error!(task.id = %asked.task, "task {}: {cause}", asked.task),
        };
        let mut reply = self.reaction(work, asked, &task, answer, now, unit);
        if asked.is_cancellation() {
            reply.verdict = Verdict::Accepted;
        }
        work.resolve(&asked.awaited(), &reply, now, unit);
    }

    /// What an executor's answer to a word of its publisher leads to: the reply. A plan that is
    /// offered is answered by it, unless that has no place any more.
    pub(super) fn reaction(
        &self,
        work: &mut Work<'_>,
        asked: &Question,
        task: &Arc<Task>,
        answer: Reply,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Reply {
        let plan = match asked.turn {
            Some((kind @ Kind::Fulfillment, Stance::Offer)) => work.negotiation(&task.id, kind),
            _ => None,
        };
        let waits =
            plan.is_some_and(|n| n.round() == asked.round && n.next_side() == Some(Side::Executor));
        let task = match waits && !task.status.is_terminal() {
            true => self.answer_plan(work, task, &answer, asked.offered, now, unit),
            false => Arc::clone(task),
        };
        let mut reply = self.with_state(work, answer, &task);
        if asked.reopens {
            reply.round = Some(asked.round);
        }
        reply
    }

    /// Applies an answer to the task it is about.
    pub(crate) fn apply_answer(
        &self,
        work: &mut Work<'_>,
        task: &Arc<Task>,
        answer: &Reply,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Arc<Task> {
        let said = || {
            answer.content.first().cloned().unwrap_or_else(|| {
                let why = match words_of(&answer.reasons) {
                    none if none.is_empty() => answer.verdict.as_str().to_owned(),
                    why => why,
                };
                Content::new(task.content.target_object.clone(), why)
            })
        };
        let mut change = |command| Ok(self.change(work, task, command, now, unit)?);
        let applied = match answer.verdict {
            Verdict::Pending => return Arc::clone(task),
            Verdict::Accepted => change(Command::Work {
                percent: 0,
                said: answer.content.first().cloned(),
            }),
            Verdict::Refused => change(Command::Refuse(said())),
            Verdict::InputRequired => change(Command::Ask(said())),
            Verdict::Offered => {
                let proposed = match answer.content.is_empty() {
                    true => vec![said()],
                    false => answer.content.clone(),
                };
                self.executor_speaks(work, task, Speech::offer(proposed), now, unit)
            }
            Verdict::Result => change(Command::Offer {
                result: said(),
                held: false,
            }),
        };
        match applied {
            Ok(after) => after,
            // A result at once where one is demanded to be negotiated: there is none.
            Err(forbidden) => {
                let why = Content::new(task.content.target_object.clone(), forbidden.to_string());
                self.change(work, task, Command::Fail(why), now, unit)
                    .expect("a task just created can fail")
            }
        }
    }

    /// What the executor answers to a plan or counter-proposal, if it answers at once. An answer
    /// that is none leaves it the word.
    pub(crate) fn answer_plan(
        &self,
        work: &mut Work<'_>,
        task: &Arc<Task>,
        answer: &Reply,
        offered: usize,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Arc<Task> {
        let task = work
            .task(&task.id)
            .cloned()
            .unwrap_or_else(|| Arc::clone(task));
        let Some(speech) = speech_of(answer, offered) else {
            return task;
        };
        match self.executor_speaks(work, &task, speech, now, unit) {
            Ok(task) => task,
            Err(defect) => {
                tracing::error!(task.id = %task.id, agent = task.to, "answer not taken: {defect}");
                task
            }
        }
    }

    pub(crate) fn with_state(&self, work: &Work<'_>, answer: Reply, task: &Arc<Task>) -> Reply {
        let latest = work.task(&task.id).unwrap_or(task);
        complete(answer, latest)
    }
}
