//! A headless Firefox, driven by Marionette, Firefox's own protocol, over TCP.
//!
//! A message is JSON behind its length: `LENGTH:[0, NUMBER, COMMAND, PARAMETERS]`, which is answered by
//! `LENGTH:[1, NUMBER, ERROR, RESULT]`; so that neither geckodriver nor a library is needed. It knows how to open and
//! inspect a page, as `chromium.rs` does for the other browser; the expectations are in the tests. Read next: `looks.js`.

use super::chromium::{LOOKS, Looks};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

/// The names of browsers that are Firefox. `CONVOKE_FIREFOX` overrides them by a name or path.
const NAMES: [&str; 2] = ["firefox-esr", "firefox"];

/// The command line: a hanging browser is killed.
const BEGIN: &str = "exec timeout -k 5 480 \"$0\" \"$@\" 0</dev/null 2>&1";

/// What it says once it can be driven, before the port.
const LISTENING: &str = "Listening on port ";

/// A free port instead of the usual one, and nothing asked of the makers.
const PREFERENCES: &str = "user_pref(\"marionette.port\", 0);\n\
                           user_pref(\"app.normandy.enabled\", false);\n\
                           user_pref(\"datareporting.policy.dataSubmissionEnabled\", false);\n";

/// A Firefox with one tab.
pub(crate) struct Firefox {
    child: Child,
    line: TcpStream,
    asked: u64,
    _profile: tempfile::TempDir,
}

impl Firefox {
    /// Starts a browser with an empty profile. None, with a message, if there is none and `CI` is
    /// not set.
    ///
    /// # Panics
    /// If there is none and `CI` is set, or if it does not start.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = program() else {
            assert!(
                std::env::var_os("CI").is_none(),
                "no Firefox is installed (looked for {NAMES:?}): run `make setup`"
            );
            eprintln!("SKIPPED: no Firefox is installed; looked for {NAMES:?}");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        std::fs::write(profile.path().join("user.js"), PREFERENCES).unwrap();
        let mut child = Command::new("sh")
            .args(["-c", BEGIN])
            .arg(&program)
            .args(["--headless", "--marionette", "--no-remote", "--profile"])
            .arg(profile.path())
            .env("HOME", profile.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stdout.take().unwrap());
        let port = port(&mut told);
        // What else it says is let go, so that it never waits for a reader.
        thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
        let mut firefox = Self {
            child,
            line: TcpStream::connect(("127.0.0.1", port)).unwrap(),
            asked: 0,
            _profile: profile,
        };
        firefox.next();
        firefox.ask("WebDriver:NewSession", json!({}));
        firefox.ask("WebDriver:SetTimeouts", json!({ "script": 90_000 }));
        Some(firefox)
    }

    /// Opens a page at a URL, as if anew.
    pub(crate) fn visit(&mut self, url: &str) {
        for url in ["about:blank", url] {
            self.ask("WebDriver:Navigate", json!({ "url": url }));
        }
    }

    /// Makes a call and waits for the answer.
    ///
    /// # Panics
    /// If the browser returns an error.
    #[track_caller]
    fn ask(&mut self, command: &str, parameters: Value) -> Value {
        let mut answer = self.answer(command, &parameters);
        assert!(answer[2].is_null(), "{command}: {}", answer[2]);
        answer[3].take()
    }

    /// The answer with its error or result.
    fn answer(&mut self, command: &str, parameters: &Value) -> Value {
        self.asked += 1;
        let message = json!([0, self.asked, command, parameters]).to_string();
        write!(self.line, "{}:{message}", message.len()).unwrap();
        let answer = self.next();
        assert_eq!(answer[1], self.asked, "{answer}");
        answer
    }

    fn next(&mut self) -> Value {
        let mut length = String::new();
        loop {
            let mut digit = [0];
            self.line.read_exact(&mut digit).expect("it has not ended");
            match digit[0] {
                b':' => break,
                digit => length.push(digit.into()),
            }
        }
        let mut message = vec![0; length.parse().unwrap()];
        self.line.read_exact(&mut message).unwrap();
        serde_json::from_slice(&message).unwrap()
    }
}

impl Looks for Firefox {
    #[track_caller]
    fn look(&mut self, script: &str) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1];\n\
             (async () => {{ {LOOKS}\nreturn {script}; }})()\
             .then(value => done({{ value }}), thrown => done({{ thrown: String(thrown) }}));"
        );
        let asked = json!({ "script": script, "args": [], "newSandbox": false });
        loop {
            let mut answer = self.answer("WebDriver:ExecuteAsyncScript", &asked);
            let (error, found) = (answer[2].take(), answer[3]["value"].take());
            // A page that is left while it is asked gives an error or nothing: the next one is asked the same.
            let is_left = error["message"] == "Document was unloaded";
            if is_left || (error.is_null() && found.is_null()) {
                continue;
            }
            assert!(error.is_null(), "{script}: {error}");
            assert!(found["thrown"].is_null(), "{script}: {}", found["thrown"]);
            return found["value"].clone();
        }
    }
}

/// Ends the browser, whatever it was asked last.
impl Drop for Firefox {
    fn drop(&mut self) {
        let quit = json!([0, 0, "Marionette:Quit", { "flags": ["eForceQuit"] }]).to_string();
        let _ = write!(self.line, "{}:{quit}", quit.len());
        let _ = self.child.wait();
    }
}

/// The port at which it listens, which it tells.
fn port(told: &mut impl BufRead) -> u16 {
    let mut lines = told.lines().map_while(Result::ok);
    let found = lines.find_map(|line| {
        let (_, port) = line.split_once(LISTENING)?;
        port.trim().parse().ok()
    });
    found.expect("Firefox says where it listens")
}

fn program() -> Option<PathBuf> {
    let named = std::env::var("CONVOKE_FIREFOX").ok();
    super::chromium::found(named.as_deref().into_iter().chain(NAMES))
}
