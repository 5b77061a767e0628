//! A client and a server joined in memory.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::error::ErrorTag;
use crate::session::{Session, SessionConfig, SessionEvent};
use insta::assert_snapshot;

fn pair(server: &[&str], client: &[&str]) -> (Session, ClientSession) {
    (
        Session::new(SessionConfig::new(Capabilities::new(server)), 5, 0),
        ClientSession::new(ClientConfig {
            capabilities: Capabilities::new(client),
            limits: Limits::client(),
        }),
    )
}

/// Carries bytes both ways until both are silent; the server answers by the
/// name of the operation.
fn join(server: &mut Session, client: &mut ClientSession) -> String {
    let mut lines = String::new();
    loop {
        let (up, down) = (client.transmit(), server.transmit());
        if up.is_empty() && down.is_empty() {
            return lines;
        }
        server.receive(&up, 0);
        client.receive(&down);
        while let Some(event) = server.poll() {
            if let SessionEvent::Rpc(rpc) = event {
                answer(server, &rpc);
            }
        }
        while let Some(event) = client.poll() {
            lines.push_str(&describe(&event));
            lines.push('\n');
        }
    }
}

fn answer(server: &mut Session, rpc: &crate::session::Rpc) {
    match rpc.operation().name() {
        "get" => server.reply_data(&rpc.envelope, |out| {
            out.extend_from_slice(b"<top xmlns=\"urn:t\"/>");
        }),
        "fail" => server.reply_errors(
            &rpc.envelope,
            &[RpcError::application(ErrorTag::DataExists).message("it exists")],
        ),
        "warn" => server.reply_with(&rpc.envelope, |envelope, out| {
            envelope.write_error(&RpcError::rpc(ErrorTag::OperationFailed).warning(), out);
            envelope.write_ok(out);
        }),
        "notify" => {
            server.notification(
                format!("<notification xmlns=\"{NOTIFICATION}\"><eventTime>2026-01-01T00:00:00Z</eventTime><e xmlns=\"urn:t\"/></notification>").as_bytes(),
            );
            server.reply_ok(&rpc.envelope);
        }
        _ => server.reply_ok(&rpc.envelope),
    }
}

fn describe(event: &ClientEvent) -> String {
    match event {
        ClientEvent::Ready { session_id, .. } => format!("ready {session_id}"),
        ClientEvent::Reply(reply) => {
            let outcome = match &reply.outcome {
                Outcome::Ok => format!("ok, {} warnings", reply.warnings().len()),
                Outcome::Data => reply.data().unwrap().verbatim().to_owned(),
                Outcome::Errors(errors) => errors[0].to_string(),
            };
            format!("{}: {outcome}", reply.message_id)
        }
        ClientEvent::Notification(event) => {
            format!("{} {}", event.event_time, event.content().unwrap().name())
        }
        ClientEvent::Closed(error) => format!("closed: {error}"),
    }
}

#[test]
fn calls_and_replies_in_every_combination_of_versions() {
    let all = [BASE_1_0, BASE_1_1];
    for (server, client, framing) in [
        (&all[..], &all[..], Framing::Chunked),
        (&all[..], &all[..1], Framing::EndOfMessage),
        (&all[..1], &all[..], Framing::EndOfMessage),
        (&all[1..], &all[1..], Framing::Chunked),
    ] {
        let (mut server, mut client) = pair(server, client);
        // Before the hello: kept until the framing is known.
        for name in ["<get/>", "<fail/>", "<warn/>", "<notify/>", "<other/>"] {
            client.call(name);
        }
        assert_eq!(
            join(&mut server, &mut client).lines().collect::<Vec<_>>(),
            [
                "ready 5",
                "1: <data><top xmlns=\"urn:t\"/></data>",
                "2: data-exists (application): it exists",
                "3: ok, 1 warnings",
                "2026-01-01T00:00:00Z e",
                "4: ok, 0 warnings",
                "5: ok, 0 warnings",
            ]
        );
        assert_eq!(client.framing(), framing);
        assert_eq!(server.framing(), framing);
        assert_eq!(client.outstanding().len(), 0);
    }
}

#[test]
fn no_common_version_ends_both() {
    let (mut server, mut client) = pair(&[BASE_1_1], &[BASE_1_0]);
    assert_snapshot!(join(&mut server, &mut client), @"closed: no base capability in common");
    assert!(server.closing());
}

#[test]
fn a_reply_without_number_answers_the_oldest_call() {
    let (mut server, mut client) = pair(&[BASE_1_1], &[BASE_1_1]);
    join(&mut server, &mut client);
    client.call("<a>");
    assert_snapshot!(join(&mut server, &mut client), @r#"1: malformed-message (rpc): element "a" is not closed properly"#);
}

#[test]
fn a_server_that_misbehaves_is_left() {
    let misbehave = |message: &str| {
        let (mut server, mut client) = pair(&[BASE_1_0], &[BASE_1_0]);
        join(&mut server, &mut client);
        client.call("<get/>");
        client.receive(format!("{message}]]>]]>").as_bytes());
        let told = describe(&client.poll().unwrap());
        assert!(client.poll().is_none());
        told
    };
    assert_snapshot!(misbehave("<x/>"), @"closed: unexpected <x>");
    assert_snapshot!(misbehave("<x>"), @r#"closed: element "x" is not closed properly"#);
    assert_snapshot!(misbehave(&format!("<rpc-reply xmlns='{BASE}' message-id='8'/>")), @r#"closed: a reply without call: message-id "8""#);
}

#[test]
fn what_came_before_the_end_is_still_given_out() {
    let (mut server, mut client) = pair(&[BASE_1_0], &[BASE_1_0]);
    client.receive(&server.transmit());
    client.end_of_input();
    assert!(matches!(client.poll(), Some(ClientEvent::Ready { .. })));
    assert!(matches!(
        client.poll(),
        Some(ClientEvent::Closed(ClientError::EndOfInput))
    ));
    assert!(client.poll().is_none());
}
