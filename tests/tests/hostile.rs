//! Bad input: each kind gets the documented answer exactly, and other sessions notice nothing.
//!
//! The same bytes go over loopback SSH to a `convoke serve`, and over a pipe to a platform in this
//! process. Malformed XML: `malformed-message`, then the end (for a peer of base:1.0, which must
//! not get that tag, the end only). An exceeded limit: `too-big`, then the end. Bad framing: the
//! end, without a reply (RFC 6242 §4.2). Input unknown to the schema: an error with the place, and
//! the session goes on. Floods before authentication are tested with the SSH server. Read next:
//! `hostile/corpus.rs`, `hostile/refused.rs`, `hostile/texts.rs`, `hostile/random.rs`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "hostile/corpus.rs"]
mod corpus;
#[path = "hostile/random.rs"]
mod random;
#[path = "hostile/refused.rs"]
mod refused;
mod support;
#[path = "hostile/texts.rs"]
mod texts;

use engine::Endpoint;
use netconf::framing::Framing;
use netconf::names::namespace::BASE;
use netconf::xml::XmlElement;
use server::clock::Clock;
use server::config::Settings;
use server::host::{Home, Host};
use server::ssh::ByteStream;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::process::Running;
use support::raw::Raw;
use support::talk::{self, Talk, get_agent, text};
use support::{block_on, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const AGENT: &str = "TMF-Convoke-IP-1.0.0";

/// A platform under attack.
enum Ground {
    Ssh(Running),
    Memory(Host),
}

impl Ground {
    async fn ssh(state: &tempfile::TempDir) -> Self {
        Self::Ssh(Running::serve(state.path()).await)
    }

    async fn memory() -> Self {
        let (settings, clock) = (Settings::default(), Arc::new(Clock::wall()));
        let (roster, inventory) = (arena::shipped(), Arc::default());
        let host = Host::start(Home::Memory, &settings, roster, inventory, clock).await;
        Self::Memory(host.unwrap())
    }

    async fn stream(&self) -> ByteStream {
        match self {
            Self::Ssh(running) => talk::stream(running).await,
            Self::Memory(host) => host.pipe("operator", Endpoint::Platform),
        }
    }

    async fn raw(&self, framing: Framing) -> Raw {
        Raw::open(self.stream().await, framing).await
    }

    async fn bystander(&self) -> Bystander {
        Bystander(Talk::over(self.stream().await).await)
    }
}

/// Another user whose session existed before the attack.
struct Bystander(Talk);

impl Bystander {
    async fn is_served(&mut self) {
        let reply = self.0.ask(&get_agent(AGENT)).await;
        assert_eq!(text(&reply.document, "name"), AGENT, "{}", reply.raw());
    }
}

/// The types and tags of the errors in a reply, and whether it echoes a message-id.
fn errors(message: &str) -> (Vec<(String, String)>, bool) {
    let document = harness::xml::parse(message).unwrap();
    let root = document.root();
    assert!(root.is(BASE, "rpc-reply"), "{message}");
    let leaf = |error: XmlElement<'_>, name| error.child(BASE, name).unwrap().text().to_owned();
    let found = root
        .children()
        .filter(|child| child.is(BASE, "rpc-error"))
        .map(|error| (leaf(error, "error-type"), leaf(error, "error-tag")))
        .collect();
    (found, root.attribute("", "message-id").is_some())
}

#[track_caller]
fn is_only_error(what: &str, said: &[String], tag: &str) {
    assert_eq!(said.len(), 1, "{what}: {said:?}");
    let expected = vec![("rpc".to_owned(), tag.to_owned())];
    // The message-id is one that nobody could read.
    assert_eq!(errors(&said[0]), (expected, false), "{what}: {}", said[0]);
}

async fn ends_sessions_as_described(ground: Ground) {
    let mut bystander = ground.bystander().await;
    let began = Instant::now();
    let malformed = corpus::malformed();
    for (what, message) in &malformed {
        let mut raw = ground.raw(Framing::Chunked).await;
        // An empty message has no chunks: only its end could be sent, which is bad framing.
        if message.is_empty() {
            raw.bytes(b"\n#1\n \n##\n").await;
        } else {
            raw.send(message).await;
        }
        is_only_error(what, &raw.rest().await, "malformed-message");
        // Between end marks nothing is no message, and blanks before a message belong to none.
        if message
            .first()
            .is_some_and(|first| !first.is_ascii_whitespace())
        {
            let mut raw = ground.raw(Framing::EndOfMessage).await;
            raw.send(message).await;
            let said = raw.rest().await;
            assert!(said.is_empty(), "{what}, base:1.0: {said:?}");
        }
        bystander.is_served().await;
    }
    println!(
        "{} malformed messages, twice: {:?}",
        malformed.len(),
        began.elapsed()
    );
    for (what, message) in corpus::too_big() {
        for framing in [Framing::Chunked, Framing::EndOfMessage] {
            let mut raw = ground.raw(framing).await;
            raw.send(&message).await;
            is_only_error(what, &raw.rest().await, "too-big");
        }
        bystander.is_served().await;
    }
    for (what, bytes) in corpus::BAD_CHUNKS {
        let mut raw = ground.raw(Framing::Chunked).await;
        raw.bytes(bytes).await;
        let said = raw.rest().await;
        assert!(said.is_empty(), "{what}: {said:?}");
        bystander.is_served().await;
    }
    println!("all of it: {:?}", began.elapsed());
}

#[test]
fn over_ssh_bad_messages_end_their_own_session_and_no_other() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let ground = Ground::ssh(&state).await;
        ends_sessions_as_described(ground).await;
    });
}

