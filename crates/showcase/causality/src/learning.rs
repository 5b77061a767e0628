//! Learning: from a history to a graph.
//!
//! The steps in their order; each has a file of its own. Nothing is set for a history: all bounds
//! are conventions, which `docs/alarm-history.md` gives reasons for. Read next: `counts`, `order`,
//! `attribution`, `spread`.

use crate::attribution::{self, LAGS, LearningError};
use crate::counts::{SCALES_S, ScaleCounts, count};
use crate::delays::{Delay, delays};
use crate::graph::{CausalEdge, CausalGraph, RankedType};
use crate::history::AlarmHistory;
use crate::order::CausalOrder;
use crate::spread::spread;
use crate::square::Square;

/// The probability that any pair at all comes together so often by chance.
const SIGNIFICANCE: f64 = 0.05;
/// The reliability of time from which effects are attributed to what came before them.
const TRUSTED: f64 = 0.5;

/// Learns which types cause which. `progress` is told the share that is done, 0 to 1.
///
/// The same history gives the same graph; names of types and devices mean nothing but for the order
/// in which equals are told.
///
/// # Errors
/// [`LearningError`] if it would take too much memory.
pub fn learn(
    history: &AlarmHistory,
    progress: &mut dyn FnMut(f64),
) -> Result<CausalGraph, LearningError> {
    let scales = count(history, &mut |share| progress(share * 0.6));
    let order = CausalOrder::of(&scales);
    let attributed = order.time_reliability >= TRUSTED;
    let gains = match attributed {
        true => Some(attribution::gains(history, &mut |share| {
            progress(0.6 + share * 0.3);
        })?),
        false => None,
    };
    let evidence = Evidence {
        history,
        scales,
        order,
        gains,
    };
    let edges = evidence.edges();
    progress(1.0);
    let [first_s, last_s] = history.span_s();
    Ok(CausalGraph {
        alarms: history.alarms(),
        devices: history.devices(),
        links: history.links(),
        first_s,
        last_s,
        time_reliability: rounded(evidence.order.time_reliability),
        attributed,
        types: evidence.types(),
        edges,
    })
}

/// All that speaks for edges.
struct Evidence<'h> {
    history: &'h AlarmHistory,
    scales: Vec<ScaleCounts>,
    order: CausalOrder,
    /// None if effects cannot be attributed.
    gains: Option<Square>,
}

impl Evidence<'_> {
    /// The types in their order; equals by name.
    fn types(&self) -> Vec<RankedType> {
        let names = self.history.types().iter();
        let counts = self.history.alarms_by_type();
        let places = self.order.places.iter().zip(counts).zip(names);
        let mut types: Vec<_> = places.enumerate().collect();
        types.sort_by(|(_, ((a, _), _)), (_, ((b, _), _))| b.total_cmp(a));
        let types = types.into_iter();
        types
            .map(|(place, ((order, alarms), name))| RankedType {
                name: name.clone(),
                alarms,
                order: rounded(*order),
                spreads: spread(self.history, place).map(rounded),
            })
            .collect()
    }

    /// The edges, strongest first.
    fn edges(&self) -> Vec<CausalEdge> {
        let types = 0..self.order.places.len();
        let most = ln_significance(types.len());
        let mut edges = Vec::new();
        for effect in types.clone() {
            let causes = types
                .clone()
                .filter(|cause| self.order_gap(*cause, effect) > 0.0);
            let causes = causes.filter(|cause| self.ln_by_chance(*cause, effect) < most);
            let causes: Vec<_> = causes.filter(|it| self.explains(*it, effect)).collect();
            let delays = delays(self.history, effect, &causes, self.gains.is_some());
            let described = causes.iter().zip(&delays);
            edges.extend(described.map(|(cause, delay)| self.edge(*cause, effect, delay)));
        }
        edges.sort_by(|a, b| b.strength.total_cmp(&a.strength));
        edges
    }

    fn edge(&self, cause: usize, effect: usize, delay: &Delay) -> CausalEdge {
        let seen = delay.at_device + delay.over_link;
        let share = |part: usize| (seen > 0).then(|| rounded(part as f64 / seen as f64));
        let name = |it: usize| self.history.types()[it].clone();
        CausalEdge {
            cause: name(cause),
            effect: name(effect),
            strength: rounded(self.excess(cause, effect)),
            order_gap: rounded(self.order_gap(cause, effect)),
            gain: self.gain(cause, effect).map(rounded),
            delay_s: delay.median_s,
            seen,
            same_device: share(delay.at_device),
            over_link: share(delay.over_link),
        }
    }

    /// Standard deviations by which two types come together more often than by chance, at the scale
    /// that shows it best.
    fn excess(&self, a: usize, b: usize) -> f64 {
        let scales = self.scales.iter();
        scales.map(|scale| scale.excess(a, b)).fold(0.0, f64::max)
    }

    /// The logarithm of the probability that two types come together so often by chance, at the scale
    /// that makes it least likely.
    fn ln_by_chance(&self, a: usize, b: usize) -> f64 {
        let scales = self.scales.iter();
        scales.map(|it| it.ln_by_chance(a, b)).fold(0.0, f64::min)
    }

    /// How far a type is before another in the causal order.
    fn order_gap(&self, cause: usize, effect: usize) -> f64 {
        self.order.places[cause] - self.order.places[effect]
    }

    fn gain(&self, a: usize, b: usize) -> Option<f64> {
        Some(self.gains.as_ref()?.either(a, b))
    }

    /// True if a type explains the other beyond what its kernels cost (Akaike: one for each); also
    /// if that cannot be asked.
    fn explains(&self, a: usize, b: usize) -> bool {
        let hops = if self.history.links().is_some() { 2 } else { 1 };
        self.gain(a, b)
            .is_none_or(|gain| gain > (LAGS * hops) as f64)
    }
}

/// The logarithm of the probability below which a pair comes together by more than chance, by Bonferroni
/// over all pairs and scales.
fn ln_significance(types: usize) -> f64 {
    let pairs = types * types.saturating_sub(1) / 2;
    (SIGNIFICANCE / (pairs.max(1) * SCALES_S.len()) as f64).ln()
}

/// The number to three decimals, as documents hold it.
fn rounded(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0 + 0.0
}

#[cfg(test)]
mod tests;
