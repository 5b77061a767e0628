//! The second world in the open loop: a network that is differently built, diagnosed by what was learnt
//! from its own unlabelled past and by nothing else.
//!
//! Streams, truth and measure are those of [`crate::open_loop`]; thresholds of every policy are set on
//! the same past, by how many statements a day each would have made. Nothing that was learnt from the first
//! world is loaded: neither its table of causes nor its tuned yardsticks. Read next: [`metro`],
//! [`agents::oss_fault::origin`], [`yardsticks::named`].

pub use agents::learnt_causes::LearntCauses;

use crate::alarm_past::AlarmPast;
use crate::open_loop::run;
use agents::learnt_causes::NamedAlarms;
use agents::oss_fault::origin::OriginFinder;
use agents::topology::Topology;
use domain::inventory::{ElementKind, Inventory};
use domain::time::Timestamp;
use metro::{MetroFault, MetroParameters, MetroRun, MetroTrouble};
use report::OpenLoopRun;
use std::sync::Arc;
use yardsticks::{
    Codebook, Consequences, DeliveredAlarm, FirstNamedAlarmRule, JoinedNodes, KnownTrouble,
    LabelledDay, LastingCodebookRule, MostNamedAlarmsRule, NamedBlame, NamedBlameRule,
    NamedCodebookRule, NamedKey, NamedPast, NamedScene, NamedYardstick, OwnNamedAlarmRule, heard,
    tune_named,
};

/// The name of the world.
pub const OTHER: &str = "other";
/// The agents' reasoning by what the past taught, among the policies.
pub const LEARNT: &str = "agents-learnt";
/// The same reasoning by topology alone: what it lacks beside [`LEARNT`] is what was learnt.
pub const UNLEARNT: &str = "agents-unlearnt";
/// The same by topology and a graph of causes, as agents have it that are given one.
pub const CAUSES: &str = "agents-causes";
/// The yardsticks among the policies, simplest first.
pub const YARDSTICKS: [&str; 5] = [
    "first-alarm",
    "own-alarm",
    "most-alarms",
    "codebook",
    "lasting-codebook",
];
/// The most statements a day that a policy may make of [`BUDGET_SITES`] sites, in the past that its
/// threshold is set on: one more than there are faults a day, about as many as any operator knows from
/// tickets.
pub const STATEMENTS_PER_DAY: f64 = 6.0;
/// The number of sites for which [`STATEMENTS_PER_DAY`] is said.
pub const BUDGET_SITES: f64 = 300.0;
/// The days of the past that is learnt from.
pub const PAST_DAYS: u32 = 30;
/// The seed of the past.
pub const PAST_SEED: u64 = *crate::seeds::LEARNT.start();
/// The network on which the reasoning was designed: the past and the days that are scored are of one.
pub const NETWORK: u64 = 1;
const BEGINS: &str = "2026-01-05T00:00:00Z";

/// A network of the second world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondWorld {
    /// The number of sites.
    pub sites: usize,
    /// Its seed.
    pub network: u64,
}

impl SecondWorld {
    /// Its unlabelled past: so many days of a seed.
    pub fn past(&self, seed: u64, days: u32) -> AlarmPast {
        let run = self.run(seed, days);
        AlarmPast {
            alarms: delivered(run.deliveries),
            inventory: run.inventory,
            from: begins(),
            until: ends(days),
        }
    }

    /// So many days of a seed with their truth, as they are scored.
    pub fn labelled(&self, seed: u64, days: u32) -> LabelledDay {
        let run = self.run(seed, days);
        let book = Codebook::new(Consequences::new(run.inventory));
        let faults = run.faults.iter().map(fault);
        LabelledDay {
            troubles: faults.chain(run.troubles.iter().map(trouble)).collect(),
            book: Arc::new(book),
            alarms: delivered(run.deliveries),
            from: begins(),
            until: ends(days),
        }
    }

    fn run(&self, seed: u64, days: u32) -> MetroRun {
        MetroRun::play(&MetroParameters {
            sites: self.sites,
            network: self.network,
            seed,
            days,
            begins: begins(),
        })
    }
}

fn begins() -> Timestamp {
    Timestamp::parse(BEGINS).expect("a literal")
}

fn ends(days: u32) -> Timestamp {
    begins().plus_s(f64::from(days) * 86_400.0)
}

fn delivered(deliveries: Vec<metro::MetroDelivery>) -> Vec<DeliveredAlarm> {
    let deliveries = deliveries.into_iter();
    deliveries
        .map(|it| DeliveredAlarm {
            at: it.at,
            alarm: it.alarm,
        })
        .collect()
}

fn fault(fault: &MetroFault) -> KnownTrouble {
    let until = begins().plus_s(fault.until_s);
    KnownTrouble {
        element: fault.element.clone(),
        cause: Some(fault.cause),
        from: begins().plus_s(fault.from_s),
        until: Some(until),
        restored: Some(until),
        area: fault.area.iter().cloned().collect(),
        counts: !fault.area.is_empty(),
    }
}

