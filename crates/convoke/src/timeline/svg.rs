//! The picture as SVG: valid XML without scripts, legible in light and dark mode.
//!
//! Colours are classes, inverted by the reader's preference; text that is cut short is whole in a
//! `<title>`, shown under the pointer. Read next: [`super::html`].

use super::{Mark, Picture, Row};
use markup::Px;
use markup::sequence::Arrow;
use markup::words::cut;
use std::fmt::Write;

/// The width of the column of times, in pixels.
const LEFT: usize = 230;
/// The distance between two lifelines, in pixels.
const GAP: usize = 340;
/// Half the width of a lifeline's box, and of a note, in pixels.
const HALF_BOX: usize = 128;
const HALF_NOTE: usize = 120;
/// The width to the right of the last lifeline, for notes, in pixels.
const RIGHT: usize = 190;
/// The height above the first row, in pixels.
const TOP: usize = 92;
const ARROW_HEIGHT: usize = 46;
const NOTE_HEIGHT: usize = 34;
/// The width of a character in the larger and in the smaller font, in pixels.
const LARGE: usize = 7;
const SMALL: usize = 6;

const STYLE: &str = "\
text{font:12px ui-sans-serif,system-ui,'DejaVu Sans',sans-serif;fill:#1b1f24}\
.paper{fill:#ffffff}.head{font-size:15px;font-weight:600}.small{font-size:10px;fill:#59636e}\
.name{font-weight:600;text-anchor:middle}.mid{text-anchor:middle}.end{text-anchor:end}\
.box{fill:#eef2f6;stroke:#8c959f}.life{stroke:#8c959f;stroke-dasharray:3 4}\
.over{paint-order:stroke;stroke:#ffffff;stroke-width:4px;stroke-linejoin:round}\
.arrow{fill:none;stroke-width:1.5}.reply{stroke-dasharray:6 4}\
.line-plain{stroke:#1b1f24}.line-good{stroke:#1a7f37}.line-bad{stroke:#cf222e}.line-waiting{stroke:#9a6700}\
.tip-plain{fill:#1b1f24}.tip-good{fill:#1a7f37}.tip-bad{fill:#cf222e}.tip-waiting{fill:#9a6700}\
.note-plain{fill:#eef2f6;stroke:#8c959f}.note-good{fill:#dafbe1;stroke:#1a7f37}\
.note-bad{fill:#ffebe9;stroke:#cf222e}.note-waiting{fill:#fff8c5;stroke:#9a6700}\
@media (prefers-color-scheme:dark){\
text{fill:#e6edf3}.paper{fill:#0d1117}.small{fill:#9198a1}.box{fill:#21262d;stroke:#6e7681}\
.life{stroke:#6e7681}.over{stroke:#0d1117}\
.line-plain{stroke:#e6edf3}.line-good{stroke:#3fb950}.line-bad{stroke:#f85149}.line-waiting{stroke:#d29922}\
.tip-plain{fill:#e6edf3}.tip-good{fill:#3fb950}.tip-bad{fill:#f85149}.tip-waiting{fill:#d29922}\
.note-plain{fill:#21262d;stroke:#6e7681}.note-good{fill:#12261e;stroke:#3fb950}\
.note-bad{fill:#25171c;stroke:#f85149}.note-waiting{fill:#272115;stroke:#d29922}}";

/// Draws a picture as SVG.
pub(crate) fn draw(picture: &Picture) -> String {
    let columns = picture.lifelines.len().max(1);
    let width = LEFT + (columns - 1) * GAP + RIGHT;
    let rows: usize = picture.rows.iter().map(height).sum();
    let bottom = TOP + rows + 14;
    let mut svg = String::with_capacity(4_096 + picture.rows.len() * 640);
    let title = escaped(&picture.title);
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\">\n<title>{title}</title>\n\
         <desc>Sequence diagram; it begins {begins}.</desc>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"head\" x=\"16\" y=\"26\">{heading}</text>\n\
         <text class=\"small\" x=\"16\" y=\"40\">{begins}</text>\n",
        height = bottom + 14,
        begins = picture.begins(),
        heading = escaped(&cut(&picture.title, (width - 32) / 9)),
    );
    for (place, name) in picture.lifelines.iter().enumerate() {
        lifeline(&mut svg, place, name, bottom);
    }
    let mut y = TOP;
    for row in &picture.rows {
        draw_row(&mut svg, picture, row, y);
        y += height(row);
    }
    svg.push_str("</svg>\n");
    svg
}

