//! The section `[http]`: address, names and security of the HTTP server.
//!
//! Read next: [`crate::http`].

use super::error::SettingsError;
use crate::clock::Clock;
use crate::http::tls::{TlsFiles, configure};
use crate::http::{HttpListener, HttpListening};
use crate::token::TokenTerms;
use serde::Deserialize;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// The default port of the HTTP server of `convoke serve`.
pub const HTTP_PORT: u16 = 8880;

/// The upper limit of a token's validity: a year, in seconds.
const VALID_MAX_S: u64 = 31_536_000;

/// The section `[http]`, as far as it is given.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HttpSettings {
    /// `listen`: the address of the server, or `off`. By default `convoke serve` has one on
    /// 127.0.0.1:8880, or on a free port if NETCONF has a free one; a demo a free one.
    pub listen: Option<Listen>,
    /// `names`: the host names by which the server may be addressed, besides IP addresses. On
    /// loopback `localhost` is one; elsewhere every name is accepted if none is given.
    pub names: Option<Vec<String>>,
    /// `allow-plain`: true to serve without TLS where other machines can connect, as a proxy in
    /// front terminates TLS. False by default.
    pub allow_plain: Option<bool>,
    /// `[http.tls]`: the server's certificate, and the authorities of clients.
    pub tls: Option<TlsSettings>,
    /// `[http.token]`: the requirements on tokens.
    #[serde(default)]
    pub token: TokenSettings,
}

/// The address of the server.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub enum Listen {
    /// No server.
    Off,
    /// A server at this address; port 0 takes a free one.
    At(SocketAddr),
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            text => {
                let address = text.parse().map(Self::At);
                address.map_err(|_| format!("'{text}' is neither an address with a port nor 'off'"))
            }
        }
    }
}

impl TryFrom<String> for Listen {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// The section `[http.tls]`; all files are PEM.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TlsSettings {
    /// `certificate`: the server's certificate, followed by those up to an authority.
    pub certificate: PathBuf,
    /// `key`: its private key.
    pub key: PathBuf,
    /// `client-ca`: the authorities of clients' certificates. `[[certificate]]` in `access.toml`
    /// maps certificates to principals.
    pub client_ca: Option<PathBuf>,
}

impl TlsSettings {
    /// The files.
    pub fn files(&self) -> TlsFiles {
        TlsFiles {
            certificate: self.certificate.clone(),
            key: self.key.clone(),
            client_ca: self.client_ca.clone(),
        }
    }
}

/// The section `[http.token]`, as far as it is given.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TokenSettings {
    /// `audience`: the audience of tokens, `aud`; `convoke` by default. Tokens for another are
    /// void.
    pub audience: Option<String>,
    /// `valid-max-s`: the longest validity of a token, 60 to 31,536,000 s; 30 days by default.
    /// Tokens issued for longer are void.
    pub valid_max_s: Option<u64>,
}

impl TokenSettings {
    fn over(self, below: Self) -> Self {
        Self {
            audience: self.audience.or(below.audience),
            valid_max_s: self.valid_max_s.or(below.valid_max_s),
        }
    }

    /// The requirements on tokens.
    pub fn terms(&self) -> TokenTerms {
        let usual = TokenTerms::default();
        TokenTerms {
            audience: self.audience.clone().unwrap_or(usual.audience),
            valid_max_s: self.valid_max_s.unwrap_or(usual.valid_max_s),
        }
    }
}

