//! Labelled letters, to measure the accuracy of readers.
//!
//! One letter per line, columns separated by tabs: time of writing, language, `hand` or `grammar`,
//! symptom, subject outside the network, place, time of the event, vehicle, place to which the
//! vehicle had moved (each `-` where the letter does not state it), and the text.
//! Read next: [`super::words`].

use super::{
    ComplaintSymptom, ComplaintText, Experience, GoldFacts, UnrelatedSubject, WithheldFact, words,
};
use crate::chance::{between, choose, happens, stream, whole};
use crate::topology::Backbone;
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeSet;

/// The purpose of the corpus' random stream; see [`stream`].
const PURPOSE: u64 = 46;
/// The period of the letters, in days.
const DAYS: f64 = 60.0;
/// The age of the events, in seconds: shortest and longest.
const AGO_S: (f64, f64) = (600.0, 40.0 * 3_600.0);

/// The header line.
pub const HEAD: &str =
    "written\tlanguage\tby\tsymptom\toutside\tplace\tat\tvehicle\tmoved_to\ttext";

/// `count` letters that name towns of `topology`, each as a line: half in English, half in Chinese.
pub fn lines(topology: &Backbone, seed: u64, count: usize, start: Timestamp) -> Vec<String> {
    let mut rng = stream(seed, PURPOSE);
    let towns: Vec<&str> = topology.cities.iter().map(|c| c.name.as_str()).collect();
    (0..count)
        .map(|number| {
            let written = start.plus_s(between(&mut rng, 0.0, DAYS * 86_400.0));
            let plight = plight(number, &towns, written, &mut rng);
            line(&words::letter(&plight, written, &mut rng), &plight, written)
        })
        .collect()
}

fn plight(number: usize, towns: &[&str], written: Timestamp, rng: &mut SeededRng) -> Experience {
    let town = |rng: &mut SeededRng| choose(rng, towns).copied().unwrap_or_default().to_owned();
    let outside = happens(rng, 0.2).then(|| choose(rng, &UnrelatedSubject::ALL).copied());
    let outside = outside.flatten();
    let symptom = choose(rng, &ComplaintSymptom::ALL).copied();
    let (here, from) = (town(rng), town(rng));
    let moved = happens(rng, 0.3) && outside.is_none() && here != from;
    let serial = whole(rng, 0, 999_999);
    let withheld: BTreeSet<WithheldFact> = WithheldFact::ALL
        .into_iter()
        .filter(|_| happens(rng, 0.15))
        .collect();
    Experience {
        symptom: symptom.filter(|_| outside.is_none()),
        outside,
        town: here,
        left: moved.then_some(from),
        at: written.plus_s(-between(rng, AGO_S.0, AGO_S.1)),
        vin: format!("0HVA7K2M9B4{serial:06}"),
        withheld,
        chinese: number % 2 == 1,
    }
}

fn line(letter: &ComplaintText, plight: &Experience, written: Timestamp) -> String {
    let GoldFacts {
        symptom,
        outside,
        place,
        at,
        vehicle,
        moved_to,
    } = &letter.gold;
    let said = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    [
        written.to_string(),
        if plight.chinese { "zh" } else { "en" }.to_owned(),
        if letter.handwritten {
            "hand"
        } else {
            "grammar"
        }
        .to_owned(),
        said(symptom.map(|s| s.as_str().to_owned())),
        said(outside.map(|o| o.as_str().to_owned())),
        said(place.clone()),
        said(at.map(|at| at.to_string())),
        said(vehicle.clone()),
        said(moved_to.clone()),
        letter.text.replace(['\t', '\n'], " "),
    ]
    .join("\t")
}
