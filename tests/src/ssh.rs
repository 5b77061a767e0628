//! A platform behind real SSH: sockets, keys and sessions as in operation.
//!
//! Time passes by itself here, so cases that advance time run in [`crate::memory`] only. Read next:
//! [`crate::conformance`].

use crate::cards;
use crate::cast;
use crate::cluster;
use crate::conformance::{Heard, Host, Opening, Patience, Wire};
use crate::console;
use crate::memory::BEGIN;
use crate::network;
use crate::node::Node;
use ::network::Simulation;
use bindings::netconf::SessionInfo;
use domain::time::Timestamp;
use engine::Credential;
use server::clock::Clock;
use server::config::{PlacesSettings, Settings};
use server::host::{Company, Endpoint, Home, Host as Platform};
use server::ssh::{HostKeyPolicy, Outbound, keys, split};
use server::state::StateFolder;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::generation;
use tokio::io::AsyncWriteExt;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use yang::{Generation, ModuleSet};

/// The time limit for something expected.
const PATIENCE: Duration = Duration::from_secs(15);

/// The time after which nothing is believed to be coming.
const GLANCE: Duration = Duration::from_millis(40);

/// The time for a server's first reaction to a message, before another session goes on.
const TURN: Duration = Duration::from_millis(400);

/// The time for sessions to come back to the next leader; some have ended and will not.
const RETURN: Duration = Duration::from_secs(2);

/// The most unread output of a server, in bytes.
const QUOTA_BYTES: usize = 256 << 20;

/// A platform with the cast of the cases, on ports of its own.
pub struct OverSsh {
    runtime: Rc<Runtime>,
    host: Arc<Platform>,
    node: Option<Arc<Mutex<Node>>>,
    /// True if the lead moves before each message.
    moves: bool,
    /// How many sessions there were.
    turn: usize,
    simulation: Arc<Mutex<Option<Simulation>>>,
    folder: tempfile::TempDir,
}

impl OverSsh {
    /// A fresh platform.
    ///
    /// # Panics
    /// If it does not start.
    pub fn new() -> Self {
        let runtime = Runtime::new().expect("threads can be had");
        let folder = tempfile::tempdir().expect("a folder can be made");
        let now = Timestamp::parse(BEGIN).expect("a literal");
        let company = Company {
            agents: cast::agents(now),
            posts: Default::default(),
            default_agent: "oss".to_owned(),
            access: cast::access(),
        };
        let settings = Settings {
            netconf: Some(([127, 0, 0, 1], 0).into()),
            agents_from: Some(0),
            webhook: PlacesSettings {
                allow: Some(vec![cast::REPORTS.to_owned()]),
                ..PlacesSettings::default()
            },
            limits: cast::limits(),
            ..Settings::default()
        };
        let host = runtime
            .block_on(Platform::with(
                Home::Folder(StateFolder::new(folder.path())),
                &settings,
                company,
                generation(),
                network::inventory(),
                Arc::new(Clock::standing(now)),
            ))
            .expect("a platform starts in an empty folder");
        let engine = Arc::clone(host.platform.engine());
        engine.start(now);
        network::open(&engine, now);
        console::open(&engine, now);
        let (mut introductions, introduced) = (cards::open(&engine), Arc::clone(&engine));
        runtime.spawn(async move {
            while let Some(wanted) = introductions.recv().await {
                cards::answer(&introduced, wanted, now).await;
            }
        });
        let simulation: Arc<Mutex<Option<Simulation>>> = Arc::default();
        let simulated = Arc::clone(&simulation);
        runtime.spawn(async move {
            loop {
                engine.outgoing_filled().await;
                for wanted in engine.acts_wanted() {
                    network::answer(&engine, wanted, now);
                }
                if let Some(simulation) = &mut *simulated.lock().expect("no holder panics") {
                    network::answer_faults(&engine, simulation, now);
                }
            }
        });
        host.open();
        Self {
            runtime: Rc::new(runtime),
            host: Arc::new(host),
            node: None,
            moves: false,
            turn: 0,
            simulation,
            folder,
        }
    }

