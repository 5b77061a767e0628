//! A session that another process goes on with, at any byte of its input: its client gets what it would have got
//! of one, and what may have been done is not done again.
//!
//! The bytes are moved by `server::cluster`, whose tests lose leaders at any byte of the channel; that whole
//! platforms come and go is in `forwarding`.

#![allow(clippy::unwrap_used)]

use bindings::netconf::{
    CannotResume, Flow, Peer, Platform, SavedSession, Session, SessionInput, SessionMark,
};
use domain::negotiation::RequestKey;
use engine::Endpoint;
use harness::memory::{BEGIN, Memory};
use std::sync::Arc;

const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
const NOTIFICATION: &str = "urn:ietf:params:xml:ns:netconf:notification:1.0";

fn now() -> domain::time::Timestamp {
    domain::time::Timestamp::parse(BEGIN).unwrap()
}

fn operator() -> Peer {
    Peer {
        user: "operator".to_owned(),
        source_host: String::new(),
    }
}

fn open(platform: &Arc<Platform>) -> Session {
    let mut session = Session::open(platform, Endpoint::Platform, &operator(), now(), 0);
    session.resumable(input(0));
    session
}

fn resume(platform: &Arc<Platform>, saved: &SavedSession, doubtful: usize) -> Session {
    let at = Endpoint::Platform;
    Session::resume(platform, at, &operator(), saved, input(doubtful), now(), 0).unwrap()
}

fn input(doubtful: usize) -> SessionInput {
    let first = RequestKey {
        connection: 7,
        offset: 0,
    };
    SessionInput {
        first,
        doubtful: doubtful as u64,
    }
}

/// What a session says to some bytes, and how far it then is.
fn said(session: &mut Session, bytes: &[u8]) -> (Vec<u8>, SessionMark) {
    session.receive(bytes, 0);
    let mut output = Vec::new();
    while session.step(now(), 0) == Flow::Again {
        output.extend(session.transmit());
    }
    output.extend(session.transmit());
    (output, session.mark())
}

fn hello(minor: u8) -> String {
    format!(
        "<hello xmlns='{BASE}'><capabilities><capability>urn:ietf:params:netconf:base:1.{minor}</capability>\
         </capabilities></hello>]]>]]>"
    )
}

fn rpc(minor: u8, number: usize, operation: &str) -> String {
    let rpc = format!("<rpc xmlns='{BASE}' message-id='{number}'>{operation}</rpc>");
    match minor {
        0 => format!("{rpc}]]>]]>\n"),
        // In two chunks.
        _ => format!(
            "\n#7\n{}\n#{}\n{}\n##\n",
            &rpc[..7],
            rpc.len() - 7,
            &rpc[7..]
        ),
    }
}

#[test]
fn wherever_it_is_cut_its_client_gets_the_same() {
    let memory = Memory::new();
    let platform = memory.platform();
    let operations = [
        "<get-config><source><running/></source></get-config>",
        "<lock><target><running/></target></lock>",
        // What is answered without being asked of anybody.
        "",
        "<lock><target><running/></target></lock>",
        "<no-such-thing xmlns='urn:x'/>",
        "<get-config><source><running/></source></get-config>",
        "<close-session/>",
        "<get-config><source><running/></source></get-config>",
    ];
    for minor in [0, 1] {
        let mut input = hello(minor);
        for (number, operation) in (1..).zip(operations) {
            input.push_str(&rpc(minor, number, operation));
        }
        let input = input.as_bytes();
        let mut whole = open(&platform);
        let first = whole.info().id;
        let (expected, _) = said(&mut whole, input);
        whole.leave(now());
        let expected = String::from_utf8(expected).unwrap();
        assert_eq!(expected.matches("</rpc-reply>").count(), 7);
        for cut in 0..=input.len() {
            let mut session = open(&platform);
            let number = session.info().id;
            let (mut got, mark) = said(&mut session, &input[..cut]);
            let Some(saved) = mark.saved else {
                // It was over by then.
                session.leave(now());
                continue;
            };
            session.hand_over();
            let kept = &input[mark.answered as usize..];
            let mut next = resume(&platform, &saved, cut - mark.answered as usize);
            got.extend(said(&mut next, kept).0);
            next.leave(now());
            let got = String::from_utf8(got).unwrap();
            let ids = [number, first].map(|id| format!("<session-id>{id}</session-id>"));
            let locks = [number, first].map(|id| format!(">session {id} holds"));
            let got = got.replace(&ids[0], &ids[1]).replace(&locks[0], &locks[1]);
            let same = got
                .bytes()
                .zip(expected.bytes())
                .take_while(|(a, b)| a == b);
            let from = same.count().saturating_sub(100);
            assert!(
                got == expected,
                "base:1.{minor}, cut at {cut}:\n{}\n{}",
                got.get(from..).unwrap_or(&got),
                expected.get(from..).unwrap_or(&expected)
            );
        }
    }
}

