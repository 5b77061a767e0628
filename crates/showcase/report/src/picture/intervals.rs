//! One figure of all policies: the mean as a mark, its 95 % interval as a whisker.
//!
//! The axis begins at the values, not at zero: the picture is for comparing policies. Read next:
//! [`super::trade`].

use super::{Scale, label, line, mark, opened};
use crate::batch::{Row, Table};
use crate::metric::Better;
use markup::Markup;

const WIDTH: f64 = 380.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 8.0;
const STEP: f64 = 24.0;

/// Draws a row of the table.
pub fn draw(table: &Table, row: &Row) -> Markup {
    let bottom = TOP + STEP * table.policies.len() as f64;
    let what = described(table, row);
    let mut svg = opened(&row.metric.title, &what, [WIDTH, bottom + 34.0]);
    let ends = row.values.iter().flatten().flat_map(|v| {
        let [low, high] = v.interval().unwrap_or([v.mean, v.mean]);
        [low, v.mean, high]
    });
    let scale = Scale::holding(ends, [LEFT, WIDTH - RIGHT]);
    axis(&mut svg, row, &scale, bottom);
    for (column, policy) in table.policies.iter().enumerate() {
        let y = TOP + STEP * (column as f64 + 0.5);
        label(
            &mut svg,
            "end",
            [LEFT - 10.0, y + 4.0],
            &markup::words::cut(policy, 12),
        );
        whisker(&mut svg, row, column, &scale, y);
    }
    svg.close();
    svg
}

/// The text equivalent of the picture: `agents 93.1 ± 2.0, manual 41.0 ± 4.8`.
fn described(table: &Table, row: &Row) -> String {
    let policies = table.policies.iter().enumerate();
    let told = policies.map(|(column, policy)| format!("{policy} {}", row.summary(column)));
    told.collect::<Vec<_>>().join(", ")
}

fn axis(svg: &mut Markup, row: &Row, scale: &Scale, bottom: f64) {
    let (unit, times) = row.metric.unit.shown();
    for (tick, text) in scale.ticks(4, times) {
        let x = scale.at(tick).0;
        line(svg, "grid", [x, TOP], [x, bottom]);
        label(svg, "small mid", [x, bottom + 13.0], &text);
    }
    let direction = match row.metric.better {
        Better::Higher => "more is better →",
        Better::Lower => "← less is better",
        Better::Neither => "",
    };
    label(svg, "small", [LEFT, bottom + 28.0], &unit);
    label(svg, "small end", [WIDTH - RIGHT, bottom + 28.0], &direction);
}

fn whisker(svg: &mut Markup, row: &Row, column: usize, scale: &Scale, y: f64) {
    let Some(value) = row.values[column] else {
        label(svg, "small", [LEFT + 4.0, y + 4.0], &"no run has it");
        return;
    };
    let class = format!("whisker p{}", column % super::COLOURS);
    svg.open("g", &[]);
    svg.leaf(
        "title",
        &[],
        &format!("{} ({} runs)", row.summary(column), value.n),
    );
    if let Some(ends) = value.interval() {
        let [low, high] = ends.map(|end| scale.at(end).0);
        line(svg, &class, [low, y], [high, y]);
        for x in [low, high] {
            line(svg, &class, [x, y - 5.0], [x, y + 5.0]);
        }
    }
    mark(svg, column, [scale.at(value.mean).0, y], 4.5, "mark");
    svg.close();
}
