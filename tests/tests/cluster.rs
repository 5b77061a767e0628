//! Nodes of one platform: real processes of `convoke serve --node` on one PostgreSQL, killed, stopped, drained, and
//! kept from the lead.
//!
//! How leases and the directory behave is tested in `store::postgres::tests`. Skipped, and said so, without
//! PostgreSQL. Times are printed, not only bounded. Read next: `foreign_nodes.rs`,
//! `support::process`, [`testkit::postgres`].

#![allow(clippy::unwrap_used, clippy::print_stdout)]

// Of which a deaf one is enough here.
#[allow(dead_code, unreachable_pub)]
#[path = "webhook/receiver.rs"]
mod receiver;
mod support;

use bindings::netconf::{NegotiateRequest, negotiate_request, read_notification};
use domain::content::Content;
use domain::task::{Conditions, Subscription};
use domain::verb::Verb;
use netconf::client::Outcome;
use receiver::{Answer, Receiver};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};
use support::process::{FREE_PORTS, Finished, Running, run};
use support::talk::{Talk, subscribe};
use support::{block_on, http, within};
use tempfile::TempDir;
use testkit::eventually;
use testkit::postgres::{Database, Server, Setting};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const DURABLE: Setting = Setting {
    fsync: true,
    tls: true,
};

/// The time of the lease.
const TTL: Duration = Duration::from_secs(3);

/// What all folders have alike.
const ALIKE: [&str; 7] = [
    "access.toml",
    "cluster_key",
    "host_ed25519",
    "operator_ed25519",
    "operator_ed25519.pub",
    "store_key",
    "token_ed25519",
];

/// A request that whoever leads answers.
const GET: &str = "<get xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"/>";

/// What whoever leads answers without a credential.
const READY: &str = "/readyz";

/// The arguments of a node.
fn serve<'a>(url: &'a str, node: &'a str) -> [&'a str; 7] {
    let channel = ["--cluster-listen", "127.0.0.1:0"];
    [
        "serve", "--store", url, "--node", node, channel[0], channel[1],
    ]
}

/// A folder of a node, as short of time as it may be.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    settle(folder.path());
    folder
}

fn settle(folder: &Path) {
    std::fs::write(folder.join("convoke.toml"), "[cluster]\nttl-s = 3\n").unwrap();
}

/// A folder like another's.
fn alike(first: &Path) -> TempDir {
    let folder = folder();
    for file in ALIKE {
        let from = first.join(file);
        if from.exists() {
            std::fs::copy(from, folder.path().join(file)).unwrap();
        }
    }
    folder
}

async fn start(folder: &TempDir, url: &str, node: &str) -> Running {
    Running::start(folder.path(), &serve(url, node)).await
}

/// The first node, which leads, and its folder.
async fn first(url: &str) -> (TempDir, Running) {
    let folder = folder();
    let mut node = start(&folder, url, "a").await;
    node.told("leading").await;
    (folder, node)
}

/// Another node with a folder like the first's, which stands by.
async fn another(like: &TempDir, url: &str, name: &str) -> (TempDir, Running) {
    let folder = alike(like.path());
    let mut node = start(&folder, url, name).await;
    let told = node.told("standing-by").await;
    assert_eq!(told["leader"], "a");
    (folder, node)
}

/// Assigns a task that its agent ends at once.
async fn assign(running: &Running, id: &str) -> Finished {
    let payload = r#"{"schema_id":"service_intent_v1","payload":{"action":"show"}}"#;
    let to = ["task", "assign", "service-intent", "intents"];
    let what = ["--id", id, "--payload", payload];
    running.client(&[&to[..], &what].concat()).await
}

async fn has(running: &Running, id: &str) -> bool {
    running.client(&["task", "show", id]).await.code == 0
}

/// Each change of a task that is told, as task and status, up to the end of this task.
async fn heard_until(listener: &mut Talk, last: &str) -> Vec<(String, String)> {
    let mut heard = Vec::new();
    loop {
        let told = listener.notification().await.unwrap();
        let Some(change) = read_notification(&told).unwrap() else {
            continue;
        };
        let (task, status) = (change.task.to_string(), change.status);
        heard.push((task.clone(), status.as_str().to_owned()));
        if task == last && status.is_terminal() {
            return heard;
        }
    }
}

async fn verified(state: &Path, url: &str) -> Value {
    let found = run(state, &["store", "verify", "--store", url, "--json"]).await;
    found.well().json().remove(0)
}

