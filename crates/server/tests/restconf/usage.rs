//! `/usage`: agents at work, who follows a stream, the store in a file and how far it was verified.

use crate::site::Served;
use domain::agent::{Input, Output};
use domain::reply::Reply;
use serde_json::Value;
use std::sync::mpsc::channel;
use testkit::{Scripted, within};

/// What is told, once it is as wanted.
async fn told(served: &Served, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let looks = async {
        loop {
            let mut all = served.json("/data/convoke-usage:usage").await;
            let usage = all["convoke-usage:usage"].take();
            if is_wanted(&usage) {
                return usage;
            }
        }
    };
    within(what, looks).await
}

/// A number of 64 bits, which JSON has as a string (RFC 7951 §6.1).
fn number(leaf: &Value) -> u64 {
    leaf.as_str().unwrap().parse().unwrap()
}

// Whoever asks may be the one on whose thread the agent steps: others answer meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_agent_that_thinks_shows_since_when_and_what_waits() {
    let (thinks, thought) = channel::<()>();
    let served = Served::hosting(Scripted(move |input, _| match input {
        Input::Asked(_) => {
            let _ = thought.recv();
            vec![Output::Answer(Reply::accepted())]
        }
        _ => Vec::new(),
    }))
    .await;
    let busy = async {
        let is_busy = |usage: &Value| {
            let agent = &usage["agent"][0];
            agent["step-since"].is_string() && agent["waiting"] == 1
        };
        let usage = told(&served, "an agent that is busy", is_busy).await;
        drop(thinks);
        usage["agent"][0].clone()
    };
    let (first, second) = (served.assign("dig-1"), served.assign("dig-2"));
    let (busy, (), ()) = tokio::join!(busy, first, second);
    assert_eq!(busy["name"], "digger");
    let rests = |usage: &Value| {
        let agent = &usage["agent"][0];
        agent["step-since"].is_null() && number(&agent["steps"]) >= number(&busy["steps"]) + 2
    };
    let rested = told(&served, "an agent that rests", rests).await["agent"][0].clone();
    assert_eq!(
        (&rested["waiting"], &rested["waiting-time"]),
        (&0.into(), &"0".into())
    );
    assert_eq!(rested["failed"], "0");
    assert!(
        number(&rested["step-time"]) > number(&busy["step-time"]),
        "{rested}"
    );
    served.site.stop().await;
}

#[tokio::test]
async fn who_follows_a_stream_over_http_is_in_the_list() {
    let served = Served::start().await;
    let many = |usage: &Value| usage["subscription"].as_array().map_or(0, Vec::len);
    told(&served, "a platform that nobody follows", |usage| {
        many(usage) == 0
    })
    .await;
    let stream = served
        .stream("/streams/NETCONF", &[("Accept", "text/event-stream")])
        .await;
    let follows = told(&served, "a subscription", |usage| many(usage) == 1).await;
    let follows = &follows["subscription"][0];
    assert_eq!(
        (&follows["user"], &follows["stream"]),
        (&"operator".into(), &"NETCONF".into())
    );
    for absent in ["session-id", "agent", "management-system"] {
        assert!(follows[absent].is_null(), "{follows}");
    }
    served.assign("dig-1").await;
    told(&served, "notifications", |usage| {
        let follows = &usage["subscription"][0];
        number(&follows["sent"]) > 0 && follows["lag-events"] == "0"
    })
    .await;
    drop(stream);
    served.assign("dig-2").await;
    told(&served, "its end", |usage| many(usage) == 0).await;
    served.site.stop().await;
}

#[tokio::test]
async fn a_store_in_a_file_tells_its_size_and_that_it_is_sound() {
    let served = Served::start().await;
    served.assign("dig-1").await;
    let sound = |usage: &Value| usage["verification"]["state"] == "sound";
    let usage = told(&served, "a store that was verified", sound).await;
    let (store, verification) = (&usage["store"], &usage["verification"]);
    assert_eq!(
        (&store["backend"], &store["condition"]),
        (&"sqlite".into(), &"working".into())
    );
    assert!(
        number(&store["size"]) > 0 && number(&store["entries"]) > 0,
        "{store}"
    );
    let buckets = store["commit-bucket"].as_array().unwrap();
    let all = buckets.last().unwrap();
    assert_eq!(
        (&all["up-to"], &all["commits"]),
        (&u32::MAX.into(), &store["commits"])
    );
    assert!(number(&all["commits"]) > 0);
    for leaf in ["began", "ended"] {
        assert!(verification[leaf].is_string(), "{verification}");
    }
    assert!(number(&verification["rows"]) >= number(&verification["entries"]));
    // In the words of the module.
    let text = served.xml("/data/convoke-usage:usage").await;
    let generation = served.site.host.platform.generation();
    generation.check_data(&text, true).unwrap();
    served.site.stop().await;
}
