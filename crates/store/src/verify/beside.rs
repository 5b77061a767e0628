//! Verifying a whole state in the background, once it is open.
//!
//! An opening does not read ended tasks; this does. It has a connection of its own and one
//! snapshot, so that neither commits nor reads wait for it; the write-ahead log grows meanwhile.
//! Read next: [`super`]; `progress`, how far it is.

use super::progress::{Verification, VerificationState, WalkProgress};
use super::{Fault, VerifyOptions, walk};
use crate::backend::{Interrupt, Untrusted};
use crate::budget::is_endless;
use crate::cipher::{Keys, Tables};
use crate::failure::FailureKind;
use crate::open::{OpenError, Spawn};
use crate::read::ReadError;
use crate::row::entry;
use crate::sign::Signer;
use crate::statistics::{Condition, Counters};
use domain::time::Timestamp;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// A walk under way; it ends when its owner drops it.
pub(crate) struct Beside {
    interrupt: Interrupt,
    progress: Arc<WalkProgress>,
    thread: Option<JoinHandle<()>>,
}

impl Beside {
    pub(crate) fn start(
        path: &Path,
        keys: Arc<Keys>,
        signer: Option<Arc<dyn Signer>>,
        counters: Arc<Counters>,
        spawn: &Spawn,
        now: Timestamp,
    ) -> Result<Self, OpenError> {
        let state = Untrusted::reader(&path.into())?;
        let interrupt = state.interrupt();
        let progress = Arc::new(WalkProgress::begin(now));
        let told = Arc::clone(&progress);
        let walk = move || {
            if let Some(outcome) = run(&state, &keys, signer.as_deref(), &counters, &told) {
                told.end(outcome);
            }
        };
        let thread = spawn(Box::new(walk)).map_err(OpenError::Thread)?;
        Ok(Self {
            interrupt,
            progress,
            thread: Some(thread),
        })
    }

    /// How far it is. A thread that is gone without a word has panicked.
    pub(crate) fn told(&self) -> Verification {
        let is_gone = self.thread.as_ref().is_some_and(JoinHandle::is_finished);
        let told = self.progress.told();
        match told.state {
            VerificationState::Running if is_gone => Verification {
                state: VerificationState::Failed,
                ..told
            },
            _ => told,
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        // Between two statements there is nothing to interrupt: the next one is.
        while !thread.is_finished() {
            self.interrupt.interrupt();
            thread::yield_now();
        }
        let _ = thread.join();
    }
}

/// True if the store must not go on with this fault: rows that an index does not find are as good
/// as removed, and a broken chain proves nothing. Neither can be distinguished from a forgery.
fn is_decisive(fault: &Fault) -> bool {
    fault.table == entry::TABLE || fault.table == "sqlite" && fault.key.contains(" index ")
}

/// Walks; what came of it, or none if it was ended before.
fn run(
    state: &Untrusted,
    keys: &Keys,
    signer: Option<&dyn Signer>,
    counters: &Counters,
    progress: &WalkProgress,
) -> Option<VerificationState> {
    let mut report = progress.report();
    let how = VerifyOptions {
        signer,
        progress: Some(&mut report),
        ..VerifyOptions::default()
    };
    let session = state.session();
    let walked = walk(Tables { session, keys }, how, true);
    let report = match state.budget().outcome(walked) {
        Ok(report) => report,
        // A state that makes the rest of the walk impossible counts as forged.
        Err(cause) if is_endless(&cause) => {
            tracing::error!("{cause}: nothing is accepted any more");
            counters.note(Condition::Stopped);
            return Some(VerificationState::Damaged);
        }
        Err(ReadError::Failed(cause)) if cause.kind() == FailureKind::Interrupted => return None,
        Err(cause) => {
            let error = &cause as &dyn std::error::Error;
            tracing::error!(error, "the state could not be verified");
            return Some(VerificationState::Failed);
        }
    };
    for fault in &report.faults {
        tracing::error!("the state is not what was written: {fault}");
    }
    if report
        .faults
        .iter()
        .any(|fault| fault.forged || is_decisive(fault))
    {
        tracing::error!("the state was forged or is damaged: nothing is accepted any more");
        counters.note(Condition::Stopped);
    }
    Some(match report.faults.is_empty() {
        true => VerificationState::Sound,
        false => VerificationState::Damaged,
    })
}
