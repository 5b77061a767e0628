//! The reasons for which a platform does not start.
//!
//! Read next: [`super::Host`], which starts it.

use super::http_server::HttpServerError;
use crate::config::SettingsError;
use crate::file::FileError;
use crate::http_client::TrustError;
use crate::master_key::MasterKeyError;
use crate::ssh::BindError;
use crate::ssh::keys::KeyFileError;
use crate::state::NameError;
use crate::webhook::WebhookError;
use std::path::{Path, PathBuf};
use store::PostgresAddress;

/// The reason for which a platform does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The access rules or a profile cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A name or alias is used twice, or no agent takes tasks without an addressee.
    #[error("{0}")]
    Roster(String),
    /// A name is given to two principals, or to an agent that cannot have it.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A key cannot be read or made.
    #[error(transparent)]
    Key(#[from] KeyFileError),
    /// The system cannot start threads for background work.
    #[error("no threads for background work: {0}")]
    Threads(std::io::Error),
    /// The YANG modules do not compile: a defect of this build.
    #[error(transparent)]
    Schema(#[from] yang::LoadError),
    /// The embedder of the schemas cannot be started.
    #[error("[schemas.embedder]: {0}")]
    Embedder(#[from] semantics::backend::Unavailable),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] store::OpenError),
    /// The store is not as last seen: the operator may accept it.
    #[error("{cause}; if that is what is wanted: {}", acceptance(folder, database.as_ref()))]
    Doubt {
        /// The error.
        cause: store::OpenError,
        /// The state folder.
        folder: PathBuf,
        /// The database with the state; none if it is in a file of the folder.
        database: Option<PostgresAddress>,
    },
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] engine::ReadError),
    /// A port cannot be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// There is no master key.
    #[error(transparent)]
    MasterKey(#[from] MasterKeyError),
    /// Reports of tasks cannot be delivered.
    #[error(transparent)]
    Webhook(#[from] WebhookError),
    /// TLS to agents elsewhere cannot be set up.
    #[error("[a2a.peers]: {0}")]
    Outside(#[from] TrustError),
    /// The HTTP server cannot be started.
    #[error(transparent)]
    HttpServer(#[from] HttpServerError),
}

/// The command with which a doubted store is accepted. A password that stood in the URL is left out.
fn acceptance(folder: &Path, database: Option<&PostgresAddress>) -> String {
    let command = format!("convoke store accept --state {}", folder.display());
    match database.map(PostgresAddress::url) {
        // What a shell would act on, in a URL, are its options.
        Some(url) if url.contains('?') => format!("{command} --store '{url}'"),
        Some(url) => format!("{command} --store {url}"),
        None => command,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_advised_names_the_store_that_was_doubted() {
        for (url, expected) in [
            (None, "convoke store accept --state /state"),
            (
                Some("postgres://convoke:secret@%2Frun%2Fpostgresql/c"),
                "convoke store accept --state /state \
                 --store postgres://convoke@%2Frun%2Fpostgresql:5432/c",
            ),
            (
                Some("postgres://convoke@db/c?sslmode=verify-full"),
                "convoke store accept --state /state \
                 --store 'postgres://convoke@db:5432/c?sslmode=verify-full'",
            ),
        ] {
            let address = url.map(|url| url.parse().unwrap());
            assert_eq!(acceptance(Path::new("/state"), address.as_ref()), expected);
        }
    }
}
