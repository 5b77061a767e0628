//! `make bench`, the part without a network: how fast the engine decides and its disk promises, and
//! what ten thousand agents and a million tasks cost.
//!
//! ```text
//! cargo bench -p convoke-engine --bench state -- [--json] [--smoke] [--only NAME]…
//! ```
//! Rows: `assign` (plain and encrypted at rest) and `negotiate` (each answered after its fsync, 512 in
//! flight on one thread), `shards` (assignments from as many threads as there are cores, each with a share of these in
//! flight, over 1 to 64 shards),
//! `discover` (a search among all agents), `kept` (an engine in a process of its own over a state
//! of ended tasks under a key, from disk and from memory: until it is open, a task by its key, what it
//! holds), `open` (the same over a state of open tasks, all of which are read at the start). `--json` prints an object a line. Without `--bench`, which `cargo bench` gives, it only shows that it runs.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

mod kept;

use domain::access::Principal;
use domain::agent::{Agent, Input, Output};
use domain::content::Content;
use domain::discovery::Criteria;
use domain::profile::{Profile, Skill};
use domain::registry::Reach;
use domain::reply::{Reply, Verdict};
use domain::task::{Task, TaskId};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::query::TaskById;
use engine::{
    Credential, DiscoverAgents, Endpoint, Engine, Execution, Limits, Negotiate, Negotiated, Quotas,
    Refusal, RegisterAgent, Setup, UserLimits,
};
use kept::{FIRST, MANY, OPEN};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::future::Future;
use std::io::Read;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Batch, HeldKeys, KeyKeeper, Options, RandomSource, Secret, Store};
use testkit::{hosted, setup, wait};

const NAMES: [&str; 6] = ["assign", "shards", "negotiate", "discover", "kept", "open"];
/// In how many shards it is decided.
const SHARDS: [usize; 5] = [1, 2, 4, 8, 64];
/// Agents that are assigned tasks beside each other.
const WORKERS: usize = 8;
/// Requests whose answers are not waited for before the next is made.
const IN_FLIGHT: usize = 512;
/// How much is done.
struct Scale {
    requests: usize,
    agents: usize,
    searches: usize,
    firsts: usize,
    kept: [usize; 2],
    open: usize,
}

const FULL: Scale = Scale {
    requests: 100_000,
    agents: 10_000,
    searches: 1_000,
    firsts: 41,
    kept: [1_000, 1_000_000],
    open: 100_000,
};
const SMOKE: Scale = Scale {
    requests: 600,
    agents: 50,
    searches: 10,
    firsts: 3,
    kept: [10, 200],
    open: 200,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, path, number] = arguments.as_slice()
        && [FIRST, MANY, OPEN].contains(&role.as_str())
    {
        let (path, number) = (Path::new(path), number.parse().unwrap());
        let told = match role.as_str() {
            FIRST => kept::opened_and_read_first(path, number),
            OPEN => kept::opened(path),
            _ => kept::opened_and_read(path, number),
        };
        return println!("{told}");
    }
    let has = |word: &str| arguments.iter().any(|a| a == word);
    let scale = match has("--bench") && !has("--smoke") {
        true => FULL,
        false => SMOKE,
    };
    let only: Vec<&String> = arguments
        .windows(2)
        .filter(|pair| pair[0] == "--only")
        .map(|pair| &pair[1])
        .collect();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for name in NAMES {
        if !only.is_empty() && !only.iter().any(|o| *o == name) {
            continue;
        }
        let rows = match name {
            "assign" => assign(&scale, folder.path()),
            "shards" => shards(&scale, folder.path()),
            "negotiate" => vec![negotiate(&scale, folder.path())],
            "discover" => discover(&scale),
            "open" => kept::open(&scale, folder.path()),
            _ => kept::kept(&scale, folder.path()),
        };
        for (what, value, unit) in rows {
            match has("--json") {
                true => println!(
                    "{}",
                    json!({ "event": "bench", "name": name, "what": what, "value": value,
                        "unit": unit, "load_average": load_average() })
                ),
                false => println!(
                    "{what:<62} {value:>12.1} {unit:<8} load {:.1}",
                    load_average()
                ),
            }
        }
    }
}

