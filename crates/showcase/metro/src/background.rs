//! Alarms without any fault: what equipment says on an ordinary day, what people do to it, and what is
//! simply false.
//!
//! Rates are a day's, of the whole network of 300 sites, and invented. Read next: [`crate::collector`].

use crate::breakage::MetroTrouble;
use crate::cascade::NoticedCondition;
use crate::chance::{below, chance, instants, uniform};
use crate::plant::Plant;
use crate::vocabulary::MetroAlarmType;
use domain::inventory::ElementId;
use domain::time::SeededRng;

/// The sites for which rates are said.
const SITES: f64 = 300.0;
/// Restarts and generator tests a day.
const RESTARTS_A_DAY: f64 = 3.0;
const TESTS_A_DAY: f64 = 4.0;
/// Clock receivers fail together in one part of the town, so often.
const CLOCKS_A_DAY: f64 = 8.0;

/// Where a type of background alarm is raised.
#[derive(Clone, Copy, Debug)]
enum Where {
    Card,
    Optic,
    Site,
    Cell,
}

/// One type of background alarm: where, how often a day, for how many seconds.
type Habit = (MetroAlarmType, Where, f64, [f64; 2]);

const HABITS: [Habit; 14] = [
    (
        MetroAlarmType::TempOver,
        Where::Card,
        14.0,
        [600.0, 7_200.0],
    ),
    (
        MetroAlarmType::TempOver,
        Where::Site,
        26.0,
        [600.0, 7_200.0],
    ),
    (
        MetroAlarmType::DoorOpen,
        Where::Site,
        25.0,
        [900.0, 3_600.0],
    ),
    (
        MetroAlarmType::LicenceExpiring,
        Where::Site,
        3.0,
        [20_000.0, 80_000.0],
    ),
    (
        MetroAlarmType::CellOverload,
        Where::Cell,
        60.0,
        [900.0, 3_600.0],
    ),
    (MetroAlarmType::RLos, Where::Optic, 20.0, [5.0, 40.0]),
    (MetroAlarmType::B1Exc, Where::Optic, 15.0, [60.0, 1_800.0]),
    (
        MetroAlarmType::InPwrLow,
        Where::Optic,
        3.0,
        [300.0, 3_600.0],
    ),
    (
        MetroAlarmType::S1LinkBroken,
        Where::Site,
        12.0,
        [30.0, 200.0],
    ),
    (MetroAlarmType::NeNotLogin, Where::Site, 16.0, [60.0, 400.0]),
    (
        MetroAlarmType::VswrHigh,
        Where::Cell,
        4.0,
        [600.0, 20_000.0],
    ),
    (
        MetroAlarmType::RruCommFail,
        Where::Cell,
        1.0,
        [600.0, 5_400.0],
    ),
    (MetroAlarmType::BdStatus, Where::Card, 0.5, [600.0, 5_400.0]),
    (
        MetroAlarmType::PowerFail,
        Where::Site,
        1.5,
        [300.0, 5_400.0],
    ),
];

/// The alarms of so many days, and the small troubles behind some of them.
pub fn background(
    plant: &Plant,
    days: f64,
    rng: &mut SeededRng,
) -> (Vec<MetroTrouble>, Vec<NoticedCondition>) {
    let share = plant.sites.len() as f64 / SITES;
    let mut noticed = Vec::new();
    for (alarm_type, place, a_day, lasts_s) in HABITS {
        for from_s in instants(rng, a_day * share, days) {
            let element = somewhere(plant, place, rng);
            noticed.push(lasting(element, alarm_type, from_s, uniform(rng, lasts_s)));
        }
    }
    clocks(plant, share, days, rng, &mut noticed);
    let mut troubles = restarts(plant, share, days, rng, &mut noticed);
    troubles.extend(tests(plant, share, days, rng, &mut noticed));
    troubles.sort_by(|x, y| x.from_s.total_cmp(&y.from_s));
    (troubles, noticed)
}

