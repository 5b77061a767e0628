//! Percent-encoding (RFC 3986 §2.1) undone.
//!
//! Knows no path and no query. Read next: [`super::identifier`], [`super::query`].

use std::borrow::Cow;

/// A part of a target with its escapes undone; none if one is malformed, or what comes of it is not UTF-8.
pub(super) fn decoded(part: &str) -> Option<Cow<'_, str>> {
    if !part.contains('%') {
        return Some(Cow::Borrowed(part));
    }
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, after) = rest.split_first_chunk::<2>()?;
        let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
        bytes.push((high? * 16 + low?) as u8);
        rest = after;
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn escapes_are_whole_and_utf_8() {
        for (part, expected) in [
            ("plain+text", Some("plain+text")),
            ("a%2Fb%2c%25", Some("a/b,%")),
            ("%E4%B8%AD", Some("中")),
            ("", Some("")),
            ("%", None),
            ("%4", None),
            ("%4g", None),
            ("%+4", None),
            ("%ff", None),
            ("%C3%28", None),
        ] {
            assert_eq!(decoded(part).as_deref(), expected, "{part}");
        }
    }
}
