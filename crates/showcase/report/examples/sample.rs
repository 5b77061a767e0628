//! Renders sample pages from an invented record and an invented batch, to be looked at in a
//! browser.
//!
//! ```text
//! cargo run -p convoke-report --example sample -- FOLDER
//! ```
//! Writes `run.jsonl`, `run.html`, `batch.html`, `batch.json` and `batch.txt` into the folder
//! (default `target/report-sample`). Nothing in them was simulated: the towns are real, the numbers
//! pseudo-random. The events are in `sample/tale.rs`, the scores in `sample/score.rs`. Read next:
//! `src/html.rs`.
// A sample is not part of the library: it writes files and tells where.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

#[path = "sample/score.rs"]
mod score;
#[path = "sample/tale.rs"]
mod tale;

use report::record::{MapLink, NetworkMap, Site, Town};
use report::{About, Player, Record, Run, ScoreBatch, Timestamp, html};
use score::{score, scores};
use std::error::Error;
use std::path::PathBuf;
use tale::{Tale, background, complaint, outage, readings};

/// Town, degrees east, degrees north.
const TOWNS: [(&str, f64, f64); 12] = [
    ("Hamburg", 9.99, 53.55),
    ("Bremen", 8.81, 53.08),
    ("Berlin", 13.4, 52.52),
    ("Hannover", 9.73, 52.37),
    ("Leipzig", 12.37, 51.34),
    ("Dortmund", 7.47, 51.51),
    ("Köln", 6.96, 50.94),
    ("Frankfurt", 8.68, 50.11),
    ("Nürnberg", 11.08, 49.45),
    ("Karlsruhe", 8.4, 49.01),
    ("Stuttgart", 9.18, 48.78),
    ("München", 11.58, 48.14),
];
const LINKS: [(usize, usize); 16] = [
    (0, 1),
    (0, 2),
    (0, 3),
    (1, 3),
    (2, 3),
    (2, 4),
    (3, 5),
    (5, 6),
    (6, 7),
    (3, 7),
    (4, 7),
    (4, 8),
    (7, 9),
    (9, 10),
    (10, 11),
    (8, 11),
];

/// A small deterministic pseudo-random generator.
struct Hat(u64);

impl Hat {
    /// The next number, uniform in [0, 1).
    fn draw(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The next number, approximately normal with mean 0 and standard deviation 1.
    fn bell(&mut self) -> f64 {
        (0..12).map(|_| self.draw()).sum::<f64>() - 6.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.draw() * n as f64) as usize
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(
        std::env::args()
            .nth(1)
            .unwrap_or_else(|| "target/report-sample".to_owned()),
    );
    std::fs::create_dir_all(&folder)?;
    let mut hat = Hat(7);
    let lines: Vec<String> = invented(&mut hat).lines().collect();
    let text = lines.join("\n") + "\n";
    let record = Record::parse(&text)?;
    let batch = ScoreBatch::new(scores(&mut hat));
    let about = About {
        command: "convoke simulate --days 1 --seeds 1..30 --policy agents,manual,timer".to_owned(),
        machine: "an invented machine".to_owned(),
        date: "a day that never was".to_owned(),
        assumptions: vec![
            "Invented numbers: this page shows what a page looks like, and nothing else."
                .to_owned(),
            "Manual handling looks at one case after the other, 25 minutes each.".to_owned(),
        ],
    };
    for (name, page) in [
        ("run.jsonl", text),
        ("run.html", html::run(&record)),
        ("batch.html", html::batch(&batch, &about)),
        ("batch.json", batch.json()),
        ("batch.txt", batch.text(110)),
    ] {
        std::fs::write(folder.join(name), page)?;
    }
    println!("{}\n{}", batch.text(110), replayed(record));
    println!("Written to {}", folder.display());
    Ok(())
}

fn replayed(record: Record) -> String {
    let mut player = Player::with_truth(record);
    let middle = player.record().run.began.plus_s(10.0 * 3_600.0 + 2_000.0);
    player.to(middle);
    let told: Vec<String> = (0..8)
        .filter_map(|_| player.step())
        .map(|l| format!("{} {} {}: {}", l.at, l.tone.as_str(), l.who, l.words))
        .collect();
    format!("{}\n{}\n", told.join("\n"), player.board())
}

fn invented(hat: &mut Hat) -> Record {
    let began = Timestamp::from_ms(1_745_193_600_000);
    let network = network(hat);
    let mut tale = Tale {
        began,
        moments: Vec::new(),
        truth: Vec::new(),
    };
    background(&mut tale, hat, &network);
    outage(&mut tale, &network, "Köln", 10.2, [0.9, 3.1], hat);
    outage(&mut tale, &network, "München", 15.6, [0.3, 1.2], hat);
    outage(&mut tale, &network, "Leipzig", 16.0, [1.6, 5.0], hat);
    complaint(&mut tale);
    readings(&mut tale, hat, &network);
    tale.moments.sort_by_key(|m| m.at);
    let mut score = score("agents", 7, hat);
    score.complete();
    let run = Run {
        version: 1,
        scenario: "all".to_owned(),
        policy: "agents".to_owned(),
        seed: 7,
        topology: "germany12".to_owned(),
        began,
        network,
    };
    Record {
        run,
        moments: tale.moments,
        truth: tale.truth,
        score: Some(score),
    }
}

fn network(hat: &mut Hat) -> NetworkMap {
    let town = |(name, lon, lat): &(&str, f64, f64)| Town {
        name: (*name).to_owned(),
        lon: *lon,
        lat: *lat,
        province: if *lat > 50.94 { "North" } else { "South" }.to_owned(),
        core: matches!(*name, "Frankfurt" | "Berlin"),
    };
    let link = |(a, b): &(usize, usize)| {
        let (a, b) = (TOWNS[*a].0, TOWNS[*b].0);
        MapLink {
            id: format!("link:{a}-{b}"),
            a: a.to_owned(),
            b: b.to_owned(),
        }
    };
    let mut sites = Vec::new();
    for n in 0..360 {
        let (town, lon, lat) = TOWNS[n % TOWNS.len()];
        sites.push(Site {
            id: format!("site:{}-{n:03}", &town[..1]),
            town: town.to_owned(),
            lon: lon + hat.bell() * 0.33,
            lat: lat + hat.bell() * 0.2,
        });
    }
    NetworkMap {
        towns: TOWNS.iter().map(town).collect(),
        links: LINKS.iter().map(link).collect(),
        sites,
    }
}
