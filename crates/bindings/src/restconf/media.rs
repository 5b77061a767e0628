//! The encodings of data, and which of them a client takes (RFC 9110 §12.5.1) or sends.
//!
//! Knows names of media types alone. Read next: [`super::binding`].

/// The media type of a stream of events (RFC 8040 §6.3).
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// How data is written (RFC 8040 §3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    /// RFC 7951.
    #[default]
    Json,
    /// RFC 7950.
    Xml,
}

impl Encoding {
    /// All of them; the first is taken where a client has no preference.
    pub(super) const ALL: [Encoding; 2] = [Encoding::Json, Encoding::Xml];

    /// Its media type.
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Encoding::Json => "application/yang-data+json",
            Encoding::Xml => "application/yang-data+xml",
        }
    }

    /// Its name in a list of streams (RFC 8040 §9.3).
    pub(super) fn name(self) -> &'static str {
        match self {
            Encoding::Json => "json",
            Encoding::Xml => "xml",
        }
    }

    /// The one that a client takes most gladly by its `Accept` fields; none if it takes neither.
    pub(super) fn accepted<'a>(fields: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let quality = |encoding: &Self| quality(fields.clone(), encoding.media_type());
        let best = Self::ALL.iter().map(quality).max()?;
        let wanted = Self::ALL.iter().find(|it| quality(it) == best)?;
        (best > 0).then_some(*wanted)
    }

    /// The one that a `Content-Type` names; parameters do not count, but for a charset that is not UTF-8.
    pub(super) fn of_content(content_type: &str) -> Option<Self> {
        let mut parts = content_type.split(';');
        let media_type = parts.next().unwrap_or_default().trim();
        let is_utf_8 = parts.all(|parameter| match parameter.trim().split_once('=') {
            Some((name, value)) if name.eq_ignore_ascii_case("charset") => {
                value.trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        });
        let mut all = Self::ALL.into_iter();
        all.find(|it| media_type.eq_ignore_ascii_case(it.media_type()) && is_utf_8)
    }
}

/// How gladly a media type is taken, in thousandths; 0 if it is not. Without fields everything is.
pub(super) fn quality<'a>(fields: impl Iterator<Item = &'a str>, media_type: &str) -> u16 {
    let mut best: Option<(u8, u16)> = None;
    let mut is_stated = false;
    let ranges = fields.flat_map(|field| field.split(','));
    for range in ranges.map(str::trim).filter(|range| !range.is_empty()) {
        is_stated = true;
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let Some(precision) = precision(name, media_type) else {
            continue;
        };
        let weight = parts.find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim()
                .eq_ignore_ascii_case("q")
                .then(|| thousandths(value.trim()))
        });
        let weight = weight.unwrap_or(1_000);
        // RFC 9110 §12.5.1: the most specific range counts.
        if best.is_none_or(|(known, high)| (precision, weight) > (known, high)) {
            best = Some((precision, weight));
        }
    }
    match (is_stated, best) {
        (false, _) => 1_000,
        (true, best) => best.map_or(0, |(_, weight)| weight),
    }
}

/// How precisely a range names a media type; none if it does not.
fn precision(range: &str, media_type: &str) -> Option<u8> {
    let (kind, _) = media_type.split_once('/')?;
    if range.eq_ignore_ascii_case(media_type) {
        return Some(2);
    }
    match range.split_once('/')? {
        ("*", "*") => Some(0),
        (own, "*") if own.eq_ignore_ascii_case(kind) => Some(1),
        _ => None,
    }
}

/// A weight; one that is none counts as nothing.
fn thousandths(value: &str) -> u16 {
    let (whole, part) = value.split_once('.').unwrap_or((value, ""));
    let is_short = part.len() <= 3 && part.bytes().all(|digit| digit.is_ascii_digit());
    match (whole, is_short) {
        ("1", true) if part.bytes().all(|digit| digit == b'0') => 1_000,
        ("0", true) => format!("{part:0<3}").parse().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_what_it_takes_most_gladly() {
        use Encoding::{Json, Xml};
        for (accept, expected) in [
            (vec![], Some(Json)),
            (vec!["*/*"], Some(Json)),
            (vec!["application/yang-data+xml"], Some(Xml)),
            (vec!["APPLICATION/Yang-Data+XML"], Some(Xml)),
            (
                vec!["application/yang-data+json;q=0.5, application/yang-data+xml"],
                Some(Xml),
            ),
            (
                vec!["application/yang-data+json;q=0.5", "application/*;q=0.4"],
                Some(Json),
            ),
            (vec!["*/*, application/yang-data+json;q=0"], Some(Xml)),
            (vec!["application/*;q=0.001"], Some(Json)),
            (vec!["application/json"], None),
            (vec!["text/*"], None),
            (vec!["*/*;q=0"], None),
            (vec!["application/yang-data+xml;q=2"], None),
            (vec!["application/yang-data+xml;q=0.1234"], None),
            (vec!["nonsense,,;;"], None),
        ] {
            assert_eq!(
                Encoding::accepted(accept.iter().copied()),
                expected,
                "{accept:?}"
            );
        }
    }

    #[test]
    fn content_is_what_it_says() {
        use Encoding::{Json, Xml};
        for (content_type, expected) in [
            ("application/yang-data+json", Some(Json)),
            ("application/yang-data+xml; charset=UTF-8", Some(Xml)),
            ("application/yang-data+xml; charset=latin1", None),
            ("application/json", None),
            ("", None),
        ] {
            assert_eq!(
                Encoding::of_content(content_type),
                expected,
                "{content_type}"
            );
        }
    }
}
