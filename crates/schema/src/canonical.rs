//! JSON in its one canonical form: RFC 8785 (JCS), and its hash.
//!
//! Refuses to judge what is written. To RFC 8785 numbers are doubles: integers beyond 2^53 - 1 lose
//! digits, which is why [`crate::signature`] signs none. Read next: [`crate::signature`].

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The canonical form of a value.
pub fn text(value: &Value) -> String {
    serde_json_canonicalizer::to_string(value)
        .expect("JSON values have finite numbers and names that differ")
}

/// The SHA-256 of the canonical form.
pub fn hash(value: &Value) -> [u8; 32] {
    Sha256::digest(text(value)).into()
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
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
            // A power of two amid two digit strings, of which the even one is another double.
            (0x3e70_0000_0000_0000, "5.960464477539063e-8"),
        ] {
            assert_eq!(text(&json!(f64::from_bits(bits))), written, "{bits:x}");
        }
        assert_eq!(
            text(&json!([1, 1.0, -3, 4.50, 2e-3, 1e30, 123_456.0])),
            "[1,1,-3,4.5,0.002,1e+30,123456]"
        );
    }

    /// An integer is written as the double that it is.
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
        assert_eq!(
            hex(&hash(&json!({}))),
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
