//! NETCONF's transport, SSH (RFC 6242): sockets, keys, authentication, limits.
//!
//! Knows nothing of NETCONF messages: a channel becomes a [`ByteStream`] and an authenticated
//! principal, and both are handed to a [`Subsystem`]. Addresses and authorization are decided
//! elsewhere.
//!
//! The tour: [`keys`] generates and loads key files; [`algorithms`] lists the algorithms; [`limiter`]
//! protects all listeners together against floods; [`authentication`] turns a public key into a
//! principal, and [`logins`] counts the sessions of each; [`listener`] accepts and `connection`
//! drives one connection, whose requests `handler` answers by the `service` of its listener (who may come in, `entry` says), over
//! `wire`, which limits the input before authentication (`unauthenticated`); [`stream`] is the byte
//! stream and [`inbound`] the reader that never waits, with the [`throttle`] of its peer;
//! [`client`] is the other side.

pub mod algorithms;
pub mod authentication;
mod channel;
pub mod client;
mod connection;
pub(crate) mod entry;
mod handler;
pub mod inbound;
pub mod keys;
pub mod limiter;
pub mod listener;
pub mod logins;
mod service;
pub mod stream;
pub mod throttle;
mod unauthenticated;
mod wire;

pub use authentication::{Attempt, Authenticator, KeyDirectory};
pub use channel::SUBSYSTEM;
pub use client::{ConnectError, Connector, HostKeyPolicy, Target, connect};
pub use inbound::{DEFAULT_QUOTA_BYTES, Inbound, InboundError, Outbound, split, split_metered};
pub use limiter::{ConnectionCounts, ConnectionLimiter, SshLimits};
pub use listener::{BindError, SshListener, SshServing};
pub use logins::{Login, Logins};
pub use russh::keys::ssh_key::Fingerprint;
pub use russh::keys::{PrivateKey, PublicKey};
pub use stream::{ByteStream, SessionFuture, SshPeer, Subsystem};
pub use throttle::Throttle;
