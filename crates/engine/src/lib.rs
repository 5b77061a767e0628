//! The one road: authorise, load, decide, commit, wake, dispatch, feed.
//!
//! Every protocol asks here and nowhere else:
//! - [`Engine::execute`] takes an [`Operation`] of a [`domain::access::Principal`] and answers with its
//!   output or a [`Refusal`], at once or after the commit ([`Execution`]); [`Engine::read`] answers a
//!   [`Query`] from committed state;
//! - [`Engine::deliver`] and [`Engine::tick`] bring agents what the world has for them, and
//!   [`Engine::outgoing`] is what they want of the world;
//! - agents in here step outside the locks of decisions, on threads of whoever has some
//!   ([`Engine::next_turn`]) or in turn;
//! - [`Engine::feed`] is the log as subscribers follow it, live and in replay alike.
//!
//! The engine never spawns, never sleeps and has no clock: `now` is always an argument. It knows
//! no protocol and no file. Read next: [`operation`], then `tasks` (what is decided and what readers
//! see of it), [`feed`]. `engine` puts the organs together, each of which owns its state and knows no engine; what
//! the engine does with one is above, most of it in the organ's folder; `execute` and `drive`
//! are what is asked of them and what time brings. A tour of the rest, organ by organ:
//! - `access`: who may do, read and hear what; `trail`: what is on record of that; [`accounts`]: whether
//!   there is room for it; [`refusal`]: why not, by whose fault; [`failure`]: what is ours to mend;
//! - `tasks`: what is said of them (`negotiate`, verb by verb), what follows (`life`, `dispatch`, `team`),
//!   and who else is told (`push`);
//! - `hosting`: agents in here, what they owe answers to, how they take steps ([`Turn`]), and those that
//!   fail; `registry`: who is here, and what stands for those elsewhere;
//! - `schemas`: what payloads are held to; `data`: what they name; [`query`]: looks at all of it;
//! - `commit`: a decision as one batch, what waits for the disk, what is taken back because it was not
//!   stored, and what becomes of a platform whose decision panicked;
//! - `policy`: what waits for a decision, and standing rules, which decide some of it;
//! - `network`: management systems and faults, `cluster`: nodes, `console`: sessions of browsers, which others run beside it, and answer for.
#![forbid(unsafe_code)]

mod access;
pub mod accounts;
mod cluster;
mod commit;
mod console;
mod data;
mod deadlines;
mod drive;
mod engine;
mod execute;
pub mod failure;
pub mod feed;
mod hosting;
mod limits;
mod network;
mod numbers;
pub mod operation;
mod policy;
pub mod query;
pub mod refusal;
mod registry;
mod schemas;
mod tasks;
mod trail;

pub use crate::engine::{Engine, Setup};
pub use access::receive::reported;
pub use accounts::{Accounts, Quotas, Usage, UserLimits};
pub use cluster::operation::{DrainNode, MoveLead};
pub use cluster::{NodeRequestFailure, NodeRequestFuture, Nodes};
pub use commit::outbox::Outgoing;
pub use console::operation::EndConsoleSession;
pub use console::{ConsoleSession, ConsoleSessionEnd, ConsoleSessionOrigin, ConsoleSessions};
pub use data::operation::{DataPiece, ReadData, WriteData, Written};
pub use failure::StoreFailure;
pub use feed::Feed;
pub use feed::stream::{self, Event, Stream, StreamError};
pub use hosting::activity::AgentStatistics;
pub use hosting::instance::Factory;
pub use hosting::step::{Stepped, Stepping, Turn};
pub use limits::Limits;
pub use network::ems::management::{ActAnswer, ActFailure, ActWanted};
pub use network::fault::{FaultRecord, FaultRefusal};
pub use network::faults::FaultInjector;
pub use network::operation::{Act, Acted, ClearFault, InjectFault, ListFaults};
pub use network::referee::Referee;
pub use network::told::{NetworkNote, ToldOnce};
pub use network::trial::{
    CompareDay, ComparedDay, ComparisonState, DayComparison, DayFigure, DayPolicy, EndComparison,
    FaultJudgement, FaultOutcome, Finder, GetComparison, ScoreFaults,
};
pub use operation::{Call, Cost, Endpoint, Execution, Operation, Query, Reader, Weigh};
pub use policy::checking::RuleTrial;
pub use policy::operation::{
    AddRule, CheckRule, RuleCheck, RuleDecision, RuleLack, RuleRemark, StandingRuleRecord, Waiting,
    WaitingDecision, WithdrawRule,
};
pub use refusal::Refusal;
pub use registry::operation::{
    DeregisterAgent, DiscoverAgents, IntroduceAgent, RegisterAgent, Registered, RenewLease,
};
pub use registry::roster::{Hosted, Proxy};
pub use registry::wanted::IntroductionWanted;
pub use registry::{Credential, Credentials, KeyDigests};
pub use schemas::operation::{
    ApprovePatch, ClusterRecord, EraseFragments, Form, GetSchemaTemplate, GetSchemaUpdates,
    JudgeAlignment, KeyRecord, ListScenarios, Notice, OfferTexts, ParseUtterance, PatchAnswer,
    PatchRecord, PatchStanding, PoolRecord, PublishSchemaTemplate, PublishedTemplate, RejectPatch,
    RenderSchema, RequestCapabilityExtension, RetireSchema, SampleRecord, ScenarioAnswer,
    ScenarioOffer, SchemaRecord, SchemaRecords, TemplateAnswer, UTTERANCE_BYTES_MAX, Updates,
    ValidatePayload, Validated, Which,
};
pub use schemas::{SchemaSetup, TypedForm};
pub use store::{
    Filter, Options as StoreOptions, Page, ReadError, Retention, StoreBackend, StoreStatistics,
    TaskFilter, Trimmed, Verification, VerificationState,
};
pub use tasks::Deliverable;
pub use tasks::forming::FormTeam;
pub use tasks::message::{ForwardedRequest, Negotiate, Negotiated};
pub use tasks::push::operation::{ForgetPush, KeepPush};
pub use tasks::view::Counts;
pub use trail::page::{AuditFilter, AuditPage, Audited};
