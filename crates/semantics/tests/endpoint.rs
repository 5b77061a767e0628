//! The endpoint parser over real HTTP against a server of its own, which speaks as
//! OpenAI-compatible ones do; D60 to D62.
// The server is a listener on a thread, and the parser reads a clock to wait.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

use schema::semantics::{Circumstances, SemanticParser};
use schema::template::Template;
use schema::time::Timestamp;
use semantics::endpoint::{BadEndpoint, Endpoint, Settings, WITHOUT_PROBABILITIES};
use semantics::gate::Gate;
use semantics::rules::Rules;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

const UTTERANCE: &str = "Book me a flight from Beijing to Shanghai next Monday, business class, and I prefer a window seat.";

fn circumstances() -> Circumstances {
    let now = Timestamp::parse("2026-04-30T10:00:00+08:00").unwrap();
    Circumstances {
        now,
        zone_minutes: 480,
        language: None,
    }
}

fn flight() -> Template {
    schema::shipped::template("flight_booking_v1").unwrap()
}

/// A server that answers one request with a status and a body, and gives the request back.
fn serve(status: &'static str, body: String) -> (SocketAddr, JoinHandle<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let served = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let request = request(&stream);
        answer(&stream, status, &body);
        request
    });
    (at, served)
}

/// Head and JSON body of a request.
fn request(stream: &TcpStream) -> (String, Value) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0);
    }
    let length = head
        .to_lowercase()
        .lines()
        .find_map(|l| l.strip_prefix("content-length: ")?.trim().parse().ok())
        .unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (head, serde_json::from_slice(&body).unwrap())
}

fn answer(mut stream: &TcpStream, status: &str, body: &str) {
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
}

/// A completion whose content is this JSON, every token as probable as told.
fn completion(content: &Value, probability: Option<f64>) -> String {
    let text = content.to_string();
    let tokens: Vec<Value> = text
        .chars()
        .map(|c| json!({"token": c.to_string(), "logprob": probability.unwrap_or(1.0).ln()}))
        .collect();
    let mut choice = json!({"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}});
    if probability.is_some() {
        choice["logprobs"] = json!({"content": tokens});
    }
    json!({"id": "c", "object": "chat.completion", "choices": [choice]}).to_string()
}

fn parser(at: SocketAddr) -> Endpoint {
    Endpoint::new(Settings {
        timeout: Duration::from_millis(2_000),
        ..Settings::new(format!("http://{at}/v1"), "small")
    })
    .unwrap()
}

fn said() -> Value {
    json!({
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "cabin_class": "business",
        "passenger_count": null, "other": ["window seat"]
    })
}

/// D60, D61: the template goes out as prompt and response format, the utterance fenced; what comes
/// back is the payload with a confidence for each key.
#[test]
fn an_answer_becomes_a_payload() {
    let (at, served) = serve("200 OK", completion(&said(), Some(0.9)));
    let parsed = parser(at)
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap();
    let expected = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "cabin_class": "business"});
    assert_eq!(Value::Object(parsed.payload), expected);
    assert_eq!(parsed.other, ["window seat"]);
    assert!((parsed.confidence["origin"] - 0.9).abs() < 1e-6);

    let (head, body) = served.join().unwrap();
    assert!(
        head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"),
        "{head}"
    );
    assert!(!head.to_lowercase().contains("authorization"));
    assert_eq!(
        (&body["model"], &body["temperature"], &body["logprobs"]),
        (&json!("small"), &json!(0), &json!(true))
    );
    assert_eq!(body["response_format"]["type"], "json_schema");
    let system = body["messages"][0]["content"].as_str().unwrap();
    assert!(
        system.contains("departure_date")
            && system.contains("Now: Thursday 2026-04-30, 10:00+08:00"),
        "{system}"
    );
    let user = body["messages"][1]["content"].as_str().unwrap();
    assert!(
        user.contains("window seat") && !system.contains("window seat."),
        "{user}"
    );
}

/// D62: an answer without probabilities counts little; one that is unsure goes to `other`.
#[test]
fn confidence_decides() {
    let (at, served) = serve("200 OK", completion(&said(), None));
    let parsed = parser(at)
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap();
    assert_eq!(parsed.confidence["origin"], WITHOUT_PROBABILITIES);
    served.join().unwrap();

    let unsure = json!({"cabin_class": "business", "origin": null, "other": null});
    let (at, served) = serve("200 OK", completion(&unsure, Some(0.3)));
    let parsed = parser(at)
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap();
    assert!(parsed.payload.is_empty());
    assert_eq!(
        (parsed.confidence.len(), parsed.other.as_slice()),
        (1, ["business".to_owned()].as_slice())
    );
    served.join().unwrap();
}

