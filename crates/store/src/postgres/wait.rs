//! Waiting on a thread for a future, up to an instant.
//!
//! Never enters a runtime, so a worker of one may wait as well, where `block_on` panics; only for
//! futures that need none to be polled and that do not yield to a runtime's budget: those of
//! `tokio-postgres` are such. Read next: [`super::session`].

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

/// What was waited for has not come by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Late;

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// What the future comes to, if it does by `until`. A future that is late may be waited for again.
pub(super) fn wait<T>(
    mut future: Pin<&mut (impl Future<Output = T> + ?Sized)>,
    until: Instant,
) -> Result<T, Late> {
    if let Poll::Ready(value) = poll(future.as_mut()) {
        return Ok(value);
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return Ok(value);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Late);
        }
        thread::park_timeout(left);
    }
}

/// Polls a future once: one that sends something has sent it.
pub(super) fn poll<T>(future: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Poll<T> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::time::Duration;
    use tokio::sync::oneshot;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn what_comes_from_another_thread_is_waited_for() {
        let (tell, told) = oneshot::channel();
        let other = thread::spawn(move || tell.send(7));
        assert_eq!(wait(pin!(told), soon()), Ok(Ok(7)));
        other.join().unwrap().unwrap();
    }

    #[test]
    fn what_does_not_come_is_late_and_may_come_later() {
        let (tell, told) = oneshot::channel();
        let mut told = pin!(told);
        assert_eq!(wait(told.as_mut(), Instant::now()), Err(Late));
        tell.send(7).unwrap();
        assert_eq!(wait(told, Instant::now()), Ok(Ok(7)));
    }

    #[test]
    fn a_worker_of_a_runtime_may_wait() {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.build().unwrap();
        let (tell, told) = oneshot::channel();
        let other = thread::spawn(move || tell.send(7));
        let waited = runtime.block_on(async { wait(pin!(told), soon()) });
        assert_eq!(waited, Ok(Ok(7)));
        other.join().unwrap().unwrap();
    }
}
