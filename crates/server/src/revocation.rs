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
use crate::state::StateFolder;
use crate::token::{self, Entry};
use crate::trail::{self, Trail};
use crate::writable;
use domain::audit::{AuditEvent, AuditKind};
use engine::{Credential, Engine};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracing::{error, info};

/// The time between two looks.
const BETWEEN: Duration = Duration::from_millis(250);

/// Of the time at least so many parts go by between two looks for each part that a look takes: ten
/// thousand key files cost no more of a core than ten.
const REST: u32 = 50;

/// What the HTTP door sees of it.
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

/// What distinguishes two states of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            inode: metadata.ino(),
            length: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

/// Key files of users and agents: whose they are, and their state.
type Keys = BTreeMap<PathBuf, (String, Credential, Option<Stamp>)>;

/// Looks at the files of a state folder.
pub struct Lookout {
    folder: StateFolder,
    engine: Arc<Engine>,
    clock: Arc<Clock>,
    certificates: SharedRegister,
    changes: watch::Sender<u64>,
    keys: Keys,
    tokens: Option<Stamp>,
    /// The tokens that were issued, by their identifiers.
    issued: BTreeMap<String, Entry>,
    trail: Trail,
    /// `access.toml` and the list of revoked certificates.
    rules: [Option<Stamp>; 2],
}

impl Lookout {
    /// Remembers how the files are; what lets people in is read once.
    ///
    /// # Errors
    /// [`FileError`] if one cannot be used.
    pub fn begin(
        folder: &StateFolder,
        engine: &Arc<Engine>,
        clock: &Arc<Clock>,
    ) -> Result<Self, FileError> {
        let mut lookout = Self {
            folder: folder.clone(),
            engine: Arc::clone(engine),
            clock: Arc::clone(clock),
            certificates: Arc::default(),
            changes: watch::Sender::new(0),
            keys: Keys::new(),
            tokens: None,
            issued: token::issued(folder),
            trail: trail::of(engine, clock),
            rules: [None; 2],
        };
        lookout.rules = lookout.stamps_of_rules();
        lookout.certificates = Arc::new(RwLock::new(Arc::new(register(folder)?)));
        lookout.keys = lookout.key_files();
        lookout.tokens = Stamp::of(&folder.tokens());
        Ok(lookout)
    }

    /// What the HTTP door needs of it.
    pub fn watched(&self) -> Watched {
        Watched {
            certificates: Arc::clone(&self.certificates),
            changes: self.changes.subscribe(),
        }
    }

    /// Looks from now on, until the handle is aborted.
    pub fn watch(mut self, mut holders: KeyHolders) -> JoinHandle<()> {
        tokio::spawn(async move {
            loop {
                let began = Instant::now();
                let looked = tokio::task::spawn_blocking(move || {
                    self.look(&holders);
                    (self, holders)
                });
                let Ok((lookout, held)) = looked.await else {
                    error!("nobody looks any more whether keys were taken away: restart");
                    return;
                };
                (self, holders) = (lookout, held);
                tokio::time::sleep(BETWEEN.max(began.elapsed() * REST)).await;
            }
        })
    }

    /// Looks once, and ends what counts no more.
    pub fn look(&mut self, holders: &KeyHolders) {
        let (rules, tokens, keys) = (
            self.stamps_of_rules(),
            Stamp::of(&self.folder.tokens()),
            self.key_files(),
        );
        let read_anew = rules != self.rules;
        let keys_changed = keys != self.keys;
        if !read_anew && !keys_changed && tokens == self.tokens {
            return;
        }
        let before = std::mem::replace(&mut self.keys, keys);
        if tokens != self.tokens {
            self.tell_tokens();
        }
        (self.rules, self.tokens) = (rules, tokens);
        if read_anew {
            self.read_rules();
        }
        if keys_changed {
            self.tell(&before);
            let still = |name: &str, key: &_| holders.authenticator.still_admits(name, key);
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
            .filter(|(path, _)| !self.keys.contains_key(*path));
        for (path, (name, whose, _)) in gone {
            info!(user = name, "{} is gone", path.display());
            self.audit_key(AuditKind::KeyRemoved, name, path);
            if *whose == Credential::Agent {
                self.engine.suspend(name, self.clock.now());
            }
        }
        for (path, (name, ..)) in self.keys.iter().filter(|(p, _)| !before.contains_key(*p)) {
            info!(user = name, "{} lets '{name}' in", path.display());
            self.audit_key(AuditKind::KeyAdded, name, path);
        }
        for (path, (name, _, stamp)) in &self.keys {
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

    /// Tells which tokens came and went. One that has expired goes by itself.
    fn tell_tokens(&mut self) {
        let now = token::issued(&self.folder);
        let before = std::mem::replace(&mut self.issued, now);
        let told = |kind, entry: &Entry| {
            let event = AuditEvent::new(kind, &entry.name).from("state folder");
            (self.trail)(event.to(&format!("token {}", entry.id)));
        };
        for (id, entry) in &self.issued {
            if !before.contains_key(id) {
                told(AuditKind::TokenIssued, entry);
            }
        }
        let now = self.clock.now();
        for (id, entry) in before.iter().filter(|(_, entry)| entry.expires > now) {
            if !self.issued.contains_key(id) {
                told(AuditKind::TokenRevoked, entry);
            }
        }
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

    fn stamps_of_rules(&self) -> [Option<Stamp>; 2] {
        let files = [self.folder.access(), self.folder.revoked_certificates()];
        files.map(|file| Stamp::of(&file))
    }

    fn key_files(&self) -> Keys {
        let files = self.folder.key_files().into_iter();
        files
            .map(|(name, whose, path)| {
                let stamp = Stamp::of(&path);
                (path, (name, whose, stamp))
            })
            .collect()
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
