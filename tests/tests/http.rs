//! The HTTP server of the real command: access by tokens of `convoke token`, and their life cycle.
//! The answers of the server in all cases are tested in `crates/server/tests/http`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use serde_json::{Value, json};
use server::ssh::keys::{generate, write_public};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use support::http::{ask, get};
use support::process::{FREE_PORTS, Finished, Running, binary, run};
use support::{block_on, page, within};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::Command;
use tokio::time::sleep;

/// Runs `convoke token …` and returns its output.
async fn token(running: &Running, arguments: &[&str]) -> Finished {
    let arguments = [&["token"], arguments, &["--json"]].concat();
    run(running.state(), &arguments).await
}

async fn issue(running: &Running, name: &str) -> (String, String) {
    let issued = token(running, &["issue", name]).await.well().json();
    let text = |member: &str| issued[0][member].as_str().unwrap().to_owned();
    assert_eq!(issued[0]["event"], "issued");
    (text("token"), text("id"))
}

async fn whoami(running: &Running, token: &str) -> (u16, Value) {
    let answer = get(running.http(), "/whoami", Some(token)).await;
    (answer.status, answer.json()["name"].clone())
}

fn let_in(running: &Running, file: &str) {
    let path = running.state().join(file);
    write_public(&path, generate("k").public_key()).unwrap();
}

/// Tokens come from a local issuer made at first start, and act as the same principals as keys.
#[test]
fn a_newcomer_gets_in_with_one_command() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mode = std::fs::metadata(state.path().join("token_ed25519")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&mode.permissions());
        assert_eq!(mode & 0o777, 0o600);
        let printed = running_token(&running).await;
        let answer = get(running.http(), "/whoami", Some(&printed)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json()["name"], "operator");
        assert_eq!(answer.json()["groups"], json!(["admin", "auditor"]));
        for (path, status) in [
            ("/livez", 200),
            ("/readyz", 200),
            ("/.well-known/jwks.json", 200),
            ("/whoami", 401),
            ("/nowhere", 401),
        ] {
            assert_eq!(
                get(running.http(), path, None).await.status,
                status,
                "{path}"
            );
        }
        assert_eq!(
            get(running.http(), "/nowhere", Some(&printed)).await.status,
            404
        );
    });
}

/// The token printed by `convoke token issue`.
async fn running_token(running: &Running) -> String {
    let printed = run(running.state(), &["token", "issue"]).await.well();
    assert_eq!(printed.stderr, "");
    printed.stdout.trim_end().to_owned()
}

/// A demo serves HTTP on loopback unasked. While its story runs, its clock is the story's, hours behind the wall, by
/// which credentials count.
#[test]
fn a_demo_lets_in_while_its_story_runs() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let small = ["--topology", "Polska", "--sites", "20"];
        let demo = [&["demo", "fault", "--stay", "--speed", "1"], &small[..]].concat();
        let running = Running::start(state.path(), &demo).await;
        assert!(running.http().starts_with("127.0.0.1:"));
        let (token, _) = issue(&running, "operator").await;
        assert_eq!(whoami(&running, &token).await.0, 200);
        let link = link(&running, &[]).await.well().json();
        let link = link[0]["link"].as_str().unwrap();
        // Its port is in no settings, and yet known.
        let begins = format!("http://{}/", running.http());
        assert!(link.starts_with(&begins), "{link}");
        let secret = link.split_once("#sign-in=");
        let opened = post(running.http(), "/console/session", secret.unwrap().1).await;
        assert_eq!(opened, 200);
        running.kill().await;
    });
}

