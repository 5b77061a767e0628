//! Keys, heat and states over time, as a picture: SVG in itself, without scripts or fonts.
//!
//! Above the heat of the hottest clusters against the threshold, below one band for each key by its
//! state. Colours are Okabe and Ito's, which people see apart whatever their eyes; states carry
//! names in the bands as well, lines carry theirs at the end.

use super::simulate::{Sample, SimulationHistory};
use super::{LifecycleState, LineageEvent};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const WIDTH: f64 = 1_000.0;
const LEFT: f64 = 200.0;
const RIGHT: f64 = 200.0;
/// Characters of a label that fit at the right.
const LABEL_MAX: usize = 26;
const HEAT_TOP: f64 = 70.0;
const HEAT_HEIGHT: f64 = 220.0;
const ROW: f64 = 24.0;
const LINES_MAX: usize = 7;
const LINES: [&str; LINES_MAX] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000",
];

/// The picture of a history. Legible at 1,000 pixels; names are escaped.
pub fn svg(history: &SimulationHistory) -> String {
    let chart = Chart::of(history);
    let mut svg = String::new();
    chart
        .draw(&mut svg)
        .expect("writing to a string does not fail");
    svg
}

struct Chart<'a> {
    history: &'a SimulationHistory,
    /// Clusters drawn, the hottest first.
    lines: Vec<&'a str>,
    keys: Vec<&'a str>,
    heat_max: f64,
}

impl<'a> Chart<'a> {
    fn of(history: &'a SimulationHistory) -> Self {
        let mut peaks: BTreeMap<&str, f64> = BTreeMap::new();
        for (label, heat) in history.samples.iter().flat_map(|s| &s.heats) {
            let peak = peaks.entry(label).or_default();
            *peak = peak.max(*heat);
        }
        let mut lines: Vec<_> = peaks.into_iter().collect();
        lines.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        let highest = lines.first().map_or(0.0, |(_, peak)| *peak);
        Self {
            history,
            lines: lines
                .into_iter()
                .take(LINES_MAX)
                .map(|(label, _)| label)
                .collect(),
            keys: in_order(history),
            heat_max: highest.max(history.heat_threshold) * 1.1,
        }
    }

    fn bands_top(&self) -> f64 {
        HEAT_TOP + HEAT_HEIGHT + 70.0
    }

    fn height(&self) -> f64 {
        self.bands_top() + ROW * self.keys.len().max(1) as f64 + 60.0
    }

    fn x(&self, sample: usize) -> f64 {
        let days = self.history.samples.len().max(1) as f64;
        LEFT + (WIDTH - LEFT - RIGHT) * sample as f64 / days
    }

    fn y(&self, heat: f64) -> f64 {
        HEAT_TOP + HEAT_HEIGHT * (1.0 - heat / self.heat_max)
    }

