//! The one road: authorise, load, decide, commit, wake, dispatch, feed.
//!
//! Every protocol asks here and nowhere else:
//! - [`Engine::execute`] takes an [`Operation`] of a [`domain::access::Principal`] and answers with its
//!   output or a [`Refusal`], at once or after the commit ([`Execution`]); [`Engine::read`] answers a
//!   [`Query`] from committed state;
//! - [`Engine::deliver`] and [`Engine::tick`] bring agents what the world has for them, and
//!   [`Engine::outgoing`] is what they want of the world;
//! - agents in here step outside the lock of decisions, on threads of whoever has some
//!   ([`Engine::next_turn`]) or in turn;
//! - [`Engine::feed`] is the log as subscribers follow it, live and in replay alike.
//!
//! The engine never spawns, never sleeps and has no clock: `now` is always an argument. It knows
//! no protocol and no file. Read next: [`operation`], then `tasks` (what is decided and what readers
//! see of it), [`feed`]. A tour of the rest, organ by organ:
//! - `access`: who may do, read and hear what; `trail`: what is on record of that; [`accounts`]: whether
//!   there is room for it; [`refusal`]: why not;
//! - `tasks`: what is said of them (`negotiate`, verb by verb), what follows (`life`, `dispatch`, `team`),
//!   and who else is told (`push`);
//! - `hosting`: agents in here, what they owe answers to, how they take steps ([`Turn`]), and those that
//!   fail; `registry`: who is here, and what stands for those elsewhere;
//! - `schemas`: what payloads are held to; `data`: what they name; [`query`]: looks at all of it;
//! - `commit`: a decision as one batch, what waits for the disk, what is taken back because it was not
//!   stored, and what becomes of a platform whose decision panicked;
//! - `network`: management systems and faults, which others run beside it, and answer for.
#![forbid(unsafe_code)]

mod access;
pub mod accounts;
mod commit;
mod data;
mod drive;
pub mod feed;
mod hosting;
mod limits;
mod network;
pub mod operation;
pub mod query;
pub mod refusal;
mod registry;
mod schemas;
mod tasks;
mod trail;

pub use access::reported;
pub use accounts::{Accounts, Quotas, Usage, UserLimits};
pub use data::operation::{DataPiece, ReadData, WriteData, Written};
pub use feed::Feed;
pub use feed::stream::{self, Event, Stream, StreamError};
pub use hosting::instance::Factory;
pub use hosting::step::{Stepped, Stepping, Turn};
pub use limits::Limits;
pub use network::ems::{ActAnswer, ActFailure, ActWanted};
pub use network::faults::{FaultInjector, FaultRecord, FaultRefusal};
pub use network::operation::{Act, Acted, ClearFault, InjectFault, ListFaults};
pub use operation::{Call, Cost, Endpoint, Execution, Operation};
pub use query::Query;
pub use refusal::Refusal;
pub use registry::introduction::IntroductionWanted;
pub use registry::operation::{
    DeregisterAgent, DiscoverAgents, IntroduceAgent, RegisterAgent, Registered, RenewLease,
};
pub use registry::roster::Hosted;
pub use registry::{Credential, Credentials};
pub use schemas::operation::{
    ApprovePatch, ClusterRecord, EraseFragments, Form, GetSchemaTemplate, GetSchemaUpdates,
    JudgeAlignment, KeyRecord, ListScenarios, Notice, PatchAnswer, PatchRecord, PatchStanding,
    PoolRecord, PublishSchemaTemplate, PublishedTemplate, RejectPatch, RenderSchema,
    RequestCapabilityExtension, RetireSchema, SampleRecord, ScenarioAnswer, SchemaRecord,
    SchemaRecords, TemplateAnswer, Updates, ValidatePayload, Validated, Which,
};
pub use schemas::{SchemaSetup, TypedForm};
pub use store::{Filter, Options as StoreOptions, Page, ReadError, Retention, TaskFilter, Trimmed};
pub use tasks::operation::{FormTeam, Negotiate, Negotiated};
pub use tasks::push::operation::{ForgetPush, KeepPush};
pub use tasks::view::Counts;
pub use tasks::work::Outgoing;
pub use trail::{AuditFilter, AuditPage, Audited};