#[track_caller]
fn sound(report: &Value) {
    assert_eq!(report["authentic"], true, "{report}");
    assert_eq!(report["faults"], Value::Array(vec![]), "{report}");
}

/// A connection to the HTTP server of a node, and what is answered to a request on it.
struct Http(TcpStream);

impl Http {
    async fn to(running: &Running) -> Self {
        Self(TcpStream::connect(running.http()).await.unwrap())
    }

    async fn ask(&mut self, path: &str) {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        self.0.write_all(request.as_bytes()).await.unwrap();
    }

    /// What came by now and in a while; nothing once it is closed.
    async fn answer(&mut self) -> String {
        let mut bytes = [0; 4096];
        let read = within("an answer, or the end", self.0.read(&mut bytes)).await;
        String::from_utf8_lossy(&bytes[..read.unwrap_or(0)]).into_owned()
    }
}

fn server() -> Option<Server> {
    Server::start(&DURABLE)
}

fn wish(database: &Database<'_>, node: &str, wish: &str) {
    database.say(&format!(
        "UPDATE node SET wanted = '{wish}' WHERE name = '{node}'"
    ));
}

#[test]
fn one_of_three_leads_and_another_after_it_was_killed_and_nothing_is_lost() {
    let Some(server) = server() else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    block_on(async {
        let (folder, a) = first(url).await;
        let (b_folder, mut b) = another(&folder, url, "b").await;
        let (c_folder, mut c) = another(&folder, url, "c").await;
        // Whoever listens at a node that stands by hears everything of the one that leads, and of the next.
        let mut listener = Talk::connect(&c).await;
        listener.ask(&subscribe("")).await;
        let mut kept = Vec::new();
        for (number, node) in [&a, &b, &c].into_iter().enumerate() {
            let id = format!("t{number}");
            assign(node, &id).await.well();
            assert!(has(&a, &id).await);
            kept.push(id);
        }
        let mut http = Http::to(&b).await;
        http.ask(READY).await;
        assert!(http.answer().await.starts_with("HTTP/1.1 200"));
        let under_way = assign(&b, "under-way");
        let killed = async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            a.signal("KILL").await;
            Instant::now()
        };
        let (under_way, killed) = tokio::join!(under_way, killed);
        if under_way.code == 0 {
            kept.push("under-way".to_owned());
        }
        drop(a);
        let b_leads = tokio::select! {
            _ = b.told("leading") => true,
            _ = c.told("leading") => false,
        };
        let took = killed.elapsed();
        println!("after a kill another leads within {took:?}, with a lease of {TTL:?}");
        assert!(took < TTL + Duration::from_secs(10), "{took:?}");
        let (leader, other) = if b_leads { (b, c) } else { (c, b) };
        for id in &kept {
            assert!(has(&leader, id).await, "{id} was acknowledged");
        }
        assign(&leader, "after").await.well();
        kept.push("after".to_owned());
        let heard = heard_until(&mut listener, "after").await;
        for id in &kept {
            let created = |it: &&(String, String)| it.0 == *id && it.1 == "created";
            assert_eq!(heard.iter().filter(created).count(), 1, "{id}: {heard:?}");
        }
        let each: BTreeSet<_> = heard.iter().collect();
        assert_eq!(each.len(), heard.len(), "told twice: {heard:?}");
        let status = leader.client(&["cluster", "status", "--json"]).await.well();
        let status = status.json().remove(0);
        assert_eq!(status["takeovers"], 1, "{status}");
        assert_eq!(status["nodes"][2]["subscribers"], 1, "{status}");
        assert_eq!(status["nodes"][1]["subscribers"], Value::Null, "{status}");
        assert_eq!(other.stop().await.code(), Some(0));
        assert_eq!(leader.stop().await.code(), Some(0));
        // By who has led last, and has seen the head.
        let seen = if b_leads { &b_folder } else { &c_folder };
        sound(&verified(seen.path(), url).await);
    });
}

/// A receiver of webhooks that takes none, so that whoever has told it tells it again and again.
async fn deaf_receiver() -> Receiver {
    Receiver::start(|_, _| Answer::Status(503)).await
}

