//! The forms of agents, served by a running platform: submitted ones become tasks, followed to
//! their end.
//!
//! Read next: `crates/server/src/a2a/forms.rs`.

use super::chromium::{Browser, DESK, Looks};
use super::is_sound;
use super::support::block_on;
use super::support::http::get;
use super::support::process::{Running, run};
use schema::contract::{Contract, Unknown};
use schema::shipped::template;
use serde_json::{Value, json};

const IP: &str = "TMF-Convoke-IP-1.0.0";
const ENERGY: &str = "TMF-Convoke-Energy-1.0.0";
const COMPLAINTS: &str = "TMF-Convoke-ComplaintNorth-1.0.0";

/// A platform with a network without events, in which time passes quickly, and a token of its
/// operator.
fn platform() -> (tempfile::TempDir, Running, String) {
    let state = tempfile::tempdir().unwrap();
    let network = ["--network", "Polska", "--sites", "12", "--speed", "100"];
    let serve = [&["serve"], &network[..]].concat();
    let (running, printed) = block_on(async {
        let running = Running::start(state.path(), &serve).await;
        let printed = run(running.state(), &["token", "issue"]).await.well();
        (running, printed.stdout)
    });
    (state, running, printed.trim_end().to_owned())
}

/// A form open in a browser.
struct Reader {
    browser: Browser,
    url: String,
}

impl Reader {
    fn open(browser: Browser, running: &Running, agent: &str, form: &str) -> Self {
        let url = format!("http://{}/agents/{agent}/forms/{form}", running.http());
        let mut reader = Self { browser, url };
        reader.again();
        reader
    }

    fn again(&mut self) {
        self.browser.visit(&self.url, DESK);
    }

    /// Types into a control.
    fn write(&mut self, control: &str, text: &str) {
        let control = Value::from(control);
        let focus = format!("document.getElementById({control}).focus()");
        self.browser.look(&focus);
        self.browser
            .look(&format!("document.getElementById({control}).select()"));
        self.browser.write(text);
    }

    /// Presses a button.
    fn press(&mut self, button: &str) {
        let focus = format!("document.querySelector('{button}').focus()");
        self.browser.look(&focus);
        self.browser.press("Enter", 13);
    }

    fn wait_for(&mut self, state: &str) {
        let there = format!("document.getElementById('task').dataset.state === '{state}'");
        self.browser.wait(&there);
    }

    fn text_of(&mut self, id: &str) -> String {
        let text = format!("document.getElementById('{id}').textContent");
        self.browser.text(&text)
    }
}

const SEND: &str = "form[action] button[type=submit]";

/// F27: every page of forms is sound, discloses nothing, and loads nothing.
#[test]
fn forms_are_pages_like_all_others() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let (_state, running, _) = platform();
    for page in ["forms?lang=en", "forms/fault_diagnosis_v1?lang=en"] {
        let url = format!("http://{}/agents/{IP}/{page}", running.http());
        is_sound(&mut browser, &url);
    }
    // What is secret stands in a form of its own, which is sent nowhere.
    let homes = "all('input[type=password]').map(i => [i.form.id, i.form.hasAttribute('action')])";
    assert_eq!(browser.look(homes), json!([["access", false]]));
    let links = "all('a[href^=forms]').map(a => a.textContent)";
    let overview = format!("http://{}/agents/{IP}/forms", running.http());
    browser.visit(&overview, DESK);
    let expected = json!(["Report incidents", "Diagnose a fault", "Diagnose a fault"]);
    assert_eq!(browser.look(links), expected);
    block_on(async {
        for (path, status) in [
            ("/forms", 200),
            ("/agents/nobody/forms", 404),
            (&*format!("/agents/{IP}/forms/energy_saving_v1"), 404),
            (
                &*format!("/agents/{IP}/forms/fault_diagnosis_result_v1"),
                404,
            ),
        ] {
            let got = get(running.http(), path, None).await;
            assert_eq!(got.status, status, "{path}");
        }
    });
}

/// F27: the input becomes a typed part, and the typed result is shown.
#[test]
fn a_form_becomes_a_task_and_shows_its_result() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let (_state, running, token) = platform();
    let mut reader = Reader::open(browser, &running, IP, "fault_diagnosis_v1?lang=en");
    reader.write("/target", "router:Warsaw");
    reader.press(SEND);
    reader
        .browser
        .wait("!document.getElementById('refusal').hidden");
    let refusal = reader.text_of("refusal");
    assert!(
        refusal.contains("a token or certificate is needed"),
        "{refusal}"
    );
    reader.write("token", &token);
    reader.press(SEND);
    reader.wait_for("completed");
    let result = reader.text_of("result");
    assert!(result.contains("evidence"), "{result}");
    let faults = reader
        .browser
        .look("document.getElementById('refusal').hidden");
    assert_eq!(faults, true);

    let id = reader.text_of("task-id");
    let path = format!("/agents/{IP}/tasks/{id}?A2A-Version=1.0");
    let task = block_on(get(running.http(), &path, Some(&token))).json();
    let part = &task["history"][0]["parts"][0];
    assert_eq!(part["data"], json!({ "target": "router:Warsaw" }), "{task}");
    let type_of_part = "application/json;schema=fault_diagnosis_v1";
    assert_eq!(part["mediaType"], type_of_part, "{task}");

    // Whoever comes back in the same tab need not show the token again.
    reader.again();
    assert_eq!(
        reader
            .browser
            .text("document.getElementById('token').value"),
        token
    );
}

