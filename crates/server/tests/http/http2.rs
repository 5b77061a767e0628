//! HTTP/2, without TLS by prior knowledge: the same responses, and limits of its own.

use crate::house::{House, Plan};
use engine::UserLimits;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::client::conn::http2::{Builder, SendRequest, handshake};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use server::http::HttpLimits;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use testkit::http::Line;
use testkit::{eventually, within};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// An empty body.
pub struct Empty;

impl Body for Empty {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(None)
    }

    fn is_end_stream(&self) -> bool {
        true
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(0)
    }
}

/// Speaks HTTP/2 over a stream.
pub async fn speak<S>(stream: S) -> SendRequest<Empty>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(async move { drop(connection.await) });
    sender
}

pub async fn get(
    sender: &mut SendRequest<Empty>,
    uri: &str,
    authorization: Option<&str>,
) -> Response<Incoming> {
    let answer = sender.send_request(request(uri, authorization));
    within("an answer", answer).await.unwrap()
}

fn request(uri: &str, authorization: Option<&str>) -> Request<Empty> {
    let mut request = Request::get(uri);
    if let Some(value) = authorization {
        request = request.header("authorization", value);
    }
    request.body(Empty).unwrap()
}

/// Speaks HTTP/2 with a window of `window` bytes for each response.
async fn narrow(house: &House, window: u32) -> SendRequest<Empty> {
    let stream = TcpStream::connect(house.address).await.unwrap();
    let mut builder = Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(window);
    let spoken = builder.handshake(TokioIo::new(stream)).await;
    let (sender, connection) = spoken.unwrap();
    tokio::spawn(async move { drop(connection.await) });
    sender
}

/// Waits until no bytes of responses count as not taken for a user.
async fn given_back(house: &House, user: &str) {
    let untaken = house.accounts.hold(user);
    eventually("the end of what is not taken", || untaken.of_user() == 0).await;
}

/// Its streams are tasks of their own, and still run in the turns of their connection.
#[tokio::test]
async fn a_stream_has_the_turns_of_its_connection() {
    let house = House::open();
    let stream = TcpStream::connect(house.address).await.unwrap();
    let mut sender = speak(stream).await;
    let noc = format!("Bearer {}", house.issue("noc", 60, &[]).token);
    let whose = "http://localhost/whose";
    assert_eq!(text(get(&mut sender, whose, None).await).await, "source");
    get(&mut sender, "http://localhost/whoami", Some(&noc)).await;
    assert_eq!(text(get(&mut sender, whose, None).await).await, "noc");
}

