//! What the pool of unmet wishes and the life of keys cost.
//!
//! ```text
//! cargo bench -p convoke-schema --bench evolution -- [--json] [--smoke]
//! ```
//! Rows: `insert dense` (384 dimensions, threshold 0.55) and `insert n-gram` (512 dimensions, about
//! 40 of them not 0, threshold 0.40): a million fragments into 10,000 clusters, without embedding
//! them; mean, median and the 99th in a hundred. Search is exact, so its recall is 1. `relink`: one
//! neighbourhood linked afresh; `tick`: a lineage of ten keys on trial with 10,000 clients each, a
//! pool of 10,000 clusters; `observe`: one payload counted. `--json` prints an object a line.
//! Without `--bench`, which `cargo bench` gives, or with `--smoke`, it only shows that it runs.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    missing_docs
)]

use schema::evolution::{
    ClusterId, Command, Evolution, Insert, Lineage, Means, Observation, Pool, Resolved, Settings,
    Source,
};
use schema::language::Language;
use schema::lint::Audience;
use schema::semantics::Embedder;
use schema::template::Template;
use schema::time::Timestamp;
use serde_json::{Map, json};
use std::time::{Duration, Instant};

struct Scale {
    fragments: usize,
    clusters: usize,
    clients: usize,
}

const FULL: Scale = Scale {
    fragments: 1_000_000,
    clusters: 10_000,
    clients: 10_000,
};
const SMOKE: Scale = Scale {
    fragments: 2_000,
    clusters: 500,
    clients: 50,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|a| a == word);
    let scale = if has("--bench") && !has("--smoke") {
        FULL
    } else {
        SMOKE
    };
    let told = Told {
        json: has("--json"),
    };
    let dense = Kind {
        id: "dense",
        dimensions: 384,
        set: 384,
        threshold: 0.55,
        noise: 0.85,
    };
    let sparse = Kind {
        id: "n-gram",
        dimensions: 512,
        set: 40,
        threshold: 0.40,
        noise: 0.85,
    };
    for kind in [dense, sparse] {
        let pool = insert(&kind, &scale, &told);
        if kind.id == "dense" {
            relink_and_tick(pool, &kind, &scale, &told);
        }
    }
}

struct Told {
    json: bool,
}

impl Told {
    fn row(&self, name: &str, mut times: Vec<Duration>) {
        times.sort_unstable();
        let us = |d: Duration| d.as_nanos() as f64 / 1_000.0;
        let mean = us(times.iter().sum()) / times.len() as f64;
        let (half, late) = (
            us(times[times.len() / 2]),
            us(times[times.len() * 99 / 100]),
        );
        match self.json {
            true => println!(
                "{}",
                json!({"bench": "evolution", "row": name, "n": times.len(),
                "mean_us": mean, "p50_us": half, "p99_us": late})
            ),
            false => println!(
                "{name:16} n {:>8}  mean {mean:>9.1} µs  p50 {half:>9.1}  p99 {late:>9.1}",
                times.len()
            ),
        }
    }
}

/// Vectors as such embedders make them; texts are only names of vectors.
struct Kind {
    id: &'static str,
    dimensions: usize,
    /// Dimensions that are not 0.
    set: usize,
    threshold: f32,
    /// Length of what is added to a cluster's direction.
    noise: f32,
}

struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Nearly normal, of variance 1/3.
    fn normal(&mut self) -> f32 {
        let n = self.next();
        (0..4)
            .map(|i| ((n >> (i * 16)) & 0xffff) as f32 / 65_536.0 - 0.5)
            .sum()
    }
}

impl Kind {
    fn direction(&self, dice: &mut Dice) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        if self.set == self.dimensions {
            vector.iter_mut().for_each(|x| *x = dice.normal());
        } else {
            for _ in 0..self.set {
                vector[dice.next() as usize % self.dimensions] += 1.0;
            }
        }
        unit(vector)
    }

    /// A fragment of a cluster: of sparse ones a part of the n-grams is another.
    fn around(&self, centre: &[f32], dice: &mut Dice) -> Vec<f32> {
        let noise = self.direction(dice);
        unit(
            centre
                .iter()
                .zip(&noise)
                .map(|(c, n)| c + self.noise * n)
                .collect(),
        )
    }
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.into_iter().map(|x| x / length).collect()
}

