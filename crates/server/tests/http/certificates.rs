//! TLS and clients with certificates (RFC 7589 §7).

use crate::house::{House, NOON_MS, Plan, bearer};
use crate::http2;
use domain::audit::AuditKind;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair,
    SanType,
};
use server::clock::Clock;
use server::http::certificate::{CertificateRow, Holder, Revoked};
use server::http::tls::{TlsError, TlsFiles, configure};
use sha2::Digest as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use testkit::http::{Answer, Line};
use testkit::within;
use time::{Duration, OffsetDateTime};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::time_provider::TimeProvider;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};

fn noon() -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(NOON_MS / 1_000).unwrap()
}

/// An authority and the certificates that it signs, in a folder.
struct Authority {
    folder: tempfile::TempDir,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A client's certificate and key.
type Own = (CertificateDer<'static>, Vec<u8>);

fn dated(names: Vec<String>) -> CertificateParams {
    let mut params = CertificateParams::new(names).unwrap();
    params.not_before = noon() - Duration::days(1);
    params.not_after = noon() + Duration::days(1);
    params.distinguished_name = DistinguishedName::new();
    params
}

impl Authority {
    fn new() -> Self {
        let mut params = dated(Vec::new());
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), issuer.pem()).unwrap();
        let authority = Self { folder, issuer };
        let key = KeyPair::generate().unwrap();
        let params = dated(vec!["localhost".to_owned()]);
        let certificate = params.signed_by(&key, &authority.issuer).unwrap();
        authority.write("server.pem", &certificate.pem(), 0o644);
        authority.write("server.key", &key.serialize_pem(), 0o600);
        authority
    }

    fn write(&self, name: &str, text: &str, mode: u32) {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn files(&self) -> TlsFiles {
        TlsFiles {
            certificate: self.path("server.pem"),
            key: self.path("server.key"),
            client_ca: Some(self.path("ca.pem")),
        }
    }

    fn signs(&self, change: impl FnOnce(&mut CertificateParams)) -> Own {
        let mut params = dated(Vec::new());
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        (certificate.der().clone(), key.serialize_der())
    }

    /// A certificate with this URI.
    fn signs_uri(&self, uri: &str) -> Own {
        let uri = SanType::URI(uri.try_into().unwrap());
        self.signs(|params| params.subject_alt_names = vec![uri])
    }

    fn house(&self) -> House {
        let clock = Arc::new(Clock::standing(domain::time::Timestamp::from_ms(NOON_MS)));
        House::built(Plan {
            tls: Some(configure(&self.files(), &clock).unwrap()),
            certificates: toml::from_str::<Table>(ROWS).unwrap().certificate,
            ..Plan::default()
        })
    }

    fn client(
        &self,
        own: Option<&Own>,
        version: &'static SupportedProtocolVersion,
        protocol: &str,
    ) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).unwrap();
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_details(provider, Arc::new(Noon))
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match own {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => {
                let key = PrivatePkcs8KeyDer::from(key.clone()).into();
                builder
                    .with_client_auth_cert(vec![certificate.clone()], key)
                    .unwrap()
            }
        };
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        TlsConnector::from(Arc::new(config))
    }

    async fn connect(
        &self,
        house: &House,
        own: Option<&Own>,
        protocol: &str,
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from("localhost").unwrap();
        let stream = TcpStream::connect(house.address).await?;
        self.client(own, &TLS13, protocol)
            .connect(name, stream)
            .await
    }

    /// Asks for the caller's identity; none if there is no connection.
    async fn whoami(&self, house: &House, own: Option<&Own>, fields: &[&str]) -> Option<Answer> {
        let stream = within("TLS", self.connect(house, own, "http/1.1"))
            .await
            .ok()?;
        let mut line = Line(BufReader::new(stream));
        let request = testkit::http::request("GET /whoami", fields);
        // In TLS 1.3 the client has finished before its certificate was looked at.
        let sent = tokio::io::AsyncWriteExt::write_all(&mut line.0, request.as_bytes());
        sent.await.ok()?;
        within("an answer", testkit::http::read(&mut line.0))
            .await
            .ok()
    }
}

