//! What people do in the console, and what of it other clients see: a task assigned by a form, an answer, a judgement, a
//! counter-offer, many tasks cancelled, a patch of a schema rejected; and what becomes of acts that come too late. What
//! they do where it waits for them is in `inbox.rs`, what they say in their own words in `words.rs`.
//!
//! An agent outside says what there is to act upon, over RESTCONF. Read next: `console.rs`,
//! `console/src/acting.ts`, `console/src/assign/form.ts`.

use super::chromium::{Browser, DESK, Looks};
use super::console::{IN, axe, wrong};
use super::inbox;
use super::support::block_on;
use super::support::http::ask;
use super::support::process::{Running, run};
use super::words;
use super::{ENTER, focus};
use serde_json::{Value, json};
use server::ssh::keys;
use std::path::Path;

/// Two that say the same are enough for a patch.
const SETTINGS: &str = "[schemas.evolution.heat]\nincrement = 30\n\
                        [schemas.evolution.gates]\nclients-min = 1\noccurrences-min = 2\n\
                        [schemas.evolution.gates.sybil]\nenabled = false\n";

const PROFILE: &str = "name = \"remote\"\ndescription = \"Looks at masts\"\nversion = \"1.0.0\"\n\
                       provider = \"Example\"\nlayer = \"resource\"\n[capability]\n\
                       negotiate = \"acp-task-fulfillment-negotiation-v1.0\"\n";

/// A platform with an agent outside, called `remote`, and that one's token.
pub(super) fn with_agent_outside(state: &Path, settings: &[&str]) -> (Running, String) {
    let file = |name: &str| state.join(name).display().to_string();
    let serve = ["serve", "--network", "Polska", "--sites", "12"];
    let running = block_on(Running::start(state, &[&serve, settings].concat()));
    let (private, public) = (file("remote_ed25519"), file("remote_ed25519.pub"));
    let key = keys::load_or_generate(Path::new(&private), "remote").unwrap();
    keys::write_public(Path::new(&public), key.public_key()).unwrap();
    std::fs::write(file("remote.toml"), PROFILE).unwrap();
    let profile = file("remote.toml");
    // It lasts though the time of a platform may run faster.
    let profiled = ["agent", "register", "--lease", "604800"];
    let register = [&profiled[..], &["--profile", &profile]].concat();
    let own = ["--key", &public, "--identity", &private];
    let token = block_on(async {
        running.client(&[&register[..], &own].concat()).await.well();
        let token = run(running.state(), &["token", "issue", "remote"]).await;
        token.well().stdout.trim().to_owned()
    });
    (running, token)
}

/// That agent says something.
#[track_caller]
pub(super) fn agent_says(running: &Running, token: &str, verb: &str, task: &str, content: &[&str]) {
    let about = |said: &&str| format!("##target object\nsite PL-004\n##task description\n{said}");
    let content: Vec<String> = content.iter().map(about).collect();
    let input = json!({ "irtf-agent:input": {
        "commuType": verb, "task-id": task, "task-sendTo": "operator", "content": content,
    }});
    let kind = [("Content-Type", "application/yang-data+json")];
    let path = "/restconf/operations/irtf-agent:task-negotiate";
    let input = input.to_string();
    let address = running.http();
    let said = block_on(ask(address, "POST", path, Some(token), &kind, &input));
    assert_eq!(said.status, 200, "{said:?}");
}

/// A console at which somebody is signed in, and the platform behind it.
pub(super) struct Desk {
    pub(super) browser: Browser,
    pub(super) running: Running,
    /// Of the agent outside.
    pub(super) token: String,
    axe: Option<String>,
    _state: tempfile::TempDir,
}

impl Desk {
    fn open(mut browser: Browser) -> Self {
        let state = tempfile::tempdir().unwrap();
        std::fs::write(state.path().join("convoke.toml"), SETTINGS).unwrap();
        let (running, token) = with_agent_outside(state.path(), &[]);
        let url = format!("http://{}", running.http());
        let link = ["console", "link", "--json", "--url", &url];
        let link = block_on(async { run(running.state(), &link).await.well().json() });
        browser.visit(link[0]["link"].as_str().unwrap(), DESK);
        browser.wait(IN);
        Self {
            browser,
            running,
            token,
            axe: axe(),
            _state: state,
        }
    }

