//! Invalid and deceptive texts.
//!
//! Bytes that are not UTF-8, characters that XML or JSON cannot represent, byte order marks, and
//! legal characters that hide or reorder what is displayed, at each place of untrusted text. Over
//! NETCONF in memory, and at the HTTP server. Read next: `domain::identifier`.

use super::random::Machine;
use crate::is_only_error;
use crate::support::block_on;
use crate::support::process::{Running, run};
use harness::memory::Memory;
use netconf::names::namespace::BASE;
use proptest::prelude::{
    Just, ProptestConfig, Strategy, prop, prop_assert, prop_assert_eq, prop_oneof,
};
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use store::TaskFilter;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// The number of cases per binding.
const CASES: u32 = 10_000;

/// Invalid UTF-8: lone bytes, overlong forms, surrogates, beyond Unicode, truncated.
const NO_UTF8: [&[u8]; 8] = [
    b"\x80",
    b"\xff",
    b"\xc0\xaf",
    b"\xe0\x80\xaf",
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xf4\x90\x80\x80",
    b"\xe2\x82",
];

/// Characters that XML 1.0 §2.2 excludes, literally and by reference.
const NO_XML: [&str; 7] = [
    "\u{0}", "\u{1b}", "\u{fffe}", "\u{ffff}", "&#0;", "&#xD800;", "&#xFFFE;",
];

/// Legal but deceptive characters: direction, zero width, tags, C1, and a letter in two code
/// points.
const DECEPTIVE: [&str; 12] = [
    "\u{202e}",
    "\u{202a}",
    "\u{2066}",
    "\u{2069}",
    "\u{200b}",
    "\u{200d}",
    "\u{200f}",
    "\u{feff}",
    "\u{9b}",
    "\u{e0041}",
    "e\u{301}",
    "\u{2028}",
];

/// Legal and harmless characters.
const HONEST: [&str; 4] = ["é", "故障", "مرحبا", "𝔸"];

/// A fragment inserted into a text, by its expected result.
#[derive(Clone, Debug)]
enum Piece {
    Broken(Vec<u8>),
    Deceptive(&'static str),
    Honest(&'static str),
}

impl Piece {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Broken(bytes) => bytes,
            Self::Deceptive(text) | Self::Honest(text) => text.as_bytes(),
        }
    }
}

fn piece(broken: impl Strategy<Value = Vec<u8>> + 'static) -> impl Strategy<Value = Piece> {
    prop_oneof![
        broken.prop_map(Piece::Broken),
        prop::sample::select(&DECEPTIVE[..]).prop_map(Piece::Deceptive),
        prop::sample::select(&HONEST[..]).prop_map(Piece::Honest),
    ]
}

fn no_utf8() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(&NO_UTF8[..]).prop_map(<[u8]>::to_vec)
}

/// The place of the fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    TaskId,
    Agent,
    Content,
    /// Before everything.
    Front,
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        Just(Place::TaskId),
        Just(Place::Agent),
        Just(Place::Content),
        Just(Place::Front)
    ]
}

/// A text with a fragment at some position.
fn with(text: &str, piece: &Piece, at: usize) -> Vec<u8> {
    let at = at % (text.len() + 1);
    [
        &text.as_bytes()[..at],
        piece.bytes(),
        &text.as_bytes()[at..],
    ]
    .concat()
}

fn runner() -> TestRunner {
    TestRunner::new(ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        ..ProptestConfig::default()
    })
}

/// An assignment with the fragment at its place.
fn assignment(number: u32, piece: &Piece, place: Place, at: usize) -> Vec<u8> {
    let text = |own: Place, text: &str| match own == place {
        true => with(text, piece, at),
        false => text.as_bytes().to_vec(),
    };
    let inside = [
        &b"<task-negotiate xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\"><task-sendTo>"[..],
        &text(Place::Agent, "ip"),
        b"</task-sendTo><commuType>taskAssgin</commuType><task-id>",
        &text(Place::TaskId, &format!("t{number}")),
        b"</task-id><content>## target object\nsite-1\n## task description\n",
        &text(Place::Content, "now"),
        b"</content><task-async xmlns=\"urn:convoke:params:xml:ns:yang:convoke-negotiation\">true</task-async>\
            </task-negotiate>",
    ]
    .concat();
    let head = format!("<rpc message-id=\"{number}\" xmlns=\"{BASE}\">");
    let front = text(Place::Front, "");
    [&front, head.as_bytes(), &inside, b"</rpc>"].concat()
}

/// The tag of the only error in a reply; none if there is none.
fn tag(reply: &str) -> Option<String> {
    let (found, _) = crate::errors(reply);
    found.into_iter().next().map(|(_, tag)| tag)
}

