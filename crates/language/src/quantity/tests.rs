//! The worth of numbers with units, in English and Chinese.
#![allow(clippy::unwrap_used)]

use super::*;
use insta::assert_snapshot;

fn read(raw: &str) -> String {
    let text = Text::new(raw);
    quantities(&text, &[])
        .iter()
        .map(|q| {
            format!(
                "{}{}{}",
                q.value,
                if q.ordinal { "th" } else { "" },
                q.unit.map_or(String::new(), |u| format!(" {}", u.symbol()))
            )
        })
        .collect::<Vec<_>>()
        .join(", ")
}

#[test]
fn digits_and_words_with_units_in_english() {
    assert_snapshot!(read("reduce 2.5 kW to 1,500 W by 15% within half an hour"), @"2.5 kW, 1500 W, 15 %, 0.5 h");
    assert_snapshot!(read("two hundred and fifty users, a dozen cells, twenty-five Mbit/s and 46 dBm"), @"250, 12, 25 Mbit/s, 46 dBm");
    assert_snapshot!(read("$5000 at 3% for 5 years, x = -2, the third, 50km"), @"5000 $, 3 %, 5 year, -2, 3th, 50 km");
    assert_snapshot!(read("10 mW or 10 MW, one way, one hundred thousand, a couple of days"), @"10 mW, 10 MW, 100000, 2 d");
}

#[test]
fn digits_and_characters_with_units_in_chinese() {
    assert_snapshot!(read("把功率降低百分之十五,两个小时,三百二十个用户,1.5万户"), @"15 %, 2 h, 320, 15000");
    assert_snapshot!(read("节电20%,持续半小时,看一下,统一,十分紧急,12千瓦"), @"20 %, 0.5 h, 12000 W");
}

#[test]
fn units_convert_within_their_dimension() {
    let text = Text::new("half an hour");
    let half = &quantities(&text, &[])[0];
    assert_eq!(half.in_unit(unit_named("minutes").unwrap()), Some(30.0));
    assert_eq!(half.in_unit(unit_named("W").unwrap()), None);
}

#[test]
fn shares_exponents_and_names_of_places() {
    assert_snapshot!(read("save a quarter of the energy, under a fifth, a quarter of an hour"), @"25 %, 20 %, 0.25 h");
    assert_snapshot!(read("4 m/s^2 for 300 m"), @"4, 300 m");
    assert_snapshot!(read("三成五,四分之一,六盘水,三亚,三个站"), @"35 %, 25 %, 3");
}
