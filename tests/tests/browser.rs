//! The pages in a real browser, Chromium and for the console Firefox as well: their layout, accessibility and
//! interaction, and that nothing is loaded.
//!
//! A run, a batch, the timeline of a task and the forms of templates are made by the command and
//! opened by `file:`; the forms of agents and the console come from a running platform. A missing browser fails the
//! tests if `CI` is set, and is reported otherwise. Well-formedness and escaping are properties
//! tested in `report`; here is what needs a browser. Read next: `browser/chromium.rs`, `browser/firefox.rs`,
//! `browser/looks.js`, `browser/forms.rs`, `browser/agent_forms.rs`,
//! `browser/console.rs`, `browser/acting.rs`, `browser/inbox.rs`, `browser/network.rs`, `browser/play.rs`,
//! `browser/words.rs`, `browser/closing.rs`, `browser/ways.rs`, `browser/copied.rs`.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "browser/acting.rs"]
mod acting;
#[path = "browser/agent_forms.rs"]
mod agent_forms;
#[path = "browser/chromium.rs"]
mod chromium;
mod cli_support;
#[path = "browser/closing.rs"]
mod closing;
#[path = "browser/console.rs"]
mod console;
#[path = "browser/copied.rs"]
mod copied;
#[path = "browser/firefox.rs"]
mod firefox;
#[path = "browser/forms.rs"]
mod forms;
#[path = "browser/inbox.rs"]
mod inbox;
#[path = "browser/network.rs"]
mod network;
#[path = "browser/play.rs"]
mod play;
mod support;
#[path = "browser/ways.rs"]
mod ways;
#[path = "browser/words.rs"]
mod words;

use chromium::{Browser, DESK, Looks, VIEWS, View, of_file};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use support::block_on;
use support::process::{FREE_PORTS, run};

/// Keys with their Windows virtual-key codes.
const TAB: (&str, u32) = ("Tab", 9);
const ENTER: (&str, u32) = ("Enter", 13);
const HOME: (&str, u32) = ("Home", 36);
const RIGHT: (&str, u32) = ("ArrowRight", 39);

/// A network so small that a day of it runs quickly; with this seed sites go out and one fault
/// remains.
const SMALL: [&str; 6] = ["--topology", "Polska", "--sites", "40", "--seed", "11"];

/// A folder for pages of this build.
fn pages(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// The day of all three use cases, run over SSH once for all tests.
struct Day {
    page: PathBuf,
    lines: Vec<Value>,
}

static DAY: LazyLock<Day> = LazyLock::new(|| {
    let (page, record) = (pages("day.html"), pages("day.jsonl"));
    let state = tempfile::tempdir().unwrap();
    let files = [
        "--record",
        record.to_str().unwrap(),
        "--html",
        page.to_str().unwrap(),
    ];
    let fixed = ["demo", "all", "--json", "--headless"];
    let arguments = [&fixed[..], &files, &FREE_PORTS, &SMALL].concat();
    block_on(run(state.path(), &arguments)).well();
    let text = std::fs::read_to_string(&record).unwrap();
    let lines = text.lines().map(|l| serde_json::from_str(l).unwrap());
    Day {
        page,
        lines: lines.collect(),
    }
});

impl Day {
    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.lines.iter().filter(move |line| line["kind"] == kind)
    }

    /// The number of such elements that the map has to show.
    fn network(&self, what: &str) -> usize {
        self.lines[0]["network"][what].as_array().unwrap().len()
    }
}

/// Asserts the properties of every page, in wide and narrow views, in light and dark mode.
#[track_caller]
fn is_sound(browser: &mut Browser, page: &str) {
    for view in VIEWS {
        browser.visit(page, view);
        let none: [&str; 0] = [];
        assert_eq!(browser.noise(), none, "{page} {view:?}");
        assert_eq!(
            browser.look("overflowing()"),
            Value::from(none.to_vec()),
            "{view:?}"
        );
        assert_eq!(
            browser.look("faint()"),
            Value::from(none.to_vec()),
            "{view:?}"
        );
        assert_eq!(browser.text("document.documentElement.lang"), "en");
        assert_ne!(browser.text("document.title"), "");
        let ink = browser.text("getComputedStyle(document.body).color");
        let light = browser.look("luminance(parts(getComputedStyle(document.body).color)) > 0.5");
        assert_eq!(light, view.dark, "{ink} {view:?}");
    }
    is_heard(browser, page);
}

