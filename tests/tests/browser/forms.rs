//! Forms of templates in a browser: their input becomes a payload that the template accepts, and
//! the browser refuses what the template would.
//!
//! Read next: `schema::render::form`.

use super::chromium::{Browser, DESK, Looks};
use super::pages;
use schema::contract::{Contract, Unknown};
use schema::language::Language;
use schema::lint::TemplateOrigin;
use schema::render::form;
use schema::shipped::{shipped, template};
use schema::template::{KeyType, Template};
use serde_json::{Map, Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A page around the form, as an embedding site would write it.
fn page(template: &Template, action: Option<&str>) -> PathBuf {
    // Several tests show the same template at the same time, each in a file of its own.
    static PAGES: AtomicUsize = AtomicUsize::new(0);
    let number = PAGES.fetch_add(1, Ordering::Relaxed);
    let file = pages(&format!("{}-{number}.html", template.schema_id));
    let form = form(template, &Language::english(), action);
    let page = format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"></head><body><main>{form}</main></body></html>",
        template.schema_id
    );
    std::fs::write(&file, page).unwrap();
    file
}

/// Every shipped template: every pattern is valid in the browser, and each control has a name.
#[test]
fn every_shipped_form_can_be_read_and_heard() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    for template in shipped() {
        browser.open(&page(&template, None), DESK);
        // Only a pattern that is held against something is compiled.
        browser.look("all('input[pattern]').forEach(i => { i.value = 'x'; i.checkValidity(); i.value = ''; })");
        let none: [&str; 0] = [];
        assert_eq!(browser.noise(), none, "{}", template.schema_id);
        let told = browser.told();
        let controls = [
            "textbox",
            "spinbutton",
            "combobox",
            "radio",
            "button",
            "group",
            "Date",
        ];
        let unnamed = told
            .iter()
            .find(|node| controls.contains(&&*node.role) && node.name.is_empty());
        assert_eq!(unnamed, None, "{}", template.schema_id);
        let named = told
            .iter()
            .filter(|node| node.role == "form")
            .all(|node| !node.name.is_empty());
        assert!(named, "{}", template.schema_id);
    }
}

#[test]
fn a_form_that_is_filled_in_is_a_payload() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let inbox = TcpListener::bind("127.0.0.1:0").unwrap();
    let action = format!("http://{}/payload", inbox.local_addr().unwrap());
    let template = template("flight_booking_v1").unwrap();
    browser.open(&page(&template, Some(&action)), DESK);
    let right = "document.forms[0].checkValidity()";
    assert_eq!(browser.look(right), false, "what is required is missing");
    for (name, text) in [
        ("/origin", "Berlin"),
        ("/destination", "北京 & \"Peking\""),
        ("/passenger_count", "12"),
    ] {
        browser.look(&format!("document.getElementById('{name}').focus()"));
        browser.write(text);
    }
    browser.look("document.getElementById('/departure_date').value = '2026-12-24'");
    browser.look("document.getElementById('/cabin_class').value = 'business'");
    let wrong = "all(':invalid', document.forms[0]).map(e => e.name).join()";
    assert_eq!(
        browser.text(wrong),
        "/passenger_count",
        "at most nine fly together"
    );
    browser.look("document.getElementById('/passenger_count').value = ''");
    browser.look("document.getElementById('/passenger_count').focus()");
    browser.write("2");
    assert_eq!(browser.look(right), true);
    let payload = submitted(&mut browser, &inbox, &template);
    let expected = json!({
        "origin": "Berlin", "destination": "北京 & \"Peking\"", "departure_date": "2026-12-24",
        "cabin_class": "business", "passenger_count": 2,
    });
    assert_eq!(Value::Object(payload), expected);
}

