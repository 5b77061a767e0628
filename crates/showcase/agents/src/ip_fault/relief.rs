//! Links that are given more than they can carry: led around from afar, looked at, given back.
//!
//! ```text
//! full ─► reading ─► setting ─► relieved ─► (after four hours) giving back
//!                       │           └ no better ─► taken back at once, left alone for two hours
//!                       └ impossible ─► left alone
//! ```
//!
//! A link is full when it lost packets over a whole period. Its `igp-metric` is raised so far that
//! traffic takes any other way there is; the next full period shows whether less is lost in the
//! network as a whole, else the metric is taken back: a detour must not move the trouble elsewhere
//! unseen. One overload fills several links of its way, and a detour others. So where a detour was in vain
//! all links that are full then are left alone, and beside one that helps none is led around unless more is lost
//! than before it. Links towards sites are left alone, for there is no way around them. Refuses to know
//! demands: it sees links only. Read next: [`super::expertise`].

use crate::topology::Topology;
use domain::inventory::ElementId;
use domain::telemetry::{Action, Outcome, Performance};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The parameter that leads traffic around.
const METRIC: &str = "igp-metric";
/// By how much it is raised: more than any way around costs.
const RAISED_BY: u64 = 100_000;
/// A link that loses more than this share of its packets over a period is full.
const LOSS: f64 = 0.005;
/// A link that is used more than this is full.
const FULL: f64 = 0.98;
/// Seconds until a relieved link is given its traffic back, to see whether it can carry it.
const GIVEN_BACK_S: f64 = 4.0 * 3_600.0;
/// Seconds for which a link is left alone that could not be relieved.
const LEFT_ALONE_S: f64 = 2.0 * 3_600.0;
/// Of what was lost before, so much must be gone for a detour to be worth it.
const BETTER: f64 = 0.2;

/// A step to be taken.
#[derive(Clone, Debug, PartialEq)]
pub enum ReliefStep {
    /// Do this to the network, for this link.
    Act(ElementId, Action),
    /// Look at the link again after so many seconds.
    Wake(ElementId, f64),
    /// Say this.
    Note(String),
}

#[derive(Clone, Debug, PartialEq)]
enum Stage {
    Reading,
    Setting,
    /// Since when, and what the network lost before, in Mbit/s.
    Relieved(Timestamp, f64),
    /// It was looked at and helps; what the network lost before, in Mbit/s.
    Proved(f64),
    /// Its metric is set back; until when it is then left alone.
    TakingBack(Timestamp),
    /// Until when.
    LeftAlone(Timestamp),
}

#[derive(Clone, Debug)]
struct Relief {
    stage: Stage,
    planned: Option<u64>,
    lost_before: f64,
}

/// The links that are led around, or were in vain.
#[derive(Clone, Debug, Default)]
pub struct Reliefs {
    links: BTreeMap<ElementId, Relief>,
    lost: f64,
}

impl Reliefs {
    /// Looks at a period: which links are full, and whether detours help.
    pub fn weigh(
        &mut self,
        performance: &Performance,
        topology: &Topology,
        now: Timestamp,
    ) -> Vec<ReliefStep> {
        self.lost = lost_mbps(performance);
        let backbone = |id: &ElementId| {
            let link = topology.inventory().links.get(id);
            link.is_some_and(|l| l.backbone)
        };
        let links = performance.links.iter();
        let mut full: Vec<(&ElementId, f64)> = links
            .filter(|(id, did)| did.loss >= LOSS && did.utilisation >= FULL && backbone(id))
            .map(|(id, did)| (id, did.loss))
            .collect();
        full.sort_by(|x, y| y.1.total_cmp(&x.1));
        let full: Vec<&ElementId> = full.into_iter().map(|(id, _)| id).collect();
        let mut steps = self.prove(performance, &full, now);
        // One at a time: what a detour does is seen before the next is tried.
        let waits = |relief: &Relief| match relief.stage {
            Stage::Reading | Stage::Setting | Stage::Relieved(..) => true,
            Stage::Proved(before) => self.lost <= before,
            Stage::TakingBack(_) | Stage::LeftAlone(_) => false,
        };
        if !self.links.values().any(waits) {
            steps.extend(full.into_iter().find_map(|id| self.ask(id, now)));
        }
        steps
    }

    /// Begins to lead traffic around a link; none if that is under way, done or in vain.
    pub fn ask(&mut self, link: &ElementId, now: Timestamp) -> Option<ReliefStep> {
        let idle = match self.links.get(link).map(|r| &r.stage) {
            None => true,
            Some(Stage::LeftAlone(until)) => *until <= now,
            Some(_) => false,
        };
        idle.then(|| {
            let relief = Relief {
                stage: Stage::Reading,
                planned: None,
                lost_before: self.lost,
            };
            self.links.insert(link.clone(), relief);
            let element = link.clone();
            ReliefStep::Act(link.clone(), Action::ReadConfiguration { element })
        })
    }