/// Asserts the accessibility tree: a main landmark, headings, and a name for every picture, control
/// and `details` element.
#[track_caller]
fn is_heard(browser: &mut Browser, page: &str) {
    browser.visit(page, DESK);
    let told = browser.told();
    let of = |role: &str| -> Vec<&str> {
        let found = told.iter().filter(|node| node.role == role);
        found.map(|node| node.name.as_str()).collect()
    };
    assert_eq!(of("main").len(), 1, "one place where the content begins");
    for role in [
        "heading",
        "image",
        "img",
        "slider",
        "DisclosureTriangle",
        "columnheader",
    ] {
        assert!(!of(role).contains(&""), "a {role} has no name");
    }
    assert_eq!(browser.count("all('h1').length"), 1);
    let headings = "all('h1, h2, h3').map(h => Number(h.tagName[1]))";
    let levels = browser.look(headings);
    let levels: Vec<i64> = levels
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l.as_i64().unwrap())
        .collect();
    assert!(
        levels.windows(2).all(|pair| pair[1] <= pair[0] + 1),
        "{levels:?}"
    );
}

// --- A run ------------------------------------------------------------------------------------

#[test]
fn a_run_is_sound_on_every_screen() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    is_sound(&mut browser, &of_file(&DAY.page));
    browser.open(&DAY.page, DESK);
    assert_eq!(
        browser.look("colliding('#map .town + text')"),
        Value::from(Vec::<Value>::new())
    );
}

#[test]
fn the_map_shows_the_whole_network_and_what_was_broken_when() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&DAY.page, DESK);
    let map = [
        (".backbone", "links"),
        ("#map .town", "towns"),
        ("#map .site", "sites"),
    ];
    for (drawn, what) in map {
        let drawn = browser.count(&format!("all('{drawn}').length"));
        assert_eq!(drawn, DAY.network(what), "{what}");
    }
    let broken: Vec<&Value> = DAY
        .of_kind("truth")
        .filter(|line| line["mended"] == false)
        .collect();
    assert!(!broken.is_empty(), "with this seed something breaks");
    let titles = browser.text("all('.broken title').map(t => t.textContent).join('|')");
    for fault in &broken {
        let element = fault["element"].as_str().unwrap();
        assert!(titles.contains(element), "{element} is not among {titles}");
    }
    assert_eq!(browser.count("all('.broken').length"), broken.len());
}

/// The map is operable from beginning to end by the keyboard alone: texts and crosses agree.
#[test]
fn the_map_is_moved_through_time_by_keys() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&DAY.page, DESK);
    focus(&mut browser, "#when");
    browser.press(HOME.0, HOME.1);
    let steps = browser.count("Number(document.getElementById('when').max)");
    assert!(steps > 3, "with this seed sites go out");
    let (mut seen, mut most) = (0, 0);
    for step in 0..=steps {
        let told = browser.text("document.getElementById('then').textContent");
        assert_eq!(
            browser.text("document.getElementById('when').getAttribute('aria-valuetext')"),
            told
        );
        let out = browser.count("all('#map .ever.out').length");
        assert!(
            told.contains(&format!(", {out} site")),
            "step {step}: {told}, but {out} crosses"
        );
        let shown = "all('#map .cross').filter(c => c.getClientRects().length).length";
        assert_eq!(browser.count(shown), out);
        seen = seen.max(browser.count("all('.broken.out').length"));
        most = most.max(out);
        browser.press(RIGHT.0, RIGHT.1);
    }
    assert!(seen > 0, "what was broken is marked while it lasts");

    // Without scripts there is nothing to move, and the worst moment is shown.
    let view = View {
        scripts: false,
        ..DESK
    };
    browser.open(&DAY.page, view);
    assert_eq!(
        browser.count("document.getElementById('when').getClientRects().length"),
        0
    );
    assert_eq!(browser.count("all('#map .ever.out').length"), most);
    let told = browser.text("document.getElementById('then').textContent");
    assert!(told.contains(&format!(", {most} site")), "{told}");
}

