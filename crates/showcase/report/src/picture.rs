//! The pictures, as SVG to embed in a page: no scripts of their own, nothing loaded.
//!
//! Colours are classes that the page's style inverts in dark mode; no meaning depends on a colour
//! alone. Text that is cut short is whole in a `<title>`, shown under the pointer. This file holds
//! what they share: axes, and the marks of policies. Read next: [`map`], [`lanes`], [`sequence`],
//! [`intervals`], [`distribution`], [`trade`], [`curve`].

pub mod curve;
pub mod distribution;
pub mod intervals;
pub mod lanes;
pub mod map;
pub mod sequence;
pub mod trade;

use markup::{Markup, Px};
use std::fmt::Display;

/// A linear scale from values to pixels.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The values at both ends.
    pub values: [f64; 2],
    /// The pixels there.
    pub pixels: [f64; 2],
}

impl Scale {
    /// A scale that holds these values with a margin. It extends below zero only if a value does.
    pub fn holding(values: impl Iterator<Item = f64>, pixels: [f64; 2]) -> Self {
        let around = |low: f64, room: f64| match low >= 0.0 {
            true => (low - room).max(0.0),
            false => low - room,
        };
        let known = values.filter(|v| v.is_finite());
        let [low, high] = known.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| {
            [low.min(v), high.max(v)]
        });
        let values = match high - low {
            spread if spread > 0.0 => [around(low, spread * 0.08), high + spread * 0.08],
            _ if low.is_finite() => {
                let room = (low.abs() * 0.1).max(0.5);
                [around(low, room), high + room]
            }
            _ => [0.0, 1.0],
        };
        Self { values, pixels }
    }

    /// The pixel of a value; values beyond the ends are clamped.
    pub fn at(&self, value: f64) -> Px {
        let [from, to] = self.values;
        let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
        let share = if share.is_finite() { share } else { 0.0 };
        Px(self.pixels[0] + share * (self.pixels[1] - self.pixels[0]))
    }

    /// About so many round values on the scale, each with its label, which is the value multiplied
    /// by `times`.
    pub fn ticks(&self, about: usize, times: f64) -> Vec<(f64, String)> {
        let [from, to] = self.values;
        let rough = (to - from) / about.max(1) as f64;
        if !(rough > 0.0 && rough.is_finite()) {
            return Vec::new();
        }
        let power = 10f64.powf(rough.log10().floor());
        let round = [1.0, 2.0, 5.0, 10.0].into_iter();
        let step = round.map(|r| r * power).find(|s| *s >= rough);
        let step = step.unwrap_or(rough);
        let first = (from / step).ceil() as i64;
        let last = (to / step).floor() as i64;
        let decimals = (-(step * times).log10().floor()).clamp(0.0, 9.0) as usize;
        let written = |value: f64| match value.abs() {
            size if size >= 1e6 => format!("{} M", markup::words::decimal(value / 1e6, 1)),
            size if size >= 1e4 => format!("{} k", markup::words::decimal(value / 1e3, 0)),
            _ => markup::words::decimal(value, decimals),
        };
        let values = (first..=last).take(50).map(|n| n as f64 * step);
        values
            .map(|value| (value, written(value * times)))
            .collect()
    }
}

/// Opens an SVG with a title and a description; one [`Markup::close`] ends it.
pub(crate) fn opened(title: &dyn Display, what: &dyn Display, [width, height]: [f64; 2]) -> Markup {
    let mut svg = Markup::new();
    let view = format!("0 0 {} {}", Px(width), Px(height));
    svg.open(
        "svg",
        &[
            ("role", &"img"),
            ("viewBox", &view),
            ("width", &Px(width)),
            ("height", &Px(height)),
        ],
    );
    svg.leaf("title", &[], title).leaf("desc", &[], what);
    svg
}

