//! Event streams (RFC 8040 §6): encodings, replay, filters, resuming, ends.

use crate::site::{Served, error_of};
use serde_json::Value;
use testkit::http::ended;
use testkit::within;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpStream;

const EVENTS: (&str, &str) = ("Accept", "text/event-stream");

/// A frame.
#[derive(Debug, Default, PartialEq)]
struct Frame {
    id: Option<u64>,
    data: String,
}

/// A stream that is read frame by frame.
struct Reader(BufReader<TcpStream>);

impl Reader {
    /// The stream at a path, whose head is read.
    async fn open(served: &Served, path: &str, fields: &[(&str, &str)]) -> Self {
        let fields = [&[EVENTS], fields].concat();
        let mut reader = Self(BufReader::new(served.stream(path, &fields).await));
        let head = reader.line().await;
        assert_eq!(head, "HTTP/1.1 200 OK", "{path}");
        while !reader.line().await.is_empty() {}
        reader
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        within("a line", self.0.read_line(&mut line)).await.unwrap();
        line.trim_end_matches(['\r', '\n']).to_owned()
    }

    /// The next frame; sizes of chunks and comments are passed over.
    async fn frame(&mut self) -> Frame {
        let mut frame = Frame::default();
        let mut lines: Vec<String> = Vec::new();
        loop {
            let line = self.line().await;
            match line.split_once(": ") {
                Some(("id", id)) => frame.id = Some(id.parse().unwrap()),
                Some(("data", data)) => lines.push(data.to_owned()),
                _ if line.is_empty() && !lines.is_empty() => {
                    frame.data = lines.join("\n");
                    return frame;
                }
                _ => {}
            }
        }
    }

    /// The next frame that tells of a task, as its place and its status.
    async fn of_task(&mut self, task: &str) -> (u64, String) {
        loop {
            let frame = self.frame().await;
            let told: Value = serde_json::from_str(&frame.data).unwrap();
            let event = &told["ietf-restconf:notification"]["irtf-agent:condition-notifications"];
            if event["task-id"] == task {
                let status = event["input-required"][0]["status"].as_str().unwrap();
                return (frame.id.unwrap(), status.to_owned());
            }
        }
    }
}

#[tokio::test]
async fn what_happens_is_told_in_json_and_in_xml() {
    let served = Served::start().await;
    let mut json = Reader::open(&served, "/streams/NETCONF", &[]).await;
    let mut xml = Reader::open(&served, "/streams/NETCONF/xml", &[]).await;
    served.assign("dig-1").await;
    let (place, status) = json.of_task("dig-1").await;
    assert_eq!(status, "created");
    let told = loop {
        let frame = xml.frame().await;
        if frame.id == Some(place) {
            break frame.data;
        }
    };
    let opened =
        "<notification xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\"><eventTime>";
    assert!(told.starts_with(opened), "{told}");
    // A value of several lines is one value.
    assert!(told.contains("##target object\ngarden\n"), "{told}");
    let generation = served.site.host.platform.generation();
    generation.check_notification(&told).unwrap();
    served.site.stop().await;
}

#[tokio::test]
async fn a_replay_ends_with_its_marks() {
    let served = Served::start().await;
    served.assign("dig-1").await;
    let span = "start-time=2026-01-01T00:00:00Z&stop-time=2026-01-02T00:00:00%2B01:00";
    let none = served
        .stream(&format!("/streams/NETCONF?{span}"), &[EVENTS])
        .await;
    let answer = ended(none).await.unwrap();
    let names = |events: &[Value]| -> Vec<String> {
        let each = events.iter().map(|event| {
            let members = event["ietf-restconf:notification"].as_object().unwrap();
            members
                .keys()
                .find(|name| name.contains(':'))
                .unwrap()
                .clone()
        });
        each.collect()
    };
    assert_eq!(
        names(&answer.events()),
        [
            "nc-notifications:replayComplete",
            "nc-notifications:notificationComplete"
        ]
    );

    let path = "/streams/NETCONF?start-time=2026-01-01T00:00:00Z\
                &filter=/irtf-agent:condition-notifications%5Birtf-agent:task-id='dig-1'%5D";
    let mut replayed = Reader::open(&served, path, &[]).await;
    let (first, status) = replayed.of_task("dig-1").await;
    assert_eq!(status, "created");
    let next = replayed.frame().await;
    assert!(next.id.is_none_or(|id| id > first), "{next:?}");
    served.site.stop().await;
}

