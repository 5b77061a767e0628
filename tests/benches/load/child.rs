//! The server, in a process of its own, so that its memory is its own and it can be killed.
//!
//! The process is this program with another argument. It serves a platform as `convoke serve
//! --network none` does, and beside it the reference: an SSH listener of the same kind whose
//! session answers `<ok/>` to everything. For each line on its standard input it prints the work of
//! its store so far; it ends when that input ends.

use crate::machine;
use bindings::netconf::{NegotiateRequest, negotiate_request};
use domain::access::Principal;
use domain::profile::{Capability, Layer, Profile};
use domain::registry::Reach;
use domain::task::TaskId;
use domain::verb::Verb;
use engine::{Endpoint, Execution, Negotiate, Negotiated, RegisterAgent};
use netconf::framing::{Decoder, Framing, encode};
use netconf::hello::{Capabilities, write_server_hello};
use netconf::names::capability::{BASE_1_0, BASE_1_1};
use serde::{Deserialize, Serialize};
use server::clock::Clock;
use server::config::{Settings, UserSettings};
use server::host::{Home, Host};
use server::runtime::Runtime;
use server::ssh::keys::{self, KeyFileError, StateKeys};
use server::ssh::{
    ByteStream, ConnectionLimiter, DEFAULT_QUOTA_BYTES, HostKeyPolicy, KeyDirectory, SshLimits,
    SshListener, SshPeer, SshServing, Target, split,
};
use server::state::StateFolder;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use tokio::io::AsyncWriteExt as _;

/// The argument that makes this program the server.
pub(crate) const ROLE: &str = "--serve-for-load";
/// The agent that executes the tasks: asked in words about unknown elements, it answers at once.
pub(crate) const EXECUTOR: &str = "TMF-Convoke-IP-1.0.0";
/// A registered agent that is not running: assignments to it are recorded and stay unanswered.
pub(crate) const AWAY: &str = "agent-that-is-away";
/// The message limit of the echo server, in bytes.
const MESSAGE_BYTES: usize = 8 << 20;

/// The addresses that the server prints when it is ready.
#[derive(Debug, Serialize, Deserialize)]
struct Ready {
    platform: SocketAddr,
    echo: SocketAddr,
}

/// The work of the server's store so far.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct StoreWork {
    /// Durable batches, and the transactions in which they were written.
    pub(crate) batches: u64,
    /// See [`Self::batches`].
    pub(crate) transactions: u64,
    /// Seconds spent in writing rows.
    pub(crate) writing_s: f64,
    /// Seconds spent in commits, mostly in fsync.
    pub(crate) committing_s: f64,
}

/// A server process; killed when dropped.
pub(crate) struct ServerProcess {
    child: Child,
    output: BufReader<ChildStdout>,
    folder: PathBuf,
    ready: Ready,
}

