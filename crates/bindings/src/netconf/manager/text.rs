//! The text of foreign elements, bounded.
//!
//! Read next: [`super::alarms`].

use ::netconf::xml::XmlElement;
use domain::time::Timestamp;
use std::str::FromStr;

/// The longest identifier that is taken, in bytes; what is longer names nothing.
pub(super) const NAME_BYTES: usize = 256;
/// The longest text that is kept, in bytes; what is longer is cut.
pub(super) const TEXT_BYTES: usize = 4_096;

/// The text of a child.
pub(super) fn leaf<'a>(of: XmlElement<'a>, namespace: &str, name: &str) -> Option<&'a str> {
    of.child(namespace, name).map(|child| child.trimmed_text())
}

/// The text of a child that identifies something; none if it is empty or too long.
pub(super) fn identifier<'a>(of: XmlElement<'a>, namespace: &str, name: &str) -> Option<&'a str> {
    leaf(of, namespace, name).filter(|text| is_identifier(text))
}

/// True if a text may identify something.
pub(super) fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.len() <= NAME_BYTES
}

/// A text for people, at most [`TEXT_BYTES`] of it.
pub(super) fn words(text: &str) -> String {
    clipped(text, TEXT_BYTES).to_owned()
}

/// At most so many bytes of a text, whole characters.
pub(super) fn clipped(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// An instant; none if there is none, or nothing that is one.
pub(super) fn instant(of: XmlElement<'_>, namespace: &str, name: &str) -> Option<Timestamp> {
    Timestamp::parse(leaf(of, namespace, name)?).ok()
}

/// A number; none if there is none, or nothing that is one.
pub(super) fn number<T: FromStr>(of: XmlElement<'_>, namespace: &str, name: &str) -> Option<T> {
    leaf(of, namespace, name)?.parse().ok()
}

/// A finite decimal number; none if there is none, or nothing that is one.
pub(super) fn decimal(of: XmlElement<'_>, namespace: &str, name: &str) -> Option<f64> {
    number(of, namespace, name).filter(|value: &f64| value.is_finite())
}

/// The children of that name, at most so many.
pub(super) fn entries<'a>(
    of: XmlElement<'a>,
    namespace: &'static str,
    name: &'static str,
    most: usize,
) -> impl Iterator<Item = XmlElement<'a>> {
    of.children()
        .filter(move |child| child.is(namespace, name))
        .take(most)
}