#[test]
fn in_memory_bad_messages_end_their_own_session_and_no_other() {
    block_on(async { ends_sessions_as_described(Ground::memory().await).await });
}

#[test]
fn hostile_messages_cost_little_memory_and_time() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let Ground::Ssh(running) = Ground::ssh(&state).await else {
            unreachable!()
        };
        // Once for what is allocated once.
        let all = || corpus::malformed().into_iter().chain(corpus::too_big());
        let mut before_kib = 0;
        for round in 0..3 {
            for (_, message) in all() {
                let stream = talk::stream(&running).await;
                let mut raw = Raw::open(stream, Framing::Chunked).await;
                raw.send(&message).await;
                raw.rest().await;
            }
            if round == 0 {
                before_kib = running.resident_kib();
            }
        }
        let grown_kib = running.resident_kib().saturating_sub(before_kib);
        println!("two rounds of the corpus grew the platform by {grown_kib} KiB");
        assert!(grown_kib < 64 * 1_024, "{grown_kib} KiB");
        let mut raw = Raw::open(talk::stream(&running).await, Framing::Chunked).await;
        let laughs = corpus::malformed()
            .into_iter()
            .find(|(w, _)| *w == "billion laughs");
        let began = Instant::now();
        raw.send(&laughs.unwrap().1).await;
        raw.rest().await;
        assert!(
            began.elapsed() < Duration::from_secs(1),
            "{:?}",
            began.elapsed()
        );
    });
}

#[test]
fn what_just_fits_is_answered_and_the_session_goes_on() {
    block_on(async {
        let ground = Ground::memory().await;
        for framing in [Framing::Chunked, Framing::EndOfMessage] {
            let mut raw = ground.raw(framing).await;
            for (what, message) in corpus::just_fits() {
                raw.send(&message).await;
                let reply = raw.next().await.unwrap_or_else(|| panic!("{what}: closed"));
                let (found, numbered) = errors(&reply);
                assert!(numbered, "{what}: {reply}");
                let too_big = found.iter().any(|(_, tag)| tag == "too-big");
                assert!(!too_big, "{what}: {reply}");
            }
            // A byte order mark, a declaration and a comment are XML too.
            for prologue in [
                "\u{FEFF}",
                "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- c -->",
            ] {
                let get = corpus::rpc("<get><filter/></get>");
                raw.send(&[prologue.as_bytes(), &get].concat()).await;
                let reply = raw.next().await.expect("it goes on");
                assert!(reply.contains("<data"), "{reply}");
            }
        }
    });
}

#[test]
fn a_message_is_judged_by_its_size_whatever_its_chunks() {
    block_on(async {
        let ground = Ground::memory().await;
        let mut bystander = ground.bystander().await;
        for chunk in [1_usize, 7, 65_536, 4 << 20] {
            let mut raw = ground.raw(Framing::Chunked).await;
            let message = corpus::rpc("<get><filter/></get>");
            let mut bytes = Vec::new();
            for piece in message.chunks(chunk) {
                bytes.extend_from_slice(format!("\n#{}\n", piece.len()).as_bytes());
                bytes.extend_from_slice(piece);
            }
            bytes.extend_from_slice(b"\n##\n");
            raw.bytes(&bytes).await;
            assert!(raw.next().await.expect("it is served").contains("<data"));
            // Too much, in chunks of this size as far as that takes no hours.
            if chunk >= 65_536 {
                let piece = [format!("\n#{chunk}\n").into_bytes(), vec![b' '; chunk]].concat();
                for _ in 0..=(8 << 20) / chunk {
                    raw.bytes(&piece).await;
                }
                is_only_error("in pieces", &raw.rest().await, "too-big");
            }
        }
        // Announced is enough: nobody waits for four gigabytes.
        let mut raw = ground.raw(Framing::Chunked).await;
        raw.bytes(b"\n#4294967295\n").await;
        is_only_error("announced", &raw.rest().await, "too-big");
        bystander.is_served().await;
    });
}

