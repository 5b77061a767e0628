//! Words of one's own in the console: what was understood is shown before anything is sent, can be corrected, and is
//! what the task has, as another client reads it.
//!
//! Read next: `acting.rs`, whose desk this is; `console/src/assign/Utterance.svelte`.

use super::acting::Desk;
use super::chromium::Looks;
use super::{ENTER, focus};
use serde_json::{Value, json};

const UNDERSTOOD: &str = "document.querySelector('.understood strong')";

impl Desk {
    /// Says something in one's own words, and has it read by Enter.
    fn say(&mut self, words: &str) {
        self.write("#utterance", words);
        focus(&mut self.browser, "#utterance");
        self.browser.press(ENTER.0, ENTER.1);
    }

    /// The keys that are shown as understood, with their values and how sure they are.
    fn understood(&mut self) -> Value {
        self.browser
            .look("all('.understood-keys tbody tr').map(row => [...row.children].map(it => it.textContent.trim()))")
    }

    fn field(&mut self, name: &str) -> String {
        self.browser
            .text(&format!("document.querySelector('#field-{name}').value"))
    }

    fn tasks(&self) -> usize {
        self.other(&["task", "list", "--party", "operator"]).len()
    }
}

/// What was understood fills in the form; what is corrected there is what is sent.
pub(super) fn are_shown_as_understood(desk: &mut Desk) {
    let before = desk.tasks();
    desk.visit("assign");
    desk.say(
        "diagnose the fault of link Warsaw-Poznan, probably a fibre cut; a crane stands there",
    );
    desk.browser.wait(&format!(
        "{UNDERSTOOD} && document.querySelector('#field-target')?.value"
    ));
    let rows = desk.understood();
    let row = |key: &str| {
        let rows = rows.as_array().expect("rows");
        let found = rows.iter().find(|row| row[0] == key);
        found.unwrap_or_else(|| panic!("{key} in {rows:?}")).clone()
    };
    assert_eq!(row("target")[1], "link:Warsaw-Poznan");
    let sure = row("suspected_cause")[2].to_string();
    assert_eq!(row("suspected_cause")[1], "fibre-cut");
    assert!(
        sure.contains('%') && sure.contains("sure"),
        "a sign, a word and a number: {sure}"
    );
    assert_eq!(desk.field("target"), "link:Warsaw-Poznan");
    assert_eq!(desk.field("suspected_cause"), "fibre-cut");
    assert!(desk.field("other").contains("crane"));
    let left = desk
        .browser
        .text("document.querySelector('.left').textContent");
    assert!(left.contains("crane"), "{left}");
    desk.is_open_to_all();
    assert_eq!(desk.tasks(), before, "nothing is sent by reading");

    desk.write("#field-target", "link:Gdansk-Warsaw");
    desk.press("Assign");
    desk.browser.wait("location.hash.startsWith('#tasks/')");
    let task = desk.browser.text("location.hash.slice(7)");
    let told = desk.other(&["task", "show", &task]);
    let content = told[0]["task"].to_string();
    for said in [
        r#"link:Gdansk-Warsaw"#,
        "fibre-cut",
        "fault_diagnosis_v1",
        "diagnose the fault of link Warsaw-Poznan",
    ] {
        assert!(content.contains(said), "{said}: {content}");
    }
}

/// Chinese words are read as English ones are, and the agent in the address is held.
pub(super) fn are_read_in_chinese(desk: &mut Desk) {
    desk.visit("assign/TMF-Convoke-IP-1.0.0");
    desk.say("诊断链路 Warsaw-Poznan 的故障，可能是光纤中断");
    desk.browser.wait(&format!(
        "{UNDERSTOOD} && document.querySelector('#field-target')"
    ));
    assert_eq!(
        desk.browser
            .text("document.querySelector('#scenario').value"),
        "fault_diagnosis"
    );
    assert_eq!(
        desk.browser
            .text("document.querySelector('#executor').value"),
        "TMF-Convoke-IP-1.0.0"
    );
    let rows = desk.understood().to_string();
    assert!(rows.contains("fibre-cut"), "{rows}");
}

/// What fits nothing is said to, and can be sent as words.
pub(super) fn fit_nothing(desk: &mut Desk) {
    desk.visit("assign");
    let words = "bake a cake with three eggs";
    desk.say(words);
    desk.browser
        .wait("document.querySelector('.understood .bad')");
    assert_eq!(desk.understood(), json!([]));
    assert_eq!(desk.field("description"), words);
    assert_eq!(
        desk.browser
            .text("document.querySelector('#executor').value"),
        "",
        "nobody is guessed"
    );
    desk.is_open_to_all();
}
