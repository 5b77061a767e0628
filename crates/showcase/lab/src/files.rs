//! Files of the laboratory: only whom their mode lets may read them, from their first byte on, and
//! who reads one finds it whole.
//!
//! Read next: [`crate::run_folder`].

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};

/// Makes a folder that never has other rights than these.
pub(crate) fn make_folder(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(mode).create(path)?;
    // The mask of this process may have taken some of them.
    fs::set_permissions(path, Permissions::from_mode(mode))
}

/// Gives a user a file, or a folder with all that is in it.
pub(crate) fn give(path: &Path, user: u32) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), user)?;
        }
    }
    lchown(path, Some(user), Some(user))
}

/// Writes a file anew, or leaves it as it was: it is written beside, is on the disk, and takes the
/// name then.
pub(crate) fn replace(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let new = beside(path);
    let renamed = write_new(&new, text, mode).and_then(|()| fs::rename(&new, path));
    if renamed.is_err() {
        let _ = fs::remove_file(&new);
        return renamed;
    }
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

fn write_new(new: &Path, text: &str, mode: u32) -> io::Result<()> {
    match fs::remove_file(new) {
        Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(mode).open(new)?;
    file.set_permissions(Permissions::from_mode(mode))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Where a file is written before it takes its name: no other process writes there.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    PathBuf::from(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// A folder of the test's own, which it removes.
    fn folder(name: &str) -> PathBuf {
        let own = format!("convoke-lab-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(own);
        let _ = fs::remove_dir_all(&folder);
        make_folder(&folder, 0o700).unwrap();
        folder
    }

    #[test]
    fn a_file_that_cannot_be_written_stays_as_it_was() {
        let folder = folder("replace");
        let file = folder.join("book");
        replace(&file, "one\n", 0o600).unwrap();
        fs::create_dir(beside(&file)).unwrap();
        assert!(replace(&file, "one\ntwo\n", 0o600).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "one\n");
        fs::remove_dir(beside(&file)).unwrap();
        replace(&file, "one\ntwo\n", 0o600).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "one\ntwo\n");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_written_has_the_rights_that_it_is_to_have() {
        let folder = folder("rights");
        let file = folder.join("plan");
        fs::write(&file, "for everybody").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
        replace(&file, "for one", 0o600).unwrap();
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        replace(&file, "for all", 0o644).unwrap();
        assert_eq!(mode(&file), 0o644);
        fs::remove_dir_all(&folder).unwrap();
    }
}