/// A link is told to whoever asks for it as JSON, and not to a pipe or a file, such as a log.
#[test]
fn a_link_to_the_console_is_told_to_no_log() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let piped = run(running.state(), &["console", "link"])
            .await
            .with_code(2);
        assert!(!piped.stdout.contains("#sign-in"), "{piped:?}");
        let at = ["--url", "https://noc.example/"];
        let made = link(&running, &at).await.well().json();
        let url = made[0]["link"].as_str().unwrap();
        assert!(url.starts_with("https://noc.example/#sign-in="), "{url}");
        link(&running, &["--user", "nobody"]).await.with_code(3);
        let_in(&running, "users/noc.pub");
        let made = link(&running, &["--user", "noc"]).await.well().json();
        let end = ["console", "end", "noc", "--json"];
        let ended = run(running.state(), &end).await.well().json();
        assert_eq!(
            (&ended[0]["user"], &ended[0]["ended"]),
            (&json!("noc"), &json!(1))
        );
        let secret = made[0]["link"].as_str().unwrap().split_once("#sign-in=");
        let void = post(running.http(), "/console/session", secret.unwrap().1).await;
        assert_eq!(void, 401);
        assert!(running.stop().await.success());
    });
}

/// A browser is opened by a page that only its user may read: the link itself is among no program's arguments.
#[test]
fn a_link_is_opened_without_being_shown_to_other_users() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let desktop = Desktop::new();
        let mut open = Command::new(binary());
        open.args([
            "console",
            "link",
            "--open",
            "--url",
            "http://noc.example",
            "--state",
        ]);
        let opened = open
            .arg(running.state())
            .env("PATH", desktop.path())
            .output();
        let opened = opened.await.unwrap();
        assert!(opened.status.success(), "{opened:?}");
        assert_eq!((opened.stdout.len(), opened.stderr.len()), (0, 0));
        let page = desktop.shown().await;
        assert!(
            page.starts_with(state.path().canonicalize().unwrap()),
            "{page:?}"
        );
        assert_eq!(page.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let page = std::fs::read_to_string(page).unwrap();
        let secret = page
            .split_once("0; url=http://noc.example/#sign-in=")
            .unwrap()
            .1;
        let secret = secret.split_once('"').unwrap().0;
        assert_eq!(post(running.http(), "/console/session", secret).await, 200);
        running.kill().await;
    });
}

/// A command that becomes a platform on free ports of loopback, in that state folder.
fn begun(state: &Path, arguments: &[&str]) -> Vec<String> {
    let [command, state] = [binary().as_path(), state].map(|it| it.display().to_string());
    let begin = [&command[..], "--state", &state];
    let all = [
        &begin[..],
        arguments,
        &FREE_PORTS,
        &["--http", "127.0.0.1:0"],
    ]
    .concat();
    all.into_iter().map(str::to_owned).collect()
}

/// Asserts that a link to the console, at the address in it, lets in, and that once.
async fn lets_in_once(link: &str) {
    let (address, secret) = link.split_once("/#sign-in=").unwrap();
    let address = address.strip_prefix("http://").unwrap();
    for status in [200, 401] {
        let answer = post(address, "/console/session", secret).await;
        assert_eq!(answer, status, "{address}");
    }
}

/// Whoever begins a platform or a demo at a terminal is told a link at once.
#[test]
fn a_terminal_is_told_a_link_that_lets_in() {
    block_on(async {
        let demo = ["demo", "fault", "--stay", "--topology", "Polska"];
        let demo = [&demo[..], &["--sites", "20", "--speed", "1"]].concat();
        for arguments in [&["serve", "--network", "none"][..], &demo] {
            let state = tempfile::tempdir().unwrap();
            // Of each Debian, and most others: what it runs has a terminal of its own.
            let mut terminal = Command::new("script");
            let command = format!("exec {}", begun(state.path(), arguments).join(" "));
            terminal.args(["--quiet", "--flush", "--command", &command, "/dev/null"]);
            terminal.stdin(Stdio::null()).stdout(Stdio::piped());
            let mut terminal = terminal.kill_on_drop(true).spawn().unwrap();
            let mut told = BufReader::new(terminal.stdout.take().unwrap()).lines();
            let link = within("a link", async {
                loop {
                    let line = told.next_line().await.unwrap().expect("it goes on");
                    let mut words = line.split_whitespace();
                    if let Some(link) = words.find(|it| it.contains("/#sign-in=")) {
                        return link.to_owned();
                    }
                }
            });
            lets_in_once(&link.await).await;
            within("its end", terminal.kill()).await.unwrap();
        }
    });
}

