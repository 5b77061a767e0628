//! Several measurements of one element as one: instruments err, and probes fail.
//!
//! Each element is measured twice at the same time, and again until what most measurements say is likely
//! enough for what depends on it: what clears an element must lead by two measurements, what condemns it by
//! three, for hundreds of elements are measured for each one that is broken, and somebody is sent to what is
//! condemned. The condition is that of most, each reading their median. A probe that failed is repeated. So
//! one wrong reading clears nothing, and two wrong ones send nobody while it can still be measured.
//! Knows measurements; refuses to know what they mean: whoever asks says when two of them
//! contradict each other. Used by [`crate::domain_agent`], [`crate::ip_fault`] and
//! [`crate::wireless_fault`].

use domain::inventory::ElementId;
use domain::telemetry::{Condition, Measurement, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// All that was measured, by element.
pub type Measurements = BTreeMap<ElementId, Measurement>;

/// The number of measurements of an element that are begun at the same time, and by which one condition must
/// lead over every other.
pub const AGREEING: usize = 2;
/// The same of a condition that condemns the element. Where one measurement in twenty is wrong, each that
/// agrees makes a failure some thirty times likelier: three raise one in ten thousand to a near certainty.
const CONDEMNING: usize = 3;
/// The number of measurements of one condition of which the first two contradict each other.
const CONTRADICTING: usize = 3;
/// The most measurements of an element, and the most probes, failed ones among them.
const TAKEN_MAX: usize = 7;
const PROBES_MAX: usize = 9;

/// The measurements of one element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasurementSeries {
    taken: Vec<Measurement>,
    failed: Vec<String>,
    /// Probes that have not ended.
    awaited: usize,
}

impl MeasurementSeries {
    /// The number of further probes that it needs: until one condition leads by enough, or too many
    /// have failed.
    fn lacks(&self, contradict: &impl Fn(&Measurement, &Measurement) -> bool) -> usize {
        let lead = match &self.taken[..] {
            [one, other, ..] if one.condition == other.condition && contradict(one, other) => {
                CONTRADICTING.saturating_sub(self.taken.len())
            }
            _ => 0,
        };
        let lacking = lead.max(self.lacks_lead()).saturating_sub(self.awaited);
        let taken = self.taken.len() + self.awaited;
        let probes = taken + self.failed.len();
        let left = TAKEN_MAX.saturating_sub(taken);
        lacking.min(left).min(PROBES_MAX.saturating_sub(probes))
    }

    /// The number of measurements by which the likeliest condition leads by too little.
    fn lacks_lead(&self) -> usize {
        let Some(likeliest) = self.condition() else {
            return AGREEING;
        };
        let others = self.taken.iter().map(|m| m.condition);
        let others = others.filter(|c| *c != likeliest);
        let next = others.map(|c| self.votes(c)).max().unwrap_or(0);
        let wanted = match condemns(likeliest) {
            true => CONDEMNING,
            false => AGREEING,
        };
        (wanted + next).saturating_sub(self.votes(likeliest))
    }

    /// The condition that is believed: the likeliest, unless it condemns and leads a better one by less than two,
    /// because nobody waits any more.
    fn believed(&self) -> Option<Condition> {
        let likeliest = self.condition()?;
        let better = self.taken.iter().map(|m| m.condition);
        let better = better.filter(|c| *c < likeliest && !condemns(*c));
        let next = better.max_by_key(|c| self.votes(*c));
        let leads = |c: &Condition| self.votes(likeliest) >= self.votes(*c) + AGREEING;
        match next {
            Some(better) if condemns(likeliest) && !leads(&better) => Some(better),
            _ => Some(likeliest),
        }
    }

    fn votes(&self, condition: Condition) -> usize {
        let alike = self.taken.iter().filter(|m| m.condition == condition);
        alike.count()
    }

    /// The condition that most measurements show; of equals the better one. None without any.
    fn condition(&self) -> Option<Condition> {
        let conditions = self.taken.iter().map(|m| m.condition);
        let by_votes = |a: &Condition, b: &Condition| self.votes(*a).cmp(&self.votes(*b));
        conditions.max_by(|a, b| by_votes(a, b).then(b.cmp(a)))
    }