#[test]
fn what_was_asked_before_is_answered_before_the_end() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        for ground in [Ground::memory().await, Ground::ssh(&state).await] {
            let assign = talk::assign(AGENT, "before-the-end");
            let good = corpus::rpc(&assign);
            for (bad, last) in [
                (&b"\n#4\n<rpc\n##\n"[..], 1),
                (b"\n#0\n", 0),
                (b"\n#9000000\n", 1),
            ] {
                let mut raw = ground.raw(Framing::Chunked).await;
                let framed = format!("\n#{}\n", good.len()).into_bytes();
                raw.bytes(&[&framed, &good[..], b"\n##\n", bad].concat())
                    .await;
                let said = raw.rest().await;
                assert_eq!(said.len(), 1 + last, "{said:?}");
                assert!(said[0].contains("before-the-end"), "{said:?}");
            }
        }
    });
}

#[test]
fn a_bad_hello_opens_no_session() {
    let capability = |inside: &str| {
        format!("<hello xmlns=\"{BASE}\"><capabilities>{inside}</capabilities></hello>")
    };
    let base = "<capability>urn:ietf:params:netconf:base:1.1</capability>";
    let hellos = [
        ("no XML", "hello".to_owned()),
        (
            "a request",
            String::from_utf8(corpus::rpc("<get/>")).unwrap(),
        ),
        ("no capability", capability("")),
        (
            "no common base",
            capability("<capability>urn:x</capability>"),
        ),
        (
            "a base to come",
            capability("<capability>urn:ietf:params:netconf:base:2.0</capability>"),
        ),
        (
            "a session-id",
            capability(base).replace("</hello>", "<session-id>1</session-id></hello>"),
        ),
        (
            "no namespace",
            capability(base).replace(&format!(" xmlns=\"{BASE}\""), ""),
        ),
        (
            "a document type",
            format!("<!DOCTYPE hello>{}", capability(base)),
        ),
        ("too deep", capability(&"<a>".repeat(100))),
        (
            "too big",
            capability(&"<capability>urn:x</capability>".repeat(400_000)),
        ),
    ];
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        for ground in [Ground::memory().await, Ground::ssh(&state).await] {
            let mut bystander = ground.bystander().await;
            for (what, hello) in &hellos {
                let mut raw = Raw::silent(ground.stream().await).await;
                raw.send(hello.as_bytes()).await;
                let said = raw.rest().await;
                assert!(said.is_empty(), "{what}: {said:?}");
            }
            bystander.is_served().await;
            let monitoring = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";
            let counted = bystander
                .0
                .ask(&format!(
                    "<get><filter type=\"subtree\"><netconf-state xmlns=\"{monitoring}\">\
                     <statistics><in-bad-hellos/></statistics></netconf-state></filter></get>"
                ))
                .await;
            let counted = text(&counted.document, "in-bad-hellos");
            assert_eq!(counted, hellos.len().to_string());
        }
    });
}

/// Silent connections are closed after 30 s before authentication, and 30 s before the hello; RFC
/// 6242 and RFC 6241 leave these limits to servers.
#[test]
fn who_connects_and_says_nothing_is_sent_away() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let began = Instant::now();
        let silent = TcpStream::connect(running.address()).await.unwrap();
        let mut dribbling = TcpStream::connect(running.address()).await.unwrap();
        dribbling.write_all(b"SSH-2.0-slow").await.unwrap();
        let no_hello = Raw::silent(talk::stream(&running).await).await;
        let mut half = Raw::silent(talk::stream(&running).await).await;
        half.bytes(b"<hello xmlns=\"").await;
        let mut bystander = Talk::connect(&running).await;
        let bystander_gets = get_agent(AGENT);
        let tcp = |mut stream: TcpStream| async move {
            let mut received = Vec::new();
            // An end or a reset: both are an end.
            let _ = within("a connection to be cut", stream.read_to_end(&mut received)).await;
        };
        let session = |mut raw: Raw| async move { assert!(raw.rest().await.is_empty()) };
        let all = async {
            tokio::join!(
                tcp(silent),
                tcp(dribbling),
                session(no_hello),
                session(half)
            );
        };
        all.await;
        let lasted = began.elapsed();
        println!("silence lasted {lasted:?}");
        assert!(
            lasted > Duration::from_secs(25),
            "nobody is cut off at once: {lasted:?}"
        );
        // Who has said hello may be silent as long as it likes.
        let reply = bystander.ask(&bystander_gets).await;
        assert_eq!(text(&reply.document, "name"), AGENT);
    });
}
