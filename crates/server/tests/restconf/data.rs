//! Reading: the API resource, the datastore and what is in it (RFC 8040 §3 and §4.3, §4.8).

use crate::site::{Served, XML};
use serde_json::json;
use testkit::http;

#[tokio::test]
async fn the_resources_are_where_host_meta_says() {
    let served = Served::start().await;
    let meta = http::get(&served.address(), "/.well-known/host-meta", None).await;
    assert_eq!(meta.status, 200);
    assert_eq!(meta.field("content-type"), "application/xrd+xml");
    assert!(meta.body.contains("rel=\"restconf\" href=\"/restconf\""));

    let api = served.json("").await;
    let version = "2019-01-04";
    let expected = json!({ "ietf-restconf:restconf": {
        "data": {}, "operations": {}, "yang-library-version": version,
    } });
    assert_eq!(api, expected);
    assert_eq!(served.json("/").await, expected);
    let library = served.json("/yang-library-version").await;
    assert_eq!(
        library,
        json!({ "ietf-restconf:yang-library-version": version })
    );
    assert_eq!(
        served.xml("/yang-library-version").await,
        "<yang-library-version xmlns=\"urn:ietf:params:xml:ns:yang:ietf-restconf\">2019-01-04\
         </yang-library-version>"
    );
    served.site.stop().await;
}

#[tokio::test]
async fn a_resource_is_read_by_its_keys() {
    let served = Served::start().await;
    let agent = served
        .json("/data/convoke-registry:registry/agent=digger")
        .await;
    let agent = &agent["convoke-registry:agent"][0];
    assert_eq!(agent["name"], "digger");
    assert_eq!(agent["version"], "1.0.0", "{agent}");
    let name = served
        .json("/data/convoke-registry:registry/agent=digger/name")
        .await;
    assert_eq!(name, json!({ "convoke-registry:name": "digger" }));
    let encoded = "/data/convoke-registry:registry/agent=%64igger/name";
    assert_eq!(served.json(encoded).await, name);
    assert_eq!(
        served
            .xml("/data/convoke-registry:registry/agent=digger/name")
            .await,
        "<name xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\">digger</name>"
    );

    let schema = "/data/ietf-netconf-monitoring:netconf-state/schemas/schema=\
                  irtf-agent,2025-07-01,ietf-netconf-monitoring%3Ayang";
    let schema = served.json(schema).await;
    let schema = &schema["ietf-netconf-monitoring:schema"][0];
    assert_eq!(schema["format"], "ietf-netconf-monitoring:yang");
    let capability = "/data/ietf-restconf-monitoring:restconf-state/capabilities/capability=\
                      urn%3Aietf%3Aparams%3Arestconf%3Acapability%3Adepth%3A1.0";
    let capability = served.json(capability).await;
    assert_eq!(
        capability["ietf-restconf-monitoring:capability"],
        json!(["urn:ietf:params:restconf:capability:depth:1.0"])
    );
    served.site.stop().await;
}

#[tokio::test]
async fn the_whole_datastore_is_valid_and_the_same_in_both_encodings() {
    let served = Served::start().await;
    served.assign("dig-1").await;
    let xml = served.xml("/data").await;
    let inside = xml
        .strip_prefix("<data xmlns=\"urn:ietf:params:xml:ns:yang:ietf-restconf\">")
        .and_then(|rest| rest.strip_suffix("</data>"))
        .unwrap();
    let generation = served.site.host.platform.generation();
    generation.check_data(inside, true).unwrap();
    let json = served.json("/data").await;
    let data = json["ietf-restconf:data"].as_object().unwrap();
    for module in [
        "irtf-agent:agent",
        "convoke-registry:registry",
        "convoke-schema:schemas",
        "ietf-netconf-monitoring:netconf-state",
        "ietf-restconf-monitoring:restconf-state",
        "ietf-yang-library:yang-library",
        "ietf-yang-library:modules-state",
        "ietf-netconf-acm:nacm",
        "nc-notifications:netconf",
    ] {
        assert!(data.contains_key(module), "{module}");
    }
    let task = &data["convoke-registry:registry"]["task"][0];
    assert_eq!(task["task-id"], "dig-1");
    // RFC 7951: a number of up to 32 bits is one, a greater one a string.
    let nacm = &data["ietf-netconf-acm:nacm"];
    assert_eq!(nacm["enable-nacm"], true);
    assert!(nacm["denied-operations"].is_u64(), "{nacm}");
    served.site.stop().await;
}

