//! Properties of whole days with all agents, for any seed.
//!
//! Days are simulated in memory, over real sessions, in a small network in which every kind of
//! fault happens in the morning; the rest of the day is quiet, so that everything must have ended
//! by then. Agents are observed at their interfaces: their inputs and outputs. CI runs some seeds;
//! `CONVOKE_LAW_SEEDS=A..B` selects others, as `make soak` does. Read next: [`played`], the
//! simulation of a day.

#![allow(clippy::unwrap_used)]

#[path = "laws/played.rs"]
mod played;
#[path = "laws/province.rs"]
mod province;

use domain::task::{Status, Task};
use domain::telemetry::Saving;
use network::Simulation;
use network::mobile::energy::{floor_w, power_w};
use played::{Cast, Day, Network, block_on, play, play_over, seeds};
use std::collections::BTreeSet;

/// True for tasks that last as long as the platform: monitoring, and energy saving.
fn is_standing(task: &Task) -> bool {
    let standing = ["fault_incident", "energy_saving"];
    let scenario = task.scenario().unwrap_or_default();
    standing.contains(&scenario)
        && task.conditions.parent.is_none()
        && task.conditions.deadline.is_none()
}

/// The time before the end within which complaints may still be open, in seconds: a complainant
/// gets an answer, or a note that there is none, within six hours (`bss_tickets`).
const LATEST_S: f64 = 7.0 * 3_600.0;

/// The tasks and negotiations that should have ended, in words.
fn left_over(day: &Day) -> Vec<String> {
    let late = day.ended.plus_s(-LATEST_S);
    let open = day.tasks.iter().filter(|t| !t.status.is_terminal());
    let open = open.filter(|t| !is_standing(t) && t.created_at < late);
    let open = open.map(|t| {
        let (about, status) = (t.scenario().unwrap_or("-"), t.status);
        let Task { id, from, to, .. } = &**t;
        format!(
            "{id} ({about}) of {from} at {to}: {status} since {}",
            t.changed_at
        )
    });
    let talks = day.negotiations.iter().filter(|n| n.is_open());
    let talks = talks.filter(|n| n.turns.first().is_some_and(|turn| turn.at < late));
    let talks = talks.map(|n| format!("{:?} about {} since {}", n.kind, n.task, n.changed_at));
    open.chain(talks).collect()
}

/// Every task and every negotiation ends, every compensation is revoked and every cell is as
/// planned, every ticket ends, and every complainant got one reply (draft-wang-nmrg-magent-im §2.1
/// to §2.3).
#[test]
fn everything_that_was_begun_comes_to_its_end() {
    let (mut compensated, mut complained) = (0, 0);
    for seed in seeds(1..=2) {
        let day = block_on(play(seed, Network::Accidents, Cast::Everybody));
        assert!(day.faults >= 6, "seed {seed}");
        assert_eq!(left_over(&day), Vec::<String>::new(), "seed {seed}");
        is_given_back(&day, seed);
        every_ticket_ends(&day, seed);
        one_reply_each(&day, seed);
        compensated += day.of("experience_compensation").count();
        complained += day.grievances.len();
    }
    assert!(
        compensated > 0 && complained > 0,
        "{compensated} {complained}"
    );
}

/// The agents for users' experience and complaints: each seed silences one.
const SILENT: [&str; 9] = [
    "energy-saving",
    "optimisation",
    "service-intent",
    "complaint-north",
    "complaint-south",
    "mobile-north",
    "mobile-south",
    "transport-north",
    "transport-south",
];

/// Everything ends even if one agent accepts every task and never answers again.
#[test]
fn everything_ends_though_somebody_stays_silent() {
    for seed in seeds(0..=8) {
        let role = SILENT[seed as usize % SILENT.len()];
        let day = block_on(play(seed, Network::Accidents, Cast::Silent(role)));
        let open = left_over(&day);
        assert!(open.is_empty(), "seed {seed}, {role} is silent: {open:#?}");
        is_given_back(&day, seed);
    }
}

/// Asserts that no cell has raised power, and none is asked to stay awake.
fn is_given_back(day: &Day, seed: u64) {
    assert!(day.loud.is_empty(), "seed {seed}: {:?}", day.loud);
    let began = day.of("experience_compensation").count();
    let mut all = day.of("experience_compensation");
    let ended = all.all(|t| t.status.is_terminal());
    assert!(ended, "seed {seed}: of {began} compensations one goes on");
}

