//! The daily curve of traffic.
//!
//! Knows the load of each hour; the simulation's clock counts as local time. Refuses to know days
//! of the week. Read next: [`super::demand`].

use domain::time::Timestamp;

/// Mean load of cells by hour of day: 1,217 cells in one week, from the base-station set of the ITU
/// AI/ML in 5G Challenge 2023. Backbones are assumed to follow the same curve.
#[allow(
    clippy::approx_constant,
    reason = "0.318 was measured; it has nothing to do with 1/π"
)]
pub const MEAN_LOAD: [f64; 24] = [
    0.278, 0.214, 0.145, 0.101, 0.075, 0.064, 0.062, 0.096, 0.173, 0.226, 0.238, 0.253, 0.273,
    0.307, 0.328, 0.307, 0.318, 0.334, 0.341, 0.348, 0.325, 0.308, 0.315, 0.313,
];
/// The greatest hourly mean.
const BUSIEST: f64 = 0.348;
const DAY_MS: i64 = 86_400_000;
const HOUR_MS: f64 = 3_600_000.0;

/// Traffic at `at` as a share of the busy hour's, 0.17 to 1: hourly means at the middle of their
/// hours, linearly interpolated.
pub fn share_of_busy_hour(at: Timestamp) -> f64 {
    let hours = at.as_ms().rem_euclid(DAY_MS) as f64 / HOUR_MS + 23.5;
    let (before, part) = (hours as usize % 24, hours.fract());
    let (low, high) = (MEAN_LOAD[before], MEAN_LOAD[(before + 1) % 24]);
    (low + (high - low) * part) / BUSIEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_meets_the_table_in_the_middle_of_each_hour() {
        for (hour, mean) in MEAN_LOAD.into_iter().enumerate() {
            let at = Timestamp::from_ms(hour as i64 * 3_600_000 + 1_800_000 + 5 * DAY_MS);
            let share = share_of_busy_hour(at);
            assert!((share * BUSIEST - mean).abs() < 1e-9, "{hour}: {share}");
        }
        let midnight = share_of_busy_hour(Timestamp::from_ms(0));
        assert!((midnight * BUSIEST - (0.313 + 0.278) / 2.0).abs() < 1e-9);
    }
}
