//! The prose of a description: mapping examples, and hints of acceptable values (§4.1).
//!
//! Knows the ways in which authors write them, in English and Chinese. What is found here helps
//! those who parse language; it is never enforced.

mod examples;
mod hint;

pub use examples::examples;
pub use hint::{Acceptable, acceptable};

use crate::lint::DESCRIPTION_BYTES_MAX;
use crate::template::{Description, KeyType};

/// A prose as its author wrote it, with the examples that can be read from it. One that is longer
/// than a description may be is not searched.
pub fn description(prose: &str, key_type: KeyType) -> Description {
    let searched = if prose.len() > DESCRIPTION_BYTES_MAX {
        ""
    } else {
        prose
    };
    Description {
        meaning: prose.to_owned(),
        verbatim: true,
        examples: examples(searched, key_type),
    }
}
