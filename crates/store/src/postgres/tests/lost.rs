//! Answers that do not come: a proxy between session and server takes them away.

use super::{Kind, PUT, TABLE, kind, opened, put, session, words};
use crate::postgres::session::Session;
use crate::sql::Value;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;
use testkit::postgres::{Database, Server};

/// What becomes of a COMMIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It arrives, and the connection is cut before the answer.
    Answer,
    /// The connection is cut before it arrives.
    Question,
    /// It arrives, and nothing more is said.
    Silence,
}

/// A way to the server on which a COMMIT has this fate. Returns its port.
fn proxy(server: &Server, fate: Fate) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let behind = server.port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let server = TcpStream::connect((Ipv4Addr::LOCALHOST, behind)).unwrap();
            between(client.unwrap(), server, fate);
        }
    });
    port
}

fn between(mut client: TcpStream, mut server: TcpStream, fate: Fate) {
    let quiet = Arc::new(AtomicBool::new(false));
    let (back, from) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let answers = thread::spawn({
        let quiet = Arc::clone(&quiet);
        move || hand_back(from, back, &quiet, fate)
    });
    let mut bytes = [0; 65536];
    while let Ok(length @ 1..) = client.read(&mut bytes) {
        let said = &bytes[..length];
        if said.windows(6).any(|it| it == b"COMMIT") {
            quiet.store(true, SeqCst);
            if fate == Fate::Question {
                break;
            }
        }
        if server.write_all(said).is_err() {
            break;
        }
    }
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
    answers.join().unwrap();
}

/// Hands answers back until they are to be lost; the first that is may end the connection.
fn hand_back(mut from: TcpStream, mut back: TcpStream, quiet: &AtomicBool, fate: Fate) {
    let mut bytes = [0; 65536];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        match quiet.load(SeqCst) {
            false => drop(back.write_all(&bytes[..length])),
            true if fate == Fate::Answer => drop(back.shutdown(Shutdown::Both)),
            true => {}
        }
    }
}

fn through(server: &Server, database: &Database<'_>, fate: Fate) -> Session {
    let port = proxy(server, fate).to_string();
    let url = database.by_port("127.0.0.1");
    opened(&url.replace(&server.port().to_string(), &port))
}

#[test]
fn a_commit_whose_answer_is_lost_is_unknown() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    for fate in [Fate::Answer, Fate::Question, Fate::Silence] {
        let database = server.database();
        database.say(TABLE);
        let session = through(server, &database, fate);
        let session = session.answering_within(Duration::from_millis(500));
        session.begin().unwrap();
        put(&session, 1, "a").unwrap();
        session.flush().unwrap();
        assert_eq!(kind(session.commit()), Kind::Unknown, "{fate:?}");
        assert!(session.is_lost(), "{fate:?}");
        // Nothing was stored after that was refused; whether that was is another's to find out.
        assert_eq!(
            kind(put(&session, 2, "b").and_then(|()| session.flush())),
            Kind::Unknown
        );
        if fate == Fate::Question {
            assert_eq!(words(&opened(&database.by_socket())).unwrap(), [""; 0]);
        }
    }
}

#[test]
fn a_session_that_an_administrator_ends_has_stored_nothing() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    session.begin().unwrap();
    put(&session, 1, "a").unwrap();
    session.flush().unwrap();
    let end = "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    assert_eq!(database.say(end), "1");
    let ended = session.commit();
    // Where the end was heard before COMMIT was sent, it is known.
    assert!(matches!(kind(ended), Kind::Unreachable | Kind::Unknown));
    assert!(session.is_lost());
    let statement = session.change(PUT, &[Value::Number(2), Value::Text("b"), Value::Null]);
    assert!(matches!(kind(statement), Kind::Unreachable | Kind::Unknown));
    assert_eq!(words(&opened(&database.by_socket())).unwrap(), [""; 0]);
}
