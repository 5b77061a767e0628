//! Where a database is and how it is reached: the URL of an operator.
//!
//! ```text
//! postgres://user[:password]@host[:port][,host[:port]]/database[?option=value&…]
//! ```
//! A host that begins with `/` (`%2F`) is the folder of a socket. Options: `sslmode` (`verify-full`
//! or `disable`), `sslrootcert` (a file of authorities, PEM), `password-file`, `connect_timeout` (s,
//! 1 to 600), `host` in place of that in front, and `target_session_attrs`, which can only be
//! `read-write`, for a state is written. Knows no network. A password is in no error and is not
//! printed. Read next: [`super::net`], which connects.

mod url;

use percent_encoding::percent_decode_str;
use std::fmt;
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use zeroize::Zeroizing;

/// The port of PostgreSQL.
const PORT: u16 = 5432;

/// The time in which a connection must stand.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// Where a database is and how it is reached. Parsed from a URL; printed as one, without the password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresAddress {
    places: Vec<Place>,
    user: String,
    database: String,
    password: Option<Zeroizing<String>>,
    password_file: Option<PathBuf>,
    authorities: Option<PathBuf>,
    mode: Option<Mode>,
    connect_within: Duration,
}

/// A place where a server may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A socket in this folder.
    Socket(PathBuf, u16),
    /// A name or a number of the network.
    Port(String, u16),
}

/// What an operator writes about TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Disable,
    VerifyFull,
}

/// What protects a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protection {
    /// TLS, with a certificate for the very name that was written.
    Tls,
    /// Nothing, for it stays on this machine: all that a name leads to must be loopback.
    Loopback,
    /// Nothing, as was written.
    Nothing,
}

/// The reason for which a text is no address of a database. Says nothing of the text in front of the
/// database, where a password may be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostgresAddressError {
    /// It is no URL of PostgreSQL.
    #[error("it does not begin with postgres:// or postgresql://")]
    Scheme,
    /// A part that must be there is not.
    #[error("it names no {0}")]
    Lacks(&'static str),
    /// The port of a host is none.
    #[error("the port of host {0} is no number from 1 to 65535")]
    Port(usize),
    /// A character must be written otherwise.
    #[error("in the {0} one of the characters / @ : [ ] must be written as % and two digits")]
    Character(&'static str),
    /// Bytes that are no UTF-8 were written with `%`.
    #[error("the {0} is no UTF-8")]
    Encoding(&'static str),
    /// There is no such option.
    #[error("there is no option {0}")]
    Option(String),
    /// An option was given twice.
    #[error("{0} is given twice")]
    Twice(&'static str),
    /// An option cannot have this value.
    #[error("{option} cannot be {value}: {wanted}")]
    Value {
        /// The option.
        option: &'static str,
        /// What was written.
        value: String,
        /// What may be.
        wanted: &'static str,
    },
}

/// The reason for which there is no password to be sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PasswordError {
    #[error("the password file {} cannot be read: {cause}", path.display())]
    File {
        path: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("the password file {} can be read by others: chmod 600", path.display())]
    Open { path: PathBuf },
}

impl PostgresAddress {
    /// The same, with the password in the first line of this file, which is read at each connection.
    /// Nobody but its owner may read it.
    #[must_use]
    pub fn with_password_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.password_file = Some(path.into());
        self
    }

    /// The same, trusting only the authorities in this file (PEM).
    #[must_use]
    pub fn with_authorities(mut self, path: impl Into<PathBuf>) -> Self {
        self.authorities = Some(path.into());
        self
    }

    /// The places, to be tried in this order.
    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }

    pub(crate) fn user(&self) -> &str {
        &self.user
    }

    pub(crate) fn database(&self) -> &str {
        &self.database
    }

    /// The file of authorities; none for those that the system trusts.
    pub(crate) fn authorities(&self) -> Option<&Path> {
        self.authorities.as_deref()
    }

    /// The time in which a connection must stand, wherever it is.
    pub(crate) fn connect_within(&self) -> Duration {
        self.connect_within
    }

    /// The password, if there is one: that of the file before that of the URL.
    pub(crate) fn password(&self) -> Result<Option<Zeroizing<String>>, PasswordError> {
        let Some(path) = &self.password_file else {
            return Ok(self.password.clone());
        };
        let unreadable = |cause| PasswordError::File {
            path: path.clone(),
            cause,
        };
        let found = std::fs::metadata(path).map_err(unreadable)?;
        if found.permissions().mode() & 0o077 != 0 {
            return Err(PasswordError::Open { path: path.clone() });
        }
        let text = Zeroizing::new(std::fs::read_to_string(path).map_err(unreadable)?);
        let first = text.lines().next().unwrap_or_default();
        Ok(Some(Zeroizing::new(first.to_owned())))
    }

    /// What protects a connection to this place.
    pub(crate) fn protection(&self, place: &Place) -> Protection {
        match (place, self.mode) {
            (Place::Socket(..), _) => Protection::Nothing,
            (_, Some(Mode::Disable)) => Protection::Nothing,
            (_, Some(Mode::VerifyFull)) => Protection::Tls,
            (Place::Port(host, _), None) if is_loopback(host) => Protection::Loopback,
            (Place::Port(..), None) => Protection::Tls,
        }
    }
}

