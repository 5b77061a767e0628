//! Formats as I-Regexps: what a format accepts, said once for YANG, grammar and form.
//!
//! Knows the grammars of RFC 3339, 3986, 4291 and 9562 and the calendar. A leap second
//! (`23:59:60Z`) is left out: which second 60 exists is not for a pattern to say.

use crate::iregexp::{self, Node};
use crate::template::Format;

const DAY_OF_YEAR: &str = "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])\
     |(0[469]|11)-(0[1-9]|[12][0-9]|30)\
     |02-(0[1-9]|1[0-9]|2[0-8]))";
const LEAP_YEAR: &str = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)";
const TIME: &str =
    r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?([Zz]|[+\-]([01][0-9]|2[0-3]):[0-5][0-9])";
const OCTET: &str = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const H16: &str = "[0-9A-Fa-f]{1,4}";
const UUID: &str = "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}";
const PERCENT: &str = "%[0-9A-Fa-f]{2}";
/// `unreserved` and `sub-delims` (RFC 3986 §2), as the inside of a class.
const NAME: &str = r"A-Za-z0-9._~!$&'()*+,;=\-";

/// The I-Regexp of a format.
pub(crate) fn pattern(format: Format) -> String {
    match format {
        Format::Date => date(),
        Format::Time => TIME.to_owned(),
        Format::DateTime => format!("({})[Tt]{TIME}", date()),
        Format::Ipv4 => ipv4(),
        Format::Ipv6 => ipv6(),
        Format::Uri => uri(),
        Format::Uuid => UUID.to_owned(),
    }
}

/// The I-Regexp of a format, parsed.
pub(crate) fn node(format: Format) -> Node {
    iregexp::parse(&pattern(format)).expect("our own patterns are I-Regexps; a test reads them all")
}

fn date() -> String {
    format!("[0-9]{{4}}-{DAY_OF_YEAR}|{LEAP_YEAR}-02-29")
}

fn ipv4() -> String {
    format!(r"{OCTET}(\.{OCTET}){{3}}")
}

/// `IPv6address` of RFC 3986 §3.2.2.
fn ipv6() -> String {
    let last = format!("({H16}:{H16}|{})", ipv4());
    let groups = |n: u32| format!("({H16}:){{{n}}}");
    let before = |n: u32| format!("(({H16}:){{0,{n}}}{H16})?");
    [
        format!("{}{last}", groups(6)),
        format!("::{}{last}", groups(5)),
        format!("{}::{}{last}", before(0), groups(4)),
        format!("{}::{}{last}", before(1), groups(3)),
        format!("{}::{}{last}", before(2), groups(2)),
        format!("{}::{H16}:{last}", before(3)),
        format!("{}::{last}", before(4)),
        format!("{}::{H16}", before(5)),
        format!("{}::", before(6)),
    ]
    .join("|")
}

/// `URI` of RFC 3986 §3, with its scheme.
fn uri() -> String {
    let pchar = format!("([{NAME}:@]|{PERCENT})");
    let tail = format!("([{NAME}:@/?]|{PERCENT})*");
    let host = format!(
        r"(\[(({})|[Vv][0-9A-Fa-f]+\.[{NAME}:]+)\]|([{NAME}]|{PERCENT})*)",
        ipv6()
    );
    let authority = format!("(([{NAME}:]|{PERCENT})*@)?{host}(:[0-9]*)?");
    let rootless = format!("{pchar}+(/{pchar}*)*");
    format!(
        r"[A-Za-z][A-Za-z0-9+.\-]*:(//{authority}(/{pchar}*)*|/({rootless})?|({rootless})?)(\?{tail})?(#{tail})?"
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use regex::Regex;

    fn matcher(format: Format) -> Regex {
        Regex::new(&crate::render::ecma(&node(format))).unwrap()
    }

    /// D35, Q8: a date is a day that exists.
    #[test]
    fn dates_are_days_that_exist() {
        let date = matcher(Format::Date);
        let days = |year: u32, month: u32| {
            let texts = (0..=99).map(|day| format!("{year:04}-{month:02}-{day:02}"));
            texts.filter(|text| date.is_match(text)).count()
        };
        for (year, february) in [(0, 29), (1900, 28), (2000, 29), (2023, 28), (2024, 29)] {
            let months: Vec<usize> = (0..=13).map(|month| days(year, month)).collect();
            let expected = [0, 31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0];
            assert_eq!(months, expected, "{year}");
        }
    }

    #[test]
    fn formats_accept_what_their_standards_do() {
        for (format, good, bad) in [
            (
                Format::Time,
                &["00:00:00Z", "23:59:59.25+05:30", "12:00:00z"][..],
                &[
                    "24:00:00Z",
                    "12:00:00",
                    "12:60:00Z",
                    "12:00:00.Z",
                    "12:00Z",
                    "1:00:00Z",
                ][..],
            ),
            (
                Format::DateTime,
                &["2024-02-29T00:00:00Z", "2026-05-04t09:00:00+08:00"],
                &[
                    "2023-02-29T00:00:00Z",
                    "2026-05-04 09:00:00Z",
                    "2026-05-04T09:00:00",
                ],
            ),
            (
                Format::Ipv4,
                &["0.0.0.0", "255.255.255.255", "10.1.20.9"],
                &["256.0.0.1", "01.2.3.4", "1.2.3", "1.2.3.4.5"],
            ),
            (
                Format::Ipv6,
                &[
                    "::",
                    "::1",
                    "1:2:3:4:5:6:7:8",
                    "1::8",
                    "::ffff:1.2.3.4",
                    "1:2:3:4:5:6:7::",
                ],
                &[
                    "1:2:3:4:5:6:7:8:9",
                    ":::",
                    "1::2::3",
                    "12345::",
                    "::1%eth0",
                    "1:2:3:4:5:6:7",
                ],
            ),
            (
                Format::Uri,
                &[
                    "http://a/b?c#d",
                    "urn:a:b",
                    "mailto:x@y",
                    "http://[::1]:80/",
                    "a:",
                    "f:///x",
                ],
                &[
                    "//a/b",
                    "a b:c",
                    "http://a b",
                    "http://[::1",
                    "x:%zz",
                    "1a:b",
                    "a:b#c#d",
                ],
            ),
            (
                Format::Uuid,
                &[
                    "f308a72c-fa84-11eb-9a03-0242ac130003",
                    "F308A72C-FA84-11EB-9A03-0242AC130003",
                ],
                &[
                    "f308a72cfa8411eb9a030242ac130003",
                    "g308a72c-fa84-11eb-9a03-0242ac130003",
                ],
            ),
        ] {
            let matcher = matcher(format);
            for text in good {
                assert!(matcher.is_match(text), "{format:?} {text}");
            }
            for text in bad {
                assert!(!matcher.is_match(text), "{format:?} {text}");
            }
        }
    }
}
