//! Refused for who asks. Read next: [`super`].

use super::Field;
use domain::excerpt::excerpt;
use domain::task::TaskId;
use domain::verb::Verb;

/// Whoever asks may not do this; another may, or a rule can permit it. Each is on record
/// (`trail`).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Forbidden {
    /// The access rules do not let the principal do this.
    #[error("'{user}' may not {what}; a rule in access.toml can permit it")]
    Denied {
        /// Who asked.
        user: String,
        /// What for.
        what: String,
    },
    /// The sender is not the principal's own name.
    #[error(
        "'{user}' cannot send as '{}': task-sendFrom must be the name of the credential",
        excerpt(from)
    )]
    ForeignSender {
        /// Who asked.
        user: String,
        /// Whose name was used.
        from: String,
    },
    /// The principal may not speak for this agent.
    #[error("'{user}' cannot register, renew or remove '{name}'")]
    ForeignAgent {
        /// Who asked.
        user: String,
        /// The agent.
        name: String,
    },
    /// Only the publisher may do this.
    #[error("only the publisher of task '{task}' may send '{verb}'")]
    NotPublisher {
        /// The task.
        task: TaskId,
        /// The verb.
        verb: Verb,
    },
    /// Only the executor may do this.
    #[error("only the executor of task '{task}' may report on it")]
    NotExecutor {
        /// The task.
        task: TaskId,
    },
    /// A management system does not let the agent do this.
    #[error("agent '{user}' may not do this through the management system '{ems}'")]
    NotEntitled {
        /// The agent.
        user: String,
        /// The system.
        ems: &'static str,
    },
    /// An agent asked for the faults of the network as they really are.
    #[error("'{user}' is an agent: none may know or change what is broken")]
    Faults {
        /// The agent.
        user: String,
    },
}

impl Forbidden {
    pub(super) fn field(&self) -> Option<Field> {
        match self {
            Self::ForeignSender { .. } => Some(Field::Sender),
            Self::ForeignAgent { .. } => Some(Field::Agent),
            Self::NotPublisher { .. } | Self::NotExecutor { .. } => Some(Field::Task),
            Self::Denied { .. } | Self::NotEntitled { .. } | Self::Faults { .. } => None,
        }
    }
}
