//! Refused for what is named and not there. Read next: [`super`].

use super::Field;
use domain::excerpt::excerpt;
use domain::task::TaskId;
use schema::catalogue::{UnknownScenario, UnknownSchema};

/// What is named is not here, or not the principal's to see, which is told alike; the caller names
/// another, or asks where it is.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotFound {
    /// No agent of that name.
    #[error("no agent is called '{}'", excerpt(name))]
    Agent {
        /// The name.
        name: String,
    },
    /// This endpoint takes its own name only.
    #[error(
        "this endpoint belongs to '{own}' and takes nothing for '{}'",
        excerpt(name)
    )]
    OtherEndpoint {
        /// Whose endpoint it is.
        own: String,
        /// The name given.
        name: String,
    },
    /// No such task, or one that the principal is not party to.
    #[error("no task '{}' that '{user}' is party to", excerpt(task.as_str()))]
    Task {
        /// The identifier.
        task: TaskId,
        /// Who asked.
        user: String,
    },
    /// No such data, or none that the principal may read or write.
    #[error("no data '{}' that '{user}' may use", excerpt(id))]
    Data {
        /// The identifier.
        id: String,
        /// Who asked.
        user: String,
    },
    /// The network has no such element.
    #[error("the network has no element '{}'", excerpt(element))]
    Element {
        /// The field that names it.
        field: Field,
        /// The name.
        element: String,
    },
    /// The element belongs to another management system.
    #[error("{element} belongs to domain {domain}, not to the management system '{ems}'")]
    ForeignElement {
        /// The field that names it.
        field: Field,
        /// The name.
        element: String,
        /// Its domain.
        domain: &'static str,
        /// The system that was asked.
        ems: &'static str,
    },
    /// No such fault.
    #[error("no fault {id} goes on")]
    Fault {
        /// Its number.
        id: u64,
    },
    /// No such template is served here.
    #[error(transparent)]
    Schema(#[from] UnknownSchema),
    /// No such scenario is offered here.
    #[error(transparent)]
    Scenario(#[from] UnknownScenario),
    /// No such patch waits or is active.
    #[error("no patch '{patch_id}' waits or is active")]
    Patch {
        /// The patch.
        patch_id: String,
    },
    /// No such sample waits to be judged.
    #[error("no sample '{sample_id}' waits to be judged")]
    Sample {
        /// The sample.
        sample_id: String,
    },
    /// No such standing rule, or none that the principal may withdraw.
    #[error("no standing rule '{}' that could be withdrawn", excerpt(name))]
    Rule {
        /// How it is called.
        name: String,
    },
    /// No such session of the console, or none that the principal may end.
    #[error("no session '{}' of the console that could be ended", excerpt(id))]
    ConsoleSession {
        /// Its identifier.
        id: String,
    },
    /// The cluster has no such node.
    #[error("the cluster has no node '{}'", excerpt(node))]
    Node {
        /// Its name.
        node: String,
    },
}

impl NotFound {
    pub(super) fn field(&self) -> Field {
        match self {
            Self::Agent { .. } => Field::Agent,
            Self::OtherEndpoint { .. } => Field::Addressee,
            Self::Task { .. } => Field::Task,
            Self::Data { .. } => Field::DataId,
            Self::Element { field, .. } | Self::ForeignElement { field, .. } => *field,
            Self::Fault { .. } => Field::Fault,
            Self::Schema(_) => Field::Schema,
            Self::Scenario(_) => Field::Scenario,
            Self::Patch { .. } => Field::Patch,
            Self::Sample { .. } => Field::Sample,
            Self::Node { .. } => Field::Node,
            Self::Rule { .. } => Field::Rule,
            Self::ConsoleSession { .. } => Field::ConsoleSession,
        }
    }
}
