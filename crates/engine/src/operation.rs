//! What anyone can ask, and what comes of it. Protocols translate into these; nothing else exists.
//!
//! Read next: [`crate::refusal`].

mod schema;

pub use schema::{
    ClusterRecord, Form, KeyRecord, Notice, PatchAnswer, PatchRecord, PatchStanding, PoolRecord,
    SampleRecord, ScenarioAnswer, SchemaOutcome, SchemaRecord, SchemaRecords, SchemaRequest,
    TemplateAnswer, Updates, Validated, Which,
};

use crate::faults::{FaultAnswer, FaultWish};
use crate::introduction::Introduction;
use crate::refusal::Refusal;
use crate::trail::{AuditFilter, AuditPage};
use domain::content::{Content, Payload};
use domain::context::{DataParam, DataType, Exchange};
use domain::discovery::{Criteria, Match};
use domain::ems::{AlarmList, Ems};
use domain::inventory::{ElementId, Inventory};
use domain::negotiation::Negotiation;
use domain::profile::{Advice, Profile};
use domain::push::PushConfig;
use domain::registry::{Health, Reach, Registration};
use domain::reply::Reply;
use domain::task::{Subscription, Task, TaskId};
use domain::team::{Need, Team};
use domain::telemetry::{Action, Performance};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use store::{Filter, Page, TaskFilter};

/// Where a request arrived: which `agent`, `tasks`, `context` and `data-params` are meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    /// The platform: its OSS agent, and the registry of all.
    Platform,
    /// One agent.
    Agent(String),
    /// A management system of the network.
    Ems(Ems),
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// `task-negotiate`.
    Negotiate(Negotiate),
    /// A look at committed state: records of which the principal may see all there is.
    Read(Query),
    /// The same for who shows node by node and prunes what the rules do not let the principal read:
    /// records of which it may see something.
    Browse(Query),
    /// `register-agent`: an agent takes its place, or comes back with another profile.
    Register(Register),
    /// `register-agent` with `reach` `a2a`: an agent takes its place that has said who it is in its
    /// card.
    Introduce(Introduction),
    /// `renew-lease`: an agent is still there, and says how it is.
    Renew {
        /// The agent; none for the principal itself.
        name: Option<String>,
        /// How it is.
        health: Health,
        /// Its words to that; empty if there are none.
        note: String,
    },
    /// `deregister-agent`: an agent leaves.
    Deregister {
        /// The agent; none for the principal itself.
        name: Option<String>,
    },
    /// `discover-agents`: who fits, best first.
    Discover {
        /// What is needed.
        criteria: Criteria,
        /// At most so many.
        limit: usize,
    },
    /// `form-team`: find members for the places of a task, and ask them.
    FormTeam {
        /// The task that the team is for; it need not exist yet.
        task: TaskId,
        /// The places.
        needs: Vec<Need>,
    },
    /// `data-write`: enter data, or a piece of them.
    WriteData(WriteData),
    /// `data-read`: read a piece of data.
    ReadData {
        /// The entry of `/data-params`.
        id: String,
        /// Where the piece begins, in bytes.
        offset: u64,
        /// How long it is at most, in bytes; up to [`Body::CHUNK_MOST`](domain::context::Body).
        length: usize,
    },
    /// Have a task told, or told no more, beside its publisher.
    Push(PushWish),
    /// A question or a wish about schemas (module convoke-schema).
    Schema(SchemaRequest),
    /// Break something in the simulated network, know what is broken, mend it (module
    /// convoke-simulation).
    Faults(FaultWish),
    /// Do something to the network, through one of its management systems (module convoke-ems).
    Act {
        /// Which.
        ems: Ems,
        /// What.
        action: Action,
    },
}

impl Operation {
    /// True if agents may have something to do because of it.
    pub(crate) fn decides(&self) -> bool {
        matches!(
            self,
            Self::Negotiate(_)
                | Self::Register(_)
                | Self::Renew { .. }
                | Self::Deregister { .. }
                | Self::FormTeam { .. }
        )
    }
}

