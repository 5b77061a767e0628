//! What a server is started with: durability, TLS, a password.
//!
//! Writes the files that a server is to find; nothing here is secret beyond the test. Read next:
//! [`super`].

use super::programs::Owner;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::hash::{BuildHasher as _, RandomState};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

/// What a server is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// True if a commit waits for the disk: for tests of crashes. False is several times as fast.
    pub fsync: bool,
    /// True if it speaks TLS to whoever asks for it.
    pub tls: bool,
}

/// What was written for a server.
pub(super) struct Written {
    pub(super) setting: Setting,
    /// Options, as `name=value`.
    pub(super) options: Vec<String>,
    pub(super) password: String,
    pub(super) password_file: PathBuf,
    /// The authority of its certificate.
    pub(super) authority: Option<PathBuf>,
}

impl Setting {
    pub(super) fn write(self, folder: &Path, owner: Owner) -> Written {
        let password = format!("{:016x}", RandomState::new().hash_one(folder));
        let password_file = folder.join("password");
        write(&password_file, &password, owner);
        let switch = |on: bool| if on { "on" } else { "off" };
        let mut options = vec![
            "listen_addresses=127.0.0.1".to_owned(),
            format!("unix_socket_directories={}", folder.display()),
            format!("fsync={}", switch(self.fsync)),
            format!("full_page_writes={}", switch(self.fsync)),
            // Tests beside each other, with some connections each.
            "max_connections=200".to_owned(),
            "shared_buffers=32MB".to_owned(),
            "jit=off".to_owned(),
            // A standby is back soon after its primary.
            "wal_retrieve_retry_interval=200ms".to_owned(),
        ];
        let authority = self.tls.then(|| {
            let (certificate, key) = (folder.join("server.pem"), folder.join("server.key"));
            options.push("ssl=on".to_owned());
            options.push(format!("ssl_cert_file={}", certificate.display()));
            options.push(format!("ssl_key_file={}", key.display()));
            certified(folder, &certificate, &key, owner)
        });
        Written {
            setting: self,
            options,
            password,
            password_file,
            authority,
        }
    }
}

/// Writes an authority, and a certificate of it for `localhost`.
fn certified(folder: &Path, certificate: &Path, key: &Path, owner: Owner) -> PathBuf {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let own = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let signed = params.signed_by(&own, &issuer).unwrap();
    write(certificate, &signed.pem(), owner);
    write(key, &own.serialize_pem(), owner);
    let authority = folder.join("authority.pem");
    write(&authority, &issuer.pem(), owner);
    authority
}

fn write(path: &Path, text: &str, owner: Owner) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    chown(path, owner.user, owner.group).unwrap();
}
