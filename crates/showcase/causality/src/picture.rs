//! A graph of causes drawn, from causes on the left to effects on the right.
//!
//! A type stands to the right of all that cause it. An edge that other edges imply (a causes b, b
//! causes c) is not drawn, or nothing could be seen; the picture says how many these are. It is one
//! SVG that loads nothing. Read next: [`crate::graph`].

use crate::graph::{CausalEdge, CausalGraph};
use markup::words::{count, cut, decimal};
use markup::{Markup, Px};
use std::collections::BTreeSet;

const WIDTH: f64 = 128.0;
const HEIGHT: f64 = 30.0;
const ACROSS: f64 = WIDTH + 62.0;
const DOWN: f64 = HEIGHT + 16.0;
const MARGIN: f64 = 24.0;
const TOP: f64 = 64.0;
/// The columns of a name in a box.
const NAME: usize = 17;
const STYLE: &str = "\
svg{background:#fff}text{font:12px ui-sans-serif,system-ui,'DejaVu Sans',sans-serif;fill:#1b1f24}\
.title{font-size:15px;font-weight:600}.soft{fill:#59636e}.mid{text-anchor:middle}\
.box{fill:#eef2f6;stroke:#8c959f}.edge{fill:none;stroke:#0059b3;opacity:.7}.tip{fill:#0059b3}\
@media (prefers-color-scheme:dark){svg{background:#0d1117}text{fill:#e6edf3}.soft{fill:#9198a1}\
.box{fill:#21262d;stroke:#6e7681}.edge{stroke:#6cb6ff}.tip{fill:#6cb6ff}}";

/// Draws a graph.
pub fn draw(graph: &CausalGraph) -> String {
    let plan = Plan::of(graph);
    let implied = graph.edges.len() - plan.direct.len();
    let about = format!(
        "{} of {}, learnt from {} on {}; {} not drawn, implied by others",
        count(graph.edges.len(), "edge", "edges"),
        count(graph.types.len(), "alarm type", "alarm types"),
        count(graph.alarms, "alarm", "alarms"),
        count(graph.devices, "device", "devices"),
        implied,
    );
    let [width, height] = plan.size();
    let view = format!("0 0 {} {}", Px(width), Px(height));
    let mut svg = Markup::new();
    svg.open(
        "svg",
        &[
            ("xmlns", &"http://www.w3.org/2000/svg"),
            ("role", &"img"),
            ("viewBox", &view),
            ("width", &Px(width)),
            ("height", &Px(height)),
        ],
    );
    svg.leaf("title", &[], &"Which alarm types cause which")
        .leaf("desc", &[], &about);
    svg.open("style", &[]).raw(STYLE).close();
    label(
        &mut svg,
        "title",
        [MARGIN, 24.0],
        "Which alarm types cause which",
    );
    label(&mut svg, "soft", [MARGIN, 44.0], &about);
    let strongest = graph.edges.first().map_or(1.0, |edge| edge.strength);
    for (edge, ends) in &plan.direct {
        arrow(&mut svg, edge, ends.map(|it| plan.boxes[it]), strongest);
    }
    for (alarm_type, at) in graph.types.iter().zip(&plan.boxes) {
        name(&mut svg, &alarm_type.name, alarm_type.alarms, *at);
    }
    if let Some(y) = plan.apart {
        let told = "neither cause nor effect of another:";
        label(&mut svg, "soft", [MARGIN, y - 10.0], told);
    }
    svg.close();
    svg.finish()
}

/// Where everything stands.
struct Plan<'g> {
    /// The upper left corner of each type's box.
    boxes: Vec<[f64; 2]>,
    /// The edges that no others imply, with the places of their ends in the order.
    direct: Vec<(&'g CausalEdge, [usize; 2])>,
    /// The height of the row of types without edges.
    apart: Option<f64>,
}

impl<'g> Plan<'g> {
    fn of(graph: &'g CausalGraph) -> Self {
        let places = graph.places();
        let ends = |edge: &CausalEdge| {
            let place = |name: &String| places.get(name.as_str()).copied();
            Some([place(&edge.cause)?, place(&edge.effect)?])
        };
        let edges = graph.edges.iter();
        let edges: Vec<_> = edges.filter_map(|edge| Some((edge, ends(edge)?))).collect();
        let pairs: Vec<[usize; 2]> = edges.iter().map(|(_, ends)| *ends).collect();
        let implied = implied(graph.types.len(), &pairs);
        let (boxes, apart) = boxes(graph.types.len(), &pairs);
        let direct = edges
            .into_iter()
            .filter(|(_, ends)| !implied.contains(ends));
        Self {
            boxes,
            direct: direct.collect(),
            apart,
        }
    }

    fn size(&self) -> [f64; 2] {
        let greatest = |axis: usize| self.boxes.iter().map(|at| at[axis]).fold(0.0, f64::max);
        [
            (greatest(0) + WIDTH + MARGIN).max(640.0),
            greatest(1) + HEIGHT + MARGIN,
        ]
    }
}

/// The edges between whose ends a longer way leads.
fn implied(types: usize, pairs: &[[usize; 2]]) -> BTreeSet<[usize; 2]> {
    let mut next = vec![Vec::new(); types];
    for [cause, effect] in pairs {
        next[*cause].push(*effect);
    }
    // Effects stand behind their causes, so that from the last on all that follows is known.
    let mut reached = vec![vec![false; types]; types];
    let mut implied = BTreeSet::new();
    for cause in (0..types).rev() {
        let mut beyond = vec![false; types];
        for effect in &next[cause] {
            let further = beyond.iter_mut().zip(&reached[*effect]);
            further.for_each(|(beyond, reached)| *beyond |= reached);
        }
        let effects = next[cause].iter().copied();
        implied.extend(
            effects
                .clone()
                .filter(|it| beyond[*it])
                .map(|it| [cause, it]),
        );
        effects.for_each(|effect| beyond[effect] = true);
        reached[cause] = beyond;
    }
    implied
}

