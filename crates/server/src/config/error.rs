//! The reasons for which settings cannot be used.
//!
//! Read next: [`super::Settings`].

use super::ems_error::EmsSettingsError;
use crate::file::FileError;
use std::net::SocketAddr;

/// The reason for which the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// Other machines could connect, but keys and access rules have not been prepared.
    #[error(
        "{0} is not a loopback address: start once on loopback, put keys into users/ and check \
         access.toml, then ask for it again"
    )]
    Exposed(SocketAddr),
    /// Tokens could be read on their way.
    #[error(
        "[http]: {0} would carry tokens in the clear: give it a certificate in [http.tls], or say \
         allow-plain = true if a proxy in front of it speaks TLS"
    )]
    Plain(SocketAddr),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] crate::http::tls::TlsError),
    /// A receiver of reports, or an agent elsewhere, cannot be allowed.
    #[error("[{section}]: {cause}")]
    Place {
        /// The section of the entry.
        section: &'static str,
        /// The reason.
        #[source]
        cause: crate::webhook::BadEntry,
    },
    /// The size of a state in a database is not known.
    #[error(
        "[retention]: max-size-mib is for a state in a file, and [store] url names a database, which \
         does not tell what a state takes: max-age-days holds there"
    )]
    SizeUnknown,
    /// A node cannot have this name.
    #[error(
        "[cluster]: '{0}' is no name of a node: letters and digits, and '.', '_' and '-' in between, \
         at most 64"
    )]
    NodeName(String),
    /// The nodes of a platform have their state in one database.
    #[error(
        "node '{0}' of a cluster has its state in PostgreSQL, as all others: say --store postgres://…, \
         or url in [store]"
    )]
    NodeAlone(String),
    /// The nodes of a platform work on one network, which none of them can simulate.
    #[error(
        "node '{node}' of a cluster cannot have the network '{network}', which is simulated in one process: \
         say --network none, or name management systems with --ems"
    )]
    NodeNetwork {
        /// The node.
        node: String,
        /// The network.
        network: String,
    },
    /// The numbers of evolution contradict each other.
    #[error("[schemas.evolution]: {0}")]
    Evolution(String),
    /// The embedder does not exist, or its parameters are missing.
    #[error("[schemas.embedder]: {0}")]
    Embedder(#[source] semantics::backend::Unavailable),
    /// No agent has the role.
    #[error("roles: no agent has the role '{role}'; known are {known}")]
    Role {
        /// The role.
        role: String,
        /// The roles that exist.
        known: String,
    },
    /// A management system cannot be used.
    #[error("[[ems]] '{system}': {cause}")]
    Ems {
        /// Its name.
        system: String,
        /// The reason.
        #[source]
        cause: Box<EmsSettingsError>,
    },
    /// There would be two networks.
    #[error(
        "network is '{0}' and there are management systems: agents work on one network; say \
         --network none, or leave out --ems and [[ems]]"
    )]
    TwoNetworks(String),
    /// A number is out of range.
    #[error("{name} is {value}; it must be {range}")]
    Range {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// The allowed range.
        range: &'static str,
    },
}
