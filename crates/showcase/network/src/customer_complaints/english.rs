//! The grammar of English letters.
//!
//! Read next: [`super::words`].

use super::Experience;
use super::composition::{Grammar, Parts, Suffering, pick};
use super::moment::Moment;
use crate::chance::{happens, whole};
use domain::gazetteer;
use domain::time::{SeededRng, Timestamp};

const NUMBERS: [&str; 7] = ["zero", "one", "two", "three", "four", "five", "six"];

/// The grammar.
pub(super) const GRAMMAR: Grammar = Grammar {
    suffering: SUFFERING,
    place,
    sentence,
    vehicle: &["VIN: ", "My VIN is ", "Vehicle ", "The car is "],
    stop: ".",
    chatter: &CHATTER,
    greetings: &["Hello,", "Hi there,", "Dear service team,"],
    between: " ",
};

/// The time of the event, in words.
pub(super) fn when(at: Timestamp, written: Timestamp, rng: &mut SeededRng) -> String {
    let m = Moment::of(at, written);
    let half = (m.ago_h * 2.0).round() / 2.0;
    let mut ways = vec![dated(&m, rng)];
    if (0.75..6.25).contains(&m.ago_h) {
        let hours = half.round().max(1.0) as usize;
        let number = pick(rng, &[NUMBERS[hours.min(6)], &hours.to_string()]);
        let unit = if hours == 1 { "hour" } else { "hours" };
        ways.push(format!(
            "{}{number} {unit} ago",
            pick(rng, &["", "about ", "maybe "])
        ));
    }
    if (0.4..0.7).contains(&m.ago_h) {
        ways.push("half an hour ago".to_owned());
    }
    if (0.1..0.75).contains(&m.ago_h) {
        let minutes = ((m.ago_h * 12.0).round() * 5.0).max(5.0);
        ways.push(format!("{minutes} minutes ago"));
    }
    if m.days <= 6 {
        ways.push(format!("{} {}", clock(&m, rng), day_word(&m, rng)));
        ways.push(format!("{} {}", day_word(&m, rng), clock(&m, rng)));
        ways.push(part_of_day(&m));
    }
    let chosen = whole(rng, 0, ways.len() - 1);
    ways.swap_remove(chosen)
}

/// The date with the time of day: "on 21 April at 19:05".
fn dated(m: &Moment, rng: &mut SeededRng) -> String {
    let month = m.month;
    let date = match whole(rng, 0, 2) {
        0 => format!("{} {month}", m.date),
        1 => format!("{month} {}{}", m.date, ordinal(m.date)),
        _ => format!("the {}{} of {month}", m.date, ordinal(m.date)),
    };
    format!("on {date} {}", clock(m, rng))
}

fn ordinal(date: u8) -> &'static str {
    match (date % 10, date / 10) {
        (1, tens) if tens != 1 => "st",
        (2, tens) if tens != 1 => "nd",
        (3, tens) if tens != 1 => "rd",
        _ => "th",
    }
}

/// The time of day: "at 19:05", "around 7 pm".
fn clock(m: &Moment, rng: &mut SeededRng) -> String {
    let hour = m.round_hour();
    let (twelve, half) = ((hour + 11) % 12 + 1, if hour < 12 { "am" } else { "pm" });
    let about = pick(rng, &["around", "about", "at about", "at roughly"]);
    match whole(rng, 0, 4) {
        0 => format!("at {:02}:{:02}", m.hour, m.minute),
        1 => format!("at {}.{:02}", m.hour, m.minute),
        2 if hour == 12 => "around noon".to_owned(),
        2 => format!("{about} {twelve}{half}"),
        3 => format!("{about} {twelve} {half}"),
        _ => format!("{about} {twelve} o'clock {}", part(hour)),
    }
}

fn part(hour: u32) -> &'static str {
    match hour {
        0..=4 => "at night",
        5..=11 => "in the morning",
        12..=17 => "in the afternoon",
        _ => "in the evening",
    }
}

fn day_word(m: &Moment, rng: &mut SeededRng) -> String {
    match m.days {
        0 => "today".to_owned(),
        1 if happens(rng, 0.7) => "yesterday".to_owned(),
        _ => format!("on {}", m.weekday),
    }
}

/// The part of the day: "yesterday evening", "this morning", "last night".
fn part_of_day(m: &Moment) -> String {
    let part = match m.hour {
        0..=4 => "night",
        5..=11 => "morning",
        12..=17 => "afternoon",
        _ => "evening",
    };
    match (m.days, part) {
        (0, "night") => "early today, in the small hours".to_owned(),
        (0, _) => format!("this {part}"),
        (1, "evening") => "last night".to_owned(),
        (1, "night") => "yesterday in the small hours".to_owned(),
        (1, _) => format!("yesterday {part}"),
        (_, "night") => format!("on {} in the small hours", m.weekday),
        _ => format!("on {} {part}", m.weekday),
    }
}