/// The box of each type, in the column behind those of all its causes; and the height of the row of
/// those without edges.
fn boxes(types: usize, pairs: &[[usize; 2]]) -> (Vec<[f64; 2]>, Option<f64>) {
    let mut causes = vec![Vec::new(); types];
    let mut joined = vec![false; types];
    for [cause, effect] in pairs {
        causes[*effect].push(*cause);
        joined[*cause] = true;
        joined[*effect] = true;
    }
    let mut columns = vec![0; types];
    let mut filled: Vec<usize> = Vec::new();
    let mut boxes = vec![[0.0, 0.0]; types];
    for place in (0..types).filter(|place| joined[*place]) {
        let behind = causes[place].iter().map(|cause| columns[*cause] + 1);
        columns[place] = behind.max().unwrap_or(0);
        filled.resize(filled.len().max(columns[place] + 1), 0);
        let row = filled[columns[place]];
        filled[columns[place]] += 1;
        boxes[place] = corner(columns[place], row, TOP);
    }
    let rows = filled.iter().max().copied().unwrap_or(0);
    let wide = filled.len().max(4);
    let below = TOP + rows as f64 * DOWN + if rows > 0 { 24.0 } else { 12.0 };
    let mut alone = (0..types).filter(|place| !joined[*place]).peekable();
    let apart = alone.peek().map(|_| below);
    for (number, place) in alone.enumerate() {
        boxes[place] = corner(number % wide, number / wide, below);
    }
    (boxes, apart)
}

fn corner(column: usize, row: usize, top: f64) -> [f64; 2] {
    [MARGIN + column as f64 * ACROSS, top + row as f64 * DOWN]
}

fn arrow(svg: &mut Markup, edge: &CausalEdge, [from, to]: [[f64; 2]; 2], strongest: f64) {
    let [x1, y1] = [from[0] + WIDTH, from[1] + HEIGHT / 2.0];
    let [x2, y2] = [to[0], to[1] + HEIGHT / 2.0];
    let bend = ((x2 - x1) / 2.0).clamp(24.0, 90.0);
    let tip = x2 - 7.0;
    let path = format!(
        "M{} {}C{} {} {} {} {} {}",
        Px(x1),
        Px(y1),
        Px(x1 + bend),
        Px(y1),
        Px(tip - bend),
        Px(y2),
        Px(tip),
        Px(y2)
    );
    let head = format!("M{} {}l-8 -4v8z", Px(x2), Px(y2));
    let width = 0.8 + 2.6 * (edge.strength / strongest).max(0.0).sqrt();
    svg.open("g", &[]).leaf("title", &[], &told(edge));
    svg.empty(
        "path",
        &[
            ("class", &"edge"),
            ("d", &path),
            ("stroke-width", &Px(width)),
        ],
    );
    svg.empty("path", &[("class", &"tip"), ("d", &head)]);
    svg.close();
}

/// An edge in words, for the pointer.
fn told(edge: &CausalEdge) -> String {
    let delay = match edge.delay_s {
        Some(delay) if delay < 0 => format!(", reported {} s after it", -delay),
        Some(delay) => format!(", {delay} s before it"),
        None => String::new(),
    };
    let share = match edge.same_device {
        Some(share) => format!(", at the same device in {} %", decimal(share * 100.0, 0)),
        None => String::new(),
    };
    format!(
        "{} causes {}: strength {}{delay}{share}",
        edge.cause,
        edge.effect,
        decimal(edge.strength, 1)
    )
}

fn name(svg: &mut Markup, name: &str, alarms: usize, [x, y]: [f64; 2]) {
    svg.open("g", &[]);
    let told = format!("{name}: {}", count(alarms, "alarm", "alarms"));
    svg.leaf("title", &[], &told);
    svg.empty(
        "rect",
        &[
            ("class", &"box"),
            ("x", &Px(x)),
            ("y", &Px(y)),
            ("width", &Px(WIDTH)),
            ("height", &Px(HEIGHT)),
            ("rx", &4),
        ],
    );
    label(
        svg,
        "mid",
        [x + WIDTH / 2.0, y + HEIGHT / 2.0 + 4.0],
        &cut(name, NAME),
    );
    svg.close();
}

fn label(svg: &mut Markup, class: &str, [x, y]: [f64; 2], text: &str) {
    svg.leaf(
        "text",
        &[("class", &class), ("x", &Px(x)), ("y", &Px(y))],
        &text,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::small;

    #[test]
    fn what_others_imply_is_not_drawn() {
        let drawn = draw(&small());
        insta::assert_snapshot!(drawn);
        assert!(!drawn.contains("power causes bgp"));
    }

    #[test]
    fn names_stay_text() {
        let mut graph = small();
        graph.types[0].name = "<script>\u{202e}".to_owned();
        let drawn = draw(&graph);
        assert!(!drawn.contains("<script>") && drawn.contains("&lt;script&gt;"));
    }

    #[test]
    fn no_box_stands_on_another() {
        let pairs = [[0, 1], [0, 2], [1, 3], [2, 3], [0, 3]];
        let (boxes, apart) = boxes(7, &pairs);
        for (place, a) in boxes.iter().enumerate() {
            let clear =
                |b: &[f64; 2]| (a[0] - b[0]).abs() >= WIDTH || (a[1] - b[1]).abs() >= HEIGHT;
            assert!(boxes[place + 1..].iter().all(clear), "{boxes:?}");
        }
        assert!(apart.is_some());
        assert_eq!(implied(7, &pairs), BTreeSet::from([[0, 3]]));
    }
}