/// A demo is opened in the browser, once it can be looked at; what does not go to a terminal is told no link.
#[test]
fn a_demo_opens_itself_in_the_browser() {
    block_on(async {
        let (state, desktop) = (tempfile::tempdir().unwrap(), Desktop::new());
        let demo = ["demo", "fault", "--stay", "--open", "--topology", "Polska"];
        let demo = [&demo[..], &["--sites", "20", "--speed", "1"]].concat();
        let demo = begun(state.path(), &demo);
        let mut running = Command::new(&demo[0]);
        running.args(&demo[1..]).env("PATH", desktop.path());
        running.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut running = running.kill_on_drop(true).spawn().unwrap();
        let page = desktop.shown().await;
        assert!(page.starts_with(state.path().canonicalize().unwrap()));
        let page = std::fs::read_to_string(page).unwrap();
        let link = page.split_once("0; url=").unwrap().1;
        lets_in_once(link.split_once('"').unwrap().0).await;
        within("its end", running.kill()).await.unwrap();
        let mut told = String::new();
        let mut output = running.stdout.take().unwrap();
        output.read_to_string(&mut told).await.unwrap();
        assert!(told.contains("netconf-ssh"), "{told}");
        assert!(!told.contains("#sign-in"), "{told}");
    });
}

/// A desktop on which a browser is opened: it writes down what it is to show.
struct Desktop(tempfile::TempDir);

impl Desktop {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [opener, shown] = ["xdg-open", "shown"].map(|name| folder.path().join(name));
        let script = format!(
            "#!/bin/sh\necho \"$@\" >{0}.new && mv {0}.new {0}\n",
            shown.display()
        );
        std::fs::write(&opener, script).unwrap();
        std::fs::set_permissions(&opener, Permissions::from_mode(0o755)).unwrap();
        Self(folder)
    }

    /// Where programs are found, its browser first.
    fn path(&self) -> String {
        let others = std::env::var("PATH").unwrap();
        format!("{}:{others}", self.0.path().display())
    }

    /// The file that its browser is to show.
    async fn shown(&self) -> PathBuf {
        let shown = self.0.path().join("shown");
        within("the browser is opened", async {
            while !shown.exists() {
                sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
        let shown = std::fs::read_to_string(&shown).unwrap();
        PathBuf::from(shown.trim_end())
    }
}

async fn link(running: &Running, arguments: &[&str]) -> Finished {
    let arguments = [&["console", "link", "--json"], arguments].concat();
    run(running.state(), &arguments).await
}

/// The status of what is posted with a credential.
async fn post(address: &str, path: &str, credential: &str) -> u16 {
    ask(address, "POST", path, Some(credential), &[], "")
        .await
        .status
}

/// Issued and revoked tokens survive a restart.
#[test]
fn what_was_issued_and_revoked_stays_so_over_a_restart() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let_in(&running, "users/noc.pub");
        let_in(&running, "agents/ip-ost.pub");
        let ((noc, _), (noc_void, void), (agent, _)) = (
            issue(&running, "noc").await,
            issue(&running, "noc").await,
            issue(&running, "ip-ost").await,
        );
        let revoked = token(&running, &["revoke", &void]).await.well().json();
        assert_eq!(
            (&revoked[0]["event"], &revoked[0]["name"]),
            (&json!("revoked"), &json!("noc"))
        );
        assert_eq!(whoami(&running, &noc_void).await.0, 401);
        assert!(running.stop().await.success());

        let running = Running::serve(state.path()).await;
        assert_eq!(whoami(&running, &noc).await, (200, json!("noc")));
        assert_eq!(whoami(&running, &agent).await, (200, json!("ip-ost")));
        assert_eq!(whoami(&running, &noc_void).await.0, 401);
        let listed = token(&running, &["list"]).await.well().json();
        let names: Vec<_> = listed.iter().map(|t| (&t["name"], &t["counts"])).collect();
        assert_eq!(
            names,
            [
                (&json!("ip-ost"), &json!(true)),
                (&json!("noc"), &json!(true))
            ]
        );
        assert!(!format!("{listed:?}").contains(noc.rsplit('.').next().unwrap()));

        std::fs::remove_file(state.path().join("agents/ip-ost.pub")).unwrap();
        assert_eq!(whoami(&running, &agent).await.0, 401);
        let listed = token(&running, &["list"]).await.well().json();
        assert_eq!(listed[0]["counts"], false);
    });
}

