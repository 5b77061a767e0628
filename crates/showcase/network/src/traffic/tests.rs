//! Paths and splits by hand, and conservation over seeds and failures.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::build::{Parameters, inventory};
use crate::topology::Backbone;
use domain::inventory::ElementKind;
use proptest::prelude::*;

/// A backbone alone, without sites.
fn network(text: &str) -> Inventory {
    let topology = Backbone::parse(text).unwrap();
    let parameters = Parameters {
        sites: 1,
        ..Parameters::default()
    };
    let mut network = inventory(&topology, &parameters, 1);
    for link in network.links.values_mut().filter(|link| link.backbone) {
        link.capacity_mbps = 100.0;
    }
    network
}

/// The edges: A to D over B or C, equally long, and over E, longer; B to F.
const DIAMOND: &str = "network Diamond
city A 0 0\ncity B 1 1\ncity C 1 -1\ncity D 2 0\ncity E 1 3\ncity F 2 2
link A B 100\nlink A C 100\nlink B D 100\nlink C D 100\nlink A E 150\nlink E D 150\nlink B F 50";

fn demand(from: &str, to: &str, mbps: f64) -> Demand {
    let router = |name: &str| ElementId::new(format!("router:{name}"));
    Demand {
        from: router(from),
        to: router(to),
        mbps,
    }
}

fn busy() -> Terrain {
    Terrain {
        hour_share: 1.0,
        ..Terrain::default()
    }
}

fn link(name: &str) -> ElementId {
    ElementId::new(format!("link:{name}"))
}

/// The traffic of each backbone link, carried and offered in each direction.
fn table(flows: &Flows) -> String {
    let used = flows
        .links
        .iter()
        .filter(|(_, load)| load.utilisation() > 0.0);
    let rows = used.map(|(id, load)| {
        let way = |way: Way| format!("{:.1}/{:.1}", way.carried_mbps, way.offered_mbps);
        format!("{id} {} {}", way(load.forth), way(load.back))
    });
    let sums = format!(
        "offered {:.1} delivered {:.1} dropped {:.1} pathless {:.1}",
        flows.offered_mbps, flows.delivered_mbps, flows.dropped_mbps, flows.pathless_mbps
    );
    rows.chain([sums]).collect::<Vec<_>>().join("\n")
}

