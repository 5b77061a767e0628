//! A letter: from what somebody went through to words, and what the words say.
//!
//! One in four is written by hand (forty letters with blanks for place, time and vehicle), the
//! others come from a grammar: symptom, place, time, vehicle and chatter in any order. What the
//! writer withholds is not said, and stands not in the gold. Refuses to let truth slip into words:
//! no element's name can stand in a letter. Read next: [`super`].

use super::{Datum, Gold, Letter, Plight, chinese, english, handwritten, noise};
use crate::chance::{choose, happens};
use domain::calendar::{Month, Weekday};
use domain::time::{Dice, Timestamp};

/// The share of letters written by hand.
const HANDWRITTEN: f64 = 0.25;
/// The share of vehicle numbers written in groups, as on a registration paper.
const GROUPED: f64 = 0.15;

/// The letter that somebody writes at an instant.
pub fn letter(plight: &Plight, written: Timestamp, dice: &mut Dice) -> Letter {
    let parts = Parts::of(plight, written, dice);
    let by_hand = handwritten::fitting(plight);
    let sheet = match happens(dice, HANDWRITTEN) {
        true => choose(dice, &by_hand).copied(),
        false => None,
    };
    let text = match sheet {
        Some(sheet) => return by_hand_on(sheet, plight, &parts),
        None if plight.chinese => {
            noise::chinese(chinese::GRAMMAR.composed(plight, &parts, dice), dice)
        }
        None => noise::english(english::GRAMMAR.composed(plight, &parts, dice), dice),
    };
    Letter {
        text,
        gold: gold(plight),
        handwritten: false,
    }
}

/// A sheet says no more than it has blanks for.
fn by_hand_on(sheet: &str, plight: &Plight, parts: &Parts) -> Letter {
    let Gold {
        symptom,
        outside,
        place,
        at,
        vehicle,
        moved_to,
    } = gold(plight);
    let gold = Gold {
        symptom,
        outside,
        place: place.filter(|_| sheet.contains("{town}")),
        at: at.filter(|_| sheet.contains("{when}")),
        vehicle: vehicle.filter(|_| sheet.contains("{vin}")),
        moved_to: moved_to.filter(|_| sheet.contains("{left}")),
    };
    Letter {
        text: filled(sheet, parts),
        gold,
        handwritten: true,
    }
}

/// What the owner says when asked what was withheld; all of it, for the owner does not know which
/// of it was meant.
pub fn answer(plight: &Plight, written: Timestamp, dice: &mut Dice) -> String {
    let parts = Parts::of(&told(plight), written, dice);
    match plight.chinese {
        true => chinese::answered(plight, &parts),
        false => english::answered(plight, &parts),
    }
}

/// What is said of a plight once everything is told.
pub fn gold_when_told(plight: &Plight) -> Gold {
    gold(&told(plight))
}

fn told(plight: &Plight) -> Plight {
    Plight {
        withheld: Default::default(),
        ..plight.clone()
    }
}

fn gold(plight: &Plight) -> Gold {
    let says = |datum| !plight.withheld.contains(&datum);
    let place = says(Datum::Place).then(|| plight.town.clone());
    Gold {
        symptom: plight.symptom,
        outside: plight.outside,
        moved_to: place.clone().filter(|_| plight.left.is_some()),
        place,
        at: says(Datum::Time).then_some(plight.at),
        vehicle: says(Datum::Vehicle).then(|| plight.vin.clone()),
    }
}

/// The blanks of a letter, each filled or empty.
pub(super) struct Parts {
    /// "yesterday around 7 pm".
    pub(super) when: Option<String>,
    /// The town.
    pub(super) town: Option<String>,
    /// The town it had come from.
    pub(super) left: Option<String>,
    /// The vehicle's number.
    pub(super) vehicle: Option<String>,
}

impl Parts {
    fn of(plight: &Plight, written: Timestamp, dice: &mut Dice) -> Self {
        let says = |datum| !plight.withheld.contains(&datum);
        let when = match plight.chinese {
            true => chinese::when(plight.at, written, dice),
            false => english::when(plight.at, written, dice),
        };
        let name = |town: &String, dice: &mut Dice| match plight.chinese {
            true => chinese::town(town, dice),
            false => english::town(town, dice),
        };
        let town = name(&plight.town, dice);
        let left = plight.left.as_ref().map(|town| name(town, dice));
        let vehicle = written_number(&plight.vin, dice);
        Self {
            when: says(Datum::Time).then_some(when),
            town: says(Datum::Place).then_some(town),
            left: left.filter(|_| says(Datum::Place)),
            vehicle: says(Datum::Vehicle).then_some(vehicle),
        }
    }
}

fn written_number(vin: &str, dice: &mut Dice) -> String {
    match happens(dice, GROUPED) && vin.len() == 17 {
        true => format!("{} {} {}", &vin[..3], &vin[3..9], &vin[9..]),
        false => vin.to_owned(),
    }
}

/// A sheet with its blanks filled; a clause in brackets falls away if one of its blanks is empty.
fn filled(sheet: &str, parts: &Parts) -> String {
    let blanks = [
        ("{when}", &parts.when),
        ("{town}", &parts.town),
        ("{left}", &parts.left),
        ("{vin}", &parts.vehicle),
    ];
    let mut text = String::new();
    for (number, clause) in sheet.split(['[', ']']).enumerate() {
        let optional = number % 2 == 1;
        let empty =
            |(blank, value): &(&str, &Option<String>)| clause.contains(blank) && value.is_none();
        if optional && blanks.iter().any(empty) {
            continue;
        }
        let mut clause = clause.to_owned();
        for (blank, value) in blanks {
            clause = clause.replace(blank, value.as_deref().unwrap_or_default());
        }
        text.push_str(&clause);
    }
    text
}

/// An instant as people reckon it, seen from when they write.
pub(super) struct Moment {
    /// How many days ago.
    pub(super) days: i64,
    /// The hour, 0 to 23, and the minute.
    pub(super) hour: u32,
    pub(super) minute: u32,
    /// The weekday; month and day of the month.
    pub(super) weekday: Weekday,
    pub(super) month: Month,
    pub(super) date: u8,
    /// How long ago, in hours.
    pub(super) ago_h: f64,
}

impl Moment {
    pub(super) fn of(at: Timestamp, written: Timestamp) -> Self {
        let minutes = (at.second_of_day() / 60.0) as u32;
        let date = at.date();
        Self {
            days: written.days() - at.days(),
            hour: minutes / 60,
            minute: minutes % 60,
            weekday: date.weekday(),
            month: date.month(),
            date: date.day(),
            ago_h: written.seconds_since(at) / 3_600.0,
        }
    }

    /// The hour next to it, where that is of the same day.
    pub(super) fn round_hour(&self) -> u32 {
        (self.hour + u32::from(self.minute >= 30)).min(23)
    }
}
