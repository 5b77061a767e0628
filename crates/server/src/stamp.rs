//! The stamp of a file's state, from its metadata, without reading it.
//!
//! Two writes within the granularity of the system's clock may leave the same stamp: a content that
//! was read may be cached only once its stamp is settled. Read next: [`crate::revocation`],
//! `ssh::authentication`.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The age below which a file may change again without another time stamp.
const UNSETTLED: Duration = Duration::from_secs(2);

/// The state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of a file or folder; none if it does not exist.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().map(Self::from)
    }

    /// False while the file may change without another stamp.
    pub(crate) fn is_settled(self) -> bool {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        now.is_ok_and(|now| now.as_secs() as i64 > self.changed.0 + UNSETTLED.as_secs() as i64)
    }
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            length: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}
