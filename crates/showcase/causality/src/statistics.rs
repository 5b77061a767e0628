//! Ranks, their reliability, and the normal distribution.

use std::f64::consts::TAU;

/// The ranks of values, those of equal ones averaged, less their mean and divided by their standard
/// deviation; zeros if all values are equal.
pub(crate) fn standard_ranks(values: &[f64]) -> Vec<f64> {
    let count = values.len() as f64;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    for tied in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let to = from + tied.len();
        for place in tied {
            // Ranks are from 1; all less their mean.
            ranks[*place] = (from + to + 1) as f64 / 2.0 - (count + 1.0) / 2.0;
        }
        from = to;
    }
    let squares: f64 = ranks.iter().map(|rank| rank * rank).sum();
    let deviation = (squares / count).sqrt();
    if deviation > 0.0 {
        ranks.iter_mut().for_each(|rank| *rank /= deviation);
    }
    ranks
}

/// How well the sum of standard ranks is known from how alike they are: Spearman's and Brown's
/// formula, 0 to 1.
pub(crate) fn reliability(ranks: &[Vec<f64>]) -> f64 {
    let count = ranks.len() as f64;
    let mut likeness = 0.0;
    for (place, a) in ranks.iter().enumerate() {
        for b in &ranks[place + 1..] {
            let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            likeness += 2.0 * product / a.len() as f64;
        }
    }
    let mean = likeness / (count * (count - 1.0));
    match mean > 0.0 {
        true => count * mean / (1.0 + (count - 1.0) * mean),
        false => 0.0,
    }
}

/// The value that a standard normal variable exceeds with probability `p`, for `p` below 0.15.
pub(crate) fn upper_normal_quantile(p: f64) -> f64 {
    let [mut low, mut high] = [1.0, 40.0];
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        match upper_normal_tail(middle) > p {
            true => low = middle,
            false => high = middle,
        }
    }
    (low + high) / 2.0
}

/// The probability that a standard normal variable exceeds `x`, for `x` of 1 and more: Laplace's
/// continued fraction, which two hundred terms exhaust from there on.
fn upper_normal_tail(x: f64) -> f64 {
    let fraction = (1..=200)
        .rev()
        .fold(x, |below, term| x + f64::from(term) / below);
    (-x * x / 2.0).exp() / TAU.sqrt() / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_rank() {
        let ranks = standard_ranks(&[5.0, 1.0, 5.0, 9.0]);
        let half = 1.5_f64 / (4.5_f64 / 4.0).sqrt();
        assert_eq!(ranks, [0.0, -half, 0.0, half]);
        assert_eq!(standard_ranks(&[2.0, 2.0]), [0.0, 0.0]);
        assert!(standard_ranks(&[]).is_empty());
    }

    #[test]
    fn what_agrees_is_reliable() {
        let up = standard_ranks(&[1.0, 2.0, 3.0, 4.0]);
        let down = standard_ranks(&[4.0, 3.0, 2.0, 1.0]);
        assert!((reliability(&[up.clone(), up.clone(), up.clone()]) - 1.0).abs() < 1e-12);
        assert_eq!(reliability(&[up.clone(), down, up]), 0.0);
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (p, quantile) in [
            (0.05, 1.644_854),
            (0.01, 2.326_348),
            (1e-5, 4.264_891),
            (1e-9, 5.997_807),
        ] {
            assert!((upper_normal_quantile(p) - quantile).abs() < 1e-6, "{p}");
        }
    }
}
