//! Every case of `tests/conformance/`: in memory (no socket, one clock, no sleep), and over SSH.
//!
//! Read next: `harness::conformance`, which defines the format; [`coverage`], what must have a case.

mod coverage;

use harness::conformance::{self, Case, Verdict};
use harness::judge::Seen;
use harness::memory::Memory;
use harness::ssh::OverSsh;
use std::sync::LazyLock;

/// Every block of a case has an action, as one without is ignored and most likely a mistake.
#[test]
fn every_block_of_a_case_is_a_step() {
    let cases = conformance::cases(&conformance::directory());
    assert!(cases.len() > 300, "{} cases", cases.len());
    for case in cases {
        let page = std::fs::read_to_string(&case.path).expect("a page can be read");
        let fences = page.lines().filter(|line| line.starts_with("```")).count();
        assert_eq!(fences, 2 * case.steps.len(), "{}", case.name);
        assert!(!case.steps.is_empty(), "{}", case.name);
        assert!(page.starts_with("# "), "{} has no title", case.name);
    }
}

/// What came of cases in memory, and the nodes that their messages held.
struct InMemory {
    passed: usize,
    failures: Vec<String>,
    seen: Seen,
}

/// Every case in memory, run once for all who look at it.
static ALL_IN_MEMORY: LazyLock<InMemory> = LazyLock::new(|| in_memory(""));

fn in_memory(wanted: &str) -> InMemory {
    let mut ran = InMemory {
        passed: 0,
        failures: Vec::new(),
        seen: Seen::new(),
    };
    for case in conformance::cases(&conformance::directory()) {
        if !case.name.contains(wanted) {
            continue;
        }
        match conformance::run(&case, &mut Memory::new(), &mut ran.seen) {
            Verdict::Passed => ran.passed += 1,
            Verdict::Skipped => ran.failures.push(format!("{}: skipped", case.name)),
            Verdict::Failed(why) => ran.failures.push(format!("{}: {why}", case.name)),
        }
    }
    ran
}

/// Runs the cases whose name contains `CONFORMANCE_CASE`, or all.
#[test]
fn every_case_holds_in_memory() {
    let wanted = std::env::var("CONFORMANCE_CASE").unwrap_or_default();
    let picked;
    let ran = match wanted.as_str() {
        "" => &*ALL_IN_MEMORY,
        wanted => {
            picked = in_memory(wanted);
            &picked
        }
    };
    assert!(
        ran.failures.is_empty(),
        "{} cases passed, {} failed:\n\n{}",
        ran.passed,
        ran.failures.len(),
        ran.failures.join("\n\n")
    );
    assert!(ran.passed > 0, "no case is called {wanted}");
}

/// The number of platforms run in parallel over SSH, where cases mostly wait.
const SIDE_BY_SIDE: usize = 6;

/// Every case over real SSH, except for those that advance time.
#[test]
fn every_case_holds_over_ssh() {
    hold_over_ssh(OverSsh::new, |_| true);
}

/// The same where the sessions of a case are at different nodes of a cluster: two that forward, and the one that leads.
#[test]
fn every_case_holds_with_its_sessions_at_three_nodes() {
    hold_over_ssh(OverSsh::at_three_nodes, |_| true);
}

/// The same while the lead moves before each message: sessions go on, with all that was said in them. Not what
/// management systems tell, which is in the memory of who leads, nor counters, which begin anew.
#[test]
fn every_case_holds_while_the_lead_moves() {
    let others = ["monitoring-sessions"];
    let goes_on =
        |case: &Case| !case.name.starts_with("ems-") && !others.contains(&case.name.as_str());
    hold_over_ssh(OverSsh::while_the_lead_moves, goes_on);
}

fn hold_over_ssh(make: impl Fn() -> OverSsh + Sync, holds: impl Fn(&Case) -> bool) {
    let make = &make;
    let wanted = std::env::var("CONFORMANCE_CASE").unwrap_or_default();
    let mut cases = conformance::cases(&conformance::directory());
    cases.retain(|case| case.name.contains(&wanted) && holds(case));
    let share = &|part: usize| {
        let mine = cases.iter().skip(part).step_by(SIDE_BY_SIDE);
        mine.map(|case| {
            let verdict = conformance::run(case, &mut make(), &mut Seen::new());
            (case.name.clone(), verdict)
        })
        .collect::<Vec<_>>()
    };
    let verdicts: Vec<_> = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..SIDE_BY_SIDE)
            .map(|part| scope.spawn(move || share(part)))
            .collect();
        let done = parts
            .into_iter()
            .map(|part| part.join().expect("a case panicked"));
        done.flatten().collect()
    });
    let failures: Vec<String> = verdicts
        .iter()
        .filter_map(|(name, verdict)| match verdict {
            Verdict::Failed(why) => Some(format!("{name}: {why}")),
            Verdict::Passed | Verdict::Skipped => None,
        })
        .collect();
    let skipped = verdicts
        .iter()
        .filter(|(_, v)| *v == Verdict::Skipped)
        .count();
    assert!(
        failures.is_empty(),
        "{} of {} cases failed:\n\n{}",
        failures.len(),
        verdicts.len(),
        failures.join("\n\n")
    );
    let ran = verdicts.len() - skipped;
    // Of those that somebody picked, all may advance time.
    let picked = !wanted.is_empty();
    assert!(
        picked || ran > 5 * skipped,
        "{ran} cases ran, {skipped} did not"
    );
}

/// W25, RFC 6022 §3.1: the schemas in `netconf-state/schemas` can be fetched, and are the compiled
/// ones.
#[test]
fn every_announced_schema_is_served() {
    let schema = testkit::generation();
    let mut fetched = 0;
    for (name, revision) in schema.schemas() {
        let text = fetch(name, revision);
        let wanted = schema.schema(name, Some(revision)).unwrap_or_default();
        assert_eq!(text.trim(), wanted.trim(), "{name}@{revision}");
        fetched += 1;
    }
    assert!(fetched >= schema.modules().len(), "{fetched} schemas");
}

/// The text of a schema, as fetched by a client.
fn fetch(name: &str, revision: &str) -> String {
    use netconf::client::{ClientEvent, ClientSession};
    let mut host = Memory::new();
    let opening = conformance::Description::default().opening("");
    let mut wire = conformance::Host::connect(&mut host, &opening);
    let mut client = ClientSession::default();
    client.call(&format!(
        "<get-schema xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'>\
         <identifier>{name}</identifier><version>{revision}</version></get-schema>"
    ));
    loop {
        wire.send(&client.transmit());
        match wire.receive(conformance::Patience::Expecting) {
            conformance::Heard::Bytes(bytes) => client.receive(&bytes),
            other => panic!("{name}: {other:?}"),
        }
        while let Some(event) = client.poll() {
            if let ClientEvent::Reply(reply) = event {
                let data = reply.data().unwrap_or_else(|| panic!("{}", reply.raw()));
                return data.text().to_owned();
            }
        }
    }
}
