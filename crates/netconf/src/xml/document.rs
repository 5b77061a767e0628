//! The tree of one message: a flat table over the message's own buffer.
//!
//! Elements stand in document order; each knows where its subtree ends, so no
//! node owns another and a tree of any size is freed at once. Strings are
//! ranges of the buffer; only what held references, CDATA or carriage returns
//! is decoded, behind the source in the same buffer. Built by `parse` alone.

use super::{lexical, write};
use crate::names::namespace;
use std::ops::Range;

/// A range of [`XmlDocument::buffer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// One more than the index of a declaration; these two are no index.
pub(super) const UNDECLARED: u32 = 0;
pub(super) const PREDEFINED: u32 = u32::MAX;

#[derive(Debug, Clone)]
pub(super) struct ElementRecord {
    /// Offset of `<`.
    pub(super) start: u32,
    /// Offset after the `>` of the start tag.
    pub(super) tag_end: u32,
    /// Offset after the `>` of the end tag.
    pub(super) end: u32,
    /// The local name.
    pub(super) name: Span,
    pub(super) text: Span,
    pub(super) parent: u32,
    /// Index after the last descendant.
    pub(super) subtree_end: u32,
    pub(super) first_attribute: u32,
    pub(super) attributes: u16,
    pub(super) own_declarations: u16,
    pub(super) namespace: u32,
    /// The declaration made last, of those in scope.
    pub(super) scope: u32,
    pub(super) mixed: bool,
}

#[derive(Debug, Clone)]
pub(super) struct AttributeRecord {
    pub(super) prefix: Span,
    pub(super) name: Span,
    pub(super) value: Span,
    pub(super) namespace: u32,
}

#[derive(Debug, Clone)]
pub(super) struct DeclarationRecord {
    pub(super) prefix: Span,
    pub(super) uri: Span,
    /// The declaration made before, of those in scope.
    pub(super) previous: u32,
}

/// A parsed message that owns its bytes.
#[derive(Debug, Clone)]
pub struct XmlDocument {
    pub(super) buffer: String,
    pub(super) source_bytes: usize,
    pub(super) elements: Vec<ElementRecord>,
    pub(super) attributes: Vec<AttributeRecord>,
    pub(super) declarations: Vec<DeclarationRecord>,
}

impl XmlDocument {
    /// The root element.
    pub fn root(&self) -> XmlElement<'_> {
        XmlElement {
            document: self,
            index: 0,
        }
    }

    /// The document as it arrived, without a byte order mark.
    pub fn source(&self) -> &str {
        &self.buffer[..self.source_bytes]
    }

    /// The memory that it takes, in bytes.
    pub fn held_bytes(&self) -> usize {
        self.buffer.capacity()
            + self.elements.capacity() * size_of::<ElementRecord>()
            + self.attributes.capacity() * size_of::<AttributeRecord>()
            + self.declarations.capacity() * size_of::<DeclarationRecord>()
    }

    /// The number of elements.
    pub fn element_count(&self) -> usize {
        self.elements.len()
    }

    /// The element at a place in document order.
    pub(crate) fn at(&self, index: u32) -> XmlElement<'_> {
        XmlElement {
            document: self,
            index,
        }
    }

    fn slice(&self, span: Span) -> &str {
        &self.buffer[span.start as usize..span.end as usize]
    }

    fn uri(&self, declaration: u32) -> &str {
        match declaration {
            UNDECLARED => "",
            PREDEFINED => namespace::XML,
            one_more => self.slice(self.declarations[one_more as usize - 1].uri),
        }
    }
}

/// One element of a [`XmlDocument`]; cheap to copy.
#[derive(Clone, Copy)]
pub struct XmlElement<'a> {
    document: &'a XmlDocument,
    index: u32,
}

/// One attribute that is no namespace declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Its namespace; empty for an attribute without prefix.
    pub namespace: &'a str,
    /// Its prefix; may be empty.
    pub prefix: &'a str,
    /// Its local name.
    pub name: &'a str,
    /// Its value, references resolved.
    pub value: &'a str,
}

