//! Weights of models: where they are, and the SHA-256 that says which they are.
//!
//! Weights are never in the product or its sources; whoever configures them names file and digest,
//! and nothing is loaded that is another. Knows no format; read next: `gguf`, `static_embedder`,
//! `minilm`.
// Reading files is what the features that have weights are about.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use schema::canonical::hex;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

/// A text is no SHA-256: 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no SHA-256: 64 hexadecimal digits")]
pub struct NoDigest(pub String);

impl FromStr for Digest {
    type Err = NoDigest;

    fn from_str(text: &str) -> Result<Self, NoDigest> {
        let told = || NoDigest(text.chars().take(80).collect());
        let digits: Option<Vec<u8>> = text
            .chars()
            .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
            .collect();
        let digits = digits.filter(|d| d.len() == 64).ok_or_else(told)?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for Digest {
    /// In 64 lower-case digits; the first of them if a precision says how many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The place of weights and what they must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The file of a parser's model; the directory of an embedder's, with `model.safetensors`.
    pub path: PathBuf,
    /// The SHA-256 of the file with the weights.
    pub sha256: Digest,
}

/// The reason why weights cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadWeights {
    /// A file cannot be read.
    #[error("{} cannot be read: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        cause: std::io::Error,
    },
    /// The file is another than was named.
    #[error("{} is another than was named: its SHA-256 is {found}, not {expected}", path.display())]
    Another {
        /// The file.
        path: PathBuf,
        /// The digest named.
        expected: Digest,
        /// The digest found.
        found: Digest,
    },
    /// The file is what was named, and not of the form that it must have.
    #[error("{} is not what it must be: {reason}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// Its fault.
        reason: String,
    },
}

#[cfg(any(feature = "static", feature = "minilm"))]
pub(crate) use directory::Directory;
#[cfg(feature = "gguf")]
pub(crate) use file::prove;

/// One large file, read in pieces.
#[cfg(feature = "gguf")]
mod file {
    use super::{BadWeights, Digest, Weights};
    use sha2::{Digest as _, Sha256};
    use std::fs::File;
    use std::io::Read as _;

    /// Proves that a file is the one that was named.
    pub(crate) fn prove(weights: &Weights) -> Result<(), BadWeights> {
        let unreadable = |cause| BadWeights::Unreadable {
            path: weights.path.clone(),
            cause,
        };
        let mut file = File::open(&weights.path).map_err(unreadable)?;
        let (mut hasher, mut piece) = (Sha256::new(), vec![0; 1 << 20]);
        loop {
            match file.read(&mut piece).map_err(unreadable)? {
                0 => break,
                read => hasher.update(&piece[..read]),
            }
        }
        let found = Digest(hasher.finalize().into());
        match found == weights.sha256 {
            true => Ok(()),
            false => Err(BadWeights::Another {
                path: weights.path.clone(),
                expected: weights.sha256,
                found,
            }),
        }
    }
}

/// The directory of an embedder.
#[cfg(any(feature = "static", feature = "minilm"))]
mod directory {
    use super::{BadWeights, Digest, Weights};
    use sha2::{Digest as _, Sha256};
    use std::path::PathBuf;
    use tokenizers::{Tokenizer, TruncationParams};

    /// The content of a directory, read once: the weights proved, everything else fingerprinted.
    pub(crate) struct Directory {
        path: PathBuf,
        sha256: Digest,
        beside: Sha256,
    }

    impl Directory {
        /// The directory that is named, and the bytes of its weights, which are those that are named.
        pub(crate) fn open(weights: &Weights) -> Result<(Self, Vec<u8>), BadWeights> {
            let mut directory = Self {
                path: weights.path.clone(),
                sha256: weights.sha256,
                beside: Sha256::new(),
            };
            let bytes = directory.bytes("model.safetensors")?;
            let found = Digest(Sha256::digest(&bytes).into());
            if found != weights.sha256 {
                return Err(BadWeights::Another {
                    path: directory.path.join("model.safetensors"),
                    expected: weights.sha256,
                    found,
                });
            }
            directory.beside = Sha256::new();
            Ok((directory, bytes))
        }

        /// A file of it.
        pub(crate) fn bytes(&mut self, name: &str) -> Result<Vec<u8>, BadWeights> {
            let path = self.path.join(name);
            let bytes =
                std::fs::read(&path).map_err(|cause| BadWeights::Unreadable { path, cause })?;
            self.beside.update(Sha256::digest(&bytes));
            Ok(bytes)
        }

        /// Its `tokenizer.json`, which does not pad and cuts a text at so many tokens.
        pub(crate) fn tokenizer(
            &mut self,
            most: usize,
        ) -> Result<(Tokenizer, Vec<u8>), BadWeights> {
            let bytes = self.bytes("tokenizer.json")?;
            let told = |e: tokenizers::Error| self.form("tokenizer.json", e.to_string());
            let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(told)?;
            let cut = TruncationParams {
                max_length: most,
                ..TruncationParams::default()
            };
            tokenizer.with_padding(None);
            tokenizer.with_truncation(Some(cut)).map_err(told)?;
            Ok((tokenizer, bytes))
        }

        /// The error for what is wrong with a file of it.
        pub(crate) fn form(&self, name: &str, reason: impl Into<String>) -> BadWeights {
            BadWeights::Form {
                path: self.path.join(name),
                reason: reason.into(),
            }
        }

        /// Names an embedder with all that its vectors depend on: weights, and what was read beside
        /// them.
        pub(crate) fn id(&self, kind: &str, dimensions: usize) -> String {
            let beside = Digest(self.beside.clone().finalize().into());
            format!(
                "{kind} dim={dimensions} weights={:.12} beside={beside:.12}",
                self.sha256
            )
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_64_hexadecimal_digits() {
        let text = "0123456789abcdef".repeat(4);
        let digest: Digest = text.to_uppercase().parse().unwrap();
        assert_eq!(digest.to_string(), text);
        assert_eq!(format!("{digest:.12}"), "0123456789ab");
        for wrong in ["", "12", &"g".repeat(64), &"0".repeat(63), &"é".repeat(64)] {
            assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
        }
    }
}
