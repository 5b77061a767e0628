//! A quantity in a fragment: `20 watts`, `three bags`, `30分钟`.
//!
//! Read next: [`super::induce`]; [`language::quantity`](::language::quantity), which reads numbers and
//! units.

use ::language::quantity::quantities;
use ::language::text::Text;

/// A number and what it counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    /// The number.
    pub(super) value: f64,
    /// Its unit; none if it counts things.
    pub(super) unit: Option<&'static str>,
    /// True if it was written in digits.
    pub(super) digits: bool,
}

/// The quantity in a text, if there is exactly one.
pub(super) fn quantity(text: &str) -> Option<Quantity> {
    let found = quantities(&Text::new(text), &[]);
    let [one] = found.as_slice() else { return None };
    (!one.ordinal).then(|| Quantity {
        value: one.value,
        unit: one.unit.map(|unit| unit.symbol()),
        digits: one.digits,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_their_units() {
        let told = |text: &str| {
            let found = quantity(text)?;
            Some(format!("{}{}", found.value, found.unit.unwrap_or("")))
        };
        assert_eq!(told("at most 20 watts").unwrap(), "20W");
        assert_eq!(told("within 1.5 hours.").unwrap(), "1.5h");
        assert_eq!(told("three extra bags").unwrap(), "3");
        assert_eq!(told("30分钟内回电").unwrap(), "30min");
        assert_eq!(told("down to 80%").unwrap(), "80%");
        assert_eq!(told("两件行李").unwrap(), "2");
        assert_eq!(told("between 5 and 7"), None);
        assert_eq!(told("window seat"), None);
    }
}
