//! The site that would serve a point in an undisturbed network, by public radio formulas alone.
//!
//! Every site counts with its coverage layer, without load and shadowing; by this a coverage hole
//! made by a fault differs from a permanent one. The service that vehicles really get is that of
//! [`crate::mobile`]. Read next: [`super::records`].

use super::{Position, km};
use crate::mobile::propagation::elements_db;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::radio::{COVERAGE_DBM, GAIN_DBI, distance_m, path_loss_db};

/// The coverage layer: carrier in MHz, transmit power in dBm, bandwidth in MHz.
const CARRIER_MHZ: f64 = 800.0;
const POWER_DBM: f64 = 46.0;
const BANDWIDTH_MHZ: f64 = 10.0;

/// The sites of an inventory as a coverage model.
#[derive(Clone, Debug)]
pub struct Sites {
    /// By longitude: position and site.
    sites: Vec<(Position, ElementId)>,
}

impl Sites {
    /// The sites of an inventory.
    pub fn of(inventory: &Inventory) -> Self {
        let sites = inventory.of_kind(ElementKind::Site);
        let mut sites: Vec<_> = sites.map(|s| (s.position, s.id.clone())).collect();
        sites.sort_by(|a, b| a.0.0.total_cmp(&b.0.0).then_with(|| a.1.cmp(&b.1)));
        Self { sites }
    }

    /// The strongest site at a point with its RSRP in dBm per resource element; none if no site
    /// gives coverage.
    pub fn strongest(&self, position: Position) -> Option<(f64, &ElementId)> {
        let all = self.near(position);
        let received = all.map(|(from, site)| (rsrp_dbm(km(*from, position)), site));
        let strongest = received.max_by(|a, b| a.0.total_cmp(&b.0));
        strongest.filter(|(rsrp_dbm, _)| *rsrp_dbm >= COVERAGE_DBM)
    }

    /// The sites whose longitude is within reach of a point.
    fn near(&self, position: Position) -> impl Iterator<Item = &(Position, ElementId)> {
        let degrees = reach_km() / (111.2 * position.1.to_radians().cos().max(0.05));
        let first = self.sites.partition_point(|s| s.0.0 < position.0 - degrees);
        let near = self.sites[first..].iter();
        near.take_while(move |s| s.0.0 <= position.0 + degrees)
    }
}

/// The greatest distance at which a site of this model gives coverage, in kilometres.
fn reach_km() -> f64 {
    let loss_db = POWER_DBM + GAIN_DBI - elements_db(BANDWIDTH_MHZ) - COVERAGE_DBM;
    distance_m(loss_db, CARRIER_MHZ) / 1_000.0
}

/// RSRP at a distance, in dBm per resource element.
fn rsrp_dbm(distance_km: f64) -> f64 {
    let loss_db = path_loss_db(distance_km * 1_000.0, CARRIER_MHZ);
    POWER_DBM + GAIN_DBI - loss_db - elements_db(BANDWIDTH_MHZ)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_falls_with_distance_and_ends_at_the_reach() {
        assert!((rsrp_dbm(reach_km()) - COVERAGE_DBM).abs() < 1e-9);
        assert!((3.0..5.0).contains(&reach_km()), "{}", reach_km());
        let steps: Vec<f64> = (1..40).map(|n| rsrp_dbm(f64::from(n) * 0.1)).collect();
        assert!(steps.windows(2).all(|pair| pair[0] > pair[1]));
    }
}