/// Assigns a task whose changes are told to a receiver.
async fn assign_and_tell(talk: &mut Talk, id: &str, url: String) {
    let conditions = Conditions {
        subscription: Some(Subscription {
            protocol: "http".to_owned(),
            method: "POST".to_owned(),
            url,
        }),
        ..Conditions::default()
    };
    let request = NegotiateRequest {
        to: Some("TMF-Convoke-IP-1.0.0"),
        task: Some(id),
        content: vec![Content::new("site:1", "diagnose").render()],
        asynchronous: Some(true),
        conditions: Some(&conditions),
        ..NegotiateRequest::default()
    };
    let told = talk
        .ask(&negotiate_request(Verb::TaskAssign, &request))
        .await;
    assert_eq!(told.outcome, Outcome::Data, "{}", told.raw());
}

#[test]
fn a_leader_that_stood_still_ends_without_a_word() {
    let Some(server) = server() else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    block_on(async {
        let mut receiver = deaf_receiver().await;
        let folder = folder();
        // Only the first may tell the receiver, so that whatever comes is its.
        let allowed = format!("\n[webhook]\nallow = ['{}']\n", receiver.url(""));
        let settings = folder.path().join("convoke.toml");
        let text = std::fs::read_to_string(&settings).unwrap() + &allowed;
        std::fs::write(&settings, text).unwrap();
        let mut a = start(&folder, url, "a").await;
        a.told("leading").await;
        let (_b_folder, mut b) = another(&folder, url, "b").await;
        assign(&a, "kept").await.well();
        let mut read = Http::to(&a).await;
        read.ask(READY).await;
        assert!(read.answer().await.starts_with("HTTP/1.1 200"));
        let mut talk = Talk::connect(&a).await;
        assign_and_tell(&mut talk, "told", receiver.url("/in")).await;
        // It is told twice: from then on it is always about to be told again.
        receiver.names(2).await;
        a.signal("STOP").await;
        receiver.names_now();
        let stopped = Instant::now();
        // What is asked for meanwhile waits in its sockets.
        read.ask(READY).await;
        talk.call(GET);
        talk.flush().await.unwrap();
        b.told("leading").await;
        println!(
            "a leader that stands still is followed after {:?}",
            stopped.elapsed()
        );
        assert!(has(&b, "kept").await);
        a.signal("CONT").await;
        assert_eq!(read.answer().await, "", "a read by whoever leads no more");
        let reply = talk.reply().await;
        assert!(reply.is_err(), "{reply:?}");
        assert_eq!(a.ended().await.code(), Some(7));
        assert_eq!(
            receiver.names_now(),
            [""; 0],
            "told by whoever leads no more"
        );
        // Its successor is not disturbed.
        assign(&b, "after").await.well();
        assert_eq!(b.stop().await.code(), Some(0));
        sound(&verified(folder.path(), url).await);
    });
}

#[test]
fn an_older_copy_of_the_database_is_refused_by_who_was_told_of_a_later_one() {
    let Some(server) = server() else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    block_on(async {
        let (folder, a) = first(url).await;
        assign(&a, "kept").await.well();
        assert_eq!(a.stop().await.code(), Some(0));
        let older = database.copy();
        let older_url = &*older.by_socket();
        let mut a = start(&folder, url, "a").await;
        a.told("leading").await;
        let (b_folder, b) = another(&folder, url, "b").await;
        assign(&b, "lost").await.well();
        // Which has never led, and is told.
        let head = |of: &TempDir| std::fs::read(of.path().join("store_head")).ok();
        let is_told = || head(&b_folder).is_some_and(|told| Some(told) == head(&folder));
        eventually("what the leader has is told", is_told).await;
        assert_eq!(b.stop().await.code(), Some(0));
        assert_eq!(a.stop().await.code(), Some(0));
        let report = verified(b_folder.path(), url).await;
        sound(&report);
        assert_eq!(report["compared"], true);
        let refused = run(
            b_folder.path(),
            &[&serve(older_url, "b")[..], &FREE_PORTS, &["--http", "off"]].concat(),
        )
        .await
        .with_code(3);
        assert!(refused.stderr.contains("older copy"), "{refused:?}");
        // Who was never told cannot know, and says so.
        let c_folder = alike(folder.path());
        for (of, told) in [(url, "lost"), (older_url, "kept")] {
            let verify = ["store", "verify", "--store", of, "--json"];
            let told_of = run(c_folder.path(), &verify).await.with_code(6);
            let report = &told_of.json()[0];
            sound(report);
            assert_eq!(report["compared"], false, "{told}");
            assert!(
                told_of.stderr.contains("no head to compare with"),
                "{told_of:?}"
            );
        }
        let mut c = start(&c_folder, older_url, "c").await;
        c.told("leading").await;
        assert!(has(&c, "kept").await && !has(&c, "lost").await);
        assert_eq!(c.stop().await.code(), Some(0));
    });
}