use crate::data::Entries;
use crate::feed::Recent;
use commit::outbox::Outbox;
use domain::access::{AccessRules, Principal, Request};
use domain::agent::Agent;
use domain::audit::Tally;
use domain::event::{LogEvent, Sequence};
use domain::inventory::Inventory;
use domain::registry::Registration;
use domain::task::Subscription;
use domain::time::Timestamp;
use registry::places::Places;
use registry::roster::Roster;
use schema::template::Template;
use schemas::Schemas;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, RwLock};
use store::{Batch, Options, Store};
use tasks::team::Teams;
use tasks::view::View;
use tasks::work::{Settled, Work};

/// How an engine is made.
pub struct Setup {
    /// Where the state is.
    pub store: Options,
    /// Who may do what.
    pub access: AccessRules,
    /// The agents hosted here, in roster order.
    pub agents: Vec<Hosted>,
    /// The name of the agent that takes tasks addressed to nobody.
    pub default_agent: String,
    /// The network as documented; agents are briefed with it.
    pub inventory: Arc<Inventory>,
    /// Seeds the random numbers of the agents.
    pub seed: u64,
    /// What is bounded, and by how much.
    pub limits: Limits,
    /// How long what has ended is kept, and how much of it.
    pub retention: Retention,
    /// Whether reports can go where a task wants them to; if not, why.
    pub deliverable: Deliverable,
    /// Whose the names are that are not agents' names yet.
    pub credentials: Credentials,
    /// Makes what stands for agents that are servers elsewhere, of NETCONF or A2A; none if they cannot
    /// register.
    pub proxy: Option<Proxy>,
    /// What payloads are held to, and how that grows.
    pub schemas: SchemaSetup,
}

/// Whether reports can go to an address; if not, why.
pub type Deliverable = Box<dyn Fn(&Subscription) -> Result<(), String> + Send + Sync>;

/// Makes what stands for an agent elsewhere.
pub type Proxy = Box<dyn Fn(&Registration) -> Box<dyn Agent> + Send + Sync>;

/// The engine; share it in an `Arc`.
pub struct Engine {
    store: Store,
    access: RwLock<Arc<AccessRules>>,
    roster: Roster,
    places: Arc<Places>,
    teams: Arc<Teams>,
    entries: Arc<Entries>,
    credentials: Credentials,
    view: Arc<View>,
    feed: Arc<Feed>,
    work: Mutex<Work>,
    outbox: Arc<Outbox>,
    /// True if agents in here step beside the decisions.
    beside: AtomicBool,
    /// Counts the batches for which something waits.
    marks: AtomicU64,
    /// How many pieces of telemetry made room for newer ones.
    dropped: AtomicU64,
    /// How many steps did not return in time.
    given_up: AtomicU64,
    /// Whether a decision panicked.
    broken: commit::lock::Broken,
    /// Requests about faults, while somebody runs a simulated network.
    faults: network::faults::Waiting,
    management: network::ems::Management,
    /// Who looks at the cards of A2A agents; nobody at first.
    introductions: registry::introduction::Introductions,
    /// How many operations were denied.
    denials: AtomicU32,
    unstored_pushes: Arc<tasks::push::Unstored>,
    /// What of the audit trail is gathered.
    trail: Mutex<Tally>,
    /// What of it is not known to be on disk.
    unstored: Mutex<trail::Unstored>,
    /// How many decisions that were not stored have been taken back.
    taken_back: AtomicU64,
    accounts: Arc<Accounts>,
    limits: Limits,
    retention: Retention,
    deliverable: Deliverable,
    proxy: Option<Proxy>,
    schemas: Arc<Schemas>,
}