#[test]
fn over_netconf_each_text_gets_its_exact_answer() {
    let memory = RefCell::new(Memory::new());
    let machine = RefCell::new(Machine::open(&mut memory.borrow_mut()));
    let (number, taken) = (Cell::new(0), Cell::new(0));
    let broken = prop_oneof![
        no_utf8(),
        prop::sample::select(&NO_XML[..]).prop_map(|text| text.as_bytes().to_vec()),
    ];
    let cases = (piece(broken), place(), 0..64usize);
    let outcome = runner().run(&cases, |(piece, place, at)| {
        number.set(number.get() + 1);
        let mut machine = machine.borrow_mut();
        machine.send(&assignment(number.get(), &piece, place, at));
        let (said, open) = machine.hear();
        let is_mark = matches!(piece, Piece::Deceptive("\u{feff}"));
        let malformed = match (&piece, place) {
            (Piece::Broken(_), _) => true,
            // A byte order mark may stand in front, nothing else may.
            (_, Place::Front) => !is_mark,
            _ => false,
        };
        if malformed {
            is_only_error("a text that is none", &said, "malformed-message");
            prop_assert!(!open);
            *machine = Machine::open(&mut memory.borrow_mut());
            return Ok(());
        }
        prop_assert!(open && said.len() == 1, "{said:?}");
        let expected = match (&piece, place) {
            (Piece::Deceptive(_), Place::TaskId) => Some("invalid-value"),
            // No agent is called that, however it looks.
            (_, Place::Agent) => Some("invalid-value"),
            _ => None,
        };
        let found = tag(&said[0]);
        prop_assert_eq!(found.as_deref(), expected, "{}", said[0]);
        taken.set(taken.get() + u64::from(expected.is_none()));
        Ok(())
    });
    outcome.unwrap_or_else(|why| panic!("{why}"));
    // Nothing is half done: what was refused left no task.
    let platform = memory.borrow().platform();
    let tasks = platform
        .engine()
        .store()
        .count_tasks(&TaskFilter::default());
    assert_eq!(tasks.unwrap(), taken.get());
    assert!(taken.get() > 1_000, "{taken:?}");
}

/// A persistent connection to the HTTP server.
struct Line {
    address: String,
    token: String,
    stream: Option<BufReader<TcpStream>>,
}

impl Line {
    async fn post(&mut self, path: &str, body: &[u8]) -> (u16, Value) {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => BufReader::new(TcpStream::connect(&self.address).await.unwrap()),
        };
        let (address, token) = (&self.address, &self.token);
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nA2A-Version: 1.0\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream
            .write_all(&[head.as_bytes(), body].concat())
            .await
            .unwrap();
        let (mut head, mut length, mut closes) = (String::new(), 0, false);
        while stream.read_line(&mut head).await.unwrap() > 2 {
            let line = head.lines().last().unwrap().to_lowercase();
            if let Some(said) = line.strip_prefix("content-length:") {
                length = said.trim().parse().unwrap();
            }
            closes |= line == "connection: close";
        }
        let mut document = vec![0; length];
        stream.read_exact(&mut document).await.unwrap();
        self.stream = (!closes).then_some(stream);
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_slice(&document).unwrap())
    }
}

/// The reason in an error of A2A; none if there is none.
fn reason(answer: &Value) -> Option<&str> {
    answer["error"]["details"][0]["reason"].as_str()
}

#[test]
fn over_http_each_text_gets_its_exact_answer() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let settings = "[a2a]\nconformance-agent = true\npatience-s = 1\n";
        std::fs::write(state.path().join("convoke.toml"), settings).unwrap();
        let running = Running::serve(state.path()).await;
        let issued = run(running.state(), &["token", "issue", "operator"])
            .await
            .well();
        let line = RefCell::new(Line {
            address: running.http().to_owned(),
            token: issued.stdout.trim_end().to_owned(),
            stream: None,
        });
        let broken = prop_oneof![
            no_utf8(),
            // A half of a pair alone, and a character that JSON wants escaped.
            Just(b"\\ud800".to_vec()),
            Just(b"\\udc00x".to_vec()),
            Just(b"\x1b".to_vec()),
        ];
        let cases = (piece(broken), place(), 0..64usize);
        let number = Cell::new(0);
        let handle = tokio::runtime::Handle::current();
        let outcome = tokio::task::block_in_place(|| {
            runner().run(&cases, |(piece, place, at)| {
                number.set(number.get() + 1);
                let body = message(number.get(), &piece, place, at);
                let mut line = line.borrow_mut();
                let asked = line.post("/agents/TMF-Convoke-Conformance-1.0.0/message:send", &body);
                let (status, answer) = handle.block_on(asked);
                answered(&piece, place, status, &answer)
            })
        });
        outcome.unwrap_or_else(|why| panic!("{why}"));
    });
}

/// A message with the fragment at its place; agents are named in the path.
fn message(number: u32, piece: &Piece, place: Place, at: usize) -> Vec<u8> {
    // Only a task has a conversation; what needs none is answered without one.
    let does = if place == Place::TaskId {
        "tck-complete-task"
    } else {
        "tck-message-response"
    };
    let whole = json!({"message": {
        "messageId": format!("{does}-{number}"),
        "contextId": "CONTEXT", "role": "ROLE_USER", "parts": [{"text": "WORDS"}],
    }});
    let whole = whole.to_string();
    let mut bytes = Vec::new();
    let front = if place == Place::Front {
        with("", piece, 0)
    } else {
        Vec::new()
    };
    bytes.extend(front);
    let texts = [
        ("CONTEXT", Place::TaskId, "c1"),
        ("WORDS", Place::Content, "now"),
    ];
    let mut rest = whole.as_str();
    for (mark, own, text) in texts {
        let (before, after) = rest.split_once(mark).unwrap();
        bytes.extend_from_slice(before.as_bytes());
        bytes.extend(match own == place {
            true => with(text, piece, at),
            false => text.as_bytes().to_vec(),
        });
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

fn answered(piece: &Piece, place: Place, status: u16, answer: &Value) -> Result<(), TestCaseError> {
    let expected = match (piece, place) {
        (_, Place::Agent) => (200, None),
        (Piece::Broken(_), _) | (_, Place::Front) => (400, Some("PARSE_ERROR")),
        (Piece::Deceptive(_), Place::TaskId) => (400, Some("INVALID_PARAMS")),
        _ => (200, None),
    };
    prop_assert_eq!((status, reason(answer)), expected, "{}", answer);
    Ok(())
}
