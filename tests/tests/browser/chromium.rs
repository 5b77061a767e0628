//! A headless browser, driven by the Chrome DevTools Protocol over its pipe.
//!
//! `--remote-debugging-pipe` exchanges JSON messages, each terminated by a zero byte, so that
//! neither a driver nor a library is needed. Knows how to open, inspect and operate a page; the
//! expectations are in the tests. Debian's `chromium-headless-shell` is the smallest browser that
//! supports it. Read next: `looks.js`; `firefox.rs`, the other browser.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The names of browsers that support the protocol, the smallest first. `CONVOKE_BROWSER` overrides
/// them by a name or path.
const NAMES: [&str; 5] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome",
];

/// The command line: the pipe is on descriptors 3 and 4, and a hanging browser is killed.
const BEGIN: &str = "exec timeout -k 5 $LASTS \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>&2";

/// The seconds after which a browser hangs, in a test.
const LASTS: u64 = 240;

/// The flags: no screen, no sandbox (tests run as root in containers), no shared memory, which
/// containers lack, and no background activity.
const FLAGS: [&str; 11] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];

/// The functions for inspecting pages.
pub(crate) const LOOKS: &str = include_str!("looks.js");

/// The view of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// CSS pixels across.
    pub(crate) width: u32,
    /// The colour scheme that the reader prefers.
    pub(crate) dark: bool,
    /// True if scripts run.
    pub(crate) scripts: bool,
}

/// A desktop, in light mode.
pub(crate) const DESK: View = View {
    width: 1_280,
    dark: false,
    scripts: true,
};

/// Desktop and mobile phone, light and dark, with scripts and without.
pub(crate) const VIEWS: [View; 4] = [
    DESK,
    View { dark: true, ..DESK },
    View { width: 390, ..DESK },
    View {
        width: 390,
        dark: true,
        scripts: false,
    },
];

/// A browser of whose page something can be asked.
pub(crate) trait Looks {
    /// The value of a script, which can use the functions of `looks.js`.
    ///
    /// # Panics
    /// If the script throws.
    fn look(&mut self, script: &str) -> Value;

    /// The value of a script, as text.
    #[track_caller]
    fn text(&mut self, script: &str) -> String {
        let found = self.look(script);
        found
            .as_str()
            .unwrap_or_else(|| panic!("{script}: {found}"))
            .to_owned()
    }

    /// Waits until the value of a script is truthy.
    ///
    /// # Panics
    /// If it is not within a minute.
    #[track_caller]
    fn wait(&mut self, script: &str) {
        let found = self.look(&format!("found(() => {script})"));
        assert_eq!(
            found,
            true,
            "{script}: {}",
            self.look("document.body.innerText")
        );
    }
}

/// A browser with one tab.
pub(crate) struct Browser {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    tab: Option<String>,
    asked: u64,
    /// The events since the page was opened.
    happened: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser with an empty profile. None, with a message, if there is none and `CI` is
    /// not set.
    ///
    /// # Panics
    /// If there is none and `CI` is set, or if it does not start.
    pub(crate) fn start() -> Option<Self> {
        Self::lasting(LASTS)
    }

