//! The engine, put together of its organs, each of which owns its state.
//!
//! What it names here knows no engine. What the engine does with an organ, operations and all else that
//! asks for more than one of them, is in files above this one, most of them in the organ's folder.
//! Read next: [`crate::execute`], what it is asked; [`crate::drive`], what time and the world bring.

use crate::access::Access;
use crate::accounts::Accounts;
use crate::cluster::Joined;
use crate::commit::Committer;
use crate::commit::broken::Broken;
use crate::commit::loads::Loads;
use crate::commit::observer::{CommitObserver, Observers};
use crate::commit::outbox::Outbox;
use crate::console::ConsoleServed;
use crate::data::entries::Entries;
use crate::deadlines::Deadlines;
use crate::failure::StoreFailure;
use crate::feed::Feed;
use crate::feed::recent::Recent;
use crate::hosting::Hosting;
use crate::hosting::agents::Agents;
use crate::limits::Limits;
use crate::network::Network;
use crate::numbers::Numbers;
use crate::policy::Policy;
use crate::registry::directory::Directory;
use crate::registry::roster::{Hosted, Proxy, Roster};
use crate::registry::{Credentials, KeyDigests, Registry};
use crate::schemas::{SchemaSetup, Schemas};
use crate::tasks::placement::Placement;
use crate::tasks::push::unstored::Unstored;
use crate::tasks::view::{Counts, View};
use crate::tasks::work::{Decided, Settled, Shard, Shared, asking};
use crate::tasks::{Deliverable, Tasks};
use crate::trail::Trail;
use domain::access::AccessRules;
use domain::event::{LogEvent, Sequence};
use domain::inventory::Inventory;
use domain::time::Timestamp;
use std::sync::{Arc, Mutex};
use store::{Batch, Committed, Options, Retention, Store, Trimmed};

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
    /// With which keys they come.
    pub key_digests: KeyDigests,
    /// Makes what stands for agents that are servers elsewhere, of NETCONF or A2A; none if they cannot
    /// register.
    pub proxy: Option<Proxy>,
    /// What payloads are held to, and how that grows.
    pub schemas: SchemaSetup,
}

/// The engine; share it in an `Arc`.
pub struct Engine {
    pub(crate) store: Store,
    pub(crate) commits: Committer,
    pub(crate) access: Access,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) trail: Trail,
    pub(crate) registry: Registry,
    pub(crate) tasks: Tasks,
    pub(crate) deadlines: Arc<Deadlines>,
    pub(crate) hosting: Hosting,
    pub(crate) schemas: Arc<Schemas>,
    pub(crate) data: Arc<Entries>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) network: Network,
    pub(crate) cluster: Joined,
    pub(crate) console: ConsoleServed,
    pub(crate) policy: Arc<Policy>,
    pub(crate) limits: Limits,
    retention: Retention,
}