#[tokio::test]
async fn a_filter_that_is_more_than_a_path_is_searched() {
    let served = Served::start().await;
    let path = "/streams/NETCONF/json?filter=\
                //irtf-agent:task-id%5Bcontains(.,'wanted')%5D";
    let mut filtered = Reader::open(&served, path, &[]).await;
    for task in ["other-1", "wanted-1", "other-2", "wanted-2"] {
        served.assign(task).await;
    }
    let mut seen = Vec::new();
    while !seen.contains(&"wanted-2".to_owned()) {
        let frame = filtered.frame().await;
        let told: Value = serde_json::from_str(&frame.data).unwrap();
        let event = told["ietf-restconf:notification"].as_object().unwrap();
        let (_, event) = event.iter().find(|(name, _)| name.contains(':')).unwrap();
        seen.push(event["task-id"].as_str().unwrap().to_owned());
    }
    assert!(
        seen.iter().all(|task| task.starts_with("wanted")),
        "{seen:?}"
    );
    served.site.stop().await;
}

/// Whoever comes back with the last event that he knows misses none and gets none twice.
#[tokio::test]
async fn a_stream_is_resumed_without_gap_or_duplicate() {
    let served = Served::start().await;
    let mut all = Reader::open(&served, "/streams/NETCONF", &[]).await;
    let mut cut = Reader::open(&served, "/streams/NETCONF", &[]).await;
    served.assign("dig-1").await;
    let (last, _) = cut.of_task("dig-1").await;
    drop(cut);
    for task in ["dig-2", "dig-3"] {
        served.assign(task).await;
    }
    let last_id = last.to_string();
    let fields = [("Last-Event-ID", last_id.as_str())];
    let mut resumed = Reader::open(&served, "/streams/NETCONF", &fields).await;
    served.assign("dig-4").await;
    let mut known = all.frame().await;
    while known.id != Some(last) {
        known = all.frame().await;
    }
    loop {
        let (expected, got) = (all.frame().await, resumed.frame().await);
        assert_eq!(got, expected);
        if got.data.contains("\"dig-4\"") {
            break;
        }
    }
    served.site.stop().await;
}

#[tokio::test]
async fn what_is_no_stream_or_no_parameter_of_one_is_refused() {
    let served = Served::start().await;
    for (path, fields, status, tag) in [
        ("/streams/OTHER", vec![], 404, "invalid-value"),
        ("/streams", vec![], 404, "invalid-value"),
        ("/streams/NETCONF/yaml", vec![], 404, "invalid-value"),
        ("/streams/NETCONF?depth=1", vec![], 400, "invalid-value"),
        (
            "/streams/NETCONF?start-time=soon",
            vec![],
            400,
            "invalid-value",
        ),
        (
            "/streams/NETCONF?start-time=2999-01-01T00:00:00Z",
            vec![],
            400,
            "bad-element",
        ),
        (
            "/streams/NETCONF?stop-time=2026-01-01T00:00:00Z",
            vec![],
            400,
            "missing-element",
        ),
        (
            "/streams/NETCONF?filter=/nobody:x",
            vec![],
            400,
            "invalid-value",
        ),
        (
            "/streams/NETCONF?filter=1%2B1",
            vec![],
            400,
            "invalid-value",
        ),
        (
            "/streams/NETCONF?filter=/a%5B",
            vec![],
            400,
            "invalid-value",
        ),
        (
            "/streams/NETCONF",
            vec![("Last-Event-ID", "x")],
            400,
            "invalid-value",
        ),
        (
            "/streams/NETCONF",
            vec![("Last-Event-ID", "-1")],
            400,
            "invalid-value",
        ),
        (
            "/streams/NETCONF",
            vec![("Last-Event-ID", "+1")],
            400,
            "invalid-value",
        ),
    ] {
        let answer = served.ask("GET", path, &fields, "").await;
        assert_eq!(
            error_of(&answer, status)["error-tag"],
            tag,
            "{path} {fields:?}"
        );
    }
    let json = [("Accept", "application/yang-data+json")];
    let answer = served.ask("GET", "/streams/NETCONF", &json, "").await;
    error_of(&answer, 406);
    let denied = served.as_guest("/streams/NETCONF?depth=1").await;
    error_of(&denied, 400);
    served.site.stop().await;
}

/// A user without rights has a stream, as over NETCONF, in which nothing of others is told.
#[tokio::test]
async fn what_a_user_may_not_see_is_not_told() {
    let served = Served::start().await;
    served.assign("dig-1").await;
    let path = "/streams/NETCONF?start-time=2026-01-01T00:00:00Z&stop-time=";
    let now = server::clock::Clock::wall_time();
    let told = served.as_guest(&format!("{path}{now}")).await;
    assert_eq!(told.status, 200, "{told:?}");
    assert!(!told.body.contains("dig-1"), "{told:?}");
    assert!(told.body.contains("notificationComplete"), "{told:?}");
    served.site.stop().await;
}
