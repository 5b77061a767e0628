//! A way to a server on which answers are lost, and which may be closed.
//!
//! Read next: [`super::lost`], what that does to a session.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use testkit::postgres::{Database, Server};

/// What becomes of a COMMIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It arrives, and the connection is cut before the answer.
    Answer,
    /// The connection is cut before it arrives.
    Question,
    /// It arrives, and nothing more is said.
    Silence,
}

/// A proxy in front of a server.
pub(crate) struct Way {
    port: u16,
    behind: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    next: Mutex<Option<Fate>>,
    is_closed: AtomicBool,
}

impl Way {
    pub(crate) fn to(server: &Server) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let way = Self {
            port: listener.local_addr().unwrap().port(),
            behind: server.port(),
            shared: Arc::default(),
        };
        let (behind, shared) = (way.behind, Arc::clone(&way.shared));
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, shared) = (client.unwrap(), Arc::clone(&shared));
                if !shared.is_closed.load(SeqCst)
                    && let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, behind))
                {
                    thread::spawn(move || between(client, server, &shared));
                }
            }
        });
        way
    }

    /// The address of a database by this way.
    pub(crate) fn url(&self, database: &Database<'_>) -> String {
        let url = database.by_port("127.0.0.1");
        url.replace(&format!(":{}/", self.behind), &format!(":{}/", self.port))
    }

    /// The next COMMIT has this fate, whoever says it; those behind it have none.
    pub(crate) fn next(&self, fate: Fate) {
        *self.shared.next.lock().unwrap() = Some(fate);
    }

    /// True until a COMMIT has had the fate of the next.
    pub(crate) fn waits(&self) -> bool {
        self.shared.next.lock().unwrap().is_some()
    }

    /// From now on nobody new gets through, or everybody does.
    pub(crate) fn close(&self, is_closed: bool) {
        self.shared.is_closed.store(is_closed, SeqCst);
    }
}

fn between(mut client: TcpStream, mut server: TcpStream, shared: &Shared) {
    let fate = Arc::new(Mutex::new(None));
    let (back, from) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let answers = thread::spawn({
        let fate = Arc::clone(&fate);
        move || hand_back(from, back, &fate)
    });
    let mut bytes = [0; 65536];
    while let Ok(length @ 1..) = client.read(&mut bytes) {
        let said = &bytes[..length];
        if said.windows(6).any(|it| it == b"COMMIT") {
            let mine = shared.next.lock().unwrap().take();
            *fate.lock().unwrap() = mine;
            if mine == Some(Fate::Question) {
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
fn hand_back(mut from: TcpStream, mut back: TcpStream, fate: &Mutex<Option<Fate>>) {
    let mut bytes = [0; 65536];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        let fate = *fate.lock().unwrap();
        match fate {
            None => drop(back.write_all(&bytes[..length])),
            Some(Fate::Answer) => drop(back.shutdown(Shutdown::Both)),
            Some(Fate::Question | Fate::Silence) => {}
        }
    }
    let _ = back.shutdown(Shutdown::Both);
}