    /// The same, with three nodes, of which one leads: each session is at the next of them.
    ///
    /// # Panics
    /// If it does not start.
    pub fn at_three_nodes() -> Self {
        let all = Self::new();
        let nodes = async { Node::before(&all.host).await.and_others(&all.host).await };
        let nodes = all.runtime.block_on(nodes);
        Self {
            node: Some(Arc::new(Mutex::new(nodes))),
            ..all
        }
    }

    /// The same, and the lead moves before each message.
    ///
    /// # Panics
    /// If it does not start.
    pub fn while_the_lead_moves() -> Self {
        Self {
            moves: true,
            ..Self::at_three_nodes()
        }
    }

    /// The address for the next session.
    fn next_address(&mut self, endpoint: &Endpoint) -> Option<SocketAddr> {
        let turn = self.turn;
        self.turn += 1;
        match &self.node {
            None => self.host.address_of(endpoint),
            Some(nodes) => {
                let nodes = nodes.lock().expect("no holder panics");
                nodes.address_at(turn, endpoint)
            }
        }
    }

    /// The key of a user, who is authorised at first use.
    fn key_of(&self, user: &str) -> Arc<server::ssh::PrivateKey> {
        let state = keys::StateKeys::open(self.folder.path()).expect("the folder is there");
        let is_agent = self.host.profiles.iter().any(|p| p.name == user);
        let key = match user {
            "operator" => state.operator(),
            agent if is_agent => state.agent(agent),
            guest => {
                let path = self.folder.path().join(format!("{guest}_ed25519"));
                let key = keys::load_or_generate(&path, guest);
                let folder = match cast::credential(guest) {
                    Some(Credential::Agent) => state.agents(),
                    _ => state.users(),
                };
                let public = folder.join(format!("{guest}.pub"));
                if let (Ok(key), false) = (&key, public.exists()) {
                    keys::write_public(&public, key.public_key())
                        .expect("the folder can be written");
                }
                key
            }
        };
        Arc::new(key.expect("keys are made when missing"))
    }
}

impl Default for OverSsh {
    fn default() -> Self {
        Self::new()
    }
}

impl Host for OverSsh {
    fn connect(&mut self, opening: &Opening) -> Box<dyn Wire> {
        let endpoint = cast::endpoint(&opening.endpoint);
        let address = self.next_address(&endpoint);
        let address = address.expect("every endpoint listens");
        let key = self.key_of(&opening.user);
        let keys = self.host.keys.as_ref().expect("there are listeners");
        let host_key = keys.host().expect("the host key is there");
        let trusted = match &self.node {
            None => HostKeyPolicy::KnownHosts(self.folder.path().join("known_hosts")),
            Some(_) => HostKeyPolicy::Exactly(host_key.public_key().clone()),
        };
        let stream = self
            .runtime
            .block_on(server::ssh::connect(
                &address.to_string(),
                &opening.user,
                &key,
                trusted,
            ))
            .expect("the user is let in");
        let _inside = self.runtime.enter();
        let (mut inbound, outbound) = split(stream, QUOTA_BYTES);
        let (sender, heard) = mpsc::unbounded_channel();
        let reader = self.runtime.spawn(async move {
            while let Ok(Some(bytes)) = inbound.receive().await {
                if sender.send(bytes).is_err() {
                    return;
                }
            }
        });
        Box::new(Channel {
            runtime: Rc::clone(&self.runtime),
            platform: Arc::clone(&self.host.platform),
            moving: self
                .node
                .clone()
                .filter(|_| self.moves)
                .map(|node| (node, Arc::clone(&self.host))),
            outbound: Some(outbound),
            reader,
            heard,
            early: Vec::new(),
            closed: false,
        })
    }

    fn advance(&mut self, _ms: u64) -> bool {
        false
    }

    fn simulate(&mut self) -> bool {
        let now = self.host.clock.now();
        *self.simulation.lock().expect("no holder panics") = Some(network::simulation(now));
        self.host.platform.engine().open_to_faults();
        self.host.platform.engine().open_to_referee();
        true
    }

    fn cluster(&mut self) -> bool {
        cluster::join(self.host.platform.engine());
        true
    }

