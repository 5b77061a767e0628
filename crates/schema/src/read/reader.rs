//! Members of JSON objects, each with its place, and what is wrong with them.

use crate::language::Language;
use crate::lint::{Findings, LintRule, Place, TemplateOrigin};
use crate::time::Timestamp;
use serde_json::{Map, Value};

/// An object and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Object<'v> {
    pub(super) members: &'v Map<String, Value>,
    pub(super) at: &'v Place,
}

impl<'v> Object<'v> {
    /// A member that is there and not null, and its place.
    pub(super) fn get(&self, name: &str) -> Option<(&'v Value, Place)> {
        let value = self.members.get(name).filter(|v| !v.is_null())?;
        Some((value, self.at.member(name)))
    }

    /// The first of several members that is there.
    pub(super) fn first(&self, names: &[&str]) -> Option<(&'v Value, Place)> {
        names.iter().find_map(|name| self.get(name))
    }
}

/// Reads members and notes what is wrong.
pub(super) struct Reader {
    pub(super) findings: Findings,
}

impl Reader {
    pub(super) fn new(findings: Findings) -> Self {
        Self { findings }
    }

    pub(super) fn audience(&self) -> TemplateOrigin {
        self.findings.audience()
    }

    pub(super) fn of_peer(&self) -> bool {
        self.audience() == TemplateOrigin::Peer
    }

    pub(super) fn note(&mut self, rule: LintRule, at: &Place, message: impl Into<String>) {
        self.findings.note(rule, at, message);
    }

    /// An object; what else stands there is an error.
    pub(super) fn object<'v>(&mut self, value: &'v Value, at: &'v Place) -> Option<Object<'v>> {
        let members = value.as_object();
        if members.is_none() {
            self.note(LintRule::Mistyped, at, "an object is needed here");
        }
        members.map(|members| Object { members, at })
    }

    /// A string member that the draft demands.
    pub(super) fn demanded_text(&mut self, object: Object<'_>, name: &str) -> Option<String> {
        let Some((value, at)) = object.get(name) else {
            self.note(LintRule::Missing, object.at, format!("'{name}' is missing"));
            return None;
        };
        match value.as_str() {
            Some(text) if !text.trim().is_empty() => Some(text.to_owned()),
            _ => {
                self.note(
                    LintRule::Mistyped,
                    &at,
                    format!("'{name}' is a string that says something"),
                );
                None
            }
        }
    }

    /// An instant that the draft demands.
    pub(super) fn demanded_instant(&mut self, object: Object<'_>, name: &str) -> Option<Timestamp> {
        let text = self.demanded_text(object, name)?;
        Timestamp::parse(&text)
            .map_err(|e| self.note(LintRule::Mistyped, &object.at.member(name), e.to_string()))
            .ok()
    }

    /// An array member that the draft demands.
    pub(super) fn demanded_list<'v>(
        &mut self,
        object: Object<'v>,
        name: &str,
    ) -> Option<&'v Vec<Value>> {
        if !object.members.contains_key(name) {
            self.note(LintRule::Missing, object.at, format!("'{name}' is missing"));
            return None;
        }
        let list = object.members[name].as_array();
        if list.is_none() {
            self.note(
                LintRule::Mistyped,
                &object.at.member(name),
                format!("'{name}' is an array"),
            );
        }
        list
    }

    /// An optional member beside the draft's: none if it is not there or cannot be used.
    pub(super) fn optional<'v, T>(
        &mut self,
        object: Object<'v>,
        name: &str,
        wanted: &str,
        of: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Option<T> {
        let (value, at) = object.get(name)?;
        let read = of(value);
        if read.is_none() {
            self.note(LintRule::Malformed, &at, format!("'{name}' is {wanted}"));
        }
        read
    }

    /// A flag beside the draft's; false if left out.
    pub(super) fn flag(&mut self, object: Object<'_>, name: &str) -> bool {
        self.optional(object, name, "true or false", Value::as_bool)
            .unwrap_or(false)
    }

    /// A language, else the given one.
    pub(super) fn language(&mut self, object: Object<'_>, otherwise: Language) -> Language {
        let Some((value, at)) = object.get("language") else {
            return otherwise;
        };
        match value.as_str().map(Language::parse) {
            Some(Ok(language)) => language,
            _ => {
                self.note(
                    LintRule::Language,
                    &at,
                    format!("{value} is not a language tag"),
                );
                otherwise
            }
        }
    }

    /// Notes members that nobody knows.
    pub(super) fn unknown_members(&mut self, object: Object<'_>, known: &[&str]) {
        for name in object
            .members
            .keys()
            .filter(|name| !known.contains(&name.as_str()))
        {
            self.note(
                LintRule::UnknownMember,
                &object.at.member(name),
                format!("nobody knows '{name}'"),
            );
        }
    }
}
