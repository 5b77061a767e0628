//! Escaping on the way out: fast, into a growing `Vec<u8>`, safe in any context.
//!
//! `>` is always escaped, so that nothing written here can hold the end mark
//! `]]>]]>` of RFC 6242 §4.3.

const PLAIN: u8 = 0;
const ESCAPED: u8 = 1;
const ATTRIBUTE_ONLY: u8 = 2;
const EXCLUDED: u8 = 3;

/// The class of each byte: plain, to be escaped, or excluded; multi-byte characters pass as they
/// are.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut class = [PLAIN; 256];
    let mut byte = 0;
    while byte < 0x20 {
        class[byte] = EXCLUDED;
        byte += 1;
    }
    class[b'\t' as usize] = ATTRIBUTE_ONLY;
    class[b'\n' as usize] = ATTRIBUTE_ONLY;
    class[b'"' as usize] = ATTRIBUTE_ONLY;
    class[b'\r' as usize] = ESCAPED;
    class[b'<' as usize] = ESCAPED;
    class[b'>' as usize] = ESCAPED;
    class[b'&' as usize] = ESCAPED;
    // First bytes of the noncharacters, among much else.
    class[0xEF] = EXCLUDED;
    let mut byte = 0xF0;
    while byte <= 0xF4 {
        class[byte] = EXCLUDED;
        byte += 1;
    }
    class
}

/// Appends `text` as element content. Characters that XML cannot carry (XML 1.0 §2.2), or a string of
/// YANG (RFC 7950 §9.4), become U+FFFD, for a reply must be well-formed and valid.
#[inline]
pub fn text(text: &str, out: &mut Vec<u8>) {
    if text.bytes().all(|byte| CLASS[byte as usize] & 1 == PLAIN) {
        out.extend_from_slice(text.as_bytes());
    } else {
        escape(text, false, out);
    }
}

/// Appends `value` as the inside of a double-quoted attribute value.
#[inline]
pub fn attribute_value(value: &str, out: &mut Vec<u8>) {
    if value.bytes().all(|byte| CLASS[byte as usize] == PLAIN) {
        out.extend_from_slice(value.as_bytes());
    } else {
        escape(value, true, out);
    }
}

/// Appends ` name="value"`; `name` must be a qualified name already.
#[inline]
pub fn attribute(name: &str, value: &str, out: &mut Vec<u8>) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    attribute_value(value, out);
    out.push(b'"');
}

/// Appends `<name>text</name>`; `name` must be a qualified name already.
pub fn leaf(name: &str, value: &str, out: &mut Vec<u8>) {
    out.push(b'<');
    out.extend_from_slice(name.as_bytes());
    out.push(b'>');
    text(value, out);
    out.extend_from_slice(b"</");
    out.extend_from_slice(name.as_bytes());
    out.push(b'>');
}

#[cold]
fn escape(text: &str, attribute: bool, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let mut plain_from = 0;
    let mut at = 0;
    while at < bytes.len() {
        let (replacement, length): (&[u8], usize) = match bytes[at] {
            b'<' => (b"&lt;", 1),
            b'>' => (b"&gt;", 1),
            b'&' => (b"&amp;", 1),
            // A bare carriage return would be read back as a line feed (XML 1.0 §2.11).
            b'\r' => (b"&#13;", 1),
            b'"' if attribute => (b"&quot;", 1),
            b'\t' if attribute => (b"&#9;", 1),
            b'\n' if attribute => (b"&#10;", 1),
            // U+FFFE and U+FFFF, U+FDD0 to U+FDEF.
            0xEF if matches!(
                bytes.get(at + 1..at + 3),
                Some([0xBF, 0xBE | 0xBF] | [0xB7, 0x90..=0xAF])
            ) =>
            {
                ("\u{FFFD}".as_bytes(), 3)
            }
            // The last two of the other planes.
            0xF0..=0xF4
                if matches!(
                    bytes.get(at + 1..at + 4),
                    Some([0x8F | 0x9F | 0xAF | 0xBF, 0xBF, 0xBE | 0xBF])
                ) =>
            {
                ("\u{FFFD}".as_bytes(), 4)
            }
            byte if byte < 0x20 && byte != b'\t' && byte != b'\n' => ("\u{FFFD}".as_bytes(), 1),
            _ => {
                at += 1;
                continue;
            }
        };
        out.extend_from_slice(&bytes[plain_from..at]);
        out.extend_from_slice(replacement);
        at += length;
        plain_from = at;
    }
    out.extend_from_slice(&bytes[plain_from..]);
}
