//! From settings, agents and a place for the state to a running [`Host`].
//!
//! Files are checked before anything is opened, and sockets are bound before the store is. Read
//! next: `listeners`, `roster`.

use super::check::doubts;
use super::housekeeping;
use super::http_server::{self, HttpBackend};
use super::listeners::{authenticator, bind, make_known};
use super::roster::{default_agent, hosted, profiles};
use super::{Company, Entrance, Home, Host, Listening, StartError};
use crate::a2a;
use crate::access;
use crate::clock::Clock;
use crate::config::Settings;
use crate::console;
use crate::fair::FairShares;
use crate::http;
use crate::kept;
use crate::memory::{self, MemoryMeter};
use crate::outside::Watched;
use crate::pool;
use crate::reading::ByWords;
use crate::restconf;
use crate::revocation::{KeyHolders, KeyWatcher, Seen};
use crate::roster::Roster;
use crate::schemas;
use crate::session;
use crate::sign_in::SignIn;
use crate::ssh::keys::StateKeys;
use crate::ssh::{Authenticator, ByteStream, ConnectionLimiter, SshListener};
use crate::state::{NameError, StateFolder};
use crate::trail::{self, Witnessed};
use crate::webhook::{self, AllowList};
use crate::writable;
use bindings::netconf::{Peer, Platform};
use domain::inventory::Inventory;
use domain::profile::Profile;
use domain::registry::Reach;
use domain::time::Timestamp;
use engine::{Credentials, Endpoint, Engine, KeyDigests, Setup};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::Options as StoreOptions;
use tokio::sync::watch;
use tracing::{info, warn};
use yang::{Generation, ModuleSet};

impl Host {
    /// Composes a platform. Agents are not briefed yet: see [`crate::runtime::Runtime`].
    ///
    /// # Errors
    /// [`StartError`]
    pub async fn start(
        home: Home,
        settings: &Settings,
        roster: Roster,
        inventory: Arc<Inventory>,
        clock: Arc<Clock>,
    ) -> Result<Self, StartError> {
        let seen = seen(&home);
        let generation = Generation::load(&ModuleSet::convoke())?;
        roster.check(settings)?;
        let files = profiles(settings, &roster, &generation)?;
        let default_agent = default_agent(&files, &roster)?;
        let now = clock.now();
        let posts = files
            .iter()
            .map(|f| (f.profile.name.clone(), f.post.clone()));
        let posts = posts.collect();
        let roster = Arc::new(roster);
        let hosted = |file| hosted(file, &roster, now);
        let agents = files.into_iter().map(hosted).collect();
        let access = match home.folder() {
            Some(folder) => {
                writable::check(folder)?;
                settings.check(folder)?;
                StateKeys::open(folder.path())?;
                let access = access::load(&folder.access())?;
                for doubt in doubts(folder, &access) {
                    warn!("{doubt}");
                }
                access
            }
            None => access::parse("access.toml", access::SHIPPED)?,
        };
        let company = Company {
            agents,
            posts,
            default_agent,
            access,
        };
        Self::put_together(home, seen, settings, company, generation, inventory, clock).await
    }

    /// Composes a platform with any agents and access rules.
    ///
    /// # Errors
    /// [`StartError`]
    pub async fn with(
        home: Home,
        settings: &Settings,
        company: Company,
        generation: Arc<Generation>,
        inventory: Arc<Inventory>,
        clock: Arc<Clock>,
    ) -> Result<Self, StartError> {
        let seen = seen(&home);
        Self::put_together(home, seen, settings, company, generation, inventory, clock).await
    }

