//! Authentication: from a user name and a public key to a principal.
//!
//! The SSH library has proved that the peer holds the key; here it is decided whether that key may
//! be used under that name. Authorization is not known here. There are no passwords.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::permissions::{Others, lets_nobody_in};
use crate::stamp::Stamp;
use crate::user_name::is_user_name;
use russh::keys::PublicKey;
use russh::keys::ssh_key::public::KeyData;
use tracing::warn;

/// Decides which keys may be used under which names.
pub trait Authenticator: Send + Sync + 'static {
    /// The principal if `key` may be used under the name `user`.
    ///
    /// Called before and after the peer has proved that it holds the key, so it must have no
    /// effect, and return quickly.
    fn authenticate(&self, user: &str, key: &PublicKey) -> Option<String>;

    /// Notes an attempt to authenticate, successful or not. Called once for each connection, and
    /// must return quickly.
    fn attempted(&self, _: &Attempt) {}

    /// True if the name belongs to the platform itself: its operator, and hosted agents. They are
    /// admitted even when resources are short.
    fn is_own(&self, _user: &str) -> bool {
        false
    }

    /// True if a key that was accepted under a name still would be.
    fn still_admits(&self, user: &str, key: &KeyData) -> bool {
        self.authenticate(user, &PublicKey::from(key.clone()))
            .is_some()
    }
}

/// An attempt to authenticate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The name given.
    pub user: String,
    /// The fingerprint of the last key shown (SHA-256), or the method tried.
    pub shown: String,
    /// The address of the peer.
    pub address: IpAddr,
    /// The reason for the refusal; none if it succeeded.
    pub refused: Option<&'static str>,
}

/// The files `NAME.pub` of a folder of users, and perhaps of one of agents, each with one or more
/// OpenSSH public keys on lines of their own, and keys given in memory.
///
/// A file is checked at each login, so adding one admits a user at once, and removing it shuts the
/// user out. The principal is the user's name. A name of a user, or with a given key, cannot be an
/// agent's.
#[derive(Debug)]
pub struct KeyDirectory {
    users: KeyFiles,
    agents: Option<KeyFiles>,
    given: BTreeMap<String, Vec<KeyData>>,
}

/// The files `NAME.pub` of one folder.
#[derive(Debug)]
struct KeyFiles {
    directory: PathBuf,
    read: Mutex<BTreeMap<String, Entry>>,
}

#[derive(Debug)]
struct Entry {
    stamp: Stamp,
    keys: Vec<KeyData>,
}

/// The largest file of a user, in bytes.
const FILE_BYTES_MAX: u64 = 64 << 10;
/// The most users kept in memory.
const USERS_REMEMBERED: usize = 4096;

impl KeyDirectory {
    /// Looks for users in `directory`, which need not exist yet.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            users: KeyFiles::new(directory),
            agents: None,
            given: BTreeMap::new(),
        }
    }

    /// Also looks for agents in `directory`, which need not exist yet.
    #[must_use]
    pub fn with_agents(mut self, directory: impl Into<PathBuf>) -> Self {
        self.agents = Some(KeyFiles::new(directory));
        self
    }

    /// Also accepts `key` for `user`, independently of the folder.
    #[must_use]
    pub fn with_key(mut self, user: &str, key: &PublicKey) -> Self {
        let keys = self.given.entry(user.to_owned()).or_default();
        keys.push(key.key_data().clone());
        self
    }
}

impl Authenticator for KeyDirectory {
    fn authenticate(&self, user: &str, key: &PublicKey) -> Option<String> {
        if !is_user_name(user) || is_weak(key.key_data()) {
            return None;
        }
        let holds = |keys: Option<Vec<KeyData>>| keys.map(|keys| keys.contains(key.key_data()));
        // All are asked, whatever the first says.
        let given = holds(self.given.get(user).cloned());
        let filed = holds(self.users.keys(user));
        let agent = holds(self.agents.as_ref().and_then(|agents| agents.keys(user)));
        let known = match (given, filed) {
            (None, None) => agent,
            _ => Some(given == Some(true) || filed == Some(true)),
        };
        (known == Some(true)).then(|| user.to_owned())
    }

    fn is_own(&self, user: &str) -> bool {
        self.given.contains_key(user)
    }
}

impl KeyFiles {
    fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            read: Mutex::new(BTreeMap::new()),
        }
    }

    /// The keys in the file of `name`; none if there is no such file. A file or folder that others
    /// may write gives no key.
    fn keys(&self, name: &str) -> Option<Vec<KeyData>> {
        let path = self.directory.join(format!("{name}.pub"));
        let metadata = fs::metadata(&path).ok().filter(Metadata::is_file);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(metadata) = metadata else {
            read.remove(name);
            return None;
        };
        for decisive in [&path, &self.directory] {
            if let Some(others) = Others::who_may_write(decisive) {
                warn!(ssh.file = %decisive.display(), "{}", lets_nobody_in(decisive, others));
                return Some(Vec::new());
            }
        }
        let stamp = Stamp::from(&metadata);
        if let Some(entry) = read.get(name).filter(|entry| entry.stamp == stamp) {
            return Some(entry.keys.clone());
        }
        let keys = keys_in(&path);
        if stamp.is_settled() {
            if read.len() >= USERS_REMEMBERED {
                read.clear();
            }
            let entry = Entry {
                stamp,
                keys: keys.clone(),
            };
            read.insert(name.to_owned(), entry);
        }
        Some(keys)
    }
}