type Row = (String, f64, &'static str);
type Answer = Pin<Box<dyn Future<Output = Result<Negotiated, Refusal>> + Send>>;

/// Takes every assignment on; answers a proposal with another one.
struct Willing;

impl Agent for Willing {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        let Input::Asked(ask) = input else {
            return Vec::new();
        };
        let reply = match ask.verb {
            Verb::FeasibilityNegotiate => {
                let other = Content::new("site-1", "the same, an hour later");
                Reply::new(Verdict::Offered, vec![other])
            }
            _ => Reply::accepted(),
        };
        vec![Output::Answer(reply)]
    }
}

fn profile(name: String, skills: Vec<Skill>) -> Profile {
    Profile {
        description: "Watches a part of the network and answers for it.".to_owned(),
        provider: "Provider".to_owned(),
        domain: Some("IP".to_owned()),
        skills,
        ..testkit::profile(&name)
    }
}

fn engine(options: Options) -> Engine {
    over(Limits::default().shards, options)
}

/// One that decides in so many shards.
fn over(shards: usize, options: Options) -> Engine {
    let worker = |n| {
        let profile = profile(worker(n), Vec::new());
        hosted(profile, Willing, Timestamp::from_ms(0))
    };
    let engine = Engine::open(Setup {
        store: options,
        limits: Limits {
            agents: 100_000,
            shards,
            users: unbounded(),
            ..Limits::default()
        },
        credentials: Box::new(|name| name.starts_with("agent-").then_some(Credential::Agent)),
        ..setup((0..WORKERS).map(worker))
    });
    let engine = engine.unwrap();
    engine.start(now());
    engine
}

/// Nothing is bounded: one user does what a hundred do.
fn unbounded() -> Quotas {
    Quotas {
        usual: UserLimits {
            tasks_open: usize::MAX,
            held_bytes: usize::MAX,
            write_bytes_s: 1 << 40,
            write_burst_bytes: 1 << 40,
            ..UserLimits::default()
        },
        ..Quotas::default()
    }
}

/// The name of an agent hosted here.
fn worker(n: usize) -> String {
    format!("worker-{n}")
}

fn now() -> Timestamp {
    Timestamp::from_ms(1_700_000_000_000)
}

fn operator() -> Principal {
    Principal {
        name: "operator".to_owned(),
        groups: ["admin".to_owned()].into(),
        agent: false,
        source: String::new(),
    }
}

fn message(verb: Verb, task: String, description: &str) -> Negotiate {
    Negotiate {
        task: Some(TaskId::new(task)),
        asynchronous: Some(true),
        texts: vec![format!(
            "## target object\nsite-1\n## task description\n{description}"
        )],
        ..Negotiate::new(Endpoint::Platform, verb)
    }
}

/// How many requests a second are answered, each after it is on disk.
fn rate(engine: &Engine, requests: impl Iterator<Item = Negotiate>) -> f64 {
    let began = Instant::now();
    let answered = answer(engine, requests, IN_FLIGHT);
    f64::from(answered) / began.elapsed().as_secs_f64()
}

/// Has requests answered, with so many in flight; how many there were.
fn answer(engine: &Engine, requests: impl Iterator<Item = Negotiate>, in_flight: usize) -> u32 {
    let who = operator();
    let mut waiting: VecDeque<Answer> = VecDeque::new();
    let mut answered = 0;
    let mut hear = |answer: Answer| {
        wait(answer).unwrap();
        answered += 1;
    };
    for request in requests {
        match engine.execute(&who, request, now()) {
            Execution::Pending(answer) => waiting.push_back(answer),
            Execution::Done(refused) => panic!("{refused:?}"),
        }
        if waiting.len() == in_flight {
            hear(waiting.pop_front().unwrap());
        }
    }
    waiting.into_iter().for_each(&mut hear);
    answered
}

/// Assignments from as many threads as there are cores, to several agents.
fn shards(scale: &Scale, folder: &Path) -> Vec<Row> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let each = scale.requests / threads;
    let row = |shards| {
        let engine = over(
            shards,
            Options::file(folder.join(format!("shards-{shards}.db"))),
        );
        let began = Instant::now();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let engine = &engine;
                let requests = (0..each).map(move |n| Negotiate {
                    to: Some(worker((thread + n) % WORKERS)),
                    ..message(Verb::TaskAssign, format!("t{thread}-{n}"), "work")
                });
                scope.spawn(move || answer(engine, requests, IN_FLIGHT / threads));
            }
        });
        let rate = (each * threads) as f64 / began.elapsed().as_secs_f64();
        let what = format!("durable assignments from {threads} threads, shards: {shards}");
        (what, rate, "tasks/s")
    };
    SHARDS.map(row).into()
}

