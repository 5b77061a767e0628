//! Bytes of an untrusted peer: framing, hello, requests, filters.
//!
//! A session is fed the bytes whole and byte by byte, and must behave the same; every request is
//! answered. Read next: `netconf::session`.

use netconf::filter::{Compiled, Selection};
use netconf::hello::Capabilities;
use netconf::names::capability::{BASE_1_0, BASE_1_1};
use netconf::names::namespace::BASE;
use netconf::session::{Session, SessionConfig, SessionEvent};

/// The events and the output of a session.
#[derive(PartialEq, Debug)]
struct Made {
    happened: Vec<String>,
    sent: Vec<u8>,
}

/// Runs a session over bytes. A first byte of `1` prepends a valid hello of base:1.1, `0` one of
/// base:1.0, so that what follows is reached; any other is taken as it is.
pub fn session(data: &[u8]) {
    let data = match data.split_first() {
        Some((b'1', rest)) => [hello(BASE_1_1).as_bytes(), rest].concat(),
        Some((b'0', rest)) => [hello(BASE_1_0).as_bytes(), rest].concat(),
        _ => data.to_vec(),
    };
    let whole = made(std::iter::once(data.as_slice()));
    let by_byte = made(data.chunks(1));
    assert_eq!(whole, by_byte, "how bytes are parted is of no account");
}

fn hello(base: &str) -> String {
    format!(
        "<hello xmlns=\"{BASE}\"><capabilities><capability>{base}</capability></capabilities></hello>]]>]]>"
    )
}

fn made<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Made {
    let ours = Capabilities::new([BASE_1_0, BASE_1_1]);
    let mut session = Session::new(SessionConfig::new(ours), 1, 0);
    let mut made = Made {
        happened: Vec::new(),
        sent: session.transmit(),
    };
    for part in parts {
        session.receive(part, 0);
        while let Some(event) = session.poll() {
            made.happened.push(answered(&mut session, &event));
        }
        made.sent.extend(session.transmit());
    }
    made
}

/// Answers a request with its own operation, and describes the event.
fn answered(session: &mut Session, event: &SessionEvent) -> String {
    let SessionEvent::Rpc(rpc) = event else {
        return format!("{event:?}");
    };
    let operation = rpc.operation();
    if let Some(filter) = operation.child(BASE, "filter") {
        // Whatever a filter says, reading it ends.
        drop(Selection::subtree(filter));
        let select = filter.attribute("", "select").unwrap_or_default();
        drop::<Result<Compiled, _>>(Selection::xpath(select, &filter.prefixes()));
    }
    session.reply_data(&rpc.envelope, |out| operation.write_standalone(out));
    format!("rpc {} {}", rpc.message_id(), operation.name())
}
