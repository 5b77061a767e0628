//! Absolute URIs by the grammar of RFC 3986, appendix A.
//!
//! Knows characters and their places; resolves nothing and looks nothing up. A fragment is allowed,
//! as JSON Schema's `uri` allows it.

use std::net::Ipv6Addr;

/// True for `scheme ":" hier-part [ "?" query ] [ "#" fragment ]`.
pub(super) fn is_absolute(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (hier, query) = rest.split_once('?').unwrap_or((rest, ""));
    is_scheme(scheme.as_bytes()) && is_hier(hier) && is_tail(query) && is_tail(fragment)
}

fn is_scheme(scheme: &[u8]) -> bool {
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    scheme.first().is_some_and(u8::is_ascii_alphabetic) && scheme.iter().all(part)
}

fn is_hier(hier: &str) -> bool {
    let Some(rest) = hier.strip_prefix("//") else {
        return is_of(hier, b":@/");
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    is_authority(authority) && is_of(path, b":@/")
}

fn is_authority(authority: &str) -> bool {
    let (user, place) = authority.rsplit_once('@').unwrap_or(("", authority));
    is_of(user, b":") && is_place(place)
}

/// `host [ ":" port ]`.
fn is_place(place: &str) -> bool {
    if let Some(literal) = place.strip_prefix('[') {
        let parts = literal.split_once(']');
        return parts.is_some_and(|(host, port)| is_literal(host) && is_port(port));
    }
    let (host, port) = place.split_at(place.find(':').unwrap_or(place.len()));
    is_of(host, b"") && is_port(port)
}

fn is_literal(host: &str) -> bool {
    host.parse::<Ipv6Addr>().is_ok() || is_future(host)
}

/// `"v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`.
fn is_future(host: &str) -> bool {
    let rest = host.strip_prefix(['v', 'V']);
    let Some((version, address)) = rest.and_then(|rest| rest.split_once('.')) else {
        return false;
    };
    let hex = !version.is_empty() && version.bytes().all(|b| b.is_ascii_hexdigit());
    hex && !address.is_empty() && !address.contains('%') && is_of(address, b":")
}

fn is_port(port: &str) -> bool {
    port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
}

fn is_tail(text: &str) -> bool {
    is_of(text, b":@/?")
}

/// Unreserved characters, sub-delimiters, percent-encodings, and those given.
fn is_of(text: &str, more: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let fits = match byte {
            b'%' => [bytes.next(), bytes.next()]
                .iter()
                .all(|digit| digit.is_some_and(|b| b.is_ascii_hexdigit())),
            b'-' | b'.' | b'_' | b'~' => true,
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' => true,
            byte => byte.is_ascii_alphanumeric() || more.contains(&byte),
        };
        if !fits {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert!(is_absolute(right), "{right}");
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
            assert!(!is_absolute(wrong), "{wrong}");
        }
    }
}