/// Asserts that tickets are closed by their publishers, or have failed with a reason.
fn every_ticket_ends(day: &Day, seed: u64) {
    let tickets = day.of("trouble_ticket").chain(day.of("fault_repair"));
    let mut closed = 0;
    for ticket in tickets {
        closed += usize::from(ticket.status == Status::Finished);
        assert!(ticket.status.is_terminal(), "seed {seed}: {ticket:?}");
    }
    assert!(closed > 0, "seed {seed}: no ticket was closed");
}

/// Asserts that each complaint has exactly one reply.
fn one_reply_each(day: &Day, seed: u64) {
    let late = day.ended.plus_s(-LATEST_S);
    for grievance in day.grievances.iter().filter(|g| g.opened_at < late) {
        let replies = grievance.outcome.replies;
        assert_eq!(
            replies, 1,
            "seed {seed}: {} of {}",
            grievance.ticket, grievance.opened_at
        );
    }
}

/// The same seed gives the same bytes of the whole record, in however many shards it is decided.
#[test]
fn the_same_seed_gives_the_same_record() {
    for seed in seeds(3..=3) {
        let record = |shards| {
            let morning = play_over(shards, seed, Network::Morning, Cast::Everybody);
            block_on(morning).record
        };
        let [first, second] = [64, 1].map(record);
        assert!(first.len() > 200, "seed {seed}: {} entries", first.len());
        let differs = first.iter().zip(&second).find(|(a, b)| a != b);
        assert_eq!(differs, None, "seed {seed}");
        assert_eq!(first.len(), second.len(), "seed {seed}");
    }
}

/// No agent sees the truth: one that receives no telemetry acts the same, to the byte, whether the
/// network breaks or not.
#[test]
fn who_hears_nothing_knows_nothing() {
    for seed in seeds(4..=4) {
        let broken = block_on(play(seed, Network::Morning, Cast::Deaf));
        let whole = block_on(play(seed, Network::AtRest, Cast::Deaf));
        assert!(broken.faults > whole.faults);
        assert_eq!(broken.record, whole.record, "seed {seed}");
        assert_eq!(broken.heard, whole.heard, "seed {seed}");
    }
}

/// Asserts the physical limits every quarter of an hour: power is between the deepest sleep and
/// full load at the highest power, and traffic does not exceed demand.
fn physics(simulation: &Simulation) {
    let (mobile, inventory) = (simulation.mobile(), simulation.inventory());
    let ground = mobile.ground();
    let sites: BTreeSet<_> = inventory
        .cells
        .keys()
        .map(|c| inventory.node_of(c))
        .collect();
    for site in sites {
        let cells: Vec<_> = inventory
            .cells_of(site)
            .map(|id| (id, &inventory.cells[id]))
            .collect();
        let dead = |id| ground.unpowered.contains(site) || ground.cells_failed.contains(id);
        let least: f64 = cells
            .iter()
            .filter(|(id, _)| !dead(*id))
            .map(|(_, c)| floor_w(c))
            .sum();
        let most: f64 = cells
            .iter()
            .map(|(_, c)| power_w(c, 1.0, 10.0, Saving::Off))
            .sum();
        let drawn = mobile.site_power_w(site);
        assert!(
            (least - 1e-6..=most + 1e-6).contains(&drawn),
            "{site}: {least} ≤ {drawn} ≤ {most}"
        );
    }
    let tally = mobile.tally();
    assert!(
        tally.traffic_mb <= tally.wanted_mb * (1.0 + 1e-9),
        "{tally:?}"
    );
    assert!(
        tally.energy_kwh <= tally.energy_without_saving_kwh * (1.0 + 1e-9),
        "{tally:?}"
    );
    assert!(
        mobile
            .carried_share()
            .is_none_or(|s| (0.0..=1.0 + 1e-9).contains(&s))
    );
    let offered = mobile.offered_by_sites();
    for (site, carried) in mobile.traffic_of_sites() {
        assert!(
            carried <= offered[&site] + 1e-6,
            "{site} carries more than it is given"
        );
    }
}