/// As `openssl x509 -fingerprint -sha256` writes it.
fn fingerprint(own: &Own) -> String {
    let digest = sha2::Sha256::digest(&own.0);
    let hex: Vec<String> = digest.iter().map(|byte| format!("{byte:02X}")).collect();
    hex.join(":")
}

#[derive(serde::Deserialize)]
struct Table {
    certificate: Vec<CertificateRow>,
}

const ROWS: &str = r#"
    [[certificate]]
    name = "ip"
    san-uri = "spiffe://operator.example/ip"
    [[certificate]]
    name = "noc"
    common-name = "NOC Ost"
    [[certificate]]
    name = "ran"
    san-dns-name = "RAN.operator.example"
    [[certificate]]
    name = "operator"
    san-rfc822-name = "duty@operator.example"
    [[certificate]]
    name = "ghost"
    san-uri = "spiffe://operator.example/ghost"
"#;

/// The time of a client whose clock agrees with the server's.
#[derive(Debug)]
struct Noon;

impl TimeProvider for Noon {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(
            std::time::Duration::from_millis(NOON_MS as u64),
        ))
    }
}

/// A certificate is mapped to a name by the table, with the same rights as a token of that name.
#[tokio::test]
async fn a_certificate_is_somebody_by_the_first_row_that_fits() {
    let authority = Authority::new();
    let house = authority.house();
    let common = |name: &str| {
        let name = name.to_owned();
        authority.signs(move |params| params.distinguished_name.push(DnType::CommonName, name))
    };
    let san = |san: SanType| authority.signs(move |params| params.subject_alt_names = vec![san]);
    let dns = |name: &str| san(SanType::DnsName(name.try_into().unwrap()));
    let mail = |name: &str| san(SanType::Rfc822Name(name.try_into().unwrap()));
    for (own, name) in [
        (
            authority.signs_uri("spiffe://operator.example/ip"),
            Some("ip"),
        ),
        (common("NOC Ost"), Some("noc")),
        (dns("ran.operator.example"), Some("ran")),
        (mail("duty@operator.example"), Some("operator")),
        (common("noc ost"), None),
        (common("spiffe://operator.example/ip"), None),
        (authority.signs_uri("spiffe://operator.example/ip/x"), None),
        (authority.signs_uri("spiffe://operator.example/ghost"), None),
        (dns("x.ran.operator.example"), None),
        (mail("Duty@operator.example"), None),
        (authority.signs(|_| {}), None),
    ] {
        let answer = authority.whoami(&house, Some(&own), &[]).await.unwrap();
        match name {
            Some(name) => {
                assert_eq!(answer.status, 200, "{answer:?}");
                assert_eq!(answer.json()["name"], name);
                assert_eq!(answer.json()["credential"]["kind"], "certificate");
            }
            None => {
                let answer = answer.problem(401);
                assert_eq!(answer.json()["detail"], "the certificate is nobody's here");
            }
        }
    }
}

#[tokio::test]
async fn of_two_common_names_none_counts() {
    let authority = Authority::new();
    let house = authority.house();
    let own = authority.signs(|params| {
        params
            .distinguished_name
            .push(DnType::CommonName, "NOC Ost");
        let unit = DnType::CustomDnType(vec![2, 5, 4, 3]);
        params.distinguished_name.push(unit, "another");
    });
    authority
        .whoami(&house, Some(&own), &[])
        .await
        .unwrap()
        .problem(401);
}

