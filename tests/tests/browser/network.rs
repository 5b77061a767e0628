//! The page of the network: what is broken shows on the map, in the table and among the alarms while it is looked at, is
//! measured, and leads to what agents did about it; who may not see the network is told so.
//!
//! Read next: `console.rs`, `console/src/network/Network.svelte`, `docs/ems.md`.

use super::ENTER;
use super::chromium::{Browser, DESK, Looks, View};
use super::console::{IN, axe, wrong};
use super::support::block_on;
use super::support::process::{Running, run};
use serde_json::{Value, json};
use server::ssh::keys;

/// The platform of the test, at which somebody is signed in.
fn signed_in(browser: &mut Browser, running: &Running, user: &str) {
    let url = format!("http://{}", running.http());
    let link = ["console", "link", "--json", "--user", user, "--url", &url];
    let link = block_on(async { run(running.state(), &link).await.well().json() });
    browser.visit("about:blank", DESK);
    browser.visit(link[0]["link"].as_str().unwrap(), DESK);
    browser.wait(IN);
}

fn visit(browser: &mut Browser, running: &Running, page: &str, view: View) {
    browser.visit("about:blank", view);
    let url = format!("http://{}/#{page}", running.http());
    browser.visit(&url, view);
    browser.wait("document.querySelector('.condition.live')");
}

#[test]
fn what_breaks_is_seen_on_the_network_and_so_is_what_was_done_about_it() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let axe = axe();
    let state = tempfile::tempdir().unwrap();
    // A measurement takes the network a minute, and what agents do takes them some.
    let serve = ["serve", "--network", "Polska", "--sites", "30"];
    let running = block_on(Running::start(
        state.path(),
        &[&serve[..], &["--speed", "60"]].concat(),
    ));
    signed_in(&mut browser, &running, "operator");
    visit(&mut browser, &running, "network", DESK);
    // All of it is there: 12 routers, and the sites.
    browser.wait("all('.map .node').length === 42");
    browser.wait("document.querySelector('.elements td .state, .elements td.figure')?.textContent");

    // One node is reached by Tab, another from there by an arrow, and opened.
    super::focus(&mut browser, ".map .node");
    let at = "document.activeElement.getAttribute('href')";
    let first = browser.text(at);
    let ways = [("ArrowRight", 39), ("ArrowLeft", 37), ("ArrowUp", 38)];
    let moved = ways.iter().any(|(key, code)| {
        browser.press(key, *code);
        browser.text(at) != first
    });
    assert!(moved, "arrows lead away from {first}");
    let second = browser.text(at);
    browser.press(ENTER.0, ENTER.1);
    browser.wait("document.querySelector('aside h2')");
    assert_eq!(browser.text("location.hash"), second);
    // And whoever opened it is still there.
    browser.wait(&format!("{at} === '{second}'"));
    browser.look("location.hash = 'network'");
    browser.wait("document.querySelector('.elements')");

    // What breaks while it is looked at is told by the stream.
    let inject = ["fault", "inject", "--json", "router-failure:Lodz"];
    block_on(async { running.client(&inject).await.well() });
    let lodz = "a[href=\"#network/router%3ALodz\"]";
    browser.wait(&format!("document.querySelector('.map {lodz}.critical')"));
    browser.wait(&format!("document.querySelector('.alarms {lodz}')"));
    browser.look("document.querySelector('.filter [type=checkbox]').click()");
    browser.wait(&format!(
        "document.querySelector('.elements tbody {lodz}')?.closest('tr').querySelector('.severity.critical')"
    ));
    // What it takes with it is out of service.
    browser.wait("all('.map .node.critical').some(it => it.getAttribute('aria-label').includes('out of service'))");
    browser.look("document.querySelector('.filter [type=checkbox]').click()");
    // The overview says so at its top.
    browser.look("location.hash = 'overview'");
    browser.wait("Number(document.querySelector('[data-out]')?.dataset.out) > 0 && document.querySelector('h2#out')");
    browser.look("location.hash = 'network'");
    browser.wait(&format!("document.querySelector('.map {lodz}')"));

    // What it is, what is the matter, and how it measures.
    browser.look(&format!("document.querySelector('.map {lodz}').dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))"));
    browser.look("location.hash = 'network/router%3ALodz'");
    browser.wait("document.querySelector('aside h2')?.textContent === 'router:Lodz'");
    browser.wait("all('aside dd').some(it => it.textContent === 'Lodz')");
    browser.wait("document.querySelector('aside .alarms')");
    browser.look("document.querySelector('aside button.act').click()");
    browser.wait("document.querySelector('aside .outcome .bad')");
    // What agents do about it is there with who did it, and opens; and what they say is the cause.
    let task = "document.querySelector('aside td.long a[href^=\"#tasks/\"]')";
    browser.wait(task);
    browser.wait("document.querySelector('aside .cause')?.textContent.includes('router:Lodz')");
    for page in ["network", "network/router%3ALodz"] {
        for width in [DESK.width, 390] {
            visit(&mut browser, &running, page, View { width, ..DESK });
            browser.wait("document.querySelector('.map .node')");
            let none = Value::from(Vec::<Value>::new());
            assert_eq!(browser.look("overflowing()"), none, "{page} {width}");
            let names = browser.look("colliding('.map .name')");
            assert_eq!(names, none, "names of towns, {page} {width}");
            if let Some(axe) = &axe {
                assert_eq!(wrong(&mut browser, axe), none, "{page} {width}");
            }
        }
    }
    browser.wait(task);
    let named = browser.text(&format!("{task}.textContent"));
    browser.look(&format!("{task}.click()"));
    browser.wait(&format!(
        "document.querySelector('aside .lead small')?.textContent === {named:?}"
    ));

    // Who may see nothing of it is shown nothing.
    let key = state.path().join("ann_ed25519");
    let key = keys::load_or_generate(&key, "ann").unwrap();
    let users = state.path().join("users");
    std::fs::create_dir_all(&users).unwrap();
    keys::write_public(&users.join("ann.pub"), key.public_key()).unwrap();
    browser.look("document.querySelector('header button').click()");
    browser.until("Page.loadEventFired");
    browser.wait("document.querySelector('main.sign-in')");
    signed_in(&mut browser, &running, "ann");
    visit(&mut browser, &running, "network", DESK);
    browser.wait("document.querySelector('main p')?.textContent.startsWith('There is no network')");
    assert_eq!(
        browser.look("all('.map, .elements, .alarms').length"),
        json!(0)
    );
}
