//! What a process of FRR is, as `/proc` tells, and what one that was killed leaves behind.
//!
//! Ends none itself. Read next: [`crate::frr`], [`crate::processes`].

use crate::requirements::{DAEMONS, FRR_FOLDER};
use std::path::{Path, PathBuf};

/// The daemon of a namespace that a process is, if it is one.
pub(crate) fn daemon_within(folder: &Path, namespace: &str) -> Option<&'static str> {
    let commandline = std::fs::read(folder.join("cmdline")).ok()?;
    let words: Vec<&[u8]> = commandline.split(|b| *b == 0).collect();
    let program = words
        .first()
        .filter(|_| words.contains(&namespace.as_bytes()))?;
    let is_it = |daemon: &&str| *program == format!("{FRR_FOLDER}/{daemon}").as_bytes();
    DAEMONS.into_iter().find(is_it)
}

/// The folder that a process of a daemon makes for the tail of its log, and removes when it ends by itself.
fn log_folder(daemon: &str, number: i32) -> PathBuf {
    PathBuf::from(format!("/var/tmp/frr/{daemon}.{number}"))
}

/// Removes what a daemon that was killed could not remove.
pub(crate) fn clear_after(daemon: &str, number: i32) {
    // One that was ended before it made it has left nothing.
    let _ = std::fs::remove_dir_all(log_folder(daemon, number));
}
