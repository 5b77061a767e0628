//! Questions that were not answered are put again: after a restart of the platform, and after
//! decisions had to be taken back.
//!
//! A row says that a question is open ([`crate::hosting::question`]); what was said is found where it was
//! taken down, and what a customer said in the row. What an open task waits for its publisher to say is asked again of the task alone.
//! Read next: [`crate::commit::recovery`].

use crate::commit::unit_of_work::UnitOfWork;
use crate::hosting::question::{Question, ROWS};
use crate::tasks::awaited::Waiting;
use crate::tasks::negotiate::turn::further;
use crate::tasks::timers::Due;
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::agent::{Ask, Input};
use domain::content::Content;
use domain::negotiation::{Kind, Side, Stance};
use domain::notification::Notification;
use domain::task::Task;
use domain::verb::Verb;
use std::collections::HashSet;
use std::sync::Arc;
use tracing::{error, info};

impl Engine {
    /// The questions that are on record, in the order in which they were asked.
    pub(crate) fn questions_on_record(&self) -> Vec<Question> {
        let rows = self.store.documents(ROWS);
        let rows = rows.inspect_err(|cause| error!("open questions cannot be read: {cause}"));
        let mut questions = Vec::new();
        for row in rows.unwrap_or_default() {
            match Question::read(&row) {
                Some(question) => questions.push(question),
                None => error!(question.key = row.name, "an open question cannot be read"),
            }
        }
        questions
    }

    /// Puts questions again that are under way no more. What became moot is forgotten.
    pub(crate) fn put_again(
        &self,
        work: &mut Work<'_>,
        questions: Vec<Question>,
        unit: &mut UnitOfWork,
    ) {
        let agents = &self.hosting.agents;
        let under_way = agents.under_way();
        for question in questions {
            let Some(index) = self.hosted(&question.agent) else {
                // Who is outside by now is told of his open tasks as they are; who is nobody may be
                // hosted again.
                let is_outside = self.registry.roster.find(&question.agent).is_some();
                if is_outside || self.is_over(work, &question) {
                    unit.documents.push(Question::answered(&question.key));
                }
                continue;
            };
            if under_way.contains(&question.key) || agents.lock(index).is_left_alone() {
                continue;
            }
            match self.input_of(work, &question) {
                Ok(Some(input)) => {
                    if question.owes_answer() {
                        info!(
                            question.key = question.key,
                            agent = question.agent,
                            "'{}' is asked again",
                            question.agent
                        );
                        self.wait_again(work, &question);
                    }
                    agents.post_again(index, input, question);
                }
                Ok(None) => unit.documents.push(Question::answered(&question.key)),
                Err(cause) => {
                    error!(question.key = question.key, "not asked again: {cause}");
                }
            }
        }
    }

    /// Tells an agent in here of its tasks that wait for it: what it said, if anything, is not on
    /// record. Of what it failed over it is not told again.
    pub(crate) fn tell_publisher_again(
        &self,
        work: &Work<'_>,
        index: usize,
        unit: &mut UnitOfWork,
    ) {
        let (agents, mut failed_over) = (&self.hosting.agents, HashSet::new());
        for task in work.tasks_awaiting(&self.registry.roster.name(index)) {
            let waits = Question::awaiting(&task.id, &task.from, &task.to);
            let of_now = (waits.key.clone(), task.version);
            let (has_failed_over, is_told) = {
                let agent = agents.lock(index);
                let has_failed_over = agent.failed_over.contains(&of_now);
                (has_failed_over, agent.has_notice(&waits.key))
            };
            if has_failed_over {
                failed_over.insert(of_now);
            } else if !is_told {
                let told = Input::Notified(Arc::new(Notification::of(&task)));
                self.post(index, told, Some(waits), unit);
            }
        }
        agents.lock(index).failed_over = failed_over;
    }

    /// True if what a question is about has ended.
    fn is_over(&self, work: &Work<'_>, question: &Question) -> bool {
        if question.verb == Verb::FeasibilityNegotiate {
            let negotiation = work.known_negotiation(&question.task, Kind::Feasibility);
            return negotiation.is_ok_and(|n| n.is_none_or(|n| !n.is_open()));
        }
        let task = work.known_task(&question.task);
        task.is_ok_and(|task| task.is_none_or(|task| task.status.is_terminal()))
    }

