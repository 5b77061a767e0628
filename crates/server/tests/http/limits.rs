//! Limits: requests that are too large, too many or too slow, with their HTTP statuses.

use crate::house::{House, Plan, bearer};
use engine::UserLimits;
use server::http::HttpLimits;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use testkit::http::{Line, request};
use testkit::within;

/// Short enough for a test, long enough for a response on a busy machine.
const SHORT: Duration = Duration::from_millis(500);

/// An incomplete head is answered, whether nothing more comes or a byte at a time.
#[tokio::test]
async fn a_head_comes_in_time() {
    let house = House::within(HttpLimits {
        head: SHORT,
        ..HttpLimits::default()
    });
    let mut slow = Line::to(house.address).await;
    slow.send("GET /livez HTTP/1.1\r\nHost: loc").await;
    let answer = slow.answer().await.problem(408);
    assert_eq!(answer.field("connection"), "close");
    assert_eq!(slow.rest().await, "");
    // A silent client is not answered.
    let mut silent = Line::to(house.address).await;
    assert_eq!(silent.rest().await, "");
    // The same after an answer.
    let mut second = Line::to(house.address).await;
    assert_eq!(second.ask("GET /livez", &[]).await.status, 200);
    second.send("GET").await;
    second.answer().await.problem(408);
    // A drop at a time is no head either: the time runs from the first.
    let mut dripping = Line::to(house.address).await;
    let mut ticks = tokio::time::interval(SHORT / 20);
    let dripped = async {
        loop {
            ticks.tick().await;
            if tokio::io::AsyncWriteExt::write_all(&mut dripping.0, b"x")
                .await
                .is_err()
            {
                return;
            }
        }
    };
    within("the end of a dripping client", dripped).await;
}

#[tokio::test]
async fn a_connection_is_not_kept_for_nothing() {
    let house = House::within(HttpLimits {
        idle: SHORT,
        ..HttpLimits::default()
    });
    let mut line = Line::to(house.address).await;
    assert_eq!(line.ask("GET /livez", &[]).await.status, 200);
    assert_eq!(line.ask("GET /livez", &[]).await.status, 200);
    assert_eq!(line.rest().await, "");
}

/// A body is limited in length and in time.
#[tokio::test]
async fn a_body_has_an_end_and_comes_in_time() {
    let house = House::open();
    let operator = house.bearer("operator");
    let most = 2 << 20;
    let post = |fields: &[&str], body: &str| {
        let fields = [&[operator.as_str()][..], fields].concat();
        format!("{}{body}", request("POST /length", &fields))
    };
    let length = |length: usize| format!("Content-Length: {length}");
    let mut line = Line::to(house.address).await;
    line.send(&post(&[&length(5)], "hello")).await;
    assert_eq!(line.answer().await.body, "5");
    line.send(&post(
        &["Transfer-Encoding: chunked"],
        "5\r\nhello\r\n0\r\n\r\n",
    ))
    .await;
    assert_eq!(line.answer().await.body, "5");
    line.send(&post(&[&length(most)], &"x".repeat(most))).await;
    assert_eq!(line.answer().await.body, most.to_string());
    // An announced length is refused before the body is sent.
    line.send(&post(&[&length(most + 1)], "")).await;
    line.answer().await.problem(413);
    assert_eq!(line.rest().await, "");
    let mut line = Line::to(house.address).await;
    let chunk = format!("{:x}\r\n{}\r\n", most + 1, "x".repeat(most + 1));
    line.send(&post(&["Transfer-Encoding: chunked"], &chunk))
        .await;
    line.answer().await.problem(413);
    // A stranger's is not even read.
    let mut line = Line::to(house.address).await;
    line.send(&request("POST /length", &[&length(most)])).await;
    line.answer().await.problem(401);
    let hasty = House::within(HttpLimits {
        body: SHORT,
        ..HttpLimits::default()
    });
    let operator = hasty.bearer("operator");
    let mut line = Line::to(hasty.address).await;
    let ask = request("POST /length", &[&operator, &length(5)]);
    line.send(&format!("{ask}hell")).await;
    line.answer().await.problem(408);
}

