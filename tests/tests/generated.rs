//! Generated attacks over NETCONF, in memory and without a clock: each message is answered as the
//! standards require, at a bounded cost, and other sessions are served as before.
//!
//! The costs are the steps of searches, counted by their checks whether the client still waits, and
//! the bytes of replies; a panic would be noticed as the platform is in this process.
//! `CONVOKE_ATTACKS` sets the number of seeds, `PROPTEST_RNG_SEED` the first. The effect of the
//! same attacks on others is measured by the bench `neighbours`; the HTTP server is attacked in
//! `fuzz_http.rs`. Read next: `harness::attacks`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use bindings::background::{Background, Busy, Job};
use bindings::netconf::{Flow, Peer, Session};
use domain::time::Timestamp;
use engine::Endpoint;
use harness::attacks::{Attack, Kind, Message};
use harness::conformance::{Heard, Host as _, Opening, Patience, Wire};
use harness::judge::{self, Seen};
use harness::memory::{BEGIN, Memory};
use harness::{cast, xml};
use netconf::framing::{Decoder, Framing, encode};
use netconf::names::capability::{BASE_1_0, BASE_1_1};
use netconf::names::namespace::{BASE, NOTIFICATION};
use netconf::xml::XmlElement;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use store::TaskFilter;

/// The number of seeds by default.
const SEEDS: u64 = 12;
/// Messages of one session of an attack.
const MESSAGES: usize = 6;
/// Sessions of one attack.
const SESSIONS: usize = 2;
/// The most checks of a search whether its client still waits: one per 4,096 of its 10,000,000
/// steps, one at its end, and one more per event of a subscription.
const LOOKS_MOST: u64 = 10_000_000 / 4_096 + 8;
/// The largest reply without data, in bytes: a YANG module.
const REPLY_MOST: usize = 512 << 10;
/// The most pieces of a message.
const PIECES_MOST: usize = 200;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A background executor that runs all work at once, and counts.
#[derive(Default)]
struct Counting {
    jobs: AtomicU64,
    /// The most checks of one piece of work.
    most: AtomicU64,
}

impl Background for Counting {
    fn has_room(&self, _user: &str) -> bool {
        true
    }

    fn run(&self, _user: &str, job: Job) -> Result<(), Busy> {
        let looks = AtomicU64::new(0);
        job(&|| {
            looks.fetch_add(1, Relaxed);
            false
        });
        self.jobs.fetch_add(1, Relaxed);
        self.most.fetch_max(looks.into_inner(), Relaxed);
        Ok(())
    }
}

/// The client's end of a session in memory.
struct Talk {
    wire: Box<dyn Wire>,
    decoder: Decoder,
}

impl Talk {
    fn open(memory: &mut Memory, user: &str) -> Self {
        let mut wire = memory.connect(&Opening {
            user: user.to_owned(),
            endpoint: "platform".to_owned(),
            framing: "1.1".to_owned(),
        });
        let hello = format!(
            "<hello xmlns=\"{BASE}\"><capabilities><capability>{BASE_1_1}</capability></capabilities>\
             </hello>]]>]]>"
        );
        wire.send(hello.as_bytes());
        assert!(matches!(wire.receive(Patience::Looking), Heard::Bytes(_)));
        let mut decoder = Decoder::new(64 << 20);
        decoder.switch_to(Framing::Chunked);
        Self { wire, decoder }
    }

    /// The replies received, and whether the session is open.
    fn replies(&mut self) -> (Vec<String>, bool) {
        let mut replies = Vec::new();
        loop {
            match self.wire.receive(Patience::Looking) {
                Heard::Bytes(bytes) => self.decoder.push(&bytes),
                Heard::Nothing => return (replies, true),
                Heard::Closed => return (replies, false),
            }
            while let Some(message) = self.decoder.next_message().unwrap() {
                let message = String::from_utf8(message).unwrap();
                let document = xml::parse(&message).unwrap();
                match document.root().is(NOTIFICATION, "notification") {
                    true => {}
                    false => replies.push(message),
                }
            }
        }
    }
}

fn framed(message: &Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    match message.is_framed || message.bytes.is_empty() {
        true => bytes.clone_from(&message.bytes),
        false => encode(&message.bytes, Framing::Chunked, &mut bytes),
    }
    bytes
}

/// The bytes in chunks of this size.
fn in_pieces(bytes: &[u8], piece: usize) -> Vec<Vec<u8>> {
    let piece = piece.max(bytes.len().div_ceil(PIECES_MOST));
    let chunk = |bytes: &[u8]| [format!("\n#{}\n", bytes.len()).as_bytes(), bytes].concat();
    let mut pieces: Vec<Vec<u8>> = bytes.chunks(piece).map(chunk).collect();
    pieces.push(b"\n##\n".to_vec());
    pieces
}

