//! What addresses mean, and what is refused without a word of a password.
#![allow(clippy::unwrap_used)]

use super::PostgresAddressError as Error;
use super::*;

fn parsed(url: &str) -> PostgresAddress {
    url.parse().unwrap()
}

fn refused(url: &str) -> Error {
    url.parse::<PostgresAddress>().unwrap_err()
}

fn protections(url: &str) -> Vec<Protection> {
    let address = parsed(url);
    let places = address.places().iter();
    places.map(|place| address.protection(place)).collect()
}

#[test]
fn a_url_names_places_user_and_database() {
    let address = parsed("postgres://me:pa%2Fss@db1,db2:6000,[::1]:7/state?connect_timeout=9");
    let ports = [("db1", 5432), ("db2", 6000), ("::1", 7)];
    let places = ports.map(|(host, port)| Place::Port(host.to_owned(), port));
    assert_eq!(address.places(), places);
    assert_eq!((address.user(), address.database()), ("me", "state"));
    assert_eq!(&**address.password().unwrap().unwrap(), "pa/ss");
    assert_eq!(address.connect_within(), Duration::from_secs(9));
    let socket = parsed("postgresql://me@%2Frun%2Fpg:6000/state");
    assert_eq!(socket.places(), [Place::Socket("/run/pg".into(), 6000)]);
    assert_eq!(socket, parsed("postgres://me@/state?host=/run/pg:6000"));
    assert_eq!(socket.password().unwrap(), None);
}

#[test]
fn tls_is_left_out_only_where_that_is_written_or_the_way_is_on_this_machine() {
    use Protection::{Loopback, Nothing, Tls};
    assert_eq!(
        protections("postgres://me@db,127.0.0.1,[::1],localhost,%2Frun/s"),
        [Tls, Loopback, Loopback, Loopback, Nothing]
    );
    assert_eq!(
        protections("postgres://me@db,127.0.0.1/s?sslmode=disable"),
        [Nothing, Nothing]
    );
    assert_eq!(
        protections("postgres://me@db,127.0.0.1/s?sslmode=verify-full"),
        [Tls, Tls]
    );
    assert_eq!(
        protections("postgres://me@10.0.0.1,localhost.example/s"),
        [Tls, Tls]
    );
    for weaker in ["require", "prefer", "allow", "verify-ca", ""] {
        let error = refused(&format!("postgres://me@db/s?sslmode={weaker}"));
        assert!(
            matches!(
                error,
                Error::Value {
                    option: "sslmode",
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn a_password_is_never_printed() {
    let address = parsed("postgres://me:secret@db,%2Frun%2Fpg/state?sslmode=disable");
    let printed = "postgres://me@db:5432,/run/pg:5432/state";
    assert_eq!(address.to_string(), printed);
    assert_eq!(format!("{address:?}"), printed);
    // What an operator forgets to encode leads into other parts of the URL.
    let slips = [
        "postgres://me:sec/ret@db/state",
        "postgres://me:5/secret@db/state",
        "postgres://me:secret:x@db/state",
        "postgres://me:secret@x@db/state",
        "postgres://me:sec?ret@db/state",
        "postgres://me:secret%ff@db/state",
        "postgres://me:se#cret@db:x/state",
    ];
    for slip in slips {
        let error = refused(slip);
        let told = format!("{error} {error:?}");
        assert!(
            !told.contains("sec") && !told.contains("ret"),
            "{slip}: {told}"
        );
    }
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    assert_eq!(refused("mysql://me@db/s"), Error::Scheme);
    assert_eq!(refused("postgres://db/s"), Error::Lacks("user"));
    assert_eq!(refused("postgres://me@db"), Error::Lacks("database"));
    assert_eq!(refused("postgres://me@/s"), Error::Lacks("host"));
    assert_eq!(refused("postgres://me@a,b:0/s"), Error::Port(2));
    assert_eq!(refused("postgres://me@a:65536/s"), Error::Port(1));
    assert_eq!(
        refused("postgres://me@a/s?x=1"),
        Error::Option("x".to_owned())
    );
    assert_eq!(refused("postgres://me@a/s?host=b"), Error::Twice("host"));
    assert_eq!(
        refused("postgres://me@a/s?sslmode=disable&sslmode=verify-full"),
        Error::Twice("sslmode")
    );
    let value = refused("postgres://me@a/s?target_session_attrs=any");
    assert_eq!(
        value.to_string(),
        "target_session_attrs cannot be any: read-write, for a state is written"
    );
}

#[test]
fn a_password_file_is_read_anew_and_only_if_nobody_else_can() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("password");
    let address = parsed("postgres://me:old@db/s").with_password_file(&path);
    let missing = address.password().unwrap_err();
    assert!(matches!(missing, PasswordError::File { .. }), "{missing}");
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    for password in ["one", "two"] {
        std::fs::write(&path, format!("{password}\n")).unwrap();
        std::fs::set_permissions(&path, mode(0o600)).unwrap();
        assert_eq!(&**address.password().unwrap().unwrap(), password);
    }
    std::fs::set_permissions(&path, mode(0o640)).unwrap();
    let open = address.password().unwrap_err();
    assert!(matches!(open, PasswordError::Open { .. }), "{open}");
}

#[test]
fn what_is_written_again_says_the_same_and_no_password() {
    for url in [
        "postgres://convoke@%2Frun%2Fpostgresql/convoke",
        "postgres://a%40b:secret@db1,[::1]:6432/sp%20ace?sslmode=verify-full&connect_timeout=9",
        "postgres://convoke@db/convoke?sslrootcert=%2Fetc%2Fca.pem&password-file=%2Fetc%2Fpass%26word",
    ] {
        let address: PostgresAddress = url.parse().unwrap();
        let again = address.url();
        assert!(!again.contains("secret"), "{again}");
        let whole: PostgresAddress = address.secret_url().parse().unwrap();
        assert!(whole == address, "{again}");
        let expected: PostgresAddress = url.replace(":secret", "").parse().unwrap();
        assert!(
            again.parse::<PostgresAddress>().unwrap() == expected,
            "{again}"
        );
    }
}
