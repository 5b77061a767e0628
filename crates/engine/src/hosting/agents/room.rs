//! Room for a request in the mailbox of an agent in here, reserved before anything is decided that needs it.
//!
//! Whoever decides reserves it first, so that what cannot be handed over has changed nothing, and nobody who
//! decides beside takes it away. What was not used is given back. Read next: [`crate::hosting::mailbox`].

use super::Agents;
use crate::hosting::mailbox::Mailbox;

/// Room that was reserved. What stands for an agent elsewhere has as much as anybody wants.
#[must_use = "what is not kept is given back"]
pub(crate) struct Room<'a> {
    agents: &'a Agents,
    index: usize,
    is_reserved: bool,
}

/// So many requests wait for an agent that there is room for no other.
pub(crate) struct IsFull {
    /// How many it takes.
    pub(crate) most: usize,
}

impl Agents {
    /// Reserves room for one request to an agent.
    pub(crate) fn reserve(&self, index: usize) -> Result<Room<'_>, IsFull> {
        let is_reserved = self.is_hosted(index);
        if is_reserved {
            let mut agent = self.lock(index);
            if !agent.has_room() {
                let most = agent.mailbox.room();
                return Err(IsFull { most });
            }
            agent.mailbox.reserve_room();
        }
        Ok(Room {
            agents: self,
            index,
            is_reserved,
        })
    }
}

impl Room<'_> {
    /// Whose it is.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// True if it is that of an agent in here.
    pub(crate) fn is_hosted(&self) -> bool {
        self.is_reserved
    }

    /// What it was reserved for is put into that mailbox now.
    pub(crate) fn leave_to(mut self, mailbox: &mut Mailbox) {
        if std::mem::take(&mut self.is_reserved) {
            mailbox.give_room_back();
        }
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        if self.is_reserved {
            self.agents.lock(self.index).mailbox.give_room_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::hosting::instance::{After, AgentInstance, Behaviour};
    use crate::hosting::question::tests::question;
    use domain::agent::{Agent, Input, Output};
    use domain::time::{SeededRng, Timestamp};
    use domain::verb::Verb;
    use rand_chacha::rand_core::SeedableRng;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    struct Silent;

    impl Agent for Silent {
        fn step(&mut self, _: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
            Vec::new()
        }
    }

    fn with_room_for(requests: usize) -> Agents {
        let behaviour = Behaviour {
            agent: Box::new(Silent),
            rng: SeededRng::seed_from_u64(1),
        };
        let limits = Limits {
            mailbox: requests,
            ..Limits::default()
        };
        let agent = AgentInstance::new(behaviour, None, &limits);
        Agents::new(vec![agent], Arc::default(), Arc::default())
    }

    /// Uses it.
    fn ask(agents: &Agents, room: Room<'_>) {
        let asked = Some(question("t", Verb::TaskAssign));
        agents.post(0, Some(room), Input::Woken(1), asked, None);
    }

    #[test]
    fn what_is_reserved_is_used_once_or_given_back() {
        let agents = with_room_for(2);
        let (Ok(first), Ok(second)) = (agents.reserve(0), agents.reserve(0)) else {
            panic!("there is room for two");
        };
        assert!(matches!(agents.reserve(0), Err(IsFull { most: 2 })));
        drop(second);
        ask(&agents, first);
        let Ok(again) = agents.reserve(0) else {
            panic!("one was given back, and one used as often as reserved");
        };
        ask(&agents, again);
        assert!(agents.reserve(0).is_err(), "two wait");
        let (_, given) = agents.hand_out(1, Timestamp::default()).expect("two wait");
        assert!(given.inputs.take().is_some());
        assert!(agents.reserve(0).is_ok(), "what was taken makes room");
    }

    /// Whoever waits for an agent that can step is told of each, however close upon each other.
    #[test]
    fn whoever_is_told_that_an_agent_can_step_finds_it() {
        const INPUTS: u64 = 20_000;
        let (agents, (taken, has_taken)) = (with_room_for(1), channel());
        let now = Timestamp::default();
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..INPUTS {
                    let (index, given) = loop {
                        match agents.hand_out(1, now) {
                            Some(handed_out) => break handed_out,
                            None => testkit::wait(agents.ready()),
                        }
                    };
                    let (number, _) = given.inputs.take().expect("an input was handed out");
                    let after = After::Rests(given.behaviour);
                    let mut agent = agents.lock(index);
                    drop(agent.end_step(given.incarnation, number, after, Duration::ZERO, now));
                    drop(agent);
                    taken.send(()).expect("it is waited for");
                }
            });
            for _ in 0..INPUTS {
                agents.post(0, None, Input::Woken(1), None, None);
                let taken = has_taken.recv_timeout(Duration::from_secs(60));
                assert!(taken.is_ok(), "an input waits, and nobody takes it");
            }
        });
    }

    /// Decisions beside each other, as those of several shards will be: none asks beyond the room.
    #[test]
    fn no_two_use_the_same_room() {
        const ROOM: usize = 5;
        let (agents, asked) = (with_room_for(ROOM), AtomicUsize::new(0));
        thread::scope(|scope| {
            for thread in 0..4 {
                let (agents, asked) = (&agents, &asked);
                scope.spawn(move || {
                    for n in 0..500 {
                        let Ok(room) = agents.reserve(0) else {
                            continue;
                        };
                        if (n + thread) % 3 == 0 {
                            asked.fetch_add(1, Relaxed);
                            ask(agents, room);
                        }
                    }
                });
            }
        });
        assert_eq!(asked.load(Relaxed), ROOM);
        assert_eq!(agents.lock(0).questions().count(), ROOM);
    }
}
