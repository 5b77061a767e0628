//! The reader that never waits.
//!
//! A client may send many requests before it reads the first reply. If the session then stopped
//! reading until its reply is written, and the client stopped writing until it is read, both would
//! wait for ever; in SSH the reply's window adjustments arrive on the very stream that is not read.
//! So a small task always reads, into a queue with a quota; a session over its quota ends. Before
//! that its transport is asked to throttle the peer ([`Throttle`]): over SSH its window is not
//! opened again. Knows nothing of messages.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf};
use tokio::task::AbortHandle;

use super::stream::{ByteStream, Cut, HangUp};
use super::throttle::Throttle;

/// The default quota: 16 MiB received and not yet taken. A peer that respects its window
/// ([`Throttle`]) does not come near it.
pub const DEFAULT_QUOTA_BYTES: usize = 16 << 20;

/// Told the number of waiting bytes; returns whether so many may wait.
pub type InboundMeter = Box<dyn FnMut(usize) -> bool + Send>;

/// The most bytes handed out in one piece.
const PIECE_BYTES: usize = 64 << 10;

/// The reason for which no more bytes will come, other than the peer's end of stream.
#[derive(Debug, thiserror::Error)]
pub enum InboundError {
    /// The peer sent more than the quota before it was taken. The rest of its bytes is discarded
    /// and the outbound side refuses to write.
    #[error(
        "more than {quota_bytes} bytes wait that the peer sent on one session, which is the most: it is to \
         wait for replies before it sends more"
    )]
    OverQuota {
        /// The quota in bytes.
        quota_bytes: usize,
    },
    /// The meter refused that more bytes wait. The consequences are the same.
    #[error(
        "more waits of the user's sessions than `held-mib` allows in `[limits.user]`, or in \
         `[limits.users.NAME]` for him alone: he is to take replies before he sends more"
    )]
    OverShare,
    /// The transport failed.
    #[error("reading from the peer")]
    Read(#[source] io::Error),
}

/// Splits a stream so that its incoming bytes are always read.
///
/// Must be called inside a tokio runtime. The stream closes when both halves
/// are dropped; a dropped [`Inbound`] reads no more.
#[must_use]
pub fn split(stream: ByteStream, quota_bytes: usize) -> (Inbound, Outbound) {
    split_metered(stream, quota_bytes, Box::new(|_| true))
}

/// The same with a meter: a peer for which `meter` returns false is over its quota.
#[must_use]
pub fn split_metered(
    mut stream: ByteStream,
    quota_bytes: usize,
    meter: InboundMeter,
) -> (Inbound, Outbound) {
    let (cut, hang_up) = (stream.take_cut(), stream.hang_up());
    let throttle = stream.throttle();
    let (reader, writer) = tokio::io::split(stream);
    let queue = Arc::new(Queue {
        state: Mutex::new(State::new(meter)),
        throttle,
        quota_bytes,
    });
    let task = tokio::spawn(Pump {
        reader,
        queue: Arc::clone(&queue),
    });
    let inbound = Inbound {
        queue: Arc::clone(&queue),
        pump: task.abort_handle(),
    };
    let outbound = Outbound {
        writer,
        queue,
        ends_with_input: false,
        cut,
        hang_up,
    };
    (inbound, outbound)
}

/// The received bytes.
#[derive(Debug)]
pub struct Inbound {
    queue: Arc<Queue>,
    pump: AbortHandle,
}

impl Inbound {
    /// Takes the next bytes (1 to 65 536), or `None` at the peer's end of stream. Cancel-safe.
    ///
    /// # Errors
    /// [`InboundError::OverQuota`] and [`InboundError::OverShare`] as soon as
    /// too much waits, even if bytes are queued; [`InboundError::Read`] after the last byte received.
    pub async fn receive(&mut self) -> Result<Option<Vec<u8>>, InboundError> {
        std::future::poll_fn(|cx| self.poll_receive(cx)).await
    }

    /// The same as [`Self::receive`], to be polled.
    pub fn poll_receive(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<Vec<u8>>, InboundError>> {
        let mut state = self.queue.lock();
        match state.end {
            Some(End::OverQuota) => {
                return Poll::Ready(Err(InboundError::OverQuota {
                    quota_bytes: self.queue.quota_bytes,
                }));
            }
            Some(End::OverShare) => return Poll::Ready(Err(InboundError::OverShare)),
            _ => {}
        }
        if let Some(piece) = state.pieces.pop_front() {
            state.queued_bytes -= piece.len();
            self.queue.measure(&mut state);
            return Poll::Ready(Ok(Some(piece)));
        }
        match state.end.take() {
            None => {
                state.receiver = Some(cx.waker().clone());
                Poll::Pending
            }
            Some(End::Failed(error)) => {
                state.end = Some(End::Finished);
                Poll::Ready(Err(InboundError::Read(error)))
            }
            Some(end) => {
                state.end = Some(end);
                Poll::Ready(Ok(None))
            }
        }
    }
}

impl Drop for Inbound {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

/// The bytes to send. Writes fail with [`io::ErrorKind::QuotaExceeded`] once
/// the peer is over its quota, even one that is already waiting.
pub struct Outbound {
    writer: WriteHalf<ByteStream>,
    queue: Arc<Queue>,
    ends_with_input: bool,
    cut: Option<Cut>,
    hang_up: HangUp,
}

impl fmt::Debug for Outbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbound").finish_non_exhaustive()
    }
}

