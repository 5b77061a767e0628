//! Measures the time that a search takes among ten thousand registered agents.
//!
//! ```text
//! cargo run -p convoke-domain --release --example discovery
//! ```
//! Prints the time to fill the index, then for each question the median and the slowest of 200
//! searches; the median should stay below 5 ms. Read next: `src/discovery/index.rs`.
// A bench is not part of the library: it owns a clock.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use domain::discovery::{Criteria, Index};
use domain::profile::{Capability, Layer, Profile, Skill};
use domain::registry::{Reach, Registration, Terms};
use domain::time::Timestamp;
use std::sync::Arc;
use std::time::Instant;

const AGENTS: usize = 10_000;
const SEARCHES: usize = 200;

const DOMAINS: [&str; 5] = ["Wireless", "Optical", "IP", "Core Network", "Transmit"];
const TASKS: [&str; 6] = [
    "diagnosis",
    "repair",
    "energy",
    "compensation",
    "planning",
    "audit",
];
const OBJECTS: [&str; 6] = ["router", "fibre", "amplifier", "cell", "mast", "card"];

fn main() {
    let begun = Instant::now();
    let mut index = Index::new();
    for n in 0..AGENTS {
        index.put(Arc::new(registered(n)));
    }
    println!(
        "{AGENTS} agents entered in {} ms",
        begun.elapsed().as_millis()
    );
    for (name, criteria) in questions() {
        let mut took = Vec::new();
        let mut found = 0;
        for _ in 0..SEARCHES {
            let begun = Instant::now();
            found = index.search(&criteria, 20).len();
            took.push(begun.elapsed().as_micros());
        }
        took.sort_unstable();
        let (median, slowest) = (took[SEARCHES / 2], took[SEARCHES - 1]);
        println!("{name:<38} {found:>3} told  median {median:>5} µs  slowest {slowest:>6} µs");
    }
}

fn registered(n: usize) -> Registration {
    let pick = |list: &[&str], stride: usize| list[n / stride % list.len()].to_owned();
    let skill = |k: usize| {
        let (task, object) = (pick(&TASKS, k), pick(&OBJECTS, k + 6));
        Skill {
            name: format!("{object}-{task}-{k}"),
            description: format!(
                "Does the {task} of every {object} of region {} and says what is wrong with it.",
                n / 50
            ),
            tags: vec![task.clone(), object.clone(), "fault".into()],
            input_modes: vec!["text".into()],
            output_modes: vec!["text".into()],
            examples: vec![format!("{task} of {object} {n}"), "基站断站故障诊断".into()],
            schemas: vec![format!("{task}_v1")],
        }
    };
    let profile = Profile {
        name: format!("ORG-Provider-{}-{n}", OBJECTS[n % OBJECTS.len()]),
        alias: Some(format!("agent-{n}")),
        description: "Watches a part of the network and answers for it.".into(),
        agent_type: Some("fault management agent".into()),
        version: "1.0.0".into(),
        provider: "Provider".into(),
        domain: Some(pick(&DOMAINS, 1)),
        management_object: Some(format!(
            "{}s of region {}",
            OBJECTS[n % OBJECTS.len()],
            n / 50
        )),
        layer: Layer::Resource,
        province: None,
        capability: Capability::default(),
        skills: vec![skill(1), skill(4)],
        authentication: vec![],
    };
    let terms = Terms {
        profile: Arc::new(profile),
        reach: Reach::Client,
        lease_ms: Registration::LEASE_LEAST_MS,
    };
    Registration::first(terms, Timestamp::from_ms(0)).expect("a proper place")
}

fn questions() -> Vec<(&'static str, Criteria)> {
    let text = |text: &str| Criteria {
        text: Some(text.into()),
        ..Criteria::default()
    };
    let tagged = |tags: &[&str]| Criteria {
        tags: tags.iter().map(|t| (*t).to_owned()).collect(),
        ..Criteria::default()
    };
    vec![
        ("nothing", Criteria::default()),
        ("a tag that all have", tagged(&["fault"])),
        ("three tags", tagged(&["fault", "fibre", "diagnosis"])),
        (
            "a part of the managed object",
            Criteria {
                management_object: Some("region 17".into()),
                ..Criteria::default()
            },
        ),
        (
            "words that all have, and a rare one",
            text("diagnosis of the fault of every fibre of region 117"),
        ),
        ("words in Chinese that all have", text("基站断站故障诊断")),
        (
            "tags, domain and words",
            Criteria {
                domain: Some("Optical".into()),
                text: Some("what is wrong with the amplifier of region 3".into()),
                ..tagged(&["repair"])
            },
        ),
    ]
}
