//! The markdown of A2A-T prompts: sections of lines, lists, tables and code, read and written.
//!
//! ```text
//! ## Task Context            a section: what stands before the first one is an error
//! Site list: a, b            a line
//! 1. first                   an entry; deeper ones are indented
//!    - within it
//! | a | b |                  a table, the second row of dashes
//! ### Alternative 1          a heading within the section
//! ```code```                 code, on lines of its own
//! ```
//! Reading what was written gives the same again; whatever a text says, it is written so that it
//! stays that text: nobody's value opens a section. Reading takes one pass, and is bounded in bytes,
//! lines, sections, depth and columns. Refuses to know what sections mean. Read next:
//! [`labels`](super::labels), which finds fields in lines.

mod line;
mod write;

use line::Kind;
use schema::steps::{Effort, ReadingBudget};
use std::collections::BTreeSet;
use std::fmt;

/// The most that is read.
pub const BYTES_MAX: usize = 65_536;
/// Lines of a prompt.
pub const LINES_MAX: usize = 4_096;
/// Sections of a prompt.
pub const SECTIONS_MAX: usize = 64;
/// The depth that an entry of a list may have, from 0.
pub const DEPTH_MAX: usize = 8;
/// Columns of a table.
pub const COLUMNS_MAX: usize = 32;

/// The line where something stood, from 1; 0 if it was not read. All places are equal: where
/// something stands says nothing of what it is.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct LineNumber(pub u32);

impl PartialEq for LineNumber {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The front matter that older builds put before the first section, between lines of dashes:
    /// names and values.
    pub front: Vec<(String, String)>,
    /// The sections, in order; titles differ.
    pub sections: Vec<Section>,
}

/// The part under one `##`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The line of its title.
    pub line: LineNumber,
    /// Its title.
    pub title: String,
    /// Its content, in order.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The line at which it begins.
    pub line: LineNumber,
    /// Its kind and content.
    pub body: BlockBody,
}

/// The kind of a piece of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockBody {
    /// One line.
    Text(String),
    /// An entry of a list.
    Entry {
        /// The depth to which it is nested, from 0.
        depth: usize,
        /// Its number; none if it has a bullet.
        number: Option<u32>,
        /// Its text.
        text: String,
    },
    /// A heading within the section: `###` and deeper.
    Heading {
        /// 3 to 6.
        level: usize,
        /// Its text.
        text: String,
    },
    /// A table; each row has as many cells as the head.
    Table {
        /// The names of the columns.
        head: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// Lines that are taken as they stand.
    Code {
        /// The text behind the fence, such as `json`.
        info: String,
        /// The lines.
        text: String,
    },
}

/// The reason why a prompt is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}line {line}: {flaw}", within(.section))]
pub struct PromptError {
    /// The title of the section; none before the first.
    pub section: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// The fault there.
    pub flaw: PromptErrorKind,
}

fn within(section: &Option<String>) -> String {
    match section {
        Some(title) => format!("section '{title}', "),
        None => String::new(),
    }
}

/// The fault of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PromptErrorKind {
    /// It is too long.
    #[error("longer than {BYTES_MAX} bytes or {LINES_MAX} lines")]
    TooLong,
    /// It has too many sections.
    #[error("more than {SECTIONS_MAX} sections")]
    TooManySections,
    /// An entry is nested too deep.
    #[error("an entry nested deeper than {DEPTH_MAX}")]
    TooDeep,
    /// It has no section.
    #[error("no section: a line '## Title' is needed")]
    NoSection,
    /// Something stands before the first section.
    #[error("text before the first section")]
    OutsideSections,
    /// A title says nothing.
    #[error("a section without title")]
    NoTitle,
    /// A title stands twice.
    #[error("this title stands twice")]
    SecondTitle,
    /// A line of the front matter is not `name: value`, or it does not end.
    #[error("front matter is lines 'name: value' between two lines '---'")]
    FrontMatter,
    /// Code does not end.
    #[error("code that does not end")]
    OpenCode,
    /// A row has more or fewer cells than the head, or there are too many columns.
    #[error("a row of another width than the head, or wider than {COLUMNS_MAX}")]
    Ragged,
    /// A character that cannot be seen.
    #[error("a control character")]
    Control,
}

impl Prompt {
    /// Reads a prompt; line ends may be LF, CRLF or CR.
    ///
    /// # Errors
    /// [`PromptError`]: the first flaw, with its section and line.
    pub fn parse(text: &str) -> Result<Self, PromptError> {
        Self::read(text, &ReadingBudget::within(Effort::any()))
    }

