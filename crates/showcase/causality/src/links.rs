//! Which devices are adjacent.
//!
//! Two forms are read: text, one link a line, the names of both ends separated by a comma, `#`
//! before a comment; and a matrix, whose rows and columns are the devices named by whole numbers
//! from 0. A link has no direction. Read next: [`crate::history`].
//! ```text
//! # core
//! router-7,router-8
//! router-8,"site 12, roof"
//! ```

use crate::fields::split;
use crate::npy::{AdjacencyMatrix, NpyError};

/// The most links of a topology.
pub const LINKS_MAX: usize = 1_000_000;

/// The reason why bytes are no topology.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinksError {
    /// A line is no link.
    #[error("line {line}: {reason}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The reason.
        reason: &'static str,
    },
    /// The text is no UTF-8.
    #[error("it is neither a matrix of NumPy's format nor UTF-8")]
    NotUtf8,
    /// There are too many links.
    #[error("there are more than {LINKS_MAX} links")]
    TooMany,
    /// The matrix is none.
    #[error(transparent)]
    Matrix(#[from] NpyError),
}

/// The links between devices, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceLinks {
    pairs: Vec<(String, String)>,
}

impl DeviceLinks {
    /// Reads the bytes of a file in either form.
    ///
    /// # Errors
    /// [`LinksError`] with the first line or cell that is not understood.
    pub fn read(bytes: &[u8]) -> Result<Self, LinksError> {
        match AdjacencyMatrix::begins(bytes) {
            true => Self::from_matrix(&AdjacencyMatrix::read(bytes)?),
            false => Self::from_text(std::str::from_utf8(bytes).map_err(|_| LinksError::NotUtf8)?),
        }
    }

    /// Reads the lines of a text.
    ///
    /// # Errors
    /// [`LinksError`] with the first line that is no link.
    pub fn from_text(text: &str) -> Result<Self, LinksError> {
        let mut pairs = Vec::new();
        let text = text.trim_start_matches('\u{feff}');
        for (line, content) in (1..).zip(text.lines().map(str::trim)) {
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let fields = split(content).map_err(|reason| LinksError::Line { line, reason })?;
            match &fields[..] {
                [a, b] if !a.is_empty() && !b.is_empty() => {
                    pairs.push((a.to_string(), b.to_string()));
                }
                _ => {
                    let reason = "a link is two names with a comma between them";
                    return Err(LinksError::Line { line, reason });
                }
            }
            if pairs.len() > LINKS_MAX {
                return Err(LinksError::TooMany);
            }
        }
        Ok(Self { pairs })
    }

    /// The links of a matrix: a one in either half joins two devices.
    ///
    /// # Errors
    /// [`LinksError::TooMany`] if there are more than [`LINKS_MAX`].
    pub fn from_matrix(matrix: &AdjacencyMatrix) -> Result<Self, LinksError> {
        // A symmetric matrix has each link twice.
        if matrix.ones().count() > 2 * LINKS_MAX {
            return Err(LinksError::TooMany);
        }
        let ones = matrix.ones().filter(|(a, b)| a != b);
        let pairs = ones.map(|(a, b)| (a.to_string(), b.to_string()));
        Ok(Self {
            pairs: pairs.collect(),
        })
    }

    /// The names of both ends of each link.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(a, b)| (a.as_str(), b.as_str()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::npy::tests::file;

    fn told(bytes: &[u8]) -> String {
        match DeviceLinks::read(bytes) {
            Ok(links) => format!("{:?}", links.pairs),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn text_and_matrix_are_told_apart() {
        insta::assert_snapshot!(told(b"# core\n a , b\r\n\n\"c, d\",a\n"), @r#"[("a", "b"), ("c, d", "a")]"#);
        let header = "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }\n";
        insta::assert_snapshot!(told(&file(header, &[1, 1, 0, 0])), @r#"[("0", "1")]"#);
        insta::assert_snapshot!(told(&file(header, &[1, 1, 0, 7])), @"the cell in row 1, column 1, from 0, is neither 0 nor 1");
    }

    #[test]
    fn refusals_name_the_line() {
        insta::assert_snapshot!(told(b"a,b\na b\n"), @"line 2: a link is two names with a comma between them");
        insta::assert_snapshot!(told(b"a,b,c\n"), @"line 1: a link is two names with a comma between them");
        insta::assert_snapshot!(told(b"\"a,b\n"), @"line 1: a quotation mark is not closed on its line");
        insta::assert_snapshot!(told(b"\xff"), @"it is neither a matrix of NumPy's format nor UTF-8");
    }
}