    /// Composes a platform; `seen` is the state of the files in the folder before the first of them
    /// was read.
    async fn put_together(
        home: Home,
        seen: Option<Seen>,
        settings: &Settings,
        mut company: Company,
        generation: Arc<Generation>,
        inventory: Arc<Inventory>,
        clock: Arc<Clock>,
    ) -> Result<Self, StartError> {
        // Reports are signed with the host key, which only a folder has.
        let allowed = match home.folder() {
            Some(_) => settings.webhook.allowed("webhook")?,
            None => AllowList::default(),
        };
        let (store, keys, listeners, http_server) = match home.folder() {
            Some(folder) => {
                settings.check(folder)?;
                let keys = StateKeys::open(folder.path())?;
                let (listeners, http_server) = match home.seat() {
                    Some(_) => (Vec::new(), None),
                    None => {
                        let managed = !inventory.elements.is_empty();
                        let agents = company.agents.iter();
                        let agents: Vec<&str> = agents.map(|a| a.profile.name.as_str()).collect();
                        let default_agent = &company.default_agent;
                        let listeners = bind(&keys, settings, default_agent, &agents, managed)?;
                        let http_server = settings.http.address().map(http::HttpListener::bind);
                        (listeners, http_server.transpose()?)
                    }
                };
                let options = kept::options(folder, settings, keys.host()?, clock.now())?;
                let store = StoreOptions {
                    verify: kept::verified_beside(settings),
                    // A node locks its folder itself, for as long as it lives.
                    lock: options.lock.filter(|_| home.seat().is_none()),
                    lease: home.seat().map(|seat| seat.lease.clone()),
                    ..options
                };
                (store, Some(keys), listeners, http_server)
            }
            None => (StoreOptions::memory(), None, Vec::new(), None),
        };
        let (open, opening) = watch::channel(false);
        let listeners = listeners.into_iter();
        let listeners = listeners.map(|(of, it)| (of, it.once_open(&opening)));
        let listeners: Vec<_> = listeners.collect();
        let http_server = http_server.map(|it| it.once_open(&opening));
        let credentials = credentials(&home, &company)?;
        // A host in memory is a test or a simulation, whose memory is not limited.
        let memory_max = settings.limits.memory_mib.map(|mib| mib << 20);
        let meter = home.folder().map(|_| MemoryMeter::new(memory_max));
        let memory = meter.as_ref().and_then(MemoryMeter::most);
        let (listening, http) = match home.seat() {
            Some(seat) => (seat.listening.clone(), seat.http),
            None => (
                listeners.iter().map(|(l, _)| l.clone()).collect(),
                http_server.as_ref().map(|it| settings.http.listening(it)),
            ),
        };
        let now = clock.now();
        for agent in &mut company.agents {
            let endpoint = Endpoint::Agent(agent.profile.name.clone());
            let listening = listening.iter().find(|l| l.endpoint == endpoint);
            if let (None, Some(listening)) = (&agent.endpoint, listening) {
                agent.endpoint = Some(listening.address.to_string());
            }
        }
        let engine = Engine::open(Setup {
            store,
            access: company.access,
            agents: company.agents,
            default_agent: company.default_agent,
            inventory,
            seed: settings.seed.unwrap_or(0),
            limits: settings.bounds(memory),
            retention: settings.retention.retention(),
            deliverable: webhook::deliverable(allowed.clone()),
            credentials,
            key_digests: key_digests(&home),
            proxy: Some(Box::new(crate::remote::proxy)),
            schemas: match &keys {
                Some(keys) => schemas::evolving(&settings.schemas, &keys.host()?)?,
                None => schemas::fixed(),
            },
        });
        let engine = engine.map_err(|cause| match home.folder() {
            Some(folder) if cause.may_be_accepted() => StartError::Doubt {
                cause,
                folder: folder.path().to_owned(),
                database: settings.store.url.clone(),
            },
            _ => cause.into(),
        })?;
        // The state is ours by now: until then, clients of another that runs on it need what is there. A node
        // has told them where its own sockets are.
        if let Some(keys) = keys.as_ref().filter(|_| home.seat().is_none()) {
            make_known(keys, &listening)?;
        }
        if let Some(latest) = latest(&engine)? {
            clock.not_before(latest);
        }
        // The templates that are published by now add their modules to it.
        drop(generation);
        let generation = schemas::generation(&engine.schema_modules())?;
        let workers = pool::workers().map_err(StartError::Threads)?;
        let reader = Arc::new(ByWords::default());
        let platform = Platform::new(Arc::new(engine), generation, reader, workers, now);
        let platform = Arc::new(platform);
        let mut host = Self {
            profiles: hosted_profiles(platform.engine()),
            posts: company.posts,
            platform,
            clock,
            listening,
            http,
            keys,
            patience: settings.limits.patience(),
            shares: Arc::new(FairShares::of_this_machine()),
            serving: Vec::new(),
            http_server: None,
            housekeeping: None,
            learning: None,
            revocation: None,
            memory: None,
            deliveries: None,
            outside: None,
            entrance: None,
            open,
        };
        if let Some(meter) = meter {
            let short = host.platform.engine().accounts().short_of_memory();
            host.memory = Some(memory::watch(meter, Arc::clone(short)));
        }
        host.encrypt_what_is_plain();
        host.housekeeping = Some(housekeeping::start(
            Arc::clone(host.platform.engine()),
            Arc::clone(&host.clock),
        ));
        if host.keys.is_some() {
            host.learning = Some(schemas::learn(
                Arc::clone(&host.platform),
                Arc::clone(&host.clock),
            ));
        }
        let pushes = !allowed.is_empty();
        if let (Some(folder), true) = (home.folder(), pushes) {
            host.deliver(folder, settings, allowed).await?;
        }
        if let Some(folder) = home.folder() {
            host.outside = Watched::begin(settings, folder, &host.platform, &host.clock)?;
        }
        let watcher = match (home.folder(), seen) {
            (Some(folder), Some(seen)) => {
                let engine = host.platform.engine();
                Some(KeyWatcher::begin(folder, seen, engine, &host.clock)?)
            }
            _ => None,
        };
        let watched = watcher.as_ref().map(KeyWatcher::watched);
        let gate = listeners.first().map(|(_, it)| Arc::clone(it.limiter()));
        // Without listeners of its own it serves those who are connected to other nodes.
        let gate = gate.unwrap_or_else(|| ConnectionLimiter::new(settings.limits.limiter()));
        host.serve(listeners, watcher, &gate)?;
        if let (Some(folder), Some(listening), Some(watched)) = (home.folder(), host.http, &watched)
        {
            let served = HttpBackend {
                platform: &host.platform,
                clock: &host.clock,
                shares: &host.shares,
            };
            let HttpBackend {
                platform, clock, ..
            } = served;
            let chosen = &settings.a2a;
            let mount = |router, issuer: &_| {
                let url = chosen.url(listening);
                let sign_in = SignIn::of(folder);
                // Before A2A, whose the root is for all but browsers.
                let router = console::mounted(router, &sign_in, clock);
                let router = restconf::mounted(router, platform, clock, &url);
                a2a::mounted(router, platform, clock, chosen, listening, issuer, pushes)
            };
            let opened =
                http_server::open(http_server, &settings.http, folder, &served, watched, mount)?;
            if let Some(entrance) = &mut host.entrance {
                entrance.http = Some(opened.forwarded());
            }
            host.http_server = Some(opened);
        }
        Ok(host)
    }

