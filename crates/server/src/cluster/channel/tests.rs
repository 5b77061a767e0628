//! Two nodes on loopback: what is asked arrives, a peer that is silent or of another version is noticed, and
//! a stream that nobody reads holds up no other.

use super::*;
use crate::cluster::identity::{ChannelIdentity, ClusterKey};
use crate::cluster::leader::Leader;
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::net::TcpListener;
use tokio::sync::watch;

fn identity(node: &str) -> ChannelIdentity {
    ChannelIdentity::issue(&ClusterKey::new([7; 32]), node).unwrap()
}

/// Sends zeros for as long as they are taken.
struct Endless;

impl Body for Endless {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[0; 16 << 10])))))
    }
}

/// Answers by path.
struct Service(watch::Sender<u64>);

impl ChannelService for Service {
    fn answer(self: Arc<Self>, request: Request<Incoming>, _: u64) -> server::Answering {
        Box::pin(async move {
            let (status, body) = match request.uri().path() {
                "/other" => (StatusCode::MISDIRECTED_REQUEST, whole("")),
                "/silent" => std::future::pending().await,
                "/endless" => (StatusCode::OK, Box::pin(Endless) as ChannelBody),
                path => (StatusCode::OK, whole(path.to_owned())),
            };
            let mut response = Response::new(body);
            *response.status_mut() = status;
            response
        })
    }

    fn connection_ended(&self, _: u64) {
        self.0.send_modify(|ended| *ended += 1);
    }
}

/// A node that answers, and the leader that it is; how many of its connections have ended.
async fn node() -> (ChannelServer, Leader, watch::Receiver<u64>) {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let leader = Leader {
        node: "a".to_owned(),
        address: socket.local_addr().unwrap().to_string(),
        epoch: 1,
    };
    let (ended, seen) = watch::channel(0);
    let server = ChannelServer::start(socket, &identity("a"), Arc::new(Service(ended)));
    (server, leader, seen)
}

fn request(path: &str) -> Request<ChannelBody> {
    let uri = format!("https://node{path}");
    Request::builder().uri(uri).body(whole("")).unwrap()
}

async fn asked(
    client: &ChannelClient,
    leader: &Leader,
    request: Request<ChannelBody>,
) -> Result<(Response<Incoming>, tokio::sync::OwnedSemaphorePermit), Unreached> {
    client.send(leader, request).await.map_err(|(why, _)| why)
}

async fn text(mut response: Response<Incoming>) -> String {
    let mut text = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(response.body_mut()).poll_frame(cx)).await {
        text.extend_from_slice(&frame.unwrap().into_data().unwrap());
    }
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn what_is_asked_is_answered_and_whoever_does_not_lead_says_so() {
    let (_server, leader, _) = node().await;
    let client = ChannelClient::new(identity("b"));
    let (response, _permit) = asked(&client, &leader, request("/one")).await.unwrap();
    assert_eq!(text(response).await, "/one");
    let refused = asked(&client, &leader, request("/other"))
        .await
        .unwrap_err();
    assert!(matches!(refused, Unreached::NotLeading) && !refused.is_in_doubt());
    let nobody = Leader {
        address: "127.0.0.1:1".to_owned(),
        ..leader
    };
    let refused = asked(&client, &nobody, request("/one")).await.unwrap_err();
    assert!(matches!(refused, Unreached::Connect { .. }) && !refused.is_in_doubt());
}

#[tokio::test]
async fn a_stream_that_is_not_read_holds_up_no_other() {
    let (_server, leader, _) = node().await;
    let client = ChannelClient::new(identity("b"));
    let mut unread = Vec::new();
    // Together far more than any window but the widest.
    for _ in 0..40 {
        unread.push(asked(&client, &leader, request("/endless")).await.unwrap());
    }
    for _ in 0..20 {
        let (response, _permit) = asked(&client, &leader, request("/two")).await.unwrap();
        assert_eq!(text(response).await, "/two");
    }
}

