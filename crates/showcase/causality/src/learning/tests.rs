//! Learning from small invented histories, of which the truth is known.

use super::*;
use crate::invented::{Alarm, Chance, history};
use proptest::prelude::*;

const DAY: i64 = 86_400;
const LENGTH: i64 = 30 * DAY;

/// Alarms by chance: so many of a type at each of so many devices.
fn noise(chance: &mut Chance, alarm_type: &str, devices: usize, each: usize) -> Vec<Alarm> {
    let mut alarms = Vec::new();
    for device in 0..devices {
        for _ in 0..each {
            alarms.push((
                alarm_type.to_owned(),
                device.to_string(),
                chance.second(LENGTH),
            ));
        }
    }
    alarms
}

/// What these alarms cause: an alarm of another type behind four of five.
fn caused(chance: &mut Chance, causes: &[Alarm], alarm_type: &str) -> Vec<Alarm> {
    let mut alarms = Vec::new();
    for (_, device, start_s) in causes {
        if chance.share() < 0.8 {
            alarms.push((
                alarm_type.to_owned(),
                device.clone(),
                start_s + chance.delay(),
            ));
        }
    }
    alarms
}

/// Fault causes loss causes drop; a door and a fan have nothing to do with it.
fn chain(chance: &mut Chance) -> Vec<Alarm> {
    let faults = noise(chance, "fault", 20, 20);
    let losses = caused(chance, &faults, "loss");
    let drops = caused(chance, &losses, "drop");
    let mut rest = noise(chance, "door", 20, 15);
    rest.extend(noise(chance, "fan", 20, 15));
    rest.extend(noise(chance, "drop", 20, 2));
    [faults, losses, drops, rest].concat()
}

fn learnt(history: &AlarmHistory) -> CausalGraph {
    learn(history, &mut |_| {}).expect("small histories fit")
}

fn pairs(graph: &CausalGraph) -> Vec<String> {
    let pairs = graph.pairs();
    pairs.iter().map(|(a, b)| format!("{a} > {b}")).collect()
}

#[test]
fn a_chain_is_found_in_its_direction() {
    let alarms = chain(&mut Chance(1));
    let graph = learnt(&history(&alarms, None));
    assert!(graph.attributed, "{}", graph.time_reliability);
    assert_eq!(pairs(&graph), ["fault > loss", "loss > drop"]);
    let loss = graph.edges.iter().find(|edge| edge.effect == "loss");
    let loss = loss.expect("it is there");
    assert!(matches!(loss.delay_s, Some(5..=40)), "{loss:?}");
    assert_eq!((loss.same_device, loss.over_link), (Some(1.0), Some(0.0)));
    assert_eq!(graph.links, None);
}

#[test]
fn the_branches_of_a_fork_come_from_its_root() {
    let mut chance = Chance(2);
    let faults = noise(&mut chance, "fault", 20, 20);
    let left = caused(&mut chance, &faults, "left");
    let right = caused(&mut chance, &faults, "right");
    let others = ["door", "fan"].map(|name| noise(&mut chance, name, 20, 15));
    let alarms = [faults, left, right, others.concat()].concat();
    let found = pairs(&learnt(&history(&alarms, None)));
    for edge in ["fault > left", "fault > right"] {
        assert!(found.iter().any(|it| it == edge), "{found:?}");
    }
    assert!(found.iter().all(|it| !it.ends_with("> fault")), "{found:?}");
    assert!(
        found
            .iter()
            .all(|it| !it.contains("door") && !it.contains("fan")),
        "{found:?}"
    );
}

/// Whoever polls reads effects before their cause, always in the same order. That the cause comes
/// alone as well, and its effects never do, tells more.
#[test]
fn the_order_of_a_poller_is_not_taken_for_causes() {
    let mut chance = Chance(3);
    let mut alarms = noise(&mut chance, "cause", 30, 30);
    let of_others = ["p", "q", "r"].map(|name| noise(&mut chance, name, 30, 10));
    let mut polled = Vec::new();
    for (_, device, start_s) in &alarms {
        for (effect, earlier) in [("first", 3), ("second", 2), ("third", 1)] {
            if chance.share() < 0.5 {
                polled.push((effect.to_owned(), device.clone(), start_s - earlier));
            }
        }
    }
    alarms.extend(polled);
    alarms.extend(of_others.concat());
    let graph = learnt(&history(&alarms, None));
    assert!(!graph.attributed, "{}", graph.time_reliability);
    let found = pairs(&graph);
    for effect in ["first", "second", "third"] {
        let edge = format!("cause > {effect}");
        assert!(found.contains(&edge), "{found:?}");
    }
    let first = graph
        .edges
        .iter()
        .find(|edge| edge.effect == "first" && edge.cause == "cause");
    assert_eq!(first.and_then(|edge| edge.delay_s), Some(-3));
}

#[test]
fn noise_has_hardly_an_edge() {
    let mut chance = Chance(4);
    let types = (0..12).map(|n| noise(&mut chance, &n.to_string(), 20, 40));
    let alarms: Vec<_> = types.collect::<Vec<_>>().concat();
    let graph = learnt(&history(&alarms, None));
    assert!(graph.edges.len() <= 2, "of 66 pairs: {:?}", pairs(&graph));
}

