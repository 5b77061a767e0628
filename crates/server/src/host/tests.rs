//! The watching tasks of a platform, and the consequences of their end.

use super::listeners::authenticator;
use super::*;
use crate::client::{Client, Identity};
use crate::config::Settings;
use crate::revocation::{KeyHolders, KeyWatcher, Seen};
use crate::roster::Roster;
use crate::runtime::Runtime;
use crate::ssh::{ConnectionLimiter, HostKeyPolicy};
use domain::access::Action;
use domain::agent::{Agent, Input, Output};
use domain::telemetry::Telemetry;
use domain::time::{SeededRng, Timestamp};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use yang::{Generation, ModuleSet};

async fn started(folder: &StateFolder) -> Host {
    let settings = "netconf = \"127.0.0.1:0\"\nagents-from = 0\n";
    let settings: Settings = toml::from_str(settings).unwrap();
    let (home, clock) = (Home::Folder(folder.clone()), Arc::new(Clock::wall()));
    let host = Host::start(home, &settings, Roster::default(), Arc::default(), clock);
    let host = host.await.unwrap();
    host.open();
    host
}

/// Agents are briefed before anybody asks them anything.
#[tokio::test]
async fn clients_wait_until_a_platform_is_open() {
    let state = tempfile::tempdir().unwrap();
    let settings = "netconf = \"127.0.0.1:0\"\nagents-from = 0\n[http]\nlisten = \"127.0.0.1:0\"\n";
    let settings: Settings = toml::from_str(settings).unwrap();
    let (home, clock) = (
        Home::Folder(StateFolder::new(state.path())),
        Arc::new(Clock::wall()),
    );
    let host = Host::start(home, &settings, Roster::default(), Arc::default(), clock);
    let host = host.await.unwrap();
    let mut clients = Vec::new();
    for (address, said, greeting) in [
        (host.listening[0].address, &b""[..], b"SSH-"),
        (
            host.http.unwrap().address,
            b"GET /livez HTTP/1.0\r\n\r\n",
            b"HTTP",
        ),
    ] {
        let mut client = tokio::net::TcpStream::connect(address).await.unwrap();
        client.write_all(said).await.unwrap();
        let mut first = [0; 4];
        let early = tokio::time::timeout(Duration::from_millis(300), client.read(&mut first)).await;
        assert!(early.is_err(), "{address} says {early:?}");
        clients.push((client, greeting));
    }
    host.open();
    for (mut client, greeting) in clients {
        let mut first = [0; 4];
        client.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, greeting);
    }
    host.stop().await;
}

/// Without its watching tasks nobody checks keys, or memory.
#[tokio::test]
async fn a_platform_whose_watchers_end_has_failed() {
    let state = tempfile::tempdir().unwrap();
    let folder = StateFolder::new(state.path());
    for (watcher, told) in [
        (0, "whether keys were taken away"),
        (1, "whether memory is short"),
    ] {
        let host = started(&folder).await;
        assert_eq!(host.has_failed(), None);
        // As it ends when what it does panics.
        let watchers = [&host.revocation, &host.memory];
        watchers[watcher].as_ref().unwrap().abort();
        let why = host.failed().await;
        assert!(why.contains(told), "{why}");
        host.stop().await;
    }
}

/// A change of a file between the first check of its state and its reading, or later, is noticed.
#[tokio::test]
async fn what_changes_while_a_platform_starts_is_seen() {
    let state = tempfile::tempdir().unwrap();
    let folder = StateFolder::new(state.path());
    let host = started(&folder).await;
    // The test looks by itself.
    host.revocation.as_ref().unwrap().abort();
    let seen = Seen::of(&folder);
    let before = host.platform.engine().access();
    let rules = std::fs::read_to_string(folder.access()).unwrap();
    let others = rules.replace("\"operator\"", "\"nobody-any-more\"");
    std::fs::write(folder.access(), &others).unwrap();
    let mut watcher =
        KeyWatcher::begin(&folder, seen, host.platform.engine(), &host.clock).unwrap();
    let keys = host.keys.as_ref().unwrap();
    watcher.look(&KeyHolders {
        authenticator: Arc::new(
            authenticator(keys, host.profiles.iter().map(|it| it.name.as_str())).unwrap(),
        ),
        logins: Arc::clone(ConnectionLimiter::new(Default::default()).logins()),
    });
    assert_ne!(host.platform.engine().access(), before);
    host.stop().await;
}

