//! The listeners of a platform, and the keys that it knows by itself.
//!
//! Read next: [`super::Host`], which serves there.

use super::StartError;
use super::{Company, Listening};
use crate::config::{AGENTS_FROM, NETCONF, Settings};
use crate::ssh::keys::{KeyFileError, StateKeys};
use crate::ssh::{ConnectionLimiter, KeyDirectory, PrivateKey, SshListener};
use domain::ems::Ems;
use domain::profile::Profile;
use engine::Endpoint;
use std::net::SocketAddr;
use std::sync::Arc;

/// Binds the listener of the platform, then of each agent, then, if there is a network, of each of
/// its management systems.
pub(super) fn bind(
    keys: &StateKeys,
    settings: &Settings,
    company: &Company,
    managed: bool,
) -> Result<Vec<(Listening, SshListener)>, StartError> {
    let (host_key, limiter) = (
        keys.host()?,
        ConnectionLimiter::new(settings.limits.limiter()),
    );
    let platform = settings.netconf.unwrap_or(NETCONF);
    let first = settings.agents_from.unwrap_or(AGENTS_FROM);
    let mut listeners = Vec::new();
    let mut open = |endpoint, agent: &str, address| -> Result<(), StartError> {
        let listener = SshListener::bind(address, &host_key, &limiter)?;
        let address = listener.address();
        listeners.push((
            Listening {
                endpoint,
                agent: agent.to_owned(),
                address,
            },
            listener,
        ));
        Ok(())
    };
    open(Endpoint::Platform, &company.default_agent, platform)?;
    let agents = company.agents.iter().map(|agent| {
        let name = agent.profile.name.clone();
        (Endpoint::Agent(name.clone()), name)
    });
    let systems = Ems::ALL.into_iter().filter(|_| managed);
    let systems = systems.map(|ems| (Endpoint::Ems(ems), format!("{}-ems", ems.as_str())));
    for (place, (endpoint, name)) in agents.chain(systems).enumerate() {
        let port = if first == 0 {
            0
        } else {
            first.saturating_add(place as u16)
        };
        open(endpoint, &name, SocketAddr::new(platform.ip(), port))?;
    }
    Ok(listeners)
}

/// The authenticator: the operator and the hosted agents have the keys that were generated for
/// them, all others those in their files.
pub(super) fn authenticator(
    keys: &StateKeys,
    profiles: &[Arc<Profile>],
) -> Result<KeyDirectory, KeyFileError> {
    let known = |directory: KeyDirectory, user: &str, key: PrivateKey| {
        directory.with_key(user, key.public_key())
    };
    let mut directory = known(
        KeyDirectory::new(keys.users()).with_agents(keys.agents()),
        "operator",
        keys.operator()?,
    );
    for profile in profiles {
        directory = known(directory, &profile.name, keys.agent(&profile.name)?);
    }
    Ok(directory)
}
