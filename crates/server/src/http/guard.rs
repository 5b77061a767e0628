//! Checks of a request's head before authentication.
//!
//! Limits; exactly one `Host` (RFC 9112 §3.2), and one of the server's names, so that no page in a
//! browser reaches a platform on loopback under a foreign name (DNS rebinding); no `Origin` but the
//! server's own, so that no foreign page makes requests in its reader's name; no content that is
//! encoded, for nobody decodes it. There is no CORS.
//! Pure: knows heads and the server's names.

use super::limits::HttpLimits;
use super::problem::Problem;
use hyper::header::{CONTENT_ENCODING, HOST, HeaderValue, ORIGIN};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use std::net::IpAddr;

/// The names of the server.
#[derive(Clone, Debug, Default)]
pub struct ServerNames {
    /// The names in `[http]`, in lower case; if none is given, every name is accepted unless the
    /// server is on loopback.
    pub given: Vec<String>,
    /// True if only this machine can reach the server.
    pub loopback: bool,
}

/// Checks a head.
///
/// # Errors
/// [`Problem`]: 414, 431, 400, 421, 403 and 415.
pub(super) fn check(head: &Parts, names: &ServerNames, limits: &HttpLimits) -> Result<(), Problem> {
    check_size(head, limits)?;
    let host = host(head)?;
    if !names.include(host.host()) {
        return Err(Problem::misdirected());
    }
    let own = |origin: &HeaderValue| is_own(origin, &host, names);
    if !head.headers.get_all(ORIGIN).iter().all(own) {
        let detail = "pages of other origins may not ask here";
        return Err(Problem::forbidden(detail));
    }
    match head.headers.get_all(CONTENT_ENCODING).iter().all(is_plain) {
        true => Ok(()),
        false => Err(Problem::encoded()),
    }
}

/// True if a field names no coding of the content (RFC 9110 §8.4.1).
fn is_plain(field: &HeaderValue) -> bool {
    let plain = |coding: &str| coding.is_empty() || coding.eq_ignore_ascii_case("identity");
    let codings = field.to_str();
    codings.is_ok_and(|codings| codings.split(',').map(str::trim).all(plain))
}

fn check_size(head: &Parts, limits: &HttpLimits) -> Result<(), Problem> {
    let target = head.uri.path_and_query().map_or(0, |p| p.as_str().len());
    if target > limits.target_bytes_max {
        return Err(Problem::target_too_long(limits.target_bytes_max));
    }
    let fields = head.headers.iter();
    let bytes: usize = fields.map(|(n, v)| n.as_str().len() + v.len()).sum();
    match head.headers.len() > limits.fields_max || bytes > limits.fields_bytes_max {
        true => Err(Problem::head_too_large(
            limits.fields_max,
            limits.fields_bytes_max,
        )),
        false => Ok(()),
    }
}

/// The authority to which the request is addressed: that of its target (RFC 9112 §3.2.2, RFC 9113
/// §8.3.1) or else its `Host`.
pub(super) fn host(head: &Parts) -> Result<Authority, Problem> {
    let mut fields = head.headers.get_all(HOST).iter();
    let (field, None) = (fields.next(), fields.next()) else {
        return Err(Problem::bad_request("there is more than one Host"));
    };
    let field = field.map(|value| Authority::try_from(value.as_bytes()));
    match (head.uri.authority(), field) {
        (_, Some(Err(_))) => Err(Problem::bad_request("the Host is not one")),
        (Some(target), _) => Ok(target.clone()),
        (None, Some(Ok(field))) => Ok(field),
        (None, None) => Err(Problem::bad_request("there is no Host")),
    }
}

impl ServerNames {
    /// True if it is a name of the server. An address always is: it cannot be rebound.
    fn include(&self, host: &str) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let name = host.trim_end_matches('.').to_lowercase();
        let local = name == "localhost" || name.ends_with(".localhost");
        bare.parse::<IpAddr>().is_ok()
            || self.given.contains(&name)
            || (self.loopback && local)
            || (!self.loopback && self.given.is_empty())
    }
}

