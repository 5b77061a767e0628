//! Structured key-value schemas between agents, as draft-zhou-structured-data-schema-interaction-00
//! describes them; of use to anyone, without NETCONF and without the rest of Convoke.
//!
//! - [`template`]: the schema template of §4.1, its keys, their annotations and what they hold;
//! - [`read`] and [`lint`]: a template from JSON, with all that is wrong with it, and where;
//! - [`write`](mod@write): a template as JSON in one language, for `get_schema_template`;
//! - [`language`]: BCP 47 tags and their lookup;
//! - [`contract`]: a template made ready to check payloads in microseconds; [`violation`]: what is
//!   wrong with one; [`other`]: the reserved key of §4.3;
//! - [`catalogue`]: the templates of one server agent by scenario and version;
//! - [`shipped`]: the templates that come with Convoke;
//! - [`render`]: JSON Schema, YANG, prompt, grammar and form of one template;
//! - [`patch`], [`evolution`]: how a schema grows out of what it does not cover (§6.2);
//! - [`signature`], [`canonical`]: who vouches for a template or a patch (§7);
//! - [`semantics`]: the contracts of those who understand language; the crate `semantics` fulfils
//!   them;
//! - [`json`]: JSON texts of strangers, and how much of them is read; [`steps`]: how much work
//!   reading words is.
//!
//! Pure: time is an argument, there is no chance, no IO.
#![forbid(unsafe_code)]

// What makes templates at random names this crate as other packages do.
#[cfg(test)]
extern crate self as schema;

#[cfg(test)]
mod arbitrary;
pub mod canonical;
pub mod catalogue;
pub mod contract;
pub mod evolution;
mod iregexp;
pub mod json;
pub mod language;
pub mod lint;
pub mod other;
pub mod patch;
pub mod read;
pub mod render;
pub mod semantics;
pub mod shipped;
pub mod signature;
pub mod template;
pub mod violation;
pub mod write;

pub use ::language::{steps, time};