#[tokio::test]
async fn who_waits_for_a_leader_that_stands_still_holds_up_nobody_who_asks_the_next() {
    // The kernel takes connections for it, and nobody says anything on them.
    let still = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let before = Leader {
        node: "b".to_owned(),
        address: still.local_addr().unwrap().to_string(),
        epoch: 1,
    };
    let (_server, leader, _) = node().await;
    let next = Leader { epoch: 2, ..leader };
    let client = ChannelClient::new(identity("c"));
    let waiting = (0..5).map(|_| Box::pin(asked(&client, &before, request("/one"))));
    let mut waiting: Vec<_> = waiting.collect();
    // All of them have begun, and one tries.
    poll_fn(|cx| {
        let pending = waiting
            .iter_mut()
            .all(|it| it.as_mut().poll(cx).is_pending());
        assert!(pending);
        Poll::Ready(())
    })
    .await;
    let (response, _permit) = asked(&client, &next, request("/two")).await.unwrap();
    assert_eq!(text(response).await, "/two");
    // None of them waits for the others' attempts as well.
    let begun = Instant::now();
    for one in waiting {
        let refused = one.await.unwrap_err();
        assert!(matches!(refused, Unreached::Connect { .. }), "{refused}");
    }
    assert!(begun.elapsed() < 2 * CONNECT, "{:?}", begun.elapsed());
    let (response, _permit) = asked(&client, &next, request("/three")).await.unwrap();
    assert_eq!(text(response).await, "/three");
}

#[tokio::test]
async fn a_node_that_is_gone_is_noticed_and_the_next_one_is_reached() {
    let (server, leader, _) = node().await;
    let client = ChannelClient::new(identity("b"));
    let mut silent = pin!(asked(&client, &leader, request("/silent")));
    tokio::select! {
        _ = &mut silent => unreachable!("it never answers"),
        () = tokio::time::sleep(Duration::from_millis(100)) => {}
    }
    drop(server);
    let lost = silent.await.unwrap_err();
    assert!(lost.is_in_doubt(), "{lost}");
    let (_server, leader, _) = node().await;
    let (response, _permit) = asked(&client, &leader, request("/three")).await.unwrap();
    assert_eq!(text(response).await, "/three");
}

/// Carries bytes both ways until it is told to stop; then the connections stay, and nothing moves.
async fn carry(to: String, mut stopped: watch::Receiver<bool>) -> String {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let (mut near, _) = socket.accept().await.unwrap();
        let mut far = tokio::net::TcpStream::connect(to).await.unwrap();
        tokio::select! {
            _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
            () = async { drop(stopped.wait_for(|stopped| *stopped).await) } => {
                std::future::pending().await
            }
        }
    });
    address
}

#[tokio::test]
async fn a_peer_that_falls_silent_is_gone_after_two_seconds() {
    let (_server, leader, mut ended) = node().await;
    let (stop, stopped) = watch::channel(false);
    let address = carry(leader.address.clone(), stopped).await;
    let leader = Leader { address, ..leader };
    let client = ChannelClient::new(identity("b"));
    let (unread, _permit) = asked(&client, &leader, request("/one")).await.unwrap();
    drop(unread);
    let mut silent = pin!(asked(&client, &leader, request("/silent")));
    tokio::select! {
        _ = &mut silent => unreachable!("it never answers"),
        () = tokio::time::sleep(Duration::from_millis(100)) => {}
    }
    let began = Instant::now();
    stop.send(true).unwrap();
    assert!(silent.await.unwrap_err().is_in_doubt());
    ended.wait_for(|ended| *ended == 1).await.unwrap();
    // The bound is loose, as machines are slow; without keep-alives it would never end.
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn another_version_of_the_protocol_is_refused() {
    let (_server, leader, _) = node().await;
    let tcp = tokio::net::TcpStream::connect(&leader.address)
        .await
        .unwrap();
    let tls = tokio_rustls::TlsConnector::from(identity("b").client);
    let stream = tls
        .connect(ChannelIdentity::name_of("a"), tcp)
        .await
        .unwrap();
    let io = hyper_util::rt::TokioIo::new(stream);
    let exec = hyper_util::rt::TokioExecutor::new();
    let shaken = hyper::client::conn::http2::handshake(exec, io).await;
    let (mut requests, connection) = shaken.unwrap();
    tokio::spawn(connection);
    let mut asked = request("/one");
    let other = HeaderValue::from_static("2");
    asked.headers_mut().insert(PROTOCOL_FIELD, other);
    for asked in [asked, request("/one")] {
        let response = requests.send_request(asked).await.unwrap();
        assert_eq!(response.status(), StatusCode::HTTP_VERSION_NOT_SUPPORTED);
    }
}
