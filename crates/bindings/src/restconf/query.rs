//! The parameters of a request (RFC 8040 §4.8): which there are for a resource, and their values.
//!
//! Each may stand once; one that is not offered there is refused by name. Read next: [`super::retrieve`],
//! [`super::events`], which give them their meaning.

use super::errors::RestconfError;
use super::escape::decoded;
use ::netconf::filter::DefaultsMode;
use domain::excerpt::excerpt;
use std::borrow::Cow;

/// Those of data.
pub(super) const OF_DATA: &[&str] = &["content", "depth", "fields", "with-defaults"];

/// Those of a stream.
pub(super) const OF_STREAM: &[&str] = &["filter", "start-time", "stop-time"];

/// The parameters of a request.
#[derive(Debug, Default)]
pub(super) struct Query<'q> {
    given: Vec<(&'q str, Cow<'q, str>)>,
}

impl<'q> Query<'q> {
    /// Reads the part behind `?`.
    ///
    /// # Errors
    /// 400 for a parameter that is not offered, stands twice or has no value.
    pub(super) fn read(text: Option<&'q str>, offered: &[&str]) -> Result<Self, RestconfError> {
        let mut query = Self::default();
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return Ok(query);
        };
        for part in text.split('&') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if !offered.contains(&name) {
                return Err(not_offered(name, offered));
            }
            if query.value(name).is_some() {
                return Err(RestconfError::invalid(format!("'{name}' is said twice")));
            }
            let value = decoded(value).filter(|value| !value.is_empty());
            let value = value.ok_or_else(|| {
                RestconfError::invalid(format!("'{name}' has no value that can be read"))
            })?;
            query.given.push((name, value));
        }
        Ok(query)
    }

    /// The value of a parameter.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let mut given = self.given.iter();
        let found = given.find(|(known, _)| *known == name);
        found.map(|(_, value)| &**value)
    }

    /// Whether configuration alone is wanted, or state alone; none for both (§4.8.1).
    ///
    /// # Errors
    /// 400
    pub(super) fn content(&self) -> Result<Option<bool>, RestconfError> {
        match self.value("content") {
            None | Some("all") => Ok(None),
            Some("config") => Ok(Some(true)),
            Some("nonconfig") => Ok(Some(false)),
            Some(other) => Err(none_of("content", other, "config, nonconfig or all")),
        }
    }

    /// The levels that are wanted, the resource itself the first; none for all (§4.8.2).
    ///
    /// # Errors
    /// 400
    pub(super) fn depth(&self) -> Result<Option<u16>, RestconfError> {
        match self.value("depth") {
            None | Some("unbounded") => Ok(None),
            Some(text) => match text.parse::<u16>() {
                Ok(levels) if levels > 0 && text.bytes().all(|c| c.is_ascii_digit()) => {
                    Ok(Some(levels))
                }
                _ => Err(none_of("depth", text, "unbounded or 1 to 65535")),
            },
        }
    }

    /// How defaults are reported (§4.8.9).
    ///
    /// # Errors
    /// 400
    pub(super) fn defaults(&self) -> Result<DefaultsMode, RestconfError> {
        match self.value("with-defaults") {
            None => Ok(DefaultsMode::default()),
            Some(mode) => DefaultsMode::from_wire(mode).ok_or_else(|| {
                let modes = "report-all, trim, explicit or report-all-tagged";
                none_of("with-defaults", mode, modes)
            }),
        }
    }
}

fn none_of(name: &str, value: &str, expected: &str) -> RestconfError {
    let value = excerpt(value);
    RestconfError::invalid(format!("'{name}' is {expected}, not '{value}'"))
}

fn not_offered(name: &str, offered: &[&str]) -> RestconfError {
    let name = excerpt(name);
    RestconfError::invalid(match offered {
        [] => format!("the parameter '{name}' is not offered here, nor any other"),
        offered => {
            let offered = offered.join(", ");
            format!("the parameter '{name}' is not offered here; there are {offered}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_those_that_are_offered_each_once() {
        for (text, is_read) in [
            (None, true),
            (Some(""), true),
            (Some("depth=3&content=config"), true),
            (
                Some("depth=unbounded&with-defaults=report-all-tagged"),
                true,
            ),
            (Some("fields=a%3Bb"), true),
            (Some("depth=3&depth=3"), false),
            (Some("depth"), false),
            (Some("depth="), false),
            (Some("depth=%zz"), false),
            (Some("filter=x"), false),
            (Some("insert=first"), false),
            (Some("&"), false),
        ] {
            assert_eq!(Query::read(text, OF_DATA).is_ok(), is_read, "{text:?}");
        }
        for (text, is_right) in [
            ("content=all&depth=1", true),
            ("content=nonconfig&depth=65535", true),
            ("content=state", false),
            ("depth=0", false),
            ("depth=65536", false),
            ("depth=+1", false),
            ("with-defaults=all", false),
        ] {
            let query = Query::read(Some(text), OF_DATA).expect("they are offered");
            let read = query
                .content()
                .and(query.depth().map(drop))
                .and(query.defaults().map(drop));
            assert_eq!(read.is_ok(), is_right, "{text}");
        }
    }
}