impl Embedder for Kind {
    fn id(&self) -> &str {
        self.id
    }
    fn dimensions(&self) -> usize {
        self.dimensions
    }
    fn threshold(&self) -> f32 {
        self.threshold
    }
    fn embed(&self, text: &str) -> Vec<f32> {
        let seed = text
            .bytes()
            .fold(7u64, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
        self.direction(&mut Dice(seed | 1))
    }
    fn opposes(&self, _: &str, _: &str) -> bool {
        false
    }
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(1_767_225_600_000 + ms)
}

fn insert(kind: &Kind, scale: &Scale, told: &Told) -> Pool {
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let centres: Vec<_> = (0..scale.clusters)
        .map(|_| kind.direction(&mut dice))
        .collect();
    let mut settings = Settings::default();
    settings.cluster.clusters_max = scale.clusters;
    let mut pool = Pool::new(kind, false).unwrap();
    let mut times = Vec::with_capacity(scale.fragments);
    for i in 0..scale.fragments {
        let of = if i < scale.clusters {
            i
        } else {
            dice.next() as usize % scale.clusters
        };
        let vector = kind.around(&centres[of], &mut dice);
        let (client, text) = (
            format!("client {}", dice.next() % 1_000),
            format!("wish {of}"),
        );
        let source = Source {
            client: Some(&client),
            proven: true,
        };
        let fragment = Insert {
            text: &text,
            vector: &vector,
            source: &source,
            now: at(i as i64 * 600),
        };
        let started = Instant::now();
        pool.insert(&fragment, &settings, kind).unwrap();
        times.push(started.elapsed());
    }
    assert!(pool.clusters().len() <= scale.clusters);
    told.row(&format!("insert {}", kind.id), times);
    pool
}

fn relink_and_tick(mut pool: Pool, kind: &Kind, scale: &Scale, told: &Told) {
    let settings = Settings::default();
    let ids: Vec<ClusterId> = pool.clusters().map(|c| c.id).take(20).collect();
    let timed = |id: &ClusterId, pool: &mut Pool| {
        let started = Instant::now();
        pool.relink(*id, &settings, kind, at(0)).unwrap();
        started.elapsed()
    };
    let times = ids.iter().map(|id| timed(id, &mut pool)).collect();
    told.row("relink", times);
    let mut evolution = Evolution::from_parts(pool, lineage(scale));
    told.row(
        "observe",
        (0..1_000).map(|i| observe(&mut evolution, i)).collect(),
    );
    let means = Means {
        settings: &settings,
        embedder: kind,
        screen: &|text| Some(text.to_owned()),
        exposes: &|_| false,
        everyones: &[],
    };
    let times = (0..20).map(|i| {
        let started = Instant::now();
        evolution.tick(&means, at(i * 3_600_000));
        started.elapsed()
    });
    told.row("tick", times.collect());
}

fn observe(evolution: &mut Evolution, i: i64) -> Duration {
    let payload: Map<_, _> = [("key_3".to_owned(), json!(true))].into_iter().collect();
    let client = format!("client {i}");
    let seen = Observation {
        client: Some(&client),
        payload: &payload,
        accepted: true,
        now: at(i),
    };
    let started = Instant::now();
    evolution.lineage_mut().observe(&seen);
    started.elapsed()
}

fn base() -> Template {
    let source = json!({"schema_id": "wish_v1", "scenario": "wish", "keys": [
        {"key_name": "what", "key_type": "string", "required": false, "semantic_description": "What."}]});
    schema::read::template(&source, Audience::Own)
        .unwrap()
        .template
}

/// Ten keys on trial, each delivered to many clients.
fn lineage(scale: &Scale) -> Lineage {
    let mut settings = Settings::default();
    settings.patch.policy.ordinary = schema::evolution::Approval::Auto;
    let mut lineage = Lineage::new(base(), None);
    for i in 0..10 {
        let source = json!({"key_name": format!("key_{i}"), "key_type": "boolean", "required": false,
            "semantic_description": "Whether it is wanted."});
        let key = schema::read::key(&source, &Language::english(), Audience::Own)
            .unwrap()
            .0;
        let cluster = ClusterId(1_000_000 + i);
        let propose = Command::Propose {
            cluster,
            resolved: Resolved::New(key),
            exposes_capability: false,
        };
        for command in [Command::Fire { cluster }, propose] {
            let events = lineage.decide(&command, &settings, at(0)).unwrap();
            events.iter().for_each(|event| lineage.apply(event));
        }
    }
    for i in 0..scale.clients {
        lineage.delivered(&format!("client {i}"), &settings);
    }
    lineage
}
