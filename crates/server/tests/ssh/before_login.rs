//! Input before authentication: few bytes, and no messages without content.
//!
//! Read next: `server::ssh`, `unauthenticated`.

use super::*;

/// A packet in the clear (RFC 4253 §6).
fn clear_packet(payload: &[u8]) -> Vec<u8> {
    let padding = 16 - (payload.len() + 5) % 8;
    let length = (payload.len() + padding + 1) as u32;
    let head = [&length.to_be_bytes()[..], &[padding as u8]].concat();
    [&head[..], payload, &vec![0; padding]].concat()
}

/// `SSH_MSG_IGNORE` and its kind would be read and ignored in any number: before the keys, one of
/// them ends the connection and counts as a failed login.
#[tokio::test]
async fn what_says_nothing_before_the_keys_ends_the_connection() {
    let limits = SshLimits {
        handshake: Duration::from_secs(3_600),
        failed_max: 1_000,
        ..quick()
    };
    let bench = Bench::new(limits, echo);
    let nothing: [&[u8]; 4] = [
        &[2, 0, 0, 0, 0],
        &[3, 0, 0, 0, 0],
        &[4, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &[],
    ];
    for (number, payload) in (1..).zip(nothing) {
        let mut stream = TcpStream::connect(bench.serving.address()).await.unwrap();
        stream.write_all(b"SSH-2.0-flood\r\n").await.unwrap();
        stream.write_all(&clear_packet(payload)).await.unwrap();
        let mut said = Vec::new();
        let _ = within("the cut", stream.read_to_end(&mut said)).await;
        bench
            .until(|limiter| limiter.counts().failed == number)
            .await;
    }
    bench.connect().await.unwrap();
}

#[tokio::test]
async fn more_bytes_than_a_login_needs_end_a_connection_on_which_nobody_has() {
    let limits = SshLimits {
        handshake: Duration::from_secs(3_600),
        ..quick()
    };
    let bytes_max = limits.unauthenticated_bytes_max;
    let bench = Bench::new(limits, echo);
    // Within one packet, which the library would read to its end.
    let packet = [&[0, 3, 0, 0, 8, 20][..], &vec![0; bytes_max]].concat();
    let mut stream = TcpStream::connect(bench.serving.address()).await.unwrap();
    stream.write_all(b"SSH-2.0-flood\r\n").await.unwrap();
    let _ = stream.write_all(&packet).await;
    let mut said = Vec::new();
    let _ = within("the cut", stream.read_to_end(&mut said)).await;
    bench.until(|limiter| limiter.counts().failed == 1).await;
    let mut stream = bench.connect().await.unwrap();
    let long = vec![b'x'; 2 * bytes_max];
    assert_eq!(exchange(&mut stream, &long).await, long);
}
