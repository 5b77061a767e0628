//! Sockets, configuration, clock and composition: the only crate that knows everything.
//!
//! A tour: [`ssh`] is the transport; [`state`], [`config`], [`access`] and [`profile`] are the
//! files; [`clock`] is the time; [`session`] moves the bytes of one NETCONF session; [`host`] puts
//! a platform together; [`peers`] lets its agents speak to each other over NETCONF; [`world`]
//! brings network and agents to life; [`story`] tells what happens and [`referee`] scores it.
//! [`client`] is the other side, for the command line.
//!
//! No rule of the domain is here.

pub mod access;
pub mod client;
pub mod clock;
pub mod config;
pub mod file;
pub mod host;
pub mod peers;
pub mod profile;
pub mod referee;
pub mod session;
pub mod ssh;
pub mod stage;
pub mod state;
pub mod story;
pub mod world;

pub use store::{ChainReport, ReadError as StoreReadError};

/// Checks the hash chain and every row of the store at `path`, which may be in use.
///
/// # Errors
/// [`StoreReadError`] if it cannot be read; damage is in the report.
pub fn verify_store(path: &std::path::Path) -> Result<ChainReport, StoreReadError> {
    store::verify(path)
}

pub use host::check_files;