/// The size of all bodies together is limited, and released when they are done.
#[tokio::test]
async fn all_bodies_together_are_bounded() {
    let house = House::within(HttpLimits {
        bodies_bytes_max: 8,
        ..HttpLimits::default()
    });
    let operator = house.bearer("operator");
    let ask = |length: usize, body: &str| {
        let length = format!("Content-Length: {length}");
        format!("{}{body}", request("POST /length", &[&operator, &length]))
    };
    for _ in 0..3 {
        let mut line = Line::to(house.address).await;
        line.send(&ask(8, "12345678")).await;
        assert_eq!(line.answer().await.body, "8");
    }
    let mut line = Line::to(house.address).await;
    line.send(&ask(9, "123456789")).await;
    assert_eq!(line.answer().await.problem(503).field("retry-after"), "3");
}

/// The bodies of one user are limited separately: further ones of that user are refused, no others.
#[tokio::test]
async fn the_bodies_of_one_user_are_bounded() {
    let house = House::within(HttpLimits {
        bodies_of_user_bytes_max: 8,
        ..HttpLimits::default()
    });
    let operator = house.bearer("operator");
    let length = |length: usize| format!("Content-Length: {length}");
    let mut held = Line::to(house.address).await;
    let ask = request("POST /length", &[&operator, &length(9)]);
    held.send(&format!("{ask}12345678")).await;
    let mut line = Line::to(house.address).await;
    line.send(&format!("{ask}123456789")).await;
    assert_eq!(line.answer().await.problem(429).field("retry-after"), "3");
    let noc = house.bearer("noc");
    let mut line = Line::to(house.address).await;
    let ask = request("POST /length", &[&noc, &length(8)]);
    line.send(&format!("{ask}12345678")).await;
    assert_eq!(line.answer().await.body, "8");
}

/// RFC 6585 §4: the number of requests under way of a user is limited; an answered one makes room,
/// and others have their own.
#[tokio::test]
async fn a_user_has_so_many_requests_under_way() {
    let house = House::built(Plan {
        users: UserLimits {
            requests: 1,
            ..UserLimits::default()
        },
        ..Plan::default()
    });
    let (noc, operator) = (house.bearer("noc"), house.bearer("operator"));
    let mut line = Line::to(house.address).await;
    line.send(&request("GET /stream", &[&noc, "connection: close"]))
        .await;
    let writer = house.writer().await;
    let refused = house.ask("GET /whoami", &[&noc]).await.problem(429);
    assert_eq!(refused.field("retry-after"), "3");
    assert_eq!(house.ask("GET /whoami", &[&operator]).await.status, 200);
    assert_eq!(house.ask("GET /livez", &[&noc]).await.status, 200);
    drop(writer);
    line.rest().await;
    assert_eq!(house.ask("GET /whoami", &[&noc]).await.status, 200);
}

/// The streams of a user are made in that user's turns, as the beginnings of their responses are.
#[tokio::test]
async fn what_goes_on_is_made_in_its_users_turns() {
    let house = House::open();
    let noc = house.bearer("noc");
    let mut line = Line::to(house.address).await;
    line.send(&request("GET /turn", &[&noc, "connection: close"]))
        .await;
    let told = line.rest().await;
    assert!(told.ends_with("7\r\nin turn\r\n0\r\n\r\n"), "{told}");
}

/// While memory is short no new work is begun; health checks are answered.
#[tokio::test]
async fn while_memory_is_short_who_asks_is_told_to_come_again() {
    let house = House::open();
    let noc = house.bearer("noc");
    house.accounts.short_of_memory().store(true, Relaxed);
    let refused = house.ask("GET /whoami", &[&noc]).await.problem(503);
    assert_eq!(refused.field("retry-after"), "3");
    assert_eq!(house.ask("GET /livez", &[]).await.status, 200);
    house.accounts.short_of_memory().store(false, Relaxed);
    assert_eq!(house.ask("GET /whoami", &[&noc]).await.status, 200);
}

