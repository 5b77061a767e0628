//! Properties of the mobile domain, checked over seeds, grounds and orders.
#![allow(clippy::unwrap_used)]

use super::picture::{share, slowest_tenth};
use super::users::served_by;
use super::*;
use crate::build::{Parameters, inventory};
use crate::topology::Backbone;
use domain::inventory::RadioUnit;
use domain::radio::energy::can;
use domain::radio::load::MEAN_LOAD;
use proptest::prelude::*;
use proptest::sample::Index;

fn network(sites: usize, seed: u64) -> Inventory {
    let parameters = Parameters {
        sites,
        ..Parameters::default()
    };
    inventory(&Backbone::named("Polska").unwrap(), &parameters, seed)
}

fn at(hours: f64) -> Timestamp {
    Timestamp::parse("2025-04-21T00:00:00Z")
        .unwrap()
        .plus_s(hours * 3600.0)
}

fn mobile(inventory: &Inventory, seed: u64, hour: f64) -> Mobile {
    Mobile::new(inventory, &MobileSettings::default(), seed, at(hour))
}

fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().sum()
}

/// The mean load by hour is the measured one.
#[test]
fn the_day_is_the_measured_one_in_the_mean_and_in_its_spread() {
    let inventory = network(120, 3);
    let mut mobile = mobile(&inventory, 3, 0.0);
    let mut off = Vec::new();
    let hours = MEAN_LOAD.into_iter().zip(demand::PERCENTILES).enumerate();
    for (hour, (mean, [p10, p50, p90])) in hours {
        for quarter in 1..=4 {
            let now = hour as f64 + f64::from(quarter) / 4.0;
            mobile.see(TransportState::default(), at(now));
        }
        let told = mobile.close_period();
        let mut loads: Vec<f64> = told.cells.values().map(|cell| cell.load).collect();
        loads.sort_by(f64::total_cmp);
        let count = loads.len();
        let measured = sum(loads.iter().copied()) / count as f64;
        off.push((measured / mean - 1.0).abs());
        let place = |share: f64| loads[(share * count as f64) as usize];
        for (share, table) in [(0.1, p10), (0.5, p50), (0.9, p90)] {
            let found = place(share);
            let near = (found - table).abs() < 0.12 * table + 0.012;
            assert!(near, "hour {hour}: p{share} is {found}, not {table}");
        }
    }
    assert!(off.iter().all(|off| *off < 0.03), "{off:?}");
    let nobody_out = mobile.tally();
    assert_eq!(nobody_out.user_minutes_out, 0.0);
    assert!(nobody_out.user_minutes_below < 0.02 * nobody_out.user_minutes);
}

/// Orders to cells and changes of the ground.
#[derive(Clone, Debug)]
struct Deeds {
    out: Vec<Index>,
    unpowered: Vec<Index>,
    failed: Vec<Index>,
    disturbed: Vec<(Index, f64)>,
    raised: Vec<(Index, f64)>,
    asleep: Vec<(Index, usize)>,
    hour: f64,
}

fn deeds() -> impl Strategy<Value = Deeds> {
    let some = || proptest::collection::vec(any::<Index>(), 0..6);
    let levels =
        |low: f64, high: f64| proptest::collection::vec((any::<Index>(), low..high), 0..12);
    let modes = proptest::collection::vec((any::<Index>(), 0..4usize), 0..40);
    (
        some(),
        some(),
        some(),
        levels(-110.0, -60.0),
        levels(0.0, 10.0),
        modes,
        0.0..24.0,
    )
        .prop_map(
            |(out, unpowered, failed, disturbed, raised, asleep, hour)| Deeds {
                out,
                unpowered,
                failed,
                disturbed,
                raised,
                asleep,
                hour,
            },
        )
}