#[test]
fn what_cannot_be_issued_or_revoked_is_said() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let nowhere = run(state.path(), &["token", "issue"]).await.with_code(1);
        assert!(
            nowhere.stderr.contains("convoke serve"),
            "{}",
            nowhere.stderr
        );
        let running = Running::serve(state.path()).await;
        for (arguments, code, hint) in [
            (&["issue", "nobody"][..], 3, "nobody is called 'nobody'"),
            (&["issue", "TMF-Convoke-IP-1.0.0"], 3, "users/ or agents/"),
            (&["issue", "--valid", "31d"], 2, "valid for 1 to 2592000 s"),
            (&["issue", "--valid", "soon"], 2, "no time such as"),
            (&["issue", "--scope", "a b"], 2, "is no scope"),
            (
                &["revoke", "operator"],
                3,
                "neither the identifier of a token",
            ),
        ] {
            let told = token(&running, arguments).await.with_code(code);
            assert!(told.stderr.contains(hint), "{}", told.stderr);
            assert_eq!(told.stdout, "");
        }
    });
}

#[test]
fn the_door_is_where_it_is_said_to_be_or_nowhere() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let serve = ["serve", "--network", "none"];
        let shut = [&serve[..], &["--http", "off"]].concat();
        let running = Running::start(state.path(), &shut).await;
        let protocols = |running: &Running| {
            let listeners = running.ready["listeners"].as_array().unwrap().iter();
            listeners
                .filter(|l| l["agent"].is_null() && l["ems"].is_null())
                .count()
        };
        assert_eq!(protocols(&running), 0);
        assert!(running.stop().await.success());
        std::fs::write(
            state.path().join("convoke.toml"),
            "[http]\nlisten = 'off'\n",
        )
        .unwrap();
        let opened = [&serve[..], &["--http", "[::1]:0"]].concat();
        let running = Running::start(state.path(), &opened).await;
        assert!(
            running.http().starts_with("[::1]:"),
            "flags go above the file"
        );

        let taken = running.http().to_owned();
        let other = tempfile::tempdir().unwrap();
        for (address, code, hint) in [
            (taken.as_str(), 5, "cannot listen on"),
            ("0.0.0.0:0", 2, "not a loopback address"),
            ("8880", 2, "neither an address with a port nor 'off'"),
        ] {
            let arguments = [&serve[..], &["--http", address], &FREE_PORTS].concat();
            let told = run(other.path(), &arguments).await.with_code(code);
            assert!(told.stderr.contains(hint), "{}", told.stderr);
        }
        std::fs::write(state.path().join("users/noc.pub"), "").unwrap();
        let arguments = [&serve[..], &["--http", "0.0.0.0:0"], &FREE_PORTS].concat();
        let told = run(state.path(), &arguments).await.with_code(2);
        assert!(
            told.stderr.contains("allow-plain = true"),
            "{}",
            told.stderr
        );
    });
}

