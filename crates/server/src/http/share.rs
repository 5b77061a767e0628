//! Memory that several bodies or responses take of one limit.
//!
//! Knows numbers of bytes alone. Read next: [`super::request`], `untaken`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A share of a common memory limit.
#[derive(Debug)]
pub(super) struct Share {
    all: Arc<AtomicUsize>,
    own: usize,
}

impl Share {
    pub(super) fn of(all: &Arc<AtomicUsize>) -> Self {
        Self {
            all: Arc::clone(all),
            own: 0,
        }
    }

    /// Takes `bytes` more, unless all shares together would exceed `most`.
    pub(super) fn grow(&mut self, bytes: usize, most: usize) -> bool {
        let fits = |all: usize| Some(all + bytes).filter(|sum| *sum <= most);
        let grown = self.all.fetch_update(Relaxed, Relaxed, fits).is_ok();
        self.own += if grown { bytes } else { 0 };
        grown
    }

    /// Sets the share to `own`, without a limit, as the bytes exist already.
    pub(super) fn note(&mut self, own: usize) {
        self.all.fetch_add(own, Relaxed);
        self.all.fetch_sub(self.own, Relaxed);
        self.own = own;
    }

    /// The sum of all shares.
    pub(super) fn of_all(&self) -> usize {
        self.all.load(Relaxed)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.all.fetch_sub(self.own, Relaxed);
    }
}