    /// Opens a page of the console, as if anew.
    pub(super) fn visit(&mut self, page: &str) {
        self.browser.visit("about:blank", DESK);
        let url = format!("http://{}/#{page}", self.running.http());
        self.browser.visit(&url, DESK);
        self.browser
            .wait("document.querySelector('.condition.live')");
    }

    /// Lets somebody in as a user.
    pub(super) fn knows(&self, user: &str) {
        let state = self.running.state();
        let key = std::fs::read(state.join("remote_ed25519.pub")).unwrap();
        std::fs::create_dir_all(state.join("users")).unwrap();
        std::fs::write(state.join(format!("users/{user}.pub")), key).unwrap();
    }

    /// Another user signs in, in place of whoever is.
    pub(super) fn signs_in(&mut self, user: &str) {
        let url = format!("http://{}", self.running.http());
        let link = ["console", "link", "--json", "--user", user, "--url", &url];
        let link = block_on(async { run(self.running.state(), &link).await.well().json() });
        self.browser
            .look("document.querySelector('header button').click()");
        self.browser.until("Page.loadEventFired");
        self.browser.wait("document.querySelector('main.sign-in')");
        self.browser.visit("about:blank", DESK);
        self.browser.visit(link[0]["link"].as_str().unwrap(), DESK);
        self.browser.wait(&format!(
            "document.querySelector('.user')?.textContent === '{user}'"
        ));
    }

    /// Asserts that nothing on the page keeps anybody out.
    #[track_caller]
    pub(super) fn is_open_to_all(&mut self) {
        if let Some(axe) = &self.axe {
            let found = wrong(&mut self.browser, axe);
            assert_eq!(found, json!([]));
        }
    }

    /// Types into a control in place of what is there.
    pub(super) fn write(&mut self, control: &str, text: &str) {
        self.browser
            .wait(&format!("document.querySelector('{control}')"));
        focus(&mut self.browser, control);
        self.browser
            .look(&format!("document.querySelector('{control}').select()"));
        self.browser.write(text);
    }

    /// Presses the button of that name by the keyboard, once it can be.
    pub(super) fn press(&mut self, name: &str) {
        let button =
            format!("all('button:enabled').find(it => it.textContent.trim() === '{name}')");
        self.browser.wait(&button);
        self.browser.look(&format!("{button}.focus()"));
        self.browser.press(ENTER.0, ENTER.1);
    }

    /// The lines that a command of another client prints.
    pub(super) fn other(&self, arguments: &[&str]) -> Vec<Value> {
        let arguments = [arguments, &["--json"]].concat();
        block_on(async { self.running.client(&arguments).await.well().json() })
    }

    /// Waits until another client sees that state of a task.
    #[track_caller]
    fn reaches(&mut self, task: &str, state: &str) {
        self.browser.wait(&format!(
            "document.querySelector('aside .state.{state}') || \
             document.querySelector('a[href=\"#tasks/{task}\"]')?.closest('tr').querySelector('.state.{state}')"
        ));
        let told = self.other(&["task", "show", task]);
        assert_eq!(told[0]["task"]["task-status"], state, "{told:?}");
    }

    /// Waits until it is told what came of an act.
    #[track_caller]
    pub(super) fn tells(&mut self, what: &str) {
        self.browser.wait(&format!(
            "all('.outcome').some(it => it.textContent.includes('{what}'))"
        ));
    }

    /// All that was said of a task, as another client reads it.
    pub(super) fn said(&self, task: &str) -> String {
        let lines = self.other(&["task", "context", task]);
        lines.iter().map(Value::to_string).collect()
    }

    /// The operator assigns something to the agent outside, by another client.
    pub(super) fn assign(&self, task: &str, conditions: &[&str]) {
        let assign = ["task", "assign", "remote", "site PL-004", "see to the mast"];
        self.other(&[&assign[..], &["--id", task, "--async"], conditions].concat());
    }

    /// The agent outside says something.
    #[track_caller]
    pub(super) fn agent_says(&self, verb: &str, task: &str, content: &[&str]) {
        agent_says(&self.running, &self.token, verb, task, content);
    }
}

