//! The trade-off between energy and performance: kWh against Mbit/s at the cell edge, a small mark
//! for each run, a large one for the mean with its intervals.
//!
//! Up and to the left is better. Read next: [`super::intervals`].

use super::{Scale, label, line, mark, opened};
use crate::batch::ScoreBatch;
use crate::statistics::Summary;
use markup::Markup;

/// The figures along the two axes.
pub const AXES: [&str; 2] = ["energy", "compensated-edge-throughput"];
const WIDTH: f64 = 620.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 48.0;

/// Draws the runs that have both figures; none if there is no such run.
pub fn draw(batch: &ScoreBatch) -> Option<Markup> {
    let policies = batch.policies();
    let points: Vec<Vec<[f64; 2]>> = policies.iter().map(|p| points(batch, p)).collect();
    if points.iter().all(Vec::is_empty) {
        return None;
    }
    let what = described(&policies, &points);
    let mut svg = opened(
        &"Energy against throughput at the edge",
        &what,
        [WIDTH, HEIGHT],
    );
    let along = |axis: usize| points.iter().flatten().map(move |point| point[axis]);
    let x = Scale::holding(along(0), [LEFT, WIDTH - RIGHT]);
    let y = Scale::holding(along(1), [HEIGHT - BOTTOM, TOP]);
    axes(&mut svg, &x, &y);
    for (column, points) in points.iter().enumerate() {
        for point in points {
            let at = [x.at(point[0]).0, y.at(point[1]).0];
            mark(&mut svg, column, at, 2.6, "mark faint");
        }
    }
    for (column, points) in points.iter().enumerate() {
        middle(&mut svg, column, points, [&x, &y]);
    }
    // Names lie over the lines of all.
    for (policy, points) in policies.iter().zip(&points) {
        if let Some([kwh, mbps]) = summaries(points) {
            let at = [x.at(kwh.mean).0 + 9.0, y.at(mbps.mean).0 - 9.0];
            label(&mut svg, "lane over", at, policy);
        }
    }
    svg.close();
    Some(svg)
}

fn points(batch: &ScoreBatch, policy: &str) -> Vec<[f64; 2]> {
    let both = |score: &crate::Score| Some([score.figure(AXES[0])?, score.figure(AXES[1])?]);
    batch.of(policy).filter_map(both).collect()
}

fn described(policies: &[String], points: &[Vec<[f64; 2]>]) -> String {
    let told = policies.iter().zip(points).filter_map(|(policy, points)| {
        let [kwh, mbps] = summaries(points)?;
        let number = markup::words::number;
        Some(format!(
            "{policy}: {} kWh, {} Mbit/s",
            number(kwh.mean),
            number(mbps.mean)
        ))
    });
    told.collect::<Vec<_>>().join("; ")
}

fn summaries(points: &[[f64; 2]]) -> Option<[Summary; 2]> {
    let along = |axis: usize| -> Vec<f64> { points.iter().map(|p| p[axis]).collect() };
    Some([Summary::of(&along(0))?, Summary::of(&along(1))?])
}

fn axes(svg: &mut Markup, x: &Scale, y: &Scale) {
    let [left, right] = x.pixels;
    let [bottom, top] = y.pixels;
    for (tick, text) in x.ticks(6, 1.0) {
        let at = x.at(tick).0;
        line(svg, "grid", [at, top], [at, bottom]);
        label(svg, "small mid", [at, bottom + 14.0], &text);
    }
    for (tick, text) in y.ticks(5, 1.0) {
        let at = y.at(tick).0;
        line(svg, "grid", [left, at], [right, at]);
        label(svg, "small end", [left - 6.0, at + 3.0], &text);
    }
    label(
        svg,
        "small end",
        [right, bottom + 34.0],
        &"energy of the run, kWh; ← less is better",
    );
    label(
        svg,
        "small",
        [6.0, bottom + 34.0],
        &"↑ Mbit/s of the slowest tenth around sites out; more is better",
    );
}

fn middle(svg: &mut Markup, column: usize, points: &[[f64; 2]], [x, y]: [&Scale; 2]) {
    let Some([kwh, mbps]) = summaries(points) else {
        return;
    };
    let [at_x, at_y] = [x.at(kwh.mean).0, y.at(mbps.mean).0];
    let class = format!("whisker p{}", column % super::COLOURS);
    if let (Some(wide), Some(high)) = (kwh.interval(), mbps.interval()) {
        line(
            svg,
            &class,
            [x.at(wide[0]).0, at_y],
            [x.at(wide[1]).0, at_y],
        );
        line(
            svg,
            &class,
            [at_x, y.at(high[0]).0],
            [at_x, y.at(high[1]).0],
        );
    }
    mark(svg, column, [at_x, at_y], 6.5, "mark ringed");
}
