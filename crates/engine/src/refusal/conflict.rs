//! Refused for how things stand. Read next: [`super`].

use super::Field;
use domain::negotiation::{Divergence, Kind, Misplaced};
use domain::task::{OutOfTurn, TaskId};
use schema::catalogue::PublishError;
use schema::evolution::LineageRefusal;

/// Right in itself, but not beside what was said or decided before: the caller looks at that.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Conflict {
    /// The task does not take this in its state.
    #[error(transparent)]
    OutOfTurn(#[from] OutOfTurn),
    /// The negotiation does not take this now.
    #[error(transparent)]
    Misplaced(#[from] Misplaced),
    /// A negotiation under the identifier has not ended, so that nothing may be assigned yet.
    #[error("the feasibility of task '{task}' is being negotiated: agree or refuse first")]
    StillNegotiated {
        /// The task.
        task: TaskId,
    },
    /// A round that is over was used with another content, or a round is not the next one.
    #[error("round {round} of the {kind} negotiation of task '{task}' {}", if *next < *round { format!("is not the next one, which is {next}") } else { "was used with another content".to_owned() })]
    WrongRound {
        /// The task.
        task: TaskId,
        /// What is negotiated.
        kind: Kind,
        /// The round given.
        round: u32,
        /// The next one.
        next: u32,
    },
    /// A leader that was lost may have taken this for the answer to the question before.
    #[error(
        "a leader that was lost may have taken this as the answer to what task '{task}' asked before, which was the same: look at the task before you send it again"
    )]
    MaybeAnswered {
        /// The task.
        task: TaskId,
    },
    /// The assignment is not what was agreed on before.
    #[error("task '{task}' departs from what was agreed: {misfit}")]
    NotAsAgreed {
        /// The task.
        task: TaskId,
        /// Where.
        misfit: Divergence,
    },
    /// The identifier is taken by another task, or was used with another content.
    #[error("the task-id '{task}' is taken")]
    TaskExists {
        /// The identifier.
        task: TaskId,
    },
    /// The identifier cannot be had: others use it, or it is in the form of those that the platform
    /// gives.
    #[error("the identifier '{id}' cannot be had: choose another, best a UUID")]
    Unobtainable {
        /// The field.
        field: Field,
        /// The identifier.
        id: String,
    },
    /// The parent task cannot have this part.
    #[error("'{task}' cannot be a part of task '{parent}': {why}")]
    NotAPart {
        /// The task.
        task: TaskId,
        /// The parent.
        parent: TaskId,
        /// Why.
        why: &'static str,
    },
    /// The agent is hosted here: configuration makes and removes it.
    #[error("agent '{name}' is hosted here; its place is a matter of configuration")]
    HostedAgent {
        /// The agent.
        name: String,
    },
    /// The data contradict what was written before.
    #[error("data '{id}': {why}")]
    DataMismatch {
        /// The identifier.
        id: String,
        /// What contradicts.
        why: String,
    },
    /// A template cannot be published beside those that are.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// Its YANG module does not compile beside the others.
    #[error("'{schema_id}' cannot be served: {why}")]
    Unpublishable {
        /// The template.
        schema_id: String,
        /// Why.
        why: String,
    },
    /// Something else needs the template.
    #[error("'{schema_id}' cannot be retired: {why}")]
    Unretirable {
        /// The template.
        schema_id: String,
        /// Why.
        why: String,
    },
    /// The node leads, and no other could.
    #[error("node '{node}' leads, and no other node could: {why}")]
    OnlyNode {
        /// The node.
        node: String,
        /// Why not the others.
        why: String,
    },
    /// The user has another standing rule of that name.
    #[error("the standing rule '{name}' is there, and says something else: withdraw it first")]
    RuleExists {
        /// How it is called.
        name: String,
    },
    /// What was wanted of a patch does not go now.
    #[error(transparent)]
    Evolution(#[from] LineageRefusal),
}

impl Conflict {
    pub(super) fn field(&self) -> Option<Field> {
        Some(match self {
            Self::Misplaced(Misplaced::WhichAlternative { .. }) => Field::Alternative,
            Self::OutOfTurn(_)
            | Self::Misplaced(_)
            | Self::StillNegotiated { .. }
            | Self::MaybeAnswered { .. }
            | Self::TaskExists { .. } => Field::Task,
            Self::WrongRound { .. } => Field::Round,
            Self::NotAsAgreed { .. } => Field::Content,
            Self::Unobtainable { field, .. } => *field,
            Self::NotAPart { .. } => Field::Parent,
            Self::HostedAgent { .. } => Field::Agent,
            Self::DataMismatch { .. } => Field::DataId,
            Self::Publish(_) | Self::Unpublishable { .. } => Field::Template,
            Self::Unretirable { .. } => Field::Schema,
            Self::OnlyNode { .. } => Field::Node,
            Self::RuleExists { .. } => Field::Rule,
            Self::Evolution(LineageRefusal::Off) => return None,
            Self::Evolution(_) => Field::Patch,
        })
    }
}