/// A platform under attack.
struct Ground {
    memory: Memory,
    counting: Arc<Counting>,
    bystander: Talk,
    /// The size of all that a guest may read, in bytes.
    whole: usize,
    /// The number of replies by error-tag.
    tally: BTreeMap<String, u64>,
    seen: Seen,
}

impl Ground {
    fn new() -> Self {
        let counting = Arc::new(Counting::default());
        let background: Arc<dyn Background> = Arc::clone(&counting) as Arc<dyn Background>;
        let mut memory = Memory::beside(cast::access(), background);
        let bystander = Talk::open(&mut memory, "operator");
        let mut guest = Talk::open(&mut memory, "guest");
        let whole = ask(&mut guest, "<get/>").len();
        guest.wire.close();
        Self {
            memory,
            counting,
            bystander,
            whole,
            tally: BTreeMap::new(),
            seen: Seen::new(),
        }
    }

    fn attacked_by(&mut self, attack: Attack) {
        for session in 0..attack.sessions().min(SESSIONS) {
            let at_once = attack.in_flight().min(MESSAGES);
            let mut number = 0;
            while number < MESSAGES {
                let mut talk = Talk::open(&mut self.memory, "guest");
                let mut goes_on = true;
                while goes_on && number < MESSAGES {
                    let messages: Vec<Message> = (number..MESSAGES.min(number + at_once))
                        .map(|number| attack.message(session, number))
                        .collect();
                    number += messages.len();
                    goes_on = self.sent(attack, session, &mut talk, &messages);
                }
                talk.wire.close();
                self.others_are_served(attack);
            }
        }
    }

    /// Sends messages at once and checks the replies; returns whether the session goes on.
    fn sent(
        &mut self,
        attack: Attack,
        session: usize,
        talk: &mut Talk,
        messages: &[Message],
    ) -> bool {
        match attack.piece(session) {
            Some(piece) => {
                let pieces = messages.iter().flat_map(|m| in_pieces(&m.bytes, piece));
                pieces.for_each(|piece| talk.wire.send(&piece));
            }
            None => talk
                .wire
                .send(&messages.iter().flat_map(framed).collect::<Vec<u8>>()),
        }
        if attack.kind == Kind::Unread {
            return false;
        }
        let (replies, is_open) = talk.replies();
        for (place, reply) in replies.iter().enumerate() {
            let message = messages.get(place);
            let message = message.unwrap_or_else(|| panic!("{attack:?}: {reply}"));
            self.judged(attack, message, reply);
        }
        let is_sound = messages.iter().all(|message| message.is_sound);
        if is_sound {
            assert!(is_open, "{attack:?} ended: {replies:?}");
            assert_eq!(replies.len(), messages.len(), "{attack:?}: {replies:?}");
        }
        is_open && is_sound
    }

    fn judged(&mut self, attack: Attack, message: &Message, reply: &str) {
        let text = String::from_utf8_lossy(&message.bytes);
        let wrong = |why: &str| -> ! {
            panic!("{attack:?}: {why}\nasked: {text:.2000}\nreply: {reply:.2000}")
        };
        let document = xml::parse(reply).unwrap_or_else(|why| wrong(&why));
        let tag = tag(document.root());
        let schema = self.memory.schema();
        let checked = match (&tag, document.root().child(BASE, "data")) {
            (Some(_), _) => judge::reply(&schema, None, reply, &mut self.seen),
            (None, Some(data)) => {
                let inside: String = data.children().map(XmlElement::standalone).collect();
                match inside.is_empty() {
                    true => Ok(()),
                    false => schema
                        .check_data(&inside, true)
                        .map_err(|why| format!("{why:?}")),
                }
            }
            (None, None) => Ok(()),
        };
        checked.unwrap_or_else(|why| wrong(&why));
        if message.is_sound {
            let wanted = xml::parse(&text).unwrap();
            assert_eq!(
                wanted.root().attribute("", "message-id"),
                document.root().attribute("", "message-id"),
                "{attack:?}: replies are in the order of requests"
            );
            if tag.as_deref() == Some("malformed-message") {
                wrong("it is well formed");
            }
        }
        // However often it is asked for, nothing is told twice: attributes of defaults and origins aside.
        let most = match attack.kind {
            Kind::XPath | Kind::Subtree | Kind::GetData => 3 * self.whole,
            _ => REPLY_MOST,
        };
        if reply.len() > most {
            wrong(&format!("{} bytes", reply.len()));
        }
        *self
            .tally
            .entry(tag.unwrap_or_else(|| "answered".to_owned()))
            .or_default() += 1;
    }

