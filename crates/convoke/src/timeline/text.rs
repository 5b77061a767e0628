//! The picture as text: a column for each lifeline, a line for each row.
//!
//! Read next: [`super::svg`].

use super::{Mark, Picture, Row, Tone};
use crate::output::Paint;
use markup::words::{cut, left as padded, width};

/// The width of the column of times, in characters.
const TIME: usize = 14;
/// The least distance between two lifelines: enough for every name and most labels.
const LEAST_GAP: usize = 24;
const MOST_GAP: usize = 64;
/// The width for text to the right of the last lifeline.
const WORDS: usize = 72;

/// Draws a picture as text, with the colours of `paint`.
pub(crate) fn draw(picture: &Picture, paint: Paint) -> String {
    let gap = gap(picture);
    let mut lines = vec![
        paint.style("1", &cut(&picture.title, TIME + WORDS)),
        format!("begins {}", picture.begins()),
        String::new(),
    ];
    let names = picture.lifelines.iter();
    let names: String = names.map(|n| padded(&cut(n, gap - 1), gap)).collect();
    lines.push(format!("{}{}", " ".repeat(TIME), names.trim_end()));
    for row in &picture.rows {
        let time = padded(&picture.after(row), TIME);
        let drawn = drawn(row, picture.lifelines.len(), gap);
        let words = cut(&row.gist, WORDS);
        let style = match row.tone {
            Tone::Plain => None,
            Tone::Good => Some("32"),
            Tone::Bad => Some("31"),
            Tone::Waiting => Some("33"),
        };
        let drawn = match style {
            Some(style) => paint.style(style, &drawn),
            None => drawn,
        };
        lines.push(format!("{time}{drawn}{words}").trim_end().to_owned());
    }
    lines.join("\n") + "\n"
}

/// The distance between lifelines: room for the longest name, and for labels up to a limit.
fn gap(picture: &Picture) -> usize {
    let names = picture.lifelines.iter().map(|l| width(l) + 2);
    let labels = picture.rows.iter().map(|r| width(&r.label) + 7);
    let widest = names.chain(labels).max().unwrap_or(0);
    widest.clamp(LEAST_GAP, MOST_GAP)
}

/// The lifelines with one row drawn over them.
fn drawn(row: &Row, lifelines: usize, gap: usize) -> String {
    let (left, middle, right) = match row.mark {
        Mark::Request { from, to } => arrow(row, from, to, gap, '─'),
        Mark::Response { from, to } => arrow(row, from, to, gap, '╌'),
        Mark::Note(at) => {
            let note = format!("● {}", cut(&row.label, gap - 3));
            (at, padded(&note, gap), at + 1)
        }
    };
    let bars = |from: usize, to: usize| padded("│", gap).repeat(to.saturating_sub(from));
    format!("{}{middle}{}", bars(0, left), bars(right, lifelines))
}

/// The arrow between two lifelines, with its columns: it begins on one lifeline and ends on the
/// other.
fn arrow(row: &Row, from: usize, to: usize, gap: usize, line: char) -> (usize, String, usize) {
    let (left, right) = (from.min(to), from.max(to));
    let inside = (right - left) * gap - 1;
    let label = format!(" {} ", cut(&row.label, inside - 6));
    let dashes = inside - 1 - width(&label);
    let run = |count: usize| line.to_string().repeat(count);
    let body = format!("{}{label}{}", run(2), run(dashes - 2));
    let middle = match from < to {
        true => format!("├{body}▶│"),
        false => format!("│◀{body}┤"),
    };
    (left, padded(&middle, (right - left + 1) * gap), right + 1)
}