#[test]
fn a_leader_that_is_drained_hands_over_at_once_and_back() {
    let Some(server) = server() else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    block_on(async {
        let (folder, mut a) = first(url).await;
        let (_b_folder, mut b) = another(&folder, url, "b").await;
        assign(&a, "kept").await.well();
        let mut sessions = [Talk::connect(&a).await, Talk::connect(&b).await];
        for (from, to, wished, of) in [("a", "b", "drain", "a"), ("b", "a", "lead", "a")] {
            let begun = Instant::now();
            wish(&database, of, wished);
            let heir = if to == "a" { &mut a } else { &mut b };
            heir.told("leading").await;
            println!("{from} handed over to {to} within {:?}", begun.elapsed());
            // No lease runs out meanwhile, and every node serves what the leader has.
            assert!(has(&a, "kept").await && has(&b, "kept").await);
            for session in &mut sessions {
                session.call(GET);
                session.flush().await.unwrap();
                session.reply().await.unwrap();
            }
        }
        b.told("standing-by").await;
        // Asked to end, it lets others have the lead at once.
        let begun = Instant::now();
        assert_eq!(a.stop().await.code(), Some(0));
        b.told("leading").await;
        println!("a leader that ends is followed after {:?}", begun.elapsed());
        assert!(has(&b, "kept").await);
        let [_, session] = &mut sessions;
        session.call(GET);
        session.flush().await.unwrap();
        session.reply().await.unwrap();
        assert_eq!(b.stop().await.code(), Some(0));
        sound(&verified(folder.path(), url).await);
    });
}

#[test]
fn a_node_with_other_rules_does_not_lead_and_says_so() {
    let Some(server) = server() else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    block_on(async {
        let (folder, a) = first(url).await;
        let b_folder = alike(folder.path());
        let rules = b_folder.path().join("access.toml");
        let before = std::fs::read_to_string(&rules).unwrap();
        std::fs::write(&rules, format!("{before}\n# another\n")).unwrap();
        let mut b = start(&b_folder, url, "b").await;
        b.told("rules-differ").await;
        a.kill().await;
        tokio::time::sleep(2 * TTL).await;
        let holder = database.say("SELECT holder FROM owner");
        assert!(holder.ends_with(" a"), "{holder}");
        std::fs::write(&rules, before).unwrap();
        b.told("leading").await;
        // Rules that change while it leads are in force, and are others' to have.
        let users = b_folder.path().join("users");
        std::fs::create_dir_all(&users).unwrap();
        std::fs::copy(
            b_folder.path().join("operator_ed25519.pub"),
            users.join("noc.pub"),
        )
        .unwrap();
        let mut a = start(&folder, url, "a").await;
        a.told("rules-differ").await;
        assert_eq!(b.stop().await.code(), Some(0));
        assert_eq!(a.stop().await.code(), Some(0));
        let mut a = {
            let arguments = [&serve(url, "a")[..], &["--accept-rules"]].concat();
            Running::start(folder.path(), &arguments).await
        };
        a.told("leading").await;
        assert_eq!(a.stop().await.code(), Some(0));
    });
}

#[test]
fn a_node_says_what_of_its_settings_is_not_as_with_the_leader() {
    let Some(server) = server() else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    block_on(async {
        let (folder, a) = first(url).await;
        let b_folder = alike(folder.path());
        let settings = b_folder.path().join("convoke.toml");
        let retention = "[cluster]\nttl-s = 3\n[retention]\nmax-age-days = 3\n";
        std::fs::write(settings, retention).unwrap();
        let log = b_folder.path().join("log");
        let file = std::fs::File::create(&log).unwrap();
        let b = Running::attempt(b_folder.path(), &serve(url, "b"), &[], file.into()).await;
        let said = || std::fs::read_to_string(&log).unwrap_or_default();
        let is_said = || said().contains("not as with a, which leads: [retention];");
        eventually("it is said", is_said).await;
        assert_eq!(b.unwrap().stop().await.code(), Some(0));
        assert_eq!(a.stop().await.code(), Some(0));
    });
}