impl ServerProcess {
    /// Starts a server over `folder`, with so many tasks in its store.
    pub(crate) fn start(folder: &Path, tasks: usize) -> Result<Self, Box<dyn std::error::Error>> {
        let mut child = Command::new(std::env::current_exe()?)
            .args([ROLE, &folder.display().to_string(), &tasks.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        output.read_line(&mut line)?;
        Ok(Self {
            output,
            ready: serde_json::from_str(&line)
                .map_err(|_| format!("the server did not start: {line}"))?,
            folder: folder.to_owned(),
            child,
        })
    }

    /// The connection parameters of the platform, or of the echo server, for the operator.
    pub(crate) fn target(&self, echo: bool) -> Target {
        let keys = StateKeys::open(&self.folder).expect("the server made the folder");
        let address = match echo {
            true => self.ready.echo,
            false => self.ready.platform,
        };
        Target {
            address: address.to_string(),
            user: "operator".to_owned(),
            key: Arc::new(keys.operator().expect("the server made the key")),
            host_key: HostKeyPolicy::Exactly(
                keys.host()
                    .expect("the server made it")
                    .public_key()
                    .clone(),
            ),
        }
    }

    /// The connection parameters of the platform for a user without any rights of its own.
    pub(crate) fn target_of(&self, user: &str) -> Result<Target, KeyFileError> {
        let folder = StateKeys::open(&self.folder)?;
        let key = keys::load_or_generate(&self.folder.join(user), user)?;
        keys::write_public(
            &folder.users().join(format!("{user}.pub")),
            key.public_key(),
        )?;
        Ok(Target {
            user: user.to_owned(),
            key: Arc::new(key),
            ..self.target(false)
        })
    }

    /// The work of its store so far.
    pub(crate) fn store_work(&mut self) -> std::io::Result<StoreWork> {
        let mut line = String::new();
        let input = self.child.stdin.as_mut().expect("it is piped");
        input.write_all(b"\n")?;
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Resident memory in bytes.
    pub(crate) fn resident_bytes(&self) -> u64 {
        machine::memory_bytes(&self.child.id().to_string(), "VmRSS")
    }

    /// Processor time used so far, in seconds.
    pub(crate) fn cpu_s(&self) -> f64 {
        machine::cpu_s(&self.child.id().to_string())
    }

    /// Kills it under load, like a power cut.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// The text of every task of the load: about an element that the executor does not know.
pub(crate) fn task_text(number: u64) -> String {
    format!(
        "## target object\nservice area {number}\n## task description\nCompare the throughput \
         of the last hour with that of the same hour a week ago and name the three cells in \
         which it has fallen most, with the likely reason for each of them.\n\
         ## environmental information\nTraffic is that of an ordinary weekday."
    )
}

/// `task-negotiate` that assigns the task `id`.
pub(crate) fn assignment(id: &str, number: u64) -> String {
    assignment_to(EXECUTOR, id, number)
}

/// `task-negotiate` that assigns the task `id` to the agent that is not running.
pub(crate) fn assignment_unheard(id: &str, number: u64) -> String {
    assignment_to(AWAY, id, number)
}

fn assignment_to(agent: &str, id: &str, number: u64) -> String {
    negotiate_request(
        Verb::TaskAssign,
        &NegotiateRequest {
            to: Some(agent),
            task: Some(id),
            content: vec![task_text(number)],
            asynchronous: Some(true),
            ..NegotiateRequest::default()
        },
    )
}

/// A feasibility question about the task `id`: one round of a negotiation.
pub(crate) fn proposal(id: &str, number: u64) -> String {
    negotiate_request(
        Verb::FeasibilityNegotiate,
        &NegotiateRequest {
            to: Some(EXECUTOR),
            task: Some(id),
            content: vec![task_text(number)],
            ..NegotiateRequest::default()
        },
    )
}

/// The identifier of the `number`th task with which a server starts.
pub(crate) fn known_task(number: usize) -> String {
    format!("known-{number:06}")
}

/// Runs the server process, until its standard input ends.
pub(crate) fn run(folder: &Path, tasks: usize) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("the system gives threads and timers");
    runtime.block_on(serve(folder, tasks));
}

async fn serve(folder: &Path, tasks: usize) {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let mut settings = Settings {
        netconf: Some(any),
        agents_from: Some(0),
        ..Settings::default()
    };
    // What is measured is the road, and not where one user's part of it ends.
    let unbounded = UserSettings {
        tasks_open: Some(10_000_000),
        held_mib: Some(65_536),
        write_mib_s: Some(65_536),
        ..UserSettings::default()
    };
    let users = [("operator".to_owned(), unbounded)];
    settings.limits.users = users.into();
    let home = Home::Folder(StateFolder::new(folder));
    let clock = Arc::new(Clock::wall());
    let host = Host::start(home, &settings, arena::shipped(), Arc::default(), clock).await;
    let host = Arc::new(host.expect("a fresh folder"));
    let mut world = Runtime::new(Arc::clone(&host), (), Box::new(|_| {}));
    world.begin().await;
    fill(&host, tasks).await;
    register_away(&host).await;
    let keys = host.keys.as_ref().expect("it lives in a folder");
    let (address, _echo) = echo(keys, any);
    answer_parent(Arc::clone(&host));
    let ready = Ready {
        platform: host
            .address_of(&Endpoint::Platform)
            .expect("it has listeners"),
        echo: address,
    };
    let ready = serde_json::to_string(&ready).expect("addresses are JSON");
    let mut output = std::io::stdout();
    let _ = writeln!(output, "{ready}").and_then(|()| output.flush());
    world.live(std::future::pending()).await;
}

/// Prints the work of the store for each line of input. Exits when its parent dies.
fn answer_parent(host: Arc<Host>) {
    std::thread::spawn(move || {
        for _ in std::io::stdin().lines() {
            let done = host.platform.engine().store().statistics();
            let work = StoreWork {
                batches: done.batches,
                transactions: done.transactions,
                writing_s: done.writing.as_secs_f64(),
                committing_s: done.committing.as_secs_f64(),
            };
            let line = serde_json::to_string(&work).expect("numbers are JSON");
            let mut output = std::io::stdout();
            let _ = writeln!(output, "{line}").and_then(|()| output.flush());
        }
        std::process::exit(0);
    });
}

/// Assigns tasks as the operator would, without NETCONF.
async fn fill(host: &Host, tasks: usize) {
    const AT_ONCE: usize = 10_000;
    let engine = host.platform.engine();
    let who: Principal = engine.principal("operator");
    let mut pending = Vec::with_capacity(AT_ONCE);
    for number in 0..tasks {
        if pending.len() == AT_ONCE {
            acknowledged(&mut pending).await;
        }
        let negotiate = Negotiate {
            to: Some(EXECUTOR.to_owned()),
            task: Some(TaskId::new(known_task(number))),
            texts: vec![task_text(number as u64)],
            asynchronous: Some(true),
            ..Negotiate::new(Endpoint::Platform, Verb::TaskAssign)
        };
        pending.push(engine.execute(&who, negotiate, host.clock.now()));
    }
    acknowledged(&mut pending).await;
}

async fn acknowledged(pending: &mut Vec<Execution<Negotiated>>) {
    for execution in pending.drain(..) {
        execution.outcome().await.expect("nothing is wrong with it");
    }
}

/// Registers the agent that is not running, in its own name.
async fn register_away(host: &Host) {
    let who = Principal {
        name: AWAY.to_owned(),
        groups: ["agents".to_owned()].into(),
        agent: true,
        source: String::new(),
    };
    let profile = Profile {
        name: AWAY.to_owned(),
        alias: None,
        description: "Is not there.".to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: "Provider".to_owned(),
        domain: Some("IP".to_owned()),
        management_object: None,
        layer: Layer::Resource,
        province: None,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    };
    let register = RegisterAgent {
        profile,
        reach: Reach::Client,
        lease_ms: 86_400_000,
    };
    let registered = host
        .platform
        .engine()
        .execute(&who, register, host.clock.now());
    registered.outcome().await.expect("nobody is called so");
}

/// Starts the reference: the same transport and framing, with nothing behind them.
fn echo(keys: &StateKeys, address: SocketAddr) -> (SocketAddr, SshServing) {
    let host_key = keys.host().expect("the platform uses it");
    let operator = keys.operator().expect("the platform uses it");
    let listener = SshListener::bind(
        address,
        &host_key,
        &ConnectionLimiter::new(SshLimits::default()),
    );
    let listener = listener.expect("any port will do");
    let known = KeyDirectory::new(keys.users()).with_key("operator", operator.public_key());
    let address = listener.address();
    let session = |stream: ByteStream, _: SshPeer| echo_session(stream);
    (address, listener.serve(Arc::new(known), Arc::new(session)))
}

async fn echo_session(stream: ByteStream) {
    let (mut inbound, mut outbound) = split(stream, DEFAULT_QUOTA_BYTES);
    let (mut hello, mut output) = (Vec::new(), Vec::new());
    write_server_hello(&Capabilities::new([BASE_1_0, BASE_1_1]), 1, &mut hello);
    encode(&hello, Framing::EndOfMessage, &mut output);
    let mut decoder = Decoder::new(MESSAGE_BYTES);
    loop {
        if !output.is_empty() {
            if outbound.write_all(&output).await.is_err() {
                return;
            }
            output.clear();
        }
        let Ok(Some(bytes)) = inbound.receive().await else {
            return;
        };
        decoder.push(&bytes);
        while let Ok(Some(message)) = decoder.next_message() {
            match decoder.framing() {
                Framing::EndOfMessage => decoder.switch_to(Framing::Chunked),
                Framing::Chunked => answer_ok(&message, &mut output),
            }
        }
    }
}

/// Answers `<ok/>`, with the attributes of the request as required by RFC 6241 §4.1.
fn answer_ok(rpc: &[u8], output: &mut Vec<u8>) {
    let tag_end = rpc.iter().position(|b| *b == b'>').unwrap_or(4);
    let mut reply = b"<rpc-reply".to_vec();
    reply.extend_from_slice(&rpc[4..tag_end]);
    reply.extend_from_slice(b"><ok/></rpc-reply>");
    encode(&reply, Framing::Chunked, output);
}
