//! `/usage`: agents at work, who follows a stream, the store in a file and how far it was verified.

use crate::site::{JSON, Served};
use domain::agent::{Input, Output};
use domain::reply::Reply;
use serde_json::Value;
use server::clock::Clock;
use std::sync::mpsc::channel;
use testkit::{Scripted, http, within};

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
            // What waits for this thread goes to another.
            let _ = tokio::task::block_in_place(|| thought.recv());
            vec![Output::Answer(Reply::accepted())]
        }
        _ => Vec::new(),
    }))
    .await;
    // The second is given once the first is thought about: two that wait together are taken together.
    let busy = async {
        let thinks_now = |usage: &Value| usage["agent"][0]["step-since"].is_string();
        told(&served, "an agent that thinks", thinks_now).await;
        let waits = async {
            let is_waiting = |usage: &Value| usage["agent"][0]["waiting"] == 1;
            let usage = told(&served, "an agent that is busy", is_waiting).await;
            drop(thinks);
            usage["agent"][0].clone()
        };
        let (usage, ()) = tokio::join!(waits, served.assign("dig-2"));
        usage
    };
    let (busy, ()) = tokio::join!(busy, served.assign("dig-1"));
    assert!(busy["step-since"].is_string(), "{busy}");
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

/// Signs in at the console by a token; what a browser sends from then on.
async fn signed_in(served: &Served, token: &str) -> [(&'static str, String); 2] {
    let session = "/console/session";
    let begun = http::ask(&served.address(), "POST", session, Some(token), &[], "").await;
    assert_eq!(begun.status, 200, "{begun:?}");
    let cookie = begun.field("set-cookie").split(';').next().unwrap();
    let page = begun.json()["console-request"].as_str().unwrap().to_owned();
    [("Cookie", cookie.to_owned()), ("Console-Request", page)]
}

/// Whose they are: the user and what began it, of each session of the console.
fn whose(told: &Value) -> Vec<(&str, &str)> {
    let sessions = told["convoke-usage:usage"]["console-session"].as_array();
    let sessions = sessions.into_iter().flatten();
    let mut whose: Vec<_> = sessions
        .map(|it| (it["user"].as_str().unwrap(), it["by"].as_str().unwrap()))
        .collect();
    whose.sort_unstable();
    whose
}

#[tokio::test]
async fn sessions_of_the_console_are_told_and_ended_to_whose_they_are_and_to_administrators() {
    let served = Served::start().await;
    let guests = signed_in(&served, &served.guest).await;
    let operators = signed_in(&served, &served.operator).await;
    let link = served.sign_in().link("guest", Clock::wall_time()).unwrap();
    signed_in(&served, &link.secret).await;
    let path = "/data/convoke-usage:usage";
    let all = served.json(path).await;
    let each = [("guest", "link"), ("guest", "token"), ("operator", "token")];
    assert_eq!(whose(&all), each);
    let own = served.as_guest(path).await.json();
    assert_eq!(whose(&own), each[..2]);
    let shown = own["convoke-usage:usage"].as_object().unwrap();
    assert_eq!(shown.len(), 1, "and nothing else: {own}");
    // Each knows which is his.
    let who = async |session: &[(&str, String); 2]| {
        let fields = session
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        http::ask(&served.address(), "GET", "/whoami", None, &fields, "").await
    };
    let id = async |session| who(session).await.json()["credential"]["id"].clone();
    let (of_guest, of_operator) = (id(&guests).await, id(&operators).await);
    let end = async |token: &str, id: &Value| {
        let body = serde_json::json!({ "convoke-usage:input": { "id": id } }).to_string();
        let fields = [("Content-Type", JSON), ("Accept", JSON)];
        let path = "/restconf/operations/convoke-usage:end-console-session";
        http::ask(&served.address(), "POST", path, Some(token), &fields, &body).await
    };
    let others = end(&served.guest, &of_operator).await;
    assert_eq!(others.status, 409, "{others:?}");
    assert_eq!(who(&operators).await.status, 200);
    // An identifier is no secret: it lets nobody in, nor does a part of one end anything.
    let part = of_guest.as_str().unwrap()[..8].into();
    assert_eq!(end(&served.guest, &part).await.status, 409);
    assert_eq!(end(&served.guest, &of_guest).await.status, 204);
    assert_eq!(who(&guests).await.status, 401);
    assert_eq!(end(&served.guest, &of_guest).await.status, 409);
    let left = served.json(path).await;
    assert_eq!(whose(&left), [each[0], each[2]]);
    let last = left["convoke-usage:usage"]["console-session"].as_array();
    let mut last = last.unwrap().iter();
    let last = last.find(|it| it["user"] == "guest").unwrap();
    assert_eq!(end(&served.operator, &last["id"]).await.status, 204);
    assert_eq!(served.as_guest(path).await.status, 404);
    served.site.stop().await;
}