/// While memory is short, connections without a request under way end, long before a head is late;
/// those with one are kept.
#[tokio::test]
async fn while_memory_is_short_nobody_is_kept_for_nothing() {
    let never = Duration::from_secs(3_600);
    let house = House::within(HttpLimits {
        head: never,
        idle: never,
        spare: Duration::from_millis(100),
        ..HttpLimits::default()
    });
    let noc = house.bearer("noc");
    let mut idle = Line::to(house.address).await;
    assert_eq!(idle.ask("GET /whoami", &[&noc]).await.status, 200);
    let mut at_a_head = Line::to(house.address).await;
    assert_eq!(at_a_head.ask("GET /whoami", &[&noc]).await.status, 200);
    at_a_head.send("GET /x HTTP/1.1\r\nA: xxxx").await;
    let mut served = Line::to(house.address).await;
    served.send(&request("GET /stream", &[&noc])).await;
    let writer = house.writer().await;
    house.accounts.short_of_memory().store(true, Relaxed);
    assert_eq!(idle.rest().await, "");
    assert_eq!(at_a_head.rest().await, "");
    drop(writer);
    let told = served.rest().await;
    assert!(told.ends_with("\r\n0\r\n\r\n"), "{told}");
    house.accounts.short_of_memory().store(false, Relaxed);
    let mut kept = Line::to(house.address).await;
    assert_eq!(kept.ask("GET /whoami", &[&noc]).await.status, 200);
}

#[tokio::test]
async fn a_head_and_a_target_have_bounds() {
    let house = House::open();
    let fields: Vec<String> = (0..100).map(|n| format!("x-{n}: y")).collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    house.ask("GET /livez", &fields).await.problem(431);
    assert_eq!(house.ask("GET /livez", &fields[1..]).await.status, 200);
    let long = format!("x: {}", "y".repeat(17 << 10));
    house.ask("GET /livez", &[&long]).await.problem(431);
    let target = format!("GET /livez?{}", "x".repeat(8 << 10));
    house.ask(&target, &[]).await.problem(414);
}

/// The number of authenticated connections is limited, and beside them there is room for health
/// checks.
#[tokio::test]
async fn too_many_connections_are_told_so() {
    let house = House::within(HttpLimits {
        connections_max: 1,
        ..HttpLimits::default()
    });
    let (noc, operator) = (house.bearer("noc"), house.bearer("operator"));
    let mut first = Line::to(house.address).await;
    assert_eq!(first.ask("GET /whoami", &[&noc]).await.status, 200);
    let mut second = Line::to(house.address).await;
    let answer = second.ask("GET /whoami", &[&operator]).await.problem(503);
    assert_eq!(answer.field("retry-after"), "3");
    assert_eq!(answer.field("connection"), "close");
    assert_eq!(second.rest().await, "");
    assert_eq!(house.ask("GET /livez", &[]).await.status, 200);
    drop(first);
    within("a free place", admitted(&house, &operator)).await;
}

/// Makes requests on one connection after the other until one is admitted.
async fn admitted(house: &House, bearer: &str) {
    while house.ask("GET /whoami", &[bearer]).await.status != 200 {}
}

/// RFC 6585 §4: the number of connections of a user is limited; a further one is answered and
/// closed, the others are kept, other users have their own, and the refusal is counted.
#[tokio::test]
async fn a_user_has_so_many_connections() {
    let house = House::built(Plan {
        users: UserLimits {
            connections: 2,
            ..UserLimits::default()
        },
        ..Plan::default()
    });
    let (noc, operator) = (house.bearer("noc"), house.bearer("operator"));
    let mut own = Vec::new();
    for _ in 0..2 {
        let mut line = Line::to(house.address).await;
        assert_eq!(line.ask("GET /whoami", &[&noc]).await.status, 200);
        own.push(line);
    }
    let mut third = Line::to(house.address).await;
    let answer = third.ask("GET /whoami", &[&noc]).await.problem(429);
    assert_eq!(answer.field("retry-after"), "3");
    assert_eq!(answer.field("connection"), "close");
    assert!(answer.body.contains("connections of this user"));
    assert_eq!(third.rest().await, "");
    let mut others = Line::to(house.address).await;
    assert_eq!(others.ask("GET /whoami", &[&operator]).await.status, 200);
    // On somebody else's he is refused as well, and the other keeps it.
    let answer = others.ask("GET /whoami", &[&noc]).await.problem(429);
    assert_eq!(answer.field("connection"), "");
    assert_eq!(others.ask("GET /whoami", &[&operator]).await.status, 200);
    assert_eq!(own[0].ask("GET /whoami", &[&noc]).await.status, 200);
    let counted = house.accounts.connections("noc");
    assert_eq!((counted.of_user(), counted.is_full()), (2, true));
    drop(own.pop());
    within("a free place", admitted(&house, &noc)).await;
}