/// Presses Tab until that element has the focus.
fn focus(browser: &mut Browser, element: &str) {
    let has_it = format!("document.activeElement.matches('{element}')");
    for _ in 0..400 {
        if browser.look(&has_it) == true {
            return;
        }
        browser.press(TAB.0, TAB.1);
    }
    panic!("Tab does not lead to {element}");
}

/// Every request, reply and notification is an arrow in the picture of its case, or counted as left
/// out.
#[test]
fn everything_that_was_said_is_drawn() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&DAY.page, DESK);
    let said = ["message", "reply", "notification"].map(|kind| DAY.of_kind(kind).count());
    let said: usize = said.iter().sum();
    let drawn = browser.count("all('svg .arrow').length");
    let left_out = browser.look(
        "all('svg text').map(t => /^⋮ ([\\d,]+) message/.exec(t.textContent)).filter(m => m)\
         .reduce((sum, m) => sum + Number(m[1].replace(',', '')), 0)",
    );
    let told = browser.look(
        "all('main > details > summary').map(s => /, ([\\d,]+) messages?, /.exec(s.textContent))\
         .filter(m => m).reduce((sum, m) => sum + Number(m[1].replace(',', '')), 0)",
    );
    assert_eq!(drawn as u64 + left_out.as_u64().unwrap(), said as u64);
    assert_eq!(told, said, "of this seed every case is drawn");

    // Each lane of the whole run has a bar for each case.
    let cases = browser.count("all('main > details > summary time').length");
    assert_eq!(
        browser.count("all('.bar.case').length - all('.legend .bar').length"),
        cases
    );
    let alarms = DAY
        .of_kind("alarm")
        .filter(|line| line["cleared"] != true)
        .count();
    let columns = browser.look(
        "all('svg g > .grave').map(c => c.parentElement.firstElementChild.textContent.match(/\\d+/g).map(Number))\
         .reduce((sum, n) => sum + n[0] + n[1], 0)",
    );
    assert_eq!(columns, alarms, "the columns of the lane of alarms");
}

/// The case with the most events is open; any other opens and closes by Enter.
#[test]
fn cases_open_by_the_keyboard() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&DAY.page, DESK);
    let agents = "all('main > details').map(d => [all('.life', d).length, d.open])";
    let cases = browser.look(agents);
    let cases: Vec<(u64, bool)> = serde_json::from_value(cases).unwrap();
    let most = cases.iter().map(|(agents, _)| *agents).max().unwrap();
    let open: Vec<u64> = cases.iter().filter(|c| c.1).map(|c| c.0).collect();
    assert_eq!(open, [most], "the one to look at first");
    let closed = "main > details:not([open]) > summary";
    focus(&mut browser, closed);
    for open in [true, false] {
        browser.press(ENTER.0, ENTER.1);
        assert_eq!(
            browser.look("document.activeElement.parentElement.open"),
            open
        );
    }
}

// --- A batch ----------------------------------------------------------------------------------

