//! The verdicts of each shipped agent on assignments: on each of the questions of the bench
//! `steps`, as a table; and that they are the same on a platform, whether agents step in turn or in
//! parallel with the engine.
//!
//! Read next: `benches/steps/questions.rs`.
#![allow(clippy::unwrap_used)]

#[path = "../benches/steps/questions.rs"]
mod questions;
#[path = "../benches/steps/stepped.rs"]
#[allow(dead_code)]
mod stepped;

use domain::agent::{Input, Output};
use domain::reply::Reply;
use domain::task::TaskId;
use domain::verb::Verb;
use engine::{Endpoint, Negotiate, Negotiated, Refusal};
use questions::{Elements, Question};
use server::clock::Clock;
use server::config::Settings;
use server::host::{Home, Host};
use server::workers::AgentWorkers;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use stepped::{Stepped, World, at};
use testkit::within;

/// The number of sites of the network, and of repetitions of each question about other elements.
const SITES: usize = 60;
const TIMES: usize = 8;
/// The number of each verdict by role and question, with the reasons of refusals.
type Table = BTreeMap<(String, &'static str), BTreeMap<String, usize>>;

fn count(table: &mut Table, role: &str, question: &Question, verdict: String) {
    let row = table.entry((role.to_owned(), question.name)).or_default();
    *row.entry(verdict).or_default() += 1;
}

fn verdict(reply: &Reply) -> String {
    let reasons = reply.reasons.iter().map(|it| format!(" {}", it.reason));
    format!("{}{}", reply.verdict.as_str(), reasons.collect::<String>())
}

fn drawn(table: &Table) -> String {
    let mut lines = String::new();
    for ((role, question), verdicts) in table {
        let verdicts = verdicts.iter().map(|(it, times)| format!("{times} {it}"));
        let verdicts = verdicts.collect::<Vec<_>>().join(", ");
        writeln!(lines, "{role} {question}: {verdicts}").unwrap();
    }
    lines
}

/// The verdicts of agents that are stepped alone.
fn alone(world: &World) -> Table {
    let (mut table, elements) = (Table::new(), Elements::of(&world.inventory));
    for (role, own) in world.roles.iter().zip(&world.roster) {
        for question in questions::of(role) {
            let mut stepped = Stepped::begin(world, own, role);
            for n in 0..TIMES {
                stepped.said.clear();
                stepped.assign(&question, &elements, n);
                let verdicts = stepped.said.iter().filter_map(|output| match output {
                    Output::Answer(reply) => Some(verdict(reply)),
                    _ => None,
                });
                let verdicts: Vec<String> = verdicts.collect();
                assert_eq!(verdicts.len(), 1, "{role} {}: {verdicts:?}", question.name);
                count(&mut table, role, &question, verdicts[0].clone());
                stepped.cancel();
            }
        }
    }
    table
}

/// A platform in memory with the shipped agents, after the same telemetry.
async fn host(world: &World) -> Host {
    let clock = Arc::new(Clock::standing(at(0)));
    let (settings, inventory) = (Settings::default(), Arc::clone(&world.inventory));
    let host = Host::start(Home::Memory, &settings, arena::shipped(), inventory, clock);
    let host = host.await.unwrap();
    let engine = host.platform.engine();
    engine.start(at(-7_200));
    for told in world.news() {
        for own in &world.roster {
            engine.deliver(&own.name, Input::Telemetry(told.clone()), at(0));
        }
    }
    host
}

/// The verdicts on such a platform.
async fn on_a_platform(world: &World, host: &Host) -> Table {
    let (mut table, elements) = (Table::new(), Elements::of(&world.inventory));
    for (role, own) in world.roles.iter().zip(&world.roster) {
        for question in questions::of(role) {
            for n in 0..TIMES {
                let text = (question.content)(&elements, n).render();
                let id = TaskId::new(format!("{role}-{}-{n}", question.name));
                let asked = |verb: Verb, texts: Vec<String>| Negotiate {
                    to: Some(own.name.clone()),
                    task: Some(id.clone()),
                    texts,
                    asynchronous: Some(true),
                    ..Negotiate::new(Endpoint::Platform, verb)
                };
                let said = match ask(host, asked(Verb::TaskAssign, vec![text])).await {
                    Ok(told) => verdict(&told.reply),
                    other => panic!("{role} {}: {other:?}", question.name),
                };
                count(&mut table, role, &question, said);
                drop(ask(host, asked(Verb::TaskCancel, Vec::new())).await);
            }
        }
    }
    table
}

async fn ask(host: &Host, request: Negotiate) -> Result<Negotiated, Refusal> {
    let engine = host.platform.engine();
    let who = engine.principal("operator");
    let asked = format!("{} about {:?}", request.verb, request.task);
    let execution = engine.execute(&who, request, host.clock.now());
    // The platform's clock stands, so that nothing else ends the waiting.
    within(&asked, execution.outcome()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_verdicts_of_shipped_agents_stay_what_they_are() {
    let world = World::new(SITES).unwrap();
    let said = drawn(&alone(&world));
    insta::assert_snapshot!(said, @r"
    billing words: 8 refused profile-only
    bss-tickets words: 8 refused takes-no-tasks
    complaint-north chinese: 8 input-required
    complaint-north vague: 8 input-required
    complaint-north words: 8 accepted
    complaint-south chinese: 8 input-required
    complaint-south vague: 8 input-required
    complaint-south words: 8 accepted
    energy-saving activate: 8 accepted
    energy-saving suspend: 8 accepted
    ip-fault backhaul: 8 accepted
    ip-fault payload: 8 accepted
    ip-fault words: 8 accepted
    mobile-north sites: 8 result
    mobile-north town: 8 result
    mobile-south sites: 8 result
    mobile-south town: 8 result
    optimisation payload: 6 accepted, 2 refused no-neighbour
    oss-fault payload: 8 accepted
    oss-fault words: 8 accepted
    resource-copilot any: 8 result
    resource-copilot nothing: 8 input-required missing
    resource-copilot payload: 8 result
    resource-copilot place: 8 result
    resource-copilot words: 8 result
    sales words: 8 refused profile-only
    service-copilot repair: 8 accepted
    service-copilot words: 8 result
    service-intent payload: 8 result
    transport-north sites: 8 result
    transport-north town: 8 result
    transport-south sites: 8 result
    transport-south town: 8 result
    trouble-ticket escalation: 8 accepted
    trouble-ticket open: 8 result
    trouble-ticket repair: 8 accepted
    trouble-ticket words: 8 result
    wireless-fault payload: 8 accepted
    wireless-fault verification: 8 result
    wireless-fault words: 8 accepted
    ");
    let in_turn = host(&world).await;
    assert_eq!(drawn(&on_a_platform(&world, &in_turn).await), said);
    let beside = host(&world).await;
    let workers = AgentWorkers::start(beside.platform.engine(), &beside.clock).unwrap();
    assert_eq!(drawn(&on_a_platform(&world, &beside).await), said);
    workers.stop().await;
}
