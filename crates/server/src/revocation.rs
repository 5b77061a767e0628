//! Revocation of credentials: key files, tokens, certificates and rows of `access.toml` may change
//! at any time. They are checked periodically, and sessions on revoked ones are ended.
//!
//! A check compares the metadata of the files with those before; nothing is read while nothing
//! changed. Failed logins and authorization are not known here. Read next: [`crate::ssh::logins`],
//! [`crate::http::caller`], `engine`'s `set_access`.

use crate::access;
use crate::clock::Clock;
use crate::file::FileError;
use crate::http::certificate::{Register, Revoked, SharedRegister};
use crate::ssh::{Authenticator, Logins};
use crate::stamp::Stamp;
use crate::state::StateFolder;
use crate::token::{self, Listed, TokenEntry};
use crate::trail::{self, Trail};
use crate::writable;
use domain::audit::{AuditEvent, AuditKind};
use engine::{Credential, Engine};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracing::{error, info, warn};

/// The interval of checks.
const BETWEEN: Duration = Duration::from_millis(250);

/// The least ratio of the pause between two checks to the duration of one: ten thousand key files
/// take no larger part of a core than ten.
const REST: u32 = 50;

/// The view of the HTTP server on revocations.
pub struct Watched {
    /// The certificates of principals, as of the last check.
    pub certificates: SharedRegister,
    /// Counts the checks that found a change.
    pub changes: watch::Receiver<u64>,
}

/// The authenticator over SSH, and the logins that it admitted.
pub struct KeyHolders {
    /// The authenticator.
    pub authenticator: Arc<dyn Authenticator>,
    /// The logins.
    pub logins: Arc<Logins>,
}

/// The key files of users and agents, with their owners and states.
type Keys = BTreeMap<PathBuf, (String, Credential, Option<Stamp>)>;

/// The kind of each name by these files: one with a file among the users is no agent.
fn credentials(keys: &Keys) -> BTreeMap<&str, Credential> {
    let mut credentials = BTreeMap::new();
    for (name, whose, _) in keys.values() {
        let is = credentials.entry(name.as_str()).or_insert(*whose);
        if *whose == Credential::User {
            *is = Credential::User;
        }
    }
    credentials
}

/// The states of credential files, as reported by the system.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    keys: Keys,
    tokens: Option<Stamp>,
    /// `access.toml` and the list of revoked certificates.
    rules: [Option<Stamp>; 2],
}

impl Seen {
    /// Takes the states of the files of a state folder, without reading them. A reader must call
    /// this first, so that later changes are noticed.
    pub fn of(folder: &StateFolder) -> Self {
        let keys = folder.key_files().into_iter().map(|(name, whose, path)| {
            let stamp = Stamp::of(&path);
            (path, (name, whose, stamp))
        });
        let rules = [folder.access(), folder.revoked_certificates()];
        Self {
            keys: keys.collect(),
            tokens: Stamp::of(&folder.tokens()),
            rules: rules.map(|file| Stamp::of(&file)),
        }
    }
}

/// Watches the files of a state folder.
pub struct KeyWatcher {
    folder: StateFolder,
    engine: Arc<Engine>,
    clock: Arc<Clock>,
    certificates: SharedRegister,
    changes: watch::Sender<u64>,
    seen: Seen,
    tokens: Listed,
    trail: Trail,
}

impl KeyWatcher {
    /// Starts from the states `seen` before anything was read, and finds changes since.
    ///
    /// # Errors
    /// [`FileError`] if one cannot be used.
    pub fn begin(
        folder: &StateFolder,
        seen: Seen,
        engine: &Arc<Engine>,
        clock: &Arc<Clock>,
    ) -> Result<Self, FileError> {
        Ok(Self {
            folder: folder.clone(),
            engine: Arc::clone(engine),
            clock: Arc::clone(clock),
            certificates: Arc::new(RwLock::new(Arc::new(register(folder)?))),
            changes: watch::Sender::new(0),
            seen,
            tokens: token::listed(folder),
            trail: trail::of(engine, clock),
        })
    }