/// Shortest-path routing with ECMP.
#[test]
fn equal_paths_share_evenly_and_longer_ones_wait() {
    let network = network(DIAMOND);
    let demands = [demand("A", "D", 60.0), demand("F", "C", 20.0)];
    let traffic = Traffic::new(&network, &demands);
    // F to C: over B, then A or D, equally long.
    insta::assert_snapshot!(table(&traffic.flow(&busy())), @r"
    link:A-B 30.0/30.0 10.0/10.0
    link:A-C 40.0/40.0 0.0/0.0
    link:B-D 40.0/40.0 0.0/0.0
    link:B-F 0.0/0.0 20.0/20.0
    link:C-D 30.0/30.0 10.0/10.0
    offered 80.0 delivered 80.0 dropped 0.0 pathless 0.0
    ");
}

#[test]
fn a_failed_link_and_a_raised_metric_turn_traffic_away() {
    let network = network(DIAMOND);
    let traffic = Traffic::new(&network, &[demand("A", "D", 60.0)]);
    let mut cut = busy();
    cut.down.insert(link("A-B"));
    insta::assert_snapshot!(table(&traffic.flow(&cut)), @r"
    link:A-C 60.0/60.0 0.0/0.0
    link:C-D 60.0/60.0 0.0/0.0
    offered 60.0 delivered 60.0 dropped 0.0 pathless 0.0
    ");
    cut.metrics.insert(link("C-D"), 9_000);
    insta::assert_snapshot!(table(&traffic.flow(&cut)), @r"
    link:A-E 60.0/60.0 0.0/0.0
    link:E-D 60.0/60.0 0.0/0.0
    offered 60.0 delivered 60.0 dropped 0.0 pathless 0.0
    ");
    cut.down.extend([link("A-C"), link("A-E")]);
    insta::assert_snapshot!(table(&traffic.flow(&cut)), @"offered 60.0 delivered 0.0 dropped 0.0 pathless 60.0");
}

#[test]
fn a_router_that_asks_is_passed_by() {
    let network = network(DIAMOND);
    let traffic = Traffic::new(&network, &[demand("A", "D", 60.0), demand("A", "F", 5.0)]);
    let mut terrain = busy();
    terrain.avoided.insert(ElementId::new("router:B"));
    // F hangs on B alone: that is the last resort.
    insta::assert_snapshot!(table(&traffic.flow(&terrain)), @r"
    link:A-B 5.0/5.0 0.0/0.0
    link:A-C 60.0/60.0 0.0/0.0
    link:B-F 5.0/5.0 0.0/0.0
    link:C-D 60.0/60.0 0.0/0.0
    offered 65.0 delivered 65.0 dropped 0.0 pathless 0.0
    ");
}

#[test]
fn what_is_too_much_or_unreadable_is_dropped_once() {
    let network = network(DIAMOND);
    let traffic = Traffic::new(&network, &[demand("F", "D", 150.0)]);
    let mut terrain = busy();
    terrain.losses.insert(link("B-D"), 0.1);
    // B-F carries 100 of 150, and B-D nine tenths of what is left.
    let flows = traffic.flow(&terrain);
    insta::assert_snapshot!(table(&flows), @r"
    link:B-D 90.0/100.0 0.0/0.0
    link:B-F 0.0/0.0 100.0/150.0
    offered 150.0 delivered 90.0 dropped 60.0 pathless 0.0
    ");
    let full = &flows.links[&link("B-F")];
    assert!(full.is_congested() && !flows.links[&link("B-D")].is_congested());
    assert!((full.loss() - 1.0 / 3.0).abs() < 1e-6);
    assert_eq!(flows.congested().collect::<Vec<_>>(), [&link("B-F")]);
}

#[test]
fn delay_is_that_of_the_fibre_until_queues_grow() {
    let load = |offered_mbps: f64| Load {
        forth: Way {
            offered_mbps,
            carried_mbps: offered_mbps.min(10_000.0),
        },
        back: Way::default(),
        capacity_mbps: 10_000.0,
        length_km: 200.0,
    };
    assert_eq!(load(0.0).latency_ms(), 1.0);
    assert!((load(5_000.0).latency_ms() - 1.12).abs() < 1e-9);
    assert!((load(9_900.0).latency_ms() - 12.88).abs() < 1e-6);
    assert_eq!(load(12_000.0).latency_ms(), 51.0);
}

#[test]
fn a_surge_is_known_by_the_links_on_its_way() {
    let network = network(DIAMOND);
    let traffic = Traffic::new(&network, &[]);
    let path = traffic.path(&demand("F", "D", 1.0), &busy());
    assert_eq!(
        path.into_iter().collect::<Vec<_>>(),
        [link("B-D"), link("B-F")]
    );
}

/// Every matrix is scaled: no link exceeds its planned utilisation in the busy hour, and the
/// busiest is at half of it at least.
#[test]
fn undisturbed_networks_are_filled_as_planned() {
    for entry in crate::catalogue() {
        let topology = entry.topology();
        let network = inventory(&topology, &Parameters::default(), 1);
        let demands = demand::of_topology(&topology, &network);
        let mut traffic = Traffic::new(&network, &demands);
        let most = |flows: Flows| {
            let backbone = |id: &ElementId| network.links[id].backbone;
            let links = flows.links.into_iter().filter(|(id, _)| backbone(id));
            links
                .map(|(_, load)| load.utilisation())
                .fold(0.0, f64::max)
        };
        let alone = most(traffic.flow(&busy()));
        assert!((0.499..=0.551).contains(&alone), "{}: {alone}", entry.name);
        traffic.set_sites(&sites(&network, demand::PLANNED_SITE_MBPS));
        let planned = most(traffic.flow(&busy()));
        assert!(
            (0.50..=0.551).contains(&planned),
            "{}: {planned}",
            entry.name
        );
    }
}

fn sites(network: &Inventory, mbps: f64) -> BTreeMap<ElementId, f64> {
    let sites = network.of_kind(ElementKind::Site);
    sites.map(|site| (site.id.clone(), mbps)).collect()
}

#[test]
fn sites_without_a_path_get_nothing_and_those_behind_a_full_link_a_share() {
    let topology = Backbone::named("Polska").unwrap();
    let network = inventory(&topology, &Parameters::default(), 1);
    let mut traffic = Traffic::new(&network, &[]);
    traffic.set_sites(&sites(&network, 30.0));
    let trunk = network
        .links
        .iter()
        .filter(|(_, link)| !link.backbone)
        .find(|(id, _)| {
            network
                .sites_cut_off(&BTreeSet::from([(*id).clone()]))
                .len()
                > 3
        });
    let trunk = trunk.unwrap().0.clone();
    let cut = network.sites_cut_off(&BTreeSet::from([trunk.clone()]));
    let mut terrain = busy();
    terrain.down.insert(trunk);
    let flows = traffic.flow(&terrain);
    assert_eq!(flows.sites.keys().cloned().collect::<BTreeSet<_>>(), cut);
    assert!(flows.sites.values().all(|share| *share == 0.0));
    let lost = cut.len() as f64 * 30.0 * (1.0 + UPLINK_SHARE);
    assert!((flows.pathless_mbps - lost).abs() < 1e-6);
    // Twenty gigabits per site are more than any access link carries.
    traffic.set_sites(&sites(&network, 20_000.0));
    let flows = traffic.flow(&busy());
    assert!(flows.sites.len() > 200 && flows.sites.values().all(|s| *s < 1.0 && *s > 0.0));
}

fn imbalance(traffic: &Traffic, commodity: &Commodity, kept: &[f64]) -> f64 {
    let mut spread = Spread::nothing(kept.len());
    traffic.spread_one(commodity, kept, &mut spread);
    let mut net = vec![0.0; commodity.tree.size()];
    for (from, hops) in (0..net.len()).map(|n| (n, commodity.tree.next_hops(n))) {
        for &(next, way) in hops {
            let (from, next, way) = match commodity.kind {
                Kind::Downlink => (next, from, way ^ 1),
                _ => (from, next, way),
            };
            net[from] -= spread.given[way];
            net[next] += spread.given[way] * kept[way];
        }
    }
    // What is left at a node must be what it takes, or what it was given to send.
    for &(node, mbps) in &commodity.sources {
        if commodity.tree.reaches(node) {
            let share = spread
                .shares
                .iter()
                .find(|(n, _)| *n == node)
                .map_or(1.0, |(_, s)| *s);
            match commodity.kind {
                Kind::Downlink => net[node] -= mbps * share,
                _ => net[node] += mbps,
            }
        }
    }
    let roots =
        |node: usize| commodity.tree.reaches(node) && commodity.tree.next_hops(node).is_empty();
    let worst = net.iter().enumerate().filter(|(node, _)| !roots(*node));
    worst.map(|(_, net)| net.abs()).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    /// Traffic is conserved.
    #[test]
    fn what_comes_in_goes_out_and_nothing_is_lost_that_is_not_counted(
        seed in any::<u64>(),
        which in 0..9usize,
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
        poor in proptest::collection::vec((any::<proptest::sample::Index>(), 0.0..0.5f64), 0..4),
        site_mbps in 0.0..2_000.0f64,
        surge in 0.0..400_000.0f64,
        hour_share in 0.1..1.0f64,
    ) {
        let topology = crate::catalogue()[which].topology();
        let parameters = Parameters { sites: 120, ..Parameters::default() };
        let network = inventory(&topology, &parameters, seed);
        let demands = demand::of_topology(&topology, &network);
        let mut traffic = Traffic::new(&network, &demands);
        traffic.set_sites(&sites(&network, site_mbps));
        let names: Vec<&ElementId> = network.links.keys().collect();
        let ends = &demands[seed as usize % demands.len()];
        let terrain = Terrain {
            down: cuts.iter().map(|cut| (*cut.get(&names)).clone()).collect(),
            losses: poor.iter().map(|(l, loss)| ((*l.get(&names)).clone(), *loss)).collect(),
            surges: vec![Demand { mbps: surge, ..ends.clone() }],
            hour_share,
            ..Terrain::default()
        };
        let flows = traffic.flow(&terrain);
        let accounted = flows.delivered_mbps + flows.dropped_mbps + flows.pathless_mbps;
        prop_assert!((flows.offered_mbps - accounted).abs() < 1e-6 * flows.offered_mbps.max(1.0));
        for (id, load) in &flows.links {
            prop_assert!(!terrain.down.contains(id));
            for way in [load.forth, load.back] {
                prop_assert!(way.carried_mbps <= load.capacity_mbps * 1.001, "{} {:?}", id, load);
                prop_assert!((0.0..=way.offered_mbps + 1e-9).contains(&way.carried_mbps));
            }
            prop_assert!((0.0..=1.0).contains(&load.loss()));
        }
        let ground = traffic.roads.ground(&terrain);
        let kept: Vec<f64> = ground.losses.iter().enumerate()
            .map(|(way, loss)| (1.0 - loss) * (1.0 - (way % 7) as f64 / 20.0)).collect();
        for commodity in traffic.commodities(&terrain, &ground, &mut Charts::default()) {
            let worst = imbalance(&traffic, &commodity, &kept);
            prop_assert!(worst < 1e-6 * (1.0 + surge + site_mbps * 120.0), "{worst}");
        }
        prop_assert_eq!(&flows, &traffic.flow(&terrain));
        // Charts of what was before lead nobody astray.
        let mut charts = Charts::default();
        for terrain in [&busy(), &terrain, &terrain, &Terrain { hour_share: 0.3, ..terrain.clone() }, &busy()] {
            prop_assert_eq!(traffic.flow_by(&mut charts, terrain), traffic.flow(terrain));
        }
    }
}