/// Where a task is told from now on, or no more. What the configuration says of its owner, and since
/// when it is told, the engine says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushWish {
    /// It is told there too; a configuration of the same identifier is replaced.
    Keep(PushConfig),
    /// It is not told by this configuration any more.
    Forget {
        /// The task.
        task: TaskId,
        /// The configuration, of the principal's own.
        id: String,
    },
}

/// The input of `task-negotiate`, as read by a protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Negotiate {
    /// Where it arrived.
    pub endpoint: Endpoint,
    /// `task-sendFrom`, if given.
    pub from: Option<String>,
    /// `task-sendTo`, if given.
    pub to: Option<String>,
    /// `commuType`.
    pub verb: Verb,
    /// `task-id`, if given.
    pub task: Option<TaskId>,
    /// `content`, each entry as sent.
    pub texts: Vec<String>,
    /// The payload, if it came as typed XML beside the content.
    pub payload: Option<Payload>,
    /// `task-async`, if given.
    pub asynchronous: Option<bool>,
    /// `expected-response`, if given beside the sections.
    pub expected_response: Option<String>,
    /// `term-explains`, if given beside the sections.
    pub terms: Vec<(String, String)>,
    /// `round`, if given.
    pub round: Option<u32>,
    /// `alternative`: which of the offered ones is accepted, from 1.
    pub alternative: Option<u32>,
    /// `parent-task`, if given.
    pub parent: Option<TaskId>,
    /// `deadline`, if given.
    pub deadline: Option<Timestamp>,
    /// `answer-within`, if given, in milliseconds.
    pub answer_within_ms: Option<i64>,
    /// `fulfillment-required`, if given.
    pub fulfillment: Option<bool>,
    /// `round-limit`, if given.
    pub round_limit: Option<u32>,
    /// `task-subscription`, if given.
    pub subscription: Option<Subscription>,
    /// `msg-data`, if given.
    pub data: Option<String>,
    /// `context`, if given.
    pub context: Option<String>,
    /// `conversation`, if given.
    pub conversation: Option<String>,
    /// What an assignment lacks: its publisher is asked for that first, and its executor hears of
    /// the task once it is said. Asked for by the platform's own readers, never by a peer.
    pub question: Option<Content>,
    /// Where the sender of an assignment wants it told too, from its beginning. Of its task, owner and
    /// beginning nothing is read.
    pub push: Option<PushConfig>,
}

impl Negotiate {
    /// A message with this verb that arrived here, and nothing else said.
    pub fn new(endpoint: Endpoint, verb: Verb) -> Self {
        Self {
            endpoint,
            from: None,
            to: None,
            verb,
            task: None,
            texts: Vec::new(),
            payload: None,
            asynchronous: None,
            expected_response: None,
            terms: Vec::new(),
            round: None,
            alternative: None,
            parent: None,
            deadline: None,
            answer_within_ms: None,
            fulfillment: None,
            round_limit: None,
            subscription: None,
            data: None,
            context: None,
            conversation: None,
            question: None,
            push: None,
        }
    }
}

/// What an agent says of itself when it takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Who it is; the name must be the principal's own, unless an administrator registers it.
    pub profile: Profile,
    /// How it is spoken to: as a client, or at its own server.
    pub reach: Reach,
    /// How long a renewal lasts, in milliseconds.
    pub lease_ms: i64,
}

