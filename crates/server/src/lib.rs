//! Sockets, configuration, clock and composition: the only crate that knows everything.
//!
//! A tour:
//! - [`ssh`] and [`http`] are the transports, [`token`] lets people in at the latter, [`a2a`] is what is
//!   served there; [`session`] moves the bytes of one NETCONF session;
//! - [`state`], [`config`], [`access`], [`profile`] and [`file`] are the files; `writable` refuses those
//!   that others may write, [`revocation`] watches those that let people in, by their `stamp`;
//!   [`trail`] tells who got in;
//! - [`clock`] is the time; [`memory`] tells how much the process has and may have; [`fair`] gives
//!   users their turns, [`pool`] and [`workers`] give threads in the [`background`] to what users cause and
//!   to agents;
//! - [`host`] puts a platform together on the store that [`kept`] opens, under the key of [`master_key`],
//!   signed by `seal`, with the templates of [`schemas`];
//! - [`peers`] lets its agents speak to others over NETCONF, by [`dialer`]; [`remote`] stands for those
//!   that are servers elsewhere, and [`outside`] speaks A2A with those; [`webhook`] tells of tasks over
//!   HTTP;
//! - [`roster`] says which agents can be hosted, [`post`] what they hear of their network and may do to
//!   it; [`runtime`] is the loop in which they live, and [`story`] tells what happens in it;
//! - [`client`] is the other side, for the command line.
//!
//! No rule of the domain is here.

pub mod a2a;
pub mod access;
pub mod background;
pub mod client;
pub mod clock;
pub mod config;
pub mod dialer;
pub mod fair;
pub mod file;
pub mod host;
pub mod http;
pub mod kept;
pub mod master_key;
pub mod memory;
pub mod outside;
pub mod peers;
pub mod pool;
pub mod post;
pub mod profile;
pub mod remote;
pub mod revocation;
pub mod roster;
pub mod runtime;
pub mod schemas;
mod seal;
pub mod session;
pub mod ssh;
mod stamp;
pub mod state;
pub mod story;
pub mod token;
pub mod trail;
pub mod webhook;
pub mod workers;
mod writable;

pub use store::{Attestation, ChainReport, OpenError as StoreOpenError};

pub use host::check_files;
