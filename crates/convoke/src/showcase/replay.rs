//! `convoke demo --replay FILE`: steps through a recorded run.
//!
//! On a terminal each line waits for its reader: an empty line goes on, a number goes on by so many
//! lines, a time of day seeks to it, forwards or back, `b` shows the board, `q` quits. Without a
//! terminal everything is printed at once. Read next: [`report::Player`].

use crate::cli::Common;
use crate::output::{Failure, Paint, line, on_terminal};
use crate::showcase::files;
use crate::showcase::show::{self, Screen};
use report::replay::{ReplayLine, Tone};
use report::{Player, Record, Timestamp};
use std::io::BufRead;
use std::path::Path;

/// The default number of lines per step.
const AT_A_TIME: usize = 12;
const KEYS: &str = "Enter goes on, a number by so many lines, a time such as 14:30 goes there, b shows the board, \
                    q ends.";
const DAY_S: f64 = 86_400.0;

/// A command of the reader.
#[derive(Debug, PartialEq, Eq)]
enum Wish {
    On(usize),
    /// Seek to a time of day, in minutes.
    To(u16),
    Board,
    End,
    Unclear,
}

pub(crate) fn run(common: &Common, file: &Path) -> Result<(), Failure> {
    let text = files::text(file)?;
    let record =
        Record::parse(&text).map_err(|e| Failure::failed(format!("{}, {e}", file.display())))?;
    if common.json {
        record.lines().for_each(|text| line(&text));
        return Ok(());
    }
    let run = &record.run;
    line(&Paint::new().style("1", &report::story::headline(&run.scenario)));
    line(&format!(
        "Played by {} on {} with seed {}; it began {}\n",
        run.policy, run.topology, run.seed, run.began
    ));
    let mut player = Player::new(record);
    if !on_terminal() {
        tell(&mut player, usize::MAX);
        return Ok(());
    }
    step_through(&mut player)
}

fn step_through(player: &mut Player) -> Result<(), Failure> {
    line(&format!("{KEYS}\n"));
    let mut readers = std::io::stdin().lock().lines();
    let mut wish = Wish::On(AT_A_TIME);
    loop {
        match wish {
            Wish::On(_) if player.progress() >= 1.0 => return Ok(()),
            Wish::On(lines) => tell(player, lines),
            Wish::To(minutes) => {
                player.to(instant(player, minutes));
                board(player);
            }
            Wish::Board => board(player),
            Wish::End => return Ok(()),
            Wish::Unclear => line(KEYS),
        }
        wish = match readers.next() {
            Some(Ok(said)) => wished(&said),
            Some(Err(cause)) => return Err(Failure::failed(cause.to_string())),
            None => Wish::End,
        };
    }
}

fn wished(said: &str) -> Wish {
    match said.trim() {
        "" => Wish::On(AT_A_TIME),
        "b" => Wish::Board,
        "q" => Wish::End,
        other => match (other.parse(), minutes(other)) {
            (Ok(lines), _) => Wish::On(lines),
            (_, Some(minutes)) => Wish::To(minutes),
            _ => Wish::Unclear,
        },
    }
}

/// Parses a time of day, `HH:MM`, into minutes.
fn minutes(said: &str) -> Option<u16> {
    let (hours, minutes) = said.split_once(':')?;
    let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

/// The next instant with that time of day, in UTC; wraps round to the first.
fn instant(player: &Player, minutes: u16) -> Timestamp {
    let (began, ended) = (player.record().run.began, player.record().ended());
    let midnight = -(began.as_ms() as f64 / 1_000.0).rem_euclid(DAY_S);
    let on_day =
        |day: u32| began.plus_s(midnight + f64::from(day) * DAY_S + f64::from(minutes) * 60.0);
    let first = u32::from(on_day(0) < began);
    let all = || (first..).map(on_day).take_while(|at| *at <= ended);
    let next = all().find(|at| *at > player.at());
    next.or_else(|| all().next()).unwrap_or(ended)
}

/// Prints so many lines; after the last, the final state and the score.
fn tell(player: &mut Player, lines: usize) {
    let screen = Screen::new();
    for _ in 0..lines {
        match player.step() {
            Some(told) => tell_line(screen, &told),
            None => break,
        }
    }
    if player.progress() >= 1.0 {
        board(player);
        player.record().score.iter().for_each(show::figures);
    }
}

fn tell_line(screen: Screen, told: &ReplayLine) {
    let style = match told.tone {
        Tone::Plain => "36",
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Waiting => "33",
        Tone::Truth => "1;35",
    };
    let (time, who, words) = (told.at.clock(), &told.who, &told.words);
    match &told.to {
        Some(to) => screen.spoken(&time, style, [who, to], words),
        None => screen.alone(&time, who, "·", style, words),
    }
}

fn board(player: &Player) {
    line("");
    line(&player.board());
    line("");
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_says_how_far() {
        assert_eq!(wished(""), Wish::On(AT_A_TIME));
        assert_eq!(wished(" 40 "), Wish::On(40));
        assert_eq!(wished("14:30"), Wish::To(870));
        assert_eq!(wished("b"), Wish::Board);
        assert_eq!(wished("q"), Wish::End);
        for unclear in ["x", "24:00", "1:60", ":", "-3"] {
            assert_eq!(wished(unclear), Wish::Unclear, "{unclear}");
        }
    }

    #[test]
    fn a_time_of_the_day_is_the_next_of_the_run_or_its_first() {
        let record = r#"{"event":"run","version":1,"scenario":"all","policy":"agents","seed":1,"topology":"t","began":"2026-11-21T22:00:00Z","network":{"towns":[],"links":[],"sites":[]}}
{"event":"moment","at":"2026-11-23T01:00:00Z","kind":"note","agent":"a","words":"w"}
"#;
        let mut player = Player::new(Record::parse(record).unwrap());
        let at = |player: &Player, minutes| instant(player, minutes).to_string();
        assert_eq!(at(&player, 23 * 60), "2026-11-21T23:00:00.000Z");
        assert_eq!(at(&player, 60), "2026-11-22T01:00:00.000Z");
        player.to(Timestamp::parse("2026-11-22T12:00:00Z").unwrap());
        assert_eq!(at(&player, 60), "2026-11-23T01:00:00.000Z");
        player.to(Timestamp::parse("2026-11-23T00:30:00Z").unwrap());
        assert_eq!(at(&player, 23 * 60), "2026-11-21T23:00:00.000Z");
        let short = record.replace("2026-11-23T01", "2026-11-21T23");
        let player = Player::new(Record::parse(&short).unwrap());
        assert_eq!(at(&player, 12 * 60), "2026-11-21T23:00:00.000Z", "its end");
    }
}
