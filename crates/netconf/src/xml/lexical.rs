//! The lexical rules of XML 1.0 that quick-xml leaves to its caller: characters,
//! names, references and the XML declaration. Positions are the caller's concern.

/// Offset of the first character that XML 1.0 §2.2 excludes, if any.
pub(super) fn forbidden_character(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // Nearly every message is clean: one branch-free pass says so.
    let suspicious = bytes.iter().fold(false, |seen, &byte| {
        seen | ((byte < 0x20) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r'))
            | (byte == 0xEF)
    });
    if !suspicious {
        return None;
    }
    text.char_indices()
        .find(|&(_, character)| !is_character(character))
        .map(|(offset, _)| offset)
}

/// `Char` of XML 1.0 §2.2 (surrogates cannot occur in a `char`).
pub(super) fn is_character(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => true,
        '\u{0}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => false,
        _ => true,
    }
}

/// The white space of XML 1.0 §2.3.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// True if all of `text` is white space of XML.
pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(is_space)
}

/// True for the ASCII bytes that may stand in a name, though not all of them first.
static NAME_BYTE: [bool; 256] = name_bytes();

const fn name_bytes() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let one = byte as u8;
        table[byte] = one.is_ascii_alphanumeric() || one == b'_' || one == b'-' || one == b'.';
        byte += 1;
    }
    table
}

/// True if `name` is an `NCName` (Namespaces in XML §3).
#[inline]
pub(super) fn is_ncname(name: &str) -> bool {
    let bytes = name.as_bytes();
    let Some(&first) = bytes.first() else {
        return false;
    };
    if bytes.iter().all(|&byte| NAME_BYTE[usize::from(byte)]) {
        return first.is_ascii_alphabetic() || first == b'_';
    }
    let mut characters = name.chars();
    characters.next().is_some_and(is_name_start) && characters.all(is_name_part)
}

fn is_name_start(character: char) -> bool {
    matches!(character,
        'A'..='Z' | '_' | 'a'..='z'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

fn is_name_part(character: char) -> bool {
    is_name_start(character)
        || matches!(character,
            '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Appends XML that was read, without its comments.
pub(super) fn copy_without_comments(xml: &str, out: &mut Vec<u8>) {
    let mut rest = xml;
    while let Some(at) = rest.find("<!") {
        let (before, found) = rest.split_at(at);
        out.extend_from_slice(before.as_bytes());
        // What looks like a comment in a CDATA section is text.
        let (is_text, end) = match found.starts_with("<![CDATA[") {
            true => (true, "]]>"),
            false => (false, "-->"),
        };
        let length = found.find(end).map_or(found.len(), |at| at + end.len());
        if is_text {
            out.extend_from_slice(&found.as_bytes()[..length]);
        }
        rest = &found[length..];
    }
    out.extend_from_slice(rest.as_bytes());
}

/// The character that `&name;` stands for, if XML predefines it.
pub(super) fn reference(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => numeric_reference(name.strip_prefix('#')?),
    }
}

fn numeric_reference(digits: &str) -> Option<char> {
    let (digits, radix) = match digits.strip_prefix('x') {
        Some(hexadecimal) => (hexadecimal, 16),
        None => (digits, 10),
    };
    // from_str_radix takes a sign, which XML does not.
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    char::from_u32(u32::from_str_radix(digits, radix).ok()?)
        .filter(|&character| is_character(character))
}

/// The fault of an XML declaration.
pub(super) enum DeclarationFault {
    /// Not the grammar of XML 1.0 §2.8.
    Syntax,
    /// An encoding other than UTF-8 (US-ASCII is a part of it).
    Encoding,
}

/// Checks the content of `<?xml … ?>`, from `xml` to before `?>`.
pub(super) fn declaration(content: &str) -> Result<(), DeclarationFault> {
    use DeclarationFault::{Encoding, Syntax};
    let mut rest = content.strip_prefix("xml").ok_or(Syntax)?;
    let version = pseudo_attribute(&mut rest, "version").ok_or(Syntax)?;
    let minor = version.strip_prefix("1.").ok_or(Syntax)?;
    if minor.is_empty() || !minor.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Syntax);
    }
    if let Some(encoding) = pseudo_attribute(&mut rest, "encoding")
        && !encoding.eq_ignore_ascii_case("utf-8")
        && !encoding.eq_ignore_ascii_case("utf8")
        && !encoding.eq_ignore_ascii_case("us-ascii")
    {
        return Err(Encoding);
    }
    if let Some(standalone) = pseudo_attribute(&mut rest, "standalone")
        && !matches!(standalone, "yes" | "no")
    {
        return Err(Syntax);
    }
    if is_blank(rest) { Ok(()) } else { Err(Syntax) }
}

/// Takes ` name = "value"` off the front of `rest`, if it is there.
fn pseudo_attribute<'a>(rest: &mut &'a str, name: &str) -> Option<&'a str> {
    let space: &[char] = &[' ', '\t', '\r', '\n'];
    let after_space = rest.trim_start_matches(space);
    if after_space.len() == rest.len() {
        return None;
    }
    let value = after_space
        .strip_prefix(name)?
        .trim_start_matches(space)
        .strip_prefix('=')?
        .trim_start_matches(space);
    let quote = value
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\''))?;
    let (value, after) = value[1..].split_once(quote)?;
    *rest = after;
    Some(value)
}
