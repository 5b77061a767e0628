//! The addresses of reports: a strict parser, and the list of allowed origins.
//!
//! Knows one spelling of a URL and refuses every other (RFC 3986 allows many, and receivers and
//! filters that read them differently are how requests are forged). Opens no socket; resolved
//! addresses are checked here, names are resolved by [`crate::http_client`]. Read next:
//! [`super::client`].

use domain::excerpt::excerpt;
use domain::task::Subscription;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The longest URL, in bytes.
pub const LONGEST: usize = 2_048;

/// A host as a URL names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UrlHost {
    /// A name of the DNS, in lower case.
    Name(String),
    /// An address; an IPv4-mapped IPv6 address is the IPv4 one.
    Address(IpAddr),
}

/// Scheme, host and port: the unit of permission, and of sharing connections.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// True for `https`.
    pub secure: bool,
    /// The host.
    pub host: UrlHost,
    /// The port, 1 to 65535.
    pub port: u16,
}

/// A URL to which reports can be posted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// Scheme, host and port.
    pub origin: Origin,
    /// Path and query; begins with `/`.
    pub path: String,
}

/// The reason for which a text is not a URL to which reports can be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadUrl {
    /// Too long.
    #[error("it is longer than {LONGEST} bytes")]
    Long,
    /// A character that a URL never holds, or a name that is not in ASCII.
    #[error("it holds a space, a control character, one of \"<>\\^`{{|}} or one outside ASCII")]
    Character,
    /// Neither `http` nor `https`.
    #[error("it does not begin with http:// or https://")]
    Scheme,
    /// A user name or password.
    #[error("it holds a user name or password")]
    Credentials,
    /// A fragment.
    #[error("it holds a fragment")]
    Fragment,
    /// The host is neither a host name nor an address in its usual form.
    #[error("its host is neither a plain name nor an address in its usual form")]
    Host,
    /// The port is malformed.
    #[error("its port is not a number from 1 to 65535")]
    Port,
}

impl Target {
    /// Reads a URL.
    ///
    /// # Errors
    /// [`BadUrl`]
    pub fn parse(url: &str) -> Result<Self, BadUrl> {
        if url.len() > LONGEST {
            return Err(BadUrl::Long);
        }
        let usual = |b: u8| b.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&b);
        if !url.bytes().all(usual) {
            return Err(BadUrl::Character);
        }
        let (scheme, rest) = url.split_once("://").ok_or(BadUrl::Scheme)?;
        let secure = match scheme {
            "http" => false,
            "https" => true,
            _ => return Err(BadUrl::Scheme),
        };
        if rest.contains('#') {
            return Err(BadUrl::Fragment);
        }
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        Ok(Self {
            origin: Origin::parse(secure, authority)?,
            path: match path.starts_with('/') {
                true => path.to_owned(),
                false => format!("/{path}"),
            },
        })
    }
}

impl Origin {
    fn parse(secure: bool, authority: &str) -> Result<Self, BadUrl> {
        if authority.contains('@') {
            return Err(BadUrl::Credentials);
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (inside, behind) = rest.split_once(']').ok_or(BadUrl::Host)?;
                let address: Ipv6Addr = inside.parse().map_err(|_| BadUrl::Host)?;
                let port = match behind {
                    "" => None,
                    _ => Some(behind.strip_prefix(':').ok_or(BadUrl::Port)?),
                };
                (UrlHost::Address(address.to_canonical()), port)
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (UrlHost::parse(host)?, Some(port)),
                None => (UrlHost::parse(authority)?, None),
            },
        };
        let port = match port {
            None => Self::usual_port(secure),
            Some(digits) => port_number(digits).ok_or(BadUrl::Port)?,
        };
        Ok(Self { secure, host, port })
    }

    fn usual_port(secure: bool) -> u16 {
        if secure { 443 } else { 80 }
    }

    /// Host and port as in the field `Host`: the port only if it is not the scheme's default.
    pub fn authority(&self) -> String {
        match self.port == Self::usual_port(self.secure) {
            true => self.host.to_string(),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

fn port_number(digits: &str) -> Option<u16> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| plain)
}

impl UrlHost {
    fn parse(text: &str) -> Result<Self, BadUrl> {
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Ok(Self::Address(address.into()));
        }
        let name = text.to_ascii_lowercase();
        let is_label = |label: &str| {
            let inside = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            (1..=63).contains(&label.len())
                && label.bytes().all(inside)
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        // A last label that is a number makes resolvers read an address: 127.1, 0x7f000001.
        let last = name.rsplit('.').next().unwrap_or_default();
        let number = last.bytes().all(|b| b.is_ascii_digit())
            || last
                .strip_prefix("0x")
                .is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        match name.len() <= 253 && !number && name.split('.').all(is_label) {
            true => Ok(Self::Name(name)),
            false => Err(BadUrl::Host),
        }
    }
}

impl fmt::Display for UrlHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

