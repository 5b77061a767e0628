//! The one road: authorise, load, decide, commit, wake, dispatch, feed.
//!
//! Every protocol asks here and nowhere else:
//! - [`Engine::execute`] takes an [`Operation`] of a [`domain::access::Principal`] and answers an
//!   [`Outcome`] or a [`Refusal`], at once or after the commit ([`Execution`]);
//! - [`Engine::deliver`] and [`Engine::tick`] bring agents what the world has for them, and
//!   [`Engine::outgoing`] is what they want of the world;
//! - [`Engine::feed`] is the log as subscribers follow it, live and in replay alike.
//!
//! The engine never spawns, never sleeps and has no clock: `now` is always an argument. It knows
//! no protocol and no file. Read next: [`operation`], then `work` (the decision), `view` (what
//! readers see), [`feed`].
#![forbid(unsafe_code)]

mod access;
mod data;
mod dispatch;
mod ems;
mod faults;
pub mod feed;
mod introduction;
mod life;
mod negotiate;
pub mod operation;
mod places;
mod push;
mod query;
mod recovery;
pub mod refusal;
mod registry;
mod request;
mod roster;
mod schemas;
mod staged;
mod standin;
pub mod stream;
mod team;
mod view;
mod work;

pub use access::reported;
pub use ems::{ActAnswer, ActFailure, ActWanted};
pub use faults::{FaultAnswer, FaultRecord, FaultRefusal, FaultWanted, FaultWish};
pub use feed::Feed;
pub use introduction::{Introduction, IntroductionWanted};
pub use operation::{
    Acted, Bytes, ClusterRecord, Endpoint, Execution, Form, KeyRecord, Negotiate, Notice,
    Operation, Outcome, PatchAnswer, PatchRecord, PatchStanding, PoolRecord, PushWish, Query,
    Records, Register, SampleRecord, ScenarioAnswer, SchemaOutcome, SchemaRecord, SchemaRecords,
    SchemaRequest, TemplateAnswer, Updates, Validated, Which, WriteData, Written,
};
pub use refusal::Refusal;
pub use registry::{Credential, Credentials};
pub use roster::Hosted;
pub use schemas::{SchemaSetup, TypedForm};
pub use store::{Filter, Options as StoreOptions, ReadError, Retention, TaskFilter, Trimmed};
pub use stream::{Event, Stream, StreamError};
pub use work::Outgoing;

use crate::data::Entries;
use crate::feed::Recent;
use domain::access::{AccessRules, Detail, Principal, Request};
use domain::agent::{Agent, Briefing, Input};
use domain::event::{Happening, Sequence};
use domain::inventory::Inventory;
use domain::profile::Profile;
use domain::registry::{Reach, Registration};
use domain::task::Subscription;
use domain::time::Timestamp;
use places::Places;
use roster::Roster;
use schema::template::Template;
use schemas::Schemas;
use staged::Staged;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};
use store::{Batch, Options, Store};
use team::Teams;
use tokio::sync::Notify;
pub use view::Counts;
use view::View;
use work::{Settled, Work};

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
    /// Seeds the dice of the agents.
    pub seed: u64,
    /// What is bounded, and by how much.
    pub limits: Limits,
    /// How long what has ended is kept, and how much of it.
    pub retention: Retention,
    /// Whether reports can go where a task wants them to; if not, why.
    pub deliverable: Deliverable,
    /// Whose the names are that are not agents' names yet.
    pub credentials: Credentials,
    /// Makes the minds of agents that are servers elsewhere, of NETCONF or A2A; none if they cannot
    /// register.
    pub proxy: Option<Proxy>,
    /// What payloads are held to, and how that grows.
    pub schemas: SchemaSetup,
}

/// Whether reports can go to an address; if not, why.
pub type Deliverable = Box<dyn Fn(&Subscription) -> Result<(), String> + Send + Sync>;

/// Makes the mind that stands for an agent elsewhere.
pub type Proxy = Box<dyn Fn(&Registration) -> Box<dyn Agent> + Send + Sync>;

