//! A figure against an error of the world: a line for each policy, with 95 % intervals.
//!
//! The values of the error stand at equal distances, as they were chosen, not to scale. Read next:
//! [`super::intervals`].

use super::{Scale, label, line, mark, opened};
use crate::degradation::Curve;
use markup::{Markup, Px};

const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 46.0;

/// Draws a curve over the values of the error called `key`.
pub fn draw(key: &str, curve: &Curve) -> Markup {
    let what = described(curve);
    let mut svg = opened(&curve.metric.title, &what, [WIDTH, HEIGHT]);
    let rows = curve
        .policies
        .iter()
        .flat_map(|(_, rows)| rows.iter().flatten());
    let ends = rows
        .filter_map(|(row, column)| row.values[*column])
        .flat_map(|of| {
            let [low, high] = of.interval().unwrap_or([of.mean, of.mean]);
            [low, of.mean, high]
        });
    let scale = Scale::holding(ends, [HEIGHT - BOTTOM, TOP]);
    axes(&mut svg, key, curve, &scale);
    for (place, (_, rows)) in curve.policies.iter().enumerate() {
        let class = format!("whisker p{}", place % super::COLOURS);
        let mut before: Option<[f64; 2]> = None;
        for (index, row) in rows.iter().enumerate() {
            let Some(of) = row.as_ref().and_then(|(row, column)| row.values[*column]) else {
                before = None;
                continue;
            };
            let Px(y) = scale.at(of.mean);
            // Policies stand side by side, so that their intervals are not one on another.
            let at = [across(curve, index) + 4.0 * place as f64, y];
            if let Some(before) = before.replace(at) {
                line(&mut svg, &class, before, at);
            }
            if let Some(ends) = of.interval() {
                let [low, high] = ends.map(|end| scale.at(end).0);
                line(&mut svg, &class, [at[0], low], [at[0], high]);
            }
            mark(&mut svg, place, at, 4.0, "mark");
        }
    }
    svg.close();
    svg
}

fn across(curve: &Curve, index: usize) -> f64 {
    let room = WIDTH - LEFT - RIGHT;
    LEFT + room * (index as f64 + 0.5) / curve.values.len().max(1) as f64
}

fn axes(svg: &mut Markup, key: &str, curve: &Curve, scale: &Scale) {
    let (unit, times) = curve.metric.unit.shown();
    for (tick, text) in scale.ticks(4, times) {
        let Px(y) = scale.at(tick);
        line(svg, "grid", [LEFT, y], [WIDTH - RIGHT, y]);
        label(svg, "small end", [LEFT - 6.0, y + 4.0], &text);
    }
    let bottom = HEIGHT - BOTTOM;
    for (index, value) in curve.values.iter().enumerate() {
        label(
            svg,
            "small mid",
            [across(curve, index), bottom + 15.0],
            value,
        );
    }
    label(svg, "small", [LEFT, bottom + 34.0], &unit);
    label(svg, "small end", [WIDTH - RIGHT, bottom + 34.0], &key);
}

/// The text equivalent of the picture.
fn described(curve: &Curve) -> String {
    let told = curve.policies.iter().map(|(name, rows)| {
        let points = curve.values.iter().zip(rows).filter_map(|(value, row)| {
            let (row, column) = row.as_ref()?;
            Some(format!("{} at {value}", row.summary(*column)))
        });
        format!("{name} {}", points.collect::<Vec<_>>().join(", "))
    });
    told.collect::<Vec<_>>().join("; ")
}
