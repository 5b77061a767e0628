//! Clients that mean ill, at a node that another one leads: they get no more there than from the leader itself, and
//! what they do leaves nothing behind.
//!
//! Read next: `forwarding`, for those that mean well; `support::pair`.

#![allow(clippy::unwrap_used)]

mod support;

use engine::UserLimits;
use server::host::Endpoint;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use support::pair::{Pair, assign, called};
use support::talk::{Talk, subscribe};
use testkit::http::{Line, request};
use testkit::{eventually, within};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};

const NEGOTIATE: &str = "POST /restconf/operations/irtf-agent:task-negotiate";

/// The input of a task's assignment.
fn assignment(task: &str) -> String {
    let input = serde_json::json!({ "irtf-agent:input": {
        "task-sendTo": "digger", "commuType": "taskAssgin", "task-id": task,
        "content": ["## target object\ngarden\n## task description\ndig"],
        "convoke-negotiation:task-async": true,
    }});
    input.to_string()
}

fn json(token: &str) -> [String; 2] {
    [
        format!("Authorization: Bearer {token}"),
        "Content-Type: application/yang-data+json".to_owned(),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_asked_for_a_body_when_the_leader_reads_it() {
    let pair = Pair::start().await;
    let token = pair.token("operator");
    let [known, media_type] = &json(&token);
    let input = assignment("dig-1");
    for address in [pair.site.http(), pair.node.http().unwrap()] {
        let ask = async |credential: &str, length: usize| {
            let mut line = Line::to(address).await;
            let length = format!("Content-Length: {length}");
            let fields = [credential, media_type, &length, "Expect: 100-continue"];
            line.send(&request(NEGOTIATE, &fields)).await;
            let first = line.piece().await;
            (first.split("\r\n").next().unwrap().to_owned(), line)
        };
        for (credential, length, answer) in [
            ("X: y", input.len(), "HTTP/1.1 401 Unauthorized"),
            ("Authorization: Bearer no", 2, "HTTP/1.1 401 Unauthorized"),
            (known.as_str(), 3 << 20, "HTTP/1.1 413 Payload Too Large"),
        ] {
            let (first, _) = ask(credential, length).await;
            assert_eq!(first, answer, "{credential} {length}");
        }
        let (first, mut line) = ask(known, input.len()).await;
        assert_eq!(first, "HTTP/1.1 100 Continue");
        line.send(&input).await;
        assert_eq!(line.answer().await.status, 200);
    }
    // Who does not wait has an answer as well.
    let mut line = Line::to(pair.node.http().unwrap()).await;
    let length = format!("Content-Length: {}", input.len());
    let fields = [known, media_type, &*length, "Expect: 100-continue"];
    let head = request(NEGOTIATE, &fields);
    line.send(&format!("{head}{input}")).await;
    let asked = line.answer().await;
    assert_eq!(asked.status, 100, "{asked:?}");
    assert_eq!(line.answer().await.status, 200);
    drop(line);
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_end_early_leave_nothing_at_the_leader() {
    let pair = Pair::start().await;
    let token = pair.token("guest");
    let address = pair.node.http().unwrap();
    let [credential, media_type] = json(&token);
    let head = request(NEGOTIATE, &[&credential, &media_type, "Content-Length: 9"]);
    let opened = (0..400).map(|number| {
        let (head, part) = (head.clone(), ["", "{", "{}       "][number % 3]);
        tokio::spawn(async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            // Of those without a credential by now some make room for others.
            let _ = stream.write_all(format!("{head}{part}").as_bytes()).await;
            if number % 2 == 0 {
                // Is reset, not closed.
                stream.set_zero_linger().unwrap();
            }
        })
    });
    for opened in opened.collect::<Vec<_>>() {
        opened.await.unwrap();
    }
    eventually("those that ended are forgotten", || {
        pair.node.known_connections() == 0
    })
    .await;
    // From elsewhere, so that it makes no room for those.
    let mut line = Line::from(address, 2).await;
    let known = line.ask("GET /whoami", &[&credential]).await;
    assert_eq!(known.status, 200, "{known:?}");
    eventually("one is known", || pair.node.known_connections() == 1).await;
    drop(line);
    eventually("the last is forgotten", || {
        pair.node.known_connections() == 0
    })
    .await;
    pair.end().await;
}

/// How often the log tells the beginning and the end of a session.
async fn beginnings_and_ends(pair: &Pair, number: u32) -> [usize; 2] {
    let mut replay = Talk::over(pair.stream("operator", true).await).await;
    let mark = format!("mark-{}", replay.session);
    replay
        .ask(&subscribe("<startTime>2026-01-01T00:00:00Z</startTime>"))
        .await;
    replay.ask(&assign(&mark)).await;
    let mut told = [0, 0];
    loop {
        let notification = replay.notification().await.unwrap();
        let text = notification.raw();
        let is_of_it = text.contains(&format!("<session-id>{number}</session-id>"));
        let kinds = ["<netconf-session-start", "<netconf-session-end"];
        for (told, kind) in told.iter_mut().zip(kinds) {
            *told += usize::from(is_of_it && text.contains(kind));
        }
        if text.contains(&mark) {
            return told;
        }
    }
}

async fn has_one_end(pair: &Pair, number: u32) {
    let told = async {
        loop {
            let told = beginnings_and_ends(pair, number).await;
            if told[1] > 0 {
                return told;
            }
        }
    };
    assert_eq!(within("the end of a session", told).await, [1, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_no_leader_takes_up_has_one_end_in_the_log() {
    let mut pair = Pair::start().await;
    let mut guest = Talk::over(pair.stream("guest", true).await).await;
    let read = "<get-config><source><running/></source></get-config>";
    guest.ask(read).await;
    pair.node.is_left().await;
    pair.site.stop().await;
    std::fs::remove_file(pair.folder.path().join("users/guest.pub")).unwrap();
    let pair = Pair::led_again(pair.node, pair.folder).await;
    let number = guest.session;
    guest.end().await;
    has_one_end(&pair, number).await;

    // The lock of one is another's when it comes back.
    let mut client = Talk::over(pair.stream("operator", true).await).await;
    let number = client.session;
    let lock = "<lock><target><running/></target></lock>";
    client.ask(lock).await;
    let Pair {
        site,
        mut node,
        folder,
    } = pair;
    node.loses_its_leader().await;
    site.stop().await;
    let mut pair = Pair::led_by_nobody(node, folder).await;
    let mut other = Talk::over(pair.stream("operator", false).await).await;
    let locked = other.ask(lock).await;
    assert!(locked.raw().contains("<ok"), "{}", locked.raw());
    pair.node.leads(&pair.site.host);
    client.end().await;
    has_one_end(&pair, number).await;
    drop(other);
    let pair = pair.moves().await;
    has_one_end(&pair, number).await;
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_is_refused_while_nobody_leads_is_in_the_trail() {
    let mut pair = Pair::start().await;
    pair.node.is_left().await;
    pair.site.stop().await;
    let mut pair = Pair::led_by_nobody(pair.node, pair.folder).await;
    let address = pair.node.address_of(&Endpoint::Platform).unwrap();
    let refused = pair.connected("nobody-like-this", address).await;
    assert!(refused.is_err());
    pair.node.leads(&pair.site.host);
    let mut client = pair.client("operator").await;
    let trail = "<get-audit xmlns='urn:convoke:params:xml:ns:yang:convoke-audit'/>";
    let told = async {
        while !called(&mut client, trail)
            .await
            .unwrap()
            .raw()
            .contains("nobody-like-this")
        {}
    };
    within("the refused login", told).await;
    pair.end().await;
}

/// They come from another address than the nodes, as fast as they can.
#[tokio::test(flavor = "multi_thread")]
async fn strangers_at_the_channel_keep_no_node_out() {
    let pair = Pair::start().await;
    let channel: SocketAddr = pair.node.channel().parse().unwrap();
    let goes_on = Arc::new(AtomicBool::new(true));
    let flood = |going: Arc<AtomicBool>| async move {
        let mut held = VecDeque::new();
        let mut opened = 0;
        while going.load(Relaxed) {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind(([127, 0, 0, 9], 0).into()).unwrap();
            let connected =
                tokio::time::timeout(Duration::from_millis(50), socket.connect(channel));
            if let Ok(Ok(stream)) = connected.await {
                opened += 1;
                held.push_back(stream);
            }
            if held.len() > 300 {
                held.pop_front();
            }
        }
        opened
    };
    let flood = tokio::spawn(flood(Arc::clone(&goes_on)));
    tokio::time::sleep(Duration::from_millis(300)).await;
    // The node has no connection yet.
    let mut client = pair.client("operator").await;
    called(&mut client, &assign("dig-1")).await.unwrap();
    goes_on.store(false, Relaxed);
    assert!(flood.await.unwrap() > 64);
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_carried_out_is_answered_whatever_becomes_of_the_connection() {
    let limits = UserLimits {
        connections: 1,
        ..UserLimits::default()
    };
    let pair = Pair::bounded(limits.into()).await;
    let address = pair.node.http().unwrap();
    let [credential, media_type] = &json(&pair.token("operator"));
    let mut first = Line::to(address).await;
    assert_eq!(first.ask("GET /whoami", &[credential]).await.status, 200);
    let mut second = Line::to(address).await;
    let input = assignment("dig-1");
    let length = format!("Content-Length: {}", input.len());
    let head = request(NEGOTIATE, &[credential, media_type, &length]);
    second.send(&format!("{head}{input}")).await;
    let answer = second.answer().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.field("connection"), "close");
    assert_eq!(first.ask("GET /whoami", &[credential]).await.status, 200);
    drop((first, second));
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_trailers_say_is_nothing() {
    let pair = Pair::start().await;
    let [credential, media_type] = &json(&pair.token("guest"));
    let operator = pair.token("operator");
    let mut answers = Vec::new();
    for address in [pair.site.http(), pair.node.http().unwrap()] {
        let mut line = Line::to(address).await;
        let fields = [
            credential,
            media_type,
            "Transfer-Encoding: chunked",
            "TE: trailers",
        ];
        let head = request(NEGOTIATE, &fields);
        let input = assignment("dig-1");
        let trailers = format!(
            "Authorization: Bearer {operator}\r\nconvoke-user: operator\r\nconvoke-source: 192.0.2.1:1\r\n\
             Content-Length: 1\r\nTransfer-Encoding: chunked\r\nHost: elsewhere\r\n"
        );
        line.send(&format!(
            "{head}{:x}\r\n{input}\r\n0\r\n{trailers}\r\n",
            input.len()
        ))
        .await;
        let answer = line.answer().await;
        let after = line.ask("GET /whoami", &[credential]).await;
        assert_eq!(after.json()["name"], "guest", "{after:?}");
        answers.push((answer.status, answer.body));
    }
    assert_eq!(answers[0], answers[1]);
    pair.end().await;
}
