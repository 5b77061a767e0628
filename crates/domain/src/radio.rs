//! The public radio formulas and measured figures that planners, agents and the simulated network
//! share.
//!
//! Path loss is that of 3GPP TR 38.901, table 7.4.1-1, UMa without line of sight, in the part
//! independent of the mast's height; a sector's antenna pattern is that of table 7.3-1, in the
//! horizontal. Knows mean values of public sources; refuses to know a network: what a model adds
//! (shadowing, numerology, the layer that terminals prefer) stands beside that model. Read next:
//! [`energy`], [`load`].

pub mod energy;
pub mod load;

/// The least reference signal power (RSRP) with coverage, in dBm per resource element.
pub const COVERAGE_DBM: f64 = -118.0;
/// The RSRP below which service is poor, in dBm per resource element.
pub const WEAK_DBM: f64 = -112.0;
/// The throughput below which service is poor, in Mbit/s.
pub const POOR_MBPS: f64 = 0.5;
/// The most by which a cell's power can be raised, in dB.
pub const POWER_OFFSET_MAX_DB: f64 = 10.0;
/// The gain of a sector's antenna array in its main direction, in dBi.
pub const GAIN_DBI: f64 = 15.0;
/// The noise figure of a terminal's receiver, in dB.
pub const NOISE_FIGURE_DB: f64 = 7.0;
/// Thermal noise density, in dBm per hertz.
pub const THERMAL_DBM_HZ: f64 = -174.0;
/// The share of Shannon's capacity that links reach.
pub const SHANNON_SHARE: f64 = 0.75;
/// The greatest spectral efficiency, in bit/s per hertz (TR 36.942, annex A, scaled).
pub const EFFICIENCY_MAX: f64 = 5.5;

/// The ratio of signal to interference and noise from which [`EFFICIENCY_MAX`] holds under any
/// rounding.
const FAR_BEYOND: f64 = 200.0;
/// The path loss at 1 m and 1 GHz, in dB.
const LOSS_AT_METRE_DB: f64 = 13.54;
/// The path loss per decade of distance, in dB.
const LOSS_PER_DECADE_DB: f64 = 39.08;
/// The shortest distance of the formula, in metres; shorter ones count as this one.
const NEAREST_M: f64 = 35.0;
/// The half-power beam width of a sector, in degrees.
const BEAM_DEGREES: f64 = 65.0;
/// The greatest attenuation of the antenna pattern, in dB.
const BEHIND_DB: f64 = 30.0;

/// The mean path loss at a distance of `distance_m` metres, in dB.
pub fn path_loss_db(distance_m: f64, carrier_mhz: f64) -> f64 {
    LOSS_AT_METRE_DB
        + LOSS_PER_DECADE_DB * distance_m.max(NEAREST_M).log10()
        + carrier_loss_db(carrier_mhz)
}

/// The distance at which the mean path loss is `loss_db`, in metres.
pub fn distance_m(loss_db: f64, carrier_mhz: f64) -> f64 {
    let decades = (loss_db - LOSS_AT_METRE_DB - carrier_loss_db(carrier_mhz)) / LOSS_PER_DECADE_DB;
    10.0_f64.powf(decades)
}

fn carrier_loss_db(carrier_mhz: f64) -> f64 {
    20.0 * (carrier_mhz / 1000.0).log10()
}

/// The attenuation of a sector's antenna at `off_degrees` from its main direction, 0 to 30 dB.
pub fn pattern_db(off_degrees: f64) -> f64 {
    let off = (off_degrees + 180.0).rem_euclid(360.0) - 180.0;
    (12.0 * (off / BEAM_DEGREES).powi(2)).min(BEHIND_DB)
}

/// The spectral efficiency at this ratio of signal to interference and noise (linear), in bit/s per
/// hertz, 0 to [`EFFICIENCY_MAX`].
pub fn spectral_efficiency(sinr: f64) -> f64 {
    // Logarithms are slow, and those far beyond the most need none.
    if sinr > FAR_BEYOND {
        return EFFICIENCY_MAX;
    }
    (SHANNON_SHARE * (1.0 + sinr).log2()).min(EFFICIENCY_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_give_what_the_standard_gives() {
        // 13.54 + 39.08 × 3 + 20 log10(0.8), by hand.
        assert!((path_loss_db(1_000.0, 800.0) - 128.84).abs() < 0.01);
        assert_eq!(path_loss_db(1.0, 800.0), path_loss_db(35.0, 800.0));
        assert!((distance_m(path_loss_db(700.0, 2_600.0), 2_600.0) - 700.0).abs() < 1e-6);
        assert_eq!(pattern_db(0.0), 0.0);
        assert!((pattern_db(32.5) - 3.0).abs() < 1e-9);
        assert!((pattern_db(-327.5) - 3.0).abs() < 1e-9);
        assert_eq!(pattern_db(180.0), 30.0);
        assert_eq!(spectral_efficiency(1.0), 0.75);
        assert_eq!(spectral_efficiency(1e9), EFFICIENCY_MAX);
        let unbounded = SHANNON_SHARE * (1.0 + FAR_BEYOND).log2();
        assert!(unbounded > EFFICIENCY_MAX, "{unbounded}");
    }
}
