//! A file that is there once all of it is.
//!
//! It is written under another name beside its place, locked against who would write the same, and named when it
//! is on the disk. Read next: [`super`].

use super::CopyError;
use crate::open::OpenError;
use crate::open::{beside, private};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Files beside a state that belong to it: put beside another they would be taken for its own.
const COMPANIONS: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// A file on its way. Dropping it removes what there is.
pub(super) struct FreshFile {
    place: PathBuf,
    /// Its name until then.
    path: PathBuf,
    /// Closed last: to close it would give up the locks of whoever else here has it open.
    file: File,
    settled: bool,
}

impl FreshFile {
    /// Begins one that is to be at `place`, where there is none.
    pub(super) fn begin(place: &Path) -> Result<Self, CopyError> {
        free(place)?;
        let path = beside(place, ".new");
        let failed = failed(&path);
        let file = private(&path).map_err(&failed)?;
        let taken = || {
            CopyError::destination(
                &place.into(),
                OpenError::Locked {
                    state: place.into(),
                },
            )
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(taken()),
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        // Whoever had the lock may have given it its name since.
        if !is_at(&file, &path).map_err(&failed)? {
            return Err(taken());
        }
        // One that was killed may have left something.
        file.set_len(0).map_err(&failed)?;
        Ok(Self {
            place: place.to_owned(),
            path,
            file,
            settled: false,
        })
    }

    /// Where it is until it is settled.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name, once all of it is on the disk. Nobody has it open any more.
    pub(super) fn settle(mut self) -> Result<(), CopyError> {
        let failed = failed(&self.place);
        self.file.sync_all().map_err(&failed)?;
        free(&self.place)?;
        fs::rename(&self.path, &self.place).map_err(&failed)?;
        self.settled = true;
        let folder = self.place.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = File::open(folder.unwrap_or(Path::new(".")));
        folder.and_then(|it| it.sync_all()).map_err(&failed)
    }
}

impl Drop for FreshFile {
    fn drop(&mut self) {
        if !self.settled {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Refuses a place where something is, or was left of something.
fn free(place: &Path) -> Result<(), CopyError> {
    let holds = |path: &PathBuf| fs::metadata(path).is_ok_and(|it| it.is_dir() || it.len() > 0);
    let found = COMPANIONS.map(|suffix| beside(place, suffix)).into_iter();
    match { found }.find(holds) {
        Some(path) => Err(CopyError::Occupied { to: path.into() }),
        None => Ok(()),
    }
}

/// True if the file is the one of this name.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let (own, named) = (file.metadata()?, fs::metadata(path)?);
        Ok((own.dev(), own.ino()) == (named.dev(), named.ino()))
    }
    #[cfg(not(unix))]
    fs::metadata(path).and(file.metadata()).map(|_| true)
}

fn failed(path: &Path) -> impl Fn(io::Error) -> CopyError + use<> {
    let path = path.to_owned();
    move |cause| CopyError::File {
        path: path.clone(),
        cause,
    }
}