/// Draws the mark of a policy by its index; each index has a shape of its own.
pub(crate) fn mark(svg: &mut Markup, place: usize, [x, y]: [f64; 2], size: f64, class: &str) {
    let class = format!("{class} p{}", place % COLOURS);
    let s = size;
    let path = match place % 6 {
        0 => format!(
            "M{} {}a{s} {s} 0 1 0 {} 0a{s} {s} 0 1 0 {} 0Z",
            Px(x - s),
            Px(y),
            Px(2.0 * s),
            Px(-2.0 * s)
        ),
        1 => polygon([x, y], &[[-s, -s], [s, -s], [s, s], [-s, s]]),
        2 => polygon(
            [x, y],
            &[
                [0.0, -1.4 * s],
                [1.4 * s, 0.0],
                [0.0, 1.4 * s],
                [-1.4 * s, 0.0],
            ],
        ),
        3 => polygon([x, y], &[[0.0, -1.3 * s], [1.2 * s, s], [-1.2 * s, s]]),
        4 => polygon([x, y], &[[0.0, 1.3 * s], [1.2 * s, -s], [-1.2 * s, -s]]),
        _ => polygon(
            [x, y],
            &[
                [-s, -s],
                [0.0, -0.4 * s],
                [s, -s],
                [s, s],
                [0.0, 0.4 * s],
                [-s, s],
            ],
        ),
    };
    svg.empty("path", &[("class", &class), ("d", &path)]);
}

/// The number of colours that the page's style has for policies.
const COLOURS: usize = 6;

fn polygon([x, y]: [f64; 2], corners: &[[f64; 2]]) -> String {
    let corners = corners
        .iter()
        .map(|[dx, dy]| format!("{} {}", Px(x + dx), Px(y + dy)));
    format!("M{}Z", corners.collect::<Vec<_>>().join("L"))
}

/// A straight line.
pub(crate) fn line(svg: &mut Markup, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
    svg.empty(
        "line",
        &[
            ("class", &class),
            ("x1", &Px(x1)),
            ("y1", &Px(y1)),
            ("x2", &Px(x2)),
            ("y2", &Px(y2)),
        ],
    );
}

/// A rectangle.
pub(crate) fn rectangle(
    svg: &mut Markup,
    class: &str,
    [x, y]: [f64; 2],
    [width, height]: [f64; 2],
) {
    svg.empty(
        "rect",
        &[
            ("class", &class),
            ("x", &Px(x)),
            ("y", &Px(y)),
            ("width", &Px(width)),
            ("height", &Px(height)),
        ],
    );
}

/// Text at a place.
pub(crate) fn label(svg: &mut Markup, class: &str, [x, y]: [f64; 2], text: &dyn Display) {
    svg.leaf(
        "text",
        &[("class", &class), ("x", &Px(x)), ("y", &Px(y))],
        text,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let ticks = |from, to, times| {
            let scale = Scale {
                values: [from, to],
                pixels: [0.0, 100.0],
            };
            let ticks = scale.ticks(5, times);
            ticks
                .into_iter()
                .map(|(_, text)| text)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(ticks(0.0, 1.0, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(ticks(0.0, 1.0, 100.0), "0 20 40 60 80 100");
        assert_eq!(ticks(93.0, 141.0, 1.0), "100 110 120 130 140");
        assert_eq!(ticks(0.0, 9e6, 1.0), "0 2.0 M 4.0 M 6.0 M 8.0 M");
        assert_eq!(ticks(3.0, 3.0, 1.0), "");
        assert_eq!(ticks(f64::NAN, 3.0, 1.0), "");
    }

    #[test]
    fn a_scale_has_room_for_whatever_there_is() {
        for values in [vec![], vec![0.0], vec![-3.0, -3.0], vec![f64::NAN, 1e9]] {
            let scale = Scale::holding(values.iter().copied(), [0.0, 100.0]);
            for value in values {
                assert!((0.0..=100.0).contains(&scale.at(value).0), "{value}");
            }
        }
    }
}
