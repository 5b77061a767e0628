//! The routes behind the server: path patterns, methods and handlers.
//!
//! A route is public or guarded; the handler of a guarded one takes the [`Caller`], so that
//! authentication cannot be forgotten. Knows paths, methods, and fields where a route is there for some requests alone; [`super::server`] authenticates.

use super::body::HttpResponse;
use super::caller::Caller;
use super::problem::Problem;
use super::request::HttpRequest;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;

/// A response under way.
pub type Answering = Pin<Box<dyn Future<Output = Result<HttpResponse, Problem>> + Send>>;

type Open = Arc<dyn Fn(HttpRequest) -> Answering + Send + Sync>;
type Guarded = Arc<dyn Fn(Caller, HttpRequest) -> Answering + Send + Sync>;

/// The routes behind a server, in the order in which they are tried.
#[derive(Clone, Default)]
pub struct Router {
    routes: Vec<Route>,
}

#[derive(Clone)]
struct Route {
    pattern: Pattern,
    methods: Vec<Method>,
    /// Whether the route is there for a request with these fields; always, if none.
    is_for: Option<fn(&HeaderMap) -> bool>,
    entry: Entry,
}

/// The access to a route, and its handler.
#[derive(Clone)]
pub(super) enum Entry {
    Open(Open),
    Guarded {
        scope: Option<&'static str>,
        /// True if the route ends the credential that it is shown.
        ends: bool,
        answer: Guarded,
    },
}

/// The result of looking up a path.
pub(super) enum Found {
    /// A route, and its captures.
    Route(Entry, Vec<String>),
    /// Only routes with other methods.
    Methods(Vec<Method>),
    Nothing,
}

impl Router {
    /// A router without routes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a public route. A pattern is a path in which `{}` stands for one segment and `*`, at
    /// its end, for any number of them; both reach [`HttpRequest::captures`], decoded. Without
    /// methods all are accepted; GET includes HEAD.
    #[must_use]
    pub fn open<F, R>(self, pattern: &str, methods: &[Method], answer: F) -> Self
    where
        F: Fn(HttpRequest) -> R + Send + Sync + 'static,
        R: Future<Output = Result<HttpResponse, Problem>> + Send + 'static,
    {
        let entry = Entry::Open(Arc::new(move |ask| Box::pin(answer(ask))));
        self.with(pattern, methods, entry)
    }

    /// Adds a guarded route; a token with scopes needs `scope` among them, if that is given.
    #[must_use]
    pub fn guarded<F, R>(
        self,
        pattern: &str,
        methods: &[Method],
        scope: Option<&'static str>,
        answer: F,
    ) -> Self
    where
        F: Fn(Caller, HttpRequest) -> R + Send + Sync + 'static,
        R: Future<Output = Result<HttpResponse, Problem>> + Send + 'static,
    {
        let answer: Guarded = Arc::new(move |caller, ask| Box::pin(answer(caller, ask)));
        self.with(
            pattern,
            methods,
            Entry::Guarded {
                scope,
                ends: false,
                answer,
            },
        )
    }

    fn with(mut self, pattern: &str, methods: &[Method], entry: Entry) -> Self {
        self.routes.push(Route {
            pattern: Pattern::new(pattern),
            methods: methods.to_vec(),
            is_for: None,
            entry,
        });
        self
    }

    /// The same, whose last route is there only for requests with such fields. Others find what is
    /// mounted after it.
    #[must_use]
    pub fn only_for(mut self, is_for: fn(&HeaderMap) -> bool) -> Self {
        if let Some(route) = self.routes.last_mut() {
            route.is_for = Some(is_for);
        }
        self
    }

    /// The same, whose last route ends the credential that it is shown: it answers although that counts no
    /// more. The answer has no body, which would be cut off.
    #[must_use]
    pub fn ending_credentials(mut self) -> Self {
        if let Some(Entry::Guarded { ends, .. }) = self.routes.last_mut().map(|it| &mut it.entry) {
            *ends = true;
        }
        self
    }

    /// The route at a path for a request without a credential. A guarded route is not revealed.
    pub(super) fn find_open(&self, head: &Parts) -> Found {
        let open = |route: &&Route| matches!(route.entry, Entry::Open(_));
        let found = find(self.routes.iter().filter(open), head);
        match (&found, self.find(head)) {
            (Found::Methods(_), Found::Route(..)) => Found::Nothing,
            _ => found,
        }
    }

    /// The route at a path for callers, which sees all routes.
    pub(super) fn find(&self, head: &Parts) -> Found {
        find(self.routes.iter(), head)
    }
}

fn find<'r>(routes: impl Iterator<Item = &'r Route>, head: &Parts) -> Found {
    let mut others = Vec::new();
    let mut there = false;
    let is_there = |route: &&Route| route.is_for.is_none_or(|is_for| is_for(&head.headers));
    for route in routes.filter(is_there) {
        let Some(captures) = route.pattern.captures(head.uri.path()) else {
            continue;
        };
        if route.takes(&head.method) {
            return Found::Route(route.entry.clone(), captures);
        }
        there = true;
        others.extend(route.methods.iter().cloned());
    }
    match there {
        true => Found::Methods(others),
        false => Found::Nothing,
    }
}

impl Route {
    fn takes(&self, method: &Method) -> bool {
        // RFC 9110 §9.3.2: what answers GET answers HEAD.
        let wanted = match *method {
            Method::HEAD => &Method::GET,
            _ => method,
        };
        self.methods.is_empty() || self.methods.contains(wanted) || self.methods.contains(method)
    }
}

#[derive(Clone, Debug)]
struct Pattern {
    segments: Vec<Segment>,
    goes_on: bool,
}