    /// Encrypts formerly plain payloads in the background.
    fn encrypt_what_is_plain(&self) {
        let store = self.platform.engine().store();
        let due = store
            .encryption()
            .is_ok_and(|e| e.data_key.is_some() && !e.whole);
        if due {
            let encrypted = store.reencrypt();
            tokio::spawn(async move {
                match encrypted.await {
                    Ok(done) => info!(store.rows = done.rows, "{} rows were encrypted", done.rows),
                    Err(cause) => warn!("what is plain was not encrypted: {cause}"),
                }
            });
        }
    }

    async fn deliver(
        &mut self,
        folder: &StateFolder,
        settings: &Settings,
        allowed: AllowList,
    ) -> Result<(), StartError> {
        let deliveries = webhook::start(
            Arc::clone(self.platform.engine()),
            allowed,
            settings.webhook.ca_file.as_deref(),
            StateKeys::open(folder.path())?.host()?,
            folder,
            Arc::clone(&self.clock),
        );
        self.deliveries = Some(deliveries.await?);
        Ok(())
    }

    fn serve(
        &mut self,
        listeners: Vec<(Listening, SshListener)>,
        watcher: Option<KeyWatcher>,
        limiter: &Arc<ConnectionLimiter>,
    ) -> Result<(), StartError> {
        let (Some(keys), Some(watcher)) = (&self.keys, watcher) else {
            return Ok(());
        };
        let agents = self.profiles.iter().map(|profile| profile.name.as_str());
        let authenticator: Arc<dyn Authenticator> = Arc::new(Witnessed {
            authenticator: authenticator(keys, agents)?,
            trail: trail::of(self.platform.engine(), &self.clock),
        });
        self.entrance = Some(Entrance {
            platform: Arc::clone(&self.platform),
            clock: Arc::clone(&self.clock),
            patience: self.patience,
            shares: Arc::clone(&self.shares),
            authenticator: Arc::clone(&authenticator),
            limiter: Arc::clone(limiter),
            http: None,
            store_head: StateFolder::new(keys.folder()).store_head(),
            endpoints: self.listening.iter().map(|l| l.endpoint.clone()).collect(),
        });
        let logins = limiter.logins();
        logins.heed(Arc::clone(self.platform.engine().accounts()));
        self.revocation = Some(watcher.watch(KeyHolders {
            authenticator: Arc::clone(&authenticator),
            logins: Arc::clone(logins),
        }));
        for (listening, listener) in listeners {
            let (platform, clock) = (Arc::clone(&self.platform), Arc::clone(&self.clock));
            let (patience, shares) = (self.patience, Arc::clone(&self.shares));
            let endpoint = listening.endpoint;
            let subsystem = move |stream: ByteStream, peer: crate::ssh::SshPeer| {
                let share = shares.of(&peer.principal);
                let login = peer.login;
                let peer = Peer {
                    user: peer.principal,
                    source_host: peer.address.ip().to_string(),
                };
                share.run(session::serve(
                    stream,
                    Arc::clone(&platform),
                    endpoint.clone(),
                    peer,
                    Arc::clone(&clock),
                    patience,
                    login,
                ))
            };
            self.serving
                .push(listener.serve(authenticator.clone(), Arc::new(subsystem)));
        }
        Ok(())
    }
}

