//! The files of the console, embedded as Vite built them (`console/`), with their compressed forms.
//!
//! What they are made of, and how they are built anew, `console/README.md` says.

use crate::http::{HttpResponse, Problem, body};
use base64ct::{Base64UrlUnpadded as Base64, Encoding as _};
use hyper::StatusCode;
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH, VARY,
};
use hyper::http::request::Parts;
use sha2::{Digest as _, Sha256};

/// Scripts, styles and requests of our own and nothing else: no inline script, no frame, no form, no plug-in.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// The fields of each file.
const USUAL: [(HeaderName, HeaderValue); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (VARY, HeaderValue::from_static("accept, accept-encoding")),
    // Looked for again each time, and not sent again while it is the same.
    (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ),
];

/// Name, media type, content, and the same compressed.
type Embedded = (&'static str, &'static str, &'static [u8], &'static [u8]);

macro_rules! embedded {
    ($name:literal, $media_type:literal) => {
        (
            $name,
            $media_type,
            include_bytes!(concat!("../../../../console/dist/", $name)),
            include_bytes!(concat!("../../../../console/dist/", $name, ".gz")),
        )
    };
}

const EMBEDDED: [Embedded; 4] = [
    embedded!("index.html", "text/html; charset=utf-8"),
    embedded!("console.js", "text/javascript; charset=utf-8"),
    embedded!("console.css", "text/css; charset=utf-8"),
    embedded!("icon.svg", "image/svg+xml"),
];

/// The files, with a tag for each.
pub(super) struct Files(Vec<(Embedded, HeaderValue)>);

impl Files {
    /// Those that the program was built with.
    pub(super) fn embedded() -> Self {
        let tagged = EMBEDDED.map(|file| {
            let digest = Base64::encode_string(&Sha256::digest(file.2)[..12]);
            let tag = HeaderValue::try_from(format!("W/\"{digest}\""));
            (file, tag.expect("base64url is ASCII"))
        });
        Self(tagged.into())
    }

    /// A file, unless the client has it.
    ///
    /// # Errors
    /// [`Problem`]: 404 if there is none of that name.
    pub(super) fn answer(&self, name: &str, head: &Parts) -> Result<HttpResponse, Problem> {
        let found = self.0.iter().find(|(file, _)| file.0 == name);
        let ((_, media_type, plain, compressed), tag) = found.ok_or_else(Problem::not_found)?;
        let known = names(&head.headers, IF_NONE_MATCH);
        let is_known = known.iter().any(|known| known.as_bytes() == tag.as_bytes());
        let mut reply = match is_known {
            true => HttpResponse::new(body::whole("")),
            false if takes_gzip(&head.headers) => {
                let mut reply = HttpResponse::new(body::whole(*compressed));
                let coding = HeaderValue::from_static("gzip");
                reply.headers_mut().insert(CONTENT_ENCODING, coding);
                reply
            }
            false => HttpResponse::new(body::whole(*plain)),
        };
        if is_known {
            *reply.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let fields = reply.headers_mut();
        fields.extend(USUAL);
        fields.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        fields.insert(ETAG, tag.clone());
        Ok(reply)
    }
}

/// The members of a list in a field (RFC 9110 §5.6.1).
pub(super) fn names(fields: &HeaderMap, name: HeaderName) -> Vec<&str> {
    let fields = fields.get_all(name).iter();
    let fields = fields.filter_map(|field| field.to_str().ok());
    fields.flat_map(|it| it.split(',')).map(str::trim).collect()
}

/// True if `gzip` is among the codings that a client takes (RFC 9110 §12.5.3).
fn takes_gzip(fields: &HeaderMap) -> bool {
    names(fields, ACCEPT_ENCODING).iter().any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
        let is_refused = weight.parse::<f64>().is_ok_and(|weight| weight == 0.0);
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}
