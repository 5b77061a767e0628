//! The random distributions of the simulation.
//!
//! Knows distributions; refuses to know their uses. Every part has a random stream of its own
//! ([`stream`]), so that an agent's actions do not change unrelated random events.

use domain::time::SeededRng;
use rand::{RngExt, SeedableRng};

/// The random generator for one purpose of a run; the same seed and purpose give the same numbers.
pub fn stream(seed: u64, purpose: u64) -> SeededRng {
    let mut rng = SeededRng::seed_from_u64(seed);
    rng.set_stream(purpose);
    rng
}

/// True with probability `p` (0 to 1).
pub fn happens(rng: &mut SeededRng, p: f64) -> bool {
    rng.random::<f64>() < p
}

/// A number uniform in `low` to below `high`.
pub fn between(rng: &mut SeededRng, low: f64, high: f64) -> f64 {
    low + rng.random::<f64>() * (high - low)
}

/// An integer uniform in `low` to `high`, both included.
pub fn whole(rng: &mut SeededRng, low: usize, high: usize) -> usize {
    rng.random_range(low..=high)
}

/// An exponentially distributed waiting time with the given mean.
pub fn waiting(rng: &mut SeededRng, mean: f64) -> f64 {
    // 1 - u lies in (0, 1], so the logarithm is finite.
    -mean * (1.0 - rng.random::<f64>()).ln()
}

/// A measurement error with mean 0 and about the given standard deviation (sum of four uniform
/// draws).
pub fn error(rng: &mut SeededRng, deviation: f64) -> f64 {
    let sum: f64 = (0..4).map(|_| rng.random::<f64>() - 0.5).sum();
    sum * deviation * 3.0_f64.sqrt()
}

/// A random one of `items`; none if there are none.
pub fn choose<'a, T>(rng: &mut SeededRng, items: &'a [T]) -> Option<&'a T> {
    if items.is_empty() {
        return None;
    }
    items.get(rng.random_range(0..items.len()))
}

/// A random index of `weights`, with probability proportional to the weight; 0 if all are zero.
pub fn weighted(rng: &mut SeededRng, weights: &[f64]) -> usize {
    let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
    for (index, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return index;
        }
    }
    0
}

/// A draw from a distribution given by quantiles: pairs of probability and value, increasing, from
/// probability 0 to 1, linearly interpolated.
pub fn from_quantiles(rng: &mut SeededRng, quantiles: &[(f64, f64)]) -> f64 {
    let p = rng.random::<f64>();
    quantiles
        .windows(2)
        .find(|pair| p <= pair[1].0)
        .map_or(0.0, |pair| {
            let ((p0, v0), (p1, v1)) = (pair[0], pair[1]);
            v0 + (p - p0) / (p1 - p0) * (v1 - v0)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_and_quantiles_have_their_means() {
        let mut rng = stream(1, 0);
        let n = 20_000;
        let mean = (0..n).map(|_| waiting(&mut rng, 8.0)).sum::<f64>() / f64::from(n);
        assert!((mean - 8.0).abs() < 0.3, "{mean}");
        let table = [(0.0, 0.0), (0.5, 10.0), (1.0, 30.0)];
        let mean = (0..n)
            .map(|_| from_quantiles(&mut rng, &table))
            .sum::<f64>()
            / f64::from(n);
        assert!((mean - 12.5).abs() < 0.3, "{mean}");
    }

    #[test]
    fn purposes_do_not_share_throws() {
        let draw = |purpose| between(&mut stream(7, purpose), 0.0, 1.0);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn weights_are_followed() {
        let mut rng = stream(3, 0);
        let hits = (0..4000)
            .filter(|_| weighted(&mut rng, &[1.0, 3.0]) == 1)
            .count();
        assert!((2850..3150).contains(&hits), "{hits}");
    }
}