impl Deeds {
    fn ground(&self, inventory: &Inventory) -> TransportState {
        let sites: Vec<&ElementId> = inventory
            .of_kind(ElementKind::Site)
            .map(|s| &s.id)
            .collect();
        let cells: Vec<&ElementId> = inventory.cells.keys().collect();
        let pick = |from: &[Index], all: &[&ElementId]| -> BTreeSet<ElementId> {
            from.iter().map(|index| (*index.get(all)).clone()).collect()
        };
        let unpowered = pick(&self.unpowered, &sites);
        let disturbed = || self.disturbed.iter();
        TransportState {
            sites_out: pick(&self.out, &sites).union(&unpowered).cloned().collect(),
            unpowered,
            cells_failed: pick(&self.failed, &cells),
            losses_db: disturbed()
                .map(|(i, dbm)| ((*i.get(&cells)).clone(), -dbm / 10.0))
                .collect(),
            interference_dbm: disturbed()
                .map(|(i, dbm)| ((*i.get(&cells)).clone(), *dbm))
                .collect(),
            backhaul_mbps: self
                .disturbed
                .iter()
                .map(|(i, dbm)| ((*i.get(&sites)).clone(), dbm + 110.0))
                .collect(),
        }
    }

    fn order(&self, mobile: &mut Mobile, inventory: &Inventory) {
        let cells: Vec<&ElementId> = inventory.cells.keys().collect();
        for (cell, offset_db) in &self.raised {
            let cell: &&ElementId = cell.get(&cells);
            mobile.set_power(cell, *offset_db);
        }
        for (cell, mode) in &self.asleep {
            let cell: &&ElementId = cell.get(&cells);
            mobile.set_saving(cell, Saving::ALL[*mode]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Users and traffic are conserved.
    #[test]
    fn users_and_traffic_are_conserved(seed in any::<u64>(), deeds in deeds()) {
        let inventory = network(40, seed);
        let mut mobile = mobile(&inventory, seed, deeds.hour);
        let everybody = sum(mobile.users.points.iter().map(|u| u.weight));
        deeds.order(&mut mobile, &inventory);
        mobile.see(deeds.ground(&inventory), at(deeds.hour));
        let served = sum(mobile.picture().users.iter().copied());
        prop_assert!((served + mobile.rates.users_out - everybody).abs() < 1e-6 * everybody);
        prop_assert!((mobile.rates.users - everybody).abs() < 1e-6 * everybody);
        prop_assert!(mobile.rates.traffic_mbps <= mobile.rates.wanted_mbps * (1.0 + 1e-9));
        let sites = mobile.traffic_of_sites();
        prop_assert!((sum(sites.values().copied()) - mobile.rates.traffic_mbps).abs() < 1e-6);
        for (site, limit) in &mobile.ground.backhaul_mbps {
            prop_assert!(sites[site] <= limit + 1e-9);
        }
        for (cell, unit) in mobile.units.iter().enumerate() {
            prop_assert!((0.0..=1.0).contains(&mobile.picture().load[cell]));
            let on = mobile.evaluation.scene().factor[cell] > 0.0;
            prop_assert!(on || (mobile.picture().users[cell], mobile.picture().traffic[cell]) == (0.0, 0.0));
            let off = mobile.ground.sites_out.contains(&mobile.sites[unit.site])
                || mobile.ground.cells_failed.contains(&unit.id)
                || !mobile.told[cell].saving.serves();
            prop_assert_eq!(on, !off);
        }
        let area = mobile.area(&mobile.sites.iter().cloned().collect());
        prop_assert!((area.users - everybody).abs() < 1e-6 * everybody);
        prop_assert!((area.served_share - served / everybody).abs() < 1e-9);
        prop_assert!(mobile.picture().throughput.iter().all(|t| t.is_finite() && *t >= 0.0));
    }

    /// Energy stays above the physical minimum.
    #[test]
    fn energy_stays_between_the_deepest_sleep_and_full_load(seed in any::<u64>(), deeds in deeds()) {
        let inventory = network(40, seed);
        let mut mobile = mobile(&inventory, seed, deeds.hour);
        deeds.order(&mut mobile, &inventory);
        let begin = at(deeds.hour);
        mobile.see(deeds.ground(&inventory), begin);
        mobile.close_period();
        let ground = mobile.ground.clone();
        mobile.see(ground.clone(), begin.plus_s(400.0));
        mobile.see(ground.clone(), begin.plus_s(900.0));
        let before = mobile.tally();
        let told = mobile.close_period();
        for (id, cell) in &told.cells {
            let plan = &inventory.cells[id];
            let watts = cell.energy_kwh * 3.6e6 / 900.0;
            let most = energy::power_w(plan, 1.0, POWER_OFFSET_MAX_DB, Saving::Off);
            let least = match ground.cells_failed.contains(id) {
                true => 0.0,
                false => energy::floor_w(plan),
            };
            prop_assert!((least - 1e-6..=most + 1e-6).contains(&watts), "{} W of {}", watts, id);
        }
        prop_assert!(before.energy_kwh <= before.energy_without_saving_kwh + 1e-9);
        prop_assert!(before.energy_least_kwh <= before.energy_kwh + 1e-9);
        prop_assert!(before.energy_without_saving_kwh <= before.energy_without_saving_most_kwh + 1e-9);
        prop_assert!(told.cells.keys().all(|id| !ground.sites_out.contains(inventory.node_of(id))));
    }

    /// The same seed gives the same bytes, and past states leave no trace.
    #[test]
    fn a_picture_depends_on_what_is_and_not_on_what_was(seed in any::<u64>(), deeds in deeds()) {
        let inventory = network(40, seed);
        let mut straight = mobile(&inventory, seed, 9.0);
        let mut astray = mobile(&inventory, seed, 9.0);
        astray.see(deeds.ground(&inventory), at(10.0));
        for mobile in [&mut straight, &mut astray] {
            deeds.order(mobile, &inventory);
            mobile.see(TransportState::default(), at(deeds.hour + 12.0));
        }
        // Who lost power has forgotten nothing that was told later.
        prop_assert_eq!(straight.picture(), astray.picture());
        let (mut one, mut two) = (straight.clone(), straight);
        for mobile in [&mut one, &mut two] {
            mobile.see(deeds.ground(&inventory), at(deeds.hour + 13.0));
        }
        prop_assert_eq!(format!("{:?}", one.close_period()), format!("{:?}", two.close_period()));
    }
}

/// A full computation, without the increments of [`Evaluation`].
fn anew(mobile: &Mobile) -> Picture {
    let Mobile { units, users, .. } = mobile;
    let scene = mobile.evaluation.scene();
    let (points, cells) = (&users.points, units.len());
    let serving: Vec<_> = points
        .iter()
        .map(|user| served_by(units, &users.rays[user.rays.clone()], &scene.factor))
        .collect();
    let foreign = |user: usize, cell: usize, load: &[f64]| {
        let carrier = units[cell].plan.carrier_mhz;
        let rays = users.rays[points[user].rays.clone()].iter();
        let others = rays.filter(|r| r.cell != cell && units[r.cell].plan.carrier_mhz == carrier);
        others
            .filter(|r| scene.factor[r.cell] > 0.0)
            .fold(scene.foreign_mw[cell], |sum, r| {
                sum + r.rsrp_mw
                    * scene.factor[r.cell]
                    * (0.05 + (1.0 - 0.05) * load[r.cell].min(1.0))
            })
    };
    let rate = |user: usize, load: &[f64]| {
        let (cell, mw) = serving[user].unwrap();
        let sinr = mw / (units[cell].noise_mw + foreign(user, cell, load));
        units[cell].plan.bandwidth_mhz * propagation::efficiency(sinr)
    };
    let mut served = vec![Vec::new(); cells];
    for (user, by) in serving.iter().enumerate() {
        by.iter().for_each(|(cell, _)| served[*cell].push(user));
    }
    let of = |cell: usize| served[cell].iter().copied();
    let asked = |load: &[f64]| -> Vec<f64> {
        let asked = |cell| {
            of(cell).fold(0.0, |sum, u| {
                sum + points[u].weight * scene.wanted[u] / rate(u, load)
            })
        };
        (0..cells).map(asked).collect()
    };
    let mut load = scene.usual.clone();
    for _ in 0..8 {
        let next: Vec<f64> = asked(&load).iter().map(|a| a.min(1.0)).collect();
        let change = next.iter().zip(&load).map(|(n, l)| (n - l).abs());
        let settled = change.fold(0.0, f64::max) < 2e-3;
        load = next;
        if settled {
            break;
        }
    }
    let asked = asked(&load);
    let mut picture = Picture {
        serving: serving.iter().map(|s| s.map(|(cell, _)| cell)).collect(),
        throughput: vec![0.0; points.len()],
        load: asked.iter().map(|a| a.min(1.0)).collect(),
        ..Picture::default()
    };
    let offered = |cell: usize| {
        let air = asked[cell].max(1.0);
        of(cell).fold(0.0, |sum, u| sum + points[u].weight * scene.wanted[u] / air)
    };
    picture.offered = (0..cells).map(offered).collect();
    for cell in 0..cells {
        let site = units[cell].site;
        let (cells, limit) = (mobile.on[site].clone(), scene.backhaul[site]);
        let carried = cells.fold(0.0, |sum, cell| sum + picture.offered[cell]);
        let fits = if carried > limit {
            limit.max(0.0) / carried
        } else {
            1.0
        };
        let gets = |u: usize| (rate(u, &load) * share(asked[cell]) * fits).min(limit.max(0.0));
        let weighed = |value: &dyn Fn(usize) -> f64| {
            of(cell).fold(0.0, |sum, u| sum + points[u].weight * value(u))
        };
        let count = of(cell).fold(0.0, |sum, u| sum + points[u].weight);
        picture.users.push(count);
        picture.traffic.push(picture.offered[cell] * fits);
        picture.throughput_sum.push(weighed(&gets));
        let mut gained: Vec<_> = of(cell).map(|u| (gets(u), points[u].weight)).collect();
        picture.edge.push(slowest_tenth(&mut gained));
        picture.foreign.push(match count > 0.0 {
            true => weighed(&|u| foreign(u, cell, &load)) / count,
            false => scene.foreign_mw[cell],
        });
        of(cell).for_each(|u| picture.throughput[u] = gets(u));
    }
    picture.asked = asked;
    picture
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// The incremental evaluation is bit-identical to a full computation after any history, within
    /// a quarter of an hour and from one to the next.
    #[test]
    fn a_picture_is_what_everything_computed_anew_is(
        seed in any::<u64>(),
        course in proptest::collection::vec((deeds(), 0..3u32), 1..6),
    ) {
        let inventory = network(30, seed);
        let mut mobile = mobile(&inventory, seed, 9.0);
        let mut minutes = 0;
        for (deeds, later) in course {
            deeds.order(&mut mobile, &inventory);
            minutes += later * 6;
            mobile.see(deeds.ground(&inventory), at(9.0 + f64::from(minutes) / 60.0));
            prop_assert_eq!(mobile.picture(), &anew(&mobile));
            // One more, of a few cells only.
            let few = Deeds { asleep: deeds.asleep.iter().take(2).cloned().collect(), raised: Vec::new(), ..deeds };
            few.order(&mut mobile, &inventory);
            let ground = mobile.ground.clone();
            mobile.see(ground, at(9.0 + f64::from(minutes) / 60.0));
            prop_assert_eq!(mobile.picture(), &anew(&mobile));
        }
    }
}

/// A site amid others, and the cells around it that can take over its users.
fn hole(inventory: &Inventory) -> (ElementId, BTreeSet<ElementId>) {
    let sites = inventory.of_kind(ElementKind::Site);
    let around = |site: &ElementId| -> BTreeSet<ElementId> {
        let cells = inventory.cells_of(site);
        let neighbours = cells.flat_map(|cell| inventory.cells[cell].neighbours.iter());
        neighbours
            .filter(|n| inventory.node_of(n) != site)
            .cloned()
            .collect()
    };
    let found = sites.map(|site| (site.id.clone(), around(&site.id)));
    found.max_by_key(|(_, around)| around.len()).unwrap()
}

/// Raising a neighbour's power covers a hole, and costs interference and energy
/// (draft-wang-nmrg-magent-im §2.2).
#[test]
fn neighbours_cover_a_hole_at_a_price() {
    let inventory = network(60, 5);
    let (site, around) = hole(&inventory);
    let area = BTreeSet::from([site.clone()]);
    let dead = TransportState {
        sites_out: area.clone(),
        ..TransportState::default()
    };
    let mut states = Vec::new();
    for offset_db in [0.0, 6.0, 10.0] {
        let mut mobile = mobile(&inventory, 5, 12.0);
        for cell in &around {
            mobile.set_power(cell, offset_db);
        }
        mobile.see(dead.clone(), at(12.0));
        let watts = sum(mobile.rates.power_w.iter().copied());
        states.push((mobile.area(&area), watts));
    }
    for pair in states.windows(2) {
        let ((before, less_w), (after, more_w)) = (pair[0], pair[1]);
        assert!(
            after.served_share >= before.served_share,
            "{before:?} {after:?}"
        );
        assert!(more_w > less_w);
    }
    assert!(states[2].0.served_share > states[0].0.served_share);
    let whole = mobile(&inventory, 5, 12.0).area(&area);
    assert_eq!(whole.served_share, 1.0);
    assert!(states[2].0.mean_throughput_mbps < whole.mean_throughput_mbps);
}

/// Users of other cells on the carrier receive more interference.
#[test]
fn raised_power_disturbs_others() {
    let inventory = network(60, 5);
    let (site, around) = hole(&inventory);
    let before = mobile(&inventory, 5, 12.0);
    let raised = inventory.cells_of(&site).next().unwrap();
    let mut after = before.clone();
    after.set_power(raised, POWER_OFFSET_MAX_DB);
    after.see(TransportState::default(), at(12.0));
    let heard = |mobile: &Mobile, cell: &ElementId| mobile.picture().foreign[mobile.numbers[cell]];
    let same = |cell: &&ElementId| before.users_of(cell) == after.users_of(cell);
    let others: Vec<_> = around.iter().filter(same).collect();
    let [quiet, loud] =
        [&before, &after].map(|mobile| sum(others.iter().map(|cell| heard(mobile, cell))));
    assert!(loud > 1.02 * quiet, "{loud} {quiet}");
}

/// On average over holes, raised power restores part of the service.
#[test]
fn power_gives_back_part_of_what_a_dead_site_takes() {
    let inventory = crate::build::inventory(&Backbone::default(), &Parameters::default(), 1);
    let start = mobile(&inventory, 1, 12.0);
    let sites: Vec<ElementId> = start.sites.iter().step_by(15).cloned().collect();
    let served = |offset_db: f64| {
        let shares = sites.iter().map(|site| {
            let mut mobile = start.clone();
            let cells = inventory.cells_of(site);
            let around = cells.flat_map(|cell| inventory.cells[cell].neighbours.iter());
            for cell in around.filter(|n| inventory.node_of(n) != site) {
                mobile.set_power(cell, offset_db);
            }
            let area = BTreeSet::from([site.clone()]);
            let dead = TransportState {
                sites_out: area.clone(),
                ..TransportState::default()
            };
            mobile.see(dead, at(12.0));
            mobile.area(&area).served_share
        });
        sum(shares) / sites.len() as f64
    };
    let (without, with) = (served(0.0), served(8.0));
    assert!((0.3..0.8).contains(&without), "{without}");
    assert!((without + 0.1..0.95).contains(&with), "{with}");
}

#[test]
fn troubles_of_cells_show_in_what_users_get() {
    let inventory = network(60, 5);
    let whole = mobile(&inventory, 5, 12.0);
    let cell = whole.units.iter().zip(&whole.picture().users);
    let (unit, _) = cell
        .filter(|(unit, _)| !unit.plan.capacity_layer)
        .max_by(|a, b| a.1.total_cmp(b.1))
        .unwrap();
    let (id, site) = (unit.id.clone(), whole.sites[unit.site].clone());
    let area = BTreeSet::from([site.clone()]);
    let before = whole.area(&area);
    let now = |ground: TransportState| {
        let mut mobile = whole.clone();
        mobile.see(ground, at(12.0));
        mobile
    };
    let weak = now(TransportState {
        losses_db: [(id.clone(), 40.0)].into(),
        ..TransportState::default()
    });
    let loud = now(TransportState {
        interference_dbm: [(id.clone(), -82.0)].into(),
        ..TransportState::default()
    });
    let narrow = now(TransportState {
        backhaul_mbps: [(site.clone(), 1.0)].into(),
        ..TransportState::default()
    });
    for mobile in [&weak, &loud, &narrow] {
        let after = mobile.area(&area);
        assert!(after.mean_throughput_mbps < before.mean_throughput_mbps);
    }
    assert!(weak.users_of(&id) < whole.users_of(&id));
    let (heard, noise) = loud.interference_dbm(&id).unwrap();
    assert!(heard > noise + 10.0, "{heard} {noise}");
    assert!(narrow.traffic_of_sites()[&site] <= 1.0 + 1e-9);
    assert!(narrow.area(&area).edge_throughput_mbps <= 1.0);
}

#[test]
fn sleep_saves_and_hands_users_to_the_coverage_layer() {
    let inventory = network(60, 5);
    let mut mobile = mobile(&inventory, 5, 3.0);
    let before = mobile.tally_at(at(4.0));
    let wide: Vec<ElementId> = mobile
        .units
        .iter()
        .filter(|unit| unit.plan.capacity_layer)
        .map(|unit| unit.id.clone())
        .collect();
    for cell in &wide {
        mobile.set_saving(cell, Saving::DeepSleep);
    }
    mobile.see(TransportState::default(), at(3.0));
    let asleep = mobile.tally_at(at(4.0));
    // What is shown is little, and what the covering cells take more is most of that; the most is
    // far more, as nobody measured how deep the sleep is.
    let shown = 1.0 - asleep.energy_kwh / asleep.energy_without_saving_kwh;
    assert!(
        (0.02..0.2).contains(&shown),
        "{shown} {before:?} {asleep:?}"
    );
    assert!(
        asleep.energy_kwh < before.energy_kwh,
        "{before:?} {asleep:?}"
    );
    let most = asleep.energy_without_saving_most_kwh;
    assert!(asleep.energy_least_kwh < 0.7 * most, "{asleep:?}");
    assert!(wide.iter().all(|cell| mobile.users_of(cell) == Some(0.0)));
    assert!(asleep.user_minutes_out < 0.02 * asleep.user_minutes);
    for cell in &wide {
        mobile.set_saving(cell, Saving::SymbolShutdown);
    }
    mobile.see(TransportState::default(), at(3.0));
    let resting = mobile.tally_at(at(4.0));
    // No saving of symbol shutdown is shown, and some is not excluded.
    assert!((resting.energy_kwh - resting.energy_without_saving_kwh).abs() < 1e-9);
    assert!(resting.energy_least_kwh < 0.8 * resting.energy_without_saving_most_kwh);
    assert!(resting.energy_kwh > asleep.energy_kwh);
    assert_eq!(resting.traffic_mb, before.traffic_mb);
}

/// The fits of the energy set, in watts: idle to full load, idle in each mode as it is shown, and the
/// least that each saving may leave.
#[test]
fn units_draw_what_the_set_says() {
    let cell = |radio_unit| Cell {
        azimuth_degrees: 0.0,
        carrier_mhz: 800.0,
        bandwidth_mhz: 10.0,
        power_dbm: 43.0,
        radio_unit,
        capacity_layer: false,
        neighbours: vec![],
    };
    let rows: Vec<String> = RadioUnit::ALL
        .into_iter()
        .map(|unit| {
            let w = |load, saving| energy::power_w(&cell(unit), load, 0.0, saving).round();
            let idle = w(0.0, Saving::Off);
            let modes = Saving::ALL.into_iter().filter(|m| can(unit, *m));
            let modes: Vec<Saving> = modes.collect();
            let shown: Vec<String> = modes.iter().map(|m| w(0.0, *m).to_string()).collect();
            let least = modes.iter().filter(|m| **m != Saving::Off);
            let least = least.map(|m| energy::power_least_w(&cell(unit), 0.0, 0.0, *m).round());
            let least: Vec<String> = least.map(|w| w.to_string()).collect();
            format!(
                "{} {idle} to {}: {}, at least {}",
                unit.as_str(),
                w(1.0, Saving::Off),
                shown.join(" "),
                least.join(" ")
            )
        })
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    Type2 154 to 543: 154 154 107, at least 74 76
    Type3 211 to 358: 211 211, at least 101
    Type4 158 to 448: 158 158 87, at least 76 79
    Type5 117 to 329: 117 117, at least 56
    Type6 181 to 350: 181 181, at least 87
    Type7 204 to 478: 204 204, at least 98
    Type9 159 to 479: 159 159 159, at least 159 0
    Type10 312 to 898: 312 312 187 187, at least 312 167 0
    ");
    let unit = cell(RadioUnit::Type4);
    let raised = energy::power_w(&unit, 1.0, 10.0, Saving::Off);
    assert!((raised - 447.7 - 9.0 * 19.95 / 0.3).abs() < 1.0, "{raised}");
}

#[test]
fn crowds_come_and_go() {
    let inventory = network(60, 5);
    let mut rng = stream(5, 0);
    let surge = Surge::stadium(&inventory, at(18.0), &mut rng).unwrap();
    assert_eq!(surge.sites.len(), 3);
    let mut mobile = mobile(&inventory, 5, 17.9);
    mobile.add_surge(surge.clone());
    let wants = |mobile: &mut Mobile, hour: f64| {
        mobile.see(TransportState::default(), at(hour));
        mobile.rates.wanted_mbps
    };
    let [before, during, after] = [17.9, 19.5, 21.5].map(|hour| wants(&mut mobile, hour));
    assert!(during > 1.02 * before && during > 1.02 * after);
    assert!((surge.at(at(18.25)) - (1.0 + surge.factor) / 2.0).abs() < 1e-9);
    assert_eq!((surge.at(at(17.0)), surge.at(at(22.0))), (1.0, 1.0));
    let mut inventory = inventory;
    let town = inventory
        .of_kind(ElementKind::Site)
        .next()
        .unwrap()
        .place
        .clone();
    inventory.provinces.insert(town, "North".to_owned());
    let storm = Surge::storm(&inventory, "North", at(1.0), 5.0);
    assert!(!storm.sites.is_empty() && storm.sites.len() < 60);
}

#[test]
fn vehicles_are_served_near_sites_and_not_in_the_wilderness() {
    let inventory = network(60, 5);
    let mut mobile = mobile(&inventory, 5, 12.0);
    let (site, _) = hole(&inventory);
    let (east, north) = inventory.elements[&site].position;
    let here = (east + 0.002, north + 0.001);
    let served = mobile.serve(here).unwrap();
    assert_eq!(inventory.node_of(&served.cell), &site);
    assert!(served.rsrp_dbm > -100.0 && served.throughput_mbps > 1.0);
    assert_eq!(mobile.serve((0.0, 0.0)), None);
    let dead = TransportState {
        sites_out: BTreeSet::from([site.clone()]),
        ..TransportState::default()
    };
    mobile.see(dead, at(12.0));
    let other = mobile.serve(here).unwrap();
    assert_ne!(inventory.node_of(&other.cell), &site);
    assert!(other.rsrp_dbm < served.rsrp_dbm);
}
