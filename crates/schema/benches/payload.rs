//! The cost of checking a payload, beside the crate `jsonschema` on the JSON Schema of the
//! same template ([`json_schema`]).
//!
//! ```text
//! cargo bench -p convoke-schema --bench payload -- [--json] [--smoke]
//! ```
//! Payloads: `flight` (six keys) and `incident` (400 nested alarms), each valid and with one value
//! that is wrong. Rows: `verify` (ours; the reasons too, where it is wrong), `accept` (ours, with the
//! canonical form), `jsonschema` (yes or no; where it is wrong, all reasons, and where), each the
//! best of many rounds, and the ratio to `verify`. `--json` prints an object a line. Without `--bench`, which
//! `cargo bench` gives, or with `--smoke`, it only shows that it runs.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    missing_docs
)]

use jsonschema::Validator;
use schema::contract::{Contract, Unknown};
use schema::language::Language;
use schema::render::json_schema;
use schema::template::{
    Annotation, Constraint, Format, Key, KeyStatus, KeyType, OTHER, Property, Shape, Template,
};
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::time::{Duration, Instant};

type Payload = Map<String, Value>;

/// One template, compiled here and there, and payloads.
struct Subject {
    name: &'static str,
    contract: Contract,
    validator: Validator,
    valid: Payload,
    invalid: Payload,
}

/// The size of the measurement.
struct Scale {
    /// The time that a round takes, about.
    round: Duration,
    rounds: usize,
}

const FULL: Scale = Scale {
    round: Duration::from_millis(2),
    rounds: 201,
};
const SMOKE: Scale = Scale {
    round: Duration::from_micros(50),
    rounds: 3,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|a| a == word);
    let scale = match has("--bench") && !has("--smoke") {
        true => FULL,
        false => SMOKE,
    };
    if !has("--json") {
        println!(
            "{:<10} {:<8} {:<12} {:>12} {:>14}",
            "payload", "is", "check", "µs", "ours is faster"
        );
    }
    for subject in [flight(), incident()] {
        subject.agrees();
        for row in subject.rows(&scale) {
            row.print(has("--json"));
        }
    }
}

struct Row {
    payload: &'static str,
    is: &'static str,
    check: &'static str,
    us: f64,
    /// The time in multiples of our `verify`; of `jsonschema` alone.
    ratio: Option<f64>,
}

impl Row {
    fn print(&self, as_json: bool) {
        let Row {
            payload,
            is,
            check,
            us,
            ratio,
        } = self;
        if as_json {
            return println!(
                "{}",
                json!({ "event": "bench", "name": "payload", "payload": payload, "is": is,
                    "check": check, "value": us, "unit": "us", "ratio": ratio })
            );
        }
        let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.1} times"));
        println!("{payload:<10} {is:<8} {check:<12} {us:>12.3} {ratio:>14}");
    }
}

impl Subject {
    /// Both say the same of both payloads; otherwise nothing is worth measuring.
    fn agrees(&self) {
        for (payload, fits) in [(&self.valid, true), (&self.invalid, false)] {
            assert_eq!(self.contract.verify(payload).is_ok(), fits, "{}", self.name);
            let value = Value::Object(payload.clone());
            assert_eq!(self.validator.is_valid(&value), fits, "{}", self.name);
        }
    }

    fn rows(&self, scale: &Scale) -> Vec<Row> {
        let mut rows = self.row("valid", &self.valid, scale);
        rows.extend(self.row("invalid", &self.invalid, scale));
        rows
    }

    /// Ours and theirs by turns, so that what else the machine does disturbs both.
    fn row(&self, is: &'static str, payload: &Payload, scale: &Scale) -> Vec<Row> {
        let value = Value::Object(payload.clone());
        let mut best = [f64::INFINITY; 3];
        for _ in 0..scale.rounds {
            let took = [
                round(scale, || (), |()| self.contract.verify(payload).is_ok()),
                round(
                    scale,
                    || payload.clone(),
                    |it| self.contract.accept(it, Unknown::Reject),
                ),
                round(scale, || (), |()| self.theirs(is, &value)),
            ];
            best = std::array::from_fn(|n| best[n].min(took[n]));
        }
        let [verify, accept, theirs] = best;
        let row = |check, us, ratio| Row {
            payload: self.name,
            is,
            check,
            us,
            ratio,
        };
        vec![
            row("verify", verify, None),
            row("accept", accept, None),
            row("jsonschema", theirs, Some(theirs / verify)),
        ]
    }

    /// Yes or no; the reasons in words, where it is wrong, as `verify` tells them too.
    fn theirs(&self, is: &str, value: &Value) -> usize {
        match is {
            "valid" => usize::from(self.validator.is_valid(value)),
            _ => {
                let reasons = self.validator.iter_errors(value);
                let told = |it: jsonschema::ValidationError<'_>| {
                    it.to_string().len() + it.instance_path().to_string().len()
                };
                reasons.map(told).sum()
            }
        }
    }
}

/// Microseconds a call; what `make` and dropping take is not counted.
fn round<I, O>(scale: &Scale, make: impl Fn() -> I, run: impl Fn(I) -> O) -> f64 {
    let once = |calls: usize| {
        let inputs: Vec<I> = (0..calls).map(|_| make()).collect();
        let mut outputs = Vec::with_capacity(calls);
        let began = Instant::now();
        outputs.extend(inputs.into_iter().map(|input| black_box(run(input))));
        began.elapsed().max(Duration::from_nanos(1))
    };
    let calls = (scale.round.as_secs_f64() / once(1).as_secs_f64()).clamp(1.0, 2_000.0) as usize;
    once(calls).as_secs_f64() * 1e6 / calls as f64
}