/// Rows of an array: blank ones are left out, a button adds one, also within a row.
#[test]
fn rows_of_a_form_are_added_and_left_out() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let inbox = TcpListener::bind("127.0.0.1:0").unwrap();
    let action = format!("http://{}/payload", inbox.local_addr().unwrap());
    let template = template("fault_diagnosis_v1").unwrap();
    browser.open(&page(&template, Some(&action)), DESK);
    let rows = "all('[data-rows=\"/sites\"] > .row').length";
    let before = browser.count(rows);
    browser.look("document.querySelector('[data-rows=\"/sites\"] > button').click()");
    assert_eq!(browser.count(rows), before + 1);
    let last = format!("/sites/{before}");
    let site = browser.text(&format!(
        "document.getElementById('{last}').labels[0].textContent"
    ));
    assert_eq!(
        site,
        format!("sites {}", before + 1),
        "a row is called by its number"
    );
    for (name, text) in [
        ("/target", "link:Berlin-Hamburg"),
        ("/sites/0", "site:BE-001"),
        (&last, "site:BE-009"),
        ("/alternatives/1/target", "router:Berlin"),
    ] {
        browser.look(&format!("document.getElementById('{name}').focus()"));
        browser.write(text);
    }
    browser.look(
        "document.getElementById('/alternatives/1/suspected_cause').value = 'router-failure'",
    );
    let payload = submitted(&mut browser, &inbox, &template);
    let expected = json!({
        "target": "link:Berlin-Hamburg", "sites": ["site:BE-001", "site:BE-009"],
        "alternatives": [{ "target": "router:Berlin", "suspected_cause": "router-failure" }],
    });
    assert_eq!(Value::Object(payload), expected);
}

/// Rows within added rows can be added as well, up to the template's limit.
#[test]
fn rows_within_added_rows_have_buttons_that_work() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let template = json!({
        "schema_id": "trip_v1", "scenario": "trip", "title": "Trip", "language": "en",
        "keys": [
            { "key_name": "legs", "key_type": "array", "required": true, "semantic_description": "Legs.",
              "items": { "key_type": "object", "properties": [
                { "name": "stops", "key_type": "array", "required": false, "semantic_description": "Stops.",
                  "maxItems": 4, "items": { "key_type": "string" } }] } },
            { "key_name": "other", "key_type": "string", "required": false, "semantic_description": "Else." },
        ],
    });
    browser.open(&page(&read(&template), None), DESK);
    let add =
        |list: &str| format!("document.querySelector('[data-rows=\"{list}\"] > button').click()");
    browser.look(&add("/legs"));
    browser.look(&add("/legs/3/stops"));
    assert_eq!(browser.count("all('[name^=\"/legs/3/stops/\"]').length"), 4);
    let button = "document.querySelector('[data-rows=\"/legs/3/stops\"] > button').disabled";
    assert_eq!(browser.look(button), true, "four are the most");
    let ids = "all('[id]').map(e => e.id)";
    let mut ids: Vec<String> = serde_json::from_value(browser.look(ids)).unwrap();
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all, "no id twice");
}

/// Patterns with another meaning in ECMAScript's `v` mode, which HTML prescribes: the browser
/// accepts them with the intended meaning.
#[test]
fn the_browser_reads_every_pattern_as_the_template_does() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    for (pattern, right, wrong) in [
        ("[&~!#]+", "&&", "a"),
        ("[!-/]{2}", "#$", "#a"),
        ("[a\\-z]", "-", "b"),
        ("[\\^\\]\\[]+", "^]", "x"),
        ("[(){}|/]+", "(/)", "-"),
        ("[^&^]+", "ab", "a&"),
        ("(a|b)?c{1,2}", "bcc", "ab"),
        ("\\p{Lu}\\p{Ll}+", "Öl", "öl"),
        (".{1,2}", "🚆🚆", "🚆🚆🚆"),
        ("\\.\\*\\?", ".*?", "..."),
    ] {
        let template = json!({
            "schema_id": "odd_v1", "scenario": "odd", "title": "Odd", "language": "en",
            "keys": [
                { "key_name": "odd", "key_type": "string", "required": false, "pattern": pattern,
                  "semantic_description": "Odd." },
                { "key_name": "other", "key_type": "string", "required": false, "semantic_description": "Else." },
            ],
        });
        let template = read(&template);
        let contract = Contract::new(&template).unwrap();
        browser.open(&page(&template, None), DESK);
        for (text, expected) in [(right, true), (wrong, false)] {
            let payload = json!({ "odd": text });
            let accepts = contract.verify(payload.as_object().unwrap()).is_ok();
            assert_eq!(accepts, expected, "the template: {pattern} {text}");
            let text = Value::from(text);
            browser.look(&format!("document.getElementById('/odd').value = {text}"));
            let accepts = browser.look("document.getElementById('/odd').checkValidity()");
            assert_eq!(accepts, expected, "the browser: {pattern} {text}");
        }
        let none: [&str; 0] = [];
        assert_eq!(browser.noise(), none, "{pattern}");
    }
}

