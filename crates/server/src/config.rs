//! Settings: `convoke.toml` in the state folder, below environment and flags.
//!
//! Knows names, defaults and forbidden combinations; the command line is parsed in `convoke`. Read
//! next: [`crate::host`].

pub mod a2a;
pub mod cluster;
pub mod ems;
mod ems_error;
mod error;
pub mod hosting;
pub mod http;
pub mod life;
pub mod limits;
pub mod places;
mod range;
pub mod schemas;
pub mod store;
pub mod tasks;

pub use a2a::A2aSettings;
pub use cluster::NodeSettings;
pub use ems::{EmsSettings, EmsTransport};
pub use ems_error::EmsSettingsError;
pub use error::SettingsError;
pub use hosting::AgentSettings;
pub use http::{HttpSettings, Listen};
pub use life::LifeSettings;
pub use limits::{LimitSettings, UserSettings};
pub use places::PlacesSettings;
pub use schemas::{SchemaSettings, UnknownKeys};
pub use store::StoreSettings;
pub use tasks::{RetentionSettings, TaskSettings};

use crate::file::FileError;
use crate::state::StateFolder;
use range::{range, within};
use serde::Deserialize;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// The default address of the platform's NETCONF endpoint.
pub const NETCONF: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8830);

/// The default first port of the agents' own endpoints.
pub const AGENTS_FROM: u16 = 8831;

/// Settings, as far as they are given, in a file or on the command line.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// `netconf`: the address of the platform's NETCONF endpoint.
    pub netconf: Option<SocketAddr>,
    /// `agents-from`: the first port of the agents' endpoints; 0 takes free ones.
    pub agents_from: Option<u16>,
    /// `seed`: the seed of the network and of the agents' random numbers.
    pub seed: Option<u64>,
    /// `network`: a topology's name or file, or `none`.
    pub network: Option<String>,
    /// `[[ems]]`: the management systems of a network that is managed elsewhere; none by default.
    pub ems: Option<Vec<EmsSettings>>,
    /// `ems-wait-s`: how long to wait at the start for the inventories of the management systems, in
    /// seconds, 1 to 3,600; 60 by default.
    pub ems_wait_s: Option<u64>,
    /// `sites`: the number of base-station sites in the network, 1 to 20,000.
    pub sites: Option<usize>,
    /// `speed`: the rate of the platform's time, and the network's, relative to the system clock, 1
    /// to 600; 1 by default.
    pub speed: Option<f64>,
    /// `[life]`: faults and users of the network; at rest without the section.
    pub life: Option<LifeSettings>,
    /// `profiles`: a folder of profiles instead of those that ship.
    pub profiles: Option<PathBuf>,
    /// `roles`: the roles of the agents that run; all by default.
    pub roles: Option<Vec<String>>,
    /// `knowledge`: a file of causal knowledge, as written by `convoke learn`, instead of the one
    /// that ships.
    pub knowledge: Option<PathBuf>,
    /// `[limits]`: limits of memory and of users.
    #[serde(default)]
    pub limits: LimitSettings,
    /// `[tasks]`: time limits of tasks.
    #[serde(default)]
    pub tasks: TaskSettings,
    /// `[agents]`: queue lengths and step times of hosted agents.
    #[serde(default)]
    pub agents: AgentSettings,
    /// `[retention]`: the retention of ended tasks.
    #[serde(default)]
    pub retention: RetentionSettings,
    /// `[webhook]`: the allowed receivers of reports of tasks.
    #[serde(default)]
    pub webhook: PlacesSettings,
    /// `[http]`: the HTTP server.
    #[serde(default)]
    pub http: HttpSettings,
    /// `[a2a]`: the A2A binding.
    #[serde(default)]
    pub a2a: A2aSettings,
    /// `[store]`: encryption at rest.
    #[serde(default)]
    pub store: StoreSettings,
    /// `[schemas]`: validation of payloads, and evolution of schemas.
    #[serde(default)]
    pub schemas: SchemaSettings,
    /// `[cluster]`: this process as one of several nodes.
    #[serde(default)]
    pub cluster: NodeSettings,
}

/// The divisor of memory for the bytes read from the store for one answer: encoding it takes
/// several times as much.
const READ_PART: u64 = 32;