    /// The same, its steps counted as part of some work: as many as the text is long, times a constant.
    pub(super) fn read(text: &str, work: &ReadingBudget<'_>) -> Result<Self, PromptError> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        Reader::new(&text, work)?.document()
    }

    /// The section with this title, whatever its case and spaces.
    pub fn section(&self, title: &str) -> Option<&Section> {
        self.sections.iter().find(|s| same_title(&s.title, title))
    }
}

impl fmt::Display for Prompt {
    /// The prompt as it is sent: sections with an empty line between them, no line end behind.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write::document(self))
    }
}

impl Section {
    /// A section with nothing in it yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// The same with one more piece.
    pub fn with(mut self, body: BlockBody) -> Self {
        self.blocks.push(Block {
            line: LineNumber::default(),
            body,
        });
        self
    }

    /// The same with one more line.
    pub fn saying(self, text: impl Into<String>) -> Self {
        self.with(BlockBody::Text(text.into()))
    }

    /// All that it says, one line for each piece, without marks; of a table each row, its cells by
    /// `: `.
    pub fn lines(&self) -> Vec<(LineNumber, String)> {
        let mut lines = Vec::new();
        for Block { line, body } in &self.blocks {
            match body {
                BlockBody::Text(text)
                | BlockBody::Entry { text, .. }
                | BlockBody::Heading { text, .. } => {
                    lines.push((*line, text.clone()));
                }
                BlockBody::Code { text, .. } => lines.push((*line, text.clone())),
                BlockBody::Table { rows, .. } => {
                    lines.extend(rows.iter().map(|cells| (*line, cells.join(": "))));
                }
            }
        }
        lines
    }

    /// The same as one text.
    pub fn text(&self) -> String {
        let lines: Vec<String> = self.lines().into_iter().map(|(_, text)| text).collect();
        lines.join("\n")
    }
}

/// Titles are the same whatever their case, spaces and what stands in parentheses behind: builds in
/// Chinese put the English title there.
pub fn same_title(one: &str, other: &str) -> bool {
    title_key(one) == title_key(other)
}

