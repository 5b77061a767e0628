//! An untrusted client at the HTTP server: well-formed requests of every route, and thousands of
//! mutated ones.
//!
//! Every request is answered in time, without a 5xx status, with an error body of a documented form
//! and without data of others, and afterwards the platform works and others' tasks are unchanged.
//! `CONVOKE_FUZZ_TIMES` multiplies the number of requests, `CONVOKE_FUZZ_SECONDS` sets a duration
//! instead; `PROPTEST_RNG_SEED` selects them. Read next: `fuzz_http/corpus.rs`,
//! `fuzz_http/mutation.rs`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "fuzz_http/answer.rs"]
mod answer;
#[path = "fuzz_http/corpus.rs"]
mod corpus;
#[path = "fuzz_http/mutation.rs"]
mod mutation;
mod support;

use answer::{Answer, exchange};
use corpus::{HOOK, PLAYER, Request, Tasks, Who, requests};
use harness::attacks::{Attack, Kind};
use harness::rng::SeededRng;
use mutation::{Sent, sent};
use serde_json::{Value, json};
use server::ssh::keys::{generate, write_public};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::block_on;
use support::http::{ask, get, post};
use support::process::{Running, run};

/// The number of requests by default.
const USUAL: usize = 5_000;
/// The number of requests in flight.
const AT_ONCE: usize = 8;
/// The number of seeds of generated attacks, and of requests of each.
const SEEDS: u64 = 3;
const POSTS: usize = 40;
/// The most mutations of one request.
const MOST_CHANGES: usize = 5;
/// The most connections that may still be closing at the end.
const MOST_LEFT: usize = 64;
/// A text that only the operator may read.
const SECRET: &str = "the-operator-says-this-to-nobody-else";

const V10: [(&str, &str); 1] = [("A2A-Version", "1.0")];

/// The number of answers by status and reason.
type Tally = BTreeMap<String, usize>;

/// Statuses and reasons that must occur, as the requests would be pointless otherwise.
const OF_INTEREST: [&str; 15] = [
    "200",
    "400",
    "401",
    "403",
    "404",
    "405",
    "414",
    "415",
    "421",
    "PARSE_ERROR",
    "INVALID_PARAMS",
    "METHOD_NOT_FOUND",
    "TASK_NOT_FOUND",
    "VERSION_NOT_SUPPORTED",
    "CONTENT_TYPE_NOT_SUPPORTED",
];

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A platform with a secret, and a client without access to it.
struct Ground {
    running: Running,
    operator: String,
    stranger: String,
    tasks: Tasks,
}

impl Ground {
    async fn prepared(state: &Path) -> Self {
        let settings = "[a2a]\nconformance-agent = true\npatience-s = 1\n\
            [webhook]\nallow-private = ['http://127.0.0.1:9']\n";
        std::fs::write(state.join("convoke.toml"), settings).unwrap();
        let running = Running::serve(state).await;
        // An agent reads its own tasks alone.
        let keys = state.join("agents");
        std::fs::create_dir_all(&keys).unwrap();
        write_public(&keys.join("stranger.pub"), generate("k").public_key()).unwrap();
        let operator = token(&running, "operator").await;
        let stranger = token(&running, "stranger").await;
        let theirs = begun(&running, &operator, SECRET).await;
        let own = begun(&running, &stranger, "mine").await;
        Self {
            tasks: Tasks { own, theirs },
            running,
            operator,
            stranger,
        }
    }

    /// The operator's task, as read by the operator.
    async fn secret(&self) -> Value {
        let path = format!("{PLAYER}/tasks/{}", self.tasks.theirs);
        let (http, token) = (self.running.http(), Some(self.operator.as_str()));
        let answer = ask(http, "GET", &path, token, &V10, "").await;
        assert!(answer.body.contains(SECRET), "{answer:?}");
        answer.json()
    }
}

async fn token(running: &Running, name: &str) -> String {
    let issued = run(running.state(), &["token", "issue", name]).await.well();
    issued.stdout.trim_end().to_owned()
}

/// Begins a task that waits for input.
async fn begun(running: &Running, token: &str, words: &str) -> String {
    let message = json!({"message": {
        "messageId": "tck-input-required-0", "role": "ROLE_USER", "parts": [{"text": words}],
    }});
    let path = format!("{PLAYER}/message:send");
    let answer = post(running.http(), &path, Some(token), &V10, &message).await;
    answer.json()["task"]["id"].as_str().unwrap().to_owned()
}

/// Checks the properties of every answer.
fn judged(answer: &Answer, sent: &Sent, ground: &Ground) -> Result<(), String> {
    if answer.bytes.is_empty() && sent.is_wild {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&answer.bytes);
    for (what, never) in [
        ("a secret", SECRET),
        ("a token", &ground.operator),
        ("a token", &ground.stranger),
    ] {
        if text.contains(never) {
            return Err(format!("{what} is told"));
        }
    }
    answer.shaped(sent)
}

/// Sends a request; returns the answer's status and, if A2A refuses, its reason.
async fn attempt(ground: &Ground, sent: &Sent) -> Vec<String> {
    let judged = match exchange(ground.running.http(), sent).await {
        Ok(answer) => judged(&answer, sent, ground)
            .map(|()| answer.told())
            .map_err(|wrong| format!("{wrong}\n{}", String::from_utf8_lossy(&answer.bytes))),
        Err(wrong) => Err(wrong),
    };
    judged.unwrap_or_else(|wrong| {
        let asked = String::from_utf8_lossy(&sent.bytes);
        let asked: String = asked.chars().take(1_500).collect();
        panic!("{wrong}\n--- asked:\n{asked}")
    })
}

