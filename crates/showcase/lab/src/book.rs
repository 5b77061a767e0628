//! The book: what was broken, when, how, and when it was mended. The truth of every score.
//!
//! A file of JSON lines in a folder that only the injector's user may enter. Nothing of the
//! management system or of the agents opens it. Read next: [`crate::injector`].

use crate::error::LabError;
use crate::files;
use crate::run_folder::RunFolder;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::PathBuf;

/// A parameter that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedParameter {
    /// The router.
    pub router: String,
    /// The parameter, as in the router's configuration.
    pub parameter: String,
    /// What it was; `none` if it was not there.
    pub was: String,
    /// What it is.
    pub is: String,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookEntry {
    /// Its number, from 1.
    pub id: u64,
    /// What was done, by the name of [`crate::fault::LabFault`].
    pub fault: String,
    /// To what; none if to nothing.
    pub element: Option<ElementId>,
    /// When it was done.
    pub from: Timestamp,
    /// When the injector undid it; none if it has not.
    pub until: Option<Timestamp>,
    /// The parameters that it changed.
    pub changed: Vec<ChangedParameter>,
}

/// The book of a laboratory.
#[derive(Clone, Debug)]
pub struct Book(PathBuf);

impl Book {
    /// The book of a laboratory.
    pub fn of(folder: &RunFolder) -> Self {
        Self(folder.book().join("book.jsonl"))
    }

    /// Every entry, in order.
    ///
    /// # Errors
    /// [`LabError::File`] if the caller may not read it.
    pub fn entries(&self) -> Result<Vec<BookEntry>, LabError> {
        let text = match std::fs::read_to_string(&self.0) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(LabError::file(&self.0, e)),
        };
        let lines = text.lines().map(serde_json::from_str);
        Ok(lines.collect::<Result<_, _>>()?)
    }

    /// Changes the entries, while nobody else does; a crash leaves the book as it was, or as it is to be.
    ///
    /// # Errors
    /// [`LabError::File`] if the caller may not read or write it.
    pub fn change<T>(&self, change: impl FnOnce(&mut Vec<BookEntry>) -> T) -> Result<T, LabError> {
        let lock = self.0.with_extension("lock");
        let opened = File::options().create(true).append(true).open(&lock);
        let held = opened.and_then(|file| file.lock().map(|()| file));
        // Dropped, and with it given back, at the end.
        let _held = held.map_err(|e| LabError::file(&lock, e))?;
        let mut entries = self.entries()?;
        let changed = change(&mut entries);
        self.write(&entries)?;
        Ok(changed)
    }

    fn write(&self, entries: &[BookEntry]) -> Result<(), LabError> {
        let mut text = String::new();
        for entry in entries {
            text += &serde_json::to_string(entry)?;
            text += "\n";
        }
        files::replace(&self.0, &text, 0o600).map_err(|e| LabError::file(&self.0, e))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn entries_made_at_the_same_time_are_all_kept() {
        let folder = std::env::temp_dir().join(format!("convoke-book-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let book = Book(folder.join("book.jsonl"));
        let add = || {
            for _ in 0..20 {
                let entry = |id| BookEntry {
                    id,
                    fault: "quiet".to_owned(),
                    element: None,
                    from: Timestamp::default(),
                    until: None,
                    changed: Vec::new(),
                };
                book.change(|entries| entries.push(entry(entries.len() as u64 + 1)))
                    .unwrap();
            }
        };
        std::thread::scope(|scope| {
            [(); 3]
                .map(|()| scope.spawn(add))
                .map(|it| it.join().unwrap())
        });
        let numbers: Vec<u64> = book.entries().unwrap().iter().map(|e| e.id).collect();
        assert_eq!(numbers, (1..=60).collect::<Vec<u64>>());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
