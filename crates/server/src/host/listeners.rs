//! The listeners of a platform, and the keys that it knows by itself.
//!
//! Read next: [`super::Host`], which serves there.

use super::roster::{default_agent, profiles};
use super::{Listening, StartError};
use crate::config::{AGENTS_FROM, NETCONF, Settings};
use crate::http::HttpListener;
use crate::roster::Roster;
use crate::ssh::keys::{KeyFileError, StateKeys, write_known_hosts};
use crate::ssh::{ConnectionLimiter, KeyDirectory, PrivateKey, SshListener};
use crate::state::StateFolder;
use domain::ems::Ems;
use engine::Endpoint;
use std::net::SocketAddr;
use tracing::warn;
use yang::{Generation, ModuleSet};

/// The sockets of a node, bound whoever leads.
#[derive(Debug)]
pub(crate) struct Sockets {
    /// The NETCONF endpoints: the platform's, then the agents', then those of management systems.
    pub(crate) ssh: Vec<(Listening, SshListener)>,
    /// The HTTP server, if there is one.
    pub(crate) http: Option<HttpListener>,
    /// Whom the keys of the folder let in, and those that were made for the operator and the agents.
    pub(crate) known: KeyDirectory,
}

impl Sockets {
    /// Binds what a platform with these settings and agents listens on: management systems have
    /// endpoints if the network is managed by some.
    ///
    /// # Errors
    /// [`StartError`]
    pub(crate) fn bind(
        folder: &StateFolder,
        settings: &Settings,
        roster: &Roster,
    ) -> Result<Self, StartError> {
        let generation = Generation::load(&ModuleSet::convoke())?;
        roster.check(settings)?;
        let files = profiles(settings, roster, &generation)?;
        let default_agent = default_agent(&files, roster)?;
        let agents: Vec<&str> = files.iter().map(|f| f.profile.name.as_str()).collect();
        folder.check_agents(agents.iter().copied())?;
        let managed = settings.ems.iter().flatten().next().is_some();
        let keys = StateKeys::open(folder.path())?;
        let http = settings.http.address().map(HttpListener::bind);
        Ok(Self {
            ssh: bind(&keys, settings, &default_agent, &agents, managed)?,
            http: http.transpose()?,
            known: authenticator(&keys, agents)?,
        })
    }
}

/// Binds the listener of the platform, then of each agent, then, if there is a network, of each of
/// its management systems.
pub(super) fn bind(
    keys: &StateKeys,
    settings: &Settings,
    default_agent: &str,
    agents: &[&str],
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
    open(Endpoint::Platform, default_agent, platform)?;
    let agents = agents.iter().map(|name| {
        let name = (*name).to_owned();
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

/// Writes `known_hosts` for clients of these listeners. A platform starts without it too, so that its state can be
/// read when the disk is full.
///
/// # Errors
/// If the host key cannot be read.
pub(crate) fn make_known(keys: &StateKeys, listening: &[Listening]) -> Result<(), KeyFileError> {
    let addresses: Vec<SocketAddr> = listening.iter().map(|at| at.address).collect();
    let host = keys.host()?;
    if let Err(error) = write_known_hosts(&keys.known_hosts(), host.public_key(), &addresses) {
        warn!(%error, "clients that go by known_hosts may not find the platform: {error}");
    }
    Ok(())
}

/// The authenticator: the operator and the hosted agents have the keys that were generated for
/// them, all others those in their files.
pub(super) fn authenticator<'a>(
    keys: &StateKeys,
    agents: impl IntoIterator<Item = &'a str>,
) -> Result<KeyDirectory, KeyFileError> {
    let known = |directory: KeyDirectory, user: &str, key: PrivateKey| {
        directory.with_key(user, key.public_key())
    };
    let mut directory = known(
        KeyDirectory::new(keys.users()).with_agents(keys.agents()),
        "operator",
        keys.operator()?,
    );
    for agent in agents {
        directory = known(directory, agent, keys.agent(agent)?);
    }
    Ok(directory)
}
