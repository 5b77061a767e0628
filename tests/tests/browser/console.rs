//! The console of a running platform: signing in once, each page in both languages and appearances, what happens while
//! it is looked at, and signing out.
//!
//! axe-core looks for what keeps people out; it is with the packages of the console (`make setup`). Read next:
//! `docs/console.md`, `console/src/App.svelte`; what people do there is in `acting.rs`.

use super::acting::{agent_says, with_agent_outside};
use super::chromium::{Browser, DESK, Looks};
use super::firefox::Firefox;
use super::play::{fill, press};
use super::support::block_on;
use super::support::http::get;
use super::support::process::{Running, run};
use super::support::proxy::Proxy;
use serde_json::Value;
use std::path::Path;

/// What pages show of one thing; the pages themselves are those of the navigation.
const DETAILS: [&str; 6] = [
    "agents/TMF-Convoke-IP-1.0.0",
    "assign/TMF-Convoke-IP-1.0.0",
    "network/router%3AWarsaw",
    "schemas/fault_diagnosis_v1",
    "tasks/seen-1",
    "inbox/result%2Fgone",
];

/// All pages: those of the navigation, and what some show of one thing.
fn all_pages(browser: &mut impl Looks) -> Vec<String> {
    let links = browser.look("all('header nav a').map(it => it.getAttribute('href').slice(1))");
    let mut pages: Vec<String> = serde_json::from_value(links).unwrap();
    assert!(pages.len() > 5, "{pages:?}");
    pages.extend(DETAILS.map(str::to_owned));
    pages
}

/// Signed in, in place of the sign-in page.
pub(super) const IN: &str = "document.querySelector('header nav')";
/// The network is drawn.
const MAP: &str = "document.querySelector('.map .node')";
const OUT: &str = "document.querySelector('main.sign-in')";

/// Assigns a task of that name.
fn assign(running: &Running, name: &str) {
    let arguments = [
        "task",
        "assign",
        "TMF-Convoke-IP-1.0.0",
        "router Warszawa",
        "look at the power supply",
        "--id",
        name,
    ];
    block_on(async { running.client(&arguments).await.well() });
}

/// axe-core. None, with a message, if it is not there and `CI` is not set.
///
/// # Panics
/// If it is not there and `CI` is set.
pub(super) fn axe() -> Option<String> {
    let axe = "../console/node_modules/axe-core/axe.min.js";
    let axe = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(axe)).ok();
    if axe.is_none() {
        let skips = std::env::var_os("CI").is_none();
        assert!(skips, "axe-core is not there: run `make setup`");
        eprintln!("SKIPPED in part: axe-core is not there (`make setup`)");
    }
    axe
}

/// What axe-core finds wrong on the page.
pub(super) fn wrong(browser: &mut impl Looks, axe: &str) -> Value {
    // It stays with the page.
    if browser.look("typeof axe === 'undefined'") == true {
        browser.look(&format!("(() => {{ {axe}\nreturn true; }})()"));
    }
    browser.look(
        "axe.run(document).then(it => it.violations.map(of => \
         of.id + ': ' + of.nodes.map(node => node.html + ' ' + node.failureSummary).join(' | ')))",
    )
}