#[tokio::test]
async fn content_depth_and_fields_choose_what_is_sent() {
    let served = Served::start().await;
    let registry = "/data/convoke-registry:registry";
    for (query, expected) in [
        ("depth=1", json!({})),
        (
            "fields=agent(name;version)",
            json!({ "agent": [{ "name": "digger", "version": "1.0.0" }] }),
        ),
        (
            "fields=agent%2Fname",
            json!({ "agent": [{ "name": "digger" }] }),
        ),
        ("depth=2", json!({ "agent": [{ "name": "digger" }] })),
    ] {
        let read = served.json(&format!("{registry}?{query}")).await;
        let read = &read["convoke-registry:registry"];
        match query {
            // What else is on this level is not the question.
            "depth=2" => assert_eq!(read["agent"], expected["agent"]),
            _ => assert_eq!(*read, expected, "{query}"),
        }
    }
    let root = served.json("/data?depth=1").await;
    assert_eq!(root, json!({ "ietf-restconf:data": {} }));
    let root = served.json("/data?depth=2").await;
    assert_eq!(root["ietf-restconf:data"]["irtf-agent:agent"], json!({}));
    let fields = "/data?fields=irtf-agent:agent/name;ietf-restconf-monitoring:restconf-state/streams/stream/name";
    assert_eq!(
        served.json(fields).await["ietf-restconf:data"],
        json!({
            "irtf-agent:agent": { "name": "digger" },
            "ietf-restconf-monitoring:restconf-state":
                { "streams": { "stream": [{ "name": "NETCONF" }] } },
        })
    );
    let config = served.json("/data?content=config").await;
    let config = config["ietf-restconf:data"].as_object().unwrap().clone();
    assert_eq!(config.keys().collect::<Vec<_>>(), ["ietf-netconf-acm:nacm"]);
    let state = served
        .json("/data/ietf-netconf-acm:nacm?content=nonconfig")
        .await;
    let state = &state["ietf-netconf-acm:nacm"];
    assert!(
        state["denied-operations"].is_u64() && state["enable-nacm"].is_null(),
        "{state}"
    );
    // What is there and has nothing of it is no error; what is not there is.
    let digger = format!("{registry}/agent=digger");
    let bare = served.json(&format!("{digger}?content=config")).await;
    let name = &bare["convoke-registry:agent"][0]["name"];
    assert!(name.is_null() || name == "digger", "{bare}");
    let bare = served.xml(&format!("{registry}?content=config")).await;
    assert_eq!(
        bare,
        "<registry xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\"/>"
    );
    for path in [
        "agent=nobody?content=config",
        "agent=digger/name?content=config",
    ] {
        let path = format!("{registry}/{path}");
        let answer = served.ask("GET", &path, &[], "").await;
        assert_eq!(answer.status, 404, "{path}");
    }
    served.site.stop().await;
}

#[tokio::test]
async fn defaults_are_reported_as_is_asked() {
    let served = Served::start().await;
    let nacm = "/data/ietf-netconf-acm:nacm?depth=2&with-defaults=";
    let tagged = served.json(&format!("{nacm}report-all-tagged")).await;
    let all = served.json(&format!("{nacm}report-all")).await;
    let trimmed = served.json(&format!("{nacm}trim")).await;
    let leaf = "enable-external-groups";
    let of = |read: &serde_json::Value| read["ietf-netconf-acm:nacm"][leaf].clone();
    assert_eq!(of(&trimmed), json!(null));
    assert_eq!(of(&all), of(&tagged));
    let told = tagged["ietf-netconf-acm:nacm"].as_object().unwrap();
    let tags = told.iter().filter(|(name, _)| name.starts_with('@'));
    for (_, tag) in tags {
        assert_eq!(*tag, json!({ "ietf-netconf-with-defaults:default": true }));
    }
    served.site.stop().await;
}

