//! The sections `[[ems]]`: the management systems of a network that is managed elsewhere.
//!
//! The same sections in a file of their own are what `--ems` names. Read next: [`crate::managed`],
//! which connects to them.

use super::ems_error::{EmsSettingsError, SYSTEMS};
use super::error::SettingsError;
use super::range::{range, within};
use crate::file::FileError;
use crate::ssh::keys;
use crate::ssh::{Fingerprint, HostKeyPolicy, PrivateKey, PublicKey};
use bindings::netconf::manager::{AlarmTypeMap, DomainDefaults};
use domain::inventory::Domain;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The largest file of settings or of a mapping, in bytes.
const FILE_BYTES: u64 = 4 << 20;

/// The transport of a management system.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum EmsTransport {
    /// NETCONF over SSH (RFC 6242).
    #[default]
    Ssh,
}

/// One management system.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EmsSettings {
    /// `name`: its name in messages.
    pub name: String,
    /// `address`: host and port.
    pub address: String,
    /// `transport`: `ssh`.
    #[serde(default)]
    pub transport: EmsTransport,
    /// `user`: the user's name there.
    pub user: String,
    /// `key`: the file of the user's private key.
    pub key: PathBuf,
    /// `host-key`: its host key, as `SHA256:…` or as a line of OpenSSH.
    pub host_key: Option<String>,
    /// `known-hosts`: a file of known hosts instead.
    pub known_hosts: Option<PathBuf>,
    /// `domain`: the domain that it manages: Wireless, IP, Service or Business. It documents elements
    /// of no other.
    pub domain: String,
    /// `province`: the province that it manages: that of elements that do not say theirs. It documents
    /// elements of no other.
    pub province: Option<String>,
    /// `device`: the node whose interfaces it has, if it is one device.
    pub device: Option<String>,
    /// `cores`: the nodes at which the core of the network is attached, where the system does not
    /// say so.
    #[serde(default)]
    pub cores: Vec<String>,
    /// `sites`: what the names of sites begin with, where the system does not say which nodes are.
    #[serde(default)]
    pub sites: Vec<String>,
    /// `alarm-types`: a file of the alarm types behind its identities.
    pub alarm_types: Option<PathBuf>,
    /// `poll-s`: the period at which interfaces are read, in seconds, 1 to 86,400; 60 by default.
    pub poll_s: Option<f64>,
    /// `alarm-list-s`: the period at which the alarm list is read again, in seconds, 1 to 86,400; 300
    /// by default.
    pub alarm_list_s: Option<f64>,
    /// `sessions`: concurrent sessions for actions, 1 to 64; 8 by default.
    pub sessions: Option<u64>,
    /// `timeout-s`: the longest wait for an answer, in seconds, 1 to 3,600; 600 by default.
    pub timeout_s: Option<f64>,
}

/// The file that `--ems` names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct EmsFile {
    #[serde(default)]
    ems: Vec<EmsSettings>,
}

