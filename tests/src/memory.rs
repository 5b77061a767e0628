//! A platform in memory: engine, sessions and one clock, connected without sockets.
//!
//! Nothing sleeps: after each stimulus everything is stepped until it is idle, and time advances
//! only when a case says so. Schemas learn from payloads when time advances. Read next:
//! [`crate::conformance`].

use crate::cards;
use crate::cast;
use crate::cluster;
use crate::conformance::{Heard, Host, Opening, Patience, Wire};
use crate::console;
use crate::network;
use ::network::Simulation;
use bindings::background::{Background, Inline};
use bindings::netconf::{Flow, Peer, Platform, Session};
use domain::access::AccessRules;
use domain::time::Timestamp;
use engine::{Engine, IntroductionWanted, Limits, SchemaSetup, Setup};
use server::config::SchemaSettings;
use server::reading::ByWords;
use server::schemas;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use testkit::generation;
use tokio::runtime::Builder;
use tokio::sync::mpsc::Receiver;
use yang::{Generation, ModuleSet};

/// The instant at which every case begins.
pub const BEGIN: &str = "2026-11-21T08:00:00Z";

/// The evolution settings of the cases: as usual, but a cluster fires when two clients said the
/// same once each, or one client said it twice, as its own pool fires then.
const EVOLUTION: &str = "
[evolution.heat]
threshold = 15.0

[evolution.gates]
clients-min = 2
occurrences-min = 2

[evolution.gates.sybil]
age-min-ms = 0
";

/// The seed of the sealing key.
const SEAL_SEED: [u8; 32] = [7; 32];

/// Schemas that evolve as fast as in the cases.
pub fn growing() -> SchemaSettings {
    toml::from_str(EVOLUTION).expect("a literal")
}

fn schemas() -> SchemaSetup {
    schemas::evolving_in_memory(&growing(), &SEAL_SEED).expect("n-grams need nothing")
}

struct World {
    platform: Arc<Platform>,
    now: Timestamp,
    clock_ms: u64,
    /// The simulated network for fault injection, once a case asks for it.
    simulation: Option<Simulation>,
    /// Agents whose cards are to be fetched.
    introductions: Receiver<IntroductionWanted>,
    sessions: Vec<Joined>,
}

struct Joined {
    /// The session; none once it has ended.
    session: Option<Session>,
    output: Vec<u8>,
}

/// A platform in memory.
pub struct Memory {
    world: Rc<RefCell<World>>,
}

impl Memory {
    /// A fresh platform with the cast and the access rules of the cases.
    pub fn new() -> Self {
        Self::ruled(cast::access())
    }

    /// A fresh platform with other access rules.
    pub fn ruled(access: AccessRules) -> Self {
        Self::beside(access, Arc::new(Inline))
    }

    /// A fresh platform with this background executor.
    pub fn beside(access: AccessRules, background: Arc<dyn Background>) -> Self {
        let now = Timestamp::parse(BEGIN).expect("a literal");
        let engine = Engine::open(Setup {
            access,
            inventory: network::inventory(),
            seed: 1,
            limits: Limits {
                users: cast::limits().users(None),
                ..Limits::default()
            },
            deliverable: Box::new(cast::deliverable),
            credentials: Box::new(cast::credential),
            proxy: Some(Box::new(|_| Box::new(cast::Player::default()))),
            schemas: schemas(),
            retention: cast::retention(),
            ..testkit::setup(cast::agents(now))
        })
        .expect("a store in memory opens");
        engine.start(now);
        network::open(&engine, now);
        console::open(&engine, now);
        let introductions = cards::open(&engine);
        let platform = Arc::new(Platform::new(
            Arc::new(engine),
            generation(),
            Arc::new(ByWords::default()),
            background,
            now,
        ));
        Self {
            world: Rc::new(RefCell::new(World {
                platform,
                now,
                clock_ms: 0,
                simulation: None,
                introductions,
                sessions: Vec::new(),
            })),
        }
    }

