//! The reasons for which a management system of the settings cannot be used.
//!
//! Read next: [`super::ems`].

use crate::file::FileError;
use crate::ssh::keys::KeyFileError;
use bindings::netconf::manager::AlarmTypeError;

/// The most management systems.
pub(super) const SYSTEMS: usize = 64;

/// The reason for which a management system cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EmsSettingsError {
    /// The name is no name.
    #[error("a name has 1 to 64 characters, none of them a control character")]
    Name,
    /// Two have the same name.
    #[error("there are two of this name")]
    Twice,
    /// There are too many.
    #[error("there are more than {SYSTEMS} management systems")]
    TooMany,
    /// The address is not `host:port`.
    #[error("address '{0}' is not host:port")]
    Address(String),
    /// No host key is trusted.
    #[error(
        "no host key is trusted: give host-key = \"SHA256:…\" (on a line that is trusted: \
         ssh-keyscan -p PORT HOST | ssh-keygen -lf -), or known-hosts"
    )]
    NoHostKey,
    /// The host key is none.
    #[error("host-key '{0}' is neither a fingerprint SHA256:… nor a line like ssh-ed25519 AAAA…")]
    HostKey(String),
    /// The domain is none.
    #[error("domain '{0}' is none of Wireless, IP, Service, Business")]
    Domain(String),
    /// The user's key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyFileError),
    /// The mapping cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The mapping cannot be used.
    #[error("{file}: {cause}")]
    AlarmTypes {
        /// The file.
        file: String,
        /// The reason.
        #[source]
        cause: AlarmTypeError,
    },
}
