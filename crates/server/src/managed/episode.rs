//! A trouble with a management system: logged when it begins, and when it is over.
//!
//! Read next: [`super::listener`].

use std::fmt::Display;
use std::time::Instant;
use tracing::{debug, warn};

/// One thing that may fail again and again.
#[derive(Debug)]
pub(super) struct Episode {
    system: String,
    what: &'static str,
    began: Option<Instant>,
}

impl Episode {
    /// `what` of a system works so far.
    pub(super) fn new(system: &str, what: &'static str) -> Self {
        Self {
            system: system.to_owned(),
            what,
            began: None,
        }
    }

    /// Notes that it failed.
    pub(super) fn failed(&mut self, why: &dyn Display) {
        let (system, what) = (&self.system, self.what);
        if self.began.is_some() {
            debug!(system, "management system '{system}': {what}: {why}");
            return;
        }
        self.began = Some(Instant::now());
        warn!(
            system,
            "management system '{system}': {what}: {why}; trying again"
        );
    }

    /// Notes that it works.
    pub(super) fn worked(&mut self) {
        if let Some(began) = self.began.take() {
            let (system, what) = (&self.system, self.what);
            let seconds = began.elapsed().as_secs();
            warn!(
                system,
                "management system '{system}': {what}: works again after {seconds} s"
            );
        }
    }
}