    fn draw(&self, svg: &mut String) -> std::fmt::Result {
        let (h, days) = (self.height(), self.history.samples.len());
        writeln!(
            svg,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {h:.0}" role="img" aria-labelledby="t d" font-family="sans-serif" font-size="12" fill="#222">"##
        )?;
        writeln!(
            svg,
            r#"<title id="t">Schema evolution over {days} days, seed {}</title>"#,
            self.history.seed
        )?;
        writeln!(svg, r#"<desc id="d">{}</desc>"#, escaped(&self.told()))?;
        writeln!(
            svg,
            r##"<rect width="{WIDTH}" height="{h:.0}" fill="#fff"/>"##
        )?;
        writeln!(
            svg,
            r#"<text x="16" y="26" font-size="16" font-weight="bold">Schema evolution over {days} days</text>"#
        )?;
        writeln!(
            svg,
            r#"<text x="16" y="46">{}</text>"#,
            escaped(&self.told())
        )?;
        self.draw_heat(svg)?;
        self.draw_bands(svg)?;
        self.draw_days(svg)?;
        writeln!(svg, "</svg>")
    }

    fn told(&self) -> String {
        let last = self.history.samples.last();
        let stable = |s: &Sample| {
            s.keys
                .values()
                .filter(|k| matches!(k, LifecycleState::Stable(_)))
                .count()
        };
        format!(
            "{} payloads, {} fragments; at the end {} with {} stable keys from patches, {} clusters, {} patches waiting.",
            self.history.payloads,
            self.history.fragments,
            last.map_or("nothing", |s| s.schema_id.as_str()),
            last.map_or(0, stable),
            last.map_or(0, |s| s.clusters),
            last.map_or(0, |s| s.pending),
        )
    }

    fn draw_heat(&self, svg: &mut String) -> std::fmt::Result {
        let (bottom, end) = (HEAT_TOP + HEAT_HEIGHT, WIDTH - RIGHT);
        writeln!(
            svg,
            r##"<g stroke="#888"><path d="M{LEFT} {HEAT_TOP}V{bottom}H{end}" fill="none"/></g>"##
        )?;
        writeln!(
            svg,
            r#"<text x="{}" y="{:.0}" text-anchor="end">heat</text>"#,
            LEFT - 8.0,
            HEAT_TOP + 10.0
        )?;
        let gate = self.y(self.history.heat_threshold);
        writeln!(
            svg,
            r##"<path d="M{LEFT} {gate:.1}H{end}" stroke="#555" stroke-dasharray="6 4"/>"##
        )?;
        writeln!(
            svg,
            r#"<text x="{}" y="{:.1}" text-anchor="end">threshold {}</text>"#,
            LEFT - 8.0,
            gate + 4.0,
            self.history.heat_threshold
        )?;
        for (line, label) in self.lines.iter().enumerate() {
            self.draw_line(svg, label, LINES[line])?;
        }
        self.draw_labels(svg)
    }

    fn draw_line(&self, svg: &mut String, label: &str, colour: &str) -> std::fmt::Result {
        let mut path = String::new();
        for (i, sample) in self.history.samples.iter().enumerate() {
            let heat = sample.heats.get(label).copied().unwrap_or(0.0);
            let step = if i == 0 { 'M' } else { 'L' };
            write!(path, "{step}{:.1} {:.1}", self.x(i), self.y(heat))?;
        }
        writeln!(
            svg,
            r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.8"><title>{}</title></path>"#,
            escaped(label)
        )
    }

    /// At the right, each with a piece of its line: ends lie too close to be labelled in place.
    fn draw_labels(&self, svg: &mut String) -> std::fmt::Result {
        let x = WIDTH - RIGHT + 12.0;
        for (line, label) in self.lines.iter().enumerate() {
            let y = HEAT_TOP + 12.0 + line as f64 * 18.0;
            let colour = LINES[line];
            writeln!(
                svg,
                r#"<path d="M{x} {:.0}h16" stroke="{colour}" stroke-width="3"/><text x="{}" y="{y:.0}" font-size="11">{}</text>"#,
                y - 4.0,
                x + 22.0,
                escaped(&shortened(label))
            )?;
        }
        Ok(())
    }

    fn draw_bands(&self, svg: &mut String) -> std::fmt::Result {
        let top = self.bands_top();
        writeln!(
            svg,
            r#"<text x="16" y="{:.0}" font-weight="bold">Keys</text>"#,
            top - 12.0
        )?;
        self.draw_legend(svg, top - 12.0)?;
        if self.keys.is_empty() {
            return writeln!(
                svg,
                r#"<text x="{LEFT}" y="{:.0}">no key came of it</text>"#,
                top + 16.0
            );
        }
        for (row, key) in self.keys.iter().enumerate() {
            let y = top + row as f64 * ROW;
            writeln!(
                svg,
                r#"<text x="{}" y="{:.0}" text-anchor="end">{}</text>"#,
                LEFT - 8.0,
                y + 16.0,
                escaped(key)
            )?;
            for (from, to, state) in self.spans(key) {
                self.draw_band(svg, y, from, to, state)?;
            }
        }
        Ok(())
    }

    fn draw_band(
        &self,
        svg: &mut String,
        y: f64,
        from: usize,
        to: usize,
        state: &str,
    ) -> std::fmt::Result {
        let (x, width) = (self.x(from), self.x(to) - self.x(from));
        let (fill, ink) = colours(state);
        let (top, high) = (y + 3.0, ROW - 6.0);
        writeln!(
            svg,
            r##"<rect x="{x:.1}" y="{top:.1}" width="{width:.1}" height="{high}" fill="{fill}" stroke="#fff"><title>{state}, day {} to {}</title></rect>"##,
            from + 1,
            to
        )?;
        if width > 70.0 {
            writeln!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" font-size="11" fill="{ink}">{state}</text>"#,
                x + 5.0,
                y + 16.0
            )?;
        }
        Ok(())
    }