/// The present state of the files of a folder.
fn seen(home: &Home) -> Option<Seen> {
    home.folder().map(Seen::of)
}

/// The profiles of the agents that are hosted here.
fn hosted_profiles(engine: &Engine) -> Vec<Arc<Profile>> {
    let registrations = engine.registrations().into_iter();
    let hosted = registrations.filter(|r| r.reach == Reach::Hosted);
    hosted.map(|r| Arc::clone(&r.profile)).collect()
}

/// The time of the last entry of the log; nothing may happen before it.
fn latest(engine: &Engine) -> Result<Option<Timestamp>, StartError> {
    let feed = engine.feed();
    let last = feed.after(feed.last().saturating_sub(1), 1)?;
    Ok(last.first().map(|entry| entry.time))
}

/// The lookup of names other than those of hosted agents.
fn credentials(home: &Home, company: &Company) -> Result<Credentials, NameError> {
    let Some(folder) = home.folder() else {
        return Ok(Box::new(|_| None));
    };
    let names = company.agents.iter().map(|a| a.profile.name.clone());
    let hosted: BTreeSet<String> = names.collect();
    folder.check_agents(hosted.iter().map(String::as_str))?;
    let folder = folder.clone();
    Ok(Box::new(move |name| {
        folder.credential(name).filter(|_| !hosted.contains(name))
    }))
}

/// The lookup of the keys with which users and agents elsewhere come.
fn key_digests(home: &Home) -> KeyDigests {
    let folder = home.folder().cloned();
    Box::new(move |name| folder.as_ref()?.credential_digest(name))
}
