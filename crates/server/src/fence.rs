//! What the output of a leader passes: nothing goes out once another may lead.
//!
//! Asked before bytes of sessions and responses, requests to management systems, and whatever is sent to
//! servers elsewhere; commits are fenced by the store. Without a cluster everything passes. Read next:
//! `store::lead`.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;
use store::lead::{Lease, Standing};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tracing::error;

/// The exit code of a process that led and may not any more.
pub const LEAD_LOST: i32 = 7;

/// The longest time that the reason for the end may take to be written.
const SAID_WITHIN: Duration = Duration::from_millis(100);

/// The shortest and the longest time between two looks at the lease by [`Fence::watch`].
const LOOKS: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(50));

/// The right to say and do something in the name of the platform. Cheap to clone; by default it is
/// nobody else's.
#[derive(Clone, Debug, Default)]
pub struct Fence(Option<Lease>);

impl Fence {
    /// The right of whoever has this lease, while it holds.
    pub fn of(lease: Lease) -> Self {
        Self(Some(lease))
    }

    /// True if output may go out now. False once the lead was given back in order: the output is
    /// dropped. Does not return if the lease was lost: the process ends with [`LEAD_LOST`].
    pub fn passes(&self) -> bool {
        match self.0.as_ref().map(Lease::standing) {
            None | Some(Standing::Holds) => true,
            Some(Standing::Released) => false,
            Some(Standing::Lost) => end(),
        }
    }

    /// The same as an error.
    ///
    /// # Errors
    /// A broken pipe if the lead was given back.
    pub fn checked(&self) -> io::Result<()> {
        match self.passes() {
            true => Ok(()),
            false => {
                let why = "the lead was given back";
                Err(io::Error::new(io::ErrorKind::BrokenPipe, why))
            }
        }
    }

    /// A stream whose output passes this.
    pub fn stream<S>(&self, stream: S) -> Fenced<S> {
        let fence = self.clone();
        Fenced { stream, fence }
    }

    /// Ends the process as soon as the lease is lost, also while nothing goes out. The thread ends once
    /// it is given back.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn watch(&self) -> io::Result<()> {
        let Some(lease) = self.0.clone() else {
            return Ok(());
        };
        let fence = self.clone();
        let thread = thread::Builder::new().name("lead-watch".to_owned());
        let watching = thread.spawn(move || {
            while fence.passes() {
                thread::sleep(lease.left().clamp(LOOKS.0, LOOKS.1));
            }
        });
        watching.map(drop)
    }
}

/// Ends the process: what it knows may be old, and others decide by now.
fn end() -> ! {
    let (tell, told) = mpsc::channel::<()>();
    // Nobody need be there who reads it.
    let _ = thread::Builder::new().spawn(move || {
        error!("the lead is lost, and another node may have it: the process ends");
        drop(tell);
    });
    let _ = told.recv_timeout(SAID_WITHIN);
    std::process::exit(LEAD_LOST)
}

/// A stream whose output passes a [`Fence`].
#[derive(Debug)]
pub struct Fenced<S> {
    stream: S,
    fence: Fence,
}

impl<S: AsyncRead + Unpin> AsyncRead for Fenced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Fenced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.fence.checked()?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.fence.checked()?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests;
