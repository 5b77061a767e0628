//! Clients that mean ill, at a node that another one leads: they get no more there than from the leader itself, and
//! what they do leaves nothing behind.
//!
//! Read next: `forwarding`, for those that mean well; `support::pair`.

#![allow(clippy::unwrap_used)]

mod support;

use support::pair::Pair;
use testkit::eventually;
use testkit::http::{Line, request};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

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
    let mut line = Line::to(address).await;
    let known = line.ask("GET /whoami", &[&credential]).await;
    assert_eq!(known.status, 200, "{known:?}");
    eventually("those that ended are forgotten", || {
        pair.node.known_connections() == 1
    })
    .await;
    drop(line);
    eventually("the last is forgotten", || {
        pair.node.known_connections() == 0
    })
    .await;
    pair.end().await;
}
