//! Inputs on their way to agents in here: questions, news and replies reach a mailbox, and are handed out
//! once what they rest on is on disk.
//!
//! Read next: [`crate::hosting::mailbox`], [`crate::hosting::step`].

use crate::commit::unit_of_work::UnitOfWork;
use crate::hosting::agents::{IsFull, Room};
use crate::hosting::question::Question;
use crate::refusal::OverLimit;
use crate::{Engine, Refusal};
use domain::agent::{Ask, Input};

impl Engine {
    /// Puts a question to an agent in here, in the room that was reserved for it. It is on record until
    /// it is answered.
    pub(crate) fn ask(&self, room: Room<'_>, question: Question, ask: Ask, unit: &mut UnitOfWork) {
        unit.documents.push(question.row());
        let (index, room) = (room.index(), Some(room));
        self.post_in(index, room, Input::Asked(ask), Some(question), unit);
    }

    /// Puts an input that rests on what is staged, and that needs no room, into the mailbox of an agent in
    /// here.
    pub(crate) fn post(
        &self,
        index: usize,
        input: Input,
        question: Option<Question>,
        unit: &mut UnitOfWork,
    ) {
        self.post_in(index, None, input, question, unit);
    }

    fn post_in(
        &self,
        index: usize,
        room: Option<Room<'_>>,
        input: Input,
        question: Option<Question>,
        unit: &mut UnitOfWork,
    ) {
        let after = self.hosting.is_beside().then(|| self.commits.mark(unit));
        let agents = &self.hosting.agents;
        agents.post(index, room, input, question, after);
    }

    /// The place of an agent in here; none of one elsewhere.
    pub(crate) fn hosted(&self, name: &str) -> Option<usize> {
        let found = self.registry.roster.find(name);
        found.filter(|index| self.hosting.agents.is_hosted(*index))
    }

    /// Room for one more request with an agent, for as long as it is kept.
    ///
    /// # Errors
    /// [`OverLimit::MailboxFull`]
    pub(crate) fn room_with(&self, index: usize) -> Result<Room<'_>, Refusal> {
        let room = self.hosting.agents.reserve(index);
        room.map_err(|IsFull { most }| {
            let name = self.registry.roster.name(index).to_string();
            let most = most as u64;
            OverLimit::MailboxFull { name, most }.into()
        })
    }
}