fn trouble(trouble: &MetroTrouble) -> KnownTrouble {
    let until = begins().plus_s(trouble.until_s);
    KnownTrouble {
        element: trouble.site.clone(),
        cause: None,
        from: begins().plus_s(trouble.from_s),
        until: Some(until),
        restored: Some(until),
        area: [trouble.site.clone()].into(),
        counts: false,
    }
}

/// The agents' reasoning as a rule of the open loop.
#[derive(Clone, Debug)]
pub struct LearntOriginRule(OriginFinder);

impl LearntOriginRule {
    /// By topology, and a graph of causes or nothing ([`LearntCauses::ignorant`]).
    pub fn new(topology: &Topology, learnt: &LearntCauses) -> Self {
        Self(OriginFinder::new(topology, learnt))
    }

    /// By what the unlabelled past of the network teaches.
    pub fn taught(topology: &Topology, past: &AlarmPast) -> Self {
        let alarms = past.alarms.iter().map(|it| (it.at, &it.alarm));
        Self(OriginFinder::taught(topology, alarms))
    }
}

impl NamedBlameRule for LearntOriginRule {
    fn blame(&self, alarm: &NamedKey, scene: &NamedScene) -> Option<NamedBlame> {
        let standing: NamedAlarms = scene
            .iter()
            .map(|(key, standing)| (key.clone(), standing.noticed))
            .collect();
        let explanation = self.0.explain_one(alarm, &standing)?;
        let best = explanation.ranked.first()?;
        Some(NamedBlame {
            element: best.element.clone(),
            cause: best.cause,
            score: best.score,
            explains: explanation.explains,
        })
    }
}

/// The most statements a day of a network: the more the larger it is, as it has more faults.
fn statements_per_day(inventory: &Inventory) -> f64 {
    let sites = inventory.of_kind(ElementKind::Site).count();
    STATEMENTS_PER_DAY * sites as f64 / BUDGET_SITES
}

/// Every policy with its threshold, as set on an unlabelled past.
pub struct NamedPolicies {
    rules: Vec<(&'static str, Box<dyn NamedBlameRule>, f64)>,
}

impl NamedPolicies {
    /// Sets the thresholds of all on a past, of which `causes` may have been learnt.
    pub fn tuned(past: &AlarmPast, causes: &LearntCauses) -> Self {
        let graph = Arc::new(Consequences::new(Arc::clone(&past.inventory)));
        let topology = Topology::new(Arc::clone(&past.inventory));
        let joined = Arc::new(JoinedNodes::new(Arc::clone(&past.inventory)));
        let heard = Arc::new(NamedPast::of(&past.alarms));
        let first = FirstNamedAlarmRule {
            joined: Arc::clone(&joined),
            past: Arc::clone(&heard),
        };
        let own = OwnNamedAlarmRule {
            joined: Arc::clone(&joined),
            past: Arc::clone(&heard),
        };
        let most = MostNamedAlarmsRule {
            joined: Arc::clone(&joined),
            past: Arc::clone(&heard),
        };
        let ignorant = LearntCauses::ignorant(heard.names());
        let codebook = NamedCodebookRule::new(graph, joined, heard);
        let lasting = LastingCodebookRule::new(codebook.clone());
        let rules: [(&str, Box<dyn NamedBlameRule>); 8] = [
            (YARDSTICKS[0], Box::new(first)),
            (YARDSTICKS[1], Box::new(own)),
            (YARDSTICKS[2], Box::new(most)),
            (YARDSTICKS[3], Box::new(codebook)),
            (YARDSTICKS[4], Box::new(lasting)),
            (
                UNLEARNT,
                Box::new(LearntOriginRule::new(&topology, &ignorant)),
            ),
            (CAUSES, Box::new(LearntOriginRule::new(&topology, causes))),
            (LEARNT, Box::new(LearntOriginRule::taught(&topology, past))),
        ];
        let (days, budget) = (past.length_days(), statements_per_day(&past.inventory));
        let tuned = rules.into_iter().map(|(name, rule)| {
            let least = tune_named(&rule, &past.alarms, past.until, days, budget);
            (name, rule, least)
        });
        Self {
            rules: tuned.collect(),
        }
    }

    /// What every policy makes of a recorded day.
    pub fn diagnose(&self, day: &LabelledDay, seed: u64) -> Vec<OpenLoopRun> {
        let rules = self.rules.iter();
        rules
            .map(|(name, rule, least)| {
                let mut yardstick = NamedYardstick::new(rule, *least);
                let said = heard(&mut yardstick, &day.alarms, day.until);
                run(name, day, seed, &said)
            })
            .collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