#[test]
fn a_batch_shows_the_figures_of_its_json() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let page = pages("batch.html");
    let policies = ["agents", "manual", "none"];
    let asked = [
        "simulate", "--days", "1", "--seeds", "1..2", "--json", "--policy",
    ];
    let network = ["--topology", "Polska", "--sites", "20"];
    let arguments = [
        &asked[..],
        &[&policies.join(","), "--html", page.to_str().unwrap()],
        &network,
    ];
    let told = block_on(run(Path::new("unused"), &arguments.concat()))
        .well()
        .json();
    let batch = told.last().unwrap();
    is_sound(&mut browser, &of_file(&page));

    let rows = batch["rows"].as_array().unwrap();
    let cells =
        "all('table tbody tr').map(r => all('th, td', r).slice(1, 5).map(c => c.textContent))";
    let cells: Vec<Vec<String>> = serde_json::from_value(browser.look(cells)).unwrap();
    assert_eq!(cells.len(), rows.len());
    for (row, cells) in rows.iter().zip(&cells) {
        for (policy, cell) in policies.iter().zip(&cells[1..]) {
            is_figure(
                &row["values"][policy]["mean"],
                &cells[0],
                cell,
                &row["metric"],
            );
        }
    }
    // Each figure has a picture: an axis, and for each policy a mark, or a word that there is none.
    let charts = "all('.charts').slice(0, 1).flatMap(c => all('svg', c)).map(s => [\
        all('.grid', s).length, all('.mark', s).length, \
        all('.small', s).filter(t => t.textContent === 'no run has it').length])";
    let charts: Vec<[usize; 3]> = serde_json::from_value(browser.look(charts)).unwrap();
    assert_eq!(charts.len(), rows.len());
    for ([ticks, marks, missing], row) in charts.iter().zip(rows) {
        assert!(*ticks >= 1, "an axis without a number: {}", row["metric"]);
        assert_eq!(marks + missing, policies.len(), "{}", row["metric"]);
        assert_eq!(
            *marks,
            row["values"].as_object().unwrap().len(),
            "{}",
            row["metric"]
        );
    }
    let legend = browser.text("all('.legend')[0].textContent");
    assert!(
        policies.iter().all(|policy| legend.contains(policy)),
        "{legend}"
    );
}

/// Asserts that a cell shows this mean, in the unit of the row, to at least three digits.
#[track_caller]
fn is_figure(mean: &Value, unit: &str, cell: &str, metric: &Value) {
    let Some(mean) = mean.as_f64() else {
        return assert_eq!(cell, "–", "{metric}");
    };
    // Shares are shown in per cent.
    let times = if unit == "%" { 100.0 } else { 1.0 };
    let shown = cell.split(" ±").next().unwrap();
    let shown: f64 = shown.replace(',', "").replace('−', "-").parse().unwrap();
    let apart = (shown - mean * times).abs();
    assert!(
        apart <= 0.5_f64.max(0.02 * shown.abs()),
        "{metric}: {cell} {unit}, but {mean}"
    );
}

// --- The timeline of a task -------------------------------------------------------------------

#[test]
fn a_timeline_shows_every_row() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let page = pages("timeline.html");
    let rows = block_on(negotiated(&page));
    is_sound(&mut browser, &of_file(&page));
    let drawn = browser.count("all('svg > g').length - all('svg .life').length");
    assert_eq!(drawn, rows, "a row of the picture");
    assert_eq!(
        browser.count("all('details').length"),
        rows,
        "and its words"
    );
}

/// Negotiates a task with the cast and draws it; returns the number of rows.
async fn negotiated(page: &Path) -> usize {
    let mut rows = 0;
    cli_support::platform(async |desk| {
        let content = page.with_extension("txt");
        std::fs::write(
            &content,
            "## target object\nsite-1\n## task description\nlater",
        )
        .unwrap();
        let asked = ["task", "negotiate", "t-1", "--to", "ip", "--content"];
        let content = content.to_str().unwrap();
        desk.run(&[&asked[..], &[content]].concat()).await.well();
        let assign = [
            "task", "assign", "ip", "site-1", "later", "--id", "t-1", "--async",
        ];
        desk.run(&[&assign[..], &["--expect", "a proof"]].concat())
            .await
            .well();
        desk.until("t-1", 1, |n| n["awaits"] == "judgement").await;
        let unmet = "<script>alert(1)</script>";
        desk.run(&["task", "reject", "t-1", "--unmet", unmet])
            .await
            .well();
        desk.until("t-1", 2, |n| n["awaits"] == "judgement").await;
        desk.run(&["task", "accept", "t-1"]).await.well();
        let told = desk
            .run(&["task", "timeline", "t-1", "--json"])
            .await
            .well();
        rows = told.stdout.lines().count();
        let drawn = ["task", "timeline", "t-1", "--format", "html", "--output"];
        desk.run(&[&drawn[..], &[page.to_str().unwrap()]].concat())
            .await
            .well();
    })
    .await;
    rows
}