/// The name of a town in a letter, with spelling variants.
pub(super) fn town(town: &str, rng: &mut SeededRng) -> String {
    let mut ways = vec![town.to_owned(), town.to_owned()];
    ways.extend(
        gazetteer::others(town)
            .iter()
            .map(|name| (*name).to_owned()),
    );
    let umlauts = with_umlauts(town);
    if umlauts != town {
        ways.push(umlauts);
    }
    let chosen = whole(rng, 0, ways.len() - 1);
    ways.swap_remove(chosen).replace('-', " ")
}

/// Restores umlauts: "München" for "Muenchen"; other names are unchanged.
fn with_umlauts(town: &str) -> String {
    const SPELT: [&str; 10] = [
        "Duesseldorf",
        "Koeln",
        "Muenchen",
        "Muenster",
        "Nuernberg",
        "Osnabrueck",
        "Saarbruecken",
        "Wuerzburg",
        "Goettingen",
        "Luebeck",
    ];
    match SPELT.contains(&town) {
        true => town.replace("ue", "ü").replace("oe", "ö"),
        false => town.to_owned(),
    }
}

/// Phrases for each symptom and subject.
const SUFFERING: Suffering = Suffering {
    account: &[
        "the app says my account is locked",
        "I cannot log in to the app any more, it refuses my password",
        "the login code for the app never arrives",
        "my user account has been blocked",
    ],
    bill: &[
        "my bill is 40 euros too high",
        "I was charged twice this month",
        "there is a roaming fee on my invoice that I do not understand",
        "I want a refund for the connectivity package",
    ],
    quota: &[
        "the display says my data volume is used up",
        "my monthly data allowance ran out and now nothing loads",
        "it says quota exceeded although I hardly used it",
        "my data package seems to be empty",
    ],
    modem: &[
        "the dashboard shows a modem error while my phone in the same car works fine",
        "the car reports that its SIM card is not recognised",
        "the telematics unit says communication module fault",
        "after the software update the car's modem does not start any more",
    ],
    no_service: &[
        "the car had no connection at all",
        "my car was completely offline",
        "there was no network whatsoever",
        "the connection was gone",
        "the display showed no service",
        "I could not reach the car with the app because it was offline",
    ],
    slow_data: &[
        "data was painfully slow",
        "the navigation map took forever to load",
        "music streaming kept buffering",
        "the internet in the car was very slow",
    ],
    call_drop: &[
        "my hands-free call was cut off",
        "the call dropped in the middle of a sentence",
        "calls kept dropping",
        "my phone call got disconnected twice",
    ],
    high_latency: &[
        "remote commands reacted with a delay of half a minute",
        "there was a terrible lag",
        "the voice assistant answered only after ages, a huge delay",
        "everything online responded with high latency",
    ],
    weak_signal: &[
        "there was only one bar of signal",
        "the signal was very weak",
        "reception was really poor",
        "hardly any reception",
    ],
    intermittent: &[
        "the connection came and went",
        "it kept disconnecting and reconnecting",
        "the network was there one minute and gone the next",
        "the connection was on and off all the time",
    ],
};

/// Joins clauses into one sentence; a clause of time or place may lead.
fn sentence(clauses: &[String], suffering_leads: bool) -> String {
    let joint = if suffering_leads { " " } else { ", " };
    let whole = format!("{}{joint}{}.", clauses[0], clauses[1..].join(" "));
    capital(&whole).replace(" .", ".")
}

const CHATTER: [&str; 10] = [
    "This is really annoying.",
    "My wife was furious.",
    "I have had this car for 3 years and never had trouble.",
    "Please look into it.",
    "The kids in the back could not watch their film.",
    "I paid 39 euros for this package.",
    "The weather was fine by the way.",
    "A friend with another operator says he never has such trouble.",
    "I was on the A7 with 2 colleagues.",
    "Kind regards.",
];

fn place(parts: &Parts, rng: &mut SeededRng) -> Option<String> {
    let town = parts.town.as_deref()?;
    if let Some(left) = &parts.left {
        return Some(match whole(rng, 0, 3) {
            0 => format!("after I had driven from {left} over to {town}"),
            1 => format!("once we had crossed from the {left} area into {town}"),
            2 => format!("near {town}, having left {left}"),
            _ => format!("on the way from {left} when I got to {town}"),
        });
    }
    Some(match whole(rng, 0, 4) {
        0 => format!("near {town}"),
        1 => format!("in {town}"),
        2 => format!("on the motorway close to {town}"),
        3 => format!("just outside {town}"),
        _ => format!("around {town}"),
    })
}

/// The answer to a question.
pub(super) fn answered(plight: &Experience, parts: &Parts) -> String {
    let mut said = vec!["Thanks for asking.".to_owned()];
    if let Some(town) = &parts.town {
        said.push(match (&parts.left, plight.outside) {
            (Some(left), None) => format!("I had come from {left} and it happened near {town}."),
            _ => format!("It was near {town}."),
        });
    }
    if let Some(when) = &parts.when {
        said.push(format!("It happened {when}."));
    }
    if let Some(vehicle) = &parts.vehicle {
        said.push(format!("The VIN is {vehicle}."));
    }
    said.join(" ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
