//! Where a state is.
//!
//! Read next: [`super::options`].

use crate::postgres::address::PostgresAddress;
use std::fmt;
use std::path::{Path, PathBuf};

/// The location of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In this file, with `-wal`, `-shm` and `.lock` files beside it.
    File(PathBuf),
    /// In this database of PostgreSQL.
    Postgres(PostgresAddress),
    /// In memory; gone when the store is dropped. For tests and simulations.
    Memory,
}

/// The file, the URL of the database without its password, or that it is in memory.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Postgres(address) => address.fmt(f),
            Self::Memory => f.write_str("a state in memory"),
        }
    }
}

impl From<&Location> for Location {
    fn from(location: &Location) -> Self {
        location.clone()
    }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&PathBuf> for Location {
    fn from(path: &PathBuf) -> Self {
        Self::File(path.clone())
    }
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}
