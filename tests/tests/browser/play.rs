//! Playing with the simulated network: a fault from the form to its end, with its story, the truth and what was found;
//! a day under two policies; the log stepped through; and the tour of `docs/console.md`, walked as it is written.
//!
//! In the tour, *what stands so* is pressed if it can be, and otherwise seen; *a field*: `so` is filled in; and `what
//! stands so` is seen. Read next: `console.rs`, `console/src/play/Play.svelte`, `docs/faults.md`.

use super::chromium::{Browser, DESK, Looks, View};
use super::console::{IN, axe, wrong};
use super::support::block_on;
use super::support::process::{Running, run};
use serde_json::{Value, json};
use server::ssh::keys;

/// A network small enough for agents to be quick, whose minute is a second.
const SERVE: [&str; 7] = [
    "serve",
    "--network",
    "Polska",
    "--sites",
    "30",
    "--speed",
    "60",
];

/// Somebody signs in.
pub(super) fn signed_in(browser: &mut Browser, running: &Running, user: &str) {
    let url = format!("http://{}", running.http());
    let link = ["console", "link", "--json", "--user", user, "--url", &url];
    let link = block_on(async { run(running.state(), &link).await.well().json() });
    browser.visit("about:blank", DESK);
    browser.visit(link[0]["link"].as_str().unwrap(), DESK);
    browser.wait(IN);
}

/// Opens a page of the console, as if anew.
pub(super) fn visit(browser: &mut Browser, running: &Running, page: &str, view: View) {
    browser.visit("about:blank", view);
    browser.visit(&format!("http://{}/#{page}", running.http()), view);
    browser.wait("document.querySelector('.condition.live') && document.querySelector('main h1')");
}

/// Fills in a field by its selector, as people who type or choose do.
pub(super) fn fill(browser: &mut impl Looks, field: &str, value: &str) {
    browser.wait(&format!("document.querySelector('{field}')"));
    browser.look(&format!(
        "(at => {{ at.value = {value}; at.dispatchEvent(new Event('input', {{ bubbles: true }})); \
         at.dispatchEvent(new Event('change', {{ bubbles: true }})); return 1; }})(document.querySelector('{field}'))",
        value = Value::from(value)
    ));
}

pub(super) fn press(browser: &mut impl Looks, name: &str) {
    let button =
        format!("all('main button:enabled').find(it => it.textContent.trim() === '{name}')");
    browser.wait(&button);
    browser.look(&format!("({button}.click(), 1)"));
}

/// Asserts that nothing on these pages keeps anybody out, in either language and appearance, wide and narrow.
fn is_open_to_all(browser: &mut Browser, running: &Running, pages: &[&str]) {
    let axe = axe();
    let none = json!([]);
    for (language, appearance, width) in [
        ("en", "light", DESK.width),
        ("zh", "dark", DESK.width),
        ("zh", "light", 390),
        ("en", "dark", 390),
    ] {
        let chosen = format!(
            "(localStorage.setItem('convoke-language', '{language}'), \
             localStorage.setItem('convoke-appearance', '{appearance}'))"
        );
        browser.look(&chosen);
        for page in pages {
            visit(browser, running, page, View { width, ..DESK });
            browser.wait("document.querySelector('main table, main button.act')");
            assert_eq!(browser.look("overflowing()"), none, "{page} {width}");
            if let Some(axe) = &axe {
                assert_eq!(wrong(browser, axe), none, "{page} {language} {appearance}");
            }
        }
    }
    browser.look("localStorage.setItem('convoke-language', 'en')");
}