impl<'a> XmlElement<'a> {
    fn record(self) -> &'a ElementRecord {
        &self.document.elements[self.index as usize]
    }

    /// Its place in document order; the root's is 0.
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// The place behind its last descendant.
    pub(crate) fn subtree_end(self) -> u32 {
        self.record().subtree_end
    }

    /// The start tag as it arrived.
    pub(crate) fn start_tag(self) -> &'a str {
        let record = self.record();
        &self.document.buffer[record.start as usize..record.tag_end as usize]
    }

    /// The document it is part of.
    pub fn document(self) -> &'a XmlDocument {
        self.document
    }

    /// The namespace; empty if the element is in none.
    pub fn namespace(self) -> &'a str {
        self.document.uri(self.record().namespace)
    }

    /// The local name.
    pub fn name(self) -> &'a str {
        self.document.slice(self.record().name)
    }

    /// The prefix as written; may be empty.
    pub fn prefix(self) -> &'a str {
        let record = self.record();
        let from = record.start as usize + 1;
        let to = record.name.start as usize;
        &self.document.buffer[from..to.saturating_sub(1).max(from)]
    }

    /// True if it has this expanded name.
    pub fn is(self, namespace: &str, name: &str) -> bool {
        self.name() == name && self.namespace() == namespace
    }

    /// Its own text, references and CDATA resolved; empty for an element whose
    /// text beside children is only white space. With mixed content
    /// ([`has_mixed_content`](Self::has_mixed_content)) the text before the first child.
    pub fn text(self) -> &'a str {
        self.document.slice(self.record().text)
    }

    /// [`text`](Self::text) without white space at both ends.
    pub fn trimmed_text(self) -> &'a str {
        self.text().trim_matches([' ', '\t', '\r', '\n'])
    }

    /// True if text other than white space stands beside child elements.
    pub fn has_mixed_content(self) -> bool {
        self.record().mixed
    }

    /// The element that contains it.
    pub fn parent(self) -> Option<XmlElement<'a>> {
        (self.index != 0).then(|| XmlElement {
            index: self.record().parent,
            ..self
        })
    }

    /// Child elements in order.
    pub fn children(self) -> Children<'a> {
        Children {
            document: self.document,
            next: self.index + 1,
            end: self.record().subtree_end,
        }
    }

    /// The first child of this expanded name.
    pub fn child(self, namespace: &str, name: &str) -> Option<XmlElement<'a>> {
        self.children().find(|child| child.is(namespace, name))
    }

    /// True if it has child elements.
    pub fn has_children(self) -> bool {
        self.record().subtree_end > self.index + 1
    }

    /// Attributes in order, without namespace declarations.
    pub fn attributes(self) -> impl ExactSizeIterator<Item = Attribute<'a>> + 'a {
        let record = self.record();
        let from = record.first_attribute as usize;
        let document = self.document;
        document.attributes[from..from + usize::from(record.attributes)]
            .iter()
            .map(move |attribute| Attribute {
                namespace: document.uri(attribute.namespace),
                prefix: document.slice(attribute.prefix),
                name: document.slice(attribute.name),
                value: document.slice(attribute.value),
            })
    }

    /// The value of an attribute; `namespace` is empty for one without prefix.
    pub fn attribute(self, namespace: &str, name: &str) -> Option<&'a str> {
        self.attributes()
            .find(|attribute| attribute.name == name && attribute.namespace == namespace)
            .map(|attribute| attribute.value)
    }

    /// The declarations made on this element: (prefix or empty, namespace or empty).
    pub fn declarations(self) -> impl ExactSizeIterator<Item = (&'a str, &'a str)> + 'a {
        let record = self.record();
        let to = record.scope as usize;
        let document = self.document;
        document.declarations[to - usize::from(record.own_declarations)..to]
            .iter()
            .map(move |one| (document.slice(one.prefix), document.slice(one.uri)))
    }

    /// Every prefix in scope with its namespace; the empty prefix is the
    /// default namespace, if there is one. Innermost declarations first.
    pub fn prefixes(self) -> Vec<(&'a str, &'a str)> {
        let mut bound: Vec<(&str, &str)> = Vec::new();
        let mut next = self.record().scope;
        while next != UNDECLARED {
            let declaration = &self.document.declarations[next as usize - 1];
            let prefix = self.document.slice(declaration.prefix);
            if !bound.iter().any(|&(known, _)| known == prefix) {
                bound.push((prefix, self.document.slice(declaration.uri)));
            }
            next = declaration.previous;
        }
        bound.retain(|&(_, uri)| !uri.is_empty());
        bound
    }

    /// The namespace bound to `prefix` here; the empty prefix asks for the default one.
    pub fn namespace_of_prefix(self, prefix: &str) -> Option<&'a str> {
        if prefix == "xml" {
            return Some(namespace::XML);
        }
        let mut next = self.record().scope;
        while next != UNDECLARED {
            let declaration = &self.document.declarations[next as usize - 1];
            if self.document.slice(declaration.prefix) == prefix {
                let uri = self.document.slice(declaration.uri);
                return (!uri.is_empty()).then_some(uri);
            }
            next = declaration.previous;
        }
        None
    }

    /// The element as it arrived, from `<` to `>`; declarations of its ancestors
    /// are not part of it, see [`standalone`](Self::standalone).
    pub fn verbatim(self) -> &'a str {
        let record = self.record();
        &self.document.buffer[record.start as usize..record.end as usize]
    }

    /// The inside of the start tag after the name: attributes and declarations as
    /// they arrived, with the white space before them.
    pub fn verbatim_attributes(self) -> &'a str {
        let record = self.record();
        let tag = &self.document.buffer[record.name.end as usize..record.tag_end as usize - 1];
        tag.strip_suffix('/').unwrap_or(tag)
    }

    /// Appends the element as a document of its own: verbatim but for comments, and with every
    /// declaration in scope that it does not make itself, so that prefixes in values and paths keep
    /// their meaning too.
    ///
    /// A reader that ends a value where a comment begins reads what [`text`](Self::text) does.
    pub fn write_standalone(self, out: &mut Vec<u8>) {
        self.write_hollow(|_| false, out);
    }

    /// The same without the content of the children for which `is_hollow` is true.
    pub fn write_hollow(self, is_hollow: impl Fn(XmlElement<'a>) -> bool, out: &mut Vec<u8>) {
        let record = self.record();
        let buffer = &self.document.buffer;
        let name = &buffer[record.start as usize..record.name.end as usize];
        out.extend_from_slice(name.as_bytes());
        for (prefix, uri) in self.prefixes() {
            if self.declarations().any(|(own, _)| own == prefix) {
                continue;
            }
            declare(prefix, uri, out);
        }
        let mut from = record.name.end as usize;
        for child in self.children().filter(|child| is_hollow(*child)) {
            let inside = child.inside();
            lexical::copy_without_comments(&buffer[from..inside.start], out);
            from = inside.end;
        }
        lexical::copy_without_comments(&buffer[from..record.end as usize], out);
    }

    /// Appends the element as a document of its own under another local name, without its attributes,
    /// and of its children those for which `is_kept` is true. What is in scope is declared once: it
    /// takes as long as the element is, however many children it has.
    pub fn write_renamed(
        self,
        local: &str,
        is_kept: impl Fn(&XmlElement<'a>) -> bool,
        out: &mut Vec<u8>,
    ) {
        let buffer = &self.document.buffer;
        let record = self.record();
        let name = &buffer[record.start as usize + 1..record.name.end as usize];
        let name = match name.split_once(':') {
            Some((prefix, _)) => format!("{prefix}:{local}"),
            None => local.to_owned(),
        };
        out.push(b'<');
        out.extend_from_slice(name.as_bytes());
        for (prefix, uri) in self.prefixes() {
            declare(prefix, uri, out);
        }
        out.push(b'>');
        for child in self.children().filter(is_kept) {
            let record = child.record();
            let own = record.start as usize..record.end as usize;
            lexical::copy_without_comments(&buffer[own], out);
        }
        out.extend_from_slice(b"</");
        out.extend_from_slice(name.as_bytes());
        out.push(b'>');
    }

    /// The range of its content in the document: between its tags.
    fn inside(self) -> Range<usize> {
        let record = self.record();
        let begins = record.tag_end as usize;
        let rest = &self.document.buffer[begins..record.end as usize];
        begins..begins + rest.rfind("</").unwrap_or(0)
    }

    /// [`write_standalone`](Self::write_standalone) into a new string.
    pub fn standalone(self) -> String {
        let mut out = Vec::with_capacity(self.verbatim().len() + 96);
        self.write_standalone(&mut out);
        String::from_utf8(out).expect("made of slices of a str")
    }

    /// True if it has neither children nor text other than white space.
    pub fn is_empty(self) -> bool {
        !self.has_children() && lexical::is_blank(self.text())
    }
}

impl std::fmt::Debug for XmlElement<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.verbatim())
    }
}

/// Iterator over child elements.
#[derive(Debug, Clone)]
pub struct Children<'a> {
    document: &'a XmlDocument,
    next: u32,
    end: u32,
}

impl<'a> Iterator for Children<'a> {
    type Item = XmlElement<'a>;

    fn next(&mut self) -> Option<XmlElement<'a>> {
        if self.next >= self.end {
            return None;
        }
        let index = self.next;
        self.next = self.document.elements[index as usize].subtree_end;
        Some(XmlElement {
            document: self.document,
            index,
        })
    }
}

/// Appends a declaration.
fn declare(prefix: &str, uri: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b" xmlns");
    if !prefix.is_empty() {
        out.push(b':');
        out.extend_from_slice(prefix.as_bytes());
    }
    out.extend_from_slice(b"=\"");
    write::attribute_value(uri, out);
    out.push(b'"');
}