/// True for RSA keys below 2048 bits, which prove nothing (NIST SP 800-131A).
fn is_weak(key: &KeyData) -> bool {
    key.rsa().is_some_and(|rsa| rsa.key_size() < 2048)
}

fn keys_in(path: &Path) -> Vec<KeyData> {
    let mut text = String::new();
    let outcome =
        File::open(path).and_then(|file| file.take(FILE_BYTES_MAX).read_to_string(&mut text));
    if let Err(error) = outcome {
        warn!(ssh.file = %path.display(), %error, "cannot read the keys of a user");
        return Vec::new();
    }
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(|line| match PublicKey::from_openssh(line) {
            Ok(key) => Some(key.key_data().clone()),
            Err(error) => {
                warn!(ssh.file = %path.display(), %error, "a line holds no public key");
                None
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::ssh::keys::generate;

    fn line(key: &PublicKey) -> String {
        format!("{}\n", key.to_openssh().unwrap().trim_end())
    }

    #[test]
    fn what_everybody_may_write_lets_nobody_in() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let key = generate("anna");
        let file = folder.path().join("anna.pub");
        fs::write(&file, line(key.public_key())).unwrap();
        let known = KeyDirectory::new(folder.path());
        let is_let_in = || known.authenticate("anna", key.public_key()).is_some();
        assert!(is_let_in());
        for (path, usual) in [(file.as_path(), 0o644), (folder.path(), 0o755)] {
            let may = |mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            may(usual | 0o002);
            assert!(!is_let_in(), "{}", path.display());
            may(usual);
            assert!(is_let_in());
        }
    }

    #[test]
    fn a_file_holds_several_keys_and_may_hold_nonsense() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second, third) = (generate("1"), generate("2"), generate("3"));
        let text = format!(
            "# mine\n{}\nnonsense\n{}",
            line(first.public_key()),
            line(second.public_key())
        );
        fs::write(folder.path().join("anna.pub"), text).unwrap();
        let known = KeyDirectory::new(folder.path());
        let principal = Some("anna".to_owned());
        assert_eq!(known.authenticate("anna", first.public_key()), principal);
        assert_eq!(known.authenticate("anna", second.public_key()), principal);
        assert_eq!(known.authenticate("anna", third.public_key()), None);
        assert_eq!(known.authenticate("otto", first.public_key()), None);
        assert_eq!(known.authenticate("../anna", first.public_key()), None);
    }

    #[test]
    fn a_change_is_seen_at_once_even_of_the_same_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anna.pub");
        let known = KeyDirectory::new(folder.path());
        for _ in 0..20 {
            let key = generate("k");
            fs::write(&path, line(key.public_key())).unwrap();
            assert!(known.authenticate("anna", key.public_key()).is_some());
            fs::write(&path, line(generate("k").public_key())).unwrap();
            assert!(known.authenticate("anna", key.public_key()).is_none());
        }
    }

    #[test]
    fn an_agents_key_counts_where_no_user_has_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let (users, agents) = (folder.path().join("users"), folder.path().join("agents"));
        let (user, agent) = (generate("user"), generate("agent"));
        for (folder, key) in [(&users, &user), (&agents, &agent)] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("both.pub"), line(key.public_key())).unwrap();
        }
        fs::write(agents.join("ip.pub"), line(agent.public_key())).unwrap();
        fs::write(agents.join("hosted.pub"), line(agent.public_key())).unwrap();
        let known = KeyDirectory::new(&users)
            .with_key("hosted", user.public_key())
            .with_agents(&agents);
        let lets_in = |name: &str, key: &PublicKey| known.authenticate(name, key).is_some();
        assert!(lets_in("ip", agent.public_key()) && !lets_in("ip", user.public_key()));
        assert!(lets_in("both", user.public_key()) && !lets_in("both", agent.public_key()));
        assert!(lets_in("hosted", user.public_key()) && !lets_in("hosted", agent.public_key()));
        fs::remove_file(agents.join("ip.pub")).unwrap();
        assert!(!lets_in("ip", agent.public_key()));
        fs::remove_file(users.join("both.pub")).unwrap();
        assert!(lets_in("both", agent.public_key()));
    }

    #[test]
    fn a_given_key_needs_no_file() {
        let key = generate("operator");
        let known = KeyDirectory::new("/nonexistent").with_key("operator", key.public_key());
        assert!(known.authenticate("operator", key.public_key()).is_some());
        assert!(known.authenticate("anna", key.public_key()).is_none());
    }
}
