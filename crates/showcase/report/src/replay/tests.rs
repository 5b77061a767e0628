//! Stepping and seeking in a record.

use super::*;
use crate::invented::{self, alarm, minute, record};
use proptest::prelude::*;

fn told(player: &mut Player) -> String {
    let lines = std::iter::from_fn(|| player.step());
    let line = |l: ReplayLine| {
        let to = l.to.map_or(String::new(), |to| format!(" → {to}"));
        format!(
            "{} {:7} {}{to}: {}",
            &l.at.to_string()[11..19],
            l.tone.as_str(),
            l.who,
            l.words
        )
    };
    lines.map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_record_is_told_line_by_line() {
    insta::assert_snapshot!(told(&mut Player::new(record())), @r#"
00:00:00 good    network: 0 sites out, 100.0 % of the traffic served
00:10:00 bad     site:S-1: site-unreachable, critical
00:10:00 bad     network: 1 site out, 50.0 % of the traffic served
00:12:00 plain   oss → ip: TaskAssign t1: Where is it cut?
00:12:30 good    ip → oss: accepted: I look.
00:13:00 plain   ip → field: TaskAssign t2: Go there.
00:13:06 waiting field → ip: pending: Later.
01:00:00 good    field → ip: t2 finished: It is finished.
01:01:00 good    ip → oss: t1 finished: It is finished.
01:02:00 good    network: 0 sites out, 100.0 % of the traffic served
"#);
}

#[test]
fn what_comes_in_rows_is_told_in_one_line() {
    let outcome = |agent: &str, words: &str| RecordedEvent::Outcome {
        agent: agent.into(),
        words: words.into(),
    };
    let mut busy = record();
    let moments = [
        (1.0, alarm("site:N-1", false)),
        (2.0, alarm("site:S-1", false)),
        (3.0, alarm("site:N-1", true)),
        (7.0, alarm("site:S-1", true)),
        (8.0, outcome("ip", "good")),
        (8.0, outcome("ip", "bad")),
        (8.0, outcome("oss", "good")),
    ];
    let moment = |(at, what)| Moment {
        at: minute(at),
        what,
    };
    busy.moments = moments.map(moment).to_vec();
    insta::assert_snapshot!(told(&mut Player::new(busy)), @r#"
00:01:00 bad     network: 2 alarms raised, 1 cleared; first site:N-1: site-unreachable, critical
00:07:00 good    site:S-1: site-unreachable, cleared
00:08:00 plain   ip: outcome: good; and 1 more
00:08:00 plain   oss: outcome: good
"#);
}

#[test]
fn the_truth_is_told_only_if_wanted() {
    let without = told(&mut Player::new(record()));
    let with = told(&mut Player::with_truth(record()));
    assert!(!without.contains("fibre-cut"));
    insta::assert_snapshot!(with.lines().filter(|line| !without.contains(line)).collect::<Vec<_>>().join("\n"), @r#"
00:09:00 truth   truth: fibre-cut at link:Nord-Süd breaks
00:59:00 truth   truth: fibre-cut at link:Nord-Süd mended
"#);
}

#[test]
fn the_board_shows_what_stands() {
    let mut player = Player::new(record());
    player.to(minute(30.0));
    insta::assert_snapshot!(player.board(), @r#"
04-21 00:30 UTC, 30 min in · 1 site out · 50.0 % served · 5.0 kWh so far · 1 alarm
2 open tasks
  t1  oss → ip  accepted, for 18 min: Where is it cut?
  t2  ip → field  pending, for 17 min: Go there.
"#);
    player.to(minute(9_999.0));
    insta::assert_snapshot!(player.board(), @r#"
04-21 01:02 UTC, 62 min in · 0 sites out · 100.0 % served · 31.0 kWh so far · 1 alarm
0 open tasks
"#);
    assert_eq!((player.progress(), player.step()), (1.0, None));
    player.to(minute(5.0));
    assert_eq!(player.at(), minute(5.0));
    assert_eq!(player.step().unwrap().at, minute(10.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The board at an instant does not depend on the steps and seeks before it.
    #[test]
    fn the_way_does_not_matter(record in invented::records(), steps in 0usize..20, there in 0i64..3_000) {
        let mut straight = Player::with_truth(record.clone());
        straight.to(minute(there as f64));
        let mut winding = Player::with_truth(record);
        for _ in 0..steps {
            winding.step();
        }
        winding.to(minute(there as f64 / 2.0));
        winding.to(minute(there as f64));
        prop_assert_eq!(straight.board(), winding.board());
        prop_assert_eq!(straight.step(), winding.step());
    }

    /// Every moment is in exactly one line, but for readings without news and merged moments.
    #[test]
    fn nothing_is_told_twice(record in invented::records()) {
        let is_in_row = |m: &&Moment| matches!(
            m.what,
            RecordedEvent::Network { .. } | RecordedEvent::Alarm { .. } | RecordedEvent::Action { .. } | RecordedEvent::Outcome { .. }
        );
        let rows = record.moments.iter().filter(is_in_row).count();
        let all = record.moments.len();
        let mut player = Player::new(record);
        let lines = std::iter::from_fn(|| player.step()).count();
        prop_assert!(lines <= all && lines >= all - rows);
        prop_assert_eq!(player.progress(), 1.0);
    }
}