    /// The answer is for the record, and for whoever asks again.
    fn wait_again(&self, work: &mut Work<'_>, question: &Question) {
        let awaited = question.awaited();
        let exchange = work.exchange(&question.key).ok().flatten();
        let Some(exchange) = exchange.filter(|e| e.response.is_none()) else {
            return;
        };
        if work.waits_for(&awaited).is_some() {
            return;
        }
        let asynchronous = work
            .task(&question.task)
            .is_some_and(|task| task.asynchronous);
        let until = exchange.request_time + self.limits.patience_ms(asynchronous);
        work.schedule(Due::Reply(awaited.clone()), Some(until));
        let callers = Vec::new();
        work.wait(awaited, Waiting { exchange, callers });
    }

    /// The question as the agent hears it; none if nobody wants an answer any more.
    fn input_of(&self, work: &Work<'_>, question: &Question) -> Result<Option<Input>, Refusal> {
        if let Some(word) = &question.word {
            return Ok(Some(Input::Telemetry(word.clone().into())));
        }
        if !question.is_notice() {
            return Ok(self.ask_of(work, question)?.map(Input::Asked));
        }
        let task = work.known_task(&question.task)?;
        let ended = task.filter(|task| task.status.is_terminal());
        Ok(ended.map(|task| Input::Notified(Arc::new(Notification::of(&task)))))
    }

    fn ask_of(&self, work: &Work<'_>, question: &Question) -> Result<Option<Ask>, Refusal> {
        if question.verb == Verb::FeasibilityNegotiate {
            return self.offer_of(work, question);
        }
        let Some(task) = work.known_task(&question.task)? else {
            return Ok(None);
        };
        let said = match (question.verb, question.turn) {
            (Verb::TaskAssign, _) if task.status.is_terminal() && !question.answered => {
                return Ok(None);
            }
            (Verb::TaskAssign | Verb::TaskCancel, _) => vec![task.content.clone()],
            (_, Some((kind, _))) => {
                let negotiation = work.known_negotiation(&task.id, kind)?;
                let turn = negotiation
                    .as_ref()
                    .and_then(|n| n.said(Side::Publisher, question.round));
                match turn {
                    Some(turn) => return Ok(Some(ask_about(question, task, &turn.speech))),
                    None => return Ok(None),
                }
            }
            (_, None) => match work.exchange(&question.key)? {
                Some(exchange) => vec![Content::parse([exchange.request.as_str()])?],
                None => return Ok(None),
            },
        };
        let speech = domain::negotiation::Speech {
            stance: Stance::Accept,
            ..domain::negotiation::Speech::offer(said)
        };
        Ok(Some(ask_about(question, task, &speech)))
    }

    fn offer_of(&self, work: &Work<'_>, question: &Question) -> Result<Option<Ask>, Refusal> {
        let Some(negotiation) = work.known_negotiation(&question.task, Kind::Feasibility)? else {
            return Ok(None);
        };
        let waits = negotiation.next_side() == Some(Side::Executor)
            && negotiation.round() == question.round;
        let wanted = matches!(question.turn, Some((_, Stance::Offer)));
        let same =
            negotiation.executor == question.agent && (waits || !wanted || question.answered);
        let turn = negotiation.said(Side::Publisher, question.round);
        let Some(turn) = turn.filter(|_| same) else {
            return Ok(None);
        };
        let text = work.exchange(&question.key)?;
        let text = text.map(|exchange| exchange.request).unwrap_or_default();
        let content = turn.speech.contents.first().cloned().unwrap_or_default();
        let task = Task::assigned(
            negotiation.task.clone(),
            &negotiation.publisher,
            &negotiation.executor,
            text,
            content,
            true,
            turn.at,
        );
        Ok(Some(ask_about(question, Arc::new(task), &turn.speech)))
    }
}

fn ask_about(question: &Question, task: Arc<Task>, speech: &domain::negotiation::Speech) -> Ask {
    Ask {
        verb: question.verb,
        task,
        from: question.from.clone(),
        content: speech.contents.first().cloned().unwrap_or_default(),
        alternatives: further(speech.stance, &speech.contents),
        alternative: speech.alternative,
        round: question.round,
        turn: question.turn,
    }
}
