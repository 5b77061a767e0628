//! The public formulas of radio coverage and link rates.
//!
//! Knows mean values; shadowing by terrain and buildings is drawn in `users`. Path loss is that of
//! 3GPP TR 38.901, table 7.4.1-1, UMa without line of sight, in the part independent of the mast's
//! height; a sector's antenna pattern is that of table 7.3-1, in the horizontal. Read next:
//! `evaluation`.

use domain::inventory::Cell;

/// The least RSRP of a carrier that gives coverage, in dBm per resource element.
pub const COVERAGE_DBM: f64 = -118.0;
/// The RSRP from which a capacity layer is preferred to a coverage layer, in dBm per resource
/// element.
pub const GOOD_DBM: f64 = -105.0;
/// The gain of a sector's antenna array in its main direction, in dBi.
pub const GAIN_DBI: f64 = 15.0;
/// The noise figure of a terminal's receiver, in dB.
pub const NOISE_FIGURE_DB: f64 = 7.0;
/// Thermal noise density, in dBm per hertz.
pub const THERMAL_DBM_HZ: f64 = -174.0;
/// The share of Shannon's capacity that links reach.
pub const SHANNON_SHARE: f64 = 0.75;
/// The greatest spectral efficiency, in bit/s per hertz.
pub const EFFICIENCY_MOST: f64 = 5.5;
/// The least spectral efficiency, that of the most robust transport format, in bit/s per hertz.
pub const EFFICIENCY_LEAST: f64 = 0.05;
/// The reduction of path loss in open land with a roof antenna, against that in a town, in dB: RMa
/// and UMa of TR 38.901, both without line of sight, at 1 to 5 km.
pub const OPEN_LAND_DB: f64 = 11.6;

/// The signal to interference and noise ratio from which [`EFFICIENCY_MOST`] holds under any
/// rounding.
const FAR_BEYOND: f64 = 200.0;
/// The height of a terminal, in metres.
const TERMINAL_M: f64 = 1.5;
/// The shortest distance of the formula, in metres; shorter ones count as this one.
const NEAREST_M: f64 = 35.0;
/// The half-power beam width of a sector, in degrees.
const BEAM_DEGREES: f64 = 65.0;
/// The greatest attenuation of the antenna pattern, in dB.
const BEHIND_DB: f64 = 30.0;

/// The mean path loss at a distance of `distance_m` metres, in dB.
pub fn path_loss_db(distance_m: f64, carrier_mhz: f64) -> f64 {
    13.54 + 39.08 * distance_m.max(NEAREST_M).log10() + 20.0 * (carrier_mhz / 1000.0).log10()
        - 0.6 * (TERMINAL_M - 1.5)
}

/// The attenuation of a sector's antenna at `off_degrees` from its main direction, 0 to 30 dB.
pub fn pattern_db(off_degrees: f64) -> f64 {
    let off = (off_degrees + 180.0).rem_euclid(360.0) - 180.0;
    (12.0 * (off / BEAM_DEGREES).powi(2)).min(BEHIND_DB)
}

/// The number of resource blocks of a carrier: of 180 kHz up to 20 MHz (TS 36.101), of 360 kHz
/// beyond (TS 38.101-1).
pub fn resource_blocks(bandwidth_mhz: f64) -> f64 {
    let per_mhz = if is_narrow(bandwidth_mhz) { 5.0 } else { 2.73 };
    (bandwidth_mhz * per_mhz).max(1.0)
}

fn is_narrow(bandwidth_mhz: f64) -> bool {
    bandwidth_mhz <= 20.0
}

/// Thermal and receiver noise, in dBm per resource element.
pub fn noise_dbm(bandwidth_mhz: f64) -> f64 {
    let spacing_hz: f64 = if is_narrow(bandwidth_mhz) {
        15_000.0
    } else {
        30_000.0
    };
    THERMAL_DBM_HZ + NOISE_FIGURE_DB + 10.0 * spacing_hz.log10()
}

