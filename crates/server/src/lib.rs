//! Sockets, configuration, clock and composition: the only crate that knows everything.
//!
//! A tour: [`ssh`] is the transport; [`state`], [`config`], [`access`] and [`profile`] are the
//! files; [`clock`] is the time; [`session`] moves the bytes of one NETCONF session; [`host`] puts
//! a platform together; [`peers`] lets its agents speak to others over NETCONF, [`remote`]
//! stands for those that are servers elsewhere; [`world`]
//! brings network and agents to life; [`webhook`] tells of tasks over HTTP; [`story`] tells what
//! happens and [`referee`] scores it.
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
pub mod remote;
mod seal;
pub mod session;
pub mod ssh;
pub mod stage;
pub mod state;
pub mod story;
pub mod webhook;
pub mod world;

pub use store::{ChainReport, Progress as VerifyProgress, ReadError as StoreReadError};

/// Checks the hash chain, its signatures if the host key is there, and every row of the store in a
/// state folder, which may be in use; tells how far it is. Writes nothing.
///
/// # Errors
/// [`StoreReadError`] if it cannot be read; damage is in the report.
pub fn verify_store(
    folder: &state::StateFolder,
    mut progress: impl FnMut(VerifyProgress),
) -> Result<ChainReport, StoreReadError> {
    let key = ssh::keys::load(&folder.host_key()).ok();
    let signer = key.map(seal::HostSeal);
    let verification = store::Verification {
        signer: signer.as_ref().map(|s| s as &dyn store::Signer),
        progress: Some(&mut progress),
    };
    store::verify_with(&folder.store(), verification)
}

pub use host::check_files;
