//! Points near a place, found without searching all.
//!
//! Uses a plane that is accurate enough over tens of kilometres; refuses to know what the points
//! are. Read next: `users`.

use std::collections::BTreeMap;

/// Kilometres per degree of latitude.
const KM_PER_DEGREE: f64 = 111.2;
/// A square of the grid, in degrees; about 11 km from south to north.
const SQUARE: f64 = 0.1;

/// A grid index of points.
#[derive(Clone, Debug, Default)]
pub struct Nearby {
    squares: BTreeMap<(i32, i32), Vec<usize>>,
    points: Vec<(f64, f64)>,
}

/// Kilometres to the east and to the north from `from` to `to` (longitude and latitude in degrees).
pub fn plane_km(from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let narrow = from.1.to_radians().cos().max(0.05);
    (
        (to.0 - from.0) * KM_PER_DEGREE * narrow,
        (to.1 - from.1) * KM_PER_DEGREE,
    )
}

impl Nearby {
    /// An index of the points, which are numbered from 0.
    pub fn new(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut nearby = Self::default();
        for (number, point) in points.into_iter().enumerate() {
            nearby.points.push(point);
            nearby
                .squares
                .entry(square(point))
                .or_default()
                .push(number);
        }
        nearby
    }

    /// The points within `km` of `from`, in order of their numbers, each with its offset in
    /// kilometres east and north of `from`.
    pub fn within(&self, from: (f64, f64), km: f64) -> Vec<(usize, (f64, f64))> {
        let up = km / KM_PER_DEGREE;
        let wide = up / from.1.to_radians().cos().max(0.05);
        let (west, south) = square((from.0 - wide, from.1 - up));
        let (east, north) = square((from.0 + wide, from.1 + up));
        let mut found: Vec<(usize, (f64, f64))> = (west..=east)
            .flat_map(|x| self.squares.range((x, south)..=(x, north)))
            .flat_map(|(_, numbers)| numbers)
            .map(|&number| (number, plane_km(from, self.points[number])))
            .filter(|(_, (x, y))| x.hypot(*y) <= km)
            .collect();
        found.sort_by_key(|(number, _)| *number);
        found
    }
}

fn square(point: (f64, f64)) -> (i32, i32) {
    (
        (point.0 / SQUARE).floor() as i32,
        (point.1 / SQUARE).floor() as i32,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geography::distance_km;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_near_is_found(points in proptest::collection::vec((9.0..10.0, 48.0..49.0), 1..60), km in 0.5..30.0) {
            let nearby = Nearby::new(points.iter().copied());
            let from = points[0];
            let found: Vec<usize> = nearby.within(from, km).iter().map(|(n, _)| *n).collect();
            for (number, point) in points.iter().enumerate() {
                let away = distance_km(from, *point);
                if (away - km).abs() > 0.01 * km {
                    prop_assert_eq!(found.contains(&number), away < km);
                }
            }
        }
    }
}