#[test]
fn the_console_lets_in_once_and_shows_what_happens() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let axe = axe();
    let state = tempfile::tempdir().unwrap();
    let serve = ["serve", "--network", "Polska", "--sites", "12"];
    let running = block_on(Running::start(state.path(), &serve));
    let url = format!("http://{}", running.http());
    assign(&running, "seen-1");

    // A stranger sees how to get in, and nothing else.
    browser.visit(&format!("{url}/"), DESK);
    browser.wait(OUT);
    let made = ["console", "link", "--json", "--url", &url];
    let link = block_on(async { run(running.state(), &made).await.well() });
    let link = link.json()[0]["link"].as_str().unwrap().to_owned();
    browser.visit("about:blank", DESK);
    browser.visit(&link, DESK);
    browser.wait(IN);
    assert_eq!(
        browser.text("location.href"),
        format!("{url}/"),
        "the secret is gone"
    );
    assert_eq!(
        browser.text("document.cookie"),
        "",
        "no script reads the cookie"
    );
    assert_eq!(
        browser.text("document.querySelector('.user').textContent"),
        "operator"
    );
    browser.wait("document.querySelector('.condition.live')");
    // The cookie alone, which other servers of the host are sent as well, lets nobody in.
    let asked = "fetch('/whoami', { headers }).then(it => it.status)";
    for (headers, status) in [
        ("{}", 401),
        (
            "{ 'Console-Request': localStorage.getItem('convoke-session') }",
            200,
        ),
    ] {
        let found = browser.look(&format!("(headers => {asked})({headers})"));
        assert_eq!(found, status, "{headers}");
    }

    let pages = all_pages(&mut browser);
    for language in ["en", "zh"] {
        for appearance in ["light", "dark"] {
            for page in &pages {
                let chosen = format!(
                    "(localStorage.setItem('convoke-language', '{language}'), \
                     localStorage.setItem('convoke-appearance', '{appearance}'))"
                );
                browser.look(&chosen);
                browser.visit("about:blank", DESK);
                browser.visit(&format!("{url}/#{page}"), DESK);
                browser.wait("document.querySelector('.condition.live') && document.querySelector('main h1')");
                assert_eq!(browser.text("document.documentElement.lang"), language);
                if page.starts_with("network") {
                    browser.wait(MAP);
                }
                if page == "tasks/seen-1" {
                    browser.wait(
                        "document.querySelector('.words .text')?.textContent.includes('Warszawa')",
                    );
                }
                if let Some(axe) = &axe {
                    let found = wrong(&mut browser, axe);
                    assert_eq!(
                        found,
                        Value::from(Vec::<Value>::new()),
                        "{page} {language} {appearance}"
                    );
                }
            }
        }
    }

    // What happens is seen without being asked for.
    browser.visit("about:blank", DESK);
    browser.visit(&format!("{url}/#overview"), DESK);
    browser.wait("document.querySelector('.condition.live')");
    assign(&running, "seen-2");
    browser.wait("document.querySelector('a[href=\"#tasks/seen-2\"]')");

    // A tab that nobody looks at holds no connection; once somebody does, it goes on where it was.
    browser.look(
        "(fetched => { window.fetch = (url, init) => { \
         if (url.startsWith('/restconf/streams/')) window.stream = init; return fetched(url, init); }; return 1; })(fetch)",
    );
    browser.hide(true);
    browser.hide(false);
    browser.wait(
        "window.stream?.headers['Last-Event-ID'] && document.querySelector('.condition.live')",
    );
    browser.hide(true);
    browser.wait("window.stream.signal.aborted");
    assign(&running, "seen-3");
    browser.hide(false);
    browser.wait("document.querySelector('a[href=\"#tasks/seen-3\"]')");

    // A page that cannot be drawn says so, and the others are there; so is this one, once it can be.
    browser.look(
        "(fetched => { window.whole = fetched; window.fetch = async (url, init) => url.includes('netconf-state') \
         ? new Response('{ \"a\": { \"session\": [null] } }') : fetched(url, init); \
         location.hash = 'system'; return 1; })(fetch)",
    );
    browser.wait("document.querySelector('main > button')");
    browser.look("(window.fetch = window.whole, location.hash = 'agents')");
    browser
        .wait("document.querySelector('main table') && !document.querySelector('main > button')");
    browser.look("location.hash = 'system'");
    browser.wait("document.querySelector('main h1') && !document.querySelector('main > button')");

    // A platform that cannot be asked says nothing of who is signed in.
    browser.block(&["*/whoami"]);
    browser.visit("about:blank", DESK);
    browser.visit(&format!("{url}/#overview"), DESK);
    browser.wait("document.querySelector('main [role=alert]')?.textContent.trim()");
    assert_eq!(browser.look("document.querySelector('#link')"), Value::Null);
    browser.block(&[]);
    browser.wait(IN);

    // Another link changes nothing for whoever is signed in, and does not stay in the address, and an odd address breaks no page.
    let other = block_on(async { run(running.state(), &made).await.well() });
    let other = other.json()[0]["link"].as_str().unwrap().to_owned();
    for odd in [
        other.clone(),
        format!("{url}/#constructor"),
        format!("{url}/#tasks/%"),
    ] {
        browser.visit("about:blank", DESK);
        browser.visit(&odd, DESK);
        browser
            .wait("document.querySelector('.condition.live') && document.querySelector('main h1')");
    }
    browser.visit("about:blank", DESK);
    browser.visit(&other, DESK);
    browser.wait("document.querySelector('.condition.live')");
    assert_eq!(browser.text("location.href"), format!("{url}/"));

    // The link is used up: with another cookie jar it lets nobody in.
    browser.look("document.querySelector('header button').click()");
    browser.until("Page.loadEventFired");
    browser.wait(OUT);
    browser.visit("about:blank", DESK);
    browser.visit(&link, DESK);
    browser.wait("document.querySelector('[role=alert]')?.textContent.trim()");
    assert_eq!(browser.look(IN), Value::Null);
    let asked = block_on(get(running.http(), "/restconf/data", None));
    assert_eq!(asked.status, 401);
}