/// The body of a response.
pub async fn text(answer: Response<Incoming>) -> String {
    let mut body = answer.into_body();
    let mut text = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        text.extend_from_slice(&frame.unwrap().into_data().unwrap_or_default());
    }
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn the_answers_are_the_same() {
    let house = House::open();
    let stream = TcpStream::connect(house.address).await.unwrap();
    let mut sender = speak(stream).await;
    let operator = format!("Bearer {}", house.issue("operator", 60, &[]).token);
    let whoami = get(&mut sender, "http://localhost/whoami", Some(&operator)).await;
    assert_eq!(whoami.status(), 200);
    assert_eq!(whoami.headers()["cache-control"], "no-store");
    assert!(text(whoami).await.contains(r#""name":"operator""#));
    for (uri, authorization, status) in [
        ("http://localhost/livez", None, 200),
        ("http://localhost/whoami", None, 401),
        ("http://localhost/nowhere", Some(operator.as_str()), 404),
        ("http://rebound.example/livez", None, 421),
    ] {
        let answer = get(&mut sender, uri, authorization).await;
        assert_eq!(answer.status(), status, "{uri}");
    }
}

#[tokio::test]
async fn what_goes_on_ends_when_the_server_closes() {
    let house = House::open();
    let mut sender = speak(TcpStream::connect(house.address).await.unwrap()).await;
    let operator = format!("Bearer {}", house.issue("operator", 60, &[]).token);
    let stream = get(&mut sender, "http://localhost/stream", Some(&operator)).await;
    let writer = house.writer().await;
    writer.send("one".into()).await.unwrap();
    let told = tokio::spawn(text(stream));
    eventually("room for another piece", || writer.capacity() > 0).await;
    within("the server to close", house.close()).await;
    assert_eq!(told.await.unwrap(), "one");
}

/// CVE-2023-44487: a client that opens and resets streams endlessly is disconnected, and no other.
#[tokio::test]
async fn rapid_resets_end_the_connection() {
    let house = House::open();
    let mut line = Line::to(house.address).await;
    let mut flood = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    flood.extend_from_slice(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
    for stream in (1..20_000_u32).step_by(2) {
        let number = stream.to_be_bytes();
        // HEADERS with END_HEADERS: GET / over http, from the static table; then RST_STREAM.
        flood.extend_from_slice(&[0, 0, 3, 1, 4]);
        flood.extend_from_slice(&number);
        flood.extend_from_slice(&[0x82, 0x84, 0x86]);
        flood.extend_from_slice(&[0, 0, 4, 3, 0]);
        flood.extend_from_slice(&number);
        flood.extend_from_slice(&8_u32.to_be_bytes());
    }
    // It may be cut while it is still sending.
    let _ = tokio::io::AsyncWriteExt::write_all(&mut line.0, &flood).await;
    let mut last = Vec::new();
    let read = tokio::io::AsyncReadExt::read_to_end(&mut line.0, &mut last);
    let _ = within("the flood to be cut", read).await;
    assert_eq!(house.ask("GET /livez", &[]).await.status, 200);
}

/// RFC 9113 §6.8: a user with too many connections is answered, and the connection closed.
#[tokio::test]
async fn a_connection_too_many_of_a_user_ends() {
    let house = House::built(Plan {
        users: UserLimits {
            connections: 1,
            ..UserLimits::default()
        },
        ..Plan::default()
    });
    let noc = format!("Bearer {}", house.issue("noc", 60, &[]).token);
    let mut first = speak(TcpStream::connect(house.address).await.unwrap()).await;
    let whoami = "http://localhost/whoami";
    assert_eq!(get(&mut first, whoami, Some(&noc)).await.status(), 200);
    let stream = TcpStream::connect(house.address).await.unwrap();
    let (mut second, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream))
        .await
        .unwrap();
    let connection = tokio::spawn(connection);
    let refused = get(&mut second, whoami, Some(&noc)).await;
    assert_eq!(refused.status(), 429);
    assert_eq!(refused.headers()["retry-after"], "3");
    assert!(text(refused).await.contains("connections of this user"));
    within("the connection to end", connection)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(get(&mut first, whoami, Some(&noc)).await.status(), 200);
}

/// A stream of which nothing is taken ends, and its bytes are released; the connection and its
/// other streams go on. With a window of a byte the whole response has left the body.
#[tokio::test]
async fn an_answer_that_is_not_taken_ends_its_stream() {
    let house = House::within(HttpLimits {
        stall: Duration::from_millis(500),
        ..HttpLimits::default()
    });
    let noc = format!("Bearer {}", house.issue("noc", 60, &[]).token);
    let (whoami, stream) = ("http://localhost/whoami", "http://localhost/stream");
    for window in [0, 1] {
        let mut sender = narrow(&house, window).await;
        let quiet = get(&mut sender, stream, Some(&noc)).await;
        let writer = house.writer().await;
        let answer = get(&mut sender, whoami, Some(&noc)).await;
        let length: usize = answer.headers()["content-length"]
            .to_str()
            .unwrap()
            .parse()
            .unwrap();
        assert_eq!(house.accounts.hold("noc").of_user(), length);
        given_back(&house, "noc").await;
        let mut body = answer.into_body();
        let rest = async {
            while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
                frame?;
            }
            Ok::<_, hyper::Error>(())
        };
        let reset = within("a reset", rest).await.unwrap_err();
        assert!(format!("{reset:?}").contains("CANCEL"), "{reset:?}");
        // A stream without bytes to take is not timed out.
        assert!(!writer.is_closed());
        drop((quiet, writer));
        assert_eq!(get(&mut sender, whoami, Some(&noc)).await.status(), 200);
        drop(sender);
        given_back(&house, "noc").await;
    }
}

/// RFC 6585 §4: a caller that takes nothing of its responses gets no more of them, and others do.
#[tokio::test]
async fn what_is_not_taken_has_a_bound() {
    let house = House::built(Plan {
        limits: HttpLimits {
            untaken_bytes_max: 100,
            ..HttpLimits::default()
        },
        users: UserLimits {
            held_bytes: 100,
            ..UserLimits::default()
        },
        ..Plan::default()
    });
    let [noc, operator, ip] = ["noc", "operator", "ip"]
        .map(|name| format!("Bearer {}", house.issue(name, 60, &[]).token));
    let (whoami, keys) = (
        "http://localhost/whoami",
        "http://localhost/.well-known/jwks.json",
    );
    for (credential, uri) in [(None, keys), (Some(noc.as_str()), whoami)] {
        let mut sender = narrow(&house, 0).await;
        let first = get(&mut sender, uri, credential).await;
        assert_eq!(first.status(), 200);
        let second = get(&mut sender, uri, credential).await;
        assert_eq!(second.status(), 429);
        assert_eq!(second.headers()["retry-after"], "3");
        let livez = get(&mut sender, "http://localhost/livez", credential).await;
        assert_eq!(livez.status(), 200);
        let mut other = narrow(&house, 0).await;
        assert_eq!(get(&mut other, whoami, Some(&operator)).await.status(), 200);
        drop((first, second, livez, other));
        given_back(&house, "operator").await;
    }
    // So are answers that were asked for at once, before one of them went out.
    for (credential, uri) in [(None, keys), (Some(noc.as_str()), whoami)] {
        let mut sender = narrow(&house, 0).await;
        let ask = |_| sender.send_request(request(uri, credential));
        let asked: Vec<_> = (0..8).map(ask).collect();
        let mut given = Vec::new();
        for answer in asked {
            given.push(within("an answer", answer).await.unwrap());
        }
        let taken = given.iter().filter(|answer| answer.status() == 200);
        assert_eq!(taken.count(), 1);
        drop(given);
        given_back(&house, "noc").await;
    }
    // All bytes made of a stream count, not only those handed to the connection.
    let mut sender = narrow(&house, 1).await;
    let stream = get(&mut sender, "http://localhost/stream", Some(&noc)).await;
    assert_eq!(stream.status(), 200);
    let held = house.accounts.hold("noc");
    let writer = house.writer().await;
    writer.send(vec![0; 40_000].into()).await.unwrap();
    eventually("what is made", || held.of_user() >= 39_999).await;
    assert_eq!(get(&mut sender, whoami, Some(&noc)).await.status(), 429);
    drop((stream, writer, held));
    given_back(&house, "noc").await;
    // A request without a credential counts for the user of its connection.
    let mut sender = narrow(&house, 0).await;
    let first = get(&mut sender, whoami, Some(&ip)).await;
    let second = get(&mut sender, keys, None).await;
    assert_eq!([first.status(), second.status()].map(u16::from), [200, 429]);
}
