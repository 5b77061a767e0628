//! A connection to a peer that hangs up: its subscriptions, and their start times.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::ssh::ByteStream;
use netconf::hello::Capabilities;
use netconf::names::capability::{BASE_1_0, BASE_1_1};
use netconf::session::{Session as Server, SessionConfig, SessionEvent};
use tokio::io::{AsyncReadExt, DuplexStream};

/// The other end of a session: answers one subscription and hangs up; returns the subscription.
async fn one_subscription(mut stream: DuplexStream, tells: Option<&str>) -> String {
    let config = SessionConfig::new(Capabilities::new([BASE_1_0, BASE_1_1]));
    let (mut server, mut buffer) = (Server::new(config, 1, 0), [0; 4_096]);
    loop {
        stream.write_all(&server.transmit()).await.unwrap();
        let length = stream.read(&mut buffer).await.unwrap();
        server.receive(&buffer[..length], 0);
        while let Some(event) = server.poll() {
            if let SessionEvent::Rpc(rpc) = event {
                let asked = rpc.operation().standalone();
                server.reply_ok(&rpc.envelope);
                if let Some(time) = tells {
                    let told = format!(
                        "<notification xmlns=\"{NOTIFICATION}\"><eventTime>{time}</eventTime>\
                         <nothing xmlns=\"urn:x\"/></notification>"
                    );
                    server.notification(told.as_bytes());
                }
                stream.write_all(&server.transmit()).await.unwrap();
                return asked;
            }
        }
    }
}

/// A plan, and the other ends of the sessions opened by it.
fn plan(is_resumed: bool) -> (Plan, mpsc::UnboundedReceiver<DuplexStream>) {
    let (opened, sessions) = mpsc::unbounded_channel();
    let connect: Connect = Box::new(move || {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        opened.send(theirs).unwrap();
        Box::pin(async move { Ok(ByteStream::new(ours)) })
    });
    let plan = Plan {
        agent: "digger".to_owned(),
        to: "digger".to_owned(),
        connect,
        last_sequence: Box::new(|| 0),
        is_elsewhere: true,
        from: Timestamp::from_ms(0),
        is_resumed,
    };
    (plan, sessions)
}

/// The start time of a subscription.
fn start(asked: &str) -> Option<&str> {
    let (_, rest) = asked.split_once("<startTime>")?;
    rest.split('<').next()
}

/// Tasks that were open at a start are subscribed to, even if no message is sent.
#[tokio::test]
async fn what_a_peer_tells_of_tasks_of_before_a_start_is_asked_for_without_a_word() {
    let (plan, mut sessions) = plan(true);
    let (_calls, waiting) = mpsc::unbounded_channel();
    let (arrived, _arrivals) = mpsc::unbounded_channel();
    let since = Arc::new(AtomicU64::new(u64::MAX));
    let connection = PeerConnection::new(plan, waiting, arrived, Arc::default(), since);
    tokio::spawn(connection.run());
    let asked = one_subscription(sessions.recv().await.unwrap(), None).await;
    assert_eq!(start(&asked), Some("1970-01-01T00:00:00.000Z"));
}

/// The subscriptions of a connection in successive sessions, to a peer that notifies in the second.
#[tokio::test]
async fn what_a_peer_told_when_a_session_was_lost_is_asked_for_from_the_first_on() {
    let (plan, mut sessions) = plan(false);
    let (calls, waiting) = mpsc::unbounded_channel();
    let (arrived, _arrivals) = mpsc::unbounded_channel();
    let since = Arc::new(AtomicU64::new(u64::MAX));
    let connection = PeerConnection::new(plan, waiting, arrived, Arc::default(), since);
    tokio::spawn(connection.run());
    let call = Call {
        token: 1,
        rpc: "<get/>".to_owned(),
        task: TaskId::new("t-1"),
    };
    calls.send(call).ok().unwrap();
    let time = "2026-11-23T12:00:00Z";
    let mut from = Vec::new();
    for tells in [None, Some(time), None] {
        let asked = one_subscription(sessions.recv().await.unwrap(), tells).await;
        from.push(start(&asked).map(str::to_owned));
    }
    let expected = [None, Some("1970-01-01T00:00:00.000Z"), Some(time)];
    assert_eq!(
        from.iter().map(Option::as_deref).collect::<Vec<_>>(),
        expected
    );
}