    /// What most of the measurements say; none without any. Where a condition that condemns leads a better one by
    /// one only, the better one holds: doubt does not condemn.
    pub fn agreed(&self) -> Option<Measurement> {
        let first = self.taken.first()?;
        let condition = self.believed()?;
        let names: BTreeSet<&String> = self.taken.iter().flat_map(|m| m.readings.keys()).collect();
        // The readings of what shows another condition are of another state, or of another element.
        let alike = self.taken.iter().filter(|m| m.condition == condition);
        let alike: Vec<&Measurement> = alike.collect();
        let reading = |name: &String| {
            let values = alike.iter().filter_map(|m| m.readings.get(name));
            let mut values: Vec<f64> = values.copied().collect();
            let told_by_most = 2 * values.len() > alike.len();
            told_by_most.then(|| (name.clone(), median(&mut values)))
        };
        Some(Measurement {
            element: first.element.clone(),
            condition,
            readings: names.into_iter().filter_map(reading).collect(),
        })
    }
}

fn condemns(condition: Condition) -> bool {
    matches!(condition, Condition::Failed | Condition::Unreachable)
}

/// The middle of some values, or the mean of the two in the middle; 0 of none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

/// The measurements of several elements that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasurementRound {
    series: BTreeMap<ElementId, MeasurementSeries>,
    /// True once nobody waits any more.
    over: bool,
}

impl MeasurementRound {
    /// Takes elements up; gives each as often as it is to be probed now.
    pub fn begin(&mut self, elements: &[ElementId]) -> Vec<ElementId> {
        self.over = false;
        let mut probes = Vec::new();
        for element in elements {
            let series = self.series.entry(element.clone()).or_default();
            series.awaited += AGREEING;
            probes.extend(std::iter::repeat_n(element.clone(), AGREEING));
        }
        probes
    }

    /// Takes down how a probe of an element ended.
    pub fn take(&mut self, element: &ElementId, outcome: Outcome) {
        let Some(series) = self.series.get_mut(element) else {
            return;
        };
        series.awaited = series.awaited.saturating_sub(1);
        match outcome {
            Outcome::Measured(m) => series.taken.push(m),
            Outcome::Impossible(why) | Outcome::Failed(why) => series.failed.push(why),
            _ => {}
        }
    }

    /// True while probes have not ended.
    pub fn waits(&self) -> bool {
        self.series.values().any(|s| s.awaited > 0)
    }

    /// True if it waits for a probe of this element.
    pub fn waits_for(&self, element: &ElementId) -> bool {
        self.series.get(element).is_some_and(|s| s.awaited > 0)
    }

    /// No longer waits for what has not ended, and begins nothing again.
    pub fn give_up(&mut self) {
        self.over = true;
        for series in self.series.values_mut().filter(|s| s.awaited > 0) {
            series.awaited = 0;
            series.failed.push("no answer".to_owned());
        }
    }

    /// The elements that are to be probed again, each as often, because probes failed or measurements
    /// `contradict` each other; what differs in its condition always does.
    pub fn again(
        &mut self,
        contradict: impl Fn(&Measurement, &Measurement) -> bool,
    ) -> Vec<ElementId> {
        let mut probes = Vec::new();
        if self.over {
            return probes;
        }
        for (element, series) in &mut self.series {
            let lacks = series.lacks(&contradict);
            series.awaited += lacks;
            probes.extend(std::iter::repeat_n(element.clone(), lacks));
        }
        probes
    }

    /// What most measurements of each element say.
    pub fn agreed(&self) -> Measurements {
        let agreed = self.series.values().filter_map(MeasurementSeries::agreed);
        agreed.map(|m| (m.element.clone(), m)).collect()
    }

    /// What measurement number `n` of each element says, from 0; its last one, where there are fewer.
    pub fn sample(&self, n: usize) -> Measurements {
        let of = |s: &MeasurementSeries| s.taken.get(n).or(s.taken.last()).cloned();
        let sample = self.series.values().filter_map(of);
        sample.map(|m| (m.element.clone(), m)).collect()
    }

    /// The elements that could not be measured, and why.
    pub fn unmeasured(&self) -> Vec<String> {
        let silent = self.series.iter().filter(|(_, s)| s.taken.is_empty());
        let last = |(e, s): (&ElementId, &MeasurementSeries)| {
            let why = s.failed.last()?;
            Some(format!("{e}: {why}"))
        };
        silent.filter_map(last).collect()
    }

    /// True once a probe of anything has ended.
    pub fn has_begun(&self) -> bool {
        let ended = |s: &MeasurementSeries| !s.taken.is_empty() || !s.failed.is_empty();
        self.series.values().any(ended)
    }

    /// The elements of the round.
    pub fn elements(&self) -> impl Iterator<Item = &ElementId> {
        self.series.keys()
    }
}

#[cfg(test)]
mod tests;
