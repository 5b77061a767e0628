//! The mapping of client certificates to names (RFC 7589 §7): the table `[[certificate]]` of
//! `access.toml`.
//!
//! TLS has proved that the peer holds the key, and that a trusted authority signed the certificate;
//! here its name is found. The first matching row decides, as in RFC 7407. A row names one property
//! that the certificate must have, exactly: a URI, DNS or mail name of its `subjectAltName`, or its
//! only common name.

use base16ct::lower::encode_string;
use domain::time::Timestamp;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::sync::{Arc, RwLock};
use x509_cert::Certificate;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Decode as _, Tag, Tagged as _};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

/// The attribute `commonName` (RFC 5280 §4.1.2.4).
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// A row of the table: the principal that has such a certificate.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CertificateRow {
    /// `name`: the principal.
    pub name: String,
    /// `san-uri`: a URI of the certificate.
    pub san_uri: Option<String>,
    /// `san-dns-name`: a DNS name of the certificate, in any case.
    pub san_dns_name: Option<String>,
    /// `san-rfc822-name`: a mail address of the certificate.
    pub san_rfc822_name: Option<String>,
    /// `common-name`: the common name of its subject.
    pub common_name: Option<String>,
}

/// The properties of a client's certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    uris: Vec<String>,
    dns_names: Vec<String>,
    mail_names: Vec<String>,
    common_name: Option<String>,
    /// The time at which the certificate expires.
    pub expires: Timestamp,
    /// Its serial number, in hexadecimal without leading zeros.
    serial: String,
    /// The SHA-256 of the certificate, in hexadecimal.
    fingerprint: String,
}

/// The certificates of principals, and the revoked certificates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register {
    /// The table of `access.toml`.
    pub rows: Vec<CertificateRow>,
    /// The list of revoked certificates.
    pub revoked: Revoked,
}

/// The register in force, which may be replaced at any time.
pub type SharedRegister = Arc<RwLock<Arc<Register>>>;

impl Register {
    /// The name that a certificate stands for; none if it was revoked.
    pub fn name_of(&self, holder: &Holder) -> Option<&str> {
        let counts = !self.revoked.contains(holder);
        counts.then(|| name_of(&self.rows, holder)).flatten()
    }
}

/// Revoked certificates: the file `revoked_certificates` of the state folder.
///
/// A line for each: the SHA-256 of the certificate, as `openssl x509 -fingerprint -sha256` writes
/// it, or `serial:` and its serial number, as `openssl x509 -serial` writes it. Colons between
/// digits and upper case are ignored; text behind `#` is a comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revoked {
    fingerprints: BTreeSet<String>,
    serials: BTreeSet<String>,
}

impl Revoked {
    /// Reads the list.
    ///
    /// # Errors
    /// The number of the first malformed line, from 1.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut revoked = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line
                .split('#')
                .next()
                .unwrap_or_default()
                .trim()
                .to_lowercase();
            let (digits, list) = match line.strip_prefix("serial:") {
                Some(serial) => (serial, &mut revoked.serials),
                None => (line.as_str(), &mut revoked.fingerprints),
            };
            let is_serial = digits.len() != line.len();
            let digits: String = digits.trim().chars().filter(|c| *c != ':').collect();
            let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
            match (line.is_empty(), is_serial) {
                (true, _) => {}
                (_, true) if is_hex && !digits.is_empty() => {
                    list.insert(digits.trim_start_matches('0').to_owned());
                }
                (_, false) if is_hex && digits.len() == 64 => {
                    list.insert(digits);
                }
                _ => return Err(number),
            }
        }
        Ok(revoked)
    }

    /// True if the certificate is on the list.
    pub fn contains(&self, holder: &Holder) -> bool {
        self.fingerprints.contains(&holder.fingerprint) || self.serials.contains(&holder.serial)
    }
}

impl CertificateRow {
    /// True if the row names exactly one property.
    pub fn is_proper(&self) -> bool {
        let said = [
            &self.san_uri,
            &self.san_dns_name,
            &self.san_rfc822_name,
            &self.common_name,
        ];
        said.into_iter().flatten().count() == 1 && said.into_iter().flatten().all(|s| !s.is_empty())
    }

    fn fits(&self, holder: &Holder) -> bool {
        let has = |wanted: &Option<String>, found: &[String]| {
            wanted.as_ref().is_some_and(|wanted| found.contains(wanted))
        };
        let dns = self.san_dns_name.as_ref().map(|name| name.to_lowercase());
        has(&self.san_uri, &holder.uris)
            || has(&dns, &holder.dns_names)
            || has(&self.san_rfc822_name, &holder.mail_names)
            || (self.common_name.is_some() && self.common_name == holder.common_name)
    }
}

/// The name in the first matching row.
pub fn name_of<'t>(table: &'t [CertificateRow], holder: &Holder) -> Option<&'t str> {
    let row = table.iter().find(|row| row.fits(holder));
    row.map(|row| row.name.as_str())
}

impl Holder {
    /// The properties of the certificate that a client has shown. An unreadable one is still one, with no
    /// name.
    pub(super) fn shown(der: &[u8]) -> Arc<Self> {
        Arc::new(Self::read(der).unwrap_or_default())
    }

    /// The properties of a certificate (DER); none if it cannot be parsed.
    pub fn read(der: &[u8]) -> Option<Self> {
        let certificate = Certificate::from_der(der).ok()?;
        let body = certificate.tbs_certificate();
        let expires = body.validity().not_after.to_unix_duration();
        let serial = encode_string(body.serial_number().as_bytes());
        let mut holder = Self {
            serial: serial.trim_start_matches('0').to_owned(),
            fingerprint: encode_string(&Sha256::digest(der)),
            common_name: common_name(&certificate),
            expires: Timestamp::from_ms(i64::try_from(expires.as_millis()).ok()?),
            ..Self::default()
        };
        let names = body.get_extension::<SubjectAltName>().ok()?;
        for name in names.into_iter().flat_map(|(_, names)| names.0) {
            match name {
                GeneralName::UniformResourceIdentifier(uri) => holder.uris.push(uri.to_string()),
                GeneralName::DnsName(dns) => holder.dns_names.push(dns.to_string().to_lowercase()),
                GeneralName::Rfc822Name(mail) => holder.mail_names.push(mail.to_string()),
                _ => {}
            }
        }
        Some(holder)
    }
}

/// The common name, if there is exactly one: among several the choice would be arbitrary.
fn common_name(certificate: &Certificate) -> Option<String> {
    let attributes = certificate.tbs_certificate().subject().iter();
    let mut names = attributes.filter(|attribute| attribute.oid == COMMON_NAME);
    let (name, None) = (names.next()?, names.next()) else {
        return None;
    };
    let is_text = matches!(
        name.value.tag(),
        Tag::Utf8String | Tag::PrintableString | Tag::Ia5String
    );
    let text = is_text.then(|| name.value.value())?;
    String::from_utf8(text.to_vec()).ok()
}
