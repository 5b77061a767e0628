//! The language that people write, for everyone who reads or writes it, in English and Chinese; of
//! use to anyone, without the rest of Convoke.
//!
//! - [`text`]: a text as tokens, sentences and clauses; [`word`]: one English word, and [`script`] one
//!   character; [`span`]: where runs of tokens lie;
//! - [`dictionary`]: words with what they mean, looked for all at once;
//! - [`quantity`]: numbers with their units, in digits and in words;
//! - [`time`]: instants as RFC 3339 writes them; [`calendar`]: days as people name them;
//! - [`gazetteer`]: what towns are called;
//! - [`steps`]: how much work reading a text is; [`mod@excerpt`]: how much of it a message quotes.
//!
//! Knows what is said, and refuses to know what for: templates are the crate `schema`'s, complaints
//! those of `agents`. Pure: time is an argument, there is no chance, no IO.
#![forbid(unsafe_code)]

pub mod calendar;
pub mod dictionary;
pub mod excerpt;
pub mod gazetteer;
pub mod quantity;
pub mod script;
pub mod span;
pub mod steps;
pub mod text;
pub mod time;
pub mod word;