impl Settings {
    /// The limits of the engine for a process that may use `memory` bytes; none if memory is
    /// unlimited.
    pub fn bounds(&self, memory: Option<u64>) -> engine::Limits {
        let limits = self.agents.limits(self.tasks.limits());
        engine::Limits {
            users: self.limits.users(memory),
            shards: self
                .limits
                .shards
                .map_or(limits.shards, |shards| shards as usize),
            read_bytes: memory.map_or(limits.read_bytes, |m| limits.read_bytes.min(m / READ_PART)),
            ..limits.at_speed(self.speed.unwrap_or(1.0))
        }
    }

    /// Reads the settings in the state folder; empty if there is no file, but for the address of the database that a
    /// node that joined others was told.
    ///
    /// # Errors
    /// [`SettingsError`] with file and line.
    pub fn load(folder: &StateFolder) -> Result<Self, SettingsError> {
        let path = folder.settings();
        let mut read = match std::fs::read_to_string(&path) {
            Ok(text) => toml::from_str::<Self>(&text)
                .map_err(|error| FileError::toml(&path.display().to_string(), &text, &error))?,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Self::default(),
            Err(cause) => return Err(FileError::unreadable(&path, cause).into()),
        };
        read.ems = read.ems.map(|systems| ems::beside(systems, folder.path()));
        if read.store.url.is_none() {
            read.store.url = StoreSettings::joined(folder)?;
        }
        Ok(read)
    }

    /// These settings, with missing ones taken from `below`.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        Self {
            netconf: self.netconf.or(below.netconf),
            agents_from: self.agents_from.or(below.agents_from),
            seed: self.seed.or(below.seed),
            network: self.network.or(below.network),
            ems: self.ems.or(below.ems),
            ems_wait_s: self.ems_wait_s.or(below.ems_wait_s),
            sites: self.sites.or(below.sites),
            speed: self.speed.or(below.speed),
            life: match (self.life, below.life) {
                (Some(life), Some(below)) => Some(life.over(below)),
                (life, below) => life.or(below),
            },
            profiles: self.profiles.or(below.profiles),
            roles: self.roles.or(below.roles),
            knowledge: self.knowledge.or(below.knowledge),
            limits: self.limits.over(below.limits),
            tasks: self.tasks.over(below.tasks),
            agents: self.agents.over(below.agents),
            retention: self.retention.over(below.retention),
            webhook: self.webhook.over(below.webhook),
            http: self.http.over(below.http),
            a2a: self.a2a.over(below.a2a),
            store: self.store.over(below.store),
            schemas: self.schemas.over(below.schemas),
            cluster: self.cluster.over(below.cluster),
        }
    }

    /// Checks everything that can be checked without starting.
    ///
    /// # Errors
    /// [`SettingsError::Exposed`] and [`SettingsError::Range`].
    pub fn check(&self, folder: &StateFolder) -> Result<(), SettingsError> {
        self.schemas.check()?;
        let netconf = self.netconf.unwrap_or(NETCONF);
        let someone_let_in = std::fs::read_dir(folder.path().join("users"))
            .is_ok_and(|mut users| users.next().is_some());
        let prepared = folder.access().exists() && someone_let_in;
        if !netconf.ip().is_loopback() && !prepared {
            return Err(SettingsError::Exposed(netconf));
        }
        self.http.check(prepared)?;
        self.a2a.check()?;
        self.limits.check()?;
        self.tasks.check()?;
        self.agents.check()?;
        self.retention.check()?;
        if self.store.url.is_some() && self.retention.max_size_mib.is_some() {
            return Err(SettingsError::SizeUnknown);
        }
        self.webhook.allowed("webhook")?;
        self.life.unwrap_or_default().check()?;
        self.check_ems()?;
        self.check_cluster()?;
        range("speed", self.speed, (1.0, 600.0), "1 to 600")?;
        match self.sites {
            Some(sites) if !(1..=20_000).contains(&sites) => Err(SettingsError::Range {
                name: "sites",
                value: sites.to_string(),
                range: "1 to 20000",
            }),
            _ => Ok(()),
        }
    }
}

impl Settings {
    /// The name of the node that this process is, and the database of its state.
    ///
    /// # Errors
    /// [`SettingsError::NodeAlone`] if there is no database, and if there is no name.
    pub fn cluster_node(&self) -> Result<(String, ::store::PostgresAddress), SettingsError> {
        match (&self.cluster.node, &self.store.url) {
            (Some(name), Some(address)) => Ok((name.clone(), address.clone())),
            (name, _) => Err(SettingsError::NodeAlone(name.clone().unwrap_or_default())),
        }
    }