    /// The state shared by the sessions.
    pub fn platform(&self) -> Arc<Platform> {
        Arc::clone(&self.world.borrow().platform)
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// Steps everything until it is idle. The empty commit is a barrier: the store has executed
    /// everything queued before it. Requires two idle rounds, since a step of the first may have
    /// queued something that only the second notices.
    fn settle(&mut self) {
        let mut quiet = 0;
        while quiet < 2 {
            let barrier = self
                .platform
                .engine()
                .store()
                .commit(store::Batch::default());
            barrier.wait().expect("a store in memory commits");
            quiet = if self.round() { 0 } else { quiet + 1 };
        }
    }

    /// Learns from payloads, and announces templates that were added or removed.
    fn learn(&mut self) {
        let engine = Arc::clone(self.platform.engine());
        let before = engine.schema_modules();
        let runtime = Builder::new_current_thread().build();
        let learnt = runtime
            .expect("a thread is there")
            .block_on(engine.evolve(self.now));
        learnt.expect("a store in memory commits");
        let modules = engine.schema_modules();
        if modules != before {
            let generation = schemas::generation(&modules).expect("what is published compiles");
            self.platform.swap_generation(generation);
        }
    }

    fn round(&mut self) -> bool {
        let engine = Arc::clone(self.platform.engine());
        let wanted = engine.acts_wanted();
        let mut moved = !wanted.is_empty();
        for wanted in wanted {
            network::answer(&engine, wanted, self.now);
        }
        if let Some(simulation) = &mut self.simulation {
            moved |= network::answer_faults(&engine, simulation, self.now);
        }
        while let Ok(wanted) = self.introductions.try_recv() {
            let runtime = Builder::new_current_thread().build();
            let runtime = runtime.expect("a thread is there");
            runtime.block_on(cards::answer(&engine, wanted, self.now));
            moved = true;
        }
        for joined in &mut self.sessions {
            while let Some(session) = &mut joined.session {
                let flow = session.step(self.now, self.clock_ms);
                let bytes = session.transmit();
                moved |= !bytes.is_empty();
                joined.output.extend(bytes);
                match flow {
                    Flow::Again => {}
                    Flow::Wait => break,
                    Flow::Close => {
                        joined.session.take().expect("just stepped").leave(self.now);
                        moved = true;
                    }
                }
            }
        }
        moved
    }
}

impl Host for Memory {
    fn connect(&mut self, opening: &Opening) -> Box<dyn Wire> {
        let mut world = self.world.borrow_mut();
        let endpoint = cast::endpoint(&opening.endpoint);
        let peer = Peer {
            user: opening.user.clone(),
            source_host: "127.0.0.1".to_owned(),
        };
        let session = Session::open(&world.platform, endpoint, &peer, world.now, world.clock_ms);
        world.sessions.push(Joined {
            session: Some(session),
            output: Vec::new(),
        });
        Box::new(Joint {
            world: Rc::clone(&self.world),
            place: world.sessions.len() - 1,
        })
    }

    fn advance(&mut self, ms: u64) -> bool {
        let mut world = self.world.borrow_mut();
        let until = world.now + ms as i64;
        loop {
            world.settle();
            let due = world
                .platform
                .engine()
                .next_wakeup()
                .filter(|at| *at <= until);
            let at = due.unwrap_or(until).max(world.now);
            world.clock_ms += (at - world.now) as u64;
            world.now = at;
            let engine = Arc::clone(world.platform.engine());
            engine.tick(at);
            if due.is_none() {
                break;
            }
        }
        world.settle();
        world.learn();
        world.settle();
        true
    }

    fn simulate(&mut self) -> bool {
        let mut world = self.world.borrow_mut();
        world.platform.engine().open_to_faults();
        world.platform.engine().open_to_referee();
        world.simulation = Some(network::simulation(world.now));
        true
    }

    fn cluster(&mut self) -> bool {
        cluster::join(self.world.borrow().platform.engine());
        true
    }

    fn swap(&mut self, name: &str, module: &str) -> bool {
        let set = ModuleSet::convoke().with_text(name, module);
        let generation = Generation::load(&set).expect("the module of the case loads");
        self.world.borrow().platform.swap_generation(generation);
        true
    }

    fn schema(&self) -> Arc<Generation> {
        self.world.borrow().platform.generation()
    }
}

/// The client's end of a session in memory.
struct Joint {
    world: Rc<RefCell<World>>,
    place: usize,
}

impl Wire for Joint {
    fn send(&mut self, bytes: &[u8]) {
        let mut world = self.world.borrow_mut();
        let clock_ms = world.clock_ms;
        if let Some(session) = &mut world.sessions[self.place].session {
            session.receive(bytes, clock_ms);
        }
        world.settle();
    }

    fn receive(&mut self, _patience: Patience) -> Heard {
        let mut world = self.world.borrow_mut();
        world.settle();
        let joined = &mut world.sessions[self.place];
        match (joined.output.is_empty(), &joined.session) {
            (false, _) => Heard::Bytes(std::mem::take(&mut joined.output)),
            (true, Some(_)) => Heard::Nothing,
            (true, None) => Heard::Closed,
        }
    }

    fn close(&mut self) {
        let mut world = self.world.borrow_mut();
        let now = world.now;
        if let Some(session) = world.sessions[self.place].session.take() {
            session.leave(now);
        }
        world.settle();
    }
}