    /// Asserts that other sessions are served, nothing of a guest is kept, and no search exceeded
    /// its steps.
    fn others_are_served(&mut self, attack: Attack) {
        let name = "<get><filter type=\"subtree\"><registry \
                    xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\"><agent><name>ip</name>\
                    <domain/></agent></registry></filter></get>";
        let reply = ask(&mut self.bystander, name);
        assert!(reply.contains("<domain>IP</domain>"), "{attack:?}: {reply}");
        let platform = self.memory.platform();
        let tasks = platform
            .engine()
            .store()
            .count_tasks(&TaskFilter::default());
        assert_eq!(tasks.unwrap(), 0, "{attack:?} left a task");
        let looks = self.counting.most.load(Relaxed);
        assert!(
            looks <= LOOKS_MOST,
            "{attack:?}: a search looked {looks} times"
        );
    }
}

/// The only reply to a request.
fn ask(talk: &mut Talk, operation: &str) -> String {
    let rpc = format!("<rpc xmlns=\"{BASE}\" message-id=\"1\">{operation}</rpc>");
    let mut bytes = Vec::new();
    encode(rpc.as_bytes(), Framing::Chunked, &mut bytes);
    talk.wire.send(&bytes);
    let (mut replies, is_open) = talk.replies();
    assert!(is_open && replies.len() == 1, "{replies:?}");
    replies.remove(0)
}

/// The tag of the first error, with its app-tag; none for a reply without errors.
fn tag(reply: XmlElement<'_>) -> Option<String> {
    let error = reply.child(BASE, "rpc-error")?;
    let leaf = |name| error.child(BASE, name).map(|leaf| leaf.text().to_owned());
    let tag = leaf("error-tag")?;
    Some(match leaf("error-app-tag") {
        Some(app_tag) => format!("{tag} {app_tag}"),
        None => tag,
    })
}

#[test]
fn every_generated_attack_is_answered_within_its_budget_and_harms_nobody_else() {
    let first = number("PROPTEST_RNG_SEED").unwrap_or(1);
    let seeds = number("CONVOKE_ATTACKS").unwrap_or(SEEDS);
    let mut ground = Ground::new();
    for seed in first..first + seeds {
        for kind in Kind::ALL.into_iter().filter(|kind| !kind.is_http()) {
            let began = std::time::Instant::now();
            ground.attacked_by(Attack { kind, seed });
            println!("{kind:?} {seed}: {:?}", began.elapsed());
        }
    }
    let searches = ground.counting.jobs.load(Relaxed);
    println!(
        "seeds {first} to {}: {searches} searches, {:?}",
        first + seeds - 1,
        ground.tally
    );
    // Else nothing of interest was asked.
    assert!(searches > 20, "{searches}");
    for tag in [
        "answered",
        "access-denied",
        "malformed-message",
        "too-big",
        "invalid-value",
        "resource-denied search-cost",
    ] {
        assert!(
            ground.tally.contains_key(tag),
            "no {tag}: {:?}",
            ground.tally
        );
    }
}

/// Pipelined input of one user is processed in portions, even without replies, so that others have
/// their turn in between.
#[test]
fn a_step_takes_up_so_much_input_and_what_is_left_another() {
    let platform = Memory::new().platform();
    let now = Timestamp::parse(BEGIN).unwrap();
    let peer = Peer {
        user: "guest".to_owned(),
        source_host: "127.0.0.1".to_owned(),
    };
    let mut session = Session::open(&platform, Endpoint::Platform, &peer, now, 0);
    let hello = format!(
        "<hello xmlns=\"{BASE}\"><capabilities><capability>{BASE_1_0}</capability></capabilities>\
         </hello>]]>]]>"
    );
    session.receive(hello.as_bytes(), 0);
    while session.step(now, 0) == Flow::Again {}
    session.transmit();
    let blanks = " ".repeat(30 << 10);
    let rpc = format!("<rpc message-id=\"1\" xmlns=\"{BASE}\">{blanks}<nothing/></rpc>]]>]]>");
    session.receive(rpc.repeat(10).as_bytes(), 0);
    let mut answered = Vec::new();
    loop {
        let flow = session.step(now, 0);
        let output = String::from_utf8(session.transmit()).unwrap();
        answered.push(output.matches("<rpc-error>").count());
        match flow {
            Flow::Again => {}
            Flow::Wait => break,
            Flow::Close => panic!("{output}"),
        }
    }
    assert_eq!(answered, [3, 3, 3, 1], "64 KiB, and the rest of a message");
    // Nor is another begun once its time is over.
    session.receive(rpc.repeat(3).as_bytes(), 0);
    for left in [2, 1, 0] {
        assert_eq!(session.step_while(now, 0, || false), Flow::Again);
        let output = String::from_utf8(session.transmit()).unwrap();
        assert_eq!(output.matches("<rpc-error>").count(), 1, "{left} are left");
    }
}
