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
use semantics::endpoint::{BadEndpoint, EndpointSettings, ModelEndpoint, WITHOUT_PROBABILITIES};
use semantics::gate::Gate;
use semantics::rules::Rules;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Vouches for 127.0.0.1 from 2020 to 2120, and for itself; its key is of these tests alone.
const CERTIFICATE: &[u8] = include_bytes!("endpoint/certificate.pem");

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

fn parser(at: SocketAddr) -> ModelEndpoint {
    ModelEndpoint::new(EndpointSettings {
        timeout: Duration::from_millis(2_000),
        ..EndpointSettings::new(format!("http://{at}/v1"), "small")
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

/// The key is in an environment variable, goes out as a bearer token and is told to nobody: not by
/// settings, not by an endpoint that says it back.
#[test]
fn a_key_is_kept() {
    // Whoever runs tests sets this one.
    let (variable, key) = ("CARGO_PKG_NAME", env!("CARGO_PKG_NAME"));
    let settings = |url: String| EndpointSettings {
        key_variable: Some(variable.to_owned()),
        ..EndpointSettings::new(url, "small")
    };
    let (at, served) = serve("401 Unauthorized", format!("no such key: {key}"));
    let here = settings(format!("http://{at}/v1/"));
    assert!(!format!("{here:?}").contains(key));
    let failure = ModelEndpoint::new(here)
        .unwrap()
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap_err();
    assert_eq!(failure.reason, "the endpoint answers 401: no such key: …");
    let (head, _) = served.join().unwrap();
    assert!(
        head.contains(&format!("authorization: Bearer {key}\r\n")),
        "{head}"
    );

    let unset = EndpointSettings {
        key_variable: Some("CONVOKE_NO_SUCH_VARIABLE".to_owned()),
        ..settings(format!("http://{at}/v1"))
    };
    assert!(
        matches!(ModelEndpoint::new(unset), Err(BadEndpoint::NoKey { variable }) if variable == "CONVOKE_NO_SUCH_VARIABLE")
    );
}

/// §7: what people say leaves the host by `https` only, unless somebody wants it otherwise; a key
/// never.
#[test]
fn nothing_travels_in_the_clear() {
    let settings = |url: &str| EndpointSettings::new(url, "small");
    for url in [
        "http://192.0.2.1/v1",
        "http://model.example/v1",
        "http://localhost.example/v1",
    ] {
        assert!(
            matches!(
                ModelEndpoint::new(settings(url)),
                Err(BadEndpoint::Clear(_))
            ),
            "{url}"
        );
        let told = EndpointSettings {
            in_the_clear: true,
            ..settings(url)
        };
        assert!(ModelEndpoint::new(told.clone()).is_ok(), "{url}");
        let keyed = EndpointSettings {
            key_variable: Some("CARGO_PKG_NAME".to_owned()),
            ..told
        };
        assert!(
            matches!(ModelEndpoint::new(keyed), Err(BadEndpoint::KeyInTheClear)),
            "{url}"
        );
    }
    for url in [
        "http://127.0.0.1:1/v1",
        "http://[::1]:1/v1",
        "http://localhost/v1",
    ] {
        assert!(ModelEndpoint::new(settings(url)).is_ok(), "{url}");
    }
    let name = ModelEndpoint::new(settings("http://[::1]:1/v1")).unwrap();
    assert_eq!(name.name(), "endpoint small at [::1]:1");
}

/// Addresses that are none, or tell what an address must not tell.
#[test]
fn an_endpoint_has_a_plain_address() {
    for url in [
        "",
        "ftp://host/v1",
        "http://",
        "/v1",
        "https://host/v1?version=2",
        "https://host/v1#x",
    ] {
        let wrong = ModelEndpoint::new(EndpointSettings::new(url, "small"));
        assert!(matches!(wrong, Err(BadEndpoint::Url(_))), "{url}");
    }
    let wrong = ModelEndpoint::new(EndpointSettings::new("https://me:s3cret@host/v1", "small"));
    let told = wrong.err().unwrap().to_string();
    assert!(!told.contains("s3cret"), "{told}");
}

/// Authorities that there are none of.
#[test]
fn somebody_is_trusted() {
    let directory = tempfile::tempdir().unwrap();
    let settings = |name: &str| EndpointSettings {
        authorities: Some(directory.path().join(name)),
        ..EndpointSettings::new("https://127.0.0.1:1/v1", "small")
    };
    std::fs::write(directory.path().join("empty.pem"), "").unwrap();
    let nobody = ModelEndpoint::new(settings("empty.pem"));
    assert!(matches!(nobody, Err(BadEndpoint::Nobody)));
    let missing = ModelEndpoint::new(settings("none.pem"));
    assert!(matches!(missing, Err(BadEndpoint::Authorities { .. })));
}

/// A server that speaks TLS as 127.0.0.1.
fn serve_tls(body: String) -> (SocketAddr, JoinHandle<()>) {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("endpoint/key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let served = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let connection = ServerConnection::new(Arc::new(config)).unwrap();
        let mut stream = StreamOwned::new(connection, stream);
        let mut asked = Vec::new();
        // A client that does not trust this server says no more.
        while !asked.windows(4).any(|w| w == b"\r\n\r\n") {
            let mut piece = [0; 4_096];
            match stream.read(&mut piece) {
                Ok(read) if read > 0 => asked.extend_from_slice(&piece[..read]),
                _ => return,
            }
        }
        let length = body.len();
        let _ = write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        let _ = stream.flush();
    });
    (at, served)
}

/// Over TLS, to whom an authority vouches for by this name; to nobody else.
#[test]
fn https_is_proved() {
    let directory = tempfile::tempdir().unwrap();
    let authorities = directory.path().join("authorities.pem");
    std::fs::write(&authorities, CERTIFICATE).unwrap();
    let ask = |at: SocketAddr, host: &str, authorities: Option<&Path>| {
        let settings = EndpointSettings {
            authorities: authorities.map(Path::to_owned),
            key_variable: Some("CARGO_PKG_NAME".to_owned()),
            timeout: Duration::from_secs(10),
            ..EndpointSettings::new(format!("https://{host}:{}/v1", at.port()), "small")
        };
        ModelEndpoint::new(settings)
            .unwrap()
            .parse(&flight(), UTTERANCE, &circumstances())
    };
    let (at, served) = serve_tls(completion(&said(), None));
    let parsed = ask(at, "127.0.0.1", Some(&authorities)).unwrap();
    assert_eq!(parsed.payload["destination"], "SHA");
    served.join().unwrap();

    // The same server under a name that its certificate does not hold.
    let (at, served) = serve_tls(completion(&said(), None));
    let failure = ask(at, "localhost", Some(&authorities)).unwrap_err();
    assert!(
        failure
            .reason
            .starts_with("no connection: invalid peer certificate"),
        "{}",
        failure.reason
    );
    served.join().unwrap();

    // And one that speaks no TLS.
    let (at, served) = garble();
    let failure = ask(at, "127.0.0.1", Some(&authorities)).unwrap_err();
    assert!(
        failure.reason.starts_with("no connection"),
        "{}",
        failure.reason
    );
    served.join().unwrap();
}

/// A server that answers the first bytes with plain HTTP.
fn garble() -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 64]);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    (at, served)
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
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "I must not."}}]});
    assert_eq!(
        reason("200 OK", refusal.to_string()),
        "the model refused: I must not."
    );
    let cut = json!({"choices": [{"finish_reason": "stop", "message": {"content": "{\"origin\": \"PE"}}]});
    assert!(reason("200 OK", cut.to_string()).contains("EOF while parsing a string"));
    assert_eq!(
        reason("500 Internal Server Error", "x\n\u{1b}[31m".repeat(500))
            .chars()
            .count(),
        "the endpoint answers 500: ".len() + 200
    );
    assert_eq!(
        reason("302 Found", String::new()),
        "the endpoint answers 302: "
    );
}

