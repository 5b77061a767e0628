//! The client and servers that behave badly.

use super::connection::INTERIM_MOST;
use super::*;
use std::error::Error as _;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A client for a server here, which keeps so many connections; the listener, and its address as a
/// target.
async fn to_listener(idle: usize) -> (HttpClient, TcpListener, Target) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let allowed = AllowList::new(&[], std::slice::from_ref(&origin)).unwrap();
    let target = allowed.admit_url(&format!("{origin}/")).unwrap();
    (
        HttpClient::new(allowed, None, idle).unwrap(),
        listener,
        target,
    )
}

async fn get(client: &HttpClient, target: &Target) -> Result<ClientResponse, Unanswered> {
    let (fields, body) = (HeaderMap::new(), String::new());
    client.send(target, Method::GET, fields, body).await
}

/// The outcome of a request to a server that sends `beginning` and then `piece`, `times` times or
/// endlessly; and the number of pieces sent before the connection was closed.
async fn asked(beginning: &str, piece: &str, times: usize) -> (Result<u16, Unanswered>, usize) {
    let (client, listener, target) = to_listener(0).await;
    let (beginning, piece) = (beginning.to_owned(), piece.to_owned());
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 1_024];
        let _ = stream.read(&mut request).await.unwrap();
        let mut sent = 0;
        let mut next = beginning;
        while stream.write_all(next.as_bytes()).await.is_ok() && sent < times {
            next.clone_from(&piece);
            sent += 1;
        }
        let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
        sent
    });
    let answer = get(&client, &target).await;
    (answer.map(|answer| answer.status()), served.await.unwrap())
}

fn broken(answer: Result<u16, Unanswered>) -> hyper::Error {
    match answer {
        Err(Unanswered::Http(error)) => error,
        other => panic!("{other:?}"),
    }
}

const HINTS: &str = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";

#[tokio::test]
async fn some_interim_answers_come_before_the_answer() {
    let (answer, _) = asked("", HINTS, INTERIM_MOST).await;
    assert_eq!(answer.unwrap(), 204);
}

/// Regression: a server that only sends interim responses kept a thread busy for the whole time
/// limit.
#[tokio::test]
async fn interim_answers_without_end_end_the_exchange() {
    let (answer, _) = asked("", HINTS, usize::MAX).await;
    let why = broken(answer).source().map(ToString::to_string);
    let wanted = format!("more than {INTERIM_MOST} interim answers came before the answer");
    assert_eq!(why, Some(wanted));
}

#[tokio::test]
async fn a_head_without_end_ends_the_exchange() {
    let (answer, _) = asked("HTTP/1.1 200 OK\r\n", "a: b\r\n", usize::MAX).await;
    broken(answer);
    let (answer, _) = asked("HTTP/1.1 200 OK\r\na: ", "long", usize::MAX).await;
    assert!(broken(answer).is_parse_too_large());
}

/// A server that answers each request on a connection with five bytes; it ends when the client does,
/// with the number of connections.
async fn serve(listener: TcpListener, requests: usize) -> usize {
    let (mut connections, mut answered) = (0, 0);
    while answered < requests {
        let (mut stream, _) = listener.accept().await.unwrap();
        connections += 1;
        let mut request = [0; 1_024];
        while stream.read(&mut request).await.unwrap_or(0) > 0 {
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
            stream.write_all(answer).await.unwrap();
            answered += 1;
        }
    }
    connections
}

#[tokio::test]
async fn a_connection_is_kept_where_that_is_wanted() {
    for (idle, expected) in [(0, 3), (1, 1)] {
        let (client, listener, target) = to_listener(idle).await;
        let served = tokio::spawn(serve(listener, 3));
        for _ in 0..3 {
            let answer = get(&client, &target).await.unwrap();
            assert_eq!(answer.bytes(5).await.unwrap(), b"hello");
        }
        drop(client);
        assert_eq!(served.await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_body_that_is_too_long_is_not_read_and_its_connection_not_kept() {
    let (client, listener, target) = to_listener(1).await;
    let served = tokio::spawn(serve(listener, 2));
    for _ in 0..2 {
        let answer = get(&client, &target).await.unwrap();
        let long = answer.bytes(4).await;
        assert!(matches!(long, Err(Unanswered::Long { most: 4 })));
    }
    drop(client);
    assert_eq!(served.await.unwrap(), 2);
}