#[test]
fn people_act_in_the_console() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let mut desk = Desk::open(browser);
    assigns(&mut desk);
    words::are_shown_as_understood(&mut desk);
    words::are_read_in_chinese(&mut desk);
    words::fit_nothing(&mut desk);
    answers_and_judges(&mut desk);
    gives_credentials(&mut desk);
    negotiates(&mut desk);
    cancels_many(&mut desk);
    lets_a_schema_grow(&mut desk);
    inbox::decides(&mut desk);
    inbox::decides_many(&mut desk);
    inbox::gives_rules(&mut desk);
    inbox::decides_on_schemas(&mut desk);
    inbox::looks_through_many(&mut desk);
    inbox::executes(&mut desk);
    offers_nothing_that_is_forbidden(&mut desk);
}

/// By the form of a template: what is wrong stands at its field, and nothing is sent until it is right.
fn assigns(desk: &mut Desk) {
    desk.visit("assign/TMF-Convoke-IP-1.0.0");
    desk.browser
        .wait("document.querySelector('#scenario option[value=fault_diagnosis]')");
    desk.browser.look(
        "(at => { at.value = 'fault_diagnosis'; at.dispatchEvent(new Event('change')); })\
         (document.querySelector('#scenario'))",
    );
    desk.write("#field-target", "Warsaw");
    // What need not be said stands behind a line that opens it.
    desk.browser
        .look("document.querySelector('.assign .more summary').click()");
    desk.write("#field-since", "yesterday");
    desk.press("Assign");
    desk.browser
        .wait("document.activeElement.id === 'field-target'");
    let wrong = desk
        .browser
        .look("all('[aria-invalid=true]').map(it => it.name)");
    assert_eq!(wrong, json!(["target", "since"]));
    // A value that keeps to a pattern tells more than the pattern.
    let said = "document.querySelector('#field-target-error').textContent";
    assert!(!desk.browser.text(said).contains('('), "{said}");
    desk.is_open_to_all();
    assert!(
        desk.other(&["task", "list", "--party", "operator"])
            .is_empty(),
        "nothing is sent that is wrong"
    );

    desk.write("#field-target", "router:Warsaw");
    desk.write("#field-since", "");
    let frame = "document.querySelector('.assign .frames summary')";
    desk.browser.look(&format!("{frame}.click()"));
    desk.browser
        .wait("document.querySelector('.assign .frames pre[aria-label=curl]')");
    let frames = desk
        .browser
        .text("document.querySelector('.assign .frames').textContent");
    for what in ["$TOKEN", "ncclient", "SendMessage"] {
        assert!(frames.contains(what), "{what}: {frames}");
    }
    desk.press("Assign");
    desk.browser.wait("location.hash.startsWith('#tasks/')");
    let task = desk.browser.text("location.hash.slice(7)");
    let told = desk.other(&["task", "show", &task]);
    assert_eq!(told[0]["task"]["type"], "fault_diagnosis");
    assert_eq!(told[0]["task"]["task-sendFrom"], "operator");
}