/// Validation errors of the server are shown at their control, and no task is begun.
#[test]
fn what_is_refused_is_shown_at_its_control() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let (_state, running, token) = platform();
    let mut reader = Reader::open(browser, &running, IP, "fault_diagnosis_v1?lang=en");
    reader.write("token", &token);
    // A browser that does not look at what is written.
    reader
        .browser
        .look("document.querySelector('form[action]').noValidate = true");
    reader.write("/target", "<b>Warsaw</b>");
    reader.press(SEND);
    reader
        .browser
        .wait("!document.getElementById('refusal').hidden");
    let wrong = "all('[aria-invalid=true]').map(it => it.name)";
    assert_eq!(reader.browser.look(wrong), json!(["/target"]));
    assert_eq!(
        reader.browser.count("all('#refusal b').length"),
        0,
        "text stays text"
    );
    reader
        .browser
        .look("document.querySelector('#refusal a').click()");
    assert_eq!(reader.browser.text("document.activeElement.id"), "/target");
    assert_eq!(
        reader
            .browser
            .look("document.getElementById('task').hidden"),
        true
    );
}

/// A question can be answered on the page, and a task cancelled; in the reader's language.
#[test]
fn a_question_is_answered_and_a_task_called_off() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let (_state, running, token) = platform();
    let mut reader = Reader::open(
        browser,
        &running,
        COMPLAINTS,
        "service_complaint_v1?lang=zh",
    );
    assert_eq!(reader.browser.text("document.documentElement.lang"), "zh");
    reader.write("token", &token);
    reader
        .browser
        .look("document.getElementById('/symptom').value = 'no_service'");
    reader.write("/place", "on the road");
    reader.press(SEND);
    reader.wait_for("input-required");
    assert!(reader.text_of("state").contains("等待您的答复"));
    let asked = reader.text_of("said");
    assert!(asked.contains("vehicle"), "{asked}");
    reader.write("words", "yesterday at noon");
    reader.press("#answer button");
    reader.browser.wait(&format!(
        "document.getElementById('said').textContent !== {}",
        Value::from(asked)
    ));
    reader.press("#stop");
    reader.wait_for("canceled");
    assert_eq!(
        reader
            .browser
            .look("document.getElementById('stop').hidden"),
        true
    );
}

/// Every kind of control produces the values of its template, and numbers lose no digit.
#[test]
fn every_control_gives_what_its_template_takes() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let (_state, running, _) = platform();
    let mut reader = Reader::open(browser, &running, ENERGY, "energy_saving_v1?lang=en");
    reader.browser.look(
        "window.fetch = function (_, ask) { window.sent = ask.body; return Promise.reject(ask); }",
    );
    reader.write("/area", "site:PL-001");
    reader.write("/cells/0", "cell:PL-001-1");
    reader.write("/cells/2", "cell:PL-002-1");
    for (control, value) in [
        ("/saving_target_percent", "012.50"),
        ("/duration_minutes", "90"),
    ] {
        reader.write(control, value);
    }
    reader.write("/other", "quietly \"so\" \\ <b>\n\n  and soon ");
    reader.browser.look(
        "document.querySelector('[name=\"/degradation_allowed\"][value=false]').checked = true",
    );
    reader
        .browser
        .look("document.querySelector('form[action]').noValidate = true");
    reader.press(SEND);
    reader.browser.wait("window.sent !== undefined");
    let sent = reader.browser.text("window.sent");
    assert!(sent.contains("\"saving_target_percent\":12.50"), "{sent}");
    let sent: Value = serde_json::from_str(&sent).unwrap();
    let data = &sent["message"]["parts"][0]["data"];
    let expected = json!({
        "area": "site:PL-001", "cells": ["cell:PL-001-1", "cell:PL-002-1"],
        "saving_target_percent": 12.5, "duration_minutes": 90, "degradation_allowed": false,
        "other": ["quietly \"so\" \\ <b>", "and soon"],
    });
    assert_eq!(*data, expected);
    let contract = Contract::new(&template("energy_saving_v1").unwrap()).unwrap();
    let filled = data.as_object().unwrap().clone();
    let kept = contract.accept(filled, Unknown::Reject);
    assert!(
        kept.is_ok() || format!("{kept:?}").contains("area"),
        "{kept:?}"
    );
}