// --- Strangers' words -------------------------------------------------------------------------

/// Any names of agents, tickets and elements are escaped, fit, and do not change the text
/// direction.
#[test]
fn hostile_names_stay_words() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let page = pages("hostile.html");
    std::fs::write(&page, report::html::run(&hostile())).unwrap();
    is_sound(&mut browser, &of_file(&page));
    assert_eq!(browser.look("typeof window.taken"), "undefined");
    assert_eq!(browser.count("all('script').length"), 1);
    let strange =
        "all('main *').filter(e => ['B', 'IMG', 'SCRIPT', 'IFRAME'].includes(e.tagName)).length";
    assert_eq!(browser.count(strange), 0);
    assert_eq!(
        browser.look("/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.textContent)"),
        false
    );
    // Whatever was meant to be markup can be read.
    for words in HOSTILE {
        let words = words.replace(['\u{202e}', '\u{2066}'], "\u{fffd}");
        let shown = format!(
            "document.body.textContent.includes({})",
            Value::from(words.clone())
        );
        assert_eq!(browser.look(&shown), true, "{words}");
    }
}

const HOSTILE: [&str; 6] = [
    "<script>window.taken=1</script>",
    "\"><img src=x onerror=window.taken=1>",
    "</title></style><b onmouseover='window.taken=1'>",
    "]]><iframe srcdoc='x'>&lt;b&gt;",
    "\u{202e}gnissim\u{2066}",
    "وكيل-الشبكة",
];

/// A run with such names throughout, and one agent with a very long one.
fn hostile() -> report::Record {
    let long = "agent-".repeat(80);
    let run = serde_json::json!({
        "event": "run", "version": 1, "scenario": HOSTILE[0], "policy": HOSTILE[1], "seed": 1,
        "topology": HOSTILE[2], "began": "2026-11-21T00:00:00Z",
        "network": {
            "towns": [
                { "name": HOSTILE[1], "lon": 9.0, "lat": 50.0, "province": HOSTILE[2] },
                { "name": long, "lon": 11.0, "lat": 52.0, "province": HOSTILE[5] },
            ],
            "links": [{ "id": HOSTILE[0], "a": HOSTILE[1], "b": long }],
            "sites": [{ "id": HOSTILE[3], "town": long, "lon": 10.0, "lat": 51.0 }],
        },
    });
    let mut lines = vec![run];
    let moment = |minute: usize, mut what: Value| {
        what["event"] = "moment".into();
        what["at"] = format!("2026-11-21T00:{minute:02}:00Z").into();
        what
    };
    for (place, words) in HOSTILE.iter().enumerate() {
        let (from, to) = (*words, HOSTILE[(place + 1) % HOSTILE.len()]);
        let whole = serde_json::json!({
            "kind": "message", "from": from, "to": to, "verb": words, "task": words, "words": words,
            "schema": words,
        });
        lines.push(moment(place, whole));
        lines.push(moment(
            place,
            serde_json::json!({
                "kind": "reply", "from": to, "to": from, "verdict": words, "words": long,
            }),
        ));
        lines.push(moment(
            place,
            serde_json::json!({
                "kind": "action", "agent": from, "words": words, "elements": [words, long],
            }),
        ));
        lines.push(moment(
            place,
            serde_json::json!({ "kind": "ticket", "words": words }),
        ));
    }
    lines.push(moment(9, serde_json::json!({
        "kind": "message", "from": long, "to": "oss", "verb": "taskAssgin", "task": long, "words": long,
    })));
    lines.push(moment(9, serde_json::json!({
        "kind": "truth", "fault": HOSTILE[0], "element": HOSTILE[3], "mended": false, "words": "",
    })));
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    report::Record::parse(&text.join("\n")).unwrap()
}