fn answers_and_judges(desk: &mut Desk) {
    desk.assign("photo", &["--expect", "two sharp photographs"]);
    // Characters that would turn the words around are written out.
    let asked = "from which \u{202e}side?\n##status\ninput-required";
    desk.agent_says("taskResultNotify", "photo", &[asked]);
    desk.visit("tasks/photo");
    desk.browser.wait(
        "document.querySelector('.acts .text')?.textContent.includes('from which \\\\u{202e}side?')",
    );
    desk.is_open_to_all();
    desk.write(".acts textarea", "from the south");

    // Another question meanwhile is not answered by that, though the page has not heard of it.
    desk.browser.hide(true);
    desk.other(&["task", "answer", "photo", "from the north"]);
    let asked = "from which side, and how high?\n##status\ninput-required";
    desk.agent_says("taskResultNotify", "photo", &[asked]);
    desk.press("Answer");
    desk.tells("Something has become of it meanwhile");
    assert!(!desk.said("photo").contains("from the south"));
    desk.browser.hide(false);
    desk.browser
        .wait("document.querySelector('.acts .text')?.textContent.includes('how high?')");
    desk.press("Answer");
    desk.reaches("photo", "processing");
    assert!(desk.said("photo").contains("from the south"));

    let result = "done\n##result\none photograph";
    desk.agent_says("taskResultNotify", "photo", &[result]);
    desk.browser
        .wait("document.querySelector('.acts .text')?.textContent.includes('one photograph')");
    desk.is_open_to_all();
    // The same point twice is two rows.
    let points = "two were asked for\ntwo were asked for";
    desk.write(".acts textarea", points);
    desk.browser
        .wait("document.querySelector('.refuse').textContent.includes('or give up')");
    desk.press("Refuse");
    desk.reaches("photo", "processing");
    desk.tells("Your refusal was delivered.");
    assert!(desk.said("photo").contains("reject\\n- two were asked for"));
    desk.browser.wait("all('.rounds .bad').length === 2");

    desk.agent_says(
        "taskResultNotify",
        "photo",
        &["done\n##result\nboth photographs"],
    );
    desk.browser
        .wait("document.querySelector('.acts .text')?.textContent.includes('both photographs')");
    desk.press("Accept");
    desk.reaches("photo", "finished");
    desk.tells("You accepted it.");
    // Both sides stand in the transcript, each thing once.
    let said = "all('.words .said').map(it => it.textContent).join(' ')";
    desk.browser
        .wait(&format!("{said}.includes('remote → operator')"));
    let words = desk
        .browser
        .text("document.querySelector('.words').textContent");
    assert_eq!(words.matches("both photographs").count(), 1, "{words}");
    // The request, and two rounds.
    desk.browser
        .wait("!document.querySelector('.acts') && all('.rounds tbody tr').length === 3");
    desk.is_open_to_all();
}

/// A secret is shown nowhere: not while it is written, not in the frames, not in the record.
fn gives_credentials(desk: &mut Desk) {
    desk.assign("door", &[]);
    let asked = "a token for the door?\n##status\nauth-required";
    desk.agent_says("taskResultNotify", "door", &[asked]);
    desk.visit("tasks/door");
    desk.write(".acts input[type=password]", "sesame-4711");
    let frames = "all('.acts .send')[0].querySelector('.frames')";
    desk.browser
        .look(&format!("{frames}.querySelector('summary').click()"));
    desk.browser.wait(&format!(
        "{frames}.querySelector('pre')?.textContent.includes('••••')"
    ));
    desk.is_open_to_all();
    let told = "document.body.textContent.includes('sesame-4711')";
    assert_eq!(desk.browser.look(told), false);
    desk.press("Answer");
    desk.reaches("door", "processing");
    assert!(desk.said("door").contains("sesame-4711"));
    desk.browser
        .wait("document.querySelector('.words').textContent.includes('••••')");
    desk.browser
        .look("all('.words .frames summary').forEach(it => it.click())");
    desk.browser
        .wait("all('.words .frames pre').some(it => it.textContent.includes('••••'))");
    assert_eq!(desk.browser.look(told), false);
}

/// What is proposed and what would be wanted instead stand side by side.
fn negotiates(desk: &mut Desk) {
    desk.assign("mast", &["--demand-fulfillment"]);
    let offers = ["replace it, 4 hours out", "straighten it, 20 minutes out"];
    desk.agent_says("FulfillmentNegotiate", "mast", &offers);
    desk.visit("tasks/mast");
    desk.browser.wait("all('.offers section').length === 3");
    desk.is_open_to_all();

    // What was offered is over, though the page has not heard of it: its acceptance is taken for no other.
    desk.browser.hide(true);
    desk.other(&["task", "reject", "mast", "--unmet", "out for too long"]);
    desk.agent_says("FulfillmentNegotiate", "mast", &["replace it, 9 hours out"]);
    desk.press("Accept");
    desk.tells("data-exists");
    desk.browser.hide(false);
    desk.browser.wait("all('.offers section').length === 2");
    desk.tells("data-exists");
    let told = desk.other(&["task", "show", "mast"]);
    assert_eq!(told[0]["task"]["task-status"], "input-required", "{told:?}");
    desk.write(
        ".offers section:last-child textarea",
        "straighten it at night",
    );
    desk.press("Offer this");
    desk.reaches("mast", "processing");
    assert!(desk.said("mast").contains("straighten it at night"));

    desk.agent_says(
        "FulfillmentNegotiate",
        "mast",
        &["at night, with two of us"],
    );
    desk.browser.wait("all('.offers section').length === 2");
    desk.press("Accept");
    desk.reaches("mast", "processing");
    let plan = desk.other(&["task", "show", "mast"])[0].to_string();
    assert!(plan.contains("at night, with two of us"), "{plan}");
}