/// Thermal and receiver noise over the whole carrier, in dBm.
pub fn carrier_noise_dbm(bandwidth_mhz: f64) -> f64 {
    noise_dbm(bandwidth_mhz) + elements_db(bandwidth_mhz)
}

/// The ratio of the power of a whole carrier to that of one resource element, in dB.
pub fn elements_db(bandwidth_mhz: f64) -> f64 {
    10.0 * (12.0 * resource_blocks(bandwidth_mhz)).log10()
}

/// The mean RSRP of a cell at `to` (kilometres east and north of its mast), in dBm per resource
/// element.
pub fn rsrp_dbm(cell: &Cell, to: (f64, f64)) -> f64 {
    let bearing = to.0.atan2(to.1).to_degrees();
    cell.power_dbm + GAIN_DBI
        - pattern_db(bearing - cell.azimuth_degrees)
        - path_loss_db(to.0.hypot(to.1) * 1000.0, cell.carrier_mhz)
        - elements_db(cell.bandwidth_mhz)
}

/// The spectral efficiency at this signal to interference and noise ratio (linear), in bit/s per
/// hertz.
pub fn efficiency(sinr: f64) -> f64 {
    // Logarithms are slow, and those far beyond the most need none.
    if sinr > FAR_BEYOND {
        return EFFICIENCY_MOST;
    }
    (SHANNON_SHARE * (1.0 + sinr).log2()).clamp(EFFICIENCY_LEAST, EFFICIENCY_MOST)
}

/// A level in dBm as milliwatts, or a ratio in dB as a factor.
pub fn linear(db: f64) -> f64 {
    // Most cells send as planned, and powers are slow.
    if db == 0.0 {
        return 1.0;
    }
    10.0_f64.powf(db / 10.0)
}

/// Milliwatts as dBm.
pub fn decibels(milliwatts: f64) -> f64 {
    10.0 * milliwatts.max(1e-30).log10()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::inventory::RadioUnit;

    #[test]
    fn the_formulas_give_what_the_standard_gives() {
        // 13.54 + 39.08 × 3 + 20 log10(0.8), by hand.
        assert!((path_loss_db(1_000.0, 800.0) - 128.84).abs() < 0.01);
        assert_eq!(path_loss_db(1.0, 800.0), path_loss_db(35.0, 800.0));
        assert_eq!(pattern_db(0.0), 0.0);
        assert!((pattern_db(32.5) - 3.0).abs() < 1e-9);
        assert!((pattern_db(-327.5) - 3.0).abs() < 1e-9);
        assert_eq!(pattern_db(180.0), 30.0);
        assert_eq!(
            [10.0, 20.0, 100.0].map(resource_blocks),
            [50.0, 100.0, 273.0]
        );
        assert!((noise_dbm(10.0) + 125.24).abs() < 0.01);
        assert!((carrier_noise_dbm(10.0) + 97.46).abs() < 0.01);
        assert_eq!(efficiency(1e9), EFFICIENCY_MOST);
        assert_eq!(efficiency(FAR_BEYOND), EFFICIENCY_MOST);
        assert!((efficiency(1.0) - 0.75).abs() < 1e-9);
    }

    #[test]
    fn a_sector_is_strongest_where_it_looks() {
        let cell = Cell {
            azimuth_degrees: 90.0,
            carrier_mhz: 800.0,
            bandwidth_mhz: 10.0,
            power_dbm: 43.0,
            radio_unit: RadioUnit::Type4,
            capacity_layer: false,
            neighbours: vec![],
        };
        let (east, north) = (rsrp_dbm(&cell, (1.0, 0.0)), rsrp_dbm(&cell, (0.0, 1.0)));
        assert!((east + 98.62).abs() < 0.01, "{east}");
        assert!((east - north - pattern_db(90.0)).abs() < 1e-9);
    }
}