/// Data entered, or a piece of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteData {
    /// The entry; its first writer alone may write on.
    pub id: String,
    /// The task it belongs to, if any; the writer must be party to it.
    pub task: Option<TaskId>,
    /// Who may read it beside the writer: an agent or user; none for the writer alone, or both
    /// parties of the task.
    pub reader: Option<String>,
    /// `dataType`; text if not given.
    pub data_type: Option<DataType>,
    /// `description`.
    pub description: Option<String>,
    /// `format`.
    pub format: Option<String>,
    /// `url`: the data are elsewhere.
    pub url: Option<String>,
    /// Where the piece begins, in bytes.
    pub offset: u64,
    /// The piece.
    pub bytes: Vec<u8>,
    /// How long the whole is, in bytes.
    pub size: Option<u64>,
    /// SHA-256 of the whole.
    pub sha256: Option<[u8; 32]>,
    /// No piece follows: the whole is to be verified.
    pub finished: bool,
}

/// A look at committed state, pruned to what the principal is party to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// One task.
    Task(TaskId),
    /// All tasks, by identifier; refused if they are [too much](Refusal::TooMuch).
    Tasks,
    /// Which tasks are parts of one, by the time of their last change; refused likewise.
    Parts(TaskId),
    /// A page of tasks, by the time of their last change; shorter than asked for if they are long.
    TaskPage(TaskFilter),
    /// How many tasks there are on all such pages.
    TaskCount(TaskFilter),
    /// The current task of an agent: the last changed one that has not ended, else the last ended.
    CurrentTask(String),
    /// The negotiations of a task, or all; refused likewise.
    Negotiations(Option<TaskId>),
    /// The feasibilities of tasks that are not assigned, or not yet, about one of them or all; refused
    /// if there are too many negotiations in all.
    Proposals(Option<TaskId>),
    /// The team of a task, or all teams.
    Teams(Option<TaskId>),
    /// The principal's own configurations for pushing of a task, by identifier; refused if there is no
    /// such task.
    PushConfigs(TaskId),
    /// `/schemas`.
    Schemas,
    /// Records of `/context`; of one agent, or of all; refused likewise.
    Exchanges {
        /// The agent, or none for all.
        party: Option<String>,
        /// Only this record.
        id: Option<String>,
        /// Only those about this task.
        task: Option<TaskId>,
    },
    /// A page of records of `/context`, by time of the request; shorter than asked for if they are long.
    ExchangePage(Filter),
    /// Entries of `/data-params`; of one agent, or of all; refused likewise.
    Data {
        /// The agent, or none for all.
        party: Option<String>,
        /// Only this entry.
        id: Option<String>,
    },
    /// A page of the audit trail.
    Audit(AuditFilter),
    /// The alarms that a management system knows (RFC 8632).
    Alarms {
        /// Which system.
        ems: Ems,
        /// Only those of these elements.
        resources: Option<Vec<ElementId>>,
    },
    /// The network as a management system has it documented (RFC 8345).
    Inventory(Ems),
    /// What a management system counted last.
    Performance(Ems),
}

impl Query {
    /// The most rows that are answered in one breath; more are read page by page.
    pub const MOST: usize = 100_000;

    /// True of what is looked up by one key.
    pub fn is_keyed(&self) -> bool {
        matches!(
            self,
            Self::Task(_)
                | Self::Parts(_)
                | Self::Negotiations(Some(_))
                | Self::Proposals(Some(_))
                | Self::Teams(Some(_))
                | Self::Exchanges { id: Some(_), .. }
                | Self::Data { id: Some(_), .. }
        )
    }
}

/// Rows that a query found.
#[derive(Clone, Debug, PartialEq)]
pub enum Records {
    /// Tasks.
    Tasks(Vec<Arc<Task>>),
    /// Which tasks are parts of one.
    Parts(Vec<TaskId>),
    /// A page of tasks.
    TaskPage(Page<Arc<Task>>),
    /// How many there are.
    Count(u64),
    /// Negotiations.
    Negotiations(Vec<Arc<Negotiation>>),
    /// Teams.
    Teams(Vec<Arc<Team>>),
    /// Configurations for pushing.
    PushConfigs(Vec<PushConfig>),
    /// What is known of schemas.
    Schemas(Box<SchemaRecords>),
    /// Records of `/context`.
    Exchanges(Vec<Exchange>),
    /// A page of records of `/context`.
    ExchangePage(Page<Exchange>),
    /// Entries of `/data-params`.
    Data(Vec<DataParam>),
    /// Records of the audit trail.
    Audit(AuditPage),
    /// Alarms.
    Alarms(Box<AlarmList>),
    /// The network as documented.
    Inventory(Arc<Inventory>),
    /// What was counted in the last period that has ended, if one has.
    Performance(Option<Arc<Performance>>),
}