fn is_loopback(host: &str) -> bool {
    let number = host.parse::<IpAddr>();
    number.map_or(host.eq_ignore_ascii_case("localhost"), |it| {
        it.is_loopback()
    })
}

impl FromStr for PostgresAddress {
    type Err = PostgresAddressError;

    fn from_str(url: &str) -> Result<Self, PostgresAddressError> {
        use PostgresAddressError::{Character, Lacks, Scheme};
        let scheme = ["postgres://", "postgresql://"];
        let rest = scheme.iter().find_map(|it| url.strip_prefix(it));
        let (rest, options) = halves(rest.ok_or(Scheme)?, '?');
        let (authority, database) = halves(rest, '/');
        if database.contains(['/', '@', ':']) {
            return Err(Character("database"));
        }
        let (login, hosts) = match authority.rsplit_once('@') {
            Some((login, hosts)) => (login, hosts),
            None => ("", authority),
        };
        if login.contains('@') {
            return Err(Character("password"));
        }
        let (user, password) = match login.split_once(':') {
            Some((_, password)) if password.contains(':') => return Err(Character("password")),
            Some((user, password)) => (user, Some(decoded(password, "password")?)),
            None => (login, None),
        };
        let mut address = Self {
            places: places(hosts)?,
            user: decoded(user, "user")?,
            database: decoded(database, "database")?,
            password: password.map(Zeroizing::new),
            password_file: None,
            authorities: None,
            mode: None,
            connect_within: CONNECT_WITHIN,
        };
        // First, so that what follows an unencoded `?` of a password is taken for no option.
        for (part, name) in [(&address.user, "user"), (&address.database, "database")] {
            if part.is_empty() {
                return Err(Lacks(name));
            }
        }
        Options::default().read(options, &mut address)?;
        match address.places.is_empty() {
            true => Err(Lacks("host")),
            false => Ok(address),
        }
    }
}

