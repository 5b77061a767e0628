//! Noisy neighbours: an agent kept busy, an XPath, a flood of texts, clients that never read.
//!
//! An attack runs in a process of its own, this program with another argument, until its standard
//! input ends; then it prints the counts of answers, and of refusals by reason. Each was an
//! effective attack before hosted agents, searches and text analysis left the request path. Read
//! next: `transport` and `guest`; `generated`, whose attacks run in the same way; `victim`.

use crate::answer::answer;
use crate::generated;
use crate::guest::Guest;
use crate::platform::{GUEST, NOC, OPERATOR, Place};
use crate::questions::{self, Elements};
use crate::transport::{Transport, read_nothing};
use crate::wire::{Wire, find, request};
use bindings::netconf::{NegotiateRequest, negotiate_request};
use domain::verb::Verb;
use harness::attacks::operation;
use network::{Backbone, Parameters, build};
use serde::{Deserialize, Serialize};
use serde_json::json;
use server::ssh::{Connector, Target};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::io::Read as _;
use std::process::Stdio;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::LocalSet;

/// The argument that makes this program an attacker.
pub(crate) const ROLE: &str = "--attack";
/// The time an attack runs before the victim's requests begin.
const BEFORE: Duration = Duration::from_millis(500);
/// The time limit for a platform to accept an attacker.
const PATIENCE: Duration = Duration::from_secs(20);
/// Sessions that keep an agent busy, and their requests in flight.
const ASSIGNING: (usize, usize) = (16, 8);
/// Rounds of counting between checks whether the control process is to end.
const COUNTED: u32 = 10_000;
const SEARCHING: usize = 4;
const SEARCHES: [&str; 3] = [
    "//*[count(//*[count(//.)&gt;0])&gt;0]",
    "/*/*/*[//*[.=//*]]",
    "//*[//*[.=//*]]",
];
/// Connections, and bytes of each text: above the limit, and at the limit.
const FLOODS: [(usize, usize); 2] = [(3, 480_000), (8, 4_000)];
/// Sessions whose client never reads, and bytes of requests that each writes.
const UNREAD: (usize, usize) = (50, 1 << 20);

/// The kind of attack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Attack {
    /// The control: another process, busy on one thread as an attacker is, that sends nothing.
    Control,
    /// Assigns tasks to one agent as fast as it answers.
    Agent,
    /// A guest searches.
    XPath,
    /// A guest sends long texts over A2A, without permission.
    Words,
    /// The operator sends texts of the maximum length over A2A.
    WordsPermitted,
    /// A guest requests all it may read and never reads the replies.
    Unread,
    /// Many connections with nothing that could be answered.
    Below(Transport),
    /// One guest, with all its resources or on one session.
    Of(Guest),
}

impl Attack {
    pub(crate) const ALL: [Self; 11] = [
        Self::Control,
        Self::Agent,
        Self::XPath,
        Self::Words,
        Self::WordsPermitted,
        Self::Unread,
        Self::Below(Transport::Refusals),
        Self::Below(Transport::BeforeKeys),
        Self::Below(Transport::NoMessage),
        Self::Of(Guest::All),
        Self::Of(Guest::OneSession),
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Agent => "busy-agent",
            Self::XPath => "heavy-xpath",
            Self::Words => "flood-of-words",
            Self::WordsPermitted => "flood-of-permitted-words",
            Self::Unread => "readers-who-read-nothing",
            Self::Below(transport) => transport.name(),
            Self::Of(guest) => guest.name(),
        }
    }

    /// A description for people.
    pub(crate) fn what(self) -> String {
        match self {
            Self::Control => "nothing is sent, the other process counts on one thread".to_owned(),
            Self::Agent => format!(
                "ResourceField asked in words, {} sessions, {} in flight each",
                ASSIGNING.0, ASSIGNING.1
            ),
            Self::XPath => format!("a guest's three searches, {SEARCHING} sessions"),
            Self::Words => format!(
                "a guest's texts of {} kB over A2A, {} connections",
                FLOODS[0].1 / 1_000,
                FLOODS[0].0
            ),
            Self::WordsPermitted => format!(
                "an administrator's texts of {} kB over A2A, {} connections",
                FLOODS[1].1 / 1_000,
                FLOODS[1].0
            ),
            Self::Unread => format!(
                "a guest's requests of {} MiB on each of {} sessions, nothing read",
                UNREAD.1 >> 20,
                UNREAD.0
            ),
            Self::Below(transport) => transport.what(),
            Self::Of(guest) => guest.what(),
        }
    }

    /// The pause of the victim between two requests, alone and under attack; none for no pause.
    pub(crate) fn pause(self) -> Option<Duration> {
        match self {
            Self::Of(guest) => guest.pause(),
            _ => None,
        }
    }
}

