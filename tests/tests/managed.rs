//! A network that is managed elsewhere: one platform runs the simulated network and no agents, another
//! (`convoke serve --ems`) has the agents and reaches the network by NETCONF alone.
//!
//! Both run many times as fast as time passes. The truth is the simulation's, which the second
//! platform cannot ask. What systems say badly is in `bindings::netconf::manager`. Read next:
//! `server::managed`.

#![allow(clippy::unwrap_used)]

mod support;

use arena::stage;
use domain::cause::Cause;
use domain::ems::{Ems, News};
use domain::inventory::Inventory;
use domain::time::Timestamp;
use engine::{Event, InjectFault};
use network::{Simulation, Truth};
use server::clock::Clock;
use server::config::Settings;
use server::host::{Endpoint, Home, Host};
use server::managed::survey;
use server::roster::Roster;
use server::ssh::keys::StateKeys;
use server::state::StateFolder;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::process::{Running, run};
use support::proxy::Proxy;
use support::{block_on, polska, within};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// How many times as fast as time passes both platforms run.
const SPEED: f64 = 600.0;
/// The time limit of any wait.
const LONGEST: Duration = Duration::from_secs(120);

/// What the simulation says of itself, for the test alone.
#[derive(Default)]
struct Seen {
    truth: Vec<Truth>,
}

/// A platform with the simulated network and nobody who works on it.
struct Field {
    folder: tempfile::TempDir,
    host: Arc<Host>,
    inventory: Arc<Inventory>,
    seen: Arc<Mutex<Seen>>,
    stop: oneshot::Sender<()>,
    life: JoinHandle<()>,
}