    /// The same for so many seconds, after which it is killed.
    pub(crate) fn lasting(seconds: u64) -> Option<Self> {
        let Some(program) = program() else {
            assert!(
                std::env::var_os("CI").is_none(),
                "no browser is installed (looked for {NAMES:?}): run `make setup`"
            );
            eprintln!("SKIPPED: no browser is installed; looked for {NAMES:?}");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", BEGIN])
            .arg(&program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .env("HOME", profile.path())
            .env("LASTS", seconds.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut browser = Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            tab: None,
            asked: 0,
            happened: Vec::new(),
            _profile: profile,
        };
        browser.attach();
        Some(browser)
    }

    fn attach(&mut self) {
        let target = self.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = self.ask("Target.attachToTarget", target);
        self.tab = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
            self.ask(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Opens a page from a file.
    pub(crate) fn open(&mut self, page: &Path, view: View) {
        self.visit(&of_file(page), view);
    }

    /// Opens a page at a URL.
    pub(crate) fn visit(&mut self, url: &str, view: View) {
        let height = if view.width < 600 { 844 } else { 800 };
        let screen = json!({
            "width": view.width, "height": height, "deviceScaleFactor": 1, "mobile": view.width < 600,
        });
        self.ask("Emulation.setDeviceMetricsOverride", screen);
        let scheme = if view.dark { "dark" } else { "light" };
        let scheme = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.ask("Emulation.setEmulatedMedia", scheme);
        let scripts = json!({ "value": !view.scripts });
        self.ask("Emulation.setScriptExecutionDisabled", scripts);
        self.happened.clear();
        let opened = self.ask("Page.navigate", json!({ "url": url }));
        assert_eq!(opened["errorText"], Value::Null, "{url}");
        self.until("Page.loadEventFired");
    }

    /// The value of a script, as a number.
    #[track_caller]
    pub(crate) fn count(&mut self, script: &str) -> usize {
        let found = self.look(script);
        let number = found
            .as_u64()
            .unwrap_or_else(|| panic!("{script}: {found}"));
        usize::try_from(number).unwrap()
    }

    /// Presses a key, by its name and Windows virtual-key code; Enter and Space also type.
    pub(crate) fn press(&mut self, key: &str, code: u32) {
        let text = match key {
            "Enter" => "\r",
            " " => " ",
            _ => "",
        };
        let mut event = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if !text.is_empty() {
            event["text"] = json!(text);
        }
        self.ask("Input.dispatchKeyEvent", event.clone());
        event["type"] = json!("keyUp");
        self.ask("Input.dispatchKeyEvent", event);
    }

    /// Answers to no request for such URLs any more, which may hold `*`.
    pub(crate) fn block(&mut self, urls: &[&str]) {
        self.ask("Network.setBlockedURLs", json!({ "urls": urls }));
    }

    /// Makes the page believe that its tab is looked at no more, or is again.
    pub(crate) fn hide(&mut self, is_hidden: bool) {
        self.look(&format!(
            "(Object.defineProperty(document, 'hidden', {{ value: {is_hidden}, configurable: true }}), \
             document.dispatchEvent(new Event('visibilitychange')))"
        ));
    }

    /// Makes the page believe that its reader wants little motion, or any.
    pub(crate) fn calm(&mut self, is_calm: bool) {
        let wanted = if is_calm { "reduce" } else { "no-preference" };
        let wanted = json!({ "name": "prefers-reduced-motion", "value": wanted });
        self.ask(
            "Emulation.setEmulatedMedia",
            json!({ "features": [wanted] }),
        );
    }

    /// The URLs to which something was posted since the page was opened.
    pub(crate) fn posted(&mut self) -> Vec<String> {
        // Whatever was under way is told before the answer to this.
        self.look("1");
        let requests = self
            .happened
            .iter()
            .map(|event| &event["params"]["request"]);
        let posted = requests.filter(|request| request["method"] == "POST");
        posted.map(|request| request["url"].to_string()).collect()
    }

    /// What scripts have thrown, or asked people in a dialog, since the page was opened.
    pub(crate) fn thrown(&mut self) -> Vec<String> {
        self.look("1");
        let is_thrown = |event: &&Value| {
            let method = event["method"].as_str().unwrap_or("");
            ["Runtime.exceptionThrown", "Page.javascriptDialogOpening"].contains(&method)
        };
        let thrown = self.happened.iter().filter(is_thrown);
        thrown.map(Value::to_string).collect()
    }

    /// Types into the element with the focus.
    pub(crate) fn write(&mut self, text: &str) {
        self.ask("Input.insertText", json!({ "text": text }));
    }

    /// The accessibility tree: role and name of every element with a role.
    pub(crate) fn told(&mut self) -> Vec<Node> {
        let tree = self.ask("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().unwrap().iter();
        let heard = nodes.filter(|node| node["ignored"] != true);
        heard
            .map(|node| Node {
                role: node["role"]["value"].as_str().unwrap_or("").to_owned(),
                name: node["name"]["value"].as_str().unwrap_or("").to_owned(),
            })
            .collect()
    }

    /// The activity that no page may cause: console messages, errors, dialogs, and anything loaded
    /// but the page itself. Console messages of level `verbose` are advice and differ between
    /// builds.
    pub(crate) fn noise(&mut self) -> Vec<String> {
        // Whatever was under way is told before the answer to this.
        self.look("1");
        // The page itself, and the pictures of the browser's own controls.
        let is_own = |event: &Value| {
            let url = event["params"]["request"]["url"].as_str().unwrap_or("");
            event["params"]["type"] == "Document" || url.starts_with("data:")
        };
        let told = self
            .happened
            .iter()
            .filter(|event| match event["method"].as_str() {
                Some("Runtime.consoleAPICalled" | "Runtime.exceptionThrown") => true,
                Some("Log.entryAdded") => event["params"]["entry"]["level"] != "verbose",
                Some("Page.javascriptDialogOpening") => true,
                Some("Network.requestWillBeSent") => !is_own(event),
                _ => false,
            });
        told.map(Value::to_string).collect()
    }

    /// Waits for an event of that name.
    pub(crate) fn until(&mut self, method: &str) -> Value {
        loop {
            let message = self.next();
            let found = message["method"] == method;
            self.happened.push(message.clone());
            if found {
                return message;
            }
        }
    }

    /// Makes a call and waits for the answer.
    ///
    /// # Panics
    /// If the browser returns an error.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": params });
        if let Some(tab) = &self.tab {
            message["sessionId"] = json!(tab);
        }
        let input = self.input.as_mut().expect("it is open until the end");
        write!(input, "{message}\0").unwrap();
        input.flush().unwrap();
        loop {
            let mut answer = self.next();
            if answer["id"] == self.asked {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.happened.push(answer);
        }
    }

    fn next(&mut self) -> Value {
        let mut message = Vec::new();
        self.output.read_until(0, &mut message).unwrap();
        assert_eq!(message.pop(), Some(0), "the browser has ended");
        serde_json::from_slice(&message).unwrap()
    }
}

impl Looks for Browser {
    #[track_caller]
    fn look(&mut self, script: &str) -> Value {
        let script = format!("(() => {{ {LOOKS}\nreturn {script}; }})()");
        let asked = json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        let found = self.ask("Runtime.evaluate", asked);
        let thrown = &found["exceptionDetails"];
        assert!(thrown.is_null(), "{script}: {thrown:#}");
        found["result"]["value"].clone()
    }
}

/// Closes the pipe, by which the browser exits.
impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// The URL of a page in a file.
pub(crate) fn of_file(page: &Path) -> String {
    format!("file://{}", page.display())
}

/// A node of the accessibility tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The role.
    pub(crate) role: String,
    /// The name.
    pub(crate) name: String,
}

fn program() -> Option<PathBuf> {
    let named = std::env::var("CONVOKE_BROWSER").ok();
    found(named.as_deref().into_iter().chain(NAMES))
}

/// The first program of these names that is on the `PATH`.
pub(crate) fn found<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.find_map(|name| {
        let mut places = folders.iter().map(|folder| folder.join(name));
        places.find(|place| place.is_file())
    })
}