/// The counts of an attacker.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Did {
    pub(crate) answered: u64,
    /// By reason of refusal.
    pub(crate) refused: BTreeMap<String, u64>,
    pub(crate) lasted: Duration,
}

impl Did {
    pub(crate) fn add(&mut self, other: &Self) {
        self.answered += other.answered;
        self.lasted += other.lasted;
        for (why, count) in &other.refused {
            *self.refused.entry(why.clone()).or_default() += count;
        }
    }

    /// Answers and refusals per second.
    pub(crate) fn per_s(&self) -> f64 {
        let refused: u64 = self.refused.values().sum();
        (self.answered + refused) as f64 / self.lasted.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    pub(crate) fn refuse(&mut self, why: String) {
        *self.refused.entry(why).or_default() += 1;
    }

    /// Counts a NETCONF reply: by an error's tag and app-tag, or as an answer.
    pub(crate) fn take(&mut self, reply: &[u8]) {
        if find(&reply[..reply.len().min(400)], b"<rpc-error").is_none() {
            self.answered += 1;
            return;
        }
        let text = String::from_utf8_lossy(reply);
        let between = |open: &str| text.split_once(open)?.1.split('<').next();
        let tag = between("<error-tag>").unwrap_or("an error");
        self.refuse(match between("<error-app-tag>") {
            Some(app_tag) => format!("{tag} {app_tag}"),
            None => tag.to_owned(),
        });
    }
}

/// An attack running in another process; killed when dropped.
pub(crate) struct Attacker {
    child: Child,
    output: BufReader<tokio::process::ChildStdout>,
}

impl Attacker {
    /// Starts an attack in a process that gets idle processor time only, or that competes for it.
    pub(crate) async fn begin(
        name: &str,
        place: &Place,
        competes: bool,
    ) -> Result<Self, Box<dyn Error>> {
        let program = std::env::current_exe()?;
        let mut command = match competes {
            true => Command::new(program),
            false => {
                let mut idle = Command::new("chrt");
                idle.args(["--idle", "0"]).arg(program);
                idle
            }
        };
        let mut child = command
            .args([ROLE, name, &serde_json::to_string(place)?])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|cause| {
                format!(
                    "{:?} does not start: {cause}",
                    command.as_std().get_program()
                )
            })?;
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        output.read_line(&mut line).await?;
        match line.trim() {
            "ready" => Ok(Self { child, output }),
            other => Err(format!("the attack did not begin: {other}").into()),
        }
    }

    /// Ends it, and returns its counts.
    pub(crate) async fn end(mut self) -> Result<Did, Box<dyn Error>> {
        drop(self.child.stdin.take());
        let mut line = String::new();
        let told = self.output.read_line(&mut line);
        tokio::time::timeout(PATIENCE, told).await??;
        self.child.kill().await?;
        Ok(serde_json::from_str(&line)?)
    }
}

/// The counts shared by all tasks of an attacker.
pub(crate) type Shared = Rc<RefCell<Did>>;

/// Runs the attacker's process, until its standard input ends.
pub(crate) async fn run(name: &str, place: &str) -> Result<(), Box<dyn Error>> {
    let place: Place = serde_json::from_str(place)?;
    let (done, begun) = (Shared::default(), Instant::now());
    let attackers = LocalSet::new();
    let before = match Attack::ALL.into_iter().find(|attack| attack.name() == name) {
        Some(attack) => {
            attack.begin(&attackers, &place, &done)?;
            BEFORE
        }
        None => {
            let attack = generated::parse(name).ok_or("no such attack")?;
            generated::begin(attack, &attackers, &place, &done)?;
            generated::BEFORE
        }
    };
    let told = attackers.run_until(async {
        tokio::time::sleep(before).await;
        println!("ready");
        tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await
    });
    told.await??;
    let mut did = done.borrow().clone();
    did.lasted = begun.elapsed();
    println!("{}", serde_json::to_string(&did)?);
    Ok(())
}

