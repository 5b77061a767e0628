//! Generated attacks, in a process of their own: the same bytes for the same kind and seed, on as
//! many sessions as the attack has, repeated until it ends.
//!
//! Knows how to send bytes to a platform; the bytes are made by `harness::attacks`. Read next:
//! `soak`.

use crate::answer::answer;
use crate::attack::{Shared, ended};
use crate::platform::{GUEST, Place};
use crate::transport::read_nothing;
use crate::wire::{Wire, find};
use harness::attacks::{Attack, Kind, Message};
use netconf::framing::{Framing, encode};
use server::ssh::Connector;
use std::error::Error;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::{sleep, timeout};

/// The time an attack runs before the victim's requests begin.
pub(crate) const BEFORE: Duration = Duration::from_millis(200);
/// The time limit for a platform to accept an attacker.
const PATIENCE: Duration = Duration::from_secs(20);
/// The time limit for an answer to a malformed message.
const LAST_WORD: Duration = Duration::from_secs(1);
/// The pause between two pieces of a message that is sent slowly.
const PAUSE: Duration = Duration::from_millis(2);
/// Messages of a session that subscribes; the subscription may be granted to the first.
const SUBSCRIBING: usize = 4;
/// Messages of a session that never reads.
const UNREAD: usize = 4_000;

/// The name of an attack, for the command line of its process.
pub(crate) fn name(attack: Attack) -> String {
    format!("{} {}", attack.kind.name(), attack.seed)
}

/// Parses the name of an attack.
pub(crate) fn parse(name: &str) -> Option<Attack> {
    let (kind, seed) = name.split_once(' ')?;
    Some(Attack {
        kind: Kind::named(kind)?,
        seed: seed.parse().ok()?,
    })
}

/// Spawns all its tasks.
pub(crate) fn begin(
    attack: Attack,
    attackers: &LocalSet,
    place: &Place,
    done: &Shared,
) -> Result<(), Box<dyn Error>> {
    for session in 0..attack.sessions() {
        let (place, did) = (place.clone(), Rc::clone(done));
        attackers.spawn_local(ended(done, async move {
            match attack.kind {
                Kind::Unread => {
                    let asked = (0..UNREAD).map(|number| attack.message(session, number).bytes);
                    read_nothing(&place, asked, &did).await
                }
                kind if kind.is_http() => post(attack, session, &place, &did).await,
                _ => talk(attack, session, &place, &did).await,
            }
        }));
    }
    Ok(())
}

/// Runs session after session; the end of one does not end the attack.
async fn talk(
    attack: Attack,
    session: usize,
    place: &Place,
    did: &Shared,
) -> Result<(), Box<dyn Error>> {
    let target = place.target(GUEST)?;
    let connector = Connector::new(1, PATIENCE);
    let mut number = 0;
    loop {
        let mut wire = Wire::open(&connector, &target).await?;
        let last = match attack.kind {
            Kind::Subscriptions => number + SUBSCRIBING,
            _ => usize::MAX,
        };
        while number < last {
            let messages =
                (number..number + attack.in_flight()).map(|n| attack.message(session, n));
            let messages: Vec<Message> = messages.collect();
            number += messages.len();
            if !exchanged(attack.piece(session), &mut wire, &messages, did).await {
                break;
            }
        }
    }
}

/// Sends messages and reads the replies; false once the session is over.
async fn exchanged(
    piece: Option<usize>,
    wire: &mut Wire,
    messages: &[Message],
    did: &Shared,
) -> bool {
    let sent = match piece {
        Some(piece) => slowly(wire, messages, piece).await,
        None => wire
            .send(&messages.iter().flat_map(framed).collect::<Vec<u8>>())
            .await
            .is_ok(),
    };
    let is_sound = messages.iter().all(|message| message.is_sound);
    let mut left = messages.len();
    while left > 0 {
        let said = match is_sound {
            true => wire.message().await.ok(),
            false => timeout(LAST_WORD, wire.message())
                .await
                .ok()
                .and_then(Result::ok),
        };
        let Some(said) = said else {
            did.borrow_mut().refuse("closed".to_owned());
            return false;
        };
        if find(&said[..said.len().min(200)], b"<rpc-reply").is_some() {
            did.borrow_mut().take(said);
            left -= 1;
        }
    }
    sent && is_sound
}

fn framed(message: &Message) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(message.bytes.len() + 16);
    match message.is_framed || message.bytes.is_empty() {
        true => bytes.extend_from_slice(&message.bytes),
        false => encode(&message.bytes, Framing::Chunked, &mut bytes),
    }
    bytes
}

/// Sends each piece as a chunk of its own (RFC 6242 §4.2), followed by a pause.
async fn slowly(wire: &mut Wire, messages: &[Message], piece: usize) -> bool {
    for message in messages {
        for piece in message.bytes.chunks(piece) {
            let head = format!("\n#{}\n", piece.len());
            if wire.send(&[head.as_bytes(), piece].concat()).await.is_err() {
                return false;
            }
            sleep(PAUSE).await;
        }
        if wire.send(b"\n##\n").await.is_err() {
            return false;
        }
    }
    true
}

/// Sends request after request; reopens closed connections.
async fn post(
    attack: Attack,
    connection: usize,
    place: &Place,
    did: &Shared,
) -> Result<(), Box<dyn Error>> {
    let mut number = 0;
    loop {
        let stream = TcpStream::connect(&place.http).await?;
        stream.set_nodelay(true)?;
        let mut stream = BufReader::new(stream);
        let mut is_kept = true;
        while is_kept {
            let post = attack.post(connection, number);
            number += 1;
            let bytes = post.bytes(&place.http, &place.guest_token, true);
            // A server that refuses by the head alone may have closed behind it.
            let written = stream.write_all(&bytes).await.is_ok();
            let answer = answer(&mut stream).await;
            is_kept = written && answer.as_ref().is_some_and(|answer| answer.is_kept);
            let mut did = did.borrow_mut();
            match answer.map(|answer| (answer.status, answer.reason)) {
                None => did.refuse("closed".to_owned()),
                Some((..400, None)) => did.answered += 1,
                Some((status, None)) => did.refuse(status.to_string()),
                Some((status, Some(reason))) => did.refuse(format!("{status} {reason}")),
            }
        }
    }
}
