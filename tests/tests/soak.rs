//! A soak test under continuous faults: memory stays constant, files are closed, and all guarantees
//! hold to the end.
//!
//! A `convoke serve` with agents of all four domains over a network with a hundredfold rate of
//! faults and accelerated time, so that alarms storm. The length is in notifications: 300, or
//! `CONVOKE_SOAK_EVENTS`; with `CONVOKE_SOAK_MINUTES` it is that time, and memory may then grow by
//! 1 MiB an hour. The alarms are the simulation's own. Read next: `robustness.rs`,
//! `crates/showcase/arena/tests/laws.rs`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![cfg(target_os = "linux")]

mod support;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use support::block_on;
use support::process::{Running, run};
use support::talk::{Talk, get_agent, subscribe, text};

const EVENTS: usize = 300;
/// The number of samples.
const LOOKS: usize = 24;
/// The growth of caches, tables and pools in the second half of a short run, in KiB.
const SETTLING_KIB: f64 = 24.0 * 1_024.0;
/// The variation of the number of open files between samples.
const FILES_EITHER_WAY: usize = 4;
const AGENT: &str = "TMF-Convoke-IP-1.0.0";
const SETTINGS: &str = "[life]\nfaults = 100\n";

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|told| told.parse().unwrap())
}

/// A sample.
struct Look {
    after: Duration,
    resident_kib: f64,
    files: usize,
}

/// The growth of memory in KiB per hour, by least squares.
fn slope_kib_per_hour(looks: &[Look]) -> f64 {
    let hours = |look: &Look| look.after.as_secs_f64() / 3_600.0;
    let count = looks.len() as f64;
    let mean_time = looks.iter().map(hours).sum::<f64>() / count;
    let mean_kib = looks.iter().map(|l| l.resident_kib).sum::<f64>() / count;
    let (mut both, mut square) = (0.0, 0.0);
    for look in looks {
        let time = hours(look) - mean_time;
        both += time * (look.resident_kib - mean_kib);
        square += time * time;
    }
    both / square
}

fn mean_kib(looks: &[Look]) -> f64 {
    looks.iter().map(|look| look.resident_kib).sum::<f64>() / looks.len() as f64
}

#[test]
fn it_goes_on_and_on() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        std::fs::write(state.path().join("convoke.toml"), SETTINGS).unwrap();
        let arguments = [
            "serve",
            "--network",
            "Abilene",
            "--life",
            "--speed",
            "600",
            "--seed",
            "7",
        ];
        let running = Running::start(state.path(), &arguments).await;
        let mut bystander = Talk::connect(&running).await;
        let mut subscriber = Talk::connect(&running).await;
        subscriber.ask(&subscribe("")).await;

        let minutes = number("CONVOKE_SOAK_MINUTES").map(|m| Duration::from_secs(60 * m));
        let events = number("CONVOKE_SOAK_EVENTS").map_or(EVENTS, |events| events as usize);
        let (began, mut looks) = (Instant::now(), Vec::new());
        let (mut told, mut last) = (BTreeMap::<String, usize>::new(), String::new());
        let mut count = 0;
        loop {
            let notification = subscriber.notification().await.unwrap();
            count += 1;
            let name = notification.content().unwrap().name().to_owned();
            *told.entry(name).or_default() += 1;
            // RFC 5277 §4: all are of one clock that never goes back.
            assert!(
                notification.event_time >= last,
                "{} after {last}",
                notification.event_time
            );
            last = notification.event_time;
            let (done, whole) = match minutes {
                Some(minutes) => (
                    began.elapsed().as_secs() as usize,
                    minutes.as_secs() as usize,
                ),
                None => (count, events),
            };
            if done * LOOKS >= whole * (looks.len() + 1) {
                let reply = bystander.ask(&get_agent(AGENT)).await;
                assert_eq!(
                    text(&reply.document, "name"),
                    AGENT,
                    "one look is answered as ever"
                );
                looks.push(Look {
                    after: began.elapsed(),
                    resident_kib: running.resident_kib() as f64,
                    files: running.open_files(),
                });
            }
            if looks.len() >= LOOKS {
                break;
            }
        }
        let half = &looks[LOOKS / 2..];
        let slope = slope_kib_per_hour(half);
        let (first, rest) = half.split_at(LOOKS / 4);
        println!("{count} notifications in {:?}: {told:?}", began.elapsed());
        for look in &looks {
            println!(
                "{:?}: {} KiB, {} files",
                look.after, look.resident_kib, look.files
            );
        }
        println!("the second half grows by {slope:.0} KiB an hour");
        let files = half[0].files;
        let flat = |look: &Look| look.files.abs_diff(files) <= FILES_EITHER_WAY;
        assert!(half.iter().all(flat), "files do not stay closed");
        match minutes {
            Some(_) => assert!(slope < 1_024.0, "memory grows by {slope:.0} KiB an hour"),
            None => assert!(
                mean_kib(rest) - mean_kib(first) < SETTLING_KIB,
                "memory grows"
            ),
        }
        drop((bystander, subscriber));
        assert_eq!(running.stop().await.code(), Some(0));
        // Everything that was told is there, in one chain, and sound.
        let verified = run(state.path(), &["store", "verify"]).await;
        println!("{}", verified.well().stdout);
    });
}