#[test]
fn what_is_broken_is_followed_to_its_end_and_compared_with_the_truth() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let state = tempfile::tempdir().unwrap();
    let running = block_on(Running::start(state.path(), &SERVE));
    signed_in(&mut browser, &running, "operator");
    visit(&mut browser, &running, "play", DESK);
    browser.wait("document.querySelector('main').textContent.includes('Nothing has broken')");

    // What cannot be stands at its field.
    fill(&mut browser, "#break-kind", "router-failure");
    fill(&mut browser, "#break-element", "router:Paris");
    press(&mut browser, "Break it");
    browser.wait(
        "document.querySelector('#break-element-error')?.textContent.includes('router:Paris')",
    );
    browser.wait("document.activeElement.id === 'break-element'");
    fill(&mut browser, "#break-element", "router:Lodz");
    press(&mut browser, "Break it");
    browser.wait("location.hash === '#play/1' && document.querySelector('.story')");
    assert_eq!(browser.count("all('[aria-invalid=true]').length"), 0);

    // Its story goes on: what the network says, who speaks to whom, where that leads.
    browser.wait("document.querySelector('.entries [data-what=broke]')");
    browser.wait(
        "document.querySelector('.entries [data-what=raised] a[href=\"#network/router%3ALodz\"]')",
    );
    browser.wait("document.querySelector('.entries [data-what=said] a[href^=\"#tasks/\"]')");
    let told = "all('.entries li').map(it => parseFloat(it.firstElementChild.title ? 0 : 1))";
    assert!(
        browser
            .look(told)
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it == 0)
    );
    // What was found is what is true, as the referee of whole days has it.
    browser.wait("all('.truth tbody td')[1]?.textContent === 'router has stopped'");
    browser.wait("document.querySelector('.truth .good')?.textContent.includes('right')");
    let other = block_on(async {
        let listed = ["fault", "list", "--all", "--json"];
        running.client(&listed).await.well().json()
    });
    assert_eq!(other[0]["element"], "router:Lodz", "{other:?}");
    is_open_to_all(&mut browser, &running, &["play", "play/1"]);

    // Mended by hand, or by agents meanwhile: it is over, and so are its alarms.
    visit(&mut browser, &running, "play/1", DESK);
    browser.wait("document.querySelector('.story .truth')");
    browser.look(
        "(it => it ? (it.click(), 1) : 0)(all('.story button.act').find(it => it.textContent.trim() === 'Mend it now'))",
    );
    browser.wait("document.querySelector('.truth .fault.over')");
    browser.wait("document.querySelector('.entries [data-what=restored]')");
    browser.wait("document.querySelector('.entries [data-what=cleared]')");

    compares_days(&mut browser, &running);
    steps_through_the_log(&mut browser, &running);
    is_open_to_all(&mut browser, &running, &["play/days", "play/replay"]);

    // Who may not know the truth has no such page.
    let key = keys::load_or_generate(&state.path().join("ann_ed25519"), "ann").unwrap();
    let users = state.path().join("users");
    std::fs::create_dir_all(&users).unwrap();
    keys::write_public(&users.join("ann.pub"), key.public_key()).unwrap();
    browser.look("document.querySelector('header button').click()");
    browser.until("Page.loadEventFired");
    browser.wait("document.querySelector('main.sign-in')");
    signed_in(&mut browser, &running, "ann");
    assert_eq!(
        browser.count("all('header nav a[href=\"#play\"]').length"),
        0
    );
    visit(&mut browser, &running, "play", DESK);
    browser.wait("document.querySelector('main p')?.textContent.startsWith('You may not know')");
    assert_eq!(browser.count("all('main button, main table').length"), 0);
}

/// Two days of people, one of whom saves energy; while they are played no others are.
fn compares_days(browser: &mut Browser, running: &Running) {
    visit(browser, running, "play/days", DESK);
    fill(browser, "#days-sites", "11");
    press(browser, "Play the day");
    browser.wait("document.querySelector('#days-sites-error')");
    fill(browser, "#days-sites", "12");
    fill(browser, "#days-first", "agents");
    fill(browser, "#days-second", "agents");
    press(browser, "Play the day");
    browser.wait("document.querySelector('progress')");
    press(browser, "End it");
    browser.wait(
        "all('[role=status]').some(it => it.textContent.includes('Ended before it was over'))",
    );
    fill(browser, "#days-first", "manual");
    fill(browser, "#days-second", "none");
    press(browser, "Play the day");
    browser.wait("all('[role=status]').some(it => it.textContent.includes('Both were played'))");
    let energy = "all('.outcomes tbody tr').find(it => it.textContent.includes('Energy') && it.textContent.includes('kWh'))";
    browser.wait(energy);
    // Who saves energy needs less.
    let better = format!("all('td', {energy}).map(it => it.textContent.includes('better'))");
    assert_eq!(browser.look(&better), json!([true, false]));
    forks_a_day(browser);
}