impl Outbound {
    /// Makes writes fail with [`io::ErrorKind::BrokenPipe`] once the peer has ended its stream,
    /// even waiting ones: right for a client, whose server has then gone. A server's peer may end
    /// its input and still read.
    #[must_use]
    pub fn ending_with_input(mut self) -> Self {
        self.ends_with_input = true;
        self
    }

    /// Ends the connection with the session, behind what was written, unless other sessions share it.
    pub fn hang_up(self) {
        self.hang_up.set();
    }

    /// Cuts off a peer that takes nothing: its connection ends at once, without a message that
    /// would have to wait behind the bytes that are not taken. A connection shared by other
    /// sessions stays.
    pub fn cut(mut self) {
        if let Some(cut) = self.cut.take() {
            cut();
        }
    }
}

impl AsyncWrite for Outbound {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        {
            let mut state = self.queue.lock();
            if matches!(state.end, Some(End::OverQuota | End::OverShare)) {
                return Poll::Ready(Err(io::ErrorKind::QuotaExceeded.into()));
            }
            if self.ends_with_input && state.end.is_some() {
                return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
            }
            if !state
                .sender
                .as_ref()
                .is_some_and(|w| w.will_wake(cx.waker()))
            {
                state.sender = Some(cx.waker().clone());
            }
        }
        Pin::new(&mut self.writer).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(cx)
    }
}

#[derive(Debug)]
enum End {
    Finished,
    OverQuota,
    OverShare,
    Failed(io::Error),
}

struct State {
    pieces: VecDeque<Vec<u8>>,
    queued_bytes: usize,
    meter: InboundMeter,
    end: Option<End>,
    receiver: Option<Waker>,
    sender: Option<Waker>,
}

impl State {
    fn new(meter: InboundMeter) -> Self {
        Self {
            pieces: VecDeque::new(),
            queued_bytes: 0,
            meter,
            end: None,
            receiver: None,
            sender: None,
        }
    }
}

struct Queue {
    state: Mutex<State>,
    throttle: Throttle,
    quota_bytes: usize,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports the number of waiting bytes to the meter; false if they are too many.
    fn measure(&self, state: &mut State) -> bool {
        let queued_bytes = state.queued_bytes;
        self.throttle.set(queued_bytes);
        (state.meter)(queued_bytes)
    }

    fn push(&self, bytes: &[u8]) {
        let mut state = self.lock();
        if state.end.is_some() {
            return; // Over quota: read on, so that keep-alives pass, but forget.
        }
        state.queued_bytes += bytes.len();
        let over = match (self.measure(&mut state), state.queued_bytes) {
            (_, queued) if queued > self.quota_bytes => Some(End::OverQuota),
            (false, _) => Some(End::OverShare),
            (true, _) => None,
        };
        if let Some(over) = over {
            state.end = Some(over);
            state.pieces = VecDeque::new();
            state.queued_bytes = 0;
            self.measure(&mut state);
            let sender = state.sender.take();
            let receiver = state.receiver.take();
            drop(state);
            sender.into_iter().chain(receiver).for_each(Waker::wake);
            return;
        }
        match state.pieces.back_mut() {
            // Small packets are joined: the queue costs what it holds.
            Some(last) if last.len() + bytes.len() <= PIECE_BYTES => last.extend_from_slice(bytes),
            _ => state.pieces.push_back(bytes.to_vec()),
        }
        let receiver = state.receiver.take();
        drop(state);
        receiver.into_iter().for_each(Waker::wake);
    }

    fn finish(&self, end: End) {
        let mut state = self.lock();
        if state.end.is_none() {
            state.end = Some(end);
        }
        let sender = state.sender.take();
        let receiver = state.receiver.take();
        drop(state);
        sender.into_iter().chain(receiver).for_each(Waker::wake);
    }
}

/// The task that reads. Its buffer is on the stack only while it runs, so an idle session holds
/// none.
struct Pump {
    reader: ReadHalf<ByteStream>,
    queue: Arc<Queue>,
}

