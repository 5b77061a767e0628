//! JSON in its one canonical form: RFC 8785 (JCS), and its hash.
//!
//! Knows how numbers, strings and members are written there; refuses to judge what is written. To
//! RFC 8785 numbers are doubles: integers beyond 2^53 - 1 lose digits, which is why
//! [`crate::signature`] signs none. Read next: [`crate::signature`].

use serde_json::{Map, Number, Value};
use sha2::{Digest, Sha256};

/// The canonical form of a value.
pub fn text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// The SHA-256 of the canonical form.
pub fn hash(value: &Value) -> [u8; 32] {
    Sha256::digest(text(value)).into()
}

fn write(value: &Value, to: &mut String) {
    match value {
        Value::Null => to.push_str("null"),
        Value::Bool(true) => to.push_str("true"),
        Value::Bool(false) => to.push_str("false"),
        Value::Number(number) => write_number(number, to),
        Value::String(text) => write_string(text, to),
        Value::Array(elements) => write_array(elements, to),
        Value::Object(members) => write_object(members, to),
    }
}

fn write_array(elements: &[Value], to: &mut String) {
    to.push('[');
    for (i, element) in elements.iter().enumerate() {
        if i > 0 {
            to.push(',');
        }
        write(element, to);
    }
    to.push(']');
}

/// RFC 8785 §3.2.3: members in the order of their names as UTF-16.
fn write_object(members: &Map<String, Value>, to: &mut String) {
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    to.push('{');
    for (i, (name, value)) in sorted.into_iter().enumerate() {
        if i > 0 {
            to.push(',');
        }
        write_string(name, to);
        to.push(':');
        write(value, to);
    }
    to.push('}');
}

/// RFC 8785 §3.2.2.2: short escapes where there are any, `\u00xx` for other controls, all else as
/// it is.
fn write_string(text: &str, to: &mut String) {
    to.push('"');
    for c in text.chars() {
        match c {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            '\u{8}' => to.push_str("\\b"),
            '\t' => to.push_str("\\t"),
            '\n' => to.push_str("\\n"),
            '\u{c}' => to.push_str("\\f"),
            '\r' => to.push_str("\\r"),
            '\0'..'\u{20}' => to.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => to.push(c),
        }
    }
    to.push('"');
}

/// Integers below this are doubles with all their digits, which none with fewer is: they are written as
/// they are.
const EXACT_INTEGERS: u64 = 1 << 53;

/// RFC 8785 §3.2.2.3: as ECMAScript writes a number.
fn write_number(number: &Number, to: &mut String) {
    if let Some(integer) = number
        .as_i64()
        .filter(|it| it.unsigned_abs() < EXACT_INTEGERS)
    {
        return to.push_str(&integer.to_string());
    }
    let n = number
        .as_f64()
        .expect("JSON numbers without arbitrary precision are doubles");
    if n == 0.0 {
        to.push('0');
        return;
    }
    if n < 0.0 {
        to.push('-');
    }
    let (digits, point) = shortest(n.abs());
    lay_out(&digits, point, to);
}

/// The shortest digits that are the number, and how many of them stand before the point.
fn shortest(n: f64) -> (String, i32) {
    let scientific = format!("{n:e}");
    let (mantissa, exponent) = scientific
        .split_once('e')
        .expect("written with an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is an integer");
    let digits = mantissa.replace('.', "");
    (even_of_two(n, &digits).unwrap_or(digits), exponent + 1)
}

/// The even one of two digit strings between which the number lies exactly in the middle
/// (ECMA-262, Number::toString); none if there is no such pair.
fn even_of_two(n: f64, digits: &str) -> Option<String> {
    let with_one_more = mantissa(n, digits.len());
    if !with_one_more.ends_with('5') || !is_exact(n, &with_one_more) {
        return None;
    }
    let below: u64 = with_one_more[..digits.len()].parse().ok()?;
    let even = (below + below % 2).to_string();
    (even.len() == digits.len()).then_some(even)
}

/// The digits of a number, one before the point and so many behind it.
fn mantissa(n: f64, behind: usize) -> String {
    let scientific = format!("{n:.behind$e}");
    let (mantissa, _) = scientific
        .split_once('e')
        .expect("written with an exponent");
    mantissa.replace('.', "")
}