fn read(template: &Value) -> Template {
    let read = schema::read::template(&template.to_string(), TemplateOrigin::Own);
    read.unwrap_or_else(|problems| panic!("{problems:?}"))
        .template
}

/// Presses the button, and receives the submission as a server would.
fn submitted(
    browser: &mut Browser,
    inbox: &TcpListener,
    template: &Template,
) -> Map<String, Value> {
    browser.look("document.querySelector('button[type=submit]').focus()");
    browser.press("Enter", 13);
    let (mut stream, _) = inbox.accept().unwrap();
    let mut request = Vec::new();
    let body = loop {
        let mut part = [0; 4_096];
        let read = stream.read(&mut part).unwrap();
        request.extend(&part[..read]);
        let text = String::from_utf8(request.clone()).unwrap();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|l| {
                l.to_ascii_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            if body.len() >= length.unwrap() {
                assert!(head.starts_with("POST /payload "), "{head}");
                break body.to_owned();
            }
        }
        assert_ne!(read, 0, "the request ends early");
    };
    write!(
        stream,
        "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let payload = payload(&body, template);
    let contract = Contract::new(template).unwrap();
    let accepted = contract.accept(payload, Unknown::Reject).unwrap();
    accepted.values
}

/// The payload of a submitted form: each name is the pointer of its value, empty ones are left out.
fn payload(body: &str, template: &Template) -> Map<String, Value> {
    let mut whole = json!({});
    for pair in body.split('&') {
        let (name, value) = pair.split_once('=').unwrap();
        let (name, value) = (decoded(name), decoded(value));
        if let Some(path) = name.strip_prefix('/').filter(|_| !value.is_empty()) {
            let is_number = template.own_keys().any(|key| {
                key.key_name == path
                    && matches!(key.shape.key_type, KeyType::Integer | KeyType::Number)
            });
            let value = match is_number {
                true => serde_json::from_str(&value).unwrap(),
                false => Value::String(value),
            };
            put(&mut whole, &path.split('/').collect::<Vec<_>>(), value);
        }
    }
    match closed_up(whole) {
        Value::Object(whole) => whole,
        other => panic!("{other}"),
    }
}

/// Inserts a value at its pointer; rows are members named by numbers.
fn put(into: &mut Value, path: &[&str], value: Value) {
    match path {
        [] => *into = value,
        [first, rest @ ..] => put(&mut into[*first], rest, value),
    }
}

/// Turns objects with numbers as names into arrays; omitted rows leave no gap.
fn closed_up(value: Value) -> Value {
    let Value::Object(members) = value else {
        return value;
    };
    let numbered = |name: &String| name.bytes().all(|b| b.is_ascii_digit());
    if members.is_empty() || !members.keys().all(numbered) {
        return members
            .into_iter()
            .map(|(name, member)| (name, closed_up(member)))
            .collect();
    }
    let mut rows: Vec<(usize, Value)> = members
        .into_iter()
        .map(|(name, row)| (name.parse().unwrap(), closed_up(row)))
        .collect();
    rows.sort_by_key(|(number, _)| *number);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Decodes `application/x-www-form-urlencoded`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            other => other,
        });
    }
    String::from_utf8(bytes).unwrap()
}
