//! Inputs on their way to agents in here: questions, news and replies reach a mailbox, and are handed out
//! once what they rest on is on disk.
//!
//! Read next: [`crate::hosting::mailbox`], [`crate::hosting::step`].

use crate::commit::unit_of_work::UnitOfWork;
use crate::hosting::question::Question;
use crate::refusal::OverLimit;
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::agent::{Ask, Input};

impl Engine {
    /// Puts a question to an agent in here. It is on record until it is answered.
    pub(crate) fn ask(
        &self,
        work: &mut Work,
        index: usize,
        question: Question,
        ask: Ask,
        unit: &mut UnitOfWork,
    ) {
        unit.documents.push(question.row());
        self.post(work, index, Input::Asked(ask), Some(question), unit);
    }

    /// Puts an input that rests on what is staged into the mailbox of an agent in here.
    pub(crate) fn post(
        &self,
        work: &mut Work,
        index: usize,
        input: Input,
        question: Option<Question>,
        unit: &mut UnitOfWork,
    ) {
        let after = self.hosting.is_beside().then(|| self.commits.mark(unit));
        let number = work.post(index, input, question, after);
        if let (Some(mark), Some(number)) = (after, number) {
            work.rests_on(mark, index, number);
        }
    }

    /// Puts an input that rests on nothing that is not on disk into the mailbox of an agent in here.
    pub(crate) fn put(&self, work: &mut Work, index: usize, input: Input) {
        work.post(index, input, None, None);
        self.commits.outbox.notify_ready();
    }

    /// The place of an agent in here; none of one elsewhere.
    pub(crate) fn hosted(&self, work: &mut Work, name: &str) -> Option<usize> {
        let found = self.registry.roster.find(name);
        found.filter(|index| work.instance(*index).is_hosted())
    }

    /// Whether one more request has room with an agent.
    ///
    /// # Errors
    /// [`OverLimit::MailboxFull`]
    pub(crate) fn check_room(&self, work: &mut Work, index: usize) -> Result<(), Refusal> {
        match work.instance(index).actor() {
            Some(actor) if !actor.has_room() => Err(OverLimit::MailboxFull {
                name: self.registry.roster.name(index).to_string(),
                most: actor.mailbox.room() as u64,
            }
            .into()),
            _ => Ok(()),
        }
    }
}

/// An input with the token that the agent gave what it replies to; none if the agent was made anew
/// since.
pub(crate) fn expected(work: &mut Work, index: usize, input: Input) -> Option<Input> {
    let actor = work.instance(index).actor()?;
    Some(match input {
        Input::Replied { token, reply } => Input::Replied {
            token: actor.redeem(token)?,
            reply,
        },
        Input::Acted { token, outcome } => Input::Acted {
            token: actor.redeem(token)?,
            outcome,
        },
        other => other,
    })
}
