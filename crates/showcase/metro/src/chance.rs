//! Random distributions, and a generator for each purpose.
//!
//! Knows distributions; refuses to know their uses. Read next: [`crate::run`].

use domain::time::SeededRng;
use rand::{RngExt, SeedableRng};

/// What random numbers are for: each purpose has numbers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The network.
    Layout,
    /// What breaks.
    Breakage,
    /// Who notices.
    Cascade,
    /// Alarms without a fault.
    Background,
    /// How alarms are delivered.
    Collector,
}

/// The generator for a purpose of a run.
pub fn generator(seed: u64, purpose: Purpose) -> SeededRng {
    // So that no generator is one of another simulation's with the same seed.
    let mut rng = SeededRng::seed_from_u64(seed ^ 0x6d65_7472_6f00_0000);
    rng.set_stream(purpose as u64);
    rng
}

/// True with probability `p`.
pub fn chance(rng: &mut SeededRng, p: f64) -> bool {
    rng.random_bool(p.clamp(0.0, 1.0))
}

/// Uniform between both ends.
pub fn uniform(rng: &mut SeededRng, [low, high]: [f64; 2]) -> f64 {
    rng.random_range(low..=high)
}

/// A whole number below `most`, which is above 0.
pub fn below(rng: &mut SeededRng, most: usize) -> usize {
    rng.random_range(0..most.max(1))
}

/// Normally distributed around 0 (Box and Muller).
pub fn normal(rng: &mut SeededRng, deviation: f64) -> f64 {
    let [radius, turn]: [f64; 2] = [rng.random(), rng.random()];
    let radius = (-2.0 * (1.0 - radius).ln()).sqrt();
    deviation * radius * (std::f64::consts::TAU * turn).cos()
}

/// Log-normally distributed: the median, and the deviation of the logarithm.
pub fn log_normal(rng: &mut SeededRng, median: f64, deviation: f64) -> f64 {
    median * normal(rng, deviation).exp()
}

/// The instants, in seconds from the beginning, of what happens `a_day` times a day for so many days.
pub fn instants(rng: &mut SeededRng, a_day: f64, days: f64) -> Vec<f64> {
    let mut all = Vec::new();
    let mut at_s = 0.0;
    loop {
        let unit: f64 = rng.random();
        at_s -= (1.0 - unit).ln() * 86_400.0 / a_day.max(1e-9);
        if at_s >= days * 86_400.0 {
            return all;
        }
        all.push(at_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_have_their_middles() {
        let mut rng = generator(1, Purpose::Cascade);
        let drawn: Vec<f64> = (0..4_000).map(|_| log_normal(&mut rng, 6.0, 0.8)).collect();
        let above = drawn.iter().filter(|it| **it > 6.0).count();
        assert!((1_850..2_150).contains(&above), "{above}");
        let mean = (0..4_000).map(|_| normal(&mut rng, 3.0)).sum::<f64>() / 4_000.0;
        assert!(mean.abs() < 0.2, "{mean}");
        let often = instants(&mut rng, 10.0, 400.0).len();
        assert!((3_800..4_200).contains(&often), "{often}");
    }
}