impl Future for Pump {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut space = [std::mem::MaybeUninit::uninit(); 16 << 10];
        loop {
            let mut buf = ReadBuf::uninit(&mut space);
            match ready!(Pin::new(&mut self.reader).poll_read(cx, &mut buf)) {
                Ok(()) if buf.filled().is_empty() => {
                    self.queue.finish(End::Finished);
                    return Poll::Ready(());
                }
                Ok(()) => self.queue.push(buf.filled()),
                Err(error) => {
                    self.queue.finish(End::Failed(error));
                    return Poll::Ready(());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    fn pair(quota_bytes: usize) -> (Inbound, Outbound, tokio::io::DuplexStream) {
        let (near, far) = tokio::io::duplex(1024);
        let (inbound, outbound) = split(ByteStream::new(near), quota_bytes);
        (inbound, outbound, far)
    }

    #[tokio::test]
    async fn bytes_arrive_in_order_and_end() {
        let (mut inbound, mut outbound, mut far) = pair(1 << 20);
        let sent: Vec<u8> = (0..200_000u32).map(|n| (n % 251) as u8).collect();
        far.write_all(&sent).await.unwrap();
        outbound.write_all(b"back").await.unwrap();
        outbound.shutdown().await.unwrap();
        let mut back = String::new();
        far.read_to_string(&mut back).await.unwrap();
        assert_eq!(back, "back");
        drop(far);
        let mut received = Vec::new();
        while let Some(piece) = inbound.receive().await.unwrap() {
            assert!((1..=PIECE_BYTES).contains(&piece.len()));
            received.extend(piece);
        }
        assert_eq!(received, sent);
        assert!(inbound.receive().await.unwrap().is_none());
    }

    #[tokio::test]
    async fn a_client_stuck_in_writing_learns_that_its_server_is_gone() {
        let (far_in, near_out) = tokio::io::duplex(16);
        let (near_in, far_out) = tokio::io::duplex(16);
        let near = tokio::io::join(near_in, near_out);
        let (_inbound, outbound) = split(ByteStream::new(near), 1000);
        let mut outbound = outbound.ending_with_input();
        let stuck = tokio::spawn(async move { outbound.write_all(&[0; 1000]).await });
        tokio::task::yield_now().await;
        drop(far_out);
        let error = stuck.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        drop(far_in);
    }

    /// A peer whose input is not taken is throttled until it is taken; the meter is consulted.
    #[tokio::test]
    async fn a_peer_is_throttled_while_what_it_sent_is_not_taken() {
        let (near, mut far) = tokio::io::duplex(4 << 20);
        let throttle = Throttle::default();
        let stream = ByteStream::new(near).throttled_by(throttle.clone());
        let meter = Box::new(|bytes| bytes <= 3 << 20);
        let (mut inbound, _outbound) = split_metered(stream, 8 << 20, meter);
        let mib = vec![0; 1 << 20];
        far.write_all(&mib).await.unwrap();
        while !throttle.is_on() {
            tokio::task::yield_now().await;
        }
        let mut taken = 0;
        while throttle.is_on() {
            taken += inbound.receive().await.unwrap().unwrap().len();
        }
        assert!((1 << 19..1 << 20).contains(&taken), "{taken}");
        for _ in 0..3 {
            far.write_all(&mib).await.unwrap();
        }
        let over = loop {
            match inbound.receive().await {
                Err(over) => break over,
                Ok(_) => {
                    far.write_all(&mib).await.unwrap();
                    far.write_all(&mib).await.unwrap();
                }
            }
        };
        assert!(matches!(over, InboundError::OverShare));
        let told = over.to_string();
        assert!(told.contains("`held-mib`"), "{told}");
    }

    #[tokio::test]
    async fn what_is_taken_no_longer_counts() {
        let (mut inbound, _outbound, mut far) = pair(1000);
        for _ in 0..10 {
            far.write_all(&[0; 1000]).await.unwrap();
            let mut taken = 0;
            while taken < 1000 {
                taken += inbound.receive().await.unwrap().unwrap().len();
            }
        }
    }

    #[tokio::test]
    async fn one_byte_over_the_quota_ends_both_directions() {
        let (mut inbound, mut outbound, mut far) = pair(1000);
        far.write_all(&[0; 1001]).await.unwrap();
        // Waits until the far end's pipe is full; nobody reads it.
        let error = outbound.write_all(&[0; 4096]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::QuotaExceeded);
        let error = inbound.receive().await.unwrap_err();
        assert!(matches!(
            error,
            InboundError::OverQuota { quota_bytes: 1000 }
        ));
        // It still reads, so that the peer's transport goes on.
        far.write_all(&[0; 10_000]).await.unwrap();
    }

    #[tokio::test]
    async fn the_stream_closes_with_its_halves() {
        let (inbound, outbound, mut far) = pair(1000);
        drop((inbound, outbound));
        assert_eq!(far.read(&mut [0; 1]).await.unwrap(), 0);
    }
}