impl Attack {
    /// Spawns all its tasks.
    fn begin(
        self,
        attackers: &LocalSet,
        place: &Place,
        done: &Shared,
    ) -> Result<(), Box<dyn Error>> {
        match self {
            Self::Control => {
                let did = Rc::clone(done);
                attackers.spawn_local(async move {
                    loop {
                        for _ in 0..COUNTED {
                            std::hint::spin_loop();
                        }
                        did.borrow_mut().answered += 1;
                        tokio::task::yield_now().await;
                    }
                });
            }
            Self::Agent => {
                let (place, did) = (place.clone(), Rc::clone(done));
                attackers.spawn_local(ended(done, async move {
                    let name = format!("busy-{}", std::process::id());
                    let (role, agent) = ("resource-copilot", "TMF-Convoke-ResourceField-1.0.0");
                    let whom = (NOC, role, agent);
                    keep_assigning(&place, whom, &name, None, &did).await
                }));
            }
            Self::XPath => {
                for first in 0..SEARCHING {
                    let (target, did) = (place.target(GUEST)?, Rc::clone(done));
                    let searching = async move { search(&target, first, &did).await };
                    attackers.spawn_local(ended(done, searching));
                }
            }
            Self::Words => flood(attackers, place, &place.guest_token, FLOODS[0], done),
            Self::WordsPermitted => flood(attackers, place, &place.noc_token, FLOODS[1], done),
            Self::Unread => {
                for _ in 0..UNREAD.0 {
                    let (place, did) = (place.clone(), Rc::clone(done));
                    let get = operation::rpc(1, "<get/>").into_bytes();
                    let times = UNREAD.1 / get.len();
                    let asked = std::iter::repeat_n(get, times);
                    let silent = async move { read_nothing(&place, asked, &did).await };
                    attackers.spawn_local(ended(done, silent));
                }
            }
            Self::Below(transport) => transport.begin(attackers, place, done)?,
            Self::Of(guest) => guest.begin(attackers, place, done)?,
        }
        Ok(())
    }
}

/// Runs a part of an attack; a premature end is counted as a refusal with its reason.
pub(crate) fn ended<F>(done: &Shared, part: F) -> impl Future<Output = ()> + use<F>
where
    F: Future<Output = Result<(), Box<dyn Error>>>,
{
    let did = Rc::clone(done);
    async move {
        if let Err(why) = part.await {
            did.borrow_mut().refuse(why.to_string());
        }
    }
}

/// Assigns tasks to an agent for a window, or for ever: questions in words, each about another
/// element.
pub(crate) async fn assign(
    place: &Place,
    role: &str,
    agent: &str,
    name: &str,
    window: Option<Duration>,
) -> Result<Did, Box<dyn Error>> {
    let did = Shared::default();
    let begun = Instant::now();
    let until = window.map(|window| begun + window);
    LocalSet::new()
        .run_until(keep_assigning(
            place,
            (OPERATOR, role, agent),
            name,
            until,
            &did,
        ))
        .await?;
    let mut did = did.borrow().clone();
    did.lasted = begun.elapsed();
    Ok(did)
}

