//! The parser from bytes to [`XmlDocument`]: quick-xml finds the tokens, this file holds the rules.
//!
//! Every rule that quick-xml does not check is checked here, and every bound is
//! tested before memory is spent. Cost is linear in the message: names in scope
//! and attributes of one element are bounded by [`Limits`].

use quick_xml::events::Event;
use quick_xml::reader::Reader;

use super::document::{
    AttributeRecord, DeclarationRecord, ElementRecord, PREDEFINED, Span, UNDECLARED, XmlDocument,
};
use super::lexical::{self, DeclarationFault};
use super::{Limits, XmlError};
use crate::names::namespace;

impl XmlDocument {
    /// Parses a whole message.
    ///
    /// # Errors
    /// [`XmlError::TooBig`] if a limit is passed, any other variant if the bytes
    /// are not acceptable XML.
    pub fn parse(message: impl Into<Vec<u8>>, limits: &Limits) -> Result<XmlDocument, XmlError> {
        let message = message.into();
        let allowed = limits.message_bytes.min(u32::MAX as usize / 4);
        if message.len() > allowed {
            return Err(XmlError::TooBig {
                what: "message size in bytes",
                limit: allowed,
            });
        }
        let mut source = String::from_utf8(message).map_err(|_| XmlError::Encoding)?;
        if source.starts_with('\u{FEFF}') {
            source.drain(..'\u{FEFF}'.len_utf8());
            // quick-xml would skip a second mark and shift every offset.
            if source.starts_with('\u{FEFF}') {
                return Err(XmlError::TextOutsideRoot);
            }
        }
        if let Some(offset) = lexical::forbidden_character(&source) {
            return Err(XmlError::Character { offset });
        }
        let parser = Parser::new(&source, limits);
        let (elements, attributes, declarations, decoded) = parser.run()?;
        let source_bytes = source.len();
        source.push_str(&decoded);
        Ok(XmlDocument {
            buffer: source,
            source_bytes,
            elements,
            attributes,
            declarations,
        })
    }
}

type Tables = (
    Vec<ElementRecord>,
    Vec<AttributeRecord>,
    Vec<DeclarationRecord>,
    String,
);

pub(super) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) limits: &'s Limits,
    elements: Vec<ElementRecord>,
    pub(super) attributes: Vec<AttributeRecord>,
    pub(super) declarations: Vec<DeclarationRecord>,
    /// The texts that differ from the source; in the end behind it in the buffer.
    pub(super) decoded: String,
    open: Vec<Open>,
}

