//! The entry of somebody who has shown a key: whether there is room, and whether the key still counts.
//!
//! Who is connected to this process shows it in a handshake (`handler`); of who is connected to another node
//! of a cluster, that node tells it.

use super::authentication::{Attempt, Authenticator};
use super::limiter::{ConnectionLimiter, SessionPermit};
use super::logins::{Login, Place};
use russh::keys::ssh_key::public::KeyData;
use russh::keys::{HashAlg, PublicKey};
use std::net::IpAddr;
use std::sync::Arc;

/// A place among all sessions, and among those of its user; or why there is none.
pub(super) fn enter(
    limiter: &Arc<ConnectionLimiter>,
    authenticator: &dyn Authenticator,
    user: &str,
    key: &KeyData,
) -> Result<(SessionPermit, Place), &'static str> {
    match (limiter.session(), limiter.logins().enter(user, key)) {
        _ if limiter.logins().is_short() && !authenticator.is_own(user) => {
            Err("memory is short, try again later")
        }
        // It may have been taken away since it was accepted; from here on that would be noticed.
        _ if !authenticator.still_admits(user, key) => Err(TAKEN_AWAY),
        (Some(permit), Ok(place)) => Ok((permit, place)),
        (_, Err(_)) => Err("too many sessions of this user"),
        (None, _) => Err("too many sessions"),
    }
}

/// The reason that will not pass by itself.
pub(crate) const TAKEN_AWAY: &str = "the key was taken away";

/// The SHA-256 fingerprint of a public key, in OpenSSH's form.
pub(super) fn fingerprint(key: &KeyData) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

/// A session of somebody who is connected to another node.
#[derive(Debug)]
pub(crate) struct ForwardedEntry {
    place: Place,
    _permit: SessionPermit,
}

impl ForwardedEntry {
    /// Lets in who has shown `key` to another node, by the files and limits of this one. With an
    /// address it is a login, and recorded as one; without one it was recorded before.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn of(
        limiter: &Arc<ConnectionLimiter>,
        authenticator: &dyn Authenticator,
        user: &str,
        key: &PublicKey,
        address: Option<IpAddr>,
    ) -> Result<Self, &'static str> {
        let entered = enter(limiter, authenticator, user, key.key_data());
        if let Some(address) = address {
            authenticator.attempted(&Attempt {
                user: user.to_owned(),
                shown: fingerprint(key.key_data()),
                address,
                refused: entered.as_ref().err().copied(),
            });
        }
        let (permit, place) = entered?;
        Ok(Self {
            place,
            _permit: permit,
        })
    }

    /// The signal that the login is revoked.
    pub(crate) fn login(&self) -> Login {
        self.place.login()
    }
}
