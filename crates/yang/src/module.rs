//! A module as it is announced (RFC 6020 §5.6.4, RFC 7895, RFC 8525).
//!
//! Read next: `library`, which writes the announcement; `generation`, which compiles modules.

/// The conformance to a module (RFC 7895 `conformance-type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conformance {
    /// Its nodes are implemented.
    Implement,
    /// Only its types, groupings and extensions are used.
    Import,
}

/// One announced module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Its revision, `YYYY-MM-DD`; empty if it has none.
    pub revision: String,
    /// Its namespace.
    pub namespace: String,
    /// Its own prefix.
    pub prefix: String,
    /// True for YANG 1.1 (RFC 7950), false for YANG 1 (RFC 6020).
    pub yang_1_1: bool,
    /// The features that are on.
    pub features: Vec<String>,
    /// The modules that deviate it, as (name, revision).
    pub deviations: Vec<(String, String)>,
    /// Its submodules, as (name, revision).
    pub submodules: Vec<(String, String)>,
    /// Implemented or only imported.
    pub conformance: Conformance,
}

impl Module {
    /// True if its nodes are implemented.
    pub fn is_implemented(&self) -> bool {
        self.conformance == Conformance::Implement
    }

    /// `1` or `1.1`.
    pub fn yang_version(&self) -> &'static str {
        if self.yang_1_1 { "1.1" } else { "1" }
    }
}
