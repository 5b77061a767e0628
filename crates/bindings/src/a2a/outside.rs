//! A2A as a client: agents elsewhere that take tasks of this platform.
//!
//! - [`Peer`]: what a card says of an agent, as a profile of the platform and as the place where it is
//!   spoken to;
//! - `form`: in which words a task is said to it, chosen by its card. The one place to add another;
//! - [`Errand`]: one task there, from the first message to its end: what is to be sent for a message of
//!   the mind that stands for the agent, and what the answers say of the task here;
//! - `telecom`: the same in A2A-T.
//!
//! Pure: whoever moves bytes hands answers in, with their time. Refuses to know sockets, tokens, and
//! when to try again. Read next: [`Errand`], [`super::begin`] (the other side).

mod content;
mod errand;
mod form;
mod known;
mod peer;
mod place;
mod request;
mod telecom;
#[cfg(test)]
mod tests;
mod there;

pub use errand::{Errand, Following, Heard, Step};
pub use known::Known;
pub use peer::{Peer, Unusable};
pub use place::{Place, Sending};
pub use there::THERE;