impl HttpSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            listen: self.listen.or(below.listen),
            names: self.names.or(below.names),
            allow_plain: self.allow_plain.or(below.allow_plain),
            tls: self.tls.or(below.tls),
            token: self.token.over(below.token),
        }
    }

    /// The same settings, with the default address of `convoke serve`.
    #[must_use]
    pub fn served(self, netconf: Option<SocketAddr>) -> Self {
        let free = netconf.is_some_and(|netconf| netconf.port() == 0);
        let port = if free { 0 } else { HTTP_PORT };
        let usual = Listen::At((Ipv4Addr::LOCALHOST, port).into());
        Self {
            listen: self.listen.or(Some(usual)),
            ..self
        }
    }

    /// The address of the server, if there is one.
    pub fn address(&self) -> Option<SocketAddr> {
        match self.listen? {
            Listen::Off => None,
            Listen::At(address) => Some(address),
        }
    }

    /// The URL parts of a server with these settings, once it is bound.
    pub fn listening(&self, http_server: &HttpListener) -> HttpListening {
        HttpListening {
            address: http_server.address(),
            secure: self.tls.is_some(),
        }
    }

    /// The host names, in lower case.
    pub fn names(&self) -> Vec<String> {
        let names = self.names.iter().flatten();
        names.map(|name| name.to_lowercase()).collect()
    }

    /// Checks the section; `prepared` is true if keys and access rules exist.
    pub(super) fn check(&self, prepared: bool) -> Result<(), SettingsError> {
        let valid = self.token.valid_max_s.unwrap_or(VALID_MAX_S);
        if !(60..=VALID_MAX_S).contains(&valid) {
            return Err(SettingsError::Range {
                name: "valid-max-s",
                value: valid.to_string(),
                range: "60 to 31536000",
            });
        }
        if let Some(tls) = &self.tls {
            configure(&tls.files(), &Arc::new(Clock::wall()))?;
        }
        let Some(address) = self.address().filter(|at| !at.ip().is_loopback()) else {
            return Ok(());
        };
        match (prepared, &self.tls, self.allow_plain) {
            (false, ..) => Err(SettingsError::Exposed(address)),
            (true, None, None | Some(false)) => Err(SettingsError::Plain(address)),
            (true, ..) => Ok(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Settings;
    use super::*;
    use crate::state::StateFolder;
    use std::os::unix::fs::PermissionsExt;

    fn settings(section: &str) -> HttpSettings {
        let settings: Settings = toml::from_str(section).unwrap();
        settings.http
    }

    #[test]
    fn a_door_is_where_it_is_said_to_be_and_else_where_the_command_has_it() {
        let at = |section: &str| settings(section).address().map(|at| at.to_string());
        assert_eq!(at(""), None);
        assert_eq!(at("[http]\nlisten = 'off'"), None);
        assert_eq!(at("[http]\nlisten = '[::1]:0'").as_deref(), Some("[::1]:0"));
        let served = |section: &str, netconf: &str| {
            let served = settings(section).served(Some(netconf.parse().unwrap()));
            served.address().map(|at| at.to_string())
        };
        assert_eq!(
            served("", "127.0.0.1:8830").as_deref(),
            Some("127.0.0.1:8880")
        );
        assert_eq!(served("", "127.0.0.1:0").as_deref(), Some("127.0.0.1:0"));
        assert_eq!(served("[http]\nlisten = 'off'", "127.0.0.1:8830"), None);
        let wrong: Result<Settings, _> = toml::from_str("[http]\nlisten = '8880'");
        let wrong = wrong.unwrap_err().to_string();
        assert!(
            wrong.contains("'8880' is neither an address with a port nor 'off'"),
            "{wrong}"
        );
    }

    #[test]
    fn nobody_speaks_plainly_to_others_without_having_said_so() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        let check = |section: &str| {
            std::fs::write(state.settings(), section).unwrap();
            let settings = Settings::default().over(Settings::load(&state).unwrap());
            settings.check(&state).map_err(|error| error.to_string())
        };
        let open = "[http]\nlisten = '0.0.0.0:8880'\n";
        assert!(check(open).unwrap_err().contains("not a loopback address"));
        std::fs::create_dir(folder.path().join("users")).unwrap();
        std::fs::write(folder.path().join("users/noc.pub"), "").unwrap();
        std::fs::write(state.access(), "").unwrap();
        assert!(check(open).unwrap_err().contains("allow-plain"));
        assert!(
            check(&format!("{open}allow-plain = false"))
                .unwrap_err()
                .contains("allow-plain")
        );
        assert_eq!(check(&format!("{open}allow-plain = true")), Ok(()));
        let file = |name: &str| folder.path().join(name).display().to_string();
        let (certificate, key) = (file("users/noc.pub"), file("operator.key"));
        let tls = format!("{open}[http.tls]\ncertificate = '{certificate}'\nkey = '{key}'");
        assert!(check(&tls).unwrap_err().contains("[http.tls]: "));
        let pair = rcgen::generate_simple_self_signed(Vec::new()).unwrap();
        std::fs::write(&certificate, pair.cert.pem()).unwrap();
        std::fs::write(&key, pair.signing_key.serialize_pem()).unwrap();
        assert!(check(&tls).unwrap_err().contains("chmod 600"));
        std::fs::set_permissions(&key, PermissionsExt::from_mode(0o600)).unwrap();
        assert_eq!(check(&tls), Ok(()));
        assert_eq!(check("[http]\nlisten = '127.0.0.1:8880'"), Ok(()));
        let short = "[http.token]\nvalid-max-s = 59";
        assert_eq!(
            check(short).unwrap_err(),
            "valid-max-s is 59; it must be 60 to 31536000"
        );
    }
}