/// The last listener admits nobody while sessions at the first are disconnected, and as long as
/// there is a session, keys and memory are watched.
#[tokio::test]
async fn whoever_stops_closes_every_listener_first() {
    let state = tempfile::tempdir().unwrap();
    let host = started(&StateFolder::new(state.path())).await;
    assert!(host.listening.len() > 1);
    host.begin_stop();
    for listening in &host.listening {
        while tokio::net::TcpStream::connect(listening.address)
            .await
            .is_ok()
        {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(host.has_failed(), None, "the watchers are at work");
    host.stop().await;
}

/// RFC 6241 §7.9: the connection of a killed session is closed, although its client holds it.
#[tokio::test]
async fn the_connection_of_a_killed_session_is_closed() {
    let state = tempfile::tempdir().unwrap();
    let host = started(&StateFolder::new(state.path())).await;
    let address = host.address_of(&Endpoint::Platform).unwrap().to_string();
    let operator = Identity::operator(state.path());
    let mut client = Client::connect(&address, &operator).await.unwrap();
    let first = host.platform.sessions(&Endpoint::Platform)[0].id;
    let keys = StateKeys::open(state.path()).unwrap();
    let key = Arc::new(keys.operator().unwrap());
    let trusted = HostKeyPolicy::Exactly(keys.host().unwrap().public_key().clone());
    let victim = crate::ssh::connect(&address, "operator", &key, trusted).await;
    let victim = victim.unwrap();
    let sessions = || host.platform.sessions(&Endpoint::Platform);
    testkit::eventually("it is there", || sessions().len() == 2).await;
    let number = sessions().iter().map(|it| it.id).find(|it| *it != first);
    let number = number.unwrap();
    let kill = format!("<kill-session><session-id>{number}</session-id></kill-session>");
    client.call(&kill).await.unwrap();
    let limiter = &host.entrance.as_ref().unwrap().limiter;
    let is_closed = || limiter.counts().sessions == 1;
    testkit::eventually("its connection is closed", is_closed).await;
    client
        .call("<get-config><source><running/></source></get-config>")
        .await
        .unwrap();
    drop((victim, client));
    host.stop().await;
}

/// Fails at any telemetry.
struct Failing;

impl Agent for Failing {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Telemetry(_) => panic!("the agent fails"),
            _ => Vec::new(),
        }
    }
}

/// The only agent, whose failure makes a decision panic, as it cannot be recreated.
fn company(now: Timestamp) -> Company {
    Company {
        agents: vec![Hosted {
            profile: Arc::new(testkit::profile("worker")),
            agent: Box::new(Failing),
            again: Some(Box::new(|| panic!("a decision fails"))),
            endpoint: None,
            registered_at: now,
        }],
        posts: BTreeMap::new(),
        default_agent: "worker".to_owned(),
        access: AccessRules {
            enabled: true,
            read_default: Action::Permit,
            write_default: Action::Permit,
            exec_default: Action::Permit,
            groups: BTreeMap::new(),
            lists: Vec::new(),
        },
    }
}

/// The head of the response about the platform's liveness.
async fn livez(host: &Host) -> String {
    let address = host.http.unwrap().address;
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = format!("GET /livez HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// A decision that panics ends the platform with the reason and in order, despite open sessions,
/// and meanwhile the liveness check fails.
#[tokio::test]
async fn a_platform_whose_decision_panics_says_why_and_ends() {
    let state = tempfile::tempdir().unwrap();
    let folder = StateFolder::new(state.path());
    let settings = "netconf = \"127.0.0.1:0\"\nagents-from = 0\n[http]\nlisten = \"127.0.0.1:0\"\n";
    let settings: Settings = toml::from_str(settings).unwrap();
    let (home, clock) = (Home::Folder(folder.clone()), Arc::new(Clock::wall()));
    let (company, generation) = (
        company(clock.now()),
        Generation::load(&ModuleSet::convoke()),
    );
    let host = Host::with(
        home,
        &settings,
        company,
        generation.unwrap(),
        Arc::default(),
        clock,
    );
    let host = Arc::new(host.await.unwrap());
    let mut world = Runtime::new(Arc::clone(&host), (), Box::new(|_| {}));
    world.begin().await;
    let netconf = host.address_of(&Endpoint::Platform).unwrap().to_string();
    let operator = Identity::operator(folder.path());
    let mut client = Client::connect(&netconf, &operator).await.unwrap();
    client.call("<get/>").await.unwrap();
    assert_eq!(host.has_failed(), None);
    assert!(livez(&host).await.starts_with("HTTP/1.1 200 "));

    let (mut told, mut heard) = ("", String::new());
    let failed = async {
        let engine = host.platform.engine();
        let news = Telemetry::CustomerAnswered {
            ticket: String::new(),
            text: String::new(),
        };
        engine.deliver("worker", Input::Telemetry(news), host.clock.now());
        told = host.failed().await;
        heard = livez(&host).await;
    };
    world.live(failed).await;
    assert!(told.starts_with("a decision failed"), "{told}");
    assert!(heard.starts_with("HTTP/1.1 503 "), "{heard}");
    assert!(heard.contains("a decision failed"), "{heard}");
    assert_eq!(host.has_failed(), Some(told));
    assert!(
        client.call("<get/>").await.is_ok(),
        "what is on record can be read"
    );
    drop(host);
    world.end().await;
}
