//! The turn of the publisher in a feasibility, a proposal, and the executor's if it answers at once.
//!
//! Read next: [`crate::tasks::negotiate`], in which it is said; [`crate::tasks::team`], which proposes as
//! well; [`crate::tasks::answer`], an answer that comes later.

use crate::commit::unit_of_work::UnitOfWork;
use crate::hosting::question::Question;
use crate::tasks::negotiate::turn::{further, speech_of};
use crate::tasks::negotiation::moved;
use crate::tasks::reply::{pending, take_answer};
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::agent::{Ask, Input};
use domain::content::Content;
use domain::negotiation::{Kind, Move, Negotiation, Side, Speech, Stance};
use domain::reply::Reply;
use domain::task::{Task, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Feasibility;

/// What an executor is asked, and by whom.
pub(crate) struct Proposal<'a> {
    /// The negotiation before this turn; perhaps without a turn yet.
    pub(crate) negotiation: &'a Arc<Negotiation>,
    /// The executor's place in the roster.
    pub(crate) to: usize,
    /// What the publisher says.
    pub(crate) speech: Speech,
    /// The sections as sent.
    pub(crate) text: String,
    /// The identifier of the exchange.
    pub(crate) key: String,
}

impl Engine {
    /// The publisher's turn, and the executor's if it answers at once; none if it answers later.
    /// If either is out of place, nothing has changed.
    pub(crate) fn propose(
        &self,
        work: &mut Work<'_>,
        proposal: Proposal<'_>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Result<Option<Reply>, Refusal> {
        let (stance, contents) = (proposal.speech.stance, proposal.speech.contents.clone());
        let alternative = proposal.speech.alternative;
        let spoken = Move::Speak(Side::Publisher, proposal.speech);
        // Both turns must be possible before a word is taken down.
        let after = moved(proposal.negotiation, spoken.clone(), now)?;
        let room = self.room_with(proposal.to)?;
        let round = after.round();
        let content = contents.first().cloned().unwrap_or_default();
        let ask = Ask {
            verb: Verb::FeasibilityNegotiate,
            task: Arc::new(supposed(&after, &proposal.text, &content, now)),
            from: after.publisher.clone(),
            content,
            alternatives: further(stance, &contents),
            alternative,
            round,
            turn: Some((KIND, stance)),
        };
        if room.is_hosted() {
            let question = Question {
                key: proposal.key,
                agent: after.executor.clone(),
                task: after.task.clone(),
                verb: Verb::FeasibilityNegotiate,
                from: after.publisher.clone(),
                turn: Some((KIND, stance)),
                round,
                offered: contents.len(),
                reopens: false,
                answered: false,
                word: None,
            };
            let open = work.move_on(proposal.negotiation, spoken, now, unit)?;
            self.ask(room, question, ask, unit);
            let noted = (stance != Stance::Offer || !open.is_open()).then(Reply::accepted);
            return Ok(noted.map(|reply| of_round(reply, &open.task, round)));
        }
        let mut outputs = self.step(proposal.to, Input::Asked(ask), now);
        let answer = take_answer(&mut outputs).unwrap_or_else(pending);
        let answered = after.is_open().then(|| speech_of(&answer, contents.len()));
        let answered = answered.flatten().filter(|_| stance == Stance::Offer);
        let answered = answered.map(|speech| Move::Speak(Side::Executor, speech));
        if let Some(answered) = &answered {
            moved(&after, answered.clone(), now)?;
        }
        let open = work.move_on(proposal.negotiation, spoken, now, unit)?;
        let reply = match answered {
            Some(answered) => {
                let alternative = alternative_of(&answered);
                work.move_on(&open, answered, now, unit)?;
                Some(Reply {
                    alternative,
                    ..answer
                })
            }
            None if stance == Stance::Offer && open.is_open() => None,
            // Taken note of.
            None => Some(Reply::accepted()),
        };
        for output in outputs {
            self.pass_on(proposal.to, output, unit);
        }
        Ok(reply.map(|reply| of_round(reply, &open.task, round)))
    }
}

pub(crate) fn of_round(reply: Reply, task: &TaskId, round: u32) -> Reply {
    Reply {
        task: Some(task.clone()),
        status: None,
        round: Some(round),
        ..reply
    }
}

pub(crate) fn alternative_of(answered: &Move) -> Option<u32> {
    match answered {
        Move::Speak(_, speech) => speech.alternative,
        Move::Expire | Move::Withdraw => None,
    }
}

/// The task as it would be, for the executor to look at.
pub(crate) fn supposed(
    negotiation: &Negotiation,
    text: &str,
    content: &Content,
    now: Timestamp,
) -> Task {
    Task::assigned(
        negotiation.task.clone(),
        &negotiation.publisher,
        &negotiation.executor,
        text.to_owned(),
        content.clone(),
        true,
        now,
    )
}
