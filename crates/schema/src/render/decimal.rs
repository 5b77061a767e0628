//! Numbers as decimals: how JSON's numbers become those of XML and YANG.
//!
//! Knows digits only: no rounding through binary fractions.

use serde_json::Number;

/// The number of digits behind the point that the YANG rendering keeps: decimal64 with these
/// reaches some ±9.2 · 10^12.
pub(crate) const FRACTION_DIGITS: u32 = 6;

/// A number times 10^places, rounded down; held within ±10^30.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scaled {
    floor: i128,
    exact: bool,
}

const FAR: i128 = 1_000_000_000_000_000_000_000_000_000_000;

impl Scaled {
    /// Scales the number.
    pub(crate) fn of(number: &Number, places: u32) -> Self {
        let text = number.to_string();
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let negative = whole.starts_with('-');
        let digits: String = [whole.trim_start_matches('-'), fraction].concat();
        let exponent: i64 = exponent.parse().unwrap_or(0);
        let shift = exponent + i64::from(places) - fraction.len() as i64;
        shifted(digits.trim_start_matches('0'), shift, negative)
    }

    /// The largest whole number that is not above.
    pub(crate) fn floor(self) -> i128 {
        self.floor
    }

    /// The smallest whole number that is not below.
    pub(crate) fn ceil(self) -> i128 {
        self.floor + i128::from(!self.exact)
    }

    /// The whole number, if it is one.
    pub(crate) fn exact(self) -> Option<i128> {
        self.exact.then_some(self.floor)
    }
}

/// ±digits · 10^shift, rounded down.
fn shifted(digits: &str, shift: i64, negative: bool) -> Scaled {
    let keep = digits.len() as i64 + shift;
    let (kept, exact) = if keep > 30 {
        (FAR, true)
    } else if keep <= 0 {
        (0, digits.is_empty())
    } else {
        let cut = (keep as usize).min(digits.len());
        let zeros = keep as usize - cut;
        let kept: i128 = digits[..cut].parse().unwrap_or(0);
        let rest = &digits[cut..];
        (
            kept * 10_i128.pow(zeros as u32),
            rest.bytes().all(|b| b == b'0'),
        )
    };
    let floor = match negative {
        true => -kept - i128::from(!exact),
        false => kept,
    };
    Scaled { floor, exact }
}

/// The number in plain decimal notation, all digits that it has: `0.000001`, never `1e-6`.
pub(crate) fn plain(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => format!("{float}"),
        _ => number.to_string(),
    }
}

/// A whole number of 10^-6 as YANG writes it: `1.5`, `-0.25`, `3.0`.
pub(crate) fn from_millionths(millionths: i128) -> String {
    let unit = 10_i128.pow(FRACTION_DIGITS);
    let sign = if millionths < 0 { "-" } else { "" };
    let (whole, rest) = (millionths.abs() / unit, millionths.abs() % unit);
    let digits = format!("{rest:06}");
    let fraction = digits.trim_end_matches('0');
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn scaling_rounds_down_and_says_so() {
        for (text, places, floor, ceil) in [
            ("3", 0, 3, 3),
            ("0.5", 0, 0, 1),
            ("-0.5", 0, -1, 0),
            ("1e-7", 6, 0, 1),
            ("-1e-7", 6, -1, 0),
            ("1.25", 6, 1_250_000, 1_250_000),
            ("1e300", 6, FAR, FAR),
            ("0", 6, 0, 0),
            ("0.0", 6, 0, 0),
            (
                "9223372036854775807",
                0,
                i128::from(i64::MAX),
                i128::from(i64::MAX),
            ),
        ] {
            let number: Number = serde_json::from_str(text).unwrap();
            let scaled = Scaled::of(&number, places);
            assert_eq!((scaled.floor(), scaled.ceil()), (floor, ceil), "{text}");
        }
    }

    #[test]
    fn notation_is_plain() {
        let number: Number = serde_json::from_str("1e-6").unwrap();
        assert_eq!(plain(&number), "0.000001");
        assert_eq!(from_millionths(-250_000), "-0.25");
        assert_eq!(from_millionths(3_000_000), "3.0");
    }
}
