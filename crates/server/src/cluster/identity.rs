//! Who a node is to others of its cluster: a certificate for its name, from an authority that all
//! of them derive from the key that they share.
//!
//! ```text
//! cluster key (32 bytes) ──HKDF-SHA256──► Ed25519 authority ──signs──► certificate of NAME, made at each start
//! ```
//!
//! There are no files and no ceremony: who has the key is of the cluster, and nobody else gets a
//! connection, neither as a client nor as a server. Certificates do not expire, as clocks of nodes may
//! differ; another key puts an end to all of them. Knows no sockets. Read next: [`super::channel`].

use base16ct::lower::encode_string;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PKCS_ED25519, SanType,
};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::sync::Arc;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName,
};
use tokio_rustls::rustls::server::{
    NoServerSessionStorage, VerifierBuilderError, WebPkiClientVerifier,
};
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore, ServerConfig};

/// The protocol under TLS (RFC 9113 §3.2).
const HTTP_2: &[u8] = b"h2";

/// The name by which whoever knows no other means any node.
pub(super) const ANY_NODE: &str = "";

/// What the authority is derived for; another use of the same key would have another.
const PURPOSE: &[u8] = b"convoke cluster authority 1";

/// An Ed25519 private key in PKCS #8 (RFC 8410 §7), up to its 32 bytes.
const ED25519_PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// The key that the nodes of a cluster share.
#[derive(Clone)]
pub struct ClusterKey([u8; 32]);

impl ClusterKey {
    /// The key with these bytes, which are to be random.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads 64 hexadecimal digits, with white space around them; none if it is anything else.
    #[must_use]
    pub fn parse(digits: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        let read = base16ct::mixed::decode(digits.trim(), &mut bytes).ok()?;
        (read.len() == 32).then_some(Self(bytes))
    }

    /// The seed of the authority.
    fn seed(&self) -> [u8; 32] {
        struct Bytes32;
        impl KeyType for Bytes32 {
            fn len(&self) -> usize {
                32
            }
        }
        let mut seed = [0; 32];
        Salt::new(HKDF_SHA256, b"convoke")
            .extract(&self.0)
            .expand(&[PURPOSE], Bytes32)
            .and_then(|okm| okm.fill(&mut seed))
            .expect("HKDF-SHA256 gives up to 8,160 bytes");
        seed
    }
}

/// Shows nothing of the key.
impl fmt::Debug for ClusterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterKey").finish_non_exhaustive()
    }
}

/// The reason for which no identity can be made: a defect of this build.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// A certificate cannot be made.
    #[error("the certificate of this node cannot be made")]
    Certificate(#[from] rcgen::Error),
    /// TLS refuses the certificate.
    #[error("TLS refuses the certificate of this node")]
    Tls(#[from] rustls::Error),
    /// TLS refuses the authority.
    #[error("TLS refuses the authority of the cluster")]
    Authority(#[from] VerifierBuilderError),
}

/// The two sides of TLS on the channel between nodes.
#[derive(Clone)]
pub struct ChannelIdentity {
    /// The name of this node.
    pub node: String,
    /// What it is to nodes that connect to it.
    pub server: Arc<ServerConfig>,
    /// What it is to nodes that it connects to.
    pub client: Arc<ClientConfig>,
}

impl ChannelIdentity {
    /// Issues a certificate for the node named `node`, with a key of its own that is kept nowhere.
    /// Both sides speak TLS 1.3 alone and accept only certificates that the same `key` leads to.
    ///
    /// # Errors
    /// [`IdentityError`], which is a defect of this build.
    pub fn issue(key: &ClusterKey, node: &str) -> Result<Self, IdentityError> {
        let pkcs8 = [&ED25519_PKCS8[..], &key.seed()].concat();
        let pkcs8 = PrivatePkcs8KeyDer::from(pkcs8);
        let authority = KeyPair::from_pkcs8_der_and_sign_algo(&pkcs8, &PKCS_ED25519)?;
        let of_authority = authority_params();
        let mut roots = RootCertStore::empty();
        roots.add(of_authority.self_signed(&authority)?.der().clone())?;
        let roots = Arc::new(roots);
        let own = KeyPair::generate_for(&PKCS_ED25519)?;
        let issuer = Issuer::new(of_authority, authority);
        let certificate = node_params(node)?.signed_by(&own, &issuer)?;
        let certificate = certificate.der().clone();
        Ok(Self {
            node: node.to_owned(),
            server: Arc::new(server(&roots, &certificate, &own)?),
            client: Arc::new(client(roots, certificate, &own)?),
        })
    }

    /// The name by which TLS verifies that the node reached is `node`.
    #[must_use]
    pub fn name_of(node: &str) -> ServerName<'static> {
        ServerName::try_from(certified_name(node)).expect("hexadecimal digits make a host name")
    }
}

fn server(
    roots: &Arc<RootCertStore>,
    certificate: &CertificateDer<'static>,
    own: &KeyPair,
) -> Result<ServerConfig, IdentityError> {
    let provider = Arc::new(default_provider());
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::clone(roots), Arc::clone(&provider))
            .build()?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![certificate.clone()], private(own))?;
    config.alpn_protocols = vec![HTTP_2.to_vec()];
    // A connection lasts; each begins with both certificates.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(config)
}