/// The second day is the first until noon, and another then; none of both is the better.
fn forks_a_day(browser: &mut Browser) {
    let energy = "(row => all('.value', row).map(it => it.textContent))\
         (all('.outcomes tbody tr').find(it => it.textContent.includes('Energy') && it.textContent.includes('kWh')))";
    let whole = browser.look(energy);
    fill(browser, "#days-from", "24");
    press(browser, "Play the day");
    browser.wait("document.querySelector('#days-from-error')");
    fill(browser, "#days-from", "12");
    press(browser, "Play the day");
    browser.wait(
        "document.querySelector('.compare h3')?.textContent.includes('forked at 12 o’clock')",
    );
    browser.wait("all('[role=status]').some(it => it.textContent.includes('Both were played'))");
    let heads = browser.look("all('.outcomes thead th').slice(1).map(it => it.textContent)");
    let second = "people until 12 o’clock, then people who save no energy";
    assert_eq!(heads, json!(["people", second]));
    let forked = browser.look(energy);
    assert_eq!(forked[0], whole[0], "the first is played as before");
    assert_ne!(forked[1], forked[0], "from noon on it is another");
    assert_ne!(forked[1], whole[1], "until noon it is the first");
    assert_eq!(browser.count("all('.outcomes .good').length"), 0);
}

/// Each step back undoes one change, and before the first there is nothing.
fn steps_through_the_log(browser: &mut Browser, running: &Running) {
    visit(browser, running, "play/replay", DESK);
    press(browser, "Read the log");
    browser.wait("document.querySelector('.replay input[type=range]')");
    let all = browser.count("Number(document.querySelector('.replay input').max)");
    assert!(all > 5, "agents have done something");
    let ended = "all('.then .state.finished, .then .state.failed').length";
    let at_the_end = browser.count(ended);
    fill(browser, ".replay input", "1");
    browser.wait("all('.then tbody tr').length === 1");
    assert!(at_the_end > browser.count(ended));
    let told =
        browser.text("document.querySelector('.replay input').getAttribute('aria-valuetext')");
    let shown = browser.text("document.querySelector('.replay [role=status]').textContent");
    assert!(shown.contains(&told), "{told}: {shown}");
    browser.look("(document.querySelector('.step button').click(), 1)");
    browser.wait("all('.then tbody tr').length === 0");
}

// --- The tour -----------------------------------------------------------------------------------

/// What a step of the tour has people do or see.
#[derive(Debug, PartialEq)]
enum Word {
    /// Pressed if it can be, seen otherwise.
    Named(String),
    /// Filled into the field of that name.
    Filled(String, String),
    Seen(String),
}

/// The commands that come before the tour, and its steps, each with its title.
fn tour(page: &str) -> (Vec<String>, Vec<(String, Vec<Word>)>) {
    let section = page.split("## Two minutes").nth(1).expect("the tour");
    let section = section
        .split("\n## ")
        .next()
        .unwrap()
        .split("\n| ")
        .next()
        .unwrap();
    let block = section.split("```").nth(1).expect("its commands");
    let commands = block.lines().filter(|line| line.starts_with("convoke "));
    let commands = commands.map(|line| line.split(" #").next().unwrap().trim().to_owned());
    let steps = section.split("```").nth(2).unwrap();
    let steps = steps
        .split("\n\n")
        .find(|part| part.trim_start().starts_with("1. "));
    let mut told: Vec<String> = Vec::new();
    for line in steps
        .expect("its steps")
        .lines()
        .filter(|it| !it.trim().is_empty())
    {
        match line.starts_with(' ') {
            true => *told.last_mut().unwrap() += &format!(" {}", line.trim()),
            false => told.push(line.to_owned()),
        }
    }
    let steps = told.iter().enumerate().map(|(at, step)| {
        let begins = format!("{}. **", at + 1);
        let rest = step
            .strip_prefix(&begins)
            .unwrap_or_else(|| panic!("{step}"));
        let (title, rest) = rest.split_once("**").unwrap();
        (title.to_owned(), words(rest))
    });
    (commands.collect(), steps.collect())
}

