//! Keeps back what is sent on a connection, so that many statements go out as one.
//!
//! A statement that is written by itself costs a system call, and wakes the server for little: with
//! changes that nobody waits for, that is most of what they cost. Whoever holds must let go: what is held is not
//! even read. Read next: [`super::session`], which holds; [`super::net`], which is held.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Whether the driver of a connection is to leave it alone for now.
#[derive(Debug, Default)]
pub(super) struct Hold(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    is_held: bool,
    waits: Option<Waker>,
}

impl Hold {
    /// From now on nothing is written or read.
    pub(super) fn hold(&self) {
        self.state().is_held = true;
    }

    /// From now on all that was sent is written.
    pub(super) fn release(&self) {
        let mut state = self.state();
        state.is_held = false;
        let waits = state.waits.take();
        drop(state);
        if let Some(driver) = waits {
            driver.wake();
        }
    }

    /// Ready if nothing is held.
    pub(super) fn poll_released(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if !state.is_held {
            return Poll::Ready(());
        }
        state.waits = Some(cx.waker().clone());
        Poll::Pending
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
