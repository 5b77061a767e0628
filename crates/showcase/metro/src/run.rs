//! A run: what was delivered, and apart from it what was true.
//!
//! Read next: [`crate::layout`] for the network, [`crate::cascade`] for what faults raise.

use crate::background::background;
use crate::breakage::{Breakable, MetroFault, MetroTrouble, breakage};
use crate::cascade::{NoticedCondition, cascade};
use crate::chance::{Purpose, generator};
use crate::collector::collect;
use crate::layout::layout;
use crate::outage::Outage;
use crate::plant::Plant;
use crate::vocabulary::MetroAlarmType;
use domain::inventory::{ElementId, Inventory};
use domain::telemetry::{Alarm, AlarmType};
use domain::time::Timestamp;
use std::sync::Arc;

/// What decides a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetroParameters {
    /// The number of sites.
    pub sites: usize,
    /// The seed of the network: the same network has many days.
    pub network: u64,
    /// The seed of what happens.
    pub seed: u64,
    /// The number of days.
    pub days: u32,
    /// The instant at which the run begins.
    pub begins: Timestamp,
}

/// An alarm with the instant of its delivery.
#[derive(Clone, Debug, PartialEq)]
pub struct MetroDelivery {
    /// The instant.
    pub at: Timestamp,
    /// The alarm; its type has no name but its own.
    pub alarm: Alarm,
}

/// A run.
#[derive(Clone, Debug)]
pub struct MetroRun {
    /// The network as documented.
    pub inventory: Arc<Inventory>,
    /// The alarms, in the order of delivery.
    pub deliveries: Vec<MetroDelivery>,
    /// The truth: what broke, in the order in which it did.
    pub faults: Vec<MetroFault>,
    /// The truth: what was the matter besides.
    pub troubles: Vec<MetroTrouble>,
}

impl MetroRun {
    /// Plays a run.
    pub fn play(parameters: &MetroParameters) -> Self {
        let plant = layout(parameters.sites, parameters.network);
        let days = f64::from(parameters.days);
        let rng = |purpose| generator(parameters.seed, purpose);
        let mut faults = breakage(&plant, days, &mut rng(Purpose::Breakage));
        let mut conditions = Vec::new();
        let mut spreading = rng(Purpose::Cascade);
        for fault in &mut faults {
            let (outage, noticed) = cascade(&plant, fault, &mut spreading);
            fault.area = area(&plant, fault, &outage, &noticed);
            conditions.extend(noticed);
        }
        let (troubles, noticed) = background(&plant, days, &mut rng(Purpose::Background));
        conditions.extend(noticed);
        Self {
            deliveries: deliveries(&plant, conditions, parameters),
            inventory: plant.inventory,
            faults,
            troubles,
        }
    }
}

/// The sites whose users a fault touches: those that are out, and the one of a broken cell; where an
/// uplink is lost, the router's if its other uplink discards.
fn area(
    plant: &Plant,
    fault: &MetroFault,
    outage: &Outage,
    noticed: &[NoticedCondition],
) -> Vec<ElementId> {
    let out = outage
        .sites
        .keys()
        .map(|site| plant.sites[*site].id.clone());
    let mut area: Vec<ElementId> = out.collect();
    if let Breakable::Cell(site, _) = fault.at {
        area.push(plant.sites[site].id.clone());
    }
    let discards = noticed
        .iter()
        .filter(|it| it.alarm_type == MetroAlarmType::QueueDiscard);
    for discarding in discards {
        let card = plant.cards.iter().find(|it| it.id == discarding.element);
        let router = card.and_then(|card| card.router);
        let behind = plant.sites.iter().filter(|it| Some(it.router) == router);
        area.extend(behind.map(|site| site.id.clone()));
    }
    area.sort();
    area.dedup();
    area
}

fn deliveries(
    plant: &Plant,
    conditions: Vec<NoticedCondition>,
    parameters: &MetroParameters,
) -> Vec<MetroDelivery> {
    let inventory = &plant.inventory;
    let addressed = conditions.into_iter().map(|condition| {
        let node = inventory.node_of(&condition.element).clone();
        let place = inventory.element(&node).map(|it| it.place.clone());
        (condition, node, place.unwrap_or_default())
    });
    let addressed: Vec<_> = addressed.collect();
    let mut rng = generator(parameters.seed, Purpose::Collector);
    let end_s = f64::from(parameters.days) * 86_400.0;
    let messages = collect(&addressed, &mut rng);
    let of_run = messages.into_iter().take_while(|it| it.delivered_s < end_s);
    of_run
        .map(|message| {
            let condition = &addressed[message.condition].0;
            let name = condition.alarm_type.name();
            let ended = if message.cleared { " cleared" } else { "" };
            MetroDelivery {
                at: parameters.begins.plus_s(message.delivered_s),
                alarm: Alarm {
                    resource: condition.element.clone(),
                    alarm_type: AlarmType::Unknown,
                    qualifier: name.to_owned(),
                    severity: condition.alarm_type.severity(),
                    time: parameters.begins.plus_s(message.time_s),
                    cleared: message.cleared,
                    text: format!("{name} on {}{ended}", condition.element),
                },
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::cause::Cause;
    use std::collections::BTreeSet;

    fn played(days: u32) -> MetroRun {
        MetroRun::play(&MetroParameters {
            sites: 300,
            network: 1,
            seed: 5,
            days,
            begins: Timestamp::default(),
        })
    }

    #[test]
    fn a_run_is_the_same_for_the_same_seed_and_none_of_its_types_has_a_name_here() {
        let [run, again] = [7, 7].map(played);
        assert_eq!(run.deliveries, again.deliveries);
        assert_eq!(run.faults, again.faults);
        assert!(run.deliveries.is_sorted_by_key(|it| it.at));
        for delivery in &run.deliveries {
            assert_eq!(delivery.alarm.alarm_type, AlarmType::Unknown);
            assert_eq!(AlarmType::parse(&delivery.alarm.qualifier), None);
            assert!(run.inventory.element(&delivery.alarm.resource).is_some());
        }
    }

    /// About five faults a day, of every cause, most of which take service; and far more alarms than
    /// they raise.
    #[test]
    fn what_a_month_holds() {
        let run = played(30);
        let causes: BTreeSet<Cause> = run.faults.iter().map(|it| it.cause).collect();
        assert_eq!(causes.len(), 7);
        assert!(
            (100..230).contains(&run.faults.len()),
            "{}",
            run.faults.len()
        );
        let touching = run.faults.iter().filter(|it| !it.area.is_empty()).count();
        assert!(2 * touching > run.faults.len(), "{touching}");
        let raised = run.deliveries.iter().filter(|it| !it.alarm.cleared).count();
        assert!(raised > 20 * run.faults.len(), "{raised}");
        assert!(run.troubles.len() > 100);
    }
}
