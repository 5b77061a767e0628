//! Long work, a search or words to be read, gets a slot beside the sessions, or is refused at once; the session goes on
//! either way.
//!
//! The cost of searches is tested in `conformance/get-xpath-costly`, their scheduling in
//! `server::pool`.
#![allow(clippy::unwrap_used)]

use bindings::background::{Background, Busy, Job};
use harness::cast;
use harness::conformance::{Heard, Host, Opening, Patience};
use harness::memory::Memory;
use netconf::client::{ClientEvent, ClientSession};
use std::sync::Arc;

const SEARCH: &str = "<get><filter type=\"xpath\" xmlns:r=\"urn:convoke:params:xml:ns:yang:convoke-registry\" \
                      select=\"/r:registry/r:agent[count(r:skill) &gt; 0]/r:name\"/></get>";
const WORDS: &str = "<parse-utterance xmlns=\"urn:convoke:params:xml:ns:yang:convoke-schema\">\
                     <utterance>save energy</utterance></parse-utterance>";
const PATH: &str = "<get><filter type=\"xpath\" xmlns:r=\"urn:convoke:params:xml:ns:yang:convoke-registry\" \
                    select=\"/r:registry/r:agent/r:name\"/></get>";

/// A background executor without free slots.
struct Full;

impl Background for Full {
    fn has_room(&self, _user: &str) -> bool {
        false
    }

    fn run(&self, _user: &str, _job: Job) -> Result<(), Busy> {
        Err(Busy)
    }
}

/// A background executor that gives up work, as after a timeout.
struct GivingUp;

impl Background for GivingUp {
    fn has_room(&self, _user: &str) -> bool {
        true
    }

    fn run(&self, _user: &str, _job: Job) -> Result<(), Busy> {
        Ok(())
    }
}

/// The replies to long work and, after it, to a plain path.
fn replies(background: Arc<dyn Background>, long: &str) -> Vec<String> {
    let mut memory = Memory::beside(cast::access(), background);
    let mut wire = memory.connect(&Opening {
        user: "operator".to_owned(),
        endpoint: "platform".to_owned(),
        framing: "1.1".to_owned(),
    });
    let mut client = ClientSession::default();
    client.call(long);
    client.call(PATH);
    let mut replies = Vec::new();
    while replies.len() < 2 {
        wire.send(&client.transmit());
        match wire.receive(Patience::Expecting) {
            Heard::Bytes(bytes) => client.receive(&bytes),
            _ => panic!("no reply after {replies:?}"),
        }
        while let Some(event) = client.poll() {
            if let ClientEvent::Reply(reply) = event {
                replies.push(reply.raw().to_owned());
            }
        }
    }
    replies
}

#[test]
fn long_work_without_room_or_time_is_refused_and_the_session_goes_on() {
    let backgrounds: [Arc<dyn Background>; 2] = [Arc::new(Full), Arc::new(GivingUp)];
    let each = backgrounds
        .iter()
        .flat_map(|it| [(it, SEARCH), (it, WORDS)]);
    for (background, long) in each {
        let replies = replies(Arc::clone(background), long);
        let tag = "<error-tag>resource-denied</error-tag>";
        assert!(replies[0].contains(tag), "{}", replies[0]);
        let app_tag = "<error-app-tag>busy</error-app-tag>";
        assert!(replies[0].contains(app_tag), "{}", replies[0]);
        assert!(replies[1].contains("<name>"), "{}", replies[1]);
    }
}
