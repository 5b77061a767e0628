//! Why not. A refusal is the caller's to mend and changes nothing; a failure is ours, and a type of its own.
//!
//! Facts only: `rpc-error` tags and HTTP codes are chosen in the bindings. Read next:
//! [`crate::failure`], [`crate::operation`].

use crate::failure::StoreFailure;
use crate::network::fault::FaultRefusal;
use domain::content::ContentError;
use domain::excerpt::excerpt;
use domain::negotiation::{Divergence, Kind, Misplaced};
use domain::profile::ProfileError;
use domain::task::{OutOfTurn, TaskId};
use domain::verb::Verb;
use schema::catalogue::{PublishError, UnknownScenario, UnknownSchema};
use schema::lint::LintFinding;
use schema::violation::PayloadViolation;

/// Why an operation was not carried out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The access rules do not let the principal do this.
    #[error("'{user}' may not {what}; a rule in access.toml can permit it")]
    Denied {
        /// Who asked.
        user: String,
        /// What for.
        what: String,
    },
    /// `task-sendFrom` is not the principal's own name.
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
    /// No agent of that name.
    #[error("no agent is called '{}'", excerpt(name))]
    UnknownAgent {
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
    /// A leaf that this verb needs is missing.
    #[error("'{verb}' needs the leaf '{leaf}'")]
    MissingLeaf {
        /// The verb.
        verb: Verb,
        /// The leaf.
        leaf: &'static str,
    },
    /// A leaf says one thing, the sections another, or the value is out of range.
    #[error("the leaf '{leaf}' is not usable: {why}")]
    BadLeaf {
        /// The leaf.
        leaf: &'static str,
        /// Why.
        why: String,
    },
    /// The sections are not ones.
    #[error(transparent)]
    Content(#[from] ContentError),
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
        /// The leaf.
        leaf: &'static str,
        /// The identifier.
        id: String,
    },
    /// No such task, or one that the principal is not party to.
    #[error("no task '{}' that '{user}' is party to", excerpt(task.as_str()))]
    UnknownTask {
        /// The identifier.
        task: TaskId,
        /// Who asked.
        user: String,
    },
    /// Only the publisher may do this.
    #[error("only the publisher of task '{task}' may send '{verb}'")]
    NotPublisher {
        /// The task.
        task: TaskId,
        /// The verb.
        verb: Verb,
    },
    /// The task does not take this in its state.
    #[error(transparent)]
    OutOfTurn(#[from] OutOfTurn),
    /// The negotiation does not take this now.
    #[error(transparent)]
    Misplaced(#[from] Misplaced),
    /// The assignment is not what was agreed on before.
    #[error("task '{task}' departs from what was agreed: {misfit}")]
    NotAsAgreed {
        /// The task.
        task: TaskId,
        /// Where.
        misfit: Divergence,
    },
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
    /// Only the executor may do this.
    #[error("only the executor of task '{task}' may report on it")]
    NotExecutor {
        /// The task.
        task: TaskId,
    },
    /// The executor is not there, or does not take anything on.
    #[error("agent '{name}' cannot be given anything now: {why}")]
    Unavailable {
        /// The agent.
        name: String,
        /// Why.
        why: String,
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
    /// The card of an A2A agent cannot be had.
    #[error("the card at {url} cannot be had: {why}")]
    NoCard {
        /// Where it should be.
        url: String,
        /// Why.
        why: String,
    },
    /// The profile cannot be registered.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The principal may not speak for this agent.
    #[error("'{user}' cannot register, renew or remove '{name}'")]
    ForeignAgent {
        /// Who asked.
        user: String,
        /// The agent.
        name: String,
    },
    /// The agent is hosted here: configuration makes and removes it.
    #[error("agent '{name}' is hosted here; its place is a matter of configuration")]
    HostedAgent {
        /// The agent.
        name: String,
    },
    /// The answer would be longer than one is.
    #[error(
        "this is more than an answer holds, {rows} rows and {bytes} bytes as they are stored: ask for less"
    )]
    TooMuch {
        /// How many rows.
        rows: usize,
        /// How many bytes.
        bytes: u64,
    },
    /// Too many agents, parts or bytes.
    #[error("{what}: at most {most}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// The limit.
        most: u64,
    },
    /// More is said in one message than is taken.
    #[error("more than {most} bytes are said: write them to data-params, and name those")]
    TooBig {
        /// How many bytes.
        most: u64,
    },
    /// What the publisher's open tasks and proposals say is as much as one's may.
    #[error(
        "the open tasks of '{user}' say {most} bytes and may say no more: end some, say less, or write \
         it to data-params"
    )]
    TasksHeld {
        /// Whose.
        user: String,
        /// How many bytes.
        most: usize,
    },
    /// The publisher has as many tasks and proposals open as one may have.
    #[error("'{user}' has {most} tasks open and may have no more: end some, then ask again")]
    TasksOpen {
        /// Who asked.
        user: String,
        /// The limit.
        most: usize,
    },
    /// The user has as much data stored as one may have.
    #[error(
        "'{user}' may have {most} bytes of data stored, and this would be more: data of ended tasks go \
         with them, and [limits] can allow more"
    )]
    DataQuota {
        /// Who asked.
        user: String,
        /// The limit.
        most: u64,
    },
    /// The user writes faster than one may write.
    #[error("'{user}' writes faster than [limits] allows: ask again in {wait_ms} ms")]
    TooFast {
        /// Who asked.
        user: String,
        /// When there is room again, in milliseconds.
        wait_ms: u64,
    },
    /// Memory is short: nothing is begun that takes more of it, and nothing long said.
    #[error(
        "memory is short: nothing new is begun, and nothing of more than 4 KiB said; ask again later"
    )]
    ShortOfMemory,
    /// No such data, or none that the principal may read or write.
    #[error("no data '{}' that '{user}' may use", excerpt(id))]
    UnknownData {
        /// The identifier.
        id: String,
        /// Who asked.
        user: String,
    },
    /// The data contradict what was written before.
    #[error("data '{id}': {why}")]
    DataMismatch {
        /// The identifier.
        id: String,
        /// What contradicts.
        why: String,
    },
    /// Reports cannot go to this address.
    #[error("no report can go to '{url}': {why}")]
    Undeliverable {
        /// The address.
        url: String,
        /// Why.
        why: String,
    },
    /// The agent has as much to do as may wait for it. Nothing was recorded: sent again later, the
    /// same request may find room.
    #[error("{most} requests wait for agent '{name}', and it takes no more now; ask again later")]
    MailboxFull {
        /// The agent.
        name: String,
        /// How many may wait.
        most: u64,
    },
    /// This platform runs no simulated network.
    #[error("this platform runs no simulated network")]
    NoNetwork,
    /// Nothing was broken, told or mended.
    #[error(transparent)]
    Fault(#[from] FaultRefusal),
    /// A management system does not let the agent do this.
    #[error("agent '{user}' may not do this through the management system '{ems}'")]
    NotEntitled {
        /// The agent.
        user: String,
        /// The system.
        ems: &'static str,
    },
    /// The network has no such element.
    #[error("the network has no element '{}'", excerpt(element))]
    UnknownElement {
        /// The leaf that names it.
        leaf: &'static str,
        /// The name.
        element: String,
    },
    /// The element belongs to another management system.
    #[error("{element} belongs to domain {domain}, not to the management system '{ems}'")]
    ForeignElement {
        /// The leaf that names it.
        leaf: &'static str,
        /// The name.
        element: String,
        /// Its domain.
        domain: &'static str,
        /// The system that was asked.
        ems: &'static str,
    },
    /// What was wanted of the network cannot be done.
    #[error("{why}")]
    Impossible {
        /// Why.
        why: String,
    },
    /// What was wanted of the network takes longer than its caller is kept waiting.
    #[error("{why}")]
    TooLong {
        /// After how long.
        why: String,
    },
    /// A payload does not keep to its schema.
    #[error(
        "the payload{} does not keep to {schema_id}: {}",
        which(alternative),
        list(violations)
    )]
    Payload {
        /// The template.
        schema_id: String,
        /// Of which alternative of an offer, from 1, if there are several.
        alternative: Option<usize>,
        /// All that is wrong with it.
        violations: Vec<PayloadViolation>,
    },
    /// No such template is served here.
    #[error(transparent)]
    UnknownSchema(#[from] UnknownSchema),
    /// No such scenario is offered here.
    #[error(transparent)]
    UnknownScenario(#[from] UnknownScenario),
    /// A text is no template that could be published.
    #[error("the template breaks rules: {}", list(.0))]
    Template(Vec<LintFinding>),
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
    /// A part of draft-zhou §6.2 is off here.
    #[error("{what} is switched off here ({setting} of [schemas.evolution])")]
    SwitchedOff {
        /// What was asked for.
        what: &'static str,
        /// What switches it.
        setting: &'static str,
    },
    /// No such patch waits or is active.
    #[error("no patch '{patch_id}' waits or is active")]
    UnknownPatch {
        /// The patch.
        patch_id: String,
    },
    /// What was wanted of a patch does not go now.
    #[error(transparent)]
    Evolution(#[from] schema::evolution::LineageRefusal),
    /// No such sample waits to be judged.
    #[error("no sample '{sample_id}' waits to be judged")]
    UnknownSample {
        /// The sample.
        sample_id: String,
    },
    /// It was not refused: the store failed.
    #[error(transparent)]
    Failed(#[from] StoreFailure),
}

impl Refusal {
    /// The same, said of one alternative of an offer, counted from 1.
    pub(crate) fn of_alternative(self, place: usize) -> Self {
        match self {
            Self::Payload {
                schema_id,
                violations,
                ..
            } => Self::Payload {
                schema_id,
                alternative: Some(place),
                violations,
            },
            other => other,
        }
    }
}

fn which(alternative: &Option<usize>) -> String {
    alternative.map_or_else(String::new, |place| format!(" of alternative {place}"))
}

/// Things that are wrong, in one line.
fn list<T: std::fmt::Display>(wrong: &[T]) -> String {
    let all: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    all.join("; ")
}

impl From<store::CommitError> for Refusal {
    fn from(error: store::CommitError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<store::ReadError> for Refusal {
    fn from(error: store::ReadError) -> Self {
        match error {
            store::ReadError::Unknown { .. } => Self::BadLeaf {
                leaf: "after",
                why: error.to_string(),
            },
            _ => Self::Failed(error.into()),
        }
    }
}
