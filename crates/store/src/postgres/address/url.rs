//! An address as the URL that says it.
//!
//! Read next: [`super`], which reads one.

use super::{CONNECT_WITHIN, Mode, Place, PostgresAddress};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::path::Path;
use zeroize::Zeroizing;

/// What is written as it is beside letters and digits.
const ENCODED: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

impl PostgresAddress {
    /// The URL with which an operator says the same once more, in which there is no password.
    pub fn url(&self) -> String {
        let places: Vec<_> = self.places.iter().map(written).collect();
        let (user, database) = (encoded(&self.user), encoded(&self.database));
        let url = format!("postgres://{user}@{}/{database}", places.join(","));
        let options: Vec<_> = self.options().collect();
        match options.is_empty() {
            true => url,
            false => format!("{url}?{}", options.join("&")),
        }
    }

    /// The same with the password, if the address has one.
    pub fn secret_url(&self) -> Zeroizing<String> {
        let url = self.url();
        let Some(password) = &self.password else {
            return Zeroizing::new(url);
        };
        let login = format!("postgres://{}", encoded(&self.user));
        let rest = url.strip_prefix(&login).unwrap_or_default();
        let password = Zeroizing::new(encoded(password));
        Zeroizing::new(format!("{login}:{}{rest}", *password))
    }

    fn options(&self) -> impl Iterator<Item = String> {
        let mode = self.mode.map(|mode| match mode {
            Mode::Disable => "sslmode=disable".to_owned(),
            Mode::VerifyFull => "sslmode=verify-full".to_owned(),
        });
        let file = |name: &str, path: Option<&Path>| {
            path.map(|path| format!("{name}={}", encoded(&path.to_string_lossy())))
        };
        let within = (self.connect_within != CONNECT_WITHIN)
            .then(|| format!("connect_timeout={}", self.connect_within.as_secs()));
        let files = [
            file("sslrootcert", self.authorities.as_deref()),
            file("password-file", self.password_file.as_deref()),
        ];
        [mode, within].into_iter().chain(files).flatten()
    }
}

fn written(place: &Place) -> String {
    match place {
        Place::Socket(folder, port) => format!("{}:{port}", encoded(&folder.to_string_lossy())),
        // A number of IPv6, whose colons are part of it.
        Place::Port(host, port) if host.contains(':') => format!("[{host}]:{port}"),
        Place::Port(host, port) => format!("{}:{port}", encoded(host)),
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, &ENCODED).to_string()
}