    fn draw_legend(&self, svg: &mut String, y: f64) -> std::fmt::Result {
        for (i, state) in ["experimental", "stable", "deprecated", "withdrawn"]
            .iter()
            .enumerate()
        {
            let x = LEFT + i as f64 * 120.0;
            let (fill, _) = colours(state);
            writeln!(
                svg,
                r##"<rect x="{x}" y="{:.0}" width="14" height="12" fill="{fill}" stroke="#555"/><text x="{}" y="{y:.0}">{state}</text>"##,
                y - 10.0,
                x + 20.0
            )?;
        }
        Ok(())
    }

    /// Runs of days in which a key has one state.
    fn spans(&self, key: &str) -> Vec<(usize, usize, &'static str)> {
        let mut spans: Vec<(usize, usize, &'static str)> = Vec::new();
        for (i, sample) in self.history.samples.iter().enumerate() {
            let Some(state) = sample.keys.get(key).map(|s| s.name()) else {
                continue;
            };
            match spans.last_mut() {
                Some((_, to, last)) if *last == state && *to == i => *to = i + 1,
                _ => spans.push((i, i + 1, state)),
            }
        }
        spans
    }

    fn draw_days(&self, svg: &mut String) -> std::fmt::Result {
        let y = self.height() - 30.0;
        let days = self.history.samples.len();
        let step = (days / 9).max(1);
        for day in (0..=days).step_by(step) {
            let x = self.x(day);
            writeln!(
                svg,
                r##"<path d="M{x:.1} {HEAT_TOP}V{:.0}" stroke="#ddd" stroke-width="0.7"/><text x="{x:.1}" y="{y:.0}" text-anchor="middle">{day}</text>"##,
                y - 14.0
            )?;
        }
        writeln!(svg, r#"<text x="{LEFT}" y="{:.0}">days</text>"#, y + 18.0)
    }
}

/// Fill, and what is legible on it.
fn colours(state: &str) -> (&'static str, &'static str) {
    match state {
        "experimental" => ("#E69F00", "#000"),
        "stable" => ("#0072B2", "#fff"),
        "deprecated" => ("#CC79A7", "#000"),
        _ => ("#BBBBBB", "#000"),
    }
}

/// Keys in the order in which they became active.
fn in_order(history: &SimulationHistory) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let activated = history.events.iter().filter_map(|(_, event)| match event {
        LineageEvent::Activated { patch, .. } => Some(&patch.new_keys),
        _ => None,
    });
    let names = activated.flatten().map(|key| key.key_name.as_str());
    names.filter(|name| seen.insert(*name)).collect()
}

/// With what tells clusters apart, which stands at the end.
fn shortened(label: &str) -> String {
    let (text, id) = label.rsplit_once(" #").unwrap_or((label, ""));
    let room = LABEL_MAX.saturating_sub(id.len() + 2);
    match text.chars().count() > room {
        true => format!(
            "{}… #{id}",
            text.chars()
                .take(room.saturating_sub(1))
                .collect::<String>()
        ),
        false => label.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
