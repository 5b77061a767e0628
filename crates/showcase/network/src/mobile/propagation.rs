//! The radio model of the simulated network: the public formulas of [`domain::radio`], with numerology,
//! and with the preference of terminals for a layer.
//!
//! Knows mean values; shadowing by terrain and buildings is drawn in `users`. Read next:
//! `evaluation`.

use domain::inventory::Cell;
use domain::radio::{
    GAIN_DBI, NOISE_FIGURE_DB, THERMAL_DBM_HZ, path_loss_db, pattern_db, spectral_efficiency,
};

/// The RSRP from which terminals prefer a capacity layer to a coverage layer, in dBm per resource
/// element.
pub const GOOD_DBM: f64 = -105.0;
/// The least spectral efficiency, that of the most robust transport format, in bit/s per hertz.
pub const EFFICIENCY_LEAST: f64 = 0.05;
/// The reduction of path loss in open land with a roof antenna, against that in a town, in dB: RMa
/// and UMa of TR 38.901, both without line of sight, at 1 to 5 km.
pub const OPEN_LAND_DB: f64 = 11.6;

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

/// The spectral efficiency of a link at this signal to interference and noise ratio (linear), in
/// bit/s per hertz.
pub fn efficiency(sinr: f64) -> f64 {
    spectral_efficiency(sinr).max(EFFICIENCY_LEAST)
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
    use domain::radio::EFFICIENCY_MAX;

    #[test]
    fn carriers_have_the_blocks_and_the_noise_of_the_standards() {
        assert_eq!(
            [10.0, 20.0, 100.0].map(resource_blocks),
            [50.0, 100.0, 273.0]
        );
        assert!((noise_dbm(10.0) + 125.24).abs() < 0.01);
        assert!((carrier_noise_dbm(10.0) + 97.46).abs() < 0.01);
        assert_eq!(efficiency(1e9), EFFICIENCY_MAX);
        assert_eq!(efficiency(0.0), EFFICIENCY_LEAST);
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