/// D62: what was finished before the limit of tokens stands.
#[test]
fn an_answer_that_is_cut_off_tells_what_it_told() {
    let content = "{\"origin\": \"PEK\", \"destination\": \"SHA\", \"departure_date\": \"2026-";
    let body = json!({"choices": [{"finish_reason": "length", "message": {"content": content}}]});
    let (at, served) = serve("200 OK", body.to_string());
    let parsed = parser(at)
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap();
    served.join().unwrap();
    assert_eq!(
        Value::Object(parsed.payload),
        json!({"origin": "PEK", "destination": "SHA"})
    );
    assert_eq!(parsed.missing, ["departure_date"]);
}

/// A server that says this, whatever it is asked, and hangs up.
fn say(bytes: Vec<u8>) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        request(&stream);
        // Whoever has read enough hangs up first.
        let _ = stream.write_all(&bytes);
    });
    (at, served)
}

/// Bodies that are too long, no text, broken off, or no HTTP at all.
#[test]
fn bodies_have_limits() {
    let reason = |answer: &[&[u8]]| {
        let (at, served) = say(answer.concat());
        let settings = EndpointSettings {
            answer_bytes_max: 1_000,
            ..EndpointSettings::new(format!("http://{at}/v1"), "small")
        };
        let parser = ModelEndpoint::new(settings).unwrap();
        let failure = parser.parse(&flight(), UTTERANCE, &circumstances());
        served.join().unwrap();
        failure.unwrap_err().reason
    };
    let long = [b' '; 2_000];
    let told = b"HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n";
    assert_eq!(
        reason(&[told, &long]),
        "the answer is longer than 1000 bytes"
    );
    let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7d0\r\n";
    assert_eq!(
        reason(&[chunked, &long]),
        "the answer is longer than 1000 bytes"
    );
    let endless = b"HTTP/1.1 500 Oh\r\n\r\n";
    assert_eq!(
        reason(&[endless, &long]),
        "the answer is longer than 1000 bytes"
    );
    let short = b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choices\"";
    assert!(reason(&[short]).starts_with("the exchange broke off"));
    let binary = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n\xff\xfe";
    assert_eq!(reason(&[binary]), "the answer is no text");
    assert!(reason(&[b"SSH-2.0-OpenSSH\r\n"]).starts_with("the exchange broke off"));
    assert!(reason(&[b""]).starts_with("the exchange broke off"));

    let parser =
        ModelEndpoint::new(EndpointSettings::new("http://127.0.0.1:9/v1", "small")).unwrap();
    let long = "a".repeat(1_200_000);
    let failure = parser
        .parse(&flight(), &long, &circumstances())
        .unwrap_err();
    assert_eq!(failure.reason, "the request is longer than 1048576 bytes");
}

/// Nobody there, and nobody who answers in time.
#[test]
fn silence_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let patient = EndpointSettings {
        timeout: Duration::from_millis(50),
        ..EndpointSettings::new(format!("http://{at}/v1"), "small")
    };
    let failure = ModelEndpoint::new(patient)
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

/// An answer that trickles in is late like one that never begins.
#[test]
fn the_whole_exchange_has_one_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let (over, wait) = std::sync::mpsc::channel::<()>();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        request(&stream);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{")
            .unwrap();
        let _ = wait.recv();
    });
    let settings = EndpointSettings {
        timeout: Duration::from_millis(100),
        ..EndpointSettings::new(format!("http://{at}/v1"), "small")
    };
    let failure = ModelEndpoint::new(settings)
        .unwrap()
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap_err();
    assert_eq!(failure.reason, "there was no answer within 100 ms");
    drop(over);
    served.join().unwrap();
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

    // A model that is silent is told, unless somebody wants the rules to stand alone then.
    let gate = Gate::new(Rules::default(), parser(at));
    assert!(gate.parse(&flight(), UTTERANCE, &circumstances()).is_err());
    let alone = gate
        .bearing_failures()
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap();
    assert_eq!(alone.payload, parsed.payload);
}
