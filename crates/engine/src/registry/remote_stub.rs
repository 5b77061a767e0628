//! What stands for an agent that connects by itself: whatever it is asked is answered later.
//!
//! The agent follows the notifications of its tasks and negotiations, and speaks by rpc. Read
//! next: [`crate::tasks::negotiate`].

use domain::agent::{Agent, Input, Output};
use domain::reply::{Reply, Verdict};
use domain::time::{SeededRng, Timestamp};

/// An agent that is elsewhere, and comes by itself.
pub(crate) struct RemoteStub;

impl Agent for RemoteStub {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(_) => vec![Output::Answer(Reply::new(Verdict::Pending, Vec::new()))],
            _ => Vec::new(),
        }
    }
}