/// Reads the file that `--ems` names; files in it lie beside it.
///
/// # Errors
/// [`SettingsError`] with file and line.
pub fn load(file: &Path) -> Result<Vec<EmsSettings>, SettingsError> {
    let text = small_text(file)?;
    let read: EmsFile = toml::from_str(&text)
        .map_err(|error| FileError::toml(&file.display().to_string(), &text, &error))?;
    if read.ems.is_empty() {
        let none = "there is no management system: one is a section [[ems]]";
        return Err(FileError::at(&file.display().to_string(), &text, 0, none).into());
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    Ok(beside(read.ems, folder))
}

/// The same systems, with their files in this folder unless they are absolute.
pub(super) fn beside(systems: Vec<EmsSettings>, folder: &Path) -> Vec<EmsSettings> {
    let placed = |system: EmsSettings| EmsSettings {
        key: folder.join(&system.key),
        known_hosts: system.known_hosts.map(|file| folder.join(file)),
        alarm_types: system.alarm_types.map(|file| folder.join(file)),
        ..system
    };
    systems.into_iter().map(placed).collect()
}

/// Checks everything about the systems that can be checked without connecting.
///
/// # Errors
/// [`SettingsError::Ems`] for the first that cannot be used, [`SettingsError::Range`].
pub(super) fn check(systems: &[EmsSettings]) -> Result<(), SettingsError> {
    let mut names = BTreeSet::new();
    for system in systems {
        let wrong = |cause| system.wrong(cause);
        if systems.len() > SYSTEMS {
            return Err(wrong(EmsSettingsError::TooMany));
        }
        let length = system.name.chars().count();
        if !(1..=64).contains(&length) || system.name.contains(char::is_control) {
            return Err(wrong(EmsSettingsError::Name));
        }
        if !names.insert(&system.name) {
            return Err(wrong(EmsSettingsError::Twice));
        }
        let port = system.address.rsplit_once(':');
        if port.is_none_or(|(host, port)| host.is_empty() || port.parse::<u16>().is_err()) {
            let address = system.address.clone();
            return Err(wrong(EmsSettingsError::Address(address)));
        }
        system.defaults()?;
        system.host_keys()?;
        system.private_key()?;
        system.alarm_type_map()?;
        range("poll-s", system.poll_s, (1.0, 86_400.0), "1 to 86400")?;
        let period = system.alarm_list_s;
        range("alarm-list-s", period, (1.0, 86_400.0), "1 to 86400")?;
        range("timeout-s", system.timeout_s, (1.0, 3_600.0), "1 to 3600")?;
        within("sessions", system.sessions, 64, "1 to 64")?;
    }
    Ok(())
}

impl EmsSettings {
    fn wrong(&self, cause: EmsSettingsError) -> SettingsError {
        SettingsError::Ems {
            system: self.name.clone(),
            cause: Box::new(cause),
        }
    }

    /// What its elements are where they do not say it.
    ///
    /// # Errors
    /// [`EmsSettingsError::Domain`]
    pub(crate) fn defaults(&self) -> Result<DomainDefaults, SettingsError> {
        let domain = Domain::parse(&self.domain)
            .ok_or_else(|| self.wrong(EmsSettingsError::Domain(self.domain.clone())))?;
        Ok(DomainDefaults {
            province: self.province.clone(),
            cores: self.cores.clone(),
            sites: self.sites.clone(),
            ..DomainDefaults::of(domain)
        })
    }

    /// The host keys that are trusted.
    ///
    /// # Errors
    /// [`EmsSettingsError::NoHostKey`], [`EmsSettingsError::HostKey`]
    pub(crate) fn host_keys(&self) -> Result<HostKeyPolicy, SettingsError> {
        let wrong = |text: &str| self.wrong(EmsSettingsError::HostKey(text.to_owned()));
        match (&self.host_key, &self.known_hosts) {
            (Some(text), _) if text.starts_with("SHA256:") => {
                let fingerprint: Result<Fingerprint, _> = text.parse();
                let fingerprint = fingerprint.map_err(|_| wrong(text))?;
                Ok(HostKeyPolicy::Fingerprint(fingerprint))
            }
            (Some(line), _) => {
                let key = PublicKey::from_openssh(line).map_err(|_| wrong(line))?;
                Ok(HostKeyPolicy::Exactly(key))
            }
            (None, Some(file)) => Ok(HostKeyPolicy::KnownHosts(file.clone())),
            (None, None) => Err(self.wrong(EmsSettingsError::NoHostKey)),
        }
    }

    /// The user's key.
    ///
    /// # Errors
    /// [`EmsSettingsError::Key`]
    pub(crate) fn private_key(&self) -> Result<PrivateKey, SettingsError> {
        keys::load(&self.key).map_err(|cause| self.wrong(cause.into()))
    }

    /// The alarm types behind its identities.
    ///
    /// # Errors
    /// [`EmsSettingsError::File`], [`EmsSettingsError::AlarmTypes`]
    pub(crate) fn alarm_type_map(&self) -> Result<AlarmTypeMap, SettingsError> {
        let Some(file) = &self.alarm_types else {
            return Ok(AlarmTypeMap::default());
        };
        let text = small_text(file).map_err(|cause| self.wrong(cause.into()))?;
        let name = file.display().to_string();
        let entries: BTreeMap<String, String> = toml::from_str(&text)
            .map_err(|error| self.wrong(FileError::toml(&name, &text, &error).into()))?;
        let entries = entries
            .iter()
            .map(|(id, ours)| (id.as_str(), ours.as_str()));
        AlarmTypeMap::new(entries)
            .map_err(|cause| self.wrong(EmsSettingsError::AlarmTypes { file: name, cause }))
    }
}

/// The text of a file that is not too large.
fn small_text(file: &Path) -> Result<String, FileError> {
    let unreadable = |cause| FileError::unreadable(file, cause);
    let size = std::fs::metadata(file).map_err(unreadable)?.len();
    if size > FILE_BYTES {
        let cause = std::io::Error::other(format!("it has more than {FILE_BYTES} bytes"));
        return Err(unreadable(cause));
    }
    std::fs::read_to_string(file).map_err(unreadable)
}
