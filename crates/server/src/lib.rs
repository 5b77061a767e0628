//! Sockets, configuration, clock and composition: the crate that puts a platform together.
//!
//! A tour:
//! - [`ssh`] and [`http`] are the transports, [`token`] holds the bearer tokens, [`sign_in`] the links and
//!   sessions of the [`console`], whose routes are the latter's, with those of [`a2a`] and [`restconf`]; [`session`] moves the bytes of one NETCONF session;
//! - [`state`], [`config`], [`access`], [`profile`] and [`file`] are the files, `user_name` the
//!   rule for names; `writable` refuses files that others may write by their `permissions`,
//!   [`revocation`] watches credentials, by the `stamp` of their files; [`trail`] records logins;
//! - [`clock`] is the time; [`memory`] measures the memory of the process; [`fair`] gives users
//!   their turns, [`pool`] and [`workers`] give [`background`] threads to work of users and to
//!   agents;
//! - [`cluster_key`] is the key that the nodes of a cluster share;
//! - [`host`] puts a platform together on the store that [`kept`] opens, under the key of
//!   [`master_key`], signed by `seal`, with the templates of [`schemas`]; [`key_rotation`] puts
//!   other keys in their place;
//! - [`cluster`] lets several such processes be one platform, of which one leads, and whose output passes a [`fence`];
//! - [`peers`] connects its agents to others over NETCONF; [`remote`] represents those that are
//!   servers elsewhere, [`outside`] is the A2A client to them; [`webhook`] posts reports of tasks,
//!   both by the [`http_client`];
//! - [`roster`] lists the agents that can be hosted, [`post`] their telemetry and rights on the
//!   network; [`runtime`] is their event loop, and [`story`] narrates its events;
//! - [`reading`] reads plain words, by rules;
//! - [`client`] is the other side, for the command line.
//!
//! Rules of the domain are in `domain` and `engine`.

pub mod a2a;
pub mod access;
pub mod background;
pub mod client;
pub mod clock;
pub mod cluster;
pub mod cluster_key;
pub mod config;
pub mod console;
pub mod copying;
pub mod fair;
pub mod fence;
pub mod file;
pub mod host;
pub mod http;
pub mod http_client;
pub mod kept;
pub mod key_rotation;
pub mod managed;
pub mod master_key;
pub mod memory;
pub mod outside;
pub mod peers;
mod permissions;
pub mod pool;
pub mod post;
pub mod profile;
pub mod reading;
pub mod remote;
pub mod restconf;
pub mod revocation;
pub mod roster;
pub mod runtime;
pub mod schemas;
mod seal;
pub mod session;
pub mod shares;
pub mod sign_in;
pub mod ssh;
mod stamp;
pub mod state;
pub mod story;
pub mod token;
pub mod trail;
mod user_name;
pub mod webhook;
pub mod workers;
mod writable;

pub use store::{
    Attestation, ChainReport, Copied, CopyError, CopyProgress, OpenError as StoreOpenError,
};

pub use host::check_files;
