//! Start tags from their name on: attributes, their values, and the namespace
//! declarations among them. The rest of the parser is in `parse`.

use super::document::{AttributeRecord, DeclarationRecord, Span, UNDECLARED};
use super::parse::{Open, Parser, too_big};
use super::{XmlError, lexical};
use crate::names::namespace;

/// The most declarations in scope, as a multiple of those allowed on one element.
const SCOPE_FACTOR: usize = 4;

impl Parser<'_> {
    /// Reads the attributes behind the name in a start tag (XML 1.0 §3.1).
    pub(super) fn attributes_of(
        &mut self,
        range: std::ops::Range<usize>,
        open: &mut Open,
    ) -> Result<(), XmlError> {
        let source = self.source.as_bytes();
        let skip_space = |mut at: usize| {
            while at < range.end && lexical::is_space(source[at]) {
                at += 1;
            }
            at
        };
        let (mut attributes, mut namespaces) = (0, 0);
        let mut at = range.start;
        loop {
            let start = skip_space(at);
            if start == range.end {
                return Ok(());
            }
            if start == at {
                return Err(self.syntax(at, "no white space before an attribute"));
            }
            let mut name_end = start;
            while name_end < range.end
                && source[name_end] != b'='
                && !lexical::is_space(source[name_end])
            {
                name_end += 1;
            }
            let equals = skip_space(name_end);
            if source.get(equals) != Some(&b'=') || equals >= range.end {
                return Err(self.syntax(start, "an attribute without value"));
            }
            let quote_at = skip_space(equals + 1);
            let quote = source[quote_at];
            if quote_at >= range.end || !matches!(quote, b'"' | b'\'') {
                return Err(self.syntax(start, "an attribute value without quotes"));
            }
            let value_end = source[quote_at + 1..range.end]
                .iter()
                .position(|&byte| byte == quote)
                .map(|length| quote_at + 1 + length)
                .ok_or_else(|| self.syntax(quote_at, "an attribute value without end"))?;
            let (prefix, name) = self.qualified_name(start..name_end)?;
            let value = self.attribute_value(quote_at + 1..value_end)?;
            let is_default = prefix.is_empty() && &self.source[start..name_end] == "xmlns";
            if is_default || self.slice(prefix) == "xmlns" {
                namespaces += 1;
                if namespaces > self.limits.namespaces {
                    let limit = self.limits.namespaces;
                    return Err(too_big("namespace declarations of one element", limit));
                }
                let declared = if is_default { prefix } else { name };
                self.declare(declared, value, namespaces - 1, open)?;
            } else {
                attributes += 1;
                if attributes > self.limits.attributes {
                    let limit = self.limits.attributes;
                    return Err(too_big("attributes of one element", limit));
                }
                self.attributes.push(AttributeRecord {
                    prefix,
                    name,
                    value,
                    namespace: UNDECLARED,
                });
            }
            at = value_end + 1;
        }
    }

    /// Resolves references and normalises white space (XML 1.0 §3.3.3).
    fn attribute_value(&mut self, range: std::ops::Range<usize>) -> Result<Span, XmlError> {
        let raw = &self.source[range.clone()];
        let plain = !raw
            .bytes()
            .any(|byte| matches!(byte, b'&' | b'<' | b'\t' | b'\n' | b'\r'));
        if plain {
            return Ok(Span {
                start: range.start as u32,
                end: range.end as u32,
            });
        }
        let start = self.source.len() + self.decoded.len();
        let mut rest = raw;
        while let Some(at) = rest.find(['&', '<', '\t', '\n', '\r']) {
            self.decoded.push_str(&rest[..at]);
            let offset = range.end - rest.len() + at;
            let taken = match rest.as_bytes()[at] {
                b'<' => return Err(self.syntax(offset, "\"<\" in an attribute value")),
                b'&' => {
                    let name = rest[at + 1..].split_once(';').map(|(name, _)| name);
                    let (name, character) = name
                        .and_then(|name| Some((name, lexical::reference(name)?)))
                        .ok_or(XmlError::Reference { offset })?;
                    self.decoded.push(character);
                    name.len() + 2
                }
                _ => {
                    self.decoded.push(' ');
                    if rest[at..].starts_with("\r\n") { 2 } else { 1 }
                }
            };
            rest = &rest[at + taken..];
        }
        self.decoded.push_str(rest);
        Ok(Span {
            start: start as u32,
            end: (self.source.len() + self.decoded.len()) as u32,
        })
    }

    /// Brings a namespace declaration into scope (Namespaces in XML §3, §5).
    fn declare(
        &mut self,
        prefix: Span,
        uri: Span,
        earlier: usize,
        open: &mut Open,
    ) -> Result<(), XmlError> {
        let scope_limit = self.limits.namespaces.saturating_mul(SCOPE_FACTOR);
        if open.scope_size >= scope_limit {
            return Err(too_big("namespace declarations in scope", scope_limit));
        }
        let name = self.slice(prefix);
        let duplicate = self.declarations[self.declarations.len() - earlier..]
            .iter()
            .any(|declaration| self.slice(declaration.prefix) == name);
        if duplicate {
            return Err(XmlError::DuplicateAttribute {
                name: format!("xmlns:{name}"),
            });
        }
        let value = self.slice(uri);
        let reserved = match name {
            "xmlns" => true,
            "xml" => value != namespace::XML,
            _ => value == namespace::XML || value == namespace::XMLNS,
        };
        if reserved || (value.is_empty() && !name.is_empty()) {
            return Err(self.syntax(
                prefix.start as usize,
                "a namespace declaration that is not allowed",
            ));
        }
        let undeclares = value.is_empty();
        let is_default = name.is_empty();
        self.declarations.push(DeclarationRecord {
            prefix,
            uri,
            previous: open.scope,
        });
        open.scope = self.declarations.len() as u32;
        open.scope_size += 1;
        if is_default {
            open.default_namespace = if undeclares { UNDECLARED } else { open.scope };
        }
        Ok(())
    }

    /// Binds attribute prefixes and rejects two attributes of one expanded name.
    pub(super) fn resolve_attributes(&mut self, first: usize, open: &Open) -> Result<(), XmlError> {
        for index in first..self.attributes.len() {
            let prefix = self.attributes[index].prefix;
            if !prefix.is_empty() {
                self.attributes[index].namespace = self.resolve(prefix, open)?;
            }
            let one = &self.attributes[index];
            let duplicate = self.attributes[first..index].iter().any(|other| {
                self.slice(other.name) == self.slice(one.name)
                    && self.uri(other.namespace) == self.uri(one.namespace)
            });
            if duplicate {
                return Err(XmlError::DuplicateAttribute {
                    name: self.slice(one.name).to_owned(),
                });
            }
        }
        Ok(())
    }
}