/// Has the page write down which events it is told, for each stream from which place on: frames that are whole.
const WRITTEN_DOWN: &str = "(fetched => { window.told = []; window.whole = fetched; window.fetch = async (url, init) => { \
     const answer = await fetched(url, init); \
     if (!url.startsWith('/restconf/streams/') || !answer.ok) return answer; \
     const stream = { from: Number(init.headers['Last-Event-ID']), ids: [] }; \
     window.told.push(stream); \
     const decoder = new TextDecoder(); \
     let rest = ''; \
     const write = { transform(chunk, on) { \
       const frames = (rest + decoder.decode(chunk, { stream: true })).split('\\n\\n'); \
       rest = frames.pop(); \
       stream.ids.push(...frames.flatMap(it => /^id: ?(\\d+)$/m.exec(it)?.slice(1) ?? []).map(Number)); \
       on.enqueue(chunk); } }; \
     return new Response(answer.body.pipeThrough(new TransformStream(write)), { status: answer.status }); }; \
     return 1; })(fetch)";

/// What is told by one stream from where the first of those began to where the last of them is.
const IN_ONE: &str = "(async (from, last) => { \
     const own = { 'Console-Request': localStorage.getItem('convoke-session') }; \
     const headers = { ...own, Accept: 'text/event-stream', 'Last-Event-ID': String(from) }; \
     const reader = (await whole('/restconf/streams/NETCONF/json', { headers })).body.getReader(); \
     const decoder = new TextDecoder(); \
     let text = ''; \
     const ids = () => [...text.matchAll(/^id: ?(\\d+)$/gm)].map(it => Number(it[1])); \
     while (!ids().includes(last)) text += decoder.decode((await reader.read()).value, { stream: true }); \
     reader.cancel(); \
     return ids().filter(it => it <= last); })(seen[0].from, seen.flatMap(it => it.ids).at(-1))";

/// The connections are cut in mid-flow, several times: nothing that happened is missed, and nothing is told twice.
#[test]
fn a_stream_that_is_cut_goes_on_after_what_was_drawn() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let state = tempfile::tempdir().unwrap();
    let serve = ["serve", "--network", "Polska", "--sites", "12"];
    let running = block_on(Running::start(state.path(), &serve));
    let network = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let proxy = network.block_on(Proxy::before(running.http().parse().unwrap(), 0));
    let url = format!("http://{}", proxy.address());
    let link = ["console", "link", "--json", "--url", &url];
    let link = block_on(async { run(running.state(), &link).await.well().json() });
    browser.visit(link[0]["link"].as_str().unwrap(), DESK);
    browser.wait("document.querySelector('.condition.live')");
    browser.look("location.hash = 'tasks'");
    browser.look(WRITTEN_DOWN);
    browser.hide(true);
    browser.hide(false);
    browser.wait("told.length === 1 && document.querySelector('.condition.live')");
    let mut tasks = Vec::new();
    for cuts in 1..=3 {
        for (when, name) in ["before", "between", "after"].into_iter().enumerate() {
            let task = format!("{name}-{cuts}");
            assign(&running, &task);
            tasks.push(task);
            if when == 1 {
                proxy.cut();
            }
        }
        browser.wait(&format!(
            "told.length > {cuts} && document.querySelector('.condition.live')"
        ));
    }
    for task in &tasks {
        let row = format!("document.querySelector('main a[href=\"#tasks/{task}\"]')");
        browser.wait(&row);
        let rows = browser.count(&format!(
            "all('main tbody a[href=\"#tasks/{task}\"]').length"
        ));
        assert_eq!(rows, 1, "{task}");
    }
    let streams = browser.look("(window.seen = structuredClone(told))");
    let streams = streams.as_array().unwrap();
    let ids = |stream: &Value| stream["ids"].as_array().unwrap().clone();
    let told: Vec<Value> = streams.iter().flat_map(ids).collect();
    assert!(told.len() >= tasks.len(), "{streams:?}");
    assert_eq!(browser.look(IN_ONE), Value::from(told), "{streams:?}");
    let mut drawn = streams[0]["from"].clone();
    for stream in streams {
        assert_eq!(stream["from"], drawn, "{streams:?}");
        drawn = ids(stream).pop().unwrap_or(drawn);
    }
}

