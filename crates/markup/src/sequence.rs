//! The arrows of sequence diagrams as SVG: one geometry for every picture that has them.
//!
//! Knows lengths in pixels; refuses to know messages, colours and the columns of lifelines. Read
//! next: [`crate::words`].

use crate::Px;

/// The length of an arrow's head, and half its height, in pixels.
const HEAD: (f64, f64) = (8.0, 4.0);
/// The room that an arrow's text leaves to its ends, in pixels.
const ENDS: f64 = 24.0;

/// A horizontal arrow from one lifeline to another.
#[derive(Clone, Copy, Debug)]
pub struct Arrow {
    /// The abscissa of the sender's lifeline.
    pub from: f64,
    /// The abscissa of the receiver's lifeline; another one.
    pub to: f64,
    /// The ordinate of both.
    pub y: f64,
}

impl Arrow {
    /// The abscissa at which the line ends and the head begins.
    pub fn neck(&self) -> f64 {
        match self.from < self.to {
            true => self.to - HEAD.0,
            false => self.to + HEAD.0,
        }
    }

    /// The path of the head, for the attribute `d`.
    pub fn head(&self) -> String {
        format!(
            "M{} {}L{} {}V{}Z",
            Px(self.to),
            Px(self.y),
            Px(self.neck()),
            Px(self.y - HEAD.1),
            Px(self.y + HEAD.1)
        )
    }

    /// The abscissa at which texts are centred.
    pub fn middle(&self) -> f64 {
        (self.from + self.to) / 2.0
    }

    /// The number of characters of this width, in pixels, for which there is room above or below.
    pub fn columns(&self, character: f64) -> usize {
        (((self.from - self.to).abs() - ENDS) / character) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_points_to_its_receiver() {
        let there = Arrow {
            from: 230.0,
            to: 570.0,
            y: 112.0,
        };
        assert_eq!(there.head(), "M570 112L562 108V116Z");
        assert_eq!((there.middle(), there.columns(7.0)), (400.0, 45));
        let back = Arrow {
            from: there.to,
            to: there.from,
            ..there
        };
        assert_eq!(back.head(), "M230 112L238 108V116Z");
        assert_eq!((back.middle(), back.columns(6.0)), (400.0, 52));
    }
}
