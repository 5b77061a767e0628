//! Cumulative distributions of times: the share of faults or complaints finished by then.
//!
//! A line that ends below the top means that some never finished. The time axis is logarithmic.
//! Read next: [`super::trade`].

use super::{Scale, label, line, mark, opened};
use crate::statistics::distribution;
use markup::{Markup, Px};
use std::fmt::Write;

const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 46.0;
/// The most steps of a drawn line.
const STEPS: usize = 400;
/// The width of a tick's label, in pixels.
const LETTERS: f64 = 38.0;
/// Minutes at the axis' ticks, in order of preference where space is short.
const TICKS: [(f64, &str); 13] = [
    (0.1, "6 s"),
    (1.0, "1 min"),
    (10.0, "10 min"),
    (60.0, "1 h"),
    (240.0, "4 h"),
    (1_440.0, "1 d"),
    (10_080.0, "7 d"),
    (43_200.0, "30 d"),
    (525_600.0, "1 y"),
    (2.0, "2 min"),
    (5.0, "5 min"),
    (20.0, "20 min"),
    (120.0, "2 h"),
];

/// Draws the cumulative distribution of these times, in minutes; none means never. Empty lists are
/// left out.
pub fn draw(title: &str, policies: &[(String, Vec<Option<f64>>)]) -> Markup {
    let what = described(policies);
    let mut svg = opened(&title, &what, [WIDTH, HEIGHT]);
    let lines: Vec<Vec<[f64; 2]>> = policies
        .iter()
        .map(|(_, times)| distribution(times))
        .collect();
    let [x, y] = scales(&lines);
    axes(&mut svg, &x, &y);
    for (column, steps) in lines.iter().enumerate() {
        drawn(&mut svg, column, steps, &x, &y);
    }
    svg.close();
    svg
}

fn described(policies: &[(String, Vec<Option<f64>>)]) -> String {
    let told = policies.iter().map(|(policy, times)| {
        let never = times.iter().filter(|t| t.is_none()).count();
        let half = crate::statistics::percentile(times, 50.0);
        let half = half.map_or("none".to_owned(), |m| markup::words::span(m * 60.0));
        format!(
            "{policy}: {} in all, {never} never, median {half}",
            times.len()
        )
    });
    told.collect::<Vec<_>>().join("; ")
}

/// Both axes: the logarithm of minutes, and shares.
fn scales(lines: &[Vec<[f64; 2]>]) -> [Scale; 2] {
    let times = || lines.iter().flatten().map(|step| logarithm(step[0]));
    let low = times().fold(1.0, f64::min);
    let high = times().fold(low + 1.0, f64::max);
    let x = Scale {
        values: [low - 0.05, high + 0.05],
        pixels: [LEFT, WIDTH - RIGHT],
    };
    let y = Scale {
        values: [0.0, 1.0],
        pixels: [HEIGHT - BOTTOM, TOP],
    };
    [x, y]
}

/// The common logarithm of minutes; times under three seconds count as three seconds.
fn logarithm(minutes: f64) -> f64 {
    minutes.max(0.05).log10()
}

fn axes(svg: &mut Markup, x: &Scale, y: &Scale) {
    let [left, right] = x.pixels;
    let [bottom, top] = y.pixels;
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let at = y.at(share).0;
        line(svg, "grid", [left, at], [right, at]);
        let percent = format!("{} %", share * 100.0);
        label(svg, "small end", [left - 6.0, at + 3.0], &percent);
    }
    let inside = |minutes: f64| {
        let [from, to] = x.values;
        (from..=to).contains(&minutes.log10())
    };
    let mut told: Vec<f64> = Vec::new();
    for (minutes, name) in TICKS.into_iter().filter(|(m, _)| inside(*m)) {
        let at = x.at(minutes.log10()).0;
        if told.iter().any(|other| (other - at).abs() < LETTERS) {
            continue;
        }
        told.push(at);
        line(svg, "grid", [at, top], [at, bottom]);
        label(svg, "small mid", [at, bottom + 14.0], &name);
    }
    let middle = (left + right) / 2.0;
    label(
        svg,
        "small mid",
        [middle, bottom + 32.0],
        &"time since the beginning",
    );
}

fn drawn(svg: &mut Markup, column: usize, steps: &[[f64; 2]], x: &Scale, y: &Scale) {
    let Some(first) = steps.first() else { return };
    let mut path = format!("M{} {}", x.at(logarithm(first[0])), y.at(0.0));
    for [minutes, share] in thinned(steps) {
        let _ = write!(path, "H{}V{}", x.at(logarithm(minutes)), y.at(share));
    }
    let last = steps[steps.len() - 1];
    let right: Px = x.at(x.values[1]);
    let _ = write!(path, "H{right}");
    let class = format!("curve p{}", column % super::COLOURS);
    svg.empty("path", &[("class", &class), ("d", &path)]);
    mark(svg, column, [right.0, y.at(last[1]).0], 3.5, "mark");
}

/// At most [`STEPS`] of the steps, always including the last.
fn thinned(steps: &[[f64; 2]]) -> impl Iterator<Item = [f64; 2]> {
    let every = steps.len().div_ceil(STEPS).max(1);
    let last = steps.len() - 1;
    let kept = move |place: &usize| place.is_multiple_of(every) || *place == last;
    (0..steps.len()).filter(kept).map(|place| steps[place])
}
