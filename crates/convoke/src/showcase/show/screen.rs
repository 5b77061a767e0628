//! The layout of lines on a terminal: sender and receiver beside the text, or above it if the
//! terminal is narrow.
//!
//! Knows columns and colours; refuses to know the content. Read next: [`super`],
//! [`crate::showcase::replay`].

use crate::output::{Paint, columns, line};
use markup::words::{cut, width};

/// The columns without a terminal: lines of a file may be long.
const UNSAID: usize = 198;
/// The columns below which text is printed below sender and receiver.
const NARROW: usize = 110;
/// The columns of a name, if it fits.
const NAME: usize = 16;
/// The column at which text below begins.
const INDENT: usize = 12;
/// The least columns of text.
const LEAST: usize = 20;

/// The output device.
#[derive(Clone, Copy)]
pub(crate) struct Screen {
    paint: Paint,
    columns: usize,
}

impl Screen {
    /// The terminal, or a substitute of default width.
    pub(crate) fn new() -> Self {
        Self {
            paint: Paint::new(),
            columns: columns().unwrap_or(UNSAID),
        }
    }

    /// Prints a message from one to another.
    pub(crate) fn spoken(self, time: &str, style: &str, ends: [&str; 2], words: &str) {
        self.in_lines(time, style, Who::Both(ends), words)
            .iter()
            .for_each(|told| line(told));
    }

    /// Prints a line without receiver; the style applies to the text.
    pub(crate) fn alone(self, time: &str, who: &str, mark: &str, style: &str, words: &str) {
        self.in_lines(time, style, Who::One(who, mark), words)
            .iter()
            .for_each(|told| line(told));
    }

    fn in_lines(self, time: &str, style: &str, who: Who<'_>, words: &str) -> Vec<String> {
        let (shown, wide) = match self.columns >= NARROW {
            true => who.in_columns(self.paint, style),
            false => who.close(self.paint, style),
        };
        let painted = |words: String| match who {
            Who::Both(_) => words,
            Who::One(..) => self.paint.style(style, &words),
        };
        let before = width(time) + 2 + wide + 1;
        let head = format!("{}  {shown}", self.paint.style("2", time));
        let room = self.columns.saturating_sub(before).max(LEAST);
        if self.columns >= NARROW || width(words) <= room {
            return vec![
                format!("{head} {}", painted(cut(words, room)))
                    .trim_end()
                    .to_owned(),
            ];
        }
        let room = self.columns.saturating_sub(INDENT).max(LEAST);
        vec![head, format!("{:INDENT$}{}", "", painted(cut(words, room)))]
    }
}

/// The sender, with the receiver or a mark.
#[derive(Clone, Copy)]
enum Who<'a> {
    Both([&'a str; 2]),
    One(&'a str, &'a str),
}

impl Who<'_> {
    /// In fixed columns; returns also the columns used.
    fn in_columns(self, paint: Paint, style: &str) -> (String, usize) {
        let arrow = paint.style(style, "──▶");
        match self {
            Self::Both([from, to]) => (
                format!("{from:>NAME$} {arrow} {to:<NAME$}"),
                width(from).max(NAME) + 5 + width(to).max(NAME),
            ),
            Self::One(who, mark) => (format!("{who:>NAME$} {mark}"), width(who).max(NAME) + 2),
        }
    }

    /// Without padding; returns also the columns used.
    fn close(self, paint: Paint, style: &str) -> (String, usize) {
        let arrow = paint.style(style, "──▶");
        match self {
            Self::Both([from, to]) => (format!("{from} {arrow} {to}"), width(from) + 5 + width(to)),
            Self::One(who, mark) => (format!("{who} {mark}"), width(who) + 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn told(columns: usize, who: Who<'_>, words: &str) -> String {
        let paint = Paint::plain();
        let screen = Screen { paint, columns };
        screen.in_lines(" 0:09:05", "36", who, words).join("\n")
    }

    const ENDS: Who<'_> = Who::Both(["oss-fault", "ip-fault"]);
    const LONG: &str =
        "FeasibilityNegotiate  Diagnose link:Oldenburg-OL-005: is it a fibre-cut? 7 sites are out";

    #[test]
    fn names_stand_below_each_other_where_there_is_room() {
        assert_snapshot!(told(120, ENDS, LONG), @" 0:09:05         oss-fault ──▶ ip-fault         FeasibilityNegotiate Diagnose link:Oldenburg-OL-005: is it a fibre-cut?…");
        assert_snapshot!(told(120, ENDS, "accepted"), @" 0:09:05         oss-fault ──▶ ip-fault         accepted");
        assert_snapshot!(told(120, Who::One("network", "!"), "3 cleared"), @" 0:09:05           network ! 3 cleared");
    }

    #[test]
    fn words_stand_below_names_where_there_is_none() {
        assert_snapshot!(told(80, ENDS, LONG), @r"
         0:09:05  oss-fault ──▶ ip-fault
                    FeasibilityNegotiate Diagnose link:Oldenburg-OL-005: is it a fibre-…
        ");
        assert_snapshot!(told(80, ENDS, "accepted"), @" 0:09:05  oss-fault ──▶ ip-fault accepted");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for columns in [40, 80, 109, 110, 198] {
            for who in [ENDS, Who::One("oss-fault", "·")] {
                let lines = told(columns, who, LONG);
                assert!(
                    lines.lines().all(|told| width(told) <= columns),
                    "{columns}: {lines}"
                );
            }
        }
    }
}