fn client(
    roots: Arc<RootCertStore>,
    certificate: CertificateDer<'static>,
    own: &KeyPair,
) -> Result<ClientConfig, IdentityError> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_client_auth_cert(vec![certificate], private(own))?;
    config.alpn_protocols = vec![HTTP_2.to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}

fn private(own: &KeyPair) -> PrivateKeyDer<'static> {
    PrivatePkcs8KeyDer::from(own.serialize_der()).into()
}

fn authority_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    params
        .distinguished_name
        .push(DnType::CommonName, "convoke cluster");
    params
}

fn node_params(node: &str) -> Result<CertificateParams, IdentityError> {
    let mut params = CertificateParams::default();
    for name in [node, ANY_NODE] {
        let name = certified_name(name).try_into()?;
        params.subject_alt_names.push(SanType::DnsName(name));
    }
    params.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    params.distinguished_name.push(DnType::CommonName, node);
    Ok(params)
}

/// The name of a node in its certificate. Names of nodes need not be host names, so it is a digest.
fn certified_name(node: &str) -> String {
    let digest = encode_string(&Sha256::digest(node.as_bytes())[..16]);
    format!("n{digest}.convoke")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio_rustls::{TlsAcceptor, TlsConnector};

    fn identity(key: u8, node: &str) -> ChannelIdentity {
        ChannelIdentity::issue(&ClusterKey::new([key; 32]), node).unwrap()
    }

    /// What each side says of a connection from `client` to a node that is to be `wanted`.
    async fn met(
        client: Arc<ClientConfig>,
        server: &ChannelIdentity,
        wanted: &str,
    ) -> (io::Result<()>, io::Result<()>) {
        let (near, far) = tokio::io::duplex(64 << 10);
        let name = ChannelIdentity::name_of(wanted);
        let acceptor = TlsAcceptor::from(Arc::clone(&server.server));
        let accepted = async {
            let mut stream = acceptor.accept(far).await?;
            stream.write_all(b"x").await?;
            stream.shutdown().await
        };
        let connected = async {
            let mut stream = TlsConnector::from(client).connect(name, near).await?;
            // A server's refusal of a certificate comes behind the handshake.
            stream.read_u8().await.map(drop)
        };
        tokio::join!(connected, accepted)
    }

    #[tokio::test]
    async fn nodes_of_one_key_meet_whatever_their_names() {
        for node in ["a", "node-1", "Rack_7.unit.3", &"x".repeat(64)] {
            let (client, server) = met(identity(1, "b").client, &identity(1, node), node).await;
            client.unwrap();
            server.unwrap();
        }
    }

    #[tokio::test]
    async fn whoever_knows_no_name_meets_any_node_of_the_key() {
        let (client, server) = met(identity(1, "b").client, &identity(1, "a"), ANY_NODE).await;
        client.unwrap();
        server.unwrap();
        let (client, _) = met(identity(1, "b").client, &identity(2, "a"), ANY_NODE).await;
        client.unwrap_err();
    }

    #[tokio::test]
    async fn a_node_of_another_key_is_refused_by_both_sides() {
        let (client, server) = met(identity(2, "b").client, &identity(1, "a"), "a").await;
        assert!(client.unwrap_err().to_string().contains("certificate"));
        server.unwrap_err();
        // And a client that trusts anybody is nobody to the server.
        let theirs = identity(1, "a");
        let mut trusting = ClientConfig::clone(&identity(1, "b").client);
        let stranger = identity(2, "b").client;
        trusting.client_auth_cert_resolver = Arc::clone(&stranger.client_auth_cert_resolver);
        let (client, server) = met(Arc::new(trusting), &theirs, "a").await;
        client.unwrap_err();
        let refused = server.unwrap_err();
        assert!(
            refused.to_string().contains("invalid peer certificate"),
            "{refused}"
        );
    }

    #[tokio::test]
    async fn nobody_without_a_certificate_gets_in() {
        #[derive(Debug)]
        struct Nobody;
        impl rustls::client::ResolvesClientCert for Nobody {
            fn resolve(
                &self,
                _: &[&[u8]],
                _: &[rustls::SignatureScheme],
            ) -> Option<Arc<rustls::sign::CertifiedKey>> {
                None
            }
            fn has_certs(&self) -> bool {
                false
            }
        }
        let mut bare = ClientConfig::clone(&identity(1, "b").client);
        bare.client_auth_cert_resolver = Arc::new(Nobody);
        let (client, server) = met(Arc::new(bare), &identity(1, "a"), "a").await;
        client.unwrap_err();
        server.unwrap_err();
    }

    #[tokio::test]
    async fn a_node_in_place_of_another_is_noticed() {
        let (client, _) = met(identity(1, "b").client, &identity(1, "c"), "a").await;
        assert!(
            client
                .unwrap_err()
                .to_string()
                .contains("not valid for name")
        );
    }

    #[test]
    fn a_key_is_64_digits() {
        let digits = "0f".repeat(32);
        assert_eq!(
            ClusterKey::parse(&format!("{digits}\n")).unwrap().0,
            [15; 32]
        );
        for other in ["", "0f", &"0f".repeat(33), &"0g".repeat(32)] {
            assert!(ClusterKey::parse(other).is_none());
        }
        assert!(!format!("{:?}", ClusterKey::new([15; 32])).contains("15"));
    }
}
