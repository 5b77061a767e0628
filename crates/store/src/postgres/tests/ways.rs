//! Connections: TLS, passwords, hosts in turn, and what keeps them from being made.

use super::{opened, session, text, words};
use crate::postgres::address::PostgresAddress;
use crate::postgres::error::PostgresError;
use crate::postgres::net::{ConnectError, Net};
use crate::postgres::session::Session;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

fn address(url: &str) -> PostgresAddress {
    url.parse().unwrap()
}

fn connected(address: &PostgresAddress) -> Result<Session, ConnectError> {
    Session::open(&Net::start().unwrap(), address)
}

#[track_caller]
fn refused(address: &PostgresAddress) -> ConnectError {
    match connected(address) {
        Ok(_) => panic!("{address} lets us in"),
        Err(error) => error,
    }
}

fn is_encrypted(session: &Session) -> bool {
    let asked = "SELECT CAST(ssl AS TEXT) FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let read = |row: &_| Ok::<_, PostgresError>(text(row, 0) == "true");
    session.one(asked, &[], read).unwrap().unwrap()
}

#[test]
fn tls_is_what_was_written_and_verified_by_name() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let by_name = database.by_port("localhost");
    assert!(!is_encrypted(&opened(&by_name)));
    assert!(!is_encrypted(&opened(&database.by_socket())));
    let full = |host: &str| format!("{}?sslmode=verify-full", database.by_port(host));
    let trusting = |url: &str| address(url).with_authorities(server.authority());
    let session = connected(&trusting(&full("localhost"))).unwrap();
    assert!(is_encrypted(&session));
    // Its certificate is for localhost, whoever has signed it.
    let other_name = refused(&trusting(&full("127.0.0.1")));
    assert!(other_name.to_string().contains("TLS: "), "{other_name}");
    assert!(!other_name.passes());
    let unknown = refused(&address(&full("localhost")));
    assert!(!unknown.passes(), "{unknown}");
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.pem");
    std::fs::write(&other, authority().pem()).unwrap();
    let stranger = refused(&address(&full("localhost")).with_authorities(&other));
    assert!(stranger.to_string().contains("TLS: "), "{stranger}");
    let missing = refused(&address(&full("localhost")).with_authorities("/nowhere.pem"));
    assert!(matches!(missing, ConnectError::Tls(_)), "{missing}");
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A server that agrees to TLS, with a certificate for `localhost` that ended in that year, and ends.
fn expired(file: &Path, year: i32) -> u16 {
    let issuer = authority();
    std::fs::write(file, issuer.pem()).unwrap();
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.not_after = rcgen::date_time_ymd(year, 1, 1);
    let certificate = params.signed_by(&key, &issuer).unwrap();
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key.into())
        .unwrap();
    serving(move |mut stream| {
        stream.read_exact(&mut [0; 8]).unwrap();
        stream.write_all(b"S").unwrap();
        let tls = ServerConnection::new(Arc::new(config.clone())).unwrap();
        let mut tls = StreamOwned::new(tls, stream);
        let _ = tls.read(&mut [0; 64]);
    })
}

/// A server that does this with each who comes.
fn serving(mut with: impl FnMut(TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || listener.incoming().for_each(|stream| with(stream.unwrap())));
    port
}

#[test]
fn a_certificate_that_has_expired_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("authority.pem");
    let told = |year| {
        let port = expired(&file, year);
        let url = format!("postgres://me@localhost:{port}/s?sslmode=verify-full");
        refused(&address(&url).with_authorities(&file))
    };
    let past = told(2000);
    assert!(past.to_string().contains("expired"), "{past}");
    assert!(!past.passes());
    // The same with one that has not: it is let through to what is no PostgreSQL.
    let valid = told(2900);
    assert!(valid.passes(), "{valid}");
}

#[test]
fn a_server_without_tls_gets_nothing_that_was_to_be_kept_secret() {
    let (tell, told) = std::sync::mpsc::channel();
    let port = serving(move |mut stream| {
        stream.read_exact(&mut [0; 8]).unwrap();
        stream.write_all(b"N").unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        tell.send(rest).unwrap();
    });
    let url = format!("postgres://me:secret@localhost:{port}/s?sslmode=verify-full");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("authority.pem");
    std::fs::write(&file, authority().pem()).unwrap();
    let error = refused(&address(&url).with_authorities(&file));
    assert!(
        error.to_string().contains("does not support TLS"),
        "{error}"
    );
    assert!(!error.passes());
    assert_eq!(told.recv().unwrap(), [0_u8; 0]);
}

#[test]
fn a_wrong_password_is_refused_and_in_no_text() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let right = database.by_port("127.0.0.1");
    let wrong = address(&right.replace(server.password(), "mistaken"));
    let error = refused(&wrong);
    assert!(!error.passes());
    let told = format!("{error} {error:?}");
    assert!(
        told.contains("28P01") && !told.contains("mistaken"),
        "{told}"
    );
    let none = refused(&address(
        &right.replace(&format!(":{}", server.password()), ""),
    ));
    assert!(none.to_string().contains("password missing"), "{none}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, server.password()).unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, open).unwrap();
    connected(&wrong.with_password_file(&file)).unwrap();
    assert!(!server.log().iter().any(|line| line.contains("mistaken")));
    let nowhere = refused(&address(&format!("{}x", database.by_socket())));
    assert!(
        !nowhere.passes() && nowhere.to_string().contains("3D000"),
        "{nowhere}"
    );
}

#[test]
fn hosts_are_tried_in_turn_and_one_that_takes_no_writes_is_passed_over() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    drop(session(&database));
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let dead = free.local_addr().unwrap().port();
    drop(free);
    let (hosts, two) = ("127.0.0.1", format!("127.0.0.1:{dead},localhost"));
    let url = database.by_port(&two);
    let reached = connected(&address(&url)).unwrap();
    assert_eq!(words(&reached).unwrap(), [""; 0]);
    let away = database
        .by_port(hosts)
        .replace(&server.port().to_string(), &dead.to_string());
    let away = refused(&address(&away));
    assert!(
        away.passes() && away.to_string().contains("refused"),
        "{away}"
    );
    let read_only = format!(
        "ALTER DATABASE {} SET default_transaction_read_only = on",
        database.name()
    );
    database.say(&read_only);
    let standby = refused(&address(&database.by_socket()));
    assert!(standby.passes(), "{standby}");
    assert!(
        standby.to_string().contains("does not allow writes"),
        "{standby}"
    );
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for_longer_than_is_allowed() {
    // Kept, for who is dropped has said something.
    let mut kept = Vec::new();
    let port = serving(move |stream| kept.push(stream));
    let start = Instant::now();
    let silent = format!("postgres://me@127.0.0.1:{port}/s?connect_timeout=1");
    let error = refused(&address(&silent));
    assert!(error.passes(), "{error}");
    assert!(error.to_string().contains("no answer in time"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_worker_of_a_runtime_may_hold_a_session() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let found = runtime.block_on(async {
        let session = session(&database);
        super::group(&session, 1, 600).unwrap();
        words(&session).unwrap().len()
    });
    assert_eq!(found, 600);
}