/// A certificate of an untrusted authority, or one that is not valid now, gets no connection.
#[tokio::test]
async fn a_strange_certificate_gets_no_connection() {
    let authority = Authority::new();
    let house = authority.house();
    let uri = "spiffe://operator.example/ip";
    let strange = Authority::new().signs_uri(uri);
    assert!(
        authority
            .whoami(&house, Some(&strange), &[])
            .await
            .is_none()
    );
    let told = house.audited().await;
    assert_eq!(told.kind, AuditKind::LoginFailed);
    // Both authorities are called the same, so that it is the signature that tells them apart.
    assert_eq!(told.reason, "invalid peer certificate: BadSignature");
    for (after, until) in [(1, 2), (-2, -1)] {
        let own = authority.signs(|params| {
            params.not_before = noon() + Duration::hours(after);
            params.not_after = noon() + Duration::hours(until);
            params.subject_alt_names = vec![SanType::URI(uri.try_into().unwrap())];
        });
        assert!(authority.whoami(&house, Some(&own), &[]).await.is_none());
        assert_eq!(house.audited().await.kind, AuditKind::LoginFailed);
    }
    assert!(authority.whoami(&house, None, &[]).await.is_some());
    // A request without a credential is not recorded: the next event is a login.
    let own = authority.signs_uri(uri);
    assert!(authority.whoami(&house, Some(&own), &[]).await.is_some());
    let told = house.audited().await;
    assert_eq!((told.kind, told.user.as_str()), (AuditKind::Login, "ip"));
    assert_eq!(told.subject, "client certificate");
    assert_eq!(told.source, "http 127.0.0.1");
}

/// A token may be used instead; if both are shown, they must be of one name.
#[tokio::test]
async fn token_and_certificate_agree() {
    let authority = Authority::new();
    let house = authority.house();
    let ip = authority.signs_uri("spiffe://operator.example/ip");
    let proxy = authority.signs_uri("spiffe://operator.example/proxy");
    for (own, name, status) in [
        (None, "ran", 200),
        (Some(&ip), "ip", 200),
        (Some(&ip), "ran", 401),
        (Some(&ip), "operator", 401),
        (Some(&proxy), "ran", 200),
    ] {
        let answer = authority
            .whoami(&house, own, &[&house.bearer(name)])
            .await
            .unwrap();
        assert_eq!(answer.status, status, "{answer:?}");
        match status {
            200 => assert_eq!(answer.json()["name"], name),
            _ => assert_eq!(
                answer.json()["detail"],
                "token and certificate are of two names"
            ),
        }
    }
    authority
        .whoami(&house, None, &[])
        .await
        .unwrap()
        .problem(401);
}

/// On a persistent connection, a certificate counts until it expires, and its name for as long as
/// it has a key.
#[tokio::test]
async fn a_certificate_counts_while_its_bearer_has_a_key() {
    let authority = Authority::new();
    let house = authority.house();
    for (end, own) in [
        ("key", authority.signs_uri("spiffe://operator.example/ip")),
        (
            "time",
            authority.signs(|params| {
                params
                    .distinguished_name
                    .push(DnType::CommonName, "NOC Ost")
            }),
        ),
    ] {
        let stream = authority
            .connect(&house, Some(&own), "http/1.1")
            .await
            .unwrap();
        let mut line = Line(BufReader::new(stream));
        assert_eq!(line.ask("GET /whoami", &[]).await.status, 200);
        match end {
            "key" => std::fs::remove_file(house.file("agents/ip.pub")).unwrap(),
            _ => house.pass_s(86_400),
        }
        line.ask("GET /whoami", &[]).await.problem(401);
    }
}

/// RFC 5280 §3.3: a revoked certificate has no name, and connections with it end; others stay.
#[tokio::test]
async fn a_revoked_certificate_ends_its_connections() {
    let authority = Authority::new();
    let house = authority.house();
    let own = authority.signs_uri("spiffe://operator.example/ip");
    let other = authority.signs(|params| {
        let name = &mut params.distinguished_name;
        name.push(DnType::CommonName, "NOC Ost");
    });
    let connect = async |own| {
        let stream = authority.connect(&house, Some(own), "http/1.1").await;
        Line(BufReader::new(stream.unwrap()))
    };
    let (mut line, mut kept) = (connect(&own).await, connect(&other).await);
    for line in [&mut line, &mut kept] {
        assert_eq!(line.ask("GET /whoami", &[]).await.status, 200);
    }
    house.revoke(&format!("# lost\n{} # ip\n", fingerprint(&own)));
    let mut byte = [0];
    let over = within(
        "the end",
        tokio::io::AsyncReadExt::read(&mut line.0, &mut byte),
    )
    .await;
    assert!(over.is_err() || over.is_ok_and(|length| length == 0));
    assert_eq!(kept.ask("GET /whoami", &[]).await.status, 200);
}

