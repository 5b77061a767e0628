//! A store whose writer died, and what makes it die.
//!
//! Read next: `store`.

use domain::event::LogEvent;
use domain::task::{Status, TaskId};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use store::{Store, TaskFilter};
use tempfile::TempDir;

/// The tasks of a store in which nothing is damaged, and whose log folds to them.
///
/// # Panics
/// If something is damaged, or the log tells otherwise.
#[track_caller]
pub fn sound(store: &Store) -> BTreeMap<TaskId, Status> {
    let report = store.verify().unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    let all = TaskFilter {
        limit: usize::MAX,
        ..TaskFilter::default()
    };
    let tasks = store.tasks(&all).unwrap().rows.into_iter();
    let tasks: BTreeMap<TaskId, Status> = tasks.map(|t| (t.id, t.status)).collect();
    let mut told = BTreeMap::new();
    for entry in store.entries(0, usize::MAX).unwrap() {
        if let LogEvent::Task(notification) = &entry.happening {
            told.insert(notification.task.clone(), notification.status);
        }
    }
    assert_eq!(told, tasks, "the log folds to the state");
    tasks
}

/// A library for `LD_PRELOAD`, compiled from C, and the folder that it is in.
///
/// # Panics
/// Without a C compiler, or if it refuses the source.
#[track_caller]
pub fn shim(source: &Path) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("shim.so");
    let compiled = Command::new(std::env::var("CC").unwrap_or("cc".into()))
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([library.as_path(), source])
        .args(["-ldl", "-lpthread"])
        .status();
    let compiled = compiled.expect("a C compiler, which SQLite needs as well");
    assert!(compiled.success());
    (folder, library)
}