/// True if a double has no digits beside these; none has more than 767.
fn is_exact(n: f64, digits: &str) -> bool {
    mantissa(n, 767).trim_end_matches('0') == digits
}

/// ECMA-262, Number::toString: plain from 10^-7 up to 10^21, scientific beyond.
fn lay_out(digits: &str, point: i32, to: &mut String) {
    let count = i32::try_from(digits.len()).expect("a double has at most 17 digits");
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    match point {
        22.. | ..=-6 => {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            to.push_str(&format!("{first}{dot}{rest}e{:+}", point - 1));
        }
        ..=0 => to.push_str(&format!("0.{}{digits}", zeros(-point))),
        _ if point >= count => to.push_str(&format!("{digits}{}", zeros(point - count))),
        _ => {
            let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or(0));
            to.push_str(&format!("{whole}.{fraction}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// D111, Q50: the numbers of RFC 8785, appendix B.
    #[test]
    fn numbers_are_written_as_ecmascript_writes_them() {
        for (bits, written) in [
            (0x0000_0000_0000_0000_u64, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            assert_eq!(text(&json!(f64::from_bits(bits))), written, "{bits:x}");
        }
        assert_eq!(
            text(&json!([1, 1.0, -3, 4.50, 2e-3, 1e30, 123_456.0])),
            "[1,1,-3,4.5,0.002,1e+30,123456]"
        );
    }

    /// The short way for integers writes what the way for all numbers does.
    #[test]
    fn integers_are_written_as_the_doubles_that_they_are() {
        let powers = (0..=15).map(|exponent| 10_i64.pow(exponent));
        let edges = [0, 1, 5, 15, 123_450, (1 << 53) - 1, 1 << 53, (1 << 53) + 2];
        for integer in powers.chain(edges).flat_map(|it| [it, -it, it + 1, it - 1]) {
            let double = integer as f64;
            assert_eq!(text(&json!(integer)), text(&json!(double)), "{integer}");
        }
    }

    /// D111, Q50: the sample of RFC 8785 §3.2.2 and §3.2.3.
    #[test]
    fn the_samples_of_the_rfc_are_reproduced() {
        let sample = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let expected = concat!(
            r#"{"literals":[null,true,false],"#,
            r#""numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
            "\"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}",
        );
        let value: Value = serde_json::from_str(sample).expect("JSON");
        assert_eq!(text(&value), expected);
    }

    /// D111, Q50: RFC 8785 §3.2.3, where UTF-16 and UTF-8 order differ.
    #[test]
    fn members_are_ordered_as_utf_16() {
        let value: Value = serde_json::from_str(
            r#"{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
                "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
                "\u00f6": "Latin Small Letter O With Diaeresis"}"#,
        )
        .expect("JSON");
        let written = text(&value);
        let order = [
            "Carriage Return",
            "One",
            "Control",
            "Latin Small Letter O With Diaeresis",
            "Euro Sign",
            "Emoji: Grinning Face",
            "Hebrew Letter Dalet With Dagesh",
        ];
        let places: Vec<usize> = order
            .iter()
            .map(|v| written.find(v).expect("is there"))
            .collect();
        assert!(places.is_sorted(), "{written}");
    }

    /// D111: known answer, so that nobody's pins break unnoticed.
    #[test]
    fn the_hash_is_that_of_the_text() {
        let hex: String = hash(&json!({}))
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert_eq!(
            hex,
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
        assert_eq!(
            hash(&json!({"a": 1, "b": 2.0})),
            hash(&json!({"b": 2, "a": 1.0}))
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_the_same_number(bits in any::<u64>()) {
            let n = f64::from_bits(bits);
            prop_assume!(n.is_finite());
            let read: Value = serde_json::from_str(&text(&json!(n))).expect("JSON");
            prop_assert_eq!(read.as_f64(), Some(if n == 0.0 { 0.0 } else { n }));
        }

        #[test]
        fn the_canonical_form_is_canonical(strings in proptest::collection::btree_map(".{0,4}", ".{0,8}", 0..5)) {
            let value = json!(strings);
            let written = text(&value);
            let read: Value = serde_json::from_str(&written).expect("JSON");
            prop_assert_eq!(&read, &value);
            prop_assert_eq!(text(&read), written);
        }
    }
}
