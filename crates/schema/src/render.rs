//! One template, many contracts (draft-zhou §4, §6.1): what others can read, made from a template.
//!
//! - [`json_schema`]: JSON Schema 2020-12, for A2A, MCP and whoever checks by it;
//! - [`yang`]: a YANG module, and payloads as typed XML;
//! - [`prompt`] and [`with_utterance`]: what a language model is told;
//! - [`gbnf`] and [`response_format`]: what holds a language model to the schema (§6.1);
//! - [`form`]: an HTML form for people.
//!
//! Everything here follows from the template and a language alone, the same at every call. Checking
//! payloads is the business of [`crate::contract`], the wire form that agents negotiate that of
//! [`crate::write`].
//!
//! # Where the forms differ
//!
//! A *canonical* payload is accepted by JSON Schema exactly when by YANG. Canonical is what
//! [`crate::contract`] makes of a payload before it checks it: no nulls, no `3.0` for an integer, no
//! empty optional array, `other` a string or several. What the forms make of the rest:
//!
//! | payload | JSON Schema | YANG, typed XML | our own check, canonical form |
//! |---|---|---|---|
//! | `null` for an optional key | refused | has no XML form | accepted: key left out |
//! | `3.0` for an integer | accepted | `3.0` is no int64 | accepted: 3 |
//! | an integer beyond 64 bits | accepted, unless `maximum` says less | refused | refused |
//! | a number with more than six decimals, or beyond ±9.2·10^12 | accepted | refused | accepted as it is: give a range |
//! | an empty array for an optional key | accepted | the key is not there | accepted: key left out |
//! | `other`: `["x"]` | accepted | accepted, and read back as `"x"` | accepted: `"x"` |
//! | `other` malformed | refused | has no XML form | accepted: left out, with a warning |
//! | a control character or noncharacter in a string | accepted | has no XML form | accepted as it is |
//! | a second 60 (`23:59:60Z`) | accepted where it can exist | refused | accepted as it is |
//! | an object or array without declared content, arrays in arrays | all that is declared | JSON text in anydata: type only, not looked into, `maxItems` not counted | all that is declared |
//! | a string for an integer, `"3"` | refused | could not be told from 3 in XML: [`yang::to_xml`] refuses to write it | refused |
//! | `default` of an object, of an array of objects | told | not told: YANG has none | – |
//! | `\p{…}` in a pattern | by the Unicode version of the validator | by that of the validator | by that of `regex` |
//! | `enum` | as JSON | `enumeration`; a `pattern` where a value begins or ends in blanks, is empty, or the key has another constraint on its text; a `range` for numbers | as JSON |
//!
//! The forms for models and people are wider on purpose, and what they give is checked again:
//! grammar and response format let every key be `null`, which says "not said"; the grammar does not
//! hold lengths above 200, `\p{…}` patterns and the ranges of fractional numbers; a browser counts
//! `maxlength` in UTF-16 units.

mod decimal;
mod dialect;
#[cfg(test)]
mod fixture;
pub mod form;
mod formats;
mod gbnf;
mod json_schema;
mod prompt;
mod response_format;
mod wording;
pub mod yang;

pub(crate) use dialect::ecma;
pub use form::form;
pub use gbnf::gbnf;
pub use json_schema::{json_schema, json_schema_object};
pub use prompt::{prompt, with_utterance};
pub use response_format::response_format;

#[cfg(test)]
mod tests;