/// Health checks are answered when all unauthenticated places are taken, from the same source too, and
/// callers with a credential are admitted, however many connections come.
#[tokio::test]
async fn the_reserve_is_for_health_and_for_credentials() {
    let house = House::within(HttpLimits {
        unauthenticated_max: 4,
        unauthenticated_source_max: 2,
        reserve: 2,
        stale: Duration::from_secs(3_600),
        ..HttpLimits::default()
    });
    let noc = house.bearer("noc");
    let mut taken = Vec::new();
    for host in [1, 1, 2, 2, 1, 1, 1, 1] {
        let mut line = Line::from(house.address, host).await;
        // Those that make room may be gone.
        let _ = tokio::io::AsyncWriteExt::write_all(&mut line.0, b"GET / HTTP/1.1\r\nH").await;
        taken.push(line);
    }
    for line in ["GET /livez", "GET /readyz"] {
        let answer = house.ask(line, &[]).await;
        assert_eq!((answer.status, answer.field("connection")), (200, "close"));
    }
    for line in ["GET /whoami", "GET /agents/ip/card"] {
        let mut stranger = Line::to(house.address).await;
        let answer = stranger.ask(line, &[]).await.problem(429);
        assert_eq!(answer.field("retry-after"), "3");
        assert_eq!(answer.field("connection"), "close");
        assert_eq!(stranger.rest().await, "");
    }
    house
        .ask("GET /whoami", &[&bearer("guess")])
        .await
        .problem(401);
    let mut known = Line::to(house.address).await;
    for _ in 0..2 {
        let answer = known.ask("GET /whoami", &[&noc]).await;
        assert_eq!((answer.status, answer.field("connection")), (200, ""));
    }
    assert_eq!(known.ask("GET /agents/ip/card", &[]).await.status, 200);
}

/// Slow strangers shut out only their own source, and no authenticated caller.
#[tokio::test]
async fn slow_strangers_do_not_stop_a_good_client() {
    let house = House::within(HttpLimits {
        unauthenticated_max: 20,
        stale: Duration::from_secs(3_600),
        ..HttpLimits::default()
    });
    let operator = house.bearer("operator");
    let mut known = Line::from(house.address, 2).await;
    assert_eq!(known.ask("GET /whoami", &[&operator]).await.status, 200);
    let mut slow = Vec::new();
    for _ in 0..20 {
        let mut line = Line::from(house.address, 2).await;
        line.send("GET /whoami HTTP/1.1\r\nHost: loc").await;
        slow.push(line);
    }
    let mut one_more = Line::from(house.address, 2).await;
    let answer = one_more.ask("GET /whoami", &[]).await.problem(429);
    assert_eq!(answer.field("retry-after"), "3");
    for _ in 0..10 {
        let answer = house.ask("GET /whoami", &[&operator]).await;
        assert_eq!(answer.status, 200, "another source gets in at once");
    }
    assert_eq!(known.ask("GET /whoami", &[&operator]).await.status, 200);
    // The oldest of the crowd made room.
    assert_eq!(slow[0].rest().await, "");
}

/// With as many slow sockets as a machine has, a good client is served without delay.
#[tokio::test]
async fn a_thousand_slow_sockets_are_bounded() {
    let house = House::open();
    let operator = house.bearer("operator");
    let mut slow = Vec::new();
    for _ in 0..400 {
        let mut line = Line::from(house.address, 3).await;
        // Most are told to go at once, and may be gone.
        let _ = tokio::io::AsyncWriteExt::write_all(&mut line.0, b"GET / HTTP/1.1\r\nH").await;
        slow.push(line);
    }
    for _ in 0..20 {
        let fields = [operator.as_str()];
        let asked = house.ask("GET /whoami", &fields);
        assert_eq!(
            within("an answer among slow sockets", asked).await.status,
            200
        );
    }
}

