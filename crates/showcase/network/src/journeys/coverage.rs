//! The serving site of a point, by public radio formulas alone.
//!
//! [`Coverage`] is the interface of a mobile network for journeys. [`Sites`] is its simplest
//! implementation: every site on its coverage layer, path loss of 3GPP TR 38.901 (UMa without line
//! of sight, simplified), no load and no shadowing; it also tells which site would serve a point in
//! an undisturbed network, by which a coverage hole made by a fault differs from a permanent one.
//! Read next: [`super::records`].

use super::{Position, km};
use domain::inventory::{ElementId, ElementKind, Inventory};
use std::collections::BTreeSet;

/// The least reference signal power (RSRP) with service, in dBm.
pub const LIMIT_DBM: f64 = -118.0;
/// The RSRP below which service is poor, in dBm.
pub const WEAK_DBM: f64 = -112.0;
/// The coverage layer: carrier in GHz, transmit power in dBm, antenna gain in dBi, resource blocks.
const CARRIER_GHZ: f64 = 0.8;
const POWER_DBM: f64 = 46.0;
const GAIN_DBI: f64 = 15.0;
const RESOURCE_BLOCKS: f64 = 50.0;
/// The shortest distance of the model, in metres.
const SHORTEST_M: f64 = 35.0;
/// Thermal noise of one resource element (15 kHz) at −174 dBm/Hz, and 7 dB of the receiver.
const NOISE_DBM: f64 = -174.0 + 41.76 + 7.0;
/// The bandwidth of the layer in MHz, and the share of it that one vehicle gets.
const BANDWIDTH_MHZ: f64 = 10.0;
const SHARE: f64 = 0.3;

/// The service of a vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct Served {
    /// The serving cell; the site itself if the inventory has no cells.
    pub cell: ElementId,
    /// Reference signal power (RSRP), in dBm.
    pub rsrp_dbm: f64,
    /// Downlink throughput, in Mbit/s.
    pub throughput_mbps: f64,
}

/// A network that serves points of the map.
pub trait Coverage {
    /// The service at a point; none if there is none.
    fn serve(&self, position: Position) -> Option<Served>;
}

/// The sites of an inventory as a coverage model.
#[derive(Clone, Debug)]
pub struct Sites {
    /// By longitude: position, site, and the first cell of the site.
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

    /// The service at a point without the sites of `out`, with the serving site.
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

    /// The sites whose longitude is within reach of a point.
    fn near(&self, position: Position) -> impl Iterator<Item = &(Position, ElementId, ElementId)> {
        let degrees = reach_km() / (111.2 * position.1.to_radians().cos().max(0.05));
        let first = self.sites.partition_point(|s| s.0.0 < position.0 - degrees);
        let near = self.sites[first..].iter();
        near.take_while(move |s| s.0.0 <= position.0 + degrees)
    }
}

/// The greatest distance at which a site of this model serves, in kilometres.
fn reach_km() -> f64 {
    let loss = POWER_DBM + GAIN_DBI - 10.0 * (12.0 * RESOURCE_BLOCKS).log10() - LIMIT_DBM;
    10.0_f64.powf((loss - 13.54 - 20.0 * CARRIER_GHZ.log10()) / 39.08) / 1_000.0
}

/// RSRP at a distance, in dBm.
fn rsrp_dbm(distance_km: f64) -> f64 {
    let metres = (distance_km * 1_000.0).max(SHORTEST_M);
    let loss = 13.54 + 39.08 * metres.log10() + 20.0 * CARRIER_GHZ.log10();
    POWER_DBM + GAIN_DBI - loss - 10.0 * (12.0 * RESOURCE_BLOCKS).log10()
}

/// The throughput of one vehicle at such an RSRP without interference, in Mbit/s.
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
