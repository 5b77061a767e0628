//! The turns in which a connection is worked on: those of its authenticated user, or of its source
//! before. A connection on which several users have authenticated, such as a proxy's, has turns of
//! its own from then on, so that none of them waits behind another.
//!
//! All work of a connection is done in them: TLS and frames, refused heads, checks of signatures,
//! complete responses. Requests are handled in tasks with turns of other permits. Read next:
//! [`crate::fair`]; the server's `in_turn`, for requests.

use super::admission::ConnectionPermit;
use super::delivery::WatchedResponse;
use super::wire::Pace;
use crate::fair::Turns;
use crate::ssh::ConnectionLimiter;
use hyper::rt::Executor;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// The owner of a connection.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) limiter: Arc<ConnectionLimiter>,
    pub(super) permit: Arc<ConnectionPermit>,
    pub(super) source: IpAddr,
}

/// The turns of one task of a connection.
#[derive(Debug)]
pub(super) struct ConnectionTurns {
    owner: Owner,
    /// The owner of these turns, a user or the connection itself; none while they are the source's.
    sharer: Option<String>,
    turns: Turns,
}

impl Owner {
    /// Turns for another task of the connection.
    pub(super) fn turns(&self) -> ConnectionTurns {
        ConnectionTurns {
            owner: self.clone(),
            sharer: None,
            turns: self.limiter.share_of_source(self.source).turns(),
        }
    }
}

impl ConnectionTurns {
    /// Polls in a turn of the present owner: pending until it comes.
    pub(super) fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        work: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        if let Some(sharer) = self.owner.permit.sharer_other_than(self.sharer.as_deref()) {
            self.turns = self.owner.limiter.share_of(&sharer).turns();
            self.sharer = Some(sharer);
        }
        self.turns.poll(cx, work)
    }

    /// The work of a connection, polled in its turns.
    pub(super) fn run<'a, F>(&'a mut self, work: Pin<&'a mut F>, pace: &'a Pace) -> InTurns<'a, F> {
        InTurns {
            turns: self,
            work,
            pace,
        }
    }
}

/// The work of a connection, in its turns.
#[must_use = "futures do nothing unless polled"]
pub(super) struct InTurns<'a, F> {
    turns: &'a mut ConnectionTurns,
    work: Pin<&'a mut F>,
    pace: &'a Pace,
}

impl<F: Future> Future for InTurns<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Self { turns, work, pace } = &mut *self;
        turns.poll(cx, |cx| {
            pace.begin_turn();
            work.as_mut().poll(cx)
        })
    }
}

/// Runs the streams of HTTP/2 in the turns of their connection, and ends those that are stalled for
/// too long.
#[derive(Clone, Debug)]
pub(super) struct StreamExecutor {
    /// The owner of the turns in which they are polled.
    pub(super) owner: Owner,
    /// The longest stall.
    pub(super) stall: Duration,
}

impl<F> Executor<F> for StreamExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let mut turns = self.owner.turns();
        let mut stream = Box::pin(stream);
        let stream = poll_fn(move |cx| turns.poll(cx, |cx| stream.as_mut().poll(cx)));
        tokio::spawn(WatchedResponse::new(stream, self.stall));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::admission::Admission;
    use super::super::limits::HttpLimits;
    use super::*;
    use crate::ssh::SshLimits;
    use engine::{Accounts, UserLimits};
    use std::task::Waker;

    /// A second connection waits while the turn of its source, or of its user, is held.
    #[test]
    fn a_second_connection_waits_for_whose_it_is() {
        let limiter = ConnectionLimiter::new(SshLimits {
            at_once: 1,
            ..SshLimits::default()
        });
        let accounts = Accounts::new(UserLimits::default());
        let admission = Admission::new(&HttpLimits::default());
        let connection = |host: u8| {
            let source = IpAddr::from([192, 0, 2, host]);
            let permit = Arc::new(admission.enter(source));
            let limiter = Arc::clone(&limiter);
            Owner {
                limiter,
                permit,
                source,
            }
        };
        let (first, second, other) = (connection(1), connection(1), connection(2));
        let mut cx = Context::from_waker(Waker::noop());
        let mut turns = [&first, &second, &other].map(Owner::turns);
        let [one, two, three] = &mut turns;
        let polled = |turns: &mut ConnectionTurns, cx: &mut Context<'_>| {
            turns.poll(cx, |_| Poll::Ready(())).is_ready()
        };
        let beside = one.poll(&mut cx, |cx| {
            Poll::Ready([polled(two, cx), polled(three, cx)])
        });
        assert_eq!(beside, Poll::Ready([false, true]), "strangers of a source");
        assert!(polled(two, &mut cx), "it waits no longer");
        second.permit.authenticate("eve", &accounts).unwrap();
        let beside = one.poll(&mut cx, |cx| Poll::Ready(polled(two, cx)));
        assert_eq!(beside, Poll::Ready(true), "who is known is not among them");
        other.permit.authenticate("eve", &accounts).unwrap();
        let beside = two.poll(&mut cx, |cx| {
            Poll::Ready([polled(one, cx), polled(three, cx)])
        });
        assert_eq!(beside, Poll::Ready([true, false]), "wherever he comes from");
        // A connection of several users waits for none of them, and they for none of it.
        second.permit.authenticate("ann", &accounts).unwrap();
        let beside = two.poll(&mut cx, |cx| Poll::Ready(polled(three, cx)));
        assert_eq!(beside, Poll::Ready(true));
        second.permit.authenticate("eve", &accounts).unwrap();
        let beside = three.poll(&mut cx, |cx| Poll::Ready(polled(two, cx)));
        assert_eq!(beside, Poll::Ready(true), "for good");
    }
}
