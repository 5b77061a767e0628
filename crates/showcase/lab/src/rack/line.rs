//! Lines over a local socket, bounded in length and in time.
//!
//! Whoever is at the other end may be slow, silent or endless: none of it keeps anybody waiting, nor
//! fills the memory. Read next: [`super::protocol`].

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// What a line may be, and how long it may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineBounds {
    /// The most bytes, with its end.
    pub(crate) bytes: usize,
    /// How long its first byte is waited for.
    pub(crate) first: Duration,
    /// How long all of it may take after its first byte.
    pub(crate) whole: Duration,
}

/// Connects without waiting: a process that is stopped accepts nobody, and once its backlog is full a
/// connection would wait for ever.
pub(crate) fn connected(socket: &Path) -> io::Result<UnixStream> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let own = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&own, &SocketAddrUnix::new(socket)?)?;
    let stream = UnixStream::from(own);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// Reads a line; none if the other end has closed before its first byte.
///
/// # Errors
/// The error of the socket; of kind `InvalidData` if the line is too long or no text, and
/// `TimedOut` or `WouldBlock` if it takes too long. No further line can be read then.
pub(crate) fn read_line(
    reader: &mut BufReader<UnixStream>,
    bounds: LineBounds,
) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut deadline = Instant::now() + bounds.first;
    loop {
        reader.get_ref().set_read_timeout(Some(left(deadline)?))?;
        let piece = match reader.fill_buf() {
            Ok([]) if line.is_empty() => return Ok(None),
            Ok([]) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(piece) => piece,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        if line.is_empty() {
            deadline = Instant::now() + bounds.whole;
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(piece.len(), |end| end + 1);
        if line.len() + taken > bounds.bytes {
            let words = format!("a line is longer than {} bytes", bounds.bytes);
            return Err(io::Error::new(ErrorKind::InvalidData, words));
        }
        line.extend_from_slice(&piece[..taken]);
        reader.consume(taken);
        if end.is_some() {
            let text = String::from_utf8(line);
            return text
                .map(Some)
                .map_err(|e| io::Error::new(ErrorKind::InvalidData, e));
        }
    }
}

/// Writes a line and its end, all of it within this time.
///
/// # Errors
/// The error of the socket; of kind `TimedOut` or `WouldBlock` if it takes too long.
pub(crate) fn write_line(stream: &mut UnixStream, line: &str, within: Duration) -> io::Result<()> {
    let deadline = Instant::now() + within;
    let bytes = [line.as_bytes(), b"\n"].concat();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        stream.set_write_timeout(Some(left(deadline)?))?;
        match stream.write(rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => rest = &rest[written..],
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    match left.is_zero() {
        true => Err(ErrorKind::TimedOut.into()),
        false => Ok(left),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const BOUNDS: LineBounds = LineBounds {
        bytes: 16,
        first: Duration::from_millis(200),
        whole: Duration::from_millis(100),
    };

    fn pair() -> (UnixStream, BufReader<UnixStream>) {
        let (one, other) = UnixStream::pair().unwrap();
        (one, BufReader::new(other))
    }

    fn is_late(error: &io::Error) -> bool {
        [ErrorKind::TimedOut, ErrorKind::WouldBlock].contains(&error.kind())
    }

    #[test]
    fn lines_are_read_one_by_one_until_the_other_end_closes() {
        let (mut one, mut other) = pair();
        let within = Duration::from_secs(1);
        for line in ["first", "fifteen letters"] {
            write_line(&mut one, line, within).unwrap();
        }
        one.write_all(b"half").unwrap();
        drop(one);
        let mut read = || read_line(&mut other, BOUNDS);
        assert_eq!(read().unwrap().as_deref(), Some("first\n"));
        assert_eq!(read().unwrap().as_deref(), Some("fifteen letters\n"));
        assert_eq!(read().unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert_eq!(read().unwrap(), None);
    }

    #[test]
    fn a_line_that_is_too_long_is_not_kept() {
        let (mut one, mut other) = pair();
        write_line(&mut one, "sixteen letters!", Duration::from_secs(1)).unwrap();
        let error = read_line(&mut other, BOUNDS).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        let (mut one, mut other) = pair();
        one.write_all(&[b'x'; 4_096]).unwrap();
        let error = read_line(&mut other, BOUNDS).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
    }

    #[test]
    fn who_is_silent_or_slow_is_not_waited_for() {
        let (mut one, mut other) = pair();
        assert!(is_late(&read_line(&mut other, BOUNDS).unwrap_err()));
        // Each byte comes in time, the line does not.
        let dripping = std::thread::spawn(move || {
            let mut bytes = 0..200;
            while bytes.next().is_some() && one.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
            bytes.next().is_some()
        });
        let long = LineBounds {
            bytes: 4_096,
            ..BOUNDS
        };
        assert!(is_late(&read_line(&mut other, long).unwrap_err()));
        drop(other);
        assert!(dripping.join().unwrap(), "all was waited for");
    }

    #[test]
    fn who_reads_nothing_is_not_waited_for() {
        let (mut one, _other) = pair();
        let line = "x".repeat(8 * 1_024 * 1_024);
        let error = write_line(&mut one, &line, BOUNDS.whole).unwrap_err();
        assert!(is_late(&error), "{error}");
    }
}