/// What a name takes besides itself where it is told, in bytes.
const NAME_BYTES: usize = 32;

impl Records {
    /// About how many bytes tasks, names of parts, negotiations, teams, exchanges or data say; 0 of all
    /// else.
    pub fn bytes(&self) -> u64 {
        let bytes: usize = match self {
            Self::Tasks(found) => found.iter().map(|task| task.bytes()).sum(),
            Self::Parts(found) => found.iter().map(|id| id.as_str().len() + NAME_BYTES).sum(),
            Self::Negotiations(found) => found.iter().map(|of| of.bytes()).sum(),
            Self::Teams(found) => found.iter().map(|team| team.bytes()).sum(),
            Self::Exchanges(found) => found.iter().map(|e| e.request.len()).sum(),
            Self::Data(found) => found
                .iter()
                .map(|data| data.text().map_or(0, str::len))
                .sum(),
            _ => 0,
        };
        bytes as u64
    }
}

/// What comes of an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The reply of `task-negotiate`.
    Reply(Reply),
    /// The same, and what it tells its caller besides about schemas.
    Noted(Reply, Box<Notice>),
    /// What a query found.
    Records(Records),
    /// An agent's place, and advice on its profile.
    Registered(Arc<Registration>, Vec<Advice>),
    /// The agent has left.
    Left,
    /// Who fits, best first.
    Found(Vec<Match>),
    /// The team, as it is now.
    Team(Arc<Team>),
    /// The data were taken.
    Written(Written),
    /// A piece of data.
    Bytes(Bytes),
    /// The task is told by this configuration.
    Push(PushConfig),
    /// The task is not told by it any more.
    PushForgotten,
    /// What came of a question or wish about schemas.
    Schema(SchemaOutcome),
    /// What came of a wish about what is broken.
    Faults(FaultAnswer),
    /// What came of an action.
    Acted(Acted),
}

/// What came of an action on the network.
#[derive(Clone, Debug, PartialEq)]
pub struct Acted {
    /// Its number, unique since the start of the platform.
    pub number: u64,
    /// How it ended; never `Impossible`.
    pub outcome: domain::telemetry::Outcome,
}

/// How much of some data is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Bytes that are there.
    pub received: u64,
    /// True once the whole was verified.
    pub finished: bool,
}

/// A piece of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The piece; shorter than asked for at the end of the data.
    pub bytes: Vec<u8>,
    /// How long the whole is, in bytes.
    pub size: u64,
    /// SHA-256 of the whole; none of data that were finished before it was kept.
    pub sha256: Option<[u8; 32]>,
    /// True if the piece reaches the end.
    pub last: bool,
}

/// The answer, now or after the commit.
pub enum Execution {
    /// Known already.
    Done(Result<Outcome, Refusal>),
    /// Known once it is on disk, or once the task is done.
    Pending(Pin<Box<dyn Future<Output = Result<Outcome, Refusal>> + Send>>),
}

impl Execution {
    pub(crate) fn refused(refusal: impl Into<Refusal>) -> Self {
        Self::Done(Err(refusal.into()))
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// The [`Refusal`], if the operation was refused or failed.
    pub async fn outcome(self) -> Result<Outcome, Refusal> {
        match self {
            Self::Done(outcome) => outcome,
            Self::Pending(pending) => pending.await,
        }
    }
}

impl fmt::Debug for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(outcome) => f.debug_tuple("Done").field(outcome).finish(),
            Self::Pending(_) => f.write_str("Pending"),
        }
    }
}