    fn check_cluster(&self) -> Result<(), SettingsError> {
        self.cluster.check()?;
        let Some(node) = &self.cluster.node else {
            return Ok(());
        };
        self.cluster_node()?;
        match self.network.as_deref() {
            Some(network) if network != "none" => Err(SettingsError::NodeNetwork {
                node: node.clone(),
                network: network.to_owned(),
            }),
            _ => Ok(()),
        }
    }

    fn check_ems(&self) -> Result<(), SettingsError> {
        within("ems-wait-s", self.ems_wait_s, 3_600, "1 to 3600")?;
        let systems = self.ems.as_deref().unwrap_or_default();
        let simulated = self.network.as_deref().filter(|name| *name != "none");
        match simulated {
            Some(name) if !systems.is_empty() => Err(SettingsError::TwoNetworks(name.to_owned())),
            _ => ems::check(systems),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::session::Timeouts;
    use bindings::netconf::Backlog;
    use std::time::Duration;

    /// The refusal of a settings file with this text; none if it is accepted.
    pub(super) fn refused(text: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        std::fs::write(state.settings(), text).unwrap();
        let checked = Settings::load(&state).and_then(|settings| settings.check(&state));
        checked.err().map(|error| error.to_string())
    }

    #[test]
    fn nobody_listens_outside_before_someone_was_let_in() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        let settings = Settings {
            netconf: Some("0.0.0.0:8830".parse().unwrap()),
            ..Settings::default()
        };
        assert!(matches!(
            settings.check(&state),
            Err(SettingsError::Exposed(_))
        ));
        std::fs::create_dir(folder.path().join("users")).unwrap();
        std::fs::write(folder.path().join("users/noc.pub"), "").unwrap();
        std::fs::write(state.access(), "").unwrap();
        assert!(settings.check(&state).is_ok());
    }

    #[test]
    fn flags_go_above_the_file_and_errors_name_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        std::fs::write(state.settings(), "seed = 4\nsites = 10\n").unwrap();
        let flags = Settings {
            seed: Some(7),
            ..Settings::default()
        };
        let settings = flags.over(Settings::load(&state).unwrap());
        assert_eq!((settings.seed, settings.sites), (Some(7), Some(10)));
        let told = refused("seed = 4\nsitez = 10\n").unwrap();
        assert!(told.contains("convoke.toml:2: unknown field"), "{told}");
    }

    #[test]
    fn what_takes_an_agent_time_is_the_machines_time_at_any_speed() {
        let usual = Settings::default().bounds(None);
        let speed = Some(600.0);
        let fast = Settings {
            speed,
            ..Settings::default()
        };
        let fast = fast.bounds(None);
        assert_eq!(fast.step_ms, 600 * usual.step_ms);
        assert_eq!(fast.answer_ms, 600 * usual.answer_ms);
        assert_eq!(fast.answer_within_ms, usual.answer_within_ms);
    }

    #[test]
    fn limits_are_a_section_and_what_it_leaves_open_is_as_usual() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        let text = "seed = 4\n[limits]\nsubscription-events-max = 10\nkeepalive-s = 1\n";
        std::fs::write(state.settings(), text).unwrap();
        let limits = Settings::default()
            .over(Settings::load(&state).unwrap())
            .limits;
        let expected = Timeouts {
            backlog: Backlog {
                events: 10,
                ..Timeouts::default().backlog
            },
            ..Timeouts::default()
        };
        assert_eq!(limits.patience(), expected);
        assert_eq!(limits.limiter().keepalive, Duration::from_secs(1));
        assert_eq!(
            refused("[limits]\nkeepalive-s = 0\n").as_deref(),
            Some("keepalive-s is 0; it must be 1 to 3600")
        );
    }

    #[test]
    fn a_state_in_a_database_has_an_address_and_no_size() {
        let told = refused("[store]\nurl = \"postgres://u:secret@/state\"\n").unwrap();
        assert!(told.contains("convoke.toml:2: it names no host"), "{told}");
        assert!(!told.contains("secret"), "{told}");
        let url = "[store]\nurl = \"postgres://u@db/state\"\n";
        assert_eq!(refused(url), None);
        let sized = refused(&format!("{url}[retention]\nmax-size-mib = 16\n"));
        assert_eq!(sized, Some(SettingsError::SizeUnknown.to_string()));
    }
}