#[derive(Clone, Debug)]
enum Segment {
    Word(String),
    Any,
}

impl Pattern {
    fn new(text: &str) -> Self {
        let path = text.strip_prefix('/').expect("a pattern begins with '/'");
        let (path, goes_on) = match path.strip_suffix("/*") {
            Some(front) => (front, true),
            None => (path, false),
        };
        let segments = path.split('/').map(|segment| match segment {
            "{}" => Segment::Any,
            word => Segment::Word(word.to_owned()),
        });
        Self {
            segments: segments.collect(),
            goes_on,
        }
    }

    /// The captures of a path; none if it does not match. The last one, if the pattern ends with
    /// `*`, is the rest of the path as sent, with its slash.
    fn captures(&self, path: &str) -> Option<Vec<String>> {
        let mut captures = Vec::new();
        let mut rest = path;
        for segment in &self.segments {
            let inner = rest.strip_prefix('/')?;
            let end = inner.find('/').unwrap_or(inner.len());
            let (word, after) = inner.split_at(end);
            let word = decoded(word)?;
            match segment {
                Segment::Word(wanted) if *wanted == word => {}
                Segment::Any if !word.is_empty() => captures.push(word.into_owned()),
                Segment::Word(_) | Segment::Any => return None,
            }
            rest = after;
        }
        match self.goes_on {
            true => captures.push(rest.to_owned()),
            false if !rest.is_empty() => return None,
            false => {}
        }
        Some(captures)
    }
}

/// A segment with percent-encoding decoded (RFC 3986 §2.1); none if that is malformed, or not
/// UTF-8.
pub fn decoded(segment: &str) -> Option<Cow<'_, str>> {
    let is_whole = |after: &str| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let whole = segment.split('%').skip(1).all(is_whole);
    whole.then(|| percent_decode_str(segment).decode_utf8().ok())?
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_leaves_segments_and_the_rest_open() {
        let captures = |pattern: &str, path: &str| {
            let found = Pattern::new(pattern).captures(path);
            found.map(|captures| captures.join("|"))
        };
        for (pattern, path, expected) in [
            ("/livez", "/livez", Some("")),
            ("/livez", "/live%7A", Some("")),
            ("/livez", "/livez/", None),
            ("/livez", "//livez", None),
            ("/livez", "/./livez", None),
            ("/livez", "", None),
            ("/livez", "*", None),
            ("/agents/{}/card", "/agents/ip%20east/card", Some("ip east")),
            ("/agents/{}/card", "/agents/a%2Fb/card", Some("a/b")),
            ("/agents/{}/card", "/agents//card", None),
            ("/agents/{}/card", "/agents/%zz/card", None),
            ("/agents/{}/card", "/agents/%ff/card", None),
            ("/agents/{}/card", "/agents/%/card", None),
            ("/agents/{}/*", "/agents/ip", Some("ip|")),
            ("/agents/{}/*", "/agents/ip/", Some("ip|/")),
            (
                "/agents/{}/*",
                "/agents/ip/message%3Asend",
                Some("ip|/message%3Asend"),
            ),
            ("/agents/{}/*", "/agents", None),
        ] {
            assert_eq!(
                captures(pattern, path).as_deref(),
                expected,
                "{pattern} {path}"
            );
        }
    }

    fn told(found: Found) -> String {
        match found {
            Found::Route(Entry::Open(_), _) => "open".to_owned(),
            Found::Route(Entry::Guarded { scope, .. }, _) => scope.unwrap().to_owned(),
            Found::Methods(methods) => format!("{methods:?}"),
            Found::Nothing => String::new(),
        }
    }

    fn head(method: &Method, path: &str, accept: &str) -> Parts {
        let request = hyper::Request::builder().method(method).uri(path);
        let (head, ()) = request
            .header("accept", accept)
            .body(())
            .unwrap()
            .into_parts();
        head
    }

    #[test]
    fn a_route_may_be_there_for_some_requests_only() {
        let router = Router::new()
            .open("/", &[Method::GET], |_| async { Err(Problem::not_found()) })
            .only_for(|fields| fields["accept"] == "text/html")
            .guarded("/", &[], Some("a"), |_, _| async {
                Err(Problem::not_found())
            });
        for (method, accept, everybody, callers) in [
            (Method::GET, "text/html", "open", "open"),
            (Method::GET, "*/*", "", "a"),
            (Method::POST, "text/html", "", "a"),
        ] {
            let head = head(&method, "/", accept);
            assert_eq!(
                told(router.find_open(&head)),
                everybody,
                "{method} {accept}"
            );
            assert_eq!(told(router.find(&head)), callers, "{method} {accept}");
        }
    }

    #[test]
    fn the_first_room_that_takes_the_method_answers() {
        let nobody = async |_: HttpRequest| Err(Problem::not_found());
        let router = Router::new()
            .open("/a/card", &[Method::GET], move |ask| async move {
                nobody(ask).await
            })
            .guarded(
                "/a/*",
                &[Method::GET, Method::POST],
                Some("a"),
                |_, _| async { Err(Problem::not_found()) },
            );
        for (method, path, everybody, callers) in [
            (Method::GET, "/a/card", "open", "open"),
            (Method::HEAD, "/a/card", "open", "open"),
            (Method::POST, "/a/card", "", "a"),
            (Method::PUT, "/a/card", "[GET]", "[GET, GET, POST]"),
            (Method::GET, "/a", "", "a"),
            (Method::GET, "/b", "", ""),
        ] {
            let head = head(&method, path, "*/*");
            assert_eq!(told(router.find_open(&head)), everybody, "{method} {path}");
            assert_eq!(told(router.find(&head)), callers, "{method} {path}");
        }
    }
}