fn assign(scale: &Scale, folder: &Path) -> Vec<Row> {
    let plain = Options::file(folder.join("assign.db"));
    let encrypted = keyed(&folder.join("encrypted.db"));
    let of = |what: &str, options| {
        let engine = engine(options);
        let each = (0..scale.requests).map(|n| message(Verb::TaskAssign, format!("t{n}"), "work"));
        (what.to_owned(), rate(&engine, each), "tasks/s")
    };
    vec![
        of("durable assignments", plain),
        of("durable assignments, payloads encrypted at rest", encrypted),
    ]
}

/// As `convoke serve` has it: payloads encrypted at rest, and a code on every row.
fn keyed(path: &Path) -> Options {
    Options {
        keys: Some(keeper()),
        ..Options::file(path)
    }
}

fn keeper() -> Arc<dyn KeyKeeper> {
    let chance: RandomSource = Box::new(|bytes| {
        let mut source = std::fs::File::open("/dev/urandom").unwrap();
        source.read_exact(bytes).unwrap();
        Ok(())
    });
    Arc::new(HeldKeys::new("bench", Secret::new([7; 32]), chance))
}

fn negotiate(scale: &Scale, folder: &Path) -> Row {
    let engine = engine(Options::file(folder.join("negotiate.db")));
    let block = IN_FLIGHT / 2;
    // A round of offer and counter-offer, then one that accepts; many tasks at a time.
    let each = (0..scale.requests / 2 / block).flat_map(|first| {
        let ids = move || (0..block).map(move |n| format!("t{first}-{n}"));
        let offer = |id| message(Verb::FeasibilityNegotiate, id, "work now");
        let accept = |id| message(Verb::FeasibilityNegotiate, id, "agreed\n## result\naccept");
        ids().map(offer).chain(ids().map(accept))
    });
    let what = "rounds of feasibility negotiations, durable".to_owned();
    (what, rate(&engine, each), "rounds/s")
}

fn discover(scale: &Scale) -> Vec<Row> {
    let engine = engine(Options::memory());
    let began = Instant::now();
    let mut last = None;
    for n in 0..scale.agents {
        let skill = |k: usize| Skill {
            name: format!("diagnosis-{}", n / k % 7),
            description: format!(
                "Finds what is wrong with every router of region {}.",
                n / 50
            ),
            tags: vec!["fault".to_owned(), format!("region-{}", n / 50)],
            ..Skill::default()
        };
        let name = format!("agent-{n}");
        let who = Principal {
            name: name.clone(),
            groups: ["agents".to_owned()].into(),
            agent: true,
            source: String::new(),
        };
        let register = RegisterAgent {
            profile: profile(name, vec![skill(1)]),
            reach: Reach::Client,
            lease_ms: 86_400_000,
        };
        last = Some(engine.execute(&who, register, now()));
    }
    wait(last.unwrap().outcome()).unwrap();
    let registered = scale.agents as f64 / began.elapsed().as_secs_f64();
    let mut took: Vec<Duration> = (0..scale.searches)
        .map(|n| {
            let criteria = Criteria {
                tags: vec!["fault".to_owned()],
                text: Some(format!("what is wrong with a router of region {}", n % 200)),
                ..Criteria::default()
            };
            let began = Instant::now();
            let search = DiscoverAgents {
                criteria,
                limit: 20,
            };
            let found = engine.read(&operator(), search, now());
            assert!(!found.unwrap().is_empty());
            began.elapsed()
        })
        .collect();
    took.sort_unstable();
    let ms = |share: f64| {
        let place = (took.len() as f64 - 1.0) * share;
        took[place.round() as usize].as_secs_f64() * 1e3
    };
    let among = format!("a search by tag and words among {} agents", scale.agents);
    vec![
        (
            format!("registrations, up to {}", scale.agents),
            registered,
            "agents/s",
        ),
        (format!("{among}, median"), ms(0.5), "ms"),
        (format!("{among}, 99 of 100 within"), ms(0.99), "ms"),
    ]
}

fn load_average() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first = text.split_whitespace().next();
    first.and_then(|n| n.parse().ok()).unwrap_or(f64::NAN)
}
