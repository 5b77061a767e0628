//! Base64 (RFC 4648 §4), as the YANG type binary has it.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text of some bytes, without line breaks.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            text.push(match place <= group.len() {
                true => DIGITS[(bits >> (18 - 6 * place)) as usize & 63] as char,
                false => '=',
            });
        }
    }
    text
}

/// The bytes of a text, white space left out; none if it is no base64.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut group = [0; 4];
    let (mut filled, mut padded) = (0, 0);
    for digit in text.bytes().filter(|b| !b.is_ascii_whitespace()) {
        if digit == b'=' {
            padded += 1;
        } else if padded > 0 {
            return None;
        } else {
            group[filled] = value(digit)?;
            filled += 1;
        }
        if filled == 4 {
            push(&mut bytes, &group, 3);
            filled = 0;
        }
    }
    match (filled, padded) {
        (0, 0) => {}
        (2, 2) | (3, 1) => push(&mut bytes, &group, filled - 1),
        _ => return None,
    }
    Some(bytes)
}

/// Appends the first bytes of a group of four digits.
fn push(bytes: &mut Vec<u8>, group: &[u8; 4], count: usize) {
    let bits = group
        .iter()
        .fold(0, |bits, digit| bits << 6 | u32::from(*digit));
    bytes.extend(&bits.to_be_bytes()[1..=count]);
}

fn value(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_vectors_of_rfc_4648_section_10() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).unwrap(), bytes.as_bytes());
        }
        assert_eq!(decode("Zm9v\n Yg==\n").unwrap(), b"foob");
    }

    #[test]
    fn what_is_no_base64_is_none() {
        for text in [
            "Z", "Zg", "Zg=", "Zm9vY===", "Zg==Zg==", "Zm9*", "=", "Zm=v",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(bytes in proptest::collection::vec(any::<u8>(), 0..99)) {
            prop_assert_eq!(decode(&encode(&bytes)).unwrap(), bytes);
        }
    }
}
