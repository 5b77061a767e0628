//! A2A as a client: agents elsewhere that take tasks of this platform.
//!
//! - [`RemoteAgent`]: an agent by its card: a profile of the platform, and the interface to it;
//! - `form`: in which words a task is said to it, chosen by its card. The one place to add another;
//! - [`RemoteTask`]: one task there, from the first message to its end: the requests for messages of the
//!   agent's proxy, and the news that answers bring;
//! - `telecom`: the same in A2A-T.
//!
//! Pure: whoever moves bytes hands answers in, with their time. Refuses to know sockets, tokens, and
//! when to try again. Read next: [`RemoteTask`], [`super::message`] (the other side).

mod content;
mod form;
mod interface;
mod remote_agent;
mod remote_reference;
mod remote_task;
mod request;
mod task_context;
mod telecom;
#[cfg(test)]
mod tests;

pub use interface::{PeerInterface, PeerRequest};
pub use remote_agent::{RemoteAgent, UnusableCard};
pub use remote_reference::REMOTE_SECTION;
pub use remote_task::{AnswerOutcome, FollowMode, NextStep, RemoteTask};
pub use task_context::TaskContext;
