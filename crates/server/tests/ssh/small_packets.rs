//! A client that takes its output a few bytes at a time, although each packet has a fixed cost.
//!
//! Read next: `server::ssh`, `channel`.

use super::*;

/// Sends bytes to the echo, which come back in packets of this size; returns the number received,
/// at most all.
async fn echoed(maximum_packet_size: u32) -> usize {
    const ALL: usize = 64 << 10;
    let bench = Bench::echo();
    let config = client::Config {
        maximum_packet_size,
        ..client::Config::default()
    };
    let (told, _heard) = tokio::sync::mpsc::unbounded_channel();
    let connected = client::connect(Arc::new(config), bench.serving.address(), Bare(told)).await;
    let mut handle = connected.unwrap();
    let key = PrivateKeyWithHashAlg::new(Arc::clone(&bench.key), None);
    let answer = handle.authenticate_publickey("operator", key).await;
    assert!(answer.unwrap().success());
    let mut channel = open_netconf(&handle).await;
    channel.data(&[b'x'; ALL][..]).await.unwrap();
    let mut came = 0;
    while came < ALL {
        match verdict(&mut channel).await {
            Some(ChannelMsg::Data { data }) => came += data.len(),
            Some(_) => {}
            None => break,
        }
    }
    came
}

#[tokio::test]
async fn who_takes_a_byte_at_a_time_is_let_go() {
    let came = echoed(1).await;
    assert!((1_000..4_096).contains(&came), "{came}");
    assert_eq!(echoed(256).await, 64 << 10);
}