/// A whole and another, with a reason: its part is named before, and ends with it.
fn cancels_many(desk: &mut Desk) {
    desk.assign("crane", &["--parent", "mast"]);
    desk.assign("crew", &[]);
    desk.visit("tasks");
    for task in ["mast", "crew"] {
        desk.browser.wait(&format!(
            "document.querySelector('input[aria-label=\"Mark {task}\"]')"
        ));
        desk.browser.look(&format!(
            "document.querySelector('input[aria-label=\"Mark {task}\"]').click()"
        ));
    }
    desk.press("Cancel 2 marked…");
    desk.browser
        .wait("document.activeElement.id === 'cancel-many'");
    desk.browser.wait("all('aside .hit').length === 2");
    let parts = desk.browser.text("all('aside .hit')[1].textContent");
    assert!(
        parts.contains("crane") && !parts.contains("crew"),
        "{parts}"
    );
    desk.is_open_to_all();
    desk.write("aside textarea", "the storm is over");
    desk.press("Cancel 2 tasks");
    for task in ["mast", "crane", "crew"] {
        desk.reaches(task, "cancelled");
    }
    assert!(desk.said("crew").contains("the storm is over"));

    // What is looked for stands in the address.
    desk.visit("tasks?text=CREW&order=oldest");
    desk.browser
        .wait("all('.list .row a').map(it => it.getAttribute('href')).join() === '#tasks/crew?text=CREW&order=oldest'");

    // It ended with its whole.
    desk.visit("tasks/crane");
    desk.browser.wait(
        "document.querySelector('aside dl')?.textContent.includes('operator: the storm is over')",
    );
    desk.browser
        .wait("all('.tree a').length === 2 && all('.spans tbody tr').length === 2 && document.querySelector('svg.team')");
    desk.browser.look("all('.choice button')[1].click()");
    desk.browser.wait("document.querySelector('aside td a')");
    desk.is_open_to_all();
}

fn lets_a_schema_grow(desk: &mut Desk) {
    desk.visit("schemas");
    for _ in 0..3 {
        desk.other(&[
            "schema",
            "extend",
            "energy_saving",
            "prefer cells with solar panels",
        ]);
    }
    // It is told without being asked for.
    let link = "document.querySelector('a[href=\"#schemas/energy_saving_v1_p1\"]')";
    desk.browser.wait(link);
    desk.browser.look(&format!("{link}.click()"));
    desk.browser
        .wait("document.querySelector('.diff')?.textContent.includes('+   \"key_name\"')");
    desk.is_open_to_all();
    desk.write(".acts textarea", "there are none");
    desk.press("Refuse");
    desk.browser.wait("!document.querySelector('.diff')");
    desk.tells("Refused: energy_saving_v1_p1. Reason: there are none");
    assert!(desk.other(&["schema", "patches"]).is_empty());
    // And is to be found again, with who did it.
    desk.visit("schemas");
    desk.browser
        .wait("(it => it?.includes('there are none') && it.includes('operator'))(document.querySelector('section:has(> #decided) tbody tr')?.textContent)");
    desk.is_open_to_all();
}

/// Somebody in no group may do nothing, and sees no button that would be refused.
fn offers_nothing_that_is_forbidden(desk: &mut Desk) {
    desk.knows("ann");
    desk.signs_in("ann");
    desk.visit("assign");
    desk.browser.wait("document.querySelector('main h1')");
    assert_eq!(
        desk.browser.count("all('main button, main select').length"),
        0
    );
    desk.visit("schemas/energy_saving_v1");
    desk.browser.wait("document.querySelector('main h1')");
    assert_eq!(desk.browser.count("all('main button').length"), 0);
    for (page, says) in [
        ("inbox", "You may not see what waits."),
        ("rules", "You may not see standing rules."),
    ] {
        desk.visit(page);
        desk.browser.wait(&format!(
            "document.querySelector('main').textContent.includes('{says}')"
        ));
        assert_eq!(desk.browser.count("all('main button').length"), 0, "{page}");
    }
    assert_eq!(desk.browser.count("all('.badge').length"), 0);
}
