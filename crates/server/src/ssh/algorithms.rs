//! The algorithms on offer, strongest first, and nothing weaker.
//!
//! Only names; the SSH library negotiates. No group-14, no SHA-1, no CBC. `hmac-sha2-256` is last,
//! for clients on older libssh2 without encrypt-then-MAC.

use std::borrow::Cow;
use std::time::Duration;

use russh::keys::{Algorithm, EcdsaCurve, HashAlg};
use russh::{Limits, Preferred, SshId, cipher, kex, mac};

/// The identification string (RFC 4253 §4.2).
pub(super) fn identification() -> SshId {
    SshId::Standard(Cow::Borrowed(concat!(
        "SSH-2.0-Convoke_",
        env!("CARGO_PKG_VERSION")
    )))
}

/// The time of silence after which a keep-alive is sent to a peer, unless
/// [`super::SshLimits::keepalive`] sets another.
pub(super) const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// The number of keep-alives without an answer after which the peer counts as gone, one interval
/// after the last.
pub(super) const KEEPALIVE_MAX: usize = 3;

/// The bytes that the peer may send on one channel before the window is opened again. Readers never
/// wait (see [`super::inbound`]), so it costs no memory while idle.
pub(super) const WINDOW_BYTES: u32 = 1 << 20;
/// The bytes of channel data in one packet, the most that the library allows.
pub(super) const PACKET_BYTES: u32 = 65_535;

/// The limits of rekeying (RFC 4253 §9: each gigabyte or each hour).
pub(super) fn rekeying() -> Limits {
    Limits::default()
}

/// The preference lists of server and client.
#[must_use]
pub fn preferred() -> Preferred {
    Preferred {
        kex: Cow::Borrowed(&[
            kex::MLKEM768X25519_SHA256,
            kex::CURVE25519,
            kex::CURVE25519_PRE_RFC_8731,
            kex::EXTENSION_SUPPORT_AS_CLIENT,
            kex::EXTENSION_SUPPORT_AS_SERVER,
            kex::EXTENSION_OPENSSH_STRICT_KEX_AS_CLIENT,
            kex::EXTENSION_OPENSSH_STRICT_KEX_AS_SERVER,
        ]),
        // The host key is Ed25519; the rest is what users may sign with.
        key: Cow::Borrowed(&[
            Algorithm::Ed25519,
            Algorithm::Ecdsa {
                curve: EcdsaCurve::NistP256,
            },
            Algorithm::Ecdsa {
                curve: EcdsaCurve::NistP384,
            },
            Algorithm::Ecdsa {
                curve: EcdsaCurve::NistP521,
            },
            Algorithm::Rsa {
                hash: Some(HashAlg::Sha512),
            },
            Algorithm::Rsa {
                hash: Some(HashAlg::Sha256),
            },
        ]),
        cipher: Cow::Borrowed(&[
            cipher::AES_256_GCM,
            cipher::CHACHA20_POLY1305,
            cipher::AES_128_GCM,
            cipher::AES_256_CTR,
            cipher::AES_128_CTR,
        ]),
        mac: Cow::Borrowed(&[mac::HMAC_SHA512_ETM, mac::HMAC_SHA256_ETM, mac::HMAC_SHA256]),
        ..Preferred::default()
    }
}
