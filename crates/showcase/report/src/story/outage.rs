//! The outages of sites over time.
//!
//! Taken from moments of kind `network` if they name sites, and otherwise from alarms. Knows the
//! instants at which the set changed; refuses to know the causes. Read next: [`super`].

use super::StoryPeriod;
use crate::record::{Record, RecordedEvent};
use language::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Alarm types that mean a site is out of service.
const OUT_OF_SERVICE: [&str; 2] = ["cells-out-of-service", "site-unreachable"];

/// The sites out of service, step by step.
#[derive(Clone, Debug, PartialEq)]
pub struct Outages {
    /// True if moments of kind `network` named the sites, false if alarms did.
    pub told_by_network: bool,
    /// The instants of change, the beginning first.
    pub steps: Vec<OutagePeriod>,
}

/// A period without change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutagePeriod {
    /// The beginning of the period.
    pub at: Timestamp,
    /// The sites that are out.
    pub out: BTreeSet<String>,
    /// The number of sites out, which may exceed the number of names.
    pub count: u64,
    /// The share of the offered traffic that is carried, 0 to 1, as last reported.
    pub served_share: Option<f64>,
}

impl Outages {
    /// The outages of a record, in at most `most` steps (at least 2). If there are more, the steps
    /// with the fewest changes are dropped; the first and the worst always stay.
    pub fn of(record: &Record, most: usize) -> Self {
        let told_by_network = record
            .moments
            .iter()
            .any(|m| matches!(&m.what, RecordedEvent::Network { out, .. } if !out.is_empty()));
        let mut outages = Self {
            told_by_network,
            steps: vec![OutagePeriod {
                at: record.run.began,
                ..OutagePeriod::default()
            }],
        };
        let mut raised = BTreeMap::new();
        for moment in &record.moments {
            if !matters(&moment.what, told_by_network) {
                continue;
            }
            let mut next = outages.now().clone();
            next.at = moment.at;
            follow(&mut next, &moment.what, told_by_network, &mut raised);
            outages.came_to(next);
        }
        outages.thin(most.max(2));
        outages
    }

    fn now(&self) -> &OutagePeriod {
        self.steps.last().expect("the first step is the beginning")
    }

    fn came_to(&mut self, next: OutagePeriod) {
        let now = self
            .steps
            .last_mut()
            .expect("the first step is the beginning");
        if next.out != now.out || next.count != now.count {
            match next.at == now.at {
                true => *now = next,
                false => self.steps.push(next),
            }
        } else if now.served_share.is_none() {
            now.served_share = next.served_share;
        }
    }

    /// The step with the most sites out; the first of several.
    pub fn worst(&self) -> usize {
        let most = self.steps.iter().map(|s| s.count).max();
        let worst = self.steps.iter().position(|s| Some(s.count) == most);
        worst.unwrap_or(0)
    }

    /// The steps during which each site was out, as ranges from first to last.
    pub fn by_site(&self) -> BTreeMap<&str, Vec<[usize; 2]>> {
        let mut sites: BTreeMap<&str, Vec<[usize; 2]>> = BTreeMap::new();
        for (place, step) in self.steps.iter().enumerate() {
            for site in &step.out {
                let ranges = sites.entry(site).or_default();
                match ranges.last_mut() {
                    Some(last) if last[1] + 1 == place => last[1] = place,
                    _ => ranges.push([place, place]),
                }
            }
        }
        sites
    }

    /// The steps that overlap a period, as a range from first to last.
    pub fn during(&self, span: &StoryPeriod) -> [usize; 2] {
        let at = |instant: Timestamp| self.steps.partition_point(|step| step.at <= instant);
        let last = span.until.map_or(self.steps.len(), at);
        [at(span.from).max(1) - 1, last.max(1) - 1]
    }

    fn thin(&mut self, most: usize) {
        if self.steps.len() <= most {
            return;
        }
        let worst = self.worst();
        let change = |place: usize| match place {
            0 => u64::MAX,
            _ if place == worst => u64::MAX,
            _ => self.steps[place]
                .count
                .abs_diff(self.steps[place - 1].count),
        };
        let mut places: Vec<usize> = (0..self.steps.len()).collect();
        places.sort_by_key(|place| (std::cmp::Reverse(change(*place)), *place));
        places.truncate(most);
        let kept: BTreeSet<usize> = places.into_iter().collect();
        let mut place = 0;
        self.steps.retain(|_| {
            place += 1;
            kept.contains(&(place - 1))
        });
    }
}

/// True if a moment can change the set or the number of sites out.
fn matters(what: &RecordedEvent, told_by_network: bool) -> bool {
    match what {
        RecordedEvent::Network { .. } => true,
        RecordedEvent::Alarm { alarm_type, .. } => {
            !told_by_network && OUT_OF_SERVICE.contains(&alarm_type.as_str())
        }
        _ => false,
    }
}

fn follow(
    step: &mut OutagePeriod,
    what: &RecordedEvent,
    told_by_network: bool,
    raised: &mut BTreeMap<String, BTreeSet<String>>,
) {
    match what {
        RecordedEvent::Network {
            sites_out,
            out,
            served_share,
            ..
        } => {
            step.count = *sites_out;
            step.served_share = *served_share;
            if told_by_network {
                step.out = out.iter().cloned().collect();
            }
        }
        RecordedEvent::Alarm {
            resource,
            alarm_type,
            cleared,
            ..
        } => {
            let standing = raised.entry(resource.clone()).or_default();
            match cleared {
                true => standing.remove(alarm_type),
                false => standing.insert(alarm_type.clone()),
            };
            match standing.is_empty() {
                true => step.out.remove(resource),
                false => step.out.insert(resource.clone()),
            };
        }
        _ => {}
    }
}
