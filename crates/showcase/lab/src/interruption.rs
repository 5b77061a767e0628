//! Whether work that takes long is still wanted.
//!
//! Signals come to the process, work is done in a thread: it looks here between two steps, and ends
//! as after any other error. Read next: [`crate::bring_up`].

use crate::error::LabError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by whoever does the work and whoever may interrupt it.
#[derive(Clone, Debug, Default)]
pub struct Interruption(Arc<AtomicBool>);

impl Interruption {
    /// The work is no longer wanted.
    pub fn interrupt(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Between two steps.
    ///
    /// # Errors
    /// [`LabError::Interrupted`] if the work is no longer wanted.
    pub fn check(&self) -> Result<(), LabError> {
        match self.0.load(Ordering::Relaxed) {
            true => Err(LabError::Interrupted),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_shares_it_hears_of_it() {
        let (one, other) = (Interruption::default(), Interruption::default());
        let shared = one.clone();
        assert!(shared.check().is_ok());
        one.interrupt();
        assert!(matches!(shared.check(), Err(LabError::Interrupted)));
        assert!(other.check().is_ok());
    }
}
