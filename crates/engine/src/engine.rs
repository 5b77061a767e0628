//! The engine, put together of its organs, each of which owns its state.
//!
//! Read next: [`crate::execute`], what it is asked; [`crate::drive`], what time and the world bring.

use crate::accounts::Accounts;
use crate::commit::outbox::Outbox;
use crate::data::entries::Entries;
use crate::feed::{Feed, Recent};
use crate::limits::Limits;
use crate::refusal::Refusal;
use crate::registry::Credentials;
use crate::registry::places::Places;
use crate::registry::roster::{Hosted, Proxy, Roster};
use crate::schemas::{SchemaSetup, Schemas};
use crate::tasks::teams::Teams;
use crate::tasks::view::{Counts, View};
use crate::tasks::work::{Settled, Work};
use domain::access::AccessRules;
use domain::audit::Tally;
use domain::event::LogEvent;
use domain::inventory::Inventory;
use domain::task::Subscription;
use domain::time::Timestamp;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, RwLock};
use store::{Batch, Options, Retention, Store, Trimmed};

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

/// The engine; share it in an `Arc`.
pub struct Engine {
    pub(crate) store: Store,
    pub(crate) access: RwLock<Arc<AccessRules>>,
    pub(crate) roster: Roster,
    pub(crate) places: Arc<Places>,
    pub(crate) teams: Arc<Teams>,
    pub(crate) entries: Arc<Entries>,
    pub(crate) credentials: Credentials,
    pub(crate) view: Arc<View>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) work: Mutex<Work>,
    pub(crate) outbox: Arc<Outbox>,
    /// True if agents in here step beside the decisions.
    pub(crate) beside: AtomicBool,
    /// Counts the batches for which something waits.
    pub(crate) marks: AtomicU64,
    /// How many pieces of telemetry made room for newer ones.
    pub(crate) dropped: AtomicU64,
    /// How many steps did not return in time.
    pub(crate) given_up: AtomicU64,
    /// Whether a decision panicked.
    pub(crate) broken: crate::commit::lock::Broken,
    /// Requests about faults, while somebody runs a simulated network.
    pub(crate) faults: crate::network::faults::Waiting,
    pub(crate) management: crate::network::ems::Management,
    /// Who looks at the cards of A2A agents; nobody at first.
    pub(crate) introductions: crate::registry::introduction::Introductions,
    /// How many operations were denied.
    pub(crate) denials: AtomicU32,
    pub(crate) unstored_pushes: Arc<crate::tasks::push::unstored::Unstored>,
    /// What of the audit trail is gathered.
    pub(crate) trail: Mutex<Tally>,
    /// What of it is not known to be on disk.
    pub(crate) unstored: Mutex<crate::trail::Unstored>,
    /// How many decisions that were not stored have been taken back.
    pub(crate) taken_back: AtomicU64,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) limits: Limits,
    retention: Retention,
    pub(crate) deliverable: Deliverable,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) schemas: Arc<Schemas>,
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
        let unstored_pushes = Arc::new(crate::tasks::push::unstored::Unstored::default());
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
        let management = crate::network::ems::Management::new(&setup.inventory);
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
            broken: crate::commit::lock::Broken::default(),
            faults: Mutex::default(),
            management,
            introductions: crate::registry::introduction::Introductions::default(),
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
}