fn height(row: &Row) -> usize {
    match row.mark {
        Mark::Note(_) => NOTE_HEIGHT,
        _ => ARROW_HEIGHT,
    }
}

fn x_of(place: usize) -> usize {
    LEFT + place * GAP
}

fn lifeline(svg: &mut String, place: usize, name: &str, bottom: usize) {
    let x = x_of(place);
    let half = HALF_BOX;
    let _ = writeln!(
        svg,
        "<g><title>{whole}</title><line class=\"life\" x1=\"{x}\" y1=\"74\" x2=\"{x}\" y2=\"{bottom}\"/>\
         <rect class=\"box\" x=\"{left}\" y=\"46\" width=\"{width}\" height=\"28\" rx=\"5\"/>\
         <text class=\"name\" x=\"{x}\" y=\"64\">{short}</text></g>",
        whole = escaped(name),
        left = x - half,
        width = 2 * half,
        short = escaped(&cut(name, 2 * half / LARGE)),
    );
}

fn draw_row(svg: &mut String, picture: &Picture, row: &Row, y: usize) {
    let _ = write!(
        svg,
        "<g><title>{}</title><text class=\"small\" x=\"16\" y=\"{}\">{}</text>",
        escaped(&row.whole),
        y + 20,
        picture.after(row),
    );
    match row.mark {
        Mark::Request { from, to } => arrow(svg, row, [from, to], y + 20, ""),
        Mark::Response { from, to } => arrow(svg, row, [from, to], y + 20, " reply"),
        Mark::Note(at) => note(svg, row, at, y + 4),
    }
    svg.push_str("</g>\n");
}

/// Draws an arrow, with its label above and its text below.
fn arrow(svg: &mut String, row: &Row, [from, to]: [usize; 2], y: usize, kind: &str) {
    let tone = row.tone.as_str();
    let arrow = Arrow {
        from: x_of(from) as f64,
        to: x_of(to) as f64,
        y: y as f64,
    };
    let _ = write!(
        svg,
        "<line class=\"arrow line-{tone}{kind}\" x1=\"{x}\" y1=\"{y}\" x2=\"{neck}\" y2=\"{y}\"/>\
         <path class=\"tip-{tone}\" d=\"{head}\"/>\
         <text class=\"mid over\" x=\"{middle}\" y=\"{label_y}\">{label}</text>\
         <text class=\"small mid over\" x=\"{middle}\" y=\"{words_y}\">{words}</text>",
        x = Px(arrow.from),
        neck = Px(arrow.neck()),
        head = arrow.head(),
        middle = Px(arrow.middle()),
        label_y = y - 6,
        label = escaped(&cut(&row.label, arrow.columns(LARGE as f64))),
        words_y = y + 14,
        words = escaped(&cut(&row.gist, arrow.columns(SMALL as f64))),
    );
}

fn note(svg: &mut String, row: &Row, at: usize, y: usize) {
    let x = x_of(at);
    let half = HALF_NOTE;
    let _ = write!(
        svg,
        "<rect class=\"note-{tone}\" x=\"{left}\" y=\"{y}\" width=\"{width}\" height=\"22\" rx=\"11\"/>\
         <text class=\"mid\" x=\"{x}\" y=\"{label_y}\">{label}</text>",
        tone = row.tone.as_str(),
        left = x - half,
        width = 2 * half,
        label_y = y + 15,
        label = escaped(&cut(&row.label, 2 * half / LARGE)),
    );
}

/// Escapes text for an element's content.
pub(super) fn escaped(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    netconf::xml::write::text(text, &mut out);
    String::from_utf8(out).expect("escaping leaves text text")
}
