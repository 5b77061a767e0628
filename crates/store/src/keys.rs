//! The master key, and the interface to its keeper.
//!
//! Payloads are encrypted under data keys that the store makes; a data key is in the state only as
//! wrapped by the keeper. So a master key is changed without touching a row, and may be in hardware
//! that does not reveal it. The store knows no key file and no command; the caller that opens it
//! supplies a [`KeyKeeper`]. Read next: `cipher`, which encrypts.

use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes256Gcm, Tag};
use std::fmt;
use zeroize::Zeroizing;

const NONCE: usize = 12;
const TAG: usize = 16;
const SECRET: usize = 32;

/// 256 secret bits: wiped from memory when dropped, never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<[u8; SECRET]>);

impl Secret {
    /// A secret of these bits.
    pub fn new(bits: [u8; SECRET]) -> Self {
        Self(Zeroizing::new(bits))
    }

    /// The bits, for encrypting with them or handing them to a keeper.
    pub fn expose(&self) -> &[u8; SECRET] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The error of a keeper of keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyKeeperError {
    /// It has no master key of that name.
    #[error("there is no master key '{master}'")]
    Unknown {
        /// The name of the key.
        master: String,
    },
    /// The wrapped key does not open: the master key is another one of the same name, or the bytes
    /// were changed.
    #[error("the master key '{master}' does not open what was wrapped under it")]
    Wrong {
        /// The name of the key.
        master: String,
    },
    /// The keeper failed.
    #[error("the keeper of the master key failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Keeps master keys: a file, or a service that never reveals them. Calls may be slow; they are
/// made at opening and when keys are changed, never while a row is read or written.
pub trait KeyKeeper: Send + Sync {
    /// The name of the master key in force, under which data keys are wrapped from now on. Names
    /// lie in the state unencrypted; no two keys share one.
    fn current(&self) -> String;

    /// Wraps a data key under the master key of this name, with authentication.
    ///
    /// # Errors
    /// [`KeyKeeperError::Unknown`], [`KeyKeeperError::Failed`]
    fn wrap(&self, master: &str, key: &Secret) -> Result<Vec<u8>, KeyKeeperError>;

    /// Unwraps a data key.
    ///
    /// # Errors
    /// [`KeyKeeperError::Unknown`], [`KeyKeeperError::Wrong`], [`KeyKeeperError::Failed`]
    fn unwrap(&self, master: &str, wrapped: &[u8]) -> Result<Secret, KeyKeeperError>;

    /// Fills `bytes` with cryptographically secure random bytes, from which data keys are made.
    ///
    /// # Errors
    /// [`KeyKeeperError::Failed`]
    fn random(&self, bytes: &mut [u8]) -> Result<(), KeyKeeperError>;
}

/// The source of random bytes of a keeper: the operating system, as a rule.
pub type RandomSource = Box<dyn Fn(&mut [u8]) -> Result<(), KeyKeeperError> + Send + Sync>;

/// Master keys held in memory: read from files by the caller, or made up in tests. Wraps with
/// AES-256-GCM under a random nonce of 96 bits.
pub struct HeldKeys {
    /// The keys; the one in force first.
    masters: Vec<(String, Secret)>,
    chance: RandomSource,
}

impl HeldKeys {
    /// A keeper whose master key in force is `secret`, under the name `master`.
    pub fn new(master: impl Into<String>, secret: Secret, chance: RandomSource) -> Self {
        Self {
            masters: vec![(master.into(), secret)],
            chance,
        }
    }

    /// Adds an older master key, which only unwraps.
    #[must_use]
    pub fn with_older(mut self, master: impl Into<String>, secret: Secret) -> Self {
        self.masters.push((master.into(), secret));
        self
    }

    fn cipher(&self, master: &str) -> Result<Aes256Gcm, KeyKeeperError> {
        let found = self.masters.iter().find(|(name, _)| name == master);
        let (_, secret) = found.ok_or_else(|| KeyKeeperError::Unknown {
            master: master.to_owned(),
        })?;
        Ok(Aes256Gcm::new(secret.expose().into()))
    }
}

impl fmt::Debug for HeldKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.masters.iter().map(|(name, _)| name);
        f.debug_list().entries(names).finish()
    }
}

impl KeyKeeper for HeldKeys {
    fn current(&self) -> String {
        self.masters[0].0.clone()
    }

    /// Wraps to nonce, data key and tag, in this order.
    fn wrap(&self, master: &str, key: &Secret) -> Result<Vec<u8>, KeyKeeperError> {
        let cipher = self.cipher(master)?;
        let mut nonce = [0; NONCE];
        (self.chance)(&mut nonce)?;
        let mut wrapped = Zeroizing::new(*key.expose());
        let tag = cipher
            .encrypt_inout_detached(
                &nonce.into(),
                master.as_bytes(),
                wrapped[..].as_mut().into(),
            )
            .expect("a key is not too long");
        Ok([&nonce[..], &wrapped[..], &tag].concat())
    }

    fn unwrap(&self, master: &str, wrapped: &[u8]) -> Result<Secret, KeyKeeperError> {
        let wrong = || KeyKeeperError::Wrong {
            master: master.to_owned(),
        };
        let cipher = self.cipher(master)?;
        let (nonce, rest) = wrapped.split_first_chunk::<NONCE>().ok_or_else(wrong)?;
        let (key, tag) = rest.split_last_chunk::<TAG>().ok_or_else(wrong)?;
        let mut key: Zeroizing<[u8; SECRET]> = Zeroizing::new(key.try_into().map_err(|_| wrong())?);
        let tag: &Tag = tag.into();
        cipher
            .decrypt_inout_detached(
                nonce.into(),
                master.as_bytes(),
                key[..].as_mut().into(),
                tag,
            )
            .map_err(|_| wrong())?;
        Ok(Secret(key))
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), KeyKeeperError> {
        (self.chance)(bytes)
    }
}