/// The list holds digests and serial numbers in openssl's forms; other lines are reported.
#[test]
fn what_was_revoked_is_read_as_openssl_writes_it() {
    let authority = Authority::new();
    let (certificate, _) = authority.signs(|params| {
        params.serial_number = Some(rcgen::SerialNumber::from(vec![0x0a, 0xbc, 0x01]));
    });
    let holder = Holder::read(&certificate).unwrap();
    for listed in ["serial:0ABC01", "serial: abc01 # lost", "serial:0a:bc:01"] {
        assert!(
            Revoked::parse(listed).unwrap().contains(&holder),
            "{listed}"
        );
    }
    assert!(
        !Revoked::parse("serial:abc02\n\n# none")
            .unwrap()
            .contains(&holder)
    );
    let digest = "ab".repeat(32);
    for (text, line) in [
        ("ip", 1),
        ("# a\nserial:", 2),
        ("serial:xyz", 1),
        (&format!("{digest}\n{digest}00"), 2),
    ] {
        assert_eq!(Revoked::parse(text), Err(line), "{text}");
    }
}

#[tokio::test]
async fn both_protocols_are_spoken_over_tls_1_3_alone() {
    let authority = Authority::new();
    let house = authority.house();
    let stream = authority.connect(&house, None, "h2").await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let mut sender = http2::speak(stream).await;
    let token = house.issue("ran", 60, &[]).token;
    let bearer = bearer(&token);
    let value = bearer.strip_prefix("Authorization: ").unwrap();
    let answer = http2::get(&mut sender, "https://localhost/whoami", Some(value)).await;
    assert_eq!(answer.status(), 200);
    let name = ServerName::try_from("localhost").unwrap();
    let stream = TcpStream::connect(house.address).await.unwrap();
    let old = authority
        .client(None, &TLS12, "http/1.1")
        .connect(name, stream)
        .await;
    assert!(old.is_err(), "TLS 1.2");
    // A request without TLS is not answered.
    let mut plain = Line::to(house.address).await;
    plain.send(&testkit::http::request("GET /livez", &[])).await;
    assert!(!plain.rest().await.contains("HTTP/1.1 200"));
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let authority = Authority::new();
    let clock = Arc::new(Clock::wall());
    let told = |change: &dyn Fn(&mut TlsFiles)| {
        let mut files = authority.files();
        change(&mut files);
        configure(&files, &clock).map(drop)
    };
    assert!(told(&|_| {}).is_ok());
    authority.write("empty.pem", "nothing", 0o600);
    authority.write(
        "open.key",
        &KeyPair::generate().unwrap().serialize_pem(),
        0o640,
    );
    authority.write(
        "other.key",
        &KeyPair::generate().unwrap().serialize_pem(),
        0o600,
    );
    let file = |name: &str| authority.path(name);
    let open = told(&|files| files.key = file("open.key"));
    assert!(matches!(
        open,
        Err(TlsError::OpenToOthers { mode: 0o640, .. })
    ));
    let other = told(&|files| files.key = file("other.key"));
    assert!(matches!(other, Err(TlsError::Unusable { .. })));
    for change in [
        &(|files: &mut TlsFiles| files.certificate = file("absent")) as &dyn Fn(&mut TlsFiles),
        &|files| files.certificate = file("empty.pem"),
        &|files| files.key = file("empty.pem"),
        &|files| files.client_ca = Some(file("empty.pem")),
    ] {
        assert!(matches!(told(change), Err(TlsError::File { .. })));
    }
}

