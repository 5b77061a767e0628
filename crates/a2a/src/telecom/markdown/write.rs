//! A prompt, written.
//!
//! Knows how to write a text so that it is read as that text; refuses to know what it says. What
//! stands on one line has no line ends: they are written as spaces.

use super::line::is_plain;
use super::{Block, BlockBody, Prompt, Section};
use std::fmt::Write;

pub(super) fn document(document: &Prompt) -> String {
    let mut text = String::with_capacity(1_024);
    front(&mut text, &document.front);
    for (place, section) in document.sections.iter().enumerate() {
        if place > 0 {
            text.push_str("\n\n");
        }
        write_section(&mut text, section);
    }
    text
}

fn front(text: &mut String, pairs: &[(String, String)]) {
    if pairs.is_empty() {
        return;
    }
    text.push_str("---\n");
    for (name, value) in pairs {
        let _ = writeln!(text, "{}: {}", one_line(name), one_line(value));
    }
    text.push_str("---\n\n");
}

fn write_section(text: &mut String, section: &Section) {
    let _ = write!(text, "## {}", one_line(&section.title));
    let mut after_table = false;
    for Block { body, .. } in &section.blocks {
        // Two tables in a row would be read as one.
        let is_table = matches!(body, BlockBody::Table { .. });
        text.push_str(if after_table && is_table {
            "\n\n"
        } else {
            "\n"
        });
        write_body(text, body);
        after_table = is_table;
    }
}

fn write_body(text: &mut String, body: &BlockBody) {
    let _ = match body {
        BlockBody::Text(line) => {
            let line = one_line(line);
            let mark = if is_plain(&line) { "" } else { "\\" };
            write!(text, "{mark}{line}")
        }
        BlockBody::Entry {
            depth,
            number,
            text: entry,
        } => {
            let (indent, entry) = (3 * depth, one_line(entry));
            match number {
                Some(number) => write!(text, "{:indent$}{number}. {entry}", ""),
                None => write!(text, "{:indent$}- {entry}", ""),
            }
        }
        BlockBody::Heading {
            level,
            text: heading,
        } => {
            write!(text, "{} {}", "#".repeat(*level), one_line(heading))
        }
        BlockBody::Table { head, rows } => {
            table(text, head, rows);
            Ok(())
        }
        BlockBody::Code { info, text: code } => {
            fenced(text, info, code);
            Ok(())
        }
    };
}

fn table(text: &mut String, head: &[String], rows: &[Vec<String>]) {
    row(text, head);
    text.push('\n');
    text.push_str(&"|---".repeat(head.len()));
    text.push('|');
    for cells in rows {
        text.push('\n');
        row(text, cells);
    }
}

fn row(text: &mut String, cells: &[String]) {
    text.push('|');
    for cell in cells {
        let cell = one_line(cell).replace('\\', "\\\\").replace('|', "\\|");
        let _ = write!(text, " {cell} |");
    }
}

/// A fence is longer than any run of backticks within.
fn fenced(text: &mut String, info: &str, code: &str) {
    let runs = code.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    let end = if code.is_empty() { "" } else { "\n" };
    let _ = write!(text, "{fence}{}\n{code}{end}{fence}", one_line(info));
}

fn one_line(text: &str) -> String {
    let text = text.replace(|c: char| c.is_control() && c != '\t', " ");
    text.trim().to_owned()
}
