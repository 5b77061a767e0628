//! The background has the statistics of the record.

use super::*;
use crate::build::{Parameters, inventory};
use crate::topology::Backbone;

/// The beginnings and durations (seconds) of a week of background at full level.
fn week(level: f64) -> (usize, Vec<f64>, Vec<f64>) {
    let network = inventory(&Backbone::default(), &Parameters::default(), 3);
    let noise = Noise::new(&network, level, 3);
    let mut rng = stream(3, 0);
    let (mut at, mut begins, mut durations) = (0.0, Vec::new(), Vec::new());
    while let Some(pause) = noise.pause_s(&mut rng) {
        at += pause;
        if at > 7.0 * 86_400.0 {
            break;
        }
        for grumble in noise.burst(&network, Timestamp::from_ms((at * 1000.0) as i64), &mut rng) {
            begins.push(grumble.from.as_ms() as f64 / 1000.0);
            durations.push(grumble.until.seconds_since(grumble.from));
        }
    }
    let devices = network.elements.values().filter(|e| is_device(e)).count();
    (devices, begins, durations)
}

#[test]
fn rate_duration_and_burstiness_are_those_of_the_record() {
    let (devices, begins, mut durations) = week(0.05);
    let per_device_hour = begins.len() as f64 / devices as f64 / 168.0 / 0.05;
    assert!((3.6..4.5).contains(&per_device_hour), "{per_device_hour}");
    durations.sort_by(f64::total_cmp);
    let median = durations[durations.len() / 2];
    assert!((29.0..36.0).contains(&median), "{median}");
    let mut counts = vec![0.0; 1008];
    for begin in begins {
        if let Some(count) = counts.get_mut((begin / 600.0) as usize) {
            *count += 1.0;
        }
    }
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / counts.len() as f64;
    let ratio = variance / mean;
    assert!((12.0..20.0).contains(&ratio), "{ratio}");
}

#[test]
fn silence_is_silence() {
    assert!(week(0.0).1.is_empty());
}

/// The share of alarms of a burst that are of the type of the one before.
fn repeated(companions: bool) -> f64 {
    let network = inventory(&Backbone::default(), &Parameters::default(), 3);
    let noise = Noise::new(&network, 0.05, 3).with_companions(companions);
    let mut rng = stream(3, 0);
    let (mut same, mut all) = (0, 0);
    for _ in 0..400 {
        let burst = noise.burst(&network, Timestamp::from_ms(0), &mut rng);
        for pair in burst.windows(2) {
            let [before, after] = [&pair[0], &pair[1]].map(|g| g.sighting.alarm_type);
            same += usize::from(before == after);
            all += 1;
        }
    }
    f64::from(same as u32) / f64::from(all as u32)
}

/// Co-occurrence is that of the record: a type follows itself 7 to 9 times as often as by chance.
#[test]
fn companions_come_together() {
    let (alone, together) = (repeated(false), repeated(true));
    assert!((0.18..0.26).contains(&alone), "{alone}");
    assert!((0.30..0.50).contains(&together), "{together}");
}