/// §6.1: what the model makes up, and what the template does not take, has no way in.
#[test]
fn nothing_comes_from_nowhere() {
    let invented = json!({
        "origin": "Atlantis", "destination": "SHA", "departure_date": "next Monday", "cabin_class": "royal",
        "passenger_count": 40, "surname": "Beijing", "other": ["a bottle of champagne"]
    });
    let (at, served) = serve("200 OK", completion(&invented, Some(0.99)));
    let parsed = parser(at)
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap();
    assert_eq!(Value::Object(parsed.payload), json!({"destination": "SHA"}));
    assert_eq!(parsed.missing, ["origin", "departure_date"]);
    assert!(
        !parsed.other.iter().any(|f| f.contains("champagne")),
        "{:?}",
        parsed.other
    );
    served.join().unwrap();
}

/// The key is a bearer token; it never travels in the clear to another host, and is not told.
#[test]
fn a_key_is_kept() {
    let (at, served) = serve("200 OK", completion(&said(), None));
    let settings = Settings {
        key: Some("s3cret".to_owned()),
        ..Settings::new(format!("http://{at}/v1/"), "small")
    };
    assert!(!format!("{settings:?}").contains("s3cret"));
    Endpoint::new(settings)
        .unwrap()
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap();
    assert!(served.join().unwrap().0.contains("Bearer s3cret"));

    let abroad = Settings {
        key: Some("s3cret".to_owned()),
        ..Settings::new("http://192.0.2.1/v1", "small")
    };
    assert!(matches!(
        Endpoint::new(abroad),
        Err(BadEndpoint::KeyInTheClear)
    ));
    for url in ["", "ftp://host/v1", "http://", "/v1"] {
        assert!(
            matches!(
                Endpoint::new(Settings::new(url, "small")),
                Err(BadEndpoint::Url(_))
            ),
            "{url}"
        );
    }
}

/// Failures are told with what failed, one by one.
#[test]
fn failures_are_told() {
    let reason = |status: &'static str, body: String| {
        let (at, served) = serve(status, body);
        let failure = parser(at)
            .parse(&flight(), UTTERANCE, &circumstances())
            .unwrap_err();
        served.join().unwrap();
        assert!(failure.parser.contains("small"));
        failure.reason
    };
    assert_eq!(
        reason("503 Service Unavailable", "loading model".to_owned()),
        "the endpoint answers 503: loading model"
    );
    assert_eq!(
        reason("401 Unauthorized", "{}".to_owned()),
        "the endpoint answers 401: {}"
    );
    assert!(reason("200 OK", "not json".to_owned()).starts_with("the answer is no JSON"));
    assert!(reason("200 OK", "{}".to_owned()).contains("choices[0]"));
    let prose =
        json!({"choices": [{"message": {"content": "Sure! Here is your flight."}}]}).to_string();
    assert!(reason("200 OK", prose).starts_with("the model did not keep to the response format"));
    assert_eq!(
        reason("302 Found", String::new()),
        "the endpoint answers 302: "
    );
}

/// Nobody there, and nobody who answers in time.
#[test]
fn silence_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let patient = Settings {
        timeout: Duration::from_millis(50),
        ..Settings::new(format!("http://{at}/v1"), "small")
    };
    let failure = Endpoint::new(patient)
        .unwrap()
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap_err();
    assert_eq!(failure.reason, "there was no answer within 50 ms");
    drop(listener);
    let failure = parser(at)
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap_err();
    assert!(
        failure.reason.starts_with("no connection"),
        "{}",
        failure.reason
    );
}

/// §6.1: behind the gate, what both say stands, the model adds what it is sure of, and the rules
/// hold against it where they are sure.
#[test]
fn rules_and_model_behind_the_gate() {
    let other_mind = json!({
        "origin": "PEK", "destination": "PEK", "departure_date": "2026-05-04", "cabin_class": "business",
        "passenger_count": null, "other": null
    });
    let (at, served) = serve("200 OK", completion(&other_mind, Some(0.8)));
    let gate = Gate::new(Rules::default(), parser(at));
    assert!(
        gate.name()
            .starts_with("rules + endpoint small at 127.0.0.1:")
    );
    let parsed = gate.parse(&flight(), UTTERANCE, &circumstances()).unwrap();
    assert_eq!(parsed.payload["destination"], "SHA");
    assert!(parsed.confidence["origin"] >= 0.9);
    assert_eq!(parsed.other, ["window seat"]);
    served.join().unwrap();

    // A model that is silent is told, not left out.
    let gate = Gate::new(Rules::default(), parser(at));
    assert!(gate.parse(&flight(), UTTERANCE, &circumstances()).is_err());
}