async fn keep_assigning(
    place: &Place,
    (user, role, agent): (&str, &str, &str),
    name: &str,
    until: Option<Instant>,
    did: &Shared,
) -> Result<(), Box<dyn Error>> {
    let texts = Rc::new(texts(role)?);
    let target = place.target(user)?;
    let connector = Connector::new(16, PATIENCE);
    let mut sessions = Vec::new();
    for place in 0..ASSIGNING.0 {
        let wire = Wire::open(&connector, &target).await?;
        let (texts, did) = (Rc::clone(&texts), Rc::clone(did));
        let (agent, name) = (agent.to_owned(), format!("{name}-{place}"));
        sessions.push(tokio::task::spawn_local(async move {
            session(wire, &agent, &name, &texts, until, &did).await
        }));
    }
    for ended in sessions {
        ended.await?.map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Runs one session with so many assignments in flight.
async fn session(
    mut wire: Wire,
    agent: &str,
    name: &str,
    texts: &[String],
    until: Option<Instant>,
    did: &Shared,
) -> Result<(), Box<dyn Error>> {
    let mut in_flight = VecDeque::with_capacity(ASSIGNING.1);
    let mut number = 0_usize;
    loop {
        let over = until.is_some_and(|until| Instant::now() >= until);
        let mut batch = Vec::new();
        while in_flight.len() < ASSIGNING.1 && !over {
            let id = format!("{name}-{number:06}");
            let operation = negotiate_request(
                Verb::TaskAssign,
                &NegotiateRequest {
                    to: Some(agent),
                    task: Some(&id),
                    content: vec![texts[number % texts.len()].clone()],
                    asynchronous: Some(true),
                    ..NegotiateRequest::default()
                },
            );
            batch.extend(request(number as u64 + 1, &operation));
            in_flight.push_back(id);
            number += 1;
        }
        wire.send(&batch).await?;
        if in_flight.pop_front().is_none() {
            return Ok(());
        }
        let reply = wire.message().await?;
        did.borrow_mut().take(reply);
        while let Some(reply) = wire.arrived()? {
            in_flight.pop_front();
            did.borrow_mut().take(reply);
        }
    }
}

/// The questions in words for an agent of this role, about 256 elements of the network.
fn texts(role: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let topology = Backbone::named("Germany50").ok_or("the topology is gone")?;
    let parameters = Parameters {
        sites: 300,
        ..Parameters::default()
    };
    let elements = Elements::of(&build::inventory(&topology, &parameters, 1));
    let question = questions::of(role)
        .into_iter()
        .next()
        .ok_or("no question")?;
    let texts = (0..256).map(|n| (question.content)(&elements, n).render());
    Ok(texts.collect())
}

pub(crate) async fn search(
    target: &Target,
    first: usize,
    did: &Shared,
) -> Result<(), Box<dyn Error>> {
    let mut wire = Wire::open(&Connector::new(16, PATIENCE), target).await?;
    for number in first.. {
        let select = SEARCHES[number % SEARCHES.len()];
        let operation = format!("<get><filter type=\"xpath\" select=\"{select}\"/></get>");
        wire.send(&request(number as u64 + 1, &operation)).await?;
        let reply = wire.message().await?;
        did.borrow_mut().take(reply);
    }
    Ok(())
}

pub(crate) fn flood(
    attackers: &LocalSet,
    place: &Place,
    token: &str,
    (connections, bytes): (usize, usize),
    done: &Shared,
) {
    for connection in 0..connections {
        let (address, token) = (place.http.clone(), token.to_owned());
        let did = Rc::clone(done);
        attackers.spawn_local(async move { post(&address, &token, connection, bytes, &did).await });
    }
}

/// Posts texts to an agent, one after the other; reopens closed connections.
async fn post(
    address: &str,
    token: &str,
    connection: usize,
    bytes: usize,
    did: &Shared,
) -> Result<(), Box<dyn Error>> {
    let text = "target: ".repeat(bytes / 8);
    for number in 0_usize.. {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut stream = BufReader::new(stream);
        for part in 0_usize.. {
            let id = format!("m-{}-{connection}-{number}-{part}", std::process::id());
            let message = json!({"message": {
                "messageId": id, "role": "ROLE_USER", "parts": [{ "text": text }],
            }});
            let message = message.to_string();
            let head = format!(
                "POST /agents/TMF-Convoke-IP-1.0.0/message:send HTTP/1.1\r\nHost: {address}\r\n\
                 Authorization: Bearer {token}\r\nA2A-Version: 1.0\r\nContent-Type: \
                 application/a2a+json\r\nContent-Length: {}\r\n\r\n",
                message.len()
            );
            stream.write_all(head.as_bytes()).await?;
            // A server that refuses by the head alone may have closed behind it.
            let written = stream.write_all(message.as_bytes()).await;
            match answer(&mut stream).await.map(|it| it.status) {
                Some(200) => did.borrow_mut().answered += 1,
                Some(other) => did.borrow_mut().refuse(other.to_string()),
                None => did.borrow_mut().refuse("closed".to_owned()),
            }
            if written.is_err() || !stream.buffer().is_empty() {
                break;
            }
            let mut byte = [0; 1];
            let closed = matches!(stream.get_ref().try_read(&mut byte), Ok(0));
            if closed {
                break;
            }
        }
    }
    Ok(())
}
