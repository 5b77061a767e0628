//! The mean load of cells over a day.
//!
//! Means over 1,217 cells in one week of the base-station set of the ITU AI/ML in 5G Challenge 2023.
//! A day begins at 00:00 UTC, which counts as local time; days of the week do not differ. Knows no
//! single cell. Read next: [`super::energy`].

use crate::time::Timestamp;

/// A value for the middle of each hour of day.
pub type Hourly = [f64; 24];

/// The mean load of a cell by hour of day, 0 to 1.
#[allow(
    clippy::approx_constant,
    reason = "0.318 was measured; it has nothing to do with 1/π"
)]
pub const MEAN_LOAD: Hourly = [
    0.278, 0.214, 0.145, 0.101, 0.075, 0.064, 0.062, 0.096, 0.173, 0.226, 0.238, 0.253, 0.273,
    0.307, 0.328, 0.307, 0.318, 0.334, 0.341, 0.348, 0.325, 0.308, 0.315, 0.313,
];
/// The greatest hourly mean.
pub const BUSIEST_LOAD: f64 = MEAN_LOAD[19];

/// A time of day, between the middles of two hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hour {
    from: usize,
    share: f64,
}

impl Hour {
    /// The time of day of `now`.
    pub fn of(now: Timestamp) -> Self {
        let hours = now.as_ms().rem_euclid(86_400_000) as f64 / 3_600_000.0 + 23.5;
        Self {
            from: (hours as usize) % 24,
            share: hours.fract(),
        }
    }

    /// The value at this time, linearly interpolated between the middles of the hours.
    pub fn value(self, of: &Hourly) -> f64 {
        let (from, to) = (of[self.from], of[(self.from + 1) % 24]);
        from + (to - from) * self.share
    }
}

/// The mean load of a cell at an instant, 0 to 1.
pub fn mean_load(at: Timestamp) -> f64 {
    Hour::of(at).value(&MEAN_LOAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_meets_the_table_in_the_middle_of_each_hour() {
        for (hour, mean) in MEAN_LOAD.into_iter().enumerate() {
            let at = Timestamp::from_ms(hour as i64 * 3_600_000 + 1_800_000 + 5 * 86_400_000);
            assert!((mean_load(at) - mean).abs() < 1e-9, "{hour}");
        }
        let midnight = mean_load(Timestamp::from_ms(0));
        assert!((midnight - (0.313 + 0.278) / 2.0).abs() < 1e-9);
        assert_eq!(MEAN_LOAD.into_iter().fold(0.0, f64::max), BUSIEST_LOAD);
    }
}