/// Sends the requests of one worker, the same for the same seed and number.
async fn hand(
    ground: Arc<Ground>,
    seeds: Arc<Vec<Request>>,
    seed: u64,
    taken: Arc<AtomicUsize>,
    goes_on: impl Fn(usize) -> bool,
) -> Tally {
    let mut tally = Tally::new();
    loop {
        let number = taken.fetch_add(1, Ordering::Relaxed);
        if !goes_on(number) {
            return tally;
        }
        let mut rng = SeededRng(seed << 32 | number as u64);
        let chosen = &seeds[rng.below(seeds.len())];
        let mut chosen = chosen.clone();
        if rng.below(6) == 0 {
            chosen.who = Who::Nobody;
        }
        let changes = 1 + rng.below(MOST_CHANGES);
        let sent = sent(&chosen, changes, &ground.stranger, &mut rng);
        for told in attempt(&ground, &sent).await {
            *tally.entry(told).or_default() += 1;
        }
    }
}

/// Limits, error bodies and hidden tasks of others hold for any request.
#[test]
fn strangers_get_nowhere() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let ground = Arc::new(Ground::prepared(state.path()).await);
        let before = ground.secret().await;
        let seeds = Arc::new(requests(&ground.tasks));
        as_they_are(&ground, &seeds).await;

        let files = ground.running.open_files();
        let seed = number("PROPTEST_RNG_SEED").unwrap_or(1);
        let times = number("CONVOKE_FUZZ_TIMES").unwrap_or(1) as usize;
        let longest = number("CONVOKE_FUZZ_SECONDS").map(Duration::from_secs);
        let began = Instant::now();
        let goes_on = move |number: usize| match longest {
            Some(longest) => began.elapsed() < longest,
            None => number < USUAL * times,
        };
        let taken = Arc::new(AtomicUsize::new(0));
        let hands: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                let (ground, seeds) = (Arc::clone(&ground), Arc::clone(&seeds));
                tokio::spawn(hand(ground, seeds, seed, Arc::clone(&taken), goes_on))
            })
            .collect();
        let mut tally = Tally::new();
        for hand in hands {
            for (told, count) in hand.await.unwrap() {
                *tally.entry(told).or_default() += count;
            }
        }
        println!("seed {seed}, {:?}: {tally:?}", began.elapsed());
        for told in OF_INTEREST {
            assert!(tally.contains_key(told), "no {told}: {tally:?}");
        }
        let http = ground.running.http();
        assert_eq!(get(http, "/readyz", None).await.status, 200);
        let more = ground.running.open_files().saturating_sub(files);
        assert!(more < MOST_LEFT, "{more} files more are open");
        assert_eq!(
            ground.secret().await,
            before,
            "what is not theirs is changed"
        );
    });
}

/// Expensive generated requests with a guest's token (`harness::attacks`) are answered too, and
/// change no task of others.
#[test]
fn generated_attacks_get_nowhere_either() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let ground = Ground::prepared(state.path()).await;
        let users = state.path().join("users");
        write_public(&users.join("guest.pub"), generate("g").public_key()).unwrap();
        let guest = token(&ground.running, "guest").await;
        let before = ground.secret().await;
        let first = number("PROPTEST_RNG_SEED").unwrap_or(1);
        let seeds = number("CONVOKE_ATTACKS").unwrap_or(SEEDS);
        let mut tally = Tally::new();
        for seed in first..first + seeds {
            for kind in Kind::ALL.into_iter().filter(|kind| kind.is_http()) {
                for number in 0..POSTS {
                    let post = Attack { kind, seed }.post(0, number);
                    let sent = Sent {
                        bytes: post.bytes(ground.running.http(), &guest, false),
                        is_forged: false,
                        is_wild: false,
                        is_head: false,
                    };
                    for told in attempt(&ground, &sent).await {
                        *tally.entry(told).or_default() += 1;
                    }
                }
            }
        }
        println!("seeds {first} to {}: {tally:?}", first + seeds - 1);
        for told in ["200", "400", "403", "PARSE_ERROR", "INVALID_PARAMS"] {
            assert!(tally.contains_key(told), "no {told}: {tally:?}");
        }
        assert_eq!(
            get(ground.running.http(), "/readyz", None).await.status,
            200
        );
        assert_eq!(ground.secret().await, before, "what is not his is changed");
    });
}

/// Checks that every request of the corpus has its intended result before it is mutated.
async fn as_they_are(ground: &Ground, seeds: &[Request]) {
    assert!(
        HOOK.contains("127.0.0.1"),
        "nothing goes out of this machine"
    );
    for request in seeds {
        let sent = sent(request, 0, &ground.stranger, &mut SeededRng(0));
        let answer = exchange(ground.running.http(), &sent).await.unwrap();
        judged(&answer, &sent, ground).unwrap();
        let refused = answer.status >= 400 || answer.body().contains(r#""error":"#);
        if request.is_answered {
            assert!(!refused, "{request:?}\n{}", answer.body());
        }
    }
}
