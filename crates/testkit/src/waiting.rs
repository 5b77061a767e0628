//! Waiting for what comes, with one bound on all of it.
//!
//! No test sleeps for a time: a wait ends with what is waited for, or the test fails.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// The bound of every wait: at least ten times what it takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits on this thread for a future that needs no runtime.
///
/// The future is polled when it is woken and at no other time, so a wake-up that is lost is noticed.
///
/// # Panics
/// After [`PATIENCE`].
#[track_caller]
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let (mut future, mut context) = (pin!(future), Context::from_waker(&waker));
    let until = Instant::now() + PATIENCE;
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park_timeout(until.saturating_duration_since(Instant::now())),
        }
        assert!(Instant::now() < until, "nothing comes in {PATIENCE:?}");
    }
}

/// What a future has now; none if it has to wait.
pub fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// What a future comes to, on a runtime with a clock.
///
/// # Panics
/// After [`PATIENCE`], with the name of what was waited for.
#[cfg(feature = "sockets")]
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("after {PATIENCE:?} still waiting for {what}"),
    }
}

/// Returns once the condition holds; others of the runtime go on meanwhile.
///
/// # Panics
/// After [`PATIENCE`], with the name of what was waited for.
#[cfg(feature = "sockets")]
pub async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let holds = async {
        while !condition() {
            // Whoever is to bring it about needs the locks, and the processor, that looking takes.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    within(what, holds).await;
}
