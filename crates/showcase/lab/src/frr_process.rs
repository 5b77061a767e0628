//! What a process of FRR is, as `/proc` tells, and what one that was killed leaves behind.
//!
//! Ends none itself. Read next: [`crate::frr`], [`crate::processes`].

use crate::requirements::{DAEMONS, FRR_FOLDER};
use std::path::Path;

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

/// Removes what a daemon that was killed could not remove: the folder for the tail of its log, which
/// has the number of the process that started it, and a file in it with its own.
pub(crate) fn clear_after(daemon: &str, number: i32) {
    let own = format!("{daemon}.");
    let folders = std::fs::read_dir("/var/tmp/frr").into_iter().flatten();
    for folder in folders.flatten() {
        let is_daemons = folder.file_name().to_string_lossy().starts_with(&own);
        if is_daemons && folder.path().join(format!("logbuf.{number}")).exists() {
            // What stays is of no harm, and is told by nobody.
            let _ = std::fs::remove_dir_all(folder.path());
        }
    }
}