/// An element whose end tag is still to come.
#[derive(Clone, Copy)]
pub(super) struct Open {
    element: u32,
    pub(super) scope: u32,
    pub(super) scope_size: usize,
    pub(super) default_namespace: u32,
    has_children: bool,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str, limits: &'s Limits) -> Self {
        let expected = (source.len() / 40).min(1024) + 2;
        Parser {
            source,
            limits,
            elements: Vec::with_capacity(expected),
            attributes: Vec::new(),
            declarations: Vec::with_capacity(4),
            decoded: String::new(),
            open: Vec::with_capacity(12),
        }
    }

    fn run(mut self) -> Result<Tables, XmlError> {
        let mut reader = Reader::from_str(self.source);
        let config = reader.config_mut();
        config.check_comments = true;
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        loop {
            let before = reader.buffer_position() as usize;
            let event = reader
                .read_event()
                .map_err(|_| self.syntax(before, "an unfinished or broken token"))?;
            let after = reader.buffer_position() as usize;
            match event {
                Event::Text(_) => self.text(before, after)?,
                Event::Start(_) => self.start_tag(before, after, false)?,
                Event::Empty(_) => self.start_tag(before, after, true)?,
                Event::End(_) => self.end_tag(before, after)?,
                Event::GeneralRef(_) => self.reference(before, after)?,
                Event::CData(_) => self.character_data(before, after)?,
                Event::Comment(_) => {}
                Event::Decl(_) => self.declaration(before, after)?,
                Event::PI(_) => return Err(XmlError::ProcessingInstruction),
                Event::DocType(_) => return Err(XmlError::DocumentType),
                Event::Eof => break,
            }
        }
        if let Some(open) = self.open.last() {
            return Err(self.mismatched(open.element));
        }
        if self.elements.is_empty() {
            return Err(XmlError::NoRoot);
        }
        Ok((
            self.elements,
            self.attributes,
            self.declarations,
            self.decoded,
        ))
    }

    pub(super) fn syntax(&self, offset: usize, what: &'static str) -> XmlError {
        XmlError::Syntax { offset, what }
    }

    fn mismatched(&self, element: u32) -> XmlError {
        let record = &self.elements[element as usize];
        XmlError::Mismatched {
            open: self.source[record.start as usize + 1..record.name.end as usize].to_owned(),
        }
    }

    fn declaration(&self, before: usize, after: usize) -> Result<(), XmlError> {
        if before != 0 {
            return Err(XmlError::ProcessingInstruction);
        }
        lexical::declaration(&self.source[2..after - 2]).map_err(|fault| match fault {
            DeclarationFault::Encoding => XmlError::Encoding,
            DeclarationFault::Syntax => self.syntax(before, "the XML declaration"),
        })
    }

    fn text(&mut self, before: usize, after: usize) -> Result<(), XmlError> {
        let run = &self.source[before..after];
        if self.open.is_empty() {
            return if lexical::is_blank(run) {
                Ok(())
            } else {
                Err(XmlError::TextOutsideRoot)
            };
        }
        // A bare `>` in text is rare, and only after `]]` is it wrong (XML 1.0 §2.4).
        if run.as_bytes().contains(&b'>') && run.contains("]]>") {
            return Err(self.syntax(before, "\"]]>\" in text"));
        }
        self.append(run, Some(before));
        Ok(())
    }

    fn reference(&mut self, before: usize, after: usize) -> Result<(), XmlError> {
        if self.open.is_empty() {
            return Err(XmlError::TextOutsideRoot);
        }
        let character = lexical::reference(&self.source[before + 1..after - 1])
            .ok_or(XmlError::Reference { offset: before })?;
        // Not through `append`: a referenced carriage return stays one.
        self.append_decoded(
            |decoded| decoded.push(character),
            !character.is_ascii_whitespace(),
        );
        Ok(())
    }

    fn character_data(&mut self, before: usize, after: usize) -> Result<(), XmlError> {
        if self.open.is_empty() {
            return Err(XmlError::TextOutsideRoot);
        }
        let from = before + "<![CDATA[".len();
        let content = &self.source[from..after - "]]>".len()];
        self.append(content, Some(from));
        Ok(())
    }

    /// Adds a run of characters to the element open last.
    fn append(&mut self, run: &str, offset: Option<usize>) {
        let open = *self.open.last().expect("callers have an open element");
        let record = &mut self.elements[open.element as usize];
        if open.has_children {
            record.mixed |= !lexical::is_blank(run);
            return;
        }
        if let Some(offset) = offset
            && record.text.is_empty()
            && !run.as_bytes().contains(&b'\r')
        {
            record.text = Span {
                start: offset as u32,
                end: (offset + run.len()) as u32,
            };
            return;
        }
        self.append_decoded(
            |decoded| normalise_line_ends(run, decoded),
            !lexical::is_blank(run),
        );
    }

    fn append_decoded(&mut self, push: impl FnOnce(&mut String), significant: bool) {
        let open = *self.open.last().expect("callers have an open element");
        let source_bytes = self.source.len();
        let record = &mut self.elements[open.element as usize];
        if open.has_children {
            record.mixed |= significant;
            return;
        }
        if record.text.is_empty() || (record.text.end as usize) <= source_bytes {
            let start = source_bytes + self.decoded.len();
            let earlier = &self.source[if record.text.is_empty() {
                0..0
            } else {
                record.text.start as usize..record.text.end as usize
            }];
            self.decoded.push_str(earlier);
            record.text.start = start as u32;
        }
        push(&mut self.decoded);
        record.text.end = (source_bytes + self.decoded.len()) as u32;
    }

    fn end_tag(&mut self, before: usize, after: usize) -> Result<(), XmlError> {
        let Some(open) = self.open.pop() else {
            return Err(XmlError::Mismatched {
                open: String::new(),
            });
        };
        let record = &self.elements[open.element as usize];
        let expected = &self.source[record.start as usize + 1..record.name.end as usize];
        let found = &self.source[before + 2..after - 1];
        let closes = found.strip_prefix(expected).is_some_and(lexical::is_blank);
        if !closes {
            return Err(self.mismatched(open.element));
        }
        let subtree_end = self.elements.len() as u32;
        let record = &mut self.elements[open.element as usize];
        record.end = after as u32;
        record.subtree_end = subtree_end;
        Ok(())
    }

    fn start_tag(&mut self, before: usize, after: usize, closed: bool) -> Result<(), XmlError> {
        let parent = self.enter_parent()?;
        let content = before + 1..after - 1 - usize::from(closed);
        let tag = &self.source[content.clone()];
        let name_bytes = tag.bytes().position(lexical::is_space).unwrap_or(tag.len());
        let first_declaration = self.declarations.len();
        let first_attribute = self.attributes.len();
        let (prefix, name) = self.qualified_name(content.start..content.start + name_bytes)?;
        let mut open = Open {
            element: self.elements.len() as u32,
            has_children: false,
            ..parent.unwrap_or(Open {
                element: 0,
                scope: UNDECLARED,
                scope_size: 0,
                default_namespace: UNDECLARED,
                has_children: false,
            })
        };
        if name_bytes < tag.len() {
            self.attributes_of(content.start + name_bytes..content.end, &mut open)?;
            self.resolve_attributes(first_attribute, &open)?;
        }
        let namespace = if prefix.is_empty() {
            open.default_namespace
        } else {
            self.resolve(prefix, &open)?
        };
        self.elements.push(ElementRecord {
            start: before as u32,
            tag_end: after as u32,
            end: after as u32,
            name,
            text: Span::default(),
            parent: parent.map_or(0, |parent| parent.element),
            subtree_end: open.element + 1,
            first_attribute: first_attribute as u32,
            attributes: (self.attributes.len() - first_attribute) as u16,
            own_declarations: (self.declarations.len() - first_declaration) as u16,
            namespace,
            scope: open.scope,
            mixed: false,
        });
        if !closed {
            self.open.push(open);
        }
        Ok(())
    }

    /// Notes on the parent that it has a child, and checks that one may follow here.
    fn enter_parent(&mut self) -> Result<Option<Open>, XmlError> {
        if self.open.len() >= self.limits.depth {
            return Err(too_big("nesting depth", self.limits.depth));
        }
        if self.elements.len() >= self.limits.elements {
            return Err(too_big("number of elements", self.limits.elements));
        }
        let Some(parent) = self.open.last_mut() else {
            return if self.elements.is_empty() {
                Ok(None)
            } else {
                Err(XmlError::SecondRoot)
            };
        };
        if !parent.has_children {
            parent.has_children = true;
            let record = &mut self.elements[parent.element as usize];
            let (start, end) = (record.text.start as usize, record.text.end as usize);
            let blank = if end <= self.source.len() {
                lexical::is_blank(&self.source[start..end])
            } else {
                lexical::is_blank(&self.decoded[start - self.source.len()..])
            };
            if blank {
                record.text = Span::default();
            } else {
                record.mixed = true;
            }
        }
        Ok(Some(*parent))
    }

    /// Splits a name at its colon and checks both parts.
    pub(super) fn qualified_name(
        &self,
        range: std::ops::Range<usize>,
    ) -> Result<(Span, Span), XmlError> {
        if range.len() > self.limits.name_bytes {
            return Err(too_big("length of a name in bytes", self.limits.name_bytes));
        }
        let qualified = &self.source[range.clone()];
        let (prefix_end, name_start) = match qualified.bytes().position(|byte| byte == b':') {
            Some(colon) => (range.start + colon, range.start + colon + 1),
            None => (range.start, range.start),
        };
        let prefixed = name_start > range.start;
        if (prefixed && !lexical::is_ncname(&self.source[range.start..prefix_end]))
            || !lexical::is_ncname(&self.source[name_start..range.end])
        {
            return Err(self.syntax(range.start, "not a name"));
        }
        let span = |start: usize, end: usize| Span {
            start: start as u32,
            end: end as u32,
        };
        Ok((span(range.start, prefix_end), span(name_start, range.end)))
    }

    pub(super) fn resolve(&self, prefix: Span, open: &Open) -> Result<u32, XmlError> {
        let name = self.slice(prefix);
        let mut next = open.scope;
        while next != UNDECLARED {
            let declaration = &self.declarations[next as usize - 1];
            if self.slice(declaration.prefix) == name {
                return Ok(next);
            }
            next = declaration.previous;
        }
        if name == "xml" {
            return Ok(PREDEFINED);
        }
        Err(XmlError::UnboundPrefix {
            prefix: name.to_owned(),
        })
    }

    pub(super) fn uri(&self, declaration: u32) -> &str {
        match declaration {
            UNDECLARED => "",
            PREDEFINED => namespace::XML,
            one_more => self.slice(self.declarations[one_more as usize - 1].uri),
        }
    }

    pub(super) fn slice(&self, span: Span) -> &str {
        let (start, end) = (span.start as usize, span.end as usize);
        match start.checked_sub(self.source.len()) {
            Some(from) if !span.is_empty() => &self.decoded[from..end - self.source.len()],
            _ => &self.source[start.min(self.source.len())..end.min(self.source.len())],
        }
    }
}

pub(super) fn too_big(what: &'static str, limit: usize) -> XmlError {
    XmlError::TooBig { what, limit }
}

/// Appends a run with its carriage returns, alone or before a line feed, as line feeds (XML 1.0
/// §2.11).
fn normalise_line_ends(run: &str, out: &mut String) {
    let mut pieces = run.split('\r');
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        if !piece.starts_with('\n') {
            out.push('\n');
        }
        out.push_str(piece);
    }
}
