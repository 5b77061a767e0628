//! The cost of the pool of unmet wishes, of the life of keys, and of serving templates.
//!
//! ```text
//! cargo bench -p convoke-schema --bench evolution -- [--json] [--smoke] [--fragments N]
//! ```
//! Rows: `list`: the scenarios of all templates that ship; `fetch`: the newest of one of them,
//! written in one language, as JSON text; `insert dense` (384 dimensions, threshold 0.55) and `insert
//! n-gram` (1,024 dimensions, about 60 of them not 0, threshold 0.30, as the embedder without a model
//! has it): a million fragments into 10,000 clusters, without embedding them; search is exact, so
//! its recall is 1; `relink`: one neighbourhood linked afresh; `observe`: one payload counted;
//! `tick`: a lineage of ten keys on trial with 10,000 clients each, a pool of 10,000 clusters.
//!
//! Median, mean and the 99th in a hundred are by the clock, so they hold what else the machine did
//! meanwhile; `cpu` is the mean of what the thread itself ran, where the system tells it (Linux).
//! `--json` prints an object a line. Without `--bench`, which `cargo bench` gives, or with `--smoke`,
//! it only shows that it runs.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    missing_docs
)]

use schema::catalogue::Catalogue;
use schema::evolution::{
    ClusterId, Evolution, EvolutionContext, EvolutionSettings, FragmentSource, Insert, Lineage,
    LineageCommand, Observation, Pool, Resolved,
};
use schema::language::Language;
use schema::lint::TemplateOrigin;
use schema::semantics::Embedder;
use schema::template::Template;
use schema::time::Timestamp;
use serde_json::{Map, json};
use std::hint::black_box;
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
    let fragments = arguments.iter().skip_while(|a| *a != "--fragments").nth(1);
    let scale = Scale {
        fragments: fragments.map_or(scale.fragments, |n| n.parse().unwrap()),
        ..scale
    };
    let told = Told {
        json: has("--json"),
    };
    templates(&scale, &told);
    let dense = Kind {
        id: "dense",
        dimensions: 384,
        set: 384,
        threshold: 0.55,
        noise: 0.85,
    };
    let sparse = Kind {
        id: "n-gram",
        dimensions: 1_024,
        set: 60,
        threshold: 0.30,
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
    fn row(&self, name: &str, mut taken: Taken) {
        taken.times.sort_unstable();
        let (n, times) = (taken.times.len(), &taken.times);
        let us = |d: Duration| d.as_nanos() as f64 / 1_000.0;
        let mean = us(times.iter().sum()) / n as f64;
        let (half, late) = (us(times[n / 2]), us(times[n * 99 / 100]));
        let cpu = taken.cpu.map(|all| us(all) / n as f64);
        match self.json {
            true => println!(
                "{}",
                json!({"bench": "evolution", "row": name, "n": n, "p50_us": half,
                "mean_us": mean, "p99_us": late, "cpu_us": cpu})
            ),
            false => println!(
                "{name:14} n {n:>8}  p50 {half:>8.1} µs  mean {mean:>8.1}  p99 {late:>8.1}  cpu {}",
                cpu.map_or("–".to_owned(), |cpu| format!("{cpu:>8.1}"))
            ),
        }
    }
}

/// The times that things took.
#[derive(Default)]
struct Taken {
    /// Each, by the clock.
    times: Vec<Duration>,
    /// All together, of the thread; none where the system does not tell.
    cpu: Option<Duration>,
}

impl Taken {
    /// Times each of some things; what is prepared for them does not count.
    fn each<T>(&mut self, things: impl IntoIterator<Item = T>, mut work: impl FnMut(T)) {
        let before = on_cpu();
        for thing in things {
            let started = Instant::now();
            work(thing);
            self.times.push(started.elapsed());
        }
        let ran = before.and_then(|before| Some(on_cpu()? - before));
        self.cpu = ran.map(|ran| self.cpu.unwrap_or_default() + ran);
    }

    fn of<T>(things: impl IntoIterator<Item = T>, work: impl FnMut(T)) -> Self {
        let mut taken = Self::default();
        taken.each(things, work);
        taken
    }
}

/// The time that this thread has run, by Linux's scheduler; exact to a tick of it.
fn on_cpu() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let ns = told.split_ascii_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(ns))
}

/// The templates that clients ask for first.
fn templates(scale: &Scale, told: &Told) {
    let mut catalogue = Catalogue::new("bench");
    let ids = schema::shipped::SHIPPED
        .iter()
        .map(|(schema_id, _)| *schema_id);
    let all = ids.filter_map(schema::shipped::template).collect();
    catalogue.publish_all(all).unwrap();
    let scenarios: Vec<String> = catalogue
        .scenarios()
        .into_iter()
        .map(|s| s.scenario)
        .collect();
    let times = scale.fragments.min(10_000);
    let list = Taken::of(0..times, |_| drop(black_box(catalogue.scenarios())));
    told.row("list", list);
    let languages = ["en", "zh"].map(|tag| Language::parse(tag).unwrap());
    let fetch = Taken::of(0..times, |i| {
        let newest = catalogue.newest(&scenarios[i % scenarios.len()]).unwrap();
        let sent = schema::write::template(newest, Some(&languages[i % 2]));
        drop(black_box(sent.to_string()));
    });
    told.row("fetch", fetch);
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

struct SeededRng(u64);

impl SeededRng {
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
    fn direction(&self, rng: &mut SeededRng) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        if self.set == self.dimensions {
            vector.iter_mut().for_each(|x| *x = rng.normal());
        } else {
            for _ in 0..self.set {
                vector[rng.next() as usize % self.dimensions] += 1.0;
            }
        }
        unit(vector)
    }

    /// A fragment of a cluster: of sparse ones a part of the n-grams is another.
    fn around(&self, centre: &[f32], rng: &mut SeededRng) -> Vec<f32> {
        let noise = self.direction(rng);
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
        self.direction(&mut SeededRng(seed | 1))
    }
    fn opposes(&self, _: &str, _: &str) -> bool {
        false
    }
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(1_767_225_600_000 + ms)
}

