//! Days and times, counted from one afternoon.
#![allow(clippy::unwrap_used)]

use super::*;
use insta::assert_snapshot;
use schema::time::Timestamp;

/// Thursday, 30 April 2026, 10:30 in Shanghai.
fn calendar() -> Calendar {
    let now = Timestamp::parse("2026-04-30T02:30:00Z").unwrap();
    Calendar::of(&Circumstances {
        now,
        zone_minutes: 480,
        language: None,
    })
}

fn read(raw: &str) -> String {
    let text = Text::new(raw);
    let found = moments(&text, &calendar());
    let clock = |s: u32| format!("{:02}:{:02}", s / 3600, s / 60 % 60);
    let mut all: Vec<(usize, String)> = Vec::new();
    all.extend(
        found
            .days
            .iter()
            .map(|d| (d.run.start, format!("{} [{}]", d.date, text.span(&d.run)))),
    );
    all.extend(found.clocks.iter().map(|c| {
        (
            c.run.start,
            format!("{} [{}]", clock(c.seconds), text.span(&c.run)),
        )
    }));
    all.extend(found.instants.iter().map(|i| {
        (
            i.run.start,
            format!("{}T{} [{}]", i.date, clock(i.seconds), text.span(&i.run)),
        )
    }));
    all.sort();
    all.into_iter().map(|a| a.1).collect::<Vec<_>>().join("; ")
}

/// D44: next Monday is 2026-05-04.
#[test]
fn days_in_english() {
    assert_snapshot!(read("next Monday or Friday, tomorrow, the day after tomorrow"), @"2026-05-04 [next Monday]; 2026-05-01 [Friday]; 2026-05-01 [tomorrow]; 2026-05-02 [day after tomorrow]");
    assert_snapshot!(read("March 9th, 8th of March 2019, May 12, 2022, 2026-06-01, 15/03/2024, 2022/08/16"), @"2027-03-09 [March 9th]; 2019-03-08 [8th of March 2019]; 2022-05-12 [May 12, 2022]; 2026-06-01 [2026-06-01]; 2024-03-15 [15/03/2024]; 2022-08-16 [2022/08/16]");
    assert_snapshot!(read("on the 11th, Tuesday next week, in 3 days, 2nd of this month, it may march"), @"2026-05-11 [the 11th]; 2026-05-05 [Tuesday next week]; 2026-05-03 [in 3 days]; 2026-04-02 [2nd of this month]");
}

#[test]
fn days_in_chinese() {
    assert_snapshot!(read("下周一,明天,后天,3天后,5月4日,2026年6月1号,周五,下个月1号,15号,B-15号站"), @"2026-05-04 [下周一]; 2026-05-01 [明天]; 2026-05-02 [后天]; 2026-05-03 [3天后]; 2026-05-04 [5月4日]; 2026-06-01 [2026年6月1号]; 2026-05-01 [周五]; 2026-05-01 [下个月1号]; 2026-05-15 [15号]");
}

#[test]
fn times_of_day() {
    assert_snapshot!(read("at 3pm, 11:45 in the morning, from midnight until 6 am, 23:30, half past six, noon, 7 p.m."), @"15:00 [3pm]; 11:45 [11:45 in the morning]; 00:00 [midnight]; 06:00 [6 am]; 23:30 [23:30]; 06:30 [half past six]; 12:00 [noon]; 19:00 [7 p.m]");
    assert_snapshot!(read("明天下午3点,晚上八点半,凌晨2点15分,22:00到6点,今晚10点"), @"2026-05-01 [明天]; 15:00 [下午3点]; 20:30 [晚上八点半]; 02:15 [凌晨2点15分]; 22:00 [22:00]; 06:00 [6点]; 2026-04-30 [今]; 22:00 [晚10点]");
}

#[test]
fn instants_are_counted_from_the_clock() {
    assert_snapshot!(read("in two hours, 30 minutes from now, half an hour ago, 两小时后, 2026-05-04T10:00:00Z"), @"2026-04-30T12:30 [in two hours]; 2026-04-30T11:00 [30 minutes from now]; 2026-04-30T10:00 [half an hour ago]; 2026-04-30T12:30 [两小时后]; 2026-05-04T18:00 [2026-05-04T10:00:00Z]");
    assert_snapshot!(read("for 3 hours with 200 customers at 10 sites"), @"");
}

#[test]
fn half_hours_and_nights_as_they_are_said() {
    assert_snapshot!(read("every night from ten until half five"), @"22:00 [ten]; 05:30 [half five]");
    assert_snapshot!(read("since 6 this morning, 2 customers"), @"06:00 [6 this morning]");
    assert_snapshot!(read("half five hours, half past 900, quarter to 99999999999999999999"), @"");
}

#[test]
fn no_count_is_too_large() {
    for said in [
        "in 2600000000000000 hours",
        "9999999999999999999 weeks ago",
        "二三四五六七八九二三四五六七八九二三四五六七八九天后",
        "2026-05-04T10:00:00+99999999:00",
    ] {
        read(said);
    }
}
