//! Bytes of an unauthenticated peer: SSH's identification string, packets and key exchange.
//!
//! A platform's listener on the loopback gets one connection after the other. Each ends, opens no
//! session, occupies no slot afterwards, and nothing panics. Bytes after the key exchange are
//! encrypted, hence out of reach here. Read next: `server::ssh`.

use server::ssh::{
    Authenticator, ConnectionLimiter, PublicKey, SshLimits, SshListener, SshServing, keys,
};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

/// The identification string that every peer sends first (RFC 4253 §4.2).
const BANNER: &[u8] = b"SSH-2.0-peer\r\n";

/// A listener that authenticates nobody.
struct Platform {
    runtime: Runtime,
    limiter: Arc<ConnectionLimiter>,
    address: SocketAddr,
    _serving: SshServing,
}

/// Set by any panic, as tasks catch them.
static PANICKED: AtomicBool = AtomicBool::new(false);

fn platform() -> &'static Platform {
    static PLATFORM: OnceLock<Platform> = OnceLock::new();
    PLATFORM.get_or_init(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICKED.store(true, Ordering::SeqCst);
            before(panic);
        }));
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let limiter = ConnectionLimiter::new(SshLimits {
            // Who fails is neither refused nor made to wait: it is the bytes that are looked at.
            failed_max: u32::MAX,
            rejection: Duration::ZERO,
            ..SshLimits::default()
        });
        let _inside = runtime.enter();
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let listener =
            SshListener::bind(any, &keys::generate("host"), &limiter).expect("a free port");
        let serving = listener.serve(Arc::new(Nobody), Arc::new(|_, _| async {}));
        drop(_inside);
        Platform {
            runtime,
            limiter,
            address: serving.address(),
            _serving: serving,
        }
    })
}

struct Nobody;

impl Authenticator for Nobody {
    fn authenticate(&self, _: &str, _: &PublicKey) -> Option<String> {
        None
    }
}

/// Sends bytes and reads to the end. The first byte selects their form: 0 as they are, 1 after an
/// identification string, 2 as packets after one, 3 as packets after a valid `SSH_MSG_KEXINIT`; a
/// packet is two bytes of length followed by its payload.
pub fn connection(data: &[u8]) {
    let (choice, data) = data.split_first().unwrap_or((&0, &[]));
    let sent = match choice % 4 {
        0 => data.to_vec(),
        1 => [BANNER, data].concat(),
        2 => [BANNER, &packets(data)].concat(),
        _ => [BANNER, &packet(&key_exchange()), &packets(data)].concat(),
    };
    let platform = platform();
    let answer = platform.runtime.block_on(asked(platform, &sent));
    let ours = b"SSH-2.0-Convoke_";
    assert!(answer.is_empty() || answer.starts_with(ours), "{answer:?}");
    assert_eq!(platform.limiter.counts().sessions, 0, "nobody was let in");
    assert!(!PANICKED.load(Ordering::SeqCst), "something panicked");
}

/// The output of the platform for these bytes, until the connection ends.
async fn asked(platform: &Platform, sent: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(platform.address)
        .await
        .expect("it listens");
    // A peer that is cut off finds its bytes refused: that is an end, too.
    drop(stream.write_all(sent).await);
    drop(stream.shutdown().await);
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer).await);
    drop(stream);
    while platform.limiter.counts().unauthenticated != 0 {
        tokio::task::yield_now().await;
    }
    answer
}

/// Bytes as packets: two of length, then the payload.
fn packets(mut data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let [high, low, rest @ ..] = data {
        let length = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
        out.extend(packet(&rest[..length]));
        data = &rest[length..];
    }
    out
}

/// A payload in a packet without encryption (RFC 4253 §6).
fn packet(payload: &[u8]) -> Vec<u8> {
    let padding = 4 + (8 - (payload.len() + 9) % 8) % 8;
    let length = u32::try_from(1 + payload.len() + padding).expect("packets are short");
    let mut out = length.to_be_bytes().to_vec();
    out.push(u8::try_from(padding).expect("at most 11"));
    out.extend_from_slice(payload);
    out.resize(out.len() + padding, 0);
    out
}

/// An `SSH_MSG_KEXINIT` (RFC 4253 §7.1) compatible with the platform's.
fn key_exchange() -> Vec<u8> {
    let mut out = vec![20];
    out.extend([7; 16]);
    let lists = [
        "curve25519-sha256,ext-info-c,kex-strict-c-v00@openssh.com",
        "ssh-ed25519",
        "aes256-gcm@openssh.com",
        "aes256-gcm@openssh.com",
        "hmac-sha2-256",
        "hmac-sha2-256",
        "none",
        "none",
        "",
        "",
    ];
    for list in lists {
        out.extend(u32::try_from(list.len()).expect("short").to_be_bytes());
        out.extend_from_slice(list.as_bytes());
    }
    out.extend([0; 5]);
    out
}
