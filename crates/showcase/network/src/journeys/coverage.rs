//! What serves a point of the map, by public formulas alone.
//!
//! [`Coverage`] is what journeys need of a mobile network. [`Sites`] is the plainest one: every site
//! on its coverage layer, path loss of 3GPP TR 38.901 (UMa without line of sight, simplified), no
//! load and no shadowing; it also says what *would* serve a point if all were well, which is how a
//! hole made by a fault is told from one that was always there. Read next: [`super::records`].

use super::{Position, km};
use domain::inventory::{ElementId, ElementKind, Inventory};
use std::collections::BTreeSet;

/// Below this reference signal power, in dBm, nothing is served.
pub const LIMIT_DBM: f64 = -118.0;
/// Below this, in dBm, service is poor.
pub const WEAK_DBM: f64 = -112.0;
/// The coverage layer: carrier in GHz, transmit power in dBm, antenna gain in dBi, resource blocks.
const CARRIER_GHZ: f64 = 0.8;
const POWER_DBM: f64 = 46.0;
const GAIN_DBI: f64 = 15.0;
const RESOURCE_BLOCKS: f64 = 50.0;
/// The model is not meant for shorter ways, in metres.
const SHORTEST_M: f64 = 35.0;
/// Thermal noise of one resource element (15 kHz) at −174 dBm/Hz, and 7 dB of the receiver.
const NOISE_DBM: f64 = -174.0 + 41.76 + 7.0;
/// The bandwidth of the layer in MHz, and what of it one vehicle gets.
const BANDWIDTH_MHZ: f64 = 10.0;
const SHARE: f64 = 0.3;

/// What serves a vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct Served {
    /// The cell; the site itself where the inventory has no cells.
    pub cell: ElementId,
    /// Reference signal power, in dBm.
    pub rsrp_dbm: f64,
    /// Downlink throughput, in Mbit/s.
    pub throughput_mbps: f64,
}

/// A network that serves points of the map.
pub trait Coverage {
    /// What serves a point; none if nothing does.
    fn serve(&self, position: Position) -> Option<Served>;
}

/// Every site of an inventory but those that are out.
#[derive(Clone, Debug)]
pub struct Sites {
    /// By longitude: position, site, and the cell that answers for it.
    sites: Vec<(Position, ElementId, ElementId)>,
}

impl Sites {
    /// The sites of an inventory.
    pub fn of(inventory: &Inventory) -> Self {
        let mut sites: Vec<_> = inventory
            .of_kind(ElementKind::Site)
            .map(|s| {
                let cell = inventory.cells_of(&s.id).next().unwrap_or(&s.id);
                (s.position, s.id.clone(), cell.clone())
            })
            .collect();
        sites.sort_by(|a, b| a.0.0.total_cmp(&b.0.0).then_with(|| a.1.cmp(&b.1)));
        Self { sites }
    }

    /// What serves a point when the sites of `out` do not, with its site.
    pub fn serve_without(
        &self,
        position: Position,
        out: &BTreeSet<ElementId>,
    ) -> Option<(Served, &ElementId)> {
        let strongest = self
            .near(position)
            .filter(|(_, site, _)| !out.contains(site))
            .map(|entry| (rsrp_dbm(km(entry.0, position)), entry))
            .max_by(|a, b| a.0.total_cmp(&b.0))?;
        let (rsrp_dbm, (_, site, cell)) = strongest;
        (rsrp_dbm >= LIMIT_DBM).then(|| {
            let served = Served {
                cell: cell.clone(),
                rsrp_dbm,
                throughput_mbps: throughput_mbps(rsrp_dbm),
            };
            (served, site)
        })
    }

    /// The sites within reach of a point, by longitude alone.
    fn near(&self, position: Position) -> impl Iterator<Item = &(Position, ElementId, ElementId)> {
        let degrees = reach_km() / (111.2 * position.1.to_radians().cos().max(0.05));
        let first = self.sites.partition_point(|s| s.0.0 < position.0 - degrees);
        let near = self.sites[first..].iter();
        near.take_while(move |s| s.0.0 <= position.0 + degrees)
    }
}

/// Beyond this no site of the plain model serves, in kilometres.
fn reach_km() -> f64 {
    let loss = POWER_DBM + GAIN_DBI - 10.0 * (12.0 * RESOURCE_BLOCKS).log10() - LIMIT_DBM;
    10.0_f64.powf((loss - 13.54 - 20.0 * CARRIER_GHZ.log10()) / 39.08) / 1_000.0
}

/// Reference signal power at a distance.
fn rsrp_dbm(distance_km: f64) -> f64 {
    let metres = (distance_km * 1_000.0).max(SHORTEST_M);
    let loss = 13.54 + 39.08 * metres.log10() + 20.0 * CARRIER_GHZ.log10();
    POWER_DBM + GAIN_DBI - loss - 10.0 * (12.0 * RESOURCE_BLOCKS).log10()
}

/// What one vehicle gets at such a power without interference.
fn throughput_mbps(rsrp_dbm: f64) -> f64 {
    let ratio = 10.0_f64.powf((rsrp_dbm - NOISE_DBM) / 10.0);
    (0.75 * (1.0 + ratio).log2()).min(5.5) * BANDWIDTH_MHZ * SHARE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_falls_with_distance_and_ends_at_the_reach() {
        assert!((rsrp_dbm(reach_km()) - LIMIT_DBM).abs() < 1e-9);
        assert!((3.0..5.0).contains(&reach_km()), "{}", reach_km());
        let steps: Vec<f64> = (1..40).map(|n| rsrp_dbm(f64::from(n) * 0.1)).collect();
        assert!(steps.windows(2).all(|pair| pair[0] > pair[1]));
        assert!(throughput_mbps(-80.0) > 10.0 && throughput_mbps(LIMIT_DBM) > 0.5);
    }
}