    /// The view for the HTTP server.
    pub fn watched(&self) -> Watched {
        Watched {
            certificates: Arc::clone(&self.certificates),
            changes: self.changes.subscribe(),
        }
    }

    /// Checks periodically, until the handle is aborted. It ends by itself if a check panics; the
    /// platform must then be stopped, as revocations would go unnoticed.
    pub fn watch(mut self, mut holders: KeyHolders) -> JoinHandle<()> {
        tokio::spawn(async move {
            loop {
                let began = Instant::now();
                let looked = tokio::task::spawn_blocking(move || {
                    self.look(&holders);
                    (self, holders)
                });
                let Ok((watcher, held)) = looked.await else {
                    error!("nobody looks any more whether keys were taken away");
                    return;
                };
                (self, holders) = (watcher, held);
                tokio::time::sleep(BETWEEN.max(began.elapsed() * REST)).await;
            }
        })
    }

    /// Checks once, and ends sessions whose credential was revoked.
    pub fn look(&mut self, holders: &KeyHolders) {
        let now = Seen::of(&self.folder);
        if now == self.seen {
            return;
        }
        let before = std::mem::replace(&mut self.seen, now);
        if before.tokens != self.seen.tokens {
            self.tell_tokens();
        }
        if before.rules != self.seen.rules {
            self.read_rules();
        }
        if before.keys != self.seen.keys {
            self.tell(&before.keys);
            end_revoked(&before.keys, &self.seen.keys, holders);
            self.engine.credentials_changed();
        }
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Records the keys that were added and removed, and suspends agents without one.
    fn tell(&self, before: &Keys) {
        let gone = before
            .iter()
            .filter(|(path, _)| !self.seen.keys.contains_key(*path));
        for (path, (name, whose, _)) in gone {
            info!(user = name, "{} is gone", path.display());
            self.audit_key(AuditKind::KeyRemoved, name, path);
            if *whose == Credential::Agent {
                self.engine.suspend(name, self.clock.now());
            }
        }
        let keys = &self.seen.keys;
        for (path, (name, ..)) in keys.iter().filter(|(p, _)| !before.contains_key(*p)) {
            info!(user = name, "{} lets '{name}' in", path.display());
            self.audit_key(AuditKind::KeyAdded, name, path);
        }
        for (path, (name, _, stamp)) in keys {
            let is_other = |(_, _, known): &(String, Credential, Option<Stamp>)| known != stamp;
            if before.get(path).is_some_and(is_other) {
                self.audit_key(AuditKind::KeyChanged, name, path);
            }
        }
    }

    /// Records a key in the trail, with its file and owner.
    fn audit_key(&self, kind: AuditKind, name: &str, path: &Path) {
        let folder = path.parent().and_then(Path::file_name);
        let folder = folder.unwrap_or_default().to_string_lossy();
        let subject = format!("{folder}/{name}.pub");
        (self.trail)(
            AuditEvent::new(kind, name)
                .from("state folder")
                .to(&subject),
        );
    }

    /// Records the tokens that were issued and revoked, even both since the last check. Expired
    /// ones are ignored.
    fn tell_tokens(&mut self) {
        let now = token::listed(&self.folder);
        let before = std::mem::replace(&mut self.tokens, now);
        let now = &self.tokens;
        let told = |kind, entry: &TokenEntry| {
            let event = AuditEvent::new(kind, &entry.name).from("state folder");
            (self.trail)(event.to(&format!("token {}", entry.id)));
        };
        let was_known =
            |id: &String| before.issued.contains_key(id) || before.revoked.contains_key(id);
        let seen = now.issued.iter().chain(&now.revoked);
        let came: BTreeMap<_, _> = seen.filter(|(id, _)| !was_known(id)).collect();
        came.values()
            .for_each(|entry| told(AuditKind::TokenIssued, entry));
        let time = self.clock.credential_time();
        let went = before
            .issued
            .iter()
            .filter(|(_, entry)| entry.expires > time);
        let went = went.filter(|(id, _)| !now.issued.contains_key(*id));
        let revoked = now
            .revoked
            .iter()
            .filter(|(id, _)| !before.revoked.contains_key(*id));
        let gone: BTreeMap<_, _> = went.chain(revoked).collect();
        gone.values()
            .for_each(|entry| told(AuditKind::TokenRevoked, entry));
    }

    /// Reads the rules. If they cannot be read, those in force stay, so that a half-written file
    /// changes nothing.
    fn read_rules(&self) {
        let checked = writable::check(&self.folder);
        let rules = checked.and_then(|()| access::read(&self.folder.access()));
        match rules.and_then(|rules| Ok((rules, register(&self.folder)?))) {
            Ok((rules, register)) => {
                let before = Arc::clone(&self.certificates.read().expect("no writer panics"));
                let are_others = rules != *self.engine.access();
                if are_others || register.rows != before.rows {
                    self.rules_changed("access.toml");
                }
                if register.revoked != before.revoked {
                    self.rules_changed("revoked_certificates");
                }
                if are_others {
                    let file = self.folder.access();
                    for doubt in access::doubts(&rules) {
                        warn!("{}: {doubt}", file.display());
                    }
                    self.engine.set_access(rules);
                }
                *self.certificates.write().expect("no writer panics") = Arc::new(register);
            }
            Err(wrong) => error!("what was in force stays in force: {wrong}"),
        }
    }

    fn rules_changed(&self, file: &str) {
        info!("{file} is in force as it is now");
        let changed = AuditEvent::new(AuditKind::RulesChanged, "").from("state folder");
        (self.trail)(changed.to(file));
    }
}

/// Ends the sessions whose key was taken away.
fn end_revoked(before: &Keys, now: &Keys, holders: &KeyHolders) {
    let [was, is] = [before, now].map(credentials);
    let is_same = |name: &str| was.get(name).is_none_or(|was| is.get(name) == Some(was));
    let still =
        |name: &str, key: &_| is_same(name) && holders.authenticator.still_admits(name, key);
    for name in holders.logins.recheck(still) {
        info!(
            user = name,
            "the key of '{name}' counts no more: its sessions end"
        );
    }
}

/// Watches the keys alone, on a node that serves its clients by forwarding: until the handle is aborted, it ends
/// the sessions whose key was taken away from the folder. `seen` are the files as they were before the first
/// client was let in.
pub fn watch_keys(folder: StateFolder, mut seen: Seen, holders: KeyHolders) -> JoinHandle<()> {
    let mut holders = Some(holders);
    tokio::spawn(async move {
        while let Some(held) = holders.take() {
            let began = Instant::now();
            let folder = folder.clone();
            let looked = tokio::task::spawn_blocking(move || {
                let now = Seen::of(&folder);
                if now.keys != seen.keys {
                    end_revoked(&seen.keys, &now.keys, &held);
                }
                (now, held)
            });
            let Ok((now, held)) = looked.await else {
                error!("nobody looks any more whether keys were taken away");
                return;
            };
            (seen, holders) = (now, Some(held));
            tokio::time::sleep(BETWEEN.max(began.elapsed() * REST)).await;
        }
    })
}

/// The certificates of principals in the files of a state folder, and the revoked ones.
///
/// # Errors
/// [`FileError`]
pub fn register(folder: &StateFolder) -> Result<Register, FileError> {
    let path = folder.revoked_certificates();
    let text = match fs::read_to_string(&path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => String::new(),
        read => read.map_err(|cause| FileError::unreadable(&path, cause))?,
    };
    let revoked = Revoked::parse(&text).map_err(|line| FileError::Wrong {
        file: path.display().to_string(),
        line,
        message: "neither the SHA-256 of a certificate nor 'serial:' and its number".to_owned(),
    })?;
    Ok(Register {
        rows: access::certificates(&folder.access())?,
        revoked,
    })
}
