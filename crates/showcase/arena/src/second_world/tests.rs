//! The second world is heard, learnt from and scored.

use super::*;
use agents::learnt_causes::LearntCauses;

const WORLD: SecondWorld = SecondWorld {
    sites: 120,
    network: NETWORK,
};

#[test]
fn the_past_is_a_record_of_names_and_nodes() {
    let past = WORLD.past(PAST_SEED, 8);
    let (record, links) = (past.record(), past.links());
    let mut lines = record.lines();
    assert_eq!(
        lines.next(),
        Some("alarm_id,device_id,start_timestamp,end_timestamp")
    );
    let nodes = |text: &str| text.starts_with("site:") || text.starts_with("router:");
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        assert!(fields.len() == 4 && nodes(fields[1]), "{line}");
        let began: i64 = fields[2].parse().unwrap();
        assert!(fields[3].parse().is_ok_and(|ended: i64| ended >= began) || fields[3].is_empty());
    }
    assert!(links.lines().all(|line| line.split(',').all(nodes)));
    // One link for each site, and two uplinks for each router.
    assert_eq!(links.lines().count(), 120 + 2 * 4);
}

/// A graph that says nothing has nothing said, and who says nothing is scored as that.
#[test]
fn every_policy_hears_the_same_day() {
    let past = WORLD.past(PAST_SEED, 8);
    let policies = NamedPolicies::tuned(&past, &LearntCauses::default());
    let day = WORLD.labelled(101, 4);
    let runs = policies.diagnose(&day, 101);
    let names: Vec<&str> = runs.iter().map(|run| run.policy.as_str()).collect();
    let agents = [UNLEARNT, CAUSES, LEARNT];
    assert_eq!(names, [&YARDSTICKS[..], &agents].concat());
    for run in &runs {
        assert_eq!(run.faults.len(), runs[0].faults.len(), "{}", run.policy);
        assert_eq!(run.statements == 0, run.policy == CAUSES, "{}", run.policy);
    }
}

#[test]
fn a_larger_network_may_be_spoken_of_more() {
    let of = |sites| {
        let world = SecondWorld { sites, ..WORLD };
        statements_per_day(&world.past(PAST_SEED, 1).inventory)
    };
    assert!((of(300) - STATEMENTS_PER_DAY).abs() < 1e-9);
    assert!((of(60) - STATEMENTS_PER_DAY / 5.0).abs() < 1e-9);
}
