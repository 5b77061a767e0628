//! The state of a task, and the thing that it waits for (draft §4.2).
//!
//! Names alone: the way from one to the next is decided in [`mod@super::decide`].

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// `task-status`.
#[derive(Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Known, not begun.
    Created,
    /// Being worked on.
    Processing,
    /// Waiting for something outside the task.
    Blocked,
    /// Waiting for the publisher: an answer, a decision, or a judgement of the result.
    InputRequired,
    /// Waiting for credentials.
    AuthRequired,
    /// Ended: the executor failed.
    Failed,
    /// Ended: done.
    Finished,
    /// Ended by the publisher.
    Cancelled,
    /// Ended: not feasible, or refused.
    Rejected,
    /// Ended: a result was offered and the publisher did not answer.
    Unconfirmed,
}

crate::named! {
    /// The name in module convoke-negotiation.
    Status
}

impl Status {
    /// True if the task has ended and never changes again.
    pub fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Failed | Self::Finished | Self::Cancelled | Self::Rejected | Self::Unconfirmed
        )
    }
}

/// The thing that a task waits for while it is in [`Status::InputRequired`] or
/// [`Status::AuthRequired`].
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Awaits {
    /// The publisher's answer to a question of the executor (§4.4).
    Answer,
    /// The publisher's agreement to a decision that the executor proposes (§5.3, 2).
    Decision,
    /// The publisher's judgement of the result (§4.5).
    Judgement,
    /// Credentials, from the publisher.
    Credentials,
    /// The information that the assignment lacks, from the publisher; the executor has not received
    /// it yet.
    Completion,
}

crate::named! {
    /// The name in module convoke-negotiation.
    Awaits
}
