//! What ten thousand agents cost: to register, to renew, to search among, and to open again.
//!
//! ```text
//! cargo run -p convoke-engine --release --example agents
//! ```
//! The store is a file in a temporary folder, every commit is waited for on disk; a hundred
//! requests are under way at a time. Read next: `engine::registry`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use domain::content::Content;
use domain::discovery::Criteria;
use domain::profile::{Profile, Skill};
use domain::registry::{Health, Reach};
use domain::task::TaskId;
use domain::team::Need;
use domain::time::Timestamp;
use engine::{
    Credential, DiscoverAgents, Engine, Execution, FormTeam, Operation, RegisterAgent, RenewLease,
    Setup,
};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Instant;
use testkit::{Willing, hosted, outcome, setup};

/// With the hosted one, the most that a platform takes.
const AGENTS: usize = 9_999;
const UNDER_WAY: usize = 100;
const TAGS: [&str; 6] = ["fibre", "router", "cell", "mast", "amplifier", "card"];

fn profile(name: String, number: usize) -> Profile {
    let skill = |k: usize| Skill {
        name: format!("skill-{k}"),
        description: format!("Looks after region {} and says what is wrong.", number / 50),
        tags: vec![
            TAGS[number / (k + 1) % TAGS.len()].to_owned(),
            "fault".to_owned(),
        ],
        input_modes: vec!["text".to_owned()],
        output_modes: vec!["text".to_owned()],
        examples: vec![format!("What is wrong in region {}?", number / 50)],
        schemas: vec!["fault_diagnosis_v1".to_owned()],
    };
    Profile {
        description: "Watches a part of the network.".to_owned(),
        provider: "Provider".to_owned(),
        domain: Some("IP, Optical".to_owned()),
        management_object: Some(format!("region {}", number / 50)),
        skills: vec![skill(0), skill(1)],
        ..testkit::profile(&name)
    }
}

fn name(number: usize) -> String {
    format!("ORG-Provider-Agent-{number}")
}

fn open(folder: &Path, now: Timestamp) -> Engine {
    let engine = Engine::open(Setup {
        store: store::Options::file(folder.join("convoke.db")),
        credentials: Box::new(|name| name.starts_with("ORG").then_some(Credential::Agent)),
        ..setup([hosted(profile("hosted".to_owned(), 0), Willing, now)])
    })
    .unwrap();
    engine.start(now);
    engine
}

fn wait<T: Send + 'static>(execution: Execution<T>) -> T {
    outcome(execution).unwrap()
}

/// Does something in the name of every agent; tells how long it took.
fn each<O: Operation>(what: &str, engine: &Engine, now: Timestamp, operation: impl Fn(usize) -> O) {
    let begun = Instant::now();
    let mut under_way = VecDeque::new();
    for number in 0..AGENTS {
        let who = engine.principal(&name(number));
        under_way.push_back(engine.execute(&who, operation(number), now));
        if under_way.len() == UNDER_WAY {
            wait(under_way.pop_front().unwrap());
        }
    }
    under_way
        .into_iter()
        .for_each(|execution| drop(wait(execution)));
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{what:<28} {seconds:>8.2} s  {:>8.0} a second",
        AGENTS as f64 / seconds
    );
}

fn once<T>(what: &str, act: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = act();
    println!(
        "{what:<28} {:>8.2} ms",
        begun.elapsed().as_secs_f64() * 1_000.0
    );
    done
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let now = Timestamp::from_ms(1_700_000_000_000);
    let engine = open(folder.path(), now);
    each("register", &engine, now, |number| RegisterAgent {
        profile: profile(name(number), number),
        reach: Reach::Client,
        lease_ms: 300_000,
    });
    each("renew", &engine, now + 1, |_| RenewLease {
        name: None,
        health: Health::Ok,
        note: String::new(),
    });
    let operator = engine.principal("operator");
    let criteria = |tag: usize| Criteria {
        tags: vec![TAGS[tag % TAGS.len()].to_owned()],
        text: Some("what is wrong in region 17".to_owned()),
        ..Criteria::default()
    };
    once("discover", || {
        let (criteria, limit) = (criteria(0), 10);
        wait(engine.execute(&operator, DiscoverAgents { criteria, limit }, now))
    });
    let needs = (0..64).map(|place| Need {
        name: format!("n{place}"),
        criteria: criteria(place),
        content: Content::new("region 17", "say what is wrong"),
        optional: false,
    });
    let needs = needs.collect();
    once("form a team of 64", || {
        let task = TaskId::new("team");
        wait(engine.execute(&operator, FormTeam { task, needs }, now))
    });
    drop(engine);
    let engine = once("open again", || open(folder.path(), now + 2));
    assert_eq!(engine.registrations().len(), AGENTS + 1);
    once("all leases end at once", || engine.tick(now + 301_000));
}