impl Engine {
    /// Opens the store and takes up what it holds. Agents are not briefed yet: see
    /// [`Engine::start`].
    ///
    /// # Errors
    /// [`store::OpenError`] if the state cannot be read, is locked by another process, or is
    /// damaged.
    pub fn open(setup: Setup) -> Result<Self, store::OpenError> {
        let (view, recent) = (
            Arc::new(View::keeping(setup.limits.read_bytes)),
            Arc::new(Recent::default()),
        );
        let (settled, teams) = (Arc::new(Settled::default()), Arc::new(Teams::default()));
        let (entries, places) = (Arc::new(Entries::default()), Arc::new(Places::default()));
        let outbox = Arc::new(Outbox::default());
        let unstored_pushes = Arc::new(tasks::push::Unstored::default());
        // What the store calls owns no store, or the store would never close.
        let on_commit = {
            let (view, recent) = (Arc::clone(&view), Arc::clone(&recent));
            let (settled, teams) = (Arc::clone(&settled), Arc::clone(&teams));
            let (entries, places) = (Arc::clone(&entries), Arc::clone(&places));
            let (outbox, pushes) = (Arc::clone(&outbox), Arc::clone(&unstored_pushes));
            move |committed: &[store::Committed]| {
                view.apply(committed);
                settled.take_in(committed);
                teams.take_in(committed);
                entries.take_in(committed);
                places.take_in(committed);
                outbox.take_in(committed);
                pushes.take_in(committed);
                recent.push(committed.iter().flat_map(|c| c.entries.iter().cloned()));
            }
        };
        let (store, recovered) = Store::open(setup.store, Box::new(on_commit))?;
        let schemas = Schemas::open(setup.schemas, &store)?;
        view.load(&recovered.tasks, recovered.counts.tasks, recovered.last);
        let feed = Arc::new(Feed::new(
            recent,
            store.clone(),
            recovered.last,
            recovered.log_began,
        ));
        let (roster, agents) = Roster::new(
            setup.agents,
            recovered.registrations,
            setup.default_agent,
            setup.seed,
            setup.proxy.as_ref(),
            &places,
            &setup.limits,
        );
        let management = network::ems::Management::new(&setup.inventory);
        let work = Work::new(
            agents,
            recovered.tasks,
            recovered.negotiations,
            setup.inventory,
            settled,
        );
        Ok(Self {
            store,
            access: RwLock::new(Arc::new(setup.access)),
            roster,
            places,
            teams,
            entries,
            credentials: setup.credentials,
            view,
            feed,
            work: Mutex::new(work),
            outbox,
            beside: AtomicBool::new(false),
            marks: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            given_up: AtomicU64::new(0),
            broken: commit::lock::Broken::default(),
            faults: Mutex::default(),
            management,
            introductions: registry::introduction::Introductions::default(),
            denials: AtomicU32::new(0),
            unstored_pushes,
            trail: Mutex::default(),
            unstored: Mutex::default(),
            taken_back: AtomicU64::new(0),
            accounts: Arc::new(Accounts::new(setup.limits.users.clone())),
            limits: setup.limits,
            retention: setup.retention,
            deliverable: setup.deliverable,
            proxy: setup.proxy,
            schemas: Arc::new(schemas),
        })
    }

    /// Asks for something in the name of a principal.
    ///
    /// A query is answered at once. What changes state is decided at once and answered after its commit
    /// is on disk; a synchronous task is answered when it is done, or when its time limit is over.
    pub fn execute<O: Operation>(
        &self,
        who: &Principal,
        operation: O,
        now: Timestamp,
    ) -> Execution<O::Output> {
        let rpc = operation.rpc();
        if let Some(request) = rpc
            && let Err(denied) = self.authorise(who, request, now)
        {
            return Execution::Done(Err(denied));
        }
        if let Err(refusal) = self.has_room(who, operation.cost(), now) {
            self.audit_refusal(who, rpc, &refusal, now);
            return Execution::Done(Err(refusal));
        }
        let execution = operation
            .run(Call::new(self, who, now))
            .unwrap_or_else(|refusal| Execution::Done(Err(refusal)));
        if let Execution::Done(Err(refusal)) = &execution {
            self.audit_refusal(who, rpc, refusal, now);
        }
        if O::STIRS_AGENTS {
            self.step_in_turn(now);
        }
        execution
    }