#[test]
fn what_may_have_been_done_is_not_done_again_unless_that_makes_no_difference() {
    let memory = Memory::new();
    let platform = memory.platform();
    let mut session = open(&platform);
    let (_, mark) = said(&mut session, hello(0).as_bytes());
    session.hand_over();
    let kill = "<kill-session><session-id>99999</session-id></kill-session>";
    let read = "<get-config><source><running/></source></get-config>";
    let doubtful = [rpc(0, 1, kill), rpc(0, 2, read)].concat();
    let input = [doubtful.clone(), rpc(0, 3, kill)].concat();
    let mut next = resume(&platform, &mark.saved.unwrap(), doubtful.len());
    let (output, _) = said(&mut next, input.as_bytes());
    let output = String::from_utf8(output).unwrap();
    let replies: Vec<&str> = output.split("]]>]]>").collect();
    assert!(
        replies[0].contains("<error-tag>operation-failed</error-tag>"),
        "{output}"
    );
    assert!(replies[0].contains("leader-changed"), "{output}");
    assert!(replies[1].contains("<data"), "{output}");
    assert!(
        replies[2].contains("<error-tag>invalid-value</error-tag>"),
        "{output}"
    );
    next.leave(now());
}

#[test]
fn what_cannot_be_gone_on_with_says_so() {
    let memory = Memory::new();
    let platform = memory.platform();
    let mut session = open(&platform);
    let lock = rpc(0, 1, "<lock><target><running/></target></lock>");
    let (_, mark) = said(&mut session, [hello(0), lock.clone()].concat().as_bytes());
    let saved = mark.saved.unwrap();
    assert!(saved.locked);
    let again = |saved: &SavedSession| {
        let at = Endpoint::Platform;
        Session::resume(&platform, at, &operator(), saved, input(0), now(), 0).map(|_| ())
    };
    assert!(matches!(again(&saved), Err(CannotResume::Number(_))));
    session.hand_over();
    let mut other = open(&platform);
    said(&mut other, [hello(0), lock].concat().as_bytes());
    assert!(matches!(again(&saved), Err(CannotResume::Locked { .. })));
    other.leave(now());
    // Nothing was left of either attempt.
    assert!(platform.sessions(&Endpoint::Platform).is_empty());

    // A subscription by a long request is not kept.
    let subscribed = |inside: &str| {
        let mut session = open(&platform);
        let request =
            format!("<create-subscription xmlns='{NOTIFICATION}'>{inside}</create-subscription>");
        let (output, mark) = said(
            &mut session,
            [hello(0), rpc(0, 1, &request)].concat().as_bytes(),
        );
        assert!(String::from_utf8(output).unwrap().contains("<ok"));
        session.leave(now());
        mark.saved
    };
    assert!(subscribed("").unwrap().subscription.is_some());
    let long = format!("<!--{}-->", "x".repeat(70_000));
    assert_eq!(subscribed(&long), None);
}

/// What a session says to some bytes, until there is a reply.
fn replied(session: &mut Session, bytes: &[u8]) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.unwrap();
    let (mut output, _) = said(session, bytes);
    loop {
        let text = String::from_utf8_lossy(&output);
        if text.contains("</rpc-reply>") {
            return text.into_owned();
        }
        runtime.block_on(session.changed());
        output.extend(said(session, b"").0);
    }
}

/// A turn whose answer came while its session was at no leader is said once, wherever its request was cut; the
/// same words in another request are another turn.
#[test]
fn a_turn_is_known_again_by_the_place_of_its_request() {
    let memory = Memory::new();
    let platform = memory.platform();
    let user = |name: &str| Peer {
        user: name.to_owned(),
        source_host: String::new(),
    };
    let offer = |number, to: &str, task: &str, words: &str| {
        let offer = format!(
            "<task-negotiate xmlns='urn:ietf:params:xml:ns:yang:irtf-agent'><task-sendTo>{to}</task-sendTo>\
             <commuType>FeasibilityNegotiate</commuType><task-id>{task}</task-id>\
             <content>## target object\ncell\n## task description\n{words}</content></task-negotiate>"
        );
        rpc(0, number, &offer)
    };
    let mut other = Session::open(&platform, Endpoint::Platform, &user("ip"), now(), 0);
    said(&mut other, hello(0).as_bytes());
    for (number, task) in (1..).zip(["first", "second"]) {
        let mut session = Session::open(&platform, Endpoint::Platform, &user("wireless"), now(), 0);
        session.resumable(input(0));
        // The second has more of its input before the request.
        let before = [
            hello(0),
            rpc(0, 1, "<get-config><source><running/></source></get-config>"),
        ];
        let before = before[..number].concat();
        let bytes = [before, offer(2, "ip", task, "think")]
            .concat()
            .into_bytes();
        let (_, mark) = said(&mut session, &bytes);
        let kept = &bytes[mark.answered as usize..];
        session.hand_over();
        let answer = offer(number, "wireless", task, "another");
        replied(&mut other, answer.as_bytes());
        let first = RequestKey {
            offset: mark.answered,
            ..input(0).first
        };
        let again = SessionInput {
            first,
            doubtful: kept.len() as u64,
        };
        let saved = mark.saved.unwrap();
        let (at, peer) = (Endpoint::Platform, user("wireless"));
        let next = Session::resume(&platform, at, &peer, &saved, again, now(), 0);
        let mut next = next.unwrap();
        let reply = replied(&mut next, kept);
        assert!(reply.contains("<verdict>offered</verdict>"), "{reply}");
        assert!(reply.contains("<round>1</round>"), "{reply}");
        said(&mut next, offer(3, "ip", task, "think").as_bytes());
        let answer = offer(number, "wireless", task, "a third");
        replied(&mut other, answer.as_bytes());
        let reply = replied(&mut next, b"");
        assert!(reply.contains("<round>2</round>"), "{reply}");
        assert!(reply.contains("a third"), "{reply}");
        next.leave(now());
    }
    other.leave(now());
}
