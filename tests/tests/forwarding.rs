//! Clients of a node that another one leads: what they get is what the leader gives, and they stay when the lead
//! goes to another platform on the same state.
//!
//! That each conformance case holds there as well is in `conformance`. Read next: `support::pair`,
//! `server::cluster`; `forwarding_hostile`, for clients that mean ill.

#![allow(clippy::unwrap_used)]

mod support;

use server::client::{CallError, Client};
use server::clock::Clock;
use server::host::Endpoint;
use server::sign_in::SignIn;
use server::state::StateFolder;
use std::time::{Duration, Instant};
use support::pair::{MONITORING, Pair, assign, called, listed, sessions};
use support::proxy::Proxy;
use testkit::http::{self, Answer};
use testkit::within;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

const NOTIFICATION: &str = "urn:ietf:params:xml:ns:netconf:notification:1.0";
const REGISTRY: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";

/// The tasks of the notifications to come up to one that is told of last, with their states, in order.
async fn told_up_to(client: &mut Client, last: &str) -> Vec<String> {
    let mut told = Vec::new();
    loop {
        let notification = within("a notification", client.notification())
            .await
            .unwrap();
        let text = notification.raw().to_owned();
        let part = |name: &str| {
            let rest = text.split_once(&format!("<{name}>"))?.1;
            Some(rest.split('<').next()?.to_owned())
        };
        if let (Some(task), Some(status)) = (part("task-id"), part("status")) {
            told.push(format!("{task} {status}"));
            if task == last {
                return told;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_gives_the_bytes_that_the_leader_gives() {
    let pair = Pair::start().await;
    const HELLO: &str = "<hello xmlns='urn:ietf:params:xml:ns:netconf:base:1.0'><capabilities>\
                         <capability>urn:ietf:params:netconf:base:1.BASE</capability></capabilities></hello>]]>]]>";
    let requests = [
        "<get-config><source><running/></source></get-config>".to_owned(),
        format!("<get><filter><agents xmlns='{REGISTRY}'/></filter></get>"),
        // The longest reply that there is.
        format!("<get-schema xmlns='{MONITORING}'><identifier>ietf-netconf-monitoring</identifier></get-schema>"),
        "<get><filter><yang-library xmlns='urn:ietf:params:xml:ns:yang:ietf-yang-library'/></filter></get>".to_owned(),
        "<no-such-thing xmlns='urn:x'/>".to_owned(),
    ];
    for base in ["0", "1"] {
        let mut heard = Vec::new();
        for at_node in [false, true] {
            let mut stream = BufReader::new(pair.stream("operator", at_node).await);
            let mut input = HELLO.replace("BASE", base);
            let end = if base == "0" { "]]>]]>" } else { "\n##\n" };
            for (number, request) in
                (1..).zip(requests.iter().chain([&"<close-session/>".to_owned()]))
            {
                let rpc = format!(
                    "<rpc xmlns='urn:ietf:params:xml:ns:netconf:base:1.0' message-id='{number}'>{request}</rpc>"
                );
                match base {
                    "0" => input.push_str(&rpc),
                    _ => input.push_str(&format!("\n#{}\n{rpc}", rpc.len())),
                }
                input.push_str(end);
            }
            stream.write_all(input.as_bytes()).await.unwrap();
            stream.flush().await.unwrap();
            let mut all = Vec::new();
            let read = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut all);
            within("the replies", read).await.unwrap();
            let all = String::from_utf8(all).unwrap();
            let (hello, replies) = all.split_once("]]>]]>").unwrap();
            assert!(hello.contains("<session-id>"));
            // The number of the session is its own.
            let (before, after) = hello.split_once("<session-id>").unwrap();
            let hello = format!("{before}{}", after.split_once('<').unwrap().1);
            assert_eq!(replies.matches("</rpc-reply>").count(), requests.len() + 1);
            heard.push((hello, replies.to_owned()));
        }
        let [direct, forwarded] = heard.try_into().unwrap();
        assert_eq!(direct.0, forwarded.0);
        assert!(
            direct.1 == forwarded.1,
            "the replies in base:1.{base} are others"
        );
    }
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_outlives_the_platforms_that_lead_it() {
    let mut pair = Pair::start().await;
    let mut client = pair.client("operator").await;
    let mut lister = pair.client("operator").await;
    let numbers = listed(&mut lister).await;
    let subscribe = format!("<create-subscription xmlns='{NOTIFICATION}'/>");
    called(&mut client, &subscribe).await.unwrap();
    let locked = "<lock><target><running/></target></lock>";
    called(&mut client, locked).await.unwrap();
    called(&mut client, &assign("dig-0")).await.unwrap();
    for turn in 1..=4 {
        pair = match turn % 2 {
            0 => pair.moves().await,
            _ => pair.loses().await,
        };
        // Something happens while the session is nowhere, or on its way.
        let mut other = pair.client("operator").await;
        called(&mut other, &assign(&format!("dig-{turn}")))
            .await
            .unwrap();
        within("the end of a session", other.close()).await.unwrap();
        called(&mut lister, locked).await.unwrap_err();
        assert_eq!(
            listed(&mut lister).await,
            numbers,
            "the same sessions, by their numbers"
        );
    }
    let told = told_up_to(&mut client, "dig-4").await;
    let created: Vec<&String> = told
        .iter()
        .filter(|told| told.ends_with("created"))
        .collect();
    assert_eq!(
        created,
        [
            "dig-0 created",
            "dig-1 created",
            "dig-2 created",
            "dig-3 created",
            "dig-4 created"
        ]
    );
    let mut once = told.clone();
    once.dedup();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), told.len(), "nothing is told twice: {told:?}");
    called(&mut client, "<unlock><target><running/></target></unlock>")
        .await
        .unwrap();
    // The log knows one beginning and one end.
    let number = *numbers.iter().min().unwrap();
    within("the end of a session", client.close())
        .await
        .unwrap();
    let mut replay = pair.client("operator").await;
    let from = format!(
        "<create-subscription xmlns='{NOTIFICATION}'><startTime>2026-01-01T00:00:00Z</startTime></create-subscription>"
    );
    called(&mut replay, &from).await.unwrap();
    let mut beginnings = 0;
    loop {
        let notification = within("a notification", replay.notification())
            .await
            .unwrap();
        let text = notification.raw();
        let of_it = text.contains(&format!("<session-id>{number}</session-id>"));
        beginnings += usize::from(of_it && text.contains("<netconf-session-start"));
        if of_it && text.contains("<netconf-session-end") {
            break;
        }
    }
    assert_eq!(beginnings, 1);
    pair.end().await;
}

/// Its caller waits for a result that nobody brings; whoever leads when that has lasted long enough says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_waits_is_answered_by_the_next_leader() {
    for is_lost in [true, false] {
        let pair = Pair::start().await;
        let mut client = pair.client("operator").await;
        let asynchronous = "<task-async xmlns='urn:convoke:params:xml:ns:yang:convoke-negotiation'>true</task-async>";
        let waits = assign("dig-1").replace(asynchronous, "");
        let asked = tokio::spawn(async move { (called(&mut client, &waits).await, client) });
        let mut lister = pair.client("operator").await;
        let there =
            "<get><filter><tasks xmlns='urn:ietf:params:xml:ns:yang:irtf-agent'/></filter></get>";
        while !called(&mut lister, there)
            .await
            .unwrap()
            .raw()
            .contains("dig-1")
        {}
        let pair = match is_lost {
            true => pair.loses().await,
            false => pair.moves().await,
        };
        let (reply, mut client) = asked.await.unwrap();
        let reply = reply.unwrap();
        assert!(
            reply.raw().contains("<task-id>dig-1</task-id>"),
            "{}",
            reply.raw()
        );
        let told = called(&mut client, there).await.unwrap();
        assert_eq!(
            told.raw().matches("<task-id>dig-1</task-id>").count(),
            1,
            "{}",
            told.raw()
        );
        pair.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_at_a_node_is_killed_and_its_key_taken_away_like_any_other() {
    let pair = Pair::start().await;
    let mut client = pair.client("operator").await;
    let before = listed(&mut client).await;
    // What its client holds is its connection as well.
    let mut held = pair.stream("operator", true).await;
    held.write_all(hello().as_bytes()).await.unwrap();
    held.flush().await.unwrap();
    let there = within("the session is there", async {
        loop {
            let here = listed(&mut client).await;
            if let Some(number) = here.into_iter().find(|it| !before.contains(it)) {
                return number;
            }
        }
    });
    let kill = format!(
        "<kill-session><session-id>{}</session-id></kill-session>",
        there.await
    );
    called(&mut client, &kill).await.unwrap();
    testkit::eventually("its connection is closed", || pair.node.sessions() == 1).await;
    drop(held);
    let mut victim = pair.client("operator").await;
    let number = *listed(&mut client)
        .await
        .iter()
        .find(|it| !before.contains(it))
        .unwrap();
    let kill = format!("<kill-session><session-id>{number}</session-id></kill-session>");
    called(&mut client, &kill).await.unwrap();
    let ended = called(&mut victim, &sessions()).await.unwrap_err();
    assert!(matches!(ended, CallError::Ended(_)), "{ended}");
    assert_eq!(listed(&mut client).await, before);

    let mut guest = pair.client("guest").await;
    called(
        &mut guest,
        "<get-config><source><running/></source></get-config>",
    )
    .await
    .unwrap();
    std::fs::remove_file(pair.folder.path().join("users/guest.pub")).unwrap();
    let ended = within("the end of a session", async {
        loop {
            if let Err(ended) = guest
                .call("<get-config><source><running/></source></get-config>")
                .await
            {
                return ended;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert!(matches!(ended.await, CallError::Ended(_)));
    assert_eq!(listed(&mut client).await, before);
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_whose_client_takes_nothing_can_be_killed() {
    let pair = Pair::start().await;
    let mut client = pair.client("operator").await;
    let before = listed(&mut client).await;
    let way = Proxy::before(pair.node.address_of(&Endpoint::Platform).unwrap(), 0).await;
    let mut stuck = pair.connected("operator", way.address()).await.unwrap();
    let schema = format!(
        "<get-schema xmlns='{MONITORING}'><identifier>ietf-netconf-monitoring</identifier></get-schema>"
    );
    let base = "urn:ietf:params:xml:ns:netconf:base:1.0";
    let mut input = hello();
    // The replies are 85 MB.
    for number in 0..3_000 {
        input.push_str(&format!(
            "<rpc xmlns='{base}' message-id='{number}'>{schema}</rpc>]]>]]>"
        ));
    }
    stuck.write_all(input.as_bytes()).await.unwrap();
    stuck.flush().await.unwrap();
    let number = within("the session is there", async {
        loop {
            let here = listed(&mut client).await;
            if let Some(number) = here.into_iter().find(|it| !before.contains(it)) {
                return number;
            }
        }
    });
    let number = number.await;
    assert_eq!(pair.node.sessions(), 2);
    let waits = || pair.node.held("operator") > 256 << 10;
    testkit::eventually("most of what it asked has come and is not answered", waits).await;
    // A library that reads on for its client takes no more either.
    way.part();
    // All on the way is full once what the node holds does not change.
    let (mut held, mut since) = (0, Instant::now());
    let is_stuck = || {
        if pair.node.held("operator") != held {
            (held, since) = (pair.node.held("operator"), Instant::now());
        }
        held > 256 << 10 && since.elapsed() > Duration::from_secs(1)
    };
    testkit::eventually("its client takes nothing", is_stuck).await;
    let kill = format!("<kill-session><session-id>{number}</session-id></kill-session>");
    called(&mut client, &kill).await.unwrap();
    assert_eq!(listed(&mut client).await, before);
    testkit::eventually("the node lets it go", || pair.node.sessions() == 1).await;
    drop(stuck);
    pair.end().await;
}

fn hello() -> String {
    "<hello xmlns='urn:ietf:params:xml:ns:netconf:base:1.0'><capabilities>\
     <capability>urn:ietf:params:netconf:base:1.0</capability></capabilities></hello>]]>]]>"
        .to_owned()
}

/// What does not differ from one connection to another.
fn essence(answer: Answer) -> (u16, String, String) {
    (
        answer.status,
        answer.field("content-type").to_owned(),
        answer.body.clone(),
    )
}

/// A browser is signed in at a node that stands by as at the one that leads: the link and the session are the latter's.
#[tokio::test(flavor = "multi_thread")]
async fn the_console_opens_at_a_node_that_stands_by() {
    let pair = Pair::start().await;
    let sign_in = SignIn::of(&StateFolder::new(pair.folder.path()));
    let link = sign_in.link("operator", Clock::wall_time()).unwrap().secret;
    let node = pair.node.http().unwrap().to_string();
    let html = [("Accept", "text/html")];
    let page = http::ask(&node, "GET", "/", None, &html, "").await;
    assert_eq!(page.status, 200, "{page:?}");
    let origin = format!("http://{node}");
    let own = ("Origin", origin.as_str());
    let opened = http::ask(&node, "POST", "/console/session", Some(&link), &[own], "").await;
    assert_eq!(opened.status, 200, "{opened:?}");
    let page = opened.json()["console-request"]
        .as_str()
        .unwrap()
        .to_owned();
    let page = ("Console-Request", page.as_str());
    let cookie = opened.field("set-cookie").split(';').next().unwrap();
    let port = node.rsplit(':').next().unwrap();
    assert!(cookie.starts_with(&format!("convoke-{port}=")), "{cookie}");
    let reading = [("Cookie", cookie), page];
    let who = http::ask(&node, "GET", "/whoami", None, &reading, "").await;
    assert_eq!(who.json()["name"], "operator");
    let counts = "/restconf/operations/convoke-registry:count-tasks";
    let typed = ("Content-Type", "application/yang-data+json");
    let input = r#"{"convoke-registry:input":{}}"#;
    let bare = [("Cookie", cookie), typed];
    let refused = http::ask(&node, "POST", counts, None, &bare, input).await;
    assert_eq!(refused.status, 401, "{refused:?}");
    let acting = [("Cookie", cookie), typed, page, own];
    let counted = http::ask(&node, "POST", counts, None, &acting, input).await;
    assert_eq!(counted.status, 200, "{counted:?}");
    let left = http::ask(&node, "DELETE", "/console/session", None, &acting, "").await;
    assert_eq!(left.status, 204, "{left:?}");
    let over = http::ask(&node, "GET", "/whoami", None, &reading, "").await;
    assert_eq!(over.status, 401, "{over:?}");
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_at_a_node_are_answered_as_by_the_leader() {
    let mut pair = Pair::start().await;
    let token = pair.token("operator");
    let guest = pair.token("guest");
    let [direct, forwarded] =
        [pair.site.http(), pair.node.http().unwrap()].map(|it| it.to_string());
    for (method, path, token) in [
        ("GET", "/whoami", Some(&token)),
        ("HEAD", "/whoami", Some(&token)),
        ("GET", "/whoami", None),
        ("GET", "/whoami", Some(&guest)),
        ("GET", "/livez", None),
        ("GET", "/readyz", None),
        ("DELETE", "/whoami", Some(&token)),
        ("GET", "/nothing/here%20?at=all", Some(&token)),
        (
            "GET",
            "/restconf/data/ietf-yang-library:yang-library",
            Some(&token),
        ),
        ("GET", "/.well-known/jwks.json", None),
    ] {
        let token = token.map(String::as_str);
        let ask =
            async |address: &str| essence(http::ask(address, method, path, token, &[], "").await);
        assert_eq!(ask(&forwarded).await, ask(&direct).await, "{method} {path}");
    }
    let input = serde_json::json!({ "irtf-agent:input": {
        "task-sendTo": "digger", "commuType": "taskAssgin", "task-id": "dig-1",
        "content": ["## target object\ngarden\n## task description\ndig"],
        "convoke-negotiation:task-async": true,
    }});
    let json = [("Content-Type", "application/yang-data+json")];
    let path = "/restconf/operations/irtf-agent:task-negotiate";
    let assigned = http::ask(
        &forwarded,
        "POST",
        path,
        Some(&token),
        &json,
        &input.to_string(),
    )
    .await;
    assert_eq!(assigned.status, 200, "{assigned:?}");

    // A stream goes on for as long as its leader does, and then breaks off, so that its client asks again.
    let events = [("Accept", "text/event-stream")];
    let from = "/restconf/streams/NETCONF?start-time=2026-01-01T00:00:00Z";
    let stream = http::sent(&forwarded, "GET", from, Some(&token), &events, "").await;
    let mut lines = BufReader::new(stream).lines();
    loop {
        let line = within("a line", lines.next_line()).await.unwrap().unwrap();
        if line.contains("dig-1") {
            break;
        }
    }
    pair.node.is_left().await;
    assert_eq!(http::get(&forwarded, "/livez", None).await.status, 200);
    for path in ["/readyz", "/whoami"] {
        let refused = http::get(&forwarded, path, Some(&token)).await;
        assert_eq!(refused.status, 503, "{refused:?}");
        assert_ne!(refused.field("retry-after"), "");
    }
    let pair = pair.moves().await;
    let rest = async { while let Ok(Some(_)) = lines.next_line().await {} };
    within("the end of a stream", rest).await;
    assert_eq!(
        http::get(&forwarded, "/whoami", Some(&token)).await.status,
        200
    );
    pair.end().await;
}
