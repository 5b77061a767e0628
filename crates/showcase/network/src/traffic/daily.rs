//! The daily curve of traffic.
//!
//! The simulation's clock counts as local time. Refuses to know days of the week. Read next:
//! [`super::demand`].

use domain::radio::load::{BUSIEST_LOAD, mean_load};
use domain::time::Timestamp;

/// Traffic at `at` as a share of the busy hour's, 0.17 to 1: the mean load of cells, which backbones
/// are assumed to follow.
pub fn share_of_busy_hour(at: Timestamp) -> f64 {
    mean_load(at) / BUSIEST_LOAD
}
