//! What lets people in may be taken away at any time: key files, tokens, certificates, rows of
//! `access.toml`. It is looked at again and again, and what counts no more ends.
//!
//! A look compares what the system says of the files with what it said before; nothing is read while
//! nothing changed. Who has failed to log in is not known here, nor what anybody may do. Read next:
//! [`crate::ssh::logins`], [`crate::http::caller`], `engine`'s `set_access`.

use crate::access;
use crate::clock::Clock;
use crate::file::FileError;
use crate::http::certificate::{Register, Revoked, SharedRegister};
use crate::ssh::{Authenticator, Logins};
use crate::stamp::Stamp;
use crate::state::StateFolder;
use crate::token::{self, Entry, Listed};
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

/// The time between two looks.
const BETWEEN: Duration = Duration::from_millis(250);

/// Of the time at least so many parts go by between two looks for each part that a look takes: ten
/// thousand key files cost no more of a core than ten.
const REST: u32 = 50;

/// What the HTTP server sees of it.
pub struct Watched {
    /// Who has which certificate, as of the last look.
    pub certificates: SharedRegister,
    /// Counts the looks that found something.
    pub changes: watch::Receiver<u64>,
}

/// Who checks keys over SSH, and who is in by them.
pub struct KeyHolders {
    /// Whether a key counts.
    pub authenticator: Arc<dyn Authenticator>,
    /// Who is logged in.
    pub logins: Arc<Logins>,
}

/// Key files of users and agents: whose they are, and their state.
type Keys = BTreeMap<PathBuf, (String, Credential, Option<Stamp>)>;

/// As what each name is let in by these files: who has one among the users is no agent.
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

/// How the files are that let people in, as the system tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    keys: Keys,
    tokens: Option<Stamp>,
    /// `access.toml` and the list of revoked certificates.
    rules: [Option<Stamp>; 2],
}

impl Seen {
    /// Looks at the files of a state folder and reads none. Whoever reads them looks first: what changes
    /// in between is then seen as a change.
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

/// Looks at the files of a state folder.
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
    /// Looks for what is otherwise than it was `seen` to be before anything of it was read.
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

    /// What the HTTP server needs of it.
    pub fn watched(&self) -> Watched {
        Watched {
            certificates: Arc::clone(&self.certificates),
            changes: self.changes.subscribe(),
        }
    }

    /// Looks from now on, until the handle is aborted. It ends by itself if a look panics: nobody knows
    /// then who would still be let in, so whoever runs the platform ends it.
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

    /// Looks once, and ends what counts no more.
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
            let [was, is] = [&before.keys, &self.seen.keys].map(credentials);
            let is_same = |name: &str| was.get(name).is_none_or(|was| is.get(name) == Some(was));
            let still = |name: &str, key: &_| {
                is_same(name) && holders.authenticator.still_admits(name, key)
            };
            for name in holders.logins.recheck(still) {
                info!(
                    user = name,
                    "the key of '{name}' counts no more: its sessions end"
                );
            }
        }
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Says which keys came and went, and has agents without one given nothing more.
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

    /// The trail names the file, and whose it is.
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

    /// Tells which tokens came and went, those too that did both since the last look. One that has
    /// expired goes by itself.
    fn tell_tokens(&mut self) {
        let now = token::listed(&self.folder);
        let before = std::mem::replace(&mut self.tokens, now);
        let now = &self.tokens;
        let told = |kind, entry: &Entry| {
            let event = AuditEvent::new(kind, &entry.name).from("state folder");
            (self.trail)(event.to(&format!("token {}", entry.id)));
        };
        let was_known =
            |id: &String| before.issued.contains_key(id) || before.revoked.contains_key(id);
        let seen = now.issued.iter().chain(&now.revoked);
        let came: BTreeMap<_, _> = seen.filter(|(id, _)| !was_known(id)).collect();
        came.values()
            .for_each(|entry| told(AuditKind::TokenIssued, entry));
        let time = self.clock.now();
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

    /// What cannot be read leaves in force what was: half a file opens nothing and closes nothing.
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

/// Who has which certificate by the files of a state folder, and which were revoked.
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
