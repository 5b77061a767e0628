//! Invented scores of runs under three policies.
//!
//! Knows the plausible magnitude of each figure; knows nothing of the events (`tale.rs`). Read
//! next: `../sample.rs`.

use super::Hat;
use report::{ComplaintScore, FaultScore, Score, Timestamp};

/// The scores of a batch.
pub(crate) fn scores(hat: &mut Hat) -> Vec<Score> {
    let policies = ["agents", "manual", "timer"];
    let seeds = 1..=30;
    seeds
        .flat_map(|seed| policies.map(|policy| (policy, seed)))
        .map(|(policy, seed)| score(policy, seed, hat))
        .collect()
}

/// The score of one run.
pub(crate) fn score(policy: &str, seed: u64, hat: &mut Hat) -> Score {
    let agents = policy == "agents";
    let slow = if agents { 1.0 } else { 6.0 };
    let mut score = Score {
        version: report::score::VERSION,
        policy: policy.to_owned(),
        topology: "germany12".to_owned(),
        seed,
        days: 1.0,
        sites: 360,
        cells: 1_080,
        ..Score::default()
    };
    for n in 0..8 {
        let found = hat.draw() < if agents { 0.92 } else { 0.45 };
        let detected = slow * 60.0 * (1.0 + hat.draw() * 4.0);
        let located = detected + slow * 300.0 * (0.3 + hat.draw());
        let mended = hat.draw() < 0.97;
        score.faults.push(FaultScore {
            kind: ["fibre-cut", "power-failure", "line-card"][n % 3].to_owned(),
            element: format!("link:{n}"),
            began: Timestamp::from_ms(1_745_193_600_000).plus_s(hat.draw() * 80_000.0),
            users_touched: (hat.draw() * 900.0).round(),
            detected_s: Some(detected.round()),
            located_s: found.then_some(located.round()),
            restored_s: None,
            truly_restored_s: mended
                .then_some((located + 3_600.0 * (1.0 + 4.0 * hat.draw())).round()),
            rank: if found {
                Some(1 + u32::from(hat.draw() < 0.1))
            } else {
                None
            },
            blamed: None,
            dispatches: 1 + u32::from(!found),
            wrong_dispatches: u32::from(!found),
            best_yardstick_right: Some(hat.draw() < 0.8),
            own_alarm_right: Some(hat.draw() < 0.6),
        });
    }
    for n in 0..5 {
        score.complaints.push(ComplaintScore {
            ticket: format!("T-{n}"),
            nature: ["own domain", "other province", "not the network"][n % 3].to_owned(),
            localised: hat.draw() < if agents { 0.86 } else { 0.7 },
            reply_min: (hat.draw() < 0.95).then_some(slow * 11.0 * (0.5 + hat.draw())),
            questions: hat.below(2) as u32,
        });
    }
    let saved = match policy {
        "agents" => 0.11,
        "timer" => 0.07,
        _ => 0.0,
    };
    for (name, value) in [
        ("energy", 940.0 * (1.0 - saved) + hat.bell() * 6.0),
        ("energy-saved-share", saved + hat.bell() * 0.004),
        (
            "incidents-per-alarm",
            if agents { 0.03 } else { 0.4 } + hat.draw() * 0.01,
        ),
        (
            "outage-user-minutes",
            slow * 21_000.0 + hat.bell() * 1_500.0,
        ),
        (
            "compensated-edge-throughput",
            if agents { 0.92 } else { 0.31 } + hat.bell() * 0.07,
        ),
        (
            "compensated-served-share",
            if agents { 0.88 } else { 0.72 } + hat.bell() * 0.02,
        ),
        (
            "guarantee-breach-user-minutes",
            if agents { 620.0 } else { 410.0 } + hat.bell() * 120.0,
        ),
        (
            "messages",
            if agents { 1_840.0 } else { 0.0 } + (hat.draw() * 90.0).round(),
        ),
        (
            "bytes",
            if agents { 2.4e6 } else { 0.0 } + (hat.draw() * 1e5).round(),
        ),
        (
            "negotiation-rounds",
            if agents { 44.0 } else { 0.0 } + hat.below(9) as f64,
        ),
        ("model-calls", 0.0),
    ] {
        score.figures.insert(name.to_owned(), value);
    }
    score
}