/// Copies the lists of tokens from one folder to another.
fn share_tokens(from: &TempDir, to: &TempDir) {
    let [from, to] = [from, to].map(|folder| folder.path().join("tokens"));
    std::fs::create_dir_all(&to).unwrap();
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

#[test]
fn a_token_that_is_revoked_at_one_leader_counts_at_no_other() {
    let Some(server) = server() else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    block_on(async {
        let (folder, a) = first(url).await;
        let (b_folder, mut b) = another(&folder, url, "b").await;
        let issued = run(folder.path(), &["token", "issue"]).await.well().stdout;
        let token = issued.trim();
        share_tokens(&folder, &b_folder);
        let asked = async |node: &Running| {
            let answer = http::get(node.http(), "/whoami", Some(token)).await;
            answer.status
        };
        within("the token counts", async {
            while asked(&b).await != 200 {}
        })
        .await;
        run(folder.path(), &["token", "revoke", "operator"])
            .await
            .well();
        within("it is revoked", async { while asked(&b).await != 401 {} }).await;
        b.told("rules-differ").await;
        a.kill().await;
        tokio::time::sleep(2 * TTL).await;
        let holder = database.say("SELECT holder FROM owner");
        assert!(holder.ends_with(" a"), "{holder}");
        share_tokens(&folder, &b_folder);
        b.told("leading").await;
        within("an answer", async { while asked(&b).await == 503 {} }).await;
        assert_eq!(asked(&b).await, 401);
        assert_eq!(b.stop().await.code(), Some(0));
    });
}

#[test]
fn what_is_revoked_just_before_a_leader_ends_is_in_force_and_time_alone_changes_that_for_nobody() {
    let Some(server) = server() else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    block_on(async {
        let (folder, a) = first(url).await;
        let (b_folder, mut b) = another(&folder, url, "b").await;
        let valid = Duration::from_secs(6);
        let issue = ["token", "issue", "operator", "--valid", "6s"];
        run(folder.path(), &issue).await.well();
        let issued = Instant::now();
        let revoke = ["token", "revoke", "operator"];
        let told = run(folder.path(), &revoke).await.well().stdout;
        assert!(told.contains("is void while this node leads"), "{told}");
        assert_eq!(a.stop().await.code(), Some(0));
        b.told("rules-differ").await;
        let holder = database.say("SELECT holder FROM owner");
        assert!(holder.ends_with(" a"), "{holder}");
        assert_eq!(b.stop().await.code(), Some(0));
        // It expires while nobody leads, and is as it was.
        share_tokens(&folder, &b_folder);
        tokio::time::sleep(valid.saturating_sub(issued.elapsed())).await;
        let mut b = start(&b_folder, url, "b").await;
        b.told("leading").await;
        assert_eq!(b.stop().await.code(), Some(0));
    });
}

#[test]
fn a_name_is_one_processs_and_what_a_node_lacks_is_told() {
    let Some(server) = server() else {
        return;
    };
    let database = server.database();
    let url = &*database.by_socket();
    block_on(async {
        let (folder, a) = first(url).await;
        let refused = |state: &Path, arguments: Vec<&str>| {
            let state = state.to_owned();
            let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
            async move { run(&state, &arguments).await }
        };
        let again = [&serve(url, "a")[..], &FREE_PORTS, &["--http", "off"]].concat();
        let told = refused(folder.path(), again.clone()).await.with_code(5);
        assert!(
            told.stderr.contains("in use by another process"),
            "{told:?}"
        );
        let elsewhere = alike(folder.path());
        let told = refused(elsewhere.path(), again).await.with_code(5).stderr;
        assert!(told.contains("a node a is running elsewhere"), "{told}");
        let alone = refused(elsewhere.path(), vec!["serve", "--node", "a"]).await;
        let told = alone.with_code(2).stderr;
        assert!(told.contains("say --store postgres://"), "{told}");
        let mut simulated = serve(url, "a").to_vec();
        simulated.extend(["--network", "Polska"]);
        let told = refused(elsewhere.path(), simulated).await.with_code(2);
        assert!(told.stderr.contains("say --network none"), "{told:?}");
        let unnamed = refused(elsewhere.path(), serve(url, "a b").to_vec()).await;
        let told = unnamed.with_code(2).stderr;
        assert!(told.contains("is no name of a node"), "{told}");
        // A killed one is its own successor, and waits for nobody.
        a.kill().await;
        let begun = Instant::now();
        let mut a = start(&folder, url, "a").await;
        a.told("leading").await;
        let took = begun.elapsed();
        println!("a killed node leads again after {took:?}");
        assert_eq!(a.stop().await.code(), Some(0));
    });
}
