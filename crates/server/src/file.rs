//! The errors of files that people write: settings, access rules, profiles.
//!
//! Every message names the file and, if there is one, the line. Read next: [`crate::config`],
//! [`crate::access`], [`crate::profile`].

use std::path::Path;

/// The reason for which a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read or written.
    #[error("{file}: {cause}")]
    Unreadable {
        /// The file or folder.
        file: String,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// Its content is wrong.
    #[error("{file}:{line}: {message}")]
    Wrong {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The fault.
        message: String,
    },
}

impl FileError {
    /// The error for a file that cannot be read or written.
    pub fn unreadable(path: &Path, cause: std::io::Error) -> Self {
        Self::Unreadable {
            file: path.display().to_string(),
            cause,
        }
    }

    /// The error at a byte of the text.
    pub(crate) fn at(file: &str, text: &str, offset: usize, message: impl Into<String>) -> Self {
        let line = text[..offset.min(text.len())].matches('\n').count() + 1;
        Self::Wrong {
            file: file.to_owned(),
            line,
            message: message.into(),
        }
    }

    /// The error of the TOML parser.
    pub(crate) fn toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
        Self::at(
            file,
            text,
            error.span().map_or(0, |span| span.start),
            error.message(),
        )
    }
}
