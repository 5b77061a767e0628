//! What is in force by the settings of whoever leads and should be alike at all nodes: it is told by digests, a section
//! at a time.
//!
//! Whoever differs may lead, for settings may have to be each machine's own: it is said, and nothing more. Read next:
//! [`super::heads`], by which it is told; [`super::rules`], what must be alike.

use crate::config::Settings;
use crate::state::StateFolder;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;

/// How many digits of a digest tell contents apart.
const DIGITS: usize = 16;

/// The name of the release, whose settings may have another form.
const RELEASE: &str = "release";

/// The settings of a node that others should have alike, and the key of its tokens.
#[derive(Debug, Default)]
pub(super) struct SettingsDigests {
    sections: Vec<(&'static str, String)>,
    token_key: PathBuf,
}

impl SettingsDigests {
    /// That of a node with these settings and this folder.
    pub(super) fn of(settings: &Settings, folder: &StateFolder) -> Self {
        let sections: [(&str, &dyn Debug); 9] = [
            ("[a2a]", &settings.a2a),
            ("[agents]", &settings.agents),
            ("[http.token]", &settings.http.token),
            ("[limits]", &settings.limits),
            ("[retention]", &settings.retention),
            ("[schemas]", &settings.schemas),
            ("[tasks]", &settings.tasks),
            ("[webhook]", &settings.webhook),
            ("roles", &settings.roles),
        ];
        let told = |(name, section): (&'static str, &dyn Debug)| {
            (name, digest(format!("{section:?}").as_bytes()))
        };
        Self {
            sections: sections.map(told).to_vec(),
            token_key: folder.token_key(),
        }
    }

    /// As others are told it: names with digests.
    pub(super) fn told(&self) -> String {
        let all = self.digests().into_iter();
        let words: Vec<String> = all
            .map(|(name, digest)| format!("{name}={digest}"))
            .collect();
        words.join(" ")
    }

    /// The names of what is otherwise with the node that tells this; none with a node of another release.
    pub(super) fn differences(&self, told: &str) -> Vec<&'static str> {
        let told: BTreeMap<&str, &str> = told
            .split(' ')
            .filter_map(|word| word.split_once('='))
            .collect();
        let own = self.digests();
        let mut differ: Vec<&'static str> = own
            .iter()
            .filter(|(name, digest)| told.get(name).is_some_and(|it| it != digest))
            .map(|(name, _)| *name)
            .collect();
        if differ.contains(&RELEASE) {
            differ.clear();
        }
        differ
    }

    fn digests(&self) -> Vec<(&'static str, String)> {
        let release = env!("CARGO_PKG_VERSION").to_owned();
        // It may be made, or given, at any time.
        let token_key = std::fs::read(&self.token_key).unwrap_or_default();
        let token_key = digest(&token_key);
        let others = [(RELEASE, release), ("token_ed25519", token_key)];
        self.sections.iter().cloned().chain(others).collect()
    }
}

fn digest(content: &[u8]) -> String {
    let mut text = base16ct::lower::encode_string(&Sha256::digest(content));
    text.truncate(DIGITS);
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_otherwise_is_named_unless_the_release_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        let of = |text: &str| SettingsDigests::of(&toml::from_str(text).unwrap(), &state);
        let (plain, changed) = (
            of("netconf = \"127.0.0.1:0\""),
            of("[retention]\nmax-age-days = 3\n[webhook]\nallow = [\"https://oss.example\"]"),
        );
        assert_eq!(plain.differences(&plain.told()), [""; 0]);
        assert_eq!(
            plain.differences(&changed.told()),
            ["[retention]", "[webhook]"]
        );
        assert_eq!(
            of("").differences(&plain.told()),
            [""; 0],
            "addresses are its own"
        );
        let before = plain.told();
        std::fs::write(state.token_key(), "another").unwrap();
        assert_eq!(plain.differences(&before), ["token_ed25519"]);
        let release = format!("{RELEASE}={}", env!("CARGO_PKG_VERSION"));
        let later = before.replace(&release, &format!("{RELEASE}=later"));
        assert_eq!(changed.differences(&later), [""; 0]);
        assert_eq!(plain.differences("what=ever else"), [""; 0]);
    }
}
