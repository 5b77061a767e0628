//! The kinds of a prompt's lines.
//!
//! Knows marks; refuses to know what came before, which is [`super`]'s. What is told apart here is
//! what [`super::write`] takes care not to write by mistake.

/// The kind of a line by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// Nothing.
    Blank,
    /// `## Title`.
    Title(&'a str),
    /// `### Heading`.
    Heading { level: usize, text: &'a str },
    /// `- text` or `1. text`.
    Entry {
        indent: usize,
        number: Option<u32>,
        text: &'a str,
    },
    /// Three backticks or more.
    Fence { ticks: usize, info: &'a str },
    /// `| a | b |`: a row, if it is in a table.
    Row,
    /// Anything else.
    Text,
}

/// A number of an entry has so many digits at most: `2026. …` begins with a year.
const DIGITS_MAX: usize = 3;

pub(super) fn kind(line: &str) -> Kind<'_> {
    let text = line.trim();
    if text.is_empty() {
        return Kind::Blank;
    }
    title(line)
        .or_else(|| heading(line))
        .or_else(|| fence(text))
        .or_else(|| entry(line))
        .unwrap_or(match is_row(text) {
            true => Kind::Row,
            false => Kind::Text,
        })
}

/// Titles and headings stand at the margin.
fn title(line: &str) -> Option<Kind<'_>> {
    let rest = line.strip_prefix("##")?;
    let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
    ends.then(|| Kind::Title(rest.trim()))
}

fn heading(line: &str) -> Option<Kind<'_>> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let text = line[level..].strip_prefix(' ')?.trim();
    let is_one = (3..=6).contains(&level) && !text.is_empty();
    is_one.then_some(Kind::Heading { level, text })
}

fn fence(text: &str) -> Option<Kind<'_>> {
    let ticks = text.bytes().take_while(|b| *b == b'`').count();
    let info = text[ticks..].trim();
    let is_one = ticks >= 3 && !info.contains('`');
    is_one.then_some(Kind::Fence { ticks, info })
}

/// True if the line ends code that so many backticks began.
pub(super) fn closes(line: &str, ticks: usize) -> bool {
    let text = line.trim();
    text.len() >= ticks && text.bytes().all(|b| b == b'`')
}

fn entry(line: &str) -> Option<Kind<'_>> {
    let rest = line.trim_start();
    let indent = indent(&line[..line.len() - rest.len()]);
    let (number, text) = bullet(rest).or_else(|| numbered(rest))?;
    let text = text.trim();
    let entry = Kind::Entry {
        indent,
        number,
        text,
    };
    (!text.is_empty()).then_some(entry)
}

/// Columns, a tab being four.
fn indent(blank: &str) -> usize {
    blank.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

fn bullet(rest: &str) -> Option<(Option<u32>, &str)> {
    let text = rest.strip_prefix(['-', '*', '+'])?;
    text.starts_with(' ').then_some((None, text))
}

fn numbered(rest: &str) -> Option<(Option<u32>, &str)> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > DIGITS_MAX {
        return None;
    }
    let number = rest[..digits].parse().ok()?;
    let (mark, text) = rest[digits..]
        .split_at_checked(1)
        .filter(|(m, _)| *m == ".")
        .or_else(|| {
            let text = rest[digits..].strip_prefix('、')?;
            Some(("、", text))
        })?;
    let ends = mark == "、" || text.starts_with(' ');
    ends.then_some((Some(number), text))
}

fn is_row(text: &str) -> bool {
    text.len() >= 2 && text.starts_with('|') && text.ends_with('|')
}

/// True for the row of dashes below the head of a table.
pub(super) fn is_rule(line: &str) -> bool {
    let dashes = |cell: &String| {
        let inner = cell.trim_matches(':');
        inner.len() >= 3 && inner.bytes().all(|b| b == b'-')
    };
    is_row(line.trim()) && cells(line).iter().all(dashes)
}

/// The cells of a row, their escapes undone.
pub(super) fn cells(line: &str) -> Vec<String> {
    let text = line.trim();
    let inner = text.strip_prefix('|').unwrap_or(text);
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => cell.extend(chars.next()),
            '|' => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            c => cell.push(c),
        }
    }
    if !cell.trim().is_empty() {
        cells.push(cell.trim().to_owned());
    }
    cells
}

/// A line of text without the backslash that says that it is one.
pub(super) fn unescaped(text: &str) -> &str {
    text.strip_prefix('\\').unwrap_or(text)
}

/// True if the line is read as itself and as text.
pub(super) fn is_plain(text: &str) -> bool {
    kind(text) == Kind::Text && !text.starts_with('\\')
}