    /// True if the access rules let the principal do this.
    pub(crate) fn permits(&self, who: &Principal, request: Request<'_>) -> bool {
        self.access().permits(who, request)
    }

    /// The access rules in force.
    pub fn access(&self) -> Arc<AccessRules> {
        Arc::clone(&self.access.read().expect("no writer panics"))
    }

    /// Puts other access rules in force. What is asked from now on is held to them; so is what goes on,
    /// with its next word.
    pub fn set_access(&self, rules: AccessRules) {
        *self.access.write().expect("no writer panics") = Arc::new(rules);
    }

    /// The principal that a verified user name stands for.
    pub fn principal(&self, user: &str) -> Principal {
        self.access().principal(user, self.is_agent(user))
    }

    /// Every agent's place as committed: those hosted here in roster order, then the others.
    pub fn registrations(&self) -> Vec<Arc<Registration>> {
        self.places.all()
    }

    /// An agent's place as decided, perhaps not on disk yet: for the road on which it is spoken to,
    /// since what is said to it is committed behind that. None if it is not here.
    pub fn registration(&self, agent: &str) -> Option<Arc<Registration>> {
        let index = self.roster.find(agent)?;
        Some(self.roster.registration(index))
    }

    /// An agent's place as committed, for who reads of it. None if it is not here.
    pub fn place(&self, agent: &str) -> Option<Arc<Registration>> {
        self.places.find(agent)
    }

    /// The address of an agent's own NETCONF server, here or elsewhere, or where an A2A agent has its
    /// card; none if it has none.
    pub fn endpoint_of(&self, agent: &str) -> Option<String> {
        self.places.endpoint(agent)
    }

    /// The agent that takes tasks addressed to nobody.
    pub fn default_agent(&self) -> &str {
        self.roster.default_agent()
    }

    /// The templates that are served, by identifier.
    pub fn templates(&self) -> Vec<Arc<Template>> {
        self.schemas.served()
    }

    /// The YANG modules of the templates that are served: name and text.
    pub fn schema_modules(&self) -> Vec<(String, String)> {
        self.schemas.modules()
    }

    /// Resolves when other templates are served than before.
    pub async fn schemas_changed(&self) {
        self.schemas.changed().await;
    }

    /// The log, for subscribers.
    pub fn feed(&self) -> &Arc<Feed> {
        &self.feed
    }

    /// The store, for verification and statistics.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// How long what has ended is kept, and how much of it.
    pub fn retention(&self) -> &Retention {
        &self.retention
    }

    /// Removes what has been kept long enough, or is too much, and leaves a signed checkpoint in
    /// the log; open tasks and what belongs to them stay.
    ///
    /// # Errors
    /// [`Refusal::StoreFailed`]; what was removed until then stays removed.
    pub async fn trim(&self, now: Timestamp) -> Result<Trimmed, Refusal> {
        let trimmed = self.store.trim(now, &self.retention).await;
        self.feed.was_cut()?;
        let trimmed = trimmed?;
        if trimmed.tasks > 0 {
            self.view.forget(trimmed.tasks);
        }
        Ok(trimmed)
    }

    /// Enters the start or end of a session into the log. Not waited for: it explains, it is
    /// nobody's promise.
    pub fn record_session(&self, happening: LogEvent, now: Timestamp) {
        let mut batch = Batch::default();
        batch.happenings.push((now, happening));
        drop(self.store.commit(batch));
    }

    /// How many tasks are committed, and how many of them are open.
    pub fn counts(&self) -> Counts {
        self.view.tasks().counts()
    }

    /// The place of the last committed entry of the log.
    pub fn last_sequence(&self) -> Sequence {
        self.feed.last()
    }
}