fn lasting(
    element: ElementId,
    alarm_type: MetroAlarmType,
    from_s: f64,
    for_s: f64,
) -> NoticedCondition {
    NoticedCondition {
        element,
        alarm_type,
        from_s,
        until_s: from_s + for_s,
        told_from_s: None,
    }
}

fn somewhere(plant: &Plant, place: Where, rng: &mut SeededRng) -> ElementId {
    let site = &plant.sites[below(rng, plant.sites.len())];
    match place {
        Where::Card => plant.cards[below(rng, plant.cards.len())].id.clone(),
        Where::Optic => {
            let link = &plant.links[below(rng, plant.links.len())];
            link.optics[below(rng, 2)].clone()
        }
        Where::Site => site.id.clone(),
        Where::Cell => site.cells[below(rng, site.cells.len())].clone(),
    }
}

/// Clock receivers of several sites fail at about the same time: the sky is the same for all.
fn clocks(
    plant: &Plant,
    share: f64,
    days: f64,
    rng: &mut SeededRng,
    noticed: &mut Vec<NoticedCondition>,
) {
    for from_s in instants(rng, CLOCKS_A_DAY * share, days) {
        let first = below(rng, plant.sites.len());
        let lasts_s = uniform(rng, [600.0, 3_600.0]);
        let near = plant.sites[first].near.iter().copied();
        let near: Vec<usize> = near.filter(|_| chance(rng, 0.6)).collect();
        for site in near.into_iter().chain([first]) {
            let element = plant.sites[site].id.clone();
            let at_s = from_s + uniform(rng, [0.0, 300.0]);
            noticed.push(lasting(element, MetroAlarmType::GpsLockLost, at_s, lasts_s));
        }
    }
}

/// Somebody restarts a site.
fn restarts(
    plant: &Plant,
    share: f64,
    days: f64,
    rng: &mut SeededRng,
    noticed: &mut Vec<NoticedCondition>,
) -> Vec<MetroTrouble> {
    let mut troubles = Vec::new();
    for from_s in instants(rng, RESTARTS_A_DAY * share, days) {
        let site = &plant.sites[below(rng, plant.sites.len())];
        let lasts_s = uniform(rng, [180.0, 480.0]);
        let mut raise = |element: &ElementId, alarm_type, after_s: f64| {
            noticed.push(lasting(
                element.clone(),
                alarm_type,
                from_s + after_s,
                (lasts_s - after_s).max(1.0),
            ));
        };
        for cell in &site.cells {
            raise(cell, MetroAlarmType::CellOos, uniform(rng, [1.0, 10.0]));
        }
        raise(
            &site.id,
            MetroAlarmType::S1LinkBroken,
            uniform(rng, [5.0, 40.0]),
        );
        if chance(rng, 0.7) {
            raise(
                &site.id,
                MetroAlarmType::NeNotLogin,
                uniform(rng, [20.0, 150.0]),
            );
        }
        troubles.push(MetroTrouble {
            site: site.id.clone(),
            from_s,
            until_s: from_s + lasts_s,
        });
    }
    troubles
}

/// Somebody opens a site's door and tests its generator.
fn tests(
    plant: &Plant,
    share: f64,
    days: f64,
    rng: &mut SeededRng,
    noticed: &mut Vec<NoticedCondition>,
) -> Vec<MetroTrouble> {
    let mut troubles = Vec::new();
    for from_s in instants(rng, TESTS_A_DAY * share, days) {
        let site = plant.sites[below(rng, plant.sites.len())].id.clone();
        let lasts_s = uniform(rng, [60.0, 400.0]);
        let inside_s = uniform(rng, [300.0, 900.0]);
        noticed.push(lasting(
            site.clone(),
            MetroAlarmType::DoorOpen,
            from_s,
            inside_s + lasts_s + 600.0,
        ));
        let begins_s = from_s + inside_s;
        noticed.push(lasting(
            site.clone(),
            MetroAlarmType::PowerFail,
            begins_s,
            lasts_s,
        ));
        troubles.push(MetroTrouble {
            site,
            from_s: begins_s,
            until_s: begins_s + lasts_s,
        });
    }
    troubles
}