/// Fragments made at a time.
const MADE: usize = 5_000;

/// A fragment before it is inserted.
struct Wish {
    client: String,
    text: String,
    vector: Vec<f32>,
    at: Timestamp,
}

fn insert(kind: &Kind, scale: &Scale, told: &Told) -> Pool {
    let mut rng = SeededRng(0x1234_5678_9abc_def1);
    let centres: Vec<_> = (0..scale.clusters)
        .map(|_| kind.direction(&mut rng))
        .collect();
    let mut settings = EvolutionSettings::default();
    settings.cluster.clusters_max = scale.clusters;
    let mut pool = Pool::new(kind, false).unwrap();
    let mut wish = |i: usize| {
        let of = match i < scale.clusters {
            true => i,
            false => rng.next() as usize % scale.clusters,
        };
        Wish {
            vector: kind.around(&centres[of], &mut rng),
            client: format!("client {}", rng.next() % 1_000),
            text: format!("wish {of}"),
            at: at(i as i64 * 600),
        }
    };
    let mut taken = Taken::default();
    for from in (0..scale.fragments).step_by(MADE) {
        let wishes: Vec<Wish> = (from..scale.fragments.min(from + MADE))
            .map(&mut wish)
            .collect();
        taken.each(&wishes, |wish| {
            let source = FragmentSource {
                client: Some(&wish.client),
                proven: true,
            };
            let fragment = Insert {
                text: &wish.text,
                vector: &wish.vector,
                source: &source,
                now: wish.at,
            };
            pool.insert(&fragment, &settings, kind).unwrap();
        });
    }
    assert!(pool.clusters().len() <= scale.clusters);
    told.row(&format!("insert {}", kind.id), taken);
    pool
}

fn relink_and_tick(mut pool: Pool, kind: &Kind, scale: &Scale, told: &Told) {
    let settings = EvolutionSettings::default();
    let ids: Vec<ClusterId> = pool.clusters().map(|c| c.id).take(20).collect();
    let relinked = Taken::of(ids, |id| {
        pool.relink(id, &settings, kind, at(0)).unwrap();
    });
    told.row("relink", relinked);
    let mut evolution = Evolution::from_parts(pool, lineage(scale));
    let clients: Vec<String> = (0..1_000).map(|i| format!("client {i}")).collect();
    let payload: Map<_, _> = [("key_3".to_owned(), json!(true))].into_iter().collect();
    let observed = Taken::of(&clients, |client| {
        evolution.lineage_mut().observe(&Observation {
            client: Some(client),
            payload: &payload,
            accepted: true,
            now: at(0),
        });
    });
    told.row("observe", observed);
    let means = EvolutionContext {
        settings: &settings,
        embedder: kind,
        screen: &|text| Some(text.to_owned()),
        exposes: &|_| false,
        everyones: &[],
    };
    let ticked = Taken::of(0..100, |i| {
        evolution.tick(&means, at(i * 3_600_000));
    });
    told.row("tick", ticked);
}

fn base() -> Template {
    let source = json!({"schema_id": "wish_v1", "scenario": "wish", "keys": [
        {"key_name": "what", "key_type": "string", "required": false, "semantic_description": "What."}]});
    schema::read::template(&source, TemplateOrigin::Own)
        .unwrap()
        .template
}

/// Ten keys on trial, each delivered to many clients.
fn lineage(scale: &Scale) -> Lineage {
    let mut settings = EvolutionSettings::default();
    settings.patch.policy.ordinary = schema::evolution::Approval::Auto;
    let mut lineage = Lineage::new(base(), None);
    for i in 0..10 {
        let source = json!({"key_name": format!("key_{i}"), "key_type": "boolean", "required": false,
            "semantic_description": "Whether it is wanted."});
        let key = schema::read::key(&source, &Language::english(), TemplateOrigin::Own)
            .unwrap()
            .0;
        let cluster = ClusterId(1_000_000 + i);
        let propose = LineageCommand::Propose {
            cluster,
            resolved: Resolved::New(key),
            exposes_capability: false,
        };
        for command in [LineageCommand::Fire { cluster }, propose] {
            let events = lineage.decide(&command, &settings, at(0)).unwrap();
            events.iter().for_each(|event| lineage.apply(event));
        }
    }
    for i in 0..scale.clients {
        lineage.delivered(&format!("client {i}"), &settings);
    }
    lineage
}
