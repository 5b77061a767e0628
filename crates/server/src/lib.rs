//! Sockets, configuration, clock and composition: the only crate that knows everything.
//!
//! A tour: [`ssh`] is the transport; [`state`], [`config`], [`access`] and [`profile`] are the
//! files, and [`revocation`] watches those that let people in; [`clock`] is the time; [`session`] moves the bytes of one NETCONF session; [`host`] puts
//! a platform together; [`peers`] lets its agents speak to others over NETCONF, [`remote`]
//! stands for those that are servers elsewhere, and [`outside`] speaks A2A with those; [`world`]
//! brings network and agents to life, `ems` joins its management systems to it, [`faults`] breaks and
//! mends in it what people want; [`webhook`] tells of tasks over HTTP; [`story`] tells what
//! happens and [`referee`] scores it; [`training`] collects what agents learn from.
//! [`client`] is the other side, for the command line.
//!
//! No rule of the domain is here.

pub mod a2a;
pub mod access;
pub mod background;
pub mod client;
pub mod clock;
pub mod config;
pub mod day;
pub mod dialer;
mod ems;
pub mod faults;
pub mod file;
pub mod host;
pub mod http;
pub mod master_key;
pub mod outside;
pub mod peers;
pub mod pool;
pub mod post;
pub mod practice;
pub mod profile;
pub mod recorder;
pub mod referee;
pub mod remote;
pub mod revocation;
pub mod scenario;
pub mod schemas;
pub mod score;
mod seal;
pub mod session;
pub mod ssh;
pub mod stage;
pub mod state;
pub mod story;
pub mod token;
pub mod training;
pub mod webhook;
pub mod world;

pub use store::{ChainReport, OpenError as StoreOpenError, Progress as VerifyProgress};

/// Checks the hash chain, its signatures if the host key is there, and every row of the store in a
/// state folder, which may be in use; tells how far it is. Writes nothing.
///
/// # Errors
/// [`StoreOpenError`] if it cannot be read; damage is in the report.
pub fn verify_store(
    folder: &state::StateFolder,
    mut progress: impl FnMut(VerifyProgress),
) -> Result<ChainReport, StoreOpenError> {
    let settings = config::Settings::load(folder).unwrap_or_default();
    let keeper = master_key::existing(&folder.store_key(), settings.store.key_command.as_deref());
    let key = ssh::keys::load(&folder.host_key()).ok();
    let signer = key.map(seal::HostSeal);
    let verification = store::Verification {
        signer: signer.as_ref().map(|s| s as &dyn store::Signer),
        progress: Some(&mut progress),
    };
    match keeper {
        Ok(Some(keeper)) => store::verify_with_keys(&folder.store(), verification, &*keeper),
        // The chain is over what is stored, so that it is verified without the key as well.
        Ok(None) | Err(_) => store::verify_with(&folder.store(), verification).map_err(Into::into),
    }
}

pub use host::check_files;
