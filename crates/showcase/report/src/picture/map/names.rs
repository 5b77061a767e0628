//! The placement of town names on the map, so that they do not overlap.
//!
//! Each name takes the first of four positions around its dot that is free, or the least crowded if
//! none is. Knows lengths in pixels alone. Read next: [`super`].

use markup::words::width;

/// The width of a character of small text, its height, and its distance from the dot, in pixels.
const LETTER: f64 = 6.2;
const HEIGHT: f64 = 11.0;
const AWAY: f64 = 8.0;

/// Left, top, right, bottom.
type Area = [f64; 4];

/// The areas that are taken.
pub(super) struct Names {
    taken: Vec<Area>,
}

impl Names {
    /// A sheet with these dots and their radii, and no names.
    pub(super) fn around(dots: Vec<([f64; 2], f64)>) -> Self {
        let area = |([x, y], r): ([f64; 2], f64)| [x - r, y - r, x + r, y + r];
        Self {
            taken: dots.into_iter().map(area).collect(),
        }
    }

    /// The class that sets the text's anchor for the name of a dot, and the anchor's position.
    pub(super) fn place(&mut self, name: &str, [x, y]: [f64; 2]) -> (&'static str, [f64; 2]) {
        let wide = width(name) as f64 * LETTER;
        let around = [
            ("mid", [x, y - AWAY], x - wide / 2.0),
            ("mid", [x, y + AWAY + HEIGHT - 3.0], x - wide / 2.0),
            ("", [x + AWAY, y + 4.0], x + AWAY),
            ("end", [x - AWAY, y + 4.0], x - AWAY - wide),
        ];
        let places = around.map(|(anchor, [x, y], left)| {
            let area = [left, y - HEIGHT + 2.0, left + wide, y + 2.0];
            (self.crowd(area), anchor, [x, y], area)
        });
        let least = places.iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let (_, anchor, at, area) = *least.expect("there are four");
        self.taken.push(area);
        (anchor, at)
    }

    /// The overlap of an area with those that are taken, in square pixels.
    fn crowd(&self, [left, top, right, bottom]: Area) -> f64 {
        let over = |[l, t, r, b]: &Area| {
            (right.min(*r) - left.max(*l)).max(0.0) * (bottom.min(*b) - top.max(*t)).max(0.0)
        };
        self.taken.iter().map(over).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_goes_where_nothing_stands() {
        let dots = [[100.0, 100.0], [130.0, 100.0], [400.0, 100.0]];
        let mut names = Names::around(dots.map(|at| (at, 3.5)).to_vec());
        let placed = [
            ("Oldenburg", dots[0]),
            ("Bremen", dots[1]),
            ("Berlin", dots[2]),
        ];
        let placed = placed.map(|(name, at)| names.place(name, at));
        let anchors = placed.map(|(anchor, [_, y])| (anchor, y < 100.0));
        assert_eq!(anchors, [("mid", true), ("mid", false), ("mid", true)]);
    }

    #[test]
    fn where_all_is_taken_a_name_stands_nevertheless() {
        let mut names = Names::around(Vec::new());
        let placed = [(); 6].map(|()| names.place("Nowhere", [0.0, 0.0]));
        assert!(
            placed
                .iter()
                .all(|(_, [x, y])| x.is_finite() && y.is_finite())
        );
    }
}
