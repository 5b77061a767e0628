//! The causal order of all types.
//!
//! Two views are mixed. By *time*, causes precede their effects. That may mislead, where a poller
//! reports types in a fixed order; but a cause precedes its effect at every scale, and a poller
//! sorts at its own alone, so that the agreement of the scales says how far time can be trusted. By
//! *isolation*, causes occur alone as well, and effects in company. Either view is of all types at
//! once: one pair by itself says little. Read next: [`crate::learning`].

use crate::counts::ScaleCounts;
use crate::square::Square;
use crate::statistics::{reliability, standard_ranks};

/// Pairs of types that met less often than this hardly count.
const PSEUDO_COUNT: f64 = 10.0;

/// The causal order: causes have the greater number.
pub(crate) struct CausalOrder {
    /// A number for each type.
    pub(crate) places: Vec<f64>,
    /// How far time could be trusted, 0 to 1.
    pub(crate) time_reliability: f64,
}

impl CausalOrder {
    /// The order that the counts of all scales tell.
    pub(crate) fn of(scales: &[ScaleCounts]) -> Self {
        let (by_time, time_reliability) = by_time(scales);
        let by_isolation = by_isolation(scales);
        // Two measures of one thing are weighed by the inverse of the variance of their errors,
        // which of a measure of reliability r is in proportion to (1 - r) / r.
        let [time, isolation] = [time_reliability, 1.0 - time_reliability].map(|it| it * it);
        let places = by_time.iter().zip(&by_isolation);
        Self {
            places: places.map(|(t, i)| time * t + isolation * i).collect(),
            time_reliability,
        }
    }
}

/// The order by time, and its reliability: the mean of two series of scales that interlock, so that
/// neither decides by where it begins.
fn by_time(scales: &[ScaleCounts]) -> (Vec<f64>, f64) {
    let series = [0, 1].map(|first| {
        let scales = scales.iter().skip(first).step_by(2);
        let ranks: Vec<_> = scales.map(|scale| precedence(&scale.precedes)).collect();
        (standard_ranks(&sum(&ranks)), reliability(&ranks))
    });
    let [(a, reliability_a), (b, reliability_b)] = series;
    (
        standard_ranks(&sum(&[a, b])),
        (reliability_a + reliability_b) / 2.0,
    )
}

/// The ranks of the types by how far each precedes the others.
fn precedence(precedes: &Square) -> Vec<f64> {
    let types = 0..precedes.side();
    let lead = |a: usize| {
        let others = types.clone().map(|b| {
            let [before, after] = [precedes[(a, b)], precedes[(b, a)]];
            (before - after) / (before + after + PSEUDO_COUNT)
        });
        let mut others: Vec<f64> = others.collect();
        // So that the sum does not depend on the names of the types.
        others.sort_by(f64::total_cmp);
        others.iter().sum()
    };
    standard_ranks(&types.clone().map(lead).collect::<Vec<_>>())
}

fn by_isolation(scales: &[ScaleCounts]) -> Vec<f64> {
    let ranks = scales.iter().map(|scale| {
        let types = 0..scale.onsets.len();
        let alone: Vec<_> = types.map(|it| scale.alone_share(it)).collect();
        standard_ranks(&alone)
    });
    standard_ranks(&sum(&ranks.collect::<Vec<_>>()))
}

/// The sums over all rows.
fn sum(rows: &[Vec<f64>]) -> Vec<f64> {
    let mut sums = vec![0.0; rows.first().map_or(0, Vec::len)];
    for row in rows {
        sums.iter_mut().zip(row).for_each(|(sum, it)| *sum += it);
    }
    sums
}
