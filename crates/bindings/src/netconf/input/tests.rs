//! How values of inputs are read.

#![allow(clippy::unwrap_used)]

use super::InputNode as _;
use netconf::xml::{Limits, XmlDocument};

/// RFC 7950 §9.2.1: a sign is optional, of unsigned integers too.
#[test]
fn an_unsigned_integer_may_have_a_sign() {
    let value = |xml: &str| {
        let document = XmlDocument::parse(xml, &Limits::default()).unwrap();
        u64::read(document.root())
    };
    assert_eq!(value("<a>-0</a>"), Some(0));
    assert_eq!(value("<a> +7 </a>"), Some(7));
    assert_eq!(value("<a>18446744073709551615</a>"), Some(u64::MAX));
    assert_eq!(value("<a>-1</a>"), None);
}
