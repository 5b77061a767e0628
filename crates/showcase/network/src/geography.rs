//! Distances and directions between places on the globe.
//!
//! A place is a longitude and a latitude in degrees (WGS 84), in this order. Knows geometry alone:
//! what stands at a place is in the inventory. Read next: [`crate::build`], which places elements.

/// Great-circle distance between two points, in kilometres (sphere of 6 371 km).
pub fn distance_km(a: (f64, f64), b: (f64, f64)) -> f64 {
    let (d_lon, d_lat) = ((b.0 - a.0).to_radians(), (b.1 - a.1).to_radians());
    let half = (d_lat / 2.0).sin().powi(2)
        + a.1.to_radians().cos() * b.1.to_radians().cos() * (d_lon / 2.0).sin().powi(2);
    2.0 * 6371.0 * half.sqrt().min(1.0).asin()
}

/// The point `km` away from `from` in the direction `angle` (radians, from east to north).
pub(crate) fn point_at(from: (f64, f64), km: f64, angle: f64) -> (f64, f64) {
    let per_degree = 111.2;
    (
        from.0 + km * angle.cos() / (per_degree * from.1.to_radians().cos().max(0.05)),
        from.1 + km * angle.sin() / per_degree,
    )
}

/// The point that divides the line from `a` to `b` at `share` (0 to 1), by linear interpolation of
/// degrees.
pub(crate) fn between_points(a: (f64, f64), b: (f64, f64), share: f64) -> (f64, f64) {
    (a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_on_the_globe() {
        let (berlin, munich) = ((13.405, 52.52), (11.575, 48.137));
        assert!((distance_km(berlin, munich) - 504.0).abs() < 2.0);
        let east = point_at(berlin, 10.0, 0.0);
        assert!((distance_km(berlin, east) - 10.0).abs() < 0.1);
    }
}
