//! The section `[a2a]`: the A2A binding.
//!
//! Read next: [`crate::a2a`].

use super::error::SettingsError;
use super::places::PlacesSettings;
use super::range::range;
use crate::http::HttpListening;
use ::a2a::card::CardProfile;
use schema::language::Language;
use serde::Deserialize;
use std::time::Duration;

/// The section of allowed agents elsewhere.
pub(crate) const PEERS: &str = "a2a.peers";

/// The default time in seconds for which clients may cache a card: short, as schemas evolve.
const CARD_MAX_AGE_S: u32 = 60;

/// The default time in seconds that a client waits for a task.
const PATIENCE_S: u64 = 300;

/// The section `[a2a]`, as far as it is given.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct A2aSettings {
    /// `url`: the public URL of the platform, for cards; the server's own address by default.
    pub url: Option<String>,
    /// `card-profile`: `schemas` has the schemas at the card's root as well, as in the
    /// object-schemas extension (§1); `strict` has v1.0 members alone, and is signed. `schemas` by
    /// default.
    pub card_profile: Option<Cards>,
    /// `card-max-age-s`: the time for which clients may cache a card, up to 86,400 s; 60 s by
    /// default.
    pub card_max_age_s: Option<u32>,
    /// `language`: the language of descriptions, `en` or `zh`; `en` by default.
    pub language: Option<String>,
    /// `patience-s`: the longest time that a client waits for a task before it is answered with the
    /// state reached, 1 to 3,600 s; 300 s by default.
    pub patience_s: Option<u64>,
    /// `conformance-agent`: true adds the agent that the public conformance suites test, see
    /// [`crate::a2a::conformance`]; it takes the place of the platform's own agent at the root.
    /// False by default.
    pub conformance_agent: Option<bool>,
    /// `[a2a.peers]`: the agents elsewhere to which the platform may connect.
    #[serde(default)]
    pub peers: PlacesSettings,
}

/// The form of cards.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Cards {
    /// With the root member of the object-schemas extension.
    Schemas,
    /// v1.0 members alone, signed.
    Strict,
}

impl std::str::FromStr for Cards {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "schemas" => Ok(Self::Schemas),
            "strict" => Ok(Self::Strict),
            _ => Err(format!("'{text}' is neither 'schemas' nor 'strict'")),
        }
    }
}

impl A2aSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            url: self.url.or(below.url),
            card_profile: self.card_profile.or(below.card_profile),
            card_max_age_s: self.card_max_age_s.or(below.card_max_age_s),
            language: self.language.or(below.language),
            patience_s: self.patience_s.or(below.patience_s),
            conformance_agent: self.conformance_agent.or(below.conformance_agent),
            peers: self.peers.over(below.peers),
        }
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        self.peers.allowed(PEERS)?;
        let number = |value: Option<u64>| value.map(|it| it as f64);
        let max_age = self.card_max_age_s.map(f64::from);
        range("card-max-age-s", max_age, (0.0, 86_400.0), "0 to 86400")?;
        range(
            "patience-s",
            number(self.patience_s),
            (1.0, 3_600.0),
            "1 to 3600",
        )?;
        let language = self.language.as_deref();
        if let Some(other) = language.filter(|it| !["en", "zh"].contains(it)) {
            return Err(SettingsError::Range {
                name: "language",
                value: other.to_owned(),
                range: "en or zh",
            });
        }
        let is_url = |url: &str| url.starts_with("http://") || url.starts_with("https://");
        match &self.url {
            Some(url) if !is_url(url) || url.ends_with('/') => Err(SettingsError::Range {
                name: "url",
                value: url.clone(),
                range: "http:// or https:// and a host, without a slash at its end",
            }),
            _ => Ok(()),
        }
    }

    /// The public URL of the platform.
    pub fn url(&self, http_server: HttpListening) -> String {
        let own = || format!("{}://{}", http_server.protocol(), http_server.address);
        self.url.clone().unwrap_or_else(own)
    }

    /// The form of cards.
    pub fn card_profile(&self) -> CardProfile {
        match self.card_profile {
            Some(Cards::Strict) => CardProfile::Strict,
            Some(Cards::Schemas) | None => CardProfile::Schemas,
        }
    }

    /// The time for which clients may cache a card, in seconds.
    pub fn card_max_age_s(&self) -> u32 {
        self.card_max_age_s.unwrap_or(CARD_MAX_AGE_S)
    }

    /// The language of descriptions.
    pub fn language(&self) -> Language {
        match self.language.as_deref() {
            Some("zh") => Language::chinese(),
            _ => Language::english(),
        }
    }

    /// True if the conformance agent is enabled.
    pub fn conformance_agent(&self) -> bool {
        self.conformance_agent.unwrap_or(false)
    }

    /// The longest time that a client waits for a task.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.patience_s.unwrap_or(PATIENCE_S))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Settings;
    use crate::state::StateFolder;

    #[test]
    fn agents_elsewhere_are_listed_and_what_is_no_origin_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        let check = |section: &str| {
            std::fs::write(state.settings(), format!("[a2a.peers]\n{section}\n")).unwrap();
            let settings = Settings::default().over(Settings::load(&state).unwrap());
            settings
                .check(&state)
                .map(|()| settings.a2a.peers.allowed(super::PEERS))
        };
        assert!(check("").unwrap().unwrap().is_empty());
        let both = "allow = ['https://agent.example']\nallow-private = ['http://127.0.0.1:9300']";
        assert!(!check(both).unwrap().unwrap().is_empty());
        let error = check("allow = ['https://agent.example/a2a']").unwrap_err();
        assert_eq!(
            error.to_string(),
            "[a2a.peers]: 'https://agent.example/a2a' cannot be allowed: \
             an entry is scheme, host and port alone"
        );
    }
}