impl Engine {
    /// Opens the store and takes up what it holds. Agents are not briefed yet: see
    /// [`Engine::start`].
    ///
    /// # Errors
    /// [`store::OpenError`] if the state cannot be read, is locked by another process, or is
    /// damaged.
    pub fn open(setup: Setup) -> Result<Self, store::OpenError> {
        let view = Arc::new(View::keeping(setup.limits.read_bytes));
        let loads = Arc::new(Loads::default());
        let placement = Arc::new(Placement::over(setup.limits.shards));
        let settled = Arc::new(Settled::new(Arc::clone(&loads), Arc::clone(&placement)));
        let data = Arc::new(Entries::new(Arc::clone(&loads)));
        let directory = Arc::new(Directory::default());
        let (numbers, broken) = (Arc::new(Numbers::default()), Arc::new(Broken::default()));
        let (roster, in_here) = Roster::new(
            setup.agents,
            setup.default_agent,
            setup.seed,
            &directory,
            &setup.limits,
        );
        let agents = Agents::new(in_here, Arc::clone(&numbers), Arc::clone(&broken));
        let agents = Arc::new(agents);
        let outbox = Arc::new(Outbox::default());
        let pushes = Arc::new(Unstored::new(Arc::clone(&loads)));
        let recent = Arc::new(Recent::default());
        let deadlines = Arc::new(Deadlines::new(Arc::clone(&numbers)));
        let policy = Arc::new(Policy::new(Arc::clone(&outbox)));
        // Whoever waits for the disk, or follows the log, finds the rest as it is there.
        let observers: Vec<Arc<dyn CommitObserver>> = vec![
            Arc::clone(&loads) as _,
            Arc::clone(&view) as _,
            Arc::clone(&settled) as _,
            Arc::clone(&data) as _,
            Arc::clone(&directory) as _,
            Arc::clone(&agents) as _,
            Arc::clone(&outbox) as _,
            Arc::clone(&pushes) as _,
            Arc::clone(&policy) as _,
            Arc::clone(&recent) as _,
        ];
        let observers = Arc::new(Observers::new(observers));
        let told = Arc::clone(&observers);
        let on_commit = move |committed: &[Committed]| told.on_commit(committed);
        let (store, recovered) = Store::open(setup.store, Box::new(on_commit))?;
        let schemas = Schemas::open(setup.schemas, &store)?;
        policy.load(&store, &recovered)?;
        view.load(&recovered.tasks, recovered.counts.tasks, recovered.last);
        let feed = Feed::new(recent, store.clone(), recovered.last, recovered.log_began);
        let registered = recovered.registrations;
        for (index, stub) in roster.take_up(registered, setup.proxy.as_ref(), &directory) {
            agents.stand_for(index, stub);
        }
        let network = Network::new(&setup.inventory);
        let decided = Decided {
            teams: asking(&store, &recovered.negotiations)?,
            tasks: recovered.tasks,
            negotiations: recovered.negotiations,
        };
        let many = placement.shards();
        let shared = Shared::new(placement, Arc::clone(&deadlines), numbers, setup.inventory);
        let shared = Arc::new(shared);
        let shard = || Mutex::new(Shard::new(Arc::clone(&shared)));
        let shards = (0..many).map(|_| shard()).collect();
        let engine = Self {
            store,
            commits: Committer::new(outbox, observers),
            access: Access::new(setup.access),
            accounts: Arc::new(Accounts::new(setup.limits.users.clone())),
            trail: Trail::default(),
            registry: Registry::new(
                roster,
                directory,
                setup.credentials,
                setup.key_digests,
                setup.proxy,
            ),
            tasks: Tasks {
                shards,
                shared,
                settled,
                broken,
                view,
                loads,
                pushes,
                deliverable: setup.deliverable,
            },
            deadlines,
            hosting: Hosting::new(agents),
            schemas: Arc::new(schemas),
            data,
            feed: Arc::new(feed),
            network,
            cluster: Joined::default(),
            console: ConsoleServed::default(),
            policy,
            limits: setup.limits,
            retention: setup.retention,
        };
        engine.lock_all().take_in(decided);
        Ok(engine)
    }

    /// The store, for verification and statistics.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The log, for subscribers.
    pub fn feed(&self) -> &Arc<Feed> {
        &self.feed
    }

    /// The place of the last committed entry of the log.
    pub fn last_sequence(&self) -> Sequence {
        self.feed.last()
    }

    /// How long what has ended is kept, and how much of it.
    pub fn retention(&self) -> &Retention {
        &self.retention
    }

    /// Removes what has been kept long enough, or is too much, and leaves a signed checkpoint in
    /// the log; open tasks and what belongs to them stay.
    ///
    /// # Errors
    /// [`StoreFailure`]; what was removed until then stays removed.
    pub async fn trim(&self, now: Timestamp) -> Result<Trimmed, StoreFailure> {
        let trimmed = self.store.trim(now, &self.retention).await;
        self.feed.was_cut()?;
        let trimmed = trimmed?;
        if trimmed.tasks > 0 {
            self.tasks.view.forget(trimmed.tasks);
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
        self.tasks.view.tasks().counts()
    }
}
