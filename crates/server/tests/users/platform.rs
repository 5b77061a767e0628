//! A platform in a folder of its own, its users, and the ends of their sessions in its log.

use domain::event::{LogEvent, Termination};
use engine::Usage;
use server::client::{CallError, Client, Identity};
use server::clock::Clock;
use server::config::Settings;
use server::host::{Endpoint, Home, Host, StartError};
use server::roster::Roster;
use server::ssh::keys::{StateKeys, write_public};
use server::state::StateFolder;
use server::token::{Grant, Issued, TokenError, TokenTerms, Tokens};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use testkit::{eventually, within};

/// A running platform.
pub struct Platform {
    pub host: Host,
    pub folder: StateFolder,
    _state: tempfile::TempDir,
}

impl Platform {
    /// A platform with these settings, on free ports, without a network.
    pub async fn with(settings: &str) -> Self {
        let state = tempfile::tempdir().unwrap();
        let folder = StateFolder::new(state.path());
        Self {
            host: start(&folder, settings).await.unwrap(),
            folder,
            _state: state,
        }
    }

    /// The error of a second start on the same state; none if it succeeds.
    pub async fn start_another(&self) -> Option<StartError> {
        start(&self.folder, "").await.err()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Admits a name with a new key: `users/noc.pub` or `agents/ip.pub`.
    pub fn admit(&self, file: &str) {
        let name = Path::new(file).file_stem().unwrap().to_str().unwrap();
        let key = StateKeys::open(self.folder.path()).unwrap().agent(name);
        write_public(&self.file(file), key.unwrap().public_key()).unwrap();
    }

    /// A session at the platform's endpoint.
    pub async fn client(&self, user: &str) -> Client {
        self.try_client(user).await.unwrap()
    }

    /// The same, unless the user is refused.
    pub async fn try_client(&self, user: &str) -> Result<Client, CallError> {
        let key = match user {
            "operator" => "operator_ed25519".to_owned(),
            user => format!("keys/{user}_ed25519"),
        };
        self.client_with(user, &key).await
    }

    /// The same by another key.
    pub async fn client_with(&self, user: &str, key: &str) -> Result<Client, CallError> {
        let address = self.host.address_of(&Endpoint::Platform).unwrap();
        let identity = Identity {
            user: user.to_owned(),
            key: self.file(key),
            known_hosts: self.file("known_hosts"),
        };
        Client::connect(&address.to_string(), &identity).await
    }

    /// Edits `access.toml`, and waits until the new rules are in force.
    pub async fn rule(&self, edit: impl FnOnce(&str) -> String) {
        let engine = self.host.platform.engine();
        let before = engine.access();
        let text = std::fs::read_to_string(self.file("access.toml")).unwrap();
        let edited = edit(&text);
        assert_ne!(text, edited);
        std::fs::write(self.file("access.toml"), edited).unwrap();
        eventually("the new rules", || !Arc::ptr_eq(&before, &engine.access())).await;
    }

    /// Makes a user an administrator beside the operator.
    pub async fn promote(&self, user: &str) {
        let both = format!("[\"operator\", \"{user}\"]");
        self.rule(|rules| rules.replacen("[\"operator\"]", &both, 1))
            .await;
    }

    /// A token of a user, valid for ten minutes.
    pub fn token(&self, user: &str) -> Result<String, TokenError> {
        Ok(self.issue(user)?.token)
    }

    /// The same, with what is known of it.
    pub fn issue(&self, user: &str) -> Result<Issued, TokenError> {
        let grant = Grant {
            name: user.to_owned(),
            valid_s: 600,
            scope: Default::default(),
        };
        self.tokens().issue(&grant, Clock::wall_time())
    }

    pub fn tokens(&self) -> Tokens {
        Tokens::open(&self.folder, TokenTerms::default()).unwrap()
    }

    /// The usage of a user.
    pub fn usage(&self, user: &str) -> Usage {
        let usage = self.host.platform.engine().usage();
        let own = usage.into_iter().find(|usage| usage.name == user);
        own.unwrap_or_default()
    }

    /// The reason for which the first session of a user ended, from the log.
    pub async fn end_of(&self, user: &str) -> Termination {
        let feed = self.host.platform.engine().feed();
        let mut news = feed.watch();
        let ended = async {
            loop {
                news.borrow_and_update();
                let entries = feed.after(0, 10_000).unwrap();
                let ended = entries.iter().find_map(|entry| match &entry.happening {
                    LogEvent::SessionEnded {
                        username, reason, ..
                    } if username == user => Some(*reason),
                    _ => None,
                });
                match ended {
                    Some(reason) => return reason,
                    None => news.changed().await.unwrap(),
                }
            }
        };
        within("the end of a session", ended).await
    }
}

async fn start(folder: &StateFolder, settings: &str) -> Result<Host, StartError> {
    let settings =
        format!("netconf = \"127.0.0.1:0\"\nagents-from = 0\nnetwork = \"none\"\n{settings}");
    let settings: Settings = toml::from_str(&settings).unwrap();
    let clock = Arc::new(Clock::wall());
    let home = Home::Folder(folder.clone());
    let host = Host::start(home, &settings, Roster::default(), Arc::default(), clock).await?;
    host.open();
    Ok(host)
}
