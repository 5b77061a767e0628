//! XML as a tree, as far as the formats of backbones need it.
//!
//! Knows elements, attributes and text; refuses entities beyond XML's own five and excessive depth.
//! Read next: `import/graphml.rs`.

use super::ImportError;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::collections::BTreeMap;

/// The greatest depth of nesting; no format of a backbone needs more.
const DEPTH_MAX: usize = 24;

/// An element; namespace prefixes are dropped.
#[derive(Debug, Default)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) attributes: BTreeMap<String, String>,
    pub(super) text: String,
    pub(super) children: Vec<Tag>,
    line: usize,
}

impl Tag {
    pub(super) fn place(&self) -> String {
        format!("line {}", self.line)
    }

    pub(super) fn error(&self, reason: impl Into<String>) -> ImportError {
        ImportError::at(self.place(), reason)
    }

    /// The first child called `name`.
    pub(super) fn child(&self, name: &str) -> Option<&Tag> {
        self.children.iter().find(|child| child.name == name)
    }

    /// All children called `name`.
    pub(super) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Tag> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The text of the child called `name`; an error if there is none.
    pub(super) fn said(&self, name: &str) -> Result<&str, ImportError> {
        let child = self.child(name);
        child
            .map(|child| child.text.trim())
            .filter(|text| !text.is_empty())
            .ok_or_else(|| self.error(format!("<{}> has no <{name}>", self.name)))
    }

    /// The attribute called `name`; an error if there is none.
    pub(super) fn attribute(&self, name: &str) -> Result<&str, ImportError> {
        let value = self.attributes.get(name).map(String::as_str);
        value.ok_or_else(|| self.error(format!("<{}> has no attribute '{name}'", self.name)))
    }
}

/// The root element of `text`.
pub(super) fn parse(text: &str) -> Result<Tag, ImportError> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut lines = Lines::new(text);
    // Elements that are open, the root's parent first.
    let mut open = vec![Tag::default()];
    loop {
        let line = lines.of(reader.buffer_position() as usize);
        let place = || format!("line {line}");
        let event = reader
            .read_event()
            .map_err(|cause| ImportError::at(place(), cause.to_string()))?;
        match event {
            Event::Start(start) => {
                if open.len() > DEPTH_MAX {
                    let reason = format!("elements are nested deeper than {DEPTH_MAX}");
                    return Err(ImportError::at(place(), reason));
                }
                open.push(tag(&start, line)?);
            }
            Event::End(_) => close(&mut open),
            Event::Text(text) => add(&mut open, &text.xml10_content()),
            Event::CData(text) => add(&mut open, &text.xml10_content()),
            Event::GeneralRef(name) => {
                let text = referred(&name).ok_or_else(|| {
                    let reason = format!("'&{};' is no entity of XML", name.xml10_content());
                    ImportError::at(place(), reason)
                })?;
                add(&mut open, &text);
            }
            Event::Eof if open.len() > 1 => {
                let reason = format!("<{}> is not closed", open[open.len() - 1].name);
                return Err(ImportError::at(place(), reason));
            }
            Event::Eof => break,
            Event::Empty(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
        }
    }
    let root = open
        .pop()
        .and_then(|parent| parent.children.into_iter().next());
    root.ok_or_else(|| ImportError::at("line 1", "there is no element"))
}

/// The text that a character or entity reference stands for.
fn referred(name: &quick_xml::events::BytesRef<'_>) -> Option<String> {
    if let Ok(Some(character)) = name.resolve_char_ref() {
        return Some(character.to_string());
    }
    let entity = quick_xml::escape::resolve_predefined_entity(&name.xml10_content())?;
    Some(entity.to_owned())
}

fn tag(start: &BytesStart<'_>, line: usize) -> Result<Tag, ImportError> {
    let mut attributes = BTreeMap::new();
    for attribute in start.attributes() {
        let place = || format!("line {line}");
        let attribute = attribute.map_err(|e| ImportError::at(place(), e.to_string()))?;
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(|e| ImportError::at(place(), e.to_string()))?;
        attributes.insert(local(attribute.key.0), value.into_owned());
    }
    Ok(Tag {
        name: local(start.name().0),
        attributes,
        line,
        ..Tag::default()
    })
}

fn local(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_owned()
}

fn add(open: &mut [Tag], text: &str) {
    if let Some(tag) = open.last_mut() {
        tag.text.push_str(text);
    }
}

fn close(open: &mut Vec<Tag>) {
    if open.len() > 1
        && let (Some(tag), Some(parent)) = (open.pop(), open.last_mut())
    {
        parent.children.push(tag);
    }
}

/// Line numbers of positions, for increasing positions only.
struct Lines<'a> {
    text: &'a [u8],
    position: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text: text.as_bytes(),
            position: 0,
            line: 1,
        }
    }

    fn of(&mut self, position: usize) -> usize {
        let position = position.min(self.text.len());
        if position > self.position {
            let passed = &self.text[self.position..position];
            self.line += passed.iter().filter(|byte| **byte == b'\n').count();
            self.position = position;
        }
        self.line
    }
}