fn title_key(title: &str) -> String {
    let bare = title
        .split(['(', '（'])
        .next()
        .filter(|t| !t.trim().is_empty());
    let words = bare.unwrap_or(title).split_whitespace();
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
    document: Prompt,
    /// The keys by which the titles so far are known.
    titles: BTreeSet<String>,
    /// The indents of the entries that are open, outermost first.
    indents: Vec<usize>,
    work: &'a ReadingBudget<'a>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, work: &'a ReadingBudget<'a>) -> Result<Self, PromptError> {
        let fault = |line: usize, flaw| PromptError {
            section: None,
            line: line as u32,
            flaw,
        };
        if text.len() > BYTES_MAX {
            return Err(fault(1, PromptErrorKind::TooLong));
        }
        work.take(text.len());
        let lines: Vec<&str> = text.split('\n').collect();
        if lines.len() > LINES_MAX {
            return Err(fault(LINES_MAX + 1, PromptErrorKind::TooLong));
        }
        let control = |line: &str| line.chars().any(|c| c.is_control() && c != '\t');
        let first = lines.iter().position(|line| control(line));
        if let Some(place) = first {
            return Err(fault(place + 1, PromptErrorKind::Control));
        }
        Ok(Self {
            lines,
            at: 0,
            document: Prompt::default(),
            titles: BTreeSet::new(),
            indents: Vec::new(),
            work,
        })
    }

    fn document(mut self) -> Result<Prompt, PromptError> {
        self.front()?;
        while let Some(line) = self.next() {
            self.line(line)?;
        }
        match self.document.sections.is_empty() {
            true => Err(self.fault(PromptErrorKind::NoSection)),
            false => Ok(self.document),
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        let line = self.lines.get(self.at)?;
        self.at += 1;
        Some(line)
    }

    fn fault(&self, flaw: PromptErrorKind) -> PromptError {
        PromptError {
            section: self.document.sections.last().map(|s| s.title.clone()),
            line: self.at.max(1) as u32,
            flaw,
        }
    }

    fn front(&mut self) -> Result<(), PromptError> {
        if self.lines.first() != Some(&"---") {
            return Ok(());
        }
        self.at = 1;
        loop {
            match self.next() {
                Some("---") => return Ok(()),
                Some(line) if line.trim().is_empty() => {}
                Some(line) => match line.split_once(':') {
                    Some((name, value)) if !name.trim().is_empty() => {
                        let pair = (name.trim().to_owned(), value.trim().to_owned());
                        self.document.front.push(pair);
                    }
                    _ => return Err(self.fault(PromptErrorKind::FrontMatter)),
                },
                None => return Err(self.fault(PromptErrorKind::FrontMatter)),
            }
        }
    }

    fn line(&mut self, line: &'a str) -> Result<(), PromptError> {
        let kind = self.kind(line);
        if !matches!(kind, Kind::Entry { .. } | Kind::Blank) {
            self.indents.clear();
        }
        match kind {
            Kind::Blank => Ok(()),
            Kind::Title(title) => self.title(title),
            _ if self.document.sections.is_empty() => {
                Err(self.fault(PromptErrorKind::OutsideSections))
            }
            Kind::Entry {
                indent,
                number,
                text,
            } => {
                let depth = self.depth(indent)?;
                let text = text.to_owned();
                self.push(BlockBody::Entry {
                    depth,
                    number,
                    text,
                });
                Ok(())
            }
            Kind::Heading { level, text } => {
                let text = text.to_owned();
                self.push(BlockBody::Heading { level, text });
                Ok(())
            }
            Kind::Fence { ticks, info } => self.code(ticks, info),
            Kind::Row if self.is_head() => self.table(line),
            Kind::Row | Kind::Text => {
                self.push(BlockBody::Text(line::unescaped(line.trim()).to_owned()));
                Ok(())
            }
        }
    }

    fn kind(&self, line: &'a str) -> Kind<'a> {
        self.work.take(1 + line.len());
        line::kind(line)
    }

    fn push(&mut self, body: BlockBody) {
        let line = LineNumber(self.at as u32);
        let section = self.document.sections.last_mut();
        let section = section.expect("pieces outside of sections are refused before");
        section.blocks.push(Block { line, body });
    }

    fn title(&mut self, title: &str) -> Result<(), PromptError> {
        let flaw = if title.is_empty() {
            Some(PromptErrorKind::NoTitle)
        } else if self.document.sections.len() == SECTIONS_MAX {
            Some(PromptErrorKind::TooManySections)
        } else {
            let is_new = self.titles.insert(title_key(title));
            (!is_new).then_some(PromptErrorKind::SecondTitle)
        };
        if let Some(flaw) = flaw {
            return Err(self.fault(flaw));
        }
        self.document.sections.push(Section {
            line: LineNumber(self.at as u32),
            title: title.to_owned(),
            blocks: Vec::new(),
        });
        Ok(())
    }

    fn depth(&mut self, indent: usize) -> Result<usize, PromptError> {
        while self.indents.last().is_some_and(|open| *open >= indent) {
            self.indents.pop();
        }
        let depth = self.indents.len();
        if depth > DEPTH_MAX {
            return Err(self.fault(PromptErrorKind::TooDeep));
        }
        self.indents.push(indent);
        Ok(depth)
    }

    fn code(&mut self, ticks: usize, info: &str) -> Result<(), PromptError> {
        let begin = self.at;
        let rest = &self.lines[begin..];
        let closes = |line: &&str| {
            self.work.take(1 + line.len());
            line::closes(line, ticks)
        };
        let Some(length) = rest.iter().position(closes) else {
            return Err(self.fault(PromptErrorKind::OpenCode));
        };
        let (info, text) = (info.to_owned(), rest[..length].join("\n"));
        self.push(BlockBody::Code { info, text });
        self.at = begin + length + 1;
        Ok(())
    }

    /// True if the row just read is the head of a table: the next one is of dashes.
    fn is_head(&self) -> bool {
        self.lines.get(self.at).is_some_and(|line| {
            self.work.take(1 + line.len());
            line::is_rule(line)
        })
    }

    fn table(&mut self, head: &str) -> Result<(), PromptError> {
        let head = line::cells(head);
        let rule = self.lines[self.at];
        let begin = self.at;
        self.at += 1;
        if head.len() > COLUMNS_MAX || line::cells(rule).len() != head.len() {
            return Err(self.fault(PromptErrorKind::Ragged));
        }
        let mut rows = Vec::new();
        while let Some(row) = self
            .lines
            .get(self.at)
            .filter(|line| self.kind(line) == Kind::Row)
        {
            self.at += 1;
            let cells = line::cells(row);
            if cells.len() != head.len() {
                return Err(self.fault(PromptErrorKind::Ragged));
            }
            rows.push(cells);
        }
        let line = LineNumber(begin as u32);
        let section = self.document.sections.last_mut();
        let section = section.expect("tables outside of sections are refused before");
        let body = BlockBody::Table { head, rows };
        section.blocks.push(Block { line, body });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
