//! Ranks, their reliability, and the tail of Poisson's distribution.

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

/// The logarithm of the probability that a Poisson variable with this mean is at least `count`, a whole
/// number: exact but for rounding, however small it is; 0, the logarithm of
/// certainty, where the count is not above the mean.
pub(crate) fn ln_poisson_tail(count: f64, mean: f64) -> f64 {
    if count <= mean || count <= 0.0 {
        return 0.0;
    }
    if mean <= 0.0 {
        return f64::NEG_INFINITY;
    }
    // The terms from `count` on, by the first of them: each is less than the one before.
    let (mut sum, mut term, mut at) = (1.0, 1.0, count);
    while term > 1e-16 * sum {
        at += 1.0;
        term *= mean / at;
        sum += term;
    }
    count * mean.ln() - mean - ln_factorial(count) + f64::ln(sum)
}

/// The logarithm of a factorial: added up where it is small, by Stirling's series elsewhere.
fn ln_factorial(n: f64) -> f64 {
    if n < 16.0 {
        return (2..=n as u32).map(|it| f64::from(it).ln()).sum();
    }
    let inverse = 1.0 / n;
    let correction = inverse / 12.0 - inverse.powi(3) / 360.0 + inverse.powi(5) / 1_260.0;
    n * n.ln() - n + 0.5 * (TAU * n).ln() + correction
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
    fn tails_are_those_of_tables_and_of_sums() {
        // From tables: P(X >= 10 | 5), P(X >= 1 | 0.001), P(X >= 3 | 0.5).
        for (count, mean, p) in [
            (10.0, 5.0, 0.031_828_057),
            (1.0, 0.001, 0.000_999_500_17),
            (3.0, 0.5, 0.014_387_678),
        ] {
            let told = ln_poisson_tail(count, mean).exp();
            assert!((told - p).abs() < 1e-8, "{count} {mean}: {told}");
        }
        let whole: f64 = (2..=40).map(|n| f64::from(n).ln()).sum();
        assert!((ln_factorial(40.0) - whole).abs() < 1e-9);
        assert_eq!(ln_poisson_tail(3.0, 4.0), 0.0);
        assert!(ln_poisson_tail(100_000.0, 10.0) < -1_000.0, "no underflow");
    }
}
