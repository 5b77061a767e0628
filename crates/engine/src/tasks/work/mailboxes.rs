//! What agents in here have before them: inputs in their mailboxes, and the batches that inputs rest on.
//!
//! An input that rests on a batch is handed out once that is on disk. Read next: [`crate::hosting::mailbox`],
//! [`crate::hosting::step`].

use super::Work;
use crate::hosting::instance::AgentInstance;
use crate::hosting::mailbox::Envelope;
use crate::hosting::question::Question;
use domain::agent::Input;
use domain::task::TaskId;
use domain::team::place_of;

/// The mark of no batch: what rests on it is held until the store takes something again.
const HELD: u64 = u64::MAX;

impl Work {
    /// The agent in here that can step and whose next input has waited longest.
    pub(crate) fn first_in_line(&self) -> Option<usize> {
        let hosted = self.agents[..self.hosted].iter().enumerate();
        let ready = hosted.filter_map(|(index, agent)| Some((agent.next()?, index)));
        ready.min().map(|(_, index)| index)
    }

    /// True if no agent in here steps or has an input.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.agents[..self.hosted]
            .iter()
            .all(AgentInstance::is_at_rest)
    }

    /// True if an agent in here was asked for a place in the team of a task and has not answered.
    pub(crate) fn asks_about_parts(&self, task: &TaskId) -> bool {
        let mut questions = self.questions().filter(|q| q.owes_answer());
        questions.any(|q| place_of(&q.task).is_some_and(|(whole, _)| whole == *task))
    }

    /// Every question that is on record and under way.
    pub(crate) fn questions(&self) -> impl Iterator<Item = &Question> {
        let hosted = self.agents[..self.hosted].iter();
        hosted.flat_map(AgentInstance::questions)
    }

    /// Takes out what an agent was asked: what it steps on, then what waits.
    pub(crate) fn take_questions(&mut self, index: usize) -> Vec<Question> {
        self.agents[index].take_questions()
    }

    /// Puts an input into the mailbox of an agent in here, behind all others; its number, unless
    /// the agent is left alone.
    pub(crate) fn post(
        &mut self,
        index: usize,
        input: Input,
        question: Option<Question>,
        after: Option<u64>,
    ) -> Option<u64> {
        let number = self.next_number();
        let envelope = Envelope {
            number,
            input,
            question,
            after,
        };
        self.agents[index].post(envelope).then_some(number)
    }

    /// Puts an input into the mailbox of an agent in here, before all others; it is handed out once
    /// the batch with that mark is on disk, or at once if there is none.
    pub(crate) fn post_first(&mut self, index: usize, input: Input, after: Option<u64>) {
        let number = self.next_number();
        if let Some(actor) = self.agents[index].actor() {
            actor.mailbox.put_first(Envelope {
                number,
                input,
                question: None,
                after,
            });
        }
        if let Some(mark) = after {
            self.rests_on(mark, index, number);
        }
    }

    /// The same, handed out once the store takes something again: see [`Work::release_held`].
    pub(crate) fn hold_first(&mut self, index: usize, input: Input) {
        self.post_first(index, input, Some(HELD));
    }

    /// The store takes something again.
    pub(crate) fn release_held(&mut self) {
        self.release(vec![HELD]);
    }

    /// The agents in here that failed too often and are not made anew.
    pub(crate) fn left_alone(&self) -> Vec<usize> {
        let hosted = self.agents[..self.hosted].iter().enumerate();
        let alone = hosted.filter(|(_, agent)| agent.is_left_alone());
        alone.map(|(index, _)| index).collect()
    }

    /// An input is handed out once the batch with this mark is on disk.
    pub(crate) fn rests_on(&mut self, mark: u64, index: usize, number: u64) {
        self.resting.entry(mark).or_default().push((index, number));
    }

    /// The batches with these marks are on disk.
    pub(crate) fn release(&mut self, marks: Vec<u64>) {
        for mark in marks {
            for (index, number) in self.resting.remove(&mark).unwrap_or_default() {
                if let Some(actor) = self.agents[index].actor() {
                    actor.mailbox.release(number);
                }
            }
        }
    }

    /// Takes out what rests on batches that are not on disk; the agents whose briefing was among it.
    pub(crate) fn withdraw_unreleased(&mut self) -> Vec<usize> {
        self.resting.clear();
        let hosted = self.agents[..self.hosted].iter_mut().enumerate();
        let unbriefed = hosted.filter_map(|(index, agent)| {
            let mailbox = &mut agent.actor()?.mailbox;
            mailbox.withdraw_unreleased().then_some(index)
        });
        unbriefed.collect()
    }
}
