//! The session of a browser in a request: its cookie, and whether it may be shown.
//!
//! A browser adds cookies to whatever any page asks, and sends them to every server of a host, whatever its port. So a
//! cookie counts only beside a second secret, in a field of its own, which the pages of the console were given when
//! somebody signed in: pages of other origins can neither read nor send it (there is no CORS), nor do their servers get
//! it. It is not looked at either if the browser says that another's page asks (`Sec-Fetch-Site`, W3C Fetch Metadata
//! §2.4); [`super::guard`] has refused foreign origins before. The name holds the port, since
//! browsers know cookies of a host only (RFC 6265 §8.5). Pure: whose session it is, [`super::caller`] says.

use super::guard;
use hyper::header::{COOKIE, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::http::request::Parts;

/// The scope of the route that begins a session; a token needs that of RESTCONF for it, which the session then has.
pub(crate) const OF_BEGINNING: &str = "console-begin";

/// The scope of the route that ends a session.
pub(crate) const OF_CONSOLE: &str = "console";

/// The scope of RESTCONF, which is all that the console asks.
pub(super) const OF_RESTCONF: &str = "restconf";

/// The scopes that a session has: none that a token could lack which may begin one.
pub(super) const OF_SESSIONS: [&str; 2] = [OF_CONSOLE, OF_RESTCONF];

/// The field of all requests with a session, which says its second secret. Those that begin with `convoke-` are what the
/// nodes of a cluster tell each other, and are not handed on.
pub(super) const FIELD: HeaderName = HeaderName::from_static("console-request");

/// The most cookies of the right name that are looked at: another program at the same host can set some as well.
const COOKIES_MAX: usize = 2;

/// A session as a request shows it.
pub(super) struct Session {
    /// The values of its cookies.
    pub(super) secrets: Vec<String>,
    /// What its pages were given.
    pub(super) page_secret: String,
}

/// The session in a request; none without a cookie or the field, or if pages of another site have asked.
pub(super) fn of(head: &Parts) -> Option<Session> {
    let named = |name: String| -> Vec<String> {
        let cookies = cookies(&head.headers).filter(|(found, _)| *found == name);
        let values = cookies.map(|(_, value)| value.to_owned());
        values.take(COOKIES_MAX).collect()
    };
    // RFC 6265bis §4.1.3.2: one with the prefix was set by this host over HTTPS, which others may not have been.
    let secrets = match named(name(head, true)?) {
        secure if secure.is_empty() => named(name(head, false)?),
        secure => secure,
    };
    if secrets.is_empty() || !is_of_own_site(&head.headers) {
        return None;
    }
    let page_secret = head.headers.get(FIELD)?.to_str().ok()?.to_owned();
    Some(Session {
        secrets,
        page_secret,
    })
}

/// The cookie that begins a session (RFC 6265 §4.1), or, without one, ends it.
pub(crate) fn cookie(head: &Parts, session: Option<(&str, u32)>) -> Option<HeaderValue> {
    let origin = head.headers.get(ORIGIN);
    let is_secure = origin.is_some_and(|origin| origin.as_bytes().starts_with(b"https://"));
    let (value, lasts_s) = session.unwrap_or_default();
    let name = name(head, is_secure)?;
    let secure = if is_secure { "; Secure" } else { "" };
    let text =
        format!("{name}={value}; Path=/; Max-Age={lasts_s}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::try_from(text).ok()
}

/// The name of the cookie at the authority that is asked.
fn name(head: &Parts, is_secure: bool) -> Option<String> {
    let host = guard::host(head).ok()?;
    let prefix = if is_secure { "__Host-" } else { "" };
    Some(match host.port_u16() {
        Some(port) => format!("{prefix}convoke-{port}"),
        None => format!("{prefix}convoke"),
    })
}

fn cookies(fields: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let fields = fields.get_all(COOKIE).iter();
    let pairs = fields.filter_map(|field| field.to_str().ok());
    let pairs = pairs.flat_map(|field| field.split(';'));
    pairs.filter_map(|pair| pair.trim().split_once('='))
}

/// True unless a browser says that a page of another origin asks.
fn is_of_own_site(fields: &HeaderMap) -> bool {
    let site = HeaderName::from_static("sec-fetch-site");
    let mut sites = fields.get_all(site).iter();
    sites.all(|site| site == "same-origin" || site == "none")
}
