//! Conversations with a session, message by message.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::hello::Capabilities;
use crate::names::capability::{BASE_1_0, BASE_1_1};
use insta::assert_snapshot;
use proptest::prelude::*;

fn session() -> Session {
    let mut session = Session::new(
        SessionConfig::new(Capabilities::new([BASE_1_0, BASE_1_1])),
        7,
        0,
    );
    session.transmit();
    session
}

fn hello(base: &str) -> String {
    format!(
        "<hello xmlns=\"{BASE}\"><capabilities><capability>{base}</capability></capabilities></hello>]]>]]>"
    )
}

fn ready(base: &str) -> Session {
    let mut session = session();
    session.receive(hello(base).as_bytes(), 0);
    assert!(matches!(session.poll(), Some(SessionEvent::Ready { .. })));
    session
}

fn frame(session: &Session, message: &str) -> Vec<u8> {
    let mut out = Vec::new();
    framing::encode(message.as_bytes(), session.framing(), &mut out);
    out
}

/// Sends messages; everything is answered `<ok/>`. One line for each event and for each message
/// sent.
fn converse(session: &mut Session, messages: &[&str]) -> String {
    let mut lines = Vec::new();
    for message in messages {
        let bytes = frame(session, message);
        session.receive(&bytes, 0);
    }
    while let Some(event) = session.poll() {
        match event {
            SessionEvent::Ready { framing, .. } => lines.push(format!("ready {framing:?}")),
            SessionEvent::Rpc(rpc) => {
                lines.push(format!(
                    "rpc {} {}",
                    rpc.message_id(),
                    rpc.operation().name()
                ));
                session.reply_ok(&rpc.envelope);
            }
            SessionEvent::Close(reason) => lines.push(format!("close: {reason}")),
        }
    }
    lines.push(String::from_utf8(session.transmit()).unwrap());
    lines
        .join("\n")
        .replace(BASE, "BASE")
        .replace("]]>]]>", "¶")
        .replace("\n##\n", "¶")
}

fn rpc(attributes: &str, inside: &str) -> String {
    format!("<rpc xmlns=\"{BASE}\"{attributes}>{inside}</rpc>")
}

#[test]
fn the_server_speaks_first() {
    let config = SessionConfig::new(Capabilities::new([BASE_1_1]));
    let mut session = Session::new(config, 4, 0);
    assert_snapshot!(String::from_utf8(session.transmit()).unwrap().replace(BASE, "BASE"), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <hello xmlns="BASE"><capabilities><capability>urn:ietf:params:netconf:base:1.1</capability></capabilities><session-id>4</session-id></hello>]]>]]>
    "#);
}