fn words(mut rest: &str) -> Vec<Word> {
    let mut words = Vec::new();
    while let Some(at) = rest.find(['*', '`']) {
        let mark = &rest[at..=at];
        let (named, after) = rest[at + 1..].split_once(mark).unwrap();
        rest = after;
        match (mark, after.strip_prefix(": `")) {
            ("*", Some(value)) => {
                let (value, after) = value.split_once('`').unwrap();
                rest = after;
                words.push(Word::Filled(named.to_owned(), value.to_owned()));
            }
            ("*", None) => words.push(Word::Named(named.to_owned())),
            _ => words.push(Word::Seen(named.to_owned())),
        }
    }
    words
}

/// The visible elements of that name, those first that can be pressed; what a map draws scripts cannot press.
const NAMED: &str = "(name => { \
    const is = it => { const text = it.textContent.trim(); return text === name || text === name + ' *' || text.startsWith(name + ' ('); }; \
    const shown = it => it.getClientRects().length > 0 && it instanceof HTMLElement; \
    const found = kinds => all(kinds).filter(it => shown(it) && is(it)); \
    return [...found('a, button:enabled'), ...found('summary'), ...found('h1, h2, h3, th, dt, label, legend, caption, strong, td')]; })";

fn follow(browser: &mut Browser, title: &str, word: &Word) {
    eprintln!("{title} {word:?}");
    match word {
        Word::Named(name) => {
            let found = format!("{NAMED}({})[0]", Value::from(name.as_str()));
            browser.wait(&found);
            browser.look(&format!("({found}.click?.(), 1)"));
        }
        Word::Filled(name, value) => {
            let label = format!(
                "{NAMED}({}).find(it => it.matches('label'))",
                Value::from(name.as_str())
            );
            browser.wait(&label);
            // Of a choice, the one of that name.
            let chosen = format!(
                "(at => {{ const value = {value}; \
                 const choice = all('option', at).find(it => it.textContent.trim() === value); \
                 at.value = choice && at.matches('select') ? choice.value : value; \
                 at.dispatchEvent(new Event('input', {{ bubbles: true }})); \
                 at.dispatchEvent(new Event('change', {{ bubbles: true }})); return at.value; }})({label}.control)",
                value = Value::from(value.as_str())
            );
            assert_ne!(browser.text(&chosen), "", "{name}: {value}");
        }
        Word::Seen(what) => {
            let what = Value::from(what.as_str());
            browser.wait(&format!(
                "document.querySelector('main').innerText.includes({what})"
            ));
        }
    }
}

#[test]
fn the_tour_is_walked_as_it_is_written() {
    let (commands, steps) = tour(include_str!("../../../docs/console.md"));
    assert!(steps.len() >= 7, "{steps:?}");
    assert!(
        steps.iter().all(|(_, words)| !words.is_empty()),
        "{steps:?}"
    );
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let [serve, rest @ ..] = &commands[..] else {
        panic!("a platform first")
    };
    let arguments = |line: &str| -> Vec<String> {
        let words = line.split_whitespace().skip(1);
        words.map(str::to_owned).collect()
    };
    let state = tempfile::tempdir().unwrap();
    let serve = arguments(serve);
    let serve: Vec<&str> = serve.iter().map(String::as_str).collect();
    let running = block_on(Running::start(state.path(), &serve));
    for line in rest {
        let arguments = arguments(line);
        match arguments[..2] == ["console", "link"] {
            true => signed_in(&mut browser, &running, "operator"),
            false => {
                let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                block_on(async { running.client(&arguments).await.well() });
            }
        }
    }
    browser.wait("document.querySelector('.condition.live')");
    for (title, words) in &steps {
        for word in words {
            follow(&mut browser, title, word);
        }
    }
}