/// What the monitoring tells is what is there (RFC 8040 §9).
#[tokio::test]
async fn the_streams_that_are_told_are_there() {
    let served = Served::start().await;
    let state = served
        .json("/data/ietf-restconf-monitoring:restconf-state")
        .await;
    let state = &state["ietf-restconf-monitoring:restconf-state"];
    let stream = &state["streams"]["stream"][0];
    assert_eq!(
        (&stream["name"], &stream["replay-support"]),
        (&json!("NETCONF"), &json!(true))
    );
    let ways = stream["access"].as_array().unwrap();
    assert_eq!(ways.len(), 2);
    for way in ways {
        let url = way["location"].as_str().unwrap();
        let path = url
            .strip_prefix(&format!("http://{}", served.address()))
            .unwrap();
        let token = Some(served.operator.as_str());
        let head = http::ask(&served.address(), "HEAD", path, token, &[], "").await;
        assert_eq!(head.status, 200, "{path}");
        assert_eq!(head.field("content-type"), "text/event-stream");
    }
    served.site.stop().await;
}

#[tokio::test]
async fn head_is_get_without_its_body_and_options_tells_the_methods() {
    let served = Served::start().await;
    let path = "/data/irtf-agent:agent/name";
    let got = served.ask("GET", path, &[("Accept", XML)], "").await;
    let head = served.ask("HEAD", path, &[("Accept", XML)], "").await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    for field in ["content-type", "content-length"] {
        assert_eq!(head.field(field), got.field(field));
    }
    for (path, methods) in [
        ("", "GET, HEAD, OPTIONS"),
        ("/data", "GET, HEAD, OPTIONS"),
        (path, "GET, HEAD, OPTIONS"),
        ("/operations", "GET, HEAD, OPTIONS"),
        ("/operations/irtf-agent:task-negotiate", "POST, OPTIONS"),
        ("/streams/NETCONF", "GET, HEAD, OPTIONS"),
    ] {
        let answer = served.ask("OPTIONS", path, &[], "").await;
        assert_eq!(
            (answer.status, answer.field("allow")),
            (200, methods),
            "{path}"
        );
    }
    served.site.stop().await;
}

/// What a user may not see is not there, and looks like it.
#[tokio::test]
async fn who_has_no_rights_sees_what_netconf_lets_all_see() {
    let served = Served::start().await;
    let nothing = served.as_guest("/data/irtf-agent:nothing").await;
    assert_eq!(nothing.status, 404);
    for path in [
        "/data/irtf-agent:agent",
        "/data/irtf-agent:agent/name",
        "/data/convoke-registry:registry",
        "/data/convoke-registry:registry/agent=digger",
        "/data/convoke-registry:registry/agent=nobody",
        "/data/ietf-netconf-acm:nacm",
        "/data/convoke-usage:usage",
    ] {
        let answer = served.as_guest(path).await;
        assert_eq!(
            answer.clone().undated(),
            nothing.clone().undated(),
            "{path}"
        );
    }
    let all = served.as_guest("/data").await.json();
    let mut seen: Vec<_> = all["ietf-restconf:data"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    seen.sort();
    assert_eq!(
        seen,
        [
            "ietf-netconf-monitoring:netconf-state",
            "ietf-restconf-monitoring:restconf-state",
            "ietf-yang-library:modules-state",
            "ietf-yang-library:yang-library",
            "nc-notifications:netconf",
        ]
    );
    let operations = served.as_guest("/operations").await.json();
    assert_eq!(
        operations["ietf-restconf:operations"],
        json!({
            "convoke-usage:end-console-session": [null],
            "ietf-netconf-monitoring:get-schema": [null],
        })
    );
    served.site.stop().await;
}