/// The reason for which reports of a subscription are not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inadmissible {
    /// Neither a webhook nor a NETCONF subscription.
    #[error(
        "'{}' with '{}' is not offered; http and https with POST are",
        excerpt(protocol),
        excerpt(method)
    )]
    Way {
        /// `subscript-protocol`.
        protocol: String,
        /// `subscript-method`.
        method: String,
    },
    /// The URL cannot be used.
    #[error(transparent)]
    Url(#[from] BadUrl),
    /// `subscript-protocol` contradicts the URL.
    #[error("it is not of the protocol '{0}'")]
    OtherProtocol(String),
    /// The operator of the platform has not allowed the origin.
    #[error("{0} is not allowed here")]
    NotAllowed(Origin),
}

/// The error for an entry of the list that is not an origin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEntry {
    /// The entry cannot be parsed.
    #[error("'{entry}' cannot be allowed: {why}")]
    Url {
        /// The entry.
        entry: String,
        /// The reason.
        why: BadUrl,
    },
    /// The entry holds more than scheme, host and port.
    #[error("'{0}' cannot be allowed: an entry is scheme, host and port alone")]
    Path(String),
}

/// The allowed origins: scheme, host and port, compared exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowList {
    public: Vec<Origin>,
    private: Vec<Origin>,
}

impl AllowList {
    /// A list of origins that must be in the public network, and of those that need not.
    ///
    /// # Errors
    /// [`BadEntry`]
    pub fn new(public: &[String], private: &[String]) -> Result<Self, BadEntry> {
        let origins = |entries: &[String]| -> Result<Vec<Origin>, BadEntry> {
            entries.iter().map(|entry| origin(entry)).collect()
        };
        Ok(Self {
            public: origins(public)?,
            private: origins(private)?,
        })
    }

    /// True if no origin is allowed.
    pub fn is_empty(&self) -> bool {
        self.public.is_empty() && self.private.is_empty()
    }

    /// The address for the reports of a subscription; none if they are NETCONF notifications only.
    ///
    /// # Errors
    /// [`Inadmissible`] if the address is unusable or not allowed.
    pub fn admit(&self, subscription: &Subscription) -> Result<Option<Target>, Inadmissible> {
        let protocol = subscription.protocol.to_ascii_lowercase();
        match (protocol.as_str(), subscription.method.as_str()) {
            ("netconf", _) => return Ok(None),
            ("http" | "https", "POST") => {}
            _ => {
                return Err(Inadmissible::Way {
                    protocol: subscription.protocol.clone(),
                    method: subscription.method.clone(),
                });
            }
        }
        let target = self.admit_url(&subscription.url)?;
        match target.origin.secure == (protocol == "https") {
            true => Ok(Some(target)),
            false => Err(Inadmissible::OtherProtocol(protocol)),
        }
    }

    /// The same for an address alone.
    ///
    /// # Errors
    /// [`Inadmissible`] if the address is unusable or not allowed.
    pub fn admit_url(&self, url: &str) -> Result<Target, Inadmissible> {
        let target = Target::parse(url)?;
        match self.public.contains(&target.origin) || self.private.contains(&target.origin) {
            true => Ok(target),
            false => Err(Inadmissible::NotAllowed(target.origin)),
        }
    }

    /// True if a connection to `origin` may be made to this address, to which its name resolves: an
    /// address of the public network, or of any single host if the entry is that address or
    /// private.
    pub fn may_connect(&self, origin: &Origin, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let named = origin.host == UrlHost::Address(address);
        is_host(address) && (named || self.private.contains(origin) || is_public(address))
    }
}

fn origin(entry: &str) -> Result<Origin, BadEntry> {
    let target = Target::parse(entry).map_err(|why| BadEntry::Url {
        entry: entry.to_owned(),
        why,
    })?;
    match target.path == "/" {
        true => Ok(target.origin),
        false => Err(BadEntry::Path(entry.to_owned())),
    }
}

/// True for the address of a single host.
fn is_host(address: IpAddr) -> bool {
    let broadcast = address == IpAddr::V4(Ipv4Addr::BROADCAST);
    !address.is_unspecified() && !address.is_multicast() && !broadcast
}

/// True for an address that the registries of RFC 6890 do not set aside.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224.., _, _) // this network, private, loopback, multicast, reserved
            | (100, 64..=127, _) // shared between carrier and customer
            | (169, 254, _) // link-local
            | (172, 16..=31, _) // private
            | (192, 168, _) // private
            | (192, 0, 0 | 2) // protocol assignments, documentation
            | (192, 88, 99) // relays to IPv6
            | (198, 18 | 19, _) // benchmarks
            | (198, 51, 100) // documentation
            | (203, 0, 113) // documentation
    );
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, high, low] = address.segments();
    match (a, b) {
        // RFC 6052: the address of IPv4 to which a translator leads.
        (0x64, 0xff9b) if [c, d, e, f] == [0; 4] => {
            is_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        }
        (0x2001, 0..=0x1ff | 0xdb8) => false, // protocol assignments and Teredo, documentation
        (0x2002, _) => false,                 // 6to4
        (0x3fff, 0..=0xfff) => false,         // documentation
        // Global unicast; outside lie loopback, unique-local, link-local and multicast addresses.
        _ => a & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
