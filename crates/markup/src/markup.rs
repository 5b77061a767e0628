//! An XML writer that always escapes.
//!
//! Every element is written through [`Markup`], which escapes attributes and text; nothing else adds
//! to a page but [`Markup::raw`], which takes constants, and [`Markup::well_formed`]. Pages are well-formed
//! XML below their doctype. Read next: [`crate::page`].

use crate::words::deceives;
use std::fmt::{Display, Write};

/// An XML document under construction.
#[derive(Clone, Debug, Default)]
pub struct Markup {
    out: String,
    open: Vec<&'static str>,
}

/// The attributes of an element: static names, arbitrary values.
pub type Attributes<'a> = &'a [(&'static str, &'a dyn Display)];

impl Markup {
    /// An empty document.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens an element; [`Self::close`] ends it.
    pub fn open(&mut self, name: &'static str, attributes: Attributes<'_>) -> &mut Self {
        self.tag(name, attributes);
        self.out.push('>');
        self.open.push(name);
        self
    }

    /// Ends the element that was opened last.
    pub fn close(&mut self) -> &mut Self {
        let name = self.open.pop().expect("each close has its open");
        let _ = writeln!(self.out, "</{name}>");
        self
    }

    /// Writes an element without content.
    pub fn empty(&mut self, name: &'static str, attributes: Attributes<'_>) -> &mut Self {
        self.tag(name, attributes);
        self.out.push_str("/>");
        self
    }

    /// Writes an element that holds only this text.
    pub fn leaf(
        &mut self,
        name: &'static str,
        attributes: Attributes<'_>,
        text: &dyn Display,
    ) -> &mut Self {
        self.tag(name, attributes);
        self.out.push('>');
        let _ = write!(Escaping(&mut self.out), "{text}");
        let _ = writeln!(self.out, "</{name}>");
        self
    }

    /// Writes text into the open element.
    pub fn text(&mut self, text: &dyn Display) -> &mut Self {
        let _ = write!(Escaping(&mut self.out), "{text}");
        self
    }

    /// Appends markup that was written before.
    pub fn markup(&mut self, inner: &Markup) -> &mut Self {
        debug_assert!(inner.open.is_empty(), "{:?} is still open", inner.open);
        self.out.push_str(&inner.out);
        self
    }

    /// Appends unescaped text: styles, scripts and the doctype, all constants of this crate.
    pub fn raw(&mut self, text: &'static str) -> &mut Self {
        self.out.push_str(text);
        self
    }

    /// Appends the well-formed XML of another writer that escapes as this one does.
    pub fn well_formed(&mut self, xml: &str) -> &mut Self {
        self.out.push_str(xml);
        self
    }

    /// The text of the document.
    pub fn finish(self) -> String {
        debug_assert!(self.open.is_empty(), "{:?} is still open", self.open);
        self.out
    }

    fn tag(&mut self, name: &'static str, attributes: Attributes<'_>) {
        let _ = write!(self.out, "<{name}");
        for (attribute, value) in attributes {
            let _ = write!(self.out, " {attribute}=\"");
            let _ = write!(Escaping(&mut self.out), "{value}");
            self.out.push('"');
        }
    }
}

/// A writer that turns any text into text of XML 1.0: marks become references, and characters that
/// it cannot hold (§2.2) the replacement character, as do those that change the direction of text.
struct Escaping<'a>(&'a mut String);

impl Write for Escaping<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\t' | '\n' | '\r' => self.0.push(c),
                '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                    self.0.push('\u{fffd}');
                }
                _ if deceives(c) => self.0.push('\u{fffd}'),
                _ => self.0.push(c),
            }
        }
        Ok(())
    }
}

/// A length in a picture, to a tenth of a pixel.
#[derive(Clone, Copy, Debug)]
pub struct Px(pub f64);

impl Display for Px {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        match tenths % 10 {
            0 => write!(f, "{}", tenths / 10),
            _ => write!(f, "{}", tenths as f64 / 10.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_written_stays_text() {
        let mut page = Markup::new();
        page.open("p", &[("title", &"a\" onload='x'")])
            .text(&"<script>&\u{1}\u{fffe}")
            .close();
        insta::assert_snapshot!(page.finish(), @r#"<p title="a&quot; onload=&#39;x&#39;">&lt;script&gt;&amp;��</p>"#);
    }

    #[test]
    fn nothing_deceives_what_stands_next_to_it() {
        let mut page = Markup::new();
        page.leaf("p", &[], &"\u{202e}ip\u{2066}.");
        insta::assert_snapshot!(page.finish(), @"<p>�ip�.</p>");
    }

    #[test]
    fn lengths_are_short() {
        let told = [1.0, 1.26, -0.04, -3.55, 1200.0].map(|it| Px(it).to_string());
        assert_eq!(told.join(" "), "1 1.3 0 -3.6 1200");
    }
}
