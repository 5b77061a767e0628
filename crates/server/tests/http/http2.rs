//! HTTP/2, without TLS by prior knowledge: the same answers, and bounds of its own.

use crate::client::{Line, within};
use crate::house::{House, Plan};
use engine::UserLimits;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// A body that is empty.
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
    let mut request = Request::get(uri);
    if let Some(value) = authorization {
        request = request.header("authorization", value);
    }
    let request = request.body(Empty).unwrap();
    within("an answer", sender.send_request(request))
        .await
        .unwrap()
}

/// The body of an answer.
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
async fn what_goes_on_ends_when_the_door_closes() {
    let house = House::open();
    let mut sender = speak(TcpStream::connect(house.address).await.unwrap()).await;
    let operator = format!("Bearer {}", house.issue("operator", 60, &[]).token);
    let stream = get(&mut sender, "http://localhost/stream", Some(&operator)).await;
    let writer = house.writer().await;
    writer.send("one".into()).await.unwrap();
    let told = tokio::spawn(text(stream));
    while writer.capacity() == 0 {
        tokio::task::yield_now().await;
    }
    within("the door to close", house.close()).await;
    assert_eq!(told.await.unwrap(), "one");
}

/// CVE-2023-44487: whoever opens and resets streams without end is sent away, and nobody else.
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

/// RFC 9113 §6.8: whoever has too many connections is answered, and told to go.
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