/// The same in the other browser: in, each page in both languages and appearances, what happens, acts, what waits,
/// something that breaks, and out.
#[test]
fn the_console_works_in_firefox() {
    let Some(mut browser) = Firefox::start() else {
        return;
    };
    let axe = axe();
    let state = tempfile::tempdir().unwrap();
    // A minute of the network is a second.
    let (running, token) = with_agent_outside(state.path(), &["--speed", "60"]);
    let url = format!("http://{}", running.http());
    assign(&running, "seen-1");
    let made = ["console", "link", "--json"];
    let link = block_on(async { run(running.state(), &made).await.well() });
    browser.visit(link.json()[0]["link"].as_str().unwrap());
    browser.wait(IN);
    let pages = all_pages(&mut browser);
    for page in &pages {
        browser.visit(&format!("{url}/#{page}"));
        browser
            .wait("document.querySelector('.condition.live') && document.querySelector('main h1')");
        if page.starts_with("network") {
            browser.wait(MAP);
        }
        // What is chosen is so at once.
        for language in ["en", "zh"] {
            fill(&mut browser, "header select:has([value=zh])", language);
            browser.wait(&format!("document.documentElement.lang === '{language}'"));
            for (appearance, is_light) in [("light", false), ("dark", true)] {
                fill(&mut browser, "header select:has([value=dark])", appearance);
                let ink = "luminance(parts(getComputedStyle(document.body).color))";
                browser.wait(&format!("({ink} > 0.5) === {is_light}"));
                if let Some(axe) = &axe {
                    let none = Value::from(Vec::<Value>::new());
                    let found = wrong(&mut browser, axe);
                    assert_eq!(found, none, "{page} {language} {appearance}");
                }
            }
        }
    }

    browser.visit(&format!("{url}/#overview"));
    browser.wait("document.querySelector('.condition.live')");
    assign(&running, "seen-2");
    browser.wait("document.querySelector('a[href=\"#tasks/seen-2\"]')");
    browser.look("document.querySelector('a[href=\"#tasks/seen-2\"]').click()");
    // The last of what can be done is to cancel the task.
    let last = "all('.acts > details').at(-1)";
    browser.wait(last);
    browser.look(&format!("{last}.querySelector('summary').click()"));
    browser.look(&format!(
        "(at => {{ at.value = 'no longer needed'; at.dispatchEvent(new Event('input')); }})\
         ({last}.querySelector('textarea'))"
    ));
    browser.look(&format!("{last}.querySelector('button.act').click()"));
    browser.wait("document.querySelector('aside .state.cancelled')");
    let show = ["task", "show", "seen-2", "--json"];
    let told = block_on(async { running.client(&show).await.well().json() });
    assert_eq!(told[0]["task"]["task-status"], "cancelled", "{told:?}");

    browser.look("(localStorage.setItem('convoke-language', 'en'), 1)");
    browser.visit("about:blank");
    browser.visit(&format!("{url}/#overview"));
    browser.wait(IN);
    decides_in_firefox(&mut browser, &running, &token);
    breaks_in_firefox(&mut browser, &running);

    browser.look("document.querySelector('header button').click()");
    browser.wait(OUT);
}

/// A result that waits is accepted where it waits.
fn decides_in_firefox(browser: &mut Firefox, running: &Running, token: &str) {
    let expects = ["--id", "tower", "--async", "--expect", "painted"];
    let assign = ["task", "assign", "remote", "site PL-004", "paint it"];
    block_on(async { running.client(&[assign, expects].concat()).await.well() });
    browser.look("location.hash = 'inbox'");
    let result = "painted\n##result\nin red";
    agent_says(running, token, "taskResultNotify", "tower", &[result]);
    let link = "document.querySelector('.waiting a[href=\"#inbox/result%2Ftower\"]')";
    browser.wait(link);
    browser.look(&format!("({link}.click(), 1)"));
    browser.wait("document.querySelector('aside .acts .text')?.textContent.includes('in red')");
    press(browser, "Accept");
    browser.wait("document.querySelector('aside').textContent.includes('You accepted this at')");
    let show = ["task", "show", "tower", "--json"];
    let told = block_on(async { running.client(&show).await.well().json() });
    assert_eq!(told[0]["task"]["task-status"], "finished", "{told:?}");
}

/// What breaks has a story.
fn breaks_in_firefox(browser: &mut Firefox, running: &Running) {
    browser.look("location.hash = 'play'");
    fill(browser, "#break-kind", "router-failure");
    fill(browser, "#break-element", "router:Lodz");
    press(browser, "Break it");
    browser.wait("location.hash === '#play/1' && document.querySelector('.story')");
    for what in ["broke", "raised", "said"] {
        browser.wait(&format!(
            "document.querySelector('.entries [data-what={what}]')"
        ));
    }
    // Mended by hand, or by agents meanwhile.
    browser.look(
        "(it => it ? (it.click(), 1) : 0)(all('.story button.act').find(it => it.textContent.trim() === 'Mend it now'))",
    );
    browser.wait("document.querySelector('.truth .fault.over')");
    let list = ["fault", "list", "--all", "--json"];
    let told = block_on(async { running.client(&list).await.well().json() });
    assert_eq!(told[0]["element"], "router:Lodz", "{told:?}");
    assert!(told[0]["repaired"].is_string(), "{told:?}");
}