#[test]
fn a_request_and_its_reply_in_both_framings() {
    let get = rpc(" message-id=\"1\"", "<get/>");
    assert_snapshot!(converse(&mut ready(BASE_1_1), &[&get, &get]), @r#"
    rpc 1 get
    rpc 1 get

    #91
    <rpc-reply xmlns="BASE" message-id="1"><ok/></rpc-reply>¶
    #91
    <rpc-reply xmlns="BASE" message-id="1"><ok/></rpc-reply>¶
    "#);
    assert_snapshot!(converse(&mut ready(BASE_1_0), &[&get]), @r#"
    rpc 1 get
    <rpc-reply xmlns="BASE" message-id="1"><ok/></rpc-reply>¶
    "#);
}

#[test]
fn attributes_return_unmodified() {
    let mut session = ready(BASE_1_0);
    let odd = format!(
        "<n:rpc  xmlns:n='{BASE}' message-id=' a&amp;&lt;\"&#x41; ' xmlns:e=\"u\"\n e:user = 'x' ><n:get/></n:rpc>"
    );
    assert_snapshot!(converse(&mut session, &[&odd]), @r#"
    rpc  a&<"A  get
    <n:rpc-reply  xmlns:n='BASE' message-id=' a&amp;&lt;"&#x41; ' xmlns:e="u"
     e:user = 'x'><ok xmlns="BASE"/></n:rpc-reply>¶
    "#);
}

#[test]
fn a_second_mark_after_the_hello_is_ignored() {
    let mut session = session();
    session.receive(format!("{}]]>]]>", hello(BASE_1_0)).as_bytes(), 0);
    assert_snapshot!(converse(&mut session, &[&rpc(" message-id='1'", "<get/>")]), @r#"
    ready EndOfMessage
    rpc 1 get
    <rpc-reply xmlns="BASE" message-id='1'><ok/></rpc-reply>¶
    "#);
}

#[test]
fn faults_of_the_envelope_are_answered_and_survived() {
    let fault = |attributes: &str, inside: &str| {
        let mut session = ready(BASE_1_0);
        let told = converse(&mut session, &[&rpc(attributes, inside)]);
        assert!(session.is_ready());
        assert_eq!(session.statistics().in_bad_rpcs, 1);
        assert_eq!(session.statistics().out_rpc_errors, 1);
        told
    };
    assert_snapshot!(fault(" xmlns:e='u' e:a='b'", "<get/>"), @r#"<rpc-reply xmlns="BASE" xmlns:e='u' e:a='b'><rpc-error><error-type>rpc</error-type><error-tag>missing-attribute</error-tag><error-severity>error</error-severity><error-message xml:lang="en">an rpc without message-id</error-message><error-info><bad-attribute>message-id</bad-attribute><bad-element>rpc</bad-element></error-info></rpc-error></rpc-reply>¶"#);
    assert_snapshot!(fault(" message-id='1'", " "), @r#"<rpc-reply xmlns="BASE" message-id='1'><rpc-error><error-type>protocol</error-type><error-tag>missing-element</error-tag><error-severity>error</error-severity><error-message xml:lang="en">an rpc without operation</error-message><error-info><bad-element>rpcOperation</bad-element></error-info></rpc-error></rpc-reply>¶"#);
    assert_snapshot!(fault(" message-id='1'", "<get/><lock/>"), @r#"<rpc-reply xmlns="BASE" message-id='1'><rpc-error><error-type>protocol</error-type><error-tag>unknown-element</error-tag><error-severity>error</error-severity><error-message xml:lang="en">an rpc with more than one operation</error-message><error-info><bad-element>lock</bad-element></error-info></rpc-error></rpc-reply>¶"#);
    assert!(fault(" message-id='1'", "x<get/>").contains("bad-element"));
    let long = format!(" message-id='{}'", "9".repeat(4096));
    let told = fault(&long, "<get/>");
    assert!(told.contains("bad-attribute") && !told.contains("999"));
}

#[test]
fn an_answer_of_its_own_waits_for_its_turn() {
    let mut session = ready(BASE_1_0);
    for message in [
        rpc(" message-id='1'", "<get/>"),
        rpc("", "<get/>"),
        rpc(" message-id='3'", "<get/>"),
    ] {
        let bytes = frame(&session, &message);
        session.receive(&bytes, 0);
    }
    let Some(SessionEvent::Rpc(first)) = session.poll() else {
        panic!("no rpc")
    };
    assert!(session.poll().is_none());
    assert!(session.transmit().is_empty());
    session.reply_ok(&first.envelope);
    let Some(SessionEvent::Rpc(third)) = session.poll() else {
        panic!("no rpc")
    };
    session.reply_ok(&third.envelope);
    let sent = String::from_utf8(session.transmit()).unwrap();
    let order: Vec<_> = ["message-id='1'", "missing-attribute", "message-id='3'"]
        .map(|part| sent.find(part).unwrap())
        .into();
    assert!(order.is_sorted(), "{sent}");
    assert_eq!(
        session.statistics(),
        SessionStatistics {
            in_rpcs: 2,
            in_bad_rpcs: 1,
            out_rpc_errors: 1,
            out_notifications: 0
        }
    );
}

#[test]
fn what_is_no_request_ends_the_session() {
    let end = |base: &str, message: &str| {
        let mut session = ready(base);
        let get = rpc(" message-id='9'", "<get/>");
        let told = converse(&mut session, &[message, &get]);
        assert!(session.closing() && session.poll().is_none());
        told
    };
    assert_snapshot!(end(BASE_1_1, "<rpc/>"), @r#"
    close: malformed message: <rpc> instead of <rpc>

    #279
    <rpc-reply xmlns="BASE"><rpc-error><error-type>rpc</error-type><error-tag>malformed-message</error-tag><error-severity>error</error-severity><error-message xml:lang="en">&lt;rpc&gt; instead of &lt;rpc&gt;</error-message></rpc-error></rpc-reply>¶
    "#);
    assert_snapshot!(end(BASE_1_0, "<rpc"), @"close: malformed message: malformed XML at byte 0: an unfinished or broken token
");
    assert!(end(BASE_1_1, "<a>\0</a>").contains("malformed-message"));
    assert!(end(BASE_1_1, "<!DOCTYPE a><a/>").contains("malformed-message"));
    assert!(end(BASE_1_1, &hello(BASE_1_1).replace("]]>]]>", "")).contains("malformed-message"));
    let deep = "<a>".repeat(100);
    assert!(end(BASE_1_0, &deep).contains("<error-tag>too-big</error-tag>"));
    assert!(
        end(BASE_1_1, &deep).contains("<error-type>rpc</error-type><error-tag>too-big</error-tag>")
    );
}

#[test]
fn too_many_bytes_are_told_and_broken_framing_is_not() {
    let mut session = ready(BASE_1_1);
    session.receive(b"\n#8388609\n<", 0);
    assert!(matches!(
        session.poll(),
        Some(SessionEvent::Close(CloseReason::TooBig(_)))
    ));
    assert!(
        String::from_utf8(session.transmit())
            .unwrap()
            .contains("too-big")
    );
    let mut session = ready(BASE_1_1);
    session.receive(b"\n#01\n<", 0);
    assert!(matches!(
        session.poll(),
        Some(SessionEvent::Close(CloseReason::BadFraming(_)))
    ));
    assert!(session.transmit().is_empty());
    assert!(session.is_closed());
}

#[test]
fn the_first_message_must_be_an_acceptable_hello() {
    let first = |message: &str| {
        let mut session = session();
        session.receive(message.as_bytes(), 0);
        let told = match session.poll() {
            Some(SessionEvent::Close(reason)) => {
                format!("{}: {reason}", reason.termination_reason())
            }
            other => format!("{other:?}"),
        };
        assert!(session.transmit().is_empty());
        told
    };
    assert_snapshot!(first(&(rpc(" message-id='1'", "<get/>") + "]]>]]>")), @"bad-hello: bad hello: the first message is no hello");
    assert_snapshot!(first(&hello("urn:x")), @"bad-hello: bad hello: no base capability in common");
    assert_snapshot!(first(&hello(BASE_1_1).replace("</hello>", "<session-id>1</session-id></hello>")), @"bad-hello: bad hello: a client's hello with a session-id");
    assert_snapshot!(first("<hello]]>]]>"), @"bad-hello: bad hello: malformed XML at byte 0: an unfinished or broken token");
}

#[test]
fn deadlines() {
    let mut late = session();
    assert_eq!(late.timeout(), Some(30_000));
    late.expire(29_999);
    assert!(late.poll().is_none());
    late.expire(30_000);
    assert!(matches!(
        late.poll(),
        Some(SessionEvent::Close(CloseReason::HelloTimeout))
    ));

    let mut slow = ready(BASE_1_1);
    assert_eq!(slow.timeout(), None);
    slow.receive(b"\n#4\n<a", 1_000);
    assert!(slow.poll().is_none());
    slow.receive(b"/", 50_000);
    assert!(slow.poll().is_none());
    assert_eq!(slow.timeout(), Some(61_000));
    slow.expire(61_000);
    assert!(matches!(
        slow.poll(),
        Some(SessionEvent::Close(CloseReason::MessageTimeout))
    ));

    let mut steady = ready(BASE_1_1);
    let bytes = frame(&steady, &rpc(" message-id='1'", "<get/>"));
    steady.receive(&bytes[..10], 1_000);
    assert!(steady.poll().is_none() && steady.timeout().is_some());
    steady.receive(&bytes[10..], 2_000);
    assert!(matches!(steady.poll(), Some(SessionEvent::Rpc(_))));
    assert_eq!(steady.timeout(), None);
}

#[test]
fn after_close_nothing_is_read_and_what_is_queued_is_sent() {
    let mut session = ready(BASE_1_0);
    for id in ["1", "2"] {
        let bytes = frame(
            &session,
            &rpc(&format!(" message-id='{id}'"), "<close-session/>"),
        );
        session.receive(&bytes, 0);
    }
    let Some(SessionEvent::Rpc(rpc)) = session.poll() else {
        panic!("no rpc")
    };
    session.reply_ok(&rpc.envelope);
    session.close(CloseReason::Requested);
    assert!(matches!(
        session.poll(),
        Some(SessionEvent::Close(CloseReason::Requested))
    ));
    assert!(session.poll().is_none());
    session.notification(b"<notification/>");
    let sent = String::from_utf8(session.transmit()).unwrap();
    assert!(sent.contains("message-id='1'") && !sent.contains("notification"));
    assert!(session.is_closed());
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(
        pieces in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..20),
            Just(b"]]>]]>".to_vec()), Just(b"\n##\n".to_vec()), Just(b"\n#6\n".to_vec()),
            Just(hello(BASE_1_1).into_bytes()), Just(b"<rpc/>".to_vec()),
            Just(rpc(" message-id='1'", "<get/>").into_bytes()),
        ], 0..12),
    ) {
        let mut session = session();
        for piece in pieces {
            session.receive(&piece, 0);
            while let Some(event) = session.poll() {
                if let SessionEvent::Rpc(rpc) = event {
                    session.reply_ok(&rpc.envelope);
                }
            }
        }
    }
}
