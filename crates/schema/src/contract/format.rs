//! The formats that strings are held to, exactly.
//!
//! Knows RFC 3339 dates and times, addresses, UUIDs (RFC 9562) and absolute URIs (RFC 3986), with a fragment if
//! they have one, as JSON Schema's `uri` allows it.

use crate::template::Format;
use fluent_uri::Uri;
use std::net::{Ipv4Addr, Ipv6Addr};
use time::{Date, Month};

/// True if a text is of a format.
pub(super) fn is(format: Format, text: &str) -> bool {
    match format {
        Format::Date => is_date(text.as_bytes()),
        Format::Time => is_time(text.as_bytes()),
        Format::DateTime => is_date_time(text.as_bytes()),
        Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
        Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
        Format::Uri => Uri::parse(text).is_ok(),
        Format::Uuid => is_uuid(text.as_bytes()),
    }
}

/// The format for people, with an example.
pub(super) fn words(format: Format) -> &'static str {
    match format {
        Format::Date => "a date such as 2026-05-04",
        Format::Time => "a time with zone such as 14:19:00Z",
        Format::DateTime => "a date and time with zone such as 2026-05-04T14:19:00Z",
        Format::Ipv4 => "an IPv4 address such as 192.0.2.1",
        Format::Ipv6 => "an IPv6 address such as 2001:db8::1",
        Format::Uri => "an absolute URI such as https://example.org/",
        Format::Uuid => "a UUID such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    }
}

fn is_date(text: &[u8]) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else {
        return false;
    };
    let (Some(century), Some(year)) = (two([y1, y2]), two([y3, y4])) else {
        return false;
    };
    let (Some(month), Some(day)) = (two([m1, m2]), two([d1, d2])) else {
        return false;
    };
    let year = i32::from(century) * 100 + i32::from(year);
    Month::try_from(month).is_ok_and(|month| Date::from_calendar_date(year, month, day).is_ok())
}

/// RFC 3339 §5.6: `t` may be written for `T`.
fn is_date_time(text: &[u8]) -> bool {
    match text.split_at_checked(10) {
        Some((date, [b'T' | b't', time @ ..])) => is_date(date) && is_time(time),
        _ => false,
    }
}

/// RFC 3339 §5.6 full-time: a zone is needed, and a leap second falls at the end of a day in UTC.
fn is_time(text: &[u8]) -> bool {
    let [h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = text else {
        return false;
    };
    let (Some(hour @ 0..=23), Some(minute @ 0..=59), Some(second)) =
        (two([*h1, *h2]), two([*m1, *m2]), two([*s1, *s2]))
    else {
        return false;
    };
    let Some(east) = fraction_end(rest).and_then(zone_minutes) else {
        return false;
    };
    let utc = (i32::from(hour) * 60 + i32::from(minute) - east).rem_euclid(1_440);
    second <= 59 || (second == 60 && utc == 1_439)
}

/// The end of all that follows the fraction of a second, if there is one.
fn fraction_end(text: &[u8]) -> Option<&[u8]> {
    let Some(fraction) = text.strip_prefix(b".") else {
        return Some(text);
    };
    let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
    (digits > 0).then(|| &fraction[digits..])
}

/// Minutes east of UTC.
fn zone_minutes(zone: &[u8]) -> Option<i32> {
    match *zone {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let hours = two([h1, h2]).filter(|hours| *hours <= 23)?;
            let minutes = two([m1, m2]).filter(|minutes| *minutes <= 59)?;
            let away = i32::from(hours) * 60 + i32::from(minutes);
            Some(if sign == b'-' { -away } else { away })
        }
        _ => None,
    }
}

fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// The number that two digits write.
fn two(digits: [u8; 2]) -> Option<u8> {
    let [tens, ones] = digits.map(|digit| digit.wrapping_sub(b'0'));
    (tens <= 9 && ones <= 9).then(|| tens * 10 + ones)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D35, Q8: formats are asserted exactly.
    #[test]
    fn formats() {
        use Format::*;
        let right = [
            (Date, "2026-05-04"),
            (Date, "2024-02-29"),
            (Date, "0000-01-01"),
            (Time, "14:19:00Z"),
            (Time, "23:59:60Z"),
            (Time, "01:29:60.5+01:30"),
            (Time, "14:19:00.123456789012-23:59"),
            (DateTime, "2026-05-04T09:00:00+08:00"),
            (DateTime, "2026-05-04t09:00:00z"),
            (Ipv4, "192.0.2.255"),
            (Ipv6, "2001:db8::1"),
            (Ipv6, "::ffff:192.0.2.1"),
            (Uuid, "f81d4fae-7dec-11d0-a765-00A0C91E6BF6"),
        ];
        let wrong = [
            (Date, "2026-02-29"),
            (Date, "2026-13-01"),
            (Date, "2026-00-10"),
            (Date, "2026-5-4"),
            (Date, "20260504"),
            (Date, " 2026-05-04"),
            (Date, "２026-05-04"),
            (Date, "+026-05-04"),
            (Time, "14:19:00"),
            (Time, "24:00:00Z"),
            (Time, "14:19:60Z"),
            (Time, "14:19:00.Z"),
            (Time, "14:19:00+24:00"),
            (Time, "14:19Z"),
            (DateTime, "2026-05-04 09:00:00Z"),
            (DateTime, "2026-05-04T09:00:00"),
            (DateTime, "2026-02-30T09:00:00Z"),
            (DateTime, "2026-05-0é09:00:00Z"),
            (Ipv4, "192.0.2.256"),
            (Ipv4, "192.0.02.1"),
            (Ipv4, "192.0.2"),
            (Ipv6, "fe80::1%eth0"),
            (Ipv6, "1::2::3"),
            (Uuid, "f81d4fae7dec11d0a76500a0c91e6bf6"),
            (Uuid, "{81d4fae-7dec-11d0-a765-00a0c91e6bf6"),
        ];
        for (format, text) in right {
            assert!(is(format, text), "{text}");
        }
        for (format, text) in wrong {
            assert!(!is(format, text), "{text}");
        }
        for format in Format::ALL {
            assert!(!is(format, ""), "{format:?}");
        }
    }

    #[test]
    fn absolute_uris() {
        for right in [
            "https://example.org/",
            "https://user:pw@example.org:8443/a;b=1/%C3%A9?q=a/b?c#frag/ment?",
            "http://[2001:db8::1]:80/x",
            "http://[v1.a:b]/",
            "urn:convoke:params:xml:ns:yang:schema:flight_booking_v1",
            "mailto:someone@example.org",
            "file:///etc/hosts",
            "a:",
            "ldap://192.0.2.7/c=GB?objectClass?one",
            "coap+tcp://example.org",
        ] {
            assert!(is(Format::Uri, right), "{right}");
        }
        for wrong in [
            "",
            "example.org",
            "//example.org/",
            "/path",
            "1http://x",
            ":x",
            "http://exa mple.org/",
            "http://example.org/%zz",
            "http://example.org/%1",
            "http://example.org:80a/",
            "http://[::1/",
            "http://[::g]/",
            "http://[::1]x/",
            "http://a@b@c/",
            "http://é.example/",
            "http://x/<y>",
            "http://x/\"",
            "http://x/a#b#c",
            "http://x/[y]",
            "http://[v.a]/",
        ] {
            assert!(!is(Format::Uri, wrong), "{wrong}");
        }
    }

    #[test]
    fn the_examples_that_are_told_are_of_their_format() {
        for format in Format::ALL {
            let example = words(format).rsplit(' ').next().expect("words");
            assert!(is(format, example), "{format:?}: {example}");
        }
    }
}