/// True if an origin (RFC 6454 §7) is the requested authority, or one of the server's given names:
/// the scheme and port may be those of a proxy in front.
fn is_own(origin: &HeaderValue, host: &Authority, names: &ServerNames) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    let Some(Ok(origin)) = authority.map(str::parse::<Authority>) else {
        return false;
    };
    origin.as_str().eq_ignore_ascii_case(host.as_str())
        || names.given.contains(&origin.host().to_lowercase())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use hyper::Request;

    fn status(fields: &[(&str, &str)], target: &str, names: &ServerNames) -> u16 {
        let mut request = Request::get(target);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        let checked = check(&head, names, &HttpLimits::default());
        checked.map_or_else(|problem| problem.status().as_u16(), |()| 200)
    }

    #[test]
    fn a_request_is_for_us_by_name_or_by_address() {
        let names = |given: &[&str], loopback| ServerNames {
            given: given.iter().map(|n| (*n).to_owned()).collect(),
            loopback,
        };
        let (local, named) = (names(&[], true), names(&["noc.example"], true));
        let (anywhere, outside) = (names(&[], false), names(&["noc.example"], false));
        for (host, at_local, at_named, at_anywhere, at_outside) in [
            ("localhost:8880", 200, 200, 200, 421),
            ("a.localhost", 200, 200, 200, 421),
            ("127.0.0.1:8880", 200, 200, 200, 200),
            ("[::1]:8880", 200, 200, 200, 200),
            ("192.0.2.7", 200, 200, 200, 200),
            ("NOC.example.:443", 421, 200, 200, 200),
            ("evil.example", 421, 421, 200, 421),
            ("127.0.0.1.evil.example", 421, 421, 200, 421),
            ("localhost.evil.example", 421, 421, 200, 421),
            ("a b", 400, 400, 400, 400),
            ("", 400, 400, 400, 400),
        ] {
            for (names, expected) in [
                (&local, at_local),
                (&named, at_named),
                (&anywhere, at_anywhere),
                (&outside, at_outside),
            ] {
                assert_eq!(
                    status(&[("host", host)], "/", names),
                    expected,
                    "{host} {names:?}"
                );
            }
        }
        assert_eq!(status(&[], "/", &local), 400);
        assert_eq!(
            status(&[("host", "localhost"), ("host", "localhost")], "/", &local),
            400
        );
        // The target's own authority counts, whatever the field says.
        assert_eq!(
            status(&[("host", "localhost")], "http://evil.example/", &local),
            421
        );
        assert_eq!(status(&[], "http://127.0.0.1/", &local), 200);
    }

    #[test]
    fn a_page_asks_only_where_it_came_from() {
        let names = ServerNames {
            given: vec!["noc.example".to_owned()],
            loopback: true,
        };
        for (origin, expected) in [
            ("http://localhost:8880", 200),
            ("https://LOCALHOST:8880", 200),
            ("https://noc.example", 200),
            ("http://localhost:3000", 403),
            ("http://localhost", 403),
            ("https://evil.example", 403),
            ("https://noc.example.evil.example", 403),
            ("null", 403),
            ("", 403),
        ] {
            let fields = [("host", "localhost:8880"), ("origin", origin)];
            assert_eq!(status(&fields, "/", &names), expected, "{origin}");
        }
    }

    #[test]
    fn content_is_not_encoded() {
        let names = ServerNames {
            loopback: true,
            ..ServerNames::default()
        };
        let coded = |codings: &[&str]| {
            let mut fields = vec![("host", "localhost")];
            fields.extend(codings.iter().map(|it| ("content-encoding", *it)));
            status(&fields, "/", &names)
        };
        assert_eq!(coded(&["identity"]), 200);
        assert_eq!(coded(&["Identity,"]), 200);
        assert_eq!(coded(&["gzip"]), 415);
        assert_eq!(coded(&["identity, br"]), 415);
        assert_eq!(coded(&["identity", "gzip"]), 415);
        let reply = Problem::encoded().reply();
        assert_eq!(reply.headers()["accept-encoding"], "identity");
    }

    #[test]
    fn a_head_has_bounds() {
        let names = ServerNames {
            loopback: true,
            ..ServerNames::default()
        };
        let host = ("host", "localhost");
        let fields = |count: usize| [&vec![("a", "b"); count - 1][..], &[host]].concat();
        assert_eq!(status(&fields(100), "/", &names), 200);
        assert_eq!(status(&fields(101), "/", &names), 431);
        let long = "x".repeat(16 << 10);
        assert_eq!(status(&[host, ("a", &long[14..])], "/", &names), 200);
        assert_eq!(status(&[host, ("a", &long[13..])], "/", &names), 431);
        let target = format!("/?{}", "x".repeat((8 << 10) - 2));
        assert_eq!(status(&[host], &target, &names), 200);
        assert_eq!(status(&[host], &format!("{target}x"), &names), 414);
    }
}
