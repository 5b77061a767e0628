//! The current place in a payload: kept on the stack, written as a pointer (RFC 6901) only to be
//! told.

use crate::other::is_hidden;
use std::fmt::{self, Write as _};

/// Characters of a name that are told.
const NAME_CHARS: usize = 64;

/// A place in a payload.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// The payload itself.
    Payload,
    /// A member.
    Member(&'a Place<'a>, &'a str),
    /// An entry of an array.
    Entry(&'a Place<'a>, usize),
}

impl Place<'_> {
    pub(super) fn is_payload(self) -> bool {
        matches!(self, Place::Payload)
    }
}

/// RFC 6901 §3; what names from outside hide is left out, and long ones are cut.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Payload => Ok(()),
            Place::Entry(within, index) => write!(f, "{within}/{index}"),
            Place::Member(within, name) => {
                write!(f, "{within}/")?;
                segment(name, f)
            }
        }
    }
}

fn segment(name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (place, c) in name.chars().filter(|c| !is_hidden(*c)).enumerate() {
        match c {
            _ if place == NAME_CHARS => return f.write_char('…'),
            '~' => f.write_str("~0")?,
            '/' => f.write_str("~1")?,
            c if c.is_whitespace() => f.write_char(' ')?,
            c => f.write_char(c)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Q22: a place is a pointer, and inert.
    #[test]
    fn places_are_pointers() {
        let alarms = Place::Member(&Place::Payload, "alarms");
        let third = Place::Entry(&alarms, 2);
        let odd = Place::Member(&third, "a/b~\u{202e}\nc");
        assert_eq!(odd.to_string(), "/alarms/2/a~1b~0c");
        assert_eq!(Place::Payload.to_string(), "");
        let long = "x".repeat(65);
        let told = Place::Member(&Place::Payload, &long).to_string();
        assert_eq!(told.chars().count(), 66);
    }
}
