//! Places in a JSON document: RFC 6901 pointers, built while walking.

use std::fmt;

/// A place in a JSON document.
#[derive(Clone, Debug)]
pub(crate) struct Place(String);

impl Place {
    /// The whole document.
    pub(crate) fn root() -> Self {
        Self(String::new())
    }

    /// The member called so.
    pub(crate) fn member(&self, name: &str) -> Self {
        Self(format!(
            "{}/{}",
            self.0,
            name.replace('~', "~0").replace('/', "~1")
        ))
    }

    /// The element at an index.
    pub(crate) fn index(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