/// The options that were given already.
#[derive(Default)]
struct Options(Vec<&'static str>);

impl Options {
    fn read(&mut self, text: &str, to: &mut PostgresAddress) -> Result<(), PostgresAddressError> {
        for option in text.split('&').filter(|it| !it.is_empty()) {
            let (name, value) = halves(option, '=');
            let value = decoded(value, "value of an option")?;
            match name {
                "sslmode" => {
                    self.once("sslmode")?;
                    to.mode = Some(mode(value)?);
                }
                "sslrootcert" => {
                    self.once("sslrootcert")?;
                    to.authorities = Some(value.into());
                }
                "password-file" => {
                    self.once("password-file")?;
                    to.password_file = Some(value.into());
                }
                "connect_timeout" => {
                    self.once("connect_timeout")?;
                    to.connect_within = seconds(value)?;
                }
                "host" => {
                    self.once("host")?;
                    if !to.places.is_empty() {
                        return Err(PostgresAddressError::Twice("host"));
                    }
                    to.places = places(&value)?;
                }
                "target_session_attrs" => writes(value)?,
                other => return Err(PostgresAddressError::Option(other.to_owned())),
            }
        }
        Ok(())
    }

    fn once(&mut self, name: &'static str) -> Result<(), PostgresAddressError> {
        if self.0.contains(&name) {
            return Err(PostgresAddressError::Twice(name));
        }
        self.0.push(name);
        Ok(())
    }
}

fn mode(value: String) -> Result<Mode, PostgresAddressError> {
    match &*value {
        "disable" => Ok(Mode::Disable),
        "verify-full" => Ok(Mode::VerifyFull),
        _ => Err(PostgresAddressError::Value {
            option: "sslmode",
            value,
            wanted: "verify-full has TLS with a certificate that is verified, disable none",
        }),
    }
}

fn seconds(value: String) -> Result<Duration, PostgresAddressError> {
    match value.parse() {
        Ok(seconds @ 1..=600) => Ok(Duration::from_secs(seconds)),
        _ => Err(PostgresAddressError::Value {
            option: "connect_timeout",
            value,
            wanted: "seconds, from 1 to 600",
        }),
    }
}

fn writes(value: String) -> Result<(), PostgresAddressError> {
    match &*value {
        "read-write" | "primary" => Ok(()),
        _ => Err(PostgresAddressError::Value {
            option: "target_session_attrs",
            value,
            wanted: "read-write, for a state is written",
        }),
    }
}

/// What is in front of the first such character, and what is behind it.
fn halves(text: &str, at: char) -> (&str, &str) {
    text.split_once(at).unwrap_or((text, ""))
}

fn decoded(text: &str, what: &'static str) -> Result<String, PostgresAddressError> {
    let decoded = percent_decode_str(text).decode_utf8();
    let decoded = decoded.map_err(|_| PostgresAddressError::Encoding(what))?;
    Ok(decoded.into_owned())
}

fn places(hosts: &str) -> Result<Vec<Place>, PostgresAddressError> {
    let all = hosts.split(',').filter(|host| !host.is_empty());
    all.enumerate()
        .map(|(index, host)| place(host, index + 1))
        .collect()
}

/// One host of the list, the `number`th.
fn place(host: &str, number: usize) -> Result<Place, PostgresAddressError> {
    // A number of IPv6 has colons itself and stands in brackets.
    let (name, port) = match host.strip_prefix('[') {
        Some(inside) => match inside.split_once(']') {
            Some((name, rest)) => (name, rest.strip_prefix(':')),
            None => return Err(PostgresAddressError::Character("host")),
        },
        None => match host.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, None),
        },
    };
    let port = match port.map(str::parse) {
        None => PORT,
        Some(Ok(port @ 1..)) => port,
        Some(_) => return Err(PostgresAddressError::Port(number)),
    };
    let name = decoded(name, "host")?;
    match name.starts_with('/') {
        true => Ok(Place::Socket(name.into(), port)),
        false if name.contains(['/', '@']) => Err(PostgresAddressError::Character("host")),
        false => Ok(Place::Port(name, port)),
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(folder, port) => write!(f, "{}:{port}", folder.display()),
            Self::Port(host, port) if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Port(host, port) => write!(f, "{host}:{port}"),
        }
    }
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<_> = self.places.iter().map(Place::to_string).collect();
        let (user, places) = (&self.user, places.join(","));
        write!(f, "postgres://{user}@{places}/{}", self.database)
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests;