// -- subjects ---------------------------------------------------------------------------------

impl Subject {
    fn new(name: &'static str, template: &Template, valid: Value, invalid: Value) -> Self {
        let schema = json_schema(template, &Language::english());
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .unwrap();
        Self {
            name,
            contract: Contract::new(template).unwrap(),
            validator,
            valid: object(valid),
            invalid: object(invalid),
        }
    }
}

fn flight() -> Subject {
    let cabins = ["economy", "premium_economy", "business", "first"];
    let keys = vec![
        key("origin", true, text(Constraint::default())),
        key("destination", true, text(Constraint::default())),
        key("departure_date", true, formatted(Format::Date)),
        key("cabin_class", false, one_of(&cabins)),
        key("passenger_count", false, integer(1, 9)),
    ];
    let valid = json!({
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04",
        "cabin_class": "business", "passenger_count": 1, "other": "window seat"
    });
    let mut invalid = valid.clone();
    invalid["passenger_count"] = json!(12);
    Subject::new(
        "flight",
        &template("flight_booking_v1", keys),
        valid,
        invalid,
    )
}

fn incident() -> Subject {
    let summary = Constraint {
        max_length: Some(500),
        ..Constraint::default()
    };
    let keys = vec![
        key("incident_id", true, matching("INC-[0-9]{8}-[0-9]{4}")),
        key(
            "domain",
            true,
            one_of(&["wireless", "ip", "optical", "core"]),
        ),
        key("raised_at", true, formatted(Format::DateTime)),
        key("summary", false, text(summary)),
        key("alarms", true, list_of(alarm())),
    ];
    let mut invalid = incident_payload();
    invalid["alarms"][371]["severity"] = json!("severe");
    let template = template("fault_incident_v1", keys);
    Subject::new("incident", &template, incident_payload(), invalid)
}

const SEVERITIES: [&str; 4] = ["critical", "major", "minor", "warning"];

fn incident_payload() -> Value {
    let alarms: Vec<Value> = (0..400)
        .map(|n| {
            json!({
                "alarm_id": format!("ALM-{n:06}"), "severity": SEVERITIES[n % 4],
                "raised_at": format!("2026-05-04T09:{:02}:{:02}.250Z", n / 60 % 60, n % 60),
                "element": format!("router-{}.region-{}", n % 40, n % 7),
                "address": format!("192.0.2.{}", n % 250), "code": 1_000 + n,
                "level": f64::from(n as u32) / 4.0, "acknowledged": n % 3 == 0
            })
        })
        .collect();
    json!({
        "incident_id": "INC-20260504-0042", "domain": "ip", "raised_at": "2026-05-04T09:00:00Z",
        "summary": "Loss of signal on the ring between two regions", "alarms": alarms,
        "other": ["started after the storm"]
    })
}

fn alarm() -> Shape {
    let element = Constraint {
        max_length: Some(64),
        ..Constraint::default()
    };
    let properties = vec![
        member("alarm_id", true, matching("ALM-[0-9]{6}")),
        member("severity", true, one_of(&SEVERITIES)),
        member("raised_at", true, formatted(Format::DateTime)),
        member("element", true, text(element)),
        member("address", false, formatted(Format::Ipv4)),
        member("code", false, integer(0, 65_535)),
        member("level", false, Shape::of(KeyType::Number)),
        member("acknowledged", false, Shape::of(KeyType::Boolean)),
    ];
    Shape {
        key_type: KeyType::Object,
        constraint: Constraint {
            properties,
            ..Constraint::default()
        },
    }
}

fn template(schema_id: &str, mut keys: Vec<Key>) -> Template {
    keys.push(key(OTHER, false, text(Constraint::default())));
    Template {
        schema_id: schema_id.to_owned(),
        scenario: schema_id.trim_end_matches("_v1").to_owned(),
        title: None,
        language: Language::english(),
        keys,
        response_schema_id: None,
    }
}

fn key(name: &str, required: bool, shape: Shape) -> Key {
    Key {
        key_name: name.to_owned(),
        shape,
        required,
        default_value: None,
        annotation: Annotation::default(),
        security_relevant: false,
        standing: KeyStatus::Stable,
    }
}

fn member(name: &str, required: bool, shape: Shape) -> Property {
    Property {
        name: name.to_owned(),
        shape,
        required,
        annotation: Annotation::default(),
    }
}

fn text(constraint: Constraint) -> Shape {
    Shape {
        key_type: KeyType::String,
        constraint,
    }
}

fn formatted(format: Format) -> Shape {
    text(Constraint {
        format: Some(format),
        ..Constraint::default()
    })
}

fn matching(pattern: &str) -> Shape {
    text(Constraint {
        pattern: Some(pattern.to_owned()),
        ..Constraint::default()
    })
}

fn one_of(values: &[&str]) -> Shape {
    let allowed = values.iter().map(|value| json!(value)).collect();
    text(Constraint {
        allowed,
        ..Constraint::default()
    })
}

fn integer(least: i64, most: i64) -> Shape {
    let (minimum, maximum) = (Some(least.into()), Some(most.into()));
    Shape {
        key_type: KeyType::Integer,
        constraint: Constraint {
            minimum,
            maximum,
            ..Constraint::default()
        },
    }
}

fn list_of(items: Shape) -> Shape {
    Shape {
        key_type: KeyType::Array,
        constraint: Constraint {
            items: Some(Box::new(items)),
            max_items: Some(500),
            ..Constraint::default()
        },
    }
}

fn object(value: Value) -> Payload {
    match value {
        Value::Object(payload) => payload,
        other => panic!("{other} is no object"),
    }
}