impl Field {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Clock::wall().at_speed(SPEED));
        let settings = polska();
        let simulation = stage::served(&settings, clock.now()).unwrap().unwrap();
        let inventory = simulation.documented_inventory();
        let home = Home::Folder(StateFolder::new(folder.path()));
        let nobody = Roster::default();
        let host = Host::start(home, &settings, nobody, Arc::clone(&inventory), clock).await;
        let host = Arc::new(host.unwrap());
        let mut world = arena::world(Arc::clone(&host), simulation, Box::new(|_| {}));
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let looked = Arc::clone(&seen);
        let look = move |simulation: &Simulation, _: Timestamp| {
            let mut seen = looked.lock().unwrap();
            seen.truth = simulation.truth().to_vec();
        };
        world.network_mut().observe(Box::new(look));
        let (stop, stopped) = oneshot::channel::<()>();
        world.begin().await;
        let life = tokio::spawn(async move {
            world.live(async { drop(stopped.await) }).await;
        });
        Self {
            folder,
            host,
            inventory,
            seen,
            stop,
            life,
        }
    }

    async fn end(self) {
        let _ = self.stop.send(());
        within("the end", self.life).await.unwrap();
    }

    fn address(&self, ems: Ems) -> std::net::SocketAddr {
        self.host.address_of(&Endpoint::Ems(ems)).unwrap()
    }

    async fn breaks(&self, kind: Cause) {
        let fault = InjectFault {
            kind: Some(kind),
            element: None,
            duration_s: None,
            severity: None,
        };
        let engine = self.host.platform.engine();
        let operator = engine.principal("operator");
        let execution = engine.execute(&operator, fault, self.host.clock.now());
        within("a fault", execution.outcome()).await.unwrap();
    }

    /// Waits until the last fault is mended.
    async fn mended(&self, number: usize) {
        let began = Instant::now();
        loop {
            let truth = self.seen.lock().unwrap().truth.get(number).cloned();
            if truth.as_ref().is_some_and(|t| t.restored_at.is_some()) {
                return;
            }
            assert!(began.elapsed() < LONGEST, "nobody mends {truth:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until a management system has been told of something that is wrong.
    async fn alarmed(&self, ems: Ems, since: u64) {
        let began = Instant::now();
        let stream = self.host.platform.engine().stream(&Endpoint::Ems(ems));
        let raised = |event: &Event| match event {
            Event::Reported(told) => matches!(&told.news, News::Alarm(alarm) if !alarm.cleared),
            _ => false,
        };
        while stream
            .after(since, 1_000)
            .unwrap()
            .iter()
            .filter(|e| raised(e))
            .count()
            < 2
        {
            assert!(began.elapsed() < LONGEST, "no alarm arrives");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The number of the last report of a management system.
    fn told(&self, ems: Ems) -> u64 {
        self.host
            .platform
            .engine()
            .stream(&Endpoint::Ems(ems))
            .last()
    }

    /// The settings that name its management systems at these addresses.
    fn ems_file(&self, folder: &Path, addresses: [(Ems, std::net::SocketAddr); 3]) -> PathBuf {
        let keys = StateKeys::open(self.folder.path()).unwrap();
        let host_key = keys.host().unwrap().public_key().to_openssh().unwrap();
        let key = keys.operator_path();
        let mut text = String::new();
        for (ems, address) in addresses {
            let domain = ems.domains()[0].as_str();
            writeln!(
                text,
                "[[ems]]\nname = \"{ems}\"\naddress = \"{address}\"\nuser = \"operator\"\n\
                 key = '{}'\nhost-key = \"{}\"\ndomain = \"{domain}\"\n",
                key.display(),
                host_key.trim(),
                ems = ems.as_str(),
            )
            .unwrap();
        }
        let file = folder.join("ems.toml");
        std::fs::write(&file, text).unwrap();
        file
    }

    fn addresses(&self) -> [(Ems, std::net::SocketAddr); 3] {
        Ems::ALL.map(|ems| (ems, self.address(ems)))
    }
}

/// Agents know the network of somebody else, find what was broken before they came and what breaks
/// while the connection is down, and have it mended.
#[test]
fn agents_mend_a_network_that_they_reach_by_netconf_alone() {
    block_on(async {
        let field = Field::start().await;
        let own = tempfile::tempdir().unwrap();
        let proxy = Proxy::before(field.address(Ems::Ip), 0).await;
        let mut addresses = field.addresses();
        for (ems, address) in &mut addresses {
            if *ems == Ems::Ip {
                *address = proxy.address();
            }
        }
        let file = field.ems_file(own.path(), addresses);

        // Before anybody listens: only the alarm list tells of it.
        let told = field.told(Ems::Ip);
        field.breaks(Cause::CardFailure).await;
        field.alarmed(Ems::Ip, told).await;
        let state = own.path().join("state");
        let speed = SPEED.to_string();
        let serve = ["serve", "--ems", file.to_str().unwrap(), "--speed", &speed];
        let agents = Running::start(&state, &serve).await;
        field.mended(0).await;

        // While the connection is down: the replay and the alarm list tell of it.
        proxy.part();
        proxy.cut();
        let told = field.told(Ems::Ip);
        field.breaks(Cause::CardFailure).await;
        field.alarmed(Ems::Ip, told).await;
        proxy.join();
        field.mended(1).await;

        assert!(agents.stop().await.success());
        field.end().await;
    });
}

/// The inventory that comes over NETCONF is the one that was documented.
#[test]
fn the_inventory_is_the_one_that_is_documented() {
    block_on(async {
        let field = Field::start().await;
        let own = tempfile::tempdir().unwrap();
        let file = field.ems_file(own.path(), field.addresses());
        let settings = Settings {
            ems: Some(server::config::ems::load(&file).unwrap()),
            ..Settings::default()
        };
        let clock = Arc::new(Clock::wall());
        let surveyed = within("a survey", survey(&settings, &clock)).await.unwrap();
        let (read, documented) = (surveyed.inventory(), &field.inventory);
        assert_eq!(read.elements.len(), documented.elements.len());
        for (id, element) in &documented.elements {
            let near = |a: f64, b: f64| (a - b).abs() < 1e-5;
            let other = &read.elements[id];
            assert!(near(other.position.0, element.position.0), "{id}");
            assert!(near(other.position.1, element.position.1), "{id}");
            let other = domain::inventory::Element {
                position: element.position,
                ..other.clone()
            };
            assert_eq!(&other, element);
        }
        assert_eq!(read.cores, documented.cores);
        assert_eq!(read.provinces, documented.provinces);
        assert_eq!(read.links.len(), documented.links.len());
        for (id, link) in &documented.links {
            let other = &read.links[id];
            assert_eq!((&other.a, &other.b), (&link.a, &link.b));
            assert_eq!(&other.ducts, &link.ducts);
            assert_eq!(
                (&other.optic_a, &other.optic_b),
                (&link.optic_a, &link.optic_b)
            );
        }
        for (id, cell) in &documented.cells {
            let other = &read.cells[id];
            assert_eq!(&other.neighbours, &cell.neighbours);
            assert_eq!(other.radio_unit, cell.radio_unit);
        }
        drop(surveyed);
        field.end().await;
    });
}

/// What is wrong with a file, and a management system that is not who it should be, are said in so
/// many words.
#[test]
fn what_cannot_be_trusted_is_refused_and_named() {
    block_on(async {
        let field = Field::start().await;
        let own = tempfile::tempdir().unwrap();
        let state = own.path().join("state");
        let good = std::fs::read_to_string(field.ems_file(own.path(), field.addresses())).unwrap();
        let file = own.path().join("changed.toml");
        let refused = async |text: &str| {
            std::fs::write(&file, text).unwrap();
            let serve = [
                "serve",
                "--ems",
                file.to_str().unwrap(),
                "--netconf",
                "127.0.0.1:0",
            ];
            let ended = run(&state, &serve).await;
            assert_ne!(ended.code, 0);
            ended.stderr
        };
        let lines = |change: &dyn Fn(&str) -> Option<String>| -> String {
            good.lines().filter_map(change).map(|l| l + "\n").collect()
        };
        let without = |key: &str| lines(&|l| (!l.starts_with(key)).then(|| l.to_owned()));
        let with = |key: &str, value: &str| {
            lines(&|l| {
                Some(match l.starts_with(key) {
                    true => format!("{key} = {value}"),
                    false => l.to_owned(),
                })
            })
        };
        let said = refused(&without("host-key")).await;
        assert!(
            said.contains("[[ems]] 'wireless': no host key is trusted"),
            "{said}"
        );
        let said = refused(&with("domain", "\"Optical\"")).await;
        assert!(
            said.contains("domain 'Optical' is none of Wireless, IP"),
            "{said}"
        );
        let said = refused(&with("user", "5")).await;
        assert!(
            said.contains("changed.toml:4: invalid type: integer"),
            "{said}"
        );
        let said = refused(&with("name", "\"one\"")).await;
        assert!(said.contains("there are two of this name"), "{said}");
        // Another host key than the one that is shown.
        let other = "\"SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU\"";
        std::fs::create_dir_all(&state).unwrap();
        std::fs::write(state.join("convoke.toml"), "ems-wait-s = 2\n").unwrap();
        let said = refused(&with("host-key", other)).await;
        assert!(
            said.contains("no management system has told of its network within 2 s"),
            "{said}"
        );
        assert!(said.contains("is not the one trusted (SHA256:"), "{said}");
        field.end().await;
    });
}
