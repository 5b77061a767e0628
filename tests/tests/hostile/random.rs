//! Random and nearly valid input: replies or the end, never a panic, and others are served.
//!
//! Over SSH with noise in place of each layer; and against the session in memory, where a panic
//! would fail the test itself. Read next: `netconf::session`.

use crate::support::block_on;
use crate::support::process::Running;
use crate::support::raw::Raw;
use crate::support::talk::{self, Talk};
use crate::{Bystander, corpus, is_only_error};
use harness::conformance::{Heard, Host as _, Opening, Patience, Wire};
use harness::memory::Memory;
use netconf::framing::{Decoder, Framing};
use netconf::names::namespace::BASE;
use proptest::prelude::{ProptestConfig, Strategy, any, prop, prop_assert, prop_oneof};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

#[test]
fn random_bytes_at_every_layer_leave_the_platform_serving() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mut bystander = Bystander(Talk::connect(&running).await);
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for round in 0..60 {
            let mut noise = vec![0; 1 + (rng.next_u32() % 4_000) as usize];
            rng.fill_bytes(&mut noise);
            match round % 4 {
                // In place of SSH.
                0 => {
                    let mut tcp = TcpStream::connect(running.address()).await.unwrap();
                    let _ = tcp.write_all(&noise).await;
                }
                // In place of a hello.
                1 => {
                    Raw::silent(talk::stream(&running).await)
                        .await
                        .bytes(&noise)
                        .await
                }
                // In place of chunks.
                2 => {
                    let stream = talk::stream(&running).await;
                    Raw::open(stream, Framing::Chunked)
                        .await
                        .bytes(&noise)
                        .await;
                }
                // In place of a request: this one is answered.
                _ => {
                    let stream = talk::stream(&running).await;
                    let mut raw = Raw::open(stream, Framing::Chunked).await;
                    raw.send(&noise).await;
                    is_only_error("noise", &raw.rest().await, "malformed-message");
                }
            }
            bystander.is_served().await;
        }
    });
}

/// Parts of client messages in random combination.
fn nearly_xml() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: &[&str] = &[
        "<rpc",
        " message-id=\"1\"",
        " xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"",
        ">",
        "/>",
        "<get>",
        "</get>",
        "</rpc>",
        "<get/>",
        "<filter type=\"subtree\">",
        "</filter>",
        "<close-session/>",
        "<a:b xmlns:a=\"u\">",
        "</a:b>",
        " a:c='1'",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?x ?>",
        "<!DOCTYPE x>",
        "&amp;",
        "&#65;",
        "&#x0;",
        "&x;",
        "\"",
        "'",
        "=",
        "é",
        "\u{FEFF}",
        "\0",
        "]]>]]>",
        "\n#3\n",
        "\n##\n",
        "<task-negotiate xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\">",
        "</task-negotiate>",
        "<commuType>taskAssgin</commuType>",
        "<content>## target object\nx\n## task description\ny</content>",
    ];
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..24);
    pieces.prop_map(|pieces| pieces.concat().into_bytes())
}

/// A valid request with some bytes changed.
fn bent() -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5);
    changes.prop_map(|changes| {
        let mut message = corpus::rpc(&talk::assign("ip", "bent"));
        for (place, byte) in changes {
            let place = place.index(message.len());
            message[place] = byte;
        }
        message
    })
}

/// A session in memory, where a panic fails the test.
pub(super) struct Machine {
    wire: Box<dyn Wire>,
}

impl Machine {
    pub(super) fn open(memory: &mut Memory) -> Self {
        let opening = Opening {
            user: "operator".to_owned(),
            endpoint: "platform".to_owned(),
            framing: "1.1".to_owned(),
        };
        let mut wire = memory.connect(&opening);
        let capability = netconf::names::capability::BASE_1_1;
        let hello = format!(
            "<hello xmlns=\"{BASE}\"><capabilities><capability>{capability}</capability>\
             </capabilities></hello>]]>]]>"
        );
        wire.send(hello.as_bytes());
        assert!(matches!(wire.receive(Patience::Looking), Heard::Bytes(_)));
        Self { wire }
    }

    pub(super) fn send(&mut self, message: &[u8]) {
        let head = format!("\n#{}\n", message.len());
        self.wire
            .send(&[head.as_bytes(), message, b"\n##\n"].concat());
    }

    /// The messages received, and whether the session is still open.
    pub(super) fn hear(&mut self) -> (Vec<String>, bool) {
        let mut decoder = Decoder::new(1 << 24);
        decoder.switch_to(Framing::Chunked);
        let mut messages = Vec::new();
        loop {
            match self.wire.receive(Patience::Looking) {
                Heard::Bytes(bytes) => decoder.push(&bytes),
                Heard::Nothing => return (messages, true),
                Heard::Closed => return (messages, false),
            }
            while let Some(message) = decoder.next_message().unwrap() {
                messages.push(String::from_utf8(message).unwrap());
            }
        }
    }
}

#[test]
fn whatever_a_client_says_gets_replies_or_the_end() {
    let memory = std::cell::RefCell::new(Memory::new());
    let bystander = std::cell::RefCell::new(Machine::open(&mut memory.borrow_mut()));
    let get = corpus::rpc("<get><filter/></get>");
    let noise = prop::collection::vec(any::<u8>(), 0..600);
    let framed = prop_oneof![noise.clone(), nearly_xml(), bent()].prop_map(|m| (true, m));
    let unframed = prop_oneof![noise, nearly_xml()].prop_map(|m| (false, m));
    let said = prop::collection::vec(prop_oneof![3 => framed, 1 => unframed], 1..4);
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let outcome = runner.run(&said, |said| {
        let mut hostile = Machine::open(&mut memory.borrow_mut());
        for (framed, message) in said {
            if framed && !message.is_empty() {
                hostile.send(&message);
            } else {
                hostile.wire.send(&message);
            }
        }
        for reply in hostile.hear().0 {
            let document = harness::xml::parse(&reply).unwrap();
            prop_assert!(document.root().is(BASE, "rpc-reply"), "{}", reply);
        }
        hostile.wire.close();
        let mut bystander = bystander.borrow_mut();
        bystander.send(&get);
        let (replies, open) = bystander.hear();
        prop_assert!(open && replies.len() == 1 && replies[0].contains("<data"));
        Ok(())
    });
    if let Err(why) = outcome {
        panic!("{why}");
    }
}