/// What is bounded, and by how much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long a synchronous task, or a question, may keep its caller waiting, in milliseconds;
    /// then the reply tells the state reached and things go on.
    pub synchronous_ms: i64,
    /// How long a result, a decision or an offer may wait for the other side where its publisher
    /// does not say, in milliseconds.
    pub answer_within_ms: i64,
    /// How long whoever owes such an answer has at least from the start of the platform on, in
    /// milliseconds, or as long as it had in all if that is less: while the platform was down, it
    /// could not be given.
    pub answer_grace_ms: i64,
    /// How many rounds a negotiation may take where its publisher does not say.
    pub rounds: u32,
    /// How many open parts a task may have.
    pub parts: usize,
    /// How deep parts of parts may go.
    pub depth: usize,
    /// How many agents there may be.
    pub agents: usize,
    /// How many bytes an entry of `/data-params` may have.
    pub data_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            synchronous_ms: 30_000,
            answer_within_ms: 86_400_000,
            answer_grace_ms: 60_000,
            rounds: 10,
            parts: 1_000,
            depth: 8,
            agents: 10_000,
            data_bytes: 1 << 30,
        }
    }
}

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
    outbox: Mutex<VecDeque<Outgoing>>,
    outbox_filled: Notify,
    /// Faults wanted, while somebody runs a simulated network.
    faults: faults::Wanted,
    management: ems::Management,
    /// Who looks at the cards of A2A agents; nobody at first.
    introductions: introduction::Introductions,
    /// How many operations were denied.
    denials: AtomicU32,
    /// How many decisions that were not stored have been taken back.
    taken_back: AtomicU64,
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
        let (view, recent) = (Arc::new(View::default()), Arc::new(Recent::default()));
        let (settled, teams) = (Arc::new(Settled::default()), Arc::new(Teams::default()));
        let (entries, places) = (Arc::new(Entries::default()), Arc::new(Places::default()));
        // What the store calls owns no store, or the store would never close.
        let on_commit = {
            let (view, recent) = (Arc::clone(&view), Arc::clone(&recent));
            let (settled, teams) = (Arc::clone(&settled), Arc::clone(&teams));
            let (entries, places) = (Arc::clone(&entries), Arc::clone(&places));
            move |committed: &[store::Committed]| {
                view.apply(committed);
                settled.take_in(committed);
                teams.take_in(committed);
                entries.take_in(committed);
                places.take_in(committed);
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
        let (roster, minds) = Roster::new(
            setup.agents,
            recovered.registrations,
            setup.default_agent,
            setup.seed,
            setup.proxy.as_ref(),
            &places,
        );
        let management = ems::Management::new(&setup.inventory);
        let work = Work::new(
            minds,
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
            outbox: Mutex::default(),
            outbox_filled: Notify::new(),
            faults: Mutex::default(),
            management,
            introductions: introduction::Introductions::default(),
            denials: AtomicU32::new(0),
            taken_back: AtomicU64::new(0),
            limits: setup.limits,
            retention: setup.retention,
            deliverable: setup.deliverable,
            proxy: setup.proxy,
            schemas: Arc::new(schemas),
        })
    }

    /// Briefs every agent: the roster, the network, and the tasks of its own that are still open.
    pub fn start(&self, now: Timestamp) {
        {
            let mut work = self.lock_work();
            self.grant_leases(&mut work, now);
            work.grant_answers(now, self.limits.answer_grace_ms);
        }
        let registrations = self.roster.registrations();
        let roster: Vec<Arc<Profile>> = registrations
            .iter()
            .map(|r| Arc::clone(&r.profile))
            .collect();
        // Nothing in here listens for those that connect by themselves.
        let listening = registrations.iter().filter(|r| r.reach != Reach::Client);
        for registration in listening {
            let name = &registration.profile.name;
            let briefing = {
                let work = self.lock_work();
                Briefing {
                    own: Arc::clone(&registration.profile),
                    roster: roster.clone(),
                    inventory: work.inventory(),
                    open: work.open_tasks_of(name),
                }
            };
            self.deliver(name, Input::Started(briefing), now);
        }
    }

    /// Asks for something in the name of a principal.
    ///
    /// A query is answered at once from committed state. What changes state is decided at once
    /// and answered after its commit is on disk; a synchronous task is answered when it is done,
    /// or when its time limit is over.
    pub fn execute(&self, who: &Principal, operation: Operation, now: Timestamp) -> Execution {
        if let Err(refusal) = self.authorise_operation(who, &operation) {
            return Execution::refused(refusal);
        }
        match operation {
            Operation::Negotiate(negotiate) => self.negotiate(who, negotiate, now),
            Operation::Read(Query::Schemas) | Operation::Browse(Query::Schemas) => {
                let records = Box::new(self.schema_records(who, now));
                Execution::Done(Ok(Outcome::Records(Records::Schemas(records))))
            }
            Operation::Read(query) => Execution::Done(self.read(who, query, Detail::Whole)),
            Operation::Browse(query) => Execution::Done(self.read(who, query, Detail::Pruned)),
            Operation::Register(register) => self.register(who, register, now),
            Operation::Introduce(introduction) => self.introduce_by_card(who, introduction),
            Operation::Renew { name, health, note } => self.renew(who, name, health, note, now),
            Operation::Deregister { name } => self.deregister(who, name, now),
            Operation::Discover { criteria, limit } => self.discover(&criteria, limit),
            Operation::FormTeam { task, needs } => self.form_team(who, task, needs, now),
            Operation::WriteData(write) => self.write_data(who, write, now),
            Operation::ReadData { id, offset, length } => self.read_data(who, id, offset, length),
            Operation::Faults(wish) => self.wish_of_faults(who, wish),
            Operation::Act { ems, action } => self.act(who, ems, action),
            Operation::Push(wish) => self.push(who, wish),
            Operation::Schema(request) => self.schema(who, request, now),
        }
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

    /// Brings an input to an agent and takes its outputs on. Unknown agents are ignored: an input
    /// can outlive its agent.
    pub fn deliver(&self, agent: &str, input: Input, now: Timestamp) {
        let mut work = self.lock_work();
        if let Some(index) = self.roster.find(agent) {
            let mut staged = Staged::default();
            self.run(&mut work, index, input, now, &mut staged);
            drop(self.commit(staged));
        }
    }

    /// When [`Engine::tick`] is next due; none if nothing waits.
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        self.lock_work().next_due()
    }

    /// Wakes what is due: agents that asked for it, and callers whose time limit is over.
    pub fn tick(&self, now: Timestamp) {
        let mut work = self.lock_work();
        let (mut staged, mut fell_due) = (Staged::default(), false);
        while let Some(due) = work.take_due(now) {
            self.fall_due(&mut work, due, now, &mut staged);
            fell_due = true;
        }
        // A commit wakes whoever ticks: one without cause would let it tick for ever.
        if fell_due {
            drop(self.commit(staged));
        }
    }

    /// What agents want of the world, in order; empties the outbox.
    pub fn outgoing(&self) -> Vec<Outgoing> {
        self.outbox
            .lock()
            .expect("no holder panics")
            .drain(..)
            .collect()
    }

    /// True if the outbox holds something.
    pub fn has_outgoing(&self) -> bool {
        !self.outbox.lock().expect("no holder panics").is_empty()
    }

    /// True while a caller waits for this task to end, or for a word in a negotiation about it.
    pub fn is_awaited(&self, task: &domain::task::TaskId) -> bool {
        use work::Awaited::{Task, Turn};
        let is_about = |awaited: &work::Awaited| match awaited {
            Task(id) | Turn(id, ..) => id == task,
        };
        self.lock_work().waiting.keys().any(is_about)
    }

    /// Resolves when everything decided so far is on disk, or never will be.
    pub async fn flushed(&self) {
        let _ = self.store.commit(Batch::default()).await;
    }

    /// Resolves when there may be something in the outbox, or a new deadline.
    pub async fn outgoing_filled(&self) {
        self.outbox_filled.notified().await;
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
    pub fn record_session(&self, happening: Happening, now: Timestamp) {
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

    fn lock_work(&self) -> MutexGuard<'_, Work> {
        let mut work = self
            .work
            .lock()
            .expect("agents and decisions do not panic; if one did, stop");
        self.recover(&mut work);
        work.tidy();
        work
    }
}