/// The input of a connection is processed in the turn of its source, and in its user's once there
/// is one, for public and guarded routes alike.
#[tokio::test]
async fn a_connection_is_worked_on_in_its_sources_turn_and_then_in_its_users() {
    let house = House::open();
    let noc = house.bearer("noc");
    let mut line = Line::to(house.address).await;
    assert_eq!(whose(&mut line).await, "source");
    assert_eq!(line.ask("GET /whoami", &[&noc]).await.status, 200);
    assert_eq!(whose(&mut line).await, "noc");
    let mut stranger = Line::to(house.address).await;
    assert_eq!(whose(&mut stranger).await, "source");
}

/// The owner of the turn in which a connection runs, as reported in a stream.
async fn whose(line: &mut Line) -> String {
    let head = line.ask("GET /whose", &[]).await;
    assert_eq!(head.field("transfer-encoding"), "chunked");
    let mut body = String::new();
    while !body.ends_with("0\r\n\r\n") {
        body += &line.piece().await;
    }
    body.lines().nth(1).unwrap().to_owned()
}

/// A request is answered while its connection waits for a turn.
#[tokio::test]
async fn requests_of_a_connection_are_answered_apart_from_it() {
    let house = House::open();
    let noc = house.bearer("noc");
    let mut line = Line::to(house.address).await;
    // From the second on the connection is worked on in the turn of the user himself.
    for _ in 0..2 {
        assert_eq!(line.ask("GET /mine", &[&noc]).await.body, "apart");
    }
}

/// A source with too many failures is refused without a check where it failed; a caller with a
/// valid token is not.
#[tokio::test]
async fn a_source_that_fails_too_often_is_put_off() {
    let house = House::open();
    let operator = house.bearer("operator");
    let mut line = Line::to(house.address).await;
    let mut statuses = Vec::new();
    // More than twenty in one of two seconds, however they fall.
    while statuses.len() < 1_000 && statuses.last() != Some(&429) {
        statuses.push(line.ask("GET /whoami", &[&bearer("guess")]).await.status);
    }
    assert_eq!(statuses.pop(), Some(429));
    assert!(
        statuses.len() >= 20 && statuses.iter().all(|s| *s == 401),
        "{statuses:?}"
    );
    let answer = line
        .ask("GET /whoami", &[&bearer("guess")])
        .await
        .problem(429);
    assert!(
        ["2", "3"].contains(&answer.field("retry-after")),
        "{answer:?}"
    );
    line.ask("GET /whoami", &[&operator]).await.problem(429);
    assert_eq!(line.ask("GET /livez", &[&operator]).await.status, 200);
    let mut known = Line::to(house.address).await;
    assert_eq!(known.ask("GET /whoami", &[&operator]).await.status, 200);
    known
        .ask("GET /whoami", &[&bearer("guess")])
        .await
        .problem(429);
    assert_eq!(known.ask("GET /whoami", &[&operator]).await.status, 200);
    let mut other = Line::from(house.address, 2).await;
    assert_eq!(
        other.ask("GET /whoami", &[&bearer("guess")]).await.status,
        401
    );
}

/// A client that takes nothing of its response is disconnected.
#[tokio::test]
async fn whoever_takes_nothing_is_cut_off() {
    let house = House::within(HttpLimits {
        stall: SHORT,
        ..HttpLimits::default()
    });
    let operator = house.bearer("operator");
    let mut line = Line::to(house.address).await;
    line.send(&request("GET /stream", &[&operator])).await;
    let writer = house.writer().await;
    let piece = hyper::body::Bytes::from(vec![b'x'; 1 << 20]);
    let written = async { while writer.send(piece.clone()).await.is_ok() {} };
    within("the client to be given up", written).await;
}

/// The reader of a stream sees an orderly end.
#[tokio::test]
async fn what_goes_on_ends_in_order_when_the_server_closes() {
    let house = House::open();
    let operator = house.bearer("operator");
    let mut idle = Line::to(house.address).await;
    assert_eq!(idle.ask("GET /livez", &[]).await.status, 200);
    let mut line = Line::to(house.address).await;
    line.send(&request("GET /stream", &[&operator])).await;
    let writer = house.writer().await;
    writer.send("event: 1\n\n".into()).await.unwrap();
    let mut told = String::new();
    while !told.contains("event: 1\n\n") {
        told += &line.piece().await;
    }
    let address = house.address;
    within("the server to close", house.close()).await;
    assert_eq!(line.rest().await, "0\r\n\r\n");
    assert_eq!(idle.rest().await, "");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}