/// No token is ever in a log, valid or not, over HTTP/1.1 or HTTP/2.
#[test]
fn no_token_is_in_a_log() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let mut child = Command::new(binary())
            .arg("--state")
            .arg(state.path())
            .args(["serve", "--network", "none", "--json", "--log", "trace"])
            .args(FREE_PORTS)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut log = child.stderr.take().unwrap();
        let logged = tokio::spawn(async move {
            let mut text = String::new();
            log.read_to_string(&mut text).await.unwrap();
            text
        });
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = within("the platform", lines.next_line())
            .await
            .unwrap()
            .unwrap();
        let ready: Value = serde_json::from_str(&ready).unwrap();
        let listeners = ready["listeners"].as_array().unwrap();
        let http = listeners.iter().find(|l| l["protocol"] == "http").unwrap();
        let http = http["address"].as_str().unwrap();
        let issued = run(state.path(), &["token", "issue"]).await.well().stdout;
        let good = issued.trim_end();
        let forged = format!("{}x", good.replace('.', "-"));
        for token in [good, &forged] {
            get(http, "/whoami", Some(token)).await;
            get(http, &format!("/whoami?access_token={token}"), None).await;
            let authorization = format!("Authorization: Bearer {token}");
            let url = format!("http://{http}/whoami");
            let curl = ["-s", "--http2-prior-knowledge", "-H", &authorization, &url];
            typed("curl", &curl, state.path()).await;
        }
        child.kill().await.unwrap();
        let logged = logged.await.unwrap();
        assert!(
            logged.contains("GET /whoami is answered with 200"),
            "{logged}"
        );
        for token in [good, &forged] {
            for part in token.split('.').skip(1).chain([&token[token.len() - 40..]]) {
                assert!(!logged.contains(part), "a token is in the log");
            }
        }
    });
}

/// Creates a certification authority, and certificates for the server and for two clients.
const CERTIFICATES: &str = r#"
set -e
new="openssl req -x509 -newkey ed25519 -nodes -days 2"
leaf="$new -CA ca.pem -CAkey ca.key -addext basicConstraints=critical,CA:FALSE"
$new -keyout ca.key -out ca.pem -subj /CN=ca
$leaf -keyout server.key -out server.pem -subj /CN=server -addext subjectAltName=DNS:localhost
$leaf -keyout noc.key -out noc.pem -subj /CN=noc -addext subjectAltName=URI:urn:example:noc
$leaf -keyout ghost.key -out ghost.pem -subj /CN=ghost
chmod 600 *.key
"#;

/// Mutual TLS: certificates act as the same principals, by a table in `access.toml`.
#[test]
fn whoever_has_a_certificate_gets_in() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let path = |name: &str| state.path().join(name).display().to_string();
        let made = ["-c", CERTIFICATES];
        let made = typed("sh", &made, state.path()).await.unwrap();
        if !made.status.success() || typed("curl", &["--version"], state.path()).await.is_none() {
            println!("there is no openssl 3 or no curl: TLS is tested without them only");
            return;
        }
        let (certificate, key, ca) = (path("server.pem"), path("server.key"), path("ca.pem"));
        let tls = format!("certificate = '{certificate}'\nkey = '{key}'\nclient-ca = '{ca}'\n");
        std::fs::write(path("convoke.toml"), format!("[http.tls]\n{tls}")).unwrap();
        let row = "[[certificate]]\nname = 'noc'\nsan-uri = 'urn:example:noc'\n";
        let rules = format!("{}\n{row}", server::access::SHIPPED);
        std::fs::write(path("access.toml"), rules).unwrap();
        run(state.path(), &["config", "check"]).await.well();
        let running = Running::serve(state.path()).await;
        let_in(&running, "users/noc.pub");
        let url = running.http().replace("127.0.0.1", "https://localhost") + "/whoami";
        for (name, expected) in [("noc", r#""name":"noc""#), ("ghost", r#""status":401"#)] {
            let (cert, key) = (path(&format!("{name}.pem")), path(&format!("{name}.key")));
            let curl = ["-sS", "--cacert", &ca, "--cert", &cert, "--key", &key, &url];
            let said = typed("curl", &curl, state.path()).await.unwrap();
            let text = String::from_utf8_lossy(&said.stdout);
            assert!(text.contains(expected), "{text} {said:?}");
        }
    });
}

/// The output of a system command; none if it is not installed.
async fn typed(command: &str, arguments: &[&str], folder: &Path) -> Option<Output> {
    let mut command = Command::new(command);
    let output = command.args(arguments).current_dir(folder).output();
    match within("a command", output).await {
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => None,
        output => Some(output.unwrap()),
    }
}

/// The page `docs/http.md`: every command is run, every answer compared.
#[test]
fn every_command_of_the_page_holds() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        page::holds("http.md", &running, 5).await;
    });
}