/// A browser that shows a certificate is signed in without a link, and without what pages show beside a cookie: no other
/// page has it ask, as its `Origin` is refused. There is no session to end.
#[tokio::test]
async fn the_console_works_by_certificate() {
    let authority = Authority::new();
    let house = authority.house();
    let noc = "NOC Ost".to_owned();
    let own = authority.signs(|params| params.distinguished_name.push(DnType::CommonName, noc));
    let stream = authority.connect(&house, Some(&own), "http/1.1").await;
    let mut line = Line(BufReader::new(stream.unwrap()));
    let page = line.ask("GET /", &["Accept: text/html"]).await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("/console/console.js"), "{}", page.body);
    // As pages ask before anybody has signed in there.
    let asked = ["Console-Request: ", "Sec-Fetch-Site: same-origin"];
    for after_signing_out in [false, true] {
        let who = line.ask("GET /whoami", &asked).await.json();
        assert_eq!(
            (&who["name"], &who["credential"]["kind"]),
            (&"noc".into(), &"certificate".into()),
            "{after_signing_out}"
        );
        let read = line.ask("GET /restconf/data", &asked).await;
        assert_eq!((read.status, read.body.as_str()), (200, "noc"));
        let acted = line.ask("POST /restconf/operations/x:y", &asked).await;
        assert_eq!(acted.status, 200);
        let foreign = ["Origin: https://evil.example"];
        let foreign = line.ask("POST /restconf/operations/x:y", &foreign).await;
        assert_eq!(foreign.status, 403);
        // None begins by a certificate, and signing out ends none.
        let begun = line.ask("POST /console/session", &asked).await;
        assert_eq!(begun.status, 403);
        assert_eq!(begun.field("set-cookie"), "");
        let out = line.ask("DELETE /console/session", &asked).await;
        assert_eq!(out.status, 204);
    }
    line.send(&testkit::http::request("GET /stream", &asked))
        .await;
    let writer = house.writer().await;
    writer.send("one".into()).await.unwrap();
    let mut told = String::new();
    while !told.ends_with("\r\none\r\n") {
        told += &line.piece().await;
    }
    // It ends with the certificate.
    house.revoke(&fingerprint(&own));
    assert!(!line.rest().await.contains("two"));
    let again = authority.whoami(&house, Some(&own), &asked).await;
    assert!(again.is_none_or(|again| again.status == 401));
}

/// A link or token is shown beside a certificate of the same user: the session can be ended, and the certificate is left.
#[tokio::test]
async fn a_session_beside_a_certificate_is_ended_and_the_certificate_stays() {
    let authority = Authority::new();
    let house = authority.house();
    let noc = "NOC Ost".to_owned();
    let own = authority.signs(|params| params.distinguished_name.push(DnType::CommonName, noc));
    let stream = authority.connect(&house, Some(&own), "http/1.1").await;
    let mut line = Line(BufReader::new(stream.unwrap()));
    let others = house.bearer("operator");
    let refused = line.ask("POST /console/session", &[&others]).await;
    assert_eq!(refused.status, 401);
    let token = house.bearer("noc");
    let begun = line.ask("POST /console/session", &[&token]).await;
    assert_eq!(begun.status, 200, "{begun:?}");
    let cookie = begun.field("set-cookie").split(';').next().unwrap();
    let page = begun.json()["console-request"].as_str().unwrap().to_owned();
    let fields = [
        format!("Cookie: {cookie}"),
        format!("Console-Request: {page}"),
    ];
    let fields = fields.each_ref().map(String::as_str);
    for (ends, kind) in [(false, "session"), (true, "certificate")] {
        if ends {
            let out = line.ask("DELETE /console/session", &fields).await;
            assert_eq!(out.status, 204);
        }
        let who = line.ask("GET /whoami", &fields).await.json();
        assert_eq!(who["credential"]["kind"], kind);
    }
}

/// Regression: a client that has only begun the TLS handshake delayed the closing of the server for
/// ten seconds.
#[tokio::test]
async fn half_a_greeting_does_not_keep_the_server_open() {
    let authority = Authority::new();
    let house = authority.house();
    let mut stranger = TcpStream::connect(house.address).await.unwrap();
    stranger.write_all(&[0x16, 0x03, 0x01]).await.unwrap();
    // The stranger's connection is taken before this one is.
    let own = authority.signs(|_| {});
    drop(authority.connect(&house, Some(&own), "http/1.1").await);
    tokio::time::timeout(std::time::Duration::from_secs(5), house.close())
        .await
        .expect("the server closes");
}
