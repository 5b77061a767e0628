//! A fault from where it is broken on the page to the closed ticket, as the page tells it while agents mend it: nobody
//! does by hand.
//!
//! Read next: `play.rs`, which has the other things that are done on that page; `console/src/play/story.ts`,
//! `console/src/overview/cases.ts`.

use super::chromium::{Browser, DESK, Looks};
use super::play::{fill, press, signed_in, visit};
use super::support::block_on;
use super::support::process::Running;
use serde_json::Value;

/// Five minutes of the network are a second: a repair takes agents more than an hour.
const SERVE: [&str; 7] = [
    "serve",
    "--network",
    "Polska",
    "--sites",
    "30",
    "--speed",
    "300",
];

/// The ticket of what this test breaks.
const TICKET: &str = "oss-fault-repair-router:Lodz-1";

#[test]
fn what_agents_mend_is_followed_until_its_ticket_is_closed() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let state = tempfile::tempdir().unwrap();
    let running = block_on(Running::start(state.path(), &SERVE));
    signed_in(&mut browser, &running, "operator");
    visit(&mut browser, &running, "play", DESK);
    fill(&mut browser, "#break-kind", "router-failure");
    fill(&mut browser, "#break-element", "router:Lodz");
    press(&mut browser, "Break it");
    browser.wait("location.hash === '#play/1' && document.querySelector('.story')");

    // The ticket is given away, worked on and closed, and the story says so while it is looked at.
    let entry = |what: &str| format!(".entries [data-what={what}]");
    let ticket = |what: &str| {
        let links = format!("all('{} a')", entry(what));
        format!("{links}.some(it => it.textContent === '{TICKET}')")
    };
    browser.wait(&ticket("said"));
    for what in ["mended", "restored", "cleared"] {
        browser.wait(&format!("document.querySelector('{}')", entry(what)));
    }
    browser.wait(&ticket("over"));
    let closed = format!(
        "all('{}').find(it => it.querySelector('a').textContent === '{TICKET}').querySelector('.state').className",
        entry("over")
    );
    assert!(browser.text(&closed).contains("finished"), "{closed}");
    browser.wait("document.querySelector('.truth .fault.over')");
    // What happened is told in the order in which it happened.
    let order = browser.look("all('.entries li').map(it => it.dataset.what)");
    let order: Vec<String> = serde_json::from_value(order).unwrap();
    let first = |what: &str| order.iter().position(|it| it == what);
    assert_eq!(first("broke"), Some(0), "{order:?}");
    assert!(first("said") < first("mended"), "{order:?}");
    assert!(first("mended") <= first("restored"), "{order:?}");
    let is_last = order.iter().rposition(|it| it == "over") > first("mended");
    assert!(is_last, "{order:?}");

    // It is among the open cases no more, but among those that were closed.
    browser.look("location.hash = 'overview'");
    let link = format!("a[href=\"#tasks/{}\"]", TICKET.replace(':', "%3A"));
    browser.wait("document.querySelector('table.blocks')");
    browser.wait(&format!("!document.querySelector('table.blocks {link}')"));
    browser.wait(&format!("all('details table {link}').length === 1"));
    // And opened from there, it is as it ended.
    browser.look(&format!(
        "document.querySelector('details table {link}').click()"
    ));
    browser.wait(
        "document.querySelector('aside .state.finished') && document.querySelector('aside .words')",
    );

    // Other clients see the same, and nobody has mended it by hand.
    let told = |arguments: &[&str]| -> Vec<Value> {
        block_on(async { running.client(arguments).await.well().json() })
    };
    let task = told(&["task", "show", TICKET, "--json"]);
    assert_eq!(task[0]["task"]["task-status"], "finished", "{task:?}");
    let fault = told(&["fault", "list", "--all", "--json"]);
    assert_eq!(fault[0]["element"], "router:Lodz", "{fault:?}");
    assert!(fault[0]["restored"].is_string(), "{fault:?}");
}
