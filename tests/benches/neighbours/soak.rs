//! One generated attack after another, each with a victim: the isolation law, window by window.
//!
//! Every kind of attack has its turn with a seed, then with the next one. A window is the victim's
//! request alone and then under attack. A violation of the law (`figures`) is reported at once,
//! with its kind and seed, and measured again: two violations in a row are no accident of the
//! machine, and fail the run. Read next: `harness::attacks`.

use crate::Options;
use crate::attack::{Attacker, Did};
use crate::figures::{AIM, on};
use crate::generated;
use crate::platform::Platform;
use crate::victim::{self, Waits};
use harness::attacks::{Attack, Kind};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Medians and 99th percentiles under attack, as multiples of those alone.
#[derive(Clone, Copy, Debug)]
struct Ratios {
    p50: f64,
    p99: f64,
    /// True if a reply did not come.
    stopped: bool,
}

impl Ratios {
    fn of(alone: &Waits, beside: &Waits) -> Self {
        let ratio = |share| beside.percentile_us(share) / alone.percentile_us(share);
        Self {
            p50: ratio(0.5),
            p99: ratio(0.99),
            stopped: beside.is_stopped(),
        }
    }

    fn is_broken(self) -> bool {
        self.stopped || self.p50 > AIM.0 || self.p99 > AIM.1
    }

    fn told(self) -> String {
        let stopped = if self.stopped {
            ", and a reply did not come"
        } else {
            ""
        };
        format!("median {:.1}, p99 {:.1}{stopped}", self.p50, self.p99)
    }
}

/// All windows of a kind.
#[derive(Default)]
struct Row {
    windows: u64,
    broken: u64,
    broken_twice: u64,
    /// The worst ratios, with the seeds of their attacks.
    worst_p50: (f64, u64),
    worst_p99: (f64, u64),
    did: Did,
}

impl Row {
    fn take(&mut self, seed: u64, ratios: Ratios) {
        self.windows += 1;
        if ratios.p50 > self.worst_p50.0 {
            self.worst_p50 = (ratios.p50, seed);
        }
        if ratios.p99 > self.worst_p99.0 {
            self.worst_p99 = (ratios.p99, seed);
        }
    }

    fn json(&self, kind: Kind) -> Value {
        json!({
            "event": "generated", "kind": kind.name(), "windows": self.windows,
            "broken": self.broken, "broken_twice": self.broken_twice,
            "worst_ratio_p50": self.worst_p50.0, "worst_ratio_p50_seed": self.worst_p50.1,
            "worst_ratio_p99": self.worst_p99.0, "worst_ratio_p99_seed": self.worst_p99.1,
            "aim_ratio_p50": AIM.0, "aim_ratio_p99": AIM.1,
            "answered": self.did.answered, "refused": self.did.refused,
        })
    }
}

/// Runs attacks from a seed on until the time is over, at least one round of every kind.
///
/// # Errors
/// If the platform ends, or an attack violates the law twice in a row; not in a smoke run.
pub(crate) async fn run(
    options: &Options,
    seed: u64,
    lasting: Duration,
    machine: &Value,
) -> Result<(), Box<dyn Error>> {
    let window = match options.smoke {
        true => Duration::from_millis(50),
        false => Duration::from_secs(1),
    };
    let kinds = Kind::ALL
        .into_iter()
        .filter(|kind| options.wants(kind.name()));
    let kinds: Vec<Kind> = kinds.collect();
    if kinds.is_empty() {
        // Of a run of fixed attacks some may be wanted alone.
        return match options.soak {
            Some(_) => Err("nothing that is generated is called so".into()),
            None => Ok(()),
        };
    }
    let mut rows: BTreeMap<Kind, Row> = BTreeMap::new();
    let mut platform = Platform::start(&options.binary).await?;
    let begun = Instant::now();
    for seed in seed.. {
        for &kind in &kinds {
            let attack = Attack { kind, seed };
            let row = rows.entry(kind).or_default();
            let ratios = beside(options, &platform, attack, window, &mut row.did).await?;
            row.take(seed, ratios);
            if !options.smoke && ratios.is_broken() {
                row.broken += 1;
                let again = beside(options, &platform, attack, window, &mut row.did).await?;
                row.broken_twice += u64::from(again.is_broken());
                tell(options, attack, ratios, again);
                if ratios.stopped || again.stopped {
                    platform = Platform::start(&options.binary).await?;
                }
            }
        }
        if begun.elapsed() >= lasting {
            break;
        }
    }
    match options.json {
        true => rows
            .iter()
            .for_each(|(kind, row)| println!("{}", row.json(*kind))),
        false => println!("{}{}", table(&rows), on(machine)),
    }
    match rows.values().map(|row| row.broken_twice).sum::<u64>() {
        0 => Ok(()),
        broken => Err(format!("{broken} attacks broke the law twice in a row").into()),
    }
}

/// Measures the request alone, and under attack.
async fn beside(
    options: &Options,
    platform: &Platform,
    attack: Attack,
    window: Duration,
    did: &mut Did,
) -> Result<Ratios, Box<dyn Error>> {
    let named = generated::name(attack);
    let place = platform.place();
    let failed = |why: Box<dyn Error>| format!("{named}: {why}");
    let alone = victim::ask(place, window, None).await.map_err(failed)?;
    let attacker = Attacker::begin(&named, place, options.competing)
        .await
        .map_err(failed)?;
    let asked = victim::ask(place, window, None).await.map_err(failed)?;
    did.add(&attacker.end().await.map_err(failed)?);
    Ok(Ratios::of(&alone, &asked))
}

fn tell(options: &Options, attack: Attack, ratios: Ratios, again: Ratios) {
    let Attack { kind, seed } = attack;
    match options.json {
        true => println!(
            "{}",
            json!({
                "event": "broken", "kind": kind.name(), "seed": seed,
                "ratio_p50": ratios.p50, "ratio_p99": ratios.p99, "stopped": ratios.stopped,
                "again_ratio_p50": again.p50, "again_ratio_p99": again.p99,
                "again_stopped": again.stopped,
            })
        ),
        false => eprintln!(
            "broken by {} {seed}: {}; again: {}. Alone: --generated {seed} --only {}",
            kind.name(),
            ratios.told(),
            again.told(),
            kind.name()
        ),
    }
}

/// The table for people.
fn table(rows: &BTreeMap<Kind, Row>) -> String {
    let mut text = format!(
        "{:<14} {:>7} {:>6} {:>6} {:>8} {:>6} {:>8} {:>6} {:>9}\n",
        "generated", "windows", "broken", "twice", "p50 by", "seed", "p99 by", "seed", "answered"
    );
    for (kind, row) in rows {
        let _ = writeln!(
            text,
            "{:<14} {:>7} {:>6} {:>6} {:>8.1} {:>6} {:>8.1} {:>6} {:>9}",
            kind.name(),
            row.windows,
            row.broken,
            row.broken_twice,
            row.worst_p50.0,
            row.worst_p50.1,
            row.worst_p99.0,
            row.worst_p99.1,
            row.did.answered
        );
    }
    for (kind, row) in rows {
        let _ = writeln!(text, "{} refused: {:?}", kind.name(), row.did.refused);
    }
    text
}