    /// An action for a link has ended.
    pub fn answered(
        &mut self,
        link: &ElementId,
        outcome: &Outcome,
        now: Timestamp,
    ) -> Vec<ReliefStep> {
        let Some(relief) = self.links.get_mut(link) else {
            return Vec::new();
        };
        match (&relief.stage, outcome) {
            (Stage::Reading, Outcome::Configuration(read)) => {
                let metric = |of: &BTreeMap<String, String>| of.get(METRIC)?.parse::<u64>().ok();
                let Some(planned) = metric(&read.planned).or_else(|| metric(&read.running)) else {
                    return self.leave_alone(link, "it has no metric", now);
                };
                relief.planned = Some(planned);
                relief.stage = Stage::Setting;
                let words =
                    format!("Traffic is led around {link}: it is given more than it carries");
                let set = configure(link, planned + RAISED_BY);
                vec![ReliefStep::Note(words), set]
            }
            (Stage::Setting, Outcome::Done) => {
                relief.stage = Stage::Relieved(now, relief.lost_before);
                vec![ReliefStep::Wake(link.clone(), GIVEN_BACK_S)]
            }
            (Stage::TakingBack(until), Outcome::Done) => {
                relief.stage = Stage::LeftAlone(*until);
                Vec::new()
            }
            (Stage::Reading | Stage::Setting, other) => {
                let why = match other {
                    Outcome::Impossible(why) => why.clone(),
                    other => format!("{other:?}"),
                };
                self.leave_alone(link, &why, now)
            }
            (Stage::TakingBack(_), _) => vec![ReliefStep::Wake(link.clone(), LEFT_ALONE_S)],
            _ => Vec::new(),
        }
    }

    fn leave_alone(&mut self, link: &ElementId, why: &str, now: Timestamp) -> Vec<ReliefStep> {
        if let Some(relief) = self.links.get_mut(link) {
            relief.stage = Stage::LeftAlone(now.plus_s(LEFT_ALONE_S));
        }
        vec![ReliefStep::Note(format!(
            "Traffic cannot be led around {link}: {why}"
        ))]
    }

    /// After the first full period of a detour: less is lost, or it is taken back, and what is full is left
    /// alone.
    fn prove(
        &mut self,
        performance: &Performance,
        full: &[&ElementId],
        now: Timestamp,
    ) -> Vec<ReliefStep> {
        let (lost, until) = (self.lost, now.plus_s(LEFT_ALONE_S));
        let mut steps = Vec::new();
        let mut in_vain = false;
        for (link, relief) in &mut self.links {
            let Stage::Relieved(since, before) = relief.stage else {
                continue;
            };
            if performance.from < since {
                continue;
            }
            if lost <= before * (1.0 - BETTER) {
                relief.stage = Stage::Proved(before);
                let words = format!(
                    "The detour around {link} helps: {lost:.0} Mbit/s are lost instead of {before:.0}"
                );
                steps.push(ReliefStep::Note(words));
                continue;
            }
            let words = format!(
                "The detour around {link} does not help ({lost:.0} Mbit/s are lost, {before:.0} \
                 before) and is taken back"
            );
            steps.push(ReliefStep::Note(words));
            relief.stage = Stage::TakingBack(until);
            steps.extend(relief.planned.map(|planned| configure(link, planned)));
            in_vain = true;
        }
        if in_vain {
            for link in full {
                self.links.entry((*link).clone()).or_insert(Relief {
                    stage: Stage::LeftAlone(until),
                    planned: None,
                    lost_before: lost,
                });
            }
        }
        steps
    }

    /// Its time is over: a link gets its traffic back, and may be led around again at once.
    pub fn give_back(&mut self, link: &ElementId, now: Timestamp) -> Vec<ReliefStep> {
        let Some(relief) = self.links.get_mut(link) else {
            return Vec::new();
        };
        relief.stage = match relief.stage {
            Stage::Relieved(..) | Stage::Proved(_) => Stage::TakingBack(now),
            Stage::TakingBack(until) => Stage::TakingBack(until),
            Stage::Reading | Stage::Setting | Stage::LeftAlone(_) => return Vec::new(),
        };
        let words = format!("{link} gets its traffic back");
        let set = relief.planned.map(|planned| configure(link, planned));
        std::iter::once(ReliefStep::Note(words))
            .chain(set)
            .collect()
    }

    /// The links whose metric is not as planned.
    pub fn under_way(&self) -> impl Iterator<Item = &ElementId> {
        let led = self.links.iter().filter(|(_, r)| {
            matches!(
                r.stage,
                Stage::Setting | Stage::Relieved(..) | Stage::Proved(_) | Stage::TakingBack(_)
            )
        });
        led.map(|(link, _)| link)
    }
}

fn configure(link: &ElementId, metric: u64) -> ReliefStep {
    let action = Action::Configure {
        element: link.clone(),
        parameter: METRIC.to_owned(),
        value: metric.to_string(),
    };
    ReliefStep::Act(link.clone(), action)
}

/// The throughput that all links together lost, in Mbit/s: of what was given to them, the part that
/// they dropped.
fn lost_mbps(performance: &Performance) -> f64 {
    let links = performance.links.values();
    let lost = links.map(|l| l.traffic_mbps * l.loss / (1.0 - l.loss).max(0.01));
    lost.sum()
}