#[test]
fn an_effect_on_the_next_device_needs_the_topology() {
    let mut chance = Chance(5);
    let faults = noise(&mut chance, "fault", 20, 20);
    let mut alarms = caused(&mut chance, &faults, "echo");
    for (_, device, _) in &mut alarms {
        let number: usize = device.parse().expect("devices are numbers");
        *device = (number ^ 1).to_string();
    }
    alarms.extend(faults);
    for name in ["door", "fan"] {
        alarms.extend(noise(&mut chance, name, 20, 15));
    }
    let links = (0..20).step_by(2).map(|n| format!("{n},{}\n", n + 1));
    let links: String = links.collect();
    assert!(learnt(&history(&alarms, None)).edges.is_empty());
    let graph = learnt(&history(&alarms, Some(&links)));
    assert_eq!(pairs(&graph), ["fault > echo"]);
    assert_eq!(graph.links, Some(10));
    assert!(graph.edges[0].over_link > Some(0.9), "{:?}", graph.edges);
}

#[test]
fn one_alarm_teaches_nothing() {
    let alarm = ("fault".to_owned(), "1".to_owned(), 7);
    let graph = learnt(&history([&alarm], None));
    assert_eq!((graph.types.len(), graph.edges.len()), (1, 0));
    assert_eq!((graph.first_s, graph.last_s), (7, 7));
}

fn shuffled<T>(mut items: Vec<T>, seed: u64) -> Vec<T> {
    let mut chance = Chance(seed);
    for end in (1..items.len()).rev() {
        items.swap(end, chance.second(end as i64 + 1) as usize);
    }
    items
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// In what order lines stand and what devices are called leaves no trace.
    #[test]
    fn lines_and_devices_have_no_order(seed in any::<u64>(), add in 1_usize..1_000) {
        let alarms = chain(&mut Chance(seed));
        let graph = learnt(&history(&alarms, None));
        let renamed = |(alarm_type, device, start_s): &Alarm| {
            let number: usize = device.parse().expect("devices are numbers");
            let device = format!("d{}", (number + add) * 7 % 1_009);
            (alarm_type.clone(), device, *start_s)
        };
        let other: Vec<_> = alarms.iter().map(renamed).collect();
        let other = shuffled(other, seed ^ 1);
        prop_assert_eq!(&learnt(&history(&other, None)), &graph);
        prop_assert_eq!(learnt(&history(&shuffled(alarms, seed ^ 2), None)), graph);
    }

    /// What types are called leaves no trace but their names.
    #[test]
    fn types_that_are_renamed_are_renamed_in_the_graph(seed in any::<u64>()) {
        let alarms = chain(&mut Chance(seed));
        let names = ["door", "drop", "fan", "fault", "loss"];
        let other = shuffled(names.to_vec(), seed ^ 1);
        let renamed = |name: &str| {
            let place = names.iter().position(|it| *it == name).expect("it is one of them");
            other[place].to_owned()
        };
        let changed: Vec<_> = alarms
            .iter()
            .map(|(alarm_type, device, start_s)| (renamed(alarm_type), device.clone(), *start_s))
            .collect();
        let graph = learnt(&history(&alarms, None));
        let changed = learnt(&history(&changed, None));
        let edges = graph.edges.into_iter().map(|edge| CausalEdge {
            cause: renamed(&edge.cause),
            effect: renamed(&edge.effect),
            ..edge
        });
        let sorted = |mut edges: Vec<CausalEdge>| {
            edges.sort_by(|a, b| (&a.cause, &a.effect).cmp(&(&b.cause, &b.effect)));
            edges
        };
        prop_assert_eq!(sorted(edges.collect()), sorted(changed.edges));
        prop_assert_eq!(graph.time_reliability, changed.time_reliability);
    }
}

proptest! {
    /// Whatever happened, edges follow the order, and shares are shares.
    #[test]
    fn every_history_has_a_graph(
        alarms in proptest::collection::vec((0_u8..5, 0_u8..4, 0_i64..3_000), 1..80),
        linked in any::<bool>(),
    ) {
        let alarms: Vec<Alarm> = alarms
            .into_iter()
            .map(|(alarm_type, device, start_s)| (alarm_type.to_string(), device.to_string(), start_s))
            .chain([0, 1].map(|device: u8| ("0".to_owned(), device.to_string(), 0)))
            .collect();
        let graph = learnt(&history(&alarms, linked.then_some("0,1\n1,2\n2,3\n")));
        prop_assert!((0.0..=1.0).contains(&graph.time_reliability));
        for edge in &graph.edges {
            prop_assert!(edge.order_gap >= 0.0 && edge.strength > 0.0);
            if let (Some(own), Some(other)) = (edge.same_device, edge.over_link) {
                prop_assert!((own + other - 1.0).abs() < 0.002);
            }
        }
        prop_assert_eq!(CausalGraph::from_json(&graph.to_json()).expect("it was written"), graph);
    }
}
