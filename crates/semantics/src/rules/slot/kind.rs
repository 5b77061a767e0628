//! The kind of value that a key takes, and which part it plays: read off its name and description.
//!
//! Read next: [`super::told`].

use super::words::Words;
use schema::template::{Constraint, Format, KeyType, Shape};

/// The kind of thing that a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One of listed values.
    Choice,
    /// Yes or no.
    Flag,
    /// A number.
    Amount,
    /// A day.
    Day,
    /// A time of day.
    Clock,
    /// A day with a time.
    Instant,
    /// A telephone number.
    Phone,
    /// An e-mail address.
    Email,
    /// A URL.
    Url,
    /// An IP address.
    Address,
    /// An identifier.
    Code,
    /// A place.
    Place,
    /// A person or a named thing.
    Name,
    /// A sort of thing: a genre, a cuisine.
    Sort,
    /// The words that somebody said or writes.
    Speech,
    /// The thing to be done.
    Advice,
    /// Any words.
    Words,
    /// Several values.
    List,
    /// Nothing that words can tell.
    Nothing,
}

/// The end of a way, a time or a range that a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The place, the time or the origin at which it begins; the lower bound.
    From,
    /// The place or the time at which it ends; the upper bound.
    To,
    /// Neither.
    None,
}

pub(super) fn kinds(shape: &Shape, entry: &Shape, words: &Words<'_>, closed: bool) -> (Kind, Kind) {
    match shape.key_type {
        KeyType::Array => {
            let item = if std::ptr::eq(shape, entry) {
                Shape::of(KeyType::String)
            } else {
                entry.clone()
            };
            (Kind::List, scalar(&item, words, closed))
        }
        _ => {
            let kind = scalar(shape, words, closed);
            (kind, kind)
        }
    }
}

fn scalar(shape: &Shape, words: &Words<'_>, closed: bool) -> Kind {
    match shape.key_type {
        KeyType::Boolean => Kind::Flag,
        KeyType::Integer | KeyType::Number => Kind::Amount,
        KeyType::Object | KeyType::Array => Kind::Nothing,
        KeyType::String | KeyType::Any if closed => Kind::Choice,
        KeyType::String | KeyType::Any => string_kind(&shape.constraint, words),
    }
}

fn string_kind(constraint: &Constraint, words: &Words<'_>) -> Kind {
    if let Some(format) = constraint.format {
        return match format {
            Format::Date => Kind::Day,
            Format::Time => Kind::Clock,
            Format::DateTime => Kind::Instant,
            Format::Ipv4 | Format::Ipv6 => Kind::Address,
            Format::Uri => Kind::Url,
            Format::Uuid => Kind::Code,
        };
    }
    let by_name = KINDS.iter().find(|(_, names, _)| words.named(names));
    let by_prose = KINDS.iter().find(|(_, _, prose)| words.told(prose));
    let kind = by_name
        .or(by_prose)
        .map_or(Kind::Words, |(kind, _, _)| *kind);
    match kind {
        // "departure_time: the date in the format dd/mm/yyyy HH:MM" is an instant.
        Kind::Day | Kind::Clock | Kind::Instant => precise(kind, words.prose),
        kind => kind,
    }
}

/// Tells whether prose asks for a day, a time or both.
fn precise(kind: Kind, prose: &str) -> Kind {
    let day = ["yyyy", "month-day", "calendar date"]
        .iter()
        .any(|w| prose.contains(w));
    let clock = ["hh:mm", "24-hour", "24h", "time of day"]
        .iter()
        .any(|w| prose.contains(w));
    match (day, clock) {
        (true, true) => Kind::Instant,
        (true, false) if kind != Kind::Instant => Kind::Day,
        (false, true) if kind != Kind::Instant => Kind::Clock,
        _ => kind,
    }
}

/// Kinds by words of the name, and by words of the description where the name tells nothing.
const KINDS: &[(Kind, &str, &[&str])] = &[
    (
        Kind::Email,
        " email mail ",
        &["email address", "e-mail address", "邮箱", "电子邮件"],
    ),
    (
        Kind::Phone,
        " phone telephone mobile msisdn callback ",
        &["phone number", "telephone number", "电话号码", "手机号"],
    ),
    (Kind::Url, " url uri link_url endpoint website ", &["url"]),
    (Kind::Address, " ip ipaddress ", &["ip address", "ip地址"]),
    (
        Kind::Instant,
        " datetime timestamp ",
        &["date and time", "date-time", "日期和时间"],
    ),
    (Kind::Day, " date day birthday ", &["date", "日期"]),
    (
        Kind::Clock,
        " time clock ",
        &["time of day", "start time", "end time", "hh:mm"],
    ),
    (
        Kind::Code,
        " id identifier code uuid serial ticket docket sku imei device element site cell router node link port \
             interface board ",
        &["identifier", "unique id", "the id of", "标识", "编号"],
    ),
    (
        Kind::Place,
        " location city place area region country state county district address origin destination where zone \
             town venue station airport street ",
        &[
            "city", "town", "province", "location", "airport", "where it", "区域", "城市", "地点",
            "位置",
        ],
    ),
    (
        Kind::Sort,
        " genre category cuisine style kind flavor color subcategory ",
        &["genre", "category", "cuisine", "style of", "type of"],
    ),
    (
        Kind::Advice,
        " proposal recommendation advice remedy workaround instruction ",
        &["what to do", "处理建议", "处理措施"],
    ),
    (
        Kind::Speech,
        " message content comment body text statement query question note description summary symptom reason ",
        &["message", "free text", "text to"],
    ),
    (
        Kind::Name,
        " name artist director author actor player person starring cast title company team brand restaurant \
             hotel song movie album book who ",
        &["name of", "full name", "名称", "姓名"],
    ),
];

const STARTS: &str = " origin from source departure depart start begin leave pickup since earliest \
 min minimum lower checkin departing first started ";
const ENDS: &str = " destination dest to target arrival arrive end until finish return dropoff \
 deadline latest max maximum upper checkout expiry expiration last going by ";

pub(super) fn role(words: &Words<'_>, kind: Kind) -> Role {
    if !matches!(
        kind,
        Kind::Place
            | Kind::Day
            | Kind::Clock
            | Kind::Instant
            | Kind::Amount
            | Kind::Words
            | Kind::Name
            | Kind::Code
    ) {
        return Role::None;
    }
    let told = |list: &[&str]| kind == Kind::Place && words.told(list);
    match (words.named(STARTS), words.named(ENDS)) {
        (true, false) => Role::From,
        (false, true) => Role::To,
        (false, false)
            if told(&[
                "leaving from",
                "departure",
                "starting",
                "originates",
                "出发",
                "起点",
            ]) =>
        {
            Role::From
        }
        (false, false)
            if told(&[
                "going to",
                "arrival",
                "destination",
                "heading to",
                "ends",
                "到达",
                "终点",
                "目的地",
            ]) =>
        {
            Role::To
        }
        _ => Role::None,
    }
}
