//! Reading and writing files, with errors that name them.
//!
//! Knows nothing of their contents. Read next: [`crate::showcase::simulate`],
//! [`crate::showcase::demo`].

use crate::output::Failure;
use network::Recorded;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The whole text of a file.
pub(crate) fn text(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|cause| named(file, &cause))
}

/// All bytes of a file, which has at most `most`.
pub(crate) fn bytes(file: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let opened = File::open(file).map_err(|cause| named(file, &cause))?;
    let mut bytes = Vec::new();
    let read = opened.take(most + 1).read_to_end(&mut bytes);
    match read.map_err(|cause| named(file, &cause))? as u64 > most {
        true => Err(larger(file, most)),
        false => Ok(bytes),
    }
}

/// The failure of a file that has more than `most` bytes.
pub(crate) fn larger(file: &Path, most: u64) -> Failure {
    Failure::usage(format!(
        "{}: it is larger than {} MiB",
        file.display(),
        most >> 20
    ))
}

/// The complete lines of a file, none if it does not exist. An incomplete last line, as after a
/// crash, is removed, in the file too.
pub(crate) fn lines(file: &Path) -> Result<Vec<String>, Failure> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let text = text(file)?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        let opened = OpenOptions::new().write(true).open(file);
        let cut = opened.and_then(|opened| opened.set_len(whole as u64));
        cut.map_err(|cause| named(file, &cause))?;
    }
    Ok(text[..whole].lines().map(str::to_owned).collect())
}

/// Opens a file for appending lines.
pub(crate) fn append(file: &Path) -> Result<File, Failure> {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    opened.map_err(|cause| named(file, &cause))
}

/// Writes a file, replacing an existing one.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|cause| named(file, &cause))
}

/// The alarms recorded in a file; none without a file.
pub(crate) fn alarms(file: Option<&Path>) -> Result<Arc<Vec<Recorded>>, Failure> {
    let Some(file) = file else {
        return Ok(Arc::default());
    };
    let recorded = network::noise::record::parse(&text(file)?);
    let recorded = recorded.map_err(|e| Failure::usage(format!("{}: {e}", file.display())))?;
    Ok(Arc::new(recorded))
}

/// The failure of a file, by its name.
pub(crate) fn named(file: &Path, cause: &std::io::Error) -> Failure {
    Failure::failed(format!("{}: {cause}", file.display()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scores");
        assert!(lines(&file).unwrap().is_empty());
        std::fs::write(&file, "one\ntwo\nthr").unwrap();
        assert_eq!(lines(&file).unwrap(), ["one", "two"]);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
    }
}
