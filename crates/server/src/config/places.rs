//! The sections `[webhook]` and `[a2a.peers]`: the HTTP servers to which the platform may connect.
//!
//! Read next: [`crate::http_client`], which connects to no others.

use super::error::SettingsError;
use crate::webhook::AllowList;
use serde::Deserialize;
use std::path::PathBuf;

/// Allowed receivers of reports, or agents elsewhere, as far as they are given.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlacesSettings {
    /// `allow`: scheme, host and port of each, such as `https://oss.example:8443`; none by default.
    /// A name must resolve to the public network.
    pub allow: Option<Vec<String>>,
    /// `allow-private`: the same for those whose names may resolve to private, loopback and
    /// link-local addresses.
    pub allow_private: Option<Vec<String>>,
    /// `ca-file`: the trusted authorities of their certificates, as PEM; those of the system by
    /// default.
    pub ca_file: Option<PathBuf>,
}

impl PlacesSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            allow: self.allow.or(below.allow),
            allow_private: self.allow_private.or(below.allow_private),
            ca_file: self.ca_file.or(below.ca_file),
        }
    }

    /// The list of allowed origins; `section` is named in errors.
    ///
    /// # Errors
    /// [`SettingsError::Place`] for the first entry that is not scheme, host and port.
    pub fn allowed(&self, section: &'static str) -> Result<AllowList, SettingsError> {
        let entries = |list: &Option<Vec<String>>| list.clone().unwrap_or_default();
        let list = AllowList::new(&entries(&self.allow), &entries(&self.allow_private));
        list.map_err(|cause| SettingsError::Place { section, cause })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Settings;
    use crate::state::StateFolder;

    #[test]
    fn receivers_are_listed_and_what_is_no_receiver_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        let check = |section: &str| {
            std::fs::write(state.settings(), format!("[webhook]\n{section}\n")).unwrap();
            let settings = Settings::default().over(Settings::load(&state).unwrap());
            settings
                .check(&state)
                .map(|()| settings.webhook.allowed("webhook"))
        };
        assert!(check("").unwrap().unwrap().is_empty());
        let both = "allow = ['https://oss.example:8443']\nallow-private = ['http://oss.corp']";
        assert!(!check(both).unwrap().unwrap().is_empty());
        let error = check("allow = ['https://oss.example/in']").unwrap_err();
        assert_eq!(
            error.to_string(),
            "[webhook]: 'https://oss.example/in' cannot be allowed: \
             an entry is scheme, host and port alone"
        );
    }
}