    fn swap(&mut self, name: &str, module: &str) -> bool {
        let set = ModuleSet::convoke().with_text(name, module);
        let generation = Generation::load(&set).expect("the module of the case loads");
        self.host.platform.swap_generation(generation);
        true
    }

    fn schema(&self) -> Arc<Generation> {
        self.host.platform.generation()
    }
}

/// The client's end of a session.
struct Channel {
    runtime: Rc<Runtime>,
    platform: Arc<bindings::netconf::Platform>,
    /// The node whose lead moves before each message.
    moving: Option<(Arc<Mutex<Node>>, Arc<Platform>)>,
    outbound: Option<Outbound>,
    reader: tokio::task::JoinHandle<()>,
    heard: mpsc::UnboundedReceiver<Vec<u8>>,
    /// Input that arrived while the last message was being sent.
    early: Vec<u8>,
    closed: bool,
}

/// Waits until all of these sessions were taken up anew.
async fn are_back(host: &Platform, before: &[Arc<SessionInfo>]) {
    let is_back = |known: &Arc<SessionInfo>| {
        let now = host.platform.sessions(&Endpoint::Platform);
        now.iter()
            .any(|session| session.id == known.id && !Arc::ptr_eq(session, known))
    };
    while !before.iter().all(is_back) {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

impl Channel {
    fn hear(&mut self, patience: Duration) -> Option<Vec<u8>> {
        let Self { runtime, heard, .. } = self;
        let next = async { tokio::time::timeout(patience, heard.recv()).await };
        match runtime.block_on(next) {
            Ok(Some(bytes)) => Some(bytes),
            Ok(None) => {
                self.closed = true;
                None
            }
            Err(_) => None,
        }
    }
}

impl Wire for Channel {
    /// Waits until the server has reacted, or has had the time to: the next step of another session
    /// comes after it. Stops writing when the server closes.
    fn send(&mut self, bytes: &[u8]) {
        if let Some((node, host)) = &self.moving {
            let before = self.platform.sessions(&Endpoint::Platform);
            let mut node = node.lock().expect("no holder panics");
            self.runtime.block_on(async {
                node.moves(host).await;
                // A message may be about another session, and is then said once that is back.
                drop(tokio::time::timeout(RETURN, are_back(host, &before)).await);
            });
        }
        let Self {
            runtime,
            outbound: Some(outbound),
            heard,
            early,
            closed,
            ..
        } = self
        else {
            return;
        };
        runtime.block_on(async {
            let written = async {
                outbound.write_all(bytes).await?;
                outbound.flush().await
            };
            let mut written = std::pin::pin!(written);
            loop {
                tokio::select! {
                    _ = &mut written => break,
                    bytes = heard.recv() => match bytes {
                        Some(bytes) => early.extend(bytes),
                        None => {
                            *closed = true;
                            break;
                        }
                    }
                }
            }
        });
        if let Some(bytes) = self.hear(TURN) {
            self.early.extend(bytes);
        }
        // What nobody waits for, as a record of the audit trail, is there for the next step.
        let stored = self.platform.engine().flushed();
        let stored = async { tokio::time::timeout(PATIENCE, stored).await };
        self.runtime.block_on(stored).expect("the store works");
    }

    fn receive(&mut self, patience: Patience) -> Heard {
        if !self.early.is_empty() {
            return Heard::Bytes(std::mem::take(&mut self.early));
        }
        let patience = match patience {
            Patience::Expecting => PATIENCE,
            Patience::Looking => GLANCE,
        };
        match self.hear(patience) {
            Some(bytes) => Heard::Bytes(bytes),
            None if self.closed => Heard::Closed,
            None => Heard::Nothing,
        }
    }

    /// Drops the transport, and waits until the server has noticed: the next step of another
    /// session comes after it.
    fn close(&mut self) {
        let sessions =
            |platform: &bindings::netconf::Platform| platform.sessions(&Endpoint::Platform).len();
        let before = sessions(&self.platform);
        self.outbound = None;
        self.heard.close();
        self.reader.abort();
        let gone = async {
            while !self.closed && before > 0 && sessions(&self.platform) >= before {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        let _ = self
            .runtime
            .block_on(async { tokio::time::timeout(2 * TURN, gone).await });
    }
}
